//! Which MDPs are plausible by the tighter Bernstein widths of 2020? (UCRL2B)
//!
//! Fruit, Pirotta, Lazaric 2020, "Improved analysis of UCRL2 with empirical Bernstein inequality", with
//! L = ln(6 S A N+ / delta), which has the pair's visits in place of time:
//! 2 sqrt(var L / N+) + 6 L / N+ for each next state, times r_max in the linear part for rewards.
//! The constants are from memory and public code, unverified. **Best law**: that of a box.

use crate::confidence::Confidence;
use crate::counts::PairCounts;
use crate::math;
use crate::plausible::{Belief, PlausibleSet};
use crate::space::Space;

use super::bernstein::{Boxes, Intervals, boxes};
use super::{ConfidenceSet, SetWidth};

/// The Bernstein set of 2020 in one episode.
#[derive(Debug, Clone, Copy)]
pub struct Bernstein2020 {
    reward_root: f64,
    reward_linear: f64,
    next_root: f64,
    next_linear: f64,
    /// L of a pair without visits.
    log: f64,
    alpha_p: f64,
}

impl Bernstein2020 {
    /// L of a pair, and its root.
    #[inline]
    fn logs(&self, pair: &PairCounts) -> (f64, f64) {
        let log = (self.log + math::ln(pair.visits_at_least_one() as f64)).max(0.0);
        (log.sqrt(), log)
    }

    /// The width of a next state never observed from a pair.
    pub fn unobserved(&self, pair: &PairCounts) -> f64 {
        self.widths(pair).1
    }

    /// The width of an observed next state with the given deviation sqrt(var / N+).
    pub fn observed(&self, pair: &PairCounts, deviation: f64) -> f64 {
        let (root, unobserved) = self.widths(pair);
        root * deviation + unobserved
    }
}

impl Intervals for Bernstein2020 {
    #[inline]
    fn widths(&self, pair: &PairCounts) -> (f64, f64) {
        let (root, log) = self.logs(pair);
        (self.next_root * root, self.next_linear * log / pair.visits_at_least_one() as f64)
    }
}

impl ConfidenceSet for Bernstein2020 {
    type Shape = Boxes;

    const ABOUT: &'static str = "the tighter ones of 2020";

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        let Confidence { alpha_r, alpha_p, r_max, .. } = *confidence;
        Self {
            reward_root: confidence.root(alpha_r, 4.0),
            reward_linear: alpha_r * 6.0 * r_max,
            next_root: confidence.root(alpha_p, 4.0),
            next_linear: alpha_p * 6.0,
            log: math::ln(6.0) + math::ln(confidence.pairs(space))
                - math::ln(confidence.delta.at(t_k)),
            alpha_p,
        }
    }

    fn reward_width(&self, pair: &PairCounts) -> f64 {
        let (root, log) = self.logs(pair);
        self.reward_root * root * pair.reward_deviation()
            + self.reward_linear * log / pair.visits_at_least_one() as f64
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Boxes> {
        boxes(belief, self, |_| false, 0)
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        let visits = visits.max(1.0);
        let (fresh, grown) =
            (self.next_linear * self.log.max(0.0), 6.0 * self.alpha_p * math::ln(visits));
        SetWidth::linear(super::UNOBSERVED, (fresh + grown) / visits)
    }
}
