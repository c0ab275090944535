//! What may follow each action of some states? `World.rows`.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use tucrl::generator::{Generator, GeneratorError, Outcomes, Tabled, list, start_law};
use tucrl::model::Model;

use super::PyWorld;
use crate::errors::bad_input;
use crate::work::{self, Progress};

/// Actions per state; per action its number of next states and its mean reward; next states and probabilities.
type Arrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

#[derive(Default)]
struct Rows {
    actions: Vec<i64>,
    counts: Vec<i64>,
    rewards: Vec<f64>,
    next: Vec<i64>,
    probabilities: Vec<f64>,
}

impl Rows {
    fn of(
        generator: &dyn Generator,
        states: &[u64],
        watch: &Progress,
    ) -> Result<Self, GeneratorError> {
        let (mut rows, mut outcomes) = (Self::default(), Outcomes::default());
        let low = generator.reward_range().low();
        for &state in states {
            if watch.is_stopped() {
                break;
            }
            let offered = generator.space().actions(state);
            rows.actions.push(offered.into());
            for action in 0..offered {
                list(generator, state, action, &mut outcomes)?;
                if outcomes.entries().is_empty() {
                    return Err(GeneratorError::CannotList);
                }
                rows.counts.push(outcomes.entries().len() as i64);
                rows.rewards.push(low + outcomes.mean_above(low));
                // States are below 2^63.
                rows.next.extend(outcomes.entries().iter().map(|outcome| outcome.next as i64));
                let probabilities = outcomes.entries().iter().map(|outcome| outcome.probability);
                rows.probabilities.extend(probabilities);
            }
        }
        Ok(rows)
    }
}

#[pymethods]
impl PyWorld {
    /// The states in which it starts, with their probabilities.
    #[getter]
    fn start(&self) -> PyResult<std::collections::BTreeMap<u64, f64>> {
        Ok(match &self.model {
            Model::Table(mdp) => mdp.start().map(|(state, p)| (state as u64, p)).collect(),
            Model::Generated(generator) => {
                start_law(&**generator).map_err(bad_input)?.into_iter().collect()
            }
        })
    }

    /// Return what may follow every action of some states, for programs that build their own tables.
    ///
    /// Five arrays: the number of actions of each state; for each of these actions the number of next states and the mean
    /// reward; and all next states, ascending for each action, with their probabilities.
    ///
    /// >>> import tucrl
    /// >>> actions, counts, rewards, states, probabilities = tucrl.World("river-swim").rows([0, 1])
    /// >>> actions.tolist(), counts.tolist(), states.tolist()
    /// ([2, 2], [1, 2, 1, 3], [0, 0, 1, 0, 0, 1, 2])
    fn rows<'py>(&self, py: Python<'py>, states: Vec<u64>) -> PyResult<Arrays<'py>> {
        let last = self.space.states() - 1;
        if let Some(state) = states.iter().find(|&&state| state > last) {
            return Err(bad_input(format!(
                "state {state} does not exist: states are numbered 0 to {last}"
            )));
        }
        let generator = self.listed.get_or_init(|| match &self.model {
            Model::Table(mdp) => Arc::new(Tabled::new(Arc::clone(mdp))),
            Model::Generated(generator) => Arc::clone(generator),
        });
        let list = |watch: &Progress| Rows::of(&**generator, &states, watch);
        let rows = work::run(py, "listing transitions", list)?.map_err(bad_input)?;
        Ok((
            PyArray1::from_vec(py, rows.actions),
            PyArray1::from_vec(py, rows.counts),
            PyArray1::from_vec(py, rows.rewards),
            PyArray1::from_vec(py, rows.next),
            PyArray1::from_vec(py, rows.probabilities),
        ))
    }
}
