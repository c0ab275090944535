//! The laboratory.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

// The commands name the library as any other program would.
extern crate self as tucrl_lab;

pub mod agent_catalogue;
pub mod bench;
pub mod catalogue;
mod cli;
mod cmd;
pub mod command;
pub mod experiment;
pub mod formats;
pub mod horizon;
pub mod inspection;
pub mod learning;
pub mod measure;
pub mod names;
pub mod plot;
pub mod record;
pub mod report;
pub mod reproduce;
pub mod runner;
pub mod stats;
pub mod store;
pub mod sweep;
