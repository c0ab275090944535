//! How are many runs done at once?
//!
//! A cell is one agent in one world with one run index. Workers take cells from one queue, by run index and then
//! those expected to take longest first, so that a stop half-way leaves something to show for every agent. They
//! advance each cell in chunks of a few dozen milliseconds, so that progress can be shown, a checkpoint taken and
//! a stop noticed soon. A cell may begin where another process left it. Where chunks end, how many workers there
//! are and how often a cell was continued changes no result. A failed run is an outcome like any other.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tucrl::learner::{AgentError, Algorithm};
use tucrl::model::Model;
use tucrl::planner::{PlanError, Pulse};
use tucrl::run::{Run, RunError, RunRecord, RunSpec, RunState};
use tucrl::truth::Truth;

/// The time that a chunk should take: short enough for progress and stops to look immediate.
const CHUNK: Duration = Duration::from_millis(40);
/// Chunks double from here while they take less than half of `CHUNK`, so all smaller ones together take less than one
/// of that length.
const FIRST_CHUNK: u64 = 64;
/// Reached only where a step takes less than 10 ns.
const LARGEST_CHUNK: u64 = 1 << 22;

/// Follows the cells, and may stop them.
pub trait Watch: Sync {
    /// Whether all cells should stop where they are.
    fn wants_stop(&self) -> bool {
        false
    }
    /// Where a cell that is next in the queue should begin.
    fn begin(&self, _cell: usize) -> Begin {
        if self.wants_stop() { Begin::Skip } else { Begin::Anew }
    }
    /// Where the plans of a worker report their progress and learn of a stop.
    fn pulse(&self, _worker: usize) -> Option<Arc<Pulse>> {
        None
    }
    /// The worker is about to advance a cell.
    fn at(&self, _worker: usize, _cell: usize, _run: &Run) {}
    /// The worker leaves a cell where it is, because all should stop.
    fn left(&self, _cell: usize, _run: &Run) {}
    /// There was nothing to do for a cell.
    fn skipped(&self, _cell: usize) {}
    /// The worker has ended its cell.
    fn ended(&self, _worker: usize, _cell: usize, _outcome: &Outcome) {}
}

/// Does nothing.
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
#[derive(Debug, Clone)]
pub struct Job {
    /// The world.
    pub model: Model,
    /// What regret is measured against.
    pub truth: Arc<Truth>,
    /// Why the run cannot begin, if it cannot.
    pub failure: Option<RunError>,
    /// The algorithm with its options.
    pub algorithm: Arc<dyn Algorithm>,
    /// The steps and the seeds.
    pub spec: RunSpec,
    /// Whether the loss after exploration times is measured.
    pub exploration: bool,
    /// Whether its learner is in another process, which is lent the world.
    pub lends_world: bool,
}

impl Job {
    /// The run from its first step, or from a checkpoint; one that does not fit is not used.
    fn begin(&self, state: Option<RunState>) -> Result<Run, RunError> {
        let parts = || (self.spec.clone(), Arc::clone(&self.algorithm), Arc::clone(&self.truth));
        if let Some(state) = state {
            let (spec, algorithm, truth) = parts();
            match Run::resume(spec, algorithm, &self.model, truth, state) {
                Err(RunError::Agent(AgentError::Checkpoint { .. } | AgentError::CannotRestore)) => {
                }
                other => return other.map(|run| self.lend(run)),
            }
        }
        let (spec, algorithm, truth) = parts();
        let mut run = Run::new(spec, algorithm, &self.model, truth)?;
        if self.exploration {
            run.watch_exploration();
        }
        Ok(self.lend(run))
    }

    fn lend(&self, mut run: Run) -> Run {
        if self.lends_world {
            run.lend_world();
        }
        run
    }
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
    /// The same of gap regret; none where gaps are not known.
    pub last_gap_regret: Option<f64>,
    /// How it ended.
    pub ending: Ending,
    /// Time spent simulating.
    pub simulate: Duration,
    /// Time spent planning.
    pub plan: Duration,
}

/// Runs all cells on the threads of the current rayon pool; outcomes are in the order of the cells, without those
/// that a stop kept from starting.
pub fn run_all(jobs: &[Job], watch: &dyn Watch) -> Vec<Option<Outcome>> {
    let outcomes: Vec<Mutex<Option<Outcome>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    run_jobs(jobs, watch, &|cell, outcome| {
        *outcomes[cell].lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    });
    let taken =
        |slot: Mutex<Option<Outcome>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.into_iter().map(taken).collect()
}

/// Runs all cells on the threads of the current rayon pool, and hands over each outcome as it comes.
pub fn run_jobs(jobs: &[Job], watch: &dyn Watch, take: &(dyn Fn(usize, Outcome) + Sync)) {
    let order = order(jobs);
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

/// The cells by run index, those of one index by what they are expected to cost, the most expensive first.
fn order(jobs: &[Job]) -> Vec<usize> {
    let cost = |job: &Job| u128::from(job.spec.steps) * u128::from(job.algorithm.step_cost());
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    // A stable sort: equal cells keep their order.
    order.sort_by_key(|&cell| (jobs[cell].spec.run, std::cmp::Reverse(cost(&jobs[cell]))));
    order
}

fn run_one(job: &Job, cell: usize, worker: usize, watch: &dyn Watch) -> Option<Outcome> {
    let state = match watch.begin(cell) {
        Begin::Anew => None,
        Begin::At(state) => Some(*state),
        Begin::Skip => return None,
    };
    if let Some(error) = &job.failure {
        return Some(never_began(&job.truth, error.clone()));
    }
    let begun = panic::catch_unwind(AssertUnwindSafe(|| job.begin(state)));
    let mut run = match begun {
        Ok(Ok(run)) => run,
        Ok(Err(error)) => return Some(never_began(&job.truth, error)),
        Err(panic) => return Some(never_began(&job.truth, bug(&*panic))),
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
            // The run is in its state before the plan.
            Ok(Err(RunError::Plan(PlanError::Interrupted { .. }))) => {
                watch.left(cell, &run);
                break Ending::Stopped;
            }
            Ok(Err(error)) => break Ending::Failed(error),
            // What the run holds now cannot be trusted; the other cells do not depend on it.
            Err(panic) => return Some(never_began(&job.truth, bug(&*panic))),
        }
        let spent = clock.elapsed();
        if spent < CHUNK / 2 {
            chunk = (2 * chunk).min(LARGEST_CHUNK);
        } else if spent > 2 * CHUNK {
            chunk = (chunk / 2).max(1);
        }
    };
    let (simulate, plan) = run.clocks();
    let (last_regret, last_gap_regret) = (run.regret(), run.gap_regret());
    Some(Outcome { record: run.record(), last_regret, last_gap_regret, ending, simulate, plan })
}

fn bug(panic: &(dyn Any + Send)) -> RunError {
    RunError::Bug { message: said(panic).into() }
}

/// The message of a panic.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    said.or_else(|| panic.downcast_ref().copied()).unwrap_or("no message")
}

/// The outcome of a run that has nothing to show.
fn never_began(truth: &Truth, error: RunError) -> Outcome {
    let record = RunRecord {
        steps: 0,
        gain: truth.gain(),
        regret: Vec::new(),
        pseudo_regret: Vec::new(),
        gap_regret: truth.gaps().map(|_| Vec::new()),
        gain_lost: None,
        exploration: None,
        episodes: Vec::new(),
        seen: 0,
        z: 0,
        z_over_time: Vec::new(),
        y: 0,
        sweeps: 0,
        visits: Vec::new(),
        remarks: Vec::new(),
    };
    let (simulate, plan) = (Duration::ZERO, Duration::ZERO);
    let (last_regret, last_gap_regret) = (0.0, truth.gaps().map(|_| 0.0));
    Outcome { record, last_regret, last_gap_regret, ending: Ending::Failed(error), simulate, plan }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use tucrl::agents::{Random, Tucrl, Ucrl, own_agent};
    use tucrl::evi::Method;
    use tucrl::learner::Learner;
    use tucrl::run::Checkpoints;
    use tucrl::space::{ActionId, StateId};
    use tucrl::worlds::ThreeState;

    use super::*;

    fn cell(algorithm: impl Algorithm + 'static, steps: u64, run: u64) -> Job {
        let mdp = ThreeState { delta: 0.0, ..Default::default() }.build().unwrap();
        let model = Model::from(Arc::new(mdp));
        let truth = Arc::new(Truth::of(&model).unwrap());
        let checkpoints = Checkpoints::PerDecade(3);
        let spec = RunSpec { steps, checkpoints, master_seed: 5, run };
        let algorithm = Arc::new(algorithm);
        let (exploration, lends_world) = (false, false);
        Job { model, truth, failure: None, algorithm, spec, exploration, lends_world }
    }

    fn on(threads: usize, cells: &[Job], watch: &dyn Watch) -> Vec<Option<Outcome>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_all(cells, watch))
    }

    fn all(outcomes: Vec<Option<Outcome>>) -> Vec<Outcome> {
        outcomes.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn outcomes_stand_in_order_and_do_not_depend_on_the_threads() {
        let cells: Vec<Job> = (0..6)
            .map(|run| match run % 3 {
                0 => cell(Random {}, 30_000, run),
                1 => cell(Tucrl::default(), 20_000, run),
                _ => cell(tucrl::agents::Oracle {}, 70_000, run),
            })
            .collect();
        let (one, three) = (all(on(1, &cells, &())), all(on(3, &cells, &())));
        for ((cell, one), three) in cells.iter().zip(&one).zip(&three) {
            assert_eq!((one.record.steps, &one.ending), (cell.spec.steps, &Ending::Complete));
            assert_eq!(one.record, three.record);
            // In one piece.
            let (algorithm, truth) = (Arc::clone(&cell.algorithm), Arc::clone(&cell.truth));
            let mut whole = Run::new(cell.spec.clone(), algorithm, &cell.model, truth).unwrap();
            whole.advance(u64::MAX).unwrap();
            assert_eq!(whole.record(), one.record);
        }
    }

    #[test]
    fn a_failed_run_keeps_what_it_has_and_the_others_go_on() {
        let mut broken = Ucrl::default();
        broken.optimism.planner = Method::Plain;
        broken.optimism.sweeps = 5;
        // Narrow sets, in which the unreachable state is unlikely to be reached.
        broken.optimism.alpha_p = 0.01.into();
        let cells = [cell(broken, 100_000, 0), cell(Random {}, 1000, 0)];
        let outcomes = all(on(2, &cells, &()));
        assert!(matches!(outcomes[0].ending, Ending::Failed(RunError::Plan(_))));
        assert!(outcomes[0].record.steps < 100_000);
        assert_eq!((&outcomes[1].ending, outcomes[1].record.steps), (&Ending::Complete, 1000));
    }

    /// Panics at its third step.
    struct Broken(u32);

    impl Learner for Broken {
        fn act(&mut self) -> Result<ActionId, PlanError> {
            assert!(self.0 < 3, "the third step is too much");
            Ok(0)
        }
        fn observe(&mut self, _: f64, _: StateId) {
            self.0 += 1;
        }
    }

    #[test]
    fn a_bug_in_one_run_is_its_failure_and_the_others_go_on() {
        let kind = own_agent("broken", "", |_, _: Random| Ok(Broken(0)));
        let algorithm = kind.make(&Default::default()).unwrap();
        let cells = [Job { algorithm, ..cell(Random {}, 1000, 0) }, cell(Random {}, 1000, 0)];
        let outcomes = all(run_all(&cells, &()));
        let Ending::Failed(RunError::Bug { message }) = &outcomes[0].ending else {
            panic!("{:?}", outcomes[0].ending);
        };
        assert!(message.contains("the third step"), "{message}");
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
        let cells = [cell(Random {}, u64::MAX, 0), cell(Random {}, 10, 1)];
        let outcomes = on(1, &cells, &Impatient(AtomicU64::new(0)));
        let first = outcomes[0].as_ref().unwrap();
        assert_eq!(first.ending, Ending::Stopped);
        assert!(first.record.steps > 0 && first.last_regret > 0.0);
        assert!(outcomes[1].is_none(), "a cell that was not started has no outcome");
        assert!(clock.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn every_agent_has_its_first_run_before_any_has_its_second() {
        let tucrl = || Tucrl::default();
        let cells = [
            cell(Random {}, 1_000_000, 0),
            cell(Random {}, 1_000_000, 1),
            cell(tucrl(), 1000, 0),
            cell(tucrl(), 1000, 1),
            cell(tucrl(), 1_000_000, 0),
            cell(tucrl(), 1_000_000, 1),
        ];
        assert_eq!(order(&cells), [4, 0, 2, 5, 1, 3], "by run, then by cost");
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
        let cells = [cell(Tucrl::default(), 1000, 0)];
        let watch = Impatient(AtomicU64::new(0));
        let outcomes = all(on(1, &cells, &watch));
        assert_eq!(outcomes[0].ending, Ending::Stopped);
        assert_eq!(watch.0.into_inner(), 1);
    }
}
