//! The exact answers against slow, obvious ones, and the properties that define them.
// The oracles are written as in a textbook, with indices.
#![allow(missing_docs, clippy::unwrap_used, clippy::needless_range_loop)]

use crate::support;

use proptest::prelude::*;
use support::*;
use tucrl::evaluate::{policy_hitting_times, policy_values};
use tucrl::hitting::{diameter, diameter_within, fastest_times};
use tucrl::mdp::Mdp;
use tucrl::policy::Policy;
use tucrl::solve::{BiasKind, Effort, Solution, gains, policy_gains, solve};
use tucrl::structure::{self, Class};

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance
}

/// The optimality equations of a multichain world, which define gain and bias.
fn check_optimality_equations(mdp: &Mdp, answer: &Solution) -> Result<(), TestCaseError> {
    for s in 0..mdp.states() {
        let expected_gain = |pair: usize| mdp.row(pair).dot(&answer.gain);
        let best = mdp.pairs_of(s).map(expected_gain).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(
            close(answer.gain[s], best, 1e-10),
            "gain of {s}: {} vs {best}",
            answer.gain[s]
        );
        let best = mdp
            .pairs_of(s)
            .filter(|&pair| expected_gain(pair) >= answer.gain[s] - 1e-9)
            .map(|pair| mdp.mean_reward(pair) + mdp.row(pair).dot(&answer.bias))
            .fold(f64::NEG_INFINITY, f64::max);
        let here = answer.gain[s] + answer.bias[s];
        prop_assert!(
            close(here, best, 1e-9 * (1.0 + answer.span())),
            "bias of {s}: {here} vs {best}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..Default::default() })]

    #[test]
    fn gains_agree_with_trying_every_policy(mdp in small_world(1..=5)) {
        let answer = solve(&mdp).unwrap();
        prop_assert_eq!(exact::violation(&mdp, &answer.gain, &answer.gain_error), None);
        prop_assert!(answer.gain_error.iter().all(|&e| e < 1e-9), "errors {:?}", answer.gain_error);
    }

    #[test]
    fn slow_worlds_are_solved_too(mdp in slow_world(1..=5)) {
        let answer = solve(&mdp).unwrap();
        prop_assert_eq!(exact::violation(&mdp, &answer.gain, &answer.gain_error), None);
        let actions: Vec<usize> =
            (0..mdp.states()).map(|s| answer.policy.action(s).unwrap()).collect();
        let played = exact::exact_gain(&mdp, &actions, exact::Reading::StayingIsTheRest);
        for s in 0..mdp.states() {
            let (gain, error) = (answer.gain[s], answer.gain_error[s]);
            prop_assert!(error <= 1e-8, "state {s}: error {error}");
            prop_assert!(played[s].is_within(gain, error), "policy in {s}");
        }
    }

    #[test]
    fn optimality_equations_hold_and_the_policy_earns_what_is_reported(mdp in small_world(1..=8)) {
        let answer = solve(&mdp).unwrap();
        check_optimality_equations(&mdp, &answer)?;
        let played = policy_gains(&mdp, &answer.policy, Effort::default()).unwrap();
        let alone = gains(&mdp, Effort::default()).unwrap();
        for s in 0..mdp.states() {
            // Three certified intervals of one number.
            let (gain, error) = (answer.gain[s], answer.gain_error[s]);
            for (other, its_error) in
                [(played.gain[s], played.gain_error[s]), (alone.gain[s], alone.gain_error[s])]
            {
                prop_assert!((other - gain).abs() <= error + its_error, "state {s}: {other}, {gain}");
                prop_assert!(its_error < 1e-9, "state {s}: {its_error}");
            }
        }
    }

    #[test]
    fn gains_agree_with_textbook_policy_iteration(mdp in small_world(2..=7)) {
        let answer = solve(&mdp).unwrap();
        for (s, &gain) in literal_policy_iteration(&mdp).iter().enumerate() {
            prop_assert!(close(answer.gain[s], gain, 1e-8), "state {s}: {} vs {gain}", answer.gain[s]);
        }
    }

    #[test]
    fn a_bias_that_is_not_unique_is_the_limit_of_value_iteration(mdp in small_world(1..=5)) {
        let answer = solve(&mdp).unwrap();
        prop_assert!(answer.bias_kind != BiasKind::Policy, "small worlds always converge");
        if structure::end_components(&mdp).count() == 1 {
            let mut v = vec![0.0; mdp.states()];
            for _ in 0..20_000 {
                let swept: Vec<f64> = (0..mdp.states()).map(|s| {
                    let worth = |p: usize| mdp.mean_reward(p) + 0.9 * mdp.row(p).dot(&v) + 0.1 * v[s];
                    mdp.pairs_of(s).map(worth).fold(f64::NEG_INFINITY, f64::max)
                }).collect();
                let lowest = swept.iter().copied().fold(f64::INFINITY, f64::min);
                v = swept.into_iter().map(|x| x - lowest).collect();
            }
            for s in 0..mdp.states() {
                prop_assert!(
                    close(answer.bias[s], 0.9 * v[s], 1e-8),
                    "{:?}: state {s}: {} vs {}", answer.bias_kind, answer.bias[s], 0.9 * v[s]
                );
            }
        }
    }

    #[test]
    fn policy_values_agree_with_the_limit_matrix(mdp in small_world(1..=6), mix in 0u32..=4) {
        // A randomised policy: the first and the last action, mixed.
        let first = f64::from(mix) / 4.0;
        let policy = Policy::randomised((0..mdp.states()).map(|s| {
            [(0, first), (mdp.actions(s) - 1, 1.0 - first)]
        }));
        let n = mdp.states();
        let (mut p, mut r) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for s in 0..n {
            for (a, w) in policy.choices(s) {
                let pair = mdp.pair(s, a);
                r[s] += w * mdp.mean_reward(pair);
                mdp.row(pair).iter().for_each(|(next, q)| p[s][next] += w * q);
            }
        }
        let limit = limit_matrix(&p);
        let values = policy_values(&mdp, &policy).unwrap();
        for s in 0..n {
            let gain: f64 = (0..n).map(|j| limit[s][j] * r[j]).sum();
            prop_assert!(close(values.gain[s], gain, 1e-9), "gain of {s}");
            let next: f64 = (0..n).map(|j| p[s][j] * values.bias[j]).sum();
            let here = values.gain[s] + values.bias[s];
            prop_assert!(close(here, r[s] + next, 1e-9 * (1.0 + here.abs())), "bias equation of {s}");
            // The Cesaro normalisation: the limit matrix annihilates the bias.
            let mean: f64 = (0..n).map(|j| limit[s][j] * values.bias[j]).sum();
            prop_assert!(mean.abs() < 1e-8, "normalisation of {s}: {mean}");
        }
        for class in &values.classes {
            for &(s, mass) in class {
                prop_assert!(close(limit[s as usize][s as usize], mass, 1e-9), "stationary law");
            }
        }
    }

    #[test]
    fn hitting_times_are_the_best_over_all_policies(mdp in small_world(1..=5), pick in 0usize..5) {
        let target = pick % mdp.states();
        let fastest = fastest_times(&mdp, target).unwrap();
        let mut best = vec![f64::INFINITY; mdp.states()];
        for policy in all_deterministic_policies(&mdp) {
            let times = literal_hitting_times(&mdp, &policy, target);
            let ours = policy_hitting_times(&mdp, &Policy::deterministic(policy), target).unwrap();
            for s in 0..mdp.states() {
                prop_assert!(close(ours[s], times[s], 1e-9 * times[s]), "policy time from {s}");
                best[s] = best[s].min(times[s]);
            }
        }
        for s in 0..mdp.states() {
            prop_assert!(close(fastest[s], best[s], 1e-9 * best[s]), "{s}: {} vs {}", fastest[s], best[s]);
        }
    }

    #[test]
    fn diameters_order_and_hitting_times_obey_the_triangle_inequality(mdp in small_world(1..=7)) {
        let n = mdp.states();
        let to: Vec<Vec<f64>> = (0..n).map(|t| fastest_times(&mdp, t).unwrap()).collect();
        for a in 0..n {
            for b in 0..n {
                for c in 0..n {
                    let direct = to[c][a];
                    let via = to[b][a] + to[c][b];
                    prop_assert!(direct <= via * (1.0 + 1e-9), "{a} to {c} via {b}: {direct} > {via}");
                }
            }
        }
        let longest = (0..n).flat_map(|t| to[t].clone()).fold(0.0, f64::max);
        let whole = diameter(&mdp, &|_, _| ()).unwrap();
        prop_assert!(close(whole, longest, 1e-9 * longest), "{whole} vs {longest}");
        let reachable = structure::reachable(&mdp);
        let within = diameter_within(&mdp, &reachable, &|_, _| ()).unwrap();
        prop_assert!(within <= whole);
        let recoverable = structure::start_is_recoverable(&mdp, &reachable);
        prop_assert_eq!(within.is_finite(), recoverable);
        if whole.is_finite() {
            let span = solve(&mdp).unwrap().span();
            prop_assert!(span <= mdp.r_max() * whole * (1.0 + 1e-9) + 1e-9, "span {span} > D {whole}");
        }
    }

    #[test]
    fn relabelling_states_permutes_the_answers(mdp in small_world(2..=6), shift in 1usize..6) {
        let n = mdp.states();
        let moved = |s: usize| (s + shift) % n;
        let back = |s: usize| (s + n - shift % n) % n;
        let mut builder = Mdp::builder();
        for s in 0..n {
            builder.state();
            for pair in mdp.pairs_of(back(s)) {
                let row: Vec<_> = mdp.row(pair).iter().map(|(next, p)| (moved(next), p)).collect();
                builder.action(mdp.mean_reward(pair), row);
            }
        }
        builder.start_law(mdp.start().map(|(s, p)| (moved(s), p)));
        let other = builder.build().unwrap();
        let (a, b) = (solve(&mdp).unwrap(), solve(&other).unwrap());
        for s in 0..n {
            prop_assert!(close(a.gain[s], b.gain[moved(s)], 1e-10), "gain");
            prop_assert!(close(a.bias[s], b.bias[moved(s)], 1e-8 * (1.0 + a.span())), "bias");
        }
        let class = |m: &Mdp| structure::classify(m, &structure::end_components(m));
        prop_assert_eq!(class(&mdp), class(&other));
        let (da, db) = (diameter(&mdp, &|_, _| ()).unwrap(), diameter(&other, &|_, _| ()).unwrap());
        prop_assert!(close(da, db, 1e-9 * da), "diameter {da} vs {db}");
    }

    #[test]
    fn end_components_are_what_their_definition_says(mdp in small_world(1..=7)) {
        let found = structure::end_components(&mdp);
        let n = mdp.states();
        // A state lies in an end component iff some policy returns to it infinitely often: for small worlds,
        // iff it is in a closed class of some deterministic policy.
        let mut is_recurrent = vec![false; n];
        if all_deterministic_policies(&mdp).len() <= 2_500 {
            for policy in all_deterministic_policies(&mdp) {
                for class in policy_values(&mdp, &Policy::deterministic(policy)).unwrap().classes {
                    class.iter().for_each(|&(s, _)| is_recurrent[s as usize] = true);
                }
            }
            for s in 0..n {
                prop_assert_eq!(found.of(s).is_some(), is_recurrent[s], "state {}", s);
            }
        }
        for s in 0..n {
            for pair in mdp.pairs_of(s) {
                let inside = mdp.row(pair).iter().all(|(next, _)| found.of(next) == found.of(s));
                prop_assert_eq!(found.pair_stays(pair), found.of(s).is_some() && inside);
            }
        }
        let class = structure::classify(&mdp, &found);
        let communicates = diameter(&mdp, &|_, _| ()).unwrap().is_finite();
        prop_assert_eq!(class == Class::Communicating, communicates);
        prop_assert_eq!(class == Class::Multichain, found.count() > 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..Default::default() })]

    #[test]
    fn gains_agree_with_a_linear_program(mdp in small_world(1..=6)) {
        let answer = solve(&mdp).unwrap();
        for (s, &gain) in linear_program_gain(&mdp).iter().enumerate() {
            prop_assert!(close(answer.gain[s], gain, 1e-6), "state {s}: {} vs {gain}", answer.gain[s]);
        }
    }
}

/// Expected steps of a deterministic policy by dense elimination; infinite where it may miss.
fn literal_hitting_times(mdp: &Mdp, policy: &[usize], target: usize) -> Vec<f64> {
    let n = mdp.states();
    let (mut p, _) = dense_chain(mdp, policy);
    p[target] = (0..n).map(|j| f64::from(u8::from(j == target))).collect();
    let limit = limit_matrix(&p);
    let sure: Vec<usize> =
        (0..n).filter(|&s| s != target && limit[s][target] > 1.0 - 1e-9).collect();
    let a = sure
        .iter()
        .map(|&i| sure.iter().map(|&j| f64::from(u8::from(i == j)) - p[i][j]).collect())
        .collect();
    let mut times = vec![f64::INFINITY; n];
    times[target] = 0.0;
    for (&s, time) in sure.iter().zip(dense_solve(a, vec![1.0; sure.len()])) {
        times[s] = time;
    }
    times
}

#[test]
fn the_random_worlds_cover_all_three_classes() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::HashMap::new();
    for _ in 0..500 {
        let mdp = small_world(1..=6).new_tree(&mut runner).unwrap().current();
        let class = structure::classify(&mdp, &structure::end_components(&mdp));
        *seen.entry(class.to_string()).or_insert(0) += 1;
    }
    for class in ["communicating", "weakly communicating", "multichain"] {
        assert!(seen.get(class).copied().unwrap_or(0) >= 40, "{class}: {seen:?}");
    }
}
