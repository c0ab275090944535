//! Which records are read in these tests? Real ones, of an experiment that takes no time.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;
use tucrl_lab::Catalogue;
use tucrl_lab::experiment::Experiment;
use tucrl_lab::record::{Provenance, StoredRun};
use tucrl_lab::store::{IfResults, Store};

const EXPERIMENT: &str = r#"
name = "first"
seeds = 4
worlds = [{ spec = "three-state:delta=0", steps = 2e4 }, { spec = "river-swim", steps = 3000 }]
agents = [
    { spec = "tucrl:alpha=0.05", label = "TUCRL" },
    { spec = "ucrl:alpha=0.05", label = 'UCRL, plain "old"' },
    { spec = "random", label = "chance" },
]
"#;

fn experiment(folder: &Path) -> Experiment {
    let file = folder.join("first.toml");
    fs::write(&file, EXPERIMENT).unwrap();
    Experiment::read(&file, &Catalogue::default()).unwrap()
}

/// All runs, made once by the command.
pub fn sample() -> Vec<StoredRun> {
    static RUNS: OnceLock<Vec<StoredRun>> = OnceLock::new();
    let make = || {
        let folder = TempDir::new().unwrap();
        let cells = experiment(folder.path()).cells();
        let mut run = Command::new(env!("CARGO_BIN_EXE_tucrl"));
        let output = run.current_dir(folder.path()).args(["run", "first.toml"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (store, _) =
            Store::open(&folder.path().join("out/first"), &Catalogue::default()).unwrap();
        cells.iter().map(|cell| store.run(&cell.id).unwrap().unwrap().1).collect()
    };
    RUNS.get_or_init(make).clone()
}

/// Where and when all of them were made, as far as the tests are concerned.
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
    let elsewhere = TempDir::new().unwrap();
    let experiment = experiment(elsewhere.path());
    let store =
        Store::create(folder, &experiment, &Catalogue::default(), IfResults::Refuse).unwrap();
    for run in runs {
        let key = (&run.world, &run.agent, run.spec.run);
        let cells = experiment.cells();
        let cell = cells.iter().find(|cell| (&cell.id.world, &cell.id.agent, cell.id.run) == key);
        store.write_run(&cell.unwrap().id, run, &provenance()).unwrap();
    }
}
