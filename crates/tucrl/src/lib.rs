//! Finite worlds, exact answers about them, and agents that learn them.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod agents;
pub mod bounds;
mod builder;
mod chain;
pub mod confidence;
pub mod counts;
mod elimination;
pub mod env;
pub mod episode;
pub mod error;
pub mod evaluate;
pub mod evi;
mod graph;
pub mod hitting;
pub mod inner_max;
pub mod mdp;
pub mod planner;
pub mod plausible;
pub mod policy;
pub mod reward;
pub mod rng;
pub mod run;
pub mod solve;
pub mod space;
pub mod span_clip;
pub mod structure;
pub mod truncation;
pub mod worlds;
