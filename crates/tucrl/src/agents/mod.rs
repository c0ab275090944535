//! Which algorithms come with the library?
//!
//! One per file: options with their documentation, a planner and its rule, or a baseline. [`kinds`] lists them by
//! name. To add one: its file, and one line in that list.

mod baselines;
mod diff_q;
mod focus;
mod imed_rl;
mod optimism;
mod optimistic_q;
mod pmevi;
mod psrl;
mod regal;
mod retired;
mod scal;
mod tucrl;
mod tucrl_plus;
mod ucrl;

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use baselines::{Heuristic, Oracle, Random};
pub use diff_q::{DiffQ, DiffQAgent};
pub use focus::{Focus, FocusNumbers, FocusOperator, FocusRule, HorizonGuess, Solved, SpanGuess};
pub use imed_rl::{Atoms, ImedRl, ImedRlAgent, k_inf};
pub use optimism::Optimism;
pub use optimistic_q::{Bonus, OptimisticQ, OptimisticQAgent};
pub use pmevi::{
    Bound, Difference, Dropped, Estimate, Legs, Mitigated, PmeviDt, PmeviPlanner, Prior, Region,
};
pub use psrl::{
    InverseStates, OptimisticPsrl, OptimisticPsrlPlanner, Psrl, PsrlPlanner, RewardModel,
};
pub use regal::{
    GuessedLengths, LastLength, Regal, RegalC, RegalD, RegalDPlanner, penalty_numerator,
};
pub use retired::retired;
pub use scal::{Scal, SpanWord};
pub use tucrl::{Relaxation, Tucrl};
pub use tucrl_plus::{PlusSet, TucrlPlus, TucrlPlusPlanner, UnionKind};
pub use ucrl::Ucrl;

use crate::episode::{Episodic, KnownMeans};
use crate::learner::{AgentError, Algorithm, Learner, Saved, Setting, Start, TooShort};
use crate::options::{Described, FromWorld, OptionError, Options, check_ranges, read};
use crate::planner::Planner;

/// What most algorithms must be told.
const SPACE: &str = "The number of states and actions, junk states included, and r_max.";

/// The algorithms of the library: optimists, posterior sampling, then baselines.
pub fn kinds() -> &'static [AgentKind] {
    static KINDS: LazyLock<Vec<AgentKind>> = LazyLock::new(|| {
        let all = [
            tucrl::kinds(),
            tucrl_plus::kinds(),
            ucrl::kinds(),
            scal::kinds(),
            focus::kinds(),
            pmevi::kinds(),
            regal::kinds(),
            psrl::kinds(),
            optimistic_q::kinds(),
            imed_rl::kinds(),
            diff_q::kinds(),
            baselines::kinds(),
        ];
        all.into_iter().flatten().collect()
    });
    &KINDS
}

/// What is known about an algorithm, for lists, help and documents.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct About {
    /// The name in specs.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The idea in five sentences.
    pub idea: &'static str,
    /// What it must be told in advance.
    pub needs: &'static str,
    /// What is proved about it.
    pub guarantee: &'static str,
    /// What a plan costs.
    pub cost: &'static str,
    /// When not to use it.
    pub caution: &'static str,
    /// A spec to try.
    pub example: &'static str,
}

type Make = dyn Fn(Map<String, Value>) -> Result<Arc<dyn Algorithm>, AgentError> + Send + Sync;

/// An algorithm under its name: documentation, options, and how to make it from them.
#[derive(Clone)]
pub struct AgentKind {
    about: About,
    options: Described,
    example_world: &'static str,
    is_elsewhere: bool,
    make: Arc<Make>,
}

/// Where examples of agents run that need nothing special: a world with a state out of reach.
const EXAMPLE_WORLD: &str = "three-state:delta=0";

impl fmt::Debug for AgentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentKind({})", self.about.name)
    }
}

impl AgentKind {
    /// An algorithm whose options are its fields.
    pub fn new<A: Algorithm + Options>(about: About) -> Self {
        let make = |all| Ok(Arc::new(read::<A>(all)?) as Arc<dyn Algorithm>);
        Self::made(about, Described::of::<A>(), Arc::new(make))
    }

    fn made(about: About, options: Described, make: Arc<Make>) -> Self {
        Self { about, options, example_world: EXAMPLE_WORLD, is_elsewhere: false, make }
    }

    /// The same with its example in another world.
    #[must_use]
    pub fn tried_in(mut self, world: &'static str) -> Self {
        self.example_world = world;
        self
    }

    /// An algorithm that a function makes from options.
    pub fn made_by<O: Options>(
        about: About,
        make: impl Fn(O) -> Result<Arc<dyn Algorithm>, AgentError> + Send + Sync + 'static,
    ) -> Self {
        let make = move |all| make(read::<O>(all)?);
        Self::made(about, Described::of::<O>(), Arc::new(make))
    }

    /// The same for learners in other processes: their runs lend them the world ([`Run::lend_world`](crate::run::Run::lend_world)).
    /// No other learner can see it; who registers an algorithm like this vouches for it.
    #[must_use]
    pub fn in_another_process(mut self) -> Self {
        self.is_elsewhere = true;
        self
    }

    /// Whether its learners are in other processes.
    pub fn is_in_another_process(&self) -> bool {
        self.is_elsewhere
    }

    /// The same with fixed options, other defaults, or without some.
    #[must_use]
    pub fn with(mut self, narrow: impl FnOnce(Described) -> Described) -> Self {
        self.options = narrow(self.options);
        self
    }

    /// What is known about it.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The spec of a world in which its example runs.
    pub fn example_world(&self) -> &'static str {
        self.example_world
    }

    /// The options that it accepts.
    pub fn options(&self) -> &Described {
        &self.options
    }

    /// The algorithm with the given options; the others have their defaults.
    ///
    /// # Errors
    /// When a value is not accepted, or a required one is missing.
    pub fn make(&self, given: &Map<String, Value>) -> Result<Arc<dyn Algorithm>, AgentError> {
        (self.make)(self.options.complete(given)?)
    }
}

/// An algorithm of one's own: a name, a line about it, and how a learner starts with some options.
///
/// Its learners are run from the first step to the last in one go; [`own_saved_agent`] lets runs continue from
/// checkpoints.
///
/// ```
/// use tucrl::{ActionId, AgentKind, Learner, PlanError, StateId, own_agent};
///
/// /// Plays the actions in turn.
/// struct InTurn(u32, u32);
/// impl Learner for InTurn {
///     fn act(&mut self) -> Result<ActionId, PlanError> {
///         Ok(self.0 % self.1)
///     }
///     fn observe(&mut self, _: f64, _: StateId) {
///         self.0 += 1;
///     }
/// }
///
/// #[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// struct Options {
///     /// the first action
///     first: u32,
/// }
/// let kind: AgentKind = own_agent("in-turn", "plays the actions in turn", |start, options: Options| {
///     Ok(InTurn(options.first, start.setting.space.max_actions()))
/// });
/// assert_eq!(kind.options().list()[0].help, "the first action");
/// ```
pub fn own_agent<O, L, F>(name: &'static str, summary: &'static str, start: F) -> AgentKind
where
    O: Options,
    L: Learner + 'static,
    F: Fn(Start<'_>, O) -> Result<L, AgentError> + Send + Sync + 'static,
{
    own(name, summary, start, |_| Err(AgentError::CannotRestore))
}

/// The same for learners that can be saved: whole, by their [`Learner::save`], which is `Saved::of(self)`.
pub fn own_saved_agent<O, L, F>(name: &'static str, summary: &'static str, start: F) -> AgentKind
where
    O: Options,
    L: Learner + Serialize + DeserializeOwned + 'static,
    F: Fn(Start<'_>, O) -> Result<L, AgentError> + Send + Sync + 'static,
{
    own(name, summary, start, |saved| Ok(Box::new(saved_as::<L>(saved)?)))
}

type Restore = fn(&Saved) -> Result<Box<dyn Learner>, AgentError>;

fn own<O, L, F>(name: &'static str, summary: &'static str, start: F, restore: Restore) -> AgentKind
where
    O: Options,
    L: Learner + 'static,
    F: Fn(Start<'_>, O) -> Result<L, AgentError> + Send + Sync + 'static,
{
    let start = Arc::new(start);
    let make = move |all| {
        let own = Own { options: read::<O>(all)?, start: Arc::clone(&start), restore };
        Ok(Arc::new(own) as Arc<dyn Algorithm>)
    };
    let about = About { name, summary, example: name, ..About::default() };
    AgentKind::made(about, Described::of::<O>(), Arc::new(make))
}

struct Own<O, F> {
    options: O,
    start: Arc<F>,
    restore: Restore,
}

impl<O: fmt::Debug, F> fmt::Debug for Own<O, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.options.fmt(f)
    }
}

impl<O, L, F> Algorithm for Own<O, F>
where
    O: Options,
    L: Learner + 'static,
    F: Fn(Start<'_>, O) -> Result<L, AgentError> + Send + Sync,
{
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        checked(&self.options)?;
        Ok(Box::new((self.start)(start, self.options.clone())?))
    }

    fn restore(&self, _: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        (self.restore)(saved)
    }

    fn options(&self) -> Value {
        serde_json::to_value(&self.options).unwrap_or_default()
    }
}

/// An algorithm that plans in episodes.
pub trait EpisodicAlgorithm: Options {
    /// What plans.
    type Planner: Planner + Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The planner, with the world's values filled in.
    ///
    /// # Errors
    /// When options do not go together, or do not fit the world.
    fn planner(&self, setting: &Setting) -> Result<Self::Planner, AgentError>;

    /// Whether the true mean rewards must be told.
    fn knows_rewards(&self) -> bool {
        false
    }

    /// Whether the span of the optimal bias must be told.
    fn knows_span(&self) -> bool {
        false
    }

    /// See [`Algorithm::needs_state_count`].
    fn needs_state_count(&self) -> bool {
        true
    }

    /// See [`Algorithm::step_cost`].
    fn step_cost(&self) -> u64;

    /// See [`Algorithm::too_short`].
    fn too_short(&self, _setting: &Setting, _reachable: u64) -> Option<TooShort> {
        None
    }

    /// A learner of this type, for those who need more than [`Learner`].
    ///
    /// # Errors
    /// When an option is refused or knowledge is missing.
    fn learner(&self, start: Start<'_>) -> Result<Episodic<Self::Planner>, AgentError> {
        checked(self)?;
        if self.needs_state_count() && start.setting.space.is_uncounted() {
            return Err(AgentError::Missing { what: "the number of states" });
        }
        if self.knows_span() && start.setting.knowledge.span.is_none() {
            return Err(AgentError::Missing { what: "the span of the optimal bias" });
        }
        let (setting, means) = (start.setting, means(self, start.setting)?);
        let planner = self.planner(setting)?;
        let learner = Episodic::new(planner, setting.space.clone(), start.state, start.random);
        Ok(learner.knowing(means))
    }
}

impl<A: EpisodicAlgorithm> Algorithm for A {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(self.learner(start)?))
    }

    fn restore(&self, setting: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        let learner: Episodic<A::Planner> = saved_episodic(saved)?;
        Ok(Box::new(learner.knowing(means(self, setting)?)))
    }

    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn check(&self, setting: &Setting) -> Result<(), AgentError> {
        checked(self)?;
        self.planner(setting).map(drop)
    }

    fn needs_state_count(&self) -> bool {
        EpisodicAlgorithm::needs_state_count(self)
    }

    fn step_cost(&self) -> u64 {
        EpisodicAlgorithm::step_cost(self)
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        EpisodicAlgorithm::too_short(self, setting, reachable)
    }
}

/// The true mean rewards, if the algorithm is to be told.
fn means<A: EpisodicAlgorithm>(
    algorithm: &A,
    setting: &Setting,
) -> Result<Option<KnownMeans>, AgentError> {
    match &setting.knowledge.mean_rewards {
        _ if !algorithm.knows_rewards() => Ok(None),
        Some(means) => Ok(Some(means.clone())),
        None => Err(AgentError::Missing { what: "the true mean rewards" }),
    }
}

/// Refuses options out of range.
fn checked(options: &impl Options) -> Result<(), AgentError> {
    Ok(check_ranges(options)?)
}

/// The largest reward that an algorithm plans with; less than the world can pay would not be optimistic.
fn largest_reward(r_max: FromWorld, setting: &Setting) -> Result<f64, AgentError> {
    let own = r_max.or(setting.r_max);
    if own >= setting.r_max {
        return Ok(own);
    }
    let expected = "at least the largest reward of the world, counted from its smallest";
    Err(OptionError::out_of_range("r_max", own, expected).into())
}

fn saved_as<T: DeserializeOwned>(saved: &Saved) -> Result<T, AgentError> {
    saved.read().map_err(|error| AgentError::Checkpoint { reason: error.to_string() })
}

/// Reads an episodic learner. Fields that a planner does not have are skipped when its options are flattened, so the
/// planner of another algorithm might be read; then it is not the one that was saved.
fn saved_episodic<P>(saved: &Saved) -> Result<Episodic<P>, AgentError>
where
    P: Planner + Serialize + DeserializeOwned,
{
    #[derive(Deserialize)]
    struct Part {
        planner: Value,
    }
    let (learner, Part { planner }): (Episodic<P>, _) = (saved_as(saved)?, saved_as(saved)?);
    match serde_json::to_value(learner.planner()) {
        Ok(read) if read == planner => Ok(learner),
        _ => Err(AgentError::Checkpoint { reason: "it has the options of another planner".into() }),
    }
}
