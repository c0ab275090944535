//! What algorithms do in the paper's worlds: which learn, which do not, and what holds on every trajectory.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::runs;

use runs::*;
use tucrl::agents::OptimisticQ;
use tucrl::bounds::{self, WorldNumbers};
use tucrl::evaluate::policy_values;
use tucrl::hitting;
use tucrl::mdp::Mdp;
use tucrl::policy::Policy;
use tucrl::run::{Case, RunRecord};
use tucrl::solve::solve;
use tucrl::structure;
use tucrl::worlds::{Garnet, RiverSwim, Taxi, ThreeState, ThreeStateRewards, TwoState};

fn three_state(delta: f64) -> World {
    World::new(ThreeState { delta, ..Default::default() }.build().unwrap())
}

fn river_swim() -> World {
    World::new(RiverSwim::default().build().unwrap())
}

/// The world in which y is out of reach.
fn two_state() -> World {
    World::new(TwoState::default().build().unwrap())
}

fn numbers(mdp: &Mdp) -> WorldNumbers {
    let inside = structure::reachable(mdp);
    WorldNumbers {
        states: mdp.states() as u64,
        actions: mdp.max_actions() as u64,
        reachable: inside.iter().filter(|inside| **inside).count() as u64,
        max_support: mdp.max_support() as u64,
        max_support_reachable: structure::max_support_within(mdp, &inside) as u64,
        diameter: hitting::diameter(mdp, &|_, _| ()).unwrap(),
        diameter_reachable: hitting::diameter_within(mdp, &inside, &|_, _| ()).unwrap(),
        r_max: mdp.r_max(),
        gap: None,
    }
}

fn last(curve: &[(u64, f64)]) -> f64 {
    curve.last().unwrap().1
}

fn at(curve: &[(u64, f64)], time: u64) -> f64 {
    curve.iter().find(|point| point.0 == time).unwrap().1
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn visits(record: &RunRecord, state: u64, action: u32) -> u64 {
    record.visits.iter().find(|entry| (entry.0, entry.1) == (state, action)).map_or(0, |e| e.2)
}

#[test]
fn the_smoke_runs_have_their_reference_values() {
    let world = three_state(0.0);
    let ucrl_run = world.record(&ucrl(published(0.05)), 1_000_000, 1);
    assert!((1.5e5..1.7e5).contains(&last(&ucrl_run.regret)), "{:?}", ucrl_run.regret);
    assert_eq!(ucrl_run.episodes.len(), 39);
    let tucrl_run = world.record(&tucrl(published(0.05)), 1_000_000, 1);
    assert_eq!((tucrl_run.episodes.len(), tucrl_run.z, tucrl_run.sweeps), (32, 902, 165));
    let exploratory = tucrl_run.episodes.iter().filter(|(e, _)| e.is_exploratory()).count();
    assert_eq!(exploratory, 9);
    let world = two_state();
    for (algorithm, regret) in [
        (ucrl(published(0.05)), 131_072.0),
        (tucrl(published(0.05)), 256.0),
        (tucrl(published(1.0)), 512.0),
    ] {
        assert_eq!(last(&world.record(&algorithm, 1_000_000, 1).regret), regret);
    }
}

/// Twenty runs each, widths times 0.05: the paper's experiment.
#[test]
fn with_a_state_out_of_reach_ucrl_is_linear_and_tucrl_and_scal_are_not() {
    let world = three_state(0.0);
    let curves = |algorithm: &Named| -> Vec<RunRecord> {
        (1..=20).map(|run| world.record(algorithm, 1_000_000, run)).collect()
    };
    let mean_at = |records: &[RunRecord], time: u64| {
        mean(&records.iter().map(|record| at(&record.regret, time)).collect::<Vec<_>>())
    };
    let linear = curves(&ucrl(shrunk(0.05)));
    assert!(mean_at(&linear, 1_000_000) > 1e5);
    assert!(mean_at(&linear, 1_000_000) > 7.0 * mean_at(&linear, 100_000));

    let learnt = curves(&tucrl(shrunk(0.05)));
    assert!(mean_at(&learnt, 1_000_000) < 1e3);
    for record in &learnt {
        // Past the first thousand steps every exploratory episode starts at more than three times the
        // step of the one before it, so the jumps are further and further apart.
        let starts: Vec<u64> = record
            .episodes
            .iter()
            .filter(|(episode, _)| episode.is_exploratory() && episode.start > 1000)
            .map(|(episode, _)| episode.start)
            .collect();
        assert!(starts.len() >= 3, "{starts:?}");
        assert!(starts.windows(2).all(|pair| pair[1] > 3 * pair[0]), "{starts:?}");
    }

    // A square root would grow by 3.2 a decade, a straight line by 10.
    let clipped = curves(&scal(shrunk(0.05), 5.0));
    assert!(mean_at(&clipped, 1_000_000) < 1e3);
    assert!(mean_at(&clipped, 1_000_000) < 2.5 * mean_at(&clipped, 100_000));
    // Two decades of expected rewards, where a square root would grow tenfold.
    let long = world.record(&scal(shrunk(0.05), 5.0), 10_000_000, 1).pseudo_regret;
    assert!(at(&long, 10_000_000) < 2.5 * at(&long, 100_000), "{long:?}");
}

#[test]
fn in_two_states_the_regret_is_exactly_half_the_visits_of_the_useless_action() {
    let world = two_state();
    for optimism in [shrunk(1.0), shrunk(0.05), published(0.05)] {
        for algorithm in everyone(&optimism, 2.0) {
            let runs: Vec<RunRecord> =
                (1..=3).map(|run| world.record(&algorithm, 20_000, run)).collect();
            for record in &runs {
                assert_eq!(record.regret, record.pseudo_regret, "{}", algorithm.name);
                match algorithm.name {
                    "oracle" => assert_eq!(last(&record.regret), 0.0),
                    // It does not count; all of its rewards are 0 or 1/2.
                    "random" => assert_eq!(last(&record.regret).fract() % 0.5, 0.0),
                    _ => {
                        let half = visits(record, 0, 0) as f64 / 2.0;
                        assert_eq!(last(&record.regret), half, "{}", algorithm.name);
                        assert_eq!(record.visits.iter().map(|v| v.2).sum::<u64>(), 20_000);
                    }
                }
            }
            // Nothing random happens here but in the agents that draw random numbers themselves.
            if !matches!(algorithm.name, "scal" | "random") {
                assert!(runs.iter().all(|run| *run == runs[0]), "{}", algorithm.name);
            }
        }
    }
}

#[test]
fn tucrl_sees_exactly_the_reachable_states_of_the_taxi() {
    let world = World::new(Taxi::default().build().unwrap());
    assert_eq!((world.mdp.states(), world.truth.facts().reachable), (500, 400));
    let record = world.record(&tucrl(shrunk(0.01)), 100_000, 1);
    assert_eq!(record.seen, 400);
    assert!(record.visits.iter().all(|&(state, _, _)| state % 5 != 0), "junk is divisible by 5");
    let (last_episode, case) = record.episodes.last().unwrap();
    assert_eq!((last_episode.unseen, *case), (100, Case::CaseI));
}

#[test]
fn the_oracle_loses_its_start_and_noise_and_no_more() {
    // Without noise: from s0 the bias says 2/3, at every time.
    let mdp = ThreeState { delta: 0.0, rewards: ThreeStateRewards::Mean }.build().unwrap();
    let world = World::new(mdp);
    let record = world.record(&oracle(), 1_000_000, 1);
    assert!(record.regret.iter().all(|&(_, regret)| (regret - 2.0 / 3.0).abs() < 1e-5));
    // With noise: within the span and four standard errors over forty runs.
    let world = river_swim();
    let span = solve(&world.mdp).unwrap().span();
    let regrets: Vec<f64> =
        (1..=40).map(|run| last(&world.record(&oracle(), 20_000, run).regret)).collect();
    let centre = mean(&regrets);
    let spread = mean(&regrets.iter().map(|r| (r - centre).powi(2)).collect::<Vec<_>>()).sqrt();
    assert!(centre.abs() <= span + 4.0 * spread / 40f64.sqrt(), "{centre} +- {spread}");
    assert!(spread < 400.0, "{spread}");
}

#[test]
fn uniform_play_loses_in_proportion_to_time() {
    let world = river_swim();
    let uniform = policy_values(&world.mdp, &Policy::uniform(&world.mdp)).unwrap().gain[0];
    let record = world.record(&random(), 100_000, 1);
    for &(time, regret) in record.regret.iter().filter(|point| point.0 >= 10_000) {
        let expected = (world.truth.gain() - uniform) * time as f64;
        assert!((regret / expected - 1.0).abs() < 0.01, "{time}: {regret} vs {expected}");
    }
}

#[test]
fn optimistic_q_learning_learns_to_swim() {
    let world = river_swim();
    for run in 1..=3 {
        let q = OptimisticQ { r_max: 1.0.into(), ..OptimisticQ::default() };
        let learner = Named::new("optimistic-q", q);
        let learnt = world.record(&learner, 100_000, run);
        let lost = world.record(&random(), 100_000, run);
        assert!(last(&learnt.regret) < last(&lost.regret) / 5.0, "{:?}", learnt.regret);
        assert!(last(&learnt.regret) < 4.0 * at(&learnt.regret, 10_000), "{:?}", learnt.regret);
    }
}

#[test]
fn model_based_learners_learn_to_swim_with_shrunk_widths() {
    let world = river_swim();
    // The optimal bias has a span of 6.3; SCAL is told a little more.
    for algorithm in planners(&shrunk(0.02), 7.0) {
        let regret = last(&world.record(&algorithm, 100_000, 2).regret);
        assert!(regret < 5_000.0, "{}: {regret}", algorithm.name);
    }
}

/// The worlds on which the invariants are checked.
fn assorted() -> Vec<(&'static str, World)> {
    let garnet = |states, actions, branching, seed| {
        World::new(Garnet { states, actions, branching, seed }.build().unwrap())
    };
    vec![
        ("three-state", three_state(0.0)),
        ("three-state with slips", three_state(0.005)),
        ("two-state", two_state()),
        ("river-swim", river_swim()),
        ("garnet 5", garnet(5, 2, 2, 1)),
        ("garnet 12", garnet(12, 3, 2, 2)),
        ("garnet 30", garnet(30, 4, 1, 3)),
    ]
}

#[test]
fn what_must_hold_on_every_trajectory_holds() {
    for (name, world) in assorted() {
        let numbers = numbers(&world.mdp);
        let reachable = structure::reachable(&world.mdp);
        for alpha in [1.0, 0.05] {
            for algorithm in planners(&shrunk(alpha), 5.0) {
                let what = format!("{} on {name}, alpha {alpha}", algorithm.name);
                let steps = 20_000;
                let mut run = world.run(&algorithm, steps, 7);
                let mut seen = 0;
                for time in 1..=3_000 {
                    run.advance(time).unwrap();
                    let counts = run.learner().diary().counts.unwrap();
                    let mut total = 0;
                    for pair in 0..counts.pairs().len() {
                        let (now, before) =
                            (counts.visits(pair), counts.pairs()[pair].visits_before());
                        // An episode never more than doubles a pair.
                        assert!(now - before <= before.max(1), "{what} at {time}");
                        let observed: u64 = counts.transitions(pair).map(|entry| entry.1).sum();
                        assert_eq!(observed, now, "{what} at {time}");
                        total += now;
                    }
                    assert_eq!(total, time, "{what}");
                    // The seen states only grow, inside what can be reached.
                    assert!(counts.seen() >= seen, "{what} at {time}");
                    seen = counts.seen();
                }
                run.advance(steps).unwrap();
                let counts = run.learner().diary().counts.unwrap();
                for number in 0..counts.seen() as u32 {
                    assert!(reachable[counts.state(number) as usize], "{what}");
                }
                check_record(&run.record(), &algorithm, &numbers, &what);
            }
        }
    }
}

/// The bounds on episodes and on poor steps, and what holds for the records of episodes.
fn check_record(record: &RunRecord, algorithm: &Named, world: &WorldNumbers, what: &str) {
    let is_tucrl = algorithm.name == "tucrl";
    let steps = record.steps;
    let episodes = record.episodes.len() as f64;
    assert!(episodes <= bounds::ucrl_episodes(world, steps) + world.reachable as f64, "{what}");
    if is_tucrl {
        assert!(episodes <= bounds::tucrl_episodes(world, steps), "{what}");
        let published = bounds::tucrl_episodes_published(world, steps);
        assert!(published.is_none_or(|bound| episodes <= bound), "{what}");
    } else {
        assert!(episodes <= bounds::ucrl_episodes(world, steps), "{what}");
    }
    assert!(record.y <= record.z, "{what}");
    assert!(record.z as f64 <= bounds::poor_steps(world, steps), "{what}");
    // A visited pair is under-visited for at most 2 sqrt(T / (S A)) + 2 of its steps.
    let visited = record.visits.iter().filter(|entry| entry.2 > 0).count() as f64;
    let pairs = (world.states * world.actions) as f64;
    let per_pair = 2.0 * (steps as f64 / pairs).sqrt() + 2.0;
    assert!(record.z as f64 <= visited * per_pair, "{what}");
    let mut expected_start = 1;
    for (index, (episode, case)) in record.episodes.iter().enumerate() {
        assert_eq!(episode.start, expected_start, "{what}: episodes follow each other");
        expected_start += episode.length;
        if is_tucrl && index + 1 < record.episodes.len() {
            assert!(expected_start <= 2 * episode.start, "{what}: an episode at most doubles time");
        }
        assert_eq!(episode.seen + episode.unseen, world.states, "{what}");
        let accuracy = world.r_max / (episode.start as f64).sqrt();
        assert!(episode.gain >= -1e-9 && episode.gain <= world.r_max + 1e-9, "{what}");
        if is_tucrl {
            assert_eq!(episode.planned_unseen, episode.is_exploratory(), "{what}");
            if episode.is_exploratory() {
                assert!(
                    episode.gain >= world.r_max - accuracy,
                    "{what}: unseen states are planned on as the best"
                );
            }
        }
        assert_eq!(*case == Case::Plain, episode.unseen == 0, "{what}");
        assert!(
            is_tucrl || *case != Case::Missed,
            "{what}: algorithms that plan on every state miss none"
        );
    }
    assert_eq!(expected_start, steps + 1, "{what}");
}

#[test]
fn nothing_reachable_is_missed_once_the_exploratory_phase_is_over() {
    let world = three_state(0.0);
    let numbers = numbers(&world.mdp);
    assert!(bounds::exploratory_phase_end(&numbers, 1, 0.05) < 1e6);
    for delta in [0.0, 0.005] {
        let world = three_state(delta);
        let numbers = self::numbers(&world.mdp);
        for algorithm in [tucrl(shrunk(1.0)), tucrl_zeta(shrunk(1.0))] {
            let record = world.record(&algorithm, 4_000_000, 1);
            let mut judged = 0;
            for (episode, case) in &record.episodes {
                let time = episode.start as f64;
                if time >= bounds::exploratory_phase(&numbers, episode.unseen, time, 0.05) {
                    judged += 1;
                    assert_ne!(*case, Case::Missed, "episode at {time}");
                }
            }
            assert!(judged > 0);
        }
    }
}

#[test]
fn the_paper_widths_keep_the_span_within_the_reachable_diameter() {
    for (delta, diameter) in [(0.0, 1.0), (0.005, 200.0), (0.2, 5.0)] {
        let world = three_state(delta);
        for algorithm in [tucrl(shrunk(1.0)), tucrl_zeta(shrunk(1.0))] {
            for (episode, _) in world.record(&algorithm, 100_000, 3).episodes {
                assert!(episode.span_seen <= diameter + 1e-9, "{delta}: {}", episode.span_seen);
            }
        }
    }
}

#[test]
fn agents_of_one_run_face_the_same_random_numbers() {
    // With one action a state every agent acts alike, so all see the same rewards and states.
    let mut builder = Mdp::builder();
    let coin = tucrl::reward::RewardLaw::Bernoulli { probability: 0.5, value: 1.0 };
    builder.state().action(coin.clone(), [(0, 0.5), (1, 0.5)]);
    builder.state().action(coin, [(0, 0.3), (1, 0.7)]);
    builder.start_at(0);
    let world = World::new(builder.build().unwrap());
    let algorithms = everyone(&shrunk(0.1), 3.0);
    let curves = |run: u64| -> Vec<Vec<(u64, f64)>> {
        algorithms.iter().map(|algorithm| world.record(algorithm, 5_000, run).regret).collect()
    };
    let (first, second) = (curves(1), curves(2));
    assert!(first.iter().all(|curve| *curve == first[0]));
    assert!(second.iter().all(|curve| *curve == second[0]));
    assert_ne!(first[0], second[0], "another run, other random numbers");
    let mut spec = spec(5_000, 1);
    spec.master_seed = 2;
    let mut other = world.run_with(&algorithms[0], spec).unwrap();
    other.advance(5_000).unwrap();
    assert_ne!(first[0], other.record().regret, "another seed, other random numbers");
}
