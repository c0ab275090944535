//! Optimistic Q-learning: which model-free algorithm has a regret bound?
//!
//! Wei et al. 2020: a discounted surrogate with horizon H (gamma = 1 - 1/H), values that start at H and only fall,
//! a learning rate (H + 1) / (H + n) and a bonus for rare pairs. No planning, no episodes, regret of order T^(2/3).
//! Rewards are scaled to [0, 1]. The theory's constants are from memory, unverified; the practical bonus
//! c sqrt(H / n) is that of the authors' code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, checked, largest_reward, saved_as};
use crate::counts::{Counts, Variance};
use crate::learner::{AgentError, Algorithm, Diary, Learner, LoggedStep, Saved, Setting, Start};
use crate::math;
use crate::options::{FromWorld, NumberOr, Theory};
use crate::planner::{Choice, PlanError};
use crate::space::{ActionId, Space, StateId};

/// The bonus for rare pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bonus {
    /// c sqrt(H / n).
    #[default]
    Practical,
    /// 4 sp sqrt(H ln(2 T / delta) / n), with sp a bound on the span of the optimal bias.
    Theory,
}

/// Optimistic Q-learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OptimisticQ {
    /// H of the discounted surrogate, gamma = 1 - 1/H, or what theory recommends
    #[schemars(extend("minimum" = 2.0))]
    pub horizon: NumberOr<Theory>,
    /// c sqrt(H/n), or 4 span sqrt(H/n ln(2T/delta))
    pub bonus: Bonus,
    /// the factor of bonus=practical
    #[schemars(extend("minimum" = 0.0))]
    pub c: f64,
    /// a bound on the span of the optimal bias, in units of r_max, for theory
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub span: f64,
    /// how often theory may fail
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub delta: f64,
    /// the largest possible reward, counted from the smallest, or that of the world
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub r_max: FromWorld,
}

impl Default for OptimisticQ {
    fn default() -> Self {
        Self {
            horizon: 100.0.into(),
            bonus: Bonus::default(),
            c: 1.0,
            span: 1.0,
            delta: 0.05,
            r_max: FromWorld::default(),
        }
    }
}

impl OptimisticQ {
    /// The horizon that theory recommends for a number of steps.
    pub fn theory_horizon(space: &Space, span: f64, delta: f64, steps: u64) -> f64 {
        let (pairs, steps) = (space.nominal_pairs() as f64, steps as f64);
        let first = (span * steps / pairs).sqrt();
        let second = math::cbrt(steps / (pairs * math::ln(4.0 * steps / delta)));
        first.min(second).max(2.0)
    }

    fn rates(&self, setting: &Setting) -> Result<Rates, AgentError> {
        checked(self)?;
        let Self { c, span, delta, .. } = *self;
        let theory = Self::theory_horizon(&setting.space, span, delta, setting.steps);
        let horizon = self.horizon.or(theory);
        Ok(Rates {
            horizon,
            r_max: largest_reward(self.r_max, setting)?,
            bonus: self.bonus,
            c,
            span,
            delta,
            steps: setting.steps,
        })
    }
}

impl Algorithm for OptimisticQ {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let rates = self.rates(start.setting)?;
        Ok(Box::new(OptimisticQAgent::new(rates, start.setting.space.clone(), start.state)))
    }

    fn restore(&self, _: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(saved_as::<OptimisticQAgent>(saved)?))
    }

    fn options(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn check(&self, setting: &Setting) -> Result<(), AgentError> {
        self.rates(setting).map(drop)
    }

    fn step_cost(&self) -> u64 {
        3
    }
}

/// The numbers of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Rates {
    horizon: f64,
    r_max: f64,
    bonus: Bonus,
    c: f64,
    span: f64,
    delta: f64,
    steps: u64,
}

impl Rates {
    fn bonus(&self, visits: f64) -> f64 {
        match self.bonus {
            Bonus::Practical => self.c * (self.horizon / visits).sqrt(),
            Bonus::Theory => {
                let log = math::ln(2.0 * self.steps as f64 / self.delta);
                4.0 * self.span * (self.horizon / visits * log).sqrt()
            }
        }
    }
}

/// Optimistic Q-learning at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimisticQAgent {
    options: Rates,
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
    fn new(options: Rates, space: Space, start: StateId) -> Self {
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

    /// The pair of the largest value of a seen state.
    fn best(&self, number: u32) -> usize {
        let mut pairs = self.counts.pairs_of(number);
        let first = pairs.start;
        let larger = |best, pair| if self.capped[pair] > self.capped[best] { pair } else { best };
        pairs.by_ref().fold(first, larger)
    }

    /// The capped value of every pair of seen states; never grows, never exceeds H.
    pub fn values(&self) -> &[f64] {
        &self.capped
    }
}

impl Learner for OptimisticQAgent {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let best = self.best(self.here);
        self.chosen = Some(best as u32);
        Ok((best - self.counts.pairs_of(self.here).start) as ActionId)
    }

    fn absorb(&mut self, log: &[LoggedStep]) -> bool {
        if self.chosen.is_some() {
            return false;
        }
        for step in log {
            self.here = self.see(step.state);
            self.chosen = Some(self.counts.pair(self.here, step.action) as u32);
            self.observe(step.reward, step.next);
        }
        true
    }

    fn stand_in(&mut self, state: StateId) -> bool {
        if self.chosen.is_none() {
            self.here = self.see(state);
        }
        self.chosen.is_none()
    }

    fn would_play(&self, state: StateId) -> Option<Choice> {
        let number = self.counts.number(state)?;
        let action = self.best(number) - self.counts.pairs_of(number).start;
        Some(Choice::pure(action as u32))
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

    fn diary(&self) -> Diary<'_> {
        Diary { counts: Some(&self.counts), ..Diary::default() }
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    vec![AgentKind::new::<OptimisticQ>(About {
        name: "optimistic-q",
        aliases: &[],
        summary: "optimistic Q-learning, without a model",
        source: "Wei et al. 2020; the constants of theory as remembered, the practical bonus as in \
                 the authors' code",
        idea: "It learns the values of actions directly, one step at a time. The average reward \
               is replaced by a discounted one with a horizon H. All values start at H, the \
               largest possible, and are never raised. A pair tried n times gets a bonus of \
               order sqrt(H/n), so that rare ones stay attractive. There are no counts of \
               transitions, no plans and no episodes.",
        needs: "r_max and the horizon H of a discounted surrogate; horizon=theory and bonus=theory \
                need the number of steps and a bound on the span as well.",
        guarantee: "With horizon=theory, bonus=theory and a correct span, where the world is weakly \
                    communicating: regret of order span (S A)^(1/3) T^(2/3) ln T. None with \
                    bonus=practical.",
        cost: "O(A) per step; no planning.",
        caution: "It learns slowly, and with theory's bonus hardly before 10^9 steps.",
        example: "optimistic-q:horizon=20,c=0.1",
    })]
}
