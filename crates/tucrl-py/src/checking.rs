//! Does an agent keep what the laboratory relies on? For `tucrl.testing`.

use std::sync::Arc;

use pyo3::prelude::*;
use tucrl::conformance::{Promise, check_agent};

use crate::agent::whole;
use crate::errors::bad_input;
use crate::learning::Own;
use crate::work;

/// Checks an agent; every failure is the name of a check and a sentence.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    agent: &str,
    own: Own,
    steps: &Bound<'_, PyAny>,
    long_steps: &Bound<'_, PyAny>,
    seed: u64,
    resumes: bool,
    sublinear: bool,
    may_know: bool,
) -> PyResult<Vec<(String, String)>> {
    let named = own.catalogue()?.agent(agent).map_err(bad_input)?;
    let promise = Promise {
        steps: whole("steps", steps, 1, 1_000_000)?,
        long_steps: whole("long_steps", long_steps, 2, 1_000_000_000)?,
        seed,
        resumes,
        sublinear,
        may_know,
    };
    let algorithm = Arc::clone(named.algorithm());
    let found = work::run(py, "checking the agent", |_| check_agent(&algorithm, &promise))?;
    Ok(found.into_iter().map(|found| (found.check.to_owned(), found.message)).collect())
}
