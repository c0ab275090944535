//! Are the certified errors of gains true, in exact arithmetic and without slack?
//!
//! Thousands of small random MDPs of all classes with probabilities from 1 down to 1e-300. Every number
//! of a table is a binary fraction, so the gain of a policy is a fraction of integers: stationary
//! distributions and absorption probabilities are ratios of determinants. A row sums to one only up to
//! rounding; the bounds must hold for both ways to read it: every row divided by its sum, and the
//! probability of staying taken as what the others leave.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use num_bigint::BigInt;
use support::all_deterministic_policies;
use tucrl::mdp::Mdp;
use tucrl::rng::RandomStream;
use tucrl::solve::{Solution, solve};
use tucrl::structure::{self, Class};

/// numerator / denominator, the denominator positive.
#[derive(Clone)]
struct Fraction(BigInt, BigInt);

impl Fraction {
    fn is_below(&self, other: &Self) -> bool {
        &self.0 * &other.1 < &other.0 * &self.1
    }

    /// |self - value| <= error, for floating-point numbers that are not negative.
    fn is_within(&self, value: f64, error: f64) -> bool {
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
fn fraction_bits(number: f64) -> usize {
    let (integer, shift) = parts(number);
    if integer == 0 { 0 } else { (shift - integer.trailing_zeros() as i32).max(0) as usize }
}

/// number * 2^scale.
fn integer(number: f64, scale: usize) -> BigInt {
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
enum Reading {
    DividedByItsSum,
    StayingIsTheRest,
}

/// The exact gain of a deterministic policy from every state.
fn exact_gain(mdp: &Mdp, policy: &[usize], reading: Reading) -> Vec<Fraction> {
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

/// The optimal gains, from all deterministic policies.
fn exact_optimum(mdp: &Mdp, reading: Reading) -> Vec<Fraction> {
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

#[track_caller]
fn assert_certified(mdp: &Mdp, answer: &Solution, name: &str) {
    for reading in [Reading::DividedByItsSum, Reading::StayingIsTheRest] {
        let exact = exact_optimum(mdp, reading);
        for (s, exact) in exact.iter().enumerate() {
            let (gain, error) = (answer.gain[s], answer.gain_error[s]);
            assert!(
                exact.is_within(gain, error),
                "{name}, state {s}, {reading:?}: {gain:e} ± {error:e} is wrong for {mdp:?}"
            );
        }
    }
    assert!(answer.bias.iter().all(|h| h.is_finite()), "{name}: bias {:?}", answer.bias);
    answer.policy.check(mdp).unwrap();
}

/// A random MDP of two to four states. Weights of a row are 1 and numbers down to 10^-decades.
fn random_mdp(random: &mut RandomStream, decades: f64) -> Mdp {
    let states = 2 + random.below(3) as usize;
    let mut builder = Mdp::builder();
    for _ in 0..states {
        builder.state();
        for _ in 0..1 + random.below(3) {
            let mut row: Vec<(usize, f64)> = Vec::new();
            for _ in 0..1 + random.below(3) {
                let is_rare = random.chance(0.5) && !row.is_empty();
                let weight = if is_rare {
                    10f64.powf(-decades * random.unit())
                } else {
                    1.0 + random.below(3) as f64
                };
                row.push((random.below(states as u64) as usize, weight));
            }
            let total: f64 = row.iter().map(|entry| entry.1).sum();
            row.iter_mut().for_each(|entry| entry.1 /= total);
            let reward = match random.below(4) {
                0 => random.unit(),
                1 => 0.5 + 1e-12 * random.unit(),
                _ => random.below(5) as f64 / 4.0,
            };
            builder.action(reward, row);
        }
    }
    builder.start_at(0);
    builder.build().unwrap()
}

#[test]
fn certified_errors_hold_exactly_on_thousands_of_small_mdps() {
    let mut random = RandomStream::new(14);
    let mut classes = [0; 3];
    for (decades, count, sharp) in [
        (0.0, 1_500, 1.0),
        (3.0, 1_000, 1.0),
        (9.0, 1_000, 0.99),
        (16.0, 1_000, 0.9),
        (40.0, 500, 0.8),
        (150.0, 300, 0.8),
        (300.0, 300, 0.6),
    ] {
        let mut decided = 0;
        for case in 0..count {
            let mdp = random_mdp(&mut random, decades);
            let class = structure::classify(&mdp, &structure::end_components(&mdp));
            classes[match class {
                Class::Communicating => 0,
                Class::WeaklyCommunicating => 1,
                Class::Multichain => 2,
            }] += 1;
            let answer = solve(&mdp).unwrap();
            assert_certified(&mdp, &answer, &format!("decades {decades}, case {case}, {class}"));
            decided += usize::from(answer.gain_error.iter().all(|&error| error < 1e-9));
        }
        // The bounds must say something, too.
        assert!(decided as f64 >= sharp * count as f64, "{decades}: {decided} of {count}");
    }
    assert!(classes.iter().all(|&count| count > 500), "{classes:?}");
}

fn build(fill: impl FnOnce(&mut tucrl::mdp::MdpBuilder)) -> Mdp {
    let mut builder = Mdp::builder();
    fill(&mut builder);
    builder.start_at(0);
    builder.build().unwrap()
}

#[test]
fn a_state_keeps_an_action_however_rare_the_loss() {
    // A loss of probability 1e-16 is less than an ulp of the gain.
    let first = build(|b| {
        b.state().action(0.5, [(0, 1.0)]);
        b.state().action(0.0, [(0, 1.0)]);
        b.state().action(0.0, [(2, 1.0)]);
        b.state().action(0.0, [(1, 1.0), (2, 1e-16)]);
    });
    let second = build(|b| {
        b.state().action(0.25, [(1, 1.0), (3, 1e-16)]);
        b.state().action(0.0, [(2, 1.0)]);
        b.state().action(0.5, [(2, 1.0)]);
        b.state().action(0.0, [(3, 1.0)]);
    });
    for rare in [1e-16, 1.1e-16, 1e-17, 1e-100, 1e-300, 5e-324] {
        let third = build(|b| {
            b.state().action(1.0, [(0, 1.0)]);
            b.state().action(0.0, [(1, 1.0)]);
            b.state().action(0.5, [(0, 1.0), (1, rare)]).action(0.25, [(0, 1.0), (1, rare)]);
            b.state().action(0.0, [(2, 1.0), (0, rare)]).action(0.0, [(2, 1.0), (1, rare)]);
        });
        assert_certified(&third, &solve(&third).unwrap(), "third");
    }
    for mdp in [first, second] {
        let answer = solve(&mdp).unwrap();
        assert_certified(&mdp, &answer, "lost pair");
        assert!(answer.gain_error.iter().all(|&error| error < 1e-14), "{:?}", answer.gain_error);
        assert_eq!((0..4).map(|s| answer.policy.action(s)).collect::<Vec<_>>(), [Some(0); 4]);
    }
}

#[test]
fn a_rare_way_to_a_better_end_is_taken() {
    for rare in [1e-10, 1e-14, 1e-16, 1e-100, 1e-300, 5e-324] {
        let mdp = build(|b| {
            b.state().action(0.5, [(0, 1.0)]).action(0.0, [(0, 1.0 - rare), (1, rare)]);
            b.state().action(1.0, [(1, 1.0)]);
        });
        let answer = solve(&mdp).unwrap();
        assert_certified(&mdp, &answer, "rare good");
        assert_eq!(answer.gain[0], 1.0, "{rare:e}");
        assert!(answer.gain_error[0] < 1e-14, "{rare:e}: {}", answer.gain_error[0]);
        assert_eq!(answer.policy.action(0), Some(1), "{rare:e}");
    }
}

#[test]
fn times_beyond_all_numbers_give_wide_bounds_at_once() {
    let mdp = build(|b| {
        b.state().action(0.0, [(0, 1.0), (1, 5e-324)]);
        b.state().action(1.0, [(1, 1.0), (0, 1e-323)]);
    });
    let clock = std::time::Instant::now();
    let answer = solve(&mdp).unwrap();
    assert!(clock.elapsed().as_secs_f64() < 1.0, "{:?}", clock.elapsed());
    assert_certified(&mdp, &answer, "two states");
}

#[test]
fn gains_from_a_start_distribution_are_certified() {
    let mut random = RandomStream::new(3);
    for case in 0..200 {
        let states = 2 + random.below(4) as usize;
        let law: Vec<f64> = (0..states).map(|_| random.unit()).collect();
        let total: f64 = law.iter().sum();
        let mut builder = Mdp::builder();
        for state in 0..states {
            builder.state().action(random.unit(), [(state, 1.0)]);
        }
        builder.start_law(law.iter().map(|p| p / total).enumerate());
        let mdp = builder.build().unwrap();
        let (gain, error) = solve(&mdp).unwrap().gain_from_start(&mdp);
        let scale =
            |of: &dyn Fn(usize) -> f64| (0..states).map(of).map(fraction_bits).max().unwrap();
        let start: Vec<f64> = mdp.start().map(|entry| entry.1).collect();
        let (p_scale, r_scale) = (scale(&|s| start[s]), scale(&|s| mdp.mean_reward(s)));
        let weight = |s: usize| integer(start[s], p_scale);
        let earned = |s: usize| weight(s) * integer(mdp.mean_reward(s), r_scale);
        let sum: BigInt = (0..states).map(weight).sum();
        let exact = Fraction((0..states).map(earned).sum(), sum << r_scale);
        assert!(exact.is_within(gain, error), "case {case}: {gain} ± {error:e}");
        assert!(error < 1e-14, "case {case}: {error:e}");
    }
}
