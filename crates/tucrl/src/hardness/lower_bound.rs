//! How much regret must every good learner have in this very world?
//!
//! A learner is uniformly good if its expected regret is o(T^α) for every α > 0 in every world of a class. In a world
//! of the class its regret over ln T is then asymptotically at least
//!
//!   C = Σ Δ(s, a) / K(s, a),   K(s, a) = inf { KL(p ‖ q) + KL(ρ ‖ ρ') : mean(ρ') + q h ≥ g + h(s) },
//!
//! over pairs with a positive gap Δ: in the worlds with q and ρ' in place of p and ρ the action a is better than what is
//! optimal here, so (s, a) must be played ln T / K times to tell them apart. q is any law on the states, ρ' any law on
//! the range of rewards. Where a reward is drawn together with the next state, KL is that of the pair (R, S'), which
//! may have any joint law. docs/hardness.md has the proofs and what each [`Certainty`] assumes.

use rayon::prelude::*;
use serde::Serialize;

use super::k_inf::{self, Law};
use crate::graph::Reversed;
use crate::mdp::Mdp;
use crate::pulse::{Pulse, unless_stopped};
use crate::reward::{PairReward, RewardLaw};
use crate::solve::Solution;
use crate::structure::{self, Table};

/// What is known about the constant of the lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Every policy visits every state: the constant is that of Burnetas and Katehakis (1997), which is attained.
    Theorem,
    /// The true constant is at least this one, the sum over the states that the optimal policy visits forever.
    LowerEstimate,
    /// No multiple of ln T is enough: some state is visited a bounded number of times, and an action that is not
    /// optimal may lead there for all that a learner can know.
    Infinite,
    /// None of these.
    Unknown,
}

impl Certainty {
    /// In words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Theorem => "theorem",
            Self::LowerEstimate => "lower estimate",
            Self::Infinite => "infinite",
            Self::Unknown => "unknown",
        }
    }
}

/// The asymptotic lower bound on the regret over ln T of every uniformly good learner.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LowerBound {
    /// What the constant is.
    pub certainty: Certainty,
    /// The constant, in units of reward; `None` if it is infinite or unknown.
    #[doc(alias = "C")]
    pub constant: Option<f64>,
    /// Why it is what it is.
    pub reason: &'static str,
    /// What each pair contributes; empty if the constant is infinite or unknown.
    #[serde(skip)]
    pub terms: Vec<Term>,
}

/// What a pair contributes to the lower bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The state, by number of the table.
    pub state: usize,
    /// The pair.
    pub pair: usize,
    /// Its gap.
    pub gap: f64,
    /// K(s, a); infinite if the action is worse than the optimal one in every world.
    pub divergence: f64,
}

impl Term {
    /// The regret over ln T that finding out about the pair costs.
    pub fn regret(&self) -> f64 {
        self.gap / self.divergence
    }
}

impl LowerBound {
    /// Before it is computed.
    pub(super) fn unknown() -> Self {
        Self::none(Certainty::Unknown, "not computed")
    }

    fn none(certainty: Certainty, reason: &'static str) -> Self {
        Self { certainty, constant: None, reason, terms: Vec::new() }
    }
}

/// Whether mean rewards are known to the learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rewards {
    Known,
    Unknown,
}

/// A pair whose gap is certainly positive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worse {
    pub(super) state: usize,
    pub(super) pair: usize,
    pub(super) gap: f64,
}

/// What the bound depends on.
pub(super) struct Case<'a> {
    pub(super) table: &'a Mdp,
    pub(super) solution: &'a Solution,
    /// Of reachable states.
    pub(super) worse: &'a [Worse],
    /// The only set of states that can be stayed in forever after the start; `None` if there are several.
    pub(super) core: Option<&'a [u32]>,
    /// The states that the optimal policy visits forever, or why they are not known.
    pub(super) recurrent: Result<&'a [bool], &'static str>,
    /// How many states the learner is told there are.
    pub(super) nominal: u64,
    /// Whether every policy visits every state.
    pub(super) is_ergodic: bool,
}

impl Case<'_> {
    pub(super) fn bound(&self, rewards: Rewards) -> LowerBound {
        let Some(core) = self.core else {
            let reason =
                "several sets of states can be stayed in forever: no learner is uniformly good";
            return LowerBound::none(Certainty::Unknown, reason);
        };
        let mut is_core = vec![false; self.table.states()];
        core.iter().for_each(|&state| is_core[state as usize] = true);
        let has_cost = self.worse.iter().any(|pair| is_core[pair.state]);
        if has_cost
            && self.nominal > core.len() as u64
            && let Some(bound) = self.with_places_unknown(rewards, core[0] as usize, &is_core)
        {
            return bound;
        }
        let recurrent = match self.recurrent {
            Ok(recurrent) => recurrent,
            Err(reason) => return LowerBound::none(Certainty::Unknown, reason),
        };
        let (certainty, reason) = match self.is_ergodic {
            true => (Certainty::Theorem, "every policy visits every state"),
            false => (
                Certainty::LowerEstimate,
                "the sum over the states that the optimal policy visits forever",
            ),
        };
        let top = core.iter().map(|&state| self.solution.bias[state as usize]);
        let top = top.fold(f64::NEG_INFINITY, f64::max);
        let pulse = Pulse::present();
        let visited: Vec<&Worse> = self.worse.iter().filter(|pair| recurrent[pair.state]).collect();
        let terms: Vec<Term> = visited
            .par_iter()
            .map(|&&Worse { state, pair, gap }| {
                let divergence = Pulse::carry(pulse.as_ref(), || match Pulse::is_stopped() {
                    true => f64::INFINITY,
                    false => self.divergence(rewards, state, pair, top),
                });
                Term { state, pair, gap, divergence }
            })
            .collect();
        let constant = terms.iter().map(Term::regret).sum();
        LowerBound { certainty, constant: Some(constant), reason, terms }
    }

    /// The bound where some states are visited a bounded number of times, or never: whatever they pay and wherever they
    /// lead, a learner cannot find out. `None` if they pay no more than the gain, so that nothing is to be had there.
    fn with_places_unknown(
        &self,
        rewards: Rewards,
        inside: usize,
        is_core: &[bool],
    ) -> Option<LowerBound> {
        let outside = (0..self.table.states()).filter(|&state| !is_core[state]);
        let pays = match rewards {
            Rewards::Unknown => self.table.r_max(),
            Rewards::Known if self.nominal > self.table.states() as u64 => {
                let reason = "the rewards of the states outside the table are not known";
                return Some(LowerBound::none(Certainty::Unknown, reason));
            }
            Rewards::Known => outside
                .flat_map(|state| self.table.pairs_of(state))
                .map(|pair| self.table.mean_reward(pair))
                .fold(0.0, f64::max),
        };
        let reason =
            "an action that is not optimal may lead to a state that is seldom or never seen";
        let gain = self.solution.gain[inside] + self.solution.gain_error[inside];
        (pays > gain).then(|| LowerBound::none(Certainty::Infinite, reason))
    }

    /// K(s, a); values of next states are counted from that of the state.
    fn divergence(&self, rewards: Rewards, state: usize, pair: usize, top: f64) -> f64 {
        let (table, bias) = (self.table, &self.solution.bias);
        let (r_max, low) = (table.r_max(), table.reward_range().low());
        let row = table.row(pair);
        let top = top - bias[state];
        let value = |next: usize| bias[next] - bias[state];
        let next = || Law::new(row.iter().map(|(next, p)| (p, value(next), value(next))), top);
        let gain = self.solution.gain[state];
        match (rewards, table.reward(pair)) {
            (Rewards::Known, _) => k_inf::divergence(&[next()], gain - table.mean_reward(pair)),
            (Rewards::Unknown, PairReward::Alone(law)) => {
                k_inf::divergence(&[Law::new(parts(law, low), r_max), next()], gain)
            }
            (Rewards::Unknown, PairReward::Joint(laws)) => {
                let sums = row.iter().zip(laws).flat_map(|((next, p), law)| {
                    let shift = value(next);
                    parts(law, low)
                        .into_iter()
                        .map(move |(q, low, high)| (p * q, low + shift, high + shift))
                });
                k_inf::divergence(&[Law::new(sums, top + r_max)], gain)
            }
        }
    }
}

/// A law of rewards as `(probability, low, high)`, counted from `zero`.
fn parts(law: &RewardLaw, zero: f64) -> Vec<(f64, f64, f64)> {
    match law.outcomes() {
        Some(outcomes) => outcomes.iter().map(|&(x, p)| (p, x - zero, x - zero)).collect(),
        None => {
            let (low, high) = law.bounds();
            vec![(1.0, low - zero, high - zero)]
        }
    }
}

/// Whether every policy visits every state, whatever the start: for every target, every other state has only actions
/// that may lead closer to it. Not to be used after [`Pulse::is_stopped`].
pub(super) fn is_ergodic(mdp: &Mdp, report: &dyn Fn(usize, usize)) -> bool {
    let into = structure::incoming(Table::of(mdp));
    let owner = structure::owners(Table::of(mdp));
    let states = mdp.states();
    unless_stopped(0..states).all(|target| {
        report(target, states);
        all_arrive(mdp, &into, &owner, target)
    })
}

/// Whether every policy reaches the target from everywhere.
fn all_arrive(mdp: &Mdp, into: &Reversed, owner: &[u32], target: usize) -> bool {
    let mut actions_left: Vec<usize> = (0..mdp.states()).map(|state| mdp.actions(state)).collect();
    let mut is_counted = vec![false; mdp.pairs()];
    let (mut open, mut arrived) = (vec![target], 1);
    actions_left[target] = 0;
    while let Some(state) = open.pop() {
        for &pair in into.owners(state) {
            let from = owner[pair as usize] as usize;
            if actions_left[from] == 0 || std::mem::replace(&mut is_counted[pair as usize], true) {
                continue;
            }
            actions_left[from] -= 1;
            if actions_left[from] == 0 {
                arrived += 1;
                open.push(from);
            }
        }
    }
    arrived == mdp.states()
}
