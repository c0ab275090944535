//! What has been seen so far?
//!
//! Visits N_k (frozen at the start of an episode) and nu_k (within it), transition counts and reward
//! moments of every state-action pair (paper, section 3). States get dense numbers in order of
//! first sight and arrays exist for those only, so memory does not depend on the nominal size of
//! the space. Because every next state is either visited later or the present one, the numbered
//! states are exactly the paper's S^C_k at every episode start.
//!
//! Derived numbers (empirical means, deviations, thresholds) are renewed at the end of an episode for
//! the pairs that it touched and no others.
//!
//! Reads `space`; feeds `confidence`, `truncation`, the planners and `episode`. Departures from the
//! paper: none. Reward moments are sums shifted by the first reward instead of Welford's recursion:
//! no division a step, and a constant reward has variance exactly 0.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::space::{ActionId, Space, StateId};

/// Spaces up to this size use a plain table from states to numbers (4 bytes a state).
const DIRECT_LIMIT: u64 = 1 << 22;
const UNNUMBERED: u32 = u32::MAX;

/// Which empirical variance enters the widths; the paper only says "empirical variance".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Variance {
    /// Population variance for transitions, sample variance for rewards (the published code).
    #[default]
    Published,
    /// Sample variance for both, for which the inequality behind the constants is stated.
    Sample,
    /// Population variance for both.
    Population,
}

/// The statistics of one state-action pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PairCounts {
    /// All visits so far.
    pub(crate) visits: u64,
    /// The visits at which the episode must stop: N_k + max(1, N_k).
    pub(crate) stop_at: u64,
    /// The pair is poorly visited at time t iff t is at least this: (N±)² S A.
    pub(crate) poor_from: u64,
    first_reward: f64,
    shifted_sum: f64,
    shifted_squares: f64,
    row: u32,
    row_len: u32,
    row_capacity: u32,
    /// Whether the present episode has visited the pair.
    is_touched: bool,
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

    /// The empirical mean reward at the start of the episode; 0 when there is none.
    #[inline]
    pub fn reward_mean(&self) -> f64 {
        self.reward_mean
    }

    /// The square root of the empirical reward variance over N+.
    #[inline]
    pub fn reward_deviation(&self) -> f64 {
        self.reward_deviation
    }

    /// The sum over observed next states of the square roots of variance over N+.
    #[inline]
    pub fn spread(&self) -> f64 {
        self.spread
    }

    /// How many different next states have been observed.
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

/// Everything that a learner has counted.
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
    /// Rows live in one arena, each with some room to grow; sorted by next state.
    next: Vec<u32>,
    count: Vec<u64>,
    share: Vec<f64>,
    deviation: Vec<f64>,
    touched: Vec<u32>,
}

/// From states to numbers; not stored, because the list of states says the same.
#[derive(Debug, Clone, Default)]
enum Numbering {
    #[default]
    Lost,
    Direct(Vec<u32>),
    Hashed(HashMap<StateId, u32>),
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

/// The observed next states of one pair, at the start of the episode.
#[derive(Debug, Clone, Copy)]
pub struct ObservedRow<'a> {
    /// Dense numbers of the next states, increasing.
    pub next: &'a [u32],
    /// Their empirical probabilities.
    #[doc(alias = "p hat")]
    pub share: &'a [f64],
    /// The square roots of empirical variance over N+.
    pub deviation: &'a [f64],
}

impl Counts {
    /// No counts yet.
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
            share: Vec::new(),
            deviation: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// The space that is being learned.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Says how many actions a state has, before it is first seen; see [`Space::tell_actions`].
    pub fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.space.tell_actions(state, actions);
    }

    /// How many states have been seen.
    #[doc(alias = "S^C_k")]
    pub fn seen(&self) -> usize {
        self.states.len()
    }

    /// How many states have never been seen.
    #[doc(alias = "S^T_k")]
    pub fn unseen(&self) -> u64 {
        self.space.states() - self.states.len() as u64
    }

    /// The state that has a number.
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

    /// The number of a state, which is given one now if it has none.
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
        self.states.push(state);
        self.was_visited.push(false);
        let fresh = PairCounts {
            visits: 0,
            stop_at: 1,
            poor_from: saturating_product(1, self.space.nominal_pairs()),
            first_reward: 0.0,
            shifted_sum: 0.0,
            shifted_squares: 0.0,
            row: 0,
            row_len: 0,
            row_capacity: 0,
            is_touched: false,
            frozen: 0,
            reward_mean: 0.0,
            reward_deviation: 0.0,
            spread: 0.0,
        };
        self.pairs.extend((0..self.space.actions(state)).map(|_| fresh.clone()));
        self.pair_start.push(self.pairs.len() as u32);
        number
    }

    /// The numbers of a seen state's pairs.
    #[inline]
    pub fn pairs_of(&self, number: u32) -> std::ops::Range<usize> {
        self.pair_start[number as usize] as usize..self.pair_start[number as usize + 1] as usize
    }

    /// The number of one pair of a seen state.
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

    /// Whether a seen state had been visited before the present episode.
    #[doc(alias = "N_k(s) > 0")]
    #[inline]
    pub fn was_visited(&self, number: u32) -> bool {
        self.was_visited[number as usize]
    }

    /// What has been observed of a pair's transitions, at the start of the episode.
    #[inline]
    pub fn row(&self, pair: usize) -> ObservedRow<'_> {
        let entries = self.entries(pair);
        ObservedRow {
            next: &self.next[entries.clone()],
            share: &self.share[entries.clone()],
            deviation: &self.deviation[entries],
        }
    }

    /// Where a pair's observed transitions stand in the arena.
    #[inline]
    fn entries(&self, pair: usize) -> std::ops::Range<usize> {
        let counts = &self.pairs[pair];
        counts.row as usize..(counts.row + counts.row_len) as usize
    }

    /// The observed transitions of a pair as `(next state number, count)`, up to now.
    pub fn transitions(&self, pair: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        let entries = self.entries(pair);
        self.next[entries.clone()].iter().copied().zip(self.count[entries].iter().copied())
    }

    /// All visits of a pair up to now.
    pub fn visits(&self, pair: usize) -> u64 {
        self.pairs[pair].visits
    }

    /// Counts one step: `pair` was played, paid `reward` and led to the state numbered `next`.
    #[inline]
    pub fn record(&mut self, pair: usize, reward: f64, next: u32) {
        let counts = &mut self.pairs[pair];
        if counts.visits == 0 {
            counts.first_reward = reward;
        }
        counts.visits += 1;
        let shifted = reward - counts.first_reward;
        counts.shifted_sum += shifted;
        counts.shifted_squares += shifted * shifted;
        if !counts.is_touched {
            counts.is_touched = true;
            self.touched.push(pair as u32);
        }
        let (start, len) = (counts.row as usize, counts.row_len as usize);
        let row = &self.next[start..start + len];
        let place = if len <= 8 {
            row.iter().position(|&known| known >= next).unwrap_or(len)
        } else {
            row.partition_point(|&known| known < next)
        };
        if place < len && row[place] == next {
            self.count[start + place] += 1;
        } else {
            self.insert(pair, place, next);
        }
    }

    #[cold]
    fn insert(&mut self, pair: usize, place: usize, next: u32) {
        let counts = &mut self.pairs[pair];
        let (old, len) = (counts.row as usize, counts.row_len as usize);
        if counts.row_len == counts.row_capacity {
            // Move the row to the end of the arena with twice the room.
            counts.row_capacity = (2 * counts.row_capacity).max(1);
            counts.row = self.next.len() as u32;
            let end = self.next.len() + counts.row_capacity as usize;
            self.next.extend_from_within(old..old + len);
            self.next.resize(end, UNNUMBERED);
            self.count.extend_from_within(old..old + len);
            self.count.resize(end, 0);
            for derived in [&mut self.share, &mut self.deviation] {
                derived.extend_from_within(old..old + len);
                derived.resize(end, 0.0);
            }
        }
        let start = counts.row as usize;
        counts.row_len += 1;
        self.next[start + place..=start + len].rotate_right(1);
        self.next[start + place] = next;
        self.count[start + place..=start + len].rotate_right(1);
        self.count[start + place] = 1;
        // Derived numbers stay with their states until they are renewed.
        for derived in [&mut self.share, &mut self.deviation] {
            derived[start + place..=start + len].rotate_right(1);
            derived[start + place] = 0.0;
        }
    }

    /// Ends an episode: what it counted becomes what is known.
    pub fn freeze(&mut self) {
        let nominal_pairs = self.space.nominal_pairs();
        let mut touched = std::mem::take(&mut self.touched);
        for &pair in &touched {
            let counts = &mut self.pairs[pair as usize];
            counts.is_touched = false;
            counts.frozen = counts.visits;
            counts.stop_at = counts.frozen + counts.visits_at_least_one();
            let less_one = u128::from(counts.visits_less_one());
            counts.poor_from = saturating_product(less_one * less_one, nominal_pairs);
            let visits = counts.frozen as f64;
            let shift = counts.shifted_sum / visits;
            counts.reward_mean = counts.first_reward + shift;
            // Sum of squared deviations from the mean; at one visit every variance is 0.
            let squares = (counts.shifted_squares - shift * counts.shifted_sum).max(0.0);
            let (reward_degrees, share_factor) = match self.variance {
                Variance::Published => ((visits - 1.0).max(1.0), 1.0),
                Variance::Sample => ((visits - 1.0).max(1.0), visits / (visits - 1.0).max(1.0)),
                Variance::Population => (visits, 1.0),
            };
            counts.reward_deviation = (squares / reward_degrees / visits).sqrt();
            let entries = counts.row as usize..(counts.row + counts.row_len) as usize;
            let mut spread = 0.0;
            for entry in entries {
                let share = self.count[entry] as f64 / visits;
                let deviation = (share_factor * share * (1.0 - share) / visits).sqrt();
                self.share[entry] = share;
                self.deviation[entry] = deviation;
                spread += deviation;
            }
            counts.spread = spread;
            let owner = self.owner_number(pair as usize);
            self.was_visited[owner] = true;
        }
        touched.clear();
        self.touched = touched;
    }
}

fn saturating_product(a: u128, b: u128) -> u64 {
    a.checked_mul(b).and_then(|product| u64::try_from(product).ok()).unwrap_or(u64::MAX)
}
