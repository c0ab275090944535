//! M_θ: two states without choices, whose span grows without bound as θ falls.
//!
//! Fruit, Pirotta, Lazaric 2018, appendix on unbounded bias spans. x earns 0 and leads to y with probability θ_x, y earns
//! 1 and leads to x with probability θ_y; otherwise they stay.
//!
//! Facts: with θ_x + θ_y > 0 the gain is θ_x/(θ_x+θ_y) and sp(h*) = 1/(θ_x+θ_y), so θ for both gives 1/2 and 1/(2θ);
//! D = max(1/θ_x, 1/θ_y). θ = 0 for both is multichain with gains 0 and 1; θ = 1 for both is periodic.
//!
//! Departures from the paper: its text sends y to y with probability θ, a misprint for x. The two probabilities may
//! differ here; [`Theta::symmetric`] gives the paper's family.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, PROBABILITY, World, WorldAbout, WorldKind, require_probability};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::options::{NumberOr, word};

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

word! {
    /// The value of the option `theta`.
    SameTheta = "theta"
}

/// The options of [`Theta`]: one probability for both directions, or one for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThetaOptions {
    /// the probability of changing sides, in both directions
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub theta: f64,
    /// the probability of going from x to y
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub theta_x: NumberOr<SameTheta>,
    /// the probability of going from y to x
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub theta_y: NumberOr<SameTheta>,
}

impl Default for ThetaOptions {
    fn default() -> Self {
        Self { theta: 0.1, theta_x: NumberOr::default(), theta_y: NumberOr::default() }
    }
}

impl World for ThetaOptions {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        // First, so that an inherited value out of range is reported as that of `theta`.
        require_probability(Theta::NAME, "theta", self.theta)?;
        let (theta_x, theta_y) = (self.theta_x.or(self.theta), self.theta_y.or(self.theta));
        Ok(Theta { theta_x, theta_y }.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<ThetaOptions>(WorldAbout {
        name: Theta::NAME,
        summary: "M_theta: two states without choice, any span",
        states: 2,
        actions: 1,
        facts: &[
            "The gain is theta_x/(theta_x + theta_y), the span 1/(theta_x + theta_y).",
            "D = max(1/theta_x, 1/theta_y).",
            "theta = 0: multichain, gain 0 from x and 1 from y. theta = 1: periodic.",
        ],
        example: "theta:theta=0.001",
    })
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
