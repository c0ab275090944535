//! What is said of long work where there is no terminal?
//!
//! A line a minute on the standard error, for logs of batch jobs: how much is done, and which runs are under way with
//! the share that each has done. `TUCRL_LOG_SECONDS` sets another interval.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tucrl_lab::text::counted;

const INTERVAL: Duration = Duration::from_secs(60);
/// At most this number of runs under way are named.
const NAMED: usize = 4;

/// The interval between lines.
pub(super) fn interval() -> Duration {
    let asked = std::env::var("TUCRL_LOG_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    asked
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .filter(|d| !d.is_zero())
        .unwrap_or(INTERVAL)
}

/// Writes lines until it is dropped.
pub(super) struct Log {
    ticker: Option<(mpsc::Sender<()>, thread::JoinHandle<()>)>,
}

impl Log {
    /// Writes a line at once per interval.
    pub(super) fn new(every: Duration, line: impl Fn() -> String + Send + 'static) -> Self {
        let (alive, ended) = mpsc::channel::<()>();
        let ticker = thread::Builder::new().spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                super::say("progress", &line());
            }
        });
        // If the thread cannot be started, there are no lines.
        Self { ticker: ticker.ok().map(|thread| (alive, thread)) }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some((alive, thread)) = self.ticker.take() {
            drop(alive);
            let _ = thread.join();
        }
    }
}

/// How far a cell is.
pub(super) struct Share<'a> {
    /// World, agent and run.
    pub(super) title: &'a str,
    pub(super) steps: u64,
    pub(super) taken: u64,
    pub(super) is_begun: bool,
    pub(super) is_ended: bool,
}

/// `37 % done, 2 of 8 runs ended; three-state:delta=0 tucrl #1 at 48 %`.
pub(super) fn line<'a>(cells: impl Iterator<Item = Share<'a>>) -> String {
    let (mut steps, mut taken, mut ended, mut all) = (0u64, 0u64, 0, 0);
    let (mut under_way, mut more) = (Vec::new(), 0);
    for cell in cells {
        all += 1;
        steps = steps.saturating_add(cell.steps);
        taken = taken.saturating_add(cell.taken);
        if cell.is_ended {
            ended += 1;
        } else if cell.is_begun && under_way.len() < NAMED {
            under_way.push(format!("{} at {} %", cell.title, percent(cell.taken, cell.steps)));
        } else if cell.is_begun {
            more += 1;
        }
    }
    let runs = counted(all, "run");
    let mut line = format!("{} % done, {ended} of {runs} ended", percent(taken, steps));
    if !under_way.is_empty() {
        line += &format!("; {}", under_way.join(", "));
    }
    if more > 0 {
        line += &format!(" and {more} more");
    }
    line
}

/// Rounded down, so that 100 % means the end.
fn percent(taken: u64, steps: u64) -> u64 {
    (100.0 * taken as f64 / steps.max(1) as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_world_agent_run_and_share() {
        let cell = |title, taken, is_begun, is_ended| Share {
            title,
            steps: 1000,
            taken,
            is_begun,
            is_ended,
        };
        let cells = vec![
            cell("taxi tucrl #0", 1000, true, true),
            cell("taxi tucrl #1", 999, true, false),
            cell("taxi ucrl #1", 0, true, false),
            cell("taxi ucrl #2", 0, false, false),
        ];
        assert_eq!(
            line(cells.into_iter()),
            "49 % done, 1 of 4 runs ended; taxi tucrl #1 at 99 %, taxi ucrl #1 at 0 %"
        );
        let many = (0..9).map(|_| cell("a b #0", 10, true, false));
        assert!(line(many).ends_with("a b #0 at 1 % and 5 more"));
        assert_eq!(line(std::iter::empty()), "0 % done, 0 of 0 runs ended");
    }
}
