//! How is a model read and written as UMB (unified Markov binary)?
//!
//! UMB is a tar archive, usually compressed, with a JSON index and flat little-endian arrays: the choices of each state
//! and the branches of each choice as offsets, targets and probabilities per branch, and annotations such as rewards.
//! PRISM, Storm and Modest exchange models in it. It has mean rewards only, initial states instead of an initial
//! distribution, and no range of rewards. What it lacks stands in the index, in the free field `parameters` of
//! `file-data`, which other programs skip, so that a model comes back identical.

mod archive;
mod index;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// The version of UMB that is written and read.
const FORMAT_VERSION: u64 = 0;
/// The version of our parameters that is written and read.
const VERSION: u64 = 1;
/// The program that wrote a file with such parameters.
const TOOL: &str = "tucrl";
/// The name of the index in the archive.
const INDEX: &str = "index.json";
