//! The laboratory: experiments become cells, cells become records, records become studies and reports.
//!
//! A library without a command line: `tucrl-paper` judges its records, `tucrl-cli` and `tucrl-py` are the
//! shells around it. In WebAssembly it has no reports and figures: `tucrl-wasm` needs names, model files and runs.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used))]

pub mod catalogue;
pub mod execute;
pub mod experiment;
#[cfg(not(target_family = "wasm"))]
pub mod explorable;
pub mod formats;
pub mod inspection;
pub mod names;
#[cfg(not(target_family = "wasm"))]
pub mod plot;
pub mod record;
#[cfg(not(target_family = "wasm"))]
pub mod report;
pub mod runner;
pub mod spelling;
pub mod stats;
pub mod store;
pub mod text;
pub mod warnings;

pub use catalogue::{Catalogue, LoadError, NamedAgent, World};
pub use experiment::{Cell, CellId, Experiment, ExperimentError, InMemory, PreparedWorld};
pub use formats::{Format, FormatError, IfExists, ReadOptions};
pub use inspection::Inspection;
pub use names::{Spec, SpecError};
pub use record::{Provenance, StoredRun};
#[cfg(not(target_family = "wasm"))]
pub use report::ReportError;
pub use runner::{Ending, Outcome};
pub use spelling::{Setting, Spelled, Spelling};
pub use stats::{AgentStudy, Study, WorldStudy};
pub use store::{Checkpoint, IfResults, Store, StoreError};
