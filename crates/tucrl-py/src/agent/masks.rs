//! Which actions does a state have?
//!
//! All of them; or those that a mask allows: a table of all states, or a function that is called once per state, when it
//! is first seen. Learners number the actions of every state from 0, Python sees the numbers of the world.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use tucrl::space::{Space, StateId};

use super::states::text;
use crate::errors::bad_input;

/// The actions of states.
#[derive(Default)]
pub(super) struct Masks {
    /// The mask as Python gave it; none where all states have all actions.
    pub(super) source: Option<Source>,
    /// The actions of the states seen so far.
    pub(super) allowed: Allowed,
}

/// By state, the world's numbers of its actions, increasing.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Allowed(BTreeMap<StateId, Vec<u32>>);

/// Where masks come from.
pub(super) enum Source {
    /// A function from the state to its mask.
    Function(Py<PyAny>),
    /// One mask per state, in a list or an array.
    Table(Py<PyAny>),
}

impl Masks {
    /// Masks by a function or a table.
    pub(super) fn new(mask: Option<Bound<'_, PyAny>>, states: u64) -> PyResult<Self> {
        let Some(mask) = mask else { return Ok(Self::default()) };
        let source = if mask.is_callable() {
            Source::Function(mask.unbind())
        } else {
            let rows = mask.len().map_err(|_| {
                bad_input("mask is neither a function of the state nor a table of states × actions")
            })?;
            if rows as u64 != states {
                return Err(bad_input(format!(
                    "the mask has {rows} rows for {states} states: give one row per state"
                )));
            }
            Source::Table(mask.unbind())
        };
        Ok(Self { source: Some(source), allowed: Allowed::default() })
    }

    /// Whether states may have different actions.
    pub(super) fn are_given(&self) -> bool {
        self.source.is_some() || !self.allowed.0.is_empty()
    }

    /// The actions of a state when it is first seen; none if it has all of them or is known.
    #[inline]
    pub(super) fn meet(
        &self,
        state: &Bound<'_, PyAny>,
        number: StateId,
        space: &Space,
    ) -> PyResult<Option<Vec<u32>>> {
        if self.source.is_none() { Ok(None) } else { self.ask(state, number, space) }
    }

    #[cold]
    fn ask(
        &self,
        state: &Bound<'_, PyAny>,
        number: StateId,
        space: &Space,
    ) -> PyResult<Option<Vec<u32>>> {
        let Some(source) = self.source.as_ref().filter(|_| !self.allowed.0.contains_key(&number))
        else {
            return Ok(None);
        };
        let mask = match source {
            Source::Function(function) => function.bind(state.py()).call1((state,))?,
            Source::Table(table) => table.bind(state.py()).get_item(number)?,
        };
        let wanted = space.max_actions() as usize;
        let mut flags = Vec::new();
        let entries = mask.try_iter().map_err(|_| {
            let shown = text(&mask);
            bad_input(format!(
                "the mask of state {} is {shown}: give {wanted} flags, one per action",
                text(state)
            ))
        })?;
        for flag in entries {
            flags.push(flag?.is_truthy()?);
            if flags.len() > wanted {
                break;
            }
        }
        if flags.len() != wanted {
            return Err(bad_input(format!(
                "the mask of state {} does not have {wanted} flags: give one per action",
                text(state)
            )));
        }
        let allowed: Vec<u32> =
            flags.iter().zip(0..).filter(|(flag, _)| **flag).map(|(_, action)| action).collect();
        if allowed.is_empty() {
            return Err(bad_input(format!(
                "the mask of state {} allows no action: every state needs one",
                text(state)
            )));
        }
        Ok(Some(allowed))
    }

    /// The world's number of a learner's action.
    #[inline]
    pub(super) fn outside(&self, state: StateId, action: u32) -> u32 {
        if self.allowed.0.is_empty() { action } else { self.allowed.outside(state, action) }
    }
}

impl Allowed {
    /// Stores the actions of a state.
    pub(super) fn keep(&mut self, state: StateId, actions: Vec<u32>) {
        self.0.insert(state, actions);
    }

    /// Whether the actions of a state are stored.
    pub(super) fn has(&self, state: StateId) -> bool {
        self.0.contains_key(&state)
    }

    /// The learner's number of an action of the world; none if the state does not have it.
    pub(super) fn inside(&self, state: StateId, action: u32) -> Option<u32> {
        match self.0.get(&state) {
            Some(list) => list.binary_search(&action).ok().map(|place| place as u32),
            None => Some(action),
        }
    }

    fn outside(&self, state: StateId, action: u32) -> u32 {
        self.0.get(&state).and_then(|list| list.get(action as usize)).copied().unwrap_or(action)
    }
}

impl Source {
    /// The mask as given in Python.
    pub(super) fn object(&self) -> &Py<PyAny> {
        match self {
            Self::Function(object) | Self::Table(object) => object,
        }
    }

    pub(super) fn copy(&self, py: Python<'_>) -> Self {
        match self {
            Self::Function(object) => Self::Function(object.clone_ref(py)),
            Self::Table(object) => Self::Table(object.clone_ref(py)),
        }
    }
}
