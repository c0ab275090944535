//! How fast is the program on this machine?
//!
//! Every row compares two variants of the same work, measured alternately within one run, so that other load on the
//! machine affects both. A row is a ratio with its goal; absolute times are details. The kernels behind the rows have
//! benches of their own in `crates/tucrl/benches`.

mod bare_walk;
mod clock;
mod learning;
mod literal;
mod planning;
mod same_bits;
mod solving;
mod sweeping;

use serde::Serialize;
pub use solving::{SolverTime, time_solver};
use thiserror::Error;
use tucrl::error::{SolveError, WorldError};
use tucrl::planner::PlanError;
use tucrl::run::RunError;
use tucrl::truth::TruthError;

/// Length of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Everything in less than two minutes.
    Short,
    /// Full-length runs: tens of minutes.
    Full,
}

/// A goal for a measured number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl Goal {
    /// True if a number meets the goal.
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
    /// The measured number.
    pub measured: f64,
    /// Its unit; `x` for a ratio.
    pub unit: &'static str,
    /// The goal, if there is one.
    pub goal: Option<Goal>,
    /// True if the goal is met.
    pub met: Option<bool>,
    /// The absolute numbers.
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
    /// The truth about a world could not be computed.
    #[error(transparent)]
    Truth(#[from] TruthError),
    /// A plan failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Threads could not be started.
    #[error("threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The two variants gave different results, so that their times are not comparable.
    #[error("{name}: the two results disagree: {how}; this is a bug, please report it")]
    Disagree {
        /// The benchmark.
        name: &'static str,
        /// What differs.
        how: String,
    },
}

/// A benchmark, which produces one row or several.
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
    /// When something fails or the two variants disagree.
    pub fn run(&self, length: Length) -> Result<Vec<Row>, BenchError> {
        (self.measure)(length)
    }
}

/// All benchmarks. The whole run comes first, because peak memory is that of the process so far.
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
        question: "how much faster are plans than a literal implementation?",
        measure: planning::literal,
    },
    Benchmark {
        name: planning::NOMINAL,
        question: "does the cost of a plan depend on the nominal number of states?",
        measure: planning::nominal_size,
    },
    Benchmark {
        name: planning::ACCELERATED,
        question: "how much does acceleration save with unreachable states?",
        measure: planning::accelerated,
    },
    Benchmark {
        name: planning::WARM,
        question: "how much faster are all plans of a run that start from the last one?",
        measure: planning::warm,
    },
    Benchmark {
        name: learning::THREADS,
        question: "how much faster are two threads than one?",
        measure: learning::threads,
    },
    Benchmark {
        name: solving::EXACT,
        question: "what does an exact solution cost, in plain sweeps and per transition?",
        measure: solving::exact,
    },
    Benchmark {
        name: same_bits::SAME_BITS,
        question: "what do functions with the same bits on every platform cost?",
        measure: same_bits::same_bits,
    },
];
