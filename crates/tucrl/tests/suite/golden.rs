//! Values that must never change: a seed gives the same run in every version. If one of these fails, published
//! results can no longer be reproduced; do not adapt the numbers, find out what changed.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::runs;

use runs::*;
use tucrl::env::{Environment, Walk};
use tucrl::reward::RewardLaw;
use tucrl::rng::{Purpose, RandomStream};
use tucrl::run::Run;
use tucrl::worlds::{RiverSwim, ThreeState};
use tucrl::{Mdp, Optimism, TucrlPlus, Ucrl};

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

/// Normal, gamma, beta and Dirichlet numbers come from logarithms and roots of the same bits.
#[test]
fn continuous_numbers_are_drawn_as_they_always_were() {
    let mut random = RandomStream::new(7);
    let mut drawn = vec![random.normal(), random.normal()];
    drawn.extend([1.0, 1.5, 40.0].map(|shape| random.gamma(shape)));
    drawn.extend([0.01, 0.5, 3.0].map(|shape| random.log_gamma(shape)));
    drawn.push(random.beta(2.0, 0.5));
    for mut law in [[1.0, 2.0, 3.0], [1.0, 0.2, 0.3]] {
        random.dirichlet(&mut law);
        drawn.extend(law);
    }
    let bits: Vec<u64> = drawn.iter().map(|number| number.to_bits()).collect();
    assert_eq!(bits, GOLDEN_CONTINUOUS, "{drawn:?}");
}

#[test]
fn reward_laws_draw_as_they_always_did() {
    for (law, golden) in laws().iter().zip(GOLDEN_REWARDS) {
        let mut random = RandomStream::new(3);
        let drawn: Vec<u64> = (0..4).map(|_| law.sample(&mut random).to_bits()).collect();
        assert_eq!(drawn, golden, "{law:?}");
    }
}

/// Minus the sum of the rewards of a run that has been advanced: the regret against a gain of 0, so that the last
/// digit of an exact gain does not matter.
fn minus_rewards(run: &Run) -> f64 {
    let state = serde_json::to_value(run.state().unwrap()).unwrap();
    let part = |name: &str| state["sums"]["reward"][name].as_f64().unwrap();
    run.taken() as f64 * 0.0 - (part("total") + part("block"))
}

/// Minus the sum of rewards in bits, and visits of each pair, after a number of steps with master seed 1 and run 1.
fn lines(algorithms: &[Named], steps: u64) -> Vec<String> {
    let worlds = [
        ("three-state", World::new(ThreeState::default().build().unwrap())),
        ("river-swim", World::new(RiverSwim::default().build().unwrap())),
    ];
    let mut lines = Vec::new();
    for (world_name, world) in worlds {
        for algorithm in algorithms {
            let options = algorithm.algorithm.options();
            let relaxation = match options.get("relaxation").and_then(|word| word.as_str()) {
                Some("l1") => "L1",
                Some("zeta") => "Zeta",
                Some("mass") => "Mass",
                other => other.unwrap_or_default(),
            };
            let run = world.finished(algorithm, steps, 1);
            let visits: Vec<String> =
                run.record().visits.iter().map(|v| format!("{}.{}:{}", v.0, v.1, v.2)).collect();
            let (name, visits) = (algorithm.name, visits.join(" "));
            let regret = minus_rewards(&run).to_bits();
            lines.push(format!("{world_name} {name}{relaxation} {regret:016x} {visits}"));
        }
    }
    lines
}

#[test]
fn every_algorithm_runs_as_it_always_did() {
    let lines = lines(&everyone(&shrunk(0.05), 7.0), 10_000);
    for (line, golden) in lines.iter().zip(GOLDEN_RUNS) {
        assert_eq!(line, golden, "all of them: {lines:#?}");
    }
    assert_eq!(lines.len(), GOLDEN_RUNS.len());
}

#[test]
fn samplers_and_relatives_run_as_they_always_did() {
    let mut algorithms = samplers();
    algorithms.extend(relatives(&shrunk(0.05)));
    let lines = lines(&algorithms, 3_000);
    for (line, golden) in lines.iter().zip(GOLDEN_CAST) {
        assert_eq!(line, golden, "all of them: {lines:#?}");
    }
    assert_eq!(lines.len(), GOLDEN_CAST.len());
}

#[test]
fn newcomers_run_as_they_always_did() {
    let lines = lines(&newcomers(&shrunk(0.05)), 3_000);
    for (line, golden) in lines.iter().zip(GOLDEN_NEWCOMERS) {
        assert_eq!(line, golden, "all of them: {lines:#?}");
    }
    assert_eq!(lines.len(), GOLDEN_NEWCOMERS.len());
}

/// With the options that users have who set none, or only alpha: plans start from the values of the last one, which those of the
/// other golden runs do not.
#[test]
fn defaults_run_as_they_always_did() {
    let warm = |alpha| Optimism { alpha, ..Optimism::warm() };
    let algorithms = [
        Named::new("ucrl", Ucrl::default()),
        Named::new("ucrl", Ucrl { optimism: warm(0.05), ..Ucrl::default() }),
        Named::new("tucrl-plus", TucrlPlus::default()),
        Named::new("tucrl-plus", TucrlPlus { optimism: warm(0.05), ..TucrlPlus::default() }),
    ];
    let lines = lines(&algorithms, 10_000);
    for (line, golden) in lines.iter().zip(GOLDEN_DEFAULTS) {
        assert_eq!(line, golden, "all of them: {lines:#?}");
    }
    assert_eq!(lines.len(), GOLDEN_DEFAULTS.len());
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
const GOLDEN_CONTINUOUS: [u64; 15] = [
    4610218009084539922,
    4603020175525004683,
    4608475032320354885,
    4602905187366365804,
    4630768430084101540,
    13863085992601670964,
    4597923533217372624,
    4600081205189982030,
    4606905614414941030,
    4597773937777860904,
    4600323679985002434,
    4600730999616628650,
    4602105186022948884,
    4601636942222938709,
    4591126461060789848,
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
/// Posterior samplers, then other sets, episodes and prices, in the order of `samplers` and `relatives`.
const GOLDEN_CAST: [&str; 50] = [
    "three-state psrl c09f41a400e0f695 0.0:2 2.0:1 2.1:2997",
    "three-state tsde c09f25b58afbcf3e 0.0:12 2.0:11 2.1:2977",
    "three-state ds-psrl c09f158419822557 0.0:18 2.0:17 2.1:2965",
    "three-state psrl c09f43dfed406b88 0.0:1 2.0:0 2.1:2999",
    "three-state optimistic-psrl c09eeeae52addbc7 0.0:31 2.0:30 2.1:2937 1.0:2",
    "three-state optimistic-psrl c09eea3a827dc8f9 0.0:32 2.0:30 2.1:2936 1.0:2",
    "three-state ucrl2b-2020 c0970a20154d7502 0.0:786 2.0:781 2.1:1428 1.0:5",
    "three-state kl-ucrl c09e42cad28fa0e9 0.0:97 2.0:95 2.1:2807 1.0:1",
    "three-state ucrl3 c09eeb8e0b89ff17 0.0:34 2.0:32 2.1:2933 1.0:1",
    "three-state ucrl2 c09b21479969a1e6 0.0:398 2.0:396 2.1:2205 1.0:1",
    "three-state scal c09f41a2336941af 0.0:2 2.0:1 2.1:2997",
    "three-state regal-c c09ded0a52d85c1e 0.0:130 2.0:128 2.1:2741 1.0:1",
    "three-state regal c09d67d3ee346899 0.0:177 2.0:176 2.1:2646 1.0:1",
    "three-state regal c08fe229377c0f39 0.0:1454 2.0:1448 2.1:83 1.0:15",
    "three-state regal-d c08fe229377c0f39 0.0:1454 2.0:1448 2.1:83 1.0:15",
    "three-state tucrlMass c0963e8f628c5a72 0.0:863 2.0:856 2.1:1272 1.0:9",
    "three-state tucrl-plus c09eee560d10a741 0.0:33 2.0:32 2.1:2935",
    "three-state tucrl-plus c09eeea08406bfaf 0.0:33 2.0:32 2.1:2935",
    "three-state tucrl-plus c09e9d622bd9994d 0.0:65 2.0:64 2.1:2871",
    "three-state tucrl-plus c09eecfad687e249 0.0:33 2.0:32 2.1:2935",
    "three-state focus c09e9b4812669194 0.0:64 2.0:63 2.1:2872 1.0:1",
    "three-state focus c09c91fb458b256b 0.0:256 2.0:252 2.1:2488 1.0:4",
    "three-state focus c09c961d9aff90af 0.0:256 2.0:252 2.1:2489 1.0:3",
    "three-state pmevi-dt c09decaa4bb4e5dc 0.0:129 2.0:128 2.1:2743",
    "three-state pmevi-dt c09decaa4bb4e5dc 0.0:129 2.0:128 2.1:2743",
    "river-swim psrl c092e4a3d70a3d71 0.0:32 0.1:32 1.0:18 1.1:33 2.0:14 2.1:39 3.0:9 3.1:184 4.0:4 4.1:1426 5.0:0 5.1:1209",
    "river-swim tsde c0914547ae147ae1 0.0:64 0.1:77 1.0:45 1.1:69 2.0:25 2.1:51 3.0:19 3.1:209 4.0:12 4.1:1321 5.0:3 5.1:1105",
    "river-swim ds-psrl c08a42b851eb851f 0.0:68 0.1:34 1.0:19 1.1:55 2.0:21 2.1:78 3.0:18 3.1:369 4.0:55 4.1:1328 5.0:115 5.1:840",
    "river-swim psrl c090011eb851eb85 0.0:256 0.1:76 1.0:37 1.1:78 2.0:26 2.1:93 3.0:33 3.1:167 4.0:2 4.1:1208 5.0:1 5.1:1023",
    "river-swim optimistic-psrl c07c0dae147ae144 0.0:171 0.1:389 1.0:212 1.1:361 2.0:117 2.1:357 3.0:98 3.1:271 4.0:62 4.1:513 5.0:1 5.1:448",
    "river-swim optimistic-psrl c05911eb851eb851 0.0:256 0.1:420 1.0:228 1.1:416 2.0:137 2.1:653 3.0:192 3.1:399 4.0:119 4.1:80 5.0:1 5.1:99",
    "river-swim ucrl2b-2020 c091aca3d70a3d71 0.0:32 0.1:45 1.0:23 1.1:74 2.0:34 2.1:55 3.0:15 3.1:220 4.0:16 4.1:1351 5.0:4 5.1:1131",
    "river-swim kl-ucrl c093d81eb851eb85 0.0:6 0.1:6 1.0:3 1.1:11 2.0:3 2.1:25 3.0:3 3.1:196 4.0:2 4.1:1474 5.0:1 5.1:1270",
    "river-swim ucrl3 c084c828f5c28f5c 0.0:4 0.1:459 1.0:260 1.1:493 2.0:167 2.1:24 3.0:2 3.1:131 4.0:6 4.1:788 5.0:1 5.1:665",
    "river-swim ucrl2 c092a0a3d70a3d70 0.0:32 0.1:44 1.0:26 1.1:34 2.0:15 2.1:40 3.0:12 3.1:184 4.0:4 4.1:1416 5.0:1 5.1:1192",
    "river-swim scal c089d051eb851eb8 0.0:8 0.1:11 1.0:4 1.1:12 2.0:3 2.1:24 3.0:2 3.1:233 4.0:2 4.1:1647 5.0:228 5.1:826",
    "river-swim regal-c c082551eb851eb82 0.0:128 0.1:201 1.0:103 1.1:330 2.0:102 2.1:289 3.0:75 3.1:283 4.0:56 4.1:796 5.0:51 5.1:586",
    "river-swim regal c088651eb851eb86 0.0:128 0.1:212 1.0:120 1.1:195 2.0:65 2.1:185 3.0:49 3.1:241 4.0:40 4.1:969 5.0:16 5.1:780",
    "river-swim regal c0147ae147ae1419 0.0:1024 0.1:969 1.0:577 1.1:306 2.0:107 2.1:15 3.0:2 3.1:0",
    "river-swim regal-d c0147ae147ae1419 0.0:1024 0.1:969 1.0:577 1.1:306 2.0:107 2.1:15 3.0:2 3.1:0",
    "river-swim tucrlMass c0892d1eb851eb82 0.0:128 0.1:174 1.0:91 1.1:202 2.0:63 2.1:180 3.0:56 3.1:262 4.0:36 4.1:987 5.0:16 5.1:805",
    "river-swim tucrl-plus c090b11eb851eb85 0.0:256 0.1:63 1.0:43 1.1:49 2.0:16 2.1:49 3.0:12 3.1:177 4.0:1 4.1:1266 5.0:1 5.1:1067",
    "river-swim tucrl-plus c09120a3d70a3d78 0.0:32 0.1:50 1.0:28 1.1:49 2.0:19 2.1:78 3.0:19 3.1:235 4.0:19 4.1:1345 5.0:30 5.1:1096",
    "river-swim tucrl-plus c090d547ae147ae0 0.0:64 0.1:90 1.0:52 1.1:87 2.0:24 2.1:106 3.0:28 3.1:204 4.0:16 4.1:1250 5.0:2 5.1:1077",
    "river-swim tucrl-plus c08e8a8f5c28f5c2 0.0:64 0.1:91 1.0:52 1.1:129 2.0:38 2.1:106 3.0:29 3.1:229 4.0:20 4.1:1233 5.0:32 5.1:977",
    "river-swim focus c08db28f5c28f5c1 0.0:64 0.1:109 1.0:64 1.1:129 2.0:55 2.1:116 3.0:29 3.1:273 4.0:32 4.1:1163 5.0:16 5.1:950",
    "river-swim focus c08e6a8f5c28f5c1 0.0:64 0.1:128 1.0:64 1.1:129 2.0:51 2.1:110 3.0:33 3.1:226 4.0:23 4.1:1184 5.0:15 5.1:973",
    "river-swim focus c08e828f5c28f5c1 0.0:64 0.1:104 1.0:64 1.1:101 2.0:33 2.1:105 3.0:32 3.1:272 4.0:27 4.1:1206 5.0:16 5.1:976",
    "river-swim pmevi-dt c08c628f5c28f5c3 0.0:64 0.1:91 1.0:52 1.1:135 2.0:48 2.1:154 3.0:66 3.1:263 4.0:38 4.1:1165 5.0:16 5.1:908",
    "river-swim pmevi-dt c08c628f5c28f5c3 0.0:64 0.1:91 1.0:52 1.1:135 2.0:48 2.1:154 3.0:66 3.1:263 4.0:38 4.1:1165 5.0:16 5.1:908",
];
/// Episodes by the vanishing multiplicative rule, then learners without episodes, in the order of `newcomers`.
const GOLDEN_NEWCOMERS: [&str; 12] = [
    "three-state ucrl c0959fc9f372c606 0.0:919 2.0:912 2.1:1159 1.0:10",
    "three-state kl-ucrl c09ce53ff182e0e5 0.0:226 2.0:225 2.1:2547 1.0:2",
    "three-state scal c09df3e9085fdbe0 0.0:127 2.0:126 2.1:2747",
    "three-state tucrl-plus c09f28d578d9d145 0.0:11 2.0:10 2.1:2978 1.0:1",
    "three-state diff-q c09c9e162a3a3045 0.0:254 2.0:252 2.1:2491 1.0:3",
    "three-state imed-rl c09f31f252c7a40a 0.0:8 2.0:7 2.1:2985",
    "river-swim ucrl c08b540a3d70a3d6 0.0:101 0.1:164 1.0:88 1.1:205 2.0:56 2.1:175 3.0:46 3.1:206 4.0:32 4.1:1037 5.0:16 5.1:874",
    "river-swim kl-ucrl c093d01eb851eb85 0.0:6 0.1:8 1.0:4 1.1:10 2.0:3 2.1:28 3.0:3 3.1:193 4.0:3 4.1:1473 5.0:1 5.1:1268",
    "river-swim scal c0888c1eb851eb84 0.0:103 0.1:166 1.0:90 1.1:197 2.0:62 2.1:173 3.0:54 3.1:269 4.0:31 4.1:1030 5.0:40 5.1:785",
    "river-swim tucrl-plus c09310f5c28f5c29 0.0:48 0.1:33 1.0:23 1.1:25 2.0:7 2.1:30 3.0:1 3.1:180 4.0:1 4.1:1431 5.0:1 5.1:1220",
    "river-swim diff-q c02b8cccccccce75 0.0:2755 0.1:143 1.0:90 1.1:6 2.0:3 2.1:2 3.0:1 3.1:0",
    "river-swim imed-rl c092c86666666666 0.0:20 0.1:25 1.0:16 1.1:31 2.0:9 2.1:50 3.0:10 3.1:199 4.0:9 4.1:1425 5.0:4 5.1:1202",
];
/// The defaults of `ucrl` and `tucrl-plus`, and with alpha = 0.05.
const GOLDEN_DEFAULTS: [&str; 8] = [
    "three-state ucrl c0b317667637361b 0.0:2651 2.0:2628 2.1:4686 1.0:35",
    "three-state ucrl c0b424842f48ce18 0.0:2259 2.0:2244 2.1:5476 1.0:21",
    "three-state tucrl-plus c0b9d9f240e05d2b 0.0:65 2.0:64 2.1:9871",
    "three-state tucrl-plus c0b9d9a3bd909764 0.0:65 2.0:64 2.1:9871",
    "river-swim ucrl c054c7ae147ae142 0.0:1024 0.1:1651 1.0:869 1.1:2138 2.0:664 2.1:1854 3.0:622 3.1:627 4.0:213 4.1:209 5.0:51 5.1:78",
    "river-swim ucrl c0aaa68f5c28f5e0 0.0:256 0.1:389 1.0:206 1.1:307 2.0:102 2.1:362 3.0:75 3.1:798 4.0:56 4.1:4021 5.0:18 5.1:3410",
    "river-swim tucrl-plus c0ac4947ae147ae1 0.0:128 0.1:208 1.0:114 1.1:324 2.0:102 2.1:307 3.0:84 3.1:753 4.0:38 4.1:4314 5.0:8 5.1:3620",
    "river-swim tucrl-plus c0b05c051eb851ec 0.0:4 0.1:8 1.0:4 1.1:26 2.0:4 2.1:108 3.0:4 3.1:726 4.0:4 4.1:4923 5.0:1 5.1:4188",
];
