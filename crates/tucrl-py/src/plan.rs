//! What does Python see of plans and episodes? `tucrl.Plan`, read-only, and the fields of `tucrl.Episode`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tucrl::episode::EpisodeRecord;
use tucrl::planner::Plan;
use tucrl_lab::report::tables::stop_name;

use crate::errors::{bad_input, failed};

/// The plan of an episode; arrays are by row of `Agent.seen_states`.
///
/// Plans can be compared, copied and pickled.
#[pyclass(name = "Plan", module = "tucrl", frozen)]
pub(crate) struct PyPlan(Plan);

impl PyPlan {
    pub(crate) fn new(plan: Plan) -> Self {
        Self(plan)
    }
}

#[pymethods]
impl PyPlan {
    /// The optimistic gain: the middle of its bounds.
    #[getter]
    fn gain(&self) -> f64 {
        self.0.gain()
    }

    /// Bounds on the optimistic gain.
    #[getter]
    fn gain_bounds(&self) -> (f64, f64) {
        (self.0.gain_low, self.0.gain_high)
    }

    /// The optimistic bias of the states seen; the smallest among all planned states is 0.
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.bias)
    }

    /// The bias of the unseen states, if they were planned on.
    #[getter]
    fn bias_unseen(&self) -> Option<f64> {
        self.0.bias_unseen
    }

    /// The span of the bias over all states that were planned on.
    #[getter]
    fn span(&self) -> f64 {
        self.0.span()
    }

    /// The span of the bias over the states seen.
    #[getter]
    fn span_seen(&self) -> f64 {
        self.0.span_seen()
    }

    /// Sweeps of extended value iteration.
    #[getter]
    fn sweeps(&self) -> u64 {
        self.0.sweeps
    }

    /// Exact evaluations between sweeps.
    #[getter]
    fn evaluations(&self) -> u64 {
        self.0.evaluations
    }

    /// The number of unseen states.
    #[getter]
    fn unseen(&self) -> u64 {
        self.0.unseen
    }

    /// The number of under-visited pairs.
    #[getter]
    fn under_visited(&self) -> u64 {
        self.0.under_visited
    }

    /// Whether unseen states were planned on.
    #[getter]
    fn believes_unseen(&self) -> bool {
        self.0.bias_unseen.is_some()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let content = serde_json::to_vec(&slf.get().0).map_err(failed)?;
        let restore = slf.get_type().getattr("_restore")?;
        (restore, (PyBytes::new(slf.py(), &content),)).into_pyobject(slf.py()).map(Bound::into_any)
    }

    /// A plan for pickle.
    #[staticmethod]
    fn _restore(content: &[u8]) -> PyResult<Self> {
        let no_plan = |error| bad_input(format!("this is no pickled plan: {error}"));
        serde_json::from_slice(content).map(Self).map_err(no_plan)
    }

    fn __repr__(&self) -> String {
        format!(
            "tucrl.Plan(gain={:.6}, span={:.6}, seen={}, unseen={}, sweeps={})",
            self.0.gain(),
            self.0.span(),
            self.0.choices.len(),
            self.0.unseen,
            self.0.sweeps
        )
    }
}

/// The record of an episode as a `tucrl.Episode`, a class of Python so that frames can be made of a list of them.
pub(crate) fn episode<'py>(
    class: &Bound<'py, PyAny>,
    record: &EpisodeRecord,
) -> PyResult<Bound<'py, PyAny>> {
    class.call1((
        record.start,
        record.length,
        stop_name(&record.stop),
        record.seen,
        record.unseen,
        record.under_visited,
        record.planned_unseen,
        record.gain,
        record.span,
        record.span_seen,
        record.sweeps,
    ))
}

/// The class `tucrl.Episode`.
pub(crate) fn episode_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("tucrl._records")?.getattr("Episode")
}
