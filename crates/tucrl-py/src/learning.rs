//! How are many agents run on all cores, and how far are they?

mod cells;
mod directory;
mod runs;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tucrl::pulse::Pulse;
use tucrl::run::Run;
use tucrl::truth::SEARCH_LIMIT;
use tucrl_lab::experiment::{Cell, LONGEST, with_span};
use tucrl_lab::record::StoredRun;
use tucrl_lab::runner::{Outcome, Watch};
use tucrl_lab::warnings::remarks;
use tucrl_lab::{Catalogue, Experiment, InMemory, ReadOptions, World, execute};

use crate::agent::whole;
use crate::errors::{bad_input, failed, of_experiment};
use crate::own::{self, Host};
use crate::own_world;
use crate::seed::Seed;
use crate::work::{self, Progress};
use crate::world::AnyWorld;
pub(crate) use cells::PyCells;
pub(crate) use directory::run;
pub(crate) use runs::PyRuns;

/// Objects that stand for agents and worlds, by name, and how the agents are run.
#[derive(FromPyObject)]
pub(crate) struct Own {
    agents: HashMap<String, Py<PyAny>>,
    worlds: HashMap<String, Py<PyAny>>,
    in_process: bool,
    step_timeout: f64,
}

impl Own {
    /// The library's names, and these.
    pub(crate) fn catalogue(self) -> PyResult<Catalogue> {
        let timeout = self.step_timeout;
        if !(timeout > 0.0 && timeout <= 1e9) {
            return Err(bad_input(format!(
                "step_timeout = {timeout}: give a positive number of seconds"
            )));
        }
        let host = Host {
            given: Arc::new(self.agents),
            in_process: self.in_process,
            step_timeout: Duration::from_secs_f64(timeout),
        };
        catalogue(host, Arc::new(self.worlds))
    }
}

/// The library's names, `python` for agents, `python` and `gym` for worlds.
pub(crate) fn catalogue(host: Host, worlds: own_world::Given) -> PyResult<Catalogue> {
    Catalogue::with([own::kind(host)], own_world::kinds(worlds)).map_err(failed)
}

/// Counts the steps of all cells, and carries the stop signal.
struct Meter<'a> {
    taken: Vec<AtomicU64>,
    progress: &'a Progress,
}

impl Watch for Meter<'_> {
    fn wants_stop(&self) -> bool {
        self.progress.is_stopped()
    }

    fn pulse(&self, _worker: usize) -> Option<Arc<Pulse>> {
        Some(Arc::clone(self.progress.pulse()))
    }

    fn at(&self, _worker: usize, cell: usize, run: &Run) {
        self.taken[cell].store(run.taken(), Ordering::Relaxed);
    }

    fn ended(&self, _worker: usize, cell: usize, outcome: &Outcome) {
        self.taken[cell].store(outcome.record.steps, Ordering::Relaxed);
    }
}

impl<'a> Meter<'a> {
    fn new(cells: &[Cell], progress: &'a Progress) -> Self {
        Self { taken: cells.iter().map(|_| AtomicU64::new(0)).collect(), progress }
    }

    fn total(&self) -> u64 {
        self.taken.iter().map(|taken| taken.load(Ordering::Relaxed)).sum()
    }
}

/// Runs agents in a world; `progress` is called with the number of steps taken so far. Agents are a label, if it is not the
/// spec, and a spec each.
#[pyfunction]
#[pyo3(signature = (world, agents, own, steps, seeds, seed, jobs, checkpoints, progress, exploration))]
pub(crate) fn learn(
    py: Python<'_>,
    world: AnyWorld,
    agents: Vec<(Option<String>, String)>,
    own: Own,
    steps: &Bound<'_, PyAny>,
    seeds: &Bound<'_, PyAny>,
    seed: Seed,
    jobs: Option<Bound<'_, PyAny>>,
    checkpoints: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
    exploration: bool,
) -> PyResult<PyRuns> {
    let jobs = jobs.map_or(Ok(0), |jobs| whole("jobs", &jobs, 1, u16::MAX.into()))?;
    let catalogue = own.catalogue()?;
    let asked = (steps, seeds, seed, checkpoints, exploration);
    let given = given(py, world, &agents, &catalogue, asked)?;
    let experiment = Experiment::new(given).map_err(of_experiment)?;
    let cells = experiment.cells();
    let prepare = |watch: &Progress| execute::prepare(&experiment, &cells, watch);
    let worlds = work::run(py, "preparing the world", prepare)?.map_err(of_experiment)?;
    for warning in experiment.warnings(&worlds[&0], 0..experiment.agents.len()) {
        warn(py, &warning, 2)?;
    }
    let (pool, watch) = (work::threads(jobs as usize)?, Progress::new("learning"));
    let meter = Meter::new(&cells, &watch);
    let mut tell =
        || progress.as_ref().map_or(Ok(()), |tell| tell.call1((meter.total(),)).map(drop));
    let learn = || execute::run_in_memory(&experiment, &cells, &worlds, &meter);
    let outcomes = work::watched(py, &pool, &watch, learn, &mut tell)?;
    tell()?;
    let (runs, provenance, _) = execute::records(&experiment, &cells, &worlds, outcomes);
    warn_of_runs(py, &runs)?;
    Ok(PyRuns::new(runs, vec![provenance], None))
}

/// Steps, runs, the master seed, checkpoints per decade, and whether exploration is measured.
type Asked<'a, 'py> =
    (&'a Bound<'py, PyAny>, &'a Bound<'py, PyAny>, Seed, &'a Bound<'py, PyAny>, bool);

/// The experiment of some agents in a world.
fn given(
    py: Python<'_>,
    world: AnyWorld,
    agents: &[(Option<String>, String)],
    catalogue: &Catalogue,
    (steps, seeds, seed, checkpoints, exploration): Asked<'_, '_>,
) -> PyResult<InMemory> {
    let world = World::Given { name: world.name().to_owned(), model: world.model() };
    let parse = |(label, spec): &(Option<String>, String)| {
        let refused = |error| with_span(error, &world, &ReadOptions::default(), SEARCH_LIMIT);
        let named = catalogue.agent(spec).map_err(|error| py.detach(|| refused(error)))?;
        Ok(match label {
            Some(label) => named.labelled(tucrl_lab::text::printable(label)),
            None => named,
        })
    };
    let agents = agents.iter().map(parse).collect::<Result<_, _>>();
    Ok(InMemory {
        agents: agents.map_err(|error: tucrl_lab::SpecError| bad_input(error))?,
        world,
        steps: whole("steps", steps, 1, LONGEST)?,
        seeds: whole("seeds", seeds, 1, 1_000_000)?,
        master_seed: seed.0,
        checkpoints: whole("checkpoints", checkpoints, 1, 10_000)? as u32,
        exploration,
    })
}

/// One warning per run that failed, and what learners say about their runs.
fn warn_of_runs(py: Python<'_>, runs: &[StoredRun]) -> PyResult<()> {
    for of_agent in runs.chunk_by(|a, b| (&a.world, &a.label) == (&b.world, &b.label)) {
        let records = of_agent.iter().map(|run| (run.spec.run, &run.record));
        for remark in remarks(&of_agent[0].label, records) {
            warn(py, &remark, 2)?;
        }
    }
    for run in runs {
        if let Some(error) = &run.error {
            warn(py, &format!("{}, run {} failed: {error}", run.label, run.spec.run), 2)?;
        }
    }
    Ok(())
}

/// Warns the Python code that calls us (level 1), or what calls that (level 2).
pub(crate) fn warn(py: Python<'_>, text: &str, level: i32) -> PyResult<()> {
    let text = std::ffi::CString::new(text).map_err(failed)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, level)
}
