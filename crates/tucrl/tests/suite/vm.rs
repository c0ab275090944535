//! Does the vanishing multiplicative rule end episodes as it should, and does it keep bad episodes short?
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods)]

use crate::runs;

use runs::*;
use tucrl::agents::{PlusSet, Scal, UnionKind};
use tucrl::exploration::ExplorationLoss;
use tucrl::rules::{NewStateRule, OptimistRule, Vanishing};
use tucrl::sets::SetKind;
use tucrl::worlds::{RiverSwim, ThreeState};
use tucrl::{RunRecord, TucrlPlus, Ucrl};

const SHARES: [Vanishing; 3] = [Vanishing::SqrtLog, Vanishing::CubeRoot, Vanishing::One];

fn river_swim(length: usize) -> World {
    World::new(RiverSwim::of_length(length).build().unwrap())
}

fn three_state() -> World {
    World::new(ThreeState::default().build().unwrap())
}

/// The agents that offer the rule, with it and a share.
fn with_vm(f: Vanishing) -> Vec<Named> {
    let optimism = shrunk(0.1);
    let ucrl = |name, set| {
        let optimism = optimism.clone();
        Named::new(name, Ucrl { set, rule: OptimistRule::Vm, f, optimism })
    };
    let scal = Scal {
        c: 3.0.into(),
        rule: OptimistRule::Vm,
        f,
        optimism: clipped(optimism.clone()),
        ..Scal::default()
    };
    let plus = TucrlPlus {
        set: PlusSet::Tight,
        union: UnionKind::Auto,
        rule: NewStateRule::Vm,
        f,
        optimism: optimism.clone(),
    };
    vec![
        ucrl("ucrl", SetKind::Bernstein),
        ucrl("ucrl2", SetKind::L1),
        ucrl("kl-ucrl", SetKind::Kl),
        Named::new("scal", scal),
        Named::new("tucrl-plus", plus),
    ]
}

/// The same agents with the rule that they have by default.
fn by_default() -> Vec<Named> {
    let optimism = shrunk(0.1);
    let ucrl =
        |name, set| Named::new(name, Ucrl { set, optimism: optimism.clone(), ..Ucrl::default() });
    let scal = Scal { c: 3.0.into(), optimism: clipped(optimism.clone()), ..Scal::default() };
    vec![
        ucrl("ucrl", SetKind::Bernstein),
        ucrl("ucrl2", SetKind::L1),
        ucrl("kl-ucrl", SetKind::Kl),
        Named::new("scal", scal),
        Named::new("tucrl-plus", TucrlPlus { optimism: optimism.clone(), ..TucrlPlus::default() }),
    ]
}

#[test]
fn a_share_of_one_is_doubling_bit_for_bit() {
    for world in [river_swim(6), three_state()] {
        for (vm, doubling) in with_vm(Vanishing::One).iter().zip(by_default()) {
            let (one, two) = (world.record(vm, 20_000, 3), world.record(&doubling, 20_000, 3));
            assert!(one.episodes.len() > 20, "{}", vm.name);
            let learned = |record: RunRecord| {
                (record.episodes, record.visits, record.regret, record.gap_regret)
            };
            assert_eq!(learned(one), learned(two), "{}", vm.name);
        }
    }
}

#[test]
fn shares_are_those_of_the_definition_and_vanish() {
    for time in [1u64, 2, 10, 1000, 1_000_000] {
        let t = time as f64;
        assert!((Vanishing::SqrtLog.at(time) - ((1.0 + t).ln() / t).sqrt()).abs() < 1e-15);
        assert!((Vanishing::CubeRoot.at(time) - t.powf(-1.0 / 3.0)).abs() < 1e-15);
        assert_eq!(Vanishing::One.at(time), 1.0);
    }
    for f in SHARES {
        assert!((1..2000).all(|time| f.at(time) >= f.at(time + 1)), "{f:?} increases");
        assert!((1..2000).all(|time| (0.0..=1.0).contains(&f.at(time))), "{f:?}");
    }
}

/// K(T) <= 1 + |Z| ln(2T/|Z|) / ln(1 + f(T)): every pair that ends an episode has multiplied its visits by 1 + f. Episodes of
/// TUCRL+ that end in a new state come on top.
#[test]
fn there_are_no_more_episodes_than_the_lemma_allows() {
    let (steps, doubling) = (20_000, by_default());
    for world in [river_swim(6), three_state()] {
        let pairs = world.mdp.pairs() as f64;
        for f in SHARES {
            let most = 1.0 + pairs * (2.0 * steps as f64 / pairs).ln() / f.at(steps).ln_1p();
            for (place, algorithm) in with_vm(f).into_iter().enumerate() {
                let record = world.record(&algorithm, steps, 1);
                let ended = record.episodes.len() as f64;
                let new = 2.0 * world.mdp.states() as f64;
                let most = if algorithm.name == "tucrl-plus" { most + new } else { most };
                assert!(ended <= most, "{} with {f:?}: {ended} > {most}", algorithm.name);
                // Many more than with doubling, so that the bound says something about the rule.
                let doubled = world.record(&doubling[place], steps, 1).episodes.len() as f64;
                assert!(f == Vanishing::One || ended > 1.5 * doubled, "{ended} {doubled}");
            }
        }
    }
}

/// Step by step: within an episode that began at t_k no pair with N_k visits before is played more often than
/// max(1, f(t_k) N_k) times, rounded up; where f(t_k) N_k <= 1, once.
#[test]
fn pairs_are_played_as_often_as_their_share_allows() {
    let (world, steps) = (river_swim(6), 4_000);
    for f in [Vanishing::SqrtLog, Vanishing::CubeRoot] {
        for algorithm in with_vm(f) {
            let mut run = world.run(&algorithm, steps, 2);
            let (mut episodes, mut start, mut at_start) = (0, 1, vec![0u64; world.mdp.pairs()]);
            let (mut sub_sampled, mut longer) = (0, 0);
            for time in 1..=steps {
                let counted = |run: &tucrl::Run| -> Vec<u64> {
                    let diary = run.learner().diary();
                    let counts = diary.counts.unwrap();
                    let mut visits = vec![0; world.mdp.pairs()];
                    for pair in 0..counts.pairs().len() {
                        let (state, action) = counts.owner(pair);
                        visits[world.mdp.pair(state as usize, action as usize)] =
                            counts.visits(pair);
                    }
                    visits
                };
                let before = counted(&run);
                run.advance(time).unwrap();
                let begun = run.learner().diary().episode_count();
                if begun != episodes {
                    (episodes, start, at_start) = (begun, time, before);
                }
                let now = counted(&run);
                for (after, before) in now.iter().zip(&at_start) {
                    let (within, share) = (after - before, f.at(start) * *before as f64);
                    assert!(
                        within <= share.max(1.0).ceil() as u64,
                        "{}: {within} {share}",
                        algorithm.name
                    );
                    sub_sampled += u64::from(share <= 1.0 && within == 1);
                    longer += u64::from(within > 1);
                }
            }
            assert!(sub_sampled > 50 && longer > 50, "{sub_sampled} {longer}");
        }
    }
}

/// The worst loss in the windows after the exploration times of some runs.
fn worst_losses(world: &World, algorithm: &Named, runs: u64) -> Vec<(u64, f64)> {
    let (mut largest, mut explored): (Vec<(u64, f64)>, u64) = (Vec::new(), 0);
    for run in 0..runs {
        let mut run = world.run(algorithm, 200_000, run);
        run.watch_exploration();
        run.advance(200_000).unwrap();
        let ExplorationLoss { times, windows, .. } = run.record().exploration.unwrap();
        explored += times;
        largest.resize(windows.len(), (0, 0.0));
        for (largest, (window, _, worst)) in largest.iter_mut().zip(windows) {
            *largest = (window, largest.1.max(worst));
        }
    }
    assert!(explored > 0, "{} never explored", algorithm.name);
    largest
}

/// The measure of the paper's figures (its display 14): river-swim with three cells, the largest loss in the first w steps
/// after an exploration time.
#[test]
fn the_regret_of_exploration_grows_linearly_with_doubling_and_hardly_with_vm() {
    let world = river_swim(3);
    let ucrl2 = |rule| {
        let optimism = shrunk(0.5);
        Named::new("ucrl2", Ucrl { set: SetKind::L1, rule, optimism, ..Ucrl::default() })
    };
    let doubling = worst_losses(&world, &ucrl2(OptimistRule::Doubling), 6);
    let vm = worst_losses(&world, &ucrl2(OptimistRule::Vm), 6);
    let at = |losses: &[(u64, f64)], window| losses.iter().find(|l| l.0 == window).unwrap().1;
    let slope = |losses: &[(u64, f64)], from, to| {
        (at(losses, to) / at(losses, from)).ln() / (to as f64 / from as f64).ln()
    };
    assert!((slope(&doubling, 100, 1000) - 1.0).abs() < 0.1, "{doubling:?}");
    assert!(slope(&vm, 100, 1000) < 0.5, "{vm:?}");
    // Concave: what a further step costs does not grow.
    let per_step: Vec<f64> = [(10, 100), (100, 1000)]
        .map(|(from, to)| (at(&vm, to) - at(&vm, from)) / (to - from) as f64)
        .to_vec();
    assert!(per_step[1] < per_step[0], "{per_step:?}");
    assert!(at(&doubling, 1000) >= 5.0 * at(&vm, 1000), "{doubling:?} {vm:?}");
}
