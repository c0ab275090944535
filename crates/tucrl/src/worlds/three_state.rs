//! The three-state domain, in which one state is hard or impossible to reach.
//!
//! Fruit, Pirotta, Lazaric 2018, section 4 and its appendix on the three-state domain. From s0 the only action leads to
//! s1 with probability δ and to s2 otherwise; from s1 the only action leads to s0; in s2 action a0 leads to s1 with
//! probability δ and to s0 otherwise, a1 stays. Mean rewards: 0 in s0, 1/3 in s1, 2/3 for both actions of s2. With
//! δ = 0 nothing leads to s1 and the MDP is weakly communicating; with δ > 0 it is communicating.
//!
//! Facts: g* = 2/3 (play a1). h*(s2) = 0, h*(s0) = −(2+δ)/(3(1−δ)), h*(s1) = −1/(1−δ), so the span is 1/(1−δ). For
//! δ > 0 the diameter is max(1/δ, 2/(1−δ)). For δ = 0 the reachable states are s0 and s2, their diameter is 1, their
//! span 2/3, and a0 earns 1/3.
//!
//! Departure from the paper: "uniform with range 1/5" around the mean 0 would leave `[0, 1]`; that one reward is the
//! constant 0, as in the authors' published code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::reward::RewardLaw;

/// How the rewards of [`ThreeState`] scatter around their means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThreeStateRewards {
    /// Uniform within 0.1 of the mean, as in the paper; a mean of 0 is the constant 0.
    #[default]
    Uniform,
    /// Bernoulli, as in the original domain.
    Bernoulli,
    /// Always the mean.
    Mean,
}

const DELTA: &str = "a number in [0, 1)";

/// The three-state domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreeState {
    /// the probability of slipping to s1; at 0 it is out of reach
    #[doc(alias = "δ")]
    #[schemars(extend("x-accepts" = DELTA))]
    pub delta: f64,
    /// how rewards scatter around their means
    pub rewards: ThreeStateRewards,
}

impl Default for ThreeState {
    fn default() -> Self {
        Self { delta: 0.005, rewards: ThreeStateRewards::Uniform }
    }
}

impl ThreeState {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "three-state";

    /// Builds the world.
    ///
    /// # Errors
    /// When `delta` is not in `[0, 1)`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let delta = self.delta;
        let accepted = (0.0..1.0).contains(&delta);
        require(accepted, Self::NAME, "delta", delta, DELTA)?;
        let mut builder = Mdp::builder();
        builder.state().action(0.0, [(1, delta), (2, 1.0 - delta)]);
        builder.state().action(self.law(1.0 / 3.0), [(0, 1.0)]);
        builder
            .state()
            .action(self.law(2.0 / 3.0), [(1, delta), (0, 1.0 - delta)])
            .action(self.law(2.0 / 3.0), [(2, 1.0)]);
        builder.start_at(0).state_names(["s0", "s1", "s2"]).action_names(["a0", "a1"]);
        Ok(builder.build()?)
    }

    fn law(&self, mean: f64) -> RewardLaw {
        match self.rewards {
            ThreeStateRewards::Uniform => RewardLaw::Uniform { low: mean - 0.1, high: mean + 0.1 },
            ThreeStateRewards::Bernoulli => RewardLaw::Bernoulli { probability: mean, value: 1.0 },
            ThreeStateRewards::Mean => RewardLaw::Constant(mean),
        }
    }
}

impl World for ThreeState {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<ThreeState>(WorldAbout {
        name: ThreeState::NAME,
        summary: "three states, one hard or impossible to reach",
        states: 3,
        actions: 2,
        facts: &[
            "The gain is 2/3: stay in s2.",
            "The span is 1/(1 - delta).",
            "delta > 0: communicating, D = max(1/delta, 2/(1 - delta)).",
            "delta = 0: weakly communicating; s0 and s2 are reachable, their diameter is 1",
            "and their span 2/3; leaving s2 earns 1/3.",
        ],
        example: "three-state:delta=0",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{
        assert_near, diameter, gain_and_span, reachable, reachable_support, row,
    };
    use super::*;
    use crate::reward::PairReward;

    #[test]
    fn rows_are_those_of_the_figure() {
        let mdp = ThreeState::default().build().unwrap();
        assert_eq!((mdp.states(), mdp.pairs(), mdp.max_actions()), (3, 4, 2));
        assert_eq!(row(&mdp, 0, 0), [(1, 0.005), (2, 0.995)]);
        assert_eq!(row(&mdp, 1, 0), [(0, 1.0)]);
        assert_eq!(row(&mdp, 2, 0), [(0, 0.995), (1, 0.005)]);
        assert_eq!(row(&mdp, 2, 1), [(2, 1.0)]);
        assert_eq!(mdp.start().collect::<Vec<_>>(), [(0, 1.0)]);
    }

    #[test]
    fn means_agree_in_every_reward_mode_and_zero_is_constant() {
        for rewards in
            [ThreeStateRewards::Uniform, ThreeStateRewards::Bernoulli, ThreeStateRewards::Mean]
        {
            let mdp = ThreeState { rewards, ..Default::default() }.build().unwrap();
            assert_eq!(*mdp.reward(0), PairReward::Alone(RewardLaw::Constant(0.0)));
            for (pair, mean) in [0.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0].into_iter().enumerate() {
                assert_near(mdp.mean_reward(pair), mean, 1e-15);
            }
        }
        let mdp = ThreeState::default().build().unwrap();
        let PairReward::Alone(law) = mdp.reward(1) else { panic!("not joint") };
        assert_eq!(law.bounds(), (1.0 / 3.0 - 0.1, 1.0 / 3.0 + 0.1));
    }

    #[test]
    fn gain_and_span_follow_the_closed_forms() {
        for delta in [0.005, 0.2, 0.5] {
            let mdp = ThreeState { delta, ..Default::default() }.build().unwrap();
            let (gain, span) = gain_and_span(&mdp);
            assert_near(gain, 2.0 / 3.0, 1e-10);
            assert_near(span, 1.0 / (1.0 - delta), 1e-8);
            assert_near(diameter(&mdp), f64::max(1.0 / delta, 2.0 / (1.0 - delta)), 1e-7);
            assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (3, 2));
        }
    }

    #[test]
    fn without_slipping_the_middle_state_is_out_of_reach() {
        let mdp = ThreeState { delta: 0.0, ..Default::default() }.build().unwrap();
        assert_eq!((reachable(&mdp), reachable_support(&mdp)), (vec![0, 2], 1));
        let (gain, span) = gain_and_span(&mdp);
        assert_near(gain, 2.0 / 3.0, 1e-10);
        assert_near(span, 2.0 / 3.0, 1e-8);
        assert_near(diameter(&mdp), 1.0, 1e-9);
    }

    #[test]
    fn delta_outside_its_range_is_refused() {
        for (delta, value) in [(1.0, "1"), (-0.1, "-0.1"), (f64::NAN, "NaN")] {
            let refused = ThreeState { delta, ..Default::default() }.build().unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!("three-state: delta = {value} is out of range: a number in [0, 1)")
            );
        }
    }
}
