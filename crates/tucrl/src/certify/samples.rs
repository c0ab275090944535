//! Which empirical MDP do samples of every pair make?
//!
//! Every pair gets the same number of samples. If rewards are random, every eighth sample of a pair gives its reward and
//! the others its next states: a reward may depend on the next state, and the theorem behind a certificate needs rewards
//! that do not depend on the estimated laws.

use std::collections::BTreeMap;

use thiserror::Error;

use super::{CertifyError, Terms};
use crate::env;
use crate::mdp::Mdp;
use crate::pulse::unless_stopped;
use crate::reward::RewardRange;
use crate::rng::RandomStream;

/// One sample in this number gives a reward, if rewards are random. Rewards need fewer: their width has no span and no S.
const REWARD_SHARE: u64 = 8;

/// What is known about rewards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewards {
    /// A pair always pays the same, so that one sample tells it.
    Deterministic,
    /// Rewards are random, and may depend on the next state.
    Random,
}

/// Why samples cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A pair without samples.
    #[error(
        "state {state} has no sample of action {action}: every action of every state needs samples"
    )]
    Missing {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// Too few samples to estimate rewards apart from laws.
    #[error(
        "{samples} samples of a pair are too few for random rewards: give at least {REWARD_SHARE}"
    )]
    TooFew {
        /// How many there are.
        samples: u64,
    },
    /// A pair paid two rewards.
    #[error(
        "state {state}, action {action} paid {first} and {second}: say that rewards are random"
    )]
    NotDeterministic {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// The first reward.
        first: f64,
        /// Another one.
        second: f64,
    },
    /// A state, an action or a next state that does not exist.
    #[error("state {state}, action {action}, next state {next}: there is no such state or action")]
    Outside {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// The next state.
        next: usize,
    },
}

/// Samples of pairs, counted; only the first ones of each pair are used.
#[derive(Debug, Clone)]
pub struct Tally {
    /// The pairs of state `s` are `start[s]..start[s + 1]`.
    start: Vec<usize>,
    limit: u64,
    rewards: Rewards,
    pairs: Vec<PairTally>,
}

#[derive(Debug, Clone, Default)]
struct PairTally {
    samples: u64,
    next: BTreeMap<u32, u64>,
    first_reward: f64,
    /// Sum of rewards minus the first one: a constant reward stays exact.
    shifted_sum: f64,
    rewards: u64,
}

impl Tally {
    /// Nothing counted yet. `actions` has the number of actions of each state; `limit` samples of each pair are used.
    pub fn new(actions: impl IntoIterator<Item = usize>, limit: u64, rewards: Rewards) -> Self {
        let mut start = vec![0];
        for actions in actions {
            start.push(start.last().copied().unwrap_or(0) + actions);
        }
        let pairs = vec![PairTally::default(); start.last().copied().unwrap_or(0)];
        Self { start, limit, rewards, pairs }
    }

    /// Counts a sample, unless its pair has enough.
    ///
    /// # Errors
    /// When there is no such pair or next state, or a deterministic reward changes.
    pub fn add(
        &mut self,
        state: usize,
        action: usize,
        reward: f64,
        next: usize,
    ) -> Result<(), SampleError> {
        let outside = SampleError::Outside { state, action, next };
        let states = self.start.len() - 1;
        if state >= states || next >= states {
            return Err(outside);
        }
        let place = self.start[state] + action;
        if place >= self.start[state + 1] {
            return Err(outside);
        }
        let pair = &mut self.pairs[place];
        if pair.samples >= self.limit {
            return Ok(());
        }
        let is_random = self.rewards == Rewards::Random;
        if !is_random || pair.samples.is_multiple_of(REWARD_SHARE) {
            if pair.rewards == 0 {
                pair.first_reward = reward;
            } else if !is_random && reward != pair.first_reward {
                let (first, second) = (pair.first_reward, reward);
                return Err(SampleError::NotDeterministic { state, action, first, second });
            }
            pair.shifted_sum += reward - pair.first_reward;
            pair.rewards += 1;
        }
        if !is_random || !pair.samples.is_multiple_of(REWARD_SHARE) {
            *pair.next.entry(next as u32).or_insert(0) += 1;
        }
        pair.samples += 1;
        Ok(())
    }

    /// The empirical MDP, which starts in its first state, and the terms of a certificate with delta = 0.05; the caller
    /// says whether the data decided the number of samples.
    ///
    /// # Errors
    /// When a pair has fewer samples than the limit, there are too few for rewards, or a reward is out of range.
    pub fn empirical(&self, range: RewardRange) -> Result<(Mdp, Terms), CertifyError> {
        if self.rewards == Rewards::Random && self.limit < REWARD_SHARE {
            return Err(SampleError::TooFew { samples: self.limit }.into());
        }
        let mut builder = Mdp::builder();
        for state in 0..self.start.len() - 1 {
            builder.state();
            for (action, pair) in
                self.pairs[self.start[state]..self.start[state + 1]].iter().enumerate()
            {
                if pair.samples < self.limit || pair.samples == 0 {
                    return Err(SampleError::Missing { state, action }.into());
                }
                let seen: u64 = pair.next.values().sum();
                let mean = pair.first_reward + pair.shifted_sum / pair.rewards as f64;
                // Rounding may put the mean of rewards at an end of the range outside it.
                let mean = mean.clamp(range.low(), range.high());
                let row = pair.next.iter();
                let row = row.map(|(&next, &count)| (next as usize, count as f64 / seen as f64));
                builder.action(mean, row);
            }
        }
        builder.reward_range(range).start_at(0);
        let rewards = self.limit.div_ceil(REWARD_SHARE);
        let terms = Terms {
            samples: if self.rewards == Rewards::Random {
                self.limit - rewards
            } else {
                self.limit
            },
            reward_samples: (self.rewards == Rewards::Random).then_some(rewards),
            delta: 0.05,
            is_size_random: true,
            shrink: 1.0,
        };
        let mdp = builder.build()?;
        Ok((mdp, terms))
    }
}

/// Draws samples of every pair of an MDP: the empirical MDP, and the terms of a certificate.
///
/// # Errors
/// When rewards are said to be deterministic and are not, there are too few samples, or the work is stopped.
pub fn sampled(
    mdp: &Mdp,
    samples: u64,
    rewards: Rewards,
    random: &mut RandomStream,
) -> Result<(Mdp, Terms), CertifyError> {
    let actions = (0..mdp.states()).map(|state| mdp.actions(state));
    let mut tally = Tally::new(actions, samples, rewards);
    for state in unless_stopped(0..mdp.states()) {
        for action in 0..mdp.actions(state) {
            for _ in unless_stopped(0..samples) {
                let step = env::draw(mdp, state, action, random);
                tally.add(state, action, step.paid, step.next as usize)?;
            }
        }
    }
    let (empirical, terms) = tally.empirical(mdp.reward_range())?;
    Ok((empirical, Terms { is_size_random: false, ..terms }))
}
