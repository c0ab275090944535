//! The tests of the command in one program: linked once.
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, clippy::unwrap_used)]

mod command_line;
mod documents;
mod explorable;
mod importing;
mod learning;
mod manners;
mod own;
mod reading;
mod reproducing;
mod reward_range;
mod store;
