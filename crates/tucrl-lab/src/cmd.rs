//! Which verb does what, and how is a failure reported?
//!
//! Answers go to the standard output; notes, warnings and errors to the standard error. A reader
//! that has seen enough (`tucrl worlds | head -1`) is no failure.

mod agents;
mod bench;
mod board;
mod bound;
mod explore;
mod export;
mod inspect;
mod learn;
mod policy;
mod progress;
mod report;
mod reproduce;
mod run;
mod status;
mod text;
pub(crate) mod warnings;
mod worlds;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{Arguments, Verb};

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// An answer, and how the command ends.
struct Answer {
    text: String,
    code: ExitCode,
}

/// Does what was asked for.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let well = |text| Answer { text, code: ExitCode::SUCCESS };
    let answer = match arguments.verb {
        None => well(Arguments::command().render_help().to_string()),
        Some(Verb::Reproduce(ask)) => reproduce::run(&ask)?,
        Some(Verb::Worlds(ask)) => well(worlds::run(&ask)?),
        Some(Verb::Inspect(ask)) => well(inspect::run(&ask)?),
        Some(Verb::Explore(ask)) => well(explore::run(&ask)?),
        Some(Verb::Export(ask)) => well(export::run(&ask)?),
        Some(Verb::Agents(ask)) => well(agents::run(&ask)?),
        Some(Verb::Learn(ask)) => learn::run(&ask)?,
        Some(Verb::Bound(ask)) => well(bound::run(&ask)?),
        Some(Verb::Run(ask)) => run::run(&ask)?,
        Some(Verb::Status(ask)) => well(status::run(&ask)?),
        Some(Verb::Report(ask)) => well(report::report(&ask)?),
        Some(Verb::Compare(ask)) => well(report::compare(&ask)?),
        Some(Verb::Bench(ask)) => well(bench::run(&ask)?),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(answer.text.as_bytes())
        .and_then(|()| out.flush())
        .context("the answer could not be written")?;
    Ok(answer.code)
}

/// Says what failed and why.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let is_closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed) {
        return ExitCode::SUCCESS;
    }
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Many messages already end with their cause.
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    say("error", &message);
    ExitCode::FAILURE
}

/// Uses so many threads, or one per core.
fn use_threads(jobs: Option<u16>) -> anyhow::Result<()> {
    if let Some(jobs) = jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global();
        pool.with_context(|| format!("{jobs} threads could not be started"))?;
    }
    Ok(())
}

/// Becomes true at the first Ctrl-C, or when the system asks to end; the second time the process ends.
fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let is_first = Arc::clone(&stop);
    let heard = ctrlc::set_handler(move || {
        if is_first.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
    heard.context("Ctrl-C cannot be listened to")?;
    Ok(stop)
}

/// A line on the standard error; if even that is closed, nobody is there to be told.
fn say(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}

/// An answer for programs.
fn json(answer: &impl serde::Serialize) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(answer)?;
    text.push('\n');
    Ok(text)
}
