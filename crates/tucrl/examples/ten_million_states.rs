//! What does it take to have seen ten million states, and to plan over them?
//!
//! Mountain Car with a number of cells per side (an argument; 3750 by default), counted as after a run that has tried
//! every action of every reachable state twice. Then TUCRL plans, on one thread and on all, and the plans are
//! compared bit by bit.
//!
//! ```text
//! cargo run --release -p tucrl --example ten_million_states [cells per side]
//! ```

use std::error::Error;
use std::time::Instant;

use tucrl::agents::Relaxation;
use tucrl::counts::{Counts, Variance};
use tucrl::explore::explore;
use tucrl::generator::{Generator, Outcomes, list};
use tucrl::worlds::MountainCar;
use tucrl::{Optimism, PlanInput, Planner, RandomStream, Tucrl};

fn main() -> Result<(), Box<dyn Error>> {
    let side: usize = std::env::args().nth(1).map_or(Ok(3750), |side| side.parse())?;
    // The number of velocities is odd.
    let (positions, velocities) = (side, side | 1);
    let world = MountainCar { positions, velocities, points_per_side: 2, frames: 5 }.generator()?;
    let clock = Instant::now();
    let counts = counted(&world)?;
    let (pairs, bytes, visits) = (counts.pairs().len(), counts.bytes(), 2 * counts.pairs().len());
    let next: usize = counts.pairs().iter().map(|pair| pair.observed() as usize).sum();
    println!("states seen    {} of {}", counts.seen(), world.space().states());
    println!("counted in     {:.0} s", clock.elapsed().as_secs_f64());
    println!("pairs          {pairs}, {:.2} next states each", next as f64 / pairs as f64);
    let each = bytes as f64 / pairs as f64;
    println!("counts         {:.2} GB, {each:.0} bytes per pair", bytes as f64 / 1e9);
    println!("peak memory    {}", peak());
    let planner = Tucrl { optimism: Optimism::shrunk(1e-4), relaxation: Relaxation::Mass };
    let mut plans = Vec::new();
    for threads in [1, std::thread::available_parallelism()?.get()] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let clock = Instant::now();
        let plan = pool.install(|| {
            let mut random = RandomStream::new(0);
            planner.clone().plan(&mut PlanInput::new(&counts, visits as u64, &mut random))
        })?;
        let seconds = clock.elapsed().as_secs_f64();
        let sweeps = plan.sweeps;
        println!("plan           {seconds:.1} s on {threads} threads, {sweeps} sweeps");
        plans.push(plan);
    }
    println!("peak memory    {}", peak());
    println!("the same plan  {}", plans[0] == plans[1]);
    Ok(())
}

/// Every action of every reachable state twice.
fn counted(world: &dyn Generator) -> Result<Counts, Box<dyn Error>> {
    let reachable = explore(world, usize::MAX, &|_| true)?.states;
    let mut counts = Counts::new(world.space().clone(), Variance::default());
    let (mut outcomes, mut random) = (Outcomes::default(), RandomStream::new(1));
    for &state in &reachable {
        let here = counts.see(state);
        for action in 0..world.space().actions(state) {
            list(world, state, action, &mut outcomes)?;
            let law: Vec<f64> = outcomes.entries().iter().map(|o| o.probability).collect();
            for _ in 0..2 {
                let outcome = &outcomes.entries()[random.categorical(&law)];
                let (pair, next) = (counts.pair(here, action), counts.see(outcome.next));
                counts.record(pair, outcome.reward.sample(&mut random), next);
            }
        }
    }
    counts.freeze();
    Ok(counts)
}

/// The most memory that the process has held; only Linux tells without foreign code.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kilobytes.map_or("unknown".into(), |kilobytes| format!("{:.2} GB", kilobytes * 1024.0 / 1e9))
}
