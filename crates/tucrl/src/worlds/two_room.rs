//! Two rooms with one door, to be crossed from corner to corner.
//!
//! The map `2-room` of GridWorld in the package statisticalrl-environments (Maillard et al.), on which IMED-RL was shown:
//! `rows` × `columns` cells of which the border and the middle row, rows/2, are walls, with a door in its column columns/2.
//! Actions up, down, left, right: the move succeeds with 1 − 3 `slip`, goes to each side with `slip`, and with `slip` it
//! stays; walls stop it. Any action in the goal earns 0.99 and the next state is the start. Start: the upper left corner
//! (row 1, column 1); goal: the lower right one, as the package's comments have it; its default draws both.
//!
//! Facts: states are the open cells in reading order, all reachable. Without slipping the shortest way takes
//! rows + columns − 6 moves, so that g* = 0.99/(rows + columns − 5); the start is worst and the goal best, one paid
//! step apart, so that the span is 0.99 − g* for any slip. The largest support is 4.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::{Direction, Grid};
use super::{Nested, World, WorldAbout, WorldKind, names_if_few, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const SIDE: &str = "an integer between 5 and 1000";
const SLIP: &str = "a number in [0, 1/3]";
const PAID: f64 = 0.99;

/// Two rooms with one door.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwoRoom {
    /// how many rows, walls included
    #[schemars(extend("x-accepts" = SIDE))]
    pub rows: usize,
    /// how many columns, walls included
    #[schemars(extend("x-accepts" = SIDE))]
    pub columns: usize,
    /// the probability of each of three mishaps: one side, the other side, and staying
    #[schemars(extend("x-accepts" = SLIP))]
    pub slip: f64,
}

impl Default for TwoRoom {
    fn default() -> Self {
        Self { rows: 9, columns: 11, slip: 0.1 }
    }
}

impl TwoRoom {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "two-room";

    /// Builds the world.
    ///
    /// # Errors
    /// When a side is not in `5..=1000` or `slip` not in `[0, 1/3]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        use Direction::{Down, Left, Right, Up};
        let Self { rows, columns, slip } = *self;
        for (key, side) in [("rows", rows), ("columns", columns)] {
            require((5..=1000).contains(&side), Self::NAME, key, side, SIDE)?;
        }
        require((0.0..=1.0 / 3.0).contains(&slip), Self::NAME, "slip", slip, SLIP)?;
        let grid = Grid { rows, columns };
        let is_open = |&cell: &usize| {
            let (row, column) = grid.place(cell);
            let is_border = row == 0 || row == rows - 1 || column == 0 || column == columns - 1;
            !is_border && (row != rows / 2 || column == columns / 2)
        };
        let open: Vec<usize> = (0..grid.cells()).filter(is_open).collect();
        let (start, goal) = (0, open.len() - 1);
        let after = |state: usize, direction| {
            let cell = grid.step(open[state], direction);
            // A wall is not among the open cells: the move stays.
            open.binary_search(&cell).unwrap_or(state)
        };
        let mut builder = Mdp::builder();
        for state in 0..open.len() {
            builder.state();
            for (meant, sides) in [
                (Up, [Left, Right]),
                (Down, [Left, Right]),
                (Left, [Up, Down]),
                (Right, [Up, Down]),
            ] {
                if state == goal {
                    builder.action(PAID, [(start, 1.0)]);
                    continue;
                }
                let [one, other] = sides.map(|side| (after(state, side), slip));
                let row = [(after(state, meant), 1.0 - 3.0 * slip), one, other, (state, slip)];
                builder.action(0.0, row.into_iter().filter(|outcome| outcome.1 > 0.0));
            }
        }
        builder
            .start_at(start)
            .state_names(names_if_few(open.len(), |state| grid.name(open[state])))
            .action_names(["up", "down", "left", "right"]);
        Ok(builder.build()?)
    }
}

impl World for TwoRoom {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<TwoRoom>(WorldAbout {
        name: TwoRoom::NAME,
        summary: "a way through one door from corner to corner",
        states: 55,
        actions: 4,
        facts: &[
            "Source: the map 2-room of statisticalrl-environments, element by element.",
            "Communicating; the span is 0.99 minus the gain.",
            "slip = 0: gain 0.99/(rows + columns − 5).",
        ],
        example: "two-room:slip=0",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, reachable_support, row};
    use super::*;

    /// The maze, the masses and the moves as the package defines them, in its own numbering.
    fn published(rows: usize, columns: usize, slip: f64) -> Vec<[Vec<f64>; 4]> {
        let mut maze = vec![vec![1; columns]; rows];
        for line in &mut maze {
            (line[0], line[columns - 1]) = (0, 0);
        }
        for wall in [0, rows - 1, rows / 2] {
            maze[wall] = vec![0; columns];
        }
        maze[rows / 2][columns / 2] = 1;
        let cells: Vec<(usize, usize)> = (0..rows)
            .flat_map(|x| (0..columns).map(move |y| (x, y)))
            .filter(|&(x, y)| maze[x][y] == 1)
            .collect();
        let number = |cell| cells.iter().position(|other| *other == cell).unwrap();
        let forward = 1.0 - 3.0 * slip;
        // left, up, right, down, stay
        let masses = [
            [slip, forward, slip, 0.0, slip],
            [slip, 0.0, slip, forward, slip],
            [forward, slip, 0.0, slip, slip],
            [0.0, slip, forward, slip, slip],
        ];
        let goal = (rows - 2, columns - 2);
        let law = |(x, y): (usize, usize), mass: [f64; 5]| {
            let mut law = vec![0.0; cells.len()];
            if (x, y) == goal {
                law[number((1, 1))] = 1.0;
                return law;
            }
            let targets = [(x, y - 1), (x - 1, y), (x, y + 1), (x + 1, y), (x, y)];
            for ((tx, ty), mass) in targets.into_iter().zip(mass) {
                law[number(if maze[tx][ty] == 0 { (x, y) } else { (tx, ty) })] += mass;
            }
            law
        };
        cells.iter().map(|&cell| masses.map(|mass| law(cell, mass))).collect()
    }

    #[test]
    fn rows_and_rewards_are_the_published_ones() {
        for (rows, columns, slip) in [(9, 11, 0.1), (5, 6, 0.0), (8, 8, 1.0 / 3.0)] {
            let mdp = TwoRoom { rows, columns, slip }.build().unwrap();
            let published = published(rows, columns, slip);
            assert_eq!(mdp.states(), published.len());
            for (state, laws) in published.iter().enumerate() {
                for (action, law) in laws.iter().enumerate() {
                    let mut found = vec![0.0; law.len()];
                    row(&mdp, state, action).iter().for_each(|(next, p)| found[*next] = *p);
                    for (found, expected) in found.iter().zip(law) {
                        assert_near(*found, *expected, 1e-15);
                    }
                    let paid = if state + 1 == mdp.states() { 0.99 } else { 0.0 };
                    assert_eq!(mdp.mean_reward(mdp.pair(state, action)), paid);
                }
            }
        }
    }

    #[test]
    fn gain_and_span_are_those_documented() {
        let mdp = TwoRoom::default().build().unwrap();
        assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (55, 4));
        let (gain, span) = gain_and_span(&mdp);
        assert_near(span, 0.99 - gain, 1e-8);
        for (rows, columns) in [(9, 11), (5, 6), (8, 9)] {
            let mdp = TwoRoom { rows, columns, slip: 0.0 }.build().unwrap();
            assert_near(gain_and_span(&mdp).0, 0.99 / (rows + columns - 5) as f64, 1e-10);
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |world: TwoRoom| world.build().unwrap_err().to_string();
        assert_eq!(
            refusal(TwoRoom { rows: 4, ..TwoRoom::default() }),
            "two-room: rows = 4 is out of range: an integer between 5 and 1000"
        );
        assert_eq!(
            refusal(TwoRoom { slip: 0.5, ..TwoRoom::default() }),
            "two-room: slip = 0.5 is out of range: a number in [0, 1/3]"
        );
    }
}
