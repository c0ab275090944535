//! How is an agent run in this process?
//!
//! The interpreter's lock is taken once per batch of steps. The interpreter itself lends it to other threads while the
//! code of the agent runs. Code that never returns cannot be ended here.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tucrl::episode::EpisodeRecord;
use tucrl::learner::{Diary, Explanation, Learner, Saved};
use tucrl::model::{Batch, PlayError};
use tucrl::planner::PlanError;
use tucrl::space::{ActionId, StateId};

use super::steps::{ask, told};
use super::{Birth, From, NOT_PICKLED, Stored, Written, failed, read_episodes};

pub(super) struct Hosted {
    python: Arc<Written>,
    birth: Birth,
    /// Made by the first action.
    agent: Option<Agent>,
    state: StateId,
    /// Of this process.
    taken: u64,
    failure: Option<String>,
    episodes: Vec<EpisodeRecord>,
}

struct Agent {
    whole: Py<PyAny>,
    act: Py<PyAny>,
    observe: Py<PyAny>,
}

impl Hosted {
    pub(super) fn new(python: Arc<Written>, birth: Birth, episodes: Vec<EpisodeRecord>) -> Self {
        let state = birth.state;
        Self { python, birth, agent: None, state, taken: 0, failure: None, episodes }
    }

    fn make(&self, py: Python<'_>) -> PyResult<Agent> {
        let own = py.import("tucrl._own")?;
        let whole = match &self.birth.from {
            From::Frozen(text) => own.call_method1("thaw", (text,))?,
            From::Seed(seed) => {
                let factory = self.python.factory().map_err(crate::errors::bad_input)?;
                let Birth { space, r_max, steps, .. } = &self.birth;
                let facts = PyDict::new(py);
                facts.set_item("states", space.states())?;
                facts.set_item("actions", space.max_actions())?;
                facts.set_item("r_max", r_max)?;
                facts.set_item("steps", steps)?;
                facts.set_item("seed", seed)?;
                let options = self.python.python_options(py)?;
                let offered = Offered(space.clone());
                own.call_method1("make", (factory.object.bind(py), options, facts, offered))?
            }
        };
        let (act, observe) = (whole.getattr("act")?.unbind(), whole.getattr("observe")?.unbind());
        Ok(Agent { whole: whole.unbind(), act, observe })
    }

    fn read_episodes(&mut self, py: Python<'_>) -> Result<(), String> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let own = py.import("tucrl._own");
        let known = self.episodes.len();
        let text = own.and_then(|own| own.call_method1("episodes", (&agent.whole, known)));
        let text: String = text.and_then(|text| text.extract()).map_err(|error| told(py, error))?;
        self.episodes.extend(read_episodes(&text)?);
        Ok(())
    }
}

/// Lists how many actions the states have, for a mask.
#[pyclass(frozen)]
struct Offered(tucrl::space::Space);

#[pymethods]
impl Offered {
    fn __call__(&self) -> Vec<u32> {
        (0..self.0.states()).map(|state| self.0.actions(state)).collect()
    }
}

impl Learner for Hosted {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        if let Some(failure) = self.failure.take() {
            return Err(failed(self.taken, failure));
        }
        Python::attach(|py| {
            let step = self.taken + 1;
            if self.agent.is_none() {
                let agent = self.make(py).map_err(|error| {
                    let told = told(py, error);
                    PlanError::Own { message: format!("the agent cannot be made: {told}") }
                })?;
                self.agent = Some(agent);
            }
            let Some(agent) = &self.agent else { return Err(failed(step, "no agent")) };
            let offered = self.birth.space.actions(self.state);
            ask(agent.act.bind(py), self.state, offered)
                .map_err(|error| failed(step, told(py, error)))
        })
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        let Some(agent) = &self.agent else { return };
        self.taken += 1;
        self.state = next;
        Python::attach(|py| {
            if let Err(error) = agent.observe.bind(py).call1((reward, next)) {
                self.failure = Some(told(py, error));
            }
        });
    }

    fn diary(&self) -> Diary<'_> {
        Diary { ended_episodes: &self.episodes, ..Diary::default() }
    }

    fn explain(&self, state: StateId) -> Option<Vec<Explanation>> {
        let agent = self.agent.as_ref()?;
        Python::attach(|py| {
            let own = py.import("tucrl._own").ok()?;
            let text: String = own
                .call_method1("explained", (&agent.whole, state))
                .and_then(|text| text.extract())
                .ok()?;
            serde_json::from_str(&text).ok()
        })
    }

    fn remarks(&self) -> Vec<String> {
        let cannot = self.agent.is_some() && self.save().is_none();
        cannot.then(|| NOT_PICKLED.to_owned()).into_iter().collect()
    }

    fn save(&self) -> Option<Saved> {
        let agent = self.agent.as_ref()?;
        let python = Python::attach(|py| -> PyResult<String> {
            py.import("tucrl._own")?.call_method1("freeze", (&agent.whole,))?.extract()
        });
        let (state, episodes) = (self.state, self.episodes.clone());
        Saved::of(&Stored { python: python.ok()?, state, episodes })
    }

    fn play(&mut self, batch: &mut Batch<'_>) -> Result<(), PlayError> {
        Python::attach(|py| {
            // Numbers of steps in messages are those of the run.
            self.taken = batch.time() - 1;
            batch.play(self)?;
            if let Some(failure) = self.failure.take() {
                return Err(failed(self.taken, failure).into());
            }
            self.read_episodes(py).map_err(|error| failed(self.taken, error).into())
        })
    }
}
