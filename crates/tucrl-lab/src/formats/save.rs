//! How is a file replaced atomically?
//!
//! The content goes to a temporary file in the same folder, is synced, and takes its name by an atomic rename. When
//! anything fails before that, the temporary file is removed and the old file is untouched. Without permission to
//! replace, the rename itself refuses, so that two writers cannot both succeed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{FormatError, IfExists};

/// Prefix of temporary files.
pub const TEMPORARY: &str = ".tucrl-";

/// Writes `path` as a whole or not at all.
pub fn atomically(
    path: &Path,
    if_exists: IfExists,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    let failed = |source| FormatError::io(path, plain(source));
    // Follow a link, so that its target is replaced and not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = fs::metadata(&target).ok();
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
    let temporary = new_file().tempfile_in(&folder).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 16, temporary);
    content(&mut out).and_then(|()| out.flush()).map_err(failed)?;
    let temporary = out.into_inner().map_err(|error| failed(error.into_error()))?;
    if let Some(existing) = existing {
        temporary.as_file().set_permissions(existing.permissions()).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    match if_exists {
        IfExists::Refuse => temporary.persist_noclobber(&target),
        IfExists::Replace => temporary.persist(&target),
    }
    .map_err(|error| failed(error.error))?;
    // The rename reaches the disk with the folder; not every system can sync a folder, and the file is
    // complete either way.
    let _ = File::open(&folder).and_then(|folder| folder.sync_all());
    Ok(())
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

#[cfg(not(unix))]
pub fn new_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

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
