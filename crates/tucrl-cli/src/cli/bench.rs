//! What does `tucrl bench` ask for?

use clap::Args;

pub(super) const HELP: &str = "\
Examples:
  tucrl bench                          all benchmarks, in less than two minutes
  tucrl bench --only sweep,literal     two of them
  tucrl bench --full --json            full-length runs: half an hour
  tucrl bench --solve model.json       time the exact solver on one world

Every row is a ratio of two times measured alternately within one run, so that it is
comparable across machines; keep the machine otherwise idle. The exit code does not
depend on the goals.";

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Only these benchmarks: whole-run, learning-loop, sweep, literal, nominal-size,
    /// accelerated, threads, exact
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Full-length runs, such as 1e9 steps
    #[arg(long)]
    pub(crate) full: bool,
    /// Only time the exact solver on one world: best of five, to 1e-9
    #[arg(long, value_name = "WORLD", conflicts_with_all = ["only", "full"])]
    pub(crate) solve: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
