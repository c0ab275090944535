//! Which options do all optimists share?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::largest_reward;
use crate::confidence::{Confidence, Delta, Shrink};
use crate::counts::Variance;
use crate::evi::{EviOptions, Method, Ties};
use crate::learner::{AgentError, Remedy, Setting, TooShort, TooShortReason};
use crate::options::{FromWorld, Inherited, Nominal, NumberOr};
use crate::sets::SetWidth;

/// The options that all optimists share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Optimism {
    /// how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the
    /// published code)
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub delta: Delta,
    /// shrinks all confidence widths; 1 is what the proofs need
    #[schemars(extend("minimum" = 0.0))]
    pub alpha: f64,
    /// shrinks the widths of rewards only
    #[schemars(extend("minimum" = 0.0))]
    pub alpha_r: Inherited,
    /// shrinks the widths of transitions only
    #[schemars(extend("minimum" = 0.0))]
    pub alpha_p: Inherited,
    /// what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published
    /// code)
    pub shrink: Shrink,
    /// which empirical variance: of the population for transitions and of the sample for rewards (the
    /// published code), or one of them for both
    pub variance: Variance,
    /// which of equally good actions: the least tried, the lowest number, or by a tiny random bonus
    /// (the published code)
    pub ties: Ties,
    /// whether the true mean rewards of visited states are told
    pub known_rewards: bool,
    /// whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the
    /// guarantee
    pub warm_start: bool,
    /// plain sweeps, or with exact evaluations in between where they pay; same guarantees
    pub planner: Method,
    /// the weight of the real transition against staying; 1 in the paper, 0.9 in the published code
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub aperiodicity: f64,
    /// the largest possible reward, counted from the smallest, or that of the world
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub r_max: FromWorld,
    /// S times A inside the logarithms; nominal is what the proofs need
    #[schemars(extend("minimum" = 1.0))]
    pub sa: NumberOr<Nominal>,
    /// sweeps after which a plan is given up and the run fails
    #[schemars(extend("minimum" = 1))]
    pub sweeps: u64,
}

impl Default for Optimism {
    fn default() -> Self {
        Self {
            delta: 0.05.into(),
            alpha: 1.0,
            alpha_r: Inherited::default(),
            alpha_p: Inherited::default(),
            shrink: Shrink::default(),
            variance: Variance::default(),
            ties: Ties::default(),
            known_rewards: false,
            warm_start: false,
            planner: Method::default(),
            aperiodicity: 1.0,
            r_max: FromWorld::default(),
            sa: NumberOr::default(),
            sweeps: 1_000_000,
        }
    }
}

impl Optimism {
    /// The default options, with all widths multiplied by `alpha`.
    pub fn shrunk(alpha: f64) -> Self {
        Self { alpha, ..Self::default() }
    }

    /// The default options, with plans that start from the values of the last one.
    pub fn warm() -> Self {
        Self { warm_start: true, ..Self::default() }
    }

    /// Shrink factor of reward widths.
    pub fn alpha_r(&self) -> f64 {
        self.alpha_r.or(self.alpha)
    }

    /// Shrink factor of transition widths.
    pub fn alpha_p(&self) -> f64 {
        self.alpha_p.or(self.alpha)
    }

    /// The largest possible reward; 1 before a world is known.
    pub fn r_max(&self) -> f64 {
        self.r_max.or(1.0)
    }

    /// What the confidence sets are made from.
    pub fn confidence(&self) -> Confidence {
        Confidence {
            delta: self.delta,
            alpha_r: self.alpha_r(),
            alpha_p: self.alpha_p(),
            shrink: self.shrink,
            r_max: self.r_max(),
            nominal_pairs: match self.sa {
                NumberOr::Number(pairs) => Some(pairs),
                NumberOr::Word(_) => None,
            },
        }
    }

    /// How extended value iteration is run.
    pub fn evi(&self) -> EviOptions {
        EviOptions {
            method: self.planner,
            ties: self.ties,
            aperiodicity: self.aperiodicity,
            sweep_limit: self.sweeps,
            warm_start: self.warm_start,
        }
    }

    /// The same with the world's values filled in.
    pub(super) fn in_setting(&self, setting: &Setting) -> Result<Self, AgentError> {
        Ok(Self { r_max: largest_reward(self.r_max, setting)?.into(), ..self.clone() })
    }

    /// Whether the widths after the whole run are still so large that they exclude nothing, and what alpha would
    /// help. `width` gives the width after a number of visits.
    pub(super) fn too_short(
        &self,
        setting: &Setting,
        reachable: u64,
        width: impl FnOnce(f64) -> SetWidth,
    ) -> Option<TooShort> {
        let pairs = reachable as f64 * f64::from(setting.space.max_actions());
        let visits = setting.steps as f64 / pairs;
        let set = width(visits);
        let reason = TooShortReason::Width { visits, what: set.what, width: set.width };
        // With fewer than two visits no width means anything.
        let remedy = (visits >= 2.0).then(|| self.narrower(set));
        (set.width >= 1.0).then_some(TooShort { reason, remedy })
    }

    /// The alpha that makes a width about [`TooShort::AIM`].
    pub(super) fn narrower(&self, SetWidth { width, is_root, .. }: SetWidth) -> Remedy {
        let ratio = TooShort::AIM / width;
        // Under a root the logarithm must shrink by the square.
        let is_squared = self.shrink == Shrink::Log && is_root;
        let alpha = one_digit(self.alpha_p() * if is_squared { ratio * ratio } else { ratio });
        // An alpha_p of its own does not follow alpha.
        let option = match self.alpha_p {
            Inherited::Number(_) => "alpha_p",
            Inherited::Word(_) => "alpha",
        };
        let effect = format!("would bring it to about {}", TooShort::AIM);
        Remedy { options: vec![(option, alpha.into())], effect, limits: "" }
    }
}

pub(super) fn one_digit(value: f64) -> f64 {
    format!("{value:.0e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_digit_is_one_digit() {
        assert_eq!([0.00347, 0.96, 12.0].map(one_digit), [0.003, 1.0, 10.0]);
    }
}
