//! How is a large optimal-stopping problem solved?
//!
//! v = max(stop, b + Q v) for problems without end components, by sweeps in place over a compact copy of the rows. The
//! states are in the order in which a depth-first search leaves them, so that a state comes after most of those it
//! leads to: one sweep carries values along whole paths. A model of zeroconf with 213268 states in one strongly
//! connected component takes 17 sweeps; in the order of its file 399.
//!
//! The solution is unique, and the sweeps contract towards it in some weighted norm, from any values. Whether they
//! have converged is for a certificate to say: the sweeps stop when a sweep changes little, and they give up when the
//! trend says that they would take too long.

use crate::math;
use crate::pulse::Pulse;

/// The trend is judged after this many sweeps.
const TREND: u32 = 16;
/// Entries that sweeps over all moves may read before they give up: about a second, with the sweeps in between.
const BUDGET: f64 = 3e8;
/// Changes of this number of ulps are rounding, too, where they do not become smaller.
const STUCK: f64 = 256.0;
/// Sweeps over all moves before sweeps over one move per state come in between, and how many of those. With 0 and 0
/// coin4 takes three times as long.
const FULL_AT_FIRST: u32 = 8;
const CHOSEN: u32 = 7;
/// The error is extrapolated where a sweep shrinks the changes by less than this.
const SLOW: f64 = 0.7;
/// Only where that factor has changed by no more than this share of its distance from 1: else the error is no multiple.
const STEADY: f64 = 0.1;
/// The choice of stopping.
const STOP: u32 = u32::MAX;
/// A change of this number of ulps of the largest value is rounding.
const ULPS: f64 = 4.0;

/// An optimal-stopping problem. Vectors have one entry per state.
pub(super) struct Stopping {
    /// What stopping is worth; negative infinity where it is impossible.
    stop: Vec<f64>,
    /// The moves of state i are `move_start[i]..move_start[i + 1]`.
    move_start: Vec<u32>,
    /// The expected worth of what a move leads to outside, and the caller's number of the move.
    fixed: Vec<f64>,
    origin: Vec<u32>,
    /// The entries of move m are `row_start[m]..row_start[m + 1]`.
    row_start: Vec<u32>,
    next: Vec<u32>,
    weight: Vec<f64>,
}

/// How sweeps have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// A sweep changes no value by more than was asked for.
    Converged,
    /// A sweep changes values by rounding errors only.
    Rounding,
    /// It would take more rounds than were asked for.
    Unfinished,
    /// It would take too long, or a stop was asked for.
    TooSlow,
}

impl Stopping {
    pub(super) fn with_capacity(states: usize) -> Self {
        let mut empty = Self {
            stop: Vec::with_capacity(states),
            move_start: Vec::with_capacity(states + 1),
            fixed: Vec::with_capacity(states),
            origin: Vec::with_capacity(states),
            row_start: Vec::with_capacity(states + 1),
            next: Vec::with_capacity(2 * states),
            weight: Vec::with_capacity(2 * states),
        };
        empty.move_start.push(0);
        empty.row_start.push(0);
        empty
    }

    /// Adds an entry to the move that [`Stopping::close_move`] ends.
    pub(super) fn entry(&mut self, next: u32, weight: f64) {
        self.next.push(next);
        self.weight.push(weight);
    }

    /// Ends a move of the state that [`Stopping::close_state`] ends.
    pub(super) fn close_move(&mut self, fixed: f64, origin: usize) {
        self.fixed.push(fixed);
        self.origin.push(origin as u32);
        self.row_start.push(self.next.len() as u32);
    }

    pub(super) fn close_state(&mut self, stop: Option<f64>) {
        self.stop.push(stop.unwrap_or(f64::NEG_INFINITY));
        self.move_start.push(self.fixed.len() as u32);
    }

    fn len(&self) -> usize {
        self.stop.len()
    }

    #[inline(always)] // as short as a call
    fn moves(&self, state: usize) -> std::ops::Range<usize> {
        self.move_start[state] as usize..self.move_start[state + 1] as usize
    }

    #[inline(always)]
    fn worth(&self, made: usize, values: &[f64]) -> f64 {
        let entries = self.row_start[made] as usize..self.row_start[made + 1] as usize;
        let row = self.next[entries.clone()].iter().zip(&self.weight[entries]);
        row.fold(self.fixed[made], |sum, (&next, weight)| sum + weight * values[next as usize])
    }

    /// One sweep in place over all moves that stores the best one of each state; returns the largest change and the
    /// largest value.
    fn sweep(&self, values: &mut [f64], chosen: &mut [u32]) -> (f64, f64) {
        let (mut change, mut scale) = (0.0, 0.0);
        for state in 0..self.len() {
            let (mut best, mut best_move) = (self.stop[state], STOP);
            for made in self.moves(state) {
                let worth = self.worth(made, values);
                (best, best_move) =
                    if worth > best { (worth, made as u32) } else { (best, best_move) };
            }
            let moved = (best - values[state]).abs();
            change = if moved > change { moved } else { change };
            scale = if best.abs() > scale { best.abs() } else { scale };
            (values[state], chosen[state]) = (best, best_move);
        }
        (change, scale)
    }

    /// One sweep in place over one move per state; returns the largest change.
    fn sweep_chosen(&self, values: &mut [f64], chosen: &[u32]) -> f64 {
        let mut change = 0.0;
        for (state, &made) in chosen.iter().enumerate() {
            if made == STOP {
                continue;
            }
            let worth = self.worth(made as usize, values);
            let moved = (worth - values[state]).abs();
            change = if moved > change { moved } else { change };
            values[state] = worth;
        }
        change
    }

    /// Sweeps until a sweep over all moves changes no value by more than `enough`. In between, sweeps read one move
    /// per state (modified policy iteration, Puterman and Shin 1978). Where they converge slowly, the error is nearly
    /// a multiple of the last change, and that multiple is added (Aitken's extrapolation).
    ///
    /// `is_near` says that the values are not far from the solution; `quota` is the number of sweeps over all moves after
    /// which to stop if at least as many are to come.
    pub(super) fn iterate(
        &self,
        values: &mut [f64],
        enough: f64,
        is_near: bool,
        quota: u32,
    ) -> Ending {
        let allowed = BUDGET / (self.next.len() + 4 * self.fixed.len() + 1) as f64;
        let (mut rounds, mut earlier) = (0u32, f64::INFINITY);
        let mut chosen = vec![STOP; self.len()];
        let mut before = Vec::new();
        loop {
            let (change, scale) = self.sweep(values, &mut chosen);
            rounds += 1;
            if change <= enough {
                return Ending::Converged;
            }
            if change <= ULPS * f64::EPSILON * scale {
                return Ending::Rounding;
            }
            if rounds % TREND == 0 {
                if change > 0.5 * earlier && change <= STUCK * f64::EPSILON * scale {
                    return Ending::Rounding;
                }
                let decay = math::ln(earlier / change) / f64::from(TREND);
                let goal = enough.max(ULPS * f64::EPSILON * scale);
                let needed = math::ln(change / goal) / decay;
                // At first, news from far away may be under way, and the trend says nothing.
                let will_do = f64::from(rounds) < 0.1 * allowed
                    || (decay > 0.0 && f64::from(rounds) + needed < allowed);
                if !will_do || !change.is_finite() || Pulse::is_stopped() {
                    return Ending::TooSlow;
                }
                if rounds >= quota && (decay <= 0.0 || needed > f64::from(quota)) {
                    return Ending::Unfinished;
                }
                earlier = change;
            }
            if rounds < FULL_AT_FIRST && !is_near {
                continue;
            }
            let (mut last, mut rate, mut is_steady) = (0.0, 0.0, false);
            for sweep in 0..CHOSEN {
                if sweep + 1 == CHOSEN {
                    before.clear();
                    before.extend_from_slice(values);
                }
                let change = self.sweep_chosen(values, &chosen);
                if change <= 0.1 * enough {
                    last = 0.0;
                    break;
                }
                is_steady = (change / last - rate).abs() <= STEADY * (1.0 - rate);
                (last, rate) = (change, change / last);
            }
            if last > 0.0 && is_steady && rate > SLOW && rate < 1.0 {
                let ahead = rate / (1.0 - rate);
                values.iter_mut().zip(&before).for_each(|(now, old)| *now += ahead * (*now - old));
            }
        }
    }

    /// The number of moves to the end of moves that lose no more than `loss` against the values: the largest
    /// expected number is the solution of the problem returned.
    pub(super) fn counting(&self, values: &[f64], loss: f64) -> Self {
        let mut count = Self::with_capacity(self.len());
        for state in 0..self.len() {
            for made in self.moves(state) {
                if self.worth(made, values) >= values[state] - loss {
                    let entries = self.row_start[made] as usize..self.row_start[made + 1] as usize;
                    count.next.extend_from_slice(&self.next[entries.clone()]);
                    count.weight.extend_from_slice(&self.weight[entries]);
                    count.close_move(1.0, self.origin[made] as usize);
                }
            }
            count.close_state((self.stop[state] > f64::NEG_INFINITY).then_some(0.0));
        }
        count
    }

    /// The caller's number of the best move of each state; `None` to stop.
    pub(super) fn best_moves(&self, values: &[f64]) -> Vec<Option<usize>> {
        let best_move = |state: usize| {
            let (mut best, mut chosen) = (self.stop[state], None);
            for made in self.moves(state) {
                let worth = self.worth(made, values);
                if worth > best || (chosen.is_none() && best == f64::NEG_INFINITY) {
                    (best, chosen) = (worth, Some(self.origin[made] as usize));
                }
            }
            chosen
        };
        (0..self.len()).map(best_move).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk on 0..=n that may stop anywhere: the value of stopping is convex, so stopping at the ends is best, and
    /// the value is the straight line between them.
    #[test]
    fn a_fair_walk_stops_at_the_ends_of_a_convex_reward() {
        let n = 40;
        let mut problem = Stopping::with_capacity(n);
        for state in 1..n as u32 {
            let at = f64::from(state) / n as f64;
            let mut fixed = 0.0;
            for next in [state - 1, state + 1] {
                match next {
                    0 => {}
                    next if next == n as u32 => fixed += 0.5,
                    next => problem.entry(next - 1, 0.5),
                }
            }
            problem.close_move(fixed, 7 + state as usize);
            problem.close_state(Some(at * at));
        }
        let mut values = vec![0.0; n - 1];
        assert_eq!(problem.iterate(&mut values, 1e-15, false, u32::MAX), Ending::Converged);
        for (index, value) in values.iter().enumerate() {
            let expected = (index + 1) as f64 / n as f64;
            assert!((value - expected).abs() < 1e-11, "{index}: {value}");
        }
        let moves: Vec<Option<usize>> = (8..7 + n).map(Some).collect();
        assert_eq!(problem.best_moves(&values), moves);
    }

    /// A fair walk of n steps takes about n² sweeps.
    #[test]
    fn a_long_walk_is_unfinished_after_a_quota() {
        let n = 2_000u32;
        let mut problem = Stopping::with_capacity(n as usize);
        for state in 0..n {
            let mut fixed = 0.0;
            for next in [state.checked_sub(1), Some(state + 1)].into_iter().flatten() {
                match next < n {
                    true => problem.entry(next, 0.5),
                    false => fixed += 0.5,
                }
            }
            problem.close_move(fixed, 0);
            problem.close_state(None);
        }
        let mut values = vec![0.0; n as usize];
        assert_eq!(problem.iterate(&mut values, 1e-15, false, 32), Ending::Unfinished);
    }
}
