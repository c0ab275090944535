//! No horizon, shrink factor or odd world makes a run panic, loop without end or lose optimism silently: it
//! completes, or ends with a typed error that says what to change.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use runs::*;
use tucrl::agents::{OptimisticQ, Scal};
use tucrl::confidence::{Delta, InverseRoot, Shrink};
use tucrl::counts::Variance;
use tucrl::env::{Environment, Walk};
use tucrl::evi::{Method, Ties};
use tucrl::options::{NumberOr, Required};
use tucrl::run::{Case, RunError};
use tucrl::solve::solve;
use tucrl::span_clip::{Mode, Operator};
use tucrl::worlds::{Garnet, RiverSwim, Taxi, TaxiJunk, ThreeState, ThreeStateRewards, TwoState};
use tucrl::{Mdp, Optimism, PlanError, RandomStream, Run, Space, Start, Tucrl};

fn three_state(delta: f64) -> World {
    World::new(ThreeState { delta, ..Default::default() }.build().unwrap())
}

fn river_swim() -> World {
    World::new(RiverSwim::default().build().unwrap())
}

fn small_worlds() -> Vec<World> {
    let garnet = Garnet { states: 6, actions: 3, branching: 2, seed: 4 };
    vec![
        three_state(0.0),
        World::new(TwoState::default().build().unwrap()),
        river_swim(),
        World::new(garnet.build().unwrap()),
    ]
}

fn world(build: impl FnOnce(&mut tucrl::mdp::MdpBuilder)) -> World {
    let mut builder = Mdp::builder();
    build(&mut builder);
    World::new(builder.build().unwrap())
}

/// Plays to the end or to the first error, which must be typed, say what to change, and come again when
/// the run is continued.
fn play(world: &World, algorithm: &Named, steps: u64) -> (Run, Option<PlanError>) {
    let mut run = world.run(algorithm, steps, 1);
    let error = match run.advance(steps) {
        Ok(()) => {
            assert!(run.is_complete());
            None
        }
        Err(RunError::Plan(error)) => {
            let taken = run.taken();
            assert_eq!(run.advance(steps), Err(RunError::Plan(error.clone())));
            assert_eq!(run.taken(), taken, "a run does not go on with an old plan");
            Some(error)
        }
        Err(other) => panic!("{other}"),
    };
    let record = run.record();
    let played: u64 = record.episodes.iter().map(|(episode, _)| episode.length).sum();
    assert!(record.episodes.is_empty() || played == record.steps, "every step in one episode");
    assert!(record.regret.iter().all(|point| point.1.is_finite()));
    let numbers = |e: &tucrl::episode::EpisodeRecord| [e.gain, e.span, e.span_seen];
    assert!(record.episodes.iter().all(|(e, _)| numbers(e).iter().all(|x| x.is_finite())));
    (run, error)
}

fn completes(world: &World, algorithm: &Named, steps: u64) -> Run {
    let (run, error) = play(world, algorithm, steps);
    assert_eq!(error, None, "{algorithm:?}");
    run
}

#[test]
fn any_shrink_factor_completes_or_says_what_to_change() {
    for world in small_worlds() {
        for alpha in [0.0, 1e-300, 1e-18, 1e-14, 1e-6, 1e-3, 1.0, 1e6, 1e300, f64::MAX] {
            for shrink in [Shrink::Linear, Shrink::Log] {
                let optimism = Optimism { shrink, ..shrunk(alpha) };
                for algorithm in everyone(&optimism, 2.0) {
                    let (_, error) = play(&world, &algorithm, 3_000);
                    if alpha >= 1e-6 {
                        assert_eq!(error, None, "{algorithm:?}");
                    } else if let Some(error) = error {
                        assert!(error.to_string().contains("a larger alpha"), "{error}");
                    }
                }
            }
        }
    }
}

/// With widths of 0 the plausible MDP falls apart: staying earns 2/3, an unseen state 1.
#[test]
fn widths_of_zero_are_refused_at_once_where_the_plausible_mdp_falls_apart() {
    let world = three_state(0.0);
    for algorithm in [ucrl2(shrunk(0.0)), ucrl(shrunk(0.0)), tucrl(shrunk(0.0))] {
        let (run, error) = play(&world, &algorithm, 10_000);
        let Some(PlanError::NotConverged { t_k, sweeps, span, tolerance }) = error else {
            panic!("{error:?}")
        };
        assert_eq!((t_k, run.taken()), (12, 11));
        assert!(sweeps < 1_000, "{sweeps} sweeps to find out");
        assert!(span > tolerance);
        assert_eq!(
            error.unwrap().to_string(),
            format!(
                "planning at step 12 did not converge: after {sweeps} sweeps the increments still \
                 differ by {span}, {tolerance} was asked: use wider confidence sets (a larger alpha), \
                 or planner=accelerated"
            )
        );
    }
    // A plain planner cannot know: it sweeps to its limit.
    let plain = Optimism { planner: Method::Plain, sweeps: 777, ..shrunk(0.0) };
    let (_, error) = play(&world, &ucrl(plain), 10_000);
    assert!(matches!(error, Some(PlanError::NotConverged { sweeps: 777, .. })), "{error:?}");
}

#[test]
fn what_rounding_would_hide_is_refused() {
    let (_, error) = play(&three_state(0.0), &ucrl(shrunk(1e-14)), 10_000);
    let Some(PlanError::Unresolved { span, tolerance, .. }) = error else { panic!("{error:?}") };
    assert!(span * f64::EPSILON > tolerance / 100.0);
    let message = error.unwrap().to_string();
    assert!(message.ends_with("in double precision: use wider confidence sets (a larger alpha)"));
}

#[test]
fn widths_of_zero_on_the_taxi_do_not_take_a_million_sweeps() {
    let world = World::new(Taxi::default().build().unwrap());
    for algorithm in planners(&shrunk(0.0), 5.0) {
        let (run, error) = play(&world, &algorithm, 1_000);
        assert!(run.learner().diary().sweeps < 200_000);
        assert!(!matches!(error, Some(PlanError::NotConverged { sweeps, .. }) if sweeps > 1_000));
    }
}

#[test]
fn any_delta_completes() {
    for world in small_worlds() {
        for delta in [
            Delta::Number(1.0),
            Delta::Number(1e-300),
            Delta::Number(f64::MIN_POSITIVE),
            Delta::Number(5e-324),
            Delta::Word(InverseRoot::Word),
        ] {
            for sa in [NumberOr::default(), 1.0.into(), f64::MAX.into()] {
                let optimism = Optimism { delta, sa, ..shrunk(0.1) };
                for algorithm in planners(&optimism, 2.0) {
                    completes(&world, &algorithm, 500);
                }
            }
        }
    }
}

/// Rewards, r_max and the span bound in another unit: the same run, its regret in that unit.
#[test]
fn rewards_in_another_unit_change_the_unit_and_nothing_else() {
    let scaled = |unit: f64| {
        world(|b| {
            b.r_max(unit);
            b.state().action(0.0, [(1, 0.25), (2, 0.75)]);
            b.state().action(unit * 0.25, [(0, 1.0)]);
            b.state().action(unit * 0.625, [(1, 0.25), (0, 0.75)]).action(unit * 0.75, [(2, 1.0)]);
            b.start_at(0);
        })
    };
    let unit_one = scaled(1.0);
    for (unit, is_exact) in [(1024.0, true), (1000.0, false)] {
        let other = scaled(unit);
        for (small, large) in planners(&shrunk(0.1), 2.0)
            .into_iter()
            .zip(planners(&Optimism { r_max: unit.into(), ..shrunk(0.1) }, 2.0 * unit))
        {
            let (small, large) =
                (completes(&unit_one, &small, 5_000), completes(&other, &large, 5_000));
            let (a, b) = (small.record(), large.record());
            assert_eq!(a.visits, b.visits);
            let (a, b) = (unit * a.regret.last().unwrap().1, b.regret.last().unwrap().1);
            assert!(if is_exact { a == b } else { (a - b).abs() < 1e-6 }, "{a} vs {b}");
        }
    }
}

#[test]
fn an_r_max_below_what_the_world_pays_is_refused() {
    let rich = world(|b| {
        b.r_max(1000.0);
        b.state().action(1000.0, [(0, 1.0)]);
        b.start_at(0);
    });
    for algorithm in everyone(&shrunk(1.0), 2.0) {
        let refused = rich.run_with(&algorithm, spec(10, 1)).err().map(|e| e.to_string());
        let has_r_max = !matches!(algorithm.name, "oracle" | "random");
        let expected = "r_max = 1 is out of range: it accepts at least the largest reward of the world, counted from its smallest";
        assert_eq!(refused.as_deref(), has_r_max.then_some(expected));
    }
    for r_max in [1000.0.into(), NumberOr::default()] {
        for algorithm in everyone(&Optimism { r_max, ..shrunk(1.0) }, 2.0) {
            assert_eq!(completes(&rich, &algorithm, 100).regret(), 0.0);
        }
    }
}

#[test]
fn one_state_with_one_action_or_ten_thousand_is_a_bandit() {
    let lonely = world(|b| {
        b.state().action(0.5, [(0, 1.0)]);
        b.start_at(0);
    });
    let bandit = world(|b| {
        b.state();
        for arm in 0..10_000 {
            b.action(if arm == 7_777 { 1.0 } else { 0.0 }, [(0, 1.0)]);
        }
        b.start_at(0);
    });
    for algorithm in everyone(&shrunk(0.05), 1.0) {
        assert_eq!(completes(&lonely, &algorithm, 1_000).regret(), 0.0);
        completes(&bandit, &algorithm, 400);
    }
    // Long enough to have tried every arm and to know the best one.
    let run = completes(&bandit, &ucrl(shrunk(1e-4)), 12_000);
    assert!(run.regret() < 10_500.0, "{}", run.regret());
}

/// A ring of five states somewhere in a space of 2^60.
#[test]
fn an_enormous_nominal_space_costs_nothing() {
    let space = Space::uniform(1 << 60, 2);
    let place = |step: u64| (step % 5) << 57 | 12_345;
    let setting = bare(space, 3_000);
    for algorithm in planners(&shrunk(0.05), 2.0) {
        let start = Start { setting: &setting, state: place(0), random: RandomStream::new(1) };
        let mut agent = algorithm.algorithm.start(start).unwrap();
        let mut at = 0;
        for _ in 0..3_000 {
            let action = agent.act().unwrap();
            at += 1 + u64::from(action);
            agent.observe(if at % 5 == 0 { 1.0 } else { 0.1 }, place(at));
        }
        let diary = agent.diary();
        let counts = diary.counts.unwrap();
        assert_eq!((counts.seen(), counts.unseen()), (5, (1 << 60) - 5));
        assert!(diary.plan.unwrap().gain() <= 1.0);
    }
}

#[test]
fn worthless_worlds_and_cycles_are_no_trouble() {
    let worthless = world(|b| {
        b.state().action(0.0, [(1, 1.0)]).action(0.0, [(0, 1.0)]);
        b.state().action(0.0, [(0, 0.5), (1, 0.5)]);
        b.start_at(0);
    });
    let cycle = |length: usize| {
        world(|b| {
            for state in 0..length {
                let reward = if state == 0 { 1.0 } else { 0.0 };
                b.state().action(reward, [((state + 1) % length, 1.0)]);
            }
            b.start_at(0);
        })
    };
    for alpha in [1.0, 0.05, 1e-6, 0.0] {
        for algorithm in everyone(&shrunk(alpha), 1.0) {
            assert_eq!(play(&worthless, &algorithm, 2_000).0.regret(), 0.0);
            for length in [1, 2, 3, 7] {
                let (run, error) = play(&cycle(length), &algorithm, 2_100);
                assert!(run.regret().abs() <= 1.0);
                assert!(error.is_none() || alpha == 0.0, "{error:?}");
            }
        }
    }
}

#[test]
fn runs_of_no_step_and_of_one_step_are_runs() {
    for world in small_worlds() {
        for algorithm in everyone(&shrunk(1.0), 1.0) {
            let none = completes(&world, &algorithm, 0).record();
            assert_eq!((none.steps, none.regret.len(), none.episodes.len()), (0, 0, 0));
            let one = completes(&world, &algorithm, 1).record();
            assert_eq!((one.steps, one.regret.len()), (1, 1));
            assert!(one.episodes.len() <= 1);
        }
    }
}

/// The start cannot be come back to: no guarantee, but no trouble either.
#[test]
fn worlds_that_swallow_their_start_are_survived() {
    let trap = world(|b| {
        b.state().action(0.1, [(1, 1.0)]).action(0.2, [(2, 0.5), (3, 0.5)]);
        b.state().action(0.3, [(1, 1.0)]);
        b.state().action(0.9, [(2, 1.0)]).action(0.0, [(2, 1.0)]);
        b.state().action(0.0, [(4, 1.0)]);
        b.state().action(0.5, [(3, 1.0)]);
        b.start_at(0);
    });
    let junk = TaxiJunk::SelfLoop;
    let taxi = World::new(Taxi { junk, ..Taxi::default() }.build().unwrap());
    for alpha in [1.0, 0.05, 1e-6] {
        for algorithm in everyone(&shrunk(alpha), 2.0) {
            completes(&trap, &algorithm, 3_000);
        }
    }
    for algorithm in everyone(&shrunk(0.05), 2.0) {
        completes(&taxi, &algorithm, 500);
    }
}

#[test]
fn every_combination_of_options_runs() {
    let worlds = [three_state(0.0), three_state(0.3)];
    for ties in [Ties::LeastVisited, Ties::LowestIndex, Ties::Noise] {
        for variance in [Variance::Published, Variance::Sample, Variance::Population] {
            for shrink in [Shrink::Linear, Shrink::Log] {
                for planner in [Method::Plain, Method::Accelerated] {
                    for (warm_start, known_rewards) in [(false, true), (true, false), (true, true)]
                    {
                        let optimism = Optimism {
                            ties,
                            variance,
                            shrink,
                            planner,
                            warm_start,
                            known_rewards,
                            ..shrunk(0.1)
                        };
                        for algorithm in planners(&optimism, 1.5) {
                            worlds.iter().for_each(|world| drop(completes(world, &algorithm, 300)));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn scal_runs_with_any_span_bound_mode_and_operator() {
    for world in small_worlds() {
        for c in [0.0, 1e-300, 1e-6, 0.5, 2.0, 1e6, f64::INFINITY] {
            for operator in [Operator::T, Operator::N] {
                for augment in [true, false] {
                    for mode in [Mode::Practical, Mode::Theory] {
                        if mode == Mode::Theory && !(c > 0.0 && c <= 2.0) {
                            continue;
                        }
                        let optimism = clipped(shrunk(0.1));
                        let scal = Scal {
                            c: Required(Some(finite(c))),
                            mode,
                            operator,
                            augment,
                            optimism,
                            ..Scal::default()
                        };
                        let algorithm = Named::new("scal", scal);
                        let steps = if mode == Mode::Theory { 60 } else { 600 };
                        let (_, error) = play(&world, &algorithm, steps);
                        let may_fail = operator == Operator::T && !augment;
                        match error {
                            None => {}
                            Some(PlanError::Infeasible { c: bound, .. }) if may_fail => {
                                assert_eq!(bound, c);
                            }
                            Some(error) => panic!("{algorithm:?}: {error}"),
                        }
                    }
                }
            }
        }
    }
}

/// Optimism: with the paper's widths the truth is plausible, so no plan promises less than g*.
#[test]
fn plans_promise_at_least_what_the_best_policy_earns() {
    let mut worlds = small_worlds();
    worlds.push(three_state(0.2));
    for world in worlds {
        let span = solve(&world.mdp).unwrap().span();
        for optimism in [shrunk(1.0), Optimism { delta: 1e-3.into(), ..shrunk(1.0) }] {
            for planner in [Method::Plain, Method::Accelerated] {
                let optimism = Optimism { planner, ..optimism.clone() };
                for algorithm in planners(&optimism, span + 0.1) {
                    let steps = 20_000;
                    let mut run = world.run(&algorithm, steps, 2);
                    let mut time = 1;
                    while time < steps {
                        run.advance(time).unwrap();
                        let plan = run.learner().diary().plan.unwrap();
                        let (episode, case) = run.record().episodes.pop().unwrap();
                        let may_miss = algorithm.name == "tucrl" && case == Case::Missed;
                        assert!(
                            may_miss || plan.gain_high >= world.truth.gain() - 1e-9,
                            "{algorithm:?} at {}: {} < {}",
                            episode.start,
                            plan.gain_high,
                            world.truth.gain()
                        );
                        assert!(plan.gain_low <= plan.gain_high);
                        time += 1 + time / 20;
                    }
                }
            }
        }
    }
}

#[test]
fn known_rewards_leave_only_transitions_to_learn() {
    let mdp = ThreeState { delta: 0.0, rewards: ThreeStateRewards::Bernoulli }.build().unwrap();
    let world = World::new(mdp);
    let told = Optimism { known_rewards: true, ..shrunk(0.05) };
    let run = completes(&world, &tucrl(told), 20_000);
    assert!(run.record().pseudo_regret.last().unwrap().1 < 200.0);
}

#[test]
fn actions_told_at_first_sight_give_the_run_of_actions_listed_in_advance() {
    let mdp = Arc::new(ThreeState { delta: 0.2, ..Default::default() }.build().unwrap());
    let offered = |state: u64| mdp.actions(state as usize) as u32;
    assert_ne!(offered(0), offered(2), "or there is nothing to tell");
    let listed = Space::listed((0..3).map(offered).collect());
    for Named { algorithm, .. } in [
        Named::new("tucrl", Tucrl::default()),
        Named::new("optimistic-q", OptimisticQ::default()),
        random(),
    ] {
        let mut walk = Walk::new(Arc::clone(&mdp), RandomStream::new(3));
        let mut told = Space::told(3, 2);
        told.tell_actions(walk.state(), offered(walk.state()));
        let start = |space: &Space| {
            let setting = bare(space.clone(), 2000);
            let (state, random) = (walk.state(), RandomStream::new(4));
            algorithm.start(Start { setting: &setting, state, random }).unwrap()
        };
        let (mut one, mut two) = (start(&listed), start(&told));
        for _ in 0..2000 {
            let action = one.act().unwrap();
            assert_eq!(two.act(), Ok(action));
            let step = walk.step(action);
            two.tell_actions(step.next, offered(step.next));
            one.observe(step.reward, step.next);
            two.observe(step.reward, step.next);
        }
        // What was told is part of a checkpoint.
        let stored = serde_json::to_string(&two.save().unwrap()).unwrap();
        let saved = serde_json::from_str(&stored).unwrap();
        let mut back = algorithm.restore(&bare(told, 2000), &saved).unwrap();
        assert_eq!(back.act(), one.act());
    }
}
