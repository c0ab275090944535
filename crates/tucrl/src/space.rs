//! What may a learner know before it starts?
//!
//! The number of states as the designer wrote it down (the *nominal* size S, junk states included),
//! the actions of every state, and nothing of what can be reached (paper, section 2: S, A and r_max
//! are known, the rest is not). A state is a number below S; S may be enormous.
//!
//! Reads nothing; feeds `env` and every learning module. Departures from the paper: none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A state, as a number below the nominal size of its space.
pub type StateId = u64;

/// An action, as a position in the action list of its state.
pub type ActionId = u32;

/// A nominal state space with the actions of every state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    states: u64,
    actions: Actions,
    max_actions: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Actions {
    Same(u32),
    Listed(Vec<u32>),
    /// Of the states told so far.
    Told(BTreeMap<StateId, u32>),
}

impl Space {
    /// A space in which every state has the same number of actions.
    ///
    /// # Panics
    /// When there are no states or no actions.
    pub fn uniform(states: u64, actions: u32) -> Self {
        assert!(states > 0 && actions > 0, "a space needs states and actions");
        Self { states, actions: Actions::Same(actions), max_actions: actions }
    }

    /// A space in which state `s` has `actions[s]` actions.
    ///
    /// # Panics
    /// When there are no states, or a state without actions.
    pub fn listed(actions: Vec<u32>) -> Self {
        assert!(!actions.is_empty() && !actions.contains(&0), "a space needs states and actions");
        let max_actions = actions.iter().copied().max().unwrap_or(1);
        if actions.iter().all(|&count| count == max_actions) {
            return Self::uniform(actions.len() as u64, max_actions);
        }
        Self { states: actions.len() as u64, actions: Actions::Listed(actions), max_actions }
    }

    /// A space in which the actions of a state are told when it is first met ([`Space::tell_actions`]);
    /// until then it counts as having `max_actions`.
    ///
    /// # Panics
    /// When there are no states or no actions.
    pub fn told(states: u64, max_actions: u32) -> Self {
        assert!(states > 0 && max_actions > 0, "a space needs states and actions");
        Self { states, actions: Actions::Told(BTreeMap::new()), max_actions }
    }

    /// Says how many actions a state has, in a space made by [`Space::told`]; others know already.
    ///
    /// # Panics
    /// When there are none, or more than the largest number.
    pub fn tell_actions(&mut self, state: StateId, actions: u32) {
        if let Actions::Told(told) = &mut self.actions {
            let limit = self.max_actions;
            assert!((1..=limit).contains(&actions), "a state has between 1 and {limit} actions");
            told.insert(state, actions);
        }
    }

    /// The nominal number of states.
    #[doc(alias = "S")]
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The largest number of actions of any state.
    #[doc(alias = "A")]
    pub fn max_actions(&self) -> u32 {
        self.max_actions
    }

    /// The number of actions of one state.
    ///
    /// # Panics
    /// When the state does not exist.
    pub fn actions(&self, state: StateId) -> u32 {
        assert!(state < self.states, "state {state} is outside a space of {} states", self.states);
        match &self.actions {
            Actions::Same(actions) => *actions,
            Actions::Listed(actions) => actions[state as usize],
            Actions::Told(told) => told.get(&state).copied().unwrap_or(self.max_actions),
        }
    }

    /// S times A, the number that every formula of the paper calls SA: with state-dependent actions
    /// it counts the padded pairs too.
    #[doc(alias = "SA")]
    pub fn nominal_pairs(&self) -> u128 {
        u128::from(self.states) * u128::from(self.max_actions)
    }
}
