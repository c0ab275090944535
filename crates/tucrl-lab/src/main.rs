//! The command `tucrl`: read the arguments, do as they say, report what failed.
//!
//! The exit code is 0 on success, 1 when the work failed, 2 when the arguments cannot be understood,
//! 130 after Ctrl-C.

mod cli;
mod cmd;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cmd::run(cli::Arguments::parse()) {
        Ok(code) => code,
        Err(error) => cmd::report(&error),
    }
}
