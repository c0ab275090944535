//! Disks on which a call fails, or after which only what was synced is left.
//!
//! [`Faulty`] does what the system does and knows beside it what would be left if the power failed now. A file keeps what it
//! held when it was synced; a name, a new folder, a removal and a move are sure once their folder was synced, and
//! until then each of them may survive or not, alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use tempfile::NamedTempFile;
use tucrl::rng::RandomStream;

use crate::formats::IfExists;
use crate::formats::disk::{Disk, System};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fault {
    /// The power fails: nothing works from here on.
    Crash,
    /// The call fails, once.
    Once(ErrorKind),
    /// This call and all later ones that need room fail; a write has written half of its bytes.
    Full,
}

/// What survives of that which was not synced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Survives {
    /// Nothing.
    Nothing,
    /// All of it; the last write is torn.
    All,
    /// Any of it, by this seed.
    Some(u64),
}

/// A change of names that is not yet on the disk for sure.
#[derive(Debug, Clone)]
enum Change {
    Folder(PathBuf),
    /// A file with what it surely holds, and with what it may hold.
    Named(PathBuf, [Vec<u8>; 2]),
    Gone(PathBuf),
    /// A file from one name to another in its folder, at once.
    Moved([PathBuf; 2]),
}

/// Does a change of names to files on the disk.
fn apply(
    change: Change,
    folders: &mut BTreeSet<PathBuf>,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
    is_sure: bool,
) {
    match change {
        Change::Folder(path) => drop(folders.insert(path)),
        Change::Named(path, [sure, maybe]) => {
            drop(files.insert(path, if is_sure { sure } else { maybe }));
        }
        Change::Gone(path) => drop(files.remove(&path)),
        Change::Moved([from, to]) => {
            if let Some(bytes) = files.remove(&from) {
                files.insert(to, bytes);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Inner {
    calls: usize,
    fault: Option<(usize, Fault)>,
    /// Whether the fault has happened.
    happened: bool,
    /// The name of every call.
    log: Vec<&'static str>,
    folders: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// By the folder that has to be synced.
    pending: Vec<(PathBuf, Change)>,
    /// What files held when they were synced, by their number on the disk.
    synced: BTreeMap<u64, Vec<u8>>,
}

/// A disk on which one call may fail.
#[derive(Debug)]
pub(super) struct Faulty {
    inner: Mutex<Inner>,
}

fn content(file: &File) -> Vec<u8> {
    let mut file = file.try_clone().unwrap();
    // A clone shares the place in the file.
    let (place, mut bytes) = (file.stream_position().unwrap(), Vec::new());
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    file.seek(SeekFrom::Start(place)).unwrap();
    bytes
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap().into()
}

/// All folders and files below a folder.
fn walk(folder: &Path, inner: &mut Inner) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, inner);
            inner.folders.insert(path);
        } else {
            inner.files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

impl Faulty {
    /// The disk as it is, on which a call may fail.
    pub(super) fn new(root: &Path, fault: Option<(usize, Fault)>) -> Self {
        let mut inner = Inner { fault, ..Inner::default() };
        walk(root, &mut inner);
        Self { inner: Mutex::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// Whether the fault has happened.
    pub(super) fn happened(&self) -> bool {
        self.lock().happened
    }

    /// The names of all calls.
    pub(super) fn log(&self) -> Vec<&'static str> {
        self.lock().log.clone()
    }

    /// Counts a call; the error if it fails.
    fn call(&self, name: &'static str, needs_room: bool) -> io::Result<()> {
        let mut inner = self.lock();
        inner.log.push(name);
        let (now, fault) = (inner.calls, inner.fault);
        inner.calls += 1;
        match fault {
            Some((at, Fault::Crash)) if now >= at => {
                inner.happened = true;
                Err(io::Error::other("the power failed"))
            }
            Some((at, Fault::Once(kind))) if now == at => {
                inner.happened = true;
                Err(kind.into())
            }
            Some((at, Fault::Full)) if now >= at && needs_room => {
                inner.happened = true;
                Err(ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }

    /// Leaves of everything below the root what the loss of power leaves.
    pub(super) fn lose_power(&self, root: &Path, survives: Survives) {
        let inner = self.lock();
        let (mut folders, mut files) = (inner.folders.clone(), inner.files.clone());
        let mut random = match survives {
            Survives::Some(seed) => Some(RandomStream::new(seed)),
            _ => None,
        };
        let mut keeps = || match (&mut random, survives) {
            (Some(random), _) => random.chance(0.5),
            (None, Survives::All) => true,
            (None, _) => false,
        };
        for (_, change) in &inner.pending {
            if !keeps() {
                continue;
            }
            let is_sure = !(matches!(change, Change::Named(..)) && keeps());
            apply(change.clone(), &mut folders, &mut files, is_sure);
        }
        if root.exists() {
            fs::remove_dir_all(root).unwrap();
        }
        fs::create_dir(root).unwrap();
        // Shorter paths first: a folder that is lost takes all below it.
        let mut folders: Vec<PathBuf> = folders.into_iter().collect();
        folders.sort_by_key(|path| path.as_os_str().len());
        for folder in folders {
            let _ = fs::create_dir(folder);
        }
        for (path, bytes) in files {
            if folder_of(&path).is_dir() {
                fs::write(path, bytes).unwrap();
            }
        }
    }

    /// Whether the file is on the disk for sure, and all folders above it up to the root.
    fn is_sure(&self, path: &Path, root: &Path) -> bool {
        let inner = self.lock();
        let above = path.ancestors().skip(1).take_while(|folder| *folder != root);
        inner.files.contains_key(path) && above.into_iter().all(|f| inner.folders.contains(f))
    }

    fn change(&self, folder: &Path, change: Change) {
        self.lock().pending.push((folder.into(), change));
    }
}

impl Disk for Faulty {
    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        self.call("create_folder", true)?;
        System.create_folder(folder)?;
        self.change(&folder_of(folder), Change::Folder(folder.into()));
        Ok(())
    }

    fn create(&self, folder: &Path) -> io::Result<NamedTempFile> {
        self.call("create", true)?;
        let file = System.create(folder)?;
        self.change(folder, Change::Named(file.path().into(), Default::default()));
        Ok(file)
    }

    fn write(&self, file: &mut NamedTempFile, bytes: &[u8]) -> io::Result<usize> {
        let refused = self.call("write", true);
        // What fails has written a part, and what succeeds need not have written all.
        let is_whole = refused.is_ok() && bytes.len() < 1000;
        let part = if is_whole { bytes } else { &bytes[..bytes.len().div_ceil(2)] };
        let written = System.write(file, part)?;
        let held = content(file.as_file());
        for (_, change) in &mut self.lock().pending {
            if let Change::Named(path, [_, maybe]) = change
                && path == file.path()
            {
                maybe.clone_from(&held);
            }
        }
        refused.map(|()| written)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.call("sync", true)?;
        let number = file.metadata().unwrap().ino();
        self.lock().synced.insert(number, content(file));
        Ok(())
    }

    fn rename(&self, file: NamedTempFile, to: &Path, if_exists: IfExists) -> io::Result<()> {
        self.call("rename", false)?;
        let number = file.as_file().metadata().unwrap().ino();
        let maybe = content(file.as_file());
        let (from, folder) = (file.path().to_path_buf(), folder_of(to));
        System.rename(file, to, if_exists)?;
        let sure = self.lock().synced.get(&number).cloned().unwrap_or_default();
        self.lock()
            .pending
            .retain(|(_, change)| !matches!(change, Change::Named(path, _) if *path == from));
        self.change(&folder, Change::Named(to.into(), [sure, maybe]));
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.call("sync_folder", false)?;
        let mut inner = self.lock();
        let pending = std::mem::take(&mut inner.pending);
        for (of, change) in pending {
            if of != folder {
                inner.pending.push((of, change));
                continue;
            }
            let Inner { folders, files, .. } = &mut *inner;
            apply(change, folders, files, true);
        }
        Ok(())
    }

    fn move_aside(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call("move_aside", false)?;
        System.move_aside(from, to)?;
        self.change(&folder_of(to), Change::Moved([from.into(), to.into()]));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call("remove", false)?;
        // A checkpoint goes only when the run that it led to is on the disk for sure, unless its folder could not be synced.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some((stem, _)) = name.strip_suffix(".state").and_then(|name| name.rsplit_once('.'))
        {
            let run = path.with_file_name(format!("{stem}.run"));
            // Above `runs`, `out` and `a`.
            let root = path.ancestors().nth(4).unwrap();
            let is_sure = self.happened() || self.is_sure(&run, root);
            assert!(is_sure, "{name} was removed too early");
        }
        System.remove(path)?;
        self.change(&folder_of(path), Change::Gone(path.into()));
        Ok(())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.call("read", false)?;
        System.read(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
        self.call("list", false)?;
        System.list(folder)
    }

    fn look(&self, path: &Path) -> io::Result<Metadata> {
        self.call("look", false)?;
        System.look(path)
    }
}

/// The disk of this machine without its syncs, which take long: what is tested here does not depend on them.
#[derive(Debug)]
pub(super) struct Unsynced;

impl Disk for Unsynced {
    fn sync(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

/// A network disk of one machine: a new name is seen some calls later, and until then there is nothing under it.
#[derive(Debug, Default)]
pub(super) struct Late {
    /// Files that wait for their name, with the number of calls that are left.
    waiting: Mutex<Vec<(NamedTempFile, PathBuf, usize)>>,
}

impl Late {
    /// Every call brings the names a step nearer.
    fn pass(&self, calls: usize) {
        let mut waiting = self.waiting.lock().unwrap();
        let due = |left: usize| left <= calls;
        while let Some(place) = waiting.iter().position(|(_, _, left)| due(*left)) {
            let (file, to, _) = waiting.remove(place);
            file.persist(to).unwrap();
        }
        waiting.iter_mut().for_each(|(_, _, left)| *left -= calls);
    }

    /// All names are there.
    pub(super) fn arrive(&self) {
        self.pass(usize::MAX);
    }
}

impl Disk for Late {
    fn sync(&self, file: &File) -> io::Result<()> {
        Unsynced.sync(file)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        Unsynced.sync_folder(folder)
    }

    fn rename(&self, file: NamedTempFile, to: &Path, _: IfExists) -> io::Result<()> {
        self.pass(1);
        // Not atomic: the old file goes before the new one comes.
        let _ = fs::remove_file(to);
        self.waiting.lock().unwrap().push((file, to.into(), 7));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.pass(1);
        System.remove(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.pass(1);
        System.read(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
        self.pass(1);
        System.list(folder)
    }

    fn create(&self, folder: &Path) -> io::Result<NamedTempFile> {
        self.pass(1);
        System.create(folder)
    }
}

/// Another process takes temporary files for abandoned, again and again.
#[derive(Debug)]
pub(super) struct Stolen {
    /// One in this number of files gets its name.
    pub(super) every: usize,
    pub(super) count: Mutex<usize>,
}

impl Disk for Stolen {
    fn sync(&self, file: &File) -> io::Result<()> {
        Unsynced.sync(file)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        Unsynced.sync_folder(folder)
    }

    fn rename(&self, file: NamedTempFile, to: &Path, if_exists: IfExists) -> io::Result<()> {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        if !(*count).is_multiple_of(self.every) {
            fs::remove_file(file.path()).unwrap();
        }
        System.rename(file, to, if_exists)
    }
}

/// Every call fails once with a stale name before it succeeds.
#[derive(Debug, Default)]
pub(super) struct Stale {
    is_stale: Mutex<bool>,
}

impl Stale {
    fn turn(&self) -> io::Result<()> {
        let mut is_stale = self.is_stale.lock().unwrap();
        *is_stale = !*is_stale;
        if *is_stale { Err(ErrorKind::StaleNetworkFileHandle.into()) } else { Ok(()) }
    }
}

impl Disk for Stale {
    fn sync(&self, file: &File) -> io::Result<()> {
        Unsynced.sync(file)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        Unsynced.sync_folder(folder)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.turn()?;
        System.read(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
        self.turn()?;
        System.list(folder)
    }

    fn look(&self, path: &Path) -> io::Result<Metadata> {
        self.turn()?;
        System.look(path)
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        self.turn()?;
        System.create_folder(folder)
    }
}
