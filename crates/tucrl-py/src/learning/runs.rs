//! How are the results of many runs given to Python?
//!
//! The tables of `tucrl report` as columns, the page, and the figures of regret.

use std::path::{Path, PathBuf};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use tucrl_lab::plot::{self, RegretFigure};
use tucrl_lab::record::{Provenance, StoredRun};
use tucrl_lab::report::tables::{self, Table, Values};
use tucrl_lab::report::{self, Extras, html};
use tucrl_lab::stats::Study;

use crate::errors::{bad_input, failed, of_report};

/// Runs and where they come from.
#[pyclass(name = "Runs", module = "tucrl._native", frozen)]
pub(crate) struct PyRuns {
    runs: Vec<StoredRun>,
    provenance: Vec<Provenance>,
    /// The text of the experiment, if there was one.
    experiment: Option<String>,
}

impl PyRuns {
    pub(super) fn new(
        runs: Vec<StoredRun>,
        provenance: Vec<Provenance>,
        experiment: Option<String>,
    ) -> Self {
        Self { runs, provenance, experiment }
    }

    fn study(&self) -> PyResult<Study<'_>> {
        Study::new(&self.runs).ok_or_else(|| bad_input("there are no runs"))
    }
}

#[pymethods]
impl PyRuns {
    /// One of the tables curves, summary, pairs and episodes, by column.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let study = py.detach(|| self.study())?;
        let table = match name {
            "curves" => tables::curves(&study),
            "summary" => tables::summary(&study),
            "pairs" => tables::pairs(&study),
            "episodes" => tables::episodes(&study),
            other => {
                return Err(bad_input(format!(
                    "there is no table {other:?}: accepted are curves, summary, pairs and episodes"
                )));
            }
        };
        columns(py, &table)
    }

    /// Runs that failed, as (agent, run, error).
    fn failed(&self) -> Vec<(String, u64, String)> {
        let failed = self.runs.iter().filter_map(|run| Some((run, run.error.clone()?)));
        failed.map(|(run, error)| (run.label.clone(), run.spec.run, error)).collect()
    }

    /// The visits of one run at its end, as (state, action, visits).
    fn visits<'py>(&self, py: Python<'py>, agent: &str, run: u64) -> PyResult<Bound<'py, PyList>> {
        let found = self.runs.iter().find(|stored| stored.label == agent && stored.spec.run == run);
        let found = found.ok_or_else(|| bad_input(format!("{agent:?} has no run {run} here")))?;
        PyList::new(py, &found.record.visits)
    }

    /// Writes the page into a file, or page, tables and figures into a folder; returns the files.
    fn report(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<PathBuf>> {
        let provenance = self.provenance.as_slice();
        py.detach(|| {
            let study = self.study()?;
            let is_page = path.extension().is_some_and(|e| e == "html" || e == "htm");
            if !is_page {
                let extras = Extras { experiment: self.experiment.as_deref(), ..Extras::default() };
                return report::write(&study, provenance, extras, &path).map_err(of_report);
            }
            let page = html::html(&study, provenance, None).map_err(of_report)?;
            write(&path, &page)?;
            Ok(vec![path])
        })
    }

    /// The mean regret of all agents in a world, on logarithmic axes, as SVG; None if no run of it is complete.
    fn figure(&self, py: Python<'_>, world: &str) -> PyResult<Option<String>> {
        py.detach(|| {
            let study = self.study()?;
            let found = study.worlds.iter().find(|study| study.world == world);
            let found = found.ok_or_else(|| bad_input(format!("{world:?} has no runs here")))?;
            if found.agents.iter().all(|agent| agent.curve().is_empty()) {
                return Ok(None);
            }
            let figure = RegretFigure { world: found, is_log: true };
            plot::svg(&figure).map(Some).map_err(failed)
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        let content = serde_json::to_vec(&(&this.runs, &this.provenance, &this.experiment))
            .map_err(failed)?;
        let restore = slf.get_type().getattr("_restore")?;
        let parts = (PyBytes::new(slf.py(), &content),);
        (restore, parts).into_pyobject(slf.py()).map(Bound::into_any)
    }

    /// Runs for pickle.
    #[staticmethod]
    fn _restore(content: &[u8]) -> PyResult<Self> {
        let (runs, provenance, experiment) = serde_json::from_slice(content)
            .map_err(|error| bad_input(format!("these are no pickled runs: {error}")))?;
        Ok(Self { runs, provenance, experiment })
    }

    fn __len__(&self) -> usize {
        self.runs.len()
    }
}

fn write(path: &Path, page: &str) -> PyResult<()> {
    std::fs::write(path, page).map_err(|source| {
        pyo3::exceptions::PyOSError::new_err(format!("{}: {source}", path.display()))
    })
}

/// A table as a dictionary of columns.
fn columns<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for column in &table.columns {
        let values = match &column.values {
            Values::Text(values) => PyList::new(py, values)?.into_any(),
            Values::Flag(values) => PyArray1::from_slice(py, values).into_any(),
            Values::Number(values) => {
                let numbers = values.iter().map(|value| value.unwrap_or(f64::NAN));
                PyArray1::from_vec(py, numbers.collect()).into_any()
            }
            Values::Count(values) => {
                let counts: Option<Vec<i64>> =
                    values.iter().map(|value| value.map(|count| count as i64)).collect();
                match counts {
                    Some(counts) => PyArray1::from_vec(py, counts).into_any(),
                    // Integer arrays have no missing values.
                    None => {
                        let number = |v: &Option<u64>| v.map_or(f64::NAN, |count| count as f64);
                        PyArray1::from_vec(py, values.iter().map(number).collect()).into_any()
                    }
                }
            }
        };
        all.set_item(column.name, values)?;
    }
    Ok(all)
}
