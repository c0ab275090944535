//! How long does a step take, with learning and without?
//!
//! The kernels behind the rows `learning-loop`, `whole-run` and `threads` of `tucrl bench`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use tucrl::agents::{Algorithm, Optimism, Tucrl};
use tucrl::env::{Environment, Walk};
use tucrl::mdp::Mdp;
use tucrl::rng::RandomStream;
use tucrl::run::{Checkpoints, Run, RunSpec, Truth};
use tucrl::solve::solve;
use tucrl::worlds::{RiverSwim, Taxi};

fn main() {
    divan::main();
}

const STEPS: u64 = 100_000;

fn world(name: &str) -> (Arc<Mdp>, Truth) {
    let (mdp, reachable) = match name {
        "taxi" => (Taxi::default().build().unwrap(), 400),
        _ => (RiverSwim { length: 25 }.build().unwrap(), 25),
    };
    let solution = solve(&mdp).unwrap();
    let gain = solution.gain_from_start(&mdp).0;
    (Arc::new(mdp), Truth { gain, reachable, optimal_policy: solution.policy })
}

#[divan::bench(args = ["taxi", "river-swim"], sample_count = 50)]
fn walk(bencher: Bencher, name: &str) {
    let (mdp, truth) = world(name);
    let policy: Vec<u32> =
        (0..mdp.states()).map(|s| truth.optimal_policy.action(s).unwrap() as u32).collect();
    let mut walk = Walk::new(mdp, RandomStream::new(1));
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
        (0..STEPS).map(|_| walk.step(policy[walk.state() as usize]).reward).sum::<f64>()
    });
}

/// After a million steps, so that few plans are left to make.
#[divan::bench(args = ["taxi", "river-swim"], sample_count = 50)]
fn learn(bencher: Bencher, name: &str) {
    let (mdp, truth) = world(name);
    let optimism = Optimism { alpha_r: 0.01, alpha_p: 0.01, ..Optimism::default() };
    let spec = RunSpec {
        algorithm: Algorithm::Tucrl(Tucrl { optimism, ..Tucrl::default() }),
        steps: u64::MAX,
        checkpoints: Checkpoints::At(Vec::new()),
        master_seed: 1,
        run: 0,
    };
    let mut run = Run::new(spec, mdp, truth).unwrap();
    run.advance(1_000_000).unwrap();
    bencher
        .counter(ItemsCount::new(STEPS))
        .bench_local(|| run.advance(run.taken() + STEPS).unwrap());
}
