//! The tests of the laboratory in one program: linked once.
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, clippy::unwrap_used)]

mod agents_document;
mod architecture_document;
mod documents;
mod formats;
mod fuzz;
mod horizon;
mod matrix;
mod python_options;
mod release;
mod reward_range;
mod version_1;
mod worlds_document;
