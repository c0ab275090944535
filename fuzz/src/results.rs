//! Stored runs, checkpoints, and curves of other programs.
//!
//! Nobody guesses a hash by mutations, so the input is the body of a file, and is sealed here; whole files are tried too.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tucrl::model::Model;
use tucrl::run::{Run, RunSpec};
use tucrl::truth::Truth;
use tucrl_lab::record::Provenance;
use tucrl_lab::store::{
    self, Checkpoint, Header, Import, Kind, StoredState, VERSION, read_checkpoint, read_curves,
    unseal,
};
use tucrl_lab::{Catalogue, CellId, Experiment, ReadOptions, execute};

use super::{check_message, file};

/// How many steps the checkpoints of the corpus have taken.
const TAKEN: u64 = 256;
/// The horizon of imported curves.
const STEPS: u64 = 1_000;

struct Small {
    experiment: Experiment,
    cell: CellId,
    model: Model,
    truth: Arc<Truth>,
}

/// A small world, and a cell in it.
static SMALL: LazyLock<Small> = LazyLock::new(|| {
    let text = "name = \"fuzz\"\nsteps = 1000\nseeds = 1\ncheckpoints = 4\nworlds = [\"river-swim\"]\nagents = [\"tucrl\"]\n";
    let catalogue = Catalogue::default();
    let experiment =
        Experiment::parse(Path::new("fuzz.toml"), text.into(), &catalogue).expect("valid");
    let world = catalogue.world("river-swim").expect("it is in the list");
    let model = world.open(&ReadOptions::default()).expect("a table");
    let truth = Arc::new(Truth::of(&model).expect("a small world"));
    let cell = experiment.cells()[0].id.clone();
    Small { experiment, cell, model, truth }
});

/// A long run of the cell. The runner takes this from the experiment, too, and not from the checkpoint.
fn spec() -> RunSpec {
    let CellId { group, run } = &SMALL.cell;
    let checkpoints = group.checkpoints.clone();
    RunSpec { steps: 1 << 40, checkpoints, master_seed: group.master_seed, run: *run }
}

/// The body of a checkpoint of an agent after some steps, for the corpus.
pub fn checkpoint_body(agent: &str) -> String {
    let named = Catalogue::default().agent(agent).expect("it is in the list");
    let (algorithm, truth) = (Arc::clone(named.algorithm()), Arc::clone(&SMALL.truth));
    let mut run = Run::new(spec(), algorithm, &SMALL.model, truth).expect("a world for all");
    run.advance(TAKEN).expect("a world for all");
    let mut cell = SMALL.cell.clone();
    Arc::make_mut(&mut cell.group).agent = named.to_string();
    let (spec, taken, state) = (spec(), run.taken(), run.state());
    let stored = StoredState { cell, spec, taken, is_stopped: true, state };
    serde_json::to_string(&stored).expect("plain data")
}

/// The body of a finished run, for the corpus.
pub fn record_body() -> String {
    let Small { experiment, .. } = &*SMALL;
    let cells = experiment.cells();
    let worlds = execute::prepare(experiment, &cells, &()).expect("a small world");
    let outcomes = execute::run_in_memory(experiment, &cells, &worlds, &());
    let (runs, _, _) = execute::records(experiment, &cells, &worlds, outcomes);
    serde_json::to_string(&runs[0]).expect("plain data")
}

/// A file of the present version with any body.
fn sealed(kind: Kind, body: &[u8]) -> Vec<u8> {
    let blake3 = blake3::hash(body).to_hex().to_string();
    let provenance = Provenance::now(1, Duration::ZERO, Duration::ZERO);
    let header = Header { format: kind, version: VERSION, blake3, provenance };
    let mut bytes = serde_json::to_vec(&header).expect("plain data");
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    bytes.push(b'\n');
    let seal = blake3::hash(&bytes).to_hex();
    bytes.extend_from_slice(format!("blake3 {seal}\n").as_bytes());
    bytes
}

/// Finished runs. A run that is accepted is sealed to the same body.
pub fn record(bytes: &[u8]) {
    let cell = &SMALL.cell;
    if let Err(error) = unseal(cell, bytes) {
        check_message(&error);
    }
    match unseal(cell, &sealed(Kind::Run, bytes)) {
        Ok((header, run)) => {
            let again = store::seal(cell, &run, &header.provenance).expect("it was JSON before");
            let (_, back) = unseal(cell, &again).expect("it was accepted before");
            assert_eq!(back, run);
        }
        Err(error) => check_message(&error),
    }
}

/// Checkpoints of runs and of agents. One that is accepted is restored, and not continued: who forges a seal can write a state
/// that no run has, and the steps after it may panic, which the runner makes the failure of that one cell.
pub fn checkpoint(bytes: &[u8]) {
    let read = |path: PathBuf| read_checkpoint::<serde_json::Value>(&path);
    if let Err(error) = read(file("input.state", bytes)) {
        check_message(&error);
    }
    let stored = match read(file("input.state", &sealed(Kind::State, bytes))) {
        Ok(Checkpoint::Run(stored)) => stored,
        Ok(Checkpoint::Agent(_)) => return,
        Err(error) => return check_message(&error),
    };
    let Some(state) = stored.state else { return };
    let Ok(agent) = Catalogue::default().agent(&stored.cell.agent) else { return };
    let (algorithm, truth) = (Arc::clone(agent.algorithm()), Arc::clone(&SMALL.truth));
    match Run::resume(spec(), algorithm, &SMALL.model, truth, state) {
        Err(error) => check_message(&error),
        Ok(run) => drop(run.taken()),
    }
}

/// Curves of other programs, as CSV.
pub fn curves(bytes: &[u8]) {
    let path = file("input.csv", bytes);
    let import = Import {
        path: &path,
        experiment: "fuzz",
        world: "river-swim",
        steps: STEPS,
        facts: SMALL.truth.facts(),
        label: "theirs",
        note: None,
    };
    match read_curves(&import) {
        Ok(runs) => assert!(!runs.is_empty()),
        Err(error) => check_message(&error),
    }
}
