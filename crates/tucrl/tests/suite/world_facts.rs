//! Do the worlds have the gains, spans, diameters and components that their documentation claims?
//!
//! Every number in the world files and their documentation, from the public solver. A number
//! printed with k digits after the point is held to half a unit of the last one; closed forms are
//! held to rounding, over a sweep of their parameters.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use tucrl::evaluate::{policy_hitting_times, policy_values};
use tucrl::hitting::{diameter, diameter_within, fastest_times};
use tucrl::mdp::Mdp;
use tucrl::policy::Policy;
use tucrl::solve::{BiasKind, Solution, solve};
use tucrl::structure::{self, Class};
use tucrl::worlds::{
    Breakout, Chain, CliffWalking, DeepSea, FourRooms, FrozenLake, FrozenLakeMap, Garnet,
    MountainCar, RiverSwim, SixArms, Taxi, TaxiJunk, TaxiMap, Theta, ThreeState, ThreeStateRewards,
    TwoState,
};

/// Everything that is claimed about a world, computed once.
struct Facts {
    mdp: Mdp,
    class: Class,
    /// Sizes of the maximal end components, largest first.
    components: Vec<usize>,
    is_reachable: Vec<bool>,
    answer: Solution,
}

fn facts(mdp: Mdp) -> Facts {
    let end_components = structure::end_components(&mdp);
    let mut components: Vec<usize> = end_components.members().iter().map(Vec::len).collect();
    components.sort_by_key(|&size| std::cmp::Reverse(size));
    let answer = solve(&mdp).unwrap();
    // Whatever the world, the policy earns what is reported and the bounds are worth having:
    // rounding in a difference of biases grows with their span.
    let allowed = 1e-10 + 1e-14 * answer.span();
    let played = policy_values(&mdp, &answer.policy).unwrap();
    for state in 0..mdp.states() {
        assert_near(played.gain[state], answer.gain[state], 1e-12);
        assert!(answer.gain_error[state] < allowed, "error {}", answer.gain_error[state]);
    }
    Facts {
        class: structure::classify(&mdp, &end_components),
        components,
        is_reachable: structure::reachable(&mdp),
        answer,
        mdp,
    }
}

impl Facts {
    fn gain(&self) -> f64 {
        self.answer.gain_from_start(&self.mdp).0
    }

    fn span(&self) -> f64 {
        self.answer.span()
    }

    fn span_reachable(&self) -> f64 {
        self.answer.span_within(&self.is_reachable)
    }

    fn diameter(&self) -> f64 {
        diameter(&self.mdp, &|_, _| ()).unwrap()
    }

    fn diameter_reachable(&self) -> f64 {
        diameter_within(&self.mdp, &self.is_reachable, &|_, _| ()).unwrap()
    }

    fn reachable(&self) -> usize {
        self.is_reachable.iter().filter(|&&is_reachable| is_reachable).count()
    }

    fn support_reachable(&self) -> usize {
        structure::max_support_within(&self.mdp, &self.is_reachable)
    }

    fn start_is_recoverable(&self) -> bool {
        structure::start_is_recoverable(&self.mdp, &self.is_reachable)
    }

    /// h* relative to one state.
    fn bias_from(&self, origin: usize) -> Vec<f64> {
        self.answer.bias.iter().map(|bias| bias - self.answer.bias[origin]).collect()
    }
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not within {tolerance} of {expected}"
    );
}

/// A closed form: right to `1e-12` of its size.
#[track_caller]
fn assert_is(found: f64, expected: f64) {
    assert_near(found, expected, 1e-12 * expected.abs().max(1.0));
}

#[test]
fn three_states_follow_the_closed_forms_for_every_delta() {
    for delta in [1e-6, 0.001, 0.005, 0.1, 0.2, 1.0 / 3.0, 0.5, 0.9, 0.999] {
        for rewards in
            [ThreeStateRewards::Uniform, ThreeStateRewards::Bernoulli, ThreeStateRewards::Mean]
        {
            let found = facts(ThreeState { delta, rewards }.build().unwrap());
            let stay = 1.0 - delta;
            assert_eq!(found.class, Class::Communicating);
            assert_eq!((found.mdp.states(), found.mdp.max_actions()), (3, 2));
            assert_eq!((found.mdp.r_max(), found.reachable()), (1.0, 3));
            assert_eq!(found.support_reachable(), 2);
            assert_is(found.gain(), 2.0 / 3.0);
            assert_eq!(found.answer.policy.action(2), Some(1), "a1 is optimal");
            let bias = found.bias_from(2);
            assert_is(bias[0], -(2.0 + delta) / (3.0 * stay));
            assert_is(bias[1], -1.0 / stay);
            assert_is(found.span(), 1.0 / stay);
            let to = |target| fastest_times(&found.mdp, target).unwrap();
            assert_is(to(1)[0], 1.0 / delta);
            assert_is(to(1)[2], 1.0 / delta);
            assert_is(to(0)[2], 1.0 + delta);
            assert_is(to(0)[1], 1.0);
            assert_is(to(2)[0], (1.0 + delta) / stay);
            assert_is(to(2)[1], 2.0 / stay);
            assert_is(found.diameter(), f64::max(1.0 / delta, 2.0 / stay));
            assert_eq!(found.diameter(), found.diameter_reachable());
        }
    }
}

#[test]
fn three_states_have_the_numbers_that_were_checked_by_hand() {
    let at = |delta| facts(ThreeState { delta, ..Default::default() }.build().unwrap());
    assert_near(at(0.005).span(), 1.00502513, 5e-9);
    assert_is(at(0.005).diameter(), 200.0);
    assert_is(at(0.2).span(), 1.25);
    assert_is(at(0.2).diameter(), 5.0);
}

#[test]
fn three_states_without_slip_cannot_see_the_middle_one() {
    let found = facts(ThreeState { delta: 0.0, ..Default::default() }.build().unwrap());
    assert_eq!(found.class, Class::WeaklyCommunicating);
    assert_eq!(found.is_reachable, [true, false, true]);
    assert_eq!(found.components, [2]);
    assert!(found.start_is_recoverable());
    assert_eq!(found.diameter(), f64::INFINITY);
    assert_is(found.diameter_reachable(), 1.0);
    assert_eq!(found.support_reachable(), 1);
    assert_is(found.gain(), 2.0 / 3.0);
    assert_is(found.span(), 1.0);
    assert_is(found.span_reachable(), 2.0 / 3.0);
    let forever_a0 = policy_values(&found.mdp, &Policy::deterministic([0, 0, 0])).unwrap();
    for gain in forever_a0.gain {
        assert_is(gain, 1.0 / 3.0);
    }
    assert_eq!(fastest_times(&found.mdp, 1).unwrap(), [f64::INFINITY, 0.0, f64::INFINITY]);
}

/// `(map, optimal steps per 300 trips, span, D^C)`.
const TAXI: [(TaxiMap, f64, f64, f64); 2] = [
    (TaxiMap::Map2018, 3761.0, 0.94921563, 72.06666667),
    (TaxiMap::V3, 3921.0, 0.91048202, 74.10666667),
];

#[test]
fn the_taxi_without_junk_communicates() {
    for (map, steps, span, farthest) in TAXI {
        let found = facts(Taxi { map, junk: TaxiJunk::Removed }.build().unwrap());
        assert_eq!((found.mdp.states(), found.mdp.max_actions()), (400, 6));
        assert_eq!((found.class, found.components.as_slice()), (Class::Communicating, &[400][..]));
        assert_eq!((found.reachable(), found.support_reachable()), (400, 300));
        assert_is(found.gain(), 0.3 + 210.0 / steps);
        assert_near(found.span(), span, 5e-9);
        assert_near(found.diameter(), farthest, 5e-9);
        assert!(found.start_is_recoverable());
    }
    let gain = |map| facts(Taxi { map, junk: TaxiJunk::Removed }.build().unwrap()).gain();
    assert_near(gain(TaxiMap::Map2018), 0.3558362138, 5e-11);
    assert_near(gain(TaxiMap::V3), 0.3535577659, 5e-11);
}

#[test]
fn the_taxi_with_junk_has_five_end_components_and_one_gain() {
    for (map, steps, span, farthest) in TAXI {
        let found = facts(Taxi { map, junk: TaxiJunk::Present }.build().unwrap());
        assert_eq!(found.mdp.states(), 500);
        assert_eq!(found.class, Class::Multichain);
        assert_eq!(found.components, [400, 25, 25, 25, 25]);
        assert_eq!((found.reachable(), found.support_reachable()), (400, 300));
        for (index, &gain) in found.answer.gain.iter().enumerate() {
            assert_is(gain, 0.3 + 210.0 / steps);
            assert_eq!(found.is_reachable[index], index % 5 != 0, "state {index}");
        }
        assert_near(found.span_reachable(), span, 5e-9);
        assert_near(found.span(), span, 5e-9);
        assert_near(found.diameter_reachable(), farthest, 5e-9);
        assert_eq!(found.diameter(), f64::INFINITY);
        assert!(found.start_is_recoverable());
    }
}

#[test]
fn the_taxi_with_looping_junk_has_a_hundred_and_one_end_components() {
    for (map, steps, span, farthest) in TAXI {
        let found = facts(Taxi { map, junk: TaxiJunk::SelfLoop }.build().unwrap());
        assert_eq!(found.class, Class::Multichain);
        assert_eq!(found.components.len(), 101);
        assert_eq!((found.components[0], found.components[1]), (400, 1));
        assert_eq!((found.reachable(), found.support_reachable()), (400, 300));
        for (index, &gain) in found.answer.gain.iter().enumerate() {
            assert_is(gain, if index % 5 == 0 { 0.0 } else { 0.3 + 210.0 / steps });
        }
        assert_near(found.span_reachable(), span, 5e-9);
        assert_near(found.diameter_reachable(), farthest, 5e-9);
        assert_eq!(found.diameter(), f64::INFINITY);
    }
}

#[test]
fn an_optimal_taxi_trip_takes_the_mean_length_of_the_table() {
    for (map, steps, _, _) in TAXI {
        let found = facts(Taxi { map, junk: TaxiJunk::Removed }.build().unwrap());
        let played = policy_values(&found.mdp, &found.answer.policy).unwrap();
        let [class] = played.classes.as_slice() else { panic!("one closed class") };
        // Deliveries are the only steps that pay 1; their share is one in a trip's length.
        let deliveries: f64 = class
            .iter()
            .filter(|&&(state, _)| {
                let action = found.answer.policy.action(state as usize).unwrap();
                found.mdp.mean_reward(found.mdp.pair(state as usize, action)) == 1.0
            })
            .map(|&(_, share)| share)
            .sum();
        assert_is(1.0 / deliveries, steps / 300.0);
    }
    assert_near(3761.0 / 300.0, 12.53667, 5e-6);
    assert_near(3921.0 / 300.0, 13.07, 5e-9);
}

#[test]
fn two_states_follow_the_closed_forms_for_every_epsilon() {
    for epsilon in [1e-6, 0.001, 0.05, 0.1, 0.25, 0.5, 1.0] {
        for keep_loop_at_zero in [false, true] {
            let found = facts(TwoState { epsilon, keep_loop_at_zero }.build().unwrap());
            assert_eq!(found.class, Class::Communicating);
            assert_eq!(found.mdp.max_support(), if epsilon < 1.0 { 2 } else { 1 });
            assert_is(found.gain(), 1.0);
            assert_is(found.span(), 1.0 / epsilon);
            assert_is(found.diameter(), 1.0 / epsilon);
            assert_eq!(found.answer.policy, Policy::deterministic([0, 0]));
            let lazy = policy_values(&found.mdp, &Policy::deterministic([1, 1])).unwrap();
            assert_eq!(lazy.gain, [0.5, 0.5]);
        }
    }
}

#[test]
fn two_states_at_zero_leave_one_out_of_reach() {
    let found = facts(TwoState::default().build().unwrap());
    assert_eq!(found.class, Class::WeaklyCommunicating);
    assert_eq!(
        (found.is_reachable.as_slice(), found.components.as_slice()),
        (&[true, false][..], &[1][..])
    );
    assert_eq!(found.answer.gain.len(), 2);
    assert_is(found.answer.gain[0], 0.5);
    assert_is(found.answer.gain[1], 0.5);
    assert_is(found.span(), 0.5);
    assert_eq!((found.span_reachable(), found.diameter_reachable()), (0.0, 0.0));
    assert_eq!(found.diameter(), f64::INFINITY);
    // The gap: always b in x earns nothing.
    assert_eq!(policy_values(&found.mdp, &Policy::deterministic([0, 0])).unwrap().gain, [0.0, 0.0]);
}

#[test]
fn two_states_at_zero_with_the_loop_are_multichain() {
    let found = facts(TwoState { keep_loop_at_zero: true, ..Default::default() }.build().unwrap());
    assert_eq!((found.class, found.components.as_slice()), (Class::Multichain, &[1, 1][..]));
    assert_eq!(found.is_reachable, [true, false]);
    assert_is(found.answer.gain[0], 0.5);
    assert_is(found.answer.gain[1], 1.0);
    assert_eq!((found.diameter(), found.diameter_reachable()), (f64::INFINITY, 0.0));
    assert_eq!(fastest_times(&found.mdp, 0).unwrap(), [0.0, 1.0]);
    assert_eq!(fastest_times(&found.mdp, 1).unwrap(), [f64::INFINITY, 0.0]);
}

#[test]
fn theta_follows_the_closed_forms_for_any_pair_of_rows() {
    for theta in [1e-6, 0.01, 0.1, 0.25, 0.5, 0.75, 1.0] {
        let found = facts(Theta::symmetric(theta).build().unwrap());
        assert_eq!(found.class, Class::Communicating);
        assert_is(found.gain(), 0.5);
        assert_is(found.span(), 0.5 / theta);
        assert_is(found.diameter(), 1.0 / theta);
        for theta_y in [1e-4, 0.03, 0.3, 1.0] {
            let found = facts(Theta { theta_x: theta, theta_y }.build().unwrap());
            assert_is(found.gain(), theta / (theta + theta_y));
            assert_is(found.span(), 1.0 / (theta + theta_y));
            assert_is(found.diameter(), f64::max(1.0 / theta, 1.0 / theta_y));
            assert_eq!(found.answer.bias_kind, BiasKind::Unique);
        }
    }
}

#[test]
fn theta_at_one_is_periodic_and_its_bias_is_the_mean_over_the_period() {
    let found = facts(Theta::symmetric(1.0).build().unwrap());
    assert_is(found.span(), 0.5);
    let played = policy_values(&found.mdp, &Policy::uniform(&found.mdp)).unwrap();
    assert_is(played.bias[0], -0.25);
    assert_is(played.bias[1], 0.25);
}

#[test]
fn theta_at_zero_is_multichain_with_a_flat_bias() {
    let found = facts(Theta::symmetric(0.0).build().unwrap());
    assert_eq!((found.class, found.components.as_slice()), (Class::Multichain, &[1, 1][..]));
    assert_eq!(found.answer.gain, [0.0, 1.0]);
    assert_eq!(found.answer.bias, [0.0, 0.0]);
    assert_eq!((found.diameter(), found.diameter_reachable()), (f64::INFINITY, 0.0));
    // One row closed, the other open: weakly communicating, and everything drains.
    let drain = facts(Theta { theta_x: 0.25, theta_y: 0.0 }.build().unwrap());
    assert_eq!(drain.class, Class::WeaklyCommunicating);
    assert_is(drain.gain(), 1.0);
    assert_is(drain.span(), 4.0);
    assert!(!drain.start_is_recoverable(), "from y nothing leads back to x");
    assert_eq!(drain.diameter_reachable(), f64::INFINITY);
}

#[test]
fn mountain_car_has_the_facts_of_the_table() {
    let found = facts(MountainCar::default().build().unwrap());
    assert_eq!((found.mdp.states(), found.mdp.max_actions()), (420, 3));
    assert_eq!(
        (found.class, found.components.as_slice()),
        (Class::WeaklyCommunicating, &[371][..])
    );
    assert_eq!((found.reachable(), found.support_reachable()), (371, 8));
    assert_near(found.gain(), 0.0436560076, 5e-11);
    assert_near(found.span(), 1.00613929, 5e-9);
    assert_near(found.diameter_reachable(), 413170.1699, 5e-5);
    assert_eq!(found.diameter(), f64::INFINITY);
    assert!(found.start_is_recoverable());
    let gaps: [(usize, &[std::ops::RangeInclusive<usize>]); 12] = [
        (0, &[15..=20]),
        (1, &[17..=20]),
        (2, &[18..=20]),
        (3, &[20..=20]),
        (4, &[20..=20]),
        (13, &[0..=0]),
        (14, &[0..=0]),
        (15, &[0..=2, 20..=20]),
        (16, &[0..=3]),
        (17, &[0..=4]),
        (18, &[0..=6]),
        (19, &[0..=11]),
    ];
    for (state, &is_reachable) in found.is_reachable.iter().enumerate() {
        let (position, velocity) = (state / 21, state % 21);
        let is_gap = gaps
            .iter()
            .any(|(i, ranges)| *i == position && ranges.iter().any(|j| j.contains(&velocity)));
        assert_eq!(is_reachable, !is_gap, "position {position}, velocity {velocity}");
    }
}

#[test]
fn mountain_car_without_held_actions_blurs_its_gaps() {
    let mdp = MountainCar { frames: 1, ..Default::default() }.build().unwrap();
    let unreachable = structure::reachable(&mdp).iter().filter(|&&is_inside| !is_inside).count();
    assert_eq!(unreachable, 12);
}

#[test]
fn breakout_has_the_facts_of_the_table() {
    // Spans and gains without slip are short decimals; the others have the digits of the table.
    let table = [
        (2, 2, 0.0, 32, 12, 0.75, 0.5, Some((5.0, 1e-9)), 1),
        (2, 2, 0.1, 32, 16, 0.7370544090, 0.53564728, Some((83.35802632, 5e-9)), 2),
        (3, 2, 0.0, 192, 42, 0.75, 1.5, Some((8.0, 1e-9)), 1),
        (3, 2, 0.1, 192, 74, 0.7266559737, 1.35422865, Some((1709.852967, 5e-7)), 3),
        (3, 3, 0.1, 1536, 183, 0.6493689865, 1.55197230, None, 3),
        (4, 2, 0.1, 1024, 292, 0.7216734486, 1.55312325, None, 3),
    ];
    for (width, height, slip, states, reachable, gain, span, farthest, support) in table {
        let found = facts(Breakout { width, height, slip }.build().unwrap());
        assert_eq!((found.mdp.states(), found.reachable()), (states, reachable));
        assert_eq!(found.class, Class::WeaklyCommunicating);
        assert_eq!(found.components, [reachable], "unreachable walls are transient");
        assert_eq!(found.support_reachable(), support);
        assert!(found.start_is_recoverable());
        assert_near(found.gain(), gain, 5e-11);
        assert_near(found.span_reachable(), span, 5e-9);
        assert_eq!(found.diameter(), f64::INFINITY);
        if let Some((farthest, digits)) = farthest {
            assert_near(found.diameter_reachable(), farthest, digits);
        }
        assert_eq!(
            found.answer.bias_kind,
            BiasKind::Unique,
            "no choice of bias hides in the spans"
        );
    }
}

#[test]
fn river_swim_has_the_gain_of_a_birth_and_death_chain() {
    for length in [3, 6, 12, 25, 50] {
        let found = facts(RiverSwim { length }.build().unwrap());
        let mut weights = vec![1.0];
        weights.extend((0..length as i32 - 2).map(|k| 12.0 * 7f64.powi(k)));
        weights.push(weights[length - 2] * 0.875);
        assert_eq!((found.class, found.mdp.max_support()), (Class::Communicating, 3));
        assert_is(found.gain(), weights[length - 1] / weights.iter().sum::<f64>());
        let mut step = 5.0 / 3.0;
        let mut total = step;
        for _ in 1..length - 1 {
            step = (1.0 + 0.05 * step) / 0.35;
            total += step;
        }
        assert_is(found.diameter(), f64::max(total, (length - 1) as f64));
    }
    let six = facts(RiverSwim::default().build().unwrap());
    assert_near(six.gain(), 0.42862243, 5e-9);
    assert_near(six.diameter(), 14.7223, 5e-5);
    let two = facts(RiverSwim { length: 2 }.build().unwrap());
    assert_is(two.gain(), 0.6);
}

#[test]
fn the_last_of_six_arms_is_worth_a_hundred_tries() {
    let found = facts(SixArms.build().unwrap());
    assert_eq!((found.class, found.reachable()), (Class::Communicating, 7));
    assert_eq!(found.mdp.max_support(), 2);
    assert_is(found.gain(), 1.0);
    assert_is(found.diameter(), 101.0);
    assert_is(found.span(), 101.0);
    let bias = found.bias_from(6);
    assert_is(bias[0], -100.0);
    for &other_arm in &bias[1..6] {
        assert_is(other_arm, -101.0);
    }
}

#[test]
fn the_chain_is_walked_forward() {
    for (length, slip) in [(5, 0.2), (3, 0.0), (8, 0.1), (4, 0.2), (20, 0.02)] {
        let found = facts(Chain { length, slip }.build().unwrap());
        let forward = vec![0; length];
        let (stay, n) = (1.0 - slip, length as i32);
        let gain = stay.powi(n) + 0.2 * slip;
        let walked = policy_values(&found.mdp, &Policy::deterministic(forward.clone())).unwrap();
        assert_is(walked.gain[0], gain);
        assert_is(found.gain(), gain);
        assert_eq!(found.class, Class::Communicating);
        let steps = if slip > 0.0 { (stay.powi(1 - n) - 1.0) / slip } else { length as f64 - 1.0 };
        let times = policy_hitting_times(&found.mdp, &Policy::deterministic(forward), length - 1);
        assert_is(times.unwrap()[0], steps);
        assert_is(found.diameter(), steps);
    }
    let default = facts(Chain::default().build().unwrap());
    assert_is(default.gain(), 0.36768);
    assert_near(default.diameter(), 7.207, 5e-4);
    assert_eq!((default.reachable(), default.support_reachable()), (5, 2));
}

#[test]
fn the_deep_sea_pays_one_in_its_depth() {
    for size in [1, 2, 3, 7, 10, 30] {
        let found = facts(DeepSea { size }.build().unwrap());
        let n = size as f64;
        assert_eq!(found.mdp.states(), size * size);
        assert_eq!((found.reachable(), found.support_reachable()), (size * (size + 1) / 2, 1));
        assert_eq!(found.components, [size * (size + 1) / 2]);
        assert_is(found.gain(), 1.0 / n);
        assert_is(found.diameter_reachable(), 2.0 * n - 2.0);
        assert_is(found.span_reachable(), 1.99 * (n - 1.0) / n);
        let bias = found.bias_from(0);
        for (row, column) in (0..size).flat_map(|row| (0..=row).map(move |column| (row, column))) {
            let depth = row as f64;
            let expected = if row == column { depth / n } else { -0.99 * (n - depth) / n };
            assert_is(bias[row * size + column], expected);
        }
    }
}

#[test]
fn four_rooms_cost_twenty_moves() {
    for (slip, gain, tolerance) in [(0.0, 1.0 / 21.0, 1e-13), (1.0 / 3.0, 0.0265737034, 5e-11)] {
        let found = facts(FourRooms { slip }.build().unwrap());
        assert_eq!((found.mdp.states(), found.reachable()), (104, 104));
        assert_eq!(found.class, Class::Communicating);
        assert_eq!(found.support_reachable(), if slip == 0.0 { 1 } else { 4 });
        assert_near(found.gain(), gain, tolerance);
        assert_is(found.span(), 1.0 - found.gain());
        let bias = found.bias_from(0);
        assert_is(bias[103], 1.0 - found.gain());
        assert!(bias.iter().all(|&bias| bias >= -1e-12), "the start is worst");
    }
    let dry = FourRooms { slip: 0.0 }.build().unwrap();
    assert_eq!(fastest_times(&dry, 103).unwrap()[0], 20.0);
}

#[test]
fn frozen_lakes_have_the_facts_of_the_table() {
    let (small, large) = (FrozenLakeMap::Map4x4, FrozenLakeMap::Map8x8);
    let table = [
        (small, false, 16, 11, 1.0 / 6.0, 5.0 / 6.0, 1e-13),
        (small, true, 16, 11, 11.0 / 612.0, 25.0 / 34.0, 1e-13),
        (large, false, 64, 53, 1.0 / 14.0, 13.0 / 14.0, 1e-13),
        (large, true, 64, 53, 0.0106141438, 0.8506488071, 5e-11),
    ];
    for (map, slippery, states, reachable, gain, span, tolerance) in table {
        let found = facts(FrozenLake { map, slippery }.build().unwrap());
        assert_eq!((found.mdp.states(), found.reachable()), (states, reachable));
        assert_eq!(
            (found.class, found.components.as_slice()),
            (Class::WeaklyCommunicating, &[reachable][..])
        );
        assert_near(found.gain(), gain, tolerance);
        assert_near(found.span_reachable(), span, 10.0 * tolerance);
        assert!(found.diameter_reachable().is_finite() && found.diameter().is_infinite());
    }
}

#[test]
fn the_cliff_is_passed_in_thirteen_steps() {
    for goal in [0.0, -0.25, -0.5, -0.9] {
        let found = facts(CliffWalking { goal }.build().unwrap());
        assert_eq!((found.mdp.states(), found.reachable()), (48, 37));
        assert_eq!(
            (found.class, found.components.as_slice()),
            (Class::WeaklyCommunicating, &[37][..])
        );
        assert_eq!(found.support_reachable(), 1);
        assert_is(found.gain(), 0.99 + (goal + 1.0) / 1300.0);
        assert_is(found.diameter_reachable(), 14.0);
    }
    let default = facts(CliffWalking::default().build().unwrap());
    assert_near(default.gain(), 0.990769, 5e-7);
    // The book's own reward: every policy that never falls earns 0.99, arriving or not.
    let book = facts(CliffWalking { goal: -1.0 }.build().unwrap());
    assert_is(book.gain(), 0.99);
    let idle = policy_values(&book.mdp, &Policy::deterministic([0; 48])).unwrap();
    assert_is(idle.gain[36], 0.99);
}

#[test]
fn garnets_lead_where_they_say() {
    for seed in 0..5 {
        let garnet = Garnet { states: 60, actions: 3, branching: 4, seed };
        let found = facts(garnet.build().unwrap());
        assert_eq!((found.mdp.states(), found.mdp.pairs()), (60, 180));
        assert!((0..180).all(|pair| found.mdp.row(pair).len() == 4));
        assert_eq!(found.mdp.transitions(), 720);
        if found.class == Class::Communicating {
            assert!(found.span() <= found.diameter() * (1.0 + 1e-12), "sp <= r_max D");
        }
    }
}
