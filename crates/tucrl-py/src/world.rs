//! How is a table or a generator given to Python? `tucrl.World`.
//!
//! A generated world has a nominal space of up to 2^63 states: it can be simulated and learned, but not enumerated. An
//! `MDP` is a world too.

mod rows;
mod walk;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tucrl::generator::{Generator, start_law};
use tucrl::learner::Knowledge;
use tucrl::model::Model;
use tucrl::reward::RewardRange;
use tucrl::space::{MAX_NOMINAL, Space};
use tucrl::structure;
use tucrl::truth::{SEARCH_LIMIT, Truth};
use tucrl_lab::formats::ReadOptions;

use crate::agent::assumed;
use crate::errors::{bad_input, failed, of_world};
use crate::learning::catalogue;
use crate::mdp::PyMdp;
use crate::own::Host;
use crate::own_world::{Simulator, Successors};
use crate::seed::Seed;
use crate::work::{self, Progress};
pub(crate) use walk::PyWalk;

/// An environment with or without a table.
///
/// World(world)
///
/// world: a spec, a model file, or an `MDP`. Unlike an `MDP` it has no table: `states` may be up to 2**63, and
///     `MDP(spec)` builds the table of the reachable part, where that is small enough.
///
/// >>> import tucrl
/// >>> world = tucrl.World("breakout-game")
/// >>> world.states, world.actions
/// (18790481920, 3)
#[pyclass(name = "World", module = "tucrl", frozen)]
pub(crate) struct PyWorld {
    name: String,
    model: Model,
    space: Space,
    truth: OnceLock<Arc<Truth>>,
    /// The model as a generator.
    listed: OnceLock<Arc<dyn Generator>>,
    /// What makes it again, for pickle: a function and its arguments.
    origin: Option<Py<PyAny>>,
}

impl PyWorld {
    fn of(name: String, model: Model) -> Self {
        Self {
            name,
            space: model.space(),
            model,
            truth: OnceLock::new(),
            listed: OnceLock::new(),
            origin: None,
        }
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    fn new(py: Python<'_>, world: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(mdp) = world.cast::<PyMdp>() {
            let mdp = mdp.get();
            return Ok(Self::of(mdp.title().to_owned(), Model::from(mdp.model())));
        }
        let text: PathBuf = world.extract()?;
        let Some(text) = text.to_str() else {
            return Err(bad_input("the name of the world is not valid text"));
        };
        let catalogue = catalogue(Host::default(), Arc::default())?;
        let world = catalogue.world(text).map_err(bad_input)?;
        let open = |_: &Progress| world.open(&ReadOptions::default());
        let model = work::run(py, "building the world", open)?.map_err(of_world)?;
        Ok(Self::of(world.to_string(), model))
    }

    /// Make a world from a function.
    ///
    /// successors: called with a state and an action, both whole numbers from 0; lists what may follow, as (next state,
    ///     probability, reward). It must depend on nothing else: what it said is remembered.
    /// states: the nominal number of states, up to 2**63; unreachable ones cost nothing.
    /// actions: the number of actions of every state, or a list with one number per state.
    /// start: the state it starts in, or a dictionary of probabilities.
    /// reward_range: the lowest and the highest possible reward.
    /// name: what it is called in tables; the name of the function unless given.
    ///
    /// >>> import tucrl
    /// >>> def walk(state, action):
    /// ...     step = 1 if action == 1 else -1
    /// ...     return [(min(max(state + step, 0), 9), 0.8, float(state == 9)), (state, 0.2, 0.0)]
    /// >>> world = tucrl.World.from_successors(walk, states=10, actions=2)
    /// >>> world
    /// tucrl.World("walk"): 10 states, 2 actions
    #[staticmethod]
    #[pyo3(
        signature = (*arguments, **options),
        text_signature = "(successors, states, actions, *, start=0, reward_range=(0.0, 1.0), name=None)"
    )]
    fn from_successors(
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let make = py.import("tucrl._worlds")?.getattr("from_successors")?;
        Ok(make.call(arguments, options)?.unbind())
    }

    /// Make a world from an environment of Gymnasium.
    ///
    /// env: an environment, a `tucrl.gym.Continuing`, or the name of an environment. One with a table of transitions
    ///     (`env.unwrapped.P`) is solved exactly; of any other every run steps a copy of its own, and no gain is known.
    /// reward_range: the lowest and the highest possible reward; required without a table.
    /// terminal_reward, reset_cost: as for `tucrl.gym.Continuing`.
    /// simulate: whether to do without the table.
    /// name: what it is called in tables; the name of the environment unless given.
    #[staticmethod]
    #[pyo3(
        signature = (*arguments, **options),
        text_signature = "(env, *, reward_range=None, terminal_reward=None, reset_cost=0.0, simulate=False, name=None)"
    )]
    fn from_gymnasium(
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let make = py.import("tucrl._worlds")?.getattr("from_gymnasium")?;
        Ok(make.call(arguments, options)?.unbind())
    }

    /// A world that lists outcomes by a function.
    #[staticmethod]
    fn _listed(
        py: Python<'_>,
        name: String,
        function: Py<PyAny>,
        states: u64,
        actions: Vec<u32>,
        start: Vec<(u64, f64)>,
        reward_range: (f64, f64),
    ) -> PyResult<Self> {
        let space = space(states, &actions)?;
        let range = RewardRange::new(reward_range.0, reward_range.1).map_err(bad_input)?;
        let restore = py.get_type::<Self>().getattr("_listed")?;
        let parts = (&name, &function, states, &actions, &start, reward_range);
        let origin = Some((restore, parts).into_pyobject(py)?.into_any().unbind());
        let listed = Default::default();
        let generator: Arc<dyn Generator> =
            Arc::new(Successors { function, space, range, start, listed });
        start_law(&*generator).map_err(bad_input)?;
        Ok(Self { origin, ..Self::of(name, generator.into()) })
    }

    /// A world of which every run has its own simulator, which a function makes from a seed.
    #[staticmethod]
    fn _simulated(
        py: Python<'_>,
        name: String,
        make: Py<PyAny>,
        states: u64,
        actions: u32,
        reward_range: (f64, f64),
    ) -> PyResult<Self> {
        let space = space(states, &[actions])?;
        let range = RewardRange::new(reward_range.0, reward_range.1).map_err(bad_input)?;
        let restore = py.get_type::<Self>().getattr("_simulated")?;
        let parts = (&name, &make, states, actions, reward_range);
        let origin = Some((restore, parts).into_pyobject(py)?.into_any().unbind());
        let generator: Arc<dyn Generator> = Arc::new(Simulator { make, space, range });
        Ok(Self { origin, ..Self::of(name, generator.into()) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        if let Some(origin) = &this.origin {
            return Ok(origin.bind(slf.py()).clone());
        }
        let whole: Py<PyAny> = match &this.model {
            Model::Table(mdp) => {
                let mdp = PyMdp::shared(this.name.clone(), Arc::clone(mdp));
                Bound::new(slf.py(), mdp)?.into_any().unbind()
            }
            _ => this.name.clone().into_pyobject(slf.py())?.into_any().unbind(),
        };
        (slf.get_type(), (whole,)).into_pyobject(slf.py()).map(Bound::into_any)
    }

    /// The spec, the file, or the given name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The nominal number of states.
    #[getter]
    fn states(&self) -> u64 {
        self.space.states()
    }

    /// The largest number of actions of a state.
    #[getter]
    fn actions(&self) -> u32 {
        self.space.max_actions()
    }

    /// The lowest and the highest possible reward.
    #[getter]
    fn reward_range(&self) -> (f64, f64) {
        self.model.reward_range().into()
    }

    /// The largest possible reward, counted from the lowest.
    #[getter]
    fn r_max(&self) -> f64 {
        self.model.r_max()
    }

    /// The factors of a state, as (name, number of values); empty if it is a single number.
    #[getter]
    fn factors(&self) -> Vec<(String, u64)> {
        self.space.factors().iter().map(|factor| (factor.name.clone(), factor.size)).collect()
    }

    /// Return the values of a state's factors.
    fn decode(&self, state: u64) -> PyResult<Vec<u64>> {
        self.space.decode(state).map_err(bad_input)
    }

    /// Return the state with these values, one for each factor.
    fn encode(&self, values: Vec<u64>) -> PyResult<u64> {
        self.space.encode(&values).map_err(bad_input)
    }

    /// Return the number of actions of a state.
    fn offered(&self, state: u64) -> PyResult<u32> {
        if state >= self.space.states() {
            let last = self.space.states() - 1;
            return Err(bad_input(format!(
                "state {state} does not exist: states are numbered 0 to {last}"
            )));
        }
        Ok(self.space.actions(state))
    }

    /// Walk through the world at random; `seed=1, run=3` draws the random numbers of run 3 of `tucrl learn --seed 1`.
    ///
    /// A generator of NumPy is a seed too, and `None` is a new one every time.
    #[pyo3(signature = (*, seed=Seed(0), run=0), text_signature = "($self, *, seed=0, run=0)")]
    fn walk(&self, seed: Seed, run: u64) -> PyResult<PyWalk> {
        PyWalk::new(&self.name, &self.model, seed.0, run)
    }

    fn __repr__(&self) -> String {
        format!(
            "tucrl.World({:?}): {} states, {} actions",
            self.name,
            self.space.states(),
            self.space.max_actions()
        )
    }
}

/// A space in which every state has the same number of actions, or each its own.
fn space(states: u64, actions: &[u32]) -> PyResult<Space> {
    if states == 0 || states > MAX_NOMINAL {
        return Err(bad_input(format!("states = {states}: give a number from 1 to 2**63")));
    }
    if actions.contains(&0) || actions.is_empty() {
        return Err(bad_input("a state has no actions: give each at least 1"));
    }
    match actions {
        [same] => Ok(Space::uniform(states, *same)),
        many if many.len() as u64 == states => Ok(Space::listed(many.to_vec())),
        many => Err(bad_input(format!(
            "actions has {} entries for {states} states: give one number for all, or one per state",
            many.len()
        ))),
    }
}

/// A world with or without a table.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum AnyWorld {
    /// A table.
    Mdp(Py<PyMdp>),
    /// Any world.
    World(Py<PyWorld>),
}

impl AnyWorld {
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Mdp(mdp) => Self::Mdp(mdp.clone_ref(py)),
            Self::World(world) => Self::World(world.clone_ref(py)),
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Mdp(mdp) => mdp.get().title(),
            Self::World(world) => &world.get().name,
        }
    }

    pub(crate) fn model(&self) -> Model {
        match self {
            Self::Mdp(mdp) => Model::from(mdp.get().model()),
            Self::World(world) => world.get().model.clone(),
        }
    }

    /// How many states are reachable, for warnings; of a world without a table, as [`assumed`].
    pub(crate) fn reachable(&self) -> u64 {
        match self.model() {
            Model::Table(mdp) => {
                structure::reachable(&mdp).into_iter().filter(|&is_reachable| is_reachable).count()
                    as u64
            }
            other => assumed(other.space().states()),
        }
    }

    /// All that agents may be told, an optimal policy included.
    pub(crate) fn everything(&self, py: Python<'_>) -> PyResult<Knowledge> {
        let model = self.model();
        let truth = match self {
            Self::Mdp(mdp) => mdp.get().truth(py)?,
            Self::World(world) => {
                let truth = &world.get().truth;
                if truth.get().is_none() {
                    let find = |watch: &Progress| Truth::within(&model, SEARCH_LIMIT, watch);
                    let found = work::run(py, "solving the world", find)?.map_err(failed)?;
                    // Another thread may have been faster; both found the same.
                    let _ = truth.set(Arc::new(found));
                }
                truth.get().map(Arc::clone).ok_or_else(|| failed("the world was not solved"))?
            }
        };
        Ok(truth.knowledge(&model))
    }
}
