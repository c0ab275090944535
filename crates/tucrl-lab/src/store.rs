//! How is the directory of an experiment's results laid out?
//!
//! `experiment.toml` is a copy of the experiment; `runs/<cell>.run` one file per finished run;
//! `runs/<cell>.<process>.state` the last checkpoint of an unfinished run; `imported/` has curves of other programs. Every file is written to a temporary file,
//! synced and renamed, so that a crash leaves no partial file under a real name. There are no locks: two processes that
//! compute the same cell write the same body, and either may come last. Checkpoints carry the name of their process;
//! the latest valid one is resumed. Damaged files are renamed, never deleted, never used.

mod envelope;
mod error;
mod import;
mod merge;
mod travel;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tucrl::run::{RunSpec, RunState};

pub use envelope::{Header, Kind, SAME_VALUES, VERSION};
pub use error::{Damage, StoreError};
pub use import::{Import, ImportError, LineProblem, ReadImport, read_curves};
pub use merge::{Merged, merge};
pub use travel::{seal, unseal};

use crate::catalogue::Catalogue;
use crate::experiment::{CellId, Experiment, ExperimentError};
use crate::formats::FormatError;
use crate::formats::disk::{Disk, System, create_folders, if_present, patiently};
use crate::formats::save::{TEMPORARY, replace_on};
use crate::record::{Provenance, StoredRun};

const EXPERIMENT_FILE: &str = "experiment.toml";
const RUNS: &str = "runs";
/// Temporary files older than this belong to processes that were killed.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The directory of one experiment.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
    runs: PathBuf,
    /// Identifies this process across machines.
    process: String,
    disk: Arc<dyn Disk>,
}

/// The checkpoint of an unfinished run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredState {
    /// Its cell.
    pub cell: CellId,
    /// Steps and seeds.
    pub spec: RunSpec,
    /// Steps taken.
    pub taken: u64,
    /// True if it was written because the process was told to stop.
    pub is_stopped: bool,
    /// The state of the run; none if its learner cannot be saved, so that it can be seen but not continued.
    pub state: Option<RunState>,
}

/// What to do with a directory that holds results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfResults {
    /// Fail.
    Refuse,
    /// Continue them.
    Resume,
}

impl Store {
    /// Creates the directory of an experiment, or opens it if it belongs to the same one.
    ///
    /// # Errors
    /// When it belongs to another experiment or to something else, holds results and `if_results` refuses them, or
    /// cannot be written.
    pub fn create(
        directory: &Path,
        experiment: &Experiment,
        catalogue: &Catalogue,
        if_results: IfResults,
    ) -> Result<Self, StoreError> {
        Self::at(directory).created(experiment, catalogue, if_results)
    }

    fn created(
        self,
        experiment: &Experiment,
        catalogue: &Catalogue,
        if_results: IfResults,
    ) -> Result<Self, StoreError> {
        let (store, directory) = (&self, self.directory.as_path());
        let failed = |source| FormatError::io(directory, source);
        let copy = directory.join(EXPERIMENT_FILE);
        let disk = &*store.disk;
        create_folders(disk, directory).map_err(failed)?;
        let has_results = store.has_results()?;
        let has_copy = store.is_there(&copy)?;
        if !has_results && !has_copy {
            for (name, _) in patiently(|| disk.list(directory)).map_err(failed)? {
                // Another process may create it at the same time.
                if !name.starts_with(TEMPORARY) && name != RUNS && name != EXPERIMENT_FILE {
                    return Err(StoreError::NotAnExperiment { path: directory.into() });
                }
            }
        }
        // Without results nothing is lost by replacing the copy of the experiment.
        let mut stored = None;
        if has_results && has_copy {
            stored = match store.experiment(catalogue) {
                // Another machine is just writing it.
                Err(StoreError::Experiment(ExperimentError::File(FormatError::NotFound {
                    ..
                }))) => None,
                stored => Some(stored?),
            };
        }
        if let Some((key, stored, asked)) = stored.as_ref().and_then(|s| s.difference(experiment)) {
            let path = directory.into();
            return Err(StoreError::OtherExperiment { path, key, stored, asked });
        }
        // The digest of a cell covers the content of a model file, which the copy of the experiment does not.
        if let Some(path) = store.foreign_run(experiment)? {
            return Err(StoreError::Stranger { path });
        }
        if has_results && if_results == IfResults::Refuse {
            return Err(StoreError::HasResults { path: directory.into() });
        }
        create_folders(disk, &store.runs).map_err(failed)?;
        if stored.is_none() {
            replace_on(disk, &copy, experiment.text().as_bytes())?;
        }
        store.remove_abandoned();
        Ok(self)
    }

    /// Opens the directory of an experiment for reading.
    ///
    /// # Errors
    /// When there is no experiment, or its file cannot be read.
    pub fn open(directory: &Path, catalogue: &Catalogue) -> Result<(Self, Experiment), StoreError> {
        Self::at(directory).opened(catalogue)
    }

    fn opened(self, catalogue: &Catalogue) -> Result<(Self, Experiment), StoreError> {
        if !self.is_there(&self.directory.join(EXPERIMENT_FILE))? {
            return Err(StoreError::NoExperiment { path: self.directory });
        }
        let experiment = self.experiment(catalogue)?;
        Ok((self, experiment))
    }

    /// The experiment that the results belong to.
    fn experiment(&self, catalogue: &Catalogue) -> Result<Experiment, StoreError> {
        let copy = self.directory.join(EXPERIMENT_FILE);
        let fits = |experiment: &Experiment| matches!(self.foreign_run(experiment), Ok(None));
        Ok(Experiment::read_stored(&copy, catalogue, fits)?)
    }

    fn at(directory: &Path) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // The address of a local also differs between processes on machines with equal clocks.
        let unique = format!("{} {} {:p}", std::process::id(), now.as_nanos(), &now);
        let process = blake3::hash(unique.as_bytes()).to_hex()[..8].to_string();
        let (runs, disk) = (directory.join(RUNS), Arc::new(System));
        Self { directory: directory.into(), runs, process, disk }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a finished run, whether it exists or not.
    pub fn run_file(&self, cell: &CellId) -> PathBuf {
        self.runs.join(format!("{}.run", cell.stem()))
    }

    /// The record of a cell, if it is finished.
    ///
    /// # Errors
    /// When the file is damaged, newer than this program, or cannot be read.
    pub fn run(&self, cell: &CellId) -> Result<Option<(Header, StoredRun)>, StoreError> {
        let path = self.run_file(cell);
        refuse_others(&*self.disk, &path)?;
        let found = match envelope::read::<StoredRun>(&*self.disk, &path, Kind::Run) {
            Err(StoreError::File(FormatError::NotFound { .. })) => return Ok(None),
            found => found?,
        };
        match foreign(&found.1, cell) {
            Some(damage) => Err(StoreError::Damaged { path, damage }),
            None => Ok(Some(found)),
        }
    }

    /// Stores a finished run.
    ///
    /// # Errors
    /// When writing fails; an older file of the same cell is then untouched.
    pub fn write_run(
        &self,
        cell: &CellId,
        run: &StoredRun,
        provenance: &Provenance,
    ) -> Result<(), StoreError> {
        let path = self.run_file(cell);
        let body = envelope::body_of(&path, run)?;
        envelope::write(&*self.disk, &path, Kind::Run, &body, provenance)
    }

    /// Stores the checkpoint of an unfinished run, replacing the last one of this process.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_state(
        &self,
        state: &StoredState,
        provenance: &Provenance,
    ) -> Result<(), StoreError> {
        let path = self.runs.join(format!("{}.{}.state", state.cell.stem(), self.process));
        let body = serde_json::to_string(state).map_err(|_| envelope::lossy(&path))?;
        envelope::write(&*self.disk, &path, Kind::State, &body, provenance)
    }

    /// The checkpoints of a cell, by any process.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn state_files(&self, cell: &CellId) -> Result<Vec<PathBuf>, StoreError> {
        let prefix = format!("{}.", cell.stem());
        let is_state = |name: &str| name.starts_with(&prefix) && name.ends_with(".state");
        Ok(self.names()?.filter(|(name, _)| is_state(name)).map(|(_, path)| path).collect())
    }

    /// All checkpoints, by the stem of their cell, from one listing of the directory.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn states_by_cell(&self) -> Result<BTreeMap<String, Vec<PathBuf>>, StoreError> {
        let mut states: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for (name, path) in self.names()? {
            let stem = name.strip_suffix(".state").and_then(|name| name.rsplit_once('.'));
            if let Some((stem, _)) = stem {
                states.entry(stem.into()).or_default().push(path);
            }
        }
        Ok(states)
    }

    /// Reads one checkpoint.
    ///
    /// # Errors
    /// When it is damaged, newer than this program, or gone.
    pub fn state(&self, path: &Path, cell: &CellId) -> Result<(Header, StoredState), StoreError> {
        refuse_others(&*self.disk, path)?;
        let (header, body) = envelope::open(&*self.disk, path)?;
        envelope::refuse_older(path, &header)?;
        let found: (Header, StoredState) = (header, envelope::understand(path, &body)?);
        if found.1.cell == *cell {
            return Ok(found);
        }
        let (found, expected) = (found.1.cell.title(), cell.title());
        let damage = Damage::Foreign { key: "the cell", found, expected };
        Err(StoreError::Damaged { path: path.into(), damage })
    }

    /// Removes the checkpoints of a finished cell; a folder under such a name is set aside.
    ///
    /// # Errors
    /// When the directory cannot be read; a checkpoint that cannot be removed is ignored.
    pub fn remove_states(&self, cell: &CellId) -> Result<(), StoreError> {
        for path in self.state_files(cell)? {
            // Another process may have removed it.
            if self.disk.remove(&path).is_err() && path.is_dir() {
                let _ = self.set_aside(&path);
            }
        }
        Ok(())
    }

    /// Renames a damaged file, so that it is kept but never used; returns the new name.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn set_aside(&self, path: &Path) -> Result<PathBuf, StoreError> {
        let mut aside = path.as_os_str().to_owned();
        aside.push(".damaged");
        let mut count = 1;
        while self.is_there(Path::new(&aside))? {
            count += 1;
            aside = path.as_os_str().to_owned();
            aside.push(format!(".{count}.damaged"));
        }
        match self.disk.move_aside(path, Path::new(&aside)) {
            // Another process has renamed it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            renamed => renamed.map_err(|source| FormatError::io(path, source))?,
        }
        Ok(aside.into())
    }

    /// The files that were set aside.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn set_aside_files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut files: Vec<PathBuf> = self
            .names()?
            .filter(|(name, _)| name.ends_with(".damaged"))
            .map(|(_, path)| path)
            .collect();
        files.sort();
        Ok(files)
    }

    /// A run in the directory that does not belong to the experiment.
    fn foreign_run(&self, experiment: &Experiment) -> Result<Option<PathBuf>, StoreError> {
        // A folder is no run of any experiment.
        let is_file = |path: &PathBuf| !path.is_dir();
        let mut foreign: BTreeMap<String, PathBuf> = self
            .names()?
            .filter_map(|(name, path)| Some((name.strip_suffix(".run")?.to_owned(), path)))
            .filter(|(_, path)| is_file(path))
            .collect();
        if !foreign.is_empty() {
            experiment.cells().iter().for_each(|cell| drop(foreign.remove(&cell.id.stem())));
        }
        Ok(foreign.into_values().next())
    }

    fn has_results(&self) -> Result<bool, StoreError> {
        let endings = [".run", ".state", ".damaged"];
        let is_result = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
        Ok(self.names()?.any(|(name, _)| is_result(&name)))
    }

    /// Removes the temporary files of processes that were killed long ago.
    fn remove_abandoned(&self) {
        let Ok(names) = self.names() else { return };
        for (_, path) in names.filter(|(name, _)| name.starts_with(TEMPORARY)) {
            let modified = self.disk.look(&path).and_then(|data| data.modified()).ok();
            // A date far in the future is that of a wrong clock.
            let age = modified.map(|modified| modified.elapsed().unwrap_or_else(|e| e.duration()));
            if age.is_some_and(|age| age > ABANDONED) {
                // Errors are ignored: leftovers are harmless.
                let _ = self.disk.remove(&path);
            }
        }
    }

    fn names(&self) -> Result<impl Iterator<Item = (String, PathBuf)> + use<>, StoreError> {
        let names = if_present(patiently(|| self.disk.list(&self.runs)));
        let names = names.map_err(|source| FormatError::io(&self.runs, source))?;
        Ok(names.unwrap_or_default().into_iter())
    }

    fn is_there(&self, path: &Path) -> Result<bool, StoreError> {
        let found = if_present(patiently(|| self.disk.look(path)));
        Ok(found.map_err(|source| FormatError::io(path, source))?.is_some())
    }
}

/// A folder, a pipe or a device under the name of a run or a checkpoint is damage: reading a pipe would wait forever.
fn refuse_others(disk: &dyn Disk, path: &Path) -> Result<(), StoreError> {
    let found = if_present(patiently(|| disk.look(path)));
    match found.map_err(|source| FormatError::io(path, source))? {
        Some(data) if !data.is_file() => {
            Err(StoreError::Damaged { path: path.into(), damage: Damage::NoFile })
        }
        _ => Ok(()),
    }
}

/// A stored checkpoint of an agent or of a run.
#[derive(Debug)]
pub enum Checkpoint<A> {
    /// An agent driven by another program.
    Agent(A),
    /// An unfinished run.
    Run(Box<StoredState>),
}

/// Writes the checkpoint of an agent driven by another program: sealed and atomic, like that of a run.
///
/// # Errors
/// When the agent does not fit into JSON or writing fails.
pub fn write_agent(path: &Path, agent: &impl Serialize) -> Result<(), StoreError> {
    let body = serde_json::to_string(agent).map_err(|_| envelope::lossy(path))?;
    let (simulate, plan) = (Duration::ZERO, Duration::ZERO);
    envelope::write(&System, path, Kind::Agent, &body, &Provenance::now(1, simulate, plan))
}

/// Reads the checkpoint of an agent or of a run.
///
/// # Errors
/// When the file is damaged, newer than this program, a finished run, or cannot be read.
pub fn read_checkpoint<A: DeserializeOwned>(path: &Path) -> Result<Checkpoint<A>, StoreError> {
    let (header, body) = envelope::open(&System, path)?;
    envelope::refuse_older(path, &header)?;
    match header.format {
        Kind::Agent => Ok(Checkpoint::Agent(envelope::understand(path, &body)?)),
        Kind::State => Ok(Checkpoint::Run(envelope::understand(path, &body)?)),
        Kind::Run | Kind::Import => Err(StoreError::NoCheckpoint { path: path.into() }),
    }
}

/// The first key in which a record differs from a cell, if any.
fn foreign(run: &StoredRun, cell: &CellId) -> Option<Damage> {
    let spec = &run.spec;
    let pairs = [
        ("experiment", run.experiment.clone(), cell.experiment.clone()),
        ("world", run.world.clone(), cell.world.clone()),
        ("agent", run.agent.clone(), cell.agent.clone()),
        ("label", run.label.clone(), cell.label.clone()),
        ("steps", spec.steps.to_string(), cell.steps.to_string()),
        ("master_seed", spec.master_seed.to_string(), cell.master_seed.to_string()),
        ("run", spec.run.to_string(), cell.run.to_string()),
    ];
    let differs = pairs.into_iter().find(|(_, found, expected)| found != expected);
    let times = || {
        // There may be many: they are compared before they are put into words.
        let (found, expected) = (&spec.checkpoints, &cell.checkpoints);
        let words = || ("checkpoints", format!("{found:?}"), format!("{expected:?}"));
        (found != expected).then(words)
    };
    differs.or_else(times).map(|(key, found, expected)| Damage::Foreign { key, found, expected })
}

#[cfg(test)]
mod tests;
