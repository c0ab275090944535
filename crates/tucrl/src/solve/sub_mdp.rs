//! How is the Bellman operator applied to an MDP or to a closed part of it?
//!
//! A sub-MDP has some of the states and some of their pairs, none of which leave these states. States
//! are renumbered and rewards may differ. The whole MDP is a sub-MDP that borrows the table. The
//! Bellman operator is L v = max (r + P v) (Puterman 1994, section 8.5). For every v, a constant optimal gain lies
//! between the smallest and the largest entry of L v - v.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::chain::Chain;
use crate::elimination::Banded;
use crate::graph;
use crate::mdp::Mdp;
use crate::structure::Table;

/// Sweeps over this many transitions or more run on the rayon pool, so that the work outweighs waking threads. Not
/// measured, nor is `CHUNK`; the values do not depend on them.
const PARALLEL_FROM: usize = 400_000;
/// States per rayon task.
const CHUNK: usize = 4_096;

/// The smallest and the largest of some numbers.
struct Extremes {
    low: f64,
    high: f64,
}

impl Extremes {
    const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// Comparisons instead of `f64::min` and `f64::max`, which also handle NaN and are slower.
    #[inline]
    fn include(&mut self, number: f64) {
        self.low = if number < self.low { number } else { self.low };
        self.high = if number > self.high { number } else { self.high };
    }
}

/// Replaces the values one after the other by `better(state, values)`; returns the mean change and the
/// difference between the largest and the smallest change.
#[inline]
fn replace_each(values: &mut [f64], better: impl Fn(usize, &[f64]) -> f64) -> (f64, f64) {
    let (mut changes, mut sum) = (Extremes::NONE, 0.0);
    for state in 0..values.len() {
        let value = better(state, values);
        let change = value - values[state];
        values[state] = value;
        sum += change;
        changes.include(change);
    }
    (sum / values.len() as f64, changes.high - changes.low)
}

/// The result of applying the Bellman operator to a value vector.
pub(crate) struct Improvement {
    /// The best pair of each state.
    pub(crate) choice: Vec<u32>,
    /// Certified bounds on a constant optimal gain; the chosen pairs attain the lower one.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The largest rounding error among the increments.
    pub(crate) rounding: f64,
}

/// A closed sub-MDP: rows lead only to its own states.
pub(crate) struct SubMdp<'a> {
    states: Option<Vec<u32>>,
    origin: Option<Vec<u32>>,
    pair_start: Cow<'a, [u32]>,
    row_start: Cow<'a, [usize]>,
    next: Cow<'a, [u32]>,
    probability: Cow<'a, [f64]>,
    reward: Cow<'a, [f64]>,
    longest_row: usize,
}

impl<'a> SubMdp<'a> {
    /// The whole MDP.
    pub(crate) fn whole(mdp: &'a Mdp) -> Self {
        Self {
            states: None,
            origin: None,
            pair_start: Cow::Borrowed(&mdp.pair_start),
            row_start: Cow::Borrowed(&mdp.row_start),
            next: Cow::Borrowed(&mdp.next),
            probability: Cow::Borrowed(&mdp.probability),
            reward: Cow::Borrowed(&mdp.mean_reward),
            longest_row: mdp.max_support(),
        }
    }

    /// The given states with the rewards `reward(state, pair)`. A state keeps the pair `first(state)`, so
    /// that no state is without one, and those that `keeps` accepts; no kept pair may leave the states.
    ///
    /// `local` is scratch with one entry per state of the MDP, reused because there may be as many
    /// sub-MDPs as states.
    pub(crate) fn of(
        mdp: &Mdp,
        states: Vec<u32>,
        local: &mut [u32],
        first: impl Fn(usize) -> usize,
        keeps: impl Fn(usize) -> bool,
        reward: impl Fn(usize, usize) -> f64,
    ) -> SubMdp<'static> {
        for (index, &state) in states.iter().enumerate() {
            local[state as usize] = index as u32;
        }
        let (mut pair_start, mut row_start) = (vec![0u32], vec![0usize]);
        let (mut next, mut probability) = (Vec::new(), Vec::new());
        let (mut rewards, mut origin) = (Vec::new(), Vec::new());
        let mut longest_row = 0;
        for &state in &states {
            let first = first(state as usize);
            let pairs = mdp.pairs_of(state as usize);
            for pair in pairs.filter(|&pair| pair == first || keeps(pair)) {
                let row = mdp.row(pair);
                next.extend(row.next.iter().map(|&target| local[target as usize]));
                probability.extend_from_slice(row.probability);
                row_start.push(next.len());
                rewards.push(reward(state as usize, pair));
                origin.push(pair as u32);
                longest_row = longest_row.max(row.len());
            }
            pair_start.push(origin.len() as u32);
        }
        SubMdp {
            states: Some(states),
            origin: Some(origin),
            pair_start: pair_start.into(),
            row_start: row_start.into(),
            next: next.into(),
            probability: probability.into(),
            reward: rewards.into(),
            longest_row,
        }
    }

    /// The same sub-MDP with `order[i]` as state i. Its states and pairs refer to those of this one.
    pub(crate) fn renumbered(&self, order: &[u32]) -> SubMdp<'static> {
        let mut place = vec![0; self.len()];
        for (index, &state) in order.iter().enumerate() {
            place[state as usize] = index as u32;
        }
        let (pairs, transitions) = (self.reward.len(), self.transitions());
        let mut pair_start = Vec::with_capacity(self.len() + 1);
        let mut row_start = Vec::with_capacity(pairs + 1);
        let (mut next, mut probability) =
            (Vec::with_capacity(transitions), Vec::with_capacity(transitions));
        let (mut reward, mut origin) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
        pair_start.push(0);
        row_start.push(0);
        for &state in order {
            for pair in self.pairs_of(state as usize) {
                let entries = self.row_start[pair]..self.row_start[pair + 1];
                next.extend(self.targets(pair).iter().map(|&target| place[target as usize]));
                probability.extend_from_slice(&self.probability[entries]);
                row_start.push(next.len());
                reward.push(self.reward[pair]);
                origin.push(pair as u32);
            }
            pair_start.push(origin.len() as u32);
        }
        SubMdp {
            states: Some(order.to_vec()),
            origin: Some(origin),
            pair_start: pair_start.into(),
            row_start: row_start.into(),
            next: next.into(),
            probability: probability.into(),
            reward: reward.into(),
            longest_row: self.longest_row,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pair_start.len() - 1
    }

    pub(crate) fn transitions(&self) -> usize {
        self.next.len()
    }

    /// True if sweeps run on the rayon pool.
    fn is_shared(&self) -> bool {
        self.transitions() >= PARALLEL_FROM && rayon::current_num_threads() > 1
    }

    /// The state of the MDP for a state of the sub-MDP.
    pub(crate) fn state(&self, local: usize) -> usize {
        self.states.as_ref().map_or(local, |states| states[local] as usize)
    }

    /// The pair of the MDP for a pair of the sub-MDP.
    pub(crate) fn pair(&self, local: usize) -> usize {
        self.origin.as_ref().map_or(local, |origin| origin[local] as usize)
    }

    /// The pairs of a state.
    #[inline]
    pub(crate) fn pairs_of(&self, local: usize) -> std::ops::Range<usize> {
        self.pair_start[local] as usize..self.pair_start[local + 1] as usize
    }

    /// The possible transitions.
    pub(crate) fn table(&self) -> Table<'_> {
        Table { pair_start: &self.pair_start, row_start: &self.row_start, next: &self.next }
    }

    pub(crate) fn targets(&self, pair: usize) -> &[u32] {
        &self.next[self.row_start[pair]..self.row_start[pair + 1]]
    }

    /// True if states lead only to close neighbours, so that policies are evaluated in linear time.
    pub(crate) fn is_narrow(&self) -> bool {
        let steps = (0..self.len()).flat_map(|state| {
            let targets = self.pairs_of(state).flat_map(|pair| self.targets(pair));
            targets.map(move |&next| (state, next as usize))
        });
        Banded::width_of(self.len(), steps).is_some()
    }

    /// The probability that a pair leads into a set of states.
    pub(crate) fn chance_of(&self, pair: usize, is_inside: &[bool]) -> f64 {
        let entries = self.row_start[pair]..self.row_start[pair + 1];
        let row = self.next[entries.clone()].iter().zip(&self.probability[entries]);
        row.filter(|entry| is_inside[*entry.0 as usize]).map(|entry| entry.1).sum()
    }

    #[inline(always)] // rows are short: a call would cost as much as the sum
    fn expectation(&self, pair: usize, values: &[f64]) -> f64 {
        let entries = self.row_start[pair]..self.row_start[pair + 1];
        let row = self.next[entries.clone()].iter().zip(&self.probability[entries]);
        row.map(|(&next, p)| p * values[next as usize]).sum()
    }

    /// One sweep v <- max r + damping P v + (1 - damping) v into `swept`; returns the smallest and the
    /// largest increment. Entries are computed independently, so the result does not depend on the
    /// number of threads.
    pub(crate) fn sweep(&self, values: &[f64], damping: f64, swept: &mut [f64]) -> (f64, f64) {
        let sweep_chunk = |first: usize, chunk: &mut [f64]| {
            let mut increments = Extremes::NONE;
            for (offset, value) in chunk.iter_mut().enumerate() {
                let state = first + offset;
                let mut best = f64::NEG_INFINITY;
                for pair in self.pairs_of(state) {
                    let worth = self.reward[pair] + damping * self.expectation(pair, values);
                    best = if worth > best { worth } else { best };
                }
                *value = best + (1.0 - damping) * values[state];
                increments.include(*value - values[state]);
            }
            (increments.low, increments.high)
        };
        if !self.is_shared() {
            return sweep_chunk(0, swept);
        }
        swept
            .par_chunks_mut(CHUNK)
            .enumerate()
            .map(|(index, chunk)| sweep_chunk(index * CHUNK, chunk))
            .reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// r + P v of a pair.
    #[inline(always)]
    fn worth(&self, pair: usize, values: &[f64]) -> f64 {
        self.reward[pair] + self.expectation(pair, values)
    }

    /// The smallest and the largest reward.
    pub(crate) fn reward_range(&self) -> (f64, f64) {
        let mut rewards = Extremes::NONE;
        self.reward.iter().for_each(|&reward| rewards.include(reward));
        (rewards.low, rewards.high)
    }

    /// The best reward of each state, which is L 0; returns the smallest and the largest.
    pub(crate) fn best_rewards(&self, best: &mut [f64]) -> (f64, f64) {
        let mut rewards = Extremes::NONE;
        for (state, best) in best.iter_mut().enumerate() {
            *best = self.reward[self.pairs_of(state)].iter().copied().fold(f64::MIN, f64::max);
            rewards.include(*best);
        }
        (rewards.low, rewards.high)
    }

    /// One undamped sweep into `swept` that stores the best pair of each state in `choice`; returns the
    /// smallest and the largest increment.
    pub(crate) fn sweep_choosing(
        &self,
        values: &[f64],
        swept: &mut [f64],
        choice: &mut [u32],
    ) -> (f64, f64) {
        let mut increments = Extremes::NONE;
        for (state, (value, chosen)) in swept.iter_mut().zip(choice).enumerate() {
            let (mut best, mut best_pair) = (f64::NEG_INFINITY, self.pairs_of(state).start);
            for pair in self.pairs_of(state) {
                let worth = self.worth(pair, values);
                (best, best_pair) = if worth > best { (worth, pair) } else { (best, best_pair) };
            }
            (*value, *chosen) = (best, best_pair as u32);
            increments.include(best - values[state]);
        }
        (increments.low, increments.high)
    }

    /// The same, and the sub-MDP of the pairs within `slack` of the best of their state; `choice` holds
    /// its pair numbers.
    pub(crate) fn shortlist(
        &self,
        values: &[f64],
        slack: f64,
        swept: &mut [f64],
        choice: &mut [u32],
    ) -> (SubMdp<'static>, (f64, f64)) {
        let mut increments = Extremes::NONE;
        let mut pair_start = Vec::with_capacity(self.len() + 1);
        let (pairs, transitions) = (self.reward.len(), self.transitions());
        let likely = (self.len() + self.len() / 2).min(pairs);
        let mut row_start = Vec::with_capacity(likely + 1);
        let mut next = Vec::with_capacity(transitions / pairs * likely);
        // The largest possible capacity: unused pages are never mapped, and freeing one large block
        // raises glibc's mmap threshold, so that the other blocks are reused by the next solution.
        let mut probability = Vec::with_capacity(transitions);
        let mut reward: Vec<f64> = Vec::with_capacity(likely);
        let mut origin = Vec::with_capacity(likely);
        pair_start.push(0);
        row_start.push(0);
        let most = (0..self.len()).map(|state| self.pairs_of(state).len()).max().unwrap_or(0);
        let (mut worths, mut kept) = (vec![0.0; most], vec![0; most]);
        for state in 0..self.len() {
            let mut best = f64::NEG_INFINITY;
            for (pair, worth) in self.pairs_of(state).zip(&mut worths) {
                *worth = self.worth(pair, values);
                best = if *worth > best { *worth } else { best };
            }
            swept[state] = best;
            increments.include(best - values[state]);
            // Without branches: which pair is the best is unpredictable.
            let (mut count, mut chosen) = (0, 0);
            for (pair, &worth) in self.pairs_of(state).zip(&worths) {
                kept[count] = pair;
                chosen = if worth == best { count } else { chosen };
                count += usize::from(worth >= best - slack);
            }
            choice[state] = (reward.len() + chosen) as u32;
            for &pair in &kept[..count] {
                let entries = self.row_start[pair]..self.row_start[pair + 1];
                next.extend_from_slice(&self.next[entries.clone()]);
                probability.extend_from_slice(&self.probability[entries]);
                row_start.push(next.len());
                reward.push(self.reward[pair]);
                origin.push(pair as u32);
            }
            pair_start.push(reward.len() as u32);
        }
        let sub = SubMdp {
            states: None,
            origin: Some(origin),
            pair_start: pair_start.into(),
            row_start: row_start.into(),
            next: next.into(),
            probability: probability.into(),
            reward: reward.into(),
            longest_row: self.longest_row,
        };
        (sub, (increments.low, increments.high))
    }

    /// One sweep v <- max r - gain + P v *in place*, in the order of the states; returns the mean change
    /// and the difference between the largest and the smallest change.
    pub(crate) fn sweep_in_place(&self, gain: f64, values: &mut [f64]) -> (f64, f64) {
        replace_each(values, |state, values| {
            let mut best = f64::NEG_INFINITY;
            for pair in self.pairs_of(state) {
                let worth = self.worth(pair, values);
                best = if worth > best { worth } else { best };
            }
            best - gain
        })
    }

    /// The same with one pair per state.
    pub(crate) fn sweep_chosen_in_place(
        &self,
        choice: &[u32],
        gain: f64,
        values: &mut [f64],
    ) -> (f64, f64) {
        replace_each(values, |state, values| self.worth(choice[state] as usize, values) - gain)
    }

    /// One sweep h <- max(0, max r - gain + P h) in place; returns the largest change.
    pub(crate) fn sweep_excess(&self, gain: f64, excess: &mut [f64]) -> f64 {
        let mut largest = 0.0;
        for state in 0..self.len() {
            let mut best = 0.0;
            for pair in self.pairs_of(state) {
                let worth = self.worth(pair, excess) - gain;
                best = if worth > best { worth } else { best };
            }
            let change = best - excess[state];
            largest = if change > largest { change } else { largest };
            excess[state] = best;
        }
        largest
    }

    /// The state, the pair and the reward of the best pair that keeps its state.
    pub(crate) fn best_self_loop(&self) -> Option<(usize, usize, f64)> {
        let loops = (0..self.len()).flat_map(|state| {
            let pairs = self.pairs_of(state);
            let loops = pairs.filter(move |&pair| *self.targets(pair) == [state as u32]);
            loops.map(move |pair| (state, pair, self.reward[pair]))
        });
        loops.reduce(|best, other| if other.2 > best.2 { other } else { best })
    }

    /// The derivative of each value in such a sweep with respect to -gain: 1 plus the expected response
    /// of the states updated before.
    pub(crate) fn response(&self, choice: &[u32], response: &mut [f64]) {
        response.fill(0.0);
        for (state, &pair) in choice.iter().enumerate() {
            response[state] = 1.0 + self.expectation(pair as usize, response);
        }
    }

    /// What such a sweep adds up in each state: the reward plus that of the states updated before.
    pub(crate) fn earned(&self, choice: &[u32], earned: &mut [f64]) {
        earned.fill(0.0);
        for (state, &pair) in choice.iter().enumerate() {
            earned[state] = self.worth(pair as usize, earned);
        }
    }

    /// The states whose old values such a sweep reads, with the probability by which they are reached from
    /// states up to themselves, scaled to sum to one: a rough stationary law of the chain of sweeps.
    pub(crate) fn returns(&self, choice: &[u32]) -> Vec<(u32, f64)> {
        let (mut weight, mut total) = (vec![0.0; self.len()], 0.0);
        for (state, &pair) in choice.iter().enumerate() {
            let entries = self.row_start[pair as usize]..self.row_start[pair as usize + 1];
            for (&next, p) in self.next[entries.clone()].iter().zip(&self.probability[entries]) {
                if next as usize >= state {
                    weight[next as usize] += p;
                    total += p;
                }
            }
        }
        let weights = weight.into_iter().enumerate().filter(|entry| entry.1 > 0.0);
        weights.map(|(state, weight)| (state as u32, weight / total)).collect()
    }

    /// A bound on the rounding error of an increment for values of this size; infinite if they have
    /// overflowed.
    pub(crate) fn rounding(&self, values: &[f64], r_max: f64) -> f64 {
        if !values.iter().all(|value| value.is_finite()) {
            return f64::INFINITY;
        }
        let size = values.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        (2 * self.longest_row + 6) as f64 * f64::EPSILON * (r_max + size)
    }

    /// The increment r + P v - v of a pair, and a bound on its rounding error.
    ///
    /// Summed from differences v(next) - v(state), which are small where values are large and nearly
    /// equal, so that large values cost no digits. With n entries, differences, products and sums are off
    /// by n/2 + 1 ulps of the size.
    pub(crate) fn increment(&self, state: usize, pair: usize, values: &[f64]) -> (f64, f64) {
        let (added, noise, _) = self.bounded_increment(state, pair, values);
        (added, noise)
    }

    /// The same, and a bound for certificates. It also covers a row that sums to one only up to rounding
    /// (`MdpBuilder` accepts n + 2 ulps in a sum that itself is off by n/2) and products that underflow.
    /// Where all values are equal, the increment is the reward, and nothing is rounded.
    fn bounded_increment(&self, state: usize, pair: usize, values: &[f64]) -> (f64, f64, f64) {
        let entries = self.row_start[pair]..self.row_start[pair + 1];
        let mut sum = self.reward[pair];
        let mut size = sum.abs();
        let mut is_flat = true;
        for (&next, p) in self.next[entries.clone()].iter().zip(&self.probability[entries.clone()])
        {
            let difference = values[next as usize] - values[state];
            is_flat &= difference == 0.0;
            let flow = p * difference;
            sum += flow;
            size += flow.abs();
        }
        if !size.is_finite() {
            return (0.0, f64::INFINITY, f64::INFINITY);
        }
        let terms = entries.len() as f64;
        let noise = (terms + 4.0) * f64::EPSILON * size;
        let bound = if is_flat { 0.0 } else { 2.0 * noise + terms * f64::MIN_POSITIVE };
        (sum, noise, bound)
    }

    /// The best pair of each state for `values`, with certified bounds on a constant optimal gain. Keeps
    /// the pair in `current` unless another is better beyond rounding errors.
    pub(crate) fn improve(&self, values: &[f64], current: Option<&[u32]>) -> Improvement {
        let mut choice = Vec::with_capacity(self.len());
        let (mut low, mut high, mut rounding) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for state in 0..self.len() {
            let first = current.map_or(self.pair_start[state], |current| current[state]);
            let at_first = self.bounded_increment(state, first as usize, values);
            let (added, noise, bound) = at_first;
            let (mut chosen, mut bar, mut floor) = (first, added + noise, added - bound);
            for pair in self.pairs_of(state) {
                let (added, noise, bound) = match pair == first as usize {
                    true => at_first,
                    false => self.bounded_increment(state, pair, values),
                };
                high = high.max(added + bound);
                rounding = rounding.max(noise);
                if added - noise > bar {
                    (chosen, bar, floor) = (pair as u32, added, added - bound);
                }
            }
            choice.push(chosen);
            low = low.min(floor);
        }
        Improvement { choice, low, high, rounding }
    }

    /// The states in an order in which most come after those they lead to: as a depth-first search leaves
    /// them.
    pub(crate) fn successors_first(&self) -> Vec<u32> {
        let edges = |state: usize| {
            let pairs = self.pairs_of(state);
            self.row_start[pairs.start]..self.row_start[pairs.end]
        };
        graph::postorder(self.len(), edges, |edge| self.next[edge] as usize)
    }

    /// Improves a policy with the given gain and bias by one sweep in place, in the given order: a state
    /// sees what the states before it have gained. As for a plain improvement, the gain of the new policy
    /// is no smaller: values only grow, so r - g + P v >= v holds for its pairs when the sweep is over.
    pub(crate) fn improve_in_order(
        &self,
        order: &[u32],
        gain: f64,
        bias: &[f64],
        current: &[u32],
    ) -> Vec<u32> {
        let (mut values, mut choice) = (bias.to_vec(), current.to_vec());
        for state in order.iter().map(|&state| state as usize) {
            let (added, noise) = self.increment(state, current[state] as usize, &values);
            let (mut best, mut bar) = (added, added + noise);
            for pair in self.pairs_of(state).filter(|&pair| pair != current[state] as usize) {
                let (added, noise) = self.increment(state, pair, &values);
                if added - noise > bar {
                    (choice[state], best, bar) = (pair as u32, added, added);
                }
            }
            values[state] += (best - gain).max(0.0);
        }
        choice
    }

    /// The Markov chain of the policy that plays one pair in each state.
    pub(crate) fn chain(&self, choice: &[u32]) -> Chain {
        Chain::of_rows(choice.iter().map(|&pair| {
            let entries = self.row_start[pair as usize]..self.row_start[pair as usize + 1];
            let (next, probability) = (&self.next[entries.clone()], &self.probability[entries]);
            (self.reward[pair as usize], next, probability)
        }))
    }
}
