//! Does a learner know after a log what it would know if it had played it?
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use tucrl::agents::{OptimisticQ, Psrl, TucrlPlus};
use tucrl::env::{Environment, Walk};
use tucrl::learner::Knowledge;
use tucrl::rng::Purpose;
use tucrl::worlds::RiverSwim;
use tucrl::{Algorithm, Learner, LoggedStep, Mdp, RandomStream, Setting, Start, Tucrl, Ucrl};

fn started(algorithm: &dyn Algorithm, mdp: &Arc<Mdp>, state: u64) -> Box<dyn Learner> {
    let space = Walk::new(Arc::clone(mdp), RandomStream::new(0)).space().clone();
    let setting = Setting { space, r_max: 1.0, steps: 10_000, knowledge: Knowledge::default() };
    let random = RandomStream::of_run(1, 0, Purpose::Agent);
    algorithm.start(Start { setting: &setting, state, random }).unwrap()
}

/// Plays, and returns the learner and what happened.
fn played(
    algorithm: &dyn Algorithm,
    mdp: &Arc<Mdp>,
    steps: u64,
) -> (Box<dyn Learner>, Vec<LoggedStep>) {
    let mut walk = Walk::new(Arc::clone(mdp), RandomStream::of_run(1, 0, Purpose::World));
    let mut learner = started(algorithm, mdp, walk.state());
    let mut log = Vec::new();
    for _ in 0..steps {
        let (state, action) = (walk.state(), learner.act().unwrap());
        let step = walk.step(action);
        learner.observe(step.reward, step.next);
        log.push(LoggedStep { state, action, reward: step.reward, next: step.next });
    }
    (learner, log)
}

#[test]
fn after_a_log_a_learner_counts_and_assumes_what_it_would_have_by_playing() {
    let mdp = Arc::new(RiverSwim::default().build().unwrap());
    let algorithms: [&dyn Algorithm; 5] = [
        &Tucrl::default(),
        &Ucrl::default(),
        &TucrlPlus::default(),
        &Psrl::default(),
        &OptimisticQ::default(),
    ];
    for algorithm in algorithms {
        let (player, log) = played(algorithm, &mdp, 3000);
        let mut reader = started(algorithm, &mdp, log[0].state);
        // In two parts, as logs come.
        assert!(reader.absorb(&log[..1000]) && reader.absorb(&log[1000..]), "{algorithm:?}");
        let (own, theirs) = (player.diary().counts.unwrap(), reader.diary().counts.unwrap());
        assert_eq!(own.seen(), theirs.seen(), "{algorithm:?}");
        for pair in 0..own.pairs().len() {
            assert_eq!(own.visits(pair), theirs.visits(pair));
            assert!(own.transitions(pair).eq(theirs.transitions(pair)));
        }
        for state in 0..6 {
            let (own, theirs) = (player.explain(state), reader.explain(state));
            let widths = |all: Option<Vec<tucrl::Explanation>>| {
                all.map(|all| all.iter().map(|one| (one.visits, one.outlook)).collect::<Vec<_>>())
            };
            assert_eq!(widths(own), widths(theirs), "{algorithm:?}, state {state}");
        }
        assert_eq!(reader.diary().episode_count(), 0, "no episode has begun");
        assert!(reader.stand_in(4));
        reader.act().unwrap();
        assert!(reader.would_play(4).is_some());
        assert_eq!(reader.diary().poor_steps, 0, "steps of others are not its own");
    }
}

#[test]
fn a_log_comes_before_the_first_plan() {
    let mdp = Arc::new(RiverSwim::default().build().unwrap());
    let step = LoggedStep { state: 0, action: 0, reward: 0.0, next: 0 };
    for algorithm in [&Tucrl::default() as &dyn Algorithm, &Psrl::default()] {
        let mut learner = started(algorithm, &mdp, 0);
        learner.act().unwrap();
        assert!(!learner.absorb(&[step]) && !learner.stand_in(1), "{algorithm:?}");
        assert_eq!(learner.diary().counts.unwrap().visits(0), 0);
    }
    assert!(!started(&tucrl::agents::Random {}, &mdp, 0).absorb(&[step]), "it learns nothing");
}

#[test]
fn what_would_be_played_is_what_is_played() {
    let mdp = Arc::new(RiverSwim::default().build().unwrap());
    for algorithm in [&Tucrl::default() as &dyn Algorithm, &OptimisticQ::default()] {
        let (mut learner, log) = played(algorithm, &mdp, 500);
        let here = log.last().unwrap().next;
        let action = learner.act().unwrap();
        assert_eq!(learner.would_play(here).unwrap().action, action);
        assert_eq!(learner.would_play(99), None, "a state that it has not seen");
    }
}
