//! Why can no learner have logarithmic regret when states may be out of reach?
//!
//! The family M_ε of the paper's impossibility example (section 5, Example 1). In x action b earns
//! 0 and leads to y with probability ε, action d earns 1/2 and stays. In y action d earns 0 and
//! leads to x; action b earns 1 and stays if ε > 0. Until y is seen, M_ε and M_0 look alike, yet in
//! one b is a waste and in the other the only way to everything.
//!
//! Facts: ε > 0: g* = 1, D = sp(h*) = 1/ε. ε = 0: g* = 1/2, y is out of reach, D = ∞, the reachable
//! part is x alone with diameter 0; over both states sp(h*) = 1/2; the regret is N(x, b)/2 exactly.
//!
//! Departures from the paper: none. At ε = 0 action b leads from y to x, as drawn, which makes M_0
//! weakly communicating; `keep_loop_at_zero` keeps the loop instead and gives a multichain world.

use super::require_probability;
use crate::error::WorldError;
use crate::mdp::Mdp;

/// The two-state family M_ε.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TwoState {
    /// The probability that b leads from x to y.
    #[doc(alias = "ε")]
    pub epsilon: f64,
    /// Whether b stays in y also when `epsilon` is 0.
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
