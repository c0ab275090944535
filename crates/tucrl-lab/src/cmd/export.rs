//! `tucrl export`: how does a world get into a file?

use std::fs;

use tucrl_lab::catalogue::World;
use tucrl_lab::formats::{self, Format, IfExists};
use tucrl_lab::inspection::Watch;

use super::progress::Progress;
use super::text::{bytes, counted};
use crate::cli::Export;

pub(super) fn run(ask: &Export) -> anyhow::Result<String> {
    // A bad file name should not cost the time to build the world.
    Format::of(&ask.to)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let world = World::parse(&ask.source.world)?;
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
