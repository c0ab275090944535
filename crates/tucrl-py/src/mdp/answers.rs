//! What is known exactly of a table: gains, bias, policy, structure, diameter, hardness, values of a policy.

use std::sync::OnceLock;

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tucrl::policy::Policy;
use tucrl::solve::Solution;
use tucrl::truth::Watch as _;
use tucrl::{evaluate, hitting, structure};
use tucrl_lab::inspection::{Effort, Inspection};

use super::PyMdp;
use crate::errors::{bad_input, failed};
use crate::work::{self, Progress};

type Arrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl PyMdp {
    /// The optimal gain from the start: the largest long-run average reward.
    #[getter]
    fn gain(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.truth(py)?.gain())
    }

    /// The certified error of the gain.
    #[getter]
    fn gain_error(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.truth(py)?.gain_error())
    }

    /// The optimal gain from each state.
    #[getter]
    fn gains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let solution = self.solution(py)?;
        kept(py, &self.gains, || self.in_own_units(solution.gain))
    }

    /// A bias that solves the optimality equation; the smallest entry is 0.
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let solution = self.solution(py)?;
        kept(py, &self.bias, || solution.bias)
    }

    /// The span of the bias over all states.
    #[getter]
    fn span(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.truth(py)?.facts().span)
    }

    /// An optimal policy: an action per state.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let solution = self.solution(py)?;
        kept(py, &self.policy, || {
            let action = |state| solution.policy.action(state).unwrap_or_default() as i64;
            (0..self.model.states()).map(action).collect()
        })
    }

    /// Which states are reachable from the start.
    #[getter]
    fn reachable<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, structure::reachable(&self.model))
    }

    /// The maximal end components: the sets of states that can be stayed in forever.
    #[getter]
    fn end_components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let find = |_: &Progress| structure::end_components(&self.model);
        let components = work::run(py, "end components", find)?;
        let members = components.members().iter().map(|members| {
            PyArray1::from_vec(py, members.iter().map(|&state| i64::from(state)).collect())
        });
        PyList::new(py, members.collect::<Vec<_>>())
    }

    /// Whether the start can be reached from every reachable state.
    #[getter]
    fn start_is_recoverable(&self) -> bool {
        structure::start_is_recoverable(&self.model, &structure::reachable(&self.model))
    }

    /// Return "communicating", "weakly communicating" or "multichain".
    ///
    /// >>> import tucrl
    /// >>> tucrl.MDP("three-state:delta=0").classify()
    /// 'weakly communicating'
    fn classify(&self, py: Python<'_>) -> PyResult<String> {
        work::run(py, "end components", |_| {
            let components = structure::end_components(&self.model);
            structure::classify(&self.model, &components).to_string()
        })
    }

    /// Return the diameter, the largest expected time of a fastest path between two states: of the reachable part, or of all.
    ///
    /// >>> import tucrl
    /// >>> world = tucrl.MDP("three-state:delta=0")
    /// >>> world.diameter(), world.diameter(reachable=False)
    /// (1.0, inf)
    #[pyo3(signature = (*, reachable=true))]
    fn diameter(&self, py: Python<'_>, reachable: bool) -> PyResult<f64> {
        let model = &self.model;
        let steps = work::run(py, "diameter", |watch| {
            let report = |done, of| watch.done(done, of);
            match reachable {
                true => hitting::diameter_within(model, &structure::reachable(model), &report),
                false => hitting::diameter(model, &report),
            }
        });
        steps?.map_err(failed)
    }

    /// Return how hard the MDP is to learn, as a `tucrl.Hardness`.
    ///
    /// diameters: whether to compute the diameters, which `burn_in` needs and which take long in large models.
    ///
    /// >>> import tucrl
    /// >>> hardness = tucrl.MDP("river-swim").hardness()
    /// >>> hardness.is_unique, hardness.is_unichain, hardness.lower_bound_known_rewards.certainty
    /// (True, True, 'lower estimate')
    /// >>> round(hardness.lower_bound_known_rewards.constant, 1)
    /// 21.5
    #[pyo3(signature = (*, diameters=true))]
    fn hardness<'py>(&self, py: Python<'py>, diameters: bool) -> PyResult<Bound<'py, PyAny>> {
        let truth = self.truth(py)?;
        let limit = if diameters { usize::MAX } else { 0 };
        let effort = Effort {
            gain: true,
            policy: false,
            hardness: true,
            diameter_limit: limit,
            patience: None,
        };
        let (name, states) = (self.name.clone(), self.model.states() as u64);
        let inspect = |watch: &Progress| {
            Inspection::given(Some(&truth), name, &self.model, states, effort, watch)
        };
        let known = work::run(py, "hardness", inspect)?.map_err(failed)?;
        let text = serde_json::to_string(&known.hardness).map_err(failed)?;
        py.import("tucrl._records")?.getattr("hardness")?.call1((text,))
    }

    /// Return gain and bias of a policy from each state.
    ///
    /// policy: an action per state, a row of action probabilities per state, or a dict from every state to its action, such
    ///     as that of `Agent.policy_dict`.
    fn evaluate<'py>(&self, py: Python<'py>, policy: &Bound<'_, PyAny>) -> PyResult<Arrays<'py>> {
        let policy = read_policy(policy, self.model.states())?;
        policy.check(&self.model).map_err(bad_input)?;
        let evaluate = |_: &Progress| evaluate::policy_values(&self.model, &policy);
        let worth = work::run(py, "values of the policy", evaluate)?.map_err(failed)?;
        let gain = self.in_own_units(worth.gain);
        Ok((PyArray1::from_vec(py, gain), PyArray1::from_vec(py, worth.bias)))
    }
}

impl PyMdp {
    /// The solution of the table.
    fn solution(&self, py: Python<'_>) -> PyResult<Solution> {
        let truth = self.truth(py)?;
        let solved = truth.solved().ok_or_else(|| failed("the model was not solved"))?;
        Ok(solved.solution.clone())
    }

    /// Gains that are counted from the lowest possible reward, in the units of the rewards.
    fn in_own_units(&self, gains: Vec<f64>) -> Vec<f64> {
        let range = self.model.reward_range();
        gains.into_iter().map(|gain| range.in_own_units(gain)).collect()
    }
}

/// The array of a solution: made once, read-only, the same object every time.
fn kept<'py, T: numpy::Element>(
    py: Python<'py>,
    place: &OnceLock<Py<PyArray1<T>>>,
    values: impl FnOnce() -> Vec<T>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    if let Some(array) = place.get() {
        return Ok(array.bind(py).clone());
    }
    let array = PyArray1::from_vec(py, values());
    array.call_method1("setflags", (false,))?;
    Ok(place.get_or_init(|| array.unbind()).bind(py).clone())
}

/// One action per state, as a list or a dict, or one law over actions per state.
fn read_policy(policy: &Bound<'_, PyAny>, states: usize) -> PyResult<Policy> {
    if let Ok(actions) = policy.cast::<PyDict>() {
        let action = |state: usize| match actions.get_item(state)? {
            Some(action) => action.extract::<u32>().map(|action| action as usize),
            None => Err(bad_input(format!(
                "the policy has no action for state {state}: give one for every state, as \
                 Agent.full_policy(default=…) does"
            ))),
        };
        let actions = (0..states).map(action).collect::<PyResult<Vec<_>>>()?;
        return Ok(Policy::deterministic(actions));
    }
    if let Ok(actions) = policy.extract::<Vec<usize>>() {
        // Reject numbers beyond 32 bits instead of truncating them.
        let most = u32::MAX as usize;
        return Ok(Policy::deterministic(actions.into_iter().map(|action| action.min(most))));
    }
    let laws = policy.extract::<Vec<Vec<f64>>>().map_err(|_| {
        bad_input("a policy is one action per state, or one row of action probabilities per state")
    })?;
    Ok(Policy::randomised(laws.into_iter().map(|law| law.into_iter().enumerate())))
}
