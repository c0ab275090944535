//! Which of the paper's claims hold, and which of ours about TUCRL+?
//!
//! A [`Claim`] has an experiment or a computation, and a judge that reads the stored records and compares stated
//! statistics with wanted values. All runs go through the same experiments and store as any other work, so that a
//! reproduction can be stopped and resumed, and each claim has its own report. The paper does not print the horizons of
//! its figures; `docs/reproduction.md` has the chosen ones.

mod claims;
mod constants;
mod free_lunch;
mod judge;
mod junk;
mod page;
mod palette;
mod pictures;
mod rare_states;
mod regimes;
mod requirements;
mod shrinking;
mod spans;
mod taxi;
#[cfg(test)]
mod tests;
mod three_state;
mod unreachable_states;

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use tucrl_lab::Catalogue;
use tucrl_lab::experiment::{Experiment, ExperimentError};
use tucrl_lab::formats::save::atomically;
use tucrl_lab::formats::{FormatError, IfExists};
use tucrl_lab::plot::{self, Figure, FigureError};
use tucrl_lab::report::ReportError;
use tucrl_lab::spelling::{Spelled, Spelling};
use tucrl_lab::stats::Study;
use tucrl_lab::store::StoreError;

pub use claims::CLAIMS;
pub use page::{Outcome, verdicts, write};

/// The file with the results of a claim's computation.
pub const COMPUTED: &str = "computed.json";

/// Size of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Minutes: fewer steps and runs, narrower confidence sets where learning would be too slow.
    Quick,
    /// Hours: twenty runs, the paper's shrink factors.
    Paper,
}

/// One claim, of the paper or of docs/theory.md, and its test.
#[derive(Debug)]
pub struct Claim {
    /// Its name on the command line and on disk.
    pub name: &'static str,
    /// A headline.
    pub title: &'static str,
    /// The claim.
    pub says: &'static str,
    /// Its place: figure, theorem or section of the paper, or `theory` and a section of docs/theory.md, and what is there.
    pub place: &'static str,
    /// The figure of the paper that shows it, numbered in the order of the paper.
    pub figure: Option<u32>,
    /// The experiment at each scale, if runs are needed.
    pub experiment: Option<(&'static str, &'static str)>,
    /// The computation without runs, if any.
    pub computation: Option<fn(Scale) -> Result<Value, ReproduceError>>,
    /// Rough core seconds at each scale.
    pub core_seconds: (f64, f64),
    /// Compares the stored data with the claim.
    judge: fn(&Evidence<'_>) -> Result<Finding, ReproduceError>,
}

/// The input of a judge.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The stored runs.
    pub study: Option<&'a Study<'a>>,
    /// The result of the computation.
    pub computed: &'a Value,
}

/// The result of a judge.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// The statistics; the claim holds if all do.
    pub checks: Vec<Check>,
    /// Observations that decide nothing.
    pub remarks: Vec<String>,
    /// The figures.
    pub figures: Vec<Drawn>,
}

/// One statistic and its wanted value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// What is measured.
    pub statistic: String,
    /// The measured value.
    pub measured: String,
    /// The wanted value.
    pub wanted: String,
    /// True if measured is as wanted.
    pub holds: bool,
}

/// A drawn figure.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Its file name without extension.
    pub name: String,
    /// Its caption.
    pub caption: String,
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Vec<u8>,
}

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All statistics are as wanted.
    Holds,
    /// At least one is not.
    DoesNotHold,
}

/// Why a claim could not be tested.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// The experiment is invalid.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FormatError),
    /// A report or figure could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A world could not be built.
    #[error(transparent)]
    World(#[from] tucrl::error::WorldError),
    /// A generated world could not be searched.
    #[error(transparent)]
    Explore(#[from] tucrl::explore::ExploreError),
    /// A world could not be solved.
    #[error(transparent)]
    Solve(#[from] tucrl::error::SolveError),
    /// The stored computation cannot be read.
    #[error("{what} cannot be read: {source}; delete the directory and run again")]
    Computed {
        /// Its name.
        what: &'static str,
        /// The cause.
        source: serde_json::Error,
    },
    /// The stored runs lack an agent or a number.
    #[error("{what} cannot be measured from the stored runs")]
    Missing {
        /// What is missing.
        what: String,
    },
    /// A folder cannot be created.
    #[error("{}: cannot be created: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Spelled for ReproduceError {
    fn spelled(&self, spelling: Spelling) -> String {
        match self {
            Self::Experiment(error) => error.spelled(spelling),
            Self::Store(error) => error.spelled(spelling),
            Self::File(error) => error.spelled(spelling),
            other => other.to_string(),
        }
    }
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
    /// Its place, short: `figure 3`, `theorem 1`, `section 1`; `theory 7` is a section of docs/theory.md.
    pub fn reference(&self) -> &'static str {
        self.place.split_once(',').map_or(self.place, |(reference, _)| reference)
    }

    /// The claims that a word of the command line stands for: a name, or `fig3` for all claims of figure 3.
    pub fn called(word: &str) -> Vec<&'static Self> {
        let number = word.strip_prefix("figure").or_else(|| word.strip_prefix("fig"));
        let number = number.map(|rest| rest.trim_start_matches(['.', '-', ' ']));
        let figure: Option<u32> = number.and_then(|number| number.parse().ok());
        let is_meant =
            |claim: &&Self| claim.name == word || (figure.is_some() && claim.figure == figure);
        CLAIMS.iter().filter(is_meant).collect()
    }

    /// The claim of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CLAIMS.iter().find(|claim| claim.name == name)
    }

    /// The experiment of the claim, if it has runs.
    ///
    /// # Errors
    /// Never for the shipped experiments, which a test reads.
    pub fn experiment(&self, scale: Scale) -> Result<Option<Experiment>, ReproduceError> {
        let Some(texts) = self.experiment else { return Ok(None) };
        let file = format!("experiments/{}/{}.toml", scale.name(), self.name);
        Ok(Some(Experiment::parse(
            Path::new(&file),
            scale.of(texts).to_owned(),
            &Catalogue::default(),
        )?))
    }

    /// Rough core seconds.
    pub fn core_seconds(&self, scale: Scale) -> f64 {
        scale.of(self.core_seconds)
    }

    /// Computes the result, stores it, and returns it as read back.
    ///
    /// # Errors
    /// When a world cannot be solved, or the file cannot be written or read.
    pub fn compute(&self, scale: Scale, folder: &Path) -> Result<Value, ReproduceError> {
        let Some(computation) = self.computation else { return Ok(Value::Null) };
        std::fs::create_dir_all(folder)
            .map_err(|source| ReproduceError::Folder { path: folder.into(), source })?;
        // Recomputed every time, which takes seconds, so that a stored result cannot be stale.
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
        let study = evidence.study.map(palette::recoloured);
        (self.judge)(&Evidence { study: study.as_ref(), computed: evidence.computed })
    }
}

impl Finding {
    /// Holds if all statistics are as wanted.
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
