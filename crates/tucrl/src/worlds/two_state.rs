//! M_ε: two states, of which one may be out of reach; no learner has logarithmic regret on the family.
//!
//! Fruit, Pirotta, Lazaric 2018, section 5, Example 1. In x action b earns 0 and leads to y with probability ε, action d
//! earns 1/2 and stays. In y action d earns 0 and leads to x; action b earns 1 and stays if ε > 0. Until y is seen, M_ε
//! and M_0 look alike; in M_0 b is never optimal in x, in M_ε it is the only way to the gain of 1.
//!
//! Facts: ε > 0: g* = 1, D = sp(h*) = 1/ε. ε = 0: g* = 1/2, y is out of reach, D = ∞, the reachable part is x alone with
//! diameter 0; over both states sp(h*) = 1/2; the regret is N(x, b)/2 exactly.
//!
//! At ε = 0 action b leads from y to x, as in the paper's figure, which makes M_0 weakly communicating;
//! `keep_loop_at_zero` keeps the loop instead and gives a multichain MDP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, PROBABILITY, World, WorldAbout, WorldKind, require_probability};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

/// The two-state family M_ε.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TwoState {
    /// the probability that b leads from x to y
    #[doc(alias = "ε")]
    #[schemars(extend("x-aliases" = ["eps"], "x-accepts" = PROBABILITY))]
    pub epsilon: f64,
    /// whether b stays in y also when epsilon is 0
    #[serde(rename = "loop")]
    #[schemars(extend("x-aliases" = ["keep_loop_at_zero"]))]
    pub keep_loop_at_zero: bool,
}

impl TwoState {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "two-state";

    /// Builds the world.
    ///
    /// # Errors
    /// When `epsilon` is not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let epsilon = self.epsilon;
        require_probability(Self::NAME, "epsilon", epsilon)?;
        let (x, y) = (0, 1);
        let after_b = if epsilon > 0.0 || self.keep_loop_at_zero { y } else { x };
        let mut builder = Mdp::builder();
        builder.state().action(0.0, [(y, epsilon), (x, 1.0 - epsilon)]).action(0.5, [(x, 1.0)]);
        builder.state().action(1.0, [(after_b, 1.0)]).action(0.0, [(x, 1.0)]);
        builder.start_at(x).state_names(["x", "y"]).action_names(["b", "d"]);
        Ok(builder.build()?)
    }
}

impl World for TwoState {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<TwoState>(WorldAbout {
        name: TwoState::NAME,
        summary: "M_epsilon: why no learner has logarithmic regret",
        states: 2,
        actions: 2,
        facts: &[
            "epsilon > 0: the gain is 1, and D and the span are 1/epsilon.",
            "epsilon = 0: the gain is 1/2, y is out of reach and D infinite; the span over",
            "both states is 1/2 and the regret is exactly half the number of times b is",
            "played in x. With loop=true this world is multichain.",
        ],
        example: "two-state:epsilon=0.01",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, diameter, gain_and_span, reachable, row};
    use super::*;

    #[test]
    fn epsilon_opens_the_way_to_y() {
        let mdp = TwoState { epsilon: 0.25, ..Default::default() }.build().unwrap();
        assert_eq!(row(&mdp, 0, 0), [(0, 0.75), (1, 0.25)]);
        assert_eq!(row(&mdp, 0, 1), [(0, 1.0)]);
        assert_eq!(row(&mdp, 1, 0), [(1, 1.0)]);
        assert_eq!(row(&mdp, 1, 1), [(0, 1.0)]);
        let rewards: Vec<f64> = (0..4).map(|pair| mdp.mean_reward(pair)).collect();
        assert_eq!(rewards, [0.0, 0.5, 1.0, 0.0]);
        let (gain, span) = gain_and_span(&mdp);
        assert_near(gain, 1.0, 1e-10);
        assert_near(span, 4.0, 1e-8);
        assert_near(diameter(&mdp), 4.0, 1e-8);
    }

    #[test]
    fn at_zero_y_is_out_of_reach_and_leads_back() {
        let mdp = TwoState::default().build().unwrap();
        assert_eq!(reachable(&mdp), [0]);
        assert_eq!(row(&mdp, 0, 0), [(0, 1.0)]);
        assert_eq!(row(&mdp, 1, 0), [(0, 1.0)]);
        assert_near(gain_and_span(&mdp).0, 0.5, 1e-10);
        let kept = TwoState { keep_loop_at_zero: true, ..Default::default() }.build().unwrap();
        assert_eq!(row(&kept, 1, 0), [(1, 1.0)]);
    }

    #[test]
    fn epsilon_outside_its_range_is_refused() {
        for (epsilon, value) in [(1.5, "1.5"), (-0.5, "-0.5"), (f64::NAN, "NaN")] {
            let refused = TwoState { epsilon, ..Default::default() }.build().unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!("two-state: epsilon = {value} is out of range: a number in [0, 1]")
            );
        }
    }
}
