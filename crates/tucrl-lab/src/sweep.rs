//! How is an experiment carried out so that it may be stopped at any moment?
//!
//! First look at what the store has: finished cells are kept, damaged files set aside, failed cells left
//! alone unless they are to be retried. Then run what is missing, each cell from its furthest sound
//! checkpoint, and store every outcome at once. A disk that refuses a result stops the work, for what
//! cannot be kept is not worth computing; a checkpoint that cannot be written is only a pity.
//!
//! Reads `experiment`, `store`, `runner`; feeds the command `run`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tucrl::run::{Run, RunSpec};

use crate::experiment::{Cell, CellId, Experiment, ExperimentError, PreparedWorld};
use crate::inspection;
use crate::record::{Provenance, StoredRun};
use crate::runner::{self, Begin, Ending, Job, Outcome, Watch};
use crate::store::{Store, StoreError, StoredState};

/// How to carry it out.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How often a run under way is stored.
    pub checkpoint_every: Duration,
    /// Whether cells that failed before are run again.
    pub retry_failed: bool,
}

/// Where the selected cells stand before anything is run.
#[derive(Debug, Default)]
pub struct Survey {
    /// To be run.
    pub to_do: Vec<Cell>,
    /// Finished before.
    pub done: usize,
    /// Failed before, with the error.
    pub failed: Vec<(CellId, String)>,
    /// What was set aside, and why.
    pub notes: Vec<String>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Summary {
    /// Cells finished now, or by another process meanwhile.
    pub done: usize,
    /// Cells that failed now, with the error.
    pub failed: Vec<(CellId, String)>,
    /// Cells left where they were.
    pub stopped: usize,
    /// What was set aside or could not be written, and why.
    pub notes: Vec<String>,
}

/// Looks at what the store has of the cells; damaged files are set aside.
///
/// # Errors
/// When the store cannot be read, or holds files of a later version.
pub fn survey(store: &Store, cells: Vec<Cell>, options: Options) -> Result<Survey, StoreError> {
    let mut survey = Survey::default();
    for cell in cells {
        match store.run(&cell.id) {
            Ok(None) => survey.to_do.push(cell),
            Ok(Some((_, run))) => match run.error {
                Some(_) if options.retry_failed => survey.to_do.push(cell),
                Some(error) => survey.failed.push((cell.id, error)),
                None => {
                    survey.done += 1;
                    // A process that was killed between its last two acts left them behind.
                    store.remove_states(&cell.id)?;
                }
            },
            Err(error) => {
                survey.notes.push(aside(store, error)?);
                survey.to_do.push(cell);
            }
        }
    }
    Ok(survey)
}

/// Sets a damaged file aside and says so; any other error stays one.
fn aside(store: &Store, error: StoreError) -> Result<String, StoreError> {
    let StoreError::Damaged { path, .. } = &error else { return Err(error) };
    let kept = store.set_aside(path)?;
    Ok(format!("{error}\n  It is kept as {} and not used.", kept.display()))
}

/// Builds and solves the worlds that the cells need, each once.
///
/// # Errors
/// When a world or an agent cannot be made.
pub fn prepare(
    experiment: &Experiment,
    cells: &[Cell],
    watch: &dyn inspection::Watch,
) -> Result<BTreeMap<usize, PreparedWorld>, ExperimentError> {
    let mut worlds = BTreeMap::new();
    for cell in cells {
        if let Entry::Vacant(place) = worlds.entry(cell.world) {
            place.insert(experiment.prepare(cell.world, watch)?);
        }
    }
    Ok(worlds)
}

/// Runs the cells on the threads of the current rayon pool.
///
/// # Errors
/// When a result could not be stored, or the store holds files of a later version. The cells under way
/// are stopped and, where the disk lets them, checkpointed.
///
/// # Panics
/// When the world of a cell is not prepared.
pub fn run(
    store: &Store,
    cells: &[Cell],
    worlds: &BTreeMap<usize, PreparedWorld>,
    options: Options,
    watch: &dyn Watch,
) -> Result<Summary, StoreError> {
    let job = |cell: &Cell| {
        let world = &worlds[&cell.world];
        let spec = RunSpec {
            algorithm: world.algorithms[cell.agent].clone(),
            steps: cell.id.steps,
            checkpoints: cell.id.checkpoints.clone(),
            master_seed: cell.id.master_seed,
            run: cell.id.run,
        };
        Job { mdp: &world.mdp, truth: &world.truth, spec }
    };
    let jobs: Vec<Job<'_>> = cells.iter().map(job).collect();
    let keeper = Keeper {
        store,
        cells,
        jobs: &jobs,
        options,
        watch,
        under_way: cells.iter().map(|_| Mutex::default()).collect(),
        is_broken: AtomicBool::new(false),
        broken: Mutex::new(None),
        summary: Mutex::default(),
    };
    runner::run_jobs(&jobs, &keeper, &|cell, outcome| {
        let facts = &worlds[&cells[cell].world].facts;
        keeper.keep(cell, outcome, |record, spec, error| {
            let id = &cells[cell].id;
            StoredRun {
                experiment: id.experiment.clone(),
                world: id.world.clone(),
                agent: id.agent.clone(),
                label: id.label.clone(),
                spec,
                facts: facts.clone(),
                record,
                error,
            }
        });
    });
    match keeper.broken.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(keeper.summary.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Stores what comes of the cells while they run.
struct Keeper<'a> {
    store: &'a Store,
    cells: &'a [Cell],
    jobs: &'a [Job<'a>],
    options: Options,
    watch: &'a dyn Watch,
    under_way: Vec<Mutex<UnderWay>>,
    is_broken: AtomicBool,
    broken: Mutex<Option<StoreError>>,
    summary: Mutex<Summary>,
}

/// What is remembered of a cell while it runs.
#[derive(Default)]
struct UnderWay {
    /// What earlier processes put into it.
    sessions: u32,
    simulate_seconds: f64,
    plan_seconds: f64,
    /// When it was last stored, and how far it was.
    stored: Option<Instant>,
    stored_at: u64,
}

impl Keeper<'_> {
    fn broke(&self, error: StoreError) {
        lock(&self.broken).get_or_insert(error);
        self.is_broken.store(true, Ordering::Relaxed);
    }

    fn note(&self, note: String) {
        let mut summary = lock(&self.summary);
        if !summary.notes.contains(&note) {
            summary.notes.push(note);
        }
    }

    /// The furthest checkpoint that is sound and was made by the same version with the same options.
    fn furthest(&self, cell: usize) -> Result<Option<StoredState>, StoreError> {
        let (id, spec) = (&self.cells[cell].id, &self.jobs[cell].spec);
        let mut furthest: Option<StoredState> = None;
        for path in self.store.state_files(id)? {
            let (header, state) = match self.store.state(&path, id) {
                Ok(found) => found,
                // Another process has finished the cell.
                Err(StoreError::File(crate::formats::FormatError::NotFound { .. })) => continue,
                Err(error) => {
                    self.note(aside(self.store, error)?);
                    continue;
                }
            };
            let is_ours = header.provenance.version == env!("CARGO_PKG_VERSION");
            if is_ours
                && state.spec == *spec
                && furthest.as_ref().is_none_or(|f| f.taken < state.taken)
            {
                let mut under_way = lock(&self.under_way[cell]);
                under_way.sessions = header.provenance.sessions;
                under_way.simulate_seconds = header.provenance.simulate_seconds;
                under_way.plan_seconds = header.provenance.plan_seconds;
                under_way.stored_at = state.taken;
                furthest = Some(state);
            }
        }
        Ok(furthest)
    }

    fn store_state(&self, cell: usize, run: &Run, is_stopped: bool) {
        let (simulate, plan) = run.clocks();
        let state = StoredState {
            cell: self.cells[cell].id.clone(),
            spec: run.spec().clone(),
            taken: run.taken(),
            is_stopped,
            state: run.state().clone(),
        };
        let mut under_way = lock(&self.under_way[cell]);
        let provenance = provenance(&under_way, simulate, plan);
        if let Err(error) = self.store.write_state(&state, &provenance) {
            self.note(format!("a checkpoint could not be stored: {error}"));
        }
        under_way.stored = Some(Instant::now());
        under_way.stored_at = run.taken();
    }

    fn keep(
        &self,
        cell: usize,
        outcome: Outcome,
        stored: impl FnOnce(tucrl::run::RunRecord, RunSpec, Option<String>) -> StoredRun,
    ) {
        let error = match outcome.ending {
            Ending::Stopped => {
                lock(&self.summary).stopped += 1;
                return;
            }
            Ending::Complete => None,
            Ending::Failed(error) => Some(error.to_string()),
        };
        let id = &self.cells[cell].id;
        let run = stored(outcome.record, self.jobs[cell].spec.clone(), error);
        let provenance = provenance(&lock(&self.under_way[cell]), outcome.simulate, outcome.plan);
        let kept = self.store.write_run(id, &run, &provenance);
        match kept.and_then(|()| self.store.remove_states(id)) {
            Err(error) => self.broke(error),
            Ok(()) => match run.error {
                Some(error) => lock(&self.summary).failed.push((id.clone(), error)),
                None => lock(&self.summary).done += 1,
            },
        }
    }
}

impl Watch for Keeper<'_> {
    fn wants_stop(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed) || self.watch.wants_stop()
    }

    fn begin(&self, cell: usize) -> Begin {
        // After a stop the rest of the queue is not even begun.
        if self.wants_stop() {
            lock(&self.summary).stopped += 1;
            return Begin::Skip;
        }
        let found = match self.store.run(&self.cells[cell].id) {
            // Another process was faster.
            Ok(Some((_, run))) if run.error.is_none() => {
                lock(&self.summary).done += 1;
                return Begin::Skip;
            }
            Ok(_) => self.furthest(cell),
            Err(error) => aside(self.store, error).and_then(|note| {
                self.note(note);
                self.furthest(cell)
            }),
        };
        match found {
            Ok(Some(state)) => Begin::At(Box::new(state.state)),
            Ok(None) => Begin::Anew,
            Err(error) => {
                self.broke(error);
                lock(&self.summary).stopped += 1;
                Begin::Skip
            }
        }
    }

    fn at(&self, worker: usize, cell: usize, run: &Run) {
        self.watch.at(worker, cell, run);
        let is_due = {
            let mut under_way = lock(&self.under_way[cell]);
            let since = *under_way.stored.get_or_insert_with(Instant::now);
            run.taken() > under_way.stored_at && since.elapsed() >= self.options.checkpoint_every
        };
        if is_due && !run.is_complete() {
            self.store_state(cell, run, false);
        }
    }

    fn left(&self, cell: usize, run: &Run) {
        self.watch.left(cell, run);
        if run.taken() > 0 {
            self.store_state(cell, run, true);
        }
    }

    fn skipped(&self, cell: usize) {
        self.watch.skipped(cell);
    }

    fn ended(&self, worker: usize, cell: usize, outcome: &Outcome) {
        self.watch.ended(worker, cell, outcome);
    }
}

fn provenance(before: &UnderWay, simulate: Duration, plan: Duration) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").into(),
        revision: option_env!("TUCRL_REVISION").map(Into::into),
        machine: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        sessions: before.sessions + 1,
        finished: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        simulate_seconds: before.simulate_seconds + simulate.as_secs_f64(),
        plan_seconds: before.plan_seconds + plan.as_secs_f64(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
