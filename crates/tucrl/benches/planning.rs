//! How long does a plan take, and one of its sweeps?
//!
//! The kernels behind the rows `sweep`, `literal`, `nominal-size` and `accelerated` of `tucrl bench`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use divan::{Bencher, black_box};
use tucrl::counts::{Counts, Variance};
use tucrl::env::{Environment, Walk};
use tucrl::evi::{Method, Sweeper};
use tucrl::plausible::Belief;
use tucrl::sets::{Bernstein, L1};
use tucrl::worlds::{Garnet, Taxi, ThreeState};
use tucrl::{ConfidenceSet, Mdp, Optimism, PlanInput, Planner, RandomStream, Space, Tucrl, Ucrl};

fn main() {
    divan::main();
}

/// What a random walk through a world counts in a given space.
fn walked(mdp: Mdp, space: Space, steps: u64) -> Counts {
    let mut walk = Walk::new(Arc::new(mdp), RandomStream::new(1));
    let mut random = RandomStream::new(2);
    let mut counts = Counts::new(space, Variance::Published);
    let mut here = counts.see(walk.state());
    for _ in 0..steps {
        let action = random.below(counts.pairs_of(here).len() as u64) as u32;
        let step = walk.step(action);
        let next = counts.see(step.next);
        counts.record(counts.pair(here, action), step.reward, next);
        here = next;
    }
    counts.freeze();
    counts
}

fn taxi(nominal: u64) -> Counts {
    walked(Taxi::default().build().unwrap(), Space::uniform(nominal, 6), 1_000_000)
}

fn plan(bencher: Bencher, counts: &Counts, mut planner: impl Planner) {
    let mut random = RandomStream::new(0);
    let mut now = PlanInput::new(counts, 1_000_001, &mut random);
    bencher.bench_local(|| planner.plan(black_box(&mut now)).unwrap().sweeps);
}

#[divan::bench(sample_count = 50)]
fn plan_tucrl_on_taxi(bencher: Bencher) {
    plan(bencher, &taxi(500), Tucrl { optimism: Optimism::shrunk(0.001), ..Tucrl::default() });
}

#[divan::bench(sample_count = 50)]
fn plan_ucrl_on_taxi(bencher: Bencher) {
    plan(bencher, &taxi(500), Ucrl { optimism: Optimism::shrunk(0.01), ..Ucrl::default() });
}

#[divan::bench(args = [1_000, 1_000_000_000_000], sample_count = 50)]
fn plan_ucrl_on_a_nominal_size(bencher: Bencher, states: u64) {
    let optimism = Optimism { sa: 6e3.into(), ..Optimism::shrunk(0.01) };
    plan(bencher, &taxi(states), Ucrl { optimism, ..Ucrl::default() });
}

#[divan::bench(args = [true, false], sample_count = 20)]
fn plan_ucrl_on_three_states_accelerated(bencher: Bencher, is_accelerated: bool) {
    let world = ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap();
    let space = Space::listed((0..3).map(|state| world.actions(state) as u32).collect());
    let planner = if is_accelerated { Method::Accelerated } else { Method::Plain };
    let optimism = Optimism { planner, ..Optimism::shrunk(0.05) };
    plan(bencher, &walked(world, space, 1_000_000), Ucrl { optimism, ..Ucrl::default() });
}

/// A garnet in which every pair was tried 64 times.
fn garnet(states: usize) -> Counts {
    let mdp = Garnet { states, actions: 4, branching: 5, seed: 1 }.build().unwrap();
    let mut counts = Counts::new(Space::uniform(states as u64, 4), Variance::Published);
    (0..states as u64).for_each(|state| assert_eq!(u64::from(counts.see(state)), state));
    let mut random = RandomStream::new(1);
    for pair in 0..mdp.pairs() {
        let row = mdp.row(pair);
        for _ in 0..64 {
            let next = row.next[random.categorical(row.probability)];
            counts.record(pair, mdp.mean_reward(pair), next);
        }
    }
    counts.freeze();
    counts
}

fn sweep<S: ConfidenceSet>(bencher: Bencher, counts: &Counts, alpha: f64) {
    let widths = S::of(&Optimism::shrunk(alpha).confidence(), counts.space(), 1_000_000);
    let set = widths.plausible(&Belief { counts, r_max: 1.0, unseen: 0, known: None });
    let mut sweeper = Sweeper::new(&set, 1.0, None);
    bencher.bench_local(|| {
        let ends = sweeper.sweep();
        sweeper.advance();
        ends
    });
}

#[divan::bench(sample_count = 50)]
fn sweep_balls_of_a_garnet(bencher: Bencher) {
    sweep::<L1>(bencher, &garnet(100_000), 3e-4);
}

#[divan::bench(sample_count = 50)]
fn sweep_boxes_of_a_garnet(bencher: Bencher) {
    sweep::<Bernstein>(bencher, &garnet(100_000), 1e-2);
}

#[divan::bench(sample_count = 50)]
fn sweep_balls_of_taxi(bencher: Bencher) {
    sweep::<L1>(bencher, &taxi(500), 3e-3);
}

#[divan::bench(sample_count = 50)]
fn sweep_boxes_of_taxi(bencher: Bencher) {
    sweep::<Bernstein>(bencher, &taxi(500), 1e-2);
}
