//! How does long work run while Python stays responsive?
//!
//! Work runs without the interpreter's lock, on a pool of threads of this process. The calling thread wakes up ten times
//! a second, lets Python handle signals, so that Ctrl-C stops the work by its pulse, and shows progress after two seconds.
//!
//! The threads of a pool do not exist in a child that was forked; waiting for them would never end. Pools therefore
//! belong to a process id, and none of the work here uses the global pool of rayon, which cannot be replaced.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tucrl::pulse::Pulse;
use tucrl::truth::Watch;

use crate::errors::failed;

/// Interval of signal handling and progress.
const TICK: Duration = Duration::from_millis(100);
/// How long work may take before its progress is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// Pools that are not in use, with the process whose threads they have. It is locked only while the interpreter's lock
/// is held, which a fork from Python holds too: a child never inherits it locked.
static IDLE: Mutex<Vec<(u32, ThreadPool)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pool of this process. Calls at the same time get different ones, so that none waits for another.
fn pool(_: Python<'_>) -> PyResult<ThreadPool> {
    let mut idle = lock(&IDLE);
    while let Some((process, pool)) = idle.pop() {
        if process == std::process::id() {
            return Ok(pool);
        }
        // To drop the pool of the parent would wake threads that are not here.
        std::mem::forget(pool);
    }
    drop(idle);
    threads(0)
}

/// A new pool; 0 threads means one per core.
pub(crate) fn threads(count: usize) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    pool.map_err(|error| failed(format!("the threads cannot be started: {error}")))
}

/// How far work is, and whether it should stop.
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    pulse: Arc<Pulse>,
    what: Mutex<&'static str>,
    parts: AtomicUsize,
    of: AtomicUsize,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        Self {
            pulse: Pulse::new(Arc::clone(&stop)),
            stop,
            what: Mutex::new(what),
            parts: AtomicUsize::new(0),
            of: AtomicUsize::new(0),
        }
    }

    /// Where plans report and learn of a stop.
    pub(crate) fn pulse(&self) -> &Arc<Pulse> {
        &self.pulse
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// What is under way and how far it is, in words.
    fn text(&self) -> String {
        let what = *lock(&self.what);
        let (parts, of) = (self.parts.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        match self.pulse.read() {
            Some((sweeps, span, tolerance)) => format!(
                "{what}: {sweeps} sweeps, increments differ by {span:.1e}, {tolerance:.1e} is asked"
            ),
            None if of > 0 => format!("{what}: {parts} of {of}"),
            None => what.to_owned(),
        }
    }
}

impl Watch for Progress {
    fn begin(&self, what: &'static str) {
        *lock(&self.what) = what;
        self.of.store(0, Ordering::Relaxed);
    }

    fn done(&self, parts: usize, of: usize) {
        self.parts.store(parts, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }
}

/// Does work on a pool of this process; an exception, such as that of Ctrl-C, stops it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    what: &'static str,
    work: impl FnOnce(&Progress) -> T + Send,
) -> PyResult<T> {
    let (pool, progress) = (pool(py)?, Progress::new(what));
    let (began, mut line) = (Instant::now(), None);
    let mut show = || -> PyResult<()> {
        if began.elapsed() >= PATIENCE {
            if line.is_none() {
                line = Some(py.import("tucrl._progress")?.call_method0("line")?);
            }
            if let Some(line) = &line {
                line.call_method1("show", (progress.text(),))?;
            }
        }
        Ok(())
    };
    let outcome = watched(py, &pool, &progress, || work(&progress), &mut show);
    lock(&IDLE).push((std::process::id(), pool));
    if let Some(line) = line {
        line.call_method0("close")?;
    }
    outcome
}

/// Does work on a pool, handles signals and calls `tick` meanwhile.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    progress: &Progress,
    work: impl FnOnce() -> T + Send,
    tick: &mut dyn FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let (done, ended) = mpsc::channel::<T>();
    // The mutex only makes the receiver `Sync`: one thread uses it.
    let ended = Mutex::new(ended);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // After an exception the result is not awaited.
            let _ = done.send(progress.pulse.during(work));
        });
        let outcome = loop {
            match py.detach(|| lock(&ended).recv_timeout(TICK)) {
                Ok(result) => return Ok(result),
                // The work panicked: the scope passes that on.
                Err(RecvTimeoutError::Disconnected) => break Err(failed("the work broke off")),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals().and_then(|()| tick()) {
                        break Err(error);
                    }
                }
            }
        };
        progress.stop.store(true, Ordering::Relaxed);
        // The work stops within a second and does not need the interpreter.
        py.detach(|| while lock(&ended).recv().is_ok() {});
        outcome
    })
}
