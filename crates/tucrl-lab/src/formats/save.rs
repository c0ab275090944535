//! How is a file replaced atomically?
//!
//! The content goes to a temporary file in the same folder, is synced, and takes its name by an atomic rename. When
//! anything fails before that, the temporary file is removed and the old file is untouched. Without permission to
//! replace, the rename itself refuses, so that two writers cannot both succeed.
//!
//! The order is what survives a loss of power: all bytes are synced before the rename, else the name could lead to an
//! empty file; the folder is synced after it, else the name could be lost.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::disk::{ATTEMPTS, Disk, System, if_present, patiently};
use super::{FormatError, IfExists};

/// Prefix of temporary files.
pub const TEMPORARY: &str = ".tucrl-";

/// Writes `path` as a whole or not at all.
pub fn atomically(
    path: &Path,
    if_exists: IfExists,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    atomically_on(&System, path, if_exists, content)
}

/// The same, on a given disk.
pub fn atomically_on(
    disk: &dyn Disk,
    path: &Path,
    if_exists: IfExists,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    let failed = |source| FormatError::io(path, plain(source));
    // Follow a link, so that its target is replaced and not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = if_present(patiently(|| disk.look(&target))).map_err(failed)?;
    if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(FormatError::IsFolder { path: path.into() });
    }
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        // Write directly to a device or pipe: a rename would replace it by a file.
        let mut out = BufWriter::new(File::options().write(true).open(&target).map_err(failed)?);
        return content(&mut out).and_then(|()| out.flush()).map_err(failed);
    }
    if existing.is_some() && if_exists == IfExists::Refuse {
        return Err(FormatError::AlreadyExists { path: path.into() });
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    if !folder.is_dir() {
        return Err(FormatError::NoFolder { path: path.into(), folder });
    }
    let mut temporary = disk.create(&folder).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 16, Through { disk, file: &mut temporary });
    content(&mut out).and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    if let Some(existing) = existing {
        temporary.as_file().set_permissions(existing.permissions()).map_err(failed)?;
    }
    disk.sync(temporary.as_file()).map_err(failed)?;
    disk.rename(temporary, &target, if_exists).map_err(failed)?;
    // Not every system can sync a folder, and the file is complete either way.
    let _ = disk.sync_folder(&folder);
    Ok(())
}

/// Replaces `path` by these bytes. The write is begun anew where the temporary file is lost on the way, as on a network
/// file system, or when another process whose clock is wrong takes it for abandoned.
pub fn replace_on(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
    let write = || atomically_on(disk, path, IfExists::Replace, |out| out.write_all(bytes));
    for _ in 1..ATTEMPTS {
        match write() {
            Err(FormatError::NotFound { .. }) => {}
            Err(FormatError::Io { source, .. })
                if source.kind() == io::ErrorKind::StaleNetworkFileHandle => {}
            answer => return answer,
        }
    }
    write()
}

/// Writes to a temporary file through a disk.
struct Through<'a> {
    disk: &'a dyn Disk,
    file: &'a mut NamedTempFile,
}

impl Write for Through<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write(self.file, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The system's message, without the name of the temporary file.
fn plain(error: io::Error) -> io::Error {
    match error.kind() {
        // `tempfile` wraps the error: only the kind is available separately.
        kind if error.get_ref().is_some() && kind != io::ErrorKind::Other => kind.into(),
        _ => error,
    }
}

/// Temporary files are private by default; set the permissions of a regular new file.
#[cfg(unix)]
pub fn new_file() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).permissions(fs::Permissions::from_mode(0o666));
    builder
}

/// Temporary files with the permissions that the system gives.
#[cfg(not(unix))]
pub fn new_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    builder
}

#[cfg(test)]
pub(crate) mod recorded {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What was done to the disk.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) enum Step {
        /// A file that had this content was synced.
        Sync(Vec<u8>),
        /// A file got this name.
        Rename(PathBuf),
        /// A folder in which these files had these contents was synced.
        SyncFolder(PathBuf, Vec<(PathBuf, Vec<u8>)>),
    }

    /// Does what the system does, and writes it down.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct Recorder(Arc<Mutex<Vec<Step>>>);

    impl Recorder {
        pub(crate) fn steps(&self) -> Vec<Step> {
            std::mem::take(&mut *self.0.lock().unwrap())
        }

        /// The path of the only file that was written, if the steps were the right ones in the right order.
        pub(crate) fn only_file(&self) -> PathBuf {
            self.file_after([])
        }

        /// The same where some folders were synced before, with nothing in them.
        pub(crate) fn file_after<const N: usize>(&self, folders: [&Path; N]) -> PathBuf {
            let steps = self.steps();
            let (before, steps) = steps.split_at_checked(N).expect("more steps");
            for (step, folder) in before.iter().zip(folders) {
                assert!(
                    matches!(step, Step::SyncFolder(path, files) if path == folder && files.is_empty())
                );
            }
            let [Step::Sync(content), Step::Rename(path), Step::SyncFolder(folder, files)] = steps
            else {
                panic!("{steps:?}");
            };
            assert_eq!(path.parent(), Some(folder.as_path()));
            assert_eq!(*content, fs::read(path).unwrap(), "all bytes were written before the sync");
            let found = files.iter().find(|(name, _)| name == path).unwrap();
            assert_eq!(found.1, *content, "the name was there before the folder was synced");
            path.clone()
        }

        fn add(&self, step: Step) {
            self.0.lock().unwrap().push(step);
        }
    }

    impl Disk for Recorder {
        fn sync(&self, file: &File) -> io::Result<()> {
            use std::io::{Read, Seek, SeekFrom};
            let mut file = file.try_clone()?;
            // A clone shares the place in the file.
            let (place, mut content) = (file.stream_position()?, Vec::new());
            file.seek(SeekFrom::Start(0))?;
            file.read_to_end(&mut content)?;
            file.seek(SeekFrom::Start(place))?;
            self.add(Step::Sync(content));
            System.sync(&file)
        }

        fn rename(&self, file: NamedTempFile, to: &Path, if_exists: IfExists) -> io::Result<()> {
            self.add(Step::Rename(to.into()));
            System.rename(file, to, if_exists)
        }

        fn sync_folder(&self, folder: &Path) -> io::Result<()> {
            let paths = fs::read_dir(folder)?.map(|entry| entry.unwrap().path());
            let files = paths.filter(|path| path.is_file());
            let files = files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
            self.add(Step::SyncFolder(folder.into(), files));
            System.sync_folder(folder)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::recorded::Recorder;
    use super::*;

    #[test]
    fn a_file_is_synced_then_renamed_and_then_its_folder_is_synced() {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap().join("m.json");
        let disk = Recorder::default();
        // The second time the file exists; the third is larger than any buffer.
        for (if_exists, size) in
            [(IfExists::Refuse, 5), (IfExists::Replace, 7), (IfExists::Replace, 1 << 20)]
        {
            atomically_on(&disk, &path, if_exists, |out| out.write_all(&vec![b'x'; size])).unwrap();
            assert_eq!(disk.only_file(), path);
            assert_eq!(fs::metadata(&path).unwrap().len(), size as u64);
        }
        let refused = atomically_on(&disk, &path, IfExists::Refuse, |out| out.write_all(b"x"));
        assert!(matches!(refused, Err(FormatError::AlreadyExists { .. })));
        assert_eq!(disk.steps(), []);
    }

    #[test]
    fn what_could_not_be_synced_is_not_renamed() {
        #[derive(Debug)]
        struct Full;
        impl Disk for Full {
            fn sync(&self, _: &File) -> io::Result<()> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn rename(&self, _: NamedTempFile, _: &Path, _: IfExists) -> io::Result<()> {
                panic!("renamed");
            }
            fn sync_folder(&self, _: &Path) -> io::Result<()> {
                panic!("synced");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        fs::write(&path, "precious").unwrap();
        let failed = atomically_on(&Full, &path, IfExists::Replace, |out| out.write_all(b"new"));
        assert!(matches!(failed, Err(FormatError::Io { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Linux cannot sync a device without storage, nor a folder of /proc, and says so only to who asks it.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_is_really_asked_to_sync() {
        let null = File::options().write(true).open("/dev/null").unwrap();
        assert_eq!(System.sync(&null).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        let failed = System.sync_folder(Path::new("/proc/self")).unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::InvalidInput);
        assert!(System.sync_folder(Path::new("/tmp")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_written_to_and_never_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        // A socket cannot be opened like a file: an error, not a file in its place.
        assert!(atomically(&path, IfExists::Replace, |out| out.write_all(b"x")).is_err());
        assert!(fs::metadata(&path).unwrap().file_type().is_socket());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let null = Path::new("/dev/null");
        atomically(null, IfExists::Refuse, |out| out.write_all(b"x")).unwrap();
    }

    #[test]
    fn a_write_that_fails_half_way_keeps_the_old_file_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        for if_exists in [IfExists::Refuse, IfExists::Replace] {
            let half = atomically(&path, if_exists, |out| {
                out.write_all(&[b'x'; 1 << 20])?;
                Err(io::Error::other("the disk is full"))
            });
            let path = path.display();
            assert_eq!(half.unwrap_err().to_string(), format!("{path}: the disk is full"));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(&path, "precious").unwrap();
        let half = atomically(&path, IfExists::Replace, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(matches!(half, Err(FormatError::Io { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        let lost = atomically(&path, IfExists::Refuse, |_| fs::write(&path, "precious"));
        assert!(matches!(lost, Err(FormatError::AlreadyExists { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
