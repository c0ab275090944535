//! How do knowing everything and knowing nothing compare?
//!
//! The oracle plays an optimal policy that it was given: its regret only reflects luck and its start. The
//! random agent plays every action equally often: its regret is linear. All others stand between them, and so
//! does, where a world comes with one, a person's rule of thumb, which learns nothing either.
//!
//! Reads `policy`, `space`; feeds `agents`. The paper does not run them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{AgentError, Learner};
use crate::planner::PlanError;
use crate::policy::Policy;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// Plays a given policy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Oracle {
    policy: Policy,
    here: StateId,
    random: RandomStream,
    /// The states that the policy numbers; supplied anew after a checkpoint is read.
    #[serde(skip)]
    states: Option<Arc<[StateId]>>,
}

impl Oracle {
    /// Plays `policy` from `start`.
    pub fn new(policy: Policy, start: StateId, random: RandomStream) -> Self {
        Self { policy, here: start, random, states: None }
    }
}

impl Oracle {
    /// Says which states the policy numbers.
    pub(super) fn number_states(&mut self, states: Option<Arc<[StateId]>>) {
        self.states = states;
    }
}

impl Learner for Oracle {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let here = match &self.states {
            Some(states) => match states.binary_search(&self.here) {
                Ok(number) => number,
                // Beyond what the policy knows.
                Err(_) => return Ok(0),
            },
            None => self.here as usize,
        };
        if let Some(action) = self.policy.action(here) {
            return Ok(action as ActionId);
        }
        let (actions, law): (Vec<usize>, Vec<f64>) = self.policy.choices(here).unzip();
        Ok(actions[self.random.categorical(&law)] as ActionId)
    }

    fn observe(&mut self, _reward: f64, next: StateId) {
        self.here = next;
    }

    /// The policy knows.
    fn tell_actions(&mut self, _state: StateId, _actions: u32) {}
}

/// What a person would play in a state, if the world knows.
#[derive(Clone)]
pub struct RuleOfThumb(pub Arc<dyn Fn(StateId) -> Option<ActionId> + Send + Sync>);

impl std::fmt::Debug for RuleOfThumb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RuleOfThumb")
    }
}

/// Plays the rule of thumb that the world comes with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Heuristic {
    here: StateId,
    #[serde(skip)]
    rule: Option<RuleOfThumb>,
}

impl Heuristic {
    /// Starts in a state, without a rule yet.
    pub fn new(start: StateId) -> Self {
        Self { here: start, rule: None }
    }

    /// Takes a rule, which must have an answer here.
    pub(super) fn follow(&mut self, rule: Option<RuleOfThumb>) -> Result<(), AgentError> {
        self.rule = rule;
        match self.choice() {
            Some(_) => Ok(()),
            None => Err(AgentError::Missing { algorithm: "heuristic", what: "a rule of thumb" }),
        }
    }

    fn choice(&self) -> Option<ActionId> {
        self.rule.as_ref().and_then(|RuleOfThumb(rule)| rule(self.here))
    }
}

impl Learner for Heuristic {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        // A world whose rule has gaps gets its first action there.
        Ok(self.choice().unwrap_or(0))
    }

    fn observe(&mut self, _reward: f64, next: StateId) {
        self.here = next;
    }

    /// The rule knows.
    fn tell_actions(&mut self, _state: StateId, _actions: u32) {}
}

/// Plays uniformly at random.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Random {
    space: Space,
    here: StateId,
    random: RandomStream,
}

impl Random {
    /// Plays in `space` from `start`.
    pub fn new(space: Space, start: StateId, random: RandomStream) -> Self {
        Self { space, here: start, random }
    }
}

impl Learner for Random {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let actions = self.space.actions(self.here);
        Ok(self.random.below(u64::from(actions)) as ActionId)
    }

    fn observe(&mut self, _reward: f64, next: StateId) {
        self.here = next;
    }

    fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.space.tell_actions(state, actions);
    }
}
