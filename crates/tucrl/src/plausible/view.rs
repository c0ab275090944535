//! What does every sweep read: the row of a pair, and the values with their extremes?

use crate::inner_max::{Ranking, UNSEEN, Values};

/// The row of one pair; a pair never tried has no next states.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The optimistic reward.
    pub reward: f64,
    /// Mass that is free to go to the best states. L1 ball: half the radius. Box: one minus the lower ends.
    pub free: f64,
    /// The pair may not lead to states never seen.
    pub is_forbidden: bool,
    /// The set may contain a point mass, so that quick paths do not apply.
    pub is_wide: bool,
    /// The observed next states, increasing.
    pub next: &'a [u32],
    /// Their mass that does not depend on values.
    pub mass: &'a [f64],
}

impl Row<'_> {
    /// The value of the row's masses.
    #[inline(always)]
    pub fn fixed_value(&self, view: &View<'_>) -> f64 {
        let values = &view.values.seen[..];
        let row = self.next.iter().zip(self.mass);
        row.fold(0.0, |sum, (&next, mass)| sum + mass * values[next as usize])
    }
}

/// Values with what the inner maximisation needs to know about them.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The values.
    pub values: &'a Values,
    /// Their ranking, as far as the shape needs it.
    pub ranking: &'a Ranking,
    /// The best seen state (ties: lowest number), and the best planned state.
    pub(crate) top_seen: u32,
    pub(crate) top: u32,
    /// The smallest value of a seen state.
    pub(crate) lowest: f64,
    /// The largest value of a seen state, and of any planned state.
    pub(crate) highest_seen: f64,
    pub(crate) highest: f64,
    plans_unseen: bool,
}

impl<'a> View<'a> {
    pub(crate) fn new(values: &'a Values, ranking: &'a Ranking, plans_unseen: bool) -> Self {
        let (lowest, highest) = slice_min_max(&values.seen);
        let top_seen = values.seen.iter().position(|&value| value == highest).unwrap_or(0) as u32;
        let unseen_is_best = plans_unseen && values.unseen >= values.seen[top_seen as usize];
        let top = if unseen_is_best { UNSEEN } else { top_seen };
        let highest_seen = values.seen[top_seen as usize];
        let highest = if unseen_is_best { values.unseen } else { highest_seen };
        Self { values, ranking, top_seen, top, lowest, highest_seen, highest, plans_unseen }
    }

    /// The best state that a pair may lead to.
    #[inline]
    pub fn top_of(&self, row: &Row<'_>) -> u32 {
        if row.is_forbidden { self.top_seen } else { self.top }
    }

    /// The value of a state, or of [`UNSEEN`].
    #[inline]
    pub fn value(&self, state: u32) -> f64 {
        if state == UNSEEN { self.values.unseen } else { self.values.seen[state as usize] }
    }

    /// Whether states never seen are planned on.
    #[inline]
    pub(crate) fn plans_unseen(&self) -> bool {
        self.plans_unseen
    }

    /// Whether all planned states have the value 0.
    pub(crate) fn is_zero(&self) -> bool {
        let is_unseen_zero = !self.plans_unseen || self.values.unseen == 0.0;
        self.lowest == 0.0 && self.highest == 0.0 && is_unseen_zero
    }

    /// The largest value of any planned state.
    #[inline]
    pub fn best(&self) -> f64 {
        self.highest
    }
}

/// The smaller number, as one instruction.
#[inline(always)]
pub(crate) fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger number, as one instruction.
#[inline(always)]
pub(crate) fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smallest and the largest value, in a form that compilers turn into vector instructions.
pub(crate) fn slice_min_max(values: &[f64]) -> (f64, f64) {
    const LANES: usize = 8;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &value) in chunk.iter().enumerate() {
            low[lane] = if value < low[lane] { value } else { low[lane] };
            high[lane] = if value > high[lane] { value } else { high[lane] };
        }
    }
    let all = |lanes: [f64; LANES]| lanes.into_iter().chain(rest.iter().copied());
    (all(low).fold(f64::INFINITY, f64::min), all(high).fold(f64::NEG_INFINITY, f64::max))
}
