//! Does the committed league keep its own rules, and do its pages follow from runs?

use std::path::Path;

use tucrl::hardness::{Certainty, Hardness};
use tucrl::model::Model;
use tucrl::run::{Checkpoints, Run, RunSpec};
use tucrl_lab::Catalogue;
use tucrl_lab::experiment::Experiment;

use super::*;

fn parsed(text: &str) -> Experiment {
    Experiment::parse(Path::new("a.toml"), text.into(), &Catalogue::default()).unwrap()
}

fn committed(name: &str) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments").join(name);
    Experiment::read(&path, &Catalogue::default()).unwrap()
}

/// The runs of an experiment, in memory.
fn runs_of(experiment: &Experiment) -> Vec<StoredRun> {
    let mut found = Vec::new();
    for cell in experiment.cells() {
        let world = experiment.prepare(cell.world, &()).unwrap();
        let spec = RunSpec {
            steps: cell.id.steps,
            checkpoints: Checkpoints::PerDecade(2),
            master_seed: 1,
            run: cell.id.run,
        };
        let algorithm = std::sync::Arc::clone(experiment.agents[cell.agent].agent.algorithm());
        let options = algorithm.options();
        let facts = world.truth.facts().clone();
        let mut run = Run::new(spec.clone(), algorithm, &world.model, world.truth).unwrap();
        run.advance(cell.id.steps).unwrap();
        found.push(StoredRun {
            experiment: experiment.name.clone(),
            world: cell.id.world.clone(),
            agent: cell.id.agent.clone(),
            label: cell.id.label.clone(),
            options,
            spec,
            facts,
            record: run.record(),
            error: None,
            sweep: cell.id.sweep(),
            imported: None,
        });
    }
    found
}

#[test]
fn agents_stand_in_the_order_of_their_mean_place() {
    let experiment = parsed(
        r#"
        name = "little-league"
        steps = 2000
        seeds = 2
        worlds = ["theta", "three-state:delta=0"]
        agents = ["random", "oracle", { spec = "psrl:rewards=known", label = "PSRL" }]
        "#,
    );
    let mut runs = runs_of(&experiment);
    let frame = Frame::default();
    let study = Study::new(&runs).unwrap();
    let table = standings(&Matrix::places(&study, &frame));
    assert_eq!(table.len(), 3);
    assert!(table.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    assert_eq!(table.last().unwrap().0, "random", "worst where there is a choice");
    let command = "tucrl league little.toml";
    let (description, digest) = ("What it is about.", "0123abcd");
    let origin = Origin { command, description, digest, frame: &frame };
    let page = page(&runs, &study, &[], &origin);
    for piece in [
        "| agent | mean place | theta | three-state:delta=0 |",
        "| PSRL | `psrl:rewards=known` |",
        "<!-- Written by `tucrl league little.toml`; do not edit. -->\n\nWhat it is about.",
        "| three-state:delta=0 | 3 | 2 | 0.67 | weakly communicating |",
        "| experiment, blake3 | 0123abcd |",
    ] {
        assert!(page.contains(piece), "{piece} in {page}");
    }
    assert!(!page.contains("Failed") && !page.contains("Not run") && !page.contains("to be told"));
    assert_eq!(guide(&runs, &study, &origin), None, "nothing says what agents are told");
    // Without a complete run an agent is last, and the page gives the error.
    for run in runs.iter_mut().filter(|run| run.label == "PSRL" && run.world == "theta") {
        run.error = Some("a run failed".into());
    }
    let study = Study::new(&runs).unwrap();
    let places = Matrix::places(&study, &frame);
    assert_eq!(places.row("PSRL")[0], Some(study.worlds[0].agents.len() as f64));
    let page = super::page(&runs, &study, &[], &origin);
    assert!(page.contains("theta, PSRL, run 0: a run failed"), "{page}");
}

#[test]
fn groups_levels_alphas_and_what_is_told_are_counted() {
    let experiment = parsed(
        r#"
        name = "grouped"
        steps = 3000
        seeds = 3
        tune_seeds = 2
        worlds = [
            { group = "rivers", spec = "river-swim", length = [2, 3] },
            { group = "others", spec = "two-state:epsilon=0.1" },
            { group = "others", spec = "two-state" },
        ]
        agents = [
            { group = "nothing", spec = "random" },
            { group = "nothing", spec = "ucrl", label = "U", alpha = [1, 0.01] },
            { group = "the span", spec = "scal:c=world", label = "S", alpha = [1, 0.01] },
            { group = "all", spec = "oracle" },
        ]
        not_run = [{ agents = ["U"], worlds = ["two-state"], why = "cost" }]
        "#,
    );
    let runs = runs_of(&experiment);
    let study = Study::new(&runs).unwrap();
    let frame = Frame::of(&experiment);
    assert_eq!(frame.groups, ["rivers", "others"]);
    let worlds: Vec<&str> = study.worlds.iter().map(|world| world.world).collect();
    assert_eq!(worlds.iter().map(|world| frame.level(world)).collect::<Vec<_>>(), [1, 2, 1, 2]);
    assert_eq!((frame.told("S"), frame.told("U")), (Some("the span"), Some("nothing")));
    let scores = Matrix::scores(&study, &frame);
    assert_eq!(scores.row("U")[3], None);
    assert!((0..3).all(|world| scores.row("random")[world] == Some(1.0)));
    assert!((0..3).all(|world| scores.row("oracle")[world] == Some(0.0)));
    // By hand: the mean regret of the chosen alpha on the first three runs over that of random play.
    let sweep = study.worlds[0].sweeps.iter().find(|sweep| sweep.group == "U").unwrap();
    let best = sweep.variants.iter().find(|variant| variant.is_best).unwrap();
    let last = |agent: &str| {
        let own = runs
            .iter()
            .filter(|run| run.world == worlds[0] && run.agent == agent && run.spec.run < 3);
        own.map(|run| run.record.gap_regret.as_ref().unwrap().last().unwrap().1).sum::<f64>()
    };
    let by_hand = last(best.agent) / last("random");
    assert!((scores.row("U")[0].unwrap() - by_hand).abs() < 1e-12);
    let (command, description, digest) = ("tucrl league a.toml", "", "0123abcd");
    let origin = Origin { command, description, digest, frame: &frame };
    let page = page(&runs, &study, &[], &origin);
    for piece in [
        "| agent | mean place | rivers | others | easiest level | hardest level |",
        "over the 3 of 4 worlds in which all agents were run",
        "- U, not run: cost: two-state\n",
        "| rivers | 2 | river-swim:n=3 | 3 | 3 |",
        "| S | the span | `scal:c=world`, alpha one of 1, 0.01 |",
        "| agent | alpha = 1 | alpha = 0.01 | best alpha | chosen: 1, 0.01 |",
        "### rivers\n",
        "τ = 0.1",
    ] {
        assert!(page.contains(piece), "{piece} in {page}");
    }
    let guide = guide(&runs, &study, &origin).unwrap();
    let score = format!(
        "S {:.3}",
        scores
            .ranked(|world| scores.is_common(world))
            .into_iter()
            .find(|row| row.0 == "S")
            .unwrap()
            .1
    );
    assert!(guide.contains(&format!("- **Told the span**: {score}.\n")), "{guide}");
    assert!(!guide.contains("oracle") && !guide.contains("random 1"), "{guide}");
    assert!(guide.contains("alpha = 1\n"), "{guide}");
    // With alpha = 1 nothing is chosen.
    let own = with_alpha(&runs, "1");
    assert!(own.iter().all(|run| run.spec.run < 3 && !run.agent.contains("0.01")));
}

/// What is not run is what the rule in the file says, and the groups of worlds are what they are called.
#[test]
fn the_committed_league_keeps_its_rules() {
    let experiment = committed("league.toml");
    assert_eq!((experiment.worlds.len(), experiment.seeds), (45, 5));
    assert!(experiment.tune_seeds >= 2 && experiment.worlds.iter().all(|one| one.steps == 100_000));
    let frame = Frame::of(&experiment);
    assert_eq!((frame.groups.len(), frame.levels()), (6, 3));
    let long = committed("league-long.toml");
    let specs = |of: &Experiment| -> Vec<String> {
        let worlds = of.worlds.iter().map(|world| world.world.to_string());
        worlds.chain(of.agents.iter().map(|agent| agent.agent.to_string())).collect()
    };
    assert_eq!((specs(&long), &long.not_run), (specs(&experiment), &experiment.not_run));
    for (index, world) in experiment.worlds.iter().enumerate() {
        let name = world.world.to_string();
        let prepared = experiment.prepare(index, &()).unwrap();
        let facts = prepared.truth.facts();
        for (agent, named) in experiment.agents.iter().enumerate() {
            let states = match named.agent.to_string().split(':').next().unwrap() {
                "kl-ucrl" | "ucrl3" | "imed-rl" => facts.reachable,
                "psrl" if named.label == "PSRL" => facts.states.max(facts.reachable),
                _ => 0,
            };
            let is_run = experiment.why_not(index, agent).is_none();
            assert_eq!(is_run, states <= 30, "{name} {}: {states} states", named.label);
        }
        let hardness = Hardness::of(&prepared.truth, &()).unwrap().unwrap();
        let class = facts.class.to_string();
        match world.group.as_deref().unwrap() {
            "communicating" | "slow mixing" => assert_eq!(class, "communicating", "{name}"),
            "ergodic" => assert_eq!(hardness.lower_bound.certainty, Certainty::Theorem, "{name}"),
            "weakly communicating" => assert_eq!(class, "weakly communicating", "{name}"),
            "with junk" => assert!(facts.states >= 10 * facts.reachable, "{name}"),
            "deterministic" => {
                let Model::Table(mdp) = &prepared.model else { panic!("{name} has no table") };
                assert!((0..mdp.pairs()).all(|pair| mdp.row(pair).iter().count() == 1), "{name}");
            }
            other => panic!("{other} is not defined"),
        }
    }
}
