//! The chain: small rewards now, or a large one at the end.
//!
//! Strens 2000; Dearden et al. 1998. `length` states in a row. Forward moves right and earns nothing; in the last state
//! it stays and earns 1. Backward returns to the first state and earns 0.2. With probability `slip` an action has the
//! other's effect, reward included.
//!
//! Facts, derived here: always forward, the last state is occupied with probability (1−slip)^(length−1), so the gain is
//! (1−slip)^length + 0.2 slip: 0.36768 for the defaults, where this is optimal (in long slippery chains it is not). With
//! slip s > 0 the time forward to the last state is ((1−s)^(1−length) − 1)/s, 7.207 for the defaults; this is the
//! diameter there. Every state is reachable; the largest support is 2.
//!
//! Departures from the source: rewards 10 and 2 are divided by 10.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_STATES, Nested, PROBABILITY, World, WorldAbout, WorldKind, names_if_few, require,
    require_probability,
};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::unless_stopped;

const LENGTH: &str = "an integer between 2 and 2^26";

/// A slippery chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chain {
    /// how many states
    #[serde(rename = "n")]
    #[schemars(extend("x-aliases" = ["length"], "x-accepts" = LENGTH))]
    pub length: usize,
    /// the probability that an action has the other's effect
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub slip: f64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { length: 5, slip: 0.2 }
    }
}

impl Chain {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "chain";

    /// Builds the world.
    ///
    /// # Errors
    /// When `length` is not in `2..=2^26` or `slip` is not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let (length, slip) = (self.length, self.slip);
        let accepted = (2..=MAX_STATES).contains(&length);
        require(accepted, Self::NAME, "n", length, LENGTH)?;
        require_probability(Self::NAME, "slip", slip)?;
        let last = length - 1;
        let mut builder = Mdp::builder();
        for state in unless_stopped(0..length) {
            let ahead = (state + 1).min(last);
            let prize = if state == last { 1.0 } else { 0.0 };
            builder
                .state()
                .joint_action([(ahead, 1.0 - slip, prize), (0, slip, 0.2)])
                .joint_action([(ahead, slip, prize), (0, 1.0 - slip, 0.2)]);
        }
        builder
            .start_at(0)
            .state_names(names_if_few(length, |state| format!("link {state}")))
            .action_names(["forward", "backward"]);
        Ok(builder.build()?)
    }
}

impl World for Chain {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Chain>(WorldAbout {
        name: Chain::NAME,
        summary: "small rewards now or a large one at the end",
        states: 5,
        actions: 2,
        facts: &[
            "Always forward earns (1 - slip)^n + 0.2 slip: 0.36768 by default, where it is",
            "optimal. The time forward to the last state is ((1 - slip)^(1 - n) - 1)/slip:",
            "7.207 by default, where it is D.",
        ],
        example: "chain:n=10,slip=0.1",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{
        assert_near, diameter, gain_and_span, reachable, reachable_support, row,
    };
    use super::*;
    use crate::reward::{PairReward, RewardLaw};

    #[test]
    fn slipping_swaps_the_effects_with_their_rewards() {
        let mdp = Chain::default().build().unwrap();
        assert_eq!((mdp.states(), mdp.pairs()), (5, 10));
        assert_eq!(row(&mdp, 2, 0), [(0, 0.2), (3, 0.8)]);
        assert_eq!(row(&mdp, 2, 1), [(0, 0.8), (3, 0.2)]);
        assert_eq!(row(&mdp, 4, 0), [(0, 0.2), (4, 0.8)]);
        let joint = |first: f64, second: f64| {
            PairReward::Joint(Box::new([RewardLaw::Constant(first), RewardLaw::Constant(second)]))
        };
        assert_eq!(*mdp.reward(mdp.pair(2, 0)), joint(0.2, 0.0));
        assert_eq!(*mdp.reward(mdp.pair(4, 1)), joint(0.2, 1.0));
        assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (5, 2));
    }

    #[test]
    fn the_gain_of_the_default_chain_is_that_of_walking_forward() {
        let mdp = Chain::default().build().unwrap();
        assert_near(diameter(&mdp), (0.8f64.powi(-4) - 1.0) / 0.2, 1e-9);
        let (gain, _) = gain_and_span(&mdp);
        assert_near(gain, 0.8f64.powi(5) + 0.04, 1e-10);
        let (gain, _) = gain_and_span(&Chain { length: 3, slip: 0.0 }.build().unwrap());
        assert_near(gain, 1.0, 1e-10);
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let refusal = |length, slip| Chain { length, slip }.build().unwrap_err().to_string();
        assert_eq!(refusal(1, 0.2), "chain: n = 1 is out of range: an integer between 2 and 2^26");
        assert_eq!(refusal(5, -0.2), "chain: slip = -0.2 is out of range: a number in [0, 1]");
        assert_eq!(refusal(5, f64::NAN), "chain: slip = NaN is out of range: a number in [0, 1]");
    }
}
