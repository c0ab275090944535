//! What is wrong with an experiment, where, and what should be changed?
//!
//! A message starts with the file, the line and the key, and ends with what to change.

use std::path::PathBuf;

use thiserror::Error;
use tucrl::truth::TruthError;

use crate::catalogue::LoadError;
use crate::formats::FormatError;
use crate::names::SpecError;
use crate::spelling::{Spelled, Spelling};
use crate::text::{clipped, named};

/// Why an experiment could not be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FormatError),
    /// The file is not TOML.
    #[error("{}:{line}: this is not TOML: {}", named(path), clipped(what))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        what: String,
    },
    /// Something is wrong with an experiment in memory.
    #[error("{problem}")]
    Plain {
        /// What is wrong.
        problem: Box<ExperimentProblem>,
    },
    /// A key is wrong.
    #[error("{}:{line}: `{key}`: {problem}", named(path))]
    Key {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The key, as in `agents[2].label`.
        key: String,
        /// What is wrong with it.
        problem: Box<ExperimentProblem>,
    },
}

/// What can be wrong with a key.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExperimentProblem {
    /// A key that does not exist.
    #[error("there is no such key: {}", instead(nearest.as_deref(), known))]
    Unknown {
        /// The key that was probably meant.
        nearest: Option<String>,
        /// The keys that exist.
        known: &'static [&'static str],
    },
    /// A key of one world that stands beside the worlds.
    #[error(
        "there is no such key here: it belongs to a world, as in `worlds = [{{ spec = \"taxi\", reward_range = [-10, 20] }}]`"
    )]
    OfOneWorld,
    /// A key that must be there.
    #[error("the key is missing: add it, as in `{example}`")]
    Missing {
        /// How it may look.
        example: &'static str,
    },
    /// A value of another type, or out of range.
    #[error("{found} is not accepted: write {expected}")]
    Value {
        /// What is written there.
        found: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// A world or an agent that is given before.
    #[error("{what} is given twice: {change}")]
    Twice {
        /// Which one.
        what: String,
        /// What to do about it.
        change: &'static str,
    },
    /// A name in `not_run` that the experiment does not have.
    #[error(
        "there is no {what} {name:?} in this experiment: write one of its {what}s, as `tucrl run --list` shows them"
    )]
    NotHere {
        /// An agent, or a world.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A sweep of too many values.
    #[error("{variants} combinations of values are too many: keep at most {most}")]
    TooManyVariants {
        /// How many there are.
        variants: usize,
        /// How many there may be.
        most: usize,
    },
    /// More runs than fit into memory.
    #[error("{runs} runs are too many: keep at most {most}, with fewer seeds, worlds or agents")]
    TooManyRuns {
        /// How many there are.
        runs: u128,
        /// How many there may be.
        most: u64,
    },
    /// Seeds for tuning, but no lists of values.
    #[error(
        "no agent has a list of values to choose from: write one, as in {{ spec = \"tucrl\", alpha = [0.01, 0.1] }}, or \
         remove the key"
    )]
    NothingToTune,
    /// A fault within a spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An agent that cannot start in a world.
    #[error("in {world}: {error}")]
    Start {
        /// The world.
        world: String,
        /// Why.
        error: SpecError,
    },
    /// A world that cannot be built.
    #[error(transparent)]
    World(#[from] LoadError),
    /// A world that cannot be searched or solved.
    #[error("{0}")]
    Truth(#[from] TruthError),
    /// A panic while a world was built or solved.
    #[error("building or solving this world panicked: {message}; please report it with the world")]
    Bug {
        /// The message of the panic.
        message: String,
    },
    /// No agents.
    #[error("there is no agent: name at least one, such as \"tucrl\"")]
    NoAgents,
}

impl ExperimentError {
    /// Whether only the runs of one world are concerned: it cannot be read, built or solved, although the experiment
    /// names it correctly.
    pub(crate) fn is_of_one_world(&self) -> bool {
        let (Self::Plain { problem } | Self::Key { problem, .. }) = self else { return false };
        match &**problem {
            ExperimentProblem::Truth(_) | ExperimentProblem::Bug { .. } => true,
            ExperimentProblem::World(error) => match error {
                LoadError::World(error) => error.option().is_none(),
                LoadError::Format(_) | LoadError::Explore(_) => true,
                _ => false,
            },
            _ => false,
        }
    }
}

impl Spelled for ExperimentError {
    fn spelled(&self, spelling: Spelling) -> String {
        match self {
            Self::File(error) => error.spelled(spelling),
            Self::Key { path, line, key, problem } => match &**problem {
                ExperimentProblem::World(error) => {
                    format!("{}:{line}: `{key}`: {}", named(path), error.spelled(spelling))
                }
                _ => self.to_string(),
            },
            other => other.to_string(),
        }
    }
}

fn instead(nearest: Option<&str>, known: &[&str]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("accepted are {}", known.join(", ")),
    }
}
