//! How long does a step take, with learning and without?
//!
//! The kernels behind the rows `learning-loop`, `whole-run` and `threads` of `tucrl bench`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use tucrl::env::{Environment, Walk};
use tucrl::worlds::{RiverSwim, Taxi};
use tucrl::{Checkpoints, Mdp, Model, Optimism, RandomStream, Run, RunSpec, Truth, Tucrl};

fn main() {
    divan::main();
}

const STEPS: u64 = 100_000;

fn world(name: &str) -> (Arc<Mdp>, Truth) {
    let mdp = Arc::new(match name {
        "taxi" => Taxi::default().build().unwrap(),
        _ => RiverSwim::of_length(25).build().unwrap(),
    });
    let truth = Truth::of(&Model::from(&mdp)).unwrap();
    (mdp, truth)
}

#[divan::bench(args = ["taxi", "river-swim"], sample_count = 50)]
fn walk(bencher: Bencher, name: &str) {
    let (mdp, truth) = world(name);
    let best = &truth.solved().unwrap().solution.policy;
    let policy: Vec<u32> =
        (0..mdp.states()).map(|state| best.action(state).unwrap() as u32).collect();
    let mut walk = Walk::new(mdp, RandomStream::new(1));
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
        (0..STEPS).map(|_| walk.step(policy[walk.state() as usize]).reward).sum::<f64>()
    });
}

/// After a million steps, so that few plans are left to make.
#[divan::bench(args = ["taxi", "river-swim"], sample_count = 50)]
fn learn(bencher: Bencher, name: &str) {
    let (mdp, truth) = world(name);
    let tucrl = Tucrl { optimism: Optimism::shrunk(0.01), ..Tucrl::default() };
    let (steps, checkpoints) = (u64::MAX, Checkpoints::at([]));
    let spec = RunSpec { steps, checkpoints, master_seed: 1, run: 0 };
    let mut run = Run::new(spec, Arc::new(tucrl), &Model::from(mdp), Arc::new(truth)).unwrap();
    run.advance(1_000_000).unwrap();
    bencher
        .counter(ItemsCount::new(STEPS))
        .bench_local(|| run.advance(run.taken() + STEPS).unwrap());
}
