//! Nasty: two wings that look alike, one a little better.
//!
//! The MDP `Nasty` of the package statisticalrl-environments (Maillard et al.), element by element. From the hub, state 0,
//! one action leads to the left wing and the other to the right one; with probability `delta` it stays. A wing is a cycle of
//! three states, 1, 2, 3 or 4, 5, 6: its first state leads on or back to the hub with probability 1/2 each, the others on.
//! Both actions are the same there. The left wing pays 0.99 in every state, the right one 0.99 − `epsilon`, the hub 0. The
//! defaults are those under which the package registers it. Rewards are their means, or Bernoulli with `bernoulli`.
//!
//! Facts, derived here: the hub is left after 1/(1 − delta) steps, and a visit of a wing takes 4 steps on average, 2 in its
//! first state and 1 in each other. So g* = 3.96/(4 + 1/(1 − delta)): 0.7912048 for the default. Communicating; no policy
//! that does not mix visits both wings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::reward::RewardLaw;

const DELTA: &str = "a number in [0, 1)";
const EPSILON: &str = "a number in [0, 0.99]";
const BEST: f64 = 0.99;

/// Two wings that look alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nasty {
    /// the probability of staying in the hub
    #[schemars(extend("x-accepts" = DELTA))]
    pub delta: f64,
    /// how much less the right wing pays
    #[schemars(extend("x-accepts" = EPSILON))]
    pub epsilon: f64,
    /// whether rewards are 0 or 1, with the same means
    pub bernoulli: bool,
}

impl Default for Nasty {
    fn default() -> Self {
        Self { delta: 0.005, epsilon: 0.05, bernoulli: false }
    }
}

impl Nasty {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "nasty";

    /// Builds the world.
    ///
    /// # Errors
    /// When `delta` is not in `[0, 1)` or `epsilon` not in `[0, 0.99]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let Self { delta, epsilon, bernoulli } = *self;
        require((0.0..1.0).contains(&delta), Self::NAME, "delta", delta, DELTA)?;
        require((0.0..=BEST).contains(&epsilon), Self::NAME, "epsilon", epsilon, EPSILON)?;
        let law = |mean: f64| match bernoulli {
            true => RewardLaw::Bernoulli { probability: mean, value: 1.0 },
            false => RewardLaw::Constant(mean),
        };
        let mut builder = Mdp::builder();
        builder.state();
        for first in [1, 4] {
            let row = [(0, delta), (first, 1.0 - delta)];
            builder.action(0.0, row.into_iter().filter(|outcome| outcome.1 > 0.0));
        }
        for (first, mean) in [(1, BEST), (4, BEST - epsilon)] {
            let rows =
                [vec![(first + 1, 0.5), (0, 0.5)], vec![(first + 2, 1.0)], vec![(first, 1.0)]];
            for row in rows {
                builder.state().action(law(mean), row.clone()).action(law(mean), row);
            }
        }
        builder
            .start_at(0)
            .state_names(["hub", "left 1", "left 2", "left 3", "right 1", "right 2", "right 3"])
            .action_names(["left", "right"]);
        Ok(builder.build()?)
    }
}

impl World for Nasty {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Nasty>(WorldAbout {
        name: Nasty::NAME,
        summary: "two wings that look alike, one a little better",
        states: 7,
        actions: 2,
        facts: &[
            "Source: Nasty of the package statisticalrl-environments, element by element.",
            "Communicating; only the action in state 0 matters.",
            "The gain is 3.96/(4 + 1/(1 − delta)): 0.7912048 by default.",
        ],
        example: "nasty:epsilon=0.005",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, row};
    use super::*;

    /// The dictionaries of the package, written out: (state, action) -> (next, probability), and mean rewards.
    #[test]
    fn rows_and_rewards_are_the_published_ones() {
        let (delta, epsilon) = (0.005, 0.05);
        let published: [[Vec<(usize, f64)>; 2]; 7] = [
            [vec![(0, delta), (1, 1.0 - delta)], vec![(0, delta), (4, 1.0 - delta)]],
            [vec![(0, 0.5), (2, 0.5)], vec![(0, 0.5), (2, 0.5)]],
            [vec![(3, 1.0)], vec![(3, 1.0)]],
            [vec![(1, 1.0)], vec![(1, 1.0)]],
            [vec![(0, 0.5), (5, 0.5)], vec![(0, 0.5), (5, 0.5)]],
            [vec![(6, 1.0)], vec![(6, 1.0)]],
            [vec![(4, 1.0)], vec![(4, 1.0)]],
        ];
        let right = 0.99 - epsilon;
        let means = [0.0, 0.99, 0.99, 0.99, right, right, right];
        for bernoulli in [false, true] {
            let mdp = Nasty { bernoulli, ..Nasty::default() }.build().unwrap();
            for (state, rows) in published.iter().enumerate() {
                for (action, expected) in rows.iter().enumerate() {
                    assert_eq!(row(&mdp, state, action), *expected, "{state} {action}");
                    assert_eq!(mdp.mean_reward(mdp.pair(state, action)), means[state]);
                }
            }
            assert_eq!(reachable(&mdp).len(), 7);
        }
    }

    #[test]
    fn the_gain_is_that_of_the_left_wing() {
        for delta in [0.0, 0.005, 0.5] {
            let mdp = Nasty { delta, ..Nasty::default() }.build().unwrap();
            assert_near(gain_and_span(&mdp).0, 3.96 / (4.0 + 1.0 / (1.0 - delta)), 1e-10);
        }
        assert_near(3.96 / (4.0 + 1.0 / 0.995), 0.7912048, 1e-7);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |world: Nasty| world.build().unwrap_err().to_string();
        assert_eq!(
            refusal(Nasty { delta: 1.0, ..Nasty::default() }),
            "nasty: delta = 1 is out of range: a number in [0, 1)"
        );
        assert_eq!(
            refusal(Nasty { epsilon: f64::NAN, ..Nasty::default() }),
            "nasty: epsilon = NaN is out of range: a number in [0, 0.99]"
        );
    }
}
