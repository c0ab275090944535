//! Which records are read in these tests? Real ones, made by the library, of a size that takes no time.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tucrl::run::{Checkpoints, RunSpec, Truth};
use tucrl::space::Space;
use tucrl::{solve, structure};
use tucrl_lab::agent_catalogue::{Context, NamedAgent};
use tucrl_lab::catalogue::World;
use tucrl_lab::formats::ReadOptions;
use tucrl_lab::record::{Provenance, StoredRun, WorldFacts};
use tucrl_lab::runner;

/// Every agent in one world, with so many runs.
pub fn runs(world: &str, agents: &[(&str, &str)], steps: u64, seeds: u64) -> Vec<StoredRun> {
    let world = World::parse(world).unwrap();
    let mdp = Arc::new(world.build(&ReadOptions::default()).unwrap());
    let solution = solve::solve(&mdp).unwrap();
    let is_reachable = structure::reachable(&mdp);
    let (gain, gain_error) = solution.gain_from_start(&mdp);
    let reachable = is_reachable.iter().filter(|&&is| is).count() as u64;
    let truth = Truth { gain, reachable, optimal_policy: solution.policy.clone() };
    let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
    let facts = WorldFacts {
        states: space.states(),
        actions: (0..mdp.states()).map(|s| mdp.actions(s) as u64).max().unwrap(),
        reachable,
        class: "weakly communicating".into(),
        start_is_recoverable: structure::start_is_recoverable(&mdp, &is_reachable),
        gain,
        gain_error,
        span: 1.0,
        span_reachable: 0.5,
        r_max: mdp.r_max(),
    };
    let context = Context { space: &space, r_max: mdp.r_max(), steps };
    let mut found = Vec::new();
    for (label, spec) in agents {
        let agent = NamedAgent::parse(spec).unwrap();
        let algorithm = agent.algorithm(&context).unwrap();
        let cells: Vec<RunSpec> = (0..seeds)
            .map(|run| RunSpec {
                algorithm: algorithm.clone(),
                steps,
                checkpoints: Checkpoints::PerDecade(10),
                master_seed: 1,
                run,
            })
            .collect();
        for (spec, outcome) in cells.iter().zip(runner::run_all(&mdp, &truth, &cells, &())) {
            found.push(StoredRun {
                experiment: "first".into(),
                world: world.to_string(),
                agent: agent.to_string(),
                label: (*label).into(),
                spec: spec.clone(),
                facts: facts.clone(),
                record: outcome.record,
                error: None,
            });
        }
    }
    found
}

/// Where and when all of them were made.
pub fn provenance() -> Provenance {
    Provenance {
        version: "0.1.0".into(),
        revision: Some("d41c633".into()),
        machine: "linux x86_64".into(),
        sessions: 1,
        finished: 1_794_700_000,
        simulate_seconds: 0.5,
        plan_seconds: 0.25,
    }
}

/// Writes the runs as an experiment's directory.
pub fn store(folder: &Path, runs: &[StoredRun]) {
    fs::create_dir_all(folder.join("runs")).unwrap();
    for (index, run) in runs.iter().enumerate() {
        let body = serde_json::to_string(run).unwrap();
        let header = serde_json::json!({
            "format": "tucrl-run", "version": 1, "blake3": "", "provenance": provenance(),
        });
        let path = folder.join("runs").join(format!("{index:04}.run"));
        fs::write(path, format!("{header}\n{body}\n")).unwrap();
    }
}
