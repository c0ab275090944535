//! How is a world described that nobody can write down as a table?
//!
//! By a rule: given a state and an action, which states may follow, how likely, and what is paid. A
//! [`Generator`] answers that for one pair at a time, so that its nominal space may have 2^63 states; a
//! world that cannot list what may follow can still draw it. Learners see neither: they get states and
//! rewards (paper, section 2). What a generator says is checked whenever it is asked.
//!
//! What is listed is kept in the order in which a table keeps its rows and drawn in the same way, so that a
//! world and its table give the same numbers from the same stream, to the last bit.
//!
//! Reads `space`, `reward`, `mdp`; feeds `env`, `explore` and the worlds without a table. The paper only
//! speaks of such spaces in its introduction.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::builder::{SUM_TOLERANCE, mixture, needs_no_scaling};
use crate::mdp::Mdp;
use crate::reward::{PairReward, RewardLaw};
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, SpaceError, StateId};

/// A world given by a rule instead of a table.
pub trait Generator: fmt::Debug + Send + Sync {
    /// The nominal space.
    fn space(&self) -> &Space;

    /// The largest possible reward.
    fn r_max(&self) -> f64 {
        1.0
    }

    /// Where the world starts, as `(state, probability)`.
    fn start(&self) -> Vec<(StateId, f64)>;

    /// Adds everything that an action may lead to; order and repetitions do not matter. Nothing at all is
    /// taken to mean that the world cannot list it, and can only [draw](Generator::sample) it.
    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes);

    /// Draws a reward and a next state, for worlds that have a faster way than to draw from the list, or no
    /// list. What is drawn must be in the list, if there is one.
    fn sample(
        &self,
        _state: StateId,
        _action: ActionId,
        _random: &mut RandomStream,
    ) -> Option<(f64, StateId)> {
        None
    }

    /// What a person's rule of thumb would play.
    fn rule_of_thumb(&self, _state: StateId) -> Option<ActionId> {
        None
    }

    /// What the rule of thumb says, in words.
    fn rule_in_words(&self) -> &'static str {
        ""
    }

    /// The names of the actions, or nothing.
    fn action_names(&self) -> &[&'static str] {
        &[]
    }
}

/// One thing that may follow an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The next state.
    pub next: StateId,
    /// How likely it is.
    pub probability: f64,
    /// What is paid then.
    pub reward: RewardLaw,
}

/// Everything that may follow an action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcomes(Vec<Outcome>);

/// What is wrong with a generator.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// A next state outside the space.
    #[error(
        "the world's rule is wrong: state {state}, action {action} leads to state {next}, and states \
         are numbered 0 to {last}: correct the rule, or enlarge the space"
    )]
    NextOutOfRange {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// Where it leads.
        next: StateId,
        /// The last state that exists.
        last: StateId,
    },
    /// A start outside the space, or no law at all.
    #[error("the world's rule is wrong: it cannot start: {reason}")]
    Start {
        /// What is wrong.
        reason: String,
    },
    /// A probability that is negative, NaN or infinite.
    #[error(
        "the world's rule is wrong: state {state}, action {action} leads to state {next} with \
         probability {probability}: probabilities are finite and not negative"
    )]
    Probability {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// Where it leads.
        next: StateId,
        /// The offending value.
        probability: f64,
    },
    /// Probabilities that do not add up to one.
    #[error(
        "the world's rule is wrong: the probabilities of state {state}, action {action} sum to {sum}, \
         which is not 1 within 1e-9: correct or complete them"
    )]
    Sum {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// What they sum to.
        sum: f64,
    },
    /// A reward that is NaN or outside `[0, r_max]`.
    #[error(
        "the world's rule is wrong: state {state}, action {action} pays {reward}, and rewards lie in \
         [0, {r_max}]: shift and scale them, or raise r_max"
    )]
    Reward {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The reward.
        reward: f64,
        /// The largest that is allowed.
        r_max: f64,
    },
    /// A reward law that is none, or several that cannot be mixed.
    #[error("the world's rule is wrong: the reward of state {state}, action {action}: {reason}")]
    RewardLaw {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// What is wrong, and what to change.
        reason: String,
    },
    /// Asked twice, the rule gave two answers; or it drew what it had not listed.
    #[error(
        "the world's rule is not a rule: asked again, state {state}, action {action} leads elsewhere: \
         what may follow must depend on nothing but the state and the action"
    )]
    UnstableSupport {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
    },
    /// Neither a list nor a way to draw.
    #[error(
        "the world's rule is incomplete: it can neither list nor draw what follows state {state}, \
         action {action}"
    )]
    NoRule {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
    },
    /// The world can only draw what follows, and a list is needed.
    #[error(
        "this world can draw what follows an action but not list it, so that nobody can say what is \
         reachable: `tucrl learn` works, exact answers do not"
    )]
    CannotList,
    /// The nominal space.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl Outcomes {
    /// Adds one outcome.
    #[inline]
    pub fn push(&mut self, next: StateId, probability: f64, reward: impl Into<RewardLaw>) {
        self.0.push(Outcome { next, probability, reward: reward.into() });
    }

    /// Forgets all outcomes.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The outcomes.
    pub fn entries(&self) -> &[Outcome] {
        &self.0
    }

    /// Takes another list's outcomes, with the next states changed.
    pub fn extend_from(&mut self, other: &[Outcome], next: impl Fn(StateId) -> StateId) {
        self.0.extend(other.iter().map(|o| Outcome { next: next(o.next), ..o.clone() }));
    }

    /// The expected reward of a tidy list, rounded as a table rounds it.
    pub fn mean_reward(&self) -> f64 {
        match self.0.as_slice() {
            [first, rest @ ..] if rest.iter().all(|o| o.reward == first.reward) => {
                first.reward.mean()
            }
            all => all.iter().map(|o| o.probability * o.reward.mean()).sum(),
        }
    }

    /// Brings the list into the form of a table's row: sorted, every next state once, no zeros, a sum of
    /// one; and refuses what cannot be brought there.
    fn tidy(
        &mut self,
        space: &Space,
        r_max: f64,
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
            check_reward_law(reward, r_max, state, action)?;
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

    /// Joins neighbours that lead to the same state.
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
    r_max: f64,
    state: StateId,
    action: ActionId,
) -> Result<(), GeneratorError> {
    let (low, high) = law.bounds();
    for reward in [low, high] {
        if !(0.0..=r_max).contains(&reward) {
            return Err(GeneratorError::Reward { state, action, reward, r_max });
        }
    }
    match law.defect() {
        Some(reason) => Err(GeneratorError::RewardLaw { state, action, reason }),
        None => Ok(()),
    }
}

/// The initial law of a generator: sorted, every state once, a sum of one.
///
/// # Errors
/// When there is none, or a state does not exist.
pub fn start_law(generator: &dyn Generator) -> Result<Vec<(StateId, f64)>, GeneratorError> {
    let refuse = |reason| Err(GeneratorError::Start { reason });
    let mut law = generator.start();
    let last = generator.space().states() - 1;
    for &(state, probability) in &law {
        if state > last {
            return refuse(format!("state {state} does not exist, the last one is {last}"));
        }
        if !(probability.is_finite() && probability >= 0.0) {
            return refuse(format!("probability {probability} of state {state}"));
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
        return refuse(format!("the probabilities of the starts sum to {sum}, not to 1"));
    }
    if !needs_no_scaling(sum, law.len()) {
        law.iter_mut().for_each(|entry| entry.1 /= sum);
    }
    Ok(law)
}

/// Lists what an action may lead to, checked and in the form of a table's row; nothing when the generator
/// cannot list it.
///
/// # Errors
/// When the generator's answer is no law over states of its space with rewards in range.
pub fn list(
    generator: &dyn Generator,
    state: StateId,
    action: ActionId,
    outcomes: &mut Outcomes,
) -> Result<(), GeneratorError> {
    outcomes.clear();
    generator.outcomes(state, action, outcomes);
    if outcomes.0.is_empty() {
        return Ok(());
    }
    outcomes.tidy(generator.space(), generator.r_max(), state, action)
}

/// A table as a generator.
#[derive(Debug, Clone)]
pub struct Tabled {
    mdp: Arc<Mdp>,
    space: Space,
}

impl Tabled {
    /// The world that a table describes.
    pub fn new(mdp: Arc<Mdp>) -> Self {
        let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        Self { mdp, space }
    }
}

impl Generator for Tabled {
    fn space(&self) -> &Space {
        &self.space
    }

    fn r_max(&self) -> f64 {
        self.mdp.r_max()
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
