//! How is an experiment carried out, in memory or in a directory, so that it may be stopped at any moment?
//!
//! Both ways run the same cells by the same runner. In a directory, finished cells are kept, damaged files set aside,
//! and failed cells left alone unless they are to be retried. Then missing cells are run, each from its latest valid
//! checkpoint, and every outcome is stored at once. A failed write of a result stops the work; a failed write of a
//! checkpoint is reported and the work goes on.

mod keeper;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tucrl::run::{RunError, RunSpec};
use tucrl::truth;

use crate::catalogue::LoadError;
use crate::experiment::{
    Cell, CellId, Experiment, ExperimentError, ExperimentProblem, PreparedWorld,
};
use crate::record::{Provenance, StoredRun};
use crate::runner::{self, Ending, Job, Outcome, Watch};
use crate::spelling::{Setting, Spelled, Spelling};
use crate::store::{self, Store, StoreError};
use keeper::Keeper;

/// How to carry it out.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How often a run under way is stored.
    pub checkpoint_every: Duration,
    /// Whether cells that failed before are run again.
    pub retry_failed: bool,
}

/// The status of the selected cells before anything is run.
#[derive(Debug, Default)]
pub struct Survey {
    /// To be run.
    pub to_do: Vec<Cell>,
    /// Finished before.
    pub done: usize,
    /// Failed before, with the error.
    pub failed: Vec<(CellId, String)>,
    /// What was set aside, and why.
    pub notes: Vec<Note>,
}

/// The result of an execution.
#[derive(Debug, Default)]
pub struct Summary {
    /// Cells finished now, or by another process meanwhile.
    pub done: usize,
    /// Cells that failed now, with the error.
    pub failed: Vec<(CellId, String)>,
    /// Cells left where they were.
    pub stopped: usize,
    /// What was set aside or could not be written, and why.
    pub notes: Vec<Note>,
}

/// Something that went wrong and did not stop the work.
#[derive(Debug)]
pub enum Note {
    /// A damaged file was set aside.
    SetAside {
        /// What is wrong with it.
        error: StoreError,
        /// Where it is now.
        kept: PathBuf,
    },
    /// A checkpoint could not be stored.
    NotStored(StoreError),
    /// The learners of an agent cannot be saved.
    CannotSave {
        /// The agent.
        label: String,
    },
    /// A checkpoint of an earlier version is not continued.
    OlderCheckpoint {
        /// Its version.
        found: u32,
    },
    /// Some finished runs have values of an earlier version, and others are to be run.
    OlderRuns {
        /// How many are finished.
        runs: usize,
    },
}

impl Spelled for Note {
    fn spelled(&self, spelling: Spelling) -> String {
        match self {
            Self::SetAside { error, kept } => {
                let error = error.spelled(spelling);
                format!("{error}\n  It is kept as {} and not used.", kept.display())
            }
            Self::NotStored(error) => {
                format!("a checkpoint could not be stored: {}", error.spelled(spelling))
            }
            Self::CannotSave { label } => format!(
                "{label}: its learners cannot be saved, so there are no checkpoints within its runs: a run that \
                 is stopped starts again from its first step"
            ),
            Self::OlderCheckpoint { found } => format!(
                "checkpoints of version {found} are not continued, because values have changed since: their runs \
                 start again from the first step"
            ),
            Self::OlderRuns { runs } => format!(
                "{} stored by an earlier version, whose values differ in the last digits, and {}: for values of one \
                 version, choose another directory with {}",
                if *runs == 1 {
                    "1 finished run was".into()
                } else {
                    format!("{runs} finished runs were")
                },
                if *runs == 1 { "is kept" } else { "are kept" },
                spelling(Setting::Directory)
            ),
        }
    }
}

/// Looks at what the store has of the cells; damaged files are set aside.
///
/// # Errors
/// When the store cannot be read, or holds files of a later version.
pub fn survey(store: &Store, cells: Vec<Cell>, options: Options) -> Result<Survey, StoreError> {
    let mut survey = Survey::default();
    let states = store.states_by_cell()?;
    let mut older = 0;
    for cell in cells {
        match store.run(&cell.id) {
            Ok(None) => survey.to_do.push(cell),
            Ok(Some((header, run))) => match run.error {
                Some(_) if options.retry_failed => survey.to_do.push(cell),
                Some(error) => survey.failed.push((cell.id, error)),
                None => {
                    survey.done += 1;
                    older += usize::from(header.version < store::SAME_VALUES);
                    // Left by a process that was killed after storing the result.
                    if states.contains_key(&cell.id.stem()) {
                        store.remove_states(&cell.id)?;
                    }
                }
            },
            Err(error) => {
                survey.notes.push(aside(store, error)?);
                survey.to_do.push(cell);
            }
        }
    }
    if older > 0 && !survey.to_do.is_empty() {
        survey.notes.push(Note::OlderRuns { runs: older });
    }
    Ok(survey)
}

/// Sets a damaged file aside and returns a note; passes on any other error.
fn aside(store: &Store, error: StoreError) -> Result<Note, StoreError> {
    let StoreError::Damaged { path, .. } = &error else { return Err(error) };
    let kept = store.set_aside(path)?;
    Ok(Note::SetAside { error, kept })
}

/// Builds and solves the worlds that the cells need, each once, and checks that each of their agents can start there.
/// A world that cannot be built or solved fails alone: its runs fail with the reason, unless there is no other world.
///
/// # Errors
/// When the experiment names a world or an agent wrongly, none of the worlds can be prepared, or an agent cannot start
/// in a world.
pub fn prepare(
    experiment: &Experiment,
    cells: &[Cell],
    watch: &dyn truth::Watch,
) -> Result<BTreeMap<usize, PreparedWorld>, ExperimentError> {
    let mut worlds = BTreeMap::new();
    let mut first_error = None;
    for cell in cells {
        let Entry::Vacant(place) = worlds.entry(cell.world) else { continue };
        let (prepared, error) = prepare_one(experiment, cell.world, watch)?;
        place.insert(prepared);
        if let Some(error) = error {
            first_error.get_or_insert(error);
        }
    }
    if let Some(error) =
        first_error.filter(|_| worlds.values().all(|world| world.failure.is_some()))
    {
        return Err(error);
    }
    let pairs: BTreeSet<_> = cells.iter().map(|cell| (cell.world, cell.agent)).collect();
    for (world, agent) in pairs.into_iter().filter(|(world, _)| worlds[world].failure.is_none()) {
        experiment.check_start(world, &worlds[&world], [agent])?;
    }
    Ok(worlds)
}

/// Builds and solves one world. If that fails for a reason that is its own, its runs fail with the reason, which is beside it.
///
/// # Errors
/// When the experiment names the world or an agent wrongly.
pub fn prepare_one(
    experiment: &Experiment,
    world: usize,
    watch: &dyn truth::Watch,
) -> Result<(PreparedWorld, Option<ExperimentError>), ExperimentError> {
    let fault = |problem| experiment.fault_of_world(world, problem);
    let prepared = panic::catch_unwind(AssertUnwindSafe(|| experiment.prepare(world, watch)));
    let prepared = prepared.unwrap_or_else(|panic| {
        Err(fault(ExperimentProblem::Bug { message: runner::said(&*panic).into() }))
    });
    match prepared {
        Ok(prepared) => Ok((prepared, None)),
        Err(error) if error.is_of_one_world() => {
            let failed = PreparedWorld::failed(experiment.worlds[world].steps, error.to_string());
            let failed = failed.map_err(|error| fault(LoadError::World(error.into()).into()))?;
            Ok((failed, Some(error)))
        }
        Err(error) => Err(error),
    }
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
    experiment: &Experiment,
    cells: &[Cell],
    worlds: &BTreeMap<usize, PreparedWorld>,
    options: Options,
    watch: &dyn Watch,
) -> Result<Summary, StoreError> {
    let jobs = jobs(experiment, cells, worlds);
    let keeper = Keeper::new(store, cells, &jobs, options, watch);
    runner::run_jobs(&jobs, &keeper, &|cell, outcome| keeper.keep(cell, outcome));
    keeper.finish()
}

/// Runs the cells in memory; outcomes are in the order of the cells, without those that a stop kept from starting.
///
/// # Panics
/// When the world of a cell is not prepared.
pub fn run_in_memory(
    experiment: &Experiment,
    cells: &[Cell],
    worlds: &BTreeMap<usize, PreparedWorld>,
    watch: &dyn Watch,
) -> Vec<Option<Outcome>> {
    runner::run_all(&jobs(experiment, cells, worlds), watch)
}

/// The records of cells that were run in memory, without those that were stopped, and whether any was.
pub fn records(
    experiment: &Experiment,
    cells: &[Cell],
    worlds: &BTreeMap<usize, PreparedWorld>,
    outcomes: Vec<Option<Outcome>>,
) -> (Vec<StoredRun>, Provenance, bool) {
    let (mut simulate, mut plan) = (Duration::ZERO, Duration::ZERO);
    let (mut runs, mut is_stopped) = (Vec::new(), false);
    for ((cell, job), outcome) in cells.iter().zip(jobs(experiment, cells, worlds)).zip(outcomes) {
        match outcome {
            Some(outcome) if outcome.ending != Ending::Stopped => {
                simulate += outcome.simulate;
                plan += outcome.plan;
                runs.push(stored_run(&cell.id, &job, outcome));
            }
            _ => is_stopped = true,
        }
    }
    (runs, Provenance::now(1, simulate, plan), is_stopped)
}

fn jobs(
    experiment: &Experiment,
    cells: &[Cell],
    worlds: &BTreeMap<usize, PreparedWorld>,
) -> Vec<Job> {
    let job = |cell: &Cell| {
        let world = &worlds[&cell.world];
        Job {
            model: world.model.clone(),
            truth: Arc::clone(&world.truth),
            failure: world.failure.clone().map(|message| RunError::Unprepared { message }),
            algorithm: Arc::clone(experiment.agents[cell.agent].agent.algorithm()),
            spec: RunSpec {
                steps: cell.id.steps,
                checkpoints: cell.id.checkpoints.clone(),
                master_seed: cell.id.master_seed,
                run: cell.id.run,
            },
            exploration: cell.id.exploration,
            lends_world: experiment.agents[cell.agent].agent.kind().is_in_another_process(),
        }
    };
    cells.iter().map(job).collect()
}

/// The record of a cell that was run to its end or its failure.
fn stored_run(id: &CellId, job: &Job, outcome: Outcome) -> StoredRun {
    StoredRun {
        experiment: id.experiment.clone(),
        world: id.world.clone(),
        agent: id.agent.clone(),
        label: id.label.clone(),
        options: job.algorithm.options(),
        spec: job.spec.clone(),
        facts: job.truth.facts().clone(),
        record: outcome.record,
        error: match outcome.ending {
            Ending::Failed(error) => Some(error.to_string()),
            Ending::Complete | Ending::Stopped => None,
        },
        sweep: id.sweep(),
        imported: None,
    }
}
