//! How near is the program to what this machine can do?
//!
//! Every row compares two ways of doing the same work, measured in turns within one run, so that what
//! else the machine does falls on both. A row is a ratio with the goal that was set for it; absolute
//! times stand next to it and mean little elsewhere. Nothing here decides whether tests pass.
//!
//! Reads the library as any user would; feeds `tucrl bench`. The kernels behind the rows have benches of
//! their own in `crates/tucrl/benches`.

mod clock;
mod learning;
mod literal;
mod planning;
mod solving;
mod sweeping;

use serde::Serialize;
pub use solving::{SolverTime, time_solver};
use thiserror::Error;
use tucrl::agents::Optimism;
use tucrl::error::{SolveError, WorldError};
use tucrl::planner::PlanError;
use tucrl::run::RunError;

/// How thoroughly to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Everything in less than two minutes.
    Short,
    /// The runs as long as the goals say: tens of minutes.
    Full,
}

/// What a measured number should be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl Goal {
    /// Whether a number is as it should be.
    pub fn is_met(self, measured: f64) -> bool {
        match self {
            Self::AtLeast(least) => measured >= least,
            Self::AtMost(most) => measured <= most,
        }
    }
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The name of the benchmark that the row belongs to.
    pub name: &'static str,
    /// What was compared with what.
    pub what: String,
    /// What came out.
    pub measured: f64,
    /// The unit of that; `x` for a ratio.
    pub unit: &'static str,
    /// What it should be, when there is a goal.
    pub goal: Option<Goal>,
    /// Whether it is.
    pub met: Option<bool>,
    /// The absolute numbers behind it.
    pub details: String,
}

impl Row {
    fn new(
        name: &'static str,
        what: impl Into<String>,
        (measured, unit): (f64, &'static str),
        goal: Option<Goal>,
        details: String,
    ) -> Self {
        let met = goal.map(|goal| goal.is_met(measured));
        Self { name, what: what.into(), measured, unit, goal, met, details }
    }
}

/// Why a benchmark has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A world could not be built.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A world could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A plan failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Threads could not be started.
    #[error("threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The two ways gave different answers, so that comparing their times means nothing.
    #[error("{name}: the two ways disagree: {how}; this is a bug, please report it")]
    Disagree {
        /// The benchmark.
        name: &'static str,
        /// What differs.
        how: String,
    },
}

/// One benchmark, which makes one row or several.
pub struct Benchmark {
    /// Its name, for `--only`.
    pub name: &'static str,
    /// Its question, in a line.
    pub question: &'static str,
    measure: fn(Length) -> Result<Vec<Row>, BenchError>,
}

impl Benchmark {
    /// Measures.
    ///
    /// # Errors
    /// When something fails or the two ways disagree.
    pub fn run(&self, length: Length) -> Result<Vec<Row>, BenchError> {
        (self.measure)(length)
    }
}

/// All of them. The whole run comes first, because the peak of memory is that of the process so far.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: learning::WHOLE_RUN,
        question: "what does a long run of TUCRL on taxi cost, in seconds and memory?",
        measure: learning::whole_run,
    },
    Benchmark {
        name: learning::LOOP,
        question: "how much slower is learning than walking, when plans are rare?",
        measure: learning::learning_loop,
    },
    Benchmark {
        name: sweeping::SWEEP,
        question: "how much slower is an optimistic sweep than a plain one?",
        measure: sweeping::sweeps,
    },
    Benchmark {
        name: planning::LITERAL,
        question: "how much faster are plans than the paper's operator written down?",
        measure: planning::literal,
    },
    Benchmark {
        name: planning::NOMINAL,
        question: "does a plan cost what was seen, or what could be named?",
        measure: planning::nominal_size,
    },
    Benchmark {
        name: planning::ACCELERATED,
        question: "how much does acceleration save where optimism believes in the unreachable?",
        measure: planning::accelerated,
    },
    Benchmark {
        name: learning::THREADS,
        question: "how much faster are two threads than one?",
        measure: learning::threads,
    },
    Benchmark {
        name: solving::EXACT,
        question: "what does an exact answer cost, in plain sweeps and per transition?",
        measure: solving::exact,
    },
];

/// Options with all widths shrunk.
fn shrunk(alpha: f64) -> Optimism {
    Optimism { alpha_r: alpha, alpha_p: alpha, ..Optimism::default() }
}
