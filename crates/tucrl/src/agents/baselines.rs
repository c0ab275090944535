//! How do knowing everything and knowing nothing compare?
//!
//! The oracle plays an optimal policy that it was given: its regret only reflects luck and its start. The
//! random agent plays every action equally often: its regret is linear. All others stand between them.
//!
//! Reads `policy`, `space`; feeds `agents`. The paper does not run them.

use serde::{Deserialize, Serialize};

use super::Learner;
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
}

impl Oracle {
    /// Plays `policy` from `start`.
    pub fn new(policy: Policy, start: StateId, random: RandomStream) -> Self {
        Self { policy, here: start, random }
    }
}

impl Learner for Oracle {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let here = self.here as usize;
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
