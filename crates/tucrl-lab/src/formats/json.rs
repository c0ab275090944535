//! What does our own format look like?
//!
//! One JSON object, versioned, one state per line. See `docs/formats.md` for the rules. The
//! reader hands every action to the model builder as soon as it is complete, and the writer walks
//! over the model once: neither holds a second copy of the table.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// The value of `"format"`.
const NAME: &str = "tucrl-mdp";
/// The version that is written and read.
const VERSION: u64 = 1;
