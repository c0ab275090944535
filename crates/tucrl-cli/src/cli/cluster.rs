//! What does `tucrl cluster` ask for?

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(super) const HELP: &str = "\
Examples:
  tucrl cluster slurm exp.toml --out /net/exp --tasks 50 --time 4:00:00 > job.sh
  tucrl cluster slurm exp.toml --out /net/exp --tasks 50 --time 4:00:00 --submit
  tucrl cluster slurm exp.toml --out /net/exp --tasks 50 --time 4:00:00 \\
      --partition long --virtualenv /net/venv -- --mem=2G --qos=low

The script is an array of tasks, each of which makes a part of the runs. A task that is
killed, loses its node or reaches its time limit is queued again and goes on inside its
runs; it ends when all its runs are done. DIR must be on a disk that all nodes share.
docs/cluster.md has Dask, Ray, MPI, Kubernetes and GNU parallel.";

#[derive(Debug, Args)]
pub(crate) struct Cluster {
    #[command(subcommand)]
    pub(crate) engine: Engine,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Engine {
    /// Write a job script for Slurm, or submit it
    #[command(after_help = HELP)]
    Slurm(Slurm),
}

#[derive(Debug, Args)]
pub(crate) struct Slurm {
    /// The experiment, a TOML file
    pub(crate) experiment: PathBuf,
    /// The directory of the results, on a disk that all nodes share
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Number of tasks, at most one per run
    #[arg(long, value_name = "N")]
    pub(crate) tasks: usize,
    /// Time limit of a task, as Slurm writes it: minutes, h:mm:ss or d-hh
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: String,
    /// The partition
    #[arg(long, value_name = "NAME")]
    pub(crate) partition: Option<String>,
    /// The account that pays
    #[arg(long, value_name = "NAME")]
    pub(crate) account: Option<String>,
    /// An environment module to load; may be repeated
    #[arg(long = "module", value_name = "NAME")]
    pub(crate) modules: Vec<String>,
    /// A Python virtual environment to activate
    #[arg(long, value_name = "DIR")]
    pub(crate) virtualenv: Option<PathBuf>,
    /// How often a task is queued again
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) restarts: u32,
    /// Seconds between checkpoints of a run
    #[arg(long, value_name = "S", default_value_t = 20.0, value_parser = super::values::seconds)]
    pub(crate) checkpoint_seconds: f64,
    /// Give the script to sbatch instead of printing it
    #[arg(long)]
    pub(crate) submit: bool,
    /// Further options of sbatch, such as --mem=2G
    #[arg(last = true, value_name = "SBATCH OPTION")]
    pub(crate) more: Vec<String>,
}

/// A time limit: digits, and the separators of Slurm.
fn time(text: &str) -> Result<String, String> {
    let is_limit = text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == ':' || c == '-')
        && text.matches(':').count() <= 2
        && text.matches('-').count() <= 1;
    match is_limit {
        true => Ok(text.into()),
        false => Err("write minutes, minutes:seconds, hours:minutes:seconds or days-hours".into()),
    }
}
