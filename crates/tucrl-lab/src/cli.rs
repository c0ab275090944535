//! What can be asked for on the command line?
//!
//! Verbs, flags and their help, as data; `cmd` does the work.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tucrl_lab::formats::ReadOptions;

/// Finite worlds and exact answers about them.
#[derive(Debug, Parser)]
#[command(
    name = "tucrl",
    version,
    after_help = "\
Examples:
  tucrl worlds                        which worlds there are
  tucrl worlds taxi                   what is known about one, and its parameters
  tucrl inspect taxi                  exact answers about a world
  tucrl inspect three-state:delta=0   a world with a parameter
  tucrl export taxi --to taxi.json    a world as a file
  tucrl inspect taxi.json             a file is a world too

A world is `name`, or `name:key=value,key=value`, or a model file (.json, .drn)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List the worlds, or show the parameters and facts of one
    #[command(after_help = "\
Examples:
  tucrl worlds                 name, states, actions and a line for each
  tucrl worlds mountain-car    parameters, defaults, facts
  tucrl worlds --json          all of it, for programs")]
    Worlds(Worlds),
    /// Compute everything that is exactly known about a world
    #[command(after_help = "\
Examples:
  tucrl inspect taxi
  tucrl inspect breakout:w=4,h=2,q=0.1 --skip diameter
  tucrl inspect river-swim --policy
  tucrl inspect garnet:s=1e5,seed=7 --json
  tucrl inspect ferry.drn --reward-model tickets

The JSON keys do not change between releases; a diameter of null is infinite,
and `skipped` lists the keys that were not computed.")]
    Inspect(Inspect),
    /// Write a world to a model file
    #[command(after_help = "\
Examples:
  tucrl export taxi --to taxi.json
  tucrl export garnet:s=1000,seed=3 --to garnet.drn --force
  tucrl export model.drn --to model.json

The extension decides the format: .json is our own, .drn that of the model
checker Storm. Either comes back identical, to the last bit.")]
    Export(Export),
}

#[derive(Debug, Args)]
pub(crate) struct Worlds {
    /// The name of a world
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Add an optimal policy with the gain and bias of every state
    #[arg(long)]
    pub(crate) policy: bool,
    /// Leave out what is slow: the diameters, or gain, bias and span
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) skip: Vec<Part>,
    /// Compute the diameter also of worlds with more than 20000 reachable states
    #[arg(long)]
    pub(crate) all: bool,
    /// How many threads to use; one per core unless given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    Diameter,
    Gain,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The file to write, .json or .drn
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A world, as name:key=value,key=value, or a model file
    pub(crate) world: String,
    /// Which reward model of a DRN file to read
    #[arg(long, value_name = "NAME")]
    pub(crate) reward_model: Option<String>,
    /// The largest possible reward, instead of what a model file says
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) r_max: Option<f64>,
}

impl Source {
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions { reward_model: self.reward_model.clone(), r_max: self.r_max }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_well_formed() {
        super::Arguments::command().debug_assert();
    }
}
