//! The paper's claims, the league of agents and the benchmarks: experiments as data, and judges of their records.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used))]

pub mod bench;
pub mod league;
pub mod reproduce;

pub use bench::{BENCHMARKS, Benchmark};
pub use league::Origin;
pub use reproduce::{CLAIMS, Claim, Finding, Scale, Verdict};
