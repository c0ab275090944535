//! How does a finished run travel from the machine that made it to the one that keeps it?
//!
//! As the bytes of its file: the seal is checked where it arrives, and so are its cell and the program that made it.

use std::path::PathBuf;

use super::{Header, Kind, Store, StoreError, envelope, foreign};
use crate::experiment::CellId;
use crate::formats::save::replace_on;
use crate::record::{Provenance, StoredRun};

/// A file that is not on a disk, by the name that it will have.
fn name(cell: &CellId) -> PathBuf {
    format!("{}.run", cell.stem()).into()
}

/// A finished run as the bytes of its file.
///
/// # Errors
/// When it does not fit into JSON.
pub fn seal(
    cell: &CellId,
    run: &StoredRun,
    provenance: &Provenance,
) -> Result<Vec<u8>, StoreError> {
    let path = name(cell);
    let body = envelope::body_of(&path, run)?;
    envelope::sealed(&path, Kind::Run, &body, provenance).map(String::into_bytes)
}

/// The run of a cell, as it was sealed by this version of the program on another machine.
///
/// # Errors
/// When the bytes are damaged or belong to another cell, or another version made them.
pub fn unseal(cell: &CellId, bytes: &[u8]) -> Result<(Header, StoredRun), StoreError> {
    let path = name(cell);
    let (header, body) = envelope::parse(&path, bytes)?;
    let (made_by, own) = (header.provenance.version.clone(), env!("CARGO_PKG_VERSION"));
    if made_by != own || header.version != envelope::VERSION {
        let (found, own) = (format!("{made_by} ({})", header.version), own.into());
        return Err(StoreError::OtherProgram { path, found, own });
    }
    let run = envelope::run_of(&path, &header, &body)?;
    match foreign(&run, cell) {
        Some(damage) => Err(StoreError::Damaged { path, damage }),
        None => Ok((header, run)),
    }
}

impl Store {
    /// Keeps a run that another machine sealed.
    ///
    /// # Errors
    /// As [`unseal`]; when another result of the cell is there that differs; or when writing fails.
    pub fn accept(&self, cell: &CellId, bytes: &[u8]) -> Result<StoredRun, StoreError> {
        let (header, run) = unseal(cell, bytes)?;
        let path = self.run_file(cell);
        if let Ok(Some((known, earlier))) = self.run(cell)
            && earlier.error.is_none()
        {
            return match known.blake3 == header.blake3 {
                true => Ok(run),
                false if run.error.is_some() => Ok(earlier),
                false => Err(StoreError::Conflict { first: path, second: name(cell) }),
            };
        }
        replace_on(&*self.disk, &path, bytes)?;
        self.remove_states(cell)?;
        Ok(run)
    }
}
