//! Cliff walking: the shortest way follows an edge; falling restarts.
//!
//! Sutton and Barto, Example 6.6, made continuing. A board of 4 × 12 cells numbered row by row; start in the lower left
//! corner, goal in the lower right, a cliff between them. A step costs 1; stepping into the cliff costs 100 and the next
//! state is the start; entering the goal earns `goal` and the next state is the start. Rewards are (r + 100)/100: 0.99
//! per step, 0 for the fall. Actions up, right, down, left, as in Gymnasium.
//!
//! Facts, derived here: 37 of 48 cells are reachable; the ten cliff cells and the goal never are and lead to the start.
//! The path along the edge takes 13 steps, so that g* = 0.99 + (goal + 1)/1300: 0.990769 for the default. The diameter of
//! the reachable part is 14. All moves are deterministic.
//!
//! Departures from the source: the book pays −1 also for the step into the goal. On average per step every policy that
//! never falls is then optimal, whether it arrives or not; so the goal earns 0 by default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::{Direction, Grid};
use super::{Nested, World, WorldAbout, WorldKind, names_if_few, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const GRID: Grid = Grid { rows: 4, columns: 12 };
const START: usize = 36;
const GOAL: usize = 47;
const MOVES: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

const AT_GOAL: &str = "a number in [-1, 0]";

/// A board with a cliff between start and goal.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CliffWalking {
    /// what entering the goal earns before scaling; the book has -1
    #[schemars(extend("x-accepts" = AT_GOAL))]
    pub goal: f64,
}

impl CliffWalking {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "cliff-walking";

    /// Builds the world.
    ///
    /// # Errors
    /// When `goal` is not in `[-1, 0]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let accepted = (-1.0..=0.0).contains(&self.goal);
        require(accepted, Self::NAME, "goal", self.goal, AT_GOAL)?;
        let scaled = |reward: f64| (reward + 100.0) / 100.0;
        let mut builder = Mdp::builder();
        for cell in 0..GRID.cells() {
            builder.state();
            for direction in MOVES {
                if cell > START {
                    builder.action(0.0, [(START, 1.0)]);
                    continue;
                }
                let (next, reward) = match GRID.step(cell, direction) {
                    GOAL => (START, self.goal),
                    next if next > START => (START, -100.0),
                    next => (next, -1.0),
                };
                builder.action(scaled(reward), [(next, 1.0)]);
            }
        }
        builder
            .start_at(START)
            .state_names(names_if_few(GRID.cells(), |cell| GRID.name(cell)))
            .action_names(["up", "right", "down", "left"]);
        Ok(builder.build()?)
    }
}

impl World for CliffWalking {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<CliffWalking>(WorldAbout {
        name: CliffWalking::NAME,
        summary: "a short way along an edge; falling restarts",
        states: 48,
        actions: 4,
        facts: &[
            "37 of 48 states are reachable, their diameter is 14.",
            "The gain is 0.99 + (goal + 1)/1300.",
        ],
        example: "cliff-walking:goal=-1",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, diameter, gain_and_span, reachable, row};
    use super::*;

    #[test]
    fn falling_and_arriving_both_lead_to_the_start() {
        let mdp = CliffWalking::default().build().unwrap();
        let step =
            |cell, action| (row(&mdp, cell, action)[0].0, mdp.mean_reward(mdp.pair(cell, action)));
        assert_eq!((mdp.states(), mdp.pairs(), mdp.transitions()), (48, 192, 192));
        assert_eq!(step(36, 0), (24, 0.99));
        assert_eq!(step(36, 1), (36, 0.0), "off the cliff");
        assert_eq!(step(36, 2), (36, 0.99), "border");
        assert_eq!(step(30, 2), (36, 0.0), "off the cliff");
        assert_eq!(step(35, 2), (36, 1.0), "the goal");
        assert_eq!(step(47, 0), (36, 0.0), "out of reach");
        assert_eq!(reachable(&mdp), (0..=36).collect::<Vec<_>>());
    }

    #[test]
    fn the_gain_is_that_of_the_path_along_the_edge() {
        for goal in [0.0, -0.5, -1.0] {
            let mdp = CliffWalking { goal }.build().unwrap();
            assert_near(gain_and_span(&mdp).0, 0.99 + (goal + 1.0) / 1300.0, 1e-10);
            assert_near(diameter(&mdp), 14.0, 1e-9);
        }
    }

    #[test]
    fn goals_out_of_range_are_refused() {
        for (goal, value) in [(0.5, "0.5"), (-2.0, "-2"), (f64::NAN, "NaN")] {
            assert_eq!(
                CliffWalking { goal }.build().unwrap_err().to_string(),
                format!("cliff-walking: goal = {value} is out of range: a number in [-1, 0]")
            );
        }
    }
}
