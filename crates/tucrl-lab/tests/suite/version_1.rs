//! Are results of version 1 of the format still results?
//!
//! `data/version-1` and `data/version-1-stopped` were written by the program before its redesign, which stored the
//! algorithm as a nested enum. Its finished runs are read, and the same cells computed now take the same course, with the same
//! rewards to the last bit; gains and spans of plans agree up to the last bits of their logarithms, which were those of the
//! platform's C library. Its checkpoints describe learners in another form: they are refused, and the cell starts anew.
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tucrl_lab::execute::{self, Note, Options};
use tucrl_lab::store::{self, Header};
use tucrl_lab::{Catalogue, Checkpoint, Experiment, NamedAgent, Store, StoreError, StoredRun};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A copy that may be written to.
fn copy(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("runs")).unwrap();
    fs::copy(data(name).join("experiment.toml"), folder.path().join("experiment.toml")).unwrap();
    for entry in fs::read_dir(data(name).join("runs")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join("runs").join(entry.file_name())).unwrap();
    }
    folder
}

/// An agent with the defaults of that time.
fn former(spec: &str) -> NamedAgent {
    Catalogue::default().former().agent(spec).unwrap()
}

fn opened(folder: &TempDir) -> (Store, Experiment) {
    Store::open(folder.path(), &Catalogue::default()).unwrap()
}

fn stored() -> Vec<(Header, StoredRun)> {
    let (store, experiment) = Store::open(&data("version-1"), &Catalogue::default()).unwrap();
    experiment.cells().iter().map(|cell| store.run(&cell.id).unwrap().unwrap()).collect()
}

#[test]
fn records_are_read() {
    let stored = stored();
    assert_eq!(stored.len(), 16);
    for (header, run) in &stored {
        assert_eq!((header.version, &run.options), (1, &Value::Null));
        let is_hasty = run.label == "hasty";
        assert_eq!(run.error.is_some(), is_hasty, "{}", run.label);
        assert_eq!(run.record.steps < 200, is_hasty, "{}", run.label);
    }
}

/// Replaces the gains and spans of the plans, which have come from other logarithms, by those of then if they are close.
fn with_plans_of(then: &StoredRun, now: &mut StoredRun) {
    for (then, now) in then.record.episodes.iter().zip(&mut now.record.episodes) {
        let (then, now) = (&then.0, &mut now.0);
        for (then, now) in [
            (then.gain, &mut now.gain),
            (then.span, &mut now.span),
            (then.span_seen, &mut now.span_seen),
        ] {
            // The solver of a draw aims at 1e-13.
            if (then - *now).abs() <= 1e-13 {
                *now = then;
            }
        }
    }
}

#[test]
fn the_same_cells_computed_now_take_the_same_course() {
    let (_, experiment) = Store::open(&data("version-1"), &Catalogue::default()).unwrap();
    let cells = experiment.cells();
    let worlds = execute::prepare(&experiment, &cells, &()).unwrap();
    let outcomes = execute::run_in_memory(&experiment, &cells, &worlds, &());
    let (now, _, is_stopped) = execute::records(&experiment, &cells, &worlds, outcomes);
    assert!(!is_stopped);
    assert_eq!(now.len(), 16);
    for ((_, mut then), mut now) in stored().into_iter().zip(now) {
        with_plans_of(&then, &mut now);
        // Gap regret was not kept then. A run that failed before its first step has none at any checkpoint.
        assert!(now.facts.bellman_residual.take().is_some_and(|residual| residual < 1e-12));
        let gap_regret = now.record.gap_regret.take().unwrap();
        assert_eq!(gap_regret.len(), now.record.regret.len());
        // The certificate also covers the rounding of row sums now.
        assert!(now.facts.gain_error >= then.facts.gain_error && now.facts.gain_error < 1e-14);
        then.facts.gain_error = now.facts.gain_error;
        assert_eq!((&then.facts, &then.record), (&now.facts, &now.record), "{}", then.label);
        // The options of version 2 are those of the algorithm that `agent` names, and all else is as it was.
        let options = former(&then.agent).algorithm().options();
        assert_eq!(now.options, options);
        assert_eq!(StoredRun { options, ..then }, now);
    }
}

/// What version 1 wrote into `spec.algorithm` are the options that the agent's spec stands for.
#[test]
fn the_options_of_version_1_are_those_that_the_agent_names() {
    for entry in fs::read_dir(data("version-1/runs")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let body: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let named = former(body["agent"].as_str().unwrap());
        let (old, new) = (&body["spec"]["algorithm"], named.algorithm().options());
        match named.kind().about().name {
            "tucrl" => {
                let optimism = &old["Tucrl"]["optimism"];
                assert_eq!(
                    (&optimism["alpha_p"], &optimism["alpha_r"]),
                    (&0.05.into(), &0.05.into())
                );
                assert_eq!((&new["alpha"], &new["alpha_p"]), (&0.05.into(), &"alpha".into()));
                assert_eq!(
                    (&old["Tucrl"]["relaxation"], &new["relaxation"]),
                    (&"L1".into(), &"l1".into())
                );
                assert_eq!(
                    (&optimism["delta"]["Fixed"], &new["delta"]),
                    (&0.05.into(), &0.05.into())
                );
            }
            "scal" => {
                // JSON has no infinity.
                assert_eq!((&old["Scal"]["clip"]["c"], &new["c"]), (&Value::Null, &"inf".into()));
                assert_eq!(old["Scal"]["clip"]["aperiodicity"], new["aperiodicity"]);
            }
            "psrl" => {
                assert!(!old["Psrl"]["prior"]["rewards"]["BetaBernoulli"].is_null(), "{old}");
                assert_eq!((&new["rewards"], &new["a"]), (&"bernoulli".into(), &1.0.into()));
            }
            "ucrl" => {
                let evi = &old["Ucrl"]["optimism"]["evi"];
                assert_eq!((&evi["method"], &new["planner"]), (&"Plain".into(), &"plain".into()));
                assert_eq!((&evi["sweep_limit"], &new["sweeps"]), (&5.into(), &5.into()));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn finished_cells_are_not_computed_anew() {
    let folder = copy("version-1");
    let (store, experiment) = opened(&folder);
    let options = Options { checkpoint_every: Duration::ZERO, retry_failed: false };
    let survey = execute::survey(&store, experiment.cells(), options).unwrap();
    assert_eq!((survey.done, survey.failed.len(), survey.to_do.len()), (12, 4, 0));
    assert!(survey.notes.is_empty());
    // A cell that is missing would be computed with the values of today, among those of then.
    let done = experiment.cells().into_iter().find(|cell| cell.id.label == "sampling").unwrap();
    fs::remove_file(store.run_file(&done.id)).unwrap();
    let survey = execute::survey(&store, experiment.cells(), options).unwrap();
    assert_eq!((survey.done, survey.to_do.len()), (11, 1));
    assert!(matches!(survey.notes[..], [Note::OlderRuns { runs: 11 }]), "{survey:?}");
}

#[test]
fn a_checkpoint_is_refused_with_advice_and_its_cell_starts_anew() {
    let folder = copy("version-1-stopped");
    let (store, experiment) = opened(&folder);
    let cells = experiment.cells();
    let [path] = <[PathBuf; 1]>::try_from(store.state_files(&cells[0].id).unwrap()).unwrap();
    let is_older =
        |error: &StoreError| matches!(error, StoreError::OlderVersion { found: 1, known: 4, .. });
    let error = store.state(&path, &cells[0].id).unwrap_err();
    assert!(is_older(&error), "{error}");
    assert_eq!(
        error.to_string(),
        format!(
            "{}: the checkpoint has version 1 of its format and this program reads 4: start the agent anew, or \
             use the tucrl that wrote it",
            path.display()
        )
    );
    match store::read_checkpoint::<Value>(&path) {
        Err(error) => assert!(is_older(&error), "{error}"),
        Ok(Checkpoint::Agent(_) | Checkpoint::Run(_)) => panic!("it has another form"),
    }
    let options = Options { checkpoint_every: Duration::from_secs(3600), retry_failed: false };
    let survey = execute::survey(&store, cells, options).unwrap();
    assert_eq!((survey.to_do.len(), survey.notes.len()), (1, 0));
    let worlds = execute::prepare(&experiment, &survey.to_do, &()).unwrap();
    let summary = execute::run(&store, &experiment, &survey.to_do, &worlds, options, &()).unwrap();
    assert_eq!((summary.done, summary.stopped), (1, 0));
    assert!(matches!(summary.notes[..], [Note::OlderCheckpoint { found: 1 }]), "{summary:?}");
    let (header, run) = store.run(&survey.to_do[0].id).unwrap().unwrap();
    // One session: nothing of the old checkpoint is in it.
    assert_eq!((header.version, header.provenance.sessions), (4, 1));
    assert_eq!((run.record.steps, run.error), (5_000_000, None));
    assert!(store.state_files(&survey.to_do[0].id).unwrap().is_empty());
}

/// `retired` was written when SCAL+ was an agent: it can be read and not started.
#[test]
fn records_of_an_agent_that_is_gone_are_read() {
    let (store, experiment) = Store::open(&data("retired"), &Catalogue::default()).unwrap();
    let cells = experiment.cells();
    let found = cells.iter().map(|cell| store.run(&cell.id).unwrap().unwrap().1);
    let labels: Vec<String> = found.map(|run| run.label).collect();
    let expected = ["scal-plus:c=2,alpha=0.1", "SCAL+", "random"];
    assert_eq!(labels, expected.into_iter().flat_map(|label| [label; 2]).collect::<Vec<_>>());
    let world = experiment.prepare(0, &()).unwrap();
    let error = experiment.check_start(0, &world, [0]).unwrap_err().to_string();
    assert!(error.contains("no longer run: FOCUS is its successor"), "{error}");
    assert!(Catalogue::default().agent("scal-plus:c=2").is_err());
}
