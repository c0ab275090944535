//! The laboratory.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod catalogue;
pub mod formats;
pub mod inspection;
pub mod names;
