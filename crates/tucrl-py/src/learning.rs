//! How do many agents learn at once while Python stays responsive?
//!
//! The runner works on its own threads without the interpreter's lock. The calling thread wakes up a few
//! times a second, lets Python handle signals, so that Ctrl-C stops all runs within a chunk, and reports how
//! many steps have been taken.

mod runs;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tucrl::run::Run;
use tucrl_lab::experiment::LONGEST;
use tucrl_lab::learning::{Learned, Learning, Lesson};
use tucrl_lab::runner::{Outcome, Watch};

use crate::agent::whole;
use crate::errors::{failed, of_learning};
use crate::world::AnyWorld;
pub(crate) use runs::PyRuns;

/// How often signals are handled and progress is told.
const TICK: Duration = Duration::from_millis(100);

/// Counts the steps of all cells, and hears when to stop.
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

/// Lets agents learn a world; `progress` hears how many steps have been taken so far.
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
    let lesson = Lesson {
        world: world.name().to_owned(),
        model: world.model(),
        agents,
        steps: whole("steps", steps, 1, LONGEST)?,
        seeds: whole("seeds", seeds, 1, 1_000_000)?,
        master_seed: seed,
        checkpoints: whole("checkpoints", checkpoints, 1, 10_000)? as u32,
    };
    let learning = py.detach(|| Learning::new(lesson)).map_err(of_learning)?;
    for warning in learning.warnings() {
        warn(py, &warning)?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize).build();
    let pool = pool.map_err(|error| failed(format!("the threads cannot be started: {error}")))?;
    let learned = watched(py, &learning, &pool, progress.as_ref())?;
    for run in &learned.runs {
        if let Some(error) = &run.error {
            warn(py, &format!("{}, run {} failed: {error}", run.agent, run.spec.run))?;
        }
    }
    Ok(PyRuns::new(learned.runs, learned.provenance))
}

/// Runs on the pool's threads, and lets Python live meanwhile.
fn watched(
    py: Python<'_>,
    learning: &Learning,
    pool: &rayon::ThreadPool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Learned> {
    let taken = (0..learning.cells()).map(|_| AtomicU64::new(0)).collect();
    let meter = Meter { taken, stop: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<Learned>();
        // The lock only tells the compiler that one thread listens.
        let ended = Mutex::new(ended);
        let listener = || ended.lock().unwrap_or_else(PoisonError::into_inner);
        let (watch, work) = (&meter, learning);
        scope.spawn(move || {
            // Nobody listens after an exception.
            let _ = done.send(pool.install(|| work.run(watch)));
        });
        let listen = || -> PyResult<Learned> {
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
            // The threads end within a chunk; they do not need the interpreter for it.
            py.detach(|| while listener().recv().is_ok() {});
        }
        outcome
    })
}

fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text).map_err(failed)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 3)
}
