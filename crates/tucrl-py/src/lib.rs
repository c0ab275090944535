//! The Python package `tucrl`: conversions and checks around the library, and nothing that decides.
//!
//! `agent` drives a learner, `mdp` holds a model and its exact answers, `world` whatever can be
//! walked in, `learning` runs many agents on all
//! cores, `plan` shows what was planned, `errors` says which exception an error becomes. The classes are
//! documented where Python reads it, in `python/tucrl/_native.pyi` and `docs/python.md`.

mod agent;
mod errors;
mod learning;
mod mdp;
mod plan;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;
    use tucrl_lab::{agent_catalogue, catalogue};

    #[pymodule_export]
    use crate::agent::PyAgent;
    #[pymodule_export]
    use crate::learning::{PyRuns, learn};
    #[pymodule_export]
    use crate::mdp::PyMdp;
    #[pymodule_export]
    use crate::plan::{PyEpisode, PyPlan};
    #[pymodule_export]
    use crate::world::{PyWalk, PyWorld};

    use crate::errors::failed;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The command `tucrl`: does what the arguments say and returns the exit code.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| tucrl_lab::command::main_with(arguments))
    }

    /// The catalogue of worlds as JSON.
    #[pyfunction]
    fn worlds() -> PyResult<String> {
        serde_json::to_string(&catalogue::worlds().collect::<Vec<_>>()).map_err(failed)
    }

    /// The catalogue of agents as JSON.
    #[pyfunction]
    fn agents() -> PyResult<String> {
        serde_json::to_string(&agent_catalogue::agents().collect::<Vec<_>>()).map_err(failed)
    }
}
