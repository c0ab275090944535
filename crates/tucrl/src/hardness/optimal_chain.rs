//! How fast does an optimal policy travel and mix, and how noisy is what it earns?
//!
//! All on the chain of the policy among the states reachable from the start. Hitting time: the largest expected time
//! from a state to one that is visited forever. Mixing time: the first t at which, from every state, the law of the
//! state is within 1/4 of the stationary one in total variation. Noise: along the policy, regret minus the sum of the
//! gaps is a martingale with the increments r − R + p h − h(S'), up to h at both ends; its variance per step is that of
//! R + h(S') under the stationary law.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::chain::{Chain, TransientSolver};
use crate::error::SolveError;
use crate::graph;
use crate::mdp::Mdp;
use crate::pulse::Pulse;
use crate::reward::{PairReward, RewardLaw};
use crate::solve::Solution;

/// Hitting times to more states than this are left out. Each is a linear system.
const TARGET_LIMIT: usize = 1_000;
/// Powers of larger matrices are left out: one takes a tenth of a second at this size.
const MIXING_LIMIT: usize = 500;
/// Mixing times above 2 to this power are left out: rounding errors double with every squaring.
const SQUARINGS: usize = 40;

/// The chain of an optimal policy among the reachable states, renumbered.
pub(super) struct OptimalChain<'a> {
    mdp: &'a Mdp,
    solution: &'a Solution,
    chain: Chain,
    /// The states of the table.
    states: Vec<u32>,
    classes: Vec<Vec<(u32, f64)>>,
}

impl<'a> OptimalChain<'a> {
    pub(super) fn new(
        mdp: &'a Mdp,
        solution: &'a Solution,
        is_reachable: &[bool],
    ) -> Result<Self, SolveError> {
        let states: Vec<u32> =
            (0..mdp.states() as u32).filter(|&state| is_reachable[state as usize]).collect();
        let mut number = vec![u32::MAX; mdp.states()];
        for (index, &state) in states.iter().enumerate() {
            number[state as usize] = index as u32;
        }
        let played = |state: u32| played_pair(mdp, solution, state as usize);
        let next: Vec<Vec<u32>> = states
            .iter()
            .map(|&state| {
                let row = mdp.row(played(state));
                row.next.iter().map(|&next| number[next as usize]).collect()
            })
            .collect();
        let rows = states.iter().zip(&next).map(|(&state, next)| {
            let pair = played(state);
            (mdp.mean_reward(pair), &next[..], mdp.row(pair).probability)
        });
        let chain = Chain::of_rows(rows);
        let classes = chain.values()?.classes;
        Ok(Self { mdp, solution, chain, states, classes })
    }

    pub(super) fn is_unichain(&self) -> bool {
        self.classes.len() == 1
    }

    /// Which states of the table are visited forever.
    pub(super) fn recurrent(&self) -> Result<Vec<bool>, &'static str> {
        let [class] = &self.classes[..] else { return Err(SEVERAL_CLASSES) };
        let mut is_recurrent = vec![false; self.mdp.states()];
        class.iter().for_each(|entry| is_recurrent[self.states[entry.0 as usize] as usize] = true);
        Ok(is_recurrent)
    }

    /// The largest expected time until the policy is in the most frequent state of a closed class.
    pub(super) fn settling_time(&self) -> Result<f64, SolveError> {
        let heaviest = |class: &Vec<(u32, f64)>| {
            class.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |entry| entry.0)
        };
        self.longest_time(&self.classes.iter().map(heaviest).collect::<Vec<_>>())
    }

    /// The largest expected time from a state to the next target.
    fn longest_time(&self, targets: &[u32]) -> Result<f64, SolveError> {
        let states = self.states.len();
        let others = (0..states as u32).filter(|state| !targets.contains(state));
        let others: Vec<u32> = others.collect();
        if others.is_empty() {
            return Ok(0.0);
        }
        let (rows, leak) = self.chain.restricted(&others, &mut vec![u32::MAX; states]);
        let mut steps = vec![1.0; others.len()];
        TransientSolver::new(rows, leak).solve(&mut steps)?;
        Ok(steps.into_iter().fold(0.0, f64::max))
    }

    /// The largest expected time from a state to one that is visited forever.
    pub(super) fn hitting_time(&self, report: &(dyn Fn(usize, usize) + Sync)) -> Answer<f64> {
        let [class] = &self.classes[..] else { return Ok(Err(SEVERAL_CLASSES)) };
        if class.len() > TARGET_LIMIT || self.states.len() > 10 * TARGET_LIMIT {
            return Ok(Err("it would take long: there are too many states"));
        }
        let done = AtomicUsize::new(0);
        let pulse = Pulse::present();
        let longest = class
            .par_iter()
            .map(|&(target, _)| {
                let time = Pulse::carry(pulse.as_ref(), || self.longest_time(&[target]));
                report(done.fetch_add(1, Ordering::Relaxed) + 1, class.len());
                time
            })
            .try_reduce(|| 0.0, |a, b| Ok(f64::max(a, b)));
        longest.map(Ok)
    }

    /// The mixing time.
    pub(super) fn mixing_time(&self, report: &dyn Fn(usize, usize)) -> Answer<u64> {
        let [class] = &self.classes[..] else { return Ok(Err(SEVERAL_CLASSES)) };
        if self.period(class) > 1 {
            return Ok(Err("the chain of the optimal policy is periodic"));
        }
        let states = self.states.len();
        if states > MIXING_LIMIT {
            return Ok(Err("it would take long: there are too many states"));
        }
        let mut law = vec![0.0; states];
        class.iter().for_each(|&(state, mass)| law[state as usize] = mass);
        let mut step = vec![0.0; states * states];
        for state in 0..states {
            self.chain.row(state).for_each(|(next, p)| step[state * states + next] = p);
        }
        // Powers of two until the chain has mixed; then the largest number of steps after which it has not.
        let mut powers = vec![step];
        while distance(&powers[powers.len() - 1], &law) > 0.25 {
            if Pulse::is_stopped() {
                return Err(SolveError::Interrupted { what: "the mixing time" });
            }
            report(powers.len(), SQUARINGS);
            if powers.len() > SQUARINGS {
                return Ok(Err("it is more than 2^40 steps"));
            }
            powers.push(product(&powers[powers.len() - 1], &powers[powers.len() - 1], states));
        }
        let mut identity = vec![0.0; states * states];
        (0..states).for_each(|state| identity[state * states + state] = 1.0);
        if distance(&identity, &law) <= 0.25 {
            return Ok(Ok(0));
        }
        let (mut unmixed, mut steps) = (identity, 0u64);
        for exponent in (0..powers.len() - 1).rev() {
            if Pulse::is_stopped() {
                return Err(SolveError::Interrupted { what: "the mixing time" });
            }
            let longer = product(&unmixed, &powers[exponent], states);
            if distance(&longer, &law) > 0.25 {
                (unmixed, steps) = (longer, steps + (1 << exponent));
            }
        }
        Ok(Ok(steps + 1))
    }

    /// The greatest common divisor of the lengths of all cycles of a closed class.
    fn period(&self, class: &[(u32, f64)]) -> u64 {
        let mut depth = vec![u64::MAX; self.states.len()];
        let first = class[0].0 as usize;
        depth[first] = 0;
        graph::reachable_from(self.states.len(), [first], |state, visit| {
            for (next, _) in self.chain.row(state) {
                if depth[next] == u64::MAX {
                    depth[next] = depth[state] + 1;
                }
                visit(next);
            }
        });
        let edges = class.iter().flat_map(|&(state, _)| {
            self.chain.row(state as usize).map(move |(next, _)| (state as usize, next))
        });
        edges.fold(0, |divisor, (state, next)| {
            common_divisor(divisor, (depth[state] + 1).abs_diff(depth[next]))
        })
    }

    /// The variance per step of the regret of the policy in the long run.
    pub(super) fn variance(&self) -> Result<f64, &'static str> {
        let [class] = &self.classes[..] else { return Err(SEVERAL_CLASSES) };
        let each = class.iter().map(|&(state, mass)| {
            let pair = played_pair(self.mdp, self.solution, self.states[state as usize] as usize);
            mass * step_variance(self.mdp, pair, &self.solution.bias)
        });
        Ok(each.sum())
    }
}

/// An answer, or why there is none.
pub(super) type Answer<T> = Result<Result<T, &'static str>, SolveError>;

const SEVERAL_CLASSES: &str = "the optimal policy is not unichain";

/// The pair that the optimal policy plays.
fn played_pair(mdp: &Mdp, solution: &Solution, state: usize) -> usize {
    // The solver's policy is deterministic.
    mdp.pair(state, solution.policy.action(state).unwrap_or_default())
}

/// V(p, h): the variance of the bias of the next state.
pub(super) fn bias_variance(mdp: &Mdp, pair: usize, bias: &[f64]) -> f64 {
    let row = mdp.row(pair);
    let mean = row.dot(bias);
    row.iter().map(|(next, p)| p * (bias[next] - mean) * (bias[next] - mean)).sum()
}

/// The variance of R + h(S').
fn step_variance(mdp: &Mdp, pair: usize, bias: &[f64]) -> f64 {
    match mdp.reward(pair) {
        PairReward::Alone(law) => reward_variance(law) + bias_variance(mdp, pair, bias),
        PairReward::Joint(laws) => {
            let row = mdp.row(pair);
            let entries = || row.iter().zip(laws).map(|((next, p), law)| (p, law, bias[next]));
            let mean: f64 = entries().map(|(p, law, h)| p * (law.mean() + h)).sum();
            let variance = |law: &RewardLaw, h: f64| {
                let off = law.mean() + h - mean;
                reward_variance(law) + off * off
            };
            entries().map(|(p, law, h)| p * variance(law, h)).sum()
        }
    }
}

fn reward_variance(law: &RewardLaw) -> f64 {
    let (low, high) = law.bounds();
    match law.outcomes() {
        None => (high - low) * (high - low) / 12.0,
        Some(outcomes) => {
            let mean = law.mean();
            outcomes.iter().map(|&(x, p)| p * (x - mean) * (x - mean)).sum()
        }
    }
}

/// The largest distance in total variation between a row and a law.
fn distance(matrix: &[f64], law: &[f64]) -> f64 {
    let rows = matrix.chunks_exact(law.len());
    let far = |row: &[f64]| row.iter().zip(law).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
    rows.map(far).fold(0.0, f64::max)
}

/// The product of two stochastic matrices; its rows are divided by their sums, so that rounding does not add up.
fn product(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let mut result = vec![0.0; size * size];
    result.par_chunks_exact_mut(size).zip(a.par_chunks_exact(size)).for_each(|(out, row)| {
        for (&weight, other) in row.iter().zip(b.chunks_exact(size)).filter(|pair| *pair.0 > 0.0) {
            out.iter_mut().zip(other).for_each(|(out, p)| *out += weight * p);
        }
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|entry| *entry /= total);
    });
    result
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
