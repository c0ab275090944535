//! Which world could it be, drawn at random from what is believed?
//!
//! Posterior sampling keeps a law over worlds instead of a set of them (ALGORITHMS 5): for every pair an
//! independent Dirichlet law over next states, with the visits added to the prior's concentration, and a
//! posterior over the mean reward. A plan draws one world and solves it.
//!
//! - [`RewardPosterior`]: four ways to learn a mean reward.
//! - `model`: the whole world is drawn, every state with rows of its own, and solved exactly.
//! - `loose`: the mass of all next states never observed from a pair is one draw, spread evenly; a plan
//!   costs what was seen. An approximation, and labelled so.
//! - `extended`: many draws for each pair, the best of which counts (optimistic posterior sampling).
//!
//! Reads `counts`, `rng`, and, because a sampled model is a model, `mdp` and `solve`; feeds `agents`. The
//! paper argues that the spans of such samples are unbounded (appendix on continuous priors).

mod extended;
mod iterate;
mod loose;
mod model;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use extended::{Extended, plan_optimistically};
pub use model::SampledWorld;

use crate::counts::{Counts, PairCounts};
use crate::error::{ModelError, SolveError};
use crate::rng::RandomStream;
use crate::space::{Space, StateId};

/// Entries of a sampled table beyond which it is not drawn.
pub const TABLE_LIMIT: f64 = 2e7;

/// How the mean reward of a pair is learned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum RewardPosterior {
    /// r_max times a beta law; a reward counts as a fraction of a success.
    BetaFractional {
        /// Successes of the prior.
        a: f64,
        /// Failures of the prior.
        b: f64,
    },
    /// The same, but every reward tosses a coin that decides between success and failure.
    BetaBernoulli {
        /// Successes of the prior.
        a: f64,
        /// Failures of the prior.
        b: f64,
    },
    /// A normal law of unknown mean and precision; all in units of r_max.
    NormalGamma {
        /// The mean of the prior.
        mean: f64,
        /// How many rewards the prior's mean counts for.
        strength: f64,
        /// The shape of the precision's gamma law.
        shape: f64,
        /// Its rate.
        rate: f64,
    },
    /// The true means are told; states never visited are drawn from a uniform law.
    Known,
}

/// The concentration of the prior over next states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Concentration {
    /// The same for every next state.
    Each(f64),
    /// 1 over the number of states: all of them together count for one visit.
    OneInAll,
}

/// What happens to the mass of next states that were never observed from a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Split {
    /// It is split at random, as the Dirichlet law wants it.
    #[default]
    Exact,
    /// It is spread evenly, and states never seen are one state: an approximation that is sparse.
    Mean,
}

/// What is believed before anything is seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    /// Of the Dirichlet laws.
    #[doc(alias = "alpha_0")]
    pub concentration: Concentration,
    /// Of the mean rewards.
    pub rewards: RewardPosterior,
    /// How laws are drawn.
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

/// What is known about rewards, besides counts.
#[derive(Clone, Copy)]
pub struct RewardEvidence<'a> {
    /// The largest possible reward.
    pub r_max: f64,
    /// True means by pair, when they are told.
    pub known: Option<&'a dyn Fn(usize) -> f64>,
    /// Successes by pair, for [`RewardPosterior::BetaBernoulli`]; pairs beyond its end have none.
    pub successes: Option<&'a [u64]>,
}

impl RewardPosterior {
    /// A mean reward drawn for a pair of a seen state.
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

    /// A mean reward drawn for a pair of a state never seen.
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
                // Counts are kept with population variances here: deviation² is variance over visits.
                let deviation = stats.map_or(0.0, |stats| stats.reward_deviation() / r_max);
                let squares = deviation * deviation * visits * visits;
                let total = strength + visits;
                let centre = (strength * prior_mean + visits * mean) / total;
                let gap = mean - prior_mean;
                let shape = shape + visits / 2.0;
                let rate = rate + squares / 2.0 + strength * visits * gap * gap / (2.0 * total);
                let precision = random.log_gamma(shape).exp() / rate;
                r_max * (centre + random.normal() / (total * precision).sqrt())
            }
        }
    }
}

/// A sampled world, solved.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The best action of every seen state.
    pub actions: Vec<u32>,
    /// The best action of every state never seen, by state, where they were drawn one by one.
    pub unseen_actions: Vec<(StateId, u32)>,
    /// The action of any other state.
    pub action_unseen: u32,
    /// Bounds on the gain of the sampled world.
    pub gain_low: f64,
    /// Bounds on the gain of the sampled world.
    pub gain_high: f64,
    /// The bias of the seen states, smallest entry 0.
    pub bias: Vec<f64>,
    /// The largest bias of a state never seen, if there is one.
    pub bias_unseen: Option<f64>,
    /// The span of the bias over all states.
    pub span: f64,
    /// Sweeps that it took.
    pub sweeps: u64,
}

/// Why no world was drawn or solved.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The exact solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A drawn table is no model: a bug.
    #[error("the drawn table is no model: {0}")]
    Model(#[from] ModelError),
    /// Too much to draw.
    #[error("{needed:e} {what} are more than {limit:e}: {advice}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much of it.
        needed: f64,
        /// How much is allowed.
        limit: f64,
        /// What to change.
        advice: &'static str,
    },
    /// Value iteration hit its cap.
    #[error(
        "no convergence after {sweeps} sweeps: {span} is left, {tolerance} was asked; the drawn world may have \
         fallen apart: draw more samples (a larger psi), or say split=exact"
    )]
    NotConverged {
        /// Sweeps done.
        sweeps: u64,
        /// Largest minus smallest increment.
        span: f64,
        /// What was asked for.
        tolerance: f64,
    },
}

impl Prior {
    /// Draws a world from the posterior and solves it, as exactly as the split allows; a plan that must
    /// settle for less is accurate to `tolerance`.
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
