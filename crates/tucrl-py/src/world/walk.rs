//! How is a world simulated from Python? `tucrl.Walk`; actions are checked before they are played.

use std::sync::Arc;

use pyo3::prelude::*;
use tucrl::env::{Environment, Walk};
use tucrl::model::{GeneratedWalk, Model};
use tucrl::rng::{Purpose, RandomStream};

use crate::errors::{bad_input, failed};

/// A simulation of a world, made by `walk` of an `MDP` or a `World`.
///
/// >>> import tucrl
/// >>> walk = tucrl.MDP("river-swim").walk(seed=1)
/// >>> state, reward = walk.step(0)
/// >>> state == walk.state
/// True
#[pyclass(name = "Walk", module = "tucrl")]
pub(crate) struct PyWalk {
    name: String,
    way: Way,
}

enum Way {
    Table(Box<Walk>),
    Generated(Box<GeneratedWalk>),
}

impl PyWalk {
    /// Starts with the random stream of a run of the laboratory with that seed.
    pub(crate) fn new(name: &str, model: &Model, seed: u64, run: u64) -> PyResult<Self> {
        let random = RandomStream::of_run(seed, run, Purpose::World);
        let way = match model {
            Model::Table(mdp) => Way::Table(Box::new(Walk::new(Arc::clone(mdp), random))),
            Model::Generated(generator) => {
                let walk = GeneratedWalk::new(Arc::clone(generator), random);
                Way::Generated(Box::new(walk.map_err(failed)?))
            }
        };
        Ok(Self { name: name.to_owned(), way })
    }
}

#[pymethods]
impl PyWalk {
    /// The current state.
    #[getter]
    fn state(&self) -> u64 {
        match &self.way {
            Way::Table(walk) => walk.state(),
            Way::Generated(walk) => walk.state(),
        }
    }

    /// The number of actions of the current state.
    #[getter]
    fn offered(&self) -> u32 {
        match &self.way {
            Way::Table(walk) => walk.space().actions(walk.state()),
            Way::Generated(walk) => walk.space().actions(walk.state()),
        }
    }

    /// Play an action; return the next state and the reward.
    fn step(&mut self, action: usize) -> PyResult<(u64, f64)> {
        let offered = self.offered();
        if action >= offered as usize {
            return Err(bad_input(format!(
                "state {} has no action {action}: its actions are numbered 0 to {}",
                self.state(),
                offered - 1
            )));
        }
        let step = match &mut self.way {
            Way::Table(walk) => Walk::step(walk, action as u32),
            Way::Generated(walk) => walk.step(action as u32).map_err(failed)?,
        };
        Ok((step.next, step.paid))
    }

    fn __repr__(&self) -> String {
        format!("tucrl.Walk({:?}) in state {}", self.name, self.state())
    }
}
