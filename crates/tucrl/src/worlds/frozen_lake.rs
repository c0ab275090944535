//! FrozenLake: slippery ice with holes; falling in restarts.
//!
//! Gymnasium's two maps, made continuing. Cells are numbered row by row; actions left, down, right, up. On slippery ice
//! the move goes in the intended direction or in one of the two across it, each with probability 1/3; the border stops
//! it. Stepping into a hole earns 0 and onto the goal 1, and in both cases the next state is the start. The reward is
//! drawn together with the move, since from some cells both ends are one step away.
//!
//! Facts, derived here or computed by value iteration: hole and goal cells are never occupied and lead to the start; the
//! reachable cells are the others.
//!
//! | map, ice | states | reachable | g* | span over reachable |
//! | --- | --- | --- | --- | --- |
//! | 4×4, dry | 16 | 11 | 1/6 | 5/6 |
//! | 4×4, slippery | 16 | 11 | 11/612 | 25/34 |
//! | 8×8, dry | 64 | 53 | 1/14 | 13/14 |
//! | 8×8, slippery | 64 | 53 | 0.0106141438 | 0.8506488071 |
//!
//! Departures from the source: Gymnasium ends an episode and stops it after 100 or 200 steps; here it starts again and
//! never stops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::{Direction, Grid};
use super::{Nested, World, WorldAbout, WorldKind, names_if_few};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const START: usize = 0;
const MOVES: [Direction; 4] = [Direction::Left, Direction::Down, Direction::Right, Direction::Up];

/// The map of [`FrozenLake`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum FrozenLakeMap {
    /// Four rows of four cells, four holes.
    #[default]
    #[serde(rename = "4x4")]
    Map4x4,
    /// Eight rows of eight cells, ten holes.
    #[serde(rename = "8x8")]
    Map8x8,
}

impl FrozenLakeMap {
    /// S start, F frozen, H hole, G goal.
    fn rows(self) -> &'static [&'static str] {
        match self {
            Self::Map4x4 => &["SFFF", "FHFH", "FFFH", "HFFG"],
            Self::Map8x8 => &[
                "SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF",
                "FFFHFFFG",
            ],
        }
    }
}

/// A frozen lake with holes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrozenLake {
    /// which of Gymnasium's lakes
    pub map: FrozenLakeMap,
    /// whether moves may go astray
    pub slippery: bool,
}

impl Default for FrozenLake {
    fn default() -> Self {
        Self { map: FrozenLakeMap::Map4x4, slippery: true }
    }
}

impl FrozenLake {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "frozen-lake";

    /// Builds the world.
    ///
    /// # Errors
    /// Never; the type is that of the other worlds.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let rows = self.map.rows();
        let grid = Grid { rows: rows.len(), columns: rows.len() };
        let letters = rows.concat().into_bytes();
        let mut builder = Mdp::builder();
        for (cell, letter) in letters.iter().enumerate() {
            builder.state();
            for action in 0..4 {
                if matches!(letter, b'H' | b'G') {
                    builder.action(0.0, [(START, 1.0)]);
                    continue;
                }
                let outcome = |turn: usize| {
                    let next = grid.step(cell, MOVES[(action + turn) % 4]);
                    match letters[next] {
                        b'H' => (START, 0.0),
                        b'G' => (START, 1.0),
                        _ => (next, 0.0),
                    }
                };
                // One direction further round is across, as is one back, which is three further.
                let turns: &[usize] = if self.slippery { &[3, 0, 1] } else { &[0] };
                builder.joint_action(turns.iter().map(|&turn| {
                    let (next, reward) = outcome(turn);
                    (next, 1.0 / turns.len() as f64, reward)
                }));
            }
        }
        builder
            .start_at(START)
            .state_names(names_if_few(grid.cells(), |cell| grid.name(cell)))
            .action_names(["left", "down", "right", "up"]);
        Ok(builder.build()?)
    }
}

impl World for FrozenLake {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<FrozenLake>(WorldAbout {
        name: FrozenLake::NAME,
        summary: "cross ice with holes; falling restarts",
        states: 16,
        actions: 4,
        facts: &[
            "Holes and the goal are never occupied: weakly communicating.",
            "4x4: 11 of 16 reachable; dry: gain 1/6, span 5/6;",
            "slippery: gain 11/612, span 25/34 (over reachable states).",
            "8x8: 53 of 64 reachable; dry: gain 1/14, span 13/14;",
            "slippery: gain 0.0106141438, span 0.8506488071.",
        ],
        example: "frozen-lake:map=8x8,slippery=false",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, reachable_support, row};
    use super::*;
    use crate::reward::{PairReward, RewardLaw};

    fn lake(map: FrozenLakeMap, slippery: bool) -> Mdp {
        FrozenLake { map, slippery }.build().unwrap()
    }

    #[test]
    fn reachable_cells_are_those_without_hole_or_goal() {
        for (map, holes, support) in [(FrozenLakeMap::Map4x4, 4, 3), (FrozenLakeMap::Map8x8, 10, 3)]
        {
            for slippery in [false, true] {
                let mdp = lake(map, slippery);
                let frozen =
                    |cell: &usize| !matches!(map.rows().concat().as_bytes()[*cell], b'H' | b'G');
                let expected: Vec<usize> = (0..mdp.states()).filter(frozen).collect();
                assert_eq!(reachable(&mdp), expected);
                assert_eq!(expected.len(), mdp.states() - holes - 1);
                assert_eq!(reachable_support(&mdp), if slippery { support } else { 1 });
            }
        }
    }

    #[test]
    fn slippery_moves_go_ahead_or_across() {
        let mdp = lake(FrozenLakeMap::Map4x4, true);
        let third = 1.0 / 3.0;
        assert_eq!(row(&mdp, 9, 2), [(0, third), (10, third), (13, third)], "up is a hole");
        assert_eq!(row(&mdp, 0, 0)[1], (4, third));
        assert_near(row(&mdp, 0, 0)[0].1, 2.0 / 3.0, 1e-15);
        assert_eq!(row(&mdp, 15, 1), [(0, 1.0)], "the goal is never occupied");
        let dry = lake(FrozenLakeMap::Map4x4, false);
        assert_eq!((row(&dry, 14, 2), dry.mean_reward(dry.pair(14, 2))), (vec![(0, 1.0)], 1.0));
        assert_eq!((row(&dry, 4, 2), dry.mean_reward(dry.pair(4, 2))), (vec![(0, 1.0)], 0.0));
    }

    #[test]
    fn hole_and_goal_mix_when_both_are_next_to_a_cell() {
        // On the large map cell 62 has the goal to the right; cell 55 is above the goal, with a
        // hole to the left: moving down from it reaches the goal, the hole, or the right border.
        let mdp = lake(FrozenLakeMap::Map8x8, true);
        let pair = mdp.pair(55, 1);
        assert_eq!(row(&mdp, 55, 1).iter().map(|entry| entry.0).collect::<Vec<_>>(), [0, 55]);
        assert_near(mdp.mean_reward(pair), 1.0 / 3.0, 1e-15);
        let mixed = RewardLaw::discrete([(0.0, 0.5), (1.0, 0.5)]);
        let expected = PairReward::Joint(Box::new([mixed, RewardLaw::Constant(0.0)]));
        assert_eq!(*mdp.reward(pair), expected);
    }

    #[test]
    fn gain_and_span_are_those_of_the_table() {
        for (map, slippery, gain, span) in [
            (FrozenLakeMap::Map4x4, false, 1.0 / 6.0, 5.0 / 6.0),
            (FrozenLakeMap::Map4x4, true, 11.0 / 612.0, 25.0 / 34.0),
            (FrozenLakeMap::Map8x8, false, 1.0 / 14.0, 13.0 / 14.0),
            (FrozenLakeMap::Map8x8, true, 0.0106141438, 0.8506488071),
        ] {
            let found = gain_and_span(&lake(map, slippery));
            assert_near(found.0, gain, 1e-10);
            assert_near(found.1, span, 1e-9);
        }
    }
}
