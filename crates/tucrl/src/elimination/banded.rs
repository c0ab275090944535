//! How are states eliminated that lead only to close neighbours?
//!
//! In the order of their numbers, without subtraction as in `elimination`. If no transition goes
//! further than `width` states, fill stays within that band, and one table of n (2 width + 1) entries
//! holds the factors. RiverSwim, queues and other walks on a line take linear time and memory.

use super::{EliminationError, SparseRow};
use crate::pulse::Pulse;

/// The largest width for which the band is used. `solve` without bands takes +382 % on river-swim with 1000 states and
/// +47 % on a walk over 1000 states with steps of up to 8. With a limit of 32, walks with steps of up to 12, 16 and 24 take
/// -30 %, -45 % and -45 %, but grids of 20 and 30 columns +108 % and +254 %. (Instructions, callgrind.)
const WIDTH_LIMIT: usize = 8;
/// The smallest number of states for which the band is used. `solve` with 25 takes -75 % on river-swim with 40 states, with
/// 100 +316 % on that with 75 (instructions, callgrind). 50 stays because 25 changes the last digits of gains.
const LEAST_STATES: usize = 50;

/// The factors row by row: flows right of the diagonal, shares left of it, the outflow on it.
#[derive(Debug, Clone)]
pub(crate) struct Banded {
    states: usize,
    width: usize,
    table: Vec<f64>,
}

impl Banded {
    /// The longest distance of a transition `(from, to)`; `None` if this method does not apply.
    pub(crate) fn width_of(
        states: usize,
        steps: impl Iterator<Item = (usize, usize)>,
    ) -> Option<usize> {
        if states < LEAST_STATES {
            return None;
        }
        let mut width = 0;
        for (from, to) in steps {
            width = width.max(from.abs_diff(to));
            if width > WIDTH_LIMIT {
                return None;
            }
        }
        Some(width)
    }

    /// Eliminates all states; arguments as for `Elimination::new`.
    pub(crate) fn new(
        rows: &[SparseRow],
        width: usize,
        mut leak: Vec<f64>,
    ) -> Result<Self, EliminationError> {
        let states = rows.len();
        let mut factors = Self { states, width, table: vec![0.0; states * (2 * width + 1)] };
        for (i, row) in rows.iter().enumerate() {
            for &(j, q) in row.iter().filter(|entry| entry.0 as usize != i) {
                let place = factors.place(i, j as usize);
                factors.table[place] += q;
            }
        }
        for k in 0..states {
            if k % 1024 == 0 && Pulse::is_stopped() {
                return Err(EliminationError::TooMuchFill);
            }
            let outflow = leak[k] + factors.right(k).iter().sum::<f64>();
            if outflow <= 0.0 {
                return Err(EliminationError::NoWayOut);
            }
            let diagonal = factors.place(k, k);
            factors.table[diagonal] = outflow;
            let reach = factors.right(k).len();
            for i in k + 1..=k + reach {
                let place = factors.place(i, k);
                if factors.table[place] == 0.0 {
                    continue;
                }
                let share = factors.table[place] / outflow;
                factors.table[place] = share;
                leak[i] += share * leak[k];
                // Row k is stored before row i; its flows are added right of the share.
                let (above, below) = factors.table.split_at_mut(place + 1);
                let flows = &above[diagonal + 1..=diagonal + reach];
                below.iter_mut().zip(flows).for_each(|(q, flow)| *q += share * flow);
            }
        }
        Ok(factors)
    }

    fn place(&self, i: usize, j: usize) -> usize {
        i * (2 * self.width + 1) + self.width + j - i
    }

    /// Row i right of the diagonal.
    fn right(&self, i: usize) -> &[f64] {
        let diagonal = self.place(i, i);
        &self.table[diagonal + 1..=diagonal + self.width.min(self.states - 1 - i)]
    }

    /// Row i left of the diagonal.
    fn left(&self, i: usize) -> &[f64] {
        let diagonal = self.place(i, i);
        &self.table[diagonal - self.width.min(i)..diagonal]
    }

    fn outflow(&self, i: usize) -> f64 {
        self.table[self.place(i, i)]
    }

    /// Solves x = b + Q x; overwrites b with x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        for i in 0..self.states {
            let shares = self.left(i);
            x[i] += dot(shares, &x[i - shares.len()..i]);
        }
        for i in (0..self.states).rev() {
            let flows = self.right(i);
            x[i] = (x[i] + dot(flows, &x[i + 1..=i + flows.len()])) / self.outflow(i);
        }
    }

    /// Solves y = c + y Q; overwrites c with y.
    pub(crate) fn solve_transposed(&self, y: &mut [f64]) {
        for i in 0..self.states {
            y[i] /= self.outflow(i);
            let visits = y[i];
            y[i + 1..].iter_mut().zip(self.right(i)).for_each(|(y, q)| *y += visits * q);
        }
        for i in (0..self.states).rev() {
            let (visits, shares) = (y[i], self.left(i));
            let before = &mut y[i - shares.len()..i];
            before.iter_mut().zip(shares).for_each(|(y, share)| *y += visits * share);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
