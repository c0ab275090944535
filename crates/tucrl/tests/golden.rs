//! Values that must never change: a seed means the same for ever. If one of these fails, results that
//! people have published can no longer be reproduced; do not adapt the numbers, find out what changed.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use runs::*;
use tucrl::agents::Algorithm;
use tucrl::env::{Environment, Walk};
use tucrl::mdp::Mdp;
use tucrl::reward::RewardLaw;
use tucrl::rng::{Purpose, RandomStream};
use tucrl::worlds::{RiverSwim, ThreeState};

fn laws() -> Vec<RewardLaw> {
    vec![
        RewardLaw::Constant(0.25),
        RewardLaw::Uniform { low: 0.2, high: 0.7 },
        RewardLaw::Bernoulli { probability: 0.3, value: 0.8 },
        RewardLaw::discrete([(0.1, 0.2), (0.5, 0.5), (0.9, 0.3)]),
    ]
}

#[test]
fn random_streams_begin_as_they_always_did() {
    let mut random = RandomStream::new(7);
    let bits: Vec<u64> = (0..4).map(|_| random.bits()).collect();
    assert_eq!(bits, GOLDEN_BITS);
    let mut random = RandomStream::new(7);
    let units: Vec<u64> = (0..4).map(|_| random.unit().to_bits()).collect();
    assert_eq!(units, GOLDEN_UNITS);
    let mut random = RandomStream::new(7);
    let below: Vec<u64> = [10, 1, 1 << 40, u64::MAX, 3].map(|bound| random.below(bound)).to_vec();
    assert_eq!(below, GOLDEN_BELOW);
    let mut random = RandomStream::new(7);
    let law = [0.1, 0.0, 0.6, 0.3];
    let drawn: Vec<usize> = (0..16).map(|_| random.categorical(&law)).collect();
    assert_eq!(drawn, GOLDEN_CATEGORICAL);
    let of_runs: Vec<u64> = [
        (1, 1, Purpose::World),
        (1, 1, Purpose::Agent),
        (1, 2, Purpose::World),
        (2, 1, Purpose::World),
        (u64::MAX, u64::MAX, Purpose::Agent),
    ]
    .into_iter()
    .map(|(seed, run, purpose)| RandomStream::of_run(seed, run, purpose).bits())
    .collect();
    assert_eq!(of_runs, GOLDEN_OF_RUN);
}

#[test]
fn reward_laws_draw_as_they_always_did() {
    for (law, golden) in laws().iter().zip(GOLDEN_REWARDS) {
        let mut random = RandomStream::new(3);
        let drawn: Vec<u64> = (0..4).map(|_| law.sample(&mut random).to_bits()).collect();
        assert_eq!(drawn, golden, "{law:?}");
    }
}

/// Minus the sum of rewards in bits, and visits of each pair, after ten thousand steps with master seed 1
/// and run 1.
#[test]
fn every_algorithm_runs_as_it_always_did() {
    let worlds = [
        ("three-state", World::new(ThreeState::default().build().unwrap())),
        ("river-swim", World::new(RiverSwim::default().build().unwrap())),
    ];
    let mut lines = Vec::new();
    for (name, mut world) in worlds {
        // Regret against 0, so that the last digit of an exact gain does not matter.
        world.truth.gain = 0.0;
        for algorithm in everyone(&shrunk(0.05), 7.0) {
            let relaxation = match &algorithm {
                Algorithm::Tucrl(tucrl) => format!("{:?}", tucrl.relaxation),
                _ => String::new(),
            };
            let record = world.record(&algorithm, 10_000, 1);
            let visits: Vec<String> =
                record.visits.iter().map(|v| format!("{}.{}:{}", v.0, v.1, v.2)).collect();
            let regret = record.regret.last().unwrap().1.to_bits();
            let visits = visits.join(" ");
            lines.push(format!("{name} {}{relaxation} {regret:016x} {visits}", algorithm.name()));
        }
    }
    for (line, golden) in lines.iter().zip(GOLDEN_RUNS) {
        assert_eq!(line, golden, "all of them: {lines:#?}");
    }
    assert_eq!(lines.len(), GOLDEN_RUNS.len());
}

/// Mean and variance of many draws, within five standard errors of what the law says.
#[test]
fn reward_laws_have_the_mean_and_variance_that_they_say() {
    const DRAWS: usize = 200_000;
    // (mean, variance, fourth central moment)
    let moments = [
        (0.25, 0.0, 0.0),
        (0.45, 0.25 / 12.0, 0.0625 / 80.0),
        (0.24, 0.64 * 0.21, 0.4096 * 0.21 * (1.0 - 3.0 * 0.21)),
        (0.54, 0.0784, 0.0),
    ];
    for (law, (mean, variance, fourth)) in laws().iter().zip(moments) {
        let mut random = RandomStream::new(17);
        let drawn: Vec<f64> = (0..DRAWS).map(|_| law.sample(&mut random)).collect();
        let average = drawn.iter().sum::<f64>() / DRAWS as f64;
        let spread = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        let error = (variance / DRAWS as f64).sqrt();
        assert!((law.mean() - mean).abs() < 1e-15);
        assert!((average - mean).abs() <= 5.0 * error + 1e-12, "{law:?}: {average}");
        let fourth = if fourth > 0.0 { fourth } else { variance };
        let error = ((fourth - variance * variance).max(0.0) / DRAWS as f64).sqrt();
        assert!((spread - variance).abs() <= 5.0 * error + 1e-12, "{law:?}: {spread}");
        let (low, high) = law.bounds();
        assert!(drawn.iter().all(|x| (low..=high).contains(x)));
    }
}

#[test]
fn categorical_draws_and_integers_are_as_frequent_as_they_should_be() {
    const DRAWS: usize = 200_000;
    let check = |counts: &[u64], law: &[f64]| {
        for (&count, &p) in counts.iter().zip(law) {
            let sigma = (DRAWS as f64 * p * (1.0 - p)).sqrt();
            assert!((count as f64 - DRAWS as f64 * p).abs() <= 5.0 * sigma, "{counts:?}");
        }
    };
    let law = [0.5, 0.0, 0.25, 0.2, 0.05];
    let (mut random, mut counts) = (RandomStream::new(5), [0; 5]);
    (0..DRAWS).for_each(|_| counts[random.categorical(&law)] += 1);
    check(&counts, &law);
    let mut counts = [0; 7];
    (0..DRAWS).for_each(|_| counts[random.below(7) as usize] += 1);
    check(&counts, &[1.0 / 7.0; 7]);
    let heads = (0..DRAWS).filter(|_| random.chance(0.3)).count() as u64;
    check(&[heads], &[0.3]);
    assert!((0..DRAWS).all(|_| (0.0..1.0).contains(&random.unit())));
}

/// Rewards drawn together with the next state: 0 when it stays, 1 when it moves.
#[test]
fn joint_rewards_belong_to_their_next_state() {
    let mut builder = Mdp::builder();
    builder.state().joint_action([(0, 0.7, 0.0), (1, 0.3, 1.0)]);
    builder.state().joint_action([(0, 0.4, 0.5), (1, 0.6, 0.25)]);
    builder.start_at(0);
    let mdp = std::sync::Arc::new(builder.build().unwrap());
    let mut walk = Walk::new(mdp, RandomStream::new(9));
    let mut counts = [[0u32; 2]; 2];
    for _ in 0..100_000 {
        let here = walk.state();
        let step = walk.step(0);
        let expected = [[0.0, 1.0], [0.5, 0.25]][here as usize][step.next as usize];
        assert_eq!(step.reward, expected);
        assert!((step.mean_reward - [0.3, 0.35][here as usize]).abs() < 1e-15);
        counts[here as usize][step.next as usize] += 1;
    }
    for (row, stays) in counts.iter().zip([0.7, 0.4]) {
        let total = f64::from(row[0] + row[1]);
        let sigma = (stays * (1.0 - stays) / total).sqrt();
        assert!((f64::from(row[0]) / total - stays).abs() <= 5.0 * sigma, "{counts:?}");
    }
}

#[test]
fn a_start_law_is_drawn_from() {
    let mut builder = Mdp::builder();
    builder.state().action(0.0, [(0, 1.0)]);
    builder.state().action(0.0, [(1, 1.0)]);
    builder.start_law([(0, 0.25), (1, 0.75)]);
    let mdp = std::sync::Arc::new(builder.build().unwrap());
    let ones = (0..10_000)
        .filter(|&run| {
            let random = RandomStream::of_run(1, run, Purpose::World);
            Walk::new(std::sync::Arc::clone(&mdp), random).state() == 1
        })
        .count() as f64;
    assert!((ones - 7_500.0).abs() < 5.0 * (10_000f64 * 0.25 * 0.75).sqrt(), "{ones}");
}

const GOLDEN_BITS: [u64; 4] =
    [1021219803524665661, 3174977118032272916, 13236943193235544178, 7880630202246103356];
const GOLDEN_UNITS: [u64; 4] =
    [4588139100750830880, 4595369147474192204, 4604638570713848459, 4601367547849786880];
const GOLDEN_BELOW: [u64; 5] = [0, 0, 788983296944, 7880630202246103355, 2];
const GOLDEN_CATEGORICAL: [usize; 16] = [0, 2, 3, 2, 3, 2, 3, 2, 3, 0, 2, 2, 3, 2, 2, 0];
const GOLDEN_OF_RUN: [u64; 5] = [
    7191495887029516715,
    4982915077309150592,
    16758136380346031839,
    2831753677323003714,
    3929084619703641226,
];
const GOLDEN_REWARDS: [[u64; 4]; 4] = [
    [4598175219545276416, 4598175219545276416, 4598175219545276416, 4598175219545276416],
    [4597300646059171828, 4602894620615854444, 4603881343620543652, 4603781401063700672],
    [4605380978949069210, 0, 0, 0],
    [4591870180066957722, 4602678819172646912, 4606281698874543309, 4606281698874543309],
];
const GOLDEN_RUNS: [&str; 16] = [
    "three-state ucrl2 c0b957aad343c3b5 0.0:258 2.0:256 2.1:9485 1.0:1",
    "three-state ucrl c0b424842f48ce18 0.0:2259 2.0:2244 2.1:5476 1.0:21",
    "three-state tucrlL1 c0b58ad79ae4805a 0.0:1722 2.0:1712 2.1:6549 1.0:17",
    "three-state tucrlZeta c0b58ad79ae4805a 0.0:1722 2.0:1712 2.1:6549 1.0:17",
    "three-state scal c0b8af6340e0470d 0.0:514 2.0:512 2.1:8972 1.0:2",
    "three-state optimistic-q c0b7956a15cdcc3c 0.0:934 2.0:925 2.1:8128 1.0:13",
    "three-state oracle c0ba03f6545ea3fe ",
    "three-state random c0b1690cd0fab819 ",
    "river-swim ucrl2 c0afd0a3d70a3d78 0.0:64 0.1:92 1.0:50 1.1:84 2.0:24 2.1:128 3.0:13 3.1:700 4.0:4 4.1:4768 5.0:1 5.1:4072",
    "river-swim ucrl c0aa5e8f5c28f5e0 0.0:256 0.1:374 1.0:206 1.1:332 2.0:102 2.1:368 3.0:90 3.1:788 4.0:56 4.1:4024 5.0:30 5.1:3374",
    "river-swim tucrlL1 c0ab7b47ae147ae0 0.0:128 0.1:355 1.0:194 1.1:321 2.0:100 2.1:332 3.0:70 3.1:735 4.0:32 4.1:4188 5.0:28 5.1:3517",
    "river-swim tucrlZeta c0ab8147ae147ae0 0.0:128 0.1:335 1.0:182 1.1:312 2.0:102 2.1:317 3.0:82 3.1:769 4.0:36 4.1:4189 5.0:28 5.1:3520",
    "river-swim scal c0aa5e8f5c28f5e0 0.0:256 0.1:374 1.0:206 1.1:332 2.0:102 2.1:368 3.0:90 3.1:788 4.0:56 4.1:4024 5.0:30 5.1:3374",
    "river-swim optimistic-q c09e80b851eb856c 0.0:636 0.1:819 1.0:453 1.1:940 2.0:272 2.1:875 3.0:265 3.1:994 4.0:198 4.1:2516 5.0:83 5.1:1949",
    "river-swim oracle c0b0790000000000 ",
    "river-swim random c0393333333332b1 ",
];
