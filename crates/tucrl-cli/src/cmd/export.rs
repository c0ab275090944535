//! `tucrl export`: how is a world written to a model file?

use std::fs;

use tucrl::truth::Watch;
use tucrl_lab::Catalogue;
use tucrl_lab::formats::{self, Format, IfExists};
use tucrl_lab::text::{bytes, counted};

use super::progress::Progress;
use crate::cli::Export;

pub(super) fn run(ask: &Export, catalogue: &Catalogue) -> anyhow::Result<String> {
    // Reject a bad extension before building the world.
    Format::of(&ask.to)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let world = catalogue.world(&ask.source.world)?;
    let mdp = world.build(&ask.source.options())?;
    progress.begin("writing the file");
    let if_exists = if ask.force { IfExists::Replace } else { IfExists::Refuse };
    formats::write(&mdp, &ask.to, if_exists)?;
    drop(progress);
    let size = fs::metadata(&ask.to).map(|file| format!(", {}", bytes(file.len())));
    Ok(format!(
        "wrote {world} to {}: {}, {}, {}{}\n",
        ask.to.display(),
        counted(mdp.states(), "state"),
        counted(mdp.pairs(), "pair"),
        counted(mdp.transitions(), "transition"),
        size.unwrap_or_default(),
    ))
}
