//! Are curves, ranks and comparisons those that one computes by hand?

use tucrl::run::{Checkpoints, RunRecord, RunSpec};
use tucrl::truth::{Baseline, Facts};

use super::*;
use crate::record::StoredRun;

fn stored(agent: &str, run: u64, regret: &[(u64, f64)]) -> StoredRun {
    let steps = regret.last().map_or(0, |(t, _)| *t);
    StoredRun {
        experiment: "hand".into(),
        world: "w".into(),
        agent: agent.into(),
        label: agent.to_uppercase(),
        options: serde_json::Value::Null,
        spec: RunSpec { steps, checkpoints: Checkpoints::PerDecade(1), master_seed: 1, run },
        facts: Facts {
            baseline: Baseline::Optimal,
            states: 3,
            actions: 2,
            reachable: 2,
            class: "communicating".into(),
            start_is_recoverable: true,
            gain: 0.5,
            gain_error: 0.0,
            span: 1.0,
            span_reachable: 1.0,
            r_max: 1.0,
            reward_range: None,
            bellman_residual: Some(0.0),
        },
        record: RunRecord {
            steps,
            gain: 0.5,
            regret: regret.to_vec(),
            pseudo_regret: regret.to_vec(),
            gap_regret: Some(regret.to_vec()),
            gain_lost: None,
            exploration: None,
            episodes: Vec::new(),
            seen: 2,
            z: 0,
            z_over_time: Vec::new(),
            y: 0,
            sweeps: 0,
            visits: Vec::new(),
            remarks: Vec::new(),
        },
        error: None,
        sweep: None,
        imported: None,
    }
}

/// Regret c t^e at 10, 100, 1000.
fn power(agent: &str, run: u64, factor: f64, exponent: f64) -> StoredRun {
    let value = |t: u64| (t, factor * (t as f64).powf(exponent));
    stored(agent, run, &[10, 100, 1000].map(value))
}

#[test]
fn quantiles_are_those_of_hand() {
    let values = [4.0, 1.0, 3.0, 2.0];
    assert_eq!(median(&values), 2.5);
    assert_eq!(quantile(&values, 0.0), 1.0);
    assert_eq!(quantile(&values, 1.0), 4.0);
    // Position 0.25 * 3 = 0.75 between the first and the second.
    assert_eq!(quantile(&values, 0.25), 1.75);
    assert_eq!(quantile(&[7.0], 0.3), 7.0);
    assert!(median(&[]).is_nan());
}

#[test]
fn curves_ranks_and_pairs_are_those_of_hand() {
    // Out of order on purpose.
    let runs = [
        power("slow", 1, 3.0, 1.0),
        power("fast", 0, 1.0, 0.5),
        power("slow", 0, 1.0, 1.0),
        power("fast", 1, 3.0, 0.5),
        power("slow", 2, 2.0, 1.0),
    ];
    let study = Study::new(&runs).unwrap();
    assert_eq!((study.name, study.labels.as_slice()), ("hand", ["SLOW", "FAST"].as_slice()));
    let world = &study.worlds[0];
    assert_eq!(world.time, Some(1000));
    let (slow, fast) = (&world.agents[0], &world.agents[1]);
    // Two pairs are too few to tell them apart.
    assert_eq!((slow.rank, fast.rank), (Some(1), Some(1)));
    assert_eq!((slow.colour, fast.colour), (0, 1));
    assert_eq!(slow.regret_at(1000), [1000.0, 3000.0, 2000.0]);
    let point = slow.point_at(100).unwrap();
    assert_eq!((point.mean, point.median, point.inner), (200.0, 200.0, (150.0, 250.0)));
    // Standard deviation 100, three runs, t of two degrees.
    let half = 4.302_652_729_749_462 * 100.0 / 3f64.sqrt();
    let (low, high) = point.student.unwrap();
    assert!((low - 200.0 + half).abs() < 1e-9 && (high - 200.0 - half).abs() < 1e-9);
    let (low, high) = point.bootstrap.unwrap();
    assert!((100.0..150.0).contains(&low) && high > 250.0 && high <= 300.0);
    // Every draw of exact powers has the same exponent.
    for (agent, exponent) in [(slow, 1.0), (fast, 0.5)] {
        let growth = agent.growth.unwrap();
        assert_eq!((growth.from, growth.to), (100, 1000));
        let (low, high) = growth.interval.unwrap();
        for value in [growth.exponent, low, high] {
            assert!((value - exponent).abs() < 1e-12);
        }
    }
    // Runs 0 and 1 have partners; run 2 has none.
    let pair = &world.pairs[0];
    assert_eq!((pair.first.as_str(), pair.second.as_str()), ("SLOW", "FAST"));
    let root = 1000f64.sqrt();
    let difference = &pair.difference;
    assert_eq!((difference.runs, difference.lower, difference.higher), (2, 0, 2));
    assert!((difference.mean - (2000.0 - 2.0 * root)).abs() < 1e-9);
    assert_eq!(difference.sign_test, 0.5);
    assert_eq!((difference.sign(), pair.verdict()), (0, 0));
}

#[test]
fn equal_means_share_a_place_and_clear_differences_have_a_sign() {
    let runs: Vec<StoredRun> = (0..4)
        .flat_map(|run| {
            let noise = run as f64;
            [
                stored("a", run, &[(10, 100.0 + noise)]),
                stored("b", run, &[(10, 100.0 + noise + 1e-13)]),
                stored("c", run, &[(10, 110.0 + 1.01 * noise)]),
            ]
        })
        .collect();
    let study = Study::new(&runs).unwrap();
    let world = &study.worlds[0];
    let ranks: Vec<_> = world.agents.iter().map(|agent| agent.rank).collect();
    assert_eq!(ranks, [Some(1), Some(1), Some(3)]);
    assert!(world.agents.iter().all(|agent| agent.growth.is_none()));
    let signs: Vec<i8> = world.pairs.iter().map(|pair| pair.difference.sign()).collect();
    assert_eq!(signs, [0, -1, -1]);
    assert_eq!(world.pairs[0].difference.sign_test, 1.0);
    assert_eq!(world.pairs[1].difference.sign_test, 0.125);
}

#[test]
fn failed_runs_are_counted_and_left_out() {
    let mut broken = stored("a", 1, &[(10, 1e9)]);
    broken.error = Some("a plan failed".into());
    // It failed before its first step.
    let mut never = stored("a", 2, &[]);
    never.error = Some("no agent".into());
    let runs = [power("a", 0, 1.0, 1.0), broken, never];
    let study = Study::new(&runs).unwrap();
    let agent = &study.worlds[0].agents[0];
    assert_eq!((agent.runs.len(), agent.failed.len(), study.failed().count()), (1, 2, 2));
    assert_eq!(agent.mean_of(|record| record.steps as f64), Some(1000.0));
    assert_eq!(agent.curve()[0].mean, 10.0);
    assert_eq!((agent.curve()[0].student, agent.curve()[0].bootstrap), (None, None));
    let alone = [runs[1].clone()];
    let study = Study::new(&alone).unwrap();
    assert_eq!((study.worlds[0].time, study.worlds[0].agents[0].rank), (None, None));
    assert!(Study::new(&[]).is_none());
}

#[test]
fn the_sign_test_has_the_values_of_the_tables() {
    let table = [((0, 0), 1.0), ((0, 1), 1.0), ((0, 5), 0.0625), ((1, 9), 22.0 / 1024.0)];
    for ((lower, higher), p) in table {
        assert!((sign_test(lower, higher) - p).abs() < 1e-12);
        assert!((sign_test(higher, lower) - p).abs() < 1e-12);
    }
    assert!(sign_test(5000, 0) >= 0.0 && sign_test(2500, 2500) > 0.98);
}

#[test]
fn corrected_p_values_are_those_of_hand() {
    // 0.01 × 3, 0.02 × 2, 0.5 × 1; never decreasing.
    assert_eq!(holm(&[0.5, 0.01, 0.02]), [0.5, 0.03, 0.04]);
    assert_eq!(holm(&[0.02, 0.015]), [0.03, 0.03]);
    assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    assert!(holm(&[]).is_empty());
    // Student's t of 2.776 with four degrees of freedom is the 95 % quantile.
    assert!((student_p(4, -2.776_445_105_197_793) - 0.05).abs() < 1e-9);
    assert_eq!((student_p(4, 0.0), student_p(4, f64::INFINITY)), (1.0, 0.0));
}

/// Five runs each; `c` is much worse than `b`, `b` a little worse than `a`.
#[test]
fn agents_that_cannot_be_told_apart_share_a_rank() {
    let noise = [0.0, 3.0, -2.0, 1.0, -2.5];
    let runs: Vec<StoredRun> = (0..5)
        .flat_map(|run| {
            let own = noise[run as usize];
            [
                stored("a", run, &[(10, 100.0)]),
                stored("b", run, &[(10, 100.5 + own)]),
                stored("c", run, &[(10, 120.0 - own)]),
            ]
        })
        .collect();
    let study = Study::new(&runs).unwrap();
    let world = &study.worlds[0];
    let ranks: Vec<_> = world.agents.iter().map(|agent| agent.rank).collect();
    assert_eq!(ranks, [Some(1), Some(1), Some(3)]);
    let verdicts: Vec<i8> = world.pairs.iter().map(Pair::verdict).collect();
    assert_eq!(verdicts, [0, -1, -1]);
    let plain = world.pairs[1].difference.student_test.unwrap();
    assert!(world.pairs[1].corrected.unwrap() >= 2.0 * plain);
    // A single run tells nothing.
    let study = Study::new(&runs[..3]).unwrap();
    assert!(study.worlds[0].agents.iter().all(|agent| agent.rank.is_none()));
}

/// `b` is certainly worse than `a`; the mean of `c` is larger still, but `c` varies so much that nothing is better than it.
#[test]
fn an_agent_gains_no_rank_by_runs_that_vary() {
    let runs: Vec<StoredRun> = (0..6)
        .flat_map(|run| {
            let lost = if run == 5 { 900.0 } else { 0.5 };
            [
                stored("a", run, &[(10, 0.0)]),
                stored("b", run, &[(10, 10.0 + 0.1 * run as f64)]),
                stored("c", run, &[(10, lost)]),
            ]
        })
        .collect();
    let study = Study::new(&runs).unwrap();
    let world = &study.worlds[0];
    assert_eq!(world.pairs.iter().map(Pair::verdict).collect::<Vec<_>>(), [-1, 0, 0]);
    let ranks: Vec<_> = world.agents.iter().map(|agent| agent.rank).collect();
    assert_eq!(ranks, [Some(1), Some(2), Some(2)]);
}

#[test]
fn a_world_with_a_run_without_gaps_is_shown_by_realised_regret() {
    let mut runs = vec![power("a", 0, 1.0, 1.0), power("a", 1, 2.0, 1.0), power("b", 0, 1.0, 0.5)];
    for run in &mut runs {
        run.record.regret.iter_mut().for_each(|point| point.1 += 7.0);
    }
    let study = Study::new(&runs).unwrap();
    let world = &study.worlds[0];
    assert_eq!((world.shown, world.fell_back), (Regret::Gap, false));
    assert_eq!(world.agents[0].curve()[0].mean, 15.0);
    let study = Study::showing(&runs, Regret::Realised).unwrap();
    assert_eq!(study.worlds[0].agents[0].curve()[0].mean, 22.0);
    assert!(!study.worlds[0].fell_back);
    // An old record of one agent: the other is not ranked by another regret.
    runs[2].record.gap_regret = None;
    let study = Study::new(&runs).unwrap();
    let world = &study.worlds[0];
    assert_eq!((world.shown, world.fell_back), (Regret::Realised, true));
    assert_eq!(world.agents[0].curve()[0].mean, 22.0);
    assert!(world.regret_explained().contains("Gap regret is not known for all runs here."));
    // Gain lost for good is part of it.
    runs[2].record.gap_regret = Some(vec![(10, 1.0)]);
    runs[2].record.gain_lost = Some(vec![(10, 4.0)]);
    let study = Study::new(&runs).unwrap();
    assert_eq!(study.worlds[0].agents[1].curve()[0].mean, 5.0);
    assert!(study.worlds[0].loses_gain);
}
