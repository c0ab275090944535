//! How is a world simulated from Python? `tucrl.Walk`; actions are checked before they are played.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tucrl::env::{Environment, Walk, WalkState};
use tucrl::model::{GeneratedWalk, Model};
use tucrl::rng::{Purpose, RandomStream};

use super::{AnyWorld, PyWorld};
use crate::errors::{bad_input, failed};

/// A simulation of a world, made by `walk` of an `MDP` or a `World`.
///
/// Walks can be copied and pickled, and continue alike. Two are equal if they stand in the same state of the same world
/// with the same random numbers to come.
///
/// >>> import tucrl
/// >>> walk = tucrl.MDP("river-swim").walk(seed=1)
/// >>> state, reward = walk.step(0)
/// >>> state == walk.state
/// True
#[pyclass(name = "Walk", module = "tucrl")]
pub(crate) struct PyWalk {
    name: String,
    model: Model,
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
        Ok(Self { name: name.to_owned(), model: model.clone(), way })
    }

    fn position(&self) -> &WalkState {
        match &self.way {
            Way::Table(walk) => walk.position(),
            Way::Generated(walk) => walk.position(),
        }
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

    fn __eq__(&self, other: &Self) -> bool {
        let is_same_world = match (&self.model, &other.model) {
            (Model::Table(one), Model::Table(two)) => Arc::ptr_eq(one, two) || one == two,
            (Model::Generated(one), Model::Generated(two)) => {
                Arc::ptr_eq(one, two) || self.name == other.name
            }
            _ => false,
        };
        is_same_world && self.position() == other.position()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.borrow());
        let saved = match &this.way {
            Way::Table(walk) => Some(walk.position().clone()),
            Way::Generated(walk) => walk.saved(),
        };
        let saved = saved.ok_or_else(|| bad_input("the simulator of this world cannot be pickled"));
        let position = serde_json::to_vec(&saved?).map_err(failed)?;
        let world = Bound::new(py, PyWorld::of(this.name.clone(), this.model.clone()))?;
        let restore = slf.get_type().getattr("_restore")?;
        (restore, (world, PyBytes::new(py, &position))).into_pyobject(py).map(Bound::into_any)
    }

    /// A walk for pickle.
    #[staticmethod]
    fn _restore(world: AnyWorld, position: &[u8]) -> PyResult<Self> {
        let no_walk = |error| bad_input(format!("this is no pickled walk: {error}"));
        let at: WalkState = serde_json::from_slice(position).map_err(no_walk)?;
        let model = world.model();
        if at.state() >= model.space().states() {
            return Err(bad_input("the walk was pickled in another world"));
        }
        let way = match &model {
            Model::Table(mdp) => Way::Table(Box::new(Walk::resume(Arc::clone(mdp), at))),
            Model::Generated(generator) => {
                Way::Generated(Box::new(GeneratedWalk::resume(Arc::clone(generator), at)))
            }
        };
        Ok(Self { name: world.name().to_owned(), model, way })
    }

    fn __repr__(&self) -> String {
        format!("tucrl.Walk({:?}) in state {}", self.name, self.state())
    }
}
