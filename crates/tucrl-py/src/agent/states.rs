//! Which number does a Python state get?
//!
//! Whole numbers are their own. Any other hashable object gets the next number when it is first seen: learners treat all
//! unseen states alike, so that the numbering does not change the run. The first state decides between the two.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList};

use crate::errors::bad_input;

/// How states are named.
#[derive(Default)]
pub(super) enum States {
    /// Undecided.
    #[default]
    Unknown,
    /// By whole numbers.
    Integers,
    /// By hashable objects: the number of each, and each by its number.
    Labels(Py<PyDict>, Vec<Py<PyAny>>),
}

/// A state with its number, which may be new.
pub(super) struct Numbered {
    pub(super) number: u64,
    is_new: bool,
}

impl States {
    /// The number of a state. Unchanged until [`States::keep`].
    #[inline]
    pub(super) fn number(&self, state: &Bound<'_, PyAny>, limit: u64) -> PyResult<Numbered> {
        match self {
            Self::Integers => match state.extract::<u64>() {
                Ok(number) if number < limit => Ok(Numbered { number, is_new: false }),
                Ok(number) => Err(outside(number, limit)),
                Err(error) => Err(not_a_number(&error, state)),
            },
            Self::Labels(numbers, labels) => {
                labelled(numbers.bind(state.py()), labels.len() as u64, state, limit)
            }
            Self::Unknown => match state.extract::<u64>() {
                Ok(number) if number < limit => Ok(Numbered { number, is_new: true }),
                Ok(number) => Err(outside(number, limit)),
                Err(error) if error.is_instance_of::<PyOverflowError>(state.py()) => {
                    Err(not_a_number(&error, state))
                }
                Err(_) if state.cast::<PyInt>().is_ok() => Err(bad_input(negative(state))),
                Err(_) => labelled(&PyDict::new(state.py()), 0, state, limit),
            },
        }
    }

    /// Stores a state that has just been numbered.
    #[inline]
    pub(super) fn keep(&mut self, state: &Bound<'_, PyAny>, numbered: &Numbered) -> PyResult<()> {
        if numbered.is_new { self.keep_new(state, numbered.number) } else { Ok(()) }
    }

    #[cold]
    fn keep_new(&mut self, state: &Bound<'_, PyAny>, number: u64) -> PyResult<()> {
        if matches!(self, Self::Unknown) {
            *self = match state.extract::<u64>() {
                Ok(_) => Self::Integers,
                Err(_) => Self::Labels(PyDict::new(state.py()).unbind(), Vec::new()),
            };
        }
        if let Self::Labels(numbers, labels) = self {
            numbers.bind(state.py()).set_item(state, number)?;
            labels.push(state.clone().unbind());
        }
        Ok(())
    }

    /// The states that have such labels, in the order of their numbers.
    pub(super) fn labelled(py: Python<'_>, labels: Vec<Py<PyAny>>) -> PyResult<Self> {
        let numbers = PyDict::new(py);
        for (number, label) in labels.iter().enumerate() {
            numbers.set_item(label, number)?;
        }
        if numbers.len() != labels.len() {
            return Err(bad_input("a state is listed twice: the checkpoint is not one of tucrl's"));
        }
        Ok(Self::Labels(numbers.unbind(), labels))
    }

    /// The Python object of a numbered state.
    pub(super) fn name(&self, py: Python<'_>, number: u64) -> PyResult<Py<PyAny>> {
        match self {
            Self::Labels(_, labels) => match labels.get(number as usize) {
                Some(label) => Ok(label.clone_ref(py)),
                None => Err(bad_input(format!("state {number} has no name"))),
            },
            _ => Ok(number.into_pyobject(py)?.into_any().unbind()),
        }
    }

    /// The labels, where states have some.
    pub(super) fn labels<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        match self {
            Self::Labels(_, labels) => PyList::new(py, labels).map(Some),
            _ => Ok(None),
        }
    }

    /// An independent copy.
    pub(super) fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(match self {
            Self::Unknown => Self::Unknown,
            Self::Integers => Self::Integers,
            Self::Labels(numbers, labels) => Self::Labels(
                numbers.bind(py).copy()?.unbind(),
                labels.iter().map(|label| label.clone_ref(py)).collect(),
            ),
        })
    }
}

fn labelled(
    numbers: &Bound<'_, PyDict>,
    count: u64,
    state: &Bound<'_, PyAny>,
    limit: u64,
) -> PyResult<Numbered> {
    if state.cast::<PyFloat>().is_ok_and(|float| float.value().is_nan()) {
        return Err(bad_input("NaN is no state: it is not even equal to itself"));
    }
    let found = numbers.get_item(state).map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(state.py()) {
            return error;
        }
        bad_input(format!(
            "the state {} cannot be hashed ({error}): pass tuple(state), state.tobytes() or an int",
            text(state)
        ))
    })?;
    match found {
        Some(number) => Ok(Numbered { number: number.extract()?, is_new: false }),
        None if count < limit => Ok(Numbered { number: count, is_new: true }),
        None => Err(bad_input(format!(
            "{} is one state more than the {limit} that were announced: raise `states`",
            text(state)
        ))),
    }
}

#[cold]
fn outside(number: u64, limit: u64) -> PyErr {
    bad_input(format!(
        "state {number} is outside a space of {limit} states, 0 to {}: raise `states`",
        limit - 1
    ))
}

#[cold]
fn not_a_number(error: &PyErr, state: &Bound<'_, PyAny>) -> PyErr {
    if state.cast::<PyInt>().is_ok() || error.is_instance_of::<PyOverflowError>(state.py()) {
        return bad_input(negative(state));
    }
    bad_input(format!(
        "the state {} is not a whole number, and the states before it were: keep to one kind",
        text(state)
    ))
}

fn negative(state: &Bound<'_, PyAny>) -> String {
    format!("the state {} is negative or beyond 2**64: number states from 0", text(state))
}

/// The repr of a state, shortened.
pub(super) fn text(state: &Bound<'_, PyAny>) -> String {
    let shown = state.repr().and_then(|repr| repr.extract::<String>());
    let shown = shown.unwrap_or_else(|_| "that was given".into());
    match shown.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}
