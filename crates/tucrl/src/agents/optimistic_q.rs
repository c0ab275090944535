//! How far does one get without a model?
//!
//! Optimistic Q-learning (Wei et al. 2020; ALGORITHMS 6.5): a discounted surrogate with horizon H
//! (gamma = 1 - 1/H), values that start at H and only fall, a learning rate (H + 1) / (H + n) and a bonus
//! for rare pairs. No planning, no episodes, regret of order T^(2/3). Rewards are scaled to [0, 1].
//!
//! Reads `counts`; feeds `agents`. Departures: the theory's constants are from memory (marked so in the
//! docs); the practical bonus c sqrt(H / n) is that of the authors' code.

use serde::{Deserialize, Serialize};

use super::{AgentError, Learner};
use crate::counts::{Counts, Variance};
use crate::planner::PlanError;
use crate::space::{ActionId, Space, StateId};

/// The bonus for rare pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Bonus {
    /// c sqrt(H / n).
    Practical {
        /// The factor.
        c: f64,
    },
    /// 4 sp sqrt(H ln(2 T / delta) / n), with sp a bound on the span of the optimal bias.
    Theory {
        /// The span bound.
        span: f64,
        /// The probability that may fail.
        delta: f64,
        /// The number of steps.
        steps: u64,
    },
}

/// Optimistic Q-learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimisticQ {
    /// The horizon H of the discounted surrogate.
    pub horizon: f64,
    /// The bonus.
    pub bonus: Bonus,
    /// The largest possible reward.
    pub r_max: f64,
}

impl Default for OptimisticQ {
    fn default() -> Self {
        Self { horizon: 100.0, bonus: Bonus::Practical { c: 1.0 }, r_max: 1.0 }
    }
}

impl OptimisticQ {
    pub(super) fn check(&self) -> Result<(), AgentError> {
        let refuse = |option, value: f64, expected| {
            Err(AgentError::Option { option, value: value.to_string(), expected })
        };
        if !(self.horizon.is_finite() && self.horizon >= 2.0) {
            return refuse("horizon", self.horizon, "a finite number, at least 2");
        }
        if !(self.r_max.is_finite() && self.r_max > 0.0) {
            return refuse("r_max", self.r_max, "a positive finite number");
        }
        match self.bonus {
            Bonus::Practical { c } if !(c.is_finite() && c >= 0.0) => {
                refuse("c", c, "a finite number, at least 0")
            }
            Bonus::Theory { span, .. } if !(span.is_finite() && span > 0.0) => {
                refuse("span", span, "a positive finite bound on the span of the bias")
            }
            Bonus::Theory { delta, .. } if !(delta > 0.0 && delta <= 1.0) => {
                refuse("delta", delta, "a probability in (0, 1]")
            }
            Bonus::Theory { steps: 0, .. } => refuse("steps", 0.0, "at least 1"),
            _ => Ok(()),
        }
    }

    /// The horizon that theory recommends for a number of steps.
    pub fn theory_horizon(space: &Space, span: f64, delta: f64, steps: u64) -> f64 {
        let (pairs, steps) = (space.nominal_pairs() as f64, steps as f64);
        let first = (span * steps / pairs).sqrt();
        let second = (steps / (pairs * (4.0 * steps / delta).ln())).cbrt();
        first.min(second).max(2.0)
    }

    fn bonus(&self, visits: f64) -> f64 {
        match self.bonus {
            Bonus::Practical { c } => c * (self.horizon / visits).sqrt(),
            Bonus::Theory { span, delta, steps } => {
                4.0 * span * (self.horizon / visits * (2.0 * steps as f64 / delta).ln()).sqrt()
            }
        }
    }
}

/// Optimistic Q-learning at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OptimisticQAgent {
    options: OptimisticQ,
    counts: Counts,
    /// The running estimate and its smallest value so far, by pair of seen states.
    estimate: Vec<f64>,
    capped: Vec<f64>,
    /// The best capped value of each seen state.
    value: Vec<f64>,
    here: u32,
    chosen: Option<u32>,
}

impl OptimisticQAgent {
    /// Starts in a state of a space.
    pub fn new(options: OptimisticQ, space: Space, start: StateId) -> Self {
        let counts = Counts::new(space, Variance::default());
        let (estimate, capped, value) = (Vec::new(), Vec::new(), Vec::new());
        let mut agent = Self { options, counts, estimate, capped, value, here: 0, chosen: None };
        agent.here = agent.see(start);
        agent
    }

    fn see(&mut self, state: StateId) -> u32 {
        let number = self.counts.see(state);
        self.estimate.resize(self.counts.pairs().len(), self.options.horizon);
        self.capped.resize(self.counts.pairs().len(), self.options.horizon);
        self.value.resize(self.counts.seen(), self.options.horizon);
        number
    }

    /// What has been counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The capped value of every pair of seen states; never grows, never exceeds H.
    pub fn values(&self) -> &[f64] {
        &self.capped
    }
}

impl Learner for OptimisticQAgent {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let pairs = self.counts.pairs_of(self.here);
        let first = pairs.start;
        let best =
            pairs.fold(
                first,
                |best, pair| {
                    if self.capped[pair] > self.capped[best] { pair } else { best }
                },
            );
        self.chosen = Some(best as u32);
        Ok((best - first) as ActionId)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        let Some(pair) = self.chosen.take() else { panic!("observe follows act") };
        let pair = pair as usize;
        let next = self.see(next);
        self.counts.record(pair, reward, next);
        let horizon = self.options.horizon;
        let visits = self.counts.visits(pair) as f64;
        let rate = (horizon + 1.0) / (horizon + visits);
        let gamma = 1.0 - 1.0 / horizon;
        let target = reward / self.options.r_max
            + gamma * self.value[next as usize]
            + self.options.bonus(visits);
        self.estimate[pair] = (1.0 - rate) * self.estimate[pair] + rate * target;
        self.capped[pair] = self.capped[pair].min(self.estimate[pair]);
        let pairs = self.counts.pairs_of(self.here);
        self.value[self.here as usize] =
            self.capped[pairs].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.here = next;
    }

    fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.counts.tell_actions(state, actions);
    }
}
