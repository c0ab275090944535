//! How does an agent written in Python learn in the laboratory?
//!
//! A factory makes an object with `act(state)` and `observe(reward, next_state)`; `python/tucrl/_own.py` finds, makes and
//! packs it. It is an [`Algorithm`] like any other: records, checkpoints, reports and comparisons do not know the
//! difference. It runs in this process ([`hosted`]), or in another one that may be ended ([`remote`]). Whatever its code
//! raises is the failure of its run.

mod hosted;
mod remote;
mod steps;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tucrl::agents::{About, AgentKind};
use tucrl::episode::EpisodeRecord;
use tucrl::learner::{AgentError, Algorithm, Learner, Saved, Setting, Start};
use tucrl::options::{OptionError, Text};
use tucrl::planner::PlanError;
use tucrl::space::{Space, StateId};

use hosted::Hosted;
use remote::{Remote, Trouble, Worker};
pub(crate) use steps::{ask, play, told};

/// Agents of one's own that were given as objects, by their paths, and how they are run.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) given: Arc<HashMap<String, Py<PyAny>>>,
    pub(crate) in_process: bool,
    pub(crate) step_timeout: Duration,
}

impl Default for Host {
    fn default() -> Self {
        Self { given: Arc::default(), in_process: false, step_timeout: Duration::from_secs(60) }
    }
}

/// The options of `python:class=…`: all but `class` go to the factory.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Options {
    /// The class, or a function that returns an agent, as in an import: package.module.Name. Its module is imported.
    class: Text,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The agent `python`, for catalogues.
pub(crate) fn kind(host: Host) -> AgentKind {
    let about = About {
        name: "python",
        summary: "an agent written in Python, which is imported and run",
        source: "docs/your-own-agent.md",
        idea: "A class or function of yours makes an object with act(state) and observe(reward, next_state).",
        needs: "Whatever of states, actions, mask, r_max, steps and seed its parameters name.",
        guarantee: "None.",
        cost: "That of the Python code.",
        caution: "It imports and runs code: use it with files that you trust.",
        example: "python:class=my_module.MyAgent,alpha=0.1",
        ..About::default()
    };
    let kind = AgentKind::made_by(about, move |options: Options| {
        let (host, factory) = (host.clone(), OnceLock::new());
        let python = Written { options, host, factory, idle: Mutex::default() };
        Ok(Arc::new(Shared(Arc::new(python))))
    });
    // The process plays the steps of the agent in a copy of the walk; the agent is told what it observes.
    kind.in_another_process()
}

/// An agent written in Python, with its options.
struct Written {
    options: Options,
    host: Host,
    /// Found when it is first needed: reports are written without its code.
    factory: OnceLock<Factory>,
    /// Processes that wait for the next run.
    idle: Mutex<Vec<Worker>>,
}

/// What makes agents.
struct Factory {
    object: Py<PyAny>,
    /// The beginning of the hash of its source.
    source: Option<String>,
    wants_mask: bool,
    /// The same for another process; or why there is none.
    packed: Option<Result<Packed, String>>,
}

/// What another process needs.
struct Packed {
    command: Vec<String>,
    factory: Vec<u8>,
}

/// All that a factory may be told, and all that an agent is continued from.
#[derive(Debug, Clone)]
struct Birth {
    space: Space,
    r_max: f64,
    steps: u64,
    state: StateId,
    from: From,
}

#[derive(Debug, Clone)]
enum From {
    /// Made anew with a seed.
    Seed(u64),
    /// Continued.
    Frozen(String),
}

/// A saved agent.
#[derive(Serialize, Deserialize)]
struct Stored {
    python: String,
    state: StateId,
    episodes: Vec<EpisodeRecord>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "python:class={}", self.options.class.0)
    }
}

impl Written {
    fn refused(&self, reason: impl fmt::Display) -> AgentError {
        OptionError::refused("class", &self.options.class.0, &reason.to_string()).into()
    }

    fn factory(&self) -> Result<&Factory, AgentError> {
        if let Some(found) = self.factory.get() {
            return Ok(found);
        }
        let path = &self.options.class.0;
        if path.is_empty() {
            let (option, expected) = ("class".into(), "package.module.Name".into());
            return Err(OptionError::Required { option, expected }.into());
        }
        let found = Python::attach(|py| {
            let own = py.import("tucrl._own")?;
            let object = match self.host.given.get(path) {
                Some(object) => object.bind(py).clone(),
                None => own.call_method1("resolve", (path,))?,
            };
            let options = self.python_options(py)?;
            let wanted: Vec<String> = own.call_method1("wanted", (&object, &options))?.extract()?;
            let wants_mask = wanted.iter().any(|name| name == "mask");
            let source = own.call_method1("source", (&object,))?.extract()?;
            let packed = (!self.host.in_process).then(|| -> Result<Packed, String> {
                let packed = own
                    .call_method1("pack", (&object, &options))
                    .and_then(|packed| Ok(packed.cast::<PyBytes>()?.as_bytes().to_vec()));
                let command = own.call_method0("interpreter").and_then(|all| all.extract());
                let plain = |error: PyErr| error.value(py).to_string();
                Ok(Packed { factory: packed.map_err(plain)?, command: command.map_err(plain)? })
            });
            Ok(Factory { object: object.unbind(), source, wants_mask, packed })
        });
        let found = found.map_err(|error: PyErr| {
            let told = Python::attach(|py| {
                let kind = error.get_type(py).name().map(|name| name.to_string());
                let text = error.value(py).to_string();
                match kind.as_deref() {
                    Ok("ValueError") => text,
                    Ok(kind) => format!("{kind}: {text}"),
                    Err(_) => text,
                }
            });
            self.refused(told)
        })?;
        Ok(self.factory.get_or_init(|| found))
    }

    /// The options of the factory as Python has them.
    fn python_options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        for (key, value) in &self.options.rest {
            match value {
                Value::Bool(flag) => options.set_item(key, flag)?,
                Value::String(text) => options.set_item(key, text)?,
                Value::Number(number) => match number.as_i64() {
                    Some(integer) => options.set_item(key, integer)?,
                    None => options.set_item(key, number.as_f64())?,
                },
                other => options.set_item(key, other.to_string())?,
            }
        }
        Ok(options)
    }

    fn learner(
        self: &Arc<Self>,
        birth: Birth,
        episodes: Vec<EpisodeRecord>,
    ) -> Result<Box<dyn Learner>, AgentError> {
        self.factory()?;
        Ok(match self.host.in_process {
            true => Box::new(Hosted::new(Arc::clone(self), birth, episodes)),
            false => Box::new(Remote::new(Arc::clone(self), birth, episodes)),
        })
    }

    /// A process that is ready to make agents.
    fn worker(&self) -> Result<Worker, Trouble> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = idle.pop() {
            return Ok(worker);
        }
        drop(idle);
        let factory = self.factory().map_err(|error| Trouble::Failed(error.to_string()))?;
        match &factory.packed {
            Some(Ok(packed)) => Worker::start(packed, self.host.step_timeout),
            Some(Err(reason)) => Err(Trouble::Failed(reason.clone())),
            None => Err(Trouble::Failed("it is run in this process".into())),
        }
    }

    /// Keeps a process for the next run.
    fn keep(&self, worker: Worker) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }
}

/// The algorithm itself is shared by its learners, which use its factory and its processes.
#[derive(Debug)]
struct Shared(Arc<Written>);

impl Algorithm for Shared {
    fn start(&self, mut start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let from = From::Seed(start.seed());
        let Setting { space, r_max, steps, .. } = start.setting;
        let (space, r_max, steps) = (space.clone(), *r_max, *steps);
        self.0.learner(Birth { space, r_max, steps, state: start.state, from }, Vec::new())
    }

    fn restore(&self, setting: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        let stored: Stored =
            saved.read().map_err(|error| AgentError::Checkpoint { reason: error.to_string() })?;
        let Setting { space, r_max, steps, .. } = setting;
        let (space, r_max, steps) = (space.clone(), *r_max, *steps);
        let (state, from) = (stored.state, From::Frozen(stored.python));
        self.0.learner(Birth { space, r_max, steps, state, from }, stored.episodes)
    }

    fn options(&self) -> Value {
        let mut all = serde_json::to_value(&self.0.options).unwrap_or_default();
        // Another source is another algorithm, whose checkpoints are not continued.
        if let (Some(Factory { source: Some(source), .. }), Some(all)) =
            (self.0.factory.get(), all.as_object_mut())
        {
            all.insert("source".into(), source.clone().into());
        }
        all
    }

    fn check(&self, _: &Setting) -> Result<(), AgentError> {
        self.0.factory().map(drop)
    }

    fn needs_state_count(&self) -> bool {
        false
    }

    fn step_cost(&self) -> u64 {
        // A few microseconds.
        100
    }
}

/// The remark of a run whose agent pickle refuses.
const NOT_PICKLED: &str = "its agent cannot be pickled, so that a run that is stopped starts again from its first step; \
                           tucrl.testing.check_agent says why";

/// What the code of an agent said, as the failure of a run.
fn failed(step: u64, what: impl fmt::Display) -> PlanError {
    PlanError::Own { message: format!("step {step}: {what}") }
}

/// The episodes that an agent tells of, as JSON; nothing is an empty text.
fn read_episodes(text: &str) -> Result<Vec<EpisodeRecord>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text).map_err(|error| format!("its episodes cannot be read: {error}"))
}
