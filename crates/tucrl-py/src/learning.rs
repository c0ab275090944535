//! How are many agents run on all cores, and how far are they?

mod runs;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tucrl::pulse::Pulse;
use tucrl::run::Run;
use tucrl::truth::SEARCH_LIMIT;
use tucrl_lab::experiment::{LONGEST, with_span};
use tucrl_lab::runner::{Outcome, Watch};
use tucrl_lab::{Experiment, InMemory, NamedAgent, ReadOptions, World, execute};

use crate::agent::whole;
use crate::errors::{bad_input, failed, of_experiment};
use crate::seed::Seed;
use crate::work::{self, Progress};
use crate::world::AnyWorld;
pub(crate) use runs::PyRuns;

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

impl Meter<'_> {
    fn total(&self) -> u64 {
        self.taken.iter().map(|taken| taken.load(Ordering::Relaxed)).sum()
    }
}

/// Runs agents in a world; `progress` is called with the number of steps taken so far.
#[pyfunction]
#[pyo3(signature = (world, agents, steps, seeds, seed, jobs, checkpoints, progress, exploration))]
pub(crate) fn learn(
    py: Python<'_>,
    world: AnyWorld,
    agents: Vec<String>,
    steps: &Bound<'_, PyAny>,
    seeds: &Bound<'_, PyAny>,
    seed: Seed,
    jobs: Option<Bound<'_, PyAny>>,
    checkpoints: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
    exploration: bool,
) -> PyResult<PyRuns> {
    let jobs = jobs.map_or(Ok(0), |jobs| whole("jobs", &jobs, 1, u16::MAX.into()))?;
    let world = World::Given { name: world.name().to_owned(), model: world.model() };
    let parse = |spec: &String| {
        let refused = |error| with_span(error, &world, &ReadOptions::default(), SEARCH_LIMIT);
        NamedAgent::parse(spec).map_err(|error| py.detach(|| refused(error)))
    };
    let agents = agents.iter().map(parse).collect::<Result<_, _>>();
    let given = InMemory {
        agents: agents.map_err(bad_input)?,
        world,
        steps: whole("steps", steps, 1, LONGEST)?,
        seeds: whole("seeds", seeds, 1, 1_000_000)?,
        master_seed: seed.0,
        checkpoints: whole("checkpoints", checkpoints, 1, 10_000)? as u32,
        exploration,
    };
    let experiment = Experiment::new(given).map_err(of_experiment)?;
    let cells = experiment.cells();
    let prepare = |watch: &Progress| execute::prepare(&experiment, &cells, watch);
    let worlds = work::run(py, "preparing the world", prepare)?.map_err(of_experiment)?;
    for warning in experiment.warnings(&worlds[&0], 0..experiment.agents.len()) {
        warn(py, &warning, 2)?;
    }
    let (pool, watch) = (work::threads(jobs as usize)?, Progress::new("learning"));
    let taken = (0..cells.len()).map(|_| AtomicU64::new(0)).collect();
    let meter = Meter { taken, progress: &watch };
    let mut tell =
        || progress.as_ref().map_or(Ok(()), |tell| tell.call1((meter.total(),)).map(drop));
    let learn = || execute::run_in_memory(&experiment, &cells, &worlds, &meter);
    let outcomes = work::watched(py, &pool, &watch, learn, &mut tell)?;
    tell()?;
    let (runs, provenance, _) = execute::records(&experiment, &cells, &worlds, outcomes);
    for run in &runs {
        if let Some(error) = &run.error {
            warn(py, &format!("{}, run {} failed: {error}", run.agent, run.spec.run), 2)?;
        }
    }
    Ok(PyRuns::new(runs, provenance))
}

/// Warns the Python code that calls us (level 1), or what calls that (level 2).
pub(crate) fn warn(py: Python<'_>, text: &str, level: i32) -> PyResult<()> {
    let text = std::ffi::CString::new(text).map_err(failed)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, level)
}
