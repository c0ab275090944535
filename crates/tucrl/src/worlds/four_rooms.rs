//! Four rooms with four doors, to be crossed from corner to corner.
//!
//! Sutton, Precup and Singh 1999: 104 open cells of an 11 × 11 board, numbered in reading order; actions up, right, down,
//! left. With probability `slip` the move goes in one of the other three directions, each equally likely; walls and the
//! border stop it. Any action in the goal cell earns 1 and the next state is the start. Start: the upper left corner;
//! goal: the lower right corner.
//!
//! Facts, derived here or computed by value iteration: every cell is reachable. The shortest way takes 20 moves, so that
//! without slipping g* = 1/21. With slip 1/3, g* = 0.0265737034. The start is worst and the goal best, one paid step
//! apart, so the span is 1 − g*. The largest support is 4.
//!
//! Departures from the source: the original has several goals and no fixed start, and is not continuing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::{Direction, Grid};
use super::{Nested, PROBABILITY, World, WorldAbout, WorldKind, names_if_few, require_probability};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const MAP: [&str; 11] = [
    ".....#.....",
    ".....#.....",
    "...........",
    ".....#.....",
    ".....#.....",
    "#.####.....",
    ".....###.##",
    ".....#.....",
    ".....#.....",
    "...........",
    ".....#.....",
];
const GRID: Grid = Grid { rows: 11, columns: 11 };
const MOVES: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

/// Four rooms with four doors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FourRooms {
    /// the probability that a move goes in another direction
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub slip: f64,
}

impl Default for FourRooms {
    fn default() -> Self {
        Self { slip: 1.0 / 3.0 }
    }
}

impl FourRooms {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "four-rooms";

    /// Builds the world.
    ///
    /// # Errors
    /// When `slip` is not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        require_probability(Self::NAME, "slip", self.slip)?;
        let map = MAP.concat().into_bytes();
        let open: Vec<usize> = (0..map.len()).filter(|&cell| map[cell] == b'.').collect();
        let (start, goal) = (0, open.len() - 1);
        let after = |state: usize, direction| {
            let cell = GRID.step(open[state], direction);
            // A wall is not among the open cells: the move stays.
            open.binary_search(&cell).unwrap_or(state)
        };
        let mut builder = Mdp::builder();
        for state in 0..open.len() {
            builder.state();
            for intended in MOVES {
                if state == goal {
                    builder.action(1.0, [(start, 1.0)]);
                    continue;
                }
                builder.action(
                    0.0,
                    MOVES.map(|direction| {
                        let meant = direction == intended;
                        let probability = if meant { 1.0 - self.slip } else { self.slip / 3.0 };
                        (after(state, direction), probability)
                    }),
                );
            }
        }
        builder
            .start_at(start)
            .state_names(names_if_few(open.len(), |state| GRID.name(open[state])))
            .action_names(["up", "right", "down", "left"]);
        Ok(builder.build()?)
    }
}

impl World for FourRooms {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<FourRooms>(WorldAbout {
        name: FourRooms::NAME,
        summary: "a way through doors from corner to corner",
        states: 104,
        actions: 4,
        facts: &[
            "Communicating; the span is 1 minus the gain.",
            "slip = 0: gain 1/21. slip = 1/3: gain 0.0265737034.",
        ],
        example: "four-rooms:slip=0",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, reachable_support, row};
    use super::*;

    #[test]
    fn all_104_cells_are_reachable_through_four_doors() {
        let mdp = FourRooms::default().build().unwrap();
        assert_eq!((mdp.states(), mdp.pairs()), (104, 416));
        assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (104, 4));
        let place = |name: &str| mdp.state_names().iter().position(|other| other == name).unwrap();
        for door in ["row 2, column 5", "row 5, column 1", "row 6, column 8", "row 9, column 5"] {
            // A door has walls on two opposite sides: staying takes the place of two moves.
            assert_eq!(row(&mdp, place(door), 0).len(), 3, "{door}");
        }
    }

    #[test]
    fn moves_slip_and_walls_stop_them() {
        let mdp = FourRooms { slip: 0.3 }.build().unwrap();
        let near = |state, action, expected: &[(usize, f64)]| {
            let found = row(&mdp, state, action);
            assert_eq!(found.len(), expected.len());
            for (entry, (next, probability)) in found.into_iter().zip(expected) {
                assert_eq!(entry.0, *next);
                assert_near(entry.1, *probability, 1e-15);
            }
        };
        near(0, 1, &[(0, 0.2), (1, 0.7), (10, 0.1)]);
        near(4, 1, &[(3, 0.1), (4, 0.8), (14, 0.1)]);
        near(103, 2, &[(0, 1.0)]);
        assert_eq!(mdp.mean_reward(mdp.pair(103, 2)), 1.0);
        assert_eq!(mdp.mean_reward(mdp.pair(102, 1)), 0.0);
    }

    #[test]
    fn gain_and_span_are_those_documented() {
        for (slip, gain) in [(0.0, 1.0 / 21.0), (1.0 / 3.0, 0.0265737034)] {
            let found = gain_and_span(&FourRooms { slip }.build().unwrap());
            assert_near(found.0, gain, 1e-10);
            assert_near(found.1, 1.0 - gain, 1e-8);
        }
    }

    #[test]
    fn slips_out_of_range_are_refused() {
        for (slip, value) in [(1.5, "1.5"), (f64::NAN, "NaN")] {
            assert_eq!(
                FourRooms { slip }.build().unwrap_err().to_string(),
                format!("four-rooms: slip = {value} is out of range: a number in [0, 1]")
            );
        }
    }
}
