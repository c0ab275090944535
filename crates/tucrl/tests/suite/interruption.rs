//! Does every long computation end when its pulse says so, and only then?
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tucrl::agents;
use tucrl::error::{ModelError, SolveError, WorldError};
use tucrl::explore::{ExploreError, explore};
use tucrl::hardness::Hardness;
use tucrl::planner::PlanError;
use tucrl::policy::Policy;
use tucrl::pulse::Pulse;
use tucrl::run::{Checkpoints, Run, RunError, RunSpec};
use tucrl::truth::{Truth, TruthError};
use tucrl::worlds::{Breakout, BreakoutGame, Chain, DeepSea, Garnet, MountainCar, RiverSwim};
use tucrl::{Mdp, Model, evaluate, hitting, solve, structure};

/// Does work that was told to stop before it began.
fn stopped<R>(work: impl FnOnce() -> R) -> R {
    Pulse::new(Arc::new(true.into())).during(work)
}

/// Does work that is told to stop after a while; returns how long it took from then on.
fn stopped_after<R>(wait: Duration, work: impl FnOnce() -> R) -> (R, Duration) {
    let stop = Arc::new(AtomicBool::new(false));
    let pulse = Pulse::new(Arc::clone(&stop));
    std::thread::scope(|scope| {
        let told = scope.spawn(move || {
            std::thread::sleep(wait);
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let result = pulse.during(work);
        let ended = Instant::now();
        (result, ended.saturating_duration_since(told.join().unwrap()))
    })
}

fn garnet(states: usize) -> Mdp {
    Garnet { states, ..Garnet::default() }.build().unwrap()
}

#[test]
fn exact_answers_are_interrupted_and_never_half_true() {
    // Small and large models take different ways through the solver.
    for mdp in [garnet(50), garnet(3000), DeepSea { size: 40 }.build().unwrap()] {
        let policy = Policy::deterministic(vec![0; mdp.states()]);
        let interrupted = |error: SolveError| matches!(error, SolveError::Interrupted { .. });
        assert!(interrupted(stopped(|| solve::solve(&mdp)).unwrap_err()));
        assert!(interrupted(stopped(|| hitting::diameter(&mdp, &|_, _| ())).unwrap_err()));
        assert!(interrupted(stopped(|| hitting::fastest_times(&mdp, 0)).unwrap_err()));
        assert!(interrupted(stopped(|| evaluate::policy_values(&mdp, &policy)).unwrap_err()));
        let truth = Truth::of(&Model::from(Arc::new(mdp.clone()))).unwrap();
        assert!(interrupted(stopped(|| Hardness::of(&truth, &())).unwrap_err()));
        assert!(solve::solve(&mdp).is_ok(), "nothing is left behind");
    }
}

#[test]
fn a_world_is_interrupted_while_it_is_built() {
    let builds: [&dyn Fn() -> Result<Mdp, WorldError>; 6] = [
        &|| Garnet::default().build(),
        &|| MountainCar::default().build(),
        &|| Breakout::default().build(),
        &|| DeepSea::default().build(),
        &|| Chain::default().build(),
        &|| RiverSwim::default().build(),
    ];
    for build in builds {
        let refused = stopped(build).unwrap_err();
        assert!(matches!(refused, WorldError::Model(ModelError::Interrupted)), "{refused}");
        assert!(build().is_ok());
    }
}

#[test]
fn a_search_is_interrupted() {
    let game = BreakoutGame::default().generator().unwrap();
    let refused = stopped(|| explore(&game, 1 << 20, &|_| true)).unwrap_err();
    assert!(matches!(refused, ExploreError::Interrupted { .. }), "{refused}");
    let found = explore(&game, 1 << 20, &|_| true).unwrap();
    let refused = stopped(|| found.table(&game, &|_, _| true)).unwrap_err();
    assert!(matches!(refused, ExploreError::Interrupted { .. }), "{refused}");
}

#[test]
fn a_plan_of_any_agent_is_interrupted_and_can_be_made_later() {
    let model = Model::from(Arc::new(RiverSwim::default().build().unwrap()));
    let truth = Arc::new(Truth::of(&model).unwrap());
    let mut planned = 0;
    for kind in agents::kinds() {
        let Ok(algorithm) = kind.make(&Default::default()) else { continue };
        let checkpoints = Checkpoints::PerDecade(1);
        let spec = RunSpec { steps: 50, checkpoints, master_seed: 1, run: 0 };
        let Ok(mut run) = Run::new(spec, algorithm, &model, Arc::clone(&truth)) else { continue };
        let name = kind.about().name;
        match stopped(|| run.advance(50)) {
            Err(RunError::Plan(PlanError::Interrupted { t_k })) => {
                planned += 1;
                assert_eq!((t_k, run.taken()), (1, 0), "{name}");
                run.advance(50).unwrap();
            }
            // Those that never plan.
            Ok(()) => assert!(["random", "oracle", "optimistic-q"].contains(&name), "{name}"),
            Err(other) => panic!("{name}: {other}"),
        }
        assert_eq!(run.taken(), 50, "{name}");
    }
    assert!(planned >= 8, "{planned}");
}

#[test]
fn a_run_that_is_told_to_stop_takes_whole_steps() {
    let car = MountainCar { positions: 3001, velocities: 1001, ..MountainCar::default() };
    let car: Arc<dyn tucrl::generator::Generator> = Arc::new(car.generator().unwrap());
    let model = Model::from(car);
    let truth = Arc::new(Truth::within(&model, 10, &()).unwrap());
    let spec =
        RunSpec { steps: 50, checkpoints: Checkpoints::PerDecade(1), master_seed: 1, run: 0 };
    let algorithm = Arc::new(agents::Random {});
    let mut run = Run::new(spec, algorithm, &model, truth).unwrap();
    stopped(|| run.advance(50)).unwrap();
    assert_eq!(run.taken(), 50);
}

#[test]
fn long_work_ends_soon_after_being_told() {
    // Each of these takes minutes or more; the limit leaves room for a busy machine.
    let soon = Duration::from_secs(10);
    let slow = MountainCar { positions: 120, velocities: 121, ..MountainCar::default() };
    let slow = slow.build().unwrap();
    let wait = Duration::from_millis(300);
    let reachable = structure::reachable(&slow);
    let diameter = || hitting::diameter_within(&slow, &reachable, &|_, _| ());
    let (refused, took) = stopped_after(wait, diameter);
    assert!(took < soon, "the diameter took {took:?}");
    assert!(refused.is_err());
    let car = MountainCar { points_per_side: 1000, frames: 1000, ..MountainCar::default() };
    let (refused, took) = stopped_after(wait, || car.build());
    assert!(took < soon, "building took {took:?}");
    assert!(refused.is_err());
    let fine = MountainCar { positions: 3001, velocities: 1001, ..MountainCar::default() };
    let fine: Arc<dyn tucrl::generator::Generator> = Arc::new(fine.generator().unwrap());
    let (refused, took) = stopped_after(wait, || Truth::of(&Model::from(fine)));
    assert!(took < soon, "the search took {took:?}");
    assert!(matches!(refused, Err(TruthError::Explore(ExploreError::Interrupted { .. }))));
}
