//! `tucrl bound`: what do the theorems promise about a world?

use crate::cli::Bound;

pub(super) fn run(_ask: &Bound) -> anyhow::Result<String> {
    anyhow::bail!("not yet")
}
