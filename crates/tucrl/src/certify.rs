//! Which gain does a policy certainly have, by samples of every pair?
//!
//! Horizon calibration (Zurek and Chen, COLT 2025, PMLR 291:6156-6209, algorithm 1). With n samples of every pair and
//! alpha = 96 sqrt(ln(24 S A n^5 / delta)) log2(log2(n + 4)), the empirical MDP is solved for every discount with
//! 1 / (1 - gamma) = 2^k in [sqrt(n), n], up to 1/n, and
//!
//! L(gamma) = (1 - gamma) min V - 2 (1 - gamma) / n - alpha sqrt((sp(V) + 3/n + 1) / n).
//!
//! Their theorem 1, for weakly communicating MDPs with known rewards in [0, 1]: with probability 1 - delta the policy of
//! the largest L has a gain of at least max(L, 0) from every state, and L >= g* - 30 alpha^2 sqrt((sp(h*) + 1) / n). The
//! constant 96 is the theory's, which its authors did not optimise (their remark 1): in river-swim L is positive only
//! beyond 10^9 samples of each pair. Formula, horizons and theorem are those of the published paper (its algorithm 1, lemmas
//! 14 to 16). What follows is ours and not in the paper:
//!
//! - S A is the number of pairs, where states have different numbers of actions: the paper's union bound is over pairs.
//! - Where a policy is solved to an error above 1/n, its error takes the place of 1/n, as in the proof of lemma 16.
//! - Each solution is also judged by a second bound, which is positive much earlier. For every h and every policy
//!   the gain is at least min_s r + p h - h(s), and p h >= p̂ h - w/2 (max h over the observed next states - min h) for all
//!   laws with ||p - p̂||_1 <= w = sqrt(2 (S ln 2 + ln(S A / delta)) / n) (Weissman et al. 2003). It plays the action
//!   with the largest such value and needs no assumption on the MDP. The two bounds share delta.
//! - Unknown rewards are estimated from samples that are not used for the laws ([`Tally`]), so that given them the theorem
//!   applies; their Hoeffding width is subtracted.
//! - If the data decide how large n is, delta / (n (n + 1)) is spent on each n.

mod samples;

use std::f64::consts::LN_2;

use thiserror::Error;

use crate::chain::TransientSolver;
use crate::error::{ModelError, SolveError};
use crate::math;
use crate::mdp::Mdp;
use crate::policy::Policy;
use crate::pulse::{Pulse, unless_stopped};

pub use samples::{Rewards, SampleError, Tally, sampled};

/// Rounds of policy iteration for one discount.
const ROUNDS: usize = 1000;

/// What a certificate is based on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Samples of the next state of every pair.
    pub samples: u64,
    /// Samples of the reward of every pair; none if the mean rewards are known exactly.
    pub reward_samples: Option<u64>,
    /// The probability that the certificate is wrong.
    pub delta: f64,
    /// Whether the data decided how many samples there are, as in a log.
    pub is_size_random: bool,
    /// A factor on all widths. Below 1 the bound is an estimate, not a certificate.
    pub shrink: f64,
}

/// Which bound was the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The lowest possible reward: the samples do not show more.
    Trivial,
    /// Horizon calibration.
    Horizon,
    /// The distance of all plausible laws.
    Distance,
}

impl Bound {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Trivial => "trivial",
            Self::Horizon => "horizon",
            Self::Distance => "distance",
        }
    }
}

/// A policy with a lower bound on its gain.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// The policy, by state of the empirical MDP.
    pub policy: Policy,
    /// With probability 1 - delta its gain is at least this from every state, in the units of the rewards.
    pub gain: f64,
    /// Which bound that is.
    pub bound: Bound,
    /// Whether it is a certificate: widths were not shrunk.
    pub is_certified: bool,
    /// The solutions for all discounts, by increasing horizon.
    pub candidates: Vec<Candidate>,
}

/// The solution for one discount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// 1 / (1 - gamma).
    pub horizon: f64,
    /// (1 - gamma) times the smallest value, in the units of the rewards.
    pub estimate: f64,
    /// The span of the values, in the units of the rewards.
    pub span: f64,
    /// The bound by horizon calibration, in the units of the rewards.
    pub by_horizon: f64,
    /// The bound by the distance of laws, in the units of the rewards.
    pub by_distance: f64,
}

/// Why there is no certificate.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CertifyError {
    /// A number is out of range.
    #[error("`{option}` = {value} is out of range: {expected}")]
    Option {
        /// Which one.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// The samples do not make an MDP.
    #[error(transparent)]
    Samples(#[from] SampleError),
    /// The empirical MDP is not one.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A discounted problem could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl Terms {
    fn check(&self) -> Result<(), CertifyError> {
        let refuse =
            |option, value, expected| Err(CertifyError::Option { option, value, expected });
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return refuse("delta", self.delta, "a probability between 0 and 1");
        }
        if !(self.shrink >= 0.0 && self.shrink <= 1.0) {
            return refuse("shrink", self.shrink, "a factor from 0 to 1");
        }
        if self.samples == 0 {
            return refuse("samples", 0.0, "at least one sample of every pair");
        }
        match self.reward_samples {
            Some(0) => refuse("reward_samples", 0.0, "at least one reward of every pair"),
            _ => Ok(()),
        }
    }

    /// ln(1 / delta) of one of the bounds.
    fn level(&self) -> f64 {
        let shares = if self.reward_samples.is_some() { 3.0 } else { 2.0 };
        let samples = self.samples as f64;
        // As if no n but this were possible, or the share of this n; the shares 1 / (n (n + 1)) sum to 1.
        let size =
            if self.is_size_random { math::ln(samples) + math::ln(samples + 1.0) } else { 0.0 };
        math::ln(shares / self.delta) + size
    }

    /// alpha of horizon calibration.
    pub fn alpha(&self, pairs: usize) -> f64 {
        let n = self.samples as f64;
        let log = math::ln(24.0 * pairs as f64) + 5.0 * math::ln(n) + self.level();
        self.shrink * 96.0 * log.sqrt() * math::log2(math::log2(n + 4.0))
    }

    /// The largest plausible distance of a law from its estimate, in l1.
    pub fn distance(&self, states: usize, pairs: usize) -> f64 {
        let log = states as f64 * LN_2 + math::ln(pairs as f64) + self.level();
        self.shrink * (2.0 * log / self.samples as f64).sqrt()
    }

    /// How far a mean reward may lie below its estimate, if the largest reward is 1.
    pub fn reward_width(&self, pairs: usize) -> f64 {
        let Some(samples) = self.reward_samples else { return 0.0 };
        let log = math::ln(pairs as f64) + self.level();
        self.shrink * (log / (2.0 * samples as f64)).sqrt()
    }
}

/// A policy and a lower bound on its gain, by an empirical MDP in which every pair has the same number of samples.
///
/// ```
/// use tucrl::certify::{Rewards, Terms, certify, sampled};
/// use tucrl::{RandomStream, evaluate, worlds::RiverSwim};
/// let world = RiverSwim::default().build()?;
/// let (empirical, counted) = sampled(&world, 100_000, Rewards::Deterministic, &mut RandomStream::new(1))?;
/// let terms = Terms { delta: 0.05, is_size_random: false, shrink: 1.0, ..counted };
/// let certificate = certify(&empirical, &terms)?;
/// let gain = evaluate::policy_values(&world, &certificate.policy)?.gain[0];
/// assert!(0.3 < certificate.gain && certificate.gain <= gain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a term is out of range, or a huge slowly mixing chain does not converge.
pub fn certify(empirical: &Mdp, terms: &Terms) -> Result<Certificate, CertifyError> {
    terms.check()?;
    let (n, r_max) = (terms.samples as f64, empirical.r_max());
    let range = empirical.reward_range();
    let (alpha, distance) =
        (terms.alpha(empirical.pairs()), terms.distance(empirical.states(), empirical.pairs()));
    let reward_width = terms.reward_width(empirical.pairs());
    let mut discounted = Discounted::new(empirical);
    let mut best = (0.0, Bound::Trivial, Policy::deterministic(discounted.policy.iter().copied()));
    let mut candidates = Vec::new();
    let mut horizon = 1.0;
    while horizon < n.sqrt() {
        horizon *= 2.0;
    }
    // With one sample no power of two lies between sqrt(n) and n but 1.
    while horizon <= n {
        let leak = 1.0 / horizon;
        discounted.solve(leak)?;
        let error = discounted.error.max(1.0 / n);
        let (low, span) = (discounted.low, discounted.span());
        let width = alpha * ((span + 3.0 * error + 1.0) / n).sqrt();
        let by_horizon = low - 2.0 * leak * error - width - reward_width;
        let (by_distance, cautious) = discounted.cautious(distance);
        let by_distance = by_distance - reward_width;
        if by_horizon > best.0 {
            let policy = Policy::deterministic(discounted.policy.iter().copied());
            best = (by_horizon, Bound::Horizon, policy);
        }
        if by_distance > best.0 {
            best = (by_distance, Bound::Distance, Policy::deterministic(cautious));
        }
        let own = |value: f64| range.in_own_units(r_max * value);
        candidates.push(Candidate {
            horizon,
            estimate: own(low),
            span: r_max * span,
            by_horizon: own(by_horizon),
            by_distance: own(by_distance),
        });
        if best.1 == Bound::Trivial {
            best.2 = Policy::deterministic(discounted.policy.iter().copied());
        }
        horizon *= 2.0;
    }
    let (gain, bound, policy) = best;
    let gain = range.in_own_units(r_max * gain);
    Ok(Certificate { policy, gain, bound, is_certified: terms.shrink >= 1.0, candidates })
}

/// Discounted values of an MDP with rewards scaled to [0, 1], as V = low / (1 - gamma) + W with min W = 0, so that long
/// horizons lose no digits of W.
struct Discounted<'a> {
    mdp: &'a Mdp,
    rewards: Vec<f64>,
    policy: Vec<usize>,
    /// W.
    values: Vec<f64>,
    /// (1 - gamma) min V.
    low: f64,
    /// How far the values of the policy may lie below the optimal ones.
    error: f64,
}

impl<'a> Discounted<'a> {
    fn new(mdp: &'a Mdp) -> Self {
        let rewards = (0..mdp.pairs()).map(|pair| mdp.mean_reward(pair) / mdp.r_max()).collect();
        let (policy, values) = (vec![0; mdp.states()], vec![0.0; mdp.states()]);
        Self { mdp, rewards, policy, values, low: 0.0, error: f64::INFINITY }
    }

    fn span(&self) -> f64 {
        self.values.iter().fold(0.0, |most: f64, &value| most.max(value))
    }

    /// r + gamma p W - W(s).
    fn advantage(&self, state: usize, pair: usize, leak: f64) -> f64 {
        let here = self.values[state];
        // A difference of values keeps the digits that r + p W - W(s) would lose.
        let flow: f64 =
            self.mdp.row(pair).iter().map(|(next, p)| p * (self.values[next] - here)).sum();
        self.rewards[pair] + (1.0 - leak) * flow - leak * here
    }

    /// Policy iteration, from the policy of the last discount. If it does not end, the error says how good its last
    /// policy is.
    fn solve(&mut self, leak: f64) -> Result<(), SolveError> {
        for _ in unless_stopped(0..ROUNDS) {
            self.low = self.evaluate(leak)?;
            // Smaller advantages are rounding errors.
            let noise = 64.0 * f64::EPSILON * (1.0 + self.span());
            let (mut highest, mut is_better) = (f64::NEG_INFINITY, false);
            let mut improved = self.policy.clone();
            for (state, choice) in improved.iter_mut().enumerate() {
                let pairs = self.mdp.pairs_of(state);
                let mut best = noise + self.advantage(state, pairs.start + *choice, leak);
                for (action, pair) in pairs.enumerate() {
                    let advantage = self.advantage(state, pair, leak);
                    highest = highest.max(advantage);
                    if advantage > best {
                        (best, is_better, *choice) = (advantage, true, action);
                    }
                }
            }
            self.error = (highest - self.low) / leak;
            if !is_better {
                break;
            }
            self.policy = improved;
        }
        match Pulse::is_stopped() {
            true => Err(SolveError::Interrupted { what: "the values of a discounted MDP" }),
            false => Ok(()),
        }
    }

    /// The values of the policy; returns (1 - gamma) times the smallest.
    fn evaluate(&mut self, leak: f64) -> Result<f64, SolveError> {
        let rows = (0..self.mdp.states()).map(|state| {
            let row = self.mdp.row(self.mdp.pair(state, self.policy[state])).iter();
            let others = row.filter(|(next, _)| *next != state);
            others.map(|(next, p)| (next as u32, (1.0 - leak) * p)).collect()
        });
        let solver = TransientSolver::new(rows.collect(), vec![leak; self.mdp.states()]);
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        // The first round solves, the others refine: V - W = (I - gamma P)^-1 (r + gamma P W - W).
        for _ in 0..3 {
            let mut lack = self.advantages(leak);
            let floor = least(&lack);
            lack.iter_mut().for_each(|lack| *lack -= floor);
            solver.solve(&mut lack)?;
            self.values.iter_mut().zip(&lack).for_each(|(value, more)| *value += more);
            let floor = least(&self.values);
            self.values.iter_mut().for_each(|value| *value -= floor);
        }
        Ok(least(&self.advantages(leak)))
    }

    /// The advantages of the policy, by state.
    fn advantages(&self, leak: f64) -> Vec<f64> {
        let of = |state| self.advantage(state, self.mdp.pair(state, self.policy[state]), leak);
        (0..self.mdp.states()).map(of).collect()
    }

    /// The gain that every law within a distance of its estimate leaves to the policy that is greedy for that, and the
    /// policy.
    fn cautious(&self, distance: f64) -> (f64, Vec<usize>) {
        let mut gain = f64::INFINITY;
        let mut policy = Vec::with_capacity(self.mdp.states());
        for state in 0..self.mdp.states() {
            let mut best = (f64::NEG_INFINITY, 0);
            for (action, pair) in self.mdp.pairs_of(state).enumerate() {
                let row = self.mdp.row(pair);
                let most = row.iter().map(|(next, _)| self.values[next]).fold(0.0, f64::max);
                // No more mass than 1 can be moved.
                let lost = 0.5 * distance.min(2.0) * most;
                let value = self.advantage(state, pair, 0.0) - lost;
                if value > best.0 {
                    best = (value, action);
                }
            }
            gain = gain.min(best.0);
            policy.push(best.1);
        }
        (gain, policy)
    }
}

#[cfg(test)]
mod tests;
