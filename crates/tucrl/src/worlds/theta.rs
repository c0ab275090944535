//! How can the span grow without bound while every world of a family looks alike?
//!
//! The family M_θ of the paper (appendix on unbounded bias spans): two states with one action
//! each. x earns 0 and leads to y with probability θ_x, y earns 1 and leads to x with probability
//! θ_y; otherwise they stay.
//!
//! Facts: with θ_x + θ_y > 0 the gain is θ_x/(θ_x+θ_y) and sp(h*) = 1/(θ_x+θ_y), so θ for both
//! gives 1/2 and 1/(2θ); D = max(1/θ_x, 1/θ_y). θ = 0 for both is multichain with gains 0 and 1; θ
//! = 1 for both is periodic.
//!
//! Departures from the paper: its text sends y to y with probability θ, a slip of the pen for x.
//! The two probabilities may differ here; [`Theta::symmetric`] gives the paper's family.

use super::require_probability;
use crate::error::WorldError;
use crate::mdp::Mdp;

/// The two-state family M_θ without choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Theta {
    /// The probability of going from x to y.
    #[doc(alias = "θ")]
    pub theta_x: f64,
    /// The probability of going from y to x.
    pub theta_y: f64,
}

impl Default for Theta {
    fn default() -> Self {
        Self::symmetric(0.1)
    }
}

impl Theta {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "theta";

    /// The paper's family: the same probability in both directions.
    pub fn symmetric(theta: f64) -> Self {
        Self { theta_x: theta, theta_y: theta }
    }

    /// Builds the world.
    ///
    /// # Errors
    /// When a probability is not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        require_probability(Self::NAME, "theta_x", self.theta_x)?;
        require_probability(Self::NAME, "theta_y", self.theta_y)?;
        let mut builder = Mdp::builder();
        builder.state().action(0.0, [(0, 1.0 - self.theta_x), (1, self.theta_x)]);
        builder.state().action(1.0, [(0, self.theta_y), (1, 1.0 - self.theta_y)]);
        builder.start_at(0).state_names(["x", "y"]).action_names(["wait"]);
        Ok(builder.build()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, diameter, gain_and_span, reachable, row};
    use super::*;

    #[test]
    fn gain_and_span_follow_the_closed_forms() {
        for (theta_x, theta_y) in [(0.1, 0.1), (1.0, 1.0), (0.2, 0.3)] {
            let mdp = Theta { theta_x, theta_y }.build().unwrap();
            let (gain, span) = gain_and_span(&mdp);
            assert_near(gain, theta_x / (theta_x + theta_y), 1e-10);
            assert_near(span, 1.0 / (theta_x + theta_y), 1e-8);
            assert_near(diameter(&mdp), f64::max(1.0 / theta_x, 1.0 / theta_y), 1e-8);
        }
    }

    #[test]
    fn rows_stay_or_cross() {
        let mdp = Theta { theta_x: 0.25, theta_y: 0.5 }.build().unwrap();
        assert_eq!(row(&mdp, 0, 0), [(0, 0.75), (1, 0.25)]);
        assert_eq!(row(&mdp, 1, 0), [(0, 0.5), (1, 0.5)]);
        assert_eq!((mdp.mean_reward(0), mdp.mean_reward(1)), (0.0, 1.0));
        assert_eq!(Theta::default(), Theta { theta_x: 0.1, theta_y: 0.1 });
        assert_eq!(reachable(&Theta::symmetric(0.0).build().unwrap()), [0]);
    }

    #[test]
    fn probabilities_outside_their_range_are_refused() {
        let refused = Theta { theta_x: 0.5, theta_y: 2.0 }.build().unwrap_err();
        assert_eq!(refused.to_string(), "theta: theta_y = 2 is out of range: a number in [0, 1]");
        let refused = Theta { theta_x: f64::NAN, theta_y: 0.5 }.build().unwrap_err();
        assert_eq!(refused.to_string(), "theta: theta_x = NaN is out of range: a number in [0, 1]");
    }
}
