//! Why could the store not be read or written, and what should be done?
//!
//! Damage is an error of its own kind: whoever finds it may set the file aside and redo the cell. All
//! else stops the work, with everything finished still in place.

use std::path::PathBuf;

use thiserror::Error;

use crate::experiment::ExperimentError;
use crate::formats::FormatError;

/// Why a file of the store is not to be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Damage {
    /// The last line, which seals the file, is missing or cut.
    #[error("it is cut off: the line that seals it is missing")]
    Truncated,
    /// The content is not what was sealed.
    #[error("its content is not what was written: the checksum differs")]
    Checksum,
    /// The content is sealed and yet not readable.
    #[error("it cannot be understood: {what}")]
    Malformed {
        /// What the reader said.
        what: String,
    },
    /// The record belongs to another cell.
    #[error("it belongs to another cell: {key} is {found}, not {expected}")]
    Foreign {
        /// What differs.
        key: &'static str,
        /// What the file says.
        found: String,
        /// What the cell is.
        expected: String,
    },
}

/// Why the store could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refuses to read or write.
    #[error("{}{}", .0, advice(.0))]
    File(#[from] FormatError),
    /// A file is damaged.
    #[error("{}: the file is damaged: {damage}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
    /// A file of a later version.
    #[error(
        "{}: the file has version {found} of its format and this program knows {known}: use a newer \
         tucrl", path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The last version that is known.
        known: u32,
    },
    /// A record that would not come back as it is.
    #[error("{}: the record cannot be stored without loss: please report this", path.display())]
    Lossy {
        /// The file it was meant for.
        path: PathBuf,
    },
    /// A finished run, whose agent is gone.
    #[error("{}: this is a finished run, which keeps no agent: name a checkpoint", path.display())]
    NoCheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The directory holds something else.
    #[error(
        "{}: the directory is not empty and holds no experiment: choose another with --out",
        path.display()
    )]
    NotAnExperiment {
        /// The directory.
        path: PathBuf,
    },
    /// No experiment is there.
    #[error("{}: there is no experiment here: `tucrl run` makes one", path.display())]
    NoExperiment {
        /// The directory.
        path: PathBuf,
    },
    /// The directory holds results already.
    #[error(
        "{}: the directory already holds results: continue them with --resume, or choose another \
         with --out", path.display()
    )]
    HasResults {
        /// The directory.
        path: PathBuf,
    },
    /// The directory belongs to another experiment.
    #[error(
        "{}: the directory belongs to another experiment: `{key}` is {stored} there and {asked} \
         here: choose another with --out", path.display()
    )]
    OtherExperiment {
        /// The directory.
        path: PathBuf,
        /// The first key that differs.
        key: &'static str,
        /// Its meaning in the directory.
        stored: String,
        /// Its meaning in the file that was asked for.
        asked: String,
    },
    /// The directory holds a run that is no run of the experiment.
    #[error(
        "{}: this is no run of the experiment: a model file has changed since it was made, or it was \
         put here from elsewhere: choose another directory with --out", path.display()
    )]
    Stranger {
        /// The file of the run.
        path: PathBuf,
    },
    /// The directory's copy of the experiment cannot be read.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
}

/// What to do about a system that refuses to write.
fn advice(error: &FormatError) -> &'static str {
    use std::io::ErrorKind as Kind;
    match error {
        FormatError::Io { source, .. } => match source.kind() {
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
                ": make room, then continue with --resume; nothing finished is lost"
            }
            Kind::ReadOnlyFilesystem => ": choose another directory with --out",
            _ => "",
        },
        _ => "",
    }
}
