//! Which calls of the file system bring files to the disk, and what if one fails for a moment?
//!
//! [`Disk`] has every call by which the store writes and reads, so that a test can let each of them fail, or lose what a
//! loss of power would. The provided methods are those of the system.
//!
//! On a network file system another machine may have replaced a file or a folder that is still known here; the system then
//! says `ESTALE`, and the same call with the name looked up anew succeeds. [`patiently`] repeats such calls.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::IfExists;
use super::save::new_file;

/// How often a call is made before a stale name is an error.
pub(super) const ATTEMPTS: usize = 4;

/// The calls of the file system that a store makes.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates a folder in one that exists.
    ///
    /// # Errors
    /// When the system refuses, or it exists.
    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)
    }

    /// Creates a temporary file.
    ///
    /// # Errors
    /// When the system refuses.
    fn create(&self, folder: &Path) -> io::Result<NamedTempFile> {
        new_file().tempfile_in(folder)
    }

    /// Writes some of the bytes; returns how many.
    ///
    /// # Errors
    /// When the system refuses.
    fn write(&self, file: &mut NamedTempFile, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Brings the content of a file to the disk.
    ///
    /// # Errors
    /// When the system refuses.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Gives a temporary file its name.
    ///
    /// # Errors
    /// When the system refuses, or the name exists and may not be replaced.
    fn rename(&self, file: NamedTempFile, to: &Path, if_exists: IfExists) -> io::Result<()> {
        let renamed = match if_exists {
            IfExists::Refuse => file.persist_noclobber(to),
            IfExists::Replace => file.persist(to),
        };
        renamed.map(drop).map_err(|error| error.error)
    }

    /// Brings the names in a folder to the disk.
    ///
    /// # Errors
    /// When the system refuses, or cannot sync folders.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    /// Gives a file or a folder another name in its folder.
    ///
    /// # Errors
    /// When the system refuses.
    fn move_aside(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// When the system refuses.
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the system refuses.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    /// The names in a folder.
    ///
    /// # Errors
    /// When the system refuses. A listing that breaks off is an error too: what is missing in it would be taken for absent.
    fn list(&self, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
        let named =
            |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
        fs::read_dir(folder)?.map(|entry| entry.map(named)).collect()
    }

    /// What stands under a name.
    ///
    /// # Errors
    /// When the system refuses, or there is nothing.
    fn look(&self, path: &Path) -> io::Result<Metadata> {
        fs::metadata(path)
    }
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy)]
pub struct System;

impl Disk for System {}

/// Repeats a call while its name is stale.
///
/// # Errors
/// Those of the call.
pub fn patiently<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..ATTEMPTS {
        match call() {
            Err(error) if error.kind() == ErrorKind::StaleNetworkFileHandle => {}
            answer => return answer,
        }
    }
    call()
}

/// None where there is nothing under the name.
///
/// # Errors
/// Those of the call.
pub fn if_present<T>(answer: io::Result<T>) -> io::Result<Option<T>> {
    match answer {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(None)
        }
        answer => answer.map(Some),
    }
}

/// Creates a folder and those above it, and brings their names to the disk: else a loss of power could take the folder
/// with all that was stored in it.
///
/// # Errors
/// When the system refuses, or something else has the name.
pub fn create_folders(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    // The current folder, or a root.
    if folder.as_os_str().is_empty() || folder.parent().is_none() {
        return Ok(());
    }
    match if_present(patiently(|| disk.look(folder)))? {
        Some(found) if found.is_dir() => return Ok(()),
        Some(_) => return Err(ErrorKind::AlreadyExists.into()),
        None => {}
    }
    let above = folder.parent().unwrap_or(folder);
    create_folders(disk, above)?;
    match patiently(|| disk.create_folder(folder)) {
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => created?,
    }
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    // Not every system can sync a folder.
    let _ = disk.sync_folder(above);
    Ok(())
}
