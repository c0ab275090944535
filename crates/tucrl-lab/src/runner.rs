//! How are many runs done at once?
//!
//! A cell is one agent in one world with one run index. Workers take cells from one queue, those expected
//! to take longest first, and advance each in chunks of a few dozen milliseconds, so that progress can be
//! shown, a checkpoint taken and a stop heeded soon. A cell may begin where another process left it.
//! Where chunks end, how many workers there are and how often a cell was continued changes no result.
//!
//! Reads `tucrl::run`; feeds `sweep` and the commands. A failed run is an outcome like any other.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tucrl::agents::Algorithm;
use tucrl::model::Model;
use tucrl::planner::{PlanError, Pulse};
use tucrl::run::{Run, RunError, RunRecord, RunSpec, RunState, Truth};

/// A chunk should take about so long.
const CHUNK: Duration = Duration::from_millis(40);
const FIRST_CHUNK: u64 = 64;
const LARGEST_CHUNK: u64 = 1 << 22;

/// Hears how the cells go, and may stop them.
pub trait Watch: Sync {
    /// Whether all cells should stop where they are.
    fn wants_stop(&self) -> bool {
        false
    }
    /// Where a cell that is next in the queue should begin.
    fn begin(&self, _cell: usize) -> Begin {
        Begin::Anew
    }
    /// What the plans of a worker should beat, if somebody looks at it or may stop them.
    fn pulse(&self, _worker: usize) -> Option<Arc<Pulse>> {
        None
    }
    /// The worker goes on with a cell, which has come so far.
    fn at(&self, _worker: usize, _cell: usize, _run: &Run) {}
    /// The worker leaves a cell where it is, because all should stop.
    fn left(&self, _cell: usize, _run: &Run) {}
    /// There was nothing to do for a cell.
    fn skipped(&self, _cell: usize) {}
    /// The worker has ended its cell.
    fn ended(&self, _worker: usize, _cell: usize, _outcome: &Outcome) {}
}

/// Hears nothing and stops nothing.
impl Watch for () {}

/// Where a cell begins.
#[derive(Debug)]
pub enum Begin {
    /// At its first step.
    Anew,
    /// Where a checkpoint was taken.
    At(Box<RunState>),
    /// Nowhere: there is nothing to do.
    Skip,
}

/// One cell, ready to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// The world.
    pub model: Model,
    /// What regret is measured against.
    pub truth: &'a Truth,
    /// The agent, the steps and the seeds.
    pub spec: RunSpec,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// All steps were taken.
    Complete,
    /// It was told to stop.
    Stopped,
    /// A plan failed, or the agent could not be made.
    Failed(RunError),
}

/// What came of one cell.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The record, as far as it goes.
    pub record: RunRecord,
    /// Regret after the last step taken, which need not be at a checkpoint.
    pub last_regret: f64,
    /// How it ended.
    pub ending: Ending,
    /// Time spent simulating.
    pub simulate: Duration,
    /// Time spent planning.
    pub plan: Duration,
}

/// Runs all cells of one world on the threads of the current rayon pool; outcomes are in the order of the
/// cells.
pub fn run_all(
    model: impl Into<Model>,
    truth: &Truth,
    cells: &[RunSpec],
    watch: &dyn Watch,
) -> Vec<Outcome> {
    let model = model.into();
    let jobs: Vec<Job<'_>> =
        cells.iter().map(|spec| Job { model: model.clone(), truth, spec: spec.clone() }).collect();
    let outcomes: Vec<Mutex<Option<Outcome>>> = cells.iter().map(|_| Mutex::new(None)).collect();
    run_jobs(&jobs, watch, &|cell, outcome| {
        *outcomes[cell].lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    });
    let taken =
        |slot: Mutex<Option<Outcome>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.into_iter().filter_map(taken).collect()
}

/// Runs all cells on the threads of the current rayon pool, and hands over each outcome as it comes.
pub fn run_jobs(jobs: &[Job<'_>], watch: &dyn Watch, take: &(dyn Fn(usize, Outcome) + Sync)) {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    // A stable sort: equal cells keep their order.
    order.sort_by_key(|&cell| std::cmp::Reverse(weight(&jobs[cell].spec)));
    let next = AtomicUsize::new(0);
    rayon::broadcast(|context| {
        while let Some(&cell) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            match run_one(&jobs[cell], cell, context.index(), watch) {
                Some(outcome) => {
                    watch.ended(context.index(), cell, &outcome);
                    take(cell, outcome);
                }
                None => watch.skipped(cell),
            }
        }
    });
}

/// What a step costs compared to others, roughly.
fn weight(cell: &RunSpec) -> u128 {
    let kind = match cell.algorithm {
        Algorithm::Scal(_) | Algorithm::ScalPlus(_) | Algorithm::Ucrl2(_) => 50,
        Algorithm::Ucrl(_) => 40,
        Algorithm::Tucrl(_) => 30,
        Algorithm::Psrl(_) | Algorithm::OptimisticPsrl(_) => 60,
        Algorithm::Regal(_) => 300,
        Algorithm::OptimisticQ(_) => 3,
        _ => 1,
    };
    u128::from(cell.steps) * kind
}

fn run_one(job: &Job<'_>, cell: usize, worker: usize, watch: &dyn Watch) -> Option<Outcome> {
    let (model, truth, spec) = (job.model.clone(), job.truth.clone(), job.spec.clone());
    let begun = match watch.begin(cell) {
        Begin::Anew => Run::new(spec, model, truth),
        Begin::At(state) => Run::resume(spec, model, truth, *state),
        Begin::Skip => return None,
    };
    let mut run = match begun {
        Ok(run) => run,
        Err(error) => return Some(never_began(job.truth, error)),
    };
    let mut chunk = FIRST_CHUNK;
    let pulse = watch.pulse(worker);
    let ending = loop {
        watch.at(worker, cell, &run);
        if run.is_complete() {
            break Ending::Complete;
        }
        if watch.wants_stop() {
            watch.left(cell, &run);
            break Ending::Stopped;
        }
        let clock = Instant::now();
        let goal = run.taken().saturating_add(chunk);
        let mut advance = || match &pulse {
            Some(pulse) => pulse.during(|| run.advance(goal)),
            None => run.advance(goal),
        };
        match panic::catch_unwind(AssertUnwindSafe(&mut advance)) {
            Ok(Ok(())) => {}
            // The run stands where it stood before the plan.
            Ok(Err(RunError::Plan(PlanError::Interrupted { .. }))) => {
                watch.left(cell, &run);
                break Ending::Stopped;
            }
            Ok(Err(error)) => break Ending::Failed(error),
            // What the run holds now cannot be trusted; the other cells do not depend on it.
            Err(panic) => return Some(never_began(job.truth, bug(&*panic))),
        }
        let spent = clock.elapsed();
        if spent < CHUNK / 2 {
            chunk = (2 * chunk).min(LARGEST_CHUNK);
        } else if spent > 2 * CHUNK {
            chunk = (chunk / 2).max(1);
        }
    };
    let (simulate, plan) = run.clocks();
    Some(Outcome { record: run.record(), last_regret: run.regret(), ending, simulate, plan })
}

/// What a panic said.
fn bug(panic: &(dyn Any + Send)) -> RunError {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let message = said.or_else(|| panic.downcast_ref().copied()).unwrap_or("no message");
    RunError::Bug { message: message.into() }
}

/// The outcome of a run that has nothing to show.
fn never_began(truth: &Truth, error: RunError) -> Outcome {
    let record = RunRecord {
        steps: 0,
        gain: truth.gain,
        regret: Vec::new(),
        pseudo_regret: Vec::new(),
        episodes: Vec::new(),
        seen: 0,
        z: 0,
        z_over_time: Vec::new(),
        y: 0,
        sweeps: 0,
        visits: Vec::new(),
    };
    let (simulate, plan) = (Duration::ZERO, Duration::ZERO);
    Outcome { record, last_regret: 0.0, ending: Ending::Failed(error), simulate, plan }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use tucrl::agents::{Tucrl, Ucrl};
    use tucrl::evi::Method;
    use tucrl::mdp::Mdp;
    use tucrl::run::Checkpoints;
    use tucrl::solve;
    use tucrl::worlds::ThreeState;

    use super::*;

    fn world() -> (Arc<Mdp>, Truth) {
        let mdp = ThreeState { delta: 0.0, ..Default::default() }.build().unwrap();
        let solution = solve::solve(&mdp).unwrap();
        let gain = solution.gain_from_start(&mdp).0;
        let truth = Truth { gain, reachable: 2, optimal_policy: solution.policy };
        (Arc::new(mdp), truth)
    }

    fn cell(algorithm: Algorithm, steps: u64, run: u64) -> RunSpec {
        RunSpec { algorithm, steps, checkpoints: Checkpoints::PerDecade(3), master_seed: 5, run }
    }

    fn on(threads: usize, cells: &[RunSpec], watch: &dyn Watch) -> Vec<Outcome> {
        let (mdp, truth) = world();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_all(&mdp, &truth, cells, watch))
    }

    #[test]
    fn outcomes_stand_in_order_and_do_not_depend_on_the_threads() {
        let cells: Vec<RunSpec> = (0..6)
            .map(|run| match run % 3 {
                0 => cell(Algorithm::Random, 30_000, run),
                1 => cell(Algorithm::Tucrl(Tucrl::default()), 20_000, run),
                _ => cell(Algorithm::Oracle, 70_000, run),
            })
            .collect();
        let (one, three) = (on(1, &cells, &()), on(3, &cells, &()));
        for ((cell, one), three) in cells.iter().zip(&one).zip(&three) {
            assert_eq!((one.record.steps, &one.ending), (cell.steps, &Ending::Complete));
            assert_eq!(one.record, three.record);
            // In one piece.
            let (mdp, truth) = world();
            let mut whole = Run::new(cell.clone(), mdp, truth).unwrap();
            whole.advance(u64::MAX).unwrap();
            assert_eq!(whole.record(), one.record);
        }
    }

    #[test]
    fn a_failed_run_keeps_what_it_has_and_the_others_go_on() {
        let mut broken = Ucrl::default();
        broken.optimism.evi.method = Method::Plain;
        broken.optimism.evi.sweep_limit = 5;
        // Narrow sets, in which the unreachable state is a distant hope.
        broken.optimism.alpha_p = 0.01;
        let cells = [cell(Algorithm::Ucrl(broken), 100_000, 0), cell(Algorithm::Random, 1000, 0)];
        let outcomes = on(2, &cells, &());
        assert!(matches!(outcomes[0].ending, Ending::Failed(RunError::Plan(_))));
        assert!(outcomes[0].record.steps < 100_000);
        assert_eq!((&outcomes[1].ending, outcomes[1].record.steps), (&Ending::Complete, 1000));
    }

    #[test]
    fn a_bug_in_one_run_is_its_failure_and_the_others_go_on() {
        let (mdp, mut truth) = world();
        // The policy of a smaller world: asked about the third state, it has no answer.
        truth.optimal_policy = tucrl::policy::Policy::deterministic(vec![0]);
        let cells = [cell(Algorithm::Oracle, 1000, 0), cell(Algorithm::Random, 1000, 0)];
        let outcomes = run_all(&mdp, &truth, &cells, &());
        let Ending::Failed(RunError::Bug { message }) = &outcomes[0].ending else {
            panic!("{:?}", outcomes[0].ending);
        };
        assert!(message.contains("out of bounds"), "{message}");
        assert_eq!(outcomes[0].record.steps, 0);
        assert_eq!((&outcomes[1].ending, outcomes[1].record.steps), (&Ending::Complete, 1000));
    }

    #[test]
    fn a_stop_is_heeded_within_a_chunk() {
        struct Impatient(AtomicU64);
        impl Watch for Impatient {
            fn wants_stop(&self) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed) > 20
            }
        }
        let clock = Instant::now();
        let outcomes =
            on(1, &[cell(Algorithm::Random, u64::MAX, 0); 1], &Impatient(AtomicU64::new(0)));
        assert_eq!(outcomes[0].ending, Ending::Stopped);
        assert!(outcomes[0].record.steps > 0 && outcomes[0].last_regret > 0.0);
        assert!(clock.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn long_cells_come_first() {
        let long = cell(Algorithm::Random, 1_000_000, 0);
        let short = cell(Algorithm::Tucrl(Tucrl::default()), 1000, 0);
        let planner = cell(Algorithm::Tucrl(Tucrl::default()), 1_000_000, 0);
        assert!(weight(&planner) > weight(&long) && weight(&long) > weight(&short));
    }

    #[test]
    fn a_plan_that_is_interrupted_is_a_stop_and_no_failure() {
        struct Impatient(AtomicU64);
        impl Watch for Impatient {
            fn pulse(&self, _: usize) -> Option<Arc<Pulse>> {
                Some(Pulse::new(Arc::new(true.into())))
            }
            fn left(&self, _: usize, run: &Run) {
                assert_eq!(run.taken(), 0, "the first plan was not made");
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let cells = [cell(Algorithm::Tucrl(Tucrl::default()), 1000, 0)];
        let watch = Impatient(AtomicU64::new(0));
        let outcomes = on(1, &cells, &watch);
        assert_eq!(outcomes[0].ending, Ending::Stopped);
        assert_eq!(watch.0.into_inner(), 1);
    }
}
