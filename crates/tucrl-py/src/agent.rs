//! How does Python drive a learner? `tucrl.Agent`.
//!
//! All arguments of `act` and `observe` are checked first, so that no Python input makes the library panic. The learner is
//! created by the first `act`, which gives its first state.

mod describe;
mod labels;
mod learned;
mod masks;
mod states;
mod stored;

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tucrl::learner::{AgentError, Algorithm, Knowledge, Learner, Saved, Setting, Start};
use tucrl::reward::RewardRange;
use tucrl::rng::{Purpose, RandomStream};
use tucrl::space::{Space, StateId};
use tucrl::truth::Truth;
use tucrl_lab::NamedAgent;
use tucrl_lab::text::exact;
use tucrl_lab::warnings;

use crate::errors::{bad_input, failed};
use crate::learning::warn;
use crate::rewards;
use crate::seed::Seed;
use crate::work;
use crate::world::AnyWorld;
use masks::Masks;
use states::{States, text};

/// More actions per state would take megabytes for each state seen.
const MOST_ACTIONS: u32 = 1 << 16;
const MOST_STATES: u64 = 1 << 63;
/// In spaces beyond this size most states are not expected to be reachable.
const VAST: u64 = 1_000_000;
/// How far rounding may put a reward outside its range, in units of the width of the range.
const ROUNDING: f64 = 1e-9;

/// A learner: ask it to `act`, play, let it `observe` what happened.
///
/// Agent(spec, states, actions, *, mask=None, reward_range=(0, 1), steps=1_000_000, seed=0, run=0, **options)
/// Agent(spec, *, world, ...)
///
/// spec: an agent and its options, as on the command line: `"tucrl:alpha=0.01"`. `tucrl.agents()` lists them.
///     Options may also be keywords: `Agent("tucrl", 500, 6, alpha=0.01)`.
/// states: the nominal number of states, up to 2**63; unreachable ones cost nothing. A state is an int from 0, or any
///     hashable object (a tuple, bytes, a str), which is numbered when it is first seen. `tucrl-plus` does without the
///     number: leave it out, and any hashable object is a state.
/// actions: the largest number of actions of a state.
/// mask: which actions a state has: an array of states × actions, or a function from the state to a mask, called once
///     per state.
/// world: an `MDP` or a `World` instead of states and actions; required by agents that are told an optimal policy or the
///     rewards, otherwise used for its sizes only.
/// reward_range: the lowest and the highest possible reward, (0, 1) or that of the world unless given. `observe` takes
///     rewards in these units, and gains are in these units.
/// r_max: the same as `reward_range=(0, r_max)`.
/// steps: how many steps are planned, for options that depend on it.
/// seed, run: the agent's own random numbers; `seed=1, run=3` are those of run 3 of `tucrl learn --seed 1`. A generator
///     of NumPy is a seed too, and `None` is a new one every time.
///
/// Plans run on all cores without the interpreter's lock, and Ctrl-C stops them: the agent is then as before. One
/// thread at a time may use an agent.
///
/// Warns if `steps` steps are too few for the agent's confidence widths; pass `steps` if you plan other than a million.
///
/// Agents can be copied and pickled in the middle of an episode; copies are independent.
///
/// >>> import tucrl
/// >>> walk = tucrl.MDP("river-swim").walk(seed=1)
/// >>> agent = tucrl.Agent("tucrl:alpha=0.05", states=6, actions=2, seed=1)
/// >>> for _ in range(1000):
/// ...     state, reward = walk.step(agent.act(walk.state))
/// ...     agent.observe(reward, state)
/// >>> agent
/// tucrl.Agent("tucrl:alpha=0.05", states=6, actions=2): 1000 steps, 6 states seen
#[pyclass(name = "Agent", module = "tucrl")]
pub(crate) struct PyAgent {
    /// The shortest spec.
    spec: String,
    algorithm: Arc<dyn Algorithm>,
    /// What the learner may know; told actions are added until it starts.
    space: Space,
    range: RewardRange,
    /// How many steps are planned, for options that depend on it.
    horizon: u64,
    /// Used up when the learner starts.
    random: RandomStream,
    /// The world, for agents that need to know it.
    world: Option<AnyWorld>,
    learner: Option<Box<dyn Learner>>,
    here: StateId,
    /// The chosen action, not yet observed.
    chosen: Option<u32>,
    taken: u64,
    /// Steps absorbed from logs.
    absorbed: u64,
    /// Whether the first `act` has said where the agent stands.
    is_placed: bool,
    /// The greedy policy by row, and the steps that it was computed after.
    greedy: Option<((u64, u64), Vec<u32>)>,
    states: States,
    masks: Masks,
}

#[pymethods]
impl PyAgent {
    #[new]
    #[pyo3(
        signature = (
            spec, states=None, actions=None, *, mask=None, world=None, r_max=None,
            reward_range=None, steps=None, seed=Seed(0), run=0, **options
        ),
        text_signature = "(spec, states=None, actions=None, *, mask=None, world=None, r_max=None, \
                          reward_range=None, steps=None, seed=0, run=0, **options)"
    )]
    fn new(
        py: Python<'_>,
        spec: &str,
        states: Option<&Bound<'_, PyAny>>,
        actions: Option<&Bound<'_, PyAny>>,
        mask: Option<Bound<'_, PyAny>>,
        world: Option<AnyWorld>,
        r_max: Option<f64>,
        reward_range: Option<&Bound<'_, PyAny>>,
        steps: Option<&Bound<'_, PyAny>>,
        seed: Seed,
        run: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let steps = steps.map_or(Ok(1_000_000), |steps| whole("steps", steps, 1, u64::MAX))?;
        let given = rewards::range(r_max, reward_range)?;
        let named = NamedAgent::parse(&with_options(spec, options)?).map_err(bad_input)?;
        let (space, own) = match &world {
            Some(world) => {
                if states.is_some() || actions.is_some() || mask.is_some() {
                    return Err(bad_input(
                        "the world says which states and actions there are: leave out `states`, \
                         `actions` and `mask`, or `world`",
                    ));
                }
                let model = world.model();
                let own = model.reward_range();
                // What the world tells of its rewards is counted from its lowest one.
                if given.is_some_and(|given| given.low() != own.low()) {
                    return Err(bad_input(format!(
                        "the rewards of the world lie in {own}: leave out `r_max` and `reward_range`"
                    )));
                }
                (model.space(), own)
            }
            None => {
                let needs_count = named.algorithm().needs_state_count();
                let space = announced(states, actions, mask.is_some(), needs_count)?;
                (space, RewardRange::default())
            }
        };
        let range = given.unwrap_or(own);
        let r_max = range.width();
        let setting =
            Setting { space: space.clone(), r_max, steps, knowledge: Knowledge::default() };
        named.check(&setting).map_err(bad_input)?;
        let reachable = world.as_ref().map_or_else(|| assumed(space.states()), AnyWorld::reachable);
        if let Some(warning) = warnings::too_short(&named, &setting, reachable) {
            warn(py, &warning, 1)?;
        }
        let masks = Masks::new(mask, space.states())?;
        // Without a number of states there are no state numbers either: observations of any kind, mixed as they come.
        let states = match space.is_uncounted() {
            true => States::labelled(py, Vec::new())?,
            false => States::default(),
        };
        let agent = Self {
            spec: named.to_string(),
            algorithm: Arc::clone(named.algorithm()),
            space,
            range,
            horizon: steps,
            random: RandomStream::of_run(seed.0, run, Purpose::Agent),
            world,
            learner: None,
            here: 0,
            chosen: None,
            taken: 0,
            absorbed: 0,
            is_placed: false,
            greedy: None,
            states,
            masks,
        };
        // Report missing arguments now, not at the first step.
        agent.start(&agent.setting(py)?, 0).map_err(|error| agent.missing(error))?;
        Ok(agent)
    }

    /// Return the action to play in a state.
    ///
    /// The first call gives the initial state. Later the state is where the last step led, and may be left out. Asking
    /// again before `observe` gives the same answer.
    ///
    /// >>> import tucrl
    /// >>> agent = tucrl.Agent("tucrl", states=3, actions=2)
    /// >>> agent.act(0) == agent.act()
    /// True
    #[pyo3(signature = (state=None))]
    fn act(&mut self, py: Python<'_>, state: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
        let Some(learner) = self.learner.as_mut().filter(|_| self.is_placed) else {
            return self.first_act(py, state);
        };
        if let Some(state) = state {
            // Fast path: Python often passes the same object back.
            let is_here = match (&self.states, state.extract::<u64>()) {
                (States::Integers, Ok(number)) => number == self.here,
                _ => self.states.number(state, self.space.states())?.number == self.here,
            };
            if !is_here {
                return Err(self.elsewhere(state));
            }
        }
        let action = match self.chosen {
            // Asked again: the same answer, also for randomised agents.
            Some(action) => action,
            None => match learner.act_without_planning() {
                Some(action) => action,
                None => plan(py, &mut **learner)?,
            },
        };
        self.chosen = Some(action);
        Ok(self.masks.outside(self.here, action))
    }

    /// Observe the result of the last `act`: the reward and the next state.
    ///
    /// The reward must lie in the agent's `reward_range`. An action, if given, must be the chosen one.
    ///
    /// >>> import tucrl
    /// >>> agent = tucrl.Agent("tucrl", states=3, actions=2)
    /// >>> action = agent.act(0)
    /// >>> agent.observe(0.5, 2)
    /// >>> agent.state, agent.seen
    /// (2, 2)
    /// >>> agent.observe(0.5, 2)
    /// Traceback (most recent call last):
    ///     ...
    /// ValueError: observe before act: ask for an action with act(state), play it, then observe what it led to
    #[pyo3(signature = (reward, state, action=None))]
    fn observe(
        &mut self,
        reward: f64,
        state: &Bound<'_, PyAny>,
        action: Option<i64>,
    ) -> PyResult<()> {
        let (Some(learner), Some(chosen)) = (&mut self.learner, self.chosen) else {
            return Err(bad_input(
                "observe before act: ask for an action with act(state), play it, then observe what it \
                 led to",
            ));
        };
        if let Some(played) = action {
            let meant = self.masks.outside(self.here, chosen);
            if i64::from(meant) != played {
                return Err(bad_input(format!(
                    "action {played} was played, but the agent chose {meant}: play what act() returns"
                )));
            }
        }
        let reward = match reward {
            reward if self.range.contains(reward) => reward,
            other => nearly(other, self.range)?,
        };
        // Learners count rewards from the lowest one.
        let reward = reward - self.range.low();
        let next = self.states.number(state, self.space.states())?;
        if let Some(actions) = self.masks.meet(state, next.number, &self.space)? {
            learner.tell_actions(next.number, actions.len() as u32);
            self.masks.allowed.keep(next.number, actions);
        }
        self.states.keep(state, &next)?;
        self.chosen = None;
        learner.observe(reward, next.number);
        self.here = next.number;
        self.taken += 1;
        Ok(())
    }

    /// Return what the agent assumes about a state it has seen, as if an episode started now: a dict for each action, or
    /// one dict for the given action.
    ///
    /// Keys: `action`; `is_planned`, whether the present plan plays it; `visits`; `next_states`, how many different ones
    /// were observed; `width` of its set of next-state laws, and `missing_mass`, the largest plausible probability of all
    /// next states never observed; `threshold`, the visits above which it may not lead to states never seen;
    /// `given_up_since`, the step since when it may not, and `reconsidered_from`, the step from which on an episode would
    /// let it again. None where the agent has no such rule.
    ///
    /// >>> import tucrl
    /// >>> agent = tucrl.Agent("tucrl-plus", actions=2)
    /// >>> action = agent.act("start")
    /// >>> agent.observe(0.5, ("any", "hashable"))
    /// >>> agent.explain("start", action)["visits"]
    /// 1
    #[pyo3(signature = (state, action=None))]
    fn explain<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        action: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.explained(state, action)
    }

    /// Write the agent to a file atomically; `load` continues bit-identically.
    ///
    /// The file is a checkpoint like those of `tucrl run`. It holds states of int, float, str, bytes, bool,
    /// None and tuples of them; `pickle` takes any.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        stored::save(self, py, &path)
    }

    /// Read an agent from a file of `save`, or from a checkpoint (`.state`) of `tucrl run`.
    ///
    /// mask: the same as when the agent was made, if it had one.
    /// world: the world, for a checkpoint of `tucrl run` and for agents that know its rewards.
    #[staticmethod]
    #[pyo3(signature = (path, *, mask=None, world=None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        mask: Option<Bound<'_, PyAny>>,
        world: Option<AnyWorld>,
    ) -> PyResult<Self> {
        stored::load(py, &path, mask, world)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        stored::reduce(slf)
    }

    /// A new agent for pickle.
    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        document: &[u8],
        labels: Option<Vec<Py<PyAny>>>,
        mask: Option<Bound<'_, PyAny>>,
        world: Option<AnyWorld>,
    ) -> PyResult<Self> {
        stored::restore(py, document, labels, mask, world)
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        let saved = self
            .learner
            .as_ref()
            .map(|learner| learner.save().ok_or_else(|| bad_input("this agent cannot be copied")));
        Ok(Self {
            spec: self.spec.clone(),
            algorithm: Arc::clone(&self.algorithm),
            space: self.space.clone(),
            range: self.range,
            horizon: self.horizon,
            random: self.random.clone(),
            world: self.world.as_ref().map(|world| world.clone_ref(py)),
            learner: saved.transpose()?.map(|saved| self.restored(py, &saved)).transpose()?,
            here: self.here,
            chosen: self.chosen,
            taken: self.taken,
            absorbed: self.absorbed,
            is_placed: self.is_placed,
            greedy: None,
            states: self.states.copy(py)?,
            masks: Masks {
                source: self.masks.source.as_ref().map(|source| source.copy(py)),
                allowed: self.masks.allowed.clone(),
            },
        })
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(py)
    }
}

impl PyAgent {
    /// The first action: creates the learner.
    #[cold]
    fn first_act(&mut self, py: Python<'_>, state: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
        let Some(state) = state else {
            return Err(bad_input("the agent does not know where it starts: call act(state)"));
        };
        let start = self.states.number(state, self.space.states())?;
        let met = self.masks.meet(state, start.number, &self.space)?;
        let mut learner = match self.learner.take() {
            // It has absorbed a log.
            Some(mut learner) => {
                if let Some(actions) = &met {
                    learner.tell_actions(start.number, actions.len() as u32);
                }
                learner.stand_in(start.number);
                learner
            }
            None => {
                if let Some(actions) = &met {
                    self.space.tell_actions(start.number, actions.len() as u32);
                }
                let started = self.start(&self.setting(py)?, start.number);
                started.map_err(|error| self.missing(error))?
            }
        };
        if let Some(actions) = met {
            self.masks.allowed.keep(start.number, actions);
        }
        let planned = plan(py, &mut *learner);
        if self.absorbed > 0 || planned.is_ok() {
            self.learner = Some(learner);
        }
        let action = planned?;
        self.states.keep(state, &start)?;
        self.here = start.number;
        self.is_placed = true;
        self.chosen = Some(action);
        Ok(self.masks.outside(self.here, action))
    }

    fn start(&self, setting: &Setting, state: StateId) -> Result<Box<dyn Learner>, AgentError> {
        self.algorithm.start(Start { setting, state, random: self.random.clone() })
    }

    /// The learner that was saved.
    fn restored(&self, py: Python<'_>, saved: &Saved) -> PyResult<Box<dyn Learner>> {
        let restored = self.algorithm.restore(&self.setting(py)?, saved);
        restored.map_err(|error| self.missing(error))
    }

    /// What the agent may know in advance; a world, if there is one, tells more.
    fn setting(&self, py: Python<'_>) -> PyResult<Setting> {
        let knowledge = match &self.world {
            None => Knowledge::default(),
            Some(world) if self.algorithm.needs_policy() => world.everything(py)?,
            Some(world) => Truth::told_without_solving(&world.model()),
        };
        let (space, r_max, steps) = (self.space.clone(), self.range.width(), self.horizon);
        Ok(Setting { space, r_max, steps, knowledge })
    }

    fn missing(&self, error: AgentError) -> PyErr {
        match error {
            AgentError::Missing { what } => bad_input(format!(
                "{} must be told {what}: pass world=tucrl.World(…) instead of states and actions",
                self.spec
            )),
            other => bad_input(other),
        }
    }

    #[cold]
    fn elsewhere(&self, state: &Bound<'_, PyAny>) -> PyErr {
        let here = self.states.name(state.py(), self.here);
        let here = here.map_or_else(|_| "another state".into(), |here| text(here.bind(state.py())));
        bad_input(format!(
            "act({}): the agent is in {here}, where the last step led. Tell it of every step by \
             observe(reward, state); a world that resets becomes one that goes on by \
             tucrl.gym.Continuing",
            text(state)
        ))
    }
}

/// The space of the given size.
fn announced(
    states: Option<&Bound<'_, PyAny>>,
    actions: Option<&Bound<'_, PyAny>>,
    is_masked: bool,
    needs_count: bool,
) -> PyResult<Space> {
    let Some(actions) = actions.filter(|_| states.is_some() || !needs_count) else {
        return Err(bad_input(match needs_count {
            true => {
                "how many states and actions are there? Pass states=… and actions=…, or world=…; tucrl-plus needs no \
                 states"
            }
            false => "how many actions are there? Pass actions=…, or world=…",
        }));
    };
    let actions = whole("actions", actions, 1, MOST_ACTIONS.into())? as u32;
    let Some(states) = states else {
        return Ok(match is_masked {
            true => Space::uncounted_told(actions),
            false => Space::uncounted(actions),
        });
    };
    let states = whole("states", states, 1, MOST_STATES)?;
    Ok(if is_masked { Space::told(states, actions) } else { Space::uniform(states, actions) })
}

/// A whole number within bounds; 1e6 is one too.
pub(crate) fn whole(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<u64> {
    let number = value.extract::<u64>().ok().or_else(|| {
        let float = value.extract::<f64>().ok()?;
        (float.fract() == 0.0 && (0.0..=9e15).contains(&float)).then_some(float as u64)
    });
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        bad_input(format!("{name} = {} is not a whole number from {least} to {most}", text(value)))
    })
}

/// A spec with keyword options added to it.
fn with_options(spec: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    let mut whole = spec.to_owned();
    for (key, value) in options.into_iter().flatten() {
        let key: String = key.extract()?;
        let value = if let Ok(flag) = value.extract::<bool>() {
            flag.to_string()
        } else if let Ok(word) = value.extract::<String>() {
            word
        } else if let Ok(integer) = value.extract::<u64>() {
            integer.to_string()
        } else if let Ok(number) = value.extract::<f64>() {
            exact(number)
        } else {
            let shown = text(&value);
            return Err(bad_input(format!(
                "the option {key} is {shown}: options are numbers, words or flags"
            )));
        };
        if key.contains([':', ',', '=']) || value.contains([':', ',', '=']) {
            return Err(bad_input(format!(
                "the option {key}={value} is not one key and one value"
            )));
        }
        whole.push(if whole.contains(':') { ',' } else { ':' });
        whole += &format!("{key}={value}");
    }
    Ok(whole)
}

/// Clamps a reward that rounding has put slightly outside its range.
#[cold]
fn nearly(reward: f64, range: RewardRange) -> PyResult<f64> {
    let slack = ROUNDING * range.width();
    if reward >= range.low() - slack && reward <= range.high() + slack {
        return Ok(reward.clamp(range.low(), range.high()));
    }
    Err(bad_input(format!(
        "reward {reward} is not in {range}: tell the agent which rewards are possible, \
         reward_range=(lowest, highest)"
    )))
}

/// The next action of a learner that has to plan for it.
#[cold]
fn plan(py: Python<'_>, learner: &mut dyn Learner) -> PyResult<u32> {
    work::run(py, "planning", |_| learner.act())?.map_err(failed)
}

/// How many states are reachable, for warnings, where it is not known: all of them; in a vast space perhaps one.
pub(crate) fn assumed(states: u64) -> u64 {
    if states > VAST { 1 } else { states }
}
