//! What does `tucrl import` ask for?

use std::path::PathBuf;

use clap::Args;

pub(super) const HELP: &str = "\
Examples:
  tucrl import curves.csv --label mine --world river-swim --into out/first
  tucrl import theirs.csv --label UCRL3 --world river-swim --into out/first \\
      --note 'authors code, commit 1a2b3c'

CURVES is a CSV file with one line per run and step:

  run,step,regret
  0,1000,131.5
  0,10000,402.25
  1,1000,128
  ...

regret and reward are sums up to and including the step; with a column reward
instead of regret, regret is the optimal gain times steps, minus reward. All runs
have the same steps, and the last one is the horizon of the world in the
experiment. Duplicates, missing steps or runs, values that are no numbers, and
another horizon are errors with their line.

Imported curves are shown with their origin in tables, figures and pages. They
have other random streams and no gap regret: they are not ranked, and are marked
as realised regret where the others show gap regret.";

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A CSV file with the columns run, step, and regret or reward
    pub(crate) curves: PathBuf,
    /// What the curves are called in tables and figures
    #[arg(long)]
    pub(crate) label: String,
    /// The world, one of the experiment
    #[arg(long)]
    pub(crate) world: String,
    /// The directory of an experiment
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) into: PathBuf,
    /// Where the curves come from, shown with them
    #[arg(long)]
    pub(crate) note: Option<String>,
    /// Replace curves of the same label in the same world
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
