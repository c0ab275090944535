//! How are the runs of an experiment made one by one, here or on another machine?
//!
//! The machine that asks and the machine that works have the same experiment: its text, and the content of its model files.
//! A run is named by its place in the list of all. It is made without the interpreter's lock on one thread; the world
//! is built and solved once and kept. What travels back is the sealed file of the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tempfile::TempDir;
use tucrl_lab::Catalogue;
use tucrl_lab::execute::{self, Options};
use tucrl_lab::experiment::{Cell, Choice, Experiment, ExperimentError, PreparedWorld};
use tucrl_lab::formats::{FormatError, Places, with_places};
use tucrl_lab::record::{Provenance, StoredRun};
use tucrl_lab::spelling::{Spelled, by_name};
use tucrl_lab::store::{IfResults, Store, StoreError, seal, unseal};

use super::{Meter, Own, PyRuns, directory, given, warn, warn_of_runs};
use crate::errors::{bad_input, failed, of_experiment, of_store};
use crate::seed::Seed;
use crate::work::{self, Progress};
use crate::world::AnyWorld;

/// The runs of an experiment, to be made one by one.
#[pyclass(name = "Cells", module = "tucrl._native", frozen)]
pub(crate) struct PyCells {
    experiment: Experiment,
    catalogue: Catalogue,
    cells: Vec<Cell>,
    /// Where the contents of model files from another machine are.
    places: Places,
    /// Keeps them there.
    _folder: Option<TempDir>,
    /// Worlds that are prepared, each under its own lock, so that one is not prepared twice at the same time.
    worlds: Mutex<BTreeMap<usize, Slot>>,
    store: OnceLock<Store>,
    /// Runs without a directory.
    kept: Mutex<BTreeMap<usize, (Provenance, StoredRun)>>,
}

type Slot = Arc<Mutex<Option<PreparedWorld>>>;

/// Why a run was not made.
enum Trouble {
    Experiment(ExperimentError),
    Store(StoreError),
    Stopped,
}

impl From<Trouble> for PyErr {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Experiment(error) => of_experiment(error),
            Trouble::Store(error) => of_store(error),
            Trouble::Stopped => failed("the run was stopped"),
        }
    }
}

impl PyCells {
    fn new(experiment: Experiment, catalogue: Catalogue) -> Self {
        let cells = experiment.cells();
        Self {
            experiment,
            catalogue,
            cells,
            places: Places::new(),
            _folder: None,
            worlds: Mutex::default(),
            store: OnceLock::new(),
            kept: Mutex::default(),
        }
    }

    fn cell(&self, index: usize) -> PyResult<&Cell> {
        let count = self.cells.len();
        self.cells.get(index).ok_or_else(|| bad_input(format!("run {index}: there are {count}")))
    }

    /// The world of a cell, built and solved once, in which its agent can start.
    fn prepared(&self, cell: &Cell, watch: &Progress) -> Result<PreparedWorld, Trouble> {
        let slot = Arc::clone(lock(&self.worlds).entry(cell.world).or_default());
        let mut slot = lock(&slot);
        let world = match &*slot {
            Some(world) => world.clone(),
            None => {
                let prepare = || execute::prepare_one(&self.experiment, cell.world, watch);
                let (world, _) = with_places(&self.places, prepare).map_err(Trouble::Experiment)?;
                if watch.is_stopped() {
                    return Err(Trouble::Stopped);
                }
                slot.insert(world).clone()
            }
        };
        if world.failure.is_none() {
            let checked = self.experiment.check_start(cell.world, &world, [cell.agent]);
            checked.map_err(Trouble::Experiment)?;
        }
        Ok(world)
    }

    fn made(
        &self,
        index: usize,
        directory: Option<(PathBuf, Duration)>,
        meter: &Meter<'_>,
        watch: &Progress,
    ) -> Result<Vec<u8>, Trouble> {
        let cell = &self.cells[index];
        let worlds = BTreeMap::from([(cell.world, self.prepared(cell, watch)?)]);
        let (experiment, cells) = (&self.experiment, std::slice::from_ref(cell));
        let Some((directory, checkpoint_every)) = directory else {
            let outcomes = execute::run_in_memory(experiment, cells, &worlds, meter);
            let (runs, provenance, _) = execute::records(experiment, cells, &worlds, outcomes);
            let run = runs.first().ok_or(Trouble::Stopped)?;
            return seal(&cell.id, run, &provenance).map_err(Trouble::Store);
        };
        let keep = || -> Result<Vec<u8>, StoreError> {
            let resume = IfResults::Resume;
            let store = Store::create(&directory, experiment, &self.catalogue, resume)?;
            let options = Options { checkpoint_every, retry_failed: true };
            execute::run(&store, experiment, cells, &worlds, options, meter)?;
            let path = store.run_file(&cell.id);
            Ok(fs::read(&path).map_err(|source| FormatError::io(&path, source))?)
        };
        match with_places(&self.places, keep) {
            Err(_) if watch.is_stopped() => Err(Trouble::Stopped),
            made => made.map_err(Trouble::Store),
        }
    }
}

#[pymethods]
impl PyCells {
    /// Those of a file, or of a text that could stand in it. `files` are contents of model files from another machine.
    #[staticmethod]
    fn of_file(
        py: Python<'_>,
        path: PathBuf,
        text: Option<String>,
        files: Vec<(PathBuf, Vec<u8>)>,
        own: Own,
    ) -> PyResult<Self> {
        let catalogue = own.catalogue()?;
        let no_folder = |error: std::io::Error| {
            failed(format!("there is no place for the model files of the experiment: {error}"))
        };
        let folder = match files.is_empty() {
            true => None,
            false => Some(tempfile::Builder::new().prefix("tucrl-").tempdir().map_err(no_folder)?),
        };
        let mut places = Places::new();
        for (number, (name, content)) in files.into_iter().enumerate() {
            let Some(folder) = &folder else { break };
            let place = folder.path().join(number.to_string());
            fs::write(&place, content).map_err(no_folder)?;
            places.insert(name, place);
        }
        let read = |_: &Progress| {
            with_places(&places, || match text {
                Some(text) => Experiment::parse(&path, text, &catalogue),
                None => Experiment::read(&path, &catalogue),
            })
        };
        let experiment = work::run(py, "reading the experiment", read)?.map_err(of_experiment)?;
        Ok(Self { places, _folder: folder, ..Self::new(experiment, catalogue) })
    }

    /// Those of agents in a world.
    #[staticmethod]
    fn of_world(
        py: Python<'_>,
        world: AnyWorld,
        agents: Vec<(Option<String>, String)>,
        own: Own,
        steps: &Bound<'_, PyAny>,
        seeds: &Bound<'_, PyAny>,
        seed: Seed,
        checkpoints: &Bound<'_, PyAny>,
        exploration: bool,
    ) -> PyResult<Self> {
        let catalogue = own.catalogue()?;
        let asked = (steps, seeds, seed, checkpoints, exploration);
        let given = given(py, world, &agents, &catalogue, asked)?;
        let experiment = Experiment::new(given).map_err(of_experiment)?;
        Ok(Self::new(experiment, catalogue))
    }

    /// The text of the experiment, and its name.
    #[getter]
    fn text(&self) -> (&str, &str) {
        (self.experiment.text(), &self.experiment.name)
    }

    /// The seed that all runs draw from.
    #[getter]
    fn master_seed(&self) -> u64 {
        self.experiment.master_seed
    }

    /// The contents of the model files of the experiment, by their names.
    fn files(&self) -> PyResult<Vec<(PathBuf, Vec<u8>)>> {
        let mut all = BTreeMap::new();
        for path in self.experiment.worlds.iter().flat_map(|world| world.world.files()) {
            let content = fs::read(&path);
            let content = content.map_err(|source| FormatError::io(&path, source));
            all.insert(path, content.map_err(|error| of_store(error.into()))?);
        }
        Ok(all.into_iter().collect())
    }

    /// How many there are.
    fn __len__(&self) -> usize {
        self.cells.len()
    }

    /// What a run is called, and its steps.
    fn title(&self, index: usize) -> PyResult<(String, u64)> {
        let cell = self.cell(index)?;
        Ok((cell.id.title(), cell.id.steps))
    }

    /// The name of its file.
    fn file(&self, index: usize) -> PyResult<String> {
        Ok(format!("{}.run", self.cell(index)?.id.stem()))
    }

    /// Opens a directory for the results; returns which runs are to be made.
    fn open(
        &self,
        py: Python<'_>,
        directory: Option<PathBuf>,
        resume: bool,
        only: Option<String>,
        retry_failed: bool,
    ) -> PyResult<Vec<usize>> {
        let choice = Choice { only, ..Choice::default() };
        let chosen = choice.of(&self.experiment).map_err(bad_input)?;
        let numbers: BTreeMap<String, usize> =
            chosen.iter().map(|(number, cell)| (cell.id.stem(), number - 1)).collect();
        let default = || PathBuf::from("out").join(&self.experiment.name);
        let directory = directory.unwrap_or_else(default);
        let if_results = if resume { IfResults::Resume } else { IfResults::Refuse };
        let store = Store::create(&directory, &self.experiment, &self.catalogue, if_results);
        let store = store.map_err(of_store)?;
        let options = Options { checkpoint_every: Duration::ZERO, retry_failed };
        let cells = chosen.into_iter().map(|(_, cell)| cell).collect();
        let survey = execute::survey(&store, cells, options).map_err(of_store)?;
        for note in &survey.notes {
            warn(py, &note.spelled(by_name), 2)?;
        }
        // A second call would be of another directory.
        self.store.set(store).map_err(|_| failed("the directory is open already"))?;
        let number = |cell: &Cell| numbers.get(&cell.id.stem()).copied();
        Ok(survey.to_do.iter().filter_map(number).collect())
    }

    /// Makes a run and returns its sealed file. With a directory, checkpoints are kept there, and so is the result.
    fn work<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        directory: Option<PathBuf>,
        checkpoint_seconds: f64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let cell = self.cell(index)?;
        let every = directory::checkpoint_every(checkpoint_seconds)?;
        let (pool, watch) = (work::threads(1)?, Progress::new("running"));
        let meter = Meter::new(std::slice::from_ref(cell), &watch);
        let directory = directory.map(|directory| (directory, every));
        let make = || self.made(index, directory, &meter, &watch);
        let made = work::watched(py, &pool, &watch, make, &mut || Ok(()))??;
        Ok(PyBytes::new(py, &made))
    }

    /// Checks the sealed file of a run that was made elsewhere, and keeps it.
    fn accept(&self, py: Python<'_>, index: usize, sealed: &[u8]) -> PyResult<()> {
        let cell = self.cell(index)?;
        let kept = py.detach(|| match self.store.get() {
            Some(store) => store.accept(&cell.id, sealed).map(drop),
            None => {
                let (header, run) = unseal(&cell.id, sealed)?;
                lock(&self.kept).insert(index, (header.provenance, run));
                Ok(())
            }
        });
        kept.map_err(of_store)
    }

    /// All runs that are kept.
    fn result(&self, py: Python<'_>) -> PyResult<PyRuns> {
        if let Some(store) = self.store.get() {
            return directory::stored(py, store, &self.experiment);
        }
        let kept = lock(&self.kept).clone().into_values();
        let (provenance, runs): (Vec<_>, Vec<_>) = kept.unzip();
        warn_of_runs(py, &runs)?;
        Ok(PyRuns::new(runs, provenance, None))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
