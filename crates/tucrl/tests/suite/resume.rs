//! A run can be stopped, stored and continued, and a seed gives the same run every time.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use runs::*;
use tucrl::agents::{Bonus, OptimisticQ, Scal};
use tucrl::env::{Environment, Walk};
use tucrl::evi::{Method, Ties};
use tucrl::learner::{Knowledge, Saved};
use tucrl::rng::{Purpose, RandomStream};
use tucrl::run::{Checkpoints, Run, RunSpec, RunState};
use tucrl::span_clip::Operator;
use tucrl::worlds::{RiverSwim, ThreeState};
use tucrl::{AgentError, Optimism, Setting, Start};

fn three_state() -> World {
    World::new(ThreeState { delta: 0.005, ..Default::default() }.build().unwrap())
}

fn river_swim() -> World {
    World::new(RiverSwim::default().build().unwrap())
}

/// Every algorithm, and the options that keep state of their own.
fn all_sorts() -> Vec<Named> {
    let odd = Optimism {
        known_rewards: true,
        warm_start: true,
        ties: Ties::Noise,
        planner: Method::Plain,
        aperiodicity: 0.9,
        ..shrunk(0.1)
    };
    let theory =
        OptimisticQ { bonus: Bonus::Theory, span: 2.0, delta: 0.1, ..OptimisticQ::default() };
    let mut algorithms = everyone(&shrunk(0.1), 3.0);
    algorithms.extend(samplers());
    algorithms.extend(relatives(&shrunk(0.1)));
    algorithms.extend(newcomers(&shrunk(0.1)));
    algorithms.extend([
        tucrl(odd.clone()),
        ucrl(odd),
        scal(shrunk(0.1), f64::INFINITY),
        Named::new(
            "scal",
            Scal {
                c: 2.0.into(),
                operator: Operator::N,
                augment: false,
                optimism: clipped(shrunk(0.1)),
                ..Scal::default()
            },
        ),
        Named::new("optimistic-q", Foretold { steps: 2_000, algorithm: theory }),
    ]);
    algorithms
}

fn written(run: &Run) -> String {
    serde_json::to_string(&run.state().unwrap()).unwrap()
}

/// Stores a run, its spec and its options, and reads it back.
fn read_back(world: &World, algorithm: &Named, run: &Run) -> Run {
    let state: RunState = serde_json::from_str(&written(run)).unwrap();
    assert_eq!((state.taken(), state.state()), (run.taken(), run.state().unwrap().state()));
    let spec: RunSpec = serde_json::from_str(&serde_json::to_string(run.spec()).unwrap()).unwrap();
    assert_eq!(spec, *run.spec());
    let (algorithm, truth) = (algorithm.reread(), Arc::clone(&world.truth));
    let resumed = Run::resume(spec, algorithm, &world.model, truth, state).unwrap();
    assert_eq!(written(&resumed), written(run), "reading and writing changes nothing");
    resumed
}

#[test]
fn a_run_stopped_anywhere_and_resumed_ends_the_same() {
    let steps = 2_000;
    for (place, world) in [("river-swim", river_swim()), ("three-state", three_state())] {
        for algorithm in all_sorts() {
            let what = format!("{} on {place}", algorithm.name);
            let whole = world.finished(&algorithm, steps, 5);
            let (record, state) = (whole.record(), written(&whole));
            // Random places, the ends, and around the plans: before one and one step after it.
            let mut random = RandomStream::new(11);
            let mut stops: Vec<u64> = (0..5).map(|_| random.below(steps)).collect();
            stops.extend([0, 1, 2, steps - 1, steps]);
            let starts: Vec<u64> = record.episodes.iter().map(|e| e.0.start).collect();
            for start in starts.iter().rev().take(3) {
                stops.extend([start - 1, *start]);
            }
            for stop in stops {
                let mut run = world.run(&algorithm, steps, 5);
                run.advance(stop).unwrap();
                let mut resumed = read_back(&world, &algorithm, &run);
                assert_eq!(resumed.taken(), stop);
                resumed.advance(steps).unwrap();
                assert_eq!(resumed.record(), record, "{what}, stopped at {stop}");
                assert_eq!(written(&resumed), state, "{what}, stopped at {stop}");
            }
        }
    }
}

#[test]
fn a_run_resumed_again_and_again_ends_the_same() {
    let world = river_swim();
    for algorithm in all_sorts() {
        let record = world.record(&algorithm, 600, 2);
        let mut run = world.run(&algorithm, 600, 2);
        for time in (0..=600).step_by(37).chain([600]) {
            run.advance(time).unwrap();
            run = read_back(&world, &algorithm, &run);
        }
        assert_eq!(run.record(), record, "{}", algorithm.name);
    }
}

#[test]
fn many_small_advances_are_one_large_one() {
    let world = three_state();
    for algorithm in all_sorts() {
        // More steps than one block of rewards.
        let steps = 70_000;
        let whole = world.finished(&algorithm, steps, 3);
        let mut run = world.run(&algorithm, steps, 3);
        let mut random = RandomStream::new(3);
        let mut time = 0;
        while !run.is_complete() {
            time += 1 + random.below(997);
            run.advance(time).unwrap();
            assert_eq!(run.taken(), time.min(steps));
        }
        run.advance(u64::MAX).unwrap();
        assert_eq!(run.record(), whole.record(), "{}", algorithm.name);
        assert_eq!(written(&run), written(&whole), "{}", algorithm.name);
    }
}

#[test]
fn when_regret_is_written_down_does_not_change_what_happens() {
    let world = three_state();
    for algorithm in all_sorts() {
        let record = world.record(&algorithm, 3_000, 4);
        for checkpoints in [Checkpoints::Even(7), Checkpoints::at([5, 5, 1, 9_999_999])] {
            let times = checkpoints.times(3_000);
            let mut run =
                world.run_with(&algorithm, RunSpec { checkpoints, ..spec(3_000, 4) }).unwrap();
            run.advance(3_000).unwrap();
            let other = run.record();
            assert_eq!(other.regret.iter().map(|point| point.0).collect::<Vec<_>>(), times);
            assert_eq!(other.regret.last(), record.regret.last());
            assert_eq!(
                (other.visits, other.episodes),
                (record.visits.clone(), record.episodes.clone())
            );
        }
    }
    assert_eq!(Checkpoints::PerDecade(2).times(1_000), [1, 3, 10, 32, 100, 316, 1_000]);
    assert_eq!(Checkpoints::Even(4).times(10), [2, 5, 7, 10]);
    assert_eq!(Checkpoints::Even(4).times(2), [1, 2]);
    assert_eq!(Checkpoints::at([7, 3]).times(10), [3, 7, 10]);
    assert_eq!(Checkpoints::PerDecade(1).times(0), [0u64; 0]);
}

/// Between asking for an action and learning what it led to there is no step, but there is a state.
#[test]
fn an_agent_stored_between_acting_and_observing_goes_on_the_same() {
    let world = river_swim();
    let policy = world.truth.solved().unwrap().solution.policy.clone();
    let knowledge = Knowledge { optimal_policy: Some(policy), ..Knowledge::default() };
    let setting = Setting { knowledge, ..world.setting(200) };
    let text_of = |saved: Option<Saved>| serde_json::to_string(&saved.unwrap()).unwrap();
    let mut algorithms = everyone(&shrunk(0.1), 3.0);
    algorithms.extend(samplers());
    algorithms.extend(relatives(&shrunk(0.1)));
    algorithms.extend(newcomers(&shrunk(0.1)));
    let mut started = 0;
    for Named { name, algorithm, .. } in algorithms {
        let mut walk = Walk::new(Arc::clone(&world.mdp), RandomStream::new(1));
        let random = RandomStream::new(2);
        let start = Start { setting: &setting, state: walk.state(), random };
        let mut agent = match algorithm.start(start) {
            // Algorithms that are told the true rewards read them from the world, which no checkpoint contains.
            Err(AgentError::Missing { what: "the true mean rewards" }) => continue,
            started => started.unwrap(),
        };
        started += 1;
        for _ in 0..200 {
            let action = agent.act().unwrap();
            let text = text_of(agent.save());
            let step = walk.step(action);
            agent.observe(step.reward, step.next);
            let saved: Saved = serde_json::from_str(&text).unwrap();
            let mut twin = algorithm.restore(&setting, &saved).unwrap();
            // Learners that plan remember the action; those that do not are asked again.
            if name == "optimistic-q" {
                assert_eq!(twin.act().unwrap(), action);
            }
            twin.observe(step.reward, step.next);
            assert_eq!(text_of(twin.save()), text_of(agent.save()), "{name}");
        }
    }
    assert_eq!(started, 36);
}

#[test]
fn asking_twice_for_an_action_gives_the_same_action() {
    let world = river_swim();
    let setting = world.setting(300);
    for algorithm in planners(&shrunk(0.1), 3.0) {
        let mut walk = Walk::new(Arc::clone(&world.mdp), RandomStream::new(1));
        let start = Start { setting: &setting, state: 0, random: RandomStream::new(2) };
        let mut agent = algorithm.algorithm.start(start).unwrap();
        for _ in 0..300 {
            let action = agent.act().unwrap();
            assert_eq!(agent.act().unwrap(), action);
            let step = walk.step(action);
            agent.observe(step.reward, step.next);
        }
    }
}

#[test]
fn seed_and_run_index_change_everything_and_purposes_share_nothing() {
    let mut firsts = Vec::new();
    for seed in 0..20 {
        for run in 0..20 {
            for purpose in [Purpose::World, Purpose::Agent] {
                firsts.push(RandomStream::of_run(seed, run, purpose).bits());
            }
        }
    }
    let streams = firsts.len();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), streams, "800 streams begin with 800 numbers");
    assert_ne!(
        RandomStream::of_run(1, 2, Purpose::World),
        RandomStream::of_run(2, 1, Purpose::World)
    );
    let world = river_swim();
    let mut outcomes = Vec::new();
    for (master_seed, run) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let spec = RunSpec { master_seed, ..spec(5_000, run) };
        let mut run = world.run_with(&tucrl(shrunk(0.1)), spec).unwrap();
        run.advance(5_000).unwrap();
        outcomes.push(run.record().visits);
    }
    for (index, outcome) in outcomes.iter().enumerate() {
        assert!(!outcomes[..index].contains(outcome));
    }
}
