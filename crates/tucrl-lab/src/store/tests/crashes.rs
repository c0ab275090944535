//! Are the results the same, whichever call of the file system fails, and whatever a loss of power leaves?
//!
//! A small experiment with checkpoints is run in a directory. Every call that it makes fails in turn, and the work is
//! resumed on a sound disk: the bodies of its runs are, byte for byte, those of a run that nothing disturbed. The same for what
//! comes from elsewhere (`merge`, `write_import`, `accept`), and for a directory with damaged files.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::sync::{LazyLock, Mutex};
use std::time::SystemTime;

use tucrl::rng::RandomStream;

use super::faulty::{Fault, Faulty, Late, Stale, Stolen, Survives, Unsynced};
use super::*;
use crate::execute::{Note, Options, Summary};
use crate::experiment::{CellId, PreparedWorld};
use crate::record::Provenance;

const TWO: &str = "name = \"small\"\nsteps = 600\nseeds = 1\n\
                   worlds = [\"three-state:delta=0\"]\nagents = [\"tucrl\", \"optimistic-q\"]\n";

struct Small {
    experiment: Experiment,
    worlds: BTreeMap<usize, PreparedWorld>,
    pool: rayon::ThreadPool,
}

static SMALL: LazyLock<Small> = LazyLock::new(|| {
    let experiment =
        Experiment::parse(Path::new("small.toml"), TWO.into(), &Catalogue::default()).unwrap();
    let worlds = execute::prepare(&experiment, &experiment.cells(), &()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    Small { experiment, worlds, pool }
});

/// The bodies of the runs in a directory.
type Bodies = BTreeMap<String, String>;

fn bodies(root: &Path) -> Bodies {
    let body = |path: &Path| fs::read_to_string(path).unwrap().lines().nth(1).unwrap().to_owned();
    let runs = names(root, ".run").into_iter();
    runs.map(|path| (path.file_name().unwrap().to_string_lossy().into(), body(&path))).collect()
}

fn names(root: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root.join("a/out/runs")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

static REFERENCE: LazyLock<Bodies> = LazyLock::new(|| {
    let (_folder, root) = root();
    process(&root, Arc::new(Unsynced)).unwrap();
    let bodies = bodies(&root);
    assert_eq!(bodies.len(), 2);
    bodies
});

fn root() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap().join("root");
    fs::create_dir(&root).unwrap();
    (folder, root)
}

/// The directory of the experiment below the root, or that of another copy of it.
fn store_in(directory: &Path, disk: Arc<dyn Disk>) -> Result<Store, StoreError> {
    let store = Store { disk, ..Store::at(directory) };
    store.created(&SMALL.experiment, &Catalogue::default(), IfResults::Resume)
}

/// What one process does, with as many checkpoints as there can be; the notes of both its parts.
fn process(root: &Path, disk: Arc<dyn Disk>) -> Result<Summary, StoreError> {
    let small = &*SMALL;
    let options = Options { checkpoint_every: Duration::ZERO, retry_failed: false };
    let store = store_in(&root.join("a/out"), disk)?;
    let survey = execute::survey(&store, small.experiment.cells(), options)?;
    let (cells, worlds) = (&survey.to_do, &small.worlds);
    let run = || execute::run(&store, &small.experiment, cells, worlds, options, &());
    let mut summary = small.pool.install(run)?;
    summary.done += survey.done;
    summary.notes.splice(0..0, survey.notes);
    Ok(summary)
}

/// Resumes on a sound disk; all is as if nothing had happened.
fn assert_recovers(root: &Path, what: &dyn std::fmt::Debug) {
    let summary =
        process(root, Arc::new(Unsynced)).unwrap_or_else(|error| panic!("{what:?}: {error}"));
    assert_eq!((summary.done, summary.failed.len()), (2, 0), "{what:?}");
    assert!(summary.notes.is_empty(), "{what:?}: {:?}", summary.notes);
    assert!(bodies(root) == *REFERENCE, "{what:?}: other results");
    for ending in [".state", ".damaged"] {
        assert!(names(root, ending).is_empty(), "{what:?}: {:?}", names(root, ending));
    }
}

/// Lets every call of a process fail in turn; `after` sees the disk and what the process said. Returns the number of calls.
fn at_every_call(
    fault: Fault,
    after: impl FnMut(&Path, &Faulty, Result<Summary, StoreError>, usize),
) -> usize {
    let is_done = |summary: &Summary| assert_eq!(summary.done, 2);
    at_every_call_of(process, |_| {}, fault, is_done, after)
}

/// The same of any work, on a disk on which something was before; `whole` sees what it gives where nothing fails.
fn at_every_call_of<T: std::fmt::Debug>(
    work: impl Fn(&Path, Arc<dyn Disk>) -> Result<T, StoreError>,
    before: impl Fn(&Path),
    fault: Fault,
    whole: impl Fn(&T),
    mut after: impl FnMut(&Path, &Faulty, Result<T, StoreError>, usize),
) -> usize {
    for at in 0.. {
        let (_folder, root) = root();
        before(&root);
        let disk = Arc::new(Faulty::new(&root, Some((at, fault))));
        let said = work(&root, Arc::clone(&disk) as Arc<dyn Disk>);
        if !disk.happened() {
            whole(&said.unwrap());
            return at;
        }
        after(&root, &disk, said, at);
    }
    unreachable!()
}

/// What may survive a loss of power.
const SURVIVALS: [Survives; 4] =
    [Survives::Nothing, Survives::All, Survives::Some(1), Survives::Some(2)];
/// What a call may say.
const ERRORS: [ErrorKind; 5] = [
    ErrorKind::StorageFull,
    ErrorKind::Other,
    ErrorKind::PermissionDenied,
    ErrorKind::NotFound,
    ErrorKind::TimedOut,
];

/// Work that fails at any call, by a loss of power or an error, and is then done again on a sound disk. `after` sees what is
/// there before it is done again, and whether that was an error that did not stop it.
fn fails_and_is_done_again<T: std::fmt::Debug>(
    work: impl Fn(&Path, Arc<dyn Disk>) -> Result<T, StoreError> + Copy,
    before: impl Fn(&Path) + Copy,
    whole: impl Fn(&T) + Copy,
    after: impl Fn(&Path, &dyn std::fmt::Debug),
) -> usize {
    let again = |root: &Path, what: &dyn std::fmt::Debug| {
        after(root, what);
        work(root, Arc::new(Unsynced)).unwrap_or_else(|error| panic!("{what:?}: {error}"));
        assert_recovers(root, what);
    };
    let mut calls = 0;
    for survives in SURVIVALS {
        calls = at_every_call_of(work, before, Fault::Crash, whole, |root, disk, _, at| {
            disk.lose_power(root, survives);
            again(root, &(at, survives));
        });
    }
    for fault in ERRORS.map(Fault::Once).into_iter().chain([Fault::Full]) {
        at_every_call_of(work, before, fault, whole, |root, _, _, at| again(root, &(at, fault)));
    }
    calls
}

#[test]
fn the_experiment_makes_every_call_but_one_often() {
    let (_folder, root) = root();
    let disk = Arc::new(Faulty::new(&root, None));
    let summary = process(&root, Arc::clone(&disk) as Arc<dyn Disk>).unwrap();
    assert!(summary.notes.is_empty());
    let log = disk.log();
    for (call, least) in [
        ("create_folder", 3),
        ("create", 5),
        ("write", 10),
        ("sync", 5),
        ("rename", 5),
        ("sync_folder", 8),
        ("remove", 2),
        ("read", 0),
        ("list", 5),
        ("look", 10),
    ] {
        let count = log.iter().filter(|name| **name == call).count();
        assert!(count >= least, "{call}: {count} of {}", log.len());
    }
    // What is finished survives the loss of power, and so do the folders that it is in.
    disk.lose_power(&root, Survives::Nothing);
    assert!(bodies(&root) == *REFERENCE);
    assert!(root.join("a/out/experiment.toml").is_file());
}

#[test]
fn a_loss_of_power_at_any_call_changes_no_result() {
    let calls = SURVIVALS.map(|survives| {
        at_every_call(Fault::Crash, |root, disk, said, at| {
            // After the last result is stored, checkpoints are removed, and it does not matter whether they go.
            if let Ok(summary) = said {
                assert_eq!(summary.done, 2, "call {at}");
            }
            disk.lose_power(root, survives);
            assert_recovers(root, &(at, survives));
        })
    });
    assert!(calls.iter().all(|&calls| calls > 80), "{calls:?}");
}

#[test]
fn power_that_fails_again_and_again_changes_no_result() {
    let mut random = RandomStream::new(22);
    let mut crashes = 0;
    for round in 0..150 {
        let (_folder, root) = root();
        for seed in 0.. {
            let at = random.below(120) as usize;
            let disk = Arc::new(Faulty::new(&root, Some((at, Fault::Crash))));
            if process(&root, Arc::clone(&disk) as Arc<dyn Disk>).is_ok() {
                break;
            }
            crashes += 1;
            disk.lose_power(&root, Survives::Some(seed * 1000 + round));
        }
        assert_recovers(&root, &round);
    }
    assert!(crashes > 150, "{crashes}");
}

#[test]
fn an_error_at_any_call_changes_no_result() {
    for kind in ERRORS {
        at_every_call(Fault::Once(kind), |root, _, said, at| {
            // A checkpoint that cannot be stored is a note; what stops the work is an error.
            if let Ok(summary) = said {
                let is_of_checkpoint = |note: &Note| matches!(note, Note::NotStored(_));
                assert!(summary.notes.iter().all(is_of_checkpoint), "{kind:?} at {at}");
                assert_eq!(summary.done, 2, "{kind:?} at {at}");
            }
            assert_recovers(root, &(at, kind));
        });
    }
}

#[test]
fn a_disk_that_is_full_from_any_call_on_changes_no_result() {
    at_every_call(Fault::Full, |root, _, said, at| {
        let error = said.unwrap_err().to_string();
        assert!(error.contains("continue with"), "call {at}: {error}");
        let is_temporary = |path: &PathBuf| path.to_string_lossy().contains("/.tucrl-");
        assert!(!names(root, "").iter().any(is_temporary), "call {at}: a file was left");
        assert_recovers(root, &at);
    });
}

#[test]
fn a_stale_name_at_any_call_is_looked_up_anew() {
    at_every_call(Fault::Once(ErrorKind::StaleNetworkFileHandle), |root, _, said, at| {
        let summary = said.unwrap_or_else(|error| panic!("call {at}: {error}"));
        assert!(summary.notes.is_empty(), "call {at}: {:?}", summary.notes);
        assert!(bodies(root) == *REFERENCE, "call {at}");
        assert_recovers(root, &at);
    });
    let (_folder, root) = root();
    let summary = process(&root, Arc::new(Stale::default())).unwrap();
    assert!(summary.notes.is_empty(), "{:?}", summary.notes);
    assert_recovers(&root, &"all names are stale once");
}

#[test]
fn names_that_are_seen_late_change_no_result() {
    for _ in 0..20 {
        let (_folder, root) = root();
        // Three machines, each of which sees the files of the others when they have arrived.
        let machines: [Arc<Late>; 3] = std::array::from_fn(|_| Arc::default());
        std::thread::scope(|scope| {
            for machine in &machines {
                scope.spawn(|| {
                    let summary = process(&root, Arc::clone(machine) as Arc<dyn Disk>).unwrap();
                    assert_eq!((summary.done, summary.failed.len()), (2, 0));
                    assert!(summary.notes.is_empty(), "{:?}", summary.notes);
                });
            }
        });
        machines.iter().for_each(|machine| machine.arrive());
        assert_recovers(&root, &"late");
    }
}

#[test]
fn a_file_that_another_process_removes_as_abandoned_is_written_anew() {
    let (_folder, root) = root();
    let disk = Arc::new(Stolen { every: 4, count: Mutex::new(0) });
    let summary = process(&root, disk).unwrap();
    assert!(summary.notes.is_empty(), "{:?}", summary.notes);
    assert_recovers(&root, &"stolen");
    // Not forever.
    let (_folder, root) = super::crashes::root();
    let disk = Arc::new(Stolen { every: usize::MAX, count: Mutex::new(0) });
    assert!(matches!(process(&root, disk).unwrap_err(), StoreError::File(_)));
    assert_recovers(&root, &"stolen always");
}

/// The runs of the experiment, sealed.
static SEALED: LazyLock<Vec<(CellId, Vec<u8>)>> = LazyLock::new(|| {
    let (experiment, worlds) = (&SMALL.experiment, &SMALL.worlds);
    let cells = experiment.cells();
    let outcomes = execute::run_in_memory(experiment, &cells, worlds, &());
    let (runs, provenance, _) = execute::records(experiment, &cells, worlds, outcomes);
    let ids = cells.into_iter().map(|cell| cell.id);
    let sealed = |(id, run): (CellId, &StoredRun)| {
        let bytes = seal(&id, run, &provenance).unwrap();
        (id, bytes)
    };
    ids.zip(&runs).map(sealed).collect()
});

/// A checkpoint of a cell, written.
fn write_checkpoint(store: &Store, cell: usize) {
    let small = &*SMALL;
    let (id, world) = (&SEALED[cell].0, &small.worlds[&0]);
    let run = unseal(id, &SEALED[cell].1).unwrap().1;
    let algorithm = Arc::clone(small.experiment.agents[cell].agent.algorithm());
    let mut run = Run::new(run.spec, algorithm, &world.model, Arc::clone(&world.truth)).unwrap();
    run.advance(100).unwrap();
    let (spec, taken, state) = (run.spec().clone(), run.taken(), run.state());
    let state = StoredState { cell: id.clone(), spec, taken, is_stopped: false, state };
    store.write_state(&state, &Provenance::now(1, Duration::ZERO, Duration::ZERO)).unwrap();
}

/// What another program made of the first cell.
fn write_curves(store: &Store) -> Result<PathBuf, StoreError> {
    let (id, bytes) = &SEALED[0];
    store.write_import("other", &id.world, &[unseal(id, bytes).unwrap().1])
}

#[test]
fn results_that_arrive_while_calls_fail_are_whole_or_absent() {
    let work = |root: &Path, disk: Arc<dyn Disk>| {
        let store = store_in(&root.join("a/out"), disk)?;
        for (id, bytes) in SEALED.iter() {
            store.accept(id, bytes)?;
        }
        Ok(())
    };
    // A checkpoint of the cell goes when its run has come.
    let before = |root: &Path| {
        write_checkpoint(&store_in(&root.join("a/out"), Arc::new(Unsynced)).unwrap(), 1);
    };
    let calls = fails_and_is_done_again(
        work,
        before,
        |()| {},
        |root, what| {
            for path in names(root, ".run") {
                let bytes = fs::read(&path).unwrap();
                assert!(SEALED.iter().any(|(_, sealed)| *sealed == bytes), "{what:?}: {path:?}");
            }
        },
    );
    assert!(calls > 25, "{calls}");
}

#[test]
fn curves_that_are_imported_while_calls_fail_are_whole_or_absent() {
    let work = |root: &Path, disk: Arc<dyn Disk>| {
        write_curves(&store_in(&root.join("a/out"), disk)?).map(drop)
    };
    let calls = fails_and_is_done_again(
        work,
        |_| {},
        |()| {},
        |root, what| {
            let store = Store::at(&root.join("a/out"));
            for (path, read) in store.imports().unwrap() {
                let read = read.unwrap_or_else(|error| panic!("{what:?}: {path:?}: {error}"));
                assert_eq!(read.1.len(), 1);
            }
        },
    );
    assert!(calls > 15, "{calls}");
}

#[test]
fn results_that_are_merged_while_calls_fail_come_together_later() {
    // The first directory has a run and curves, the second the same run and a checkpoint of the other cell.
    let before = |root: &Path| {
        for name in ["one", "two"] {
            let store = store_in(&root.join(name), Arc::new(Unsynced)).unwrap();
            store.accept(&SEALED[0].0, &SEALED[0].1).unwrap();
            match name {
                "one" => drop(write_curves(&store).unwrap()),
                _ => write_checkpoint(&store, 1),
            }
        }
    };
    let sources = |root: &Path| ["one", "two"].map(|name| root.join(name));
    let work = |root: &Path, disk: Arc<dyn Disk>| {
        merge::merge_on(&disk, &sources(root), &root.join("a/out"), &Catalogue::default())
    };
    let whole = |merged: &Merged| {
        let all = Merged { runs: 1, added: 1, duplicates: 1, checkpoints: 1, imports: 1 };
        assert_eq!(*merged, all);
    };
    let held = |folder: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let calls = fails_and_is_done_again(work, before, whole, |root, what| {
        // What is merged is only read.
        let [one, two] = sources(root).map(|source| held(&source.join("runs")));
        assert_eq!((one.len(), two.len()), (1, 2), "{what:?}");
        assert!(one.values().eq([&SEALED[0].1]), "{what:?}");
        for path in names(root, ".run") {
            assert!(fs::read(&path).unwrap() == SEALED[0].1, "{what:?}: {path:?}");
        }
    });
    assert!(calls > 50, "{calls}");
    // A merge that nothing disturbs reads everything, and takes all along.
    let (_folder, root) = root();
    before(&root);
    let disk = Arc::new(Faulty::new(&root, None));
    whole(&work(&root, Arc::clone(&disk) as Arc<dyn Disk>).unwrap());
    assert!(disk.log().iter().filter(|call| **call == "read").count() > 5);
    disk.lose_power(&root, Survives::Nothing);
    assert_eq!((names(&root, ".run").len(), names(&root, ".state").len()), (1, 1));
    let imports = Store::at(&root.join("a/out")).imports().unwrap();
    assert!(matches!(&imports[..], [(_, Ok((_, runs)))] if runs.len() == 1));
}

/// A run that is cut off, and a checkpoint of the other cell with a bit flipped beside a sound one; what they hold.
fn damage(root: &Path) -> [Vec<u8>; 2] {
    let store = store_in(&root.join("a/out"), Arc::new(Unsynced)).unwrap();
    let cut = SEALED[0].1[..SEALED[0].1.len() / 2].to_vec();
    fs::write(store.run_file(&SEALED[0].0), &cut).unwrap();
    write_checkpoint(&store, 1);
    let sound = names(root, ".state").remove(0);
    let mut flipped = fs::read(&sound).unwrap();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    let name = format!("{}.00000000.state", SEALED[1].0.stem());
    fs::write(sound.with_file_name(name), &flipped).unwrap();
    [cut, flipped]
}

/// The results are right, and these damaged files are kept.
fn assert_set_aside(root: &Path, damaged: &[Vec<u8>], what: &dyn std::fmt::Debug) {
    let mut aside = names(root, ".damaged");
    aside.sort();
    let kept: Vec<Vec<u8>> = aside.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(damaged.iter().all(|bytes| kept.contains(bytes)), "{what:?}: {aside:?}");
    aside.iter().for_each(|path| fs::remove_file(path).unwrap());
    assert_recovers(root, what);
}

#[test]
fn a_start_with_damaged_files_may_fail_at_any_call() {
    let (_folder, root) = root();
    let damaged = damage(&root);
    let disk = Arc::new(Faulty::new(&root, None));
    let summary = process(&root, Arc::clone(&disk) as Arc<dyn Disk>).unwrap();
    assert_eq!(summary.notes.len(), 2, "{:?}", summary.notes);
    let log = disk.log();
    let count = |name: &str| log.iter().filter(|call| **call == name).count();
    assert_eq!(count("move_aside"), 2);
    assert!(count("read") >= 3, "{}", count("read"));
    assert_set_aside(&root, &damaged, &"undisturbed");

    // Checkpoints name the second in which they were written: every directory has its own.
    let present = RefCell::new(damaged);
    let before = |root: &Path| drop(present.replace(damage(root)));
    let is_done = |summary: &Summary| assert_eq!(summary.done, 2);
    let mut calls = 0;
    for survives in [Survives::Nothing, Survives::All] {
        calls = at_every_call_of(process, before, Fault::Crash, is_done, |root, disk, _, at| {
            disk.lose_power(root, survives);
            process(root, Arc::new(Unsynced)).unwrap();
            assert_set_aside(root, &*present.borrow(), &(at, survives));
        });
    }
    assert!(calls > 80, "{calls}");
    for kind in ERRORS {
        at_every_call_of(process, before, Fault::Once(kind), is_done, |root, _, _, at| {
            process(root, Arc::new(Unsynced)).unwrap();
            // A checkpoint that could not be read once goes with the others of a finished cell; a run is never removed.
            assert_set_aside(root, &present.borrow()[..1], &(at, kind));
        });
    }
}

#[test]
fn only_temporary_files_of_other_days_are_removed() {
    let (_folder, root) = root();
    process(&root, Arc::new(Unsynced)).unwrap();
    let runs = root.join("a/out/runs");
    let day = ABANDONED.as_secs();
    let far = 40 * 365 * day;
    let now = SystemTime::now();
    let put = |name: &str, time: SystemTime| {
        let file = fs::File::create(runs.join(name)).unwrap();
        file.set_modified(time).unwrap();
    };
    let (old, new) = (Duration::from_secs(day + 60), Duration::from_secs(day - 60));
    put(".tucrl-old", now - old);
    // The clock jumped back after it was written.
    put(".tucrl-ahead", now + old);
    put(".tucrl-1970", UNIX_EPOCH);
    put(".tucrl-far", now + Duration::from_secs(far));
    put(".tucrl-new", now - new);
    put(".tucrl-soon", now + new);
    put("notes.txt", now - old);
    assert_recovers(&root, &"clock");
    let mut left: Vec<String> = fs::read_dir(&runs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".run"))
        .collect();
    left.sort();
    assert_eq!(left, [".tucrl-new", ".tucrl-soon", "notes.txt"]);
}
