//! The command `tucrl`; `tucrl_cli` does the work.

use std::process::ExitCode;

fn main() -> ExitCode {
    tucrl_cli::main_with(std::env::args_os(), [], [])
}
