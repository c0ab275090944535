//! How is a world described that is too large for a table?
//!
//! A [`Generator`] lists the next states, probabilities and rewards of one pair at a time, so its
//! nominal space may have 2^63 states. A generator that cannot list them may draw them. Every answer
//! of a generator is checked.
//!
//! Lists have the order of table rows and are sampled in the same way, so a generator and its table
//! give bit-identical runs from the same random stream.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::builder::{SUM_TOLERANCE, mixture, needs_no_scaling};
use crate::mdp::Mdp;
use crate::reward::{PairReward, RewardLaw, RewardRange};
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, SpaceError, StateId};

/// A world given by a function of state and action instead of a table.
pub trait Generator: fmt::Debug + Send + Sync {
    /// The nominal space.
    fn space(&self) -> &Space;

    /// The smallest and the largest possible reward; `[0, 1]` unless overridden. Listed and drawn rewards are in the
    /// same units.
    fn reward_range(&self) -> RewardRange {
        RewardRange::default()
    }

    /// The initial distribution, as `(state, probability)`.
    fn start(&self) -> Vec<(StateId, f64)>;

    /// Adds all outcomes of an action, in any order, repetitions allowed. An empty list means that the
    /// generator cannot list outcomes, only [draw](Generator::sample) them.
    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes);

    /// Draws a reward and a next state. Implement it if outcomes cannot be listed, or can be drawn
    /// faster than from the list. Drawn outcomes must be in the list, if there is one.
    fn sample(
        &self,
        _state: StateId,
        _action: ActionId,
        _random: &mut RandomStream,
    ) -> Option<(f64, StateId)> {
        None
    }

    /// Whether outcomes depend on more than state and action, so that every run has a [simulation](Simulation) of its
    /// own; such a generator lists nothing.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Starts a simulation, or continues a saved one.
    ///
    /// # Errors
    /// When it cannot be started.
    fn simulate(
        &self,
        _random: &mut RandomStream,
        _saved: Option<&str>,
    ) -> Result<Box<dyn Simulation>, GeneratorError> {
        Err(GeneratorError::CannotList)
    }

    /// The action of a simple hand-written policy, for comparison.
    fn rule_of_thumb(&self, _state: StateId) -> Option<ActionId> {
        None
    }

    /// That policy in words.
    fn rule_in_words(&self) -> &'static str {
        ""
    }

    /// The names of the actions, or an empty slice.
    fn action_names(&self) -> &[&'static str] {
        &[]
    }
}

/// A simulator that one run steps: what happens may depend on more than the state that it shows.
pub trait Simulation: fmt::Debug + Send + Sync {
    /// The present state.
    fn state(&self) -> StateId;

    /// Plays an action; the reward and the next state.
    ///
    /// # Errors
    /// When the simulator fails.
    fn step(&mut self, action: ActionId) -> Result<(f64, StateId), GeneratorError>;

    /// All of it, for checkpoints; `None` if it cannot be saved.
    fn save(&self) -> Option<String> {
        None
    }
}

/// One possible outcome of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The next state.
    pub next: StateId,
    /// Its probability.
    pub probability: f64,
    /// The reward distribution, given that next state.
    pub reward: RewardLaw,
}

/// All outcomes of an action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcomes(Vec<Outcome>, Option<String>);

/// Why a generator was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// A next state outside the space.
    #[error(
        "invalid generator: state {state}, action {action} leads to state {next}, but states are \
         numbered 0 to {last}: correct the generator, or enlarge the space"
    )]
    NextOutOfRange {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The next state.
        next: StateId,
        /// The last state.
        last: StateId,
    },
    /// An invalid initial distribution.
    #[error("invalid generator: {reason}: correct its initial distribution")]
    Start {
        /// The defect.
        reason: String,
    },
    /// A probability that is negative, NaN or infinite.
    #[error(
        "invalid generator: state {state}, action {action} leads to state {next} with probability \
         {probability}: probabilities must be finite and non-negative"
    )]
    Probability {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The next state.
        next: StateId,
        /// The offending value.
        probability: f64,
    },
    /// Probabilities that do not sum to one.
    #[error(
        "invalid generator: the probabilities of state {state}, action {action} sum to {sum}, \
         which is not 1 within 1e-9: correct or complete them"
    )]
    Sum {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The sum.
        sum: f64,
    },
    /// A reward that is NaN or outside its range.
    #[error(
        "invalid generator: state {state}, action {action} has reward {reward} outside {range}: \
         widen `reward_range`"
    )]
    Reward {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The reward.
        reward: f64,
        /// The rewards allowed.
        range: RewardRange,
    },
    /// An invalid reward distribution, or several that cannot be mixed.
    #[error("invalid generator: the reward of state {state}, action {action}: {reason}")]
    RewardLaw {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The defect and its remedy.
        reason: String,
    },
    /// The generator listed different next states at two calls, or drew one that it does not list.
    #[error(
        "invalid generator: the next states of state {state}, action {action} have changed: they \
         must depend on nothing but the state and the action"
    )]
    UnstableSupport {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
    },
    /// The generator can neither list nor draw outcomes.
    #[error(
        "invalid generator: it neither lists nor draws the outcomes of state {state}, action \
         {action}: implement `outcomes` or `sample`"
    )]
    NoRule {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
    },
    /// The generator can only draw outcomes, and a list is needed.
    #[error(
        "this world draws the outcomes of an action but does not list them, so its reachable states \
         and exact answers are unknown: run learners in it, or implement `outcomes`"
    )]
    CannotList,
    /// The function that describes the world failed.
    #[error("state {state}, action {action}: {reason}")]
    Own {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// What it says.
        reason: String,
    },
    /// A simulator that could not be started or continued.
    #[error("the world cannot be started: {reason}")]
    NotStarted {
        /// What it says.
        reason: String,
    },
    /// An invalid space.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl Outcomes {
    /// Adds one outcome.
    #[inline]
    pub fn push(&mut self, next: StateId, probability: f64, reward: impl Into<RewardLaw>) {
        self.0.push(Outcome { next, probability, reward: reward.into() });
    }

    /// Says why they cannot be listed; the world is then refused with this reason.
    pub fn fail(&mut self, reason: impl Into<String>) {
        self.1 = Some(reason.into());
    }

    /// Removes all outcomes.
    pub fn clear(&mut self) {
        self.0.clear();
        self.1 = None;
    }

    /// The outcomes.
    pub fn entries(&self) -> &[Outcome] {
        &self.0
    }

    /// The expected difference between the reward of a list made by [`list`] and `zero`, rounded as in a table.
    pub fn mean_above(&self, zero: f64) -> f64 {
        match self.0.as_slice() {
            [first, rest @ ..] if rest.iter().all(|o| o.reward == first.reward) => {
                first.reward.mean_above(zero)
            }
            all => all.iter().map(|o| o.probability * o.reward.mean_above(zero)).sum(),
        }
    }

    /// Brings the list into the form of a table row: sorted, without repetitions and zeros, with sum
    /// one. An error if that is impossible.
    fn tidy(
        &mut self,
        space: &Space,
        range: RewardRange,
        state: StateId,
        action: ActionId,
    ) -> Result<(), GeneratorError> {
        for Outcome { next, probability, reward } in &self.0 {
            let (next, probability) = (*next, *probability);
            if next >= space.states() {
                let last = space.states() - 1;
                return Err(GeneratorError::NextOutOfRange { state, action, next, last });
            }
            if !(probability.is_finite() && probability >= 0.0) {
                return Err(GeneratorError::Probability { state, action, next, probability });
            }
            check_reward_law(reward, range, state, action)?;
        }
        self.0.retain(|outcome| outcome.probability > 0.0);
        if self.0.len() > 1 {
            self.0.sort_by_key(|outcome| outcome.next);
            self.merge(state, action)?;
        }
        let sum: f64 = self.0.iter().map(|outcome| outcome.probability).sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(GeneratorError::Sum { state, action, sum });
        }
        if !needs_no_scaling(sum, self.0.len()) {
            self.0.iter_mut().for_each(|outcome| outcome.probability /= sum);
        }
        Ok(())
    }

    /// Merges adjacent outcomes with the same next state.
    fn merge(&mut self, state: StateId, action: ActionId) -> Result<(), GeneratorError> {
        let mut kept = 0;
        for index in 1..self.0.len() {
            if self.0[kept].next != self.0[index].next {
                kept += 1;
                self.0.swap(kept, index);
                continue;
            }
            let (a, b) = (&self.0[kept], &self.0[index]);
            let mixed = mixture((a.probability, &a.reward), (b.probability, &b.reward));
            let Some(reward) = mixed else {
                let reason = format!(
                    "two outcomes lead to state {} with different uniform rewards: use discrete ones",
                    a.next
                );
                return Err(GeneratorError::RewardLaw { state, action, reason });
            };
            let probability = a.probability + b.probability;
            self.0[kept] = Outcome { next: a.next, probability, reward };
        }
        self.0.truncate(kept + 1);
        Ok(())
    }
}

fn check_reward_law(
    law: &RewardLaw,
    range: RewardRange,
    state: StateId,
    action: ActionId,
) -> Result<(), GeneratorError> {
    let (low, high) = law.bounds();
    for reward in [low, high] {
        if !range.contains(reward) {
            return Err(GeneratorError::Reward { state, action, reward, range });
        }
    }
    match law.defect() {
        Some(reason) => Err(GeneratorError::RewardLaw { state, action, reason }),
        None => Ok(()),
    }
}

/// The initial distribution of a generator: sorted, without repetitions, with sum one.
///
/// # Errors
/// When it is not a distribution over states of the space.
pub fn start_law(generator: &dyn Generator) -> Result<Vec<(StateId, f64)>, GeneratorError> {
    let refuse = |reason| Err(GeneratorError::Start { reason });
    let mut law = generator.start();
    let last = generator.space().states() - 1;
    for &(state, probability) in &law {
        if state > last {
            return refuse(format!("start state {state} does not exist, the last state is {last}"));
        }
        if !(probability.is_finite() && probability >= 0.0) {
            return refuse(format!("start state {state} has probability {probability}"));
        }
    }
    law.retain(|entry| entry.1 > 0.0);
    law.sort_by_key(|entry| entry.0);
    law.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        earlier.1 += if is_same { later.1 } else { 0.0 };
        is_same
    });
    let sum: f64 = law.iter().map(|entry| entry.1).sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return refuse(format!("the start probabilities sum to {sum}, not to 1"));
    }
    if !needs_no_scaling(sum, law.len()) {
        law.iter_mut().for_each(|entry| entry.1 /= sum);
    }
    Ok(law)
}

/// Lists the outcomes of an action, checked and in the form of a table row; empty if the generator
/// cannot list them.
///
/// # Errors
/// When they are not a distribution over states of the space, or a reward is out of range.
pub fn list(
    generator: &dyn Generator,
    state: StateId,
    action: ActionId,
    outcomes: &mut Outcomes,
) -> Result<(), GeneratorError> {
    outcomes.clear();
    generator.outcomes(state, action, outcomes);
    if let Some(reason) = outcomes.1.take() {
        return Err(GeneratorError::Own { state, action, reason });
    }
    if outcomes.0.is_empty() {
        return Ok(());
    }
    outcomes.tidy(generator.space(), generator.reward_range(), state, action)
}

/// A table as a generator.
#[derive(Debug, Clone)]
pub struct Tabled {
    mdp: Arc<Mdp>,
    space: Space,
}

impl Tabled {
    /// The generator with the same transitions and rewards as the table.
    pub fn new(mdp: Arc<Mdp>) -> Self {
        let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        Self { mdp, space }
    }
}

impl Generator for Tabled {
    fn space(&self) -> &Space {
        &self.space
    }

    fn reward_range(&self) -> RewardRange {
        self.mdp.reward_range()
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        self.mdp.start().map(|(state, probability)| (state as StateId, probability)).collect()
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        let pair = self.mdp.pair(state as usize, action as usize);
        for (entry, (next, probability)) in self.mdp.row(pair).iter().enumerate() {
            let law = match self.mdp.reward(pair) {
                PairReward::Alone(law) => law,
                PairReward::Joint(laws) => &laws[entry],
            };
            list.push(next as StateId, probability, law.clone());
        }
    }
}
