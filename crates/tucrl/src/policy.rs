//! Which action is played in each state?
//!
//! A stationary Markov policy (paper, section 2): a distribution over actions for every state. A
//! deterministic policy has one action of probability one.

use serde::{Deserialize, Serialize};

use crate::error::PolicyError;
use crate::mdp::Mdp;

/// A stationary policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// Choices of state `s` are `start[s]..start[s + 1]`.
    start: Vec<usize>,
    choices: Vec<(u32, f64)>,
}

impl Policy {
    /// The policy that plays the given action in each state.
    pub fn deterministic(actions: impl IntoIterator<Item = usize>) -> Self {
        let choices: Vec<_> = actions.into_iter().map(|action| (action as u32, 1.0)).collect();
        Self { start: (0..=choices.len()).collect(), choices }
    }

    /// The policy with one list of `(action, probability)` per state.
    pub fn randomised<L: IntoIterator<Item = (usize, f64)>>(
        laws: impl IntoIterator<Item = L>,
    ) -> Self {
        let mut policy = Self { start: vec![0], choices: Vec::new() };
        for law in laws {
            policy.choices.extend(
                law.into_iter()
                    .filter(|entry| entry.1 != 0.0)
                    .map(|(action, p)| (action as u32, p)),
            );
            policy.start.push(policy.choices.len());
        }
        policy
    }

    /// The policy that plays all actions of a state with equal probability.
    pub fn uniform(mdp: &Mdp) -> Self {
        Self::randomised((0..mdp.states()).map(|state| {
            let actions = mdp.actions(state);
            (0..actions).map(move |action| (action, 1.0 / actions as f64))
        }))
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.start.len() - 1
    }

    /// The actions played in a state, as `(action, probability)`.
    pub fn choices(&self, state: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        self.choices[self.start[state]..self.start[state + 1]]
            .iter()
            .map(|&(action, probability)| (action as usize, probability))
    }

    /// The action of a state, if the policy is deterministic there.
    pub fn action(&self, state: usize) -> Option<usize> {
        let mut choices = self.choices(state);
        match (choices.next(), choices.next()) {
            (Some((action, _)), None) => Some(action),
            _ => None,
        }
    }

    /// Checks that the policy fits the model.
    ///
    /// # Errors
    /// The first state where it does not.
    pub fn check(&self, mdp: &Mdp) -> Result<(), PolicyError> {
        if self.states() != mdp.states() {
            return Err(PolicyError::States { given: self.states(), states: mdp.states() });
        }
        for state in 0..self.states() {
            let actions = mdp.actions(state);
            let mut sum = 0.0;
            for (action, probability) in self.choices(state) {
                if action >= actions {
                    return Err(PolicyError::Action { state, action, actions });
                }
                if !(0.0..=1.0 + 1e-9).contains(&probability) {
                    return Err(PolicyError::Probability { state, action, probability });
                }
                sum += probability;
            }
            if (sum - 1.0).abs() > 1e-9 {
                return Err(PolicyError::Sum { state, sum });
            }
        }
        Ok(())
    }
}
