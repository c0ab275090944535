//! How is a model walked from Python?
//!
//! The walk of the library, with the action checked before it is played.

use std::sync::Arc;

use pyo3::prelude::*;
use tucrl::env::{Environment, Walk};
use tucrl::rng::RandomStream;

use super::PyMdp;

/// A model walked at random, made by `MDP.walk`.
///
/// >>> import tucrl
/// >>> walk = tucrl.MDP("river-swim").walk(seed=1)
/// >>> state, reward = walk.step(0)
/// >>> state == walk.state
/// True
#[pyclass(name = "Walk", module = "tucrl")]
pub(crate) struct PyWalk {
    mdp: Py<PyMdp>,
    walk: Walk,
}

impl PyWalk {
    pub(super) fn new(mdp: Py<PyMdp>, random: RandomStream) -> Self {
        let walk = Walk::new(Arc::clone(mdp.get().model()), random);
        Self { mdp, walk }
    }
}

#[pymethods]
impl PyWalk {
    /// The model.
    #[getter]
    fn mdp(&self, py: Python<'_>) -> Py<PyMdp> {
        self.mdp.clone_ref(py)
    }

    /// The state that the walk is in.
    #[getter]
    fn state(&self) -> u64 {
        self.walk.state()
    }

    /// Play an action; return the next state and the reward.
    fn step(&mut self, action: usize) -> PyResult<(u64, f64)> {
        self.mdp.get().check_pair(self.walk.state() as usize, action)?;
        let step = self.walk.step(action as u32);
        Ok((step.next, step.reward))
    }

    fn __repr__(&self) -> String {
        format!("tucrl.Walk({:?}) in state {}", self.mdp.get().title(), self.walk.state())
    }
}
