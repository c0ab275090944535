//! The command `tucrl`; `tucrl_lab::command` does the work.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(tucrl_lab::command::main_with(std::env::args_os()))
}
