//! Are the certified errors of gains true, in exact arithmetic and without slack?
//!
//! Thousands of small random MDPs of all classes with probabilities from 1 down to 1e-300, against the
//! exact gains of all their policies. A row sums to one only up to rounding; the bounds must hold for
//! both ways to read it: every row divided by its sum, and the probability of staying taken as what the
//! others leave.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::support;

use num_bigint::BigInt;
use support::exact::{
    ExactStopping, Fraction, Reading, exact_gain, fraction_bits, integer, violation,
};
use tucrl::mdp::Mdp;
use tucrl::policy::Policy;
use tucrl::rng::RandomStream;
use tucrl::solve::{Effort, Gains, Solution, gains, policy_gains, solve, solve_to};
use tucrl::structure::{self, Class};

#[track_caller]
fn assert_certified(mdp: &Mdp, answer: &Solution, name: &str) {
    if let Some(violation) = violation(mdp, &answer.gain, &answer.gain_error) {
        panic!("{name}: {violation} for {mdp:?}");
    }
    assert!(answer.bias.iter().all(|h| h.is_finite()), "{name}: bias {:?}", answer.bias);
    answer.policy.check(mdp).unwrap();
    let actions = (0..mdp.states()).map(|s| answer.policy.action(s).unwrap()).collect();
    assert_policy_is_certified(mdp, actions, name);
    let alone = gains(mdp, Effort::default()).unwrap();
    if let Some(violation) = violation(mdp, &alone.gain, &alone.gain_error) {
        panic!("{name}, gains alone: {violation} for {mdp:?}");
    }
}

/// The certified gain of a policy against its exact gain, for both readings of the rows.
#[track_caller]
fn assert_policy_is_certified(mdp: &Mdp, actions: Vec<usize>, name: &str) -> Gains {
    let exact = [Reading::DividedByItsSum, Reading::StayingIsTheRest]
        .map(|reading| exact_gain(mdp, &actions, reading));
    let found = policy_gains(mdp, &Policy::deterministic(actions), Effort::default()).unwrap();
    for exact in exact {
        for (s, exact) in exact.iter().enumerate() {
            let (gain, error) = (found.gain[s], found.gain_error[s]);
            assert!(exact.is_within(gain, error), "{name}: state {s}: {gain:e} ± {error:e}");
        }
    }
    found
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
    // The last unit is so small that products of probabilities and gains are rounded to multiples of 5e-324.
    for (case, unit) in (0..300).map(|case| (case, if case < 200 { 1.0 } else { 1e-321 })) {
        let states = 2 + random.below(4) as usize;
        let law: Vec<f64> = (0..states).map(|_| random.unit()).collect();
        let total: f64 = law.iter().sum();
        let mut builder = Mdp::builder();
        for state in 0..states {
            builder.state().action(unit * random.unit(), [(state, 1.0)]);
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

#[test]
fn the_gain_of_any_policy_is_certified() {
    let mut random = RandomStream::new(16);
    for (decades, count, sharp) in [(0.0, 500, 1.0), (9.0, 500, 0.99), (40.0, 300, 0.8)] {
        let mut decided = 0;
        for case in 0..count {
            let mdp = random_mdp(&mut random, decades, 1.0);
            let actions =
                (0..mdp.states()).map(|s| random.below(mdp.actions(s) as u64) as usize).collect();
            let name = format!("decades {decades}, case {case}");
            let found = assert_policy_is_certified(&mdp, actions, &name);
            decided += usize::from(found.gain_error.iter().all(|&error| error < 1e-9));
        }
        assert!(decided as f64 >= sharp * f64::from(count), "{decades}: {decided} of {count}");
    }
}

#[test]
fn a_randomised_policy_is_refused() {
    let mdp = random_mdp(&mut RandomStream::new(1), 0.0, 1.0);
    let state = (0..mdp.states()).find(|&s| mdp.actions(s) > 1).unwrap();
    let refused = policy_gains(&mdp, &Policy::uniform(&mdp), Effort::default()).unwrap_err();
    assert!(refused.to_string().starts_with(&format!("state {state}: the policy is randomised")));
}

/// States that lead to each other and to three ends, enough of them to be solved by sweeps. A state is left to an end with
/// probability about `leave`; some states may be kept for a reward.
fn random_circle(random: &mut RandomStream, states: usize, leave: f64) -> Mdp {
    let mut builder = Mdp::builder();
    for state in 0..states {
        builder.state();
        for _ in 0..1 + random.below(3) {
            let end = states + random.below(3) as usize;
            let mut row =
                vec![((state + 1) % states, 0.25 + random.unit()), (end, leave * random.unit())];
            for _ in 0..random.below(3) {
                let next = random.below(states as u64) as usize;
                if row.iter().all(|entry| entry.0 != next) {
                    row.push((next, random.unit()));
                }
            }
            let total: f64 = row.iter().map(|entry| entry.1).sum();
            builder.action(random.unit(), row.into_iter().map(|(next, w)| (next, w / total)));
        }
        if random.chance(0.1) {
            builder.action(0.5 * random.unit(), [(state, 1.0)]);
        }
    }
    for end in 0..3 {
        builder.state().action([0.1, 0.7, 0.95][end] * random.unit(), [(states + end, 1.0)]);
    }
    builder.start_at(0);
    builder.build().unwrap()
}

/// The same problem in integers: weights times 2^`p_scale`, worths times 2^`r_scale`.
fn in_integers(mdp: &Mdp, states: usize) -> (ExactStopping, usize) {
    let probabilities = (0..mdp.pairs()).flat_map(|pair| mdp.row(pair).iter()).map(|entry| entry.1);
    let p_scale = probabilities.map(fraction_bits).max().unwrap();
    let r_scale = (0..mdp.pairs()).map(|pair| fraction_bits(mdp.mean_reward(pair))).max().unwrap();
    let worth = |pair: usize| integer(mdp.mean_reward(pair), r_scale);
    let mut problem = ExactStopping { moves: Vec::new(), stop: Vec::new() };
    for state in 0..states {
        let (mut moves, mut stop) = (Vec::new(), None);
        for pair in mdp.pairs_of(state) {
            if *mdp.row(pair).next == [state as u32] {
                stop = Some(worth(pair));
                continue;
            }
            let (mut row, mut ends, mut total) =
                (vec![BigInt::ZERO; states], BigInt::ZERO, BigInt::ZERO);
            for (next, p) in mdp.row(pair).iter().filter(|entry| entry.0 != state) {
                let weight = integer(p, p_scale);
                total += &weight;
                match next < states {
                    true => row[next] = weight,
                    false => ends += weight * worth(mdp.pairs_of(next).start),
                }
            }
            moves.push((row, ends, total));
        }
        problem.moves.push(moves);
        problem.stop.push(stop);
    }
    (problem, r_scale)
}

#[test]
fn large_circles_are_certified_exactly() {
    let mut random = RandomStream::new(17);
    for (case, leave) in [1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6].into_iter().enumerate() {
        for turn in 0..4 {
            let states = 20 + random.below(10) as usize;
            let mdp = random_circle(&mut random, states, leave);
            let (problem, r_scale) = in_integers(&mdp, states);
            let (values, whole) = problem.optimum();
            let whole = whole << r_scale;
            let (full, rough) = (solve(&mdp).unwrap(), solve_to(&mdp, 1e-5).unwrap());
            let alone = |accuracy| gains(&mdp, Effort { accuracy, ..Effort::default() }).unwrap();
            let (alone, hasty) = (alone(0.0), alone(1e-5));
            for (how, gain, error) in [
                ("solve", &full.gain, &full.gain_error),
                ("solve_to", &rough.gain, &rough.gain_error),
                ("gains", &alone.gain, &alone.gain_error),
                ("hasty gains", &hasty.gain, &hasty.gain_error),
            ] {
                for (state, value) in values.iter().enumerate() {
                    let exact = Fraction(value.clone(), whole.clone());
                    let (gain, error) = (gain[state], error[state]);
                    let name = format!("{how}, case {case}.{turn}, state {state}");
                    assert!(exact.is_within(gain, error), "{name}: {gain:e} ± {error:e}");
                    let bound = if how.contains('_') || how.contains(' ') { 1e-5 } else { 1e-9 };
                    assert!(error < bound, "{name}: {error:e}");
                }
            }
        }
    }
}

/// Fair walks between two ends, one after the other: the top of each leads to the start of the next. From state i of n,
/// the chance of the top is i/n.
#[test]
fn circles_in_a_row_add_up_their_errors() {
    const LENGTH: usize = 37;
    const WALKS: usize = 6;
    let mdp = build(|b| {
        let end = WALKS * (LENGTH - 1);
        for walk in 0..WALKS {
            let first = walk * (LENGTH - 1);
            for at in 1..LENGTH {
                let down = if at == 1 { end } else { first + at - 2 };
                let up = match (at + 1 == LENGTH, walk + 1 == WALKS) {
                    (false, _) => first + at,
                    (true, false) => first + LENGTH - 1 + LENGTH / 2 - 1,
                    (true, true) => end + 1,
                };
                b.state().action(0.5, [(down, 0.5), (up, 0.5)]);
            }
        }
        b.state().action(0.0, [(end, 1.0)]);
        b.state().action(1.0, [(end + 1, 1.0)]);
    });
    let (middle, length) = (BigInt::from(LENGTH / 2), BigInt::from(LENGTH));
    for accuracy in [0.0, 1e-9, 1e-4] {
        let found = gains(&mdp, Effort { accuracy, ..Effort::default() }).unwrap();
        for walk in 0..WALKS {
            for at in 1..LENGTH {
                let later = (WALKS - 1 - walk) as u32;
                let exact = Fraction(BigInt::from(at) * middle.pow(later), length.pow(later + 1));
                let state = walk * (LENGTH - 1) + at - 1;
                let (gain, error) = (found.gain[state], found.gain_error[state]);
                assert!(exact.is_within(gain, error), "walk {walk}, {at}: {gain:e} ± {error:e}");
                assert!(error <= f64::max(accuracy, 1e-11), "walk {walk}, {at}: {error:e}");
            }
        }
    }
}

/// A start law of 200 entries may be off by 202 ulps in its rounded sum, and that sum by 97 more.
#[test]
fn a_start_law_that_is_as_far_from_one_as_is_accepted_is_in_the_error() {
    const ENTRIES: usize = 200;
    let lost = 0.49 * f64::EPSILON;
    let first = 1.0 + (ENTRIES + 2) as f64 * f64::EPSILON;
    let mut builder = Mdp::builder();
    for state in 0..ENTRIES {
        builder.state().action(if state == 0 { 0.75 } else { 0.0 }, [(state, 1.0)]);
    }
    builder.start_law((0..ENTRIES).map(|state| (state, if state == 0 { first } else { lost })));
    let mdp = builder.build().unwrap();
    let law: Vec<f64> = mdp.start().map(|entry| entry.1).collect();
    assert_eq!((law[0], law.len()), (first, ENTRIES), "the law is kept as it is");
    let scale = law.iter().copied().map(fraction_bits).max().unwrap();
    let sum: BigInt = law.iter().map(|&p| integer(p, scale)).sum();
    let exact = Fraction(integer(first, scale) * 3, sum << 2);
    let (gain, error) = solve(&mdp).unwrap().gain_from_start(&mdp);
    assert!(exact.is_within(gain, error), "{gain:e} ± {error:e}");
    assert!(error < 500.0 * f64::EPSILON, "{error:e}");
}

/// The bounds on some states against exact arithmetic; the others are ends.
#[track_caller]
fn assert_exact(mdp: &Mdp, states: usize, most: f64) {
    let (problem, r_scale) = in_integers(mdp, states);
    let (values, whole) = problem.optimum();
    let whole = whole << r_scale;
    let answer = solve(mdp).unwrap();
    for (state, value) in values.into_iter().enumerate() {
        let (gain, error) = (answer.gain[state], answer.gain_error[state]);
        let exact = Fraction(value, whole.clone());
        assert!(exact.is_within(gain, error), "state {state}: {gain:e} ± {error:e}");
        assert!(error < most, "state {state}: {error:e}");
    }
}

/// The sum of the first row loses almost half an ulp with every entry, and the sum of the products gains almost half an
/// ulp, so that the mean is off by almost an ulp per entry.
#[test]
fn rounding_in_a_long_row_is_in_the_error() {
    const ENTRIES: usize = 200;
    let (likely, tiny) = (0.5 + 1e-6, 0.2499 * f64::EPSILON);
    let mdp = build(|b| {
        let rest = (2..ENTRIES).map(|state| (state, tiny));
        b.state().action(0.0, [(0, 1.0 - likely), (1, likely)].into_iter().chain(rest));
        for state in 1..ENTRIES {
            b.state().action(if state == 1 { 0.25 + 1e-6 } else { 0.2504 }, [(state, 1.0)]);
        }
        // A world with one end would have a constant gain.
        b.state().action(1.0, [(ENTRIES, 1.0)]);
    });
    assert_exact(&mdp, 1, 260.0 * f64::EPSILON);
}

/// Two states that lead to each other and to 1999 ends, most of them so rare that sums lose them: also the sum of what a
/// departure changes, which is large before the last end brings it back to 0.
#[test]
fn rounding_in_long_rows_of_a_circle_is_in_the_error() {
    const LAST: usize = 2_000;
    let tiny = 0.03 * f64::EPSILON;
    let mdp = build(|b| {
        for other in [1, 0] {
            let rare = (3..LAST).map(|state| (state, tiny));
            let likely = [(other, 0.25), (2, 0.5), (LAST, 0.25)];
            b.state().action(0.0, likely.into_iter().chain(rare));
        }
        for state in 2..=LAST {
            b.state().action(if state == 2 { 0.2 } else { 1.0 }, [(state, 1.0)]);
        }
    });
    assert_exact(&mdp, 2, 1e-12);
}

/// A fair walk of 24 steps between an end worth 0 and a state whose mean is computed too high by almost half an ulp per
/// entry of its long row, which is more than the walk's own rounding errors. Its upper bound, the best end, is exact.
#[test]
fn errors_outside_a_large_circle_are_in_its_error() {
    const STEPS: usize = 24;
    const ENTRIES: usize = 2_000;
    let (likely, tiny) = (0.5 + 1e-6, 0.2499 * f64::EPSILON);
    let top = STEPS - 1;
    let mdp = build(|b| {
        for at in 1..STEPS {
            let down = if at == 1 { top + 1 } else { at - 2 };
            b.state().action(0.0, [(down, 0.5), (at, 0.5)]);
        }
        let rest = (3..ENTRIES).map(|offset| (top + offset, tiny));
        let row = [(top, 1.0 - likely), (top + 2, likely)].into_iter().chain(rest);
        b.state().action(0.0, row);
        for offset in 1..ENTRIES {
            let reward = if offset == 2 { 0.25 } else { 0.0 };
            b.state().action(reward, [(top + offset, 1.0)]);
        }
    });
    let scale = fraction_bits(tiny);
    let chance = |state: usize, p: f64| (state, integer(p, scale));
    let row: Vec<(usize, BigInt)> = mdp.row(top).iter().map(|(next, p)| chance(next, p)).collect();
    let ends = || row.iter().filter(|entry| entry.0 != top);
    let r_scale = fraction_bits(0.25);
    let worth = |state: usize| integer(mdp.mean_reward(mdp.pairs_of(state).start), r_scale);
    let earned: BigInt = ends().map(|(next, weight)| weight * worth(*next)).sum();
    let total = ends().map(|entry| &entry.1).sum::<BigInt>() << r_scale;
    let found = gains(&mdp, Effort::default()).unwrap();
    for at in 1..=STEPS {
        let exact = Fraction(&earned * at, &total * STEPS);
        let (gain, error) = (found.gain[at - 1], found.gain_error[at - 1]);
        assert!(exact.is_within(gain, error), "{at}: {gain:e} ± {error:e}");
        assert!(error < 2e-12, "{at}: {error:e}");
    }
}
