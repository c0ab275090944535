//! `tucrl export`: how is a world written to a model file?

use std::fs;

use tucrl::truth::Watch;
use tucrl_lab::Catalogue;
use tucrl_lab::formats::{self, Format, IfExists};
use tucrl_lab::text::{bytes, counted, named, printable};

use super::progress::Progress;
use crate::cli::Export;

pub(super) fn run(ask: &Export, catalogue: &Catalogue) -> anyhow::Result<String> {
    // Reject a bad extension before building the world.
    Format::of(&ask.to)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let world = catalogue.world(&ask.source.world)?;
    let (mdp, states) = world.build_and_count(&ask.source.options(), &())?;
    progress.begin("writing the file");
    let if_exists = if ask.force { IfExists::Replace } else { IfExists::Refuse };
    let part = (states > mdp.states() as u64)
        .then(|| formats::reachable_part(mdp.states(), states, &world.to_string()));
    formats::write_with(&mdp, part.as_deref(), &ask.to, if_exists)?;
    drop(progress);
    if let Some(part) = part {
        super::say("note", &format!("the file has {part}"));
    }
    let size = fs::metadata(&ask.to).map(|file| format!(", {}", bytes(file.len())));
    Ok(format!(
        "wrote {} to {}: {}, {}, {}{}\n",
        printable(&world.to_string()),
        named(&ask.to),
        counted(mdp.states(), "state"),
        counted(mdp.pairs(), "pair"),
        counted(mdp.transitions(), "transition"),
        size.unwrap_or_default(),
    ))
}
