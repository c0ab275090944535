//! How is a learner driven from Python?
//!
//! `act` and `observe` are the library's, with everything checked before it is called: nothing that Python
//! can pass makes it panic. The learner begins to exist with the first `act`, because only then is it known
//! where it stands.

mod describe;
mod labels;
mod masks;
mod states;
mod stored;

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tucrl::agents::{AgentError, Algorithm, Knowledge};
use tucrl::planner::PlanError;
use tucrl::rng::{Purpose, RandomStream};
use tucrl::space::{Space, StateId};
use tucrl_lab::agent_catalogue::{Context, NamedAgent};
use tucrl_lab::names::Value;

use crate::errors::{bad_input, failed};
use crate::world::AnyWorld;
use masks::Masks;
use states::{States, text};

/// A state with more actions would take megabytes as soon as it is seen.
const MOST_ACTIONS: u32 = 1 << 16;
const MOST_STATES: u64 = 1 << 63;
/// How far outside its range rounding may put a reward, in units of `r_max`.
const ROUNDING: f64 = 1e-9;

/// A learner: ask it to `act`, play, let it `observe` what happened.
///
/// Agent(spec, states, actions, *, mask=None, r_max=1.0, steps=1_000_000, seed=0, run=0, **options)
/// Agent(spec, *, world, ...)
///
/// spec: an agent and its options, as on the command line: `"tucrl:alpha=0.01"`. `tucrl.agents()` lists them.
///     Options may also be keywords: `Agent("tucrl", 500, 6, alpha=0.01)`.
/// states: how many states there are by the designer's count, up to 2**63; those that never happen cost
///     nothing. A state is an int from 0, or anything that can be hashed (a tuple, bytes, a str), which is
///     numbered when it is first met.
/// actions: the largest number of actions of a state.
/// mask: which actions a state has: an array of states × actions, or a function from the state to a mask,
///     asked once per state.
/// world: an `MDP` or a `World` instead of states and actions; needed by agents that are told an optimal policy or the
///     rewards. Others do not look into it.
/// r_max: the largest possible reward; the smallest is 0.
/// steps: how many steps are planned, for options that depend on it.
/// seed, run: the agent's own luck; `seed=1, run=3` is that of run 3 of `tucrl learn --seed 1`.
///
/// Agents can be copied and pickled in the middle of an episode; copies go their own ways.
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
    algorithm: Algorithm,
    /// What the learner may know; told actions are added until it starts.
    space: Space,
    r_max: f64,
    /// Used up when the learner starts.
    random: RandomStream,
    /// Where knowledge comes from, for agents that need some.
    world: Option<AnyWorld>,
    learner: Option<tucrl::agents::Agent>,
    here: StateId,
    /// The action chosen and not yet paid for.
    chosen: Option<u32>,
    taken: u64,
    states: States,
    masks: Masks,
}

#[pymethods]
impl PyAgent {
    #[new]
    #[pyo3(signature = (
        spec, states=None, actions=None, *, mask=None, world=None, r_max=None, steps=None, seed=0,
        run=0, **options
    ))]
    fn new(
        py: Python<'_>,
        spec: &str,
        states: Option<&Bound<'_, PyAny>>,
        actions: Option<&Bound<'_, PyAny>>,
        mask: Option<Bound<'_, PyAny>>,
        world: Option<AnyWorld>,
        r_max: Option<f64>,
        steps: Option<&Bound<'_, PyAny>>,
        seed: u64,
        run: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let steps = steps.map_or(Ok(1_000_000), |steps| whole("steps", steps, 1, u64::MAX))?;
        let (space, world_max) = match &world {
            Some(world) => {
                if states.is_some() || actions.is_some() || mask.is_some() {
                    return Err(bad_input(
                        "the world says which states and actions there are: leave out `states`, \
                         `actions` and `mask`, or `world`",
                    ));
                }
                let model = world.model();
                (model.space(), model.r_max())
            }
            None => (announced(states, actions, mask.is_some())?, 1.0),
        };
        let r_max = r_max.unwrap_or(world_max);
        if !(r_max.is_finite() && r_max > 0.0) {
            return Err(bad_input(format!(
                "r_max = {r_max} is not a positive finite number: it is the largest possible reward"
            )));
        }
        let named = NamedAgent::parse(&with_options(spec, options)?).map_err(bad_input)?;
        let context = Context { space: &space, r_max, steps };
        let algorithm = named.algorithm(&context).map_err(bad_input)?;
        if let Some(known) = algorithm.r_max().filter(|&known| known < r_max) {
            return Err(bad_input(format!(
                "the agent reckons with rewards up to {known}, and r_max = {r_max} is more: raise the \
                 agent's r_max, or leave it out"
            )));
        }
        let masks = Masks::new(mask, space.states())?;
        let agent = Self {
            spec: named.to_string(),
            algorithm,
            space,
            r_max,
            random: RandomStream::of_run(seed, run, Purpose::Agent),
            world,
            learner: None,
            here: 0,
            chosen: None,
            taken: 0,
            states: States::default(),
            masks,
        };
        // What is missing is said now, and not at the first step.
        let knowledge = agent.knowledge(py)?;
        agent.start(&knowledge, 0).map_err(missing)?;
        Ok(agent)
    }

    /// Return the action to play in a state.
    ///
    /// The first call says where the agent starts. Later the state is where the last step led, and may be
    /// left out. Asking again without playing gives the same answer.
    ///
    /// >>> import tucrl
    /// >>> agent = tucrl.Agent("tucrl", states=3, actions=2)
    /// >>> agent.act(0) == agent.act()
    /// True
    #[pyo3(signature = (state=None))]
    fn act(&mut self, py: Python<'_>, state: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
        let Some(learner) = &mut self.learner else { return self.first_act(py, state) };
        if let Some(state) = state {
            // Python often hands back the very number that it was given.
            let is_here = match (&self.states, state.extract::<u64>()) {
                (States::Integers, Ok(number)) => number == self.here,
                _ => self.states.number(state, self.space.states())?.number == self.here,
            };
            if !is_here {
                return Err(self.elsewhere(state));
            }
        }
        let action = match self.chosen {
            // Asked again: the same answer, also by agents that flip coins.
            Some(action) => action,
            None => learner.act().map_err(planning)?,
        };
        self.chosen = Some(action);
        Ok(self.masks.outside(self.here, action))
    }

    /// Learn what the action of the last `act` led to: the reward it paid and the next state.
    ///
    /// The reward must lie in [0, r_max]. An action, if given, must be the one that was chosen.
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
            reward if (0.0..=self.r_max).contains(&reward) => reward,
            other => nearly(other, self.r_max)?,
        };
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

    /// Write the agent to a file, whole or not at all, from which `load` goes on bit-identically.
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

    /// A new agent as pickle knows it.
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
        Ok(Self {
            spec: self.spec.clone(),
            algorithm: self.algorithm.clone(),
            space: self.space.clone(),
            r_max: self.r_max,
            random: self.random.clone(),
            world: self.world.as_ref().map(|world| world.clone_ref(py)),
            learner: self.learner.clone(),
            here: self.here,
            chosen: self.chosen,
            taken: self.taken,
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
    /// The first action: now it is known where the learner stands.
    #[cold]
    fn first_act(&mut self, py: Python<'_>, state: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
        let Some(state) = state else {
            return Err(bad_input("the agent does not know where it starts: call act(state)"));
        };
        let start = self.states.number(state, self.space.states())?;
        let met = self.masks.meet(state, start.number, &self.space)?;
        if let Some(actions) = met {
            self.space.tell_actions(start.number, actions.len() as u32);
            self.masks.allowed.keep(start.number, actions);
        }
        let mut learner = self.start(&self.knowledge(py)?, start.number).map_err(missing)?;
        let action = learner.act().map_err(planning)?;
        self.states.keep(state, &start)?;
        self.here = start.number;
        self.learner = Some(learner);
        self.chosen = Some(action);
        Ok(self.masks.outside(self.here, action))
    }

    fn start(
        &self,
        knowledge: &Knowledge,
        at: StateId,
    ) -> Result<tucrl::agents::Agent, AgentError> {
        self.algorithm.start(self.space.clone(), at, self.random.clone(), knowledge)
    }

    /// What the world, if there is one, lets the agent know in advance.
    fn knowledge(&self, py: Python<'_>) -> PyResult<Knowledge> {
        let Some(world) = &self.world else { return Ok(Knowledge::default()) };
        match self.algorithm {
            Algorithm::Oracle => world.everything(py),
            _ => Ok(world.rewards()),
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

/// The space that was announced by its size.
fn announced(
    states: Option<&Bound<'_, PyAny>>,
    actions: Option<&Bound<'_, PyAny>>,
    is_masked: bool,
) -> PyResult<Space> {
    let (Some(states), Some(actions)) = (states, actions) else {
        return Err(bad_input(
            "how many states and actions are there? Pass states=… and actions=…, or world=…",
        ));
    };
    let states = whole("states", states, 1, MOST_STATES)?;
    let actions = whole("actions", actions, 1, MOST_ACTIONS.into())? as u32;
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
            Value::Number(number).to_string()
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

/// A reward that rounding has put a little outside its range.
#[cold]
fn nearly(reward: f64, r_max: f64) -> PyResult<f64> {
    if reward >= -ROUNDING * r_max && reward <= (1.0 + ROUNDING) * r_max {
        return Ok(reward.clamp(0.0, r_max));
    }
    Err(bad_input(format!(
        "reward {reward} is not in [0, {r_max}]: rescale rewards (tucrl.gym.Continuing does), or pass \
         r_max to the agent"
    )))
}

#[cold]
fn planning(error: PlanError) -> PyErr {
    failed(error)
}

fn missing(error: AgentError) -> PyErr {
    match error {
        AgentError::Missing { algorithm, what } => bad_input(format!(
            "{algorithm} must be told {what}: pass world=tucrl.World(…) instead of states and actions"
        )),
        other => bad_input(other),
    }
}
