//! What was planned, and what came of it?
//!
//! The plan of the present episode and the records of episodes, read-only.

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
    #[getter]
    fn gain(&self) -> f64 {
        self.0.gain()
    }

    #[getter]
    fn gain_bounds(&self) -> (f64, f64) {
        (self.0.gain_low, self.0.gain_high)
    }

    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.bias)
    }

    #[getter]
    fn bias_unseen(&self) -> Option<f64> {
        self.0.bias_unseen
    }

    #[getter]
    fn span(&self) -> f64 {
        self.0.span()
    }

    #[getter]
    fn span_seen(&self) -> f64 {
        self.0.span_seen()
    }

    #[getter]
    fn sweeps(&self) -> u64 {
        self.0.sweeps
    }

    #[getter]
    fn evaluations(&self) -> u64 {
        self.0.evaluations
    }

    #[getter]
    fn unseen(&self) -> u64 {
        self.0.unseen
    }

    #[getter]
    fn under_visited(&self) -> u64 {
        self.0.under_visited
    }

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
    #[getter]
    fn start(&self) -> u64 {
        self.0.start
    }

    #[getter]
    fn length(&self) -> u64 {
        self.0.length
    }

    #[getter]
    fn stop(&self) -> &'static str {
        stop_name(&self.0.stop)
    }

    #[getter]
    fn seen(&self) -> u64 {
        self.0.seen
    }

    #[getter]
    fn unseen(&self) -> u64 {
        self.0.unseen
    }

    #[getter]
    fn under_visited(&self) -> u64 {
        self.0.under_visited
    }

    #[getter]
    fn believes_unseen(&self) -> bool {
        self.0.planned_unseen
    }

    #[getter]
    fn gain(&self) -> f64 {
        self.0.gain
    }

    #[getter]
    fn span(&self) -> f64 {
        self.0.span
    }

    #[getter]
    fn span_seen(&self) -> f64 {
        self.0.span_seen
    }

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
