//! Finite worlds, exact answers about them, and agents that learn them.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod builder;
mod chain;
mod elimination;
pub mod error;
pub mod evaluate;
mod graph;
pub mod hitting;
pub mod mdp;
pub mod policy;
pub mod reward;
pub mod rng;
pub mod solve;
pub mod structure;
pub mod worlds;
