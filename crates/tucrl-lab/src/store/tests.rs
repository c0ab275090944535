//! Is every file of a store on the disk before it has its name?

use tucrl::run::Run;

use super::*;
use crate::execute;
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
    assert_eq!(disk.only_file(), directory.join(EXPERIMENT_FILE));

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
