//! What can go wrong in the store?
//!
//! Damage is a separate kind: the caller may set the file aside and repeat the cell. All other errors stop the work;
//! finished runs stay in place.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::experiment::ExperimentError;
use crate::formats::FormatError;
use crate::spelling::{Setting, Spelled, Spelling, by_name};
use crate::text::{clipped, named, quoted};

/// Why a file of the store is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Damage {
    /// The last line, which seals the file, is missing or incomplete.
    #[error("it is cut off: the line that seals it is missing")]
    Truncated,
    /// The checksum differs.
    #[error("its content is not what was written: the checksum differs")]
    Checksum,
    /// The content is sealed but cannot be parsed.
    #[error("it cannot be parsed: {}", clipped(what))]
    Malformed {
        /// The parser's message.
        what: String,
    },
    /// A folder, a pipe or a device in the place of a file.
    #[error("it is no file")]
    NoFile,
    /// The record belongs to another cell.
    #[error("it belongs to another cell: {key} is {}, not {}", quoted(found), quoted(expected))]
    Foreign {
        /// The key that differs.
        key: &'static str,
        /// Its value in the file.
        found: String,
        /// Its value in the cell.
        expected: String,
    },
}

/// Why a store operation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{}", with_advice(.0, by_name))]
    File(#[from] FormatError),
    /// A file is damaged.
    #[error("{}: the file is damaged: {damage}", named(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        damage: Damage,
    },
    /// A file of a newer format version.
    #[error(
        "{}: the file has version {found} of its format and this program knows {known}: use a newer \
         tucrl",
        named(path)
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The newest known version.
        known: u32,
    },
    /// A checkpoint of an earlier version.
    #[error(
        "{}: the checkpoint has version {found} of its format and this program reads {known}: start the agent \
         anew, or use the tucrl that wrote it",
        named(path)
    )]
    OlderVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read.
        known: u32,
    },
    /// A record that does not survive a round trip through JSON.
    #[error("{}: the record cannot be stored without loss: please report this", named(path))]
    Lossy {
        /// The file it was meant for.
        path: PathBuf,
    },
    /// A finished run, which stores no agent.
    #[error("{}: this is a finished run, which stores no agent: name a checkpoint", named(path))]
    NoCheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The directory holds other files and no experiment.
    #[error("{}", not_an_experiment(path, by_name))]
    NotAnExperiment {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds no experiment.
    #[error("{}: there is no experiment here: create one with `tucrl run`", named(path))]
    NoExperiment {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds results already.
    #[error("{}", has_results(path, by_name))]
    HasResults {
        /// The directory.
        path: PathBuf,
    },
    /// The directory belongs to another experiment.
    #[error("{}", other_experiment(path, key, [stored, asked], by_name))]
    OtherExperiment {
        /// The directory.
        path: PathBuf,
        /// The first key that differs.
        key: &'static str,
        /// Its value in the directory.
        stored: String,
        /// Its value in the requested experiment.
        asked: String,
    },
    /// The directory holds a run that does not belong to the experiment.
    #[error("{}", stranger(path, by_name))]
    Stranger {
        /// The file of the run.
        path: PathBuf,
    },
    /// A run that came from another version of the program.
    #[error(
        "{}: the worker that made it has tucrl {found} and this program is {own}: install the same version everywhere",
        named(path)
    )]
    OtherProgram {
        /// The name of its file.
        path: PathBuf,
        /// The version of the worker, and of its files.
        found: String,
        /// The version of this program.
        own: String,
    },
    /// Two results of the same cell that contradict each other.
    #[error(
        "{} and {} are results of the same run and differ: different versions made them, or one is wrong; remove one",
        named(first),
        named(second)
    )]
    Conflict {
        /// A file.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// The directory's copy of the experiment cannot be read.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
}

impl Spelled for StoreError {
    fn spelled(&self, spelling: Spelling) -> String {
        match self {
            Self::File(error) => with_advice(error, spelling),
            Self::NotAnExperiment { path } => not_an_experiment(path, spelling),
            Self::HasResults { path } => has_results(path, spelling),
            Self::OtherExperiment { path, key, stored, asked } => {
                other_experiment(path, key, [stored, asked], spelling)
            }
            Self::Stranger { path } => stranger(path, spelling),
            Self::Experiment(error) => error.spelled(spelling),
            other => other.to_string(),
        }
    }
}

fn not_an_experiment(path: &Path, spelling: Spelling) -> String {
    let (path, out) = (named(path), spelling(Setting::Directory));
    format!("{path}: the directory is not empty and holds no experiment: choose another with {out}")
}

fn has_results(path: &Path, spelling: Spelling) -> String {
    let (resume, out) = (spelling(Setting::Resume), spelling(Setting::Directory));
    format!(
        "{}: the directory already holds results: continue them with {resume}, or choose another \
         with {out}",
        named(path)
    )
}

fn other_experiment(
    path: &Path,
    key: &str,
    [stored, asked]: [&str; 2],
    spelling: Spelling,
) -> String {
    let (path, out) = (named(path), spelling(Setting::Directory));
    let (stored, asked) = (clipped(stored), clipped(asked));
    format!(
        "{path}: the directory belongs to another experiment: `{key}` is {stored} there and {asked} \
         here: choose another with {out}"
    )
}

fn stranger(path: &Path, spelling: Spelling) -> String {
    let (path, out) = (named(path), spelling(Setting::Directory));
    format!(
        "{path}: this is no run of the experiment: a model file has changed since it was made, or \
         it was put here from elsewhere: choose another directory with {out}"
    )
}

/// The error of a file, with a remedy where writing failed.
fn with_advice(error: &FormatError, spelling: Spelling) -> String {
    use std::io::ErrorKind as Kind;
    let said = error.spelled(spelling);
    let FormatError::Io { source, .. } = error else { return said };
    match source.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            let resume = spelling(Setting::Resume);
            format!("{said}: make room, then continue with {resume}; nothing finished is lost")
        }
        Kind::ReadOnlyFilesystem => {
            format!("{said}: choose another directory with {}", spelling(Setting::Directory))
        }
        _ => said,
    }
}
