//! Which algorithm learns, and with which options?
//!
//! One algorithm a file: a planner plus its stopping rule, or a baseline. [`Algorithm`] is the choice
//! with all its options, validated, and recorded with results; [`Agent`] is it at work.
//!
//! Reads `episode`, `planner` and what they read; feeds `run`. Departures from the paper: none here.

mod baselines;
mod optimistic_q;
mod scal;
mod tucrl;
mod ucrl;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use baselines::{Heuristic, Oracle, Random, RuleOfThumb};
pub use optimistic_q::{Bonus, OptimisticQ, OptimisticQAgent};
pub use scal::Scal;
pub use tucrl::{Relaxation, Tucrl};
pub use ucrl::{Ucrl, Ucrl2};

use crate::confidence::{Confidence, Delta, Family, Shrink};
use crate::counts::{Counts, Variance};
use crate::episode::{EpisodeRecord, Episodic, KnownMeans};
use crate::evi::EviOptions;
use crate::planner::PlanError;
use crate::policy::Policy;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// The options that all optimistic learners share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimism {
    /// The probability that confidence sets may fail.
    pub delta: Delta,
    /// Shrinkage of reward widths.
    pub alpha_r: f64,
    /// Shrinkage of transition widths.
    pub alpha_p: f64,
    /// What alpha multiplies.
    pub shrink: Shrink,
    /// Which empirical variance.
    pub variance: Variance,
    /// The largest possible reward.
    pub r_max: f64,
    /// Whether the true mean rewards are told.
    pub known_rewards: bool,
    /// Replaces S A in the logarithm; for experiments.
    pub nominal_pairs: Option<f64>,
    /// How plans are solved.
    pub evi: EviOptions,
}

impl Default for Optimism {
    fn default() -> Self {
        Self {
            delta: Delta::Fixed(0.05),
            alpha_r: 1.0,
            alpha_p: 1.0,
            shrink: Shrink::Linear,
            variance: Variance::Published,
            r_max: 1.0,
            known_rewards: false,
            nominal_pairs: None,
            evi: EviOptions::default(),
        }
    }
}

impl Optimism {
    pub(crate) fn confidence(&self, family: Family) -> Confidence {
        Confidence {
            family,
            delta: self.delta,
            alpha_r: self.alpha_r,
            alpha_p: self.alpha_p,
            shrink: self.shrink,
            r_max: self.r_max,
            nominal_pairs: self.nominal_pairs,
        }
    }

    fn check(&self) -> Result<(), AgentError> {
        let refuse = |option, value: f64, expected| {
            Err(AgentError::Option { option, value: value.to_string(), expected })
        };
        for (option, alpha) in [("alpha_r", self.alpha_r), ("alpha_p", self.alpha_p)] {
            if !(alpha.is_finite() && alpha >= 0.0) {
                return refuse(
                    option,
                    alpha,
                    "a finite number, at least 0 (1 = the paper's widths)",
                );
            }
        }
        match self.delta {
            Delta::Fixed(delta) if !(delta > 0.0 && delta <= 1.0) => {
                return refuse("delta", delta, "a probability in (0, 1]");
            }
            _ => {}
        }
        if !(self.r_max.is_finite() && self.r_max > 0.0) {
            return refuse("r_max", self.r_max, "a positive finite number");
        }
        let tau = self.evi.aperiodicity;
        if !(tau > 0.0 && tau <= 1.0) {
            return refuse("aperiodicity", tau, "a number in (0, 1]");
        }
        if let Some(pairs) = self.nominal_pairs
            && !(pairs.is_finite() && pairs >= 1.0)
        {
            return refuse("sa", pairs, "a finite number, at least 1");
        }
        if self.evi.sweep_limit == 0 {
            return refuse("sweeps", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// An algorithm with all its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Algorithm {
    /// UCRL2: Hoeffding and L1 sets.
    Ucrl2(Ucrl2),
    /// UCRL2B, the paper's "UCRL": Bernstein boxes.
    Ucrl(Ucrl),
    /// TUCRL.
    Tucrl(Tucrl),
    /// SCAL.
    Scal(Scal),
    /// Optimistic Q-learning.
    OptimisticQ(OptimisticQ),
    /// Plays an optimal policy that it was given.
    Oracle,
    /// Plays the rule of thumb that the world comes with.
    Heuristic,
    /// Plays uniformly at random.
    Random,
}

/// Why an agent could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// An option outside its range.
    #[error("{option} = {value} is out of range: {expected}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// The algorithm needs something that was not supplied.
    #[error("{algorithm} must be told {what}, which this world cannot tell")]
    Missing {
        /// The algorithm.
        algorithm: &'static str,
        /// What it needs.
        what: &'static str,
    },
}

/// What an agent may be told about the world before it starts; most need nothing.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// An optimal policy, for the oracle.
    pub optimal_policy: Option<Policy>,
    /// The states that the policy numbers, increasing; `None` when state `i` is number `i`.
    pub policy_states: Option<Arc<[StateId]>>,
    /// True mean rewards, for `known_rewards`.
    pub mean_rewards: Option<KnownMeans>,
    /// What a person would play, for the heuristic.
    pub rule_of_thumb: Option<RuleOfThumb>,
}

/// What the run loop asks of a learner.
pub trait Learner {
    /// The action to play now.
    ///
    /// # Errors
    /// When a plan does not converge.
    fn act(&mut self) -> Result<ActionId, PlanError>;
    /// What it led to.
    fn observe(&mut self, reward: f64, next: StateId);
    /// How many actions a state has, before it is first observed; see [`Space::tell_actions`].
    fn tell_actions(&mut self, state: StateId, actions: u32);
}

impl<P: crate::planner::Planner> Learner for Episodic<P> {
    #[inline]
    fn act(&mut self) -> Result<ActionId, PlanError> {
        Self::act(self)
    }

    #[inline]
    fn observe(&mut self, reward: f64, next: StateId) {
        Self::observe(self, reward, next);
    }

    fn tell_actions(&mut self, state: StateId, actions: u32) {
        Self::tell_actions(self, state, actions);
    }
}

/// An algorithm at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Agent {
    /// UCRL2.
    Ucrl2(Episodic<Ucrl2>),
    /// UCRL2B.
    Ucrl(Episodic<Ucrl>),
    /// TUCRL.
    Tucrl(Episodic<Tucrl>),
    /// SCAL.
    Scal(Episodic<Scal>),
    /// Optimistic Q-learning.
    OptimisticQ(OptimisticQAgent),
    /// The oracle.
    Oracle(Oracle),
    /// The rule of thumb.
    Heuristic(Heuristic),
    /// Uniform play.
    Random(Random),
}

/// Runs an expression for whichever learner an [`Agent`] is.
macro_rules! with_learner {
    ($agent:expr, $learner:ident => $body:expr) => {
        match $agent {
            $crate::agents::Agent::Ucrl2($learner) => $body,
            $crate::agents::Agent::Ucrl($learner) => $body,
            $crate::agents::Agent::Tucrl($learner) => $body,
            $crate::agents::Agent::Scal($learner) => $body,
            $crate::agents::Agent::OptimisticQ($learner) => $body,
            $crate::agents::Agent::Oracle($learner) => $body,
            $crate::agents::Agent::Heuristic($learner) => $body,
            $crate::agents::Agent::Random($learner) => $body,
        }
    };
}
pub(crate) use with_learner;

/// Runs an expression for an episodic learner, another one for the rest.
macro_rules! if_episodic {
    ($agent:expr, $learner:ident => $body:expr, $otherwise:expr) => {
        match $agent {
            Agent::Ucrl2($learner) => $body,
            Agent::Ucrl($learner) => $body,
            Agent::Tucrl($learner) => $body,
            Agent::Scal($learner) => $body,
            Agent::OptimisticQ(_) | Agent::Oracle(_) | Agent::Heuristic(_) | Agent::Random(_) => {
                $otherwise
            }
        }
    };
}

impl Algorithm {
    /// The short name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ucrl2(_) => "ucrl2",
            Self::Ucrl(_) => "ucrl",
            Self::Tucrl(_) => "tucrl",
            Self::Scal(_) => "scal",
            Self::OptimisticQ(_) => "optimistic-q",
            Self::Oracle => "oracle",
            Self::Heuristic => "heuristic",
            Self::Random => "random",
        }
    }

    /// The shared options, when the algorithm has them.
    pub fn optimism(&self) -> Option<&Optimism> {
        match self {
            Self::Ucrl2(planner) => Some(&planner.optimism),
            Self::Ucrl(planner) => Some(&planner.optimism),
            Self::Tucrl(planner) => Some(&planner.optimism),
            Self::Scal(planner) => Some(&planner.optimism),
            Self::OptimisticQ(_) | Self::Oracle | Self::Heuristic | Self::Random => None,
        }
    }

    /// The largest reward that the algorithm reckons with, when it does.
    pub fn r_max(&self) -> Option<f64> {
        match self {
            Self::OptimisticQ(planner) => Some(planner.r_max),
            _ => self.optimism().map(|optimism| optimism.r_max),
        }
    }

    /// Checks every option.
    ///
    /// # Errors
    /// The first option out of range.
    pub fn check(&self) -> Result<(), AgentError> {
        if let Some(optimism) = self.optimism() {
            optimism.check()?;
        }
        match self {
            Self::Scal(planner) => planner.check(),
            Self::OptimisticQ(planner) => planner.check(),
            _ => Ok(()),
        }
    }

    /// An agent that starts to learn a space in a state.
    ///
    /// # Errors
    /// When an option is out of range or needed knowledge is missing.
    pub fn start(
        &self,
        space: Space,
        start: StateId,
        random: RandomStream,
        knowledge: &Knowledge,
    ) -> Result<Agent, AgentError> {
        self.check()?;
        let variance = self.optimism().map_or_else(Variance::default, |o| o.variance);
        let mut agent = match self.clone() {
            Self::Ucrl2(p) => Agent::Ucrl2(Episodic::new(p, space, variance, start, random)),
            Self::Ucrl(p) => Agent::Ucrl(Episodic::new(p, space, variance, start, random)),
            Self::Tucrl(p) => Agent::Tucrl(Episodic::new(p, space, variance, start, random)),
            Self::Scal(p) => Agent::Scal(Episodic::new(p, space, variance, start, random)),
            Self::OptimisticQ(p) => Agent::OptimisticQ(OptimisticQAgent::new(p, space, start)),
            Self::Oracle => match &knowledge.optimal_policy {
                Some(policy) => Agent::Oracle(Oracle::new(policy.clone(), start, random)),
                None => {
                    let what = "an optimal policy";
                    return Err(AgentError::Missing { algorithm: "oracle", what });
                }
            },
            Self::Heuristic => Agent::Heuristic(Heuristic::new(start)),
            Self::Random => Agent::Random(Random::new(space, start, random)),
        };
        agent.inform(self, knowledge)?;
        Ok(agent)
    }
}

impl Agent {
    /// Supplies what is known in advance; needed again after a checkpoint is read.
    ///
    /// # Errors
    /// When the algorithm needs knowledge that is missing.
    pub fn inform(
        &mut self,
        algorithm: &Algorithm,
        knowledge: &Knowledge,
    ) -> Result<(), AgentError> {
        if let Self::Oracle(oracle) = self {
            oracle.number_states(knowledge.policy_states.clone());
        }
        if let Self::Heuristic(heuristic) = self {
            return heuristic.follow(knowledge.rule_of_thumb.clone());
        }
        if !algorithm.optimism().is_some_and(|optimism| optimism.known_rewards) {
            return Ok(());
        }
        let Some(means) = &knowledge.mean_rewards else {
            let (algorithm, what) = (algorithm.name(), "the true mean rewards (known_rewards)");
            return Err(AgentError::Missing { algorithm, what });
        };
        if_episodic!(self, learner => learner.know_rewards(means.clone()), ());
        Ok(())
    }

    /// The action to play now.
    ///
    /// # Errors
    /// When a plan does not converge.
    pub fn act(&mut self) -> Result<ActionId, PlanError> {
        with_learner!(self, learner => learner.act())
    }

    /// What it led to.
    pub fn observe(&mut self, reward: f64, next: StateId) {
        with_learner!(self, learner => learner.observe(reward, next));
    }

    /// Says how many actions a state has, before it is first observed, in a space made by
    /// [`Space::told`].
    pub fn tell_actions(&mut self, state: StateId, actions: u32) {
        with_learner!(self, learner => learner.tell_actions(state, actions));
    }

    /// What has been counted, by learners that count.
    pub fn counts(&self) -> Option<&Counts> {
        match self {
            Self::OptimisticQ(learner) => Some(learner.counts()),
            _ => if_episodic!(self, learner => Some(learner.counts()), None),
        }
    }

    /// The episodes so far; empty for learners without episodes.
    pub fn episodes(&self) -> Vec<EpisodeRecord> {
        if_episodic!(self, learner => learner.episodes().collect(), Vec::new())
    }

    /// How many episodes have begun.
    pub fn episode_count(&self) -> usize {
        if_episodic!(self, learner => learner.episode_count(), 0)
    }

    /// The present plan of an episodic learner.
    pub fn plan(&self) -> Option<&crate::planner::Plan> {
        if_episodic!(self, learner => learner.plan(), None)
    }

    /// The counters Z and Y: steps in pairs poorly visited now, and at the episode's start.
    pub fn poor_steps(&self) -> (u64, u64) {
        if_episodic!(
            self,
            learner => (learner.poor_steps(), learner.poor_steps_at_start()),
            (0, 0)
        )
    }

    /// Sweeps of all plans together.
    pub fn sweeps(&self) -> u64 {
        if_episodic!(self, learner => learner.sweeps(), 0)
    }

    /// Time spent planning since the agent was made or read back.
    pub fn plan_time(&self) -> std::time::Duration {
        if_episodic!(self, learner => learner.plan_time(), std::time::Duration::ZERO)
    }
}
