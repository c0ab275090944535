//! What must hold for any input? One function per fuzz target.
//!
//! Nothing may panic, hang or take memory without bound. Beyond that: a model that was read is written and read back the same, an
//! error is short and printable, and certified gains hold in exact arithmetic.

mod certificates;
#[allow(dead_code, clippy::disallowed_methods, clippy::needless_range_loop)]
#[path = "../../crates/tucrl/tests/suite/support/exact.rs"]
mod exact;
mod models;
mod results;

use std::cell::RefCell;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tucrl_lab::text::is_hidden;
use tucrl_lab::{Catalogue, Experiment};

pub use certificates::certificates;
pub use models::{drn, gzip, json, prism, umb};
pub use results::{checkpoint, checkpoint_body, curves, record, record_body};

/// The longest error message, in characters. Inputs are quoted in part only; lists of names are long.
const LONGEST_MESSAGE: usize = 20_000;

/// An error is for people: short, and without characters that a terminal would obey.
fn check_message(error: &dyn Display) {
    let message = error.to_string();
    assert!(!message.is_empty(), "an error without a message");
    let length = message.chars().count();
    assert!(length <= LONGEST_MESSAGE, "a message of {length} characters");
    let hidden = message.chars().find(|&c| c != '\n' && is_hidden(c));
    assert!(hidden.is_none(), "the message {message:?} has {hidden:?}");
}

/// A folder of this process, removed at its end.
fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
    }
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| TempDir::new().expect("a temporary folder"));
        folder.path().to_owned()
    })
}

/// Writes an input under a name; the file of the last input is replaced.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("writing the input");
    path
}

/// Names of worlds and agents. What was accepted is displayed as a spec that means the same.
pub fn specs(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let catalogue = Catalogue::default();
    match catalogue.agent(text) {
        Ok(agent) => {
            let shown = agent.to_string();
            let again = catalogue.agent(&shown).unwrap_or_else(|error| panic!("{shown}: {error}"));
            assert_eq!(again.to_string(), shown);
        }
        Err(error) => check_message(&error),
    }
    if let Err(error) = catalogue.labelled_agent(text) {
        check_message(&error);
    }
    // A path may be that of any file on this machine.
    if text.contains(['/', '.']) {
        return;
    }
    match catalogue.world(text) {
        Ok(world) => {
            let shown = world.to_string();
            let again = catalogue.world(&shown).unwrap_or_else(|error| panic!("{shown}: {error}"));
            assert_eq!(again.to_string(), shown);
        }
        Err(error) => check_message(&error),
    }
}

/// Experiment files, with the list of their runs.
pub fn experiment(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Experiment::parse(Path::new("fuzz.toml"), text.to_owned(), &Catalogue::default()) {
        Ok(experiment) => {
            let cells = experiment.cells();
            cells.iter().take(100).for_each(|cell| drop(cell.id.stem()));
        }
        Err(error) => check_message(&error),
    }
}
