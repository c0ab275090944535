//! How do the results of several machines come into one directory?
//!
//! All directories are of the same experiment. First every file is read and its seal checked; only then anything is
//! written. The same cell with the same body is kept once. Two finished runs of one cell with different bodies are a conflict, and
//! nothing is written: they were made by different versions, or one is wrong. A finished run wins over one that failed.
//! Checkpoints are taken along where their cell is not finished.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{IfResults, Store, StoreError, envelope};
use crate::catalogue::Catalogue;
use crate::formats::FormatError;
use crate::formats::disk::{Disk, System, create_folders, patiently};
use crate::formats::save::replace_on;

/// What came together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    /// Runs in the directory now, finished or failed.
    pub runs: usize,
    /// Those that were not there before, or had failed.
    pub added: usize,
    /// Files of runs that said the same as another.
    pub duplicates: usize,
    /// Checkpoints that were added.
    pub checkpoints: usize,
    /// Imported curves that were added.
    pub imports: usize,
}

/// A sealed file.
#[derive(Debug, Clone)]
struct Found {
    path: PathBuf,
    /// The hash of its body.
    body: String,
    is_failed: bool,
}

/// Puts the results of some directories together in another one, which may have results already.
///
/// # Errors
/// When a directory is of another experiment, a file is damaged, two results contradict each other, or writing fails.
/// Nothing is written before all is checked.
pub fn merge(
    sources: &[PathBuf],
    into: &Path,
    catalogue: &Catalogue,
) -> Result<Merged, StoreError> {
    merge_on(&(Arc::new(System) as Arc<dyn Disk>), sources, into, catalogue)
}

/// The same on any disk.
pub(super) fn merge_on(
    disk: &Arc<dyn Disk>,
    sources: &[PathBuf],
    into: &Path,
    catalogue: &Catalogue,
) -> Result<Merged, StoreError> {
    let at = |directory: &Path| Store { disk: Arc::clone(disk), ..Store::at(directory) };
    let Some(first) = sources.first() else {
        return Err(StoreError::NoExperiment { path: into.into() });
    };
    let (_, experiment) = at(first).opened(catalogue)?;
    let mut stores = Vec::new();
    // What is there already comes first: it is not replaced by what says the same.
    if at(into).is_there(&into.join(super::EXPERIMENT_FILE))? {
        stores.push(at(into).opened(catalogue)?);
    }
    for source in sources {
        stores.push(at(source).opened(catalogue)?);
    }
    for (store, other) in &stores {
        if let Some((key, stored, asked)) = other.difference(&experiment) {
            let path = store.directory.clone();
            return Err(StoreError::OtherExperiment { path, key, stored, asked });
        }
        if let Some(path) = store.foreign_run(&experiment)? {
            return Err(StoreError::Stranger { path });
        }
    }
    let mut merged = Merged::default();
    let mut runs: BTreeMap<String, Found> = BTreeMap::new();
    let mut states: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut imports: BTreeMap<String, Found> = BTreeMap::new();
    for (store, _) in &stores {
        let by_cell = store.states_by_cell()?;
        for cell in experiment.cells() {
            let stem = cell.id.stem();
            if let Some((header, run)) = store.run(&cell.id)? {
                let path = store.run_file(&cell.id);
                let found = Found { path, body: header.blake3, is_failed: run.error.is_some() };
                merged.duplicates += usize::from(keep(&mut runs, stem.clone(), found)?);
            }
            for path in by_cell.get(&stem).into_iter().flatten() {
                envelope::open(&*store.disk, path)?;
                states.entry(stem.clone()).or_default().push(path.clone());
            }
        }
        for (path, read) in store.imports()? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let found = Found { path, body: read?.0.blake3, is_failed: false };
            keep(&mut imports, name, found)?;
        }
    }
    let target = at(into).created(&experiment, catalogue, IfResults::Resume)?;
    merged.runs = runs.len();
    for (stem, found) in &runs {
        let name = format!("{stem}.run");
        merged.added += usize::from(target.take(&found.path, &target.runs, &name)?);
    }
    for (stem, files) in &states {
        if runs.get(stem).is_some_and(|run| !run.is_failed) {
            continue;
        }
        for path in files {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            merged.checkpoints += usize::from(target.take(path, &target.runs, &name)?);
        }
    }
    for (name, found) in &imports {
        let folder = target.directory.join(super::import::IMPORTED);
        merged.imports += usize::from(target.take(&found.path, &folder, name)?);
    }
    Ok(merged)
}

/// Keeps one file of a name; true if another said the same.
fn keep(all: &mut BTreeMap<String, Found>, name: String, found: Found) -> Result<bool, StoreError> {
    let Some(earlier) = all.get_mut(&name) else {
        all.insert(name, found);
        return Ok(false);
    };
    if earlier.body == found.body || found.is_failed {
        // Where both failed, the messages may name different machines.
        return Ok(earlier.body == found.body);
    }
    if earlier.is_failed {
        *earlier = found;
        return Ok(false);
    }
    Err(StoreError::Conflict { first: earlier.path.clone(), second: found.path })
}

impl Store {
    /// Copies a file under a name, unless it is there with the same bytes or comes from there.
    fn take(&self, from: &Path, folder: &Path, name: &str) -> Result<bool, StoreError> {
        let to = folder.join(name);
        if from == to {
            return Ok(false);
        }
        let disk = &*self.disk;
        let bytes =
            patiently(|| disk.read(from)).map_err(|source| FormatError::io(from, source))?;
        if disk.read(&to).is_ok_and(|there| there == bytes) {
            return Ok(false);
        }
        create_folders(disk, folder).map_err(|source| FormatError::io(folder, source))?;
        replace_on(disk, &to, &bytes)?;
        Ok(true)
    }
}
