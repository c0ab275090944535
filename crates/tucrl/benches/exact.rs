//! How long do the exact answers take, side by side?
//!
//! The kernels behind the row `exact` of `tucrl bench`.
#![allow(missing_docs, clippy::unwrap_used)]

use divan::{Bencher, black_box};
use tucrl::hitting::diameter;
use tucrl::mdp::Mdp;
use tucrl::solve::solve;
use tucrl::structure::end_components;
use tucrl::worlds::{Garnet, RiverSwim, Taxi, TaxiJunk};

fn main() {
    divan::main();
}

fn garnet(states: usize) -> Mdp {
    Garnet { states, actions: 4, branching: 5, seed: 1 }.build().unwrap()
}

#[divan::bench(args = [10_000, 100_000], sample_count = 10)]
fn build_garnet(states: usize) -> Mdp {
    garnet(black_box(states))
}

#[divan::bench(args = [10_000, 100_000], sample_count = 10)]
fn end_components_of_garnet(bencher: Bencher, states: usize) {
    let mdp = garnet(states);
    bencher.bench_local(|| end_components(black_box(&mdp)).count());
}

#[divan::bench(args = [1_000, 10_000], sample_count = 10)]
fn solve_garnet(bencher: Bencher, states: usize) {
    let mdp = garnet(states);
    bencher.bench_local(|| solve(black_box(&mdp)).unwrap());
}

#[divan::bench(args = [100, 1_000], sample_count = 10)]
fn solve_river_swim(bencher: Bencher, length: usize) {
    let mdp = RiverSwim::of_length(length).build().unwrap();
    bencher.bench_local(|| solve(black_box(&mdp)).unwrap());
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn diameter_of_taxi(bencher: Bencher) {
    let mdp = Taxi { junk: TaxiJunk::Removed, ..Taxi::default() }.build().unwrap();
    bencher.bench_local(|| diameter(black_box(&mdp), &|_, _| ()).unwrap());
}
