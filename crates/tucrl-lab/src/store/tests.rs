//! Is every file of a store on the disk before it has its name?

#[cfg(unix)]
mod crashes;
#[cfg(unix)]
mod faulty;

use std::fs;

use tucrl::run::Run;

use super::*;
use crate::execute;
use crate::formats::IfExists;
use crate::formats::save::recorded::Recorder;

const EXPERIMENT: &str = "name = \"small\"\nsteps = 1000\nseeds = 1\n\
                          worlds = [\"three-state:delta=0\"]\nagents = [\"tucrl\"]\n";

fn experiment() -> Experiment {
    let path = Path::new("small.toml");
    Experiment::parse(path, EXPERIMENT.into(), &Catalogue::default()).unwrap()
}

#[test]
fn every_file_is_synced_renamed_and_its_folder_synced() {
    let folder = tempfile::tempdir().unwrap();
    let directory = fs::canonicalize(folder.path()).unwrap().join("out");
    let (experiment, disk) = (experiment(), Recorder::default());
    let store = Store { disk: Arc::new(disk.clone()), ..Store::at(&directory) };
    let store = store.created(&experiment, &Catalogue::default(), IfResults::Refuse).unwrap();
    // Both folders are on the disk before a file is in them.
    let parent = directory.parent().unwrap();
    assert_eq!(disk.file_after([parent, &directory]), directory.join(EXPERIMENT_FILE));

    let cells = experiment.cells();
    let worlds = execute::prepare(&experiment, &cells, &()).unwrap();
    let outcomes = execute::run_in_memory(&experiment, &cells, &worlds, &());
    let (runs, provenance, _) = execute::records(&experiment, &cells, &worlds, outcomes);
    store.write_run(&cells[0].id, &runs[0], &provenance).unwrap();
    assert_eq!(disk.only_file(), store.run_file(&cells[0].id));
    assert_eq!(store.run(&cells[0].id).unwrap().unwrap().1, runs[0]);

    let algorithm = Arc::clone(experiment.agents[0].agent.algorithm());
    let (model, truth) = (&worlds[&0].model, Arc::clone(&worlds[&0].truth));
    let mut run = Run::new(runs[0].spec.clone(), algorithm, model, truth).unwrap();
    run.advance(10).unwrap();
    let state = StoredState {
        cell: cells[0].id.clone(),
        spec: run.spec().clone(),
        taken: run.taken(),
        is_stopped: false,
        state: run.state(),
    };
    // The second one replaces the first.
    for _ in 0..2 {
        store.write_state(&state, &provenance).unwrap();
        let path = disk.only_file();
        assert_eq!(store.state_files(&cells[0].id).unwrap(), std::slice::from_ref(&path));
        assert_eq!(store.state(&path, &cells[0].id).unwrap().1.taken, 10);
    }
}

#[test]
fn a_run_from_elsewhere_is_checked_where_it_arrives() {
    let experiment = Experiment::parse(
        Path::new("small.toml"),
        EXPERIMENT.replace("seeds = 1", "seeds = 2"),
        &Catalogue::default(),
    );
    let experiment = experiment.unwrap();
    let cells = experiment.cells();
    let worlds = execute::prepare(&experiment, &cells, &()).unwrap();
    let outcomes = execute::run_in_memory(&experiment, &cells, &worlds, &());
    let (runs, provenance, _) = execute::records(&experiment, &cells, &worlds, outcomes);
    let (id, other) = (&cells[0].id, &cells[1].id);
    let sealed = seal(id, &runs[0], &provenance).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("out");
    let refuse = IfResults::Refuse;
    let store = Store::create(&directory, &experiment, &Catalogue::default(), refuse).unwrap();
    for cut in [0, 1, sealed.len() / 2, sealed.len() - 1] {
        let error = store.accept(id, &sealed[..cut]).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
    for place in (0..sealed.len()).step_by(997) {
        let mut changed = sealed.clone();
        changed[place] ^= 1;
        let error = store.accept(id, &changed).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
    let error = store.accept(other, &sealed).unwrap_err();
    assert!(error.to_string().ends_with("it belongs to another cell: run is 0, not 1"), "{error}");
    let old = Provenance { version: "0.0.1".into(), ..provenance.clone() };
    let error = store.accept(id, &seal(id, &runs[0], &old).unwrap()).unwrap_err();
    assert!(error.to_string().contains("the worker that made it has tucrl 0.0.1"), "{error}");
    assert!(!store.run_file(id).exists(), "nothing of that was kept");

    // The file is the one that a run here would write.
    store.accept(id, &sealed).unwrap();
    assert_eq!(fs::read(store.run_file(id)).unwrap(), sealed);
    // A second worker made it too; a run that failed elsewhere changes nothing.
    store
        .accept(id, &seal(id, &runs[0], &Provenance { sessions: 2, ..provenance.clone() }).unwrap())
        .unwrap();
    let failed = StoredRun { error: Some("no memory".into()), ..runs[0].clone() };
    assert_eq!(store.accept(id, &seal(id, &failed, &provenance).unwrap()).unwrap(), runs[0]);
    assert_eq!(fs::read(store.run_file(id)).unwrap(), sealed);
    // A result that contradicts it is not kept.
    let mut wrong = runs[0].clone();
    wrong.record.z += 1;
    let error = store.accept(id, &seal(id, &wrong, &provenance).unwrap()).unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
    assert_eq!(fs::read(store.run_file(id)).unwrap(), sealed);
}

#[test]
fn model_files_may_lie_elsewhere_under_the_same_name() {
    use crate::formats::{self, Places, with_places};
    let folder = tempfile::tempdir().unwrap();
    let world = tucrl::worlds::ThreeState::default().build().unwrap();
    let copy = folder.path().join("0.json");
    formats::write(&world, &copy, IfExists::Refuse).unwrap();
    let text = EXPERIMENT.replace("three-state:delta=0", "models/none.json");
    let read = || Experiment::parse(Path::new("e.toml"), text.clone(), &Catalogue::default());
    assert!(read().is_err(), "there is no such file here");
    let places = Places::from([("models/none.json".into(), copy)]);
    let experiment = with_places(&places, read).unwrap();
    assert_eq!(experiment.cells()[0].id.world, "models/none.json");
    let prepared = with_places(&places, || experiment.prepare(0, &())).unwrap();
    assert_eq!(prepared.truth.facts().states, 3);
    assert!(experiment.prepare(0, &()).is_err(), "only while it is said where");
}
