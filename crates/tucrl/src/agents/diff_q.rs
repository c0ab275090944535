//! Differential Q-learning: which baseline do users of deep reinforcement learning know?
//!
//! Wan, Naik, Sutton 2021: Q-learning for average reward. With the error e = r − G + max_b Q(s', b) − Q(s, a) of a step,
//! Q(s, a) += step e and G += eta step e. Play is greedy but for a random action with probability epsilon. Constant step
//! sizes, as in the experiments of the paper; its proof has decreasing ones. Equally good actions are drawn from with
//! equal probabilities.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, checked, saved_as};
use crate::counts::{Counts, Variance};
use crate::learner::{AgentError, Algorithm, Diary, Learner, LoggedStep, Saved, Setting, Start};
use crate::planner::{Choice, PlanError};
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// Differential Q-learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiffQ {
    /// the step size of the values
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub step: f64,
    /// the step size of the average reward, divided by that of the values
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub eta: f64,
    /// the probability of a random action
    #[schemars(extend("minimum" = 0.0, "maximum" = 1.0))]
    pub epsilon: f64,
}

/// The defaults of the authors' code.
impl Default for DiffQ {
    fn default() -> Self {
        Self { step: 0.1, eta: 1.0, epsilon: 0.1 }
    }
}

impl Algorithm for DiffQ {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        checked(self)?;
        let space = start.setting.space.clone();
        Ok(Box::new(DiffQAgent::new(self.clone(), space, start.state, start.random)))
    }

    fn restore(&self, _: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(saved_as::<DiffQAgent>(saved)?))
    }

    fn options(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn check(&self, _: &Setting) -> Result<(), AgentError> {
        checked(self)
    }

    fn needs_state_count(&self) -> bool {
        false
    }

    fn step_cost(&self) -> u64 {
        3
    }
}

/// Differential Q-learning at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiffQAgent {
    rates: DiffQ,
    counts: Counts,
    random: RandomStream,
    /// Q, by pair of seen states.
    values: Vec<f64>,
    /// The estimate of the average reward.
    gain: f64,
    here: u32,
    chosen: Option<u32>,
}

impl DiffQAgent {
    fn new(rates: DiffQ, space: Space, start: StateId, random: RandomStream) -> Self {
        let counts = Counts::new(space, Variance::default());
        let (values, gain, here, chosen) = (Vec::new(), 0.0, 0, None);
        let mut agent = Self { rates, counts, random, values, gain, here, chosen };
        agent.here = agent.see(start);
        agent
    }

    fn see(&mut self, state: StateId) -> u32 {
        let number = self.counts.see(state);
        self.values.resize(self.counts.pairs().len(), 0.0);
        number
    }

    fn largest(&self, number: u32) -> f64 {
        let values = &self.values[self.counts.pairs_of(number)];
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// A pair of the largest value of a state.
    fn greedy(&mut self, number: u32) -> usize {
        let (pairs, largest) = (self.counts.pairs_of(number), self.largest(number));
        let is_best = |pair: &usize| self.values[*pair] == largest;
        let ties = pairs.clone().filter(is_best).count() as u64;
        let skipped = if ties > 1 { self.random.below(ties) } else { 0 };
        pairs.clone().filter(is_best).nth(skipped as usize).unwrap_or(pairs.start)
    }

    /// Q of every pair of seen states.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The estimate of the average reward, counted from the smallest reward.
    pub fn gain(&self) -> f64 {
        self.gain
    }
}

impl Learner for DiffQAgent {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let pairs = self.counts.pairs_of(self.here);
        let pair = match self.chosen {
            Some(pair) => pair as usize,
            None if self.random.chance(self.rates.epsilon) => {
                pairs.start + self.random.below(pairs.len() as u64) as usize
            }
            None => self.greedy(self.here),
        };
        self.chosen = Some(pair as u32);
        Ok((pair - pairs.start) as ActionId)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        let Some(pair) = self.chosen.take() else { panic!("observe follows act") };
        let pair = pair as usize;
        let next = self.see(next);
        self.counts.record(pair, reward, next);
        let error = reward - self.gain + self.largest(next) - self.values[pair];
        self.values[pair] += self.rates.step * error;
        self.gain += self.rates.eta * self.rates.step * error;
        self.here = next;
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

    /// The greedy action, the lowest number among equals.
    fn would_play(&self, state: StateId) -> Option<Choice> {
        let number = self.counts.number(state)?;
        let (mut pairs, largest) = (self.counts.pairs_of(number), self.largest(number));
        let action = pairs.position(|pair| self.values[pair] == largest)?;
        Some(Choice::pure(action as u32))
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
    vec![AgentKind::new::<DiffQ>(About {
        name: "diff-q",
        aliases: &["differential-q"],
        summary: "differential Q-learning, epsilon-greedy",
        source: "Wan, Naik, Sutton 2021, \"Learning and planning in average-reward Markov decision processes\"; the \
                 default step sizes are those of the authors' code",
        idea: "It is Q-learning for average reward. Each step has an error: the reward minus the average reward so \
               far, plus the best value of the next state, minus the value of the action. A share of that error is \
               added to the value of the action, and a smaller one to the average reward. It plays the best action, \
               and a random one with probability epsilon. It counts nothing and plans nothing.",
        needs: "Nothing: neither the number of states nor r_max, but step sizes that suit the world.",
        guarantee: "None for regret, which is linear with a constant epsilon: a random action costs what it costs, \
                    forever. The values converge to those of an optimal policy where the world communicates, if the \
                    step sizes decrease in the right way and every pair keeps being visited; here they are constant.",
        cost: "O(A) per step; no planning.",
        caution: "It explores by chance alone: where the reward is many steps away in the wrong direction, as in \
                  river-swim, it does not find it. Use it as the baseline that users of deep reinforcement learning \
                  know, not to learn well. States that cannot be reached do not matter to it: it knows only what it \
                  has seen.",
        example: "diff-q:step=0.05",
    })]
}
