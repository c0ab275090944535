//! Do the exact answers survive size, periods, many end components and astronomical times?
//!
//! Worlds whose answers are known in closed form, or carry their own proof, at sizes where a
//! quadratic step, a recursion or an overflow would show.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use tucrl::error::SolveError;
use tucrl::evaluate::{policy_hitting_times, policy_values};
use tucrl::hitting::{diameter, fastest_times};
use tucrl::mdp::Mdp;
use tucrl::policy::Policy;
use tucrl::solve::{solve, solve_to};
use tucrl::structure::{self, Class};
use tucrl::worlds::{Chain, DeepSea, Garnet, RiverSwim};

#[track_caller]
fn assert_relative(found: f64, expected: f64, tolerance: f64) {
    let error = (found / expected - 1.0).abs();
    assert!(error <= tolerance, "{found} is {error} of itself away from {expected}");
}

fn build(fill: impl FnOnce(&mut tucrl::mdp::MdpBuilder)) -> Mdp {
    let mut builder = Mdp::builder();
    fill(&mut builder);
    builder.build().unwrap()
}

/// The distance by which the optimality equation of a world with one gain fails.
fn bellman_gap(mdp: &Mdp, gain: f64, bias: &[f64]) -> f64 {
    let gap = |state: usize| {
        let worth = |pair: usize| mdp.mean_reward(pair) + mdp.row(pair).dot(bias);
        let best = mdp.pairs_of(state).map(worth).fold(f64::NEG_INFINITY, f64::max);
        (best - bias[state] - gain).abs()
    };
    (0..mdp.states()).map(gap).fold(0.0, f64::max)
}

#[test]
fn a_random_world_of_a_hundred_thousand_states_is_solved_to_rounding() {
    let mdp = Garnet { states: 100_000, actions: 4, branching: 5, seed: 1 }.build().unwrap();
    assert_eq!(mdp.transitions(), 2_000_000);
    let answer = solve(&mdp).unwrap();
    assert!(answer.gain_error.iter().all(|&error| error < 1e-9), "{}", answer.gain_error[0]);
    // The equation itself is the proof, checked here without the solver's own sweeps.
    assert!(bellman_gap(&mdp, answer.gain[0], &answer.bias) < 1e-12);
    let played = policy_values(&mdp, &answer.policy).unwrap();
    assert!((played.gain[0] - answer.gain[0]).abs() < 1e-12);
}

#[test]
fn less_accuracy_is_still_certified() {
    for states in [200, 3_000] {
        let mdp = Garnet { states, actions: 3, branching: 3, seed: 8 }.build().unwrap();
        let exact = solve(&mdp).unwrap();
        for accuracy in [1e-3, 1e-6, 1e-9] {
            let rough = solve_to(&mdp, accuracy).unwrap();
            let (gain, error) = rough.gain_from_start(&mdp);
            assert!(error <= accuracy, "{states} {accuracy}: {error}");
            assert!((gain - exact.gain[0]).abs() <= error + exact.gain_error[0]);
            assert!(rough.sweeps <= exact.sweeps);
        }
    }
}

#[test]
fn hitting_times_of_a_large_random_world_obey_their_equation() {
    // Elimination fills in here and sweeps must do it; shifted carelessly they diverged.
    for (states, target) in [(20_000, 3), (50_000, 5)] {
        let mdp = Garnet { states, actions: 2, branching: 3, seed: 1 }.build().unwrap();
        let times = fastest_times(&mdp, target).unwrap();
        assert_eq!(times[target], 0.0);
        let is_finite = |state: &usize| *state != target && times[*state].is_finite();
        let solved: Vec<usize> = (0..states).filter(is_finite).collect();
        assert!(solved.len() > states / 2, "{} of {states}", solved.len());
        let mut gap = 0.0;
        for &state in &solved {
            let time = |pair: usize| 1.0 + mdp.row(pair).dot(&times);
            let best = mdp.pairs_of(state).map(time).fold(f64::INFINITY, f64::min);
            gap = f64::max(gap, (best - times[state]).abs());
        }
        // If no action is off by more than e, the times are off by no more than the share e.
        assert!(gap < 1e-10, "target {target}: {gap}");
    }
}

#[test]
fn a_million_states_of_twenty_million_transitions_hold_no_second_copy() {
    let (states, actions, branching) = (1_000_000, 4, 5);
    let mdp = build(|builder| {
        let law: Vec<f64> = vec![0.2; branching];
        for state in 0..states {
            builder.state();
            for action in 0..actions {
                let next = |k: usize| (state * 7 + action * 131 + k * 977 + 1) % states;
                builder.action(0.5, law.iter().enumerate().map(|(k, &p)| (next(k), p)));
            }
        }
        builder.start_at(0);
    });
    assert_eq!((mdp.states(), mdp.pairs()), (states, states * actions));
    assert_eq!(mdp.transitions(), states * actions * branching);
    assert_eq!(mdp.max_support(), branching);
    // Entries are stored once and side by side: a row's slice ends where the next one begins.
    let (first, second) = (mdp.row(0), mdp.row(1));
    assert_eq!(first.next.as_ptr_range().end, second.next.as_ptr());
    assert_eq!(first.probability.as_ptr_range().end, second.probability.as_ptr());
    assert_eq!((size_of_val(first.next), size_of_val(first.probability)), (20, 40));
}

#[test]
fn a_long_river_is_swum_up_although_the_news_takes_long_to_arrive() {
    // A few sweeps of value iteration prefer the small reward; cycles through the first cell take
    // 7^1000 steps, which is no number.
    for length in [100, 400, 1_000, 20_000] {
        let mdp = RiverSwim { length }.build().unwrap();
        let answer = solve(&mdp).unwrap();
        // The last weight is 7/8 of 12 * 7^(n-3), those before it sum to 7/6 of that: 3/7.
        let (gain, error) = answer.gain_from_start(&mdp);
        assert!((gain - 3.0 / 7.0).abs() <= 1e-12, "length {length}: {gain}");
        assert!(error < 1e-9, "length {length}: error {error}");
        assert!((0..length).all(|cell| answer.policy.action(cell) == Some(1)), "length {length}");
    }
}

#[test]
fn a_river_of_a_thousand_cells_has_its_diameter() {
    let mdp = RiverSwim { length: 1_000 }.build().unwrap();
    let mut step = 5.0 / 3.0;
    let mut total = step;
    for _ in 1..999 {
        step = (1.0 + 0.05 * step) / 0.35;
        total += step;
    }
    assert_relative(diameter(&mdp, &|_, _| ()).unwrap(), total, 1e-12);
}

#[test]
fn a_cycle_of_a_hundred_thousand_states_is_periodic_and_exact() {
    let n = 100_000;
    let cycle = build(|builder| {
        for state in 0..n {
            let reward = if state == 0 { 1.0 } else { 0.0 };
            builder.state().action(reward, [((state + 1) % n, 1.0)]);
        }
        builder.start_at(0);
    });
    let answer = solve(&cycle).unwrap();
    assert_relative(answer.gain[7], 1e-5, 1e-12);
    assert_relative(answer.span(), 1.0 - 1e-5, 1e-9);
    assert!(answer.gain_error[0] < 1e-13);
    assert_eq!(fastest_times(&cycle, 0).unwrap()[1], (n - 1) as f64);
    assert_eq!(structure::end_components(&cycle).count(), 1);
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let n = 1_000_000;
    let line = build(|builder| {
        for state in 0..n {
            let ahead = (state + 1).min(n - 1);
            builder.state().action(0.25, [(ahead, 1.0)]);
        }
        builder.start_at(0);
    });
    let end_components = structure::end_components(&line);
    assert_eq!(structure::classify(&line, &end_components), Class::WeaklyCommunicating);
    assert_eq!(end_components.members(), [vec![n as u32 - 1]]);
    assert!(structure::reachable(&line).iter().all(|&is_reachable| is_reachable));
    assert_eq!(fastest_times(&line, n - 1).unwrap()[0], (n - 1) as f64);
    assert_eq!(fastest_times(&line, 0).unwrap()[1], f64::INFINITY);
}

#[test]
fn a_deep_sea_is_crossed() {
    let size = 100;
    let mdp = DeepSea { size }.build().unwrap();
    let answer = solve(&mdp).unwrap();
    assert_relative(answer.gain[0], 1.0 / size as f64, 1e-12);
    let span = answer.span_within(&structure::reachable(&mdp));
    assert_relative(span, 1.99 * 99.0 / 100.0, 1e-10);
}

#[test]
fn a_deep_sea_of_a_million_cells_is_crossed_in_twenty_seconds() {
    let mdp = DeepSea { size: 1_000 }.build().unwrap();
    let clock = std::time::Instant::now();
    let answer = solve(&mdp).unwrap();
    assert!(clock.elapsed().as_secs_f64() < 20.0, "{:?}", clock.elapsed());
    assert!((answer.gain[0] - 1e-3).abs() <= answer.gain_error[0]);
    assert!(answer.gain_error[0] < 1e-12, "{}", answer.gain_error[0]);
    let span = answer.span_within(&structure::reachable(&mdp));
    assert_relative(span, 1.99 * 999.0 / 1_000.0, 1e-9);
}

/// The next cells of going on from a cell of a corridor of some length.
type GoOn = fn(usize, usize) -> Vec<(usize, f64)>;

/// Corridors with "stay or go on", whose only reward is at the far end.
fn corridor(length: usize, mut go_on: impl FnMut(usize) -> Vec<(usize, f64)>) -> Mdp {
    build(|builder| {
        for cell in 0..length {
            builder.state().action(0.0, [(cell, 1.0)]).action(0.0, go_on(cell));
        }
        builder.state().action(1.0, [(length, 1.0)]);
        builder.state().action(0.3, [(length + 1, 1.0)]);
        builder.start_at(0);
    })
}

#[test]
fn a_corridor_of_any_length_is_walked_to_its_end() {
    for length in [1_199, 5_000] {
        let ways: [GoOn; 4] = [
            |cell, _| vec![(cell + 1, 1.0)],
            // A step back now and then, or a jump back to the start; both make the corridor one circle.
            |cell, _| vec![(cell + 1, 0.9), (cell.max(1) - 1, 0.1)],
            |cell, length| {
                if cell % 97 == 5 {
                    vec![(cell + 1, 0.5), (0, 0.5)]
                } else {
                    vec![(cell + 1, 1.0), (length + 1, 0.0)]
                }
            },
            // Numbered the other way round.
            |cell, length| vec![(if cell == 0 { length } else { cell - 1 }, 1.0)],
        ];
        for (way, go_on) in ways.iter().enumerate() {
            let mdp = corridor(length, |cell| go_on(cell, length));
            let clock = std::time::Instant::now();
            let answer = solve(&mdp).unwrap();
            let seconds = clock.elapsed().as_secs_f64();
            assert!(seconds < 2.0 * length as f64 / 1_199.0, "way {way}, {length}: {seconds} s");
            for cell in 0..=length {
                let (gain, error) = (answer.gain[cell], answer.gain_error[cell]);
                assert!(
                    (gain - 1.0).abs() <= error && error < 1e-9,
                    "way {way}, {cell}: {gain} ± {error}"
                );
            }
            assert_eq!(answer.policy.action(0), Some(1), "way {way}");
        }
    }
}

#[test]
fn a_rare_step_is_worth_as_much_as_it_saves() {
    // The second action reaches the target through state 1 in half the time of the first. One step of it
    // hardly changes the time, so that only a comparison per departure shows it.
    let mdp = build(|builder| {
        builder.state().action(0.0, [(0, 1.0), (2, 5e-17)]).action(0.0, [(0, 1.0), (1, 1e-16)]);
        builder.state().action(0.0, [(2, 1.0)]);
        builder.state().action(0.0, [(2, 1.0)]);
        builder.start_at(0);
    });
    assert_relative(fastest_times(&mdp, 2).unwrap()[0], 1e16, 1e-12);
}

#[test]
fn a_hundred_thousand_absorbing_states_take_no_quadratic_step() {
    let n = 100_000;
    // Even states may stay or gamble for the next one, which is worth a little more.
    let mdp = build(|builder| {
        for state in 0..n {
            builder.state().action(state as f64 / n as f64, [(state, 1.0)]);
            if state % 2 == 0 {
                builder.action(0.0, [(state, 0.5), (state + 1, 0.5)]);
            }
        }
        builder.start_at(0);
    });
    let end_components = structure::end_components(&mdp);
    assert_eq!(end_components.count(), n);
    assert_eq!(structure::classify(&mdp, &end_components), Class::Multichain);
    let answer = solve(&mdp).unwrap();
    for state in 0..n {
        let settled = (state | 1) as f64 / n as f64;
        assert!((answer.gain[state] - settled).abs() < 1e-12, "state {state}");
        assert!(answer.gain_error[state] < 1e-9);
        assert_eq!(answer.policy.action(state), Some((state + 1) % 2));
    }
}

#[test]
fn a_hundred_thousand_ways_to_get_lost_are_found_in_one_pass() {
    // From each state one may arrive or step towards a trap: none arrives surely.
    let n = 100_000;
    let mdp = build(|builder| {
        builder.state().action(0.0, [(0, 1.0)]);
        builder.state().action(0.0, [(1, 1.0)]);
        for state in 2..n {
            builder.state().action(0.0, [(0, 0.5), (state - 1, 0.5)]);
        }
        builder.start_at(n - 1);
    });
    let times = fastest_times(&mdp, 0).unwrap();
    assert_eq!(times[0], 0.0);
    assert!(times[1..].iter().all(|time| time.is_infinite()));
}

#[test]
fn astronomical_times_keep_their_digits() {
    // Forward n - 1 times in a row: ((1-s)^(1-n) - 1)/s steps.
    for (length, slip) in [(40, 0.5), (60, 0.5), (40, 0.4), (200, 0.25), (900, 0.5)] {
        let mdp = Chain { length, slip }.build().unwrap();
        let expected = ((1.0 - slip).powi(1 - length as i32) - 1.0) / slip;
        let fastest = fastest_times(&mdp, length - 1).unwrap();
        assert_relative(fastest[0], expected, 1e-10);
        let forward = Policy::deterministic(vec![0; length]);
        let walked = policy_hitting_times(&mdp, &forward, length - 1).unwrap();
        assert_relative(walked[0], expected, 1e-10);
    }
    // The same number by flips of a fair coin: 2^40 - 2 on average.
    let coins = fastest_times(&Chain { length: 40, slip: 0.5 }.build().unwrap(), 39).unwrap();
    assert_relative(coins[0], 2f64.powi(40) - 2.0, 1e-14);
}

#[test]
fn a_time_beyond_all_numbers_is_an_error_and_not_an_infinity() {
    // 2^1200 steps: finite, so infinity would be wrong.
    let mdp = Chain { length: 1_201, slip: 0.5 }.build().unwrap();
    let refused = fastest_times(&mdp, 1_200).unwrap_err();
    assert!(matches!(refused, SolveError::TooSlow { .. }), "{refused}");
    assert!(refused.to_string().contains("more than 1e308 steps"), "{refused}");
}

#[test]
fn a_detour_that_can_be_avoided_does_not_overflow() {
    // The first action of each cell drifts away from the target and reaches it after 7^1000 steps;
    // the second walks straight.
    let n = 1_000;
    let mdp = build(|builder| {
        for cell in 0..n {
            let (back, ahead) = (cell.max(1) - 1, (cell + 1).min(n - 1));
            builder.state().action(0.0, [(ahead, 0.875), (back, 0.125)]).action(0.0, [(back, 1.0)]);
        }
        builder.start_at(0);
    });
    let times = fastest_times(&mdp, 0).unwrap();
    assert_relative(times[n - 1], (n - 1) as f64, 1e-12);
}
