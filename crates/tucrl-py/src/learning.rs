//! How are many agents run while Python stays responsive?
//!
//! The runner uses its own threads without the interpreter's lock. The calling thread wakes up a few times per second,
//! lets Python handle signals, so that Ctrl-C stops all runs within a chunk, and reports the steps taken.

mod runs;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tucrl::run::Run;
use tucrl_lab::experiment::LONGEST;
use tucrl_lab::runner::{Outcome, Watch};
use tucrl_lab::{Experiment, InMemory, NamedAgent, World, execute};

use crate::agent::whole;
use crate::errors::{bad_input, failed, of_experiment};
use crate::world::AnyWorld;
pub(crate) use runs::PyRuns;

/// Interval of signal handling and progress.
const TICK: Duration = Duration::from_millis(100);

/// Counts the steps of all cells, and carries the stop signal.
struct Meter {
    taken: Vec<AtomicU64>,
    stop: AtomicBool,
}

impl Watch for Meter {
    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn at(&self, _worker: usize, cell: usize, run: &Run) {
        self.taken[cell].store(run.taken(), Ordering::Relaxed);
    }

    fn ended(&self, _worker: usize, cell: usize, outcome: &Outcome) {
        self.taken[cell].store(outcome.record.steps, Ordering::Relaxed);
    }
}

impl Meter {
    fn total(&self) -> u64 {
        self.taken.iter().map(|taken| taken.load(Ordering::Relaxed)).sum()
    }
}

/// Runs agents in a world; `progress` is called with the number of steps taken so far.
#[pyfunction]
#[pyo3(signature = (world, agents, steps, seeds, seed, jobs, checkpoints, progress))]
pub(crate) fn learn(
    py: Python<'_>,
    world: AnyWorld,
    agents: Vec<String>,
    steps: &Bound<'_, PyAny>,
    seeds: &Bound<'_, PyAny>,
    seed: u64,
    jobs: Option<Bound<'_, PyAny>>,
    checkpoints: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PyRuns> {
    let jobs = jobs.map_or(Ok(0), |jobs| whole("jobs", &jobs, 1, u16::MAX.into()))?;
    let agents = agents.iter().map(|spec| NamedAgent::parse(spec)).collect::<Result<_, _>>();
    let given = InMemory {
        world: World::Given { name: world.name().to_owned(), model: world.model() },
        agents: agents.map_err(bad_input)?,
        steps: whole("steps", steps, 1, LONGEST)?,
        seeds: whole("seeds", seeds, 1, 1_000_000)?,
        master_seed: seed,
        checkpoints: whole("checkpoints", checkpoints, 1, 10_000)? as u32,
    };
    let experiment = Experiment::new(given).map_err(of_experiment)?;
    let cells = experiment.cells();
    let worlds = py.detach(|| execute::prepare(&experiment, &cells, &()));
    let worlds = worlds.map_err(of_experiment)?;
    for warning in experiment.warnings(&worlds[&0], 0..experiment.agents.len()) {
        warn(py, &warning)?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize).build();
    let pool = pool.map_err(|error| failed(format!("the threads cannot be started: {error}")))?;
    let work = |watch: &Meter| {
        pool.install(|| execute::run_in_memory(&experiment, &cells, &worlds, watch))
    };
    let outcomes = watched(py, cells.len(), &work, progress.as_ref())?;
    let (runs, provenance, _) = execute::records(&experiment, &cells, &worlds, outcomes);
    for run in &runs {
        if let Some(error) = &run.error {
            warn(py, &format!("{}, run {} failed: {error}", run.agent, run.spec.run))?;
        }
    }
    Ok(PyRuns::new(runs, provenance))
}

/// Works on another thread, handles signals and reports progress meanwhile.
fn watched<T: Send>(
    py: Python<'_>,
    cells: usize,
    work: &(dyn Fn(&Meter) -> T + Sync),
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<T> {
    let taken = (0..cells).map(|_| AtomicU64::new(0)).collect();
    let meter = Meter { taken, stop: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<T>();
        // The mutex only makes the receiver `Sync`: one thread uses it.
        let ended = Mutex::new(ended);
        let listener = || ended.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = &meter;
        scope.spawn(move || {
            // After an exception the receiver is gone.
            let _ = done.send(work(watch));
        });
        let listen = || -> PyResult<T> {
            loop {
                let heard = py.detach(|| listener().recv_timeout(TICK));
                match heard {
                    Ok(learned) => {
                        progress.map(|tell| tell.call1((meter.total(),))).transpose()?;
                        return Ok(learned);
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(failed("the runs broke off: please report this"));
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        py.check_signals()?;
                        progress.map(|tell| tell.call1((meter.total(),))).transpose()?;
                    }
                }
            }
        };
        let outcome = listen();
        if outcome.is_err() {
            meter.stop.store(true, Ordering::Relaxed);
            // The threads stop within a chunk; they do not need the interpreter.
            py.detach(|| while listener().recv().is_ok() {});
        }
        outcome
    })
}

fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text).map_err(failed)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 3)
}
