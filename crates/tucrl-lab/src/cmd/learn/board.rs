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
use tucrl::run::{Run, RunSpec};
use tucrl_lab::runner::{Outcome, Watch};

use super::{Experiment, table};

const PATIENCE: Duration = Duration::from_millis(700);
/// More threads than this do not get a line each.
const LINES: usize = 8;
/// Characters of an agent's name, so that a line stays within 80 columns.
const NAME: usize = 20;

pub(super) struct Board {
    stop: Arc<AtomicBool>,
    clock: Instant,
    /// Steps that each cell has taken.
    taken: Vec<AtomicU64>,
    names: Vec<String>,
    screen: Option<Screen>,
    steps: u64,
}

struct Screen {
    all: MultiProgress,
    total: ProgressBar,
    lines: Vec<ProgressBar>,
    is_shown: AtomicBool,
}

impl Board {
    pub(super) fn new(experiment: &Experiment, cells: &[RunSpec], stop: Arc<AtomicBool>) -> Self {
        let names = experiment.agents.iter().flat_map(|(name, _)| {
            let short = name.chars().take(NAME).collect::<String>();
            (0..experiment.seeds).map(move |run| format!("{short} #{run}"))
        });
        let steps = cells.iter().map(|cell| cell.steps).sum();
        let lines = rayon::current_num_threads().min(cells.len()).min(LINES);
        Self {
            stop,
            clock: Instant::now(),
            taken: cells.iter().map(|_| AtomicU64::new(0)).collect(),
            names: names.collect(),
            screen: io::stderr().is_terminal().then(|| Screen::new(steps, lines)),
            steps,
        }
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
        let done: u64 = self.taken.iter().map(|taken| taken.load(Ordering::Relaxed)).sum();
        let rate = done as f64 / self.clock.elapsed().as_secs_f64();
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
        let (name, step) = (&self.names[cell], short(run.taken()));
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let regret = table::digits(run.regret(), 3);
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
        self.taken[cell].store(run.taken(), Ordering::Relaxed);
        self.show(worker, cell, run);
    }

    fn ended(&self, worker: usize, cell: usize, _outcome: &Outcome) {
        // A run that failed leaves nothing to wait for.
        self.taken[cell].store(self.steps / self.taken.len() as u64, Ordering::Relaxed);
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
            return format!("{}{unit}", table::digits(value, 3));
        }
    }
    format!("{}G", table::digits(value / 1000.0, 3))
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
