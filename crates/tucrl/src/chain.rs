//! What are the gain and bias of a Markov chain with rewards?
//!
//! In each closed class, gain = expected reward of a cycle through a reference state / expected
//! length of the cycle, and the bias solves h = r - g + P h with mu.h = 0, where mu is the stationary
//! distribution of the class. Transient states: g = P g, then h = r - g + P h. These are Cesaro
//! limits, so periodic chains need no special case (Puterman 1994, appendix A).
//!
//! Solved by elimination. If its factors fill in (large random chains, which mix fast), solved by
//! iteration to rounding accuracy, or an error.

use crate::elimination::{Banded, Elimination, EliminationError};
use crate::error::SolveError;
use crate::graph::{Components, strong_components};
use crate::mdp::Mdp;
use crate::policy::Policy;
use crate::pulse::{Pulse, unless_stopped};

/// The largest number of sweeps of an iteration.
const SWEEP_LIMIT: u64 = 200_000;
/// An iteration has converged when a sweep changes no value by more than this times the largest.
const SWEEP_ACCURACY: f64 = 1e-14;
/// The same for a closed class, whose values are differences: a digit less, so that rounding does not keep it from being
/// reached.
const CLASS_ACCURACY: f64 = 1e-13;

/// A Markov chain with rewards.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    row_start: Vec<usize>,
    next: Vec<u32>,
    probability: Vec<f64>,
    pub(crate) reward: Vec<f64>,
}

/// Gain, bias and closed classes of a chain.
#[derive(Debug, Clone)]
pub(crate) struct ChainValues {
    /// The long-run average reward from each state.
    pub(crate) gain: Vec<f64>,
    /// The total deviation from the gain, from each state.
    pub(crate) bias: Vec<f64>,
    /// The stationary distribution of each closed class, as `(state, probability)`.
    pub(crate) classes: Vec<Vec<(u32, f64)>>,
}

impl Chain {
    /// The chain with one row `(reward, next states, probabilities)` per state.
    pub(crate) fn of_rows<'a>(
        rows: impl ExactSizeIterator<Item = (f64, &'a [u32], &'a [f64])>,
    ) -> Self {
        let mut chain = Self::empty(rows.len());
        for (reward, next, probability) in rows {
            chain.next.extend_from_slice(next);
            chain.probability.extend_from_slice(probability);
            chain.close(reward);
        }
        chain
    }

    /// The chain of a policy, which must fit the model.
    pub(crate) fn of_policy(mdp: &Mdp, policy: &Policy) -> Self {
        let mut chain = Self::empty(mdp.states());
        let mut mixed: Vec<(u32, f64)> = Vec::new();
        for state in 0..mdp.states() {
            mixed.clear();
            let mut reward = 0.0;
            for (action, weight) in policy.choices(state) {
                let pair = mdp.pair(state, action);
                reward += weight * mdp.mean_reward(pair);
                mixed.extend(mdp.row(pair).iter().map(|(next, p)| (next as u32, weight * p)));
            }
            mixed.sort_by_key(|entry| entry.0);
            for &(next, probability) in &mixed {
                if chain.next.len() > chain.row_start[state] && chain.next.last() == Some(&next) {
                    if let Some(last) = chain.probability.last_mut() {
                        *last += probability;
                    }
                } else {
                    chain.next.push(next);
                    chain.probability.push(probability);
                }
            }
            chain.close(reward);
        }
        chain
    }

    fn empty(states: usize) -> Self {
        let mut row_start = Vec::with_capacity(states + 1);
        row_start.push(0);
        let (next, probability) = (Vec::with_capacity(states), Vec::with_capacity(states));
        Self { row_start, next, probability, reward: Vec::with_capacity(states) }
    }

    fn close(&mut self, reward: f64) {
        self.row_start.push(self.next.len());
        self.reward.push(reward);
    }

    pub(crate) fn states(&self) -> usize {
        self.reward.len()
    }

    pub(crate) fn row(&self, state: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        let entries = self.row_start[state]..self.row_start[state + 1];
        self.next[entries.clone()]
            .iter()
            .map(|&n| n as usize)
            .zip(self.probability[entries].iter().copied())
    }

    /// The strongly connected components, and whether each is closed.
    pub(crate) fn components(&self) -> (Components, Vec<bool>) {
        let components = strong_components(
            self.states(),
            |_| true,
            |state| self.row_start[state]..self.row_start[state + 1],
            |edge| Some(self.next[edge] as usize),
        );
        let mut is_closed = vec![true; components.count];
        for state in 0..self.states() {
            let own = components.of[state];
            if self.row(state).any(|(next, _)| components.of[next] != own) {
                is_closed[own as usize] = false;
            }
        }
        (components, is_closed)
    }

    /// Gain, bias and stationary distributions.
    pub(crate) fn values(&self) -> Result<ChainValues, SolveError> {
        let states = self.states();
        let (components, is_closed) = self.components();
        let mut values =
            ChainValues { gain: vec![0.0; states], bias: vec![0.0; states], classes: Vec::new() };
        let mut local = vec![u32::MAX; states];
        for (index, members) in components.members().into_iter().enumerate() {
            if is_closed[index] {
                let law = self.solve_class(&members, &mut local, &mut values)?;
                values.classes.push(law);
            }
        }
        let transient: Vec<u32> = (0..states as u32)
            .filter(|&state| !is_closed[components.of[state as usize] as usize])
            .collect();
        self.solve_transient(&transient, &mut local, &mut values)?;
        Ok(values)
    }

    /// Gain and bias on one closed class; returns its stationary distribution. `local` is scratch.
    fn solve_class(
        &self,
        members: &[u32],
        local: &mut [u32],
        values: &mut ChainValues,
    ) -> Result<Vec<(u32, f64)>, SolveError> {
        let mut members = members.to_vec();
        let is_narrow = self.is_narrow(&members);
        let bring_to_front = |members: &mut [u32], index: usize| match is_narrow {
            true => members[..=index].rotate_right(1), // keeps the band
            false => members.swap(0, index),
        };
        if is_narrow {
            let common = self.drifts_to(&members);
            bring_to_front(&mut members, common);
        }
        let mut solved = self.solve_around(&members, local)?;
        // Every try takes eight times the steps of the one before, so that all together take little longer than the last,
        // and four reach the limit.
        let mut steps = 64;
        while !solved.is_finite() && steps < SWEEP_LIMIT && !Pulse::is_stopped() {
            // The return time overflows: take a more frequent reference state.
            let common = self.most_frequent(&members, steps, local);
            bring_to_front(&mut members, common);
            solved = self.solve_around(&members, local)?;
            steps *= 8;
        }
        if !solved.is_finite() {
            return Err(SolveError::TooSlow { what: "the values of a policy" });
        }
        let heaviest = (0..members.len()).max_by(|&i, &j| solved.law[i].total_cmp(&solved.law[j]));
        if let Some(heaviest) = heaviest
            && solved.law[0] < 0.25 * solved.law[heaviest]
        {
            // Biases are differences of cycle totals, which lose digits if the reference state is
            // rare: solve again around the most frequent state. Totals grow with the time of return, the inverse of the
            // frequency: a factor of 4 costs two bits, which are not worth a second solution.
            bring_to_front(&mut members, heaviest);
            solved = self.solve_around(&members, local)?;
        }
        let ClassSolution { gain, mut bias, law } = solved;
        let centre: f64 = law.iter().zip(&bias).map(|(mu, h)| mu * h).sum();
        bias.iter_mut().for_each(|h| *h -= centre);
        for (&state, &h) in members.iter().zip(&bias) {
            values.gain[state as usize] = gain;
            values.bias[state as usize] = h;
        }
        let mut law: Vec<(u32, f64)> = members.into_iter().zip(law).collect();
        law.sort_unstable_by_key(|entry| entry.0);
        Ok(law)
    }

    /// True if the members of a closed class lead only to close neighbours (see `Banded`).
    fn is_narrow(&self, members: &[u32]) -> bool {
        let steps = members.iter().flat_map(|&state| {
            self.row(state as usize).map(move |(next, _)| (state as usize, next))
        });
        Banded::width_of(members.len(), steps).is_some()
    }

    /// The index of a member that is probably frequent: the end of the path that follows the likeliest
    /// transition to another state.
    fn drifts_to(&self, members: &[u32]) -> usize {
        let (mut before, mut state) = (usize::MAX, members[0] as usize);
        for _ in members {
            let steps = self.row(state).filter(|&(next, _)| next != state);
            match steps.max_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((next, _)) if next != before => (before, state) = (state, next),
                _ => break,
            }
        }
        members.partition_point(|&member| (member as usize) < state)
    }

    /// The index of the most likely member after some steps from the uniform distribution, under the
    /// lazy chain 0.9 P + 0.1 I.
    fn most_frequent(&self, members: &[u32], steps: u64, local: &mut [u32]) -> usize {
        let (rows, _) = self.restricted(members, local);
        let mut law = vec![1.0; members.len()];
        for _ in unless_stopped(0..steps) {
            let mut moved: Vec<f64> = law.iter().map(|mass| 0.1 * mass).collect();
            for (row, mass) in rows.iter().zip(&law) {
                row.iter().for_each(|&(next, p)| moved[next as usize] += 0.9 * p * mass);
            }
            law = moved;
        }
        (0..law.len()).max_by(|&i, &j| law[i].total_cmp(&law[j])).unwrap_or(0)
    }

    /// Solves a closed class by cycles through its first member, or by iteration if that fills in.
    fn solve_around(
        &self,
        members: &[u32],
        local: &mut [u32],
    ) -> Result<ClassSolution, SolveError> {
        let (reference, inside) = (members[0] as usize, &members[1..]);
        let (rows, leak) = self.restricted(inside, local);
        match Elimination::new(rows, leak) {
            Ok(factors) => Ok(self.solve_cycle(reference, inside, &factors, local)),
            Err(EliminationError::TooMuchFill) => iterate_class(self, members),
            // In a closed class every state has a path to the reference; its probability underflowed.
            Err(EliminationError::NoWayOut) => Ok(ClassSolution::overflowed(members.len())),
        }
    }

    /// Gain, bias (zero in the reference state) and stationary distribution from one cycle.
    fn solve_cycle(
        &self,
        reference: usize,
        inside: &[u32],
        factors: &Elimination,
        local: &mut [u32],
    ) -> ClassSolution {
        for (index, &state) in inside.iter().enumerate() {
            local[state as usize] = index as u32;
        }
        let mut earned: Vec<f64> =
            inside.iter().map(|&state| self.reward[state as usize]).collect();
        let mut time = vec![1.0; inside.len()];
        let mut visits = vec![0.0; inside.len()];
        factors.solve(&mut earned);
        factors.solve(&mut time);
        let (mut cycle_earned, mut cycle_time) = (self.reward[reference], 1.0);
        for (next, p) in self.row(reference) {
            if next != reference {
                let index = local[next] as usize;
                cycle_earned += p * earned[index];
                cycle_time += p * time[index];
                visits[index] = p;
            }
        }
        factors.solve_transposed(&mut visits);
        inside.iter().for_each(|&state| local[state as usize] = u32::MAX);
        let gain = cycle_earned / cycle_time;
        let relative = earned.iter().zip(&time).map(|(earned, time)| earned - gain * time);
        let total: f64 = 1.0 + visits.iter().sum::<f64>();
        ClassSolution {
            gain,
            bias: std::iter::once(0.0).chain(relative).collect(),
            law: std::iter::once(1.0).chain(visits).map(|visits| visits / total).collect(),
        }
    }

    /// Gain and bias of the transient states, given those of the closed classes.
    fn solve_transient(
        &self,
        transient: &[u32],
        local: &mut [u32],
        values: &mut ChainValues,
    ) -> Result<(), SolveError> {
        if transient.is_empty() {
            return Ok(());
        }
        let (rows, leak) = self.restricted(transient, local);
        let solver = TransientSolver::new(rows, leak);
        let mut is_transient = vec![false; self.states()];
        transient.iter().for_each(|&state| is_transient[state as usize] = true);
        let outside = |state: u32, of: &[f64]| -> f64 {
            self.row(state as usize)
                .filter(|&(next, _)| !is_transient[next])
                .map(|(next, p)| p * of[next])
                .sum()
        };
        let mut gain: Vec<f64> = transient.iter().map(|&s| outside(s, &values.gain)).collect();
        solver.solve(&mut gain)?;
        let mut bias: Vec<f64> = transient
            .iter()
            .zip(&gain)
            .map(|(&s, g)| self.reward[s as usize] - g + outside(s, &values.bias))
            .collect();
        solver.solve(&mut bias)?;
        for (index, &state) in transient.iter().enumerate() {
            values.gain[state as usize] = gain[index];
            values.bias[state as usize] = bias[index];
        }
        Ok(())
    }

    /// The rows of some states restricted to these states and renumbered, and the probability of
    /// leaving them. `local` is scratch.
    pub(crate) fn restricted(
        &self,
        inside: &[u32],
        local: &mut [u32],
    ) -> (Vec<Vec<(u32, f64)>>, Vec<f64>) {
        for (index, &state) in inside.iter().enumerate() {
            local[state as usize] = index as u32;
        }
        let mut leak = vec![0.0; inside.len()];
        let rows = inside
            .iter()
            .zip(&mut leak)
            .map(|(&state, leak)| {
                let entries = self.row(state as usize);
                let mut row = Vec::with_capacity(entries.len());
                for (next, p) in entries {
                    match local[next] {
                        u32::MAX => *leak += p,
                        index => row.push((index, p)),
                    }
                }
                row
            })
            .collect();
        inside.iter().for_each(|&state| local[state as usize] = u32::MAX);
        (rows, leak)
    }
}

struct ClassSolution {
    gain: f64,
    bias: Vec<f64>,
    law: Vec<f64>,
}

impl ClassSolution {
    fn overflowed(states: usize) -> Self {
        Self { gain: f64::NAN, bias: vec![f64::NAN; states], law: vec![0.0; states] }
    }

    fn is_finite(&self) -> bool {
        let mut numbers = self.bias.iter().chain(&self.law);
        self.gain.is_finite() && numbers.all(|number| number.is_finite())
    }
}

/// Solves x = b + Q x on a transient set by elimination or, if that fills in, by sweeps.
pub(crate) enum TransientSolver {
    Factors(Elimination),
    Sweeps {
        rows: Vec<Vec<(u32, f64)>>,
        leak: Vec<f64>,
    },
    /// The probability of leaving the set underflowed to 0.
    Underflow,
}

impl TransientSolver {
    /// Prepares the solver; the set must be transient.
    pub(crate) fn new(rows: Vec<Vec<(u32, f64)>>, leak: Vec<f64>) -> Self {
        match Elimination::new(rows.clone(), leak.clone()) {
            Ok(factors) => Self::Factors(factors),
            Err(EliminationError::TooMuchFill) => Self::Sweeps { rows, leak },
            Err(EliminationError::NoWayOut) => Self::Underflow,
        }
    }

    /// True if solved by sweeps: errors are relative to the largest value, not to each value.
    pub(crate) fn is_sweeping(&self) -> bool {
        matches!(self, Self::Sweeps { .. })
    }

    /// Overwrites `b` with x; an error if x overflows.
    pub(crate) fn solve(&self, b: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Factors(factors) => factors.solve(b),
            Self::Sweeps { rows, leak } => sweep_transient(rows, leak, b)?,
            Self::Underflow => b.fill(f64::INFINITY),
        }
        if b.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(SolveError::TooSlow { what: "the values of transient states" })
    }
}

/// Solves x = b + Q x by Gauss-Seidel sweeps, each preceded by a constant shift. In a set that mixes
/// much faster than it is left, the error is nearly constant, and plain sweeps would need as many
/// sweeps as leaving takes steps.
///
/// shift = w.(b + Q x - x) / w.leak, where w is the quasi-stationary distribution (of a walk
/// conditioned on not having left). Other weights may diverge, so shifts start when one more step
/// changes w by no more than the rate of leaving. Residuals are summed from differences of values,
/// which keeps digits where values are large and nearly equal.
fn sweep_transient(
    rows: &[Vec<(u32, f64)>],
    leak: &[f64],
    b: &mut [f64],
) -> Result<(), SolveError> {
    let size = b.len();
    let mut x = vec![0.0; size];
    let mut law = vec![1.0 / size as f64; size];
    let mut moved = vec![0.0; size];
    let mut residual = f64::INFINITY;
    for _ in unless_stopped(0..SWEEP_LIMIT) {
        moved.fill(0.0);
        let (mut leaving, mut missing, mut rounding) = (0.0, 0.0, 0.0);
        for (i, row) in rows.iter().enumerate() {
            let (mut lack, mut terms) = (b[i] - leak[i] * x[i], b[i].abs() + leak[i] * x[i].abs());
            for &(j, q) in row {
                let flow = q * (x[j as usize] - x[i]);
                moved[j as usize] += law[i] * q;
                lack += flow;
                terms += flow.abs();
            }
            leaving += law[i] * leak[i];
            missing += law[i] * lack;
            rounding += f64::EPSILON * law[i] * terms;
        }
        let stayed: f64 = moved.iter().sum();
        let drift: f64 = law.iter().zip(&moved).map(|(old, new)| (stayed * old - new).abs()).sum();
        // `rounding` counts each term once; a shift within a few times of it would follow the rounding and never end.
        if drift <= leaving && missing.abs() > 8.0 * rounding {
            let shift = missing / leaving;
            x.iter_mut().for_each(|x| *x += shift);
        }
        // The lazy chain (I + Q) / 2, so that `law` converges on periodic sets too.
        law.iter_mut().zip(&moved).for_each(|(old, new)| *old = 0.5 * (*old + new / stayed));
        residual = 0.0;
        let mut scale: f64 = 0.0;
        for (i, row) in rows.iter().enumerate() {
            let (mut lack, mut outflow) = (b[i] - leak[i] * x[i], leak[i]);
            for &(j, q) in row.iter().filter(|entry| entry.0 as usize != i) {
                lack += q * (x[j as usize] - x[i]);
                outflow += q;
            }
            let change = lack / outflow;
            x[i] += change;
            residual = f64::max(residual, change.abs());
            scale = scale.max(x[i].abs());
        }
        if !scale.is_finite() {
            break;
        }
        if residual <= SWEEP_ACCURACY * scale {
            b.copy_from_slice(&x);
            return Ok(());
        }
    }
    Err(SolveError::NotConverged {
        what: "the values of transient states",
        sweeps: SWEEP_LIMIT,
        span: residual,
        tolerance: SWEEP_ACCURACY,
    })
}

/// Gain, bias and stationary distribution of a large closed class by damped iteration:
/// v <- r + 0.9 P v + 0.1 v has the same gain and the bias 0.9 v.
fn iterate_class(chain: &Chain, members: &[u32]) -> Result<ClassSolution, SolveError> {
    // Any share below 1 makes a periodic class converge; this one costs an aperiodic class a tenth more sweeps.
    const DAMPING: f64 = 0.9;
    let mut local = vec![u32::MAX; chain.states()];
    let (rows, _) = chain.restricted(members, &mut local);
    let reward: Vec<f64> = members.iter().map(|&state| chain.reward[state as usize]).collect();
    let scale = reward.iter().fold(f64::MIN_POSITIVE, |scale, r| scale.max(r.abs()));
    let mut bias = vec![0.0; members.len()];
    let mut law = vec![1.0 / members.len() as f64; members.len()];
    let (mut span, mut change) = (f64::INFINITY, f64::INFINITY);
    for _ in unless_stopped(0..SWEEP_LIMIT) {
        let mut swept = Vec::with_capacity(bias.len());
        let mut flowed = vec![0.0; law.len()];
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, row) in rows.iter().enumerate() {
            let mut expected = 0.0;
            for &(j, q) in row {
                expected += q * bias[j as usize];
                flowed[j as usize] += DAMPING * q * law[i];
            }
            flowed[i] += (1.0 - DAMPING) * law[i];
            let value = reward[i] + DAMPING * expected + (1.0 - DAMPING) * bias[i];
            low = low.min(value - bias[i]);
            high = high.max(value - bias[i]);
            swept.push(value);
        }
        let reference = swept[0];
        swept.iter_mut().for_each(|value| *value -= reference);
        let total: f64 = flowed.iter().sum();
        flowed.iter_mut().for_each(|mass| *mass /= total);
        change = law.iter().zip(&flowed).map(|(old, new)| (old - new).abs()).sum();
        span = high - low;
        (bias, law) = (swept, flowed);
        if span <= CLASS_ACCURACY * scale && change <= CLASS_ACCURACY {
            let bias = bias.into_iter().map(|value| DAMPING * value).collect();
            return Ok(ClassSolution { gain: low + span / 2.0, bias, law });
        }
    }
    Err(SolveError::NotConverged {
        what: "the gain of a policy",
        sweeps: SWEEP_LIMIT,
        span: span.max(change),
        tolerance: CLASS_ACCURACY * scale,
    })
}
