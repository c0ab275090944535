//! Finite worlds, exact answers about them, and agents that learn them.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod error;
pub mod mdp;
pub mod policy;
pub mod reward;
pub mod rng;
pub mod worlds;
