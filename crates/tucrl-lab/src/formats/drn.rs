//! How is a model read and written in the explicit format (DRN) of the model checker Storm?
//!
//! DRN lists states, actions and transitions in plain lines. It has mean rewards only, initial states instead of an
//! initial distribution, no largest reward and no free names. What it lacks is written in comment lines that begin with
//! `//@tucrl`, so that a model comes back identical.
//!
//! Storm's parser skips a line that begins with `//` in the first column, in the header and among the states; not after
//! blanks, not behind other text, and not on the line that belongs to a header key such as `@nr_states`. Our comments
//! stand only where it skips them.

mod body;
mod header;
mod notes;
mod rewards;
mod write;

use std::path::Path;

use tucrl::mdp::Mdp;

use super::lines::Lines;
use super::source::open;
use super::{FormatError, ReadOptions};

pub(super) use write::write;

/// The version of the `//@tucrl` comments that is written and read.
const VERSION: &str = "1";

/// Reads a model.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Mdp, FormatError> {
    let mut lines = Lines::new(open(path, options.unpack_limit())?, path);
    let header = header::read(&mut lines)?;
    body::read(&mut lines, header, options)
}
