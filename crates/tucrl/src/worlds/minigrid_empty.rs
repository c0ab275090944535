//! An empty board for walking and turning, with a goal in the corner.
//!
//! MiniGridEmpty of Colosseum (Conserva and Rauber 2022), continuing: `size` × `size` cells; see the module `minigrid` for
//! the moves. Start in one corner, goal in the opposite one.
//!
//! Facts, derived here: all 4 size² states are reachable. In the goal a turn keeps the cell, so that without mishaps g* = 1,
//! and with `lazy` alone, too; the way takes 2 (size − 1) steps forward and one turn, and as every step before the last
//! forward one pays nothing, h(goal) − h(start) = 2 size − 2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::minigrid::{Mishaps, board};
use super::{Nested, PROBABILITY, World, WorldAbout, WorldKind, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const SIZE: &str = "an integer between 2 and 1000";

/// An empty board for walking and turning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MinigridEmpty {
    /// how many rows and columns
    #[schemars(extend("x-accepts" = SIZE))]
    pub size: usize,
    /// the probability that nothing happens
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub lazy: f64,
    /// the probability that the action is replaced by a random one
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub random: f64,
}

impl Default for MinigridEmpty {
    fn default() -> Self {
        Self { size: 6, lazy: 0.0, random: 0.1 }
    }
}

impl MinigridEmpty {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "minigrid-empty";

    fn cells(&self) -> Vec<(usize, usize)> {
        (0..self.size).flat_map(|x| (0..self.size).map(move |y| (x, y))).collect()
    }

    /// Builds the world.
    ///
    /// # Errors
    /// When `size` is not in `2..=1000`, or `lazy` or `random` not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let Self { size, lazy, random } = *self;
        require((2..=1000).contains(&size), Self::NAME, "size", size, SIZE)?;
        board(Self::NAME, &self.cells(), Mishaps { lazy, random })
    }
}

impl World for MinigridEmpty {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<MinigridEmpty>(WorldAbout {
        name: MinigridEmpty::NAME,
        summary: "walk and turn to a corner that pays",
        states: 144,
        actions: 3,
        facts: &[
            "Source: MiniGridEmpty of Colosseum, continuing, element by element.",
            "Communicating; every state is reachable.",
            "random = 0: gain 1, the goal is size·2 − 1 steps away.",
        ],
        example: "minigrid-empty:random=0",
    })
}

#[cfg(test)]
mod tests {
    use super::super::minigrid::published::compare;
    use super::super::probe::{assert_near, gain_and_span, reachable};
    use super::*;

    #[test]
    fn rows_and_rewards_are_the_published_ones() {
        for (size, lazy, random) in [(6, 0.0, 0.1), (2, 0.0, 0.0), (4, 0.2, 0.3)] {
            let world = MinigridEmpty { size, lazy, random };
            let inside = |at: isize| at >= 0 && at < size as isize;
            compare(&world.build().unwrap(), &world.cells(), (lazy, random), |(x, y)| {
                inside(x) && inside(y)
            });
        }
    }

    #[test]
    fn every_state_is_reachable_and_the_goal_pays_1() {
        for size in [2, 4, 6] {
            let mdp = MinigridEmpty { size, random: 0.0, ..Default::default() }.build().unwrap();
            assert_eq!(reachable(&mdp).len(), 4 * size * size);
            assert_near(gain_and_span(&mdp).0, 1.0, 1e-10);
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |world: MinigridEmpty| world.build().unwrap_err().to_string();
        assert_eq!(
            refusal(MinigridEmpty { size: 1, ..Default::default() }),
            "minigrid-empty: size = 1 is out of range: an integer between 2 and 1000"
        );
        assert_eq!(
            refusal(MinigridEmpty { lazy: 2.0, ..Default::default() }),
            "minigrid-empty: lazy = 2 is out of range: a number in [0, 1]"
        );
    }
}
