//! The laboratory: experiments become cells, cells become records, records become studies and reports.
//!
//! A library without a command line: `tucrl-paper` judges its records, `tucrl-cli` and `tucrl-py` are the
//! shells around it.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used))]

pub mod catalogue;
pub mod execute;
pub mod experiment;
pub mod formats;
pub mod inspection;
pub mod names;
pub mod plot;
pub mod record;
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
pub use report::ReportError;
pub use runner::{Ending, Outcome};
pub use spelling::{Setting, Spelled, Spelling};
pub use stats::{AgentStudy, Study, WorldStudy};
pub use store::{Checkpoint, IfResults, Store, StoreError};
