//! IMED-RL: which agent has the smallest possible logarithmic regret in ergodic worlds?
//!
//! Pesquerel and Maillard 2022, after the bandit algorithm IMED (Honda and Takemura 2015). At every step, with N visits and
//! the observed laws of rewards and next states:
//!
//! - the skeleton of a state keeps its actions with N >= ln(max_a N)², the others have been tried too rarely to plan with;
//! - phi is the bias of the best policy on the skeletons, by value iteration from the last phi;
//! - q(a) = r + p phi and mu = max q; the index of a is ln N if q(a) = mu, and else N K + ln N, where K is the smallest
//!   divergence from the observed law of X = R + phi(S') of a law below B = r_max + max phi with mean mu;
//! - the action with the smallest index is played, the lowest number among equals. Untried actions come first.
//!
//! By duality K = max E ln(1 − l(X − mu)) over 0 <= l <= 1/(B − mu). The authors' code maximises E ln(B − x(X − mu)), which
//! is larger by ln B: with it, indices are too large by N ln B, and it explores less than the paper unless B = 1.
//!
//! Every pair has one imagined observation, as in that code: a reward of r_max / 2 and a uniform law of the next state, here
//! over the states that were seen, so that the number of states is not needed. Departures: value iteration is damped,
//! which keeps its fixed points and makes periodic policies converge; ties are not broken at random; the reward law
//! has at most 32 values, see `Atoms`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, checked, largest_reward, saved_as};
use crate::counts::{Counts, Variance};
use crate::learner::{AgentError, Algorithm, Diary, Learner, LoggedStep, Saved, Setting, Start};
use crate::math;
use crate::options::FromWorld;
use crate::planner::{Choice, PlanError};
use crate::space::{ActionId, Space, StateId};

/// The weight of a sweep against staying with the last values.
const DAMPING: f64 = 0.9;
/// The most values that the observed reward law of a pair has. More would be more exact and slower: an index takes a sum
/// over pairs of a value and a next state.
const ATOMS: usize = 32;

/// IMED-RL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImedRl {
    /// value iteration stops when increments differ by at most this, in units of r_max
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub accuracy: f64,
    /// the most sweeps of value iteration per step
    #[schemars(extend("minimum" = 1))]
    pub sweeps: u64,
    /// the largest possible reward, counted from the smallest, or that of the world
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub r_max: FromWorld,
}

/// The numbers of the authors' code.
impl Default for ImedRl {
    fn default() -> Self {
        Self { accuracy: 1e-3, sweeps: 3000, r_max: FromWorld::default() }
    }
}

impl ImedRl {
    fn in_setting(&self, setting: &Setting) -> Result<Self, AgentError> {
        checked(self)?;
        Ok(Self { r_max: largest_reward(self.r_max, setting)?.into(), ..self.clone() })
    }
}

impl Algorithm for ImedRl {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let options = self.in_setting(start.setting)?;
        Ok(Box::new(ImedRlAgent::new(options, start.setting.space.clone(), start.state)))
    }

    fn restore(&self, _: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(saved_as::<ImedRlAgent>(saved)?))
    }

    fn options(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn check(&self, setting: &Setting) -> Result<(), AgentError> {
        self.in_setting(setting).map(drop)
    }

    fn needs_state_count(&self) -> bool {
        false
    }

    fn step_cost(&self) -> u64 {
        200
    }
}

/// The observed reward law of a pair: values and weights, by value.
///
/// When there are 32 values, the weight of a new one is divided between its neighbours so that the mean stays: such
/// a spread makes K smaller, never larger, so that the agent explores more rather than too little.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Atoms(Vec<(f64, f64)>);

impl Atoms {
    /// Adds an observation between 0 and `r_max`.
    pub fn add(&mut self, reward: f64, r_max: f64) {
        let place = self.0.partition_point(|atom| atom.0 < reward);
        if let Some(atom) = self.0.get_mut(place).filter(|atom| atom.0 == reward) {
            atom.1 += 1.0;
            return;
        }
        // Two places are kept for the ends, between which everything lies.
        let is_end = reward == 0.0 || reward == r_max;
        if is_end || self.0.len() < ATOMS - 2 {
            self.0.insert(place, (reward, 1.0));
            return;
        }
        for end in [0.0, r_max] {
            let place = self.0.partition_point(|atom| atom.0 < end);
            if self.0.get(place).is_none_or(|atom| atom.0 != end) {
                self.0.insert(place, (end, 0.0));
            }
        }
        let place = self.0.partition_point(|atom| atom.0 < reward);
        let (below, above) = (self.0[place - 1].0, self.0[place].0);
        let share = (reward - below) / (above - below);
        self.0[place - 1].1 += 1.0 - share;
        self.0[place].1 += share;
    }

    /// Values and weights.
    pub fn list(&self) -> &[(f64, f64)] {
        &self.0
    }
}

/// IMED-RL at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImedRlAgent {
    options: ImedRl,
    counts: Counts,
    /// By pair: the sum of rewards, the imagined one included, and the law.
    rewards: Vec<f64>,
    atoms: Vec<Atoms>,
    /// The bias on the skeletons, its smallest value 0, by seen state.
    phi: Vec<f64>,
    here: u32,
    chosen: Option<u32>,
    sweeps: u64,
}

impl ImedRlAgent {
    fn new(options: ImedRl, space: Space, start: StateId) -> Self {
        let mut agent = Self {
            options,
            counts: Counts::new(space, Variance::default()),
            rewards: Vec::new(),
            atoms: Vec::new(),
            phi: Vec::new(),
            here: 0,
            chosen: None,
            sweeps: 0,
        };
        agent.here = agent.see(start);
        agent
    }

    fn see(&mut self, state: StateId) -> u32 {
        let number = self.counts.see(state);
        if self.phi.len() < self.counts.seen() {
            let (pairs, half) = (self.counts.pairs().len(), self.r_max() / 2.0);
            self.rewards.resize(pairs, half);
            self.atoms.resize(pairs, Atoms(vec![(half, 1.0)]));
            // Nothing is known about it: the mean of the others, as its imagined observations say.
            self.phi.push(self.mean_phi());
        }
        number
    }

    fn r_max(&self) -> f64 {
        self.options.r_max.or(1.0)
    }

    fn mean_phi(&self) -> f64 {
        let seen = self.phi.len().max(1) as f64;
        self.phi.iter().sum::<f64>() / seen
    }

    /// r + p phi of a pair, for values whose mean is given.
    fn value(&self, pair: usize, mean: f64) -> f64 {
        let led = |(next, count): (u32, u64)| count as f64 * self.phi[next as usize];
        let led: f64 = self.counts.transitions(pair).map(led).sum();
        (self.rewards[pair] + led + mean) / (self.counts.visits(pair) + 1) as f64
    }

    /// The visits from which on a pair of a state belongs to its skeleton.
    fn threshold(&self, number: u32) -> f64 {
        let pairs = self.counts.pairs_of(number);
        let most = pairs.map(|pair| self.counts.visits(pair)).max().unwrap_or(0);
        let log = math::ln(most.max(1) as f64);
        log * log
    }

    /// Value iteration on the skeletons, from the last phi.
    fn solve(&mut self) {
        let thresholds: Vec<f64> =
            (0..self.counts.seen() as u32).map(|number| self.threshold(number)).collect();
        let accuracy = self.options.accuracy * self.r_max();
        let mut raised = vec![0.0; self.phi.len()];
        for _ in 0..self.options.sweeps {
            self.sweeps += 1;
            let mean = self.mean_phi();
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for (number, raised) in raised.iter_mut().enumerate() {
                let pairs = self.counts.pairs_of(number as u32);
                let in_skeleton =
                    pairs.filter(|&pair| self.counts.visits(pair) as f64 >= thresholds[number]);
                let best = in_skeleton.map(|pair| self.value(pair, mean)).fold(f64::MIN, f64::max);
                *raised = best - self.phi[number];
                (least, most) = (least.min(*raised), most.max(*raised));
            }
            if most - least <= accuracy {
                break;
            }
            for (phi, raised) in self.phi.iter_mut().zip(&raised) {
                *phi += DAMPING * raised;
            }
            let smallest = self.phi.iter().copied().fold(f64::INFINITY, f64::min);
            self.phi.iter_mut().for_each(|phi| *phi -= smallest);
        }
    }

    /// The index of every action of a state, by the present phi; meaningful when all have been tried.
    pub fn indices(&self, number: u32) -> Vec<f64> {
        let mean = self.mean_phi();
        let pairs = self.counts.pairs_of(number);
        let values: Vec<f64> = pairs.clone().map(|pair| self.value(pair, mean)).collect();
        let target = values.iter().copied().fold(f64::MIN, f64::max);
        let top = self.r_max() + self.phi.iter().copied().fold(0.0, f64::max);
        let index = |(pair, value): (usize, f64)| {
            let visits = self.counts.visits(pair) as f64;
            if value >= target {
                return math::ln(visits);
            }
            visits * k_inf(&self.outcomes(pair), top, target) + math::ln(visits)
        };
        pairs.zip(values).map(index).collect()
    }

    /// The observed law of R + phi(S') of a pair, as values and weights.
    fn outcomes(&self, pair: usize) -> Vec<(f64, f64)> {
        let (atoms, seen) = (self.atoms[pair].list(), self.phi.len() as f64);
        let mut law = Vec::with_capacity(atoms.len() * (self.phi.len() + 1));
        for &(reward, weight) in atoms.iter().filter(|atom| atom.1 > 0.0) {
            for (next, count) in self.counts.transitions(pair) {
                law.push((reward + self.phi[next as usize], weight * count as f64));
            }
            law.extend(self.phi.iter().map(|phi| (reward + phi, weight / seen)));
        }
        law
    }
}

/// The smallest divergence from a law, given by values and weights, of a law on (−∞, top] with mean `target`: the
/// weights need not sum to 1. 0 if the mean is not below the target, infinite if the target is not below the top.
pub fn k_inf(law: &[(f64, f64)], top: f64, target: f64) -> f64 {
    let total: f64 = law.iter().map(|(_, weight)| weight).sum();
    // The derivative of the dual at l, and minus its own derivative.
    let slope = |l: f64| {
        let (mut first, mut second) = (0.0, 0.0);
        for &(value, weight) in law {
            let above = value - target;
            // Rounding may leave the pole, where the law has mass at the top, a little to the left.
            let ratio = above / (1.0 - l * above).max(0.0);
            first -= weight * ratio;
            second += weight * ratio * ratio;
        }
        (first, second)
    };
    if slope(0.0).0 <= 0.0 {
        return 0.0;
    }
    let room = top - target;
    if room <= 0.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 1.0 / room);
    let at_end = slope(high).0;
    let mut best = high;
    // At the end the slope is minus infinity, or not a number, if the law has mass at the top.
    if at_end.is_nan() || at_end < 0.0 {
        best = 0.0;
        for _ in 0..100 {
            let (first, second) = slope(best);
            if first > 0.0 {
                low = best;
            } else {
                high = best;
            }
            let newton = best + first / second;
            let next =
                if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
            let is_settled = (next - best).abs() <= 4.0 * f64::EPSILON * high;
            best = next;
            if is_settled {
                break;
            }
        }
    }
    let log = |&(value, weight): &(f64, f64)| weight * math::ln_1p(-best * (value - target));
    (law.iter().map(log).sum::<f64>() / total).max(0.0)
}

impl Learner for ImedRlAgent {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let pairs = self.counts.pairs_of(self.here);
        if let Some(pair) = self.chosen {
            return Ok((pair as usize - pairs.start) as ActionId);
        }
        let untried = pairs.clone().find(|&pair| self.counts.visits(pair) == 0);
        let action = match untried {
            Some(pair) => pair - pairs.start,
            None if pairs.len() == 1 => 0,
            None => {
                self.solve();
                let indices = self.indices(self.here);
                let smaller =
                    |best, action| if indices[action] < indices[best] { action } else { best };
                (0..indices.len()).fold(0, smaller)
            }
        };
        self.chosen = Some((pairs.start + action) as u32);
        Ok(action as ActionId)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        let Some(pair) = self.chosen.take() else { panic!("observe follows act") };
        let pair = pair as usize;
        let next = self.see(next);
        self.counts.record(pair, reward, next);
        self.rewards[pair] += reward;
        let r_max = self.r_max();
        self.atoms[pair].add(reward, r_max);
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

    /// The action of the largest r + p phi, without exploration.
    fn would_play(&self, state: StateId) -> Option<Choice> {
        let (number, mean) = (self.counts.number(state)?, self.mean_phi());
        let pairs = self.counts.pairs_of(number);
        let values: Vec<f64> = pairs.map(|pair| self.value(pair, mean)).collect();
        let larger = |best, action| if values[action] > values[best] { action } else { best };
        Some(Choice::pure((0..values.len()).fold(0, larger) as u32))
    }

    fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.counts.tell_actions(state, actions);
    }

    fn diary(&self) -> Diary<'_> {
        Diary { counts: Some(&self.counts), sweeps: self.sweeps, ..Diary::default() }
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    let kind = AgentKind::new::<ImedRl>(About {
        name: "imed-rl",
        aliases: &[],
        summary: "the least possible regret in ergodic worlds, asymptotically",
        source: "Pesquerel, Maillard 2022, \"IMED-RL: Regret optimal learning of ergodic Markov decision processes\"; from \
                 a description and public code, whose index is corrected",
        idea: "It has neither confidence sets nor episodes. At every step it finds the best policy of the MDP that it has \
               observed, leaving out actions tried too rarely to be judged. For every other action of the present state \
               it asks how far the observed law of reward and next value is from one that would make the action \
               optimal. That divergence, times the visits, plus the logarithm of the visits, is the index of the \
               action. It plays the smallest index: an action is tried again when its visits no longer rule out that \
               it is best.",
        needs: "The number of actions and r_max; and that every policy visits every state. The number of states may be \
                left out.",
        guarantee: "Where the world is ergodic: regret of order C ln T with the constant C of the lower bound of Burnetas \
                    and Katehakis (`tucrl inspect` shows C). As stated by the paper for its own algorithm; not checked \
                    here beyond the measured ratio in docs/hardness.md.",
        cost: "A step solves the observed MDP anew, from the last solution: a sweep over all observed transitions, often \
               only one. There is no pause between plans: some hundred times a step of random play.",
        caution: "In a world that is not ergodic it may lose forever: it explores where it happens to stand and never \
                  travels to learn. Where rewards have more than 30 values it treats them as spread over those. States \
                  that cannot be reached do not matter to it: it plans with seen states only.",
        example: "imed-rl",
    });
    vec![kind.tried_in("river-swim:ergodic=true")]
}
