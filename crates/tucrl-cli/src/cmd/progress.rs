//! How is the progress of a long computation shown on standard error?
//!
//! Shown after one second, on a terminal only: a spinner, or a bar once the number of parts is known; cleared at the end.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tucrl::truth::Watch;

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Progress of consecutive computations.
pub(super) struct Progress {
    stage: Mutex<Option<Stage>>,
    is_shown: bool,
}

/// One computation. Its line appears after `PATIENCE`, so that fast ones do not flicker.
struct Stage {
    bar: ProgressBar,
    waiter: Option<(mpsc::Sender<()>, thread::JoinHandle<()>)>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { stage: Mutex::new(None), is_shown: io::stderr().is_terminal() }
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
        self.replace(self.is_shown.then(|| Stage::new(what)));
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
