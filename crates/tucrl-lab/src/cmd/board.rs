//! How does one see how far the runs are?
//!
//! On a terminal, below each other: how many steps of all are done, how fast, how long it will take; and a
//! line per thread with the run it is at. Short commands show nothing, and it is gone before the answer.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tucrl::run::Run;
use tucrl_lab::runner::{Outcome, Watch};

use super::text::digits;

const PATIENCE: Duration = Duration::from_millis(700);
/// More threads than this do not get a line each.
const LINES: usize = 8;
/// Characters of an agent's name, so that a line stays within 80 columns.
const NAME: usize = 20;

pub(super) struct Board {
    stop: Arc<AtomicBool>,
    clock: Instant,
    cells: Vec<Line>,
    screen: Option<Screen>,
    steps: u64,
    /// Steps that were taken before, by other processes.
    given: AtomicU64,
}

/// What is shown of one cell.
struct Line {
    name: String,
    steps: u64,
    taken: AtomicU64,
    is_begun: AtomicBool,
}

struct Screen {
    all: MultiProgress,
    total: ProgressBar,
    lines: Vec<ProgressBar>,
    is_shown: AtomicBool,
}

impl Board {
    /// For cells with these names, which take so many steps.
    pub(super) fn new(
        cells: impl IntoIterator<Item = (String, u64)>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let line = |(name, steps)| {
            let (taken, is_begun) = (AtomicU64::new(0), AtomicBool::new(false));
            Line { name, steps, taken, is_begun }
        };
        let cells: Vec<Line> = cells.into_iter().map(line).collect();
        let steps = cells.iter().map(|cell| cell.steps).sum();
        let lines = rayon::current_num_threads().min(cells.len()).min(LINES);
        let screen = io::stderr().is_terminal().then(|| Screen::new(steps, lines));
        Self { stop, clock: Instant::now(), cells, screen, steps, given: AtomicU64::new(0) }
    }

    /// A cell of an agent, so short that a line stays within 80 columns.
    pub(super) fn name(agent: &str, run: u64) -> String {
        format!("{} #{run}", agent.chars().take(NAME).collect::<String>())
    }

    fn show(&self, worker: usize, cell: usize, run: &Run) {
        let Some(screen) = &self.screen else { return };
        if self.clock.elapsed() < PATIENCE {
            return;
        }
        if !screen.is_shown.swap(true, Ordering::Relaxed) {
            screen.all.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        if let Some(line) = screen.lines.get(worker) {
            line.set_message(self.line(cell, run));
        }
        let done: u64 = self.cells.iter().map(|cell| cell.taken.load(Ordering::Relaxed)).sum();
        let own = done.saturating_sub(self.given.load(Ordering::Relaxed));
        let rate = own as f64 / self.clock.elapsed().as_secs_f64();
        let left = self.steps.saturating_sub(done) as f64 / rate.max(1.0);
        screen.total.set_position(done);
        let mut message = format!("{} of {} steps", short(done), short(self.steps));
        let _ = match self.stop.load(Ordering::Relaxed) {
            true => write!(message, ", stopping"),
            false => write!(message, ", {}/s, {} left", short(rate as u64), time(left)),
        };
        screen.total.set_message(message);
    }

    fn line(&self, cell: usize, run: &Run) -> String {
        let agent = run.agent();
        let (name, step) = (&self.cells[cell].name, short(run.taken()));
        let width = self.cells.iter().map(|cell| cell.name.chars().count()).max().unwrap_or(0);
        let regret = digits(run.regret(), 3);
        let mut line = format!("{name:<width$}  step {step:<5}  regret {regret:<6}");
        if agent.episode_count() > 0 {
            let _ = write!(line, "  episode {:<5}", short(agent.episode_count() as u64));
        }
        if let Some(counts) = agent.counts() {
            let _ = write!(line, "  seen {}", short(counts.seen() as u64));
        }
        line
    }
}

impl Watch for Board {
    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn at(&self, worker: usize, cell: usize, run: &Run) {
        let line = &self.cells[cell];
        line.taken.store(run.taken(), Ordering::Relaxed);
        if !line.is_begun.swap(true, Ordering::Relaxed) {
            self.given.fetch_add(run.taken(), Ordering::Relaxed);
        }
        self.show(worker, cell, run);
    }

    fn skipped(&self, cell: usize) {
        let line = &self.cells[cell];
        line.taken.store(line.steps, Ordering::Relaxed);
        self.given.fetch_add(line.steps, Ordering::Relaxed);
    }

    fn ended(&self, worker: usize, cell: usize, _outcome: &Outcome) {
        // A run that failed leaves nothing to wait for.
        self.cells[cell].taken.store(self.cells[cell].steps, Ordering::Relaxed);
        if let Some(line) = self.screen.as_ref().and_then(|screen| screen.lines.get(worker)) {
            line.set_message("");
        }
    }
}

impl Screen {
    fn new(steps: u64, lines: usize) -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let total = all.add(ProgressBar::new(steps));
        total.set_style(style("  {bar:24} {percent:>3} %  {msg}"));
        let lines = (0..lines)
            .map(|_| {
                let line = all.add(ProgressBar::new(1));
                line.set_style(style("  {msg}"));
                line
            })
            .collect();
        Self { all, total, lines, is_shown: AtomicBool::new(false) }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.lines.iter().chain([&self.total]).for_each(ProgressBar::finish_and_clear);
        // If even that cannot be written, nobody is there to see it.
        let _ = self.all.clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .map(|style| style.progress_chars("━╸ "))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// `950`, `12.3k`, `4.56M`, `1.00G`.
fn short(count: u64) -> String {
    let mut value = count as f64;
    if count < 1000 {
        return count.to_string();
    }
    for unit in ["k", "M"] {
        value /= 1000.0;
        // Where three digits would round up to a thousand, the next unit begins.
        if value < 999.5 {
            return format!("{}{unit}", digits(value, 3));
        }
    }
    format!("{}G", digits(value / 1000.0, 3))
}

fn time(seconds: f64) -> String {
    let seconds = seconds.min(1e9).round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_are_short() {
        let counts = [950, 1000, 12_345, 999_499, 999_500, 4_560_000, 10_000_000_000].map(short);
        assert_eq!(counts, ["950", "1.00k", "12.3k", "999k", "1.00M", "4.56M", "10.0G"]);
        assert_eq!([0.4, 59.4, 61.0, 7260.0].map(time), ["0 s", "59 s", "1:01 min", "2:01 h"]);
    }
}
