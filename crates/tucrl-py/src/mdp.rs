//! Which exact solutions of a table does Python get? `tucrl.MDP`.
//!
//! A model is immutable, so a solution is computed once, with the interpreter's lock released, and returned as the same
//! read-only array every time.

mod answers;
mod build;
mod empirical;

pub(crate) use empirical::{Frame, Observed, Unvisited, empirical};

pub(crate) use build::to_json;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use tucrl::env;
use tucrl::mdp::Mdp;
use tucrl::model::Model;
use tucrl::pulse::unless_stopped;
use tucrl::reward::RewardRange;
use tucrl::rng::RandomStream;
use tucrl::structure;
use tucrl::truth::Truth;
use tucrl_lab::formats::{self, IfExists, ReadOptions};
use tucrl_lab::plot;

use crate::errors::{bad_input, failed, of_file, of_world};
use crate::learning::catalogue;
use crate::own::Host;
use crate::rewards;
use crate::seed::Seed;
use crate::work::{self, Progress};
use crate::world::PyWalk;

type Samples<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);
type Transitions<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

/// A finite MDP with exact solutions.
///
/// MDP(world, *, r_max=None, reward_range=None, reward_model=None, unpack_limit=None)
///
/// world: a spec (`"taxi:map=v3"`; `tucrl.worlds()` lists them), or a model file (`.json`, `.drn`,
///     `.umb`, PRISM's `.tra`; also compressed: `.json.gz`).
/// reward_range: the lowest and the highest possible reward; overrides the model file.
/// r_max: the same as `reward_range=(0, r_max)`.
/// reward_model: which reward model of a DRN, UMB or PRISM file to read.
/// unpack_limit: the number of bytes that a compressed file may unpack to; 4e9 unless given.
///
/// A model is immutable; a solution is computed on first access, and its array is read-only. Of a world without a table,
/// such as `breakout-game`, it is the reachable part, whose states are numbered anew: see `part_of`.
///
/// >>> import tucrl
/// >>> taxi = tucrl.MDP("taxi:map=v3")
/// >>> taxi
/// tucrl.MDP("taxi:map=v3"): 500 states, 6 actions, 4196 transitions
/// >>> taxi.gain, int(taxi.reachable.sum())
/// (0.353557765876..., 400)
#[pyclass(name = "MDP", module = "tucrl", frozen)]
pub(crate) struct PyMdp {
    name: String,
    model: Arc<Mdp>,
    /// The number of states of the world, if the table has only the reachable ones.
    part_of: Option<u64>,
    truth: OnceLock<Arc<Truth>>,
    gains: OnceLock<Py<PyArray1<f64>>>,
    bias: OnceLock<Py<PyArray1<f64>>>,
    policy: OnceLock<Py<PyArray1<i64>>>,
}

#[pymethods]
impl PyMdp {
    #[new]
    #[pyo3(signature = (world, *, r_max=None, reward_range=None, reward_model=None, unpack_limit=None))]
    fn new(
        py: Python<'_>,
        world: &Bound<'_, PyAny>,
        r_max: Option<f64>,
        reward_range: Option<&Bound<'_, PyAny>>,
        reward_model: Option<String>,
        unpack_limit: Option<u64>,
    ) -> PyResult<Self> {
        // A path object is always a file, whatever its extension.
        let text: PathBuf = world.extract()?;
        let Some(text) = text.to_str() else {
            return Err(bad_input("the name of the world is not valid text"));
        };
        let catalogue = catalogue(Host::default(), Arc::default())?;
        let world = catalogue.world(text).map_err(bad_input)?;
        // An `r_max` is checked with the file, so that the message names the file.
        let reward_range = match reward_range {
            None => None,
            given => rewards::range(r_max, given)?,
        };
        let options = ReadOptions { reward_model, r_max, reward_range, unpack_limit };
        let build = |watch: &Progress| world.build_and_count(&options, watch);
        let (model, states) = work::run(py, "building the world", build)?.map_err(of_world)?;
        let part_of = Some(states).filter(|&states| states > model.states() as u64);
        Ok(Self { part_of, ..Self::shared(world.to_string(), model) })
    }

    /// Build a model from arrays.
    ///
    /// transitions: an array of states × actions × states (axes "sas") or actions × states × states (axes "ass"), also as
    ///     nested lists; or a list or array of matrices of states × states, dense or SciPy-sparse, one per action. A row of
    ///     zeros means that the state does not have the action; such rows come after those of the actions that it has.
    /// rewards: one per state, per state and action, or per transition, in the order of either axes.
    /// axes: "sas" or "ass"; required where there are as many actions as states, as both would fit.
    /// normalize: whether to divide each row by its sum, for rows that rounding, as to float32, keeps from adding up to 1.
    /// start: the state it starts in, or one probability per state.
    /// reward_range: the lowest and the highest possible reward; 0 and the largest of the array, or 1, unless given.
    /// r_max: the same as `reward_range=(0, r_max)`.
    /// law: "constant", or "bernoulli" for the lowest or the highest reward with the given means.
    /// state_names, action_names: a name for each state and action.
    ///
    /// >>> import numpy as np, tucrl
    /// >>> stay_or_go = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]]])
    /// >>> mdp = tucrl.MDP.from_arrays(stay_or_go, np.array([[0.5, 0.0], [1.0, 0.0]]), axes="sas")
    /// >>> round(mdp.gain, 12), mdp.policy.tolist()
    /// (1.0, [1, 0])
    #[staticmethod]
    #[pyo3(
        signature = (*arguments, **options),
        text_signature = "(transitions, rewards, *, axes=None, normalize=False, start=0, r_max=None, reward_range=None, \
                          law='constant', name='arrays', state_names=None, action_names=None)"
    )]
    fn from_arrays(
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let convert = py.import("tucrl._models")?.getattr("from_arrays")?;
        Ok(convert.call(arguments, options)?.unbind())
    }

    /// Build a model from the table `env.unwrapped.P` of a Gymnasium environment.
    ///
    /// The end of an episode is a transition to the initial states, so the model is continuing.
    /// Rewards and gains keep their units; `reward_range` is by default the lowest and highest reward of the table.
    ///
    /// terminal_reward, reset_cost: as for `tucrl.gym.Continuing`; CliffWalking has a terminal reward by default. Warns if
    ///     every policy has the same gain.
    #[staticmethod]
    #[pyo3(
        signature = (*arguments, **options),
        text_signature = "(env, *, reward_range=None, terminal_reward=None, reset_cost=0.0, name=None)"
    )]
    fn from_gymnasium(
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let convert = py.import("tucrl._models")?.getattr("from_gymnasium")?;
        Ok(convert.call(arguments, options)?.unbind())
    }

    /// A model from its transitions, sorted by state and action.
    #[staticmethod]
    #[pyo3(signature = (
        name, states, state, action, next, probability, reward, start, r_max, law, reward_range=None,
        state_names=None, action_names=None
    ))]
    fn _from_transitions(
        py: Python<'_>,
        name: String,
        states: usize,
        state: numpy::PyReadonlyArray1<'_, i64>,
        action: numpy::PyReadonlyArray1<'_, i64>,
        next: numpy::PyReadonlyArray1<'_, i64>,
        probability: numpy::PyReadonlyArray1<'_, f64>,
        reward: numpy::PyReadonlyArray1<'_, f64>,
        start: Vec<(usize, f64)>,
        r_max: f64,
        law: &str,
        reward_range: Option<(f64, f64)>,
        state_names: Option<Vec<String>>,
        action_names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let names = [state_names, action_names].map(Option::unwrap_or_default);
        let table = build::Table {
            state: state.as_slice()?,
            action: action.as_slice()?,
            next: next.as_slice()?,
            probability: probability.as_slice()?,
            reward: reward.as_slice()?,
        };
        let range = reward_range.map(|(low, high)| RewardRange::new(low, high)).transpose();
        let range = range.map_err(bad_input)?.unwrap_or(RewardRange::up_to(r_max));
        let build = |_: &Progress| build::build(states, &table, &start, range, law, names);
        let model = work::run(py, "building the model", build)??;
        Ok(Self::shared(name, Arc::new(model)))
    }

    /// A model for pickle: the content of a model file.
    #[staticmethod]
    #[pyo3(signature = (name, content, part_of=None))]
    fn _from_json(
        py: Python<'_>,
        name: String,
        content: &[u8],
        part_of: Option<u64>,
    ) -> PyResult<Self> {
        let model = work::run(py, "reading the model", |_| build::from_json(content))??;
        Ok(Self { part_of, ..Self::shared(name, Arc::new(model)) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        let content = work::run(py, "writing the model", |_| build::to_json(&this.model))??;
        let restore = slf.get_type().getattr("_from_json")?;
        let parts = (&this.name, PyBytes::new(py, &content), this.part_of);
        (restore, parts).into_pyobject(py).map(Bound::into_any)
    }

    /// The spec, the file, or the given name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The number of states.
    #[getter]
    fn states(&self) -> usize {
        self.model.states()
    }

    /// The number of states of the world, if this is only its reachable part; else None.
    ///
    /// >>> import tucrl
    /// >>> breakout = tucrl.MDP("breakout-game")
    /// >>> breakout.states, breakout.part_of
    /// (8260, 18790481920)
    #[getter]
    fn part_of(&self) -> Option<u64> {
        self.part_of
    }

    /// The largest number of actions of a state.
    #[getter]
    fn actions(&self) -> usize {
        self.model.max_actions()
    }

    /// The number of state-action pairs.
    #[getter]
    fn pairs(&self) -> usize {
        self.model.pairs()
    }

    /// The largest possible reward, counted from the lowest.
    #[getter]
    fn r_max(&self) -> f64 {
        self.model.r_max()
    }

    /// The lowest and the highest possible reward.
    #[getter]
    fn reward_range(&self) -> (f64, f64) {
        self.model.reward_range().into()
    }

    /// The name of each state, if they have names.
    #[getter]
    fn state_names(&self) -> Vec<String> {
        self.model.state_names().to_vec()
    }

    /// The name of each action, if they have names.
    #[getter]
    fn action_names(&self) -> Vec<String> {
        self.model.action_names().to_vec()
    }

    /// The probability of starting in each state.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut law = vec![0.0; self.model.states()];
        self.model.start().for_each(|(state, p)| law[state] = p);
        PyArray1::from_vec(py, law)
    }

    /// Which actions each state has: an array of states × actions.
    #[getter]
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let (states, width) = (self.model.states(), self.model.max_actions());
        let flags = (0..states * width).map(|i| i % width < self.model.actions(i / width));
        PyArray1::from_vec(py, flags.collect()).reshape([states, width])
    }

    /// The mean reward of each pair, NaN where there is none: an array of states × actions.
    #[getter]
    fn mean_rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (states, width) = (self.model.states(), self.model.max_actions());
        let mut means = vec![f64::NAN; states * width];
        for state in 0..states {
            for (action, pair) in self.model.pairs_of(state).enumerate() {
                means[state * width + action] = self.model.mean_paid(pair);
            }
        }
        PyArray1::from_vec(py, means).reshape([states, width])
    }

    /// All transitions, as four arrays: states, actions, next states, probabilities.
    #[getter]
    fn transitions<'py>(&self, py: Python<'py>) -> Transitions<'py> {
        let size = self.model.transitions();
        let (mut from, mut played, mut to, mut law) =
            (Vec::with_capacity(size), Vec::with_capacity(size), Vec::new(), Vec::new());
        for state in 0..self.model.states() {
            for (action, pair) in self.model.pairs_of(state).enumerate() {
                for (next, probability) in self.model.row(pair).iter() {
                    from.push(state as i64);
                    played.push(action as i64);
                    to.push(next as i64);
                    law.push(probability);
                }
            }
        }
        let array = |values| PyArray1::from_vec(py, values);
        (array(from), array(played), array(to), PyArray1::from_vec(py, law))
    }

    /// Sample an action in a state: arrays of next states and rewards.
    ///
    /// seed: a number gives the same samples every time; None, and a generator of NumPy, give new ones.
    ///
    /// >>> import tucrl
    /// >>> states, rewards = tucrl.MDP("river-swim").sample(0, 1, size=1000, seed=7)
    /// >>> sorted(set(states.tolist()))
    /// [0, 1]
    #[pyo3(signature = (state, action, size=1, *, seed=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        state: usize,
        action: usize,
        size: usize,
        seed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Samples<'py>> {
        self.check_pair(state, action)?;
        if size > 1 << 32 {
            return Err(bad_input(format!("size = {size} is more than 2**32: draw in parts")));
        }
        let Seed(seed) = seed.map_or_else(|| Seed::fresh(py), |seed| seed.extract())?;
        let mut random = RandomStream::new(seed);
        let draw = |_| {
            let step = env::draw(&self.model, state, action, &mut random);
            (step.next as i64, step.paid)
        };
        let draws = unless_stopped(0..size).map(draw);
        let (next, reward): (Vec<i64>, Vec<f64>) = work::run(py, "sampling", |_| draws.unzip())?;
        Ok((PyArray1::from_vec(py, next), PyArray1::from_vec(py, reward)))
    }

    /// Simulate the MDP; `seed=1, run=3` uses the random stream of run 3 of `tucrl learn --seed 1`.
    ///
    /// A generator of NumPy is a seed too, and `None` is a new one every time.
    #[pyo3(signature = (*, seed=Seed(0), run=0), text_signature = "($self, *, seed=0, run=0)")]
    fn walk(&self, seed: Seed, run: u64) -> PyResult<PyWalk> {
        PyWalk::new(&self.name, &Model::from(&self.model), seed.0, run)
    }

    /// Write the model to a file atomically, as `.json` (tucrl), `.drn` (Storm) or `.umb` (unified Markov binary);
    /// `.json.gz` and `.drn.gz` are compressed.
    #[pyo3(signature = (path, *, overwrite=false))]
    fn to_file(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let if_exists = if overwrite { IfExists::Replace } else { IfExists::Refuse };
        let part = self.part_of.map(|states| {
            let (reachable, name) = (self.model.states(), &self.name);
            formats::reachable_part(reachable, states, name)
        });
        let write =
            |_: &Progress| formats::write_with(&self.model, part.as_deref(), &path, if_exists);
        work::run(py, "writing the model", write)?.map_err(|error| of_file(&error))
    }

    fn __eq__(&self, other: &Self) -> bool {
        *self.model == *other.model
    }

    fn __repr__(&self) -> String {
        let states = match self.part_of {
            Some(all) => format!("the {} reachable of {all}", self.model.states()),
            None => self.model.states().to_string(),
        };
        format!(
            "tucrl.MDP({:?}): {states} states, {} actions, {} transitions",
            self.name,
            self.model.max_actions(),
            self.model.transitions()
        )
    }

    /// The state diagram, for notebooks; None, and a notebook shows `repr`, where the MDP is too large for one.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if !plot::has_diagram(&self.model) {
            return Ok(None);
        }
        let truth = self.truth(py)?;
        let policy = truth.solved().map(|solved| &solved.solution.policy);
        Ok(plot::diagram(&self.model, policy, &structure::reachable(&self.model)))
    }
}

impl PyMdp {
    /// Wraps a shared model.
    pub(crate) fn shared(name: String, model: Arc<Mdp>) -> Self {
        Self {
            name,
            model,
            part_of: None,
            truth: OnceLock::new(),
            gains: OnceLock::new(),
            bias: OnceLock::new(),
            policy: OnceLock::new(),
        }
    }

    pub(crate) fn model(&self) -> &Arc<Mdp> {
        &self.model
    }

    pub(crate) fn title(&self) -> &str {
        &self.name
    }

    /// The truth about the table, computed on first access.
    pub(crate) fn truth(&self, py: Python<'_>) -> PyResult<Arc<Truth>> {
        if let Some(truth) = self.truth.get() {
            return Ok(Arc::clone(truth));
        }
        // Two threads may both compute it; the answer is the same.
        let solve = |watch: &Progress| Truth::of_table(Arc::clone(&self.model), watch);
        let truth = work::run(py, "solving the MDP", solve)?.map_err(failed)?;
        Ok(Arc::clone(self.truth.get_or_init(|| Arc::new(truth))))
    }

    /// Whether a pair exists.
    fn check_pair(&self, state: usize, action: usize) -> PyResult<()> {
        let states = self.model.states();
        if state >= states {
            return Err(bad_input(format!(
                "state {state} does not exist: states are numbered 0 to {}",
                states - 1
            )));
        }
        let actions = self.model.actions(state);
        if action >= actions {
            return Err(bad_input(format!(
                "state {state} has no action {action}: its actions are numbered 0 to {}",
                actions - 1
            )));
        }
        Ok(())
    }
}
