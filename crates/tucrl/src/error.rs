//! Why was a model or a policy refused, or an exact answer not found?
//!
//! Errors carry their facts as fields. Messages end with the remedy.

use thiserror::Error;

use crate::options::OptionError;
use crate::reward::RewardRange;

/// Why a model was refused when it was built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The model has no states.
    #[error("the model has no states: add at least one state with one action")]
    NoStates,
    /// A state has no actions.
    #[error("state {state} has no actions: give it at least one (a self-loop if it is a dead end)")]
    NoActions {
        /// The state without actions.
        state: usize,
    },
    /// An action was added before the first state.
    #[error("an action was added before the first state: call `state()` first")]
    ActionBeforeState,
    /// A row without a next state of positive probability.
    #[error("state {state}, action {action} leads nowhere: list its next states and probabilities")]
    EmptyRow {
        /// The state of the row.
        state: usize,
        /// The action of the row.
        action: usize,
    },
    /// A probability that is negative, NaN or infinite.
    #[error(
        "state {state}, action {action}: probability {probability} of next state {next} is not \
         a number in [0, 1]: probabilities must be finite and non-negative"
    )]
    BadProbability {
        /// The state of the row.
        state: usize,
        /// The action of the row.
        action: usize,
        /// The next state of the entry.
        next: usize,
        /// The offending value.
        probability: f64,
    },
    /// A row whose probabilities do not sum to one.
    #[error(
        "state {state}, action {action}: probabilities sum to {sum}, which is not 1 within 1e-9: \
         correct or complete the row"
    )]
    RowSum {
        /// The state of the row.
        state: usize,
        /// The action of the row.
        action: usize,
        /// The sum of the row.
        sum: f64,
    },
    /// A next state that does not exist.
    #[error(
        "state {state}, action {action}: next state {next} does not exist: states are numbered \
         0 to {last}"
    )]
    NextOutOfRange {
        /// The state of the row.
        state: usize,
        /// The action of the row.
        action: usize,
        /// The next state given.
        next: usize,
        /// The last state.
        last: usize,
    },
    /// A reward that can lie outside its range.
    #[error(
        "state {state}, action {action}: reward between {low} and {high} leaves {range}: widen \
         reward_range, or raise r_max"
    )]
    RewardOutOfRange {
        /// The state of the pair.
        state: usize,
        /// The action of the pair.
        action: usize,
        /// The smallest reward of the distribution.
        low: f64,
        /// The largest reward of the distribution.
        high: f64,
        /// The rewards allowed.
        range: RewardRange,
    },
    /// An invalid reward distribution.
    #[error("state {state}, action {action}: bad reward law: {reason}")]
    RewardLaw {
        /// The state of the pair.
        state: usize,
        /// The action of the pair.
        action: usize,
        /// The defect and its remedy.
        reason: String,
    },
    /// Two outcomes of one action lead to the same state with uniform rewards that differ.
    #[error(
        "state {state}, action {action}: two outcomes lead to state {next} with different uniform \
         rewards: use discrete rewards, or one outcome per next state"
    )]
    UnmixableRewards {
        /// The state of the pair.
        state: usize,
        /// The action of the pair.
        action: usize,
        /// The next state given twice.
        next: usize,
    },
    /// `r_max` is larger than [`MAX_REWARD`](crate::reward::MAX_REWARD).
    #[error(
        "r_max = {r_max:e} is more than {limit:e}, the largest accepted: sums and squares of such rewards \
         overflow: divide the rewards by a constant"
    )]
    RewardTooLarge {
        /// The offending bound.
        r_max: f64,
        /// The largest one accepted.
        limit: f64,
    },
    /// `r_max` is not a positive finite number.
    #[error("r_max = {r_max} is not a positive finite number: it is the largest possible reward")]
    RewardMax {
        /// The offending bound.
        r_max: f64,
    },
    /// No start was given.
    #[error("the model has no start: give an initial state or an initial distribution")]
    NoStart,
    /// A start state that does not exist.
    #[error("start state {state} does not exist: states are numbered 0 to {last}")]
    StartOutOfRange {
        /// The state given.
        state: usize,
        /// The last state.
        last: usize,
    },
    /// A start probability that is negative, NaN or infinite.
    #[error(
        "probability {probability} of starting in state {state} is not a number in [0, 1]: \
         probabilities must be finite and non-negative"
    )]
    BadStartProbability {
        /// The start state of the entry.
        state: usize,
        /// The offending value.
        probability: f64,
    },
    /// An initial distribution that does not sum to one.
    #[error("the start probabilities sum to {sum}, which is not 1 within 1e-9: correct the law")]
    StartSum {
        /// The sum of the start probabilities.
        sum: f64,
    },
    /// The number of names differs from the number of states or actions.
    #[error("{given} {what} names for {needed} {what}s: name each of them, or none")]
    NameCount {
        /// "state" or "action".
        what: &'static str,
        /// Names given.
        given: usize,
        /// Names needed.
        needed: usize,
    },
    /// More states or pairs than 32-bit indices can address.
    #[error(
        "the model has more than {limit} {what}, the limit of a table: describe it by a `Generator`"
    )]
    TooLarge {
        /// "states" or "state-action pairs".
        what: &'static str,
        /// The largest number supported.
        limit: usize,
    },
    /// The caller asked to stop.
    #[error("interrupted before the model was complete")]
    Interrupted,
}

/// Why a policy does not fit a model.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The policy and the model have different numbers of states.
    #[error("the policy covers {given} states, the model has {states}: give one entry per state")]
    States {
        /// States of the policy.
        given: usize,
        /// States of the model.
        states: usize,
    },
    /// An action that the state does not have.
    #[error(
        "state {state}: action {action} does not exist: the state has {actions} actions, numbered \
         from 0"
    )]
    Action {
        /// The state.
        state: usize,
        /// The action given.
        action: usize,
        /// The number of actions of the state.
        actions: usize,
    },
    /// A probability that is negative, NaN or infinite.
    #[error(
        "state {state}: probability {probability} of action {action} is not in [0, 1]: \
         correct the policy"
    )]
    Probability {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// The offending value.
        probability: f64,
    },
    /// A policy that mixes actions where only a deterministic one will do.
    #[error(
        "state {state}: the policy is randomised, and only the gain of a deterministic policy is certified: play one \
         action, or ask for its values without a certificate"
    )]
    Randomised {
        /// The state.
        state: usize,
    },
    /// Action probabilities that do not sum to one.
    #[error(
        "state {state}: action probabilities sum to {sum}, not to 1 within 1e-9: correct the policy"
    )]
    Sum {
        /// The state.
        state: usize,
        /// The sum.
        sum: f64,
    },
}

/// Why an exact answer was not found.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Policies are still improving.
    #[error(
        "{what} still become shorter after {rounds} rounds of policy iteration: make the MDP smaller or its \
         rarest transitions more likely"
    )]
    StillImproving {
        /// What was computed.
        what: &'static str,
        /// Rounds done.
        rounds: u64,
    },
    /// Elimination was too large and iteration did not reach the tolerance.
    #[error(
        "no convergence for {what} after {sweeps} sweeps: the error is {span}, the tolerance \
         {tolerance}: make the MDP smaller or its rarest transitions more likely"
    )]
    NotConverged {
        /// What was computed.
        what: &'static str,
        /// Sweeps done.
        sweeps: u64,
        /// The error at the end.
        span: f64,
        /// The error allowed.
        tolerance: f64,
    },
    /// An expected time exceeds the range of `f64`.
    #[error(
        "{what} overflow: some expected time is more than 1e308 steps: \
         make the MDP smaller or its rarest transitions more likely"
    )]
    TooSlow {
        /// What was computed.
        what: &'static str,
    },
    /// The policy does not fit the model.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A target state that does not exist.
    #[error("target state {state} does not exist: states are numbered 0 to {last}")]
    TargetOutOfRange {
        /// The state given.
        state: usize,
        /// The last state.
        last: usize,
    },
    /// Too many policies to evaluate them all.
    #[error("{policies:e} deterministic policies exceed the limit of {limit}: raise the limit")]
    TooManyPolicies {
        /// The number of policies.
        policies: f64,
        /// The largest number allowed.
        limit: u64,
    },
    /// The caller asked to stop.
    #[error("interrupted before {what} was known")]
    Interrupted {
        /// What was computed.
        what: &'static str,
    },
}

/// Why a world could not be built from its options.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A value outside the range that the world checks.
    #[error("{world}: {parameter} = {value} is out of range: {expected}")]
    Parameter {
        /// The world.
        world: &'static str,
        /// The key of the option.
        parameter: &'static str,
        /// The value as given.
        value: String,
        /// The accepted values.
        expected: &'static str,
    },
    /// The world built an invalid table: a bug in the world.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A value of another type, or a required one that is missing.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A world named by an option of this one.
    #[error("{option} = {spec}: {error}")]
    Nested {
        /// The key of the option.
        option: &'static str,
        /// The spec of the world inside.
        spec: String,
        /// Why that one could not be built.
        error: Box<WorldError>,
    },
    /// Any other reason, such as an unreadable file.
    #[error("{0}")]
    Other(String),
    /// The world's factors do not form a valid space.
    #[error("{world}: {reason}")]
    Space {
        /// The world.
        world: &'static str,
        /// The defect and its remedy.
        reason: String,
    },
}

impl WorldError {
    /// The failure of a world named by an option of another one.
    pub fn nested(option: &'static str, spec: &str, error: Self) -> Self {
        Self::Nested { option, spec: spec.into(), error: Box::new(error) }
    }

    /// The key of the option that is at fault, if one is.
    pub fn option(&self) -> Option<&str> {
        match self {
            Self::Parameter { parameter, .. } => Some(parameter),
            Self::Option(error) => Some(error.option()),
            Self::Nested { option, .. } => Some(option),
            Self::Model(_) | Self::Space { .. } | Self::Other(_) => None,
        }
    }
}
