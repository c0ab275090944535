//! Where is the content of a model file that came from another machine?
//!
//! An experiment names its model files by path, and the names of its runs contain these paths. On another machine the
//! contents lie elsewhere; the paths stay what they are.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// From the paths of model files to where they lie.
pub type Places = BTreeMap<PathBuf, PathBuf>;

thread_local! {
    static PLACES: RefCell<Vec<Places>> = const { RefCell::new(Vec::new()) };
}

/// Does work, on this thread, that finds the content of some files elsewhere.
pub fn with_places<T>(places: &Places, work: impl FnOnce() -> T) -> T {
    /// Also after a panic.
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            PLACES.with(|all| drop(all.borrow_mut().pop()));
        }
    }
    PLACES.with(|all| all.borrow_mut().push(places.clone()));
    let _back = Back;
    work()
}

/// Where the content of a file is.
pub(crate) fn place(path: &Path) -> PathBuf {
    let found = PLACES.with(|all| all.borrow().last().and_then(|places| places.get(path).cloned()));
    found.unwrap_or_else(|| path.into())
}
