//! Models of every shape.

use proptest::collection::vec;
use proptest::prelude::*;
use tucrl::math;
use tucrl::mdp::Mdp;
use tucrl::reward::{RewardLaw, RewardRange};

/// A positive number with an unremarkable mantissa and a wide exponent.
fn weight() -> impl Strategy<Value = f64> {
    (0.01..1.0f64, prop_oneof![8 => Just(0), 1 => -40..0i32])
        .prop_map(|(mantissa, exponent)| mantissa * math::powi(10.0, exponent))
}

fn law(range: RewardRange) -> impl Strategy<Value = RewardLaw> {
    let (low, high) = (range.low(), range.high());
    let reward =
        move || (0.0..=1.0f64).prop_map(move |unit| (low + unit * range.width()).clamp(low, high));
    prop_oneof![
        reward().prop_map(RewardLaw::Constant),
        (reward(), reward())
            .prop_map(|(a, b)| RewardLaw::Uniform { low: a.min(b), high: a.max(b) }),
        // A Bernoulli law may pay 0.
        (0.0..=1.0f64, reward()).prop_map(move |(probability, value)| match range.contains(0.0) {
            true => RewardLaw::Bernoulli { probability, value },
            false => RewardLaw::Constant(value),
        }),
        vec((reward(), weight()), 1..4).prop_map(|outcomes| {
            let sum: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
            RewardLaw::discrete(outcomes.into_iter().map(|(value, p)| (value, p / sum)))
        }),
    ]
}

type Row = Vec<(prop::sample::Index, f64)>;

#[derive(Debug, Clone)]
enum Action {
    Alone(RewardLaw, Row),
    Joint(Vec<(prop::sample::Index, f64, RewardLaw)>),
}

fn action(range: RewardRange) -> impl Strategy<Value = Action> {
    let entry = || (any::<prop::sample::Index>(), weight());
    prop_oneof![
        (law(range), vec(entry(), 1..5)).prop_map(|(law, row)| Action::Alone(law, row)),
        vec((any::<prop::sample::Index>(), weight(), law(range)), 1..5).prop_map(Action::Joint),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,6}",
        any::<String>(),
        Just("a \"b\" \\ \n\r\t\u{0}\u{7f}\u{2028} é 状".to_string())
    ]
}

fn normalised(row: &[(prop::sample::Index, f64)], states: usize) -> Vec<(usize, f64)> {
    let sum: f64 = row.iter().map(|entry| entry.1).sum();
    row.iter().map(|(next, weight)| (next.index(states), weight / sum)).collect()
}

/// From 0 or elsewhere, also far from 0 for its width.
fn range() -> impl Strategy<Value = RewardRange> {
    let width = prop_oneof![Just(1.0), 0.1..100.0f64, Just(1e-12), Just(1e17)];
    let low = prop_oneof![2 => Just(0.0), 1 => Just(1e3), 1 => -100.0..100.0f64];
    let far = prop_oneof![9 => Just(0.0), 1 => Just(-0.5)];
    (width, low, far).prop_map(|(width, low, far)| {
        let low = if far == 0.0 { low } else { far * width };
        RewardRange::new(low, low + width).unwrap()
    })
}

/// A valid model with few states.
pub(crate) fn any_model() -> impl Strategy<Value = Mdp> {
    (range(), any::<(bool, bool)>())
        .prop_flat_map(|(range, named)| {
            let states = vec(vec(action(range), 1..4), 1..6);
            let start = vec((any::<prop::sample::Index>(), weight()), 1..4);
            (Just(range), Just(named), states, start, vec(name(), 5), vec(name(), 3))
        })
        .prop_map(|(range, named, states, start, state_names, action_names)| {
            let count = states.len();
            let most = states.iter().map(Vec::len).max().unwrap();
            let mut builder = Mdp::builder();
            for actions in &states {
                builder.state();
                for action in actions {
                    match action {
                        Action::Alone(law, row) => {
                            builder.action(law.clone(), normalised(row, count));
                        }
                        Action::Joint(outcomes) => {
                            // Distinct next states, so that every pair of laws is allowed.
                            let mut outcomes: Vec<_> = outcomes
                                .iter()
                                .map(|(next, weight, law)| {
                                    (next.index(count), *weight, law.clone())
                                })
                                .collect();
                            outcomes.sort_by_key(|outcome| outcome.0);
                            outcomes.dedup_by_key(|outcome| outcome.0);
                            let sum: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
                            builder.joint_action(
                                outcomes.into_iter().map(|(next, w, law)| (next, w / sum, law)),
                            );
                        }
                    }
                }
            }
            builder.reward_range(range).start_law(normalised(&start, count));
            if named.0 {
                builder.state_names(&state_names[..count]);
            }
            if named.1 {
                builder.action_names(&action_names[..most]);
            }
            builder.build().unwrap()
        })
}
