//! Deep sea: one treasure at the end of a single path.
//!
//! bsuite (Osband et al. 2020), made continuing and deterministic. On a board of size × size cells, numbered row by row,
//! each step sinks one row and moves one column left or right (the border stops it); from the last row the next state is
//! the surface, state 0. Right costs 0.01/size in bsuite; with all rewards raised by that, left earns 0.01/size, right
//! nothing, and right from the last cell of the last row, the treasure, earns 1.
//!
//! Facts, derived here, for size n: g* = 1/n (always right). Cells with column > row cannot be reached, which leaves
//! n(n+1)/2. Their diameter is 2n − 2. h* over them is row/n on the diagonal and −0.99(n − row)/n below it, so that the
//! span is 1.99(n − 1)/n. All moves are deterministic.
//!
//! Departures from the source: bsuite swaps left and right at random per cell; here they are not swapped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_STATES, Nested, World, WorldAbout, WorldKind, names_if_few, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::unless_stopped;

/// A board to sink through, with a treasure in one corner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeepSea {
    /// how many rows and columns
    #[serde(rename = "n")]
    #[schemars(extend("x-aliases" = ["size"], "x-accepts" = "an integer between 1 and 8192"))]
    pub size: usize,
}

impl Default for DeepSea {
    fn default() -> Self {
        Self { size: 10 }
    }
}

impl DeepSea {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "deep-sea";

    /// Builds the world.
    ///
    /// # Errors
    /// When `size` is not in `1..=8192`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let size = self.size;
        let accepted = size >= 1 && size.saturating_mul(size) <= MAX_STATES;
        let expected = "an integer between 1 and 8192 (2^26 states)";
        require(accepted, Self::NAME, "n", size, expected)?;
        let last = size - 1;
        let mut builder = Mdp::builder();
        for row in unless_stopped(0..size) {
            for column in 0..size {
                let below = |column: usize| if row == last { 0 } else { (row + 1) * size + column };
                let treasure = if (row, column) == (last, last) { 1.0 } else { 0.0 };
                builder
                    .state()
                    .action(0.01 / size as f64, [(below(column.saturating_sub(1)), 1.0)])
                    .action(treasure, [(below((column + 1).min(last)), 1.0)]);
            }
        }
        builder
            .start_at(0)
            .state_names(names_if_few(size * size, |cell| {
                format!("depth {}, column {}", cell / size, cell % size)
            }))
            .action_names(["left", "right"]);
        Ok(builder.build()?)
    }
}

impl World for DeepSea {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<DeepSea>(WorldAbout {
        name: DeepSea::NAME,
        summary: "one treasure at the end of a single path",
        states: 100,
        actions: 2,
        facts: &[
            "The gain is 1/n: always right.",
            "n(n + 1)/2 of n^2 states are reachable; over them the diameter is 2n - 2",
            "and the span 1.99(n - 1)/n.",
        ],
        example: "deep-sea:n=20",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, diameter, gain_and_span, reachable, row};
    use super::*;

    #[test]
    fn every_step_sinks_and_the_bottom_leads_to_the_surface() {
        let mdp = DeepSea { size: 3 }.build().unwrap();
        assert_eq!((mdp.states(), mdp.pairs(), mdp.transitions()), (9, 18, 18));
        assert_eq!((row(&mdp, 0, 0), row(&mdp, 0, 1)), (vec![(3, 1.0)], vec![(4, 1.0)]));
        assert_eq!((row(&mdp, 5, 0), row(&mdp, 5, 1)), (vec![(7, 1.0)], vec![(8, 1.0)]));
        assert_eq!((row(&mdp, 8, 0), row(&mdp, 8, 1)), (vec![(0, 1.0)], vec![(0, 1.0)]));
        let right = |state| mdp.mean_reward(mdp.pair(state, 1));
        assert_eq!((right(7), right(8)), (0.0, 1.0));
        assert_eq!(mdp.mean_reward(mdp.pair(8, 0)), 0.01 / 3.0);
    }

    #[test]
    fn facts_follow_the_closed_forms() {
        for size in 1..=10 {
            let mdp = DeepSea { size }.build().unwrap();
            let n = size as f64;
            let triangle = |cell: &usize| cell % size <= cell / size;
            let below_the_diagonal: Vec<usize> = (0..size * size).filter(triangle).collect();
            assert_eq!(reachable(&mdp), below_the_diagonal);
            assert_near(diameter(&mdp), 2.0 * n - 2.0, 1e-9);
            let (gain, span) = gain_and_span(&mdp);
            assert_near(gain, 1.0 / n, 1e-10);
            assert_near(span, 1.99 * (n - 1.0) / n, 1e-8);
        }
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for size in [0, 8193, usize::MAX] {
            assert_eq!(
                DeepSea { size }.build().unwrap_err().to_string(),
                format!(
                    "deep-sea: n = {size} is out of range: \
                     an integer between 1 and 8192 (2^26 states)"
                )
            );
        }
    }
}
