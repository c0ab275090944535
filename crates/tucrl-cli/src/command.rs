//! What does the command `tucrl` do with its arguments?
//!
//! The exit code is 0 on success, 1 when the work failed, 2 when the arguments cannot be understood,
//! 130 after Ctrl-C.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use tucrl::agents::AgentKind;
use tucrl::worlds::WorldKind;
use tucrl_lab::Catalogue;

use crate::{cli, cmd};

/// The command `tucrl` with more agents and worlds: every verb knows them by their names.
///
/// ```no_run
/// use std::process::ExitCode;
/// use tucrl::{ActionId, Learner, PlanError, StateId, own_agent};
///
/// struct First;
/// impl Learner for First {
///     fn act(&mut self) -> Result<ActionId, PlanError> {
///         Ok(0)
///     }
///     fn observe(&mut self, _: f64, _: StateId) {}
/// }
///
/// fn main() -> ExitCode {
///     let mine = own_agent("first", "plays the first action", |_, (): ()| Ok(First));
///     tucrl_cli::main_with(std::env::args_os(), [mine], [])
/// }
/// ```
pub fn main_with(
    arguments: impl IntoIterator<Item = OsString>,
    agents: impl IntoIterator<Item = AgentKind>,
    worlds: impl IntoIterator<Item = WorldKind>,
) -> ExitCode {
    ExitCode::from(exit_code(arguments, agents, worlds))
}

/// The same, with the exit code as a number.
pub fn exit_code(
    arguments: impl IntoIterator<Item = OsString>,
    agents: impl IntoIterator<Item = AgentKind>,
    worlds: impl IntoIterator<Item = WorldKind>,
) -> u8 {
    outlive_file_limits();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // The name by which the program was called, without its folder and `.exe`.
    let called = arguments.first().and_then(|first| Path::new(first).file_stem()?.to_str());
    let program = called.unwrap_or("tucrl").to_owned();
    let arguments = match cli::Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return cmd::report_usage(&error),
    };
    let catalogue = Catalogue::with(agents, worlds).map_err(anyhow::Error::from);
    match catalogue.and_then(|catalogue| cmd::run(arguments, &program, &catalogue)) {
        Ok(code) => code,
        Err(error) => cmd::report(&error),
    }
}

/// Makes a file that may not grow (`ulimit -f`) an error of its write, which is reported with its remedy: SIGXFSZ would
/// end the process without a word.
fn outlive_file_limits() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        // Threads that are started later inherit it. Where it fails, only the message is lost.
        let _ = signals.thread_block();
    }
}

#[cfg(test)]
mod tests {
    use tucrl::agents::{AgentKind, kinds};

    use super::*;

    fn code(words: &[&str], agents: &[AgentKind]) -> u8 {
        let words = std::iter::once("tucrl").chain(words.iter().copied()).map(Into::into);
        exit_code(words, agents.to_vec(), [])
    }

    #[test]
    fn the_exit_code_tells_success_failure_and_misunderstanding_apart() {
        assert_eq!(code(&["worlds"], &[]), 0);
        assert_eq!(code(&["--help"], &[]), 0);
        assert_eq!(code(&["inspect", "no-such-world"], &[]), 1);
        assert_eq!(code(&["no-such-verb"], &[]), 2);
        assert_eq!(code(&["worlds"], &kinds()[..1]), 1, "a name that is taken");
    }
}
