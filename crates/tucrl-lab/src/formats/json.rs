//! What is tucrl's own format? One versioned JSON object, one state per line; see `docs/formats.md`.
//!
//! Reader and writer stream: neither holds a second copy of the table.

mod read;
mod write;

pub(super) use read::{read, read_from};
pub(super) use write::write;

/// The value of `"format"`.
const NAME: &str = "tucrl-mdp";
/// The version that is written and read.
const VERSION: u64 = 1;
