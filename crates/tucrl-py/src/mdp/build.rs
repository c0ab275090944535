//! How is a model built from arrays?
//!
//! Transitions come sorted by state and action and go to the builder of the library, which checks them. A
//! pickled model is the content of a model file.

use std::io::Write as _;

use tucrl::mdp::Mdp;
use tucrl::pulse::unless_stopped;
use tucrl::reward::{RewardLaw, RewardRange};
use tucrl_lab::formats::{self, FormatError, IfExists, ReadOptions};

use pyo3::prelude::*;

use crate::errors::{bad_input, failed, of_file};

/// Transitions, one per entry of each array.
pub(super) struct Table<'a> {
    pub(super) state: &'a [i64],
    pub(super) action: &'a [i64],
    pub(super) next: &'a [i64],
    pub(super) probability: &'a [f64],
    pub(super) reward: &'a [f64],
}

/// Builds a model.
pub(super) fn build(
    states: usize,
    table: &Table<'_>,
    start: &[(usize, f64)],
    range: RewardRange,
    law: &str,
    [state_names, action_names]: [Vec<String>; 2],
) -> PyResult<Mdp> {
    let size = table.state.len();
    let lengths =
        [table.action.len(), table.next.len(), table.probability.len(), table.reward.len()];
    if lengths.iter().any(|&length| length != size) {
        return Err(bad_input("the arrays of transitions differ in length"));
    }
    let reward_law = |reward: f64| match law {
        "constant" => Ok(RewardLaw::Constant(reward)),
        "bernoulli" => {
            let (low, high) = (range.low(), range.high());
            let probability = (reward - low) / range.width();
            Ok(if low == 0.0 {
                RewardLaw::Bernoulli { probability, value: high }
            } else {
                RewardLaw::discrete([(low, 1.0 - probability), (high, probability)])
            })
        }
        other => Err(bad_input(format!(
            "law = {other:?} is unknown: accepted are \"constant\" and \"bernoulli\""
        ))),
    };
    let mut builder = Mdp::builder();
    let mut entry = 0;
    for state in unless_stopped(0..states) {
        builder.state();
        let mut action = 0;
        while entry < size && table.state[entry] == state as i64 {
            if table.action[entry] != action {
                return Err(bad_input(format!(
                    "state {state} has action {} but not action {action}: number the actions of each \
                     state from 0 without gaps",
                    table.action[entry]
                )));
            }
            let from = entry;
            while entry < size
                && table.state[entry] == state as i64
                && table.action[entry] == action
            {
                if table.next[entry] < 0 {
                    return Err(bad_input(format!(
                        "state {state}, action {action}: next state {} is negative",
                        table.next[entry]
                    )));
                }
                entry += 1;
            }
            let row = from..entry;
            let next = |i: usize| table.next[i] as usize;
            if row.clone().all(|i| table.reward[i].to_bits() == table.reward[from].to_bits()) {
                let entries = row.map(|i| (next(i), table.probability[i]));
                builder.action(reward_law(table.reward[from])?, entries);
            } else {
                let outcomes =
                    row.map(|i| Ok((next(i), table.probability[i], reward_law(table.reward[i])?)));
                builder.joint_action(outcomes.collect::<PyResult<Vec<_>>>()?);
            }
            action += 1;
        }
    }
    if entry < size {
        return Err(bad_input(format!(
            "a transition starts in state {}, and states are numbered 0 to {}",
            table.state[entry],
            states as i64 - 1
        )));
    }
    builder.reward_range(range).start_law(start.iter().copied());
    builder.state_names(state_names).action_names(action_names);
    builder.build().map_err(bad_input)
}

/// The content of a model file.
pub(crate) fn to_json(model: &Mdp) -> PyResult<Vec<u8>> {
    let (_folder, path) = scratch()?;
    let written = formats::write(model, &path, IfExists::Replace);
    written.map_err(|error: FormatError| of_file(&error))?;
    std::fs::read(&path).map_err(failed)
}

/// The model of that content.
pub(super) fn from_json(content: &[u8]) -> PyResult<Mdp> {
    let (_folder, path) = scratch()?;
    let mut file = std::fs::File::create(&path).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    formats::read(&path, &ReadOptions::default()).map_err(|error| of_file(&error))
}

/// A file that is removed with its temporary folder.
fn scratch() -> PyResult<(tempfile::TempDir, std::path::PathBuf)> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join("model.json");
    Ok((folder, path))
}
