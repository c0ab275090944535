//! How is the progress of a long computation shown on standard error?
//!
//! On a terminal, after one second, a spinner, or a bar once the number of parts is known; cleared at the end. Elsewhere
//! a line a minute.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tucrl::truth::Watch;
use tucrl_lab::text::duration;

use super::log::{self, Log};

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Progress of consecutive computations.
pub(super) struct Progress {
    stage: Mutex<Option<Stage>>,
    /// In place of a stage.
    log: Mutex<Option<Log>>,
    is_terminal: bool,
}

/// One computation. Its line appears after `PATIENCE`, so that fast ones do not flicker.
struct Stage {
    bar: ProgressBar,
    waiter: Option<(mpsc::Sender<()>, thread::JoinHandle<()>)>,
}

impl Progress {
    pub(super) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { stage: Mutex::new(None), log: Mutex::new(None), is_terminal }
    }

    /// Ends the current computation, if any, and begins the next.
    fn replace(&self, next: Option<Stage>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }
}

impl Watch for Progress {
    fn begin(&self, what: &'static str) {
        // Clear the old line before the new one appears.
        self.replace(None);
        self.replace(self.is_terminal.then(|| Stage::new(what)));
        let clock = Instant::now();
        let line = move || format!("{what} for {}", duration(clock.elapsed()));
        let log = (!self.is_terminal).then(|| Log::new(log::interval(), line));
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
    }

    fn done(&self, parts: usize, of: usize) {
        if let Some(stage) = &*self.stage.lock().unwrap_or_else(PoisonError::into_inner) {
            if stage.bar.length() != Some(of as u64) {
                stage.bar.set_length(of as u64);
                stage.bar.set_style(style("  {msg} {bar:30} {pos}/{len} states, {eta} left"));
            }
            // Threads may report out of order.
            stage.bar.set_position(stage.bar.position().max(parts as u64));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.replace(None);
    }
}

impl Stage {
    fn new(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style("  {spinner} {msg} {elapsed}"));
        bar.set_message(what);
        let (alive, ended) = mpsc::channel::<()>();
        let late = bar.clone();
        let waiter = thread::Builder::new().spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(TICK);
            }
        });
        // If the thread cannot be started, the computation runs without a line.
        Self { bar, waiter: waiter.ok().map(|thread| (alive, thread)) }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some((alive, thread)) = self.waiter.take() {
            drop(alive);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .map(|style| style.progress_chars("━╸ "))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
