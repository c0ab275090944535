//! How is an agent saved to a file or a pickle, and restored?
//!
//! The learner is written as `tucrl run` writes it into its checkpoints: the same JSON, in the same sealed
//! file; such a checkpoint can be loaded too. A pickle holds the same document, with the states, the mask
//! and the world as Python objects beside it.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use tucrl::learner::{Learner, Saved};
use tucrl::reward::RewardRange;
use tucrl::rng::{Purpose, RandomStream};
use tucrl::space::{Space, StateId};
use tucrl_lab::store::{self, Checkpoint, StoredState};
use tucrl_lab::{Catalogue, NamedAgent};

use super::PyAgent;
use super::labels::Label;
use super::masks::{Allowed, Masks, Source};
use super::states::States;
use crate::errors::{bad_input, failed, of_store};
use crate::world::AnyWorld;

/// The version of the document that is written and read. Agents of version 2 took logarithms from the C library of the
/// platform, those of version 3 had other defaults: continued now, they would have the bits of neither version.
const VERSION: u32 = 4;

fn first() -> u32 {
    1
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The part of a document that no version changes.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default = "first")]
    version: u32,
}

/// An agent as it is stored.
#[derive(Serialize, Deserialize)]
struct Document {
    /// Absent in the first one.
    #[serde(default = "first")]
    version: u32,
    spec: String,
    space: Space,
    r_max: f64,
    /// Absent if rewards begin at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reward_range: Option<RewardRange>,
    horizon: u64,
    random: RandomStream,
    learner: Option<Saved>,
    here: StateId,
    chosen: Option<u32>,
    taken: u64,
    /// Steps absorbed from logs; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    absorbed: u64,
    /// Whether states are whole numbers; none before the first one.
    integers: Option<bool>,
    /// The states by number, where they have other names and the document is a file.
    labels: Option<Vec<Label>>,
    is_masked: bool,
    allowed: Allowed,
}

impl Document {
    fn of(agent: &PyAgent) -> PyResult<Self> {
        let cannot = || bad_input(format!("{} cannot be saved", agent.spec));
        let save = |learner: &dyn Learner| learner.save().ok_or_else(cannot);
        Ok(Self {
            version: VERSION,
            spec: agent.spec.clone(),
            space: agent.space.clone(),
            r_max: agent.range.width(),
            reward_range: Some(agent.range).filter(|range| range.low() != 0.0),
            horizon: agent.horizon,
            random: agent.random.clone(),
            learner: agent.learner.as_deref().map(save).transpose()?,
            here: agent.here,
            chosen: agent.chosen,
            taken: agent.taken,
            absorbed: agent.absorbed,
            integers: match agent.states {
                States::Unknown => None,
                States::Integers => Some(true),
                States::Labels(..) => Some(false),
            },
            labels: None,
            is_masked: agent.masks.are_given(),
            allowed: agent.masks.allowed.clone(),
        })
    }

    fn into_agent(
        self,
        py: Python<'_>,
        labels: Option<Vec<Py<PyAny>>>,
        mask: Option<Bound<'_, PyAny>>,
        world: Option<AnyWorld>,
    ) -> PyResult<PyAgent> {
        let states = match (self.integers, labels) {
            (None, _) => States::Unknown,
            (Some(true), _) => States::Integers,
            (Some(false), Some(labels)) => States::labelled(py, labels)?,
            (Some(false), None) => {
                return Err(bad_input("the checkpoint does not name its states"));
            }
        };
        if self.is_masked && mask.is_none() {
            return Err(bad_input(
                "the agent's actions depend on the state by a mask, which a file cannot hold: pass \
                 mask=…, the same as when the agent was made",
            ));
        }
        if let Some(world) = &world
            && world.model().space() != self.space
        {
            return Err(bad_input("the world has other states or actions than the agent's"));
        }
        let source = Masks::new(mask, self.space.states())?.source;
        // Its options may have had other defaults when it was saved.
        let then = |error| Catalogue::default().former().agent(&self.spec).map_err(|_| error);
        let named = NamedAgent::parse(&self.spec).or_else(then).map_err(bad_input)?;
        let mut agent = PyAgent {
            spec: self.spec,
            algorithm: Arc::clone(named.algorithm()),
            space: self.space,
            range: self.reward_range.unwrap_or(RewardRange::up_to(self.r_max)),
            horizon: self.horizon,
            random: self.random,
            world,
            learner: None,
            here: self.here,
            chosen: self.chosen,
            taken: self.taken,
            absorbed: self.absorbed,
            is_placed: self.learner.is_some() && (self.taken > 0 || self.chosen.is_some()),
            greedy: None,
            states,
            masks: Masks { source, allowed: self.allowed },
        };
        if let Some(saved) = &self.learner {
            agent.learner = Some(agent.restored(py, saved)?);
        }
        Ok(agent)
    }
}

/// Writes a file.
pub(super) fn save(agent: &PyAgent, py: Python<'_>, path: &Path) -> PyResult<()> {
    let mut document = Document::of(agent)?;
    if let States::Labels(_, labels) = &agent.states {
        let labels = labels.iter().map(|label| Label::of(label.bind(py)));
        document.labels = Some(labels.collect::<PyResult<_>>()?);
    }
    py.detach(|| store::write_agent(path, &document)).map_err(of_store)
}

/// Reads a file: an agent's, or the checkpoint of a run.
pub(super) fn load(
    py: Python<'_>,
    path: &Path,
    mask: Option<Bound<'_, PyAny>>,
    world: Option<AnyWorld>,
) -> PyResult<PyAgent> {
    let checkpoint = py.detach(|| store::read_checkpoint::<Document>(path)).map_err(of_store)?;
    let document = match checkpoint {
        Checkpoint::Agent(document) => document,
        Checkpoint::Run(state) => of_run(*state, world.as_ref())?,
    };
    let labels = document.labels.as_ref();
    let labels = labels.map(|all| all.iter().map(|label| label.state(py)).collect()).transpose()?;
    document.into_agent(py, labels, mask, world)
}

/// The agent of a run that was stopped.
fn of_run(stored: StoredState, world: Option<&AnyWorld>) -> PyResult<Document> {
    let Some(world) = world else {
        return Err(bad_input(format!(
            "this is the checkpoint of a run in {}: pass world=tucrl.World(…) too",
            stored.cell.world
        )));
    };
    let model = world.model();
    let range = model.reward_range();
    let Some(state) = stored.state else {
        return Err(bad_input(format!(
            "{} cannot be saved, so it cannot be continued",
            stored.cell.agent
        )));
    };
    let (here, learner) = (state.state(), state.learner().clone());
    Ok(Document {
        version: VERSION,
        spec: stored.cell.agent.clone(),
        space: model.space(),
        r_max: range.width(),
        reward_range: Some(range).filter(|range| range.low() != 0.0),
        horizon: stored.spec.steps,
        random: RandomStream::of_run(stored.spec.master_seed, stored.spec.run, Purpose::Agent),
        learner: Some(learner),
        here,
        chosen: None,
        taken: stored.taken,
        absorbed: 0,
        integers: Some(true),
        labels: None,
        is_masked: false,
        allowed: Allowed::default(),
    })
}

/// The state for pickle.
pub(super) fn reduce<'py>(slf: &Bound<'py, PyAgent>) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let agent = slf.borrow();
    let document = serde_json::to_vec(&Document::of(&agent)?).map_err(failed)?;
    let restore = slf.get_type().getattr("_restore")?;
    let mask = agent.masks.source.as_ref().map(Source::object).map(|mask| mask.clone_ref(py));
    let world = agent.world.as_ref().map(|world| world.clone_ref(py));
    let parts = (PyBytes::new(py, &document), agent.states.labels(py)?, mask, world);
    (restore, parts).into_pyobject(py).map(Bound::into_any)
}

/// Restores the state of pickle.
pub(super) fn restore(
    py: Python<'_>,
    document: &[u8],
    labels: Option<Vec<Py<PyAny>>>,
    mask: Option<Bound<'_, PyAny>>,
    world: Option<AnyWorld>,
) -> PyResult<PyAgent> {
    let no_agent = |error| bad_input(format!("this is no pickled agent: {error}"));
    let Versioned { version } = serde_json::from_slice(document).map_err(no_agent)?;
    if version != VERSION {
        return Err(bad_input(format!(
            "the agent was pickled in version {version} of the format, and this tucrl reads version {VERSION}: \
             make the agent anew, or use the tucrl that pickled it"
        )));
    }
    let document: Document = serde_json::from_slice(document).map_err(no_agent)?;
    document.into_agent(py, labels, mask, world)
}
