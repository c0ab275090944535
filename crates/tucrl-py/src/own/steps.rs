//! How is the code of an agent asked for an action, and told what came of it?

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tucrl::env::{Environment, Walk, WalkState};
use tucrl::space::{ActionId, StateId};

use crate::errors::bad_input;
use crate::mdp::PyMdp;

/// Asks for an action; one that the state does not have is a `ValueError`.
#[pyfunction(name = "_ask")]
pub(crate) fn ask(act: &Bound<'_, PyAny>, state: StateId, offered: u32) -> PyResult<ActionId> {
    let answer = act.call1((state,))?;
    let told: Result<i64, _> = answer.extract();
    match told {
        Ok(action) if (0..i64::from(offered)).contains(&action) => Ok(action as ActionId),
        Ok(action) => Err(PyValueError::new_err(format!(
            "act({state}) returned {action}, and the actions of state {state} are 0 to {}",
            offered - 1
        ))),
        Err(_) => {
            let shown = answer.repr().map_or_else(|_| "something".into(), |text| text.to_string());
            let kind = answer.get_type().name()?;
            Err(PyValueError::new_err(format!(
                "act({state}) returned {shown} of type {kind}: return the number of an action, 0 to {}",
                offered - 1
            )))
        }
    }
}

/// What an exception says: a line, and the traceback.
pub(crate) fn told(py: Python<'_>, error: PyErr) -> String {
    let plain = error.to_string();
    let failure = py.import("tucrl._own").and_then(|own| own.call_method1("failure", (error,)));
    failure.and_then(|text| text.extract()).unwrap_or(plain)
}

/// Plays steps in a copy of a walk, for at most the given seconds; the actions, four bytes each, and what failed.
#[pyfunction(name = "_play")]
pub(crate) fn play<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyMdp>,
    position: &str,
    act: &Bound<'py, PyAny>,
    observe: &Bound<'py, PyAny>,
    steps: u64,
    seconds: f64,
) -> PyResult<(Bound<'py, PyBytes>, Option<String>)> {
    let at: WalkState = serde_json::from_str(position).map_err(bad_input)?;
    let mut walk = Walk::resume(Arc::clone(table.get().model()), at);
    let (began, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    let (mut actions, mut failure) = (Vec::new(), None);
    for _ in 0..steps {
        let state = walk.state();
        let offered = walk.space().actions(state);
        let action = match ask(act, state, offered) {
            Ok(action) => action,
            Err(error) => {
                failure = Some(told(py, error));
                break;
            }
        };
        let step = Walk::step(&mut walk, action);
        actions.extend(action.to_le_bytes());
        if let Err(error) = observe.call1((step.reward, step.next)) {
            failure = Some(told(py, error));
            break;
        }
        if began.elapsed() >= limit {
            break;
        }
    }
    Ok((PyBytes::new(py, &actions), failure))
}
