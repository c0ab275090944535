//! Which states, transitions and rewards has a learner observed?
//!
//! Visits N_k (at the start of an episode) and nu_k (within it), transition counts and reward moments
//! of every state-action pair (paper, section 3). Seen states get dense numbers in order of first
//! sight, so memory does not depend on the nominal size of the space. Every seen state is either
//! visited later or the present one, so at every episode start the numbered states are the paper's
//! S^C_k.
//!
//! Means, deviations and thresholds are recomputed at the end of an episode, for the pairs that it
//! visited. Reward moments are sums shifted by the first reward: unlike Welford's recursion they need
//! no division per step, and a constant reward has variance exactly 0.
//!
//! Memory limits the number of states: 164 bytes per pair with two next states. Therefore derived
//! fields are not stored, vectors grow by an eighth instead of doubling, a row that moves frees its
//! place for another, and transition counts have 32 bits, with a list of the few that need more.

mod hints;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::hints::Hints;
use crate::space::{ActionId, Space, StateHasher, StateId};

/// Spaces up to this size use an array from states to numbers (at most 16 MB), larger ones a hash map.
const DIRECT_LIMIT: u64 = 1 << 22;
const UNNUMBERED: u32 = u32::MAX;
/// The end of a list of vacant places.
const NOWHERE: u32 = u32::MAX;

/// The empirical variance in the confidence widths; the paper does not say which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variance {
    /// Population variance for transitions, sample variance for rewards, as in the authors' code.
    #[default]
    Published,
    /// Sample variance for both, for which the empirical Bernstein inequality is stated.
    Sample,
    /// Population variance for both.
    Population,
}

/// The statistics of one state-action pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PairCounts {
    /// All visits so far; above `frozen` iff the present episode has visited the pair.
    pub(crate) visits: u64,
    /// (N±)² S A: the pair is under-visited at time t iff t is at least this.
    pub(crate) truncated_before: u64,
    first_reward: f64,
    shifted_sum: f64,
    shifted_squares: f64,
    row: u32,
    /// The capacity of the row is the next power of two.
    row_len: u32,
    frozen: u64,
    reward_mean: f64,
    reward_deviation: f64,
    spread: f64,
}

impl PairCounts {
    /// Visits before the present episode.
    #[doc(alias = "N_k(s,a)")]
    #[inline]
    pub fn visits_before(&self) -> u64 {
        self.frozen
    }

    /// The number of visits that ends the episode: N_k + max(1, N_k).
    #[inline]
    pub(crate) fn stop_at(&self) -> u64 {
        self.frozen + self.visits_at_least_one()
    }

    /// The empirical mean reward at the start of the episode; 0 without visits.
    #[inline]
    pub fn reward_mean(&self) -> f64 {
        self.reward_mean
    }

    /// sqrt(empirical reward variance / N+).
    #[inline]
    pub fn reward_deviation(&self) -> f64 {
        self.reward_deviation
    }

    /// The sum of sqrt(empirical variance / N+) over the observed next states.
    #[inline]
    pub fn spread(&self) -> f64 {
        self.spread
    }

    /// The number of different next states observed.
    #[inline]
    pub fn observed(&self) -> u32 {
        self.row_len
    }

    /// N± = max(1, N - 1).
    #[inline]
    pub fn visits_less_one(&self) -> u64 {
        self.frozen.saturating_sub(1).max(1)
    }

    /// N+ = max(1, N).
    #[inline]
    pub fn visits_at_least_one(&self) -> u64 {
        self.frozen.max(1)
    }
}

/// The observations of a learner.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Counts {
    space: Space,
    variance: Variance,
    #[serde(skip)]
    numbers: Numbering,
    states: Vec<StateId>,
    was_visited: Vec<bool>,
    pair_start: Vec<u32>,
    pairs: Vec<PairCounts>,
    /// The rows of all pairs, each sorted by next state; capacities are powers of two.
    next: Vec<u32>,
    /// The lower 32 bits of the transition counts.
    count: Vec<u32>,
    p_hat: Vec<f64>,
    deviation: Vec<f64>,
    /// The visit of its pair, from 1, that showed a transition for the first time; empty unless it is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    first: Vec<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    keeps_first: bool,
    /// The upper 32 bits of counts above 2^32, as (pair, next state, bits).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    carried: Vec<(u32, u32, u32)>,
    /// Linked lists of vacant places, by the logarithm of their size. An entry is the place freed last;
    /// `next` at a vacant place is the place freed before it.
    #[serde(default)]
    vacant: Vec<u32>,
    touched: Vec<u32>,
    #[serde(skip)]
    hints: Hints,
}

/// The map from states to numbers. Not serialised: rebuilt from the list of states.
#[derive(Debug, Clone, Default)]
enum Numbering {
    #[default]
    Lost,
    Direct(Vec<u32>),
    Hashed(HashMap<StateId, u32, BuildHasherDefault<StateHasher>>),
}

impl Numbering {
    fn of(space: &Space, states: &[StateId]) -> Self {
        let numbered = states.iter().copied().zip(0u32..);
        if space.states() <= DIRECT_LIMIT {
            let mut table = vec![UNNUMBERED; space.states() as usize];
            numbered.for_each(|(state, number)| table[state as usize] = number);
            Self::Direct(table)
        } else {
            Self::Hashed(numbered.collect())
        }
    }
}

/// The observed transitions of a pair at the start of the episode.
#[derive(Debug, Clone, Copy)]
pub struct ObservedRow<'a> {
    /// Dense numbers of the next states, increasing.
    pub next: &'a [u32],
    /// Their empirical probabilities.
    #[doc(alias = "p hat")]
    pub p_hat: &'a [f64],
    /// sqrt(empirical variance / N+).
    pub deviation: &'a [f64],
}

impl Counts {
    /// Counts without observations.
    pub fn new(space: Space, variance: Variance) -> Self {
        Self {
            numbers: Numbering::of(&space, &[]),
            space,
            variance,
            states: Vec::new(),
            was_visited: Vec::new(),
            pair_start: vec![0],
            pairs: Vec::new(),
            next: Vec::new(),
            count: Vec::new(),
            p_hat: Vec::new(),
            deviation: Vec::new(),
            first: Vec::new(),
            keeps_first: false,
            carried: Vec::new(),
            vacant: Vec::new(),
            touched: Vec::new(),
            hints: Hints::default(),
        }
    }

    /// The same, which also keep when each transition was first observed; before anything is recorded.
    #[must_use]
    pub fn keeping_first_visits(mut self) -> Self {
        self.keeps_first = true;
        self
    }

    /// The nominal space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The memory of the counts in bytes, spare capacity included.
    pub fn bytes(&self) -> usize {
        fn of<T>(vec: &Vec<T>) -> usize {
            vec.capacity() * size_of::<T>()
        }
        let numbers = match &self.numbers {
            Numbering::Lost => 0,
            Numbering::Direct(table) => of(table),
            // A slot holds an entry and a control byte; 1/8 of the slots are kept free.
            Numbering::Hashed(map) => map.capacity() * 8 / 7 * (size_of::<(StateId, u32)>() + 1),
        };
        let states = of(&self.states) + of(&self.was_visited) + of(&self.pair_start);
        let rows = of(&self.next) + of(&self.count) + of(&self.p_hat) + of(&self.deviation);
        let rare = of(&self.carried) + of(&self.vacant) + of(&self.first);
        numbers + states + rows + rare + of(&self.pairs) + of(&self.touched) + self.hints.bytes()
    }

    /// Sets the number of actions of a state before it is first seen; see [`Space::tell_actions`].
    pub fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.space.tell_actions(state, actions);
    }

    /// The number of seen states.
    #[doc(alias = "S^C_k")]
    pub fn seen(&self) -> usize {
        self.states.len()
    }

    /// The number of states never seen.
    #[doc(alias = "S^T_k")]
    pub fn unseen(&self) -> u64 {
        self.space.states() - self.states.len() as u64
    }

    /// The state with a number.
    pub fn state(&self, number: u32) -> StateId {
        self.states[number as usize]
    }

    /// The number of a state, if it has been seen.
    pub fn number(&self, state: StateId) -> Option<u32> {
        match &self.numbers {
            Numbering::Direct(table) => {
                table.get(state as usize).copied().filter(|&number| number != UNNUMBERED)
            }
            Numbering::Hashed(map) => map.get(&state).copied(),
            Numbering::Lost => self.states.iter().position(|&s| s == state).map(|n| n as u32),
        }
    }

    /// The number of a state; assigns one at first sight.
    ///
    /// # Panics
    /// When the state is outside the space.
    #[inline]
    pub fn see(&mut self, state: StateId) -> u32 {
        let known = match &self.numbers {
            Numbering::Direct(table) => table[state as usize],
            Numbering::Hashed(map) => map.get(&state).copied().unwrap_or(UNNUMBERED),
            Numbering::Lost => UNNUMBERED,
        };
        if known != UNNUMBERED { known } else { self.give_number(state) }
    }

    #[cold]
    fn give_number(&mut self, state: StateId) -> u32 {
        if matches!(self.numbers, Numbering::Lost) {
            self.numbers = Numbering::of(&self.space, &self.states);
            return self.see(state);
        }
        let number = self.states.len() as u32;
        match &mut self.numbers {
            Numbering::Lost => {}
            Numbering::Direct(table) => table[state as usize] = number,
            Numbering::Hashed(map) => drop(map.insert(state, number)),
        }
        make_room(&mut self.states, 1);
        self.states.push(state);
        make_room(&mut self.was_visited, 1);
        self.was_visited.push(false);
        let fresh = PairCounts {
            visits: 0,
            truncated_before: saturating_product(1, self.space.nominal_pairs()),
            first_reward: 0.0,
            shifted_sum: 0.0,
            shifted_squares: 0.0,
            row: 0,
            row_len: 0,
            frozen: 0,
            reward_mean: 0.0,
            reward_deviation: 0.0,
            spread: 0.0,
        };
        let actions = self.space.actions(state) as usize;
        make_room(&mut self.pairs, actions);
        self.pairs.resize(self.pairs.len() + actions, fresh);
        make_room(&mut self.pair_start, 1);
        self.pair_start.push(index(self.pairs.len()));
        number
    }

    /// The pairs of a seen state.
    #[inline]
    pub fn pairs_of(&self, number: u32) -> std::ops::Range<usize> {
        self.pair_start[number as usize] as usize..self.pair_start[number as usize + 1] as usize
    }

    /// The pair of a seen state and an action.
    #[inline]
    pub fn pair(&self, number: u32, action: ActionId) -> usize {
        (self.pair_start[number as usize] + action) as usize
    }

    /// The state and the action of a pair.
    pub fn owner(&self, pair: usize) -> (StateId, ActionId) {
        let number = self.owner_number(pair);
        (self.states[number], pair as u32 - self.pair_start[number])
    }

    /// The number of a pair's state.
    pub(crate) fn owner_number(&self, pair: usize) -> usize {
        self.pair_start.partition_point(|&start| start as usize <= pair) - 1
    }

    /// The statistics of all pairs of seen states.
    #[inline]
    pub fn pairs(&self) -> &[PairCounts] {
        &self.pairs
    }

    /// True if a seen state was visited before the present episode.
    #[doc(alias = "N_k(s) > 0")]
    #[inline]
    pub fn was_visited(&self, number: u32) -> bool {
        self.was_visited[number as usize]
    }

    /// The observed transitions of a pair at the start of the episode.
    #[inline]
    pub fn row(&self, pair: usize) -> ObservedRow<'_> {
        let entries = self.entries(pair);
        ObservedRow {
            next: &self.next[entries.clone()],
            p_hat: &self.p_hat[entries.clone()],
            deviation: &self.deviation[entries],
        }
    }

    /// The row of a pair, as indices into `next`, `count`, `share` and `deviation`.
    #[inline]
    fn entries(&self, pair: usize) -> std::ops::Range<usize> {
        let counts = &self.pairs[pair];
        counts.row as usize..(counts.row + counts.row_len) as usize
    }

    /// The observed transitions of a pair as `(next state number, count)`, up to now.
    pub fn transitions(&self, pair: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.entries(pair).map(move |entry| (self.next[entry], self.whole_count(pair, entry)))
    }

    /// By observed next state of a pair, in the order of its row: the visit of the pair, from 1, that led there for the
    /// first time. Empty unless it is kept.
    pub fn first_visits(&self, pair: usize) -> &[u64] {
        if self.keeps_first { &self.first[self.entries(pair)] } else { &[] }
    }

    /// The 64-bit count of a transition.
    #[inline]
    fn whole_count(&self, pair: usize, entry: usize) -> u64 {
        let low = u64::from(self.count[entry]);
        let is_it = |carried: &&(u32, u32, u32)| {
            (carried.0 as usize, carried.1) == (pair, self.next[entry])
        };
        let high = self.carried.iter().find(is_it).map_or(0, |carried| carried.2);
        u64::from(high) << 32 | low
    }

    /// All visits of a pair up to now.
    pub fn visits(&self, pair: usize) -> u64 {
        self.pairs[pair].visits
    }

    /// Records one step: `pair` was played, gave `reward` and led to the state numbered `next`.
    #[inline]
    pub fn record(&mut self, pair: usize, reward: f64, next: u32) {
        let counts = &mut self.pairs[pair];
        if counts.visits == 0 {
            counts.first_reward = reward;
        }
        if counts.visits == counts.frozen {
            make_room(&mut self.touched, 1);
            self.touched.push(pair as u32);
        }
        counts.visits += 1;
        let shifted = reward - counts.first_reward;
        counts.shifted_sum += shifted;
        counts.shifted_squares += shifted * shifted;
        let (start, len) = (counts.row as usize, counts.row_len as usize);
        let row = &self.next[start..start + len];
        // Eight next states are half a cache line, which is read in order without a branch that depends on their middle.
        let place = if len <= 8 {
            row.iter().position(|&known| known >= next).unwrap_or(len)
        } else {
            self.hints.place(pair, next, row)
        };
        if place < len && row[place] == next {
            let count = &mut self.count[start + place];
            *count = count.wrapping_add(1);
            if *count == 0 {
                self.carry(pair as u32, next);
            }
        } else {
            self.insert(pair, place, next);
        }
    }

    /// The reward and the next state's number of a pair that has been played in this episode and has always given the
    /// same, and how often [`Counts::record_again`] may count it.
    #[inline]
    pub(crate) fn constant(&self, pair: usize) -> Option<(f64, u32, u32)> {
        let counts = &self.pairs[pair];
        let is_constant = counts.row_len == 1 && counts.shifted_squares == 0.0;
        let place = counts.row as usize;
        (is_constant && counts.visits > counts.frozen)
            .then(|| (counts.first_reward, self.next[place], u32::MAX - self.count[place]))
    }

    /// Records that a [constant](Counts::constant) pair gave the same as ever this many times.
    pub(crate) fn record_again(&mut self, pair: usize, times: u32) {
        let counts = &mut self.pairs[pair];
        counts.visits += u64::from(times);
        self.count[counts.row as usize] += times;
    }

    /// Adds 2^32 to the count of a transition.
    #[cold]
    fn carry(&mut self, pair: u32, next: u32) {
        match self.carried.iter_mut().find(|carried| (carried.0, carried.1) == (pair, next)) {
            Some(carried) => carried.2 += 1,
            None => self.carried.push((pair, next, 1)),
        }
    }

    #[cold]
    fn insert(&mut self, pair: usize, place: usize, next: u32) {
        let (old, len) = (self.pairs[pair].row as usize, self.pairs[pair].row_len as usize);
        let is_full = len == 0 || len.is_power_of_two();
        let start = if is_full { self.place_for((2 * len).max(1)) } else { old };
        if start != old {
            self.next.copy_within(old..old + len, start);
            self.count.copy_within(old..old + len, start);
            self.p_hat.copy_within(old..old + len, start);
            self.deviation.copy_within(old..old + len, start);
        }
        if is_full && len > 0 {
            self.leave(old, len);
        }
        self.pairs[pair].row = index(start);
        self.pairs[pair].row_len += 1;
        if self.keeps_first {
            self.first.resize(self.next.len(), 0);
            if start != old {
                self.first.copy_within(old..old + len, start);
            }
            self.first[start + place..=start + len].rotate_right(1);
            self.first[start + place] = self.pairs[pair].visits;
        }
        self.next[start + place..=start + len].rotate_right(1);
        self.next[start + place] = next;
        self.count[start + place..=start + len].rotate_right(1);
        self.count[start + place] = 1;
        // Derived numbers move with their next state; they are recomputed by `freeze`.
        for derived in [&mut self.p_hat, &mut self.deviation] {
            derived[start + place..=start + len].rotate_right(1);
            derived[start + place] = 0.0;
        }
    }

    /// A place for a row of this size, a power of two: a vacant one, or a new one at the end.
    fn place_for(&mut self, size: usize) -> usize {
        let class = size.trailing_zeros() as usize;
        if let Some(&place) = self.vacant.get(class).filter(|&&place| place != NOWHERE) {
            self.vacant[class] = self.next[place as usize];
            return place as usize;
        }
        let (start, end) = (self.next.len(), self.next.len() + size);
        make_room(&mut self.next, size);
        self.next.resize(end, UNNUMBERED);
        make_room(&mut self.count, size);
        self.count.resize(end, 0);
        for derived in [&mut self.p_hat, &mut self.deviation] {
            make_room(derived, size);
            derived.resize(end, 0.0);
        }
        start
    }

    /// Marks a place as vacant.
    fn leave(&mut self, place: usize, size: usize) {
        let class = size.trailing_zeros() as usize;
        if self.vacant.len() <= class {
            self.vacant.resize(class + 1, NOWHERE);
        }
        self.next[place] = std::mem::replace(&mut self.vacant[class], index(place));
    }

    /// Ends an episode: sets N_k to the present visits and recomputes derived numbers.
    pub fn freeze(&mut self) {
        let nominal_pairs = self.space.nominal_pairs();
        let mut touched = std::mem::take(&mut self.touched);
        for &pair in &touched {
            let counts = &mut self.pairs[pair as usize];
            counts.frozen = counts.visits;
            let less_one = u128::from(counts.visits_less_one());
            counts.truncated_before = saturating_product(less_one * less_one, nominal_pairs);
            let visits = counts.frozen as f64;
            let shift = counts.shifted_sum / visits;
            counts.reward_mean = counts.first_reward + shift;
            // The sum of squared deviations from the mean; 0 after one visit.
            let squares = (counts.shifted_squares - shift * counts.shifted_sum).max(0.0);
            let (reward_degrees, variance_factor) = match self.variance {
                Variance::Published => ((visits - 1.0).max(1.0), 1.0),
                Variance::Sample => ((visits - 1.0).max(1.0), visits / (visits - 1.0).max(1.0)),
                Variance::Population => (visits, 1.0),
            };
            counts.reward_deviation = (squares / reward_degrees / visits).sqrt();
            let entries = counts.row as usize..(counts.row + counts.row_len) as usize;
            let mut spread = 0.0;
            for entry in entries {
                let p_hat = self.whole_count(pair as usize, entry) as f64 / visits;
                let deviation = (variance_factor * p_hat * (1.0 - p_hat) / visits).sqrt();
                self.p_hat[entry] = p_hat;
                self.deviation[entry] = deviation;
                spread += deviation;
            }
            self.pairs[pair as usize].spread = spread;
            let owner = self.owner_number(pair as usize);
            self.was_visited[owner] = true;
        }
        touched.clear();
        self.touched = touched;
    }
}

/// Reserves room for more elements, at least an eighth of the length. Doubling would leave up to half
/// of the memory unused. The extra moves are cheap: the allocator remaps large blocks without copying. Four at least, so that
/// the first few elements do not move each time.
#[inline]
fn make_room<T>(vec: &mut Vec<T>, more: usize) {
    if vec.capacity() - vec.len() < more {
        vec.reserve_exact(more.max(vec.len() / 8).max(4));
    }
}

/// A 32-bit index of a pair or a transition.
///
/// # Panics
/// When it does not fit, which takes hundreds of gigabytes of counts.
fn index(number: usize) -> u32 {
    match u32::try_from(number) {
        Ok(number) if number != NOWHERE => number,
        _ => panic!("a learner keeps at most 4294967294 pairs and transitions"),
    }
}

fn saturating_product(a: u128, b: u128) -> u64 {
    a.checked_mul(b).and_then(|product| u64::try_from(product).ok()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
