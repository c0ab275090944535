//! How is an experiment carried out so that it may be stopped at any moment?
//!
//! First look at what the store has: finished cells are kept, damaged files set aside, failed cells left
//! alone unless they are to be retried. Then run what is missing, each cell from its furthest sound
//! checkpoint, and store every outcome at once. A disk that refuses a result stops the work, for what
//! cannot be kept is not worth computing; a checkpoint that cannot be written is only a pity.
//!
//! Reads `experiment`, `store`, `runner`; feeds the command `run`.

mod keeper;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use tucrl::run::RunSpec;

use crate::experiment::{Cell, CellId, Experiment, ExperimentError, PreparedWorld};
use crate::inspection;
use crate::runner::{self, Job, Watch};
use crate::store::{Store, StoreError};
use keeper::Keeper;

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
    let states = store.states_by_cell()?;
    for cell in cells {
        match store.run(&cell.id) {
            Ok(None) => survey.to_do.push(cell),
            Ok(Some((_, run))) => match run.error {
                Some(_) if options.retry_failed => survey.to_do.push(cell),
                Some(error) => survey.failed.push((cell.id, error)),
                None => {
                    survey.done += 1;
                    // A process that was killed between its last two acts left them behind.
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
        Job { model: world.model.clone(), truth: &world.truth, spec }
    };
    let jobs: Vec<Job<'_>> = cells.iter().map(job).collect();
    let keeper = Keeper::new(store, cells, &jobs, options, watch);
    runner::run_jobs(&jobs, &keeper, &|cell, outcome| {
        keeper.keep(cell, outcome, &worlds[&cells[cell].world].facts);
    });
    keeper.finish()
}
