//! How is a Python state written into a file?
//!
//! As plain JSON: integers, floats, strings, bytes, booleans, None, and tuples of these. A file is read without executing
//! code, so other objects are refused; pickle accepts them.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple};
use serde::{Deserialize, Serialize};

use super::states::text;
use crate::errors::bad_input;

/// The label of a state.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Label {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Bytes(Vec<u8>),
    Tuple(Vec<Label>),
}

impl Label {
    /// The JSON value of a state.
    pub(super) fn of(state: &Bound<'_, PyAny>) -> PyResult<Self> {
        let refuse = || {
            bad_input(format!(
                "the state {} does not fit into a file: states of int (64 bits), float, str, bytes, \
                 bool, None and tuples of them do; or use pickle",
                text(state)
            ))
        };
        if state.is_none() {
            Ok(Self::None)
        } else if let Ok(flag) = state.cast_exact::<PyBool>() {
            Ok(Self::Bool(flag.is_true()))
        } else if state.cast_exact::<PyInt>().is_ok() {
            state.extract().map(Self::Int).map_err(|_| refuse())
        } else if let Ok(number) = state.cast_exact::<PyFloat>() {
            // JSON has no infinities.
            if number.value().is_finite() { Ok(Self::Float(number.value())) } else { Err(refuse()) }
        } else if state.cast_exact::<PyString>().is_ok() {
            state.extract().map(Self::Str).map_err(|_| refuse())
        } else if let Ok(bytes) = state.cast_exact::<PyBytes>() {
            Ok(Self::Bytes(bytes.as_bytes().to_vec()))
        } else if let Ok(tuple) = state.cast_exact::<PyTuple>() {
            tuple.iter().map(|part| Self::of(&part)).collect::<PyResult<_>>().map(Self::Tuple)
        } else {
            Err(refuse())
        }
    }

    /// The state of a JSON value.
    pub(super) fn state(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::None => py.None(),
            Self::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any().unbind(),
            Self::Int(number) => number.into_pyobject(py)?.into_any().unbind(),
            Self::Float(number) => number.into_pyobject(py)?.into_any().unbind(),
            Self::Str(text) => text.into_pyobject(py)?.into_any().unbind(),
            Self::Bytes(bytes) => PyBytes::new(py, bytes).into_any().unbind(),
            Self::Tuple(parts) => {
                let parts = parts.iter().map(|part| part.state(py));
                PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind()
            }
        })
    }
}
