//! Which parameters do all confidence sets share?
//!
//! The failure probability delta, the shrink factors alpha, r_max, and the number of pairs S A inside the
//! logarithm b = ln(2 S A t_k / delta) (Fruit, Pirotta, Lazaric 2018, section 3). Each set in `sets` makes its
//! widths of them. Shrinking by alpha multiplies the widths (the paper's words) or b (what the published
//! experiments did).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math;
use crate::options::{NumberOr, word};
use crate::space::Space;

word! {
    /// 1/sqrt(t_k), as in the published experiments.
    InverseRoot = "inv-sqrt"
}

/// The confidence parameter: the same in every episode, as in the paper, or 1/sqrt(t_k).
pub type Delta = NumberOr<InverseRoot>;

impl Delta {
    /// The probability in an episode that starts at time `t_k`.
    pub fn at(self, t_k: u64) -> f64 {
        self.or(1.0 / (t_k as f64).sqrt())
    }
}

/// What shrinking by alpha multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shrink {
    /// The widths.
    #[default]
    Linear,
    /// The logarithm b: the root part by sqrt(alpha), the linear part by alpha.
    Log,
}

/// How widths are computed; fixed for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Confidence {
    /// The probability that the sets may fail.
    pub delta: Delta,
    /// Shrink factor of reward widths.
    pub alpha_r: f64,
    /// Shrink factor of transition widths.
    pub alpha_p: f64,
    /// What alpha multiplies.
    pub shrink: Shrink,
    /// The largest possible reward.
    pub r_max: f64,
    /// Replaces S A in the logarithm; for experiments.
    pub nominal_pairs: Option<f64>,
}

impl Confidence {
    /// S A inside the logarithm.
    pub fn pairs(&self, space: &Space) -> f64 {
        self.nominal_pairs.unwrap_or(space.nominal_pairs() as f64)
    }

    /// ln(2 size t_k / delta); `size` is S A in b.
    #[doc(alias = "b_k")]
    pub fn log(&self, size: f64, t_k: u64) -> f64 {
        let (time, delta) = (t_k as f64, self.delta.at(t_k));
        // The quotient may be too large for a float, its logarithm is not.
        match math::ln(2.0 * size * time / delta) {
            log if log.is_finite() => log,
            _ => math::ln(2.0) + math::ln(size) + math::ln(time) - math::ln(delta),
        }
    }

    /// sqrt(inside), shrunk by alpha: alpha sqrt(inside), or sqrt(alpha inside) with [`Shrink::Log`].
    pub fn root(&self, alpha: f64, inside: f64) -> f64 {
        // An infinite factor times a deviation of 0 would be NaN.
        match self.shrink {
            Shrink::Linear => (alpha * inside.sqrt()).min(f64::MAX),
            Shrink::Log => (alpha * inside).sqrt().min(f64::MAX),
        }
    }
}
