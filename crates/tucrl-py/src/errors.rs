//! Which Python exception does an error become?
//!
//! Bad input is a `ValueError`, a file that is not there or in the way what Python calls it, a plan or an
//! exact answer that cannot be had a `RuntimeError`. The text is the library's own, which ends with what
//! to change.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError,
};
use tucrl_lab::catalogue::LoadError;
use tucrl_lab::formats::FormatError;
use tucrl_lab::learning::LearningError;
use tucrl_lab::report::ReportError;
use tucrl_lab::store::StoreError;

/// Something that the caller should change.
pub(crate) fn bad_input(what: impl Display) -> PyErr {
    PyValueError::new_err(what.to_string())
}

/// Something that went wrong although the input was right.
pub(crate) fn failed(what: impl Display) -> PyErr {
    PyRuntimeError::new_err(what.to_string())
}

/// What the system or the content of a model file refuses.
pub(crate) fn of_file(error: &FormatError) -> PyErr {
    // The message knows the command line's way out.
    let text = error.to_string().replace("replace it with --force", "pass overwrite=True");
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

/// Why a world could not be had.
pub(crate) fn of_world(error: LoadError) -> PyErr {
    match error {
        LoadError::Format(error) => of_file(&error),
        LoadError::Explore(error) => failed(error),
        other => bad_input(other.to_string().replace("--r-max", "r_max")),
    }
}

/// Why a checkpoint could not be read or written.
pub(crate) fn of_store(error: StoreError) -> PyErr {
    match error {
        StoreError::File(error) => of_file(&error),
        StoreError::Lossy { .. } => failed(error),
        other => bad_input(other),
    }
}

/// Why nothing could be learned.
pub(crate) fn of_learning(error: LearningError) -> PyErr {
    match error {
        LearningError::Measure(error) => failed(error),
        other => bad_input(other),
    }
}

/// Why a report could not be written.
pub(crate) fn of_report(error: ReportError) -> PyErr {
    match error {
        ReportError::Write { .. } => PyOSError::new_err(error.to_string()),
        other => failed(other),
    }
}
