//! What does Python see of plans and episodes? `tucrl.Plan` and `tucrl.Episode`, read-only.

use numpy::PyArray1;
use pyo3::prelude::*;
use tucrl::episode::EpisodeRecord;
use tucrl::planner::Plan;
use tucrl_lab::report::tables::stop_name;

/// The plan of an episode; arrays are by row of `Agent.seen_states`.
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

/// The record of an episode.
#[pyclass(name = "Episode", module = "tucrl", frozen)]
pub(crate) struct PyEpisode(EpisodeRecord);

impl PyEpisode {
    pub(crate) fn new(record: EpisodeRecord) -> Self {
        Self(record)
    }
}

#[pymethods]
impl PyEpisode {
    /// The time of its first action, counted from 1.
    #[getter]
    fn start(&self) -> u64 {
        self.0.start
    }

    /// The number of its actions.
    #[getter]
    fn length(&self) -> u64 {
        self.0.length
    }

    /// The stop reason: "doubling", "new state", "return to new start", or "horizon" while it is running.
    #[getter]
    fn stop(&self) -> &'static str {
        stop_name(&self.0.stop)
    }

    /// States seen when it started.
    #[getter]
    fn seen(&self) -> u64 {
        self.0.seen
    }

    /// Unseen states when it started.
    #[getter]
    fn unseen(&self) -> u64 {
        self.0.unseen
    }

    /// Under-visited pairs when it started.
    #[getter]
    fn under_visited(&self) -> u64 {
        self.0.under_visited
    }

    /// Whether unseen states were planned on.
    #[getter]
    fn believes_unseen(&self) -> bool {
        self.0.planned_unseen
    }

    /// The optimistic gain.
    #[getter]
    fn gain(&self) -> f64 {
        self.0.gain
    }

    /// The span of the optimistic bias over all states planned on.
    #[getter]
    fn span(&self) -> f64 {
        self.0.span
    }

    /// The span over the states seen.
    #[getter]
    fn span_seen(&self) -> f64 {
        self.0.span_seen
    }

    /// Sweeps of the plan.
    #[getter]
    fn sweeps(&self) -> u64 {
        self.0.sweeps
    }

    fn __repr__(&self) -> String {
        format!(
            "tucrl.Episode(start={}, length={}, gain={:.6}, seen={}, stop={:?})",
            self.0.start,
            self.0.length,
            self.0.gain,
            self.0.seen,
            self.stop()
        )
    }
}
