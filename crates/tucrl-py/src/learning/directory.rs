//! How is an experiment run from Python, with its results in a directory?
//!
//! The same as `tucrl run`: finished runs are kept, checkpoints continued, missing runs made. Ctrl-C stores what is under
//! way; a second call goes on.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use tucrl_lab::execute::{self, Options};
use tucrl_lab::experiment::{Choice, Experiment};
use tucrl_lab::spelling::{Spelled, by_name};
use tucrl_lab::store::{IfResults, Store, StoreError};

use super::{Meter, Own, PyRuns, warn, warn_of_runs};
use crate::agent::whole;
use crate::errors::{bad_input, of_experiment, of_store};
use crate::work::{self, Progress};

/// Runs the experiment of a file, or of a text that could stand in it; `progress` is called with the number of steps taken
/// so far, and how many there are.
#[pyfunction]
#[pyo3(signature = (
    path, text, out, own, resume, jobs, only, retry_failed, checkpoint_seconds, progress
))]
pub(crate) fn run(
    py: Python<'_>,
    path: PathBuf,
    text: Option<String>,
    out: Option<PathBuf>,
    own: Own,
    resume: bool,
    jobs: Option<Bound<'_, PyAny>>,
    only: Option<&str>,
    retry_failed: bool,
    checkpoint_seconds: f64,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PyRuns> {
    let jobs = jobs.map_or(Ok(0), |jobs| whole("jobs", &jobs, 1, u16::MAX.into()))?;
    let options = Options { checkpoint_every: checkpoint_every(checkpoint_seconds)?, retry_failed };
    let catalogue = own.catalogue()?;
    let read = |_: &Progress| match text {
        Some(text) => Experiment::parse(&path, text, &catalogue),
        None => Experiment::read(&path, &catalogue),
    };
    let experiment = work::run(py, "reading the experiment", read)?.map_err(of_experiment)?;
    let choice = Choice { only: only.map(str::to_owned), ..Choice::default() };
    let cells = choice.of(&experiment).map_err(bad_input)?.into_iter().map(|one| one.1).collect();
    let directory = out.unwrap_or_else(|| PathBuf::from("out").join(&experiment.name));
    let if_results = if resume { IfResults::Resume } else { IfResults::Refuse };
    let store = Store::create(&directory, &experiment, &catalogue, if_results).map_err(of_store)?;
    let survey = execute::survey(&store, cells, options).map_err(of_store)?;
    for note in &survey.notes {
        warn(py, &note.spelled(by_name), 2)?;
    }
    let cells = survey.to_do;
    let prepare = |watch: &Progress| execute::prepare(&experiment, &cells, watch);
    let worlds = work::run(py, "preparing the worlds", prepare)?.map_err(of_experiment)?;
    for (&index, prepared) in &worlds {
        let world = &experiment.worlds[index].world;
        for warning in experiment.warnings(prepared, 0..experiment.agents.len()) {
            warn(py, &format!("{world}: {warning}"), 2)?;
        }
    }
    let (pool, watch) = (work::threads(jobs as usize)?, Progress::new("running"));
    let (meter, steps) = (Meter::new(&cells, &watch), cells.iter().map(|cell| cell.id.steps).sum());
    let mut tell = || {
        let steps: u64 = steps;
        progress.as_ref().map_or(Ok(()), |tell| tell.call1((meter.total(), steps)).map(drop))
    };
    let work = || execute::run(&store, &experiment, &cells, &worlds, options, &meter);
    let summary = work::watched(py, &pool, &watch, work, &mut tell)?.map_err(of_store)?;
    tell()?;
    for note in &summary.notes {
        warn(py, &note.spelled(by_name), 2)?;
    }
    stored(py, &store, &experiment)
}

/// How often an unfinished run is stored.
pub(super) fn checkpoint_every(seconds: f64) -> PyResult<Duration> {
    if !(0.0..=1e9).contains(&seconds) {
        let shown = format!("checkpoint_seconds = {seconds}");
        return Err(bad_input(format!("{shown}: give a number of seconds of at least 0")));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// The finished runs, in the order of the experiment.
pub(super) fn stored(py: Python<'_>, store: &Store, experiment: &Experiment) -> PyResult<PyRuns> {
    let (mut runs, mut provenance) = (Vec::new(), Vec::new());
    for cell in experiment.cells() {
        match store.run(&cell.id) {
            Ok(Some((header, run))) => {
                runs.push(run);
                provenance.push(header.provenance);
            }
            Ok(None) => {}
            Err(error @ StoreError::Damaged { .. }) => {
                warn(py, &format!("{}; it is left out", error.spelled(by_name)), 2)?;
            }
            Err(error) => return Err(of_store(error)),
        }
    }
    warn_of_runs(py, &runs)?;
    Ok(PyRuns::new(runs, provenance, Some(experiment.text().to_owned())))
}
