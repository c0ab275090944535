//! Which Python exception does an error become?
//!
//! Bad input is a `ValueError`, a missing or existing file the exception that Python has for it, a failed plan or
//! solution a `RuntimeError`. The text is the library's own, which ends with the remedy.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError,
};
use tucrl_lab::catalogue::LoadError;
use tucrl_lab::experiment::{ExperimentError, ExperimentProblem};
use tucrl_lab::formats::FormatError;
use tucrl_lab::report::ReportError;
use tucrl_lab::spelling::{self, Setting, Spelled};
use tucrl_lab::store::StoreError;

/// An error of the caller's input.
pub(crate) fn bad_input(what: impl Display) -> PyErr {
    PyValueError::new_err(what.to_string())
}

/// An error with valid input.
pub(crate) fn failed(what: impl Display) -> PyErr {
    PyRuntimeError::new_err(what.to_string())
}

/// The keyword that sets an option; experiments have no keywords.
fn keyword(setting: Setting) -> &'static str {
    match setting {
        Setting::Overwrite => "pass overwrite=True",
        Setting::RewardModel => "reward_model",
        Setting::RMax => "r_max",
        Setting::RewardRange => "reward_range",
        Setting::UnpackLimit => "unpack_limit",
        Setting::Directory | Setting::Resume => spelling::by_name(setting),
    }
}

/// Errors of a model file.
pub(crate) fn of_file(error: &FormatError) -> PyErr {
    let text = error.spelled(keyword);
    match error {
        FormatError::NotFound { .. } => PyFileNotFoundError::new_err(text),
        FormatError::AlreadyExists { .. } => PyFileExistsError::new_err(text),
        FormatError::Io { .. }
        | FormatError::PermissionDenied { .. }
        | FormatError::NoFolder { .. }
        | FormatError::IsFolder { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Errors of building a world.
pub(crate) fn of_world(error: LoadError) -> PyErr {
    match error {
        LoadError::Format(error) => of_file(&error),
        LoadError::Explore(error) => failed(error),
        other => bad_input(other.spelled(keyword)),
    }
}

/// Errors of a checkpoint.
pub(crate) fn of_store(error: StoreError) -> PyErr {
    match error {
        StoreError::File(error) => of_file(&error),
        StoreError::Lossy { .. }
        | StoreError::OtherProgram { .. }
        | StoreError::Conflict { .. } => failed(error),
        other => bad_input(other.spelled(keyword)),
    }
}

/// Why an experiment could not be made or prepared.
pub(crate) fn of_experiment(error: ExperimentError) -> PyErr {
    match error {
        ExperimentError::Plain { problem } => match *problem {
            ExperimentProblem::Truth(error) => failed(error),
            ExperimentProblem::World(error) => of_world(error),
            other => bad_input(other),
        },
        other => bad_input(other),
    }
}

/// Errors of a report.
pub(crate) fn of_report(error: ReportError) -> PyErr {
    match error {
        ReportError::Write { .. } => PyOSError::new_err(error.to_string()),
        other => failed(other),
    }
}
