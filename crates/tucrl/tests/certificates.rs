//! Are the certified errors of gains true, in exact arithmetic and without slack?
//!
//! Thousands of small random MDPs of all classes with probabilities from 1 down to 1e-300, against the
//! exact gains of all their policies. A row sums to one only up to rounding; the bounds must hold for
//! both ways to read it: every row divided by its sum, and the probability of staying taken as what the
//! others leave.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

mod support;

use num_bigint::BigInt;
use support::exact::{Fraction, fraction_bits, integer, violation};
use tucrl::mdp::Mdp;
use tucrl::rng::RandomStream;
use tucrl::solve::{Solution, solve};
use tucrl::structure::{self, Class};

#[track_caller]
fn assert_certified(mdp: &Mdp, answer: &Solution, name: &str) {
    if let Some(violation) = violation(mdp, &answer.gain, &answer.gain_error) {
        panic!("{name}: {violation} for {mdp:?}");
    }
    assert!(answer.bias.iter().all(|h| h.is_finite()), "{name}: bias {:?}", answer.bias);
    answer.policy.check(mdp).unwrap();
}

/// A random MDP of two to four states. Weights of a row are 1 and numbers down to 10^-decades;
/// rewards lie in [0, unit].
fn random_mdp(random: &mut RandomStream, decades: f64, unit: f64) -> Mdp {
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
            builder.action(unit * reward, row);
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
            let mdp = random_mdp(&mut random, decades, 1.0);
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

#[test]
fn rewards_near_the_smallest_number_are_certified() {
    let mut random = RandomStream::new(15);
    for case in 0..300 {
        let mdp = random_mdp(&mut random, 6.0, 1e-310);
        assert_certified(&mdp, &solve(&mdp).unwrap(), &format!("case {case}"));
    }
}

#[test]
fn an_improvement_too_small_to_be_taken_is_in_the_error() {
    // The second action is better by 2e-14, which may be rounding where policies are evaluated.
    let mdp = build(|b| {
        b.state()
            .action(0.0, [(1, 0.5), (2, 0.25), (3, 0.25)])
            .action(0.0, [(1, 0.5), (2, 0.25 + 2e-14), (3, 0.25 - 2e-14)]);
        b.state().action(0.0, [(0, 0.5), (2, 0.25), (3, 0.25)]);
        b.state().action(1.0, [(2, 1.0)]);
        b.state().action(0.0, [(3, 1.0)]);
    });
    let answer = solve(&mdp).unwrap();
    assert_certified(&mdp, &answer, "small improvement");
    assert!(answer.gain_error[0] < 1e-12, "{}", answer.gain_error[0]);
    // At first, with nothing known of state 1, the first action looks better by far; in the end the second is, by 2e-14.
    let mdp = build(|b| {
        b.state()
            .action(0.0, [(1, 0.5), (2, 0.25), (3, 0.25)])
            .action(0.0, [(1, 0.7), (2, 0.15 + 2e-14), (3, 0.15 - 2e-14)]);
        b.state().action(0.0, [(0, 0.5), (2, 0.25), (3, 0.25)]);
        b.state().action(1.0, [(2, 1.0)]);
        b.state().action(0.0, [(3, 1.0)]);
    });
    let answer = solve(&mdp).unwrap();
    assert_certified(&mdp, &answer, "improvement that is not taken");
    assert!(answer.gain_error[0] < 1e-12, "{}", answer.gain_error[0]);
    assert_eq!(answer.gain[0], 0.5, "else it is taken, and this is no test");
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

/// Nothing is known but that the gain lies between the rewards. It is next to the lower one, and the distance from the
/// middle to that is no floating-point number.
#[test]
fn an_error_is_not_rounded_down() {
    let mdp = build(|b| {
        b.state().action(0.03, [(0, 1.0), (2, 5e-324)]);
        b.state().action(1.0, [(1, 1.0), (0, 1e-309)]);
        b.state().action(0.03, [(0, 1.0), (1, 1e-200)]);
    });
    let answer = solve(&mdp).unwrap();
    assert_certified(&mdp, &answer, "undecided");
    let (gain, error) = (answer.gain[0], answer.gain_error[0]);
    assert_eq!(gain, 0.03 + 0.97 / 2.0, "else it is decided, and this is no test");
    assert_eq!(error, (gain - 0.03).next_up());
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

/// A row of 200 entries may be off by 202 ulps in its rounded sum, and that sum by 97 more: small entries vanish in it. Read
/// in two ways, such a row has two gains, 281 ulps of the gain apart.
#[test]
fn rows_that_are_as_far_from_one_as_is_accepted_are_in_the_error() {
    const ENTRIES: usize = 200;
    let (leave, lost) = (0.0625, 0.49 * f64::EPSILON);
    let stay = 1.0 - leave + (ENTRIES + 2) as f64 * f64::EPSILON;
    let mdp = build(|b| {
        let rest = (2..ENTRIES).map(|state| (state, lost));
        b.state().action(0.0, [(0, stay), (1, leave)].into_iter().chain(rest));
        for _ in 1..ENTRIES {
            b.state().action(1.0, [(0, 1.0)]);
        }
    });
    let row: Vec<f64> = mdp.row(0).iter().map(|entry| entry.1).collect();
    assert_eq!((row[0], row.len()), (stay, ENTRIES), "the row is kept as it is");
    let scale = row.iter().copied().map(fraction_bits).max().unwrap();
    let whole = BigInt::from(1) << scale;
    let left: BigInt = row[1..].iter().map(|&p| integer(p, scale)).sum();
    let sum = integer(row[0], scale) + &left;
    let answer = solve(&mdp).unwrap();
    // One step is paid for every 1 / leave others; `leave` is divided by the sum of the row, or not.
    for others in [whole, sum] {
        let exact = Fraction(left.clone(), others + &left);
        let (gain, error) = (answer.gain[0], answer.gain_error[0]);
        assert!(exact.is_within(gain, error), "{gain:e} ± {error:e}");
        assert!(error < 600.0 * f64::EPSILON * gain, "{error:e}");
    }
}
