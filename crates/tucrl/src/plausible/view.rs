//! What does a sweep look at, again and again?
//!
//! The row of a pair without its gaps, and the values with what the search for a best law needs to know about
//! them. Departures from the paper: none.

use crate::inner_max::{BallRow, Ranking, UNSEEN, Values};

/// What every sweep looks at of one pair; a pair never tried has no next states.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    /// The optimistic reward.
    pub(crate) reward: f64,
    pub(super) free: f64,
    pub(super) is_forbidden: bool,
    pub(super) is_wide: bool,
    pub(super) next: &'a [u32],
    pub(super) mass: &'a [f64],
}

impl<'a> Row<'a> {
    /// The value of the mass that does not depend on which states are best: of the observed law in a
    /// ball, of the lower ends in a box.
    #[inline(always)]
    pub(crate) fn fixed_value(&self, view: &View<'_>) -> f64 {
        let values = &view.values.seen[..];
        let row = self.next.iter().zip(self.mass);
        row.fold(0.0, |sum, (&next, mass)| sum + mass * values[next as usize])
    }

    /// The best value in a ball, if the two worst observed states can pay for all that is moved, as they nearly
    /// always can. One pass over the row without a branch that depends on values; where the two stand in the
    /// row seldom changes from sweep to sweep.
    #[inline(always)]
    pub(super) fn value_in_ball(&self, view: &View<'_>, places: &mut [u8; 2]) -> Option<f64> {
        let values = &view.values.seen[..];
        let (mut sum, mut worst, mut second) = (0.0, f64::MAX, f64::MAX);
        for (&next, &mass) in self.next.iter().zip(self.mass) {
            let value = values[next as usize];
            sum += mass * value;
            second = min(second, max(worst, value));
            worst = min(worst, value);
        }
        let stands = |place: u8, value: f64| {
            self.next.get(place as usize).is_some_and(|&next| values[next as usize] == value)
        };
        let is_alone = self.next.len() == 1;
        let stand_both = is_alone
            || stands(places[1], second) && stands(places[0], worst) && places[0] != places[1];
        if !stand_both {
            *places = self.find_two(values, worst, second);
        }
        let taken = min(*self.mass.get(places[0] as usize)?, self.free);
        let left = self.free - taken;
        let also_taken = min(*self.mass.get(places[1] as usize)?, left);
        let top = if self.is_forbidden { view.highest_seen } else { view.highest };
        let bar = if also_taken > 0.0 { second } else { worst };
        (also_taken >= left && bar < top)
            .then_some(sum + self.free * top - taken * worst - also_taken * second)
    }

    /// The best value in a box, if none of its observed states is among the best that it can reach: then states
    /// never seen take what they can, if they are the best of all, and the best of the others each `cap`.
    #[inline(always)]
    pub(super) fn value_in_box(
        &self,
        view: &View<'_>,
        cap: f64,
        unseen_cap: f64,
        reach: u32,
    ) -> Option<f64> {
        let values = &view.values.seen[..];
        let (mut sum, mut highest) = (0.0, f64::MIN);
        for (&next, &mass) in self.next.iter().zip(self.mass) {
            let value = values[next as usize];
            sum += mass * value;
            highest = max(highest, value);
        }
        let mut left = self.free;
        if unseen_cap > 0.0 && left > 0.0 {
            if !view.ranking.puts_unseen_first() {
                return None;
            }
            let taken = min(unseen_cap, left);
            sum += taken * view.values.unseen;
            left -= taken;
        }
        if left <= 0.0 {
            return Some(sum);
        }
        let first_out = view.ranking.ranked(reach.checked_sub(1)?)?;
        let is_apart = highest < values[first_out as usize];
        let full = (left / cap) as u32;
        (is_apart && full < reach).then(|| {
            let rest = max(left - f64::from(full) * cap, 0.0);
            let last = view.ranking.ranked(full).unwrap_or(first_out);
            sum + cap * view.ranking.best_sum(full) + rest * values[last as usize]
        })
    }

    /// Where states of the two smallest values stand in the row; of equals the first.
    #[inline(never)]
    pub(super) fn find_two(&self, values: &[f64], worst: f64, second: f64) -> [u8; 2] {
        let find = |value: f64, but: usize| {
            let mut places = self.next.iter().enumerate();
            places.position(|(place, &next)| place != but && values[next as usize] == value)
        };
        let place = find(worst, usize::MAX).unwrap_or(0);
        [place as u8, find(second, place).unwrap_or(place) as u8]
    }

    #[inline(always)]
    pub(super) fn ball(&self, view: &View<'_>) -> BallRow<'a> {
        let target = view.top_of(self);
        BallRow { next: self.next, share: self.mass, half: self.free, target }
    }
}

/// Values with what the inner maximisation needs to know about them.
pub(crate) struct View<'a> {
    pub(crate) values: &'a Values,
    pub(crate) ranking: &'a Ranking,
    /// The best seen state (ties: lowest number), and the best planned state.
    pub(crate) top_seen: u32,
    pub(crate) top: u32,
    /// The smallest value of a seen state.
    pub(super) lowest: f64,
    /// The largest value of a seen state, and of any planned state.
    pub(super) highest_seen: f64,
    pub(super) highest: f64,
    plans_unseen: bool,
}

impl<'a> View<'a> {
    pub(crate) fn new(values: &'a Values, ranking: &'a Ranking, plans_unseen: bool) -> Self {
        let (lowest, highest) = ends(&values.seen);
        let top_seen = values.seen.iter().position(|&value| value == highest).unwrap_or(0) as u32;
        let unseen_is_best = plans_unseen && values.unseen >= values.seen[top_seen as usize];
        let top = if unseen_is_best { UNSEEN } else { top_seen };
        let highest_seen = values.seen[top_seen as usize];
        let highest = if unseen_is_best { values.unseen } else { highest_seen };
        Self { values, ranking, top_seen, top, lowest, highest_seen, highest, plans_unseen }
    }

    /// The best state that a pair may lead to.
    #[inline]
    pub(super) fn top_of(&self, row: &Row<'_>) -> u32 {
        if row.is_forbidden { self.top_seen } else { self.top }
    }

    #[inline]
    pub(super) fn value(&self, state: u32) -> f64 {
        if state == UNSEEN { self.values.unseen } else { self.values.seen[state as usize] }
    }

    /// Whether all planned states have the value 0.
    pub(crate) fn is_zero(&self) -> bool {
        let is_unseen_zero = !self.plans_unseen || self.values.unseen == 0.0;
        self.lowest == 0.0 && self.highest == 0.0 && is_unseen_zero
    }

    /// The largest value of any planned state.
    #[inline]
    pub(crate) fn best(&self) -> f64 {
        self.highest
    }
}

/// The smaller number, as one instruction.
#[inline(always)]
pub(super) fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger number, as one instruction.
#[inline(always)]
pub(super) fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smallest and the largest value, in a form that compilers turn into vector instructions.
fn ends(values: &[f64]) -> (f64, f64) {
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
