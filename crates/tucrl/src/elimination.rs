//! What is the expected total reward before a transient set of states is left?
//!
//! Solves x = b + Q x, where Q holds the transition probabilities within the set and `leak` the
//! probability of leaving it from each state. States are eliminated one by one without subtraction
//! (Grassmann, Taksar and Heyman 1985): the pivot 1 - q(k,k) is computed as the sum of the
//! probabilities of leaving k. For b >= 0 all operations are on non-negative numbers, so each entry
//! keeps nearly full relative accuracy. LU would lose as many digits as the hitting time has: a
//! hitting time of 10^14 would keep two.
//!
//! States are eliminated in Markowitz order (smallest row count times column count). A remainder
//! that becomes dense is eliminated as a dense block. Fill beyond the limit is an error, and the
//! caller iterates instead. States that lead only to close neighbours keep their order (`banded`).

mod banded;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) use banded::Banded;

use crate::pulse::Pulse;

/// Why an elimination failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EliminationError {
    /// The factors exceed the limit on entries, or a stop was asked for: the iteration used instead then stops too.
    TooMuchFill,
    /// Some state cannot leave: the set is not transient, or the probability underflowed.
    NoWayOut,
}

/// The largest number of entries in the factors (16 bytes each: 320 MB).
const FILL_LIMIT: usize = 20_000_000;
/// The largest dense block, in states (72 MB).
const DENSE_LIMIT: usize = 3_000;
/// The remainder is eliminated densely above this share of non-zeros. `solve` with 0.1, with 0.4 and without a dense block
/// (instructions, callgrind): garnet with 300 states and 5 next states +4 %, +3 % and +200 %; mountain-car 0, +5 % and
/// +23 %; taxi -1 %, 0 and +6 %; four-rooms -1 %, +1 % and +2 %.
const DENSE_SHARE: f64 = 0.2;

/// Rows this many times as long as what is merged into them are changed in place, others are written anew.
const MUCH_LONGER: usize = 16;

pub(crate) type SparseRow = Vec<(u32, f64)>;

/// The factors of one elimination, for any number of right-hand sides.
#[derive(Debug, Clone)]
pub(crate) struct Elimination {
    sparse: Vec<Step>,
    /// The states of the dense block in their order, and its factors row by row: flows right of the
    /// diagonal, shares left of it, the outflow on it.
    dense_states: Vec<u32>,
    dense: Vec<f64>,
    /// Replaces the fields above if states lead only to close neighbours.
    banded: Option<Banded>,
}

/// The elimination of one state k.
///
/// `flows` are its transition probabilities when it was eliminated, `outflow` their sum plus the
/// leak. `shares` are q(i,k) / outflow for every remaining state i that led to k.
#[derive(Debug, Clone)]
struct Step {
    state: u32,
    outflow: f64,
    flows: SparseRow,
    shares: SparseRow,
}

impl Elimination {
    /// Eliminates all states. `rows[i]` holds the probabilities of moving from i to other states of
    /// the set (self-loops are ignored), `leak[i]` the probability of leaving the set.
    pub(crate) fn new(rows: Vec<SparseRow>, leak: Vec<f64>) -> Result<Self, EliminationError> {
        let steps = rows.iter().enumerate();
        let steps = steps.flat_map(|(i, row)| row.iter().map(move |entry| (i, entry.0 as usize)));
        if let Some(width) = Banded::width_of(rows.len(), steps) {
            let banded = Some(Banded::new(&rows, width, leak)?);
            return Ok(Self {
                sparse: Vec::new(),
                dense_states: Vec::new(),
                dense: Vec::new(),
                banded,
            });
        }
        Self::with_limits(rows, leak, FILL_LIMIT, DENSE_LIMIT)
    }

    fn with_limits(
        rows: Vec<SparseRow>,
        mut leak: Vec<f64>,
        fill_limit: usize,
        dense_limit: usize,
    ) -> Result<Self, EliminationError> {
        let mut work = Work::new(rows);
        let dense_entries = DENSE_SHARE * (dense_limit * dense_limit) as f64;
        let entry_limit = (dense_entries as usize).max(3 * work.entries);
        let mut sparse = Vec::new();
        let mut stored = 0;
        while let Some(state) = work.cheapest() {
            let size = work.alive_count as f64;
            if work.alive_count <= dense_limit && work.entries as f64 > DENSE_SHARE * size * size {
                break;
            }
            // Too large for a dense block, yet with more entries than the largest dense block would
            // need to be one: finishing would take minutes and gigabytes.
            let is_too_dense =
                work.alive_count > dense_limit && work.entries > entry_limit && dense_limit > 0;
            if is_too_dense || stored + work.entries > fill_limit || Pulse::is_stopped() {
                return Err(EliminationError::TooMuchFill);
            }
            let step = work.eliminate(state, &mut leak)?;
            stored += step.flows.len() + step.shares.len();
            sparse.push(step);
        }
        let (dense_states, dense) = work.finish_densely(&mut leak)?;
        Ok(Self { sparse, dense_states, dense, banded: None })
    }

    /// Solves x = b + Q x; overwrites `b` with x.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        if let Some(banded) = &self.banded {
            return banded.solve(b);
        }
        for step in &self.sparse {
            let amount = b[step.state as usize];
            for &(state, share) in &step.shares {
                b[state as usize] += share * amount;
            }
        }
        let size = self.dense_states.len();
        let mut x: Vec<f64> = self.dense_states.iter().map(|&state| b[state as usize]).collect();
        for i in 0..size {
            let row = &self.dense[i * size..][..size];
            x[i] += row[..i].iter().zip(&x[..i]).map(|(share, amount)| share * amount).sum::<f64>();
        }
        for i in (0..size).rev() {
            let row = &self.dense[i * size..][..size];
            let flow: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(q, x)| q * x).sum();
            x[i] = (x[i] + flow) / row[i];
        }
        for (&state, &value) in self.dense_states.iter().zip(&x) {
            b[state as usize] = value;
        }
        for step in self.sparse.iter().rev() {
            let flow: f64 = step.flows.iter().map(|&(to, q)| q * b[to as usize]).sum();
            b[step.state as usize] = (b[step.state as usize] + flow) / step.outflow;
        }
    }

    /// Solves y = c + y Q; overwrites `c` with y. If c is the distribution of the first state, y are
    /// the expected visits.
    pub(crate) fn solve_transposed(&self, c: &mut [f64]) {
        if let Some(banded) = &self.banded {
            return banded.solve_transposed(c);
        }
        for step in &self.sparse {
            let visits = c[step.state as usize] / step.outflow;
            c[step.state as usize] = visits;
            for &(to, q) in &step.flows {
                c[to as usize] += visits * q;
            }
        }
        let size = self.dense_states.len();
        let mut y: Vec<f64> = self.dense_states.iter().map(|&state| c[state as usize]).collect();
        for i in 0..size {
            let row = &self.dense[i * size..][..size];
            y[i] /= row[i];
            let visits = y[i];
            y[i + 1..].iter_mut().zip(&row[i + 1..]).for_each(|(y, q)| *y += visits * q);
        }
        for i in (0..size).rev() {
            let visits = y[i];
            let shares = &self.dense[i * size..][..i];
            y[..i].iter_mut().zip(shares).for_each(|(y, share)| *y += visits * share);
        }
        for (&state, &value) in self.dense_states.iter().zip(&y) {
            c[state as usize] = value;
        }
        for step in self.sparse.iter().rev() {
            let from_later: f64 = step.shares.iter().map(|&(i, share)| share * c[i as usize]).sum();
            c[step.state as usize] += from_later;
        }
    }
}

/// The matrix of the states not yet eliminated.
struct Work {
    rows: Vec<SparseRow>,
    /// The rows with an entry in each column, eliminated rows included.
    columns: Vec<Vec<u32>>,
    column_count: Vec<u32>,
    is_alive: Vec<bool>,
    alive_count: usize,
    entries: usize,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    merged: SparseRow,
}

impl Work {
    fn new(mut rows: Vec<SparseRow>) -> Self {
        let size = rows.len();
        let mut columns = vec![Vec::new(); size];
        let mut entries = 0;
        for (i, row) in rows.iter_mut().enumerate() {
            row.retain(|&(j, q)| j as usize != i && q > 0.0);
            row.sort_unstable_by_key(|entry| entry.0);
            entries += row.len();
            for &(j, _) in row.iter() {
                columns[j as usize].push(i as u32);
            }
        }
        let column_count = columns.iter().map(|column| column.len() as u32).collect();
        let mut work = Self {
            rows,
            columns,
            column_count,
            is_alive: vec![true; size],
            alive_count: size,
            entries,
            queue: BinaryHeap::with_capacity(size),
            merged: Vec::new(),
        };
        for state in 0..size {
            work.enqueue(state as u32);
        }
        work
    }

    fn cost(&self, state: u32) -> u64 {
        self.rows[state as usize].len() as u64 * u64::from(self.column_count[state as usize])
    }

    fn enqueue(&mut self, state: u32) {
        self.queue.push(Reverse((self.cost(state), state)));
    }

    /// The state that is cheapest to eliminate. Drops outdated queue entries.
    fn cheapest(&mut self) -> Option<u32> {
        while let Some(&Reverse((cost, state))) = self.queue.peek() {
            if self.is_alive[state as usize] && cost == self.cost(state) {
                return Some(state);
            }
            self.queue.pop();
        }
        None
    }

    fn eliminate(&mut self, state: u32, leak: &mut [f64]) -> Result<Step, EliminationError> {
        let k = state as usize;
        self.is_alive[k] = false;
        self.alive_count -= 1;
        let flows = std::mem::take(&mut self.rows[k]);
        self.entries -= flows.len();
        let outflow = leak[k] + flows.iter().map(|entry| entry.1).sum::<f64>();
        if outflow <= 0.0 {
            return Err(EliminationError::NoWayOut);
        }
        for &(j, _) in &flows {
            self.column_count[j as usize] -= 1;
        }
        let mut shares = SparseRow::new();
        for i in std::mem::take(&mut self.columns[k]) {
            if !self.is_alive[i as usize] {
                continue;
            }
            let share = self.absorb(i, state, &flows, outflow);
            leak[i as usize] += share * leak[k];
            shares.push((i, share));
        }
        for &(touched, _) in flows.iter().chain(&shares) {
            self.enqueue(touched);
        }
        Ok(Step { state, outflow, flows, shares })
    }

    /// Redirects i's transition to `gone` to the next states of `gone`; returns q(i, gone) / outflow.
    fn absorb(&mut self, i: u32, gone: u32, flows: &[(u32, f64)], outflow: f64) -> f64 {
        let mut row = std::mem::take(&mut self.rows[i as usize]);
        let position = row.partition_point(|entry| entry.0 < gone);
        let share = row[position].1 / outflow;
        let before = row.len();
        if MUCH_LONGER * flows.len() < before {
            row.remove(position);
            let mut from = 0;
            for &(j, q) in flows.iter().filter(|entry| entry.0 != i) {
                from += row[from..].partition_point(|entry| entry.0 < j);
                match row.get_mut(from).filter(|entry| entry.0 == j) {
                    Some(entry) => entry.1 += share * q,
                    None => {
                        row.insert(from, (j, share * q));
                        self.columns[j as usize].push(i);
                        self.column_count[j as usize] += 1;
                    }
                }
            }
            self.entries = self.entries + row.len() - before;
            self.rows[i as usize] = row;
            return share;
        }
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        let mut old = row.iter().filter(|entry| entry.0 != gone).peekable();
        for &(j, q) in flows.iter().filter(|entry| entry.0 != i) {
            while let Some(&entry) = old.next_if(|entry| entry.0 < j) {
                merged.push(entry);
            }
            if let Some(&(_, there)) = old.next_if(|entry| entry.0 == j) {
                merged.push((j, there + share * q));
            } else {
                merged.push((j, share * q));
                self.columns[j as usize].push(i);
                self.column_count[j as usize] += 1;
            }
        }
        merged.extend(old);
        self.entries = self.entries + merged.len() - before;
        self.rows[i as usize] = merged;
        self.merged = row; // reuse its memory for the next merge
        share
    }

    fn finish_densely(self, leak: &mut [f64]) -> Result<(Vec<u32>, Vec<f64>), EliminationError> {
        let states: Vec<u32> =
            (0..self.rows.len() as u32).filter(|&state| self.is_alive[state as usize]).collect();
        let size = states.len();
        let mut position = vec![0u32; self.rows.len()];
        for (index, &state) in states.iter().enumerate() {
            position[state as usize] = index as u32;
        }
        let mut matrix = vec![0.0; size * size];
        for (i, &state) in states.iter().enumerate() {
            for &(j, q) in &self.rows[state as usize] {
                matrix[i * size + position[j as usize] as usize] = q;
            }
        }
        let mut block_leak: Vec<f64> = states.iter().map(|&state| leak[state as usize]).collect();
        for k in 0..size {
            if Pulse::is_stopped() {
                return Err(EliminationError::TooMuchFill);
            }
            let (above, below) = matrix.split_at_mut((k + 1) * size);
            let row_k = &mut above[k * size..];
            let outflow = block_leak[k] + row_k[k + 1..].iter().sum::<f64>();
            if outflow <= 0.0 {
                return Err(EliminationError::NoWayOut);
            }
            row_k[k] = outflow;
            for (offset, row_i) in below.chunks_exact_mut(size).enumerate() {
                if row_i[k] == 0.0 {
                    continue;
                }
                let share = row_i[k] / outflow;
                row_i[k] = share;
                block_leak[k + 1 + offset] += share * block_leak[k];
                row_i[k + 1..]
                    .iter_mut()
                    .zip(&row_k[k + 1..])
                    .for_each(|(q, flow)| *q += share * flow);
            }
        }
        Ok((states, matrix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::RandomStream;

    /// A random transient set: rows, of which some are long, and leaks.
    fn random_set(
        random: &mut RandomStream,
        size: usize,
        degree: u64,
    ) -> (Vec<SparseRow>, Vec<f64>) {
        let mut rows = Vec::new();
        let mut leak = Vec::new();
        for i in 0..size {
            let degree = if random.chance(0.05) { 20 * degree } else { degree };
            let mut row: SparseRow = (0..1 + random.below(degree))
                .map(|_| (random.below(size as u64) as u32, random.unit()))
                .collect();
            row.sort_by_key(|entry| entry.0);
            row.dedup_by_key(|entry| entry.0);
            let out = if random.chance(0.5) || i == 0 { random.unit() } else { 1e-3 };
            let total: f64 = out + row.iter().map(|entry| entry.1).sum::<f64>();
            row.iter_mut().for_each(|entry| entry.1 /= total);
            rows.push(row);
            leak.push(out / total);
        }
        (rows, leak)
    }

    #[test]
    fn solutions_satisfy_their_equations_whatever_the_shape() {
        let mut random = RandomStream::new(2);
        for case in 0..200 {
            let size = 1 + random.below(40) as usize;
            let (rows, leak) = random_set(&mut random, size, 6);
            let dense_limit = if case % 2 == 0 { 0 } else { 3_000 };
            let factors =
                Elimination::with_limits(rows.clone(), leak, usize::MAX, dense_limit).unwrap();
            let b: Vec<f64> = (0..size).map(|_| random.unit()).collect();
            let (mut x, mut y) = (b.clone(), b.clone());
            factors.solve(&mut x);
            factors.solve_transposed(&mut y);
            let mut inflow = b.clone();
            for (i, row) in rows.iter().enumerate() {
                let flow: f64 = row.iter().map(|&(j, q)| q * x[j as usize]).sum();
                assert!((x[i] - b[i] - flow).abs() <= 1e-12 * x[i], "case {case}, state {i}");
                row.iter().for_each(|&(j, q)| inflow[j as usize] += q * y[i]);
            }
            for (i, (y, inflow)) in y.iter().zip(&inflow).enumerate() {
                assert!((y - inflow).abs() <= 1e-12 * y, "case {case}, transposed, state {i}");
            }
        }
    }

    #[test]
    fn neighbours_alone_give_the_same_solutions_by_their_own_method() {
        let mut random = RandomStream::new(4);
        for case in 0..200 {
            let size = 50 + random.below(60) as usize;
            let (mut rows, leak) = random_set(&mut random, size, 6);
            let width = 1 + random.below(8) as usize;
            for (i, row) in rows.iter_mut().enumerate() {
                row.retain(|&(j, _)| i.abs_diff(j as usize) <= width);
            }
            let banded = Elimination::new(rows.clone(), leak.clone()).unwrap();
            assert!(banded.banded.is_some(), "case {case}");
            let sparse = Elimination::with_limits(rows, leak, usize::MAX, 0).unwrap();
            let b: Vec<f64> = (0..size).map(|_| random.unit()).collect();
            for transposed in [false, true] {
                let (mut x, mut y) = (b.clone(), b.clone());
                match transposed {
                    false => (banded.solve(&mut x), sparse.solve(&mut y)),
                    true => (banded.solve_transposed(&mut x), sparse.solve_transposed(&mut y)),
                };
                for (i, (x, y)) in x.iter().zip(&y).enumerate() {
                    assert!((x - y).abs() <= 1e-12 * y, "case {case}, state {i}: {x} and {y}");
                }
            }
        }
    }

    /// Climbing n steps, each with success probability p and a fall to the bottom otherwise, takes
    /// (p^-n - 1) / (1 - p) steps in expectation: 10^14 here, accurate to 13 digits.
    #[test]
    fn enormous_hitting_times_keep_their_digits() {
        let (n, p) = (47usize, 0.5f64);
        let rows = (0..n)
            .map(|i| {
                let mut row = vec![(0u32, 1.0 - p)];
                if i + 1 < n {
                    row.push((i as u32 + 1, p));
                }
                row
            })
            .collect();
        let leak = (0..n).map(|i| if i + 1 == n { p } else { 0.0 }).collect();
        let mut x = vec![1.0; n];
        Elimination::new(rows, leak).unwrap().solve(&mut x);
        let expected = (p.powi(-(n as i32)) - 1.0) / (1.0 - p);
        assert!((x[0] / expected - 1.0).abs() < 1e-13, "{} against {expected}", x[0]);
    }

    #[test]
    fn a_closed_set_and_an_overflowing_one_are_refused() {
        let ring = vec![vec![(1, 1.0)], vec![(0, 1.0)]];
        assert_eq!(Elimination::new(ring, vec![0.0; 2]).unwrap_err(), EliminationError::NoWayOut);
        let (rows, leak) = random_set(&mut RandomStream::new(3), 500, 8);
        assert_eq!(
            Elimination::with_limits(rows, leak, 5_000, 0).unwrap_err(),
            EliminationError::TooMuchFill
        );
    }
}
