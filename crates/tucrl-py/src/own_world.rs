//! How does a world written in Python become one of the laboratory's?
//!
//! A function `successors(state, action)` is a [`Generator`] that lists outcomes; what it said is remembered, because it
//! must not depend on anything else. An environment of Gymnasium without a table is a [`Simulation`] of which every run
//! has its own; its gain is not known. `python/tucrl/_worlds.py` makes both.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tucrl::error::WorldError;
use tucrl::generator::{Generator, GeneratorError, Outcomes, Simulation};
use tucrl::model::Model;
use tucrl::options::First;
use tucrl::reward::RewardRange;
use tucrl::rng::RandomStream;
use tucrl::space::{ActionId, Space, StateId};
use tucrl::worlds::{WorldKind, own_world};

use crate::errors::bad_input;
use crate::world::AnyWorld;

/// Listed outcomes that are remembered: some hundred megabytes at most.
const REMEMBERED: usize = 1_000_000;

/// Worlds that were given as objects, by name.
pub(crate) type Given = Arc<HashMap<String, Py<PyAny>>>;

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct GymOptions {
    /// The name of the environment: gym:FrozenLake-v1. Further keys go to gymnasium.make, but reward_low and reward_high,
    /// the lowest and the highest reward of an environment without a table, terminal_reward, reset_cost, and simulate=true,
    /// which does without the table.
    id: First,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct PythonOptions {
    /// A world, or a function that returns one, as in an import: package.module.name. Its module is imported; further keys
    /// go to the function.
    world: First,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The worlds `gym` and `python`, for catalogues.
pub(crate) fn kinds(given: Given) -> [WorldKind; 2] {
    let gym = |options: GymOptions| built("from_gym", &options.id.0, options.rest, None);
    let python = move |options: PythonOptions| {
        let object = given.get(&options.world.0);
        built("from_path", &options.world.0, options.rest, object)
    };
    [
        own_world("gym", "an environment of Gymnasium", gym),
        own_world("python", "a world written in Python, which is imported and run", python),
    ]
}

fn built(
    by: &str,
    name: &str,
    options: Map<String, Value>,
    object: Option<&Py<PyAny>>,
) -> Result<Model, WorldError> {
    Python::attach(|py| {
        let options = serde_json::to_string(&options).unwrap_or_default();
        let worlds = py.import("tucrl._worlds")?;
        let world = worlds.call_method1(by, (name, options, object))?;
        Ok(world.extract::<AnyWorld>()?.model())
    })
    .map_err(|error: PyErr| WorldError::Other(Python::attach(|py| said(py, &error))))
}

/// What an exception says; its kind, unless it is a `ValueError` of ours.
fn said(py: Python<'_>, error: &PyErr) -> String {
    let text = error.value(py).to_string();
    match error.is_instance_of::<pyo3::exceptions::PyValueError>(py) {
        true => text,
        false => {
            let kind = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
            format!("{kind}: {text}")
        }
    }
}

/// A world given by a function.
pub(crate) struct Successors {
    pub(crate) function: Py<PyAny>,
    pub(crate) space: Space,
    pub(crate) range: RewardRange,
    pub(crate) start: Vec<(StateId, f64)>,
    /// Never locked while the interpreter's lock is waited for.
    pub(crate) listed: Mutex<HashMap<(StateId, ActionId), Listed>>,
}

/// Next state, probability and reward.
type Listed = Arc<[(StateId, f64, f64)]>;

impl fmt::Debug for Successors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Successors({} states)", self.space.states())
    }
}

impl Successors {
    fn list(&self, state: StateId, action: ActionId) -> Result<Listed, String> {
        let listed = || self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = listed().get(&(state, action)) {
            return Ok(Arc::clone(known));
        }
        let found = Python::attach(|py| -> PyResult<Listed> {
            let told = self.function.bind(py).call1((state, action))?;
            let mut all: Vec<(StateId, f64, f64)> = Vec::new();
            for outcome in told.try_iter()? {
                let outcome = outcome?;
                all.push(outcome.extract().map_err(|_| {
                    let shown = outcome.repr().map_or_else(|_| "this".into(), |text| text.to_string());
                    bad_input(format!(
                        "successors({state}, {action}) lists {shown}: list (next state, probability, reward)"
                    ))
                })?);
            }
            if all.is_empty() {
                return Err(bad_input(format!("successors({state}, {action}) lists nothing")));
            }
            Ok(all.into())
        });
        let found = found.map_err(|error| {
            Python::attach(|py| match error.is_instance_of::<pyo3::exceptions::PyValueError>(py) {
                true => error.value(py).to_string(),
                false => crate::own::told(py, error),
            })
        })?;
        let mut listed = listed();
        if listed.len() < REMEMBERED {
            listed.insert((state, action), Arc::clone(&found));
        }
        Ok(found)
    }
}

impl Generator for Successors {
    fn space(&self) -> &Space {
        &self.space
    }

    fn reward_range(&self) -> RewardRange {
        self.range
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        self.start.clone()
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        match self.list(state, action) {
            Ok(all) => all.iter().for_each(|&(next, probability, reward)| {
                list.push(next, probability, reward);
            }),
            Err(reason) => list.fail(reason),
        }
    }
}

/// A world of which every run has its own simulator.
pub(crate) struct Simulator {
    /// Makes one from a seed, or from its text.
    pub(crate) make: Py<PyAny>,
    pub(crate) space: Space,
    pub(crate) range: RewardRange,
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Simulator({} states)", self.space.states())
    }
}

impl Generator for Simulator {
    fn space(&self) -> &Space {
        &self.space
    }

    fn reward_range(&self) -> RewardRange {
        self.range
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        // Where a run starts is known when it starts.
        vec![(0, 1.0)]
    }

    fn outcomes(&self, _: StateId, _: ActionId, _: &mut Outcomes) {}

    fn is_simulated(&self) -> bool {
        true
    }

    fn simulate(
        &self,
        random: &mut RandomStream,
        saved: Option<&str>,
    ) -> Result<Box<dyn Simulation>, GeneratorError> {
        let seed = random.bits() >> 32;
        Python::attach(|py| {
            let simulator = match saved {
                Some(text) => py.import("tucrl._worlds")?.call_method1("thaw", (text,))?,
                None => self.make.bind(py).call1((seed,))?,
            };
            let state = simulator.getattr("state")?.extract()?;
            let step = simulator.getattr("step")?.unbind();
            Ok(Box::new(Simulated { simulator: simulator.unbind(), step, state }) as _)
        })
        .map_err(|error: PyErr| GeneratorError::NotStarted {
            reason: Python::attach(|py| crate::own::told(py, error)),
        })
    }
}

struct Simulated {
    simulator: Py<PyAny>,
    step: Py<PyAny>,
    state: StateId,
}

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Simulated(state {})", self.state)
    }
}

impl Simulation for Simulated {
    fn state(&self) -> StateId {
        self.state
    }

    fn step(&mut self, action: ActionId) -> Result<(f64, StateId), GeneratorError> {
        let state = self.state;
        let played = Python::attach(|py| -> PyResult<(StateId, f64)> {
            self.step.bind(py).call1((action,))?.extract()
        });
        let (next, reward) = played.map_err(|error| GeneratorError::Own {
            state,
            action,
            reason: Python::attach(|py| crate::own::told(py, error)),
        })?;
        self.state = next;
        Ok((reward, next))
    }

    fn save(&self) -> Option<String> {
        let text = Python::attach(|py| -> PyResult<String> {
            py.import("tucrl._worlds")?.call_method1("freeze", (&self.simulator,))?.extract()
        });
        text.ok()
    }
}
