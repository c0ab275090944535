//! What is stored of the cells while they run?
//!
//! A [`Watch`] between the runner and the command: gives every cell its start, stores a checkpoint when one is due,
//! and stores the outcome. Times that earlier processes spent on a cell are added up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tucrl::planner::Pulse;
use tucrl::run::Run;

use super::{Note, Options, Summary, aside, stored_run};
use crate::experiment::Cell;
use crate::formats::FormatError;
use crate::record::Provenance;
use crate::runner::{Begin, Ending, Job, Outcome, Watch};
use crate::spelling::{Spelled, by_name};
use crate::store::{Store, StoreError, StoredState};

/// A run is first stored after this time, so that it can be seen within its first second; shorter ones are not worth
/// a file.
const FIRST: Duration = Duration::from_millis(500);

/// Stores checkpoints and outcomes of the cells.
pub(super) struct Keeper<'a> {
    store: &'a Store,
    cells: &'a [Cell],
    jobs: &'a [Job],
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
    /// Processes that worked on it before, and the times they spent.
    sessions: u32,
    simulate_seconds: f64,
    plan_seconds: f64,
    /// When this process began it.
    begun: Option<Instant>,
    /// When it was last stored by this process, and how far it was.
    stored: Option<Instant>,
    stored_at: u64,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(
        store: &'a Store,
        cells: &'a [Cell],
        jobs: &'a [Job],
        options: Options,
        watch: &'a dyn Watch,
    ) -> Self {
        Self {
            store,
            cells,
            jobs,
            options,
            watch,
            under_way: cells.iter().map(|_| Mutex::default()).collect(),
            is_broken: AtomicBool::new(false),
            broken: Mutex::new(None),
            summary: Mutex::default(),
        }
    }

    /// The summary, or the error that stopped the work.
    pub(super) fn finish(self) -> Result<Summary, StoreError> {
        match self.broken.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(self.summary.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn broke(&self, error: StoreError) {
        lock(&self.broken).get_or_insert(error);
        self.is_broken.store(true, Ordering::Relaxed);
    }

    fn note(&self, note: Note) {
        let mut summary = lock(&self.summary);
        // Many checkpoints that fail for one reason are one note.
        let text = note.spelled(by_name);
        if summary.notes.iter().all(|earlier| earlier.spelled(by_name) != text) {
            summary.notes.push(note);
        }
    }

    /// The latest valid checkpoint by the same version with the same options.
    fn latest(&self, cell: usize) -> Result<Option<StoredState>, StoreError> {
        let (id, job) = (&self.cells[cell].id, &self.jobs[cell]);
        let options = job.algorithm.options();
        let mut latest: Option<StoredState> = None;
        for path in self.store.state_files(id)? {
            let (header, state) = match self.store.state(&path, id) {
                Ok(found) => found,
                // Another process has finished the cell.
                Err(StoreError::File(FormatError::NotFound { .. })) => continue,
                // Only the version that wrote it can read it.
                Err(StoreError::OlderVersion { found, .. }) => {
                    self.note(Note::OlderCheckpoint { found });
                    continue;
                }
                Err(error) => {
                    self.note(aside(self.store, error)?);
                    continue;
                }
            };
            let is_ours = header.provenance.version == env!("CARGO_PKG_VERSION");
            if is_ours
                && state.state.as_ref().is_some_and(|state| *state.options() == options)
                && state.spec == job.spec
                && latest.as_ref().is_none_or(|other| other.taken < state.taken)
            {
                let mut under_way = lock(&self.under_way[cell]);
                under_way.sessions = header.provenance.sessions;
                under_way.simulate_seconds = header.provenance.simulate_seconds;
                under_way.plan_seconds = header.provenance.plan_seconds;
                under_way.stored_at = state.taken;
                latest = Some(state);
            }
        }
        Ok(latest)
    }

    fn store_state(&self, cell: usize, run: &Run, is_stopped: bool) {
        let (simulate, plan) = run.clocks();
        let id = &self.cells[cell].id;
        let mut under_way = lock(&self.under_way[cell]);
        let is_first = under_way.stored.replace(Instant::now()).is_none();
        let state = run.state();
        if state.is_none() && (is_stopped || !is_first) {
            self.note(Note::CannotSave { label: id.label.clone() });
        }
        if state.is_none() && is_stopped {
            // It starts again from its first step: nothing is under way.
            let _ = self.store.remove_states(id);
            return;
        }
        let state = StoredState {
            cell: id.clone(),
            spec: run.spec().clone(),
            taken: run.taken(),
            is_stopped,
            state,
        };
        let provenance = provenance(&under_way, simulate, plan);
        if let Err(error) = self.store.write_state(&state, &provenance) {
            self.note(Note::NotStored(error));
        }
        under_way.stored_at = run.taken();
    }

    /// Stores the outcome of a cell.
    pub(super) fn keep(&self, cell: usize, outcome: Outcome) {
        if outcome.ending == Ending::Stopped {
            lock(&self.summary).stopped += 1;
            return;
        }
        let id = &self.cells[cell].id;
        let (simulate, plan) = (outcome.simulate, outcome.plan);
        let run = stored_run(id, &self.jobs[cell], outcome);
        let provenance = provenance(&lock(&self.under_way[cell]), simulate, plan);
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
            // Another process has finished the cell.
            Ok(Some((_, run))) if run.error.is_none() => {
                lock(&self.summary).done += 1;
                return Begin::Skip;
            }
            Ok(_) => self.latest(cell),
            Err(error) => aside(self.store, error).and_then(|note| {
                self.note(note);
                self.latest(cell)
            }),
        };
        match found {
            Ok(Some(StoredState { state: Some(state), .. })) => Begin::At(Box::new(state)),
            Ok(_) => Begin::Anew,
            Err(error) => {
                self.broke(error);
                lock(&self.summary).stopped += 1;
                Begin::Skip
            }
        }
    }

    fn pulse(&self, worker: usize) -> Option<Arc<Pulse>> {
        self.watch.pulse(worker)
    }

    fn at(&self, worker: usize, cell: usize, run: &Run) {
        self.watch.at(worker, cell, run);
        let is_due = {
            let mut under_way = lock(&self.under_way[cell]);
            let begun = *under_way.begun.get_or_insert_with(Instant::now);
            match under_way.stored {
                Some(stored) => {
                    run.taken() > under_way.stored_at
                        && stored.elapsed() >= self.options.checkpoint_every
                }
                // So that others see it, also a run that continues a checkpoint of long ago.
                None => begun.elapsed() >= FIRST.min(self.options.checkpoint_every),
            }
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
    let now = Provenance::now(before.sessions + 1, simulate, plan);
    Provenance {
        simulate_seconds: before.simulate_seconds + now.simulate_seconds,
        plan_seconds: before.plan_seconds + now.plan_seconds,
        ..now
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
