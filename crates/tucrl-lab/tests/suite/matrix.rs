//! Does every agent run in every world, whatever they are?
//!
//! All agents of the catalogue in all worlds of the catalogue, for few steps: no panic, no hang, typed errors
//! where something cannot be done, and the same to the last bit after a stop in the middle.
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use tucrl::agents;
use tucrl::learner::Setting;
use tucrl::model::Model;
use tucrl::run::{Checkpoints, Run, RunError, RunSpec, RunState};
use tucrl::truth::Truth;
use tucrl::worlds;
use tucrl_lab::catalogue::{NamedAgent, World};
use tucrl_lab::formats::ReadOptions;

const STEPS: u64 = 150;

/// Worlds that are large by default, in a size that a whole table can be drawn of.
const SMALLER: &[(&str, &str)] = &[
    ("breakout", "breakout:w=2,h=2,q=0.1"),
    ("garnet", "garnet:s=20"),
    ("four-rooms", "four-rooms"),
    ("deep-sea", "deep-sea:n=5"),
    ("junk", "junk:factor=1e12"),
];

/// Worlds in which a sampled table is slow: samplers draw sparsely there.
const SPARSE: &[&str] = &["taxi", "mountain-car", "four-rooms", "cliff-walking"];

fn ready(world: &str) -> (Model, Arc<Truth>) {
    let model = World::parse(world).unwrap().open(&ReadOptions::default()).unwrap();
    let truth = Arc::new(Truth::of(&model).unwrap());
    (model, truth)
}

/// Plain, with options that matter in short runs, and with every set and rule that there is to choose.
fn specs(agent: &str, is_large: bool) -> Vec<String> {
    let sparse = if is_large { "split=mean" } else { "split=exact" };
    let given: &[&str] = match agent {
        "psrl" => {
            &["", "rewards=bernoulli", "rewards=normal-gamma", "rewards=known", "rule=new-state"]
        }
        "tsde" | "ds-psrl" => &["", "concentration=inverse-states"],
        "optimistic-psrl" => &["psi=10", "psi=50,known_rewards=true,rule=tsde"],
        "ucrl" => &[
            "",
            "alpha=0.01",
            "set=bernstein-2020,rule=tsde",
            "set=l1,rule=new-state",
            "set=kl,alpha=0.1",
            "rule=vm,alpha=0.1",
        ],
        "scal" => &["c=inf", "c=1,alpha=0.1", "c=1,set=kl,alpha=0.1", "c=2,set=l1", "c=0"],
        "tucrl" => &["", "relaxation=zeta,alpha=0.1"],
        "tucrl-plus" => &[
            "",
            "union=discovery",
            "rule=vm,f=cube-root",
            "set=bernstein,alpha=0.1",
            "set=bernstein,union=discovery,alpha=0.1",
        ],
        "focus" => &["", "h=seen,alpha=0.01", "h=2,horizon=run,known_rewards=true,alpha=0.01"],
        "pmevi-dt" => &["", "prior=monotone,alpha=0.1", "c0=2,estimate=false,set=kl,alpha=0.1"],
        "regal-c" => &["h=1", "h=0"],
        "regal" => &["", "penalty=0.1,alpha=0.1", "penalty=0"],
        "regal-d" => &["", "alpha=0.05"],
        "kl-ucrl" | "ucrl3" | "ucrl2b-2020" | "ucrl2" => &["", "alpha=0.1"],
        _ => &[""],
    };
    let samples = ["psrl", "tsde", "ds-psrl"].contains(&agent);
    let whole = |options: &&str| {
        let options = [*options, if samples { sparse } else { "" }];
        let options: Vec<&str> = options.into_iter().filter(|text| !text.is_empty()).collect();
        if options.is_empty() {
            agent.to_string()
        } else {
            format!("{agent}:{}", options.join(","))
        }
    };
    given.iter().map(whole).collect()
}

/// One agent in one world: to the end, and again with a stop in the middle.
fn play(model: &Model, truth: &Arc<Truth>, spec: &str) -> Result<(), String> {
    let (space, r_max, knowledge) = (model.space(), model.r_max(), truth.knowledge(model));
    let setting = Setting { space, r_max, steps: STEPS, knowledge };
    let agent = NamedAgent::parse(spec).unwrap();
    agent.check(&setting).unwrap();
    let checkpoints = Checkpoints::PerDecade(2);
    let spec = RunSpec { steps: STEPS, checkpoints, master_seed: 7, run: 3 };
    let parts = || (spec.clone(), Arc::clone(agent.algorithm()), Arc::clone(truth));
    let start = || {
        let (spec, algorithm, truth) = parts();
        Run::new(spec, algorithm, model, truth)
    };
    let mut whole = match start() {
        // Few worlds have a rule of thumb, and the others say so.
        Err(RunError::Agent(error)) if agent.kind().about().name == "heuristic" => {
            assert!(error.to_string().contains("rule of thumb"), "{error}");
            return Ok(());
        }
        started => started.unwrap(),
    };
    let outcome = whole.advance(STEPS);
    let mut halved = start().unwrap();
    let half = halved.advance(STEPS / 2 + 1);
    if half.is_ok() {
        let text = serde_json::to_string(&halved.state().unwrap()).unwrap();
        let state: RunState = serde_json::from_str(&text).unwrap();
        let (spec, algorithm, truth) = parts();
        halved = Run::resume(spec, algorithm, model, truth, state).unwrap();
        assert_eq!(halved.advance(STEPS), outcome);
    }
    let (one, other) = (whole.record(), halved.record());
    assert_eq!(one, other, "stopped in the middle");
    let visits: u64 = one.visits.iter().map(|visit| visit.2).sum();
    assert!(one.visits.is_empty() || visits == one.steps);
    match outcome {
        Ok(()) => {
            assert!(whole.is_complete() && one.regret.iter().all(|point| point.1.is_finite()));
            Ok(())
        }
        // What was learned before the plan that failed is kept, and the message says what to do.
        Err(RunError::Plan(error)) => Err(error.to_string()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_agent_runs_in_every_world() {
    let (mut runs, mut failures) = (0, Vec::new());
    for world in worlds::kinds() {
        let name = world.about().name;
        let small = SMALLER.iter().find(|entry| entry.0 == name).map(|entry| entry.1);
        let spec = small.unwrap_or(name);
        let (model, truth) = ready(spec);
        let is_large = SPARSE.contains(&name) || !world.has_table();
        for agent in agents::kinds() {
            for text in specs(agent.about().name, is_large) {
                runs += 1;
                if let Err(error) = play(&model, &truth, &text) {
                    failures.push(format!("{text} in {spec}: {error}"));
                }
            }
        }
    }
    assert!(runs > 25 * 22, "{runs}");
    assert!(failures.is_empty(), "{} of {runs} runs:\n{}", failures.len(), failures.join("\n"));
}

/// What cannot be had is said, with what to change, and nothing is lost.
#[test]
fn what_is_too_large_is_an_error_that_says_what_to_change() {
    let (mdp, truth) = ready("garnet:s=3000");
    for (spec, advice) in [
        ("psrl", "3.6e7 table entries, 2e7 is the limit"),
        ("tsde:rewards=known", "say split=mean"),
        ("optimistic-psrl:psi=1e8", "name fewer samples, as in psi=10"),
    ] {
        let error = play(&mdp, &truth, spec).unwrap_err();
        assert!(error.contains(advice), "{spec}: {error}");
        assert!(error.starts_with("planning at step 1 would take "), "{error}");
    }
    // With one sample for each pair the sampled MDP is disconnected sooner or later; so small a table is solved exactly.
    let (apart, truth_apart) = ready("theta");
    play(&apart, &truth_apart, "optimistic-psrl:psi=1").unwrap();
    for spec in ["psrl:split=mean", "optimistic-psrl:psi=10"] {
        play(&mdp, &truth, spec).unwrap();
    }
}
