//! Are the results the same, whichever call of the file system fails, and whatever a loss of power leaves?
//!
//! A small experiment with checkpoints is run in a directory. Every call that it makes fails in turn, and the work is
//! resumed on a sound disk: the bodies of its runs are, byte for byte, those of a run that nothing disturbed.

use std::io::ErrorKind;
use std::sync::{LazyLock, Mutex};
use std::time::SystemTime;

use tucrl::rng::RandomStream;

use super::faulty::{Fault, Faulty, Late, Stale, Stolen, Survives, Unsynced};
use super::*;
use crate::execute::{Note, Options, Summary};
use crate::experiment::PreparedWorld;

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

/// What one process does, with as many checkpoints as there can be; the notes of both its parts.
fn process(root: &Path, disk: Arc<dyn Disk>) -> Result<Summary, StoreError> {
    let small = &*SMALL;
    let options = Options { checkpoint_every: Duration::ZERO, retry_failed: false };
    let store = Store { disk, ..Store::at(&root.join("a/out")) };
    let store = store.created(&small.experiment, &Catalogue::default(), IfResults::Resume)?;
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

/// Lets every call fail in turn; `after` sees the disk and what the process said. Returns the number of calls.
fn at_every_call(
    fault: Fault,
    mut after: impl FnMut(&Path, &Faulty, Result<Summary, StoreError>, usize),
) -> usize {
    for at in 0.. {
        let (_folder, root) = root();
        let disk = Arc::new(Faulty::new(&root, Some((at, fault))));
        let said = process(&root, Arc::clone(&disk) as Arc<dyn Disk>);
        if !disk.happened() {
            assert_eq!(said.unwrap().done, 2);
            return at;
        }
        after(&root, &disk, said, at);
    }
    unreachable!()
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
    let survivals = [Survives::Nothing, Survives::All, Survives::Some(1), Survives::Some(2)];
    let calls = survivals.map(|survives| {
        at_every_call(Fault::Crash, |root, disk, said, at| {
            assert!(said.is_err(), "call {at}");
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
    for kind in [
        ErrorKind::StorageFull,
        ErrorKind::Other,
        ErrorKind::PermissionDenied,
        ErrorKind::NotFound,
        ErrorKind::TimedOut,
    ] {
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
    // Not for ever.
    let (_folder, root) = super::crashes::root();
    let disk = Arc::new(Stolen { every: usize::MAX, count: Mutex::new(0) });
    assert!(matches!(process(&root, disk).unwrap_err(), StoreError::File(_)));
    assert_recovers(&root, &"stolen always");
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
