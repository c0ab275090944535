//! What does planning give back, and what must a planner provide?
//!
//! A plan is a policy on the seen states, possibly mixing two actions, with the optimistic gain and
//! bias that justify it and the numbers that a record of the episode needs. `episode` is the loop around it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::counts::Counts;
use crate::counts::Variance;
use crate::inner_max::Values;
use crate::plausible::KnownRewards;
pub use crate::pulse::Pulse;
use crate::rng::RandomStream;
use crate::rules::EpisodeRule;
use crate::space::{Space, StateId};
pub use crate::truncation::Threshold;

/// How one acts in a seen state: the action, and the other one with its probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The main action.
    pub action: u32,
    /// Played instead, with probability `mix`.
    pub other: u32,
    /// 0 for a deterministic choice.
    pub mix: f64,
}

impl Choice {
    /// Always the same action.
    pub fn pure(action: u32) -> Self {
        Self { action, other: action, mix: 0.0 }
    }
}

/// The outcome of planning one episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// How to act, by number of seen state.
    pub choices: Vec<Choice>,
    /// The action of a state that is met for the first time before the next plan, modulo its number of
    /// actions.
    pub action_unseen: u32,
    /// The actions of states never seen, by state, where a plan tells them apart; else nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen_actions: Vec<(StateId, u32)>,
    /// Bounds on the optimistic gain.
    pub gain_low: f64,
    /// Bounds on the optimistic gain.
    pub gain_high: f64,
    /// The value vector that the policy is greedy for, smallest entry 0.
    pub bias: Vec<f64>,
    /// The same for states never seen, when they were planned on.
    pub bias_unseen: Option<f64>,
    /// The span over all planned states, where states never seen have more than one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_span: Option<f64>,
    /// Sweeps of extended value iteration.
    pub sweeps: u64,
    /// Exact evaluations of an optimistic chain between sweeps.
    pub evaluations: u64,
    /// States never seen at planning time.
    pub unseen: u64,
    /// Under-visited pairs of seen states; what TUCRL calls K_k.
    pub under_visited: u64,
}

impl Plan {
    /// The midpoint of the bounds on the gain.
    pub fn gain(&self) -> f64 {
        self.gain_low + (self.gain_high - self.gain_low) / 2.0
    }

    /// The span of the bias over the seen states.
    pub fn span_seen(&self) -> f64 {
        let (low, high) = min_max(self.bias.iter().copied());
        high - low
    }

    /// The span of the bias over all planned states.
    pub fn span(&self) -> f64 {
        let (low, high) = min_max(self.bias.iter().copied().chain(self.bias_unseen));
        self.whole_span.unwrap_or(high - low)
    }
}

/// The smallest and the largest of some numbers.
pub(crate) fn min_max(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

/// Why no plan was made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Extended value iteration hit its cap.
    #[error(
        "planning at step {t_k} did not converge: after {sweeps} sweeps the increments still differ \
         by {span}, {tolerance} was asked: use wider confidence sets (a larger alpha), or \
         planner=accelerated"
    )]
    NotConverged {
        /// The step at which the episode would have started.
        t_k: u64,
        /// Sweeps done.
        sweeps: u64,
        /// Largest minus smallest increment.
        span: f64,
        /// The accuracy asked for.
        tolerance: f64,
    },
    /// [`Pulse`] asked to stop.
    #[error("planning at step {t_k} was interrupted")]
    Interrupted {
        /// The step at which the episode would have started.
        t_k: u64,
    },
    /// The optimistic bias is so large that rounding hides the increments.
    #[error(
        "planning at step {t_k}: a bias with span {span} is too large to be judged to an accuracy of \
         {tolerance} in double precision: use wider confidence sets (a larger alpha)"
    )]
    Unresolved {
        /// The step at which the episode would have started.
        t_k: u64,
        /// The span of the values.
        span: f64,
        /// The accuracy asked for.
        tolerance: f64,
    },
    /// SCAL without augmented rewards met a state where the span constraint cannot be met.
    #[error(
        "planning at step {t_k}: no mixture of actions meets the span bound c = {c} in state {state}: \
         use augmented rewards, operator=n, or a larger c"
    )]
    Infeasible {
        /// The step at which the episode would have started.
        t_k: u64,
        /// The state.
        state: u64,
        /// The span bound.
        c: f64,
    },
    /// A sampled model could not be solved.
    #[error("planning at step {t_k}: the sampled model was not solved: {reason}")]
    Unsolved {
        /// The step at which the episode would have started.
        t_k: u64,
        /// What the solver said.
        reason: String,
    },
    /// The plan would not fit into memory or time.
    #[error(
        "planning at step {t_k} would take {needed:e} {what}, {limit:e} is the limit: {advice}"
    )]
    TooLarge {
        /// The step at which the episode would have started.
        t_k: u64,
        /// What there is too much of.
        what: &'static str,
        /// How much of it.
        needed: f64,
        /// How much is allowed.
        limit: f64,
        /// What to change.
        advice: &'static str,
    },
    /// A learner that does not come with the library failed.
    #[error("{message}")]
    Own {
        /// What it says.
        message: String,
    },
}

/// What a planner may look at when an episode starts.
pub struct PlanInput<'a> {
    /// What has been counted.
    pub counts: &'a Counts,
    /// The time of the first action of the episode.
    pub t_k: u64,
    /// The value vector of the last plan, for planners that start warm.
    pub previous: Option<&'a Values>,
    /// True mean rewards, for learners that are told.
    pub known: KnownRewards<'a>,
    /// The learner's random numbers, for planners that sample.
    pub random: &'a mut RandomStream,
    /// The length of the last episode.
    pub last_length: Option<u64>,
    /// How many plans this episode has had before, with rules that [replan](crate::rules::Verdict::Replan).
    pub replans: u32,
}

impl<'a> PlanInput<'a> {
    /// Nothing but counts and a time.
    pub fn new(counts: &'a Counts, t_k: u64, random: &'a mut RandomStream) -> Self {
        Self { counts, t_k, previous: None, known: None, random, last_length: None, replans: 0 }
    }
}

/// What a planner assumes about one pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Outlook {
    /// How wide its set of next-state laws is: an L1 radius, or the width of the widest interval.
    pub width: f64,
    /// The largest probability of all next states never observed from it, together.
    pub missing_mass: f64,
}

/// Turns counts into a plan, and says when to plan again.
pub trait Planner {
    /// When an episode ends.
    type Rule: EpisodeRule;

    /// Plans the episode that starts now.
    ///
    /// # Errors
    /// When the plan does not converge; never a policy without a guarantee.
    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError>;

    /// When an episode ends.
    fn rule(&self) -> Self::Rule;

    /// Which empirical variance the counts keep.
    fn variance(&self) -> Variance {
        Variance::default()
    }

    /// Whether the counts keep when each transition was first observed.
    fn keeps_first_visits(&self, _space: &Space) -> bool {
        false
    }

    /// Which pairs count as under-visited.
    #[inline]
    fn threshold(&self) -> Threshold {
        Threshold::Nominal
    }

    /// Whether pairs that are not under-visited may not lead to states never seen.
    fn gives_up(&self) -> bool {
        false
    }

    /// What an episode that started now, at time `t_k`, would assume about a pair that leads to states never seen; for
    /// planners that restrict it.
    fn outlook(&self, _counts: &Counts, _t_k: u64, _pair: usize) -> Option<Outlook> {
        None
    }

    /// What a reader of the results should know; see [`crate::learner::Learner::remarks`].
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Called with every reward, for planners that keep more than counts.
    #[inline]
    fn observe(&mut self, _pair: usize, _reward: f64, _random: &mut RandomStream) {}
}
