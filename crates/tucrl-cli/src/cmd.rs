//! Which verb does what, and how is a failure reported?
//!
//! Answers go to the standard output; notes, warnings and errors to the standard error. A closed
//! pipe is not an error (`tucrl worlds | head -1`).

mod agents;
mod bench;
mod board;
mod bound;
mod cluster;
mod doctor;
mod explore;
mod export;
mod flags;
mod hardness;
mod import;
mod inspect;
mod league;
mod learn;
mod log;
mod manual;
mod merge;
mod play;
mod policy;
mod progress;
mod report;
mod reproduce;
mod run;
mod status;
mod text;
mod worlds;

use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use clap::CommandFactory;

use tucrl::explore::ExploreError;
use tucrl::truth::TruthError;
use tucrl_lab::text::printable_lines;
use tucrl_lab::{Catalogue, LoadError};

use crate::cli::{Arguments, Verb};

/// The diameter of more reachable states than this takes minutes.
const DIAMETER_LIMIT: usize = 20_000;

/// The exit code when all went well.
const SUCCESS: u8 = 0;

/// The exit code when the work failed.
const FAILURE: u8 = 1;

/// The exit code when the arguments cannot be understood.
const MISUSE: u8 = 2;

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// An answer, and how the command ends.
struct Answer {
    text: String,
    code: u8,
}

/// Executes the verb; `program` is the name by which the program was called.
pub(crate) fn run(
    arguments: Arguments,
    program: &str,
    catalogue: &Catalogue,
) -> anyhow::Result<u8> {
    let well = |text| Answer { text, code: SUCCESS };
    let is_for_people = !arguments.verb.as_ref().is_some_and(Verb::answers_programs);
    let mut answer = match arguments.verb {
        None => well(Arguments::command().render_help().to_string()),
        Some(Verb::Reproduce(ask)) => reproduce::run(&ask)?,
        Some(Verb::Worlds(ask)) => well(worlds::run(&ask, catalogue)?),
        Some(Verb::Inspect(ask)) => well(inspect::run(&ask, catalogue)?),
        Some(Verb::Explore(ask)) => well(explore::run(&ask, catalogue)?),
        Some(Verb::Export(ask)) => well(export::run(&ask, catalogue)?),
        Some(Verb::Agents(ask)) => well(agents::run(&ask, catalogue)?),
        Some(Verb::Schema) => well(json(&tucrl_lab::experiment::schema(catalogue))?),
        Some(Verb::Learn(ask)) => learn::run(&ask, catalogue)?,
        Some(Verb::Bound(ask)) => well(bound::run(&ask, catalogue)?),
        Some(Verb::Run(ask)) => run::run(&ask, catalogue)?,
        Some(Verb::Cluster(ask)) => well(cluster::run(&ask.engine, catalogue)?),
        Some(Verb::Status(ask)) => well(status::run(&ask, catalogue)?),
        Some(Verb::Play(ask)) => well(play::run(&ask)?),
        Some(Verb::Import(ask)) => well(import::run(&ask, catalogue)?),
        Some(Verb::Merge(ask)) => well(merge::run(&ask, catalogue)?),
        Some(Verb::Report(ask)) => well(report::report(&ask, catalogue)?),
        Some(Verb::Compare(ask)) => well(report::compare(&ask, catalogue)?),
        Some(Verb::League(ask)) => league::run(&ask, catalogue)?,
        Some(Verb::Bench(ask)) => well(bench::run(&ask, catalogue)?),
        Some(Verb::Doctor(ask)) => doctor::run(&ask)?,
        Some(Verb::Completions(ask)) => well(manual::completions(&ask, program, catalogue)?),
        Some(Verb::Man(ask)) => well(manual::man(&ask, program)?),
    };
    if is_for_people {
        answer.text = text::for_stdout(answer.text);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(answer.text.as_bytes())
        .and_then(|()| out.flush())
        .context("the answer could not be written")?;
    Ok(answer.code)
}

/// Shows a page of help, or what is wrong with the arguments. clap folds the texts of arguments, but neither its messages nor lines
/// of usage; where one is wider than the terminal, the page is folded here and has no colours.
pub(crate) fn report_usage(error: &clap::Error) -> u8 {
    let (page, is_misuse) = (error.render().to_string(), error.use_stderr());
    let fold = if is_misuse { text::for_stderr } else { text::for_stdout };
    let folded = fold(page.clone());
    // Ignore a closed stream.
    let _ = match (folded == page, is_misuse) {
        (true, _) => error.print(),
        (false, true) => io::stderr().write_all(folded.as_bytes()),
        (false, false) => io::stdout().write_all(folded.as_bytes()),
    };
    if is_misuse { MISUSE } else { SUCCESS }
}

/// Says what failed and why.
pub(crate) fn report(error: &anyhow::Error) -> u8 {
    let is_closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed) {
        return SUCCESS;
    }
    let mut causes = error.chain().map(flags::spelled);
    let mut message = causes.next().unwrap_or_default();
    for cause in causes {
        // Many messages already end with their cause.
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    say("error", &message);
    if error.chain().any(is_interruption) { INTERRUPTED } else { FAILURE }
}

/// Whether the work failed because it was told to stop.
fn is_interruption(cause: &(dyn std::error::Error + 'static)) -> bool {
    let search = |error: &ExploreError| matches!(error, ExploreError::Interrupted { .. });
    let load = |error: &LoadError| matches!(error, LoadError::Explore(error) if search(error));
    let truth = |error: &TruthError| matches!(error, TruthError::Explore(error) if search(error));
    cause.downcast_ref().is_some_and(search)
        || cause.downcast_ref().is_some_and(load)
        || cause.downcast_ref().is_some_and(truth)
}

/// Sets the number of threads; one per core unless given.
fn use_threads(jobs: Option<u16>) -> anyhow::Result<()> {
    if let Some(jobs) = jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global();
        pool.with_context(|| format!("{jobs} threads could not be started"))?;
    }
    Ok(())
}

/// Becomes true at the first Ctrl-C, or when the system asks to end; the second time the process ends.
fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    // A process can install one handler, and a program may call several verbs.
    static INSTALLED: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);
    let mut known = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stop) = &*known {
        return Ok(Arc::clone(stop));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let is_first = Arc::clone(&stop);
    let installed = ctrlc::set_handler(move || {
        if is_first.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
    installed.context("the Ctrl-C handler could not be installed")?;
    Ok(Arc::clone(known.insert(stop)))
}

/// A message on the standard error, if that is open. Its own lines stay; nothing in it commands the terminal.
fn say(kind: &str, message: &str) {
    let message = format!("{kind}: {}", printable_lines(message));
    let _ = writeln!(io::stderr(), "{}", text::for_stderr(message));
}

/// An answer for programs.
fn json(answer: &impl serde::Serialize) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(answer)?;
    text.push('\n');
    Ok(text)
}
