//! `tucrl explore`: how many states of a world are reachable?
//!
//! A forward search from the start, with progress and a limit, because the time it takes is not known beforehand.

use std::fmt::{Error, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use tucrl::explore::{self, Exploration};
use tucrl::generator::{Generator, Tabled};
use tucrl::model::Model;
use tucrl::truth::Watch;
use tucrl_lab::Catalogue;
use tucrl_lab::text::{digits, printable};

use super::progress::Progress;
use super::{stop_on_interrupt, use_threads};
use crate::cli::Explore;

/// The result; the fields are the keys of the JSON output.
#[derive(Debug, Serialize)]
struct Found {
    world: String,
    /// Nominal states.
    states: u64,
    factors: Vec<(String, u64)>,
    /// Reachable states found.
    reachable: usize,
    /// True if the search was exhaustive.
    complete: bool,
    /// Reachable over nominal.
    fraction: f64,
    /// States whose actions were expanded.
    looked_at: usize,
    pairs: usize,
    transitions: usize,
    max_support: usize,
    /// Steps of the shortest path to the farthest state.
    depth: usize,
}

pub(super) fn run(ask: &Explore, catalogue: &Catalogue) -> anyhow::Result<String> {
    use_threads(ask.jobs)?;
    let world = catalogue.world(&ask.source.world)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let generator: Arc<dyn Generator> = match world.open(&ask.source.options())? {
        Model::Generated(generator) => generator,
        Model::Table(mdp) => Arc::new(Tabled::new(mdp)),
    };
    let stop = stop_on_interrupt()?;
    let found = search(&*generator, ask.limit, &progress, &stop)?;
    drop(progress);
    let space = generator.space();
    let found = Found {
        world: world.to_string(),
        states: space.states(),
        factors: space.factors().iter().map(|f| (f.name.clone(), f.size)).collect(),
        reachable: found.found(),
        complete: found.is_complete(),
        fraction: found.found() as f64 / space.states() as f64,
        looked_at: found.states.len(),
        pairs: found.pairs,
        transitions: found.transitions,
        max_support: found.max_support,
        depth: found.depth,
    };
    if ask.json { super::json(&found) } else { Ok(page(&found)?) }
}

fn search(
    generator: &dyn Generator,
    limit: usize,
    progress: &Progress,
    stop: &AtomicBool,
) -> anyhow::Result<Exploration> {
    progress.begin("searching");
    Ok(explore::explore(generator, limit, &|at| {
        progress.done(at.looked_at, at.found);
        !stop.load(Ordering::Relaxed)
    })?)
}

fn page(found: &Found) -> Result<String, Error> {
    let mut out = String::new();
    writeln!(out, "{}\n", printable(&found.world))?;
    let mut line = |label: &str, value: String| writeln!(out, "  {label:<19}{value}");
    let factors: Vec<String> =
        found.factors.iter().map(|(n, size)| format!("{n} {size}")).collect();
    line("nominal states", found.states.to_string())?;
    if !factors.is_empty() {
        line("", factors.join(" × "))?;
    }
    let more = if found.complete { "" } else { " or more: the search stopped at the limit" };
    line("reachable states", format!("{}{more}", found.reachable))?;
    if found.complete {
        line("", format!("1 in {}", digits(1.0 / found.fraction, 3)))?;
    }
    let looked_at = if found.complete { "" } else { " of the states expanded" };
    line("actions", format!("{} state-action pairs{looked_at}", found.pairs))?;
    line(
        "transitions",
        format!("{}, at most {} per action", found.transitions, found.max_support),
    )?;
    line("farthest", format!("{} steps from the start", found.depth))?;
    if found.complete {
        writeln!(
            out,
            "\n`tucrl inspect` computes gain, span and diameters of the reachable part."
        )?;
    } else {
        writeln!(out, "\nRaise --limit to continue; a state takes about 30 bytes.")?;
    }
    Ok(out)
}
