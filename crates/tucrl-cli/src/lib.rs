//! The command `tucrl` as a library: arguments, terminal, exit codes.
//!
//! Shared by the program that cargo builds, the one that comes with the Python package, and those that users build
//! with agents and worlds of their own.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod cli;
mod cmd;
mod command;

pub use command::{exit_code, main_with};
