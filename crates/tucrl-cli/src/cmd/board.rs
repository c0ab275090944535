//! How is the progress of runs shown?
//!
//! On a terminal a bar with the steps done, the rate and the remaining time, then a line per thread with its run or,
//! during a long plan, the state of that plan. Shown after `PATIENCE`, cleared before the answer is printed. Elsewhere
//! a line a minute: `log` writes it.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tucrl::planner::Pulse;
use tucrl::run::Run;
use tucrl_lab::CellId;
use tucrl_lab::runner::{Outcome, Watch};
use tucrl_lab::text::{countdown, digits, short_count};

use super::log::{self, Log, Share};

const PATIENCE: Duration = Duration::from_millis(700);
/// A plan that takes longer than this is shown.
const LONG_PLAN: Duration = Duration::from_secs(1);
/// At most this number of threads get a line.
const LINES: usize = 8;
/// Characters of an agent's name, so that a line stays within 80 columns.
const NAME: usize = 20;

pub(super) struct Board {
    stop: Arc<AtomicBool>,
    clock: Instant,
    cells: Arc<[Line]>,
    /// Progress of the plan of each worker.
    workers: Arc<[Worker]>,
    screen: Option<Screen>,
    /// In place of a screen.
    _log: Option<Log>,
    steps: u64,
    /// Steps taken before this process started.
    given: AtomicU64,
}

/// One cell.
struct Line {
    /// Its agent and run, short.
    name: String,
    /// Its world, agent and run.
    title: String,
    steps: u64,
    taken: AtomicU64,
    is_begun: AtomicBool,
    is_ended: AtomicBool,
}

struct Worker {
    pulse: Arc<Pulse>,
    /// Time of the last update, and the head of its line.
    last: Mutex<Option<(Instant, String)>>,
}

struct Screen {
    /// Thread that shows long plans; ends when the sender is dropped.
    ticker: Option<(mpsc::Sender<()>, thread::JoinHandle<()>)>,
    frame: Arc<Frame>,
    total: ProgressBar,
    lines: Vec<ProgressBar>,
}

/// All progress bars; hidden until `appear`.
struct Frame {
    all: MultiProgress,
    is_shown: AtomicBool,
}

impl Frame {
    fn appear(&self) {
        if !self.is_shown.swap(true, Ordering::Relaxed) {
            self.all.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }
}

impl Board {
    /// A board for cells.
    pub(super) fn new<'a>(
        cells: impl IntoIterator<Item = &'a CellId>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let line = |id: &CellId| Line {
            name: name(&id.label, id.run),
            title: id.title(),
            steps: id.steps,
            taken: AtomicU64::new(0),
            is_begun: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
        };
        let cells: Arc<[Line]> = cells.into_iter().map(line).collect();
        let steps = cells.iter().map(|cell| cell.steps).sum();
        let lines = rayon::current_num_threads().min(cells.len()).min(LINES);
        let worker = |_| Worker { pulse: Pulse::new(Arc::clone(&stop)), last: Mutex::new(None) };
        let workers: Arc<[Worker]> = (0..rayon::current_num_threads()).map(worker).collect();
        let is_terminal = io::stderr().is_terminal();
        let screen = is_terminal.then(|| Screen::new(steps, lines, &workers));
        let logged = Arc::clone(&cells);
        let line = move || log::line(logged.iter().map(Line::share));
        let log = (!is_terminal).then(|| Log::new(log::interval(), line));
        let (clock, given) = (Instant::now(), AtomicU64::new(0));
        Self { stop, clock, cells, workers, screen, _log: log, steps, given }
    }

    fn show(&self, worker: usize, cell: usize, run: &Run) {
        let Some(screen) = &self.screen else { return };
        let (head, rest) = self.line(cell, run);
        let message = format!("{head}{rest}");
        if let Some(worker) = self.workers.get(worker) {
            *lock(&worker.last) = Some((Instant::now(), head));
        }
        if self.clock.elapsed() < PATIENCE {
            return;
        }
        screen.frame.appear();
        if let Some(line) = screen.lines.get(worker) {
            line.set_message(message);
        }
        let done: u64 = self.cells.iter().map(|cell| cell.taken.load(Ordering::Relaxed)).sum();
        let own = done.saturating_sub(self.given.load(Ordering::Relaxed));
        let rate = own as f64 / self.clock.elapsed().as_secs_f64();
        let left = self.steps.saturating_sub(done) as f64 / rate.max(1.0);
        screen.total.set_position(done);
        let mut message = format!("{} of {} steps", short_count(done), short_count(self.steps));
        let _ = match self.stop.load(Ordering::Relaxed) {
            true => write!(message, ", stopping"),
            false => write!(message, ", {}/s, {} left", short_count(rate as u64), countdown(left)),
        };
        screen.total.set_message(message);
    }

    /// Name and step of a run, then its regret, episodes and seen states.
    fn line(&self, cell: usize, run: &Run) -> (String, String) {
        let diary = run.learner().diary();
        let (name, step) = (&self.cells[cell].name, short_count(run.taken()));
        let width = self.cells.iter().map(|cell| cell.name.chars().count()).max().unwrap_or(0);
        let regret = digits(run.regret(), 3);
        let head = format!("{name:<width$}  step {step:<5}");
        let mut line = format!("  regret {regret:<6}");
        if diary.episode_count() > 0 {
            let _ = write!(line, "  episode {:<5}", short_count(diary.episode_count() as u64));
        }
        if let Some(counts) = diary.counts {
            let _ = write!(line, "  seen {}", short_count(counts.seen() as u64));
        }
        (head, line)
    }
}

impl Line {
    fn share(&self) -> Share<'_> {
        Share {
            title: &self.title,
            steps: self.steps,
            taken: self.taken.load(Ordering::Relaxed),
            is_begun: self.is_begun.load(Ordering::Relaxed),
            is_ended: self.is_ended.load(Ordering::Relaxed),
        }
    }
}

/// The name of a cell, truncated so that a line stays within 80 columns.
fn name(agent: &str, run: u64) -> String {
    format!("{} #{run}", agent.chars().take(NAME).collect::<String>())
}

impl Watch for Board {
    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn pulse(&self, worker: usize) -> Option<Arc<Pulse>> {
        self.workers.get(worker).map(|worker| Arc::clone(&worker.pulse))
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
        line.is_ended.store(true, Ordering::Relaxed);
        self.given.fetch_add(line.steps, Ordering::Relaxed);
    }

    fn ended(&self, worker: usize, cell: usize, _outcome: &Outcome) {
        // A failed run has no steps left either.
        self.cells[cell].taken.store(self.cells[cell].steps, Ordering::Relaxed);
        self.cells[cell].is_ended.store(true, Ordering::Relaxed);
        if let Some(line) = self.screen.as_ref().and_then(|screen| screen.lines.get(worker)) {
            line.set_message("");
        }
        if let Some(worker) = self.workers.get(worker) {
            *lock(&worker.last) = None;
        }
    }
}

impl Worker {
    /// The line of a plan that takes long.
    fn long_plan(&self) -> Option<String> {
        let last = lock(&self.last);
        let (_, head) = last.as_ref().filter(|(said, _)| said.elapsed() > LONG_PLAN)?;
        let (sweeps, span, tolerance) = self.pulse.read()?;
        Some(format!("{head}  {}", planning(sweeps, span, tolerance)))
    }
}

/// `plan: sweep 120, gap 0.031, goal 0.001`: short, so that a line stays within 80 columns.
fn planning(sweeps: u64, span: f64, tolerance: f64) -> String {
    let [span, tolerance] = [span, tolerance].map(|number| digits(number, 2));
    format!("plan: sweep {}, gap {span}, goal {tolerance}", short_count(sweeps))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    fn new(steps: u64, lines: usize, workers: &Arc<[Worker]>) -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let total = all.add(ProgressBar::new(steps));
        total.set_style(style("  {bar:24} {percent:>3} %  {msg}"));
        let lines: Vec<ProgressBar> = (0..lines)
            .map(|_| {
                let line = all.add(ProgressBar::new(1));
                line.set_style(style("  {msg}"));
                line
            })
            .collect();
        let (alive, ended) = mpsc::channel::<()>();
        let frame = Arc::new(Frame { all, is_shown: AtomicBool::new(false) });
        let (workers, shown, whole) = (Arc::clone(workers), lines.clone(), Arc::clone(&frame));
        let ticker = thread::Builder::new().spawn(move || {
            while ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                for (worker, line) in workers.iter().zip(&shown) {
                    if let Some(message) = worker.long_plan() {
                        whole.appear();
                        line.set_message(message);
                    }
                }
            }
        });
        // If the thread cannot be started, long plans are not shown.
        let ticker = ticker.ok().map(|thread| (alive, thread));
        Self { ticker, frame, total, lines }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Some((alive, thread)) = self.ticker.take() {
            drop(alive);
            let _ = thread.join();
        }
        self.lines.iter().chain([&self.total]).for_each(ProgressBar::finish_and_clear);
        // Errors on a closed standard error are ignored.
        let _ = self.frame.all.clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .map(|style| style.progress_chars("━╸ "))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use tucrl::{Checkpoints, Model, RunSpec, Truth, Tucrl};

    use super::*;

    #[test]
    fn a_long_plan_is_shown_and_a_short_one_is_not() {
        let worker = Worker { pulse: Pulse::new(Arc::default()), last: Mutex::new(None) };
        assert_eq!(worker.long_plan(), None, "at nothing");
        let long_ago = Instant::now().checked_sub(2 * LONG_PLAN).unwrap();
        *lock(&worker.last) = Some((long_ago, "tucrl #0  step 10  ".into()));
        assert_eq!(worker.long_plan(), None, "no plan has begun");
        let mdp = tucrl::worlds::RiverSwim::default().build().unwrap();
        let model = Model::from(Arc::new(mdp));
        let truth = Arc::new(Truth::of(&model).unwrap());
        let checkpoints = Checkpoints::PerDecade(1);
        let spec = RunSpec { steps: 50, checkpoints, master_seed: 1, run: 0 };
        let mut run = Run::new(spec, Arc::new(Tucrl::default()), &model, truth).unwrap();
        worker.pulse.during(|| {
            run.advance(50).unwrap();
            let shown = worker.long_plan().unwrap();
            assert!(shown.starts_with("tucrl #0  step 10    plan: sweep "), "{shown}");
            *lock(&worker.last) = Some((Instant::now(), String::new()));
            assert_eq!(worker.long_plan(), None, "it has just said something");
        });
        let line = planning(12_345, 0.031_25, 0.001);
        assert_eq!(line, "plan: sweep 12.3k, gap 0.031, goal 0.0010");
    }
}
