//! Does the paper's story hold here?
//!
//! What the paper claims with its figures, examples and arguments. Each is a [`Claim`]: what is said, which
//! experiment or computation tests it, and a judge that reads the stored records, measures stated
//! statistics and says whether they are as claimed. Everything that runs goes through the same experiments,
//! store and sweep as any other work, so a reproduction can be stopped and continued, and each part has
//! its own report. A judge never sees a run that is not on disk.
//!
//! Reads `experiment`, `stats`, `plot`; feeds the command `reproduce`. The horizons of the paper's figures
//! are not printed in it; `docs/reproduction.md` says what was chosen.

mod cast;
mod claims;
mod free_lunch;
mod judge;
mod junk;
mod junk_cast;
mod page;
mod pictures;
mod regimes;
mod spans;
mod taxi;
#[cfg(test)]
mod tests;
mod three_state;

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::experiment::{Experiment, ExperimentError};
use crate::formats::save::atomically;
use crate::formats::{FormatError, IfExists};
use crate::plot::{self, Figure, FigureError};
use crate::report::ReportError;
use crate::stats::Study;
use crate::store::StoreError;

pub use claims::CLAIMS;
pub use page::{Outcome, verdicts, write};

/// The file of what a claim computes without runs.
pub const COMPUTED: &str = "computed.json";

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// A few minutes: fewer steps and runs, and narrower confidence sets where learning would be too slow.
    Quick,
    /// An afternoon: twenty runs, the paper's shrink factors.
    Paper,
}

/// One thing that the paper says, and how it is tested.
#[derive(Debug)]
pub struct Claim {
    /// What it is called on the command line and on disk.
    pub name: &'static str,
    /// A headline.
    pub title: &'static str,
    /// What the paper says.
    pub says: &'static str,
    /// Where it says so.
    pub place: &'static str,
    /// The experiment at each scale, if runs are needed.
    pub experiment: Option<(&'static str, &'static str)>,
    /// What is computed without any run, if anything.
    pub computation: Option<fn(Scale) -> Result<Value, ReproduceError>>,
    /// How many seconds one core takes at each scale, roughly.
    pub core_seconds: (f64, f64),
    /// Whether what was stored is as claimed.
    judge: fn(&Evidence<'_>) -> Result<Finding, ReproduceError>,
}

/// What a judge sees.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The stored runs.
    pub study: Option<&'a Study<'a>>,
    /// What was computed.
    pub computed: &'a Value,
}

/// What a judge found.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// The statistics; the claim holds if all are as wanted.
    pub checks: Vec<Check>,
    /// What else was found and decides nothing.
    pub remarks: Vec<String>,
    /// The figures.
    pub figures: Vec<Drawn>,
}

/// One statistic, and what the claim wants it to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// What is measured.
    pub statistic: String,
    /// What came out.
    pub measured: String,
    /// What the claim wants.
    pub wanted: String,
    /// Whether it is so.
    pub holds: bool,
}

/// A figure, drawn.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Its file name without extension.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Vec<u8>,
}

/// How a claim came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All statistics are as claimed.
    Holds,
    /// At least one is not.
    DoesNotHold,
}

/// Why a claim could not be tested.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// An experiment cannot be carried out.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// The results cannot be kept or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FormatError),
    /// A report or figure cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A world cannot be made.
    #[error(transparent)]
    World(#[from] tucrl::error::WorldError),
    /// A world without a table could not be searched.
    #[error(transparent)]
    Explore(#[from] tucrl::explore::ExploreError),
    /// A world cannot be solved.
    #[error(transparent)]
    Solve(#[from] tucrl::error::SolveError),
    /// What was computed cannot be read back.
    #[error("{what} cannot be read: {source}; delete the directory and run again")]
    Computed {
        /// The claim.
        what: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// An agent or a number that the statistic needs is not there.
    #[error("{what} cannot be measured from the stored runs")]
    Missing {
        /// What is missing.
        what: String,
    },
    /// A folder cannot be made.
    #[error("{}: cannot be made: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl From<FigureError> for ReproduceError {
    fn from(error: FigureError) -> Self {
        ReportError::from(error).into()
    }
}

impl Scale {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Paper => "paper",
        }
    }

    fn of<T>(self, (quick, paper): (T, T)) -> T {
        match self {
            Self::Quick => quick,
            Self::Paper => paper,
        }
    }
}

impl Claim {
    /// The claim of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CLAIMS.iter().find(|claim| claim.name == name)
    }

    /// The experiment that tests it, if runs are needed.
    ///
    /// # Errors
    /// Never for what is shipped; a test reads all of them.
    pub fn experiment(&self, scale: Scale) -> Result<Option<Experiment>, ReproduceError> {
        let Some(texts) = self.experiment else { return Ok(None) };
        let file = format!("experiments/{}/{}.toml", scale.name(), self.name);
        Ok(Some(Experiment::parse(Path::new(&file), scale.of(texts).to_owned())?))
    }

    /// How many seconds one core takes, roughly.
    pub fn core_seconds(&self, scale: Scale) -> f64 {
        scale.of(self.core_seconds)
    }

    /// Does the computation and stores it, or reads what was stored before.
    ///
    /// # Errors
    /// When a world cannot be solved, or the file cannot be written or read.
    pub fn compute(&self, scale: Scale, folder: &Path) -> Result<Value, ReproduceError> {
        let Some(computation) = self.computation else { return Ok(Value::Null) };
        std::fs::create_dir_all(folder)
            .map_err(|source| ReproduceError::Folder { path: folder.into(), source })?;
        // It takes a second or two: made anew, it cannot be stale.
        let computed = computation(scale)?;
        let text = computed.to_string();
        let path = folder.join(COMPUTED);
        atomically(&path, IfExists::Replace, |out| out.write_all(text.as_bytes()))?;
        let stored =
            std::fs::read_to_string(&path).map_err(|source| FormatError::io(&path, source))?;
        serde_json::from_str(&stored)
            .map_err(|source| ReproduceError::Computed { what: self.name, source })
    }

    /// Measures the statistics and draws the figures.
    ///
    /// # Errors
    /// When something that a statistic needs is missing, or a figure cannot be drawn.
    pub fn judge(&self, evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
        (self.judge)(evidence)
    }
}

impl Finding {
    /// Whether all statistics are as claimed.
    pub fn verdict(&self) -> Verdict {
        let all = self.checks.iter().all(|check| check.holds);
        if all { Verdict::Holds } else { Verdict::DoesNotHold }
    }

    fn draw(
        &mut self,
        name: &str,
        caption: impl Into<String>,
        figure: &impl Figure,
    ) -> Result<(), ReproduceError> {
        let (svg, png) = (plot::svg(figure)?, plot::png(figure)?);
        self.figures.push(Drawn { name: name.into(), caption: caption.into(), svg, png });
        Ok(())
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
        })
    }
}
