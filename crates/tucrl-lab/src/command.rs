//! What does the command `tucrl` do with its arguments?
//!
//! Reads them, does as they say, reports what failed. It stands in the library because there are two
//! commands: the program that cargo builds, and the one that comes with the Python package.
//!
//! The exit code is 0 on success, 1 when the work failed, 2 when the arguments cannot be understood,
//! 130 after Ctrl-C.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::{cli, cmd};

/// Does what the arguments say, the first of which is the name of the program, and returns the exit code.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match cli::Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // If nobody listens, nobody is there to be told.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    number(match cmd::run(arguments) {
        Ok(code) => code,
        Err(error) => cmd::report(&error),
    })
}

/// The standard library compares exit codes, but does not tell them.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(words: &[&str]) -> u8 {
        main_with(std::iter::once("tucrl").chain(words.iter().copied()).map(Into::into))
    }

    #[test]
    fn the_exit_code_tells_success_failure_and_misunderstanding_apart() {
        assert_eq!(code(&["worlds"]), 0);
        assert_eq!(code(&["--help"]), 0);
        assert_eq!(code(&["inspect", "no-such-world"]), 1);
        assert_eq!(code(&["no-such-verb"]), 2);
        assert_eq!([0, 1, 2, 130, 255].map(|n| number(ExitCode::from(n))), [0, 1, 2, 130, 255]);
    }
}
