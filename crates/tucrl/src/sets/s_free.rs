//! Which L1 balls have a radius that knows the number of states only inside logarithms? (TUCRL+ with `set=bernstein`)
//!
//! The smaller of two radii around the observed law (docs/theory.md has the proofs), with d next states observed in n
//! visits and the pair's ln(1/delta') of [`Levels`]:
//! - R = sum over the observed next states of the paper's Bernstein widths, plus (d + ln(1/delta')) / ((1 - 1/e) n) for
//!   all others together: the missing mass;
//! - R' = 2 sum sqrt(p̂ / n) + sqrt(8 ln(n (n + 1) / delta') / n), by symmetrisation and McDiarmid's inequality, which
//!   needs no union bound over next states. In order of discovery it is the only one, because the widths in R are a
//!   union bound over all S next states.
//!
//! Rewards have the paper's widths.

use crate::confidence::{Confidence, Shrink};
use crate::counts::{Counts, PairCounts};
use crate::math;
use crate::space::Space;

use super::ConfidenceSet;
use super::bernstein::Bernstein;
use super::mixture::MISSING;
use super::tight::{Levels, Union};

/// The widths of one episode.
#[derive(Debug, Clone)]
pub struct SFree<'c> {
    confidence: &'c Confidence,
    levels: Levels,
    t_k: u64,
    /// Of every pair; none in order of discovery.
    widths: Option<Bernstein>,
    actions: f64,
}

impl<'c> SFree<'c> {
    /// The widths of an episode that starts at time `t_k`.
    pub fn new(confidence: &'c Confidence, space: &Space, t_k: u64, union: Union) -> Self {
        let levels = Levels::new(confidence, space, t_k, union);
        let widths = match union {
            Union::Nominal => Some(Bernstein::of(confidence, space, t_k)),
            Union::Discovery => None,
        };
        Self { confidence, levels, t_k, widths, actions: f64::from(space.max_actions()) }
    }

    /// The reward width of a pair.
    pub fn reward_width(&self, counts: &Counts, pair: usize) -> f64 {
        let stats = &counts.pairs()[pair];
        match &self.widths {
            Some(widths) => widths.reward_width(stats),
            None => {
                let rank = counts.owner_number(pair) as f64 + 1.0;
                let b = self.confidence.log(self.actions * rank * (rank + 1.0), self.t_k);
                Bernstein::with_log(self.confidence, b).reward_width(stats)
            }
        }
    }

    /// A bound on the mass that was never observed from a tried pair.
    pub fn missing_mass(&self, counts: &Counts, pair: usize) -> f64 {
        self.missing(&counts.pairs()[pair], self.levels.of_pair(counts.owner_number(pair)))
    }

    fn missing(&self, stats: &PairCounts, log: f64) -> f64 {
        let bound = MISSING * (f64::from(stats.observed()) + log);
        self.confidence.alpha_p * (bound / stats.visits_at_least_one() as f64).min(1.0)
    }

    /// The radius of a tried pair, at most 2.
    pub fn radius(&self, counts: &Counts, pair: usize) -> f64 {
        let (stats, log) = (&counts.pairs()[pair], self.levels.of_pair(counts.owner_number(pair)));
        let by_widths = self.widths.map_or(f64::INFINITY, |widths| {
            widths.radius(stats, f64::from(stats.observed())) + self.missing(stats, log)
        });
        by_widths.min(self.spread_radius(counts, pair, log)).min(2.0)
    }

    /// The radius after `visits` that all led to one state.
    pub fn radius_after(&self, visits: f64) -> f64 {
        let log = self.levels.of_pair(0);
        let by_widths = self.widths.map_or(f64::INFINITY, |widths| {
            let missing = MISSING * (1.0 + log) / visits.max(1.0);
            widths.unobserved_after(visits) + self.confidence.alpha_p * missing
        });
        by_widths.min(self.spread(visits.max(1.0), 1.0, log))
    }

    /// R'.
    fn spread_radius(&self, counts: &Counts, pair: usize, log: f64) -> f64 {
        let visits = counts.pairs()[pair].visits_at_least_one() as f64;
        let roots: f64 = counts.row(pair).p_hat.iter().map(|p| p.sqrt()).sum();
        self.spread(visits, roots, log)
    }

    fn spread(&self, visits: f64, roots: f64, log: f64) -> f64 {
        let log = log + math::ln(visits) + math::ln(visits + 1.0);
        let (alpha, noise) = (self.confidence.alpha_p, 8.0 * log / visits);
        let mean = 2.0 * roots / visits.sqrt();
        match self.confidence.shrink {
            Shrink::Linear => alpha * (mean + noise.sqrt()),
            // The expectation has no logarithm; it shrinks like the root of one.
            Shrink::Log => alpha.sqrt() * (mean + noise.sqrt()),
        }
    }
}
