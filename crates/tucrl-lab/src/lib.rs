//! The laboratory.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod agent_catalogue;
pub mod catalogue;
pub mod experiment;
pub mod formats;
pub mod horizon;
pub mod inspection;
pub mod measure;
pub mod names;
pub mod plot;
pub mod record;
pub mod report;
pub mod runner;
pub mod stats;
pub mod store;
pub mod sweep;
