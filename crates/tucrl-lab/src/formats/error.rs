//! What can be wrong with a model file?
//!
//! Every variant carries its facts as fields. A message starts with the place, as
//! `path:line:column`, and ends with what to change.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use tucrl::error::ModelError;

use super::source::UnpackError;
use crate::spelling::{Setting, Spelled, Spelling, by_name};
use crate::text::{bytes, clipped, listed, named, quoted};

/// The extensions of model files, with what they are.
const ACCEPTED: &str = ".json (tucrl's own), .drn (Storm's explicit format), .umb (unified Markov binary) and, to read, \
                        .tra (PRISM's explicit format), each also with .gz after it";

/// Why a model file was not read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The extension selects no format.
    #[error(
        "{}: the extension does not say which format this is: accepted are {ACCEPTED}",
        named(path)
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{}: no such file: check the name", named(path))]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// A folder was given instead of a file.
    #[error("{}: this is a folder: name a file", named(path))]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder to write into is missing.
    #[error("{}: the folder {} does not exist: create it first", named(path), named(folder))]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// Permission denied.
    #[error("{}: permission denied: change the permissions of the file or its folder", named(path))]
    PermissionDenied {
        /// The file.
        path: PathBuf,
    },
    /// Any other I/O error.
    #[error("{}: {source}", named(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The output file exists.
    #[error("{}", already_exists(path, by_name))]
    AlreadyExists {
        /// The file.
        path: PathBuf,
    },
    /// The file has no content.
    #[error("{}: the file is empty: a model has at least one state", named(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file is larger than any of its kind.
    #[error("{}: the file has more than {}: give another one", named(path), bytes(*most))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The largest size that is read, in bytes.
        most: u64,
    },
    /// A compressed file unpacks to more bytes than it may.
    #[error("{}", unpacks_to_more(path, *most, by_name))]
    UnpacksToMore {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        most: u64,
    },
    /// The compression is not one that is read.
    #[error("{}: {kind} is not read: unpack the file, or compress it with gzip", named(path))]
    UnknownCompression {
        /// The file.
        path: PathBuf,
        /// What compressed it.
        kind: &'static str,
    },
    /// The format is read only.
    #[error("{}: files of PRISM are only read: write .umb, .drn or .json", named(path))]
    OnlyRead {
        /// The file.
        path: PathBuf,
    },
    /// An entry of an archive does not follow the format.
    #[error("{}: {entry}: {}", named(path), clipped(what))]
    Entry {
        /// The archive.
        path: PathBuf,
        /// The entry, and the place in it where that is known.
        entry: String,
        /// What is wrong and what to change.
        what: String,
    },
    /// The file is not UTF-8.
    #[error("{}: the file is not UTF-8 text here: save it as UTF-8", place(path, *line, None))]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The text does not follow the format.
    #[error("{}: {}", place(path, *line, *column), clipped(what))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, where it is known.
        column: Option<usize>,
        /// What is wrong and what to change.
        what: String,
    },
    /// A newer version of one of tucrl's formats.
    #[error(
        "{}: {what} version {} is not known: this program reads version 1, use a newer one",
        place(path, *line, None), quoted(found)
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Which format it is the version of.
        what: &'static str,
        /// The version of the file.
        found: String,
    },
    /// A kind of model that is not a finite MDP with known numbers.
    #[error(
        "{}: {} models are not supported: give an MDP or a DTMC with fixed probabilities",
        place(path, *line, None), quoted(kind)
    )]
    UnsupportedModel {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the file holds.
        kind: String,
    },
    /// Several reward models, and no choice.
    #[error("{}", several_reward_models(path, *line, names, by_name))]
    SeveralRewardModels {
        /// The file.
        path: PathBuf,
        /// The line, from 1, of a text.
        line: Option<usize>,
        /// Their names.
        names: Vec<String>,
    },
    /// The chosen reward model does not exist.
    #[error(
        "{}: there is no reward model \"{}\": {}",
        named(path),
        quoted(asked),
        available(names)
    )]
    NoSuchRewardModel {
        /// The file.
        path: PathBuf,
        /// The requested name.
        asked: String,
        /// The names that exist.
        names: Vec<String>,
    },
    /// Both options that set the range of rewards.
    #[error("{}", two_ranges(path, by_name))]
    TwoRanges {
        /// The file.
        path: PathBuf,
    },
    /// A reward below zero in a file that does not say how low rewards may be.
    #[error("{}", negative_reward(path, *line, (*state, *action), *reward, by_name))]
    NegativeReward {
        /// The file.
        path: PathBuf,
        /// The line, from 1, of a text.
        line: Option<usize>,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// State reward plus action reward.
        reward: f64,
    },
    /// The header declares another number than the body has.
    #[error(
        "{}: the header declares {declared} {what}, the file has {found}: correct the header, or \
         complete the file", place(path, *line, None)
    )]
    Count {
        /// The file.
        path: PathBuf,
        /// The line of the declaration, from 1.
        line: usize,
        /// "states" or "choices".
        what: &'static str,
        /// The number in the header.
        declared: usize,
        /// The number in the body.
        found: usize,
    },
    /// No state is labelled `init`.
    #[error(
        "{}: from here on no state has the label init: add it to the line of the state where \
         the process starts", place(path, *line, None)
    )]
    NoInitialState {
        /// The file.
        path: PathBuf,
        /// The line of the first state, from 1.
        line: usize,
    },
    /// A `//@tucrl` comment contradicts the body.
    #[error(
        "{}: the //@tucrl comment contradicts the model: {}: correct one of them, or delete \
         the comment", place(path, *line, None), clipped(what)
    )]
    Contradiction {
        /// The file.
        path: PathBuf,
        /// The line of the comment, from 1.
        line: usize,
        /// The two sides.
        what: String,
    },
    /// The file is well formed, but its model is invalid.
    #[error("{}: {source}", place_or_file(path, *line))]
    Model {
        /// The file.
        path: PathBuf,
        /// The line of the faulty part, from 1, where the fault has one.
        line: Option<usize>,
        /// The defect.
        source: ModelError,
    },
}

impl Spelled for FormatError {
    fn spelled(&self, spelling: Spelling) -> String {
        match self {
            Self::AlreadyExists { path } => already_exists(path, spelling),
            Self::SeveralRewardModels { path, line, names } => {
                several_reward_models(path, *line, names, spelling)
            }
            Self::TwoRanges { path } => two_ranges(path, spelling),
            Self::UnpacksToMore { path, most } => unpacks_to_more(path, *most, spelling),
            Self::NegativeReward { path, line, state, action, reward } => {
                negative_reward(path, *line, (*state, *action), *reward, spelling)
            }
            other => other.to_string(),
        }
    }
}

fn already_exists(path: &Path, spelling: Spelling) -> String {
    let replace = spelling(Setting::Overwrite);
    format!("{}: the file already exists: choose another name, or {replace}", named(path))
}

fn several_reward_models(
    path: &Path,
    line: Option<usize>,
    names: &[String],
    spelling: Spelling,
) -> String {
    let (place, names) = (place_or_file(path, line), listed(names));
    let option = spelling(Setting::RewardModel);
    format!("{place}: the file has several reward models ({names}): choose one with {option}")
}

fn two_ranges(path: &Path, spelling: Spelling) -> String {
    let (r_max, range) = (spelling(Setting::RMax), spelling(Setting::RewardRange));
    format!("{}: {r_max} and {range} both say which rewards are possible: keep one", path.display())
}

fn unpacks_to_more(path: &Path, most: u64, spelling: Spelling) -> String {
    let (most, option) = (bytes(most), spelling(Setting::UnpackLimit));
    format!(
        "{}: the file unpacks to more than {most}: unpack it first (gunzip), or allow more with {option}",
        named(path)
    )
}

fn negative_reward(
    path: &Path,
    line: Option<usize>,
    (state, action): (usize, usize),
    reward: f64,
    spelling: Spelling,
) -> String {
    let (place, range) = (place_or_file(path, line), spelling(Setting::RewardRange));
    format!(
        "{place}: state {state}, action {action} has the negative reward {reward}: give the lowest and the \
         highest reward with {range}"
    )
}

impl FormatError {
    /// The variant for an I/O error of `path`.
    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match UnpackError::inside(&source) {
            Some(UnpackError::TooLarge { most }) => {
                return Self::UnpacksToMore { path, most: *most };
            }
            Some(damaged) => {
                let source = io::Error::other(damaged.clone());
                return Self::Io { path, source };
            }
            None => {}
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            io::ErrorKind::IsADirectory => Self::IsFolder { path },
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { path },
            _ => Self::Io { path, source },
        }
    }

    /// A model defect, with the line that `line_of` knows for the faulty part.
    pub(super) fn model(
        path: &Path,
        source: ModelError,
        line_of: impl FnOnce(Part) -> Option<usize>,
    ) -> Self {
        use ModelError as E;
        let line = match &source {
            E::NoActions { state } => line_of(Part::State(*state)),
            E::EmptyRow { state, action }
            | E::BadProbability { state, action, .. }
            | E::RowSum { state, action, .. }
            | E::NextOutOfRange { state, action, .. }
            | E::RewardOutOfRange { state, action, .. }
            | E::RewardLaw { state, action, .. }
            | E::UnmixableRewards { state, action, .. } => line_of(Part::Action(*state, *action)),
            E::RewardMax { .. } | E::RewardTooLarge { .. } => line_of(Part::RewardMax),
            E::StartOutOfRange { .. } | E::BadStartProbability { .. } | E::StartSum { .. } => {
                line_of(Part::Start)
            }
            E::NameCount { what: "state", .. } => line_of(Part::StateNames),
            E::NameCount { .. } => line_of(Part::ActionNames),
            _ => None,
        };
        Self::Model { path: path.into(), line, source }
    }
}

/// A part of a file that a model defect can be traced to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    State(usize),
    Action(usize, usize),
    RewardMax,
    Start,
    StateNames,
    ActionNames,
}

fn place(path: &Path, line: usize, column: Option<usize>) -> String {
    match column {
        Some(column) => format!("{}:{line}:{column}", named(path)),
        None => format!("{}:{line}", named(path)),
    }
}

fn place_or_file(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| named(path), |line| place(path, line, None))
}

fn available(names: &[String]) -> String {
    match names {
        [] => "the file has none, leave the choice out".into(),
        _ => format!("choose one of {}", listed(names)),
    }
}
