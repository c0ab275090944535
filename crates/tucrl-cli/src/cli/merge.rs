//! What does `tucrl merge` ask for?

use std::path::PathBuf;

use clap::Args;

pub(super) const HELP: &str = "\
Examples:
  tucrl merge out/here out/there --into out/all

All directories are of the same experiment. Every file is checked before anything is
written: a damaged one, or two finished runs of the same cell that differ, are errors,
and nothing is written then. Checkpoints of unfinished runs are taken along.";

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The directories of an experiment
    #[arg(value_name = "DIR", required = true)]
    pub(crate) from: Vec<PathBuf>,
    /// The directory that gets all results; it may have some already
    #[arg(long, value_name = "DIR")]
    pub(crate) into: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
