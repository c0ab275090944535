//! How is an MDP drawn from the posterior and solved?
//!
//! Posterior sampling (Osband, Russo and Van Roy 2013): for every pair an independent
//! Dirichlet(alpha_0 + transition counts) over next states, and a posterior over the mean reward. A
//! plan draws one MDP and solves it.
//!
//! - [`RewardPosterior`]: four posteriors of a mean reward.
//! - `model`: draws rows for all states of the nominal space and solves the table exactly.
//! - `loose`: an approximation whose cost depends on what was observed: next states never observed
//!   from a pair share one drawn mass equally.
//! - `extended`: many draws per pair, of which the best counts (optimistic posterior sampling).
//!
//! The paper argues that the spans of such samples are unbounded (appendix on continuous priors).

mod extended;
mod iterate;
mod loose;
mod model;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use extended::{Extended, plan_optimistically};
pub use model::SampledWorld;

use crate::counts::{Counts, PairCounts};
use crate::error::{ModelError, SolveError};
use crate::math;
use crate::rng::RandomStream;
use crate::space::{Space, StateId};

/// The largest number of entries of a sampled table (160 MB of probabilities).
pub const TABLE_LIMIT: f64 = 2e7;

/// The posterior of a mean reward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum RewardPosterior {
    /// r_max times a beta distribution; a reward r counts as r / r_max successes.
    BetaFractional {
        /// Successes of the prior.
        a: f64,
        /// Failures of the prior.
        b: f64,
    },
    /// The same, but a reward r counts as one success with probability r / r_max, else as a failure.
    BetaBernoulli {
        /// Successes of the prior.
        a: f64,
        /// Failures of the prior.
        b: f64,
    },
    /// Normal rewards with unknown mean and precision, in units of r_max.
    NormalGamma {
        /// The mean of the prior.
        mean: f64,
        /// The number of rewards that the prior's mean counts for.
        strength: f64,
        /// The shape of the precision's gamma distribution.
        shape: f64,
        /// Its rate.
        rate: f64,
    },
    /// The true means are known; those of states never visited are drawn uniformly.
    Known,
}

/// The concentration of the prior over next states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Concentration {
    /// The same for every next state.
    Each(f64),
    /// 1 / S for every next state, so that the prior counts as one visit.
    OneInAll,
}

/// How the mass of next states never observed from a pair is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// At random, by the Dirichlet distribution.
    #[default]
    Exact,
    /// Equally, with all states never seen as one state: a sparse approximation.
    Mean,
}

/// The prior over MDPs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    /// The concentration of the Dirichlet distributions.
    #[doc(alias = "alpha_0")]
    pub concentration: Concentration,
    /// The prior of the mean rewards.
    pub rewards: RewardPosterior,
    /// How rows are drawn.
    pub split: Split,
}

impl Default for Prior {
    fn default() -> Self {
        Self {
            concentration: Concentration::Each(1.0),
            rewards: RewardPosterior::BetaFractional { a: 1.0, b: 1.0 },
            split: Split::Exact,
        }
    }
}

impl Prior {
    fn each(&self, space: &Space) -> f64 {
        match self.concentration {
            Concentration::Each(each) => each,
            Concentration::OneInAll => 1.0 / space.states() as f64,
        }
    }
}

/// Knowledge about rewards besides the counts.
#[derive(Clone, Copy)]
pub struct RewardEvidence<'a> {
    /// The largest possible reward.
    pub r_max: f64,
    /// True means by pair, if known.
    pub known: Option<&'a dyn Fn(usize) -> f64>,
    /// Successes by pair, for [`RewardPosterior::BetaBernoulli`]; 0 for pairs beyond its end.
    pub successes: Option<&'a [u64]>,
}

impl RewardPosterior {
    /// Draws the mean reward of a pair of a seen state.
    pub fn draw(
        &self,
        counts: &Counts,
        pair: usize,
        evidence: &RewardEvidence<'_>,
        random: &mut RandomStream,
    ) -> f64 {
        let stats = &counts.pairs()[pair];
        match *self {
            Self::Known => match evidence.known {
                Some(mean) if counts.was_visited(counts.owner_number(pair) as u32) => mean(pair),
                _ => evidence.r_max * random.unit(),
            },
            Self::BetaBernoulli { a, b } => {
                let successes = evidence.successes.and_then(|all| all.get(pair)).copied();
                let successes = successes.unwrap_or(0) as f64;
                let failures = stats.visits_before() as f64 - successes;
                evidence.r_max * random.beta(a + successes, b + failures)
            }
            _ => self.draw_from(Some(stats), evidence.r_max, random),
        }
    }

    /// Draws the mean reward of a pair of a state never seen.
    pub fn draw_unseen(&self, r_max: f64, random: &mut RandomStream) -> f64 {
        self.draw_from(None, r_max, random)
    }

    fn draw_from(&self, stats: Option<&PairCounts>, r_max: f64, random: &mut RandomStream) -> f64 {
        let visits = stats.map_or(0.0, |stats| stats.visits_before() as f64);
        let mean = stats.map_or(0.0, |stats| stats.reward_mean() / r_max);
        match *self {
            Self::Known => r_max * random.unit(),
            Self::BetaFractional { a, b } | Self::BetaBernoulli { a, b } => {
                let successes = (visits * mean).clamp(0.0, visits);
                r_max * random.beta(a + successes, b + (visits - successes))
            }
            Self::NormalGamma { mean: prior_mean, strength, shape, rate } => {
                if visits == 0.0 {
                    return r_max;
                }
                // Requires `Variance::Population`: deviation² = population variance / visits.
                let deviation = stats.map_or(0.0, |stats| stats.reward_deviation() / r_max);
                let squares = deviation * deviation * visits * visits;
                let total = strength + visits;
                let centre = (strength * prior_mean + visits * mean) / total;
                let gap = mean - prior_mean;
                let shape = shape + visits / 2.0;
                let rate = rate + squares / 2.0 + strength * visits * gap * gap / (2.0 * total);
                let precision = math::exp(random.log_gamma(shape)) / rate;
                r_max * (centre + random.normal() / (total * precision).sqrt())
            }
        }
    }
}

/// The solution of a sampled MDP.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The optimal action of every seen state.
    pub actions: Vec<u32>,
    /// The optimal action of every state never seen, if they were drawn one by one.
    pub unseen_actions: Vec<(StateId, u32)>,
    /// The action of any other state.
    pub action_unseen: u32,
    /// Lower bound on the gain.
    pub gain_low: f64,
    /// Upper bound on the gain.
    pub gain_high: f64,
    /// The bias of the seen states; its smallest entry is 0.
    pub bias: Vec<f64>,
    /// The largest bias of a state never seen, if there is one.
    pub bias_unseen: Option<f64>,
    /// The span of the bias over all states.
    pub span: f64,
    /// Sweeps of value iteration.
    pub sweeps: u64,
}

/// Why no MDP was drawn or solved.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The exact solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The drawn table is invalid: a bug.
    #[error("the drawn table is invalid: {0}")]
    Model(#[from] ModelError),
    /// Too much to draw.
    #[error("{needed:e} {what} exceed the limit of {limit:e}: {advice}")]
    TooLarge {
        /// What exceeds the limit.
        what: &'static str,
        /// The number needed.
        needed: f64,
        /// The number allowed.
        limit: f64,
        /// The remedy.
        advice: &'static str,
    },
    /// Value iteration reached its sweep limit.
    #[error(
        "no convergence after {sweeps} sweeps: increments differ by {span}, the tolerance is \
         {tolerance}; the sampled MDP may be almost disconnected: draw more samples (a larger psi), \
         or use split=exact"
    )]
    NotConverged {
        /// Sweeps done.
        sweeps: u64,
        /// Largest minus smallest increment.
        span: f64,
        /// The difference allowed.
        tolerance: f64,
    },
}

impl Prior {
    /// Draws an MDP from the posterior and solves it: exactly with [`Split::Exact`], else to
    /// `tolerance`.
    ///
    /// # Errors
    /// When the table would be too large, or the solver fails.
    pub fn draw_and_solve(
        &self,
        counts: &Counts,
        evidence: &RewardEvidence<'_>,
        tolerance: f64,
        random: &mut RandomStream,
    ) -> Result<Drawn, DrawError> {
        match self.split {
            Split::Exact => model::draw(self, counts, evidence, random),
            Split::Mean => loose::draw(self, counts, evidence, tolerance, random),
        }
    }
}
