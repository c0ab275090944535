//! The laboratory.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod formats;
