//! Which verb does what, and how is a failure reported?
//!
//! Answers go to the standard output; notes, warnings and errors to the standard error. A reader
//! that has seen enough (`tucrl worlds | head -1`) is no failure.

mod agents;
mod bound;
mod export;
mod inspect;
mod learn;
mod policy;
mod progress;
mod report;
mod text;
mod worlds;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{Arguments, Verb};

/// Does what was asked for.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let answer = match arguments.verb {
        None => Arguments::command().render_help().to_string(),
        Some(Verb::Worlds(ask)) => worlds::run(&ask)?,
        Some(Verb::Inspect(ask)) => inspect::run(&ask)?,
        Some(Verb::Export(ask)) => export::run(&ask)?,
        Some(Verb::Agents(ask)) => agents::run(&ask)?,
        Some(Verb::Learn(ask)) => {
            let learned = learn::run(&ask)?;
            code = learned.code;
            learned.answer
        }
        Some(Verb::Bound(ask)) => bound::run(&ask)?,
        Some(Verb::Report(ask)) => report::report(&ask)?,
        Some(Verb::Compare(ask)) => report::compare(&ask)?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(answer.as_bytes())
        .and_then(|()| out.flush())
        .context("the answer could not be written")?;
    Ok(code)
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
