//! Which part of a world is being solved?
//!
//! A part is some states with some of their pairs that never leave them, renumbered, possibly with
//! other rewards. The whole world is a part that borrows the model's own table. The Bellman operator
//! of the paper (section 2) is applied here: L v(s) = max over actions of r + P v, and for every v the
//! optimal gain lies between the smallest and the largest entry of L v - v wherever it is constant.
//!
//! Reads `mdp`, `structure`; feeds `solve`. Departures: none.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::chain::Chain;
use crate::elimination::Banded;
use crate::mdp::Mdp;
use crate::structure::Table;

/// Below this many transitions a sweep is too short to share among threads.
const PARALLEL_FROM: usize = 400_000;
/// States that one thread sweeps at a time.
const CHUNK: usize = 4_096;

/// The smallest and the largest of some numbers.
struct Extremes {
    low: f64,
    high: f64,
}

impl Extremes {
    const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// Plain comparisons: `f64::min` would also care for numbers that are none.
    #[inline]
    fn include(&mut self, number: f64) {
        self.low = if number < self.low { number } else { self.low };
        self.high = if number > self.high { number } else { self.high };
    }
}

/// Replaces the values one after the other by what `better` makes of them all; returns the mean change
/// and how far the changes differ.
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

/// What one look at all pairs says about a value vector.
pub(crate) struct Improvement {
    /// The best pair of each state.
    pub(crate) choice: Vec<u32>,
    /// Certified bounds on the optimal gain; the chosen pairs attain the lower one.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The largest rounding error among the increments.
    pub(crate) rounding: f64,
}

/// A closed sub-model: rows lead only to its own states.
pub(crate) struct Part<'a> {
    states: Option<Vec<u32>>,
    origin: Option<Vec<u32>>,
    pair_start: Cow<'a, [u32]>,
    row_start: Cow<'a, [usize]>,
    next: Cow<'a, [u32]>,
    probability: Cow<'a, [f64]>,
    reward: Cow<'a, [f64]>,
    longest_row: usize,
}

impl<'a> Part<'a> {
    /// All states, all pairs.
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

    /// The given states with the pairs that `keeps` accepts, paid `reward(state, pair)`.
    ///
    /// Each state must keep a pair and no kept pair may leave the states. `local` is scratch with one
    /// entry per state of the model: a model may have as many parts as states.
    pub(crate) fn of(
        mdp: &Mdp,
        states: Vec<u32>,
        local: &mut [u32],
        keeps: impl Fn(usize) -> bool,
        reward: impl Fn(usize, usize) -> f64,
    ) -> Part<'static> {
        for (index, &state) in states.iter().enumerate() {
            local[state as usize] = index as u32;
        }
        let (mut pair_start, mut row_start) = (vec![0u32], vec![0usize]);
        let (mut next, mut probability) = (Vec::new(), Vec::new());
        let (mut rewards, mut origin) = (Vec::new(), Vec::new());
        let mut longest_row = 0;
        for &state in &states {
            for pair in mdp.pairs_of(state as usize).filter(|&pair| keeps(pair)) {
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
        Part {
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

    pub(crate) fn len(&self) -> usize {
        self.pair_start.len() - 1
    }

    pub(crate) fn transitions(&self) -> usize {
        self.next.len()
    }

    /// Whether sweeps are shared among threads.
    fn is_shared(&self) -> bool {
        self.transitions() >= PARALLEL_FROM && rayon::current_num_threads() > 1
    }

    /// The model's number of a state of the part.
    pub(crate) fn state(&self, local: usize) -> usize {
        self.states.as_ref().map_or(local, |states| states[local] as usize)
    }

    /// The model's number of a pair of the part.
    pub(crate) fn pair(&self, local: usize) -> usize {
        self.origin.as_ref().map_or(local, |origin| origin[local] as usize)
    }

    /// The part's pairs of a state of the part.
    #[inline]
    pub(crate) fn pairs_of(&self, local: usize) -> std::ops::Range<usize> {
        self.pair_start[local] as usize..self.pair_start[local + 1] as usize
    }

    /// Where the part's pairs lead.
    pub(crate) fn table(&self) -> Table<'_> {
        Table { pair_start: &self.pair_start, row_start: &self.row_start, next: &self.next }
    }

    pub(crate) fn targets(&self, pair: usize) -> &[u32] {
        &self.next[self.row_start[pair]..self.row_start[pair + 1]]
    }

    /// Whether states lead only to their neighbours, so that evaluating a policy costs next to nothing.
    pub(crate) fn is_narrow(&self) -> bool {
        let steps = (0..self.len()).flat_map(|state| {
            let targets = self.pairs_of(state).flat_map(|pair| self.targets(pair));
            targets.map(move |&next| (state, next as usize))
        });
        Banded::width_of(self.len(), steps).is_some()
    }

    /// The probability that a pair leads into a set.
    pub(crate) fn chance_of(&self, pair: usize, is_inside: &[bool]) -> f64 {
        let entries = self.row_start[pair]..self.row_start[pair + 1];
        let row = self.next[entries.clone()].iter().zip(&self.probability[entries]);
        row.filter(|entry| is_inside[*entry.0 as usize]).map(|entry| entry.1).sum()
    }

    #[inline(always)] // a call costs as much as a row
    fn expectation(&self, pair: usize, values: &[f64]) -> f64 {
        let entries = self.row_start[pair]..self.row_start[pair + 1];
        let row = self.next[entries.clone()].iter().zip(&self.probability[entries]);
        row.map(|(&next, p)| p * values[next as usize]).sum()
    }

    /// One sweep of v -> max r + damping P v + (1 - damping) v into `swept`; returns the smallest
    /// and largest increment. Threads share the work but not the arithmetic: every entry is
    /// computed by itself, so the answer does not depend on their number.
    pub(crate) fn sweep(&self, values: &[f64], damping: f64, swept: &mut [f64]) -> (f64, f64) {
        let sweep_chunk = |first: usize, chunk: &mut [f64]| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for (offset, value) in chunk.iter_mut().enumerate() {
                let state = first + offset;
                let mut best = f64::NEG_INFINITY;
                for pair in self.pairs_of(state) {
                    best = best.max(self.reward[pair] + damping * self.expectation(pair, values));
                }
                *value = best + (1.0 - damping) * values[state];
                let increment = *value - values[state];
                low = low.min(increment);
                high = high.max(increment);
            }
            (low, high)
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

    /// What a pair is worth when the next states are worth `values`.
    #[inline(always)]
    fn worth(&self, pair: usize, values: &[f64]) -> f64 {
        self.reward[pair] + self.expectation(pair, values)
    }

    /// The best reward of each state, which is what one sweep makes of nothing; returns the smallest
    /// and the largest.
    pub(crate) fn best_rewards(&self, best: &mut [f64]) -> (f64, f64) {
        let mut rewards = Extremes::NONE;
        for (state, best) in best.iter_mut().enumerate() {
            *best = self.reward[self.pairs_of(state)].iter().copied().fold(f64::MIN, f64::max);
            rewards.include(*best);
        }
        (rewards.low, rewards.high)
    }

    /// One undamped sweep into `swept` that notes the best pair of each state in `choice`; returns the
    /// smallest and largest increment.
    pub(crate) fn sweep_choosing(
        &self,
        values: &[f64],
        swept: &mut [f64],
        choice: &mut [u32],
    ) -> (f64, f64) {
        let mut increments = Extremes::NONE;
        for (state, (value, chosen)) in swept.iter_mut().zip(choice).enumerate() {
            let (mut best, mut best_pair) = (f64::NEG_INFINITY, 0);
            for pair in self.pairs_of(state) {
                let worth = self.worth(pair, values);
                (best, best_pair) = if worth > best { (worth, pair) } else { (best, best_pair) };
            }
            (*value, *chosen) = (best, best_pair as u32);
            increments.include(best - values[state]);
        }
        (increments.low, increments.high)
    }

    /// The same, and the part with only those pairs that come within `slack` of the best of their
    /// state; `choice` is in its numbers.
    pub(crate) fn shortlist(
        &self,
        values: &[f64],
        slack: f64,
        swept: &mut [f64],
        choice: &mut [u32],
    ) -> (Part<'static>, (f64, f64)) {
        let mut increments = Extremes::NONE;
        let mut pair_start = Vec::with_capacity(self.len() + 1);
        let (pairs, transitions) = (self.reward.len(), self.transitions());
        let likely = (self.len() + self.len() / 2).min(pairs);
        let mut row_start = Vec::with_capacity(likely + 1);
        let mut next = Vec::with_capacity(transitions / pairs * likely);
        // As much as there can be: room that is never used costs nothing, and giving back one large block
        // teaches the allocator to keep the others for the next time.
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
            // Without branches: nobody could guess which pair is the best.
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
        let part = Part {
            states: None,
            origin: Some(origin),
            pair_start: pair_start.into(),
            row_start: row_start.into(),
            next: next.into(),
            probability: probability.into(),
            reward: reward.into(),
            longest_row: self.longest_row,
        };
        (part, (increments.low, increments.high))
    }

    /// One sweep of v -> max r - gain + P v *in place*, in the order of the states; returns the mean
    /// change and how far the changes differ.
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

    /// The same over one pair of each state.
    pub(crate) fn sweep_chosen_in_place(
        &self,
        choice: &[u32],
        gain: f64,
        values: &mut [f64],
    ) -> (f64, f64) {
        replace_each(values, |state, values| self.worth(choice[state] as usize, values) - gain)
    }

    /// By how much each value falls in such a sweep for every unit by which the gain is raised: one,
    /// and what has already fallen before.
    pub(crate) fn response(&self, choice: &[u32], response: &mut [f64]) {
        response.fill(0.0);
        for (state, &pair) in choice.iter().enumerate() {
            response[state] = 1.0 + self.expectation(pair as usize, response);
        }
    }

    /// What rounding can have done to an increment of values of this size: anything, if they have
    /// overflowed.
    pub(crate) fn rounding(&self, values: &[f64], r_max: f64) -> f64 {
        if !values.iter().all(|value| value.is_finite()) {
            return f64::INFINITY;
        }
        let size = values.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        (2 * self.longest_row + 6) as f64 * f64::EPSILON * (r_max + size)
    }

    /// What a pair adds to the value of its state, r + P v - v, and what rounding can have done to it.
    ///
    /// Summed from differences of values, which are small where values are large and alike: a rare
    /// transition to a far better state contributes its share, not the digits that the large values
    /// have lost.
    pub(crate) fn increment(&self, state: usize, pair: usize, values: &[f64]) -> (f64, f64) {
        let entries = self.row_start[pair]..self.row_start[pair + 1];
        let mut sum = self.reward[pair];
        let mut size = sum.abs();
        for (&next, p) in self.next[entries.clone()].iter().zip(&self.probability[entries.clone()])
        {
            let flow = p * (values[next as usize] - values[state]);
            sum += flow;
            size += flow.abs();
        }
        if !size.is_finite() {
            return (0.0, f64::INFINITY);
        }
        (sum, (entries.len() + 4) as f64 * f64::EPSILON * size)
    }

    /// The best pairs for `values`, keeping `current` unless another is better beyond rounding, with
    /// certified bounds on a constant optimal gain.
    pub(crate) fn improve(&self, values: &[f64], current: Option<&[u32]>) -> Improvement {
        let mut choice = Vec::with_capacity(self.len());
        let (mut low, mut high, mut rounding) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for state in 0..self.len() {
            let first = current.map_or(self.pair_start[state], |current| current[state]);
            let (added, noise) = self.increment(state, first as usize, values);
            let (mut chosen, mut bar, mut floor) = (first, added + noise, added - noise);
            for pair in self.pairs_of(state) {
                let is_first = pair == first as usize;
                let (added, noise) =
                    if is_first { (added, noise) } else { self.increment(state, pair, values) };
                high = high.max(added + noise);
                rounding = rounding.max(noise);
                if added - noise > bar {
                    (chosen, bar, floor) = (pair as u32, added, added - noise);
                }
            }
            choice.push(chosen);
            low = low.min(floor);
        }
        Improvement { choice, low, high, rounding }
    }

    /// The chain of playing one pair in each state.
    pub(crate) fn chain(&self, choice: &[u32]) -> Chain {
        Chain::of_rows(choice.iter().map(|&pair| {
            let entries = self.row_start[pair as usize]..self.row_start[pair as usize + 1];
            let (next, probability) = (&self.next[entries.clone()], &self.probability[entries]);
            (self.reward[pair as usize], next, probability)
        }))
    }
}
