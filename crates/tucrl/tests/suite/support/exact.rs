//! The exact gains of small MDPs, as fractions of integers.
//!
//! Every number of a table is a binary fraction. Stationary distributions and absorption probabilities are ratios of
//! determinants of integers, so nothing is rounded.

use num_bigint::BigInt;
use tucrl::mdp::Mdp;

/// numerator / denominator, the denominator positive.
#[derive(Clone)]
pub(crate) struct Fraction(pub(crate) BigInt, pub(crate) BigInt);

impl Fraction {
    fn is_below(&self, other: &Self) -> bool {
        &self.0 * &other.1 < &other.0 * &self.1
    }

    /// |self - value| <= error, for floating-point numbers that are not negative.
    pub(crate) fn is_within(&self, value: f64, error: f64) -> bool {
        let scale = fraction_bits(value).max(fraction_bits(error));
        let distance = integer(value, scale) * &self.1 - (&self.0 << scale);
        *distance.magnitude() <= *(integer(error, scale) * &self.1).magnitude()
    }
}

/// A number is an integer of 53 bits times 2^-shift.
fn parts(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    assert!(exponent < 2047, "{number} is negative or not finite");
    if exponent == 0 { (fraction, 1074) } else { (fraction | 1 << 52, 1075 - exponent) }
}

/// The number of binary digits after the point.
pub(crate) fn fraction_bits(number: f64) -> usize {
    let (integer, shift) = parts(number);
    if integer == 0 { 0 } else { (shift - integer.trailing_zeros() as i32).max(0) as usize }
}

/// number * 2^scale.
pub(crate) fn integer(number: f64, scale: usize) -> BigInt {
    let (integer, shift) = parts(number);
    let up = scale as i64 - i64::from(shift);
    if up >= 0 { BigInt::from(integer) << up } else { BigInt::from(integer) >> -up }
}

fn determinant(matrix: &[Vec<BigInt>]) -> BigInt {
    match matrix {
        [] => BigInt::from(1),
        [first, rest @ ..] => {
            let mut sum = BigInt::ZERO;
            for (column, entry) in first.iter().enumerate().filter(|entry| *entry.1 != BigInt::ZERO)
            {
                let without = |row: &Vec<BigInt>| {
                    let kept = row.iter().enumerate().filter(|&(c, _)| c != column);
                    kept.map(|(_, entry)| entry.clone()).collect()
                };
                let term = entry * determinant(&rest.iter().map(without).collect::<Vec<_>>());
                if column % 2 == 0 { sum += term } else { sum -= term }
            }
            sum
        }
    }
}

/// How a row that does not sum to one exactly is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reading {
    DividedByItsSum,
    StayingIsTheRest,
}

/// The exact gain of a deterministic policy from every state.
pub(crate) fn exact_gain(mdp: &Mdp, policy: &[usize], reading: Reading) -> Vec<Fraction> {
    let n = mdp.states();
    let rows = || (0..n).map(|s| mdp.row(mdp.pair(s, policy[s])));
    let rewards: Vec<f64> = (0..n).map(|s| mdp.mean_reward(mdp.pair(s, policy[s]))).collect();
    let p_scale = rows().flat_map(|row| row.iter()).map(|e| fraction_bits(e.1)).max().unwrap();
    let r_scale = rewards.iter().map(|&r| fraction_bits(r)).max().unwrap();
    let mut p = vec![vec![BigInt::ZERO; n]; n];
    for (s, row) in rows().enumerate() {
        row.iter().for_each(|(next, q)| p[s][next] += integer(q, p_scale));
    }
    let mut reaches: Vec<Vec<bool>> =
        (0..n).map(|i| (0..n).map(|j| i == j || p[i][j] != BigInt::ZERO).collect()).collect();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reaches[i][j] |= reaches[i][k] && reaches[k][j];
            }
        }
    }
    let is_recurrent: Vec<bool> =
        (0..n).map(|i| (0..n).all(|j| !reaches[i][j] || reaches[j][i])).collect();
    // I - P without the diagonal of P, times 2^p_scale, on some states.
    let laplacian = |inside: &[usize]| -> Vec<Vec<BigInt>> {
        let out = |i: usize| (0..n).filter(|&j| j != i).map(|j| &p[i][j]).sum::<BigInt>();
        let entry = |i: usize, j: usize| if i == j { out(i) } else { -&p[i][j] };
        inside.iter().map(|&i| inside.iter().map(|&j| entry(i, j)).collect()).collect()
    };
    let mut gain: Vec<Option<Fraction>> = vec![None; n];
    let mut classes: Vec<(Vec<usize>, Fraction)> = Vec::new();
    for s in (0..n).filter(|&s| is_recurrent[s]) {
        if gain[s].is_some() {
            continue;
        }
        let class: Vec<usize> = (0..n).filter(|&j| reaches[s][j]).collect();
        let (mut earned, mut time) = (BigInt::ZERO, BigInt::ZERO);
        for &i in &class {
            // The Markov chain tree theorem: minors of the Laplacian are proportional to the law.
            let others: Vec<usize> = class.iter().copied().filter(|&j| j != i).collect();
            let mut mass = determinant(&laplacian(&others));
            if let Reading::DividedByItsSum = reading {
                mass *= p[i].iter().sum::<BigInt>();
            }
            earned += &mass * integer(rewards[i], r_scale);
            time += mass;
        }
        let fraction = Fraction(earned, time << r_scale);
        class.iter().for_each(|&i| gain[i] = Some(fraction.clone()));
        classes.push((class, fraction));
    }
    let transient: Vec<usize> = (0..n).filter(|&s| !is_recurrent[s]).collect();
    let matrix = laplacian(&transient);
    let whole = determinant(&matrix);
    for (index, &s) in transient.iter().enumerate() {
        // Cramer's rule for the probability of each class.
        let mut sum = Fraction(BigInt::ZERO, BigInt::from(1));
        for (class, Fraction(earned, time)) in &classes {
            let mut replaced = matrix.clone();
            for (row, &i) in replaced.iter_mut().zip(&transient) {
                row[index] = class.iter().map(|&j| &p[i][j]).sum();
            }
            let chance = determinant(&replaced);
            sum = Fraction(&sum.0 * time + &sum.1 * chance * earned, &sum.1 * time);
        }
        gain[s] = Some(Fraction(sum.0, sum.1 * &whole));
    }
    gain.into_iter().map(Option::unwrap).collect()
}

/// All ways to choose one action per state.
pub(crate) fn all_deterministic_policies(mdp: &Mdp) -> Vec<Vec<usize>> {
    (0..mdp.states()).fold(vec![vec![]], |policies, state| {
        policies
            .into_iter()
            .flat_map(|policy| {
                (0..mdp.actions(state)).map(move |action| {
                    let mut longer = policy.clone();
                    longer.push(action);
                    longer
                })
            })
            .collect()
    })
}

/// The optimal gains, from all deterministic policies.
pub(crate) fn exact_optimum(mdp: &Mdp, reading: Reading) -> Vec<Fraction> {
    let mut policies = all_deterministic_policies(mdp).into_iter();
    let mut best = exact_gain(mdp, &policies.next().unwrap(), reading);
    for policy in policies {
        for (best, gain) in best.iter_mut().zip(exact_gain(mdp, &policy, reading)) {
            if best.is_below(&gain) {
                *best = gain;
            }
        }
    }
    best
}

/// What is wrong with the certified gains of an answer, for either reading of the rows.
pub(crate) fn violation(mdp: &Mdp, gain: &[f64], gain_error: &[f64]) -> Option<String> {
    for reading in [Reading::DividedByItsSum, Reading::StayingIsTheRest] {
        for (s, exact) in exact_optimum(mdp, reading).iter().enumerate() {
            if !exact.is_within(gain[s], gain_error[s]) {
                let (gain, error) = (gain[s], gain_error[s]);
                return Some(format!("state {s}, {reading:?}: {gain:e} ± {error:e} is wrong"));
            }
        }
    }
    None
}

/// An optimal-stopping problem in integers: weights of moves to states and to ends, and what stopping is worth.
pub(crate) struct ExactStopping {
    /// Moves of each state: weights to states, and the sum of weight times worth over the ends.
    pub(crate) moves: Vec<Vec<(Vec<BigInt>, BigInt, BigInt)>>,
    pub(crate) stop: Vec<Option<BigInt>>,
}

impl ExactStopping {
    /// The optimal values as numerators over one denominator, by policy iteration in exact arithmetic.
    pub(crate) fn optimum(&self) -> (Vec<BigInt>, BigInt) {
        let mut choice: Vec<Option<usize>> =
            self.stop.iter().map(|stop| stop.is_none().then_some(0)).collect();
        loop {
            let (values, whole) = self.evaluate(&choice);
            let mut has_improved = false;
            for (state, moves) in self.moves.iter().enumerate() {
                for (number, (row, ends, total)) in moves.iter().enumerate() {
                    let moved: BigInt = row.iter().zip(&values).map(|(w, v)| w * v).sum::<BigInt>();
                    if moved + ends * &whole > total * &values[state]
                        && choice[state] != Some(number)
                    {
                        (choice[state], has_improved) = (Some(number), true);
                        break;
                    }
                }
                if let Some(stop) = &self.stop[state]
                    && stop * &whole > values[state]
                {
                    (choice[state], has_improved) = (None, true);
                }
            }
            if !has_improved {
                return (values, whole);
            }
        }
    }

    /// Elimination without fractions (Bareiss): all diagonal entries become the determinant.
    fn evaluate(&self, choice: &[Option<usize>]) -> (Vec<BigInt>, BigInt) {
        let n = choice.len();
        let mut table: Vec<Vec<BigInt>> = Vec::new();
        for (state, action) in choice.iter().enumerate() {
            let mut row = vec![BigInt::ZERO; n + 1];
            match action {
                Some(number) => {
                    let (weights, ends, total) = &self.moves[state][*number];
                    row.iter_mut().zip(weights).for_each(|(entry, weight)| *entry = -weight);
                    row[state] += total;
                    row[n] = ends.clone();
                }
                None => {
                    row[state] = BigInt::from(1);
                    row[n] = self.stop[state].clone().unwrap();
                }
            }
            table.push(row);
        }
        let mut before = BigInt::from(1);
        for k in 0..n {
            let pivot_row = table[k].clone();
            let pivot = pivot_row[k].clone();
            for (_, row) in table.iter_mut().enumerate().filter(|entry| entry.0 != k) {
                let share = row[k].clone();
                for (entry, above) in row.iter_mut().zip(&pivot_row) {
                    *entry = (&pivot * &*entry - &share * above) / &before;
                }
            }
            before = pivot;
        }
        (table.iter().map(|row| row[n].clone()).collect(), before)
    }
}
