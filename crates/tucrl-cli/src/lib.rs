//! The command `tucrl` as a library: arguments, terminal, exit codes.
//!
//! There are two commands that do the same: the program that cargo builds, and the one that comes with the
//! Python package.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod cli;
mod cmd;
mod command;

pub use command::{exit_code, main_with};
