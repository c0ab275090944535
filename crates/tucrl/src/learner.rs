//! What must an algorithm provide to be run and compared?
//!
//! An [`Algorithm`] is a set of validated options that starts a [`Learner`]; a learner acts and observes. Both are
//! open traits: whatever implements them can be run, checkpointed, reported and compared like the algorithms of
//! this library.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

use crate::counts::Counts;
use crate::episode::{EpisodeRecord, KnownMeans};
use crate::model::{Batch, PlayError};
use crate::options::OptionError;
use crate::planner::{Choice, Outlook, Plan, PlanError};
use crate::policy::Policy;
use crate::replay::Replay;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// A learner at work.
pub trait Learner: Send + Sync {
    /// The action to play now; asked once before each [`Learner::observe`]. The learners of this library give the
    /// same answer when they are asked again.
    ///
    /// # Errors
    /// When a plan does not converge; the learner is then unchanged.
    fn act(&mut self) -> Result<ActionId, PlanError>;

    /// The action to play now; `None` if a plan must be made first, which [`Learner::act`] does then. Callers who
    /// make plans elsewhere, such as on another thread, ask this before every action. Learners that plan override it.
    fn act_without_planning(&mut self) -> Option<ActionId> {
        self.act().ok()
    }

    /// What the action of the last [`Learner::act`] led to.
    fn observe(&mut self, reward: f64, next: StateId);

    /// How many actions a state has, before it is first observed; see [`Space::tell_actions`].
    fn tell_actions(&mut self, _state: StateId, _actions: u32) {}

    /// Learns from steps that it did not choose, as of a log, before its first action; every step counts as one that it took.
    /// Afterwards [`Learner::stand_in`] says where it stands. False if it cannot.
    fn absorb(&mut self, _log: &[LoggedStep]) -> bool {
        false
    }

    /// Stands in another state, before its first action; false if it cannot.
    fn stand_in(&mut self, _state: StateId) -> bool {
        false
    }

    /// How it would act in a state by its present plan or values, without learning; `None` if it has nothing to say
    /// about it.
    fn would_play(&self, _state: StateId) -> Option<Choice> {
        None
    }

    /// What it can report about itself.
    fn diary(&self) -> Diary<'_> {
        Diary::default()
    }

    /// The record of the present episode as if the run ended now, for learners with episodes.
    fn present_episode(&self) -> Option<EpisodeRecord> {
        None
    }

    /// What it assumes about the pairs of a state, as if an episode started now; `None` if it has nothing to say, and
    /// nothing for a state that it has not seen.
    fn explain(&self, _state: StateId) -> Option<Vec<Explanation>> {
        None
    }

    /// What a reader of its results should know, in sentences: asked once, when its run has ended. Empty if nothing.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Its whole state, for checkpoints; `None` if it cannot be saved.
    fn save(&self) -> Option<Saved> {
        None
    }

    /// Called before a batch of this many steps is played. Until [`Learner::end_batch`] nothing but
    /// [`Learner::act`] and [`Learner::observe`] is called, so that a learner may bring its counts up to date at the end.
    fn begin_batch(&mut self, _steps: u64) {}

    /// Called after a batch of steps, also if it was not finished.
    fn end_batch(&mut self) {}

    /// Plays steps of a batch that can only go as they always went, as far as there are any from the present state on.
    /// Learners that prepare none leave it as it is; those of other crates cannot prepare any.
    #[inline]
    fn replay(&mut self, _replay: &mut Replay<'_>) {}

    /// Plays a batch of steps. The default is compiled for each learner, so that dynamic dispatch happens once per
    /// batch and not once per step; there is no reason to override it.
    ///
    /// # Errors
    /// When a plan fails, or the world does.
    fn play(&mut self, batch: &mut Batch<'_>) -> Result<(), PlayError> {
        batch.play(self)
    }
}

/// One step of a log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedStep {
    /// The state.
    pub state: StateId,
    /// The action played there.
    pub action: ActionId,
    /// The reward, counted from the lowest possible one.
    pub reward: f64,
    /// The next state.
    pub next: StateId,
}

/// What a learner can report about itself; learners without episodes leave most of it empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct Diary<'a> {
    /// What has been counted.
    pub counts: Option<&'a Counts>,
    /// The present plan.
    pub plan: Option<&'a Plan>,
    /// The episodes that have ended.
    pub ended_episodes: &'a [EpisodeRecord],
    /// Whether an episode has begun that has not ended.
    pub is_under_way: bool,
    /// Steps taken in pairs that were poorly visited when the step was taken.
    #[doc(alias = "Z")]
    pub poor_steps: u64,
    /// Steps taken in pairs that were poorly visited when their plan was made.
    #[doc(alias = "Y")]
    pub poor_steps_at_start: u64,
    /// Sweeps of all plans.
    pub sweeps: u64,
    /// Time spent planning since the learner was started or restored.
    pub plan_time: Duration,
}

impl Diary<'_> {
    /// How many episodes have begun.
    pub fn episode_count(&self) -> usize {
        self.ended_episodes.len() + usize::from(self.is_under_way)
    }
}

/// What a learner assumes about a pair, above all about leaving to states never seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The action.
    pub action: ActionId,
    /// Whether the present plan plays it.
    pub is_planned: bool,
    /// All visits so far.
    pub visits: u64,
    /// Different next states observed.
    pub next_states: u32,
    /// sqrt(t / (S A)): a pair with more visits, less one, may not lead to states never seen. None if the learner has
    /// no such rule.
    pub threshold: Option<f64>,
    /// Width of the set of next-state laws, and the largest plausible probability of everything never observed.
    pub outlook: Option<Outlook>,
    /// The first step of the first episode since which plans do not let the pair lead to states never seen; none if the
    /// present plan does, or if no state is unseen.
    pub given_up_since: Option<u64>,
    /// From this step on an episode would let it lead there again, if neither the pair nor a new state is visited before.
    pub reconsidered_from: Option<u64>,
}

/// The state of a learner, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Saved(Box<RawValue>);

impl Saved {
    /// The state of anything that can be serialised without loss; `None` if it cannot.
    pub fn of(learner: &impl Serialize) -> Option<Self> {
        serde_json::value::to_raw_value(learner).ok().map(Self)
    }

    /// Reads it back.
    ///
    /// # Errors
    /// When it is the state of something else.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }
}

/// What an algorithm may know before the first step.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The space that will be learned.
    pub space: Space,
    /// The largest possible reward; rewards are counted from the smallest, whatever the world pays.
    pub r_max: f64,
    /// How many steps will be taken.
    pub steps: u64,
    /// Prior knowledge, for algorithms that need it.
    pub knowledge: Knowledge,
}

/// Where and with which random numbers a learner starts.
#[derive(Debug)]
pub struct Start<'a> {
    /// What it may know.
    pub setting: &'a Setting,
    /// The first state.
    pub state: StateId,
    /// Its own random numbers.
    pub random: RandomStream,
}

impl Start<'_> {
    /// A seed of 32 bits for another generator of random numbers: drawn from the learner's own, which advances them.
    pub fn seed(&mut self) -> u64 {
        self.random.bits() >> 32
    }
}

/// What some algorithms are told about the world; most need nothing.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// An optimal policy, for the oracle.
    pub optimal_policy: Option<Policy>,
    /// The states that the policy numbers, increasing; `None` when state `i` is number `i`.
    pub policy_states: Option<Arc<[StateId]>>,
    /// True mean rewards, for `known_rewards`.
    pub mean_rewards: Option<KnownMeans>,
    /// A hand-written policy, for the heuristic.
    pub rule_of_thumb: Option<RuleOfThumb>,
    /// The span of the optimal bias over the reachable states, for `c=world` and `h=world`.
    pub span: Option<f64>,
}

/// A hand-written policy of a world, where it is defined.
#[derive(Clone)]
pub struct RuleOfThumb(pub Arc<dyn Fn(StateId) -> Option<ActionId> + Send + Sync>);

impl fmt::Debug for RuleOfThumb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleOfThumb")
    }
}

/// Why an algorithm cannot be started.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// An option that is refused.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The algorithm needs something that was not supplied.
    #[error(
        "this algorithm needs {what}, which this world does not provide: choose another world or algorithm"
    )]
    Missing {
        /// What it needs.
        what: &'static str,
    },
    /// An algorithm of earlier versions.
    #[error("this algorithm is no longer run: {instead}")]
    Retired {
        /// What to use.
        instead: &'static str,
    },
    /// Its learners cannot be saved and restored.
    #[error("this algorithm cannot be restored from a checkpoint: run it from the first step")]
    CannotRestore,
    /// A checkpoint of another algorithm or another version.
    #[error("the checkpoint does not fit this algorithm: {reason}; run it from the first step")]
    Checkpoint {
        /// What does not fit.
        reason: String,
    },
}

/// An algorithm with all its options.
pub trait Algorithm: fmt::Debug + Send + Sync {
    /// Starts a learner in a state.
    ///
    /// # Errors
    /// When an option is out of range or needed knowledge is missing.
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError>;

    /// Continues a learner that was saved.
    ///
    /// # Errors
    /// When learners of this algorithm cannot be saved, or the state is that of another one.
    fn restore(&self, _setting: &Setting, _saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        Err(AgentError::CannotRestore)
    }

    /// All options with their values, for records.
    fn options(&self) -> serde_json::Value;

    /// Checks the options against the world, before anything is run.
    ///
    /// # Errors
    /// The first option that is refused.
    fn check(&self, _setting: &Setting) -> Result<(), AgentError> {
        Ok(())
    }

    /// Whether it must be told an optimal policy, which takes a solved world.
    fn needs_policy(&self) -> bool {
        false
    }

    /// Whether it must be told the number of states; if not, a space may be [uncounted](Space::uncounted).
    fn needs_state_count(&self) -> bool {
        true
    }

    /// What a step costs compared to one of random play, as an estimate. It only orders the cells of an experiment: of
    /// one run index, those with the largest product of steps and cost start first. No result depends on it.
    fn step_cost(&self) -> u64 {
        1
    }

    /// Why the run is too short for anything but exploration, if it is.
    fn too_short(&self, _setting: &Setting, _reachable: u64) -> Option<TooShort> {
        None
    }
}

/// Why a run is too short to show anything but exploration, and what would help besides more steps.
#[derive(Debug, Clone, PartialEq)]
pub struct TooShort {
    /// Why.
    pub reason: TooShortReason,
    /// Options that would help; none if only more steps do.
    pub remedy: Option<Remedy>,
}

/// Why a run is too short.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TooShortReason {
    /// The confidence sets exclude nothing, even at the end.
    Width {
        /// How often every pair would be tried if all were tried equally often.
        visits: f64,
        /// Which width is too large.
        what: &'static str,
        /// That width at the end of the run.
        width: f64,
    },
    /// Another reason: a sentence.
    Other(String),
}

/// Options that make a run long enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// The options with their values.
    pub options: Vec<(&'static str, serde_json::Value)>,
    /// What they do; completes "which …", without a full stop.
    pub effect: String,
    /// Where they fail: a sentence, or nothing.
    pub limits: &'static str,
}

impl TooShort {
    /// The width that a suggested alpha aims at.
    pub const AIM: f64 = 0.05;
}
