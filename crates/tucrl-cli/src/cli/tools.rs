//! What do `tucrl doctor`, `tucrl completions` and `tucrl man` ask for?

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

pub(super) const DOCTOR_HELP: &str = "\
Examples:
  tucrl doctor
  tucrl doctor --json
  tucrl doctor --need python,pdflatex && make figures

Nothing of what is called missing is needed to learn, run experiments or write
reports. The exit code is 1 if this directory cannot be written, the disk is nearly
full, or a part that --need names is missing; 0 otherwise. In JSON, `state` is ok,
missing or problem.";

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  tucrl completions bash > ~/.local/share/bash-completion/completions/tucrl
  tucrl completions zsh > ~/.zfunc/_tucrl       with fpath+=~/.zfunc before compinit
  tucrl completions fish > ~/.config/fish/completions/tucrl.fish
  tucrl completions powershell >> $PROFILE

The script is for the program of the name by which it was called, and knows the
agents and worlds of that program.";

pub(super) const MAN_HELP: &str = "\
Examples:
  tucrl man | man -l -                          the page of tucrl
  tucrl man learn | man -l -                    the page of a verb
  tucrl man --out ~/.local/share/man/man1       all pages; then: man tucrl-learn

Pages that exist in the directory are replaced.";

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Parts without which the exit code is 1
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    pub(crate) need: Vec<Tool>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A program that some of what tucrl does can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tool {
    /// Shows the pages of `report` and `play`
    Browser,
    /// Python 3.10 or later
    Python,
    /// The Python package
    Package,
    /// cargo, for agents and worlds of your own in Rust
    Rust,
    /// Compiles the figures of `report --tex`
    Pdflatex,
    /// sbatch, for `cluster slurm --submit`
    Slurm,
    /// Drives the browser in the tests of this repository
    Chromedriver,
    /// Checks types of JavaScript in the tests of this repository
    Npm,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// A verb [default: the page of the command itself]
    #[arg(value_name = "VERB", conflicts_with = "out")]
    pub(crate) verbs: Vec<String>,
    /// Write the pages of the command and of all verbs into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
