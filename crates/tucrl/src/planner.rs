//! What does planning give back, and what must an algorithm say to be one?
//!
//! A plan is a policy on the seen states, possibly mixing two actions, with the optimistic gain and
//! bias that justify it and the numbers that a record of the episode needs (ALGORITHMS 0.5). An
//! algorithm is a [`Planner`] plus a stopping rule; `episode` is the loop around it.
//!
//! Reads `counts`; feeds `episode`, `evi`, `agents`. Departures from the paper: none.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::counts::Counts;
use crate::inner_max::Values;
use crate::plausible::KnownRewards;
use crate::space::StateId;

/// When an episode ends, and with it the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Rule {
    /// Before a pair is played more often in the episode than before it (UCRL2): nu >= max(1, N).
    #[default]
    Doubling,
    /// The same, and before acting in a state that had never been visited (TUCRL).
    NewStates,
    /// When it is longer than the last one, or a pair has more than twice the visits that it had (TSDE).
    Growing,
    /// At the times 1, 2, 4, 8, ... (DS-PSRL).
    PowersOfTwo,
    /// As doubling; within the episode, plans last 1, 2, 4, ... steps, with counts that stand still
    /// (REGAL.D).
    Guesses,
}

/// How one acts in a seen state: the action, and the other one with its probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The action played first of all.
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
    /// The action of a state that is met for the first time before the next plan, counted round where
    /// it has fewer actions.
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
        let (low, high) = ends(self.bias.iter().copied());
        high - low
    }

    /// The span of the bias over all planned states.
    pub fn span(&self) -> f64 {
        let (low, high) = ends(self.bias.iter().copied().chain(self.bias_unseen));
        self.whole_span.unwrap_or(high - low)
    }
}

/// The smallest and the largest of some numbers.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
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
    /// Somebody asked to stop; see [`Pulse`].
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
}

/// How far the plan at hand is, for another thread that waits for it and may give it up.
///
/// It is set for a thread and a piece of work, not handed down through every learner: what is computed does not
/// depend on it.
#[derive(Debug, Default)]
pub struct Pulse {
    stop: Arc<AtomicBool>,
    sweeps: AtomicU64,
    span: AtomicU64,
    tolerance: AtomicU64,
}

thread_local! {
    static PULSE: RefCell<Option<Arc<Pulse>>> = const { RefCell::new(None) };
}

impl Pulse {
    /// A pulse whose plans are given up when the flag is set.
    pub fn new(stop: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self { stop, ..Self::default() })
    }

    /// Does some work whose plans, on this thread, beat this pulse. No plan is at hand afterwards.
    pub fn during<R>(self: &Arc<Self>, work: impl FnOnce() -> R) -> R {
        /// Also when the work panics.
        struct Restore(Option<Arc<Pulse>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                PULSE.with(|pulse| {
                    if let Some(pulse) = pulse.replace(self.0.take()) {
                        pulse.sweeps.store(0, Relaxed);
                    }
                });
            }
        }
        let _restore = Restore(PULSE.with(|pulse| pulse.replace(Some(Arc::clone(self)))));
        work()
    }

    /// The pulse of this thread's work, if anybody waits for it.
    pub(crate) fn present() -> Option<Arc<Self>> {
        PULSE.with(|pulse| pulse.borrow().clone())
    }

    /// Says how far the plan is; returns whether it should go on.
    pub(crate) fn beat(&self, sweeps: u64, span: f64, tolerance: f64) -> bool {
        self.span.store(span.to_bits(), Relaxed);
        self.tolerance.store(tolerance.to_bits(), Relaxed);
        self.sweeps.store(sweeps, Relaxed);
        !self.stop.load(Relaxed)
    }

    /// The sweeps of the last plan so far, how far apart its increments are and how close they have to get;
    /// nothing when no work is under way.
    pub fn read(&self) -> Option<(u64, f64, f64)> {
        let number = |bits: &AtomicU64| f64::from_bits(bits.load(Relaxed));
        let sweeps = self.sweeps.load(Relaxed);
        (sweeps > 0).then(|| (sweeps, number(&self.span), number(&self.tolerance)))
    }
}

/// What a planner may look at when an episode starts.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// What has been seen.
    pub counts: &'a Counts,
    /// The time of the first action of the episode.
    pub t_k: u64,
    /// The value vector of the last plan, for planners that start warm.
    pub previous: Option<&'a Values>,
    /// True mean rewards, for learners that are told.
    pub known: KnownRewards<'a>,
    /// A seed of its own for every plan, for planners that sample.
    pub luck: u64,
    /// For every pair, how many of its rewards came up as successes of a coin; see
    /// [`Planner::tosses_for`].
    pub successes: Option<&'a [u64]>,
    /// How long the last episode was.
    pub last_length: Option<u64>,
    /// How many plans this episode has had before, with [`Rule::Guesses`].
    pub guess: u32,
}

impl<'a> Situation<'a> {
    /// Nothing but counts and a time.
    pub fn new(counts: &'a Counts, t_k: u64) -> Self {
        Self {
            counts,
            t_k,
            previous: None,
            known: None,
            luck: 0,
            successes: None,
            last_length: None,
            guess: 0,
        }
    }
}

/// Turns counts into a plan.
pub trait Planner {
    /// Plans the episode that starts now.
    ///
    /// # Errors
    /// When the plan does not converge; never a policy without a guarantee.
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError>;

    /// When an episode ends.
    fn rule(&self) -> Rule {
        Rule::Doubling
    }

    /// Whether plans are drawn at random, so that each needs a seed.
    fn samples(&self) -> bool {
        false
    }

    /// The reward that is a sure success, if each reward decides the bias of a coin whose fall is what
    /// the planner wants to know.
    fn tosses_for(&self) -> Option<f64> {
        None
    }
}
