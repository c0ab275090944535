//! The Python package `tucrl`: conversions and checks around the library.
//!
//! `agent` drives a learner, `mdp` holds a model and its exact solutions, `world` any environment, `learning` runs many
//! agents on all cores, `own` and `own_world` are agents and worlds written in Python, `plan` shows plans and episodes, `work` keeps Python responsive meanwhile, `seed` reads seeds,
//! `rewards` which rewards are possible, `errors` maps errors to exceptions. `python/tucrl/_native.pyi` has the types,
//! `docs/python.md` the guide.

mod agent;
mod checking;
mod errors;
mod learning;
mod mdp;
mod own;
mod own_world;
mod plan;
mod rewards;
mod seed;
mod stream;
mod work;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use std::ffi::OsString;
    use std::sync::Arc;

    use pyo3::prelude::*;
    use tucrl_lab::catalogue::{AgentListing, Catalogue, WorldListing};

    #[pymodule_export]
    use crate::agent::PyAgent;
    #[pymodule_export]
    use crate::checking::check;
    #[pymodule_export]
    use crate::learning::{PyCells, PyRuns, learn, run};
    #[pymodule_export]
    use crate::mdp::PyMdp;
    #[pymodule_export]
    use crate::own::{ask, play};
    #[pymodule_export]
    use crate::plan::PyPlan;
    #[pymodule_export]
    use crate::stream::PyStream;
    #[pymodule_export]
    use crate::world::{PyWalk, PyWorld};

    use crate::errors::failed;
    use crate::{own, own_world};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Runs the command `tucrl` with these arguments; returns the exit code.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        let (agents, worlds) =
            ([own::kind(own::Host::default())], own_world::kinds(Arc::default()));
        py.detach(|| tucrl_cli::exit_code(arguments, agents, worlds))
    }

    /// The catalogue of worlds as JSON.
    #[pyfunction]
    fn worlds() -> PyResult<String> {
        let catalogue = Catalogue::default();
        let all: Vec<WorldListing> = catalogue.worlds().iter().map(Into::into).collect();
        serde_json::to_string(&all).map_err(failed)
    }

    /// The catalogue of agents as JSON.
    #[pyfunction]
    fn agents() -> PyResult<String> {
        let catalogue = Catalogue::default();
        let all: Vec<AgentListing> = catalogue.agents().iter().map(Into::into).collect();
        serde_json::to_string(&all).map_err(failed)
    }
}
