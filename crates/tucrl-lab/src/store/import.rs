//! How do curves of other programs come beside an experiment's own?
//!
//! A CSV file in long format, a line per run and checkpoint: `run`, `step`, and `regret` or `reward`, both summed up to and
//! including the step. Every run has the same steps, the last of which is the horizon of the world. What is wrong is an error
//! with the line. The curves are stored in `imported/`, one sealed file per label and world, as records without gap
//! regret, pseudo-regret, episodes or visits.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;
use tucrl::run::{Checkpoints, RunRecord, RunSpec};
use tucrl::truth::{Baseline, Facts};

use super::{Header, Kind, Store, StoreError, envelope};
use crate::formats::FormatError;
use crate::formats::disk::{create_folders, if_present, patiently};
use crate::record::{Imported, Provenance, StoredRun};
use crate::text::{named, quoted};

pub(super) const IMPORTED: &str = "imported";
/// The largest file, in bytes.
const LARGEST: u64 = 1 << 30;

/// What is imported, and as what.
#[derive(Debug, Clone)]
pub struct Import<'a> {
    /// The file.
    pub path: &'a Path,
    /// The experiment's name.
    pub experiment: &'a str,
    /// The world, as its shortest spec.
    pub world: &'a str,
    /// The horizon of the world.
    pub steps: u64,
    /// Its facts.
    pub facts: &'a Facts,
    /// What the curves are called.
    pub label: &'a str,
    /// What there is to say about them.
    pub note: Option<&'a str>,
}

/// Why a file cannot be imported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FormatError),
    /// A line is wrong.
    #[error("{}:{line}: {problem}", named(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: LineProblem,
    },
    /// The regret of rewards is not known.
    #[error(
        "{}: the gain of {world} is not known, so rewards do not give regret: import regret",
        named(path)
    )]
    NoGain {
        /// The file.
        path: PathBuf,
        /// The world.
        world: String,
    },
    /// It cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is wrong with a line of curves.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// It is not CSV.
    #[error("this is not CSV: {what}")]
    Csv {
        /// What the parser says.
        what: String,
    },
    /// A column is missing.
    #[error("the column `{column}` is missing: the columns are run, step, and regret or reward")]
    NoColumn {
        /// Which one.
        column: &'static str,
    },
    /// Both regret and reward.
    #[error("there are columns for regret and for reward: keep one of them")]
    BothColumns,
    /// A column that means nothing, or is given twice.
    #[error(
        "the column \"{}\" is unknown or given twice: the columns are run, step, and regret or reward",
        quoted(column)
    )]
    Column {
        /// Its name.
        column: String,
    },
    /// A value that is not accepted.
    #[error("{column} = \"{}\" is not accepted: write {expected}", quoted(found))]
    Value {
        /// The column.
        column: &'static str,
        /// What is there.
        found: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// A run and step that come twice.
    #[error("run {run} has step {step} already in line {first}: keep one of them")]
    Duplicate {
        /// The run.
        run: u64,
        /// The step.
        step: u64,
        /// Where it came first.
        first: u64,
    },
    /// A step beyond the horizon, or a curve that ends before it.
    #[error(
        "the last step of run {run} is {step}, and runs in this world have {steps}: import curves of the same length"
    )]
    Horizon {
        /// The run.
        run: u64,
        /// Its last step.
        step: u64,
        /// The horizon.
        steps: u64,
    },
    /// A step that other runs have and this one does not.
    #[error("run {run} has no step {step}, which run {other} has: give all runs the same steps")]
    Gap {
        /// The run that begins or goes on in this line.
        run: u64,
        /// The step.
        step: u64,
        /// A run that has it.
        other: u64,
    },
    /// A run whose number comes before this one is missing.
    #[error("run {missing} is missing, and run {run} is there: number runs without gaps")]
    MissingRun {
        /// The missing one.
        missing: u64,
        /// The next one.
        run: u64,
    },
    /// A sum that rewards in the range of the world cannot give.
    #[error(
        "{column} = {found} after {step} steps is impossible with rewards between {low} and {high}: give sums of \
         all rewards so far, in the units of the world"
    )]
    Impossible {
        /// The column.
        column: &'static str,
        /// The value.
        found: f64,
        /// The step.
        step: u64,
        /// The lowest reward.
        low: f64,
        /// The highest reward.
        high: f64,
    },
    /// No values.
    #[error("there are no values")]
    Empty,
}

/// A value and its line.
type Entries = BTreeMap<u64, BTreeMap<u64, (f64, u64)>>;

/// Reads a file of curves as records.
///
/// # Errors
/// When it cannot be read, or a line is wrong.
pub fn read_curves(import: &Import<'_>) -> Result<Vec<StoredRun>, ImportError> {
    let path = import.path;
    let failed = |source| FormatError::io(path, source);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(FormatError::TooLarge { path: path.into(), most: LARGEST }.into());
    }
    let at = |line, problem| ImportError::Line { path: path.into(), line, problem };
    let (column, entries) = entries(&bytes).map_err(|(line, problem)| at(line, problem))?;
    check(&entries, import.steps).map_err(|(line, problem)| at(line, problem))?;
    let facts = import.facts;
    if facts.baseline == Baseline::Nothing {
        return Err(ImportError::NoGain { path: path.into(), world: import.world.into() });
    }
    let rows = entries.values().map(|curve| curve.len() as u64).sum();
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let imported = Imported {
        file: name,
        blake3: blake3::hash(&bytes).to_hex()[..16].to_owned(),
        rows,
        column: column.to_owned(),
        note: import.note.map(Into::into),
        at: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    };
    let mut runs = Vec::new();
    for (run, curve) in &entries {
        let mut regret = Vec::with_capacity(curve.len());
        for (&step, &(value, line)) in curve {
            let all = facts.gain * step as f64;
            let value_of_regret = if column == "reward" { all - value } else { value };
            let (range, earned) = (facts.reward_range(), all - value_of_regret);
            let slack = 1e-6 * range.width() * step as f64;
            let (least, most) = (range.low() * step as f64, range.high() * step as f64);
            if !(earned >= least - slack && earned <= most + slack) {
                let (low, high, found) = (range.low(), range.high(), value);
                return Err(at(line, LineProblem::Impossible { column, found, step, low, high }));
            }
            regret.push((step, value_of_regret));
        }
        let times: Vec<u64> = regret.iter().map(|(step, _)| *step).collect();
        runs.push(StoredRun {
            experiment: import.experiment.into(),
            world: import.world.into(),
            agent: format!("imported:{}", import.label),
            label: import.label.into(),
            options: serde_json::Value::Null,
            spec: RunSpec {
                steps: import.steps,
                checkpoints: Checkpoints::at(times),
                master_seed: 0,
                run: *run,
            },
            facts: facts.clone(),
            record: RunRecord {
                steps: import.steps,
                gain: facts.gain,
                regret,
                pseudo_regret: Vec::new(),
                gap_regret: None,
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
            },
            error: None,
            sweep: None,
            imported: Some(imported.clone()),
        });
    }
    Ok(runs)
}

/// The values by run and step.
fn entries(bytes: &[u8]) -> Result<(&'static str, Entries), (u64, LineProblem)> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let broken = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        (line, LineProblem::Csv { what: error.to_string() })
    };
    let head = reader.headers().map_err(|error| broken(&error))?.clone();
    let mut places = BTreeMap::new();
    for (place, name) in head.iter().enumerate() {
        // Spreadsheets begin a file with a byte-order mark.
        let name = name.trim_start_matches('\u{feff}').trim();
        let is_known = ["run", "step", "regret", "reward"].contains(&name);
        if !is_known || places.insert(name.to_owned(), place).is_some() {
            return Err((1, LineProblem::Column { column: name.to_owned() }));
        }
    }
    let place = |column: &'static str| {
        places.get(column).copied().ok_or((1, LineProblem::NoColumn { column }))
    };
    let (run_place, step_place) = (place("run")?, place("step")?);
    let (column, value_place) = match (places.get("regret"), places.get("reward")) {
        (Some(_), Some(_)) => return Err((1, LineProblem::BothColumns)),
        (None, Some(&place)) => ("reward", place),
        (_, None) => ("regret", place("regret")?),
    };
    let mut all = Entries::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |place: usize| record.get(place).unwrap_or_default();
        let value = |column, expected, found: &str| {
            (line, LineProblem::Value { column, found: found.to_owned(), expected })
        };
        let whole = |column: &'static str, place, expected| {
            let number = crate::names::integer(cell(place));
            number.ok_or_else(|| value(column, expected, cell(place)))
        };
        let run = whole("run", run_place, "a whole number, such as 0")?;
        let step_words = "a whole number of at least 1";
        let step = whole("step", step_place, step_words)?;
        if step == 0 {
            return Err(value("step", step_words, cell(step_place)));
        }
        let sum = cell(value_place).parse::<f64>().ok().filter(|sum| sum.is_finite());
        let sum = sum.ok_or_else(|| value(column, "a finite number", cell(value_place)))?;
        if let Some((_, first)) = all.entry(run).or_default().insert(step, (sum, line)) {
            return Err((line, LineProblem::Duplicate { run, step, first }));
        }
    }
    if all.is_empty() { Err((1, LineProblem::Empty)) } else { Ok((column, all)) }
}

/// Whether all runs have the same steps up to the horizon, and no run is missing.
fn check(entries: &Entries, steps: u64) -> Result<(), (u64, LineProblem)> {
    let first_line = |curve: &BTreeMap<u64, (f64, u64)>| {
        curve.values().map(|(_, line)| *line).min().unwrap_or(1)
    };
    let mut expected = entries.keys().next().copied().filter(|&run| run <= 1).unwrap_or(0);
    for (&run, curve) in entries {
        if run != expected {
            return Err((first_line(curve), LineProblem::MissingRun { missing: expected, run }));
        }
        expected = run + 1;
        if let Some((&step, &(_, line))) = curve.last_key_value()
            && step != steps
        {
            return Err((line, LineProblem::Horizon { run, step, steps }));
        }
    }
    let mut owners: BTreeMap<u64, u64> = BTreeMap::new();
    for (&run, curve) in entries {
        for &step in curve.keys() {
            owners.entry(step).or_insert(run);
        }
    }
    for (&run, curve) in entries {
        if let Some((&step, &other)) = owners.iter().find(|(step, _)| !curve.contains_key(step)) {
            // The line after which the step would come.
            let before = curve.range(..step).next_back().map(|(_, (_, line))| *line);
            let line = before.unwrap_or_else(|| first_line(curve));
            return Err((line, LineProblem::Gap { run, step, other }));
        }
    }
    Ok(())
}

impl Store {
    fn import_file(&self, label: &str, world: &str) -> PathBuf {
        let key = serde_json::json!([label, world]).to_string();
        let hash = &blake3::hash(key.as_bytes()).to_hex()[..16];
        self.directory().join(IMPORTED).join(format!("{hash}.curves"))
    }

    /// Whether curves of a label in a world have been imported.
    pub fn has_import(&self, label: &str, world: &str) -> bool {
        self.import_file(label, world).exists()
    }

    /// Stores imported curves, replacing those of the same label in the same world; returns the file.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_import(
        &self,
        label: &str,
        world: &str,
        runs: &[StoredRun],
    ) -> Result<PathBuf, StoreError> {
        let path = self.import_file(label, world);
        let folder = path.parent().unwrap_or(self.directory());
        create_folders(&*self.disk, folder).map_err(|source| FormatError::io(folder, source))?;
        let body = serde_json::to_string(runs).map_err(|_| envelope::lossy(&path))?;
        let provenance = Provenance::now(1, Duration::ZERO, Duration::ZERO);
        envelope::write(&*self.disk, &path, Kind::Import, &body, &provenance)?;
        Ok(path)
    }

    /// All imported curves: per file its path, and its header and records or why they cannot be read.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn imports(&self) -> Result<Vec<ReadImport>, StoreError> {
        let folder = self.directory().join(IMPORTED);
        let disk = &*self.disk;
        let names = if_present(patiently(|| disk.list(&folder)));
        let names = names.map_err(|source| FormatError::io(&folder, source))?.unwrap_or_default();
        let mut files: Vec<PathBuf> = names.into_iter().map(|(_, path)| path).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "curves"));
        files.sort();
        let read = |path: PathBuf| {
            let found = super::refuse_others(disk, &path)
                .and_then(|()| envelope::read(disk, &path, Kind::Import));
            (path, found)
        };
        Ok(files.into_iter().map(read).collect())
    }
}

/// A file of imported curves, read.
pub type ReadImport = (PathBuf, Result<(Header, Vec<StoredRun>), StoreError>);
