//! What happens when an action is played?
//!
//! One uninterrupted stream of states and rewards, without resets (Fruit, Pirotta, Lazaric 2018, section 2).
//! [`Walk`] is a table walked at random: it draws the next state, then the reward, from the stream of its run, so
//! that agents of the same run index see the same random numbers as long as they act alike.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::generator::GeneratorError;
use crate::mdp::Mdp;
use crate::reward::PairReward;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// What one action led to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The reward that was paid, in the world's own units.
    pub paid: f64,
    /// The same counted from the lowest possible reward: what a learner observes.
    pub reward: f64,
    /// The expectation of `reward`; NaN if unknown.
    pub mean_reward: f64,
    /// The next state.
    pub next: StateId,
}

/// A world that can be acted in.
pub trait Environment {
    /// What a learner may know of it.
    fn space(&self) -> &Space;
    /// The state that it is in.
    fn state(&self) -> StateId;
    /// Plays an action in the present state.
    ///
    /// # Errors
    /// When the world is given by a rule and the rule is wrong; a table has been checked and is not.
    ///
    /// # Panics
    /// When the present state does not have the action.
    fn step(&mut self, action: ActionId) -> Result<Step, GeneratorError>;
}

/// A model walked at random.
#[derive(Debug, Clone)]
pub struct Walk {
    mdp: Arc<Mdp>,
    space: Space,
    at: WalkState,
}

/// The state of a walk: all that a checkpoint needs besides the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WalkState {
    pub(crate) state: StateId,
    pub(crate) random: RandomStream,
    /// The simulator, in a world that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) simulation: Option<String>,
}

impl WalkState {
    /// The state that the walk is in.
    pub fn state(&self) -> StateId {
        self.state
    }
}

impl Walk {
    /// Starts a walk; the initial state is drawn from the model's initial law.
    pub fn new(mdp: Arc<Mdp>, mut random: RandomStream) -> Self {
        let starts: Vec<(usize, f64)> = mdp.start().collect();
        let state = match starts.as_slice() {
            [(state, _)] => *state,
            many => many[random.categorical(&many.iter().map(|e| e.1).collect::<Vec<_>>())].0,
        };
        let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        Self { mdp, space, at: WalkState { state: state as StateId, random, simulation: None } }
    }

    /// The table.
    pub(crate) fn mdp(&self) -> &Arc<Mdp> {
        &self.mdp
    }

    /// The state of the walk.
    pub fn position(&self) -> &WalkState {
        &self.at
    }

    /// Continues a walk from a stored state.
    ///
    /// # Panics
    /// When the model does not have that state.
    pub fn resume(mdp: Arc<Mdp>, at: WalkState) -> Self {
        assert!((at.state as usize) < mdp.states(), "the checkpoint belongs to another model");
        let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        Self { mdp, space, at }
    }

    /// The number of the pair that an action in the present state is.
    ///
    /// # Panics
    /// When the present state does not have the action.
    #[inline]
    pub(crate) fn pair(&self, action: ActionId) -> usize {
        self.mdp.pair(self.at.state as usize, action as usize)
    }

    /// Plays an action in the present state; infallible for a table.
    ///
    /// # Panics
    /// When the present state does not have the action.
    #[inline]
    pub fn step(&mut self, action: ActionId) -> Step {
        let step = draw(&self.mdp, self.at.state as usize, action as usize, &mut self.at.random);
        self.at.state = step.next;
        step
    }
}

impl Environment for Walk {
    fn space(&self) -> &Space {
        &self.space
    }

    #[inline]
    fn state(&self) -> StateId {
        self.at.state
    }

    #[inline]
    fn step(&mut self, action: ActionId) -> Result<Step, GeneratorError> {
        Ok(Self::step(self, action))
    }
}

/// Draws what playing an action in a state leads to: first the next state, then the reward.
///
/// # Panics
/// When the model has no such state, or the state no such action.
#[inline]
pub fn draw(mdp: &Mdp, state: usize, action: usize, random: &mut RandomStream) -> Step {
    let pair = mdp.pair(state, action);
    let row = mdp.row(pair);
    let entry = if row.len() == 1 { 0 } else { random.categorical(row.probability) };
    let law = match mdp.reward(pair) {
        PairReward::Alone(law) => law,
        PairReward::Joint(laws) => &laws[entry],
    };
    let paid = law.sample(random);
    Step {
        paid,
        reward: paid - mdp.reward_range().low(),
        mean_reward: mdp.mean_reward(pair),
        next: StateId::from(row.next[entry]),
    }
}
