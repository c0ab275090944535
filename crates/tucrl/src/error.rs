//! What can go wrong, where, and what should the caller change?
//!
//! Every error is a value that carries the facts as fields, so that a program can react to them,
//! and a message that ends with what to change, so that a person can.
//!
//! Reads nothing; every other module feeds it. Departures from the paper: none, it has no errors.

use thiserror::Error;

/// Why a model was refused when it was built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The model has no state at all.
    #[error("the model has no states: add at least one state with one action")]
    NoStates,
    /// A state has no action, so the process would stop there.
    #[error("state {state} has no actions: give it at least one (a self-loop if it is a dead end)")]
    NoActions {
        /// The state without actions.
        state: usize,
    },
    /// A builder call added an action before any state was opened.
    #[error("an action was added before the first state: call `state()` first")]
    ActionBeforeState,
    /// A row without any next state of positive probability.
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
    /// A row whose probabilities do not add up to one.
    #[error(
        "state {state}, action {action}: probabilities sum to {sum}, which is not 1 within 1e-9: \
         correct or complete the row"
    )]
    RowSum {
        /// The state of the row.
        state: usize,
        /// The action of the row.
        action: usize,
        /// What the row sums to.
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
        /// The next state that was named.
        next: usize,
        /// The last state that exists.
        last: usize,
    },
    /// A reward that can fall outside `[0, r_max]`.
    #[error(
        "state {state}, action {action}: reward between {low} and {high} leaves [0, {r_max}]: \
         shift and scale the rewards, or raise r_max"
    )]
    RewardOutOfRange {
        /// The state of the pair.
        state: usize,
        /// The action of the pair.
        action: usize,
        /// The smallest reward of the law.
        low: f64,
        /// The largest reward of the law.
        high: f64,
        /// The largest reward allowed.
        r_max: f64,
    },
    /// A reward law that is not a probability law.
    #[error("state {state}, action {action}: bad reward law: {reason}")]
    RewardLaw {
        /// The state of the pair.
        state: usize,
        /// The action of the pair.
        action: usize,
        /// What is wrong with the law and what to change.
        reason: String,
    },
    /// Two outcomes of one action lead to the same state with rewards that cannot be mixed.
    #[error(
        "state {state}, action {action}: two outcomes lead to state {next} with different uniform \
         rewards: use discrete rewards, or one outcome per next state"
    )]
    UnmixableRewards {
        /// The state of the pair.
        state: usize,
        /// The action of the pair.
        action: usize,
        /// The next state named twice.
        next: usize,
    },
    /// A reward bound that is not a positive finite number.
    #[error("r_max = {r_max} is not a positive finite number: it is the largest possible reward")]
    RewardMax {
        /// The offending bound.
        r_max: f64,
    },
    /// No start was given.
    #[error("the model has no start: name an initial state or an initial law")]
    NoStart,
    /// A start state that does not exist.
    #[error("start state {state} does not exist: states are numbered 0 to {last}")]
    StartOutOfRange {
        /// The state that was named.
        state: usize,
        /// The last state that exists.
        last: usize,
    },
    /// A start probability that is negative, NaN or infinite.
    #[error("probability {probability} of starting in state {state} is not a number in [0, 1]")]
    BadStartProbability {
        /// The start state of the entry.
        state: usize,
        /// The offending value.
        probability: f64,
    },
    /// An initial law that does not add up to one.
    #[error("the start probabilities sum to {sum}, which is not 1 within 1e-9: correct the law")]
    StartSum {
        /// What the law sums to.
        sum: f64,
    },
    /// Names were given, but not one for each state or action.
    #[error("{given} {what} names for {needed} {what}s: name each of them, or none")]
    NameCount {
        /// "state" or "action".
        what: &'static str,
        /// How many names came.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// More states, pairs or transitions than 32-bit indices can address.
    #[error("the model has more than {limit} {what}: explicit tables stop there")]
    TooLarge {
        /// States or state-action pairs.
        what: &'static str,
        /// The largest number supported.
        limit: usize,
    },
}

/// Why a policy does not fit a model.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The policy speaks of another number of states.
    #[error("the policy covers {given} states, the model has {states}: give one entry per state")]
    States {
        /// States of the policy.
        given: usize,
        /// States of the model.
        states: usize,
    },
    /// An action that the state does not offer.
    #[error("state {state}: action {action} does not exist, the state has {actions} actions")]
    Action {
        /// The state.
        state: usize,
        /// The action that was named.
        action: usize,
        /// How many actions the state has.
        actions: usize,
    },
    /// A probability that is negative, NaN or infinite.
    #[error("state {state}: probability {probability} of action {action} is not in [0, 1]")]
    Probability {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// The offending value.
        probability: f64,
    },
    /// Action probabilities that do not add up to one.
    #[error("state {state}: action probabilities sum to {sum}, not to 1 within 1e-9")]
    Sum {
        /// The state.
        state: usize,
        /// What they sum to.
        sum: f64,
    },
}

/// Why an exact answer could not be given.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Neither elimination nor iteration reached the tolerance within its budget.
    #[error(
        "no convergence for {what} after {sweeps} sweeps: the bounds are still {span} apart, \
         {tolerance} was asked: raise the budget or the tolerance"
    )]
    NotConverged {
        /// What was being computed.
        what: &'static str,
        /// Sweeps done.
        sweeps: u64,
        /// Distance between the bounds at the end.
        span: f64,
        /// Distance asked for.
        tolerance: f64,
    },
    /// Something takes more steps than the largest number can say.
    #[error(
        "{what} overflow: somewhere it takes more than 1e308 steps to get on: \
         make the world smaller or its rarest transitions more likely"
    )]
    TooSlow {
        /// What was being computed.
        what: &'static str,
    },
    /// The policy does not fit the model.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A state that does not exist was named as a target.
    #[error("target state {state} does not exist: states are numbered 0 to {last}")]
    TargetOutOfRange {
        /// The state that was named.
        state: usize,
        /// The last state that exists.
        last: usize,
    },
    /// Too many policies to try them all.
    #[error("{policies:e} deterministic policies are too many to try: {limit} is the limit")]
    TooManyPolicies {
        /// How many there are.
        policies: f64,
        /// How many may be tried.
        limit: u64,
    },
    /// The caller asked to stop.
    #[error("interrupted before {what} was known")]
    Interrupted {
        /// What was being computed.
        what: &'static str,
    },
}

/// Why a world could not be built from its parameters.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A parameter outside its range.
    #[error("{world}: {parameter} = {value} is out of range: {expected}")]
    Parameter {
        /// The world.
        world: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value as given.
        value: String,
        /// What would be accepted.
        expected: &'static str,
    },
    /// The world's own table was refused; this is a bug of the world.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The product of the world's factors is no space.
    #[error("{world}: {reason}")]
    Space {
        /// The world.
        world: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}
