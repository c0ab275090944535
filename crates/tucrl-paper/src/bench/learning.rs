//! How long does learning take, against simulating?
//!
//! TUCRL on taxi with 500 states and widths shrunk by 0.01, as in the paper's experiments.

use std::sync::Arc;
use std::time::Duration;

use tucrl::agents::{Optimism, Tucrl};
use tucrl::env::{Environment, Walk};
use tucrl::model::Model;
use tucrl::rng::{Purpose, RandomStream};
use tucrl::run::{Checkpoints, Run, RunSpec};
use tucrl::truth::{Solved, Truth};
use tucrl::worlds::Taxi;

use tucrl_lab::text::stopwatch;

use super::bare_walk::BareWalk;
use super::clock::{ratio, timed};
use super::{BenchError, Goal, Length, Row};
use tucrl_lab::runner::{self, Job};

pub(super) const WHOLE_RUN: &str = "whole-run";
pub(super) const LOOP: &str = "learning-loop";
pub(super) const THREADS: &str = "threads";

const MEGABYTE: f64 = 1e6;

/// Taxi and its facts.
pub(super) fn taxi() -> Result<(Model, Arc<Truth>), BenchError> {
    let model = Model::from(Arc::new(Taxi::default().build()?));
    let truth = Truth::of(&model)?;
    Ok((model, Arc::new(truth)))
}

/// A run of TUCRL on taxi.
fn tucrl(steps: u64, run: u64) -> Result<Job, BenchError> {
    let (model, truth) = taxi()?;
    let algorithm = Arc::new(Tucrl { optimism: Optimism::shrunk(0.01), ..Tucrl::default() });
    let checkpoints = Checkpoints::PerDecade(10);
    let spec = RunSpec { steps, checkpoints, master_seed: 1, run };
    let (exploration, lends_world) = (false, false);
    Ok(Job { model, truth, failure: None, algorithm, spec, exploration, lends_world })
}

fn begun(job: &Job) -> Result<Run, BenchError> {
    let (algorithm, truth) = (Arc::clone(&job.algorithm), Arc::clone(&job.truth));
    Ok(Run::new(job.spec.clone(), algorithm, &job.model, truth)?)
}

/// Learning from one time to twice that time, in turns with the same number of steps under an optimal policy: by a bare
/// loop over arrays, and by the library's walk. Plans count as learning.
pub(super) fn learning_loop(_: Length) -> Result<Vec<Row>, BenchError> {
    let from = 100_000_000;
    const TURNS: u64 = 20;
    let job = tucrl(2 * from, 0)?;
    let Some(Solved { table, solution, .. }) = job.truth.solved() else { return Ok(Vec::new()) };
    let policy: Vec<u32> = (0..table.states())
        .map(|state| solution.policy.action(state).map_or(0, |action| action as u32))
        .collect();
    let mut random = RandomStream::of_run(1, 0, Purpose::World);
    let mut walk = Walk::new(Arc::clone(table), random.clone());
    // The number that the start was drawn with.
    random.bits();
    let mut bare = BareWalk::new(table, &policy, walk.state() as u32, random);
    let mut run = begun(&job)?;
    run.advance(from)?;
    let (_, planned_before) = run.clocks();
    let [mut learning, mut walking, mut floor] = [Duration::ZERO; 3];
    let (mut earned, mut bare_earned) = (0.0, 0.0);
    for turn in 1..=TURNS {
        let (outcome, time) = timed(|| run.advance(from + from * turn / TURNS));
        outcome?;
        learning += time;
        let (sum, time) = timed(|| bare.advance(from / TURNS, bare_earned));
        bare_earned = sum;
        floor += time;
        let ((), time) = timed(|| {
            for _ in 0..from / TURNS {
                earned += walk.step(policy[walk.state() as usize]).reward;
            }
        });
        walking += time;
    }
    if (u64::from(bare.state), bare_earned, bare.visits()) != (walk.state(), earned, from) {
        let how = "the bare walk and the library's took different ways".to_owned();
        return Err(BenchError::Disagree { name: LOOP, how });
    }
    let planning = run.clocks().1 - planned_before;
    let per_step = |time: Duration| 1e9 * time.as_secs_f64() / from as f64;
    let details = format!(
        "learning {:.1} ns per step, of which planning {:.1}; bare loop {:.1}, library's walk {:.1}",
        per_step(learning),
        per_step(planning),
        per_step(floor),
        per_step(walking)
    );
    let what = |floor: &str| {
        let (from, to) = (from as f64, 2.0 * from as f64);
        format!("steps/s of TUCRL on taxi, steps {from:.0e} to {to:.0e}, over steps/s of {floor}")
    };
    let row = |time, floor, goal| {
        Row::new(LOOP, what(floor), (ratio(time, learning), "x"), goal, details.clone())
    };
    Ok(vec![
        row(floor, "a bare loop that walks under a fixed policy", Some(Goal::AtLeast(0.5))),
        row(walking, "the library's walk under a fixed policy", None),
    ])
}

/// One long run: seconds, and peak memory after a tenth of the steps and at the end.
pub(super) fn whole_run(length: Length) -> Result<Vec<Row>, BenchError> {
    let steps = match length {
        Length::Short => 100_000_000,
        Length::Full => 1_000_000_000,
    };
    let mut run = begun(&tucrl(steps, 0)?)?;
    run.advance(steps / 10)?;
    let early = peak_memory();
    run.advance(steps)?;
    let (simulate, plan) = run.clocks();
    let Some((early, peak)) = early.zip(peak_memory()) else {
        let details = format!("simulating {}, planning {}", stopwatch(simulate), stopwatch(plan));
        let what = "peak memory: not available on this system".to_owned();
        let mut row = Row::new(WHOLE_RUN, what, (f64::NAN, "MB"), None, details);
        row.goal = Some(Goal::AtMost(50.0));
        return Ok(vec![row]);
    };
    let program = memory("RssFile:").unwrap_or(0.0);
    let details = format!(
        "simulating {}, planning {} in {} episodes; peak {:.1} MB after a tenth of it; {:.1} MB are pages of the \
         program and its libraries, shared by all that run it",
        stopwatch(simulate),
        stopwatch(plan),
        run.learner().diary().episode_count(),
        early / MEGABYTE,
        program / MEGABYTE
    );
    let what = format!("peak memory of TUCRL on taxi to {:.0e} steps, one core", steps as f64);
    let measured = (peak / MEGABYTE, "MB");
    Ok(vec![Row::new(WHOLE_RUN, what, measured, Some(Goal::AtMost(50.0)), details)])
}

/// Peak memory of the process in bytes; available on Linux only.
pub(super) fn peak_memory() -> Option<f64> {
    memory("VmHWM:")
}

/// A line of the process's memory, in bytes.
fn memory(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

/// Eight runs on two threads and on one.
pub(super) fn threads(length: Length) -> Result<Vec<Row>, BenchError> {
    let (steps, turns) = match length {
        Length::Short => (300_000, 3),
        Length::Full => (3_000_000, 5),
    };
    let jobs: Vec<Job> = (0..8).map(|run| tucrl(steps, run)).collect::<Result<_, _>>()?;
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let mut best = [Duration::MAX; 2];
    for _ in 0..turns {
        let mut records = Vec::new();
        for (pool, best) in [&one, &two].into_iter().zip(&mut best) {
            let (outcomes, time) = timed(|| pool.install(|| runner::run_all(&jobs, &())));
            *best = time.min(*best);
            let regret = |outcome: &runner::Outcome| outcome.last_regret.to_bits();
            records.push(outcomes.iter().flatten().map(regret).collect::<Vec<u64>>());
        }
        if records[0] != records[1] {
            let how = "runs differ with the number of threads".to_owned();
            return Err(BenchError::Disagree { name: THREADS, how });
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let details = format!(
        "{} on one, {} on two; the machine has {cores}",
        stopwatch(best[0]),
        stopwatch(best[1])
    );
    let what = format!("8 runs of TUCRL on taxi, {steps} steps each, on 2 threads against 1");
    let goal = Some(Goal::AtLeast(1.9));
    Ok(vec![Row::new(THREADS, what, (ratio(best[0], best[1]), "x"), goal, details)])
}
