//! Which verbs and flags does the command line have? `cmd` executes them.

mod bench;
mod cluster;
mod explained;
mod import;
mod learn_help;
mod merge;
mod source;
mod tools;
mod values;

pub(crate) use bench::Bench;
pub(crate) use cluster::{Cluster, Engine, Slurm};
pub(crate) use import::Import;
pub(crate) use merge::Merge;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tucrl_lab::experiment::Numbers;
use tucrl_lab::stats::Regret;

pub(crate) use explained::Explained;
use learn_help::LEARN_HELP;
pub(crate) use source::Source;
pub(crate) use tools::{Completions, Doctor, Man, Tool};
use values::{
    checkpoints, jobs, limit, many_steps, master_seed, probability, seconds, seeds, shard, steps,
};

/// TUCRL and related algorithms in finite MDPs: exact solutions, learning runs, reports.
#[derive(Debug, Parser)]
#[command(
    name = "tucrl",
    version,
    after_help = "\
Examples:
  tucrl reproduce                     the paper's experiments, figures and claims
  tucrl worlds                        list the worlds
  tucrl worlds taxi                   parameters and facts of one world
  tucrl inspect taxi                  exact gain, span, diameter and structure
  tucrl inspect three-state:delta=0   a world with a parameter
  tucrl explore breakout-game         count the reachable states of a large world
  tucrl export taxi --to taxi.json    write a world to a file
  tucrl inspect taxi.json             use a model file as a world
  tucrl agents                        list the agents
  tucrl learn three-state:delta=0     run an agent and measure its regret
  tucrl bound three-state:delta=0     evaluate the regret bounds
  tucrl run experiment.toml           worlds x agents x seeds, stored on disk
  tucrl status out/experiment         progress of an experiment
  tucrl report out/experiment         tables, figures and an interactive page
  tucrl play                          watch agents learn, in the browser
  tucrl bench                         benchmark this program on this machine
  tucrl doctor                        what this machine has of what tucrl can use

A world is `name`, or `name:key=value,key=value`, or a model file (.json, .drn, .umb, .tra)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run the paper's experiments, draw its figures and test its claims
    #[command(after_help = REPRODUCE_HELP)]
    Reproduce(Reproduce),
    /// List the worlds, or show the parameters and facts of one
    #[command(after_help = "\
Examples:
  tucrl worlds                 name, size and summary of each
  tucrl worlds mountain-car    parameters, defaults, facts
  tucrl worlds --json          the same as JSON")]
    Worlds(Worlds),
    /// Compute exact facts of a world: class, gain, span, diameter, policy
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
    /// Search for the states reachable from the start
    #[command(after_help = "\
Examples:
  tucrl explore breakout-game
  tucrl explore mountain-car:nx=1e3,nv=1001 --jobs 4
  tucrl explore queues:capacity=20 --limit 1e6 --json

The search follows every possible transition forwards from the start. It needs about
30 bytes per state; the result does not depend on --jobs.")]
    Explore(Explore),
    /// Write a world to a model file
    #[command(after_help = "\
Examples:
  tucrl export taxi --to taxi.json
  tucrl export garnet:s=1000,seed=3 --to garnet.drn --force
  tucrl export model.drn --to model.json

The extension selects the format: .json (tucrl), .drn (the model checker Storm) or .umb (unified Markov binary); .json.gz and .drn.gz are
compressed.
Both preserve the model bit for bit.")]
    Export(Export),
    /// List the agents, or show the requirements, guarantee and options of one
    #[command(after_help = "\
Examples:
  tucrl agents           name and summary of each
  tucrl agents scal      requirements, guarantee, options, defaults
  tucrl agents --json    the same as JSON")]
    Agents(Agents),
    /// Print the JSON schema of experiment files, for editors that complete and check them
    #[command(after_help = "\
Examples:
  tucrl schema > experiment.schema.json

Then let the editor know: with the first line
  #:schema ./experiment.schema.json
of an experiment, Taplo and Even Better TOML complete and check it.")]
    Schema,
    /// Run agents in a world and measure their regret
    #[command(after_help = LEARN_HELP)]
    Learn(Learn),
    /// Evaluate the regret bounds for a world, term by term
    #[command(after_help = "\
Examples:
  tucrl bound three-state:delta=0 --steps 1e8
  tucrl bound taxi --steps 1e9 --delta 0.01 --json
  tucrl bound river-swim --steps 1e9 --figure bounds.svg

In JSON, null means infinite or unknown.")]
    Bound(Bound),
    /// Run an experiment file: every agent in every world with every seed, stored on disk
    #[command(after_help = RUN_HELP)]
    Run(Run),
    /// Run an experiment on a cluster: write or submit its jobs
    Cluster(Cluster),
    /// Run an experiment and write a league table of its agents
    #[command(after_help = "\
Examples:
  tucrl league experiments/league.toml --to docs/league.md
  tucrl league mine.toml --out out/mine

Runs the cells that have no result yet, as `tucrl run --resume` does, then ranks
the agents of every world by mean regret. Without --to the page is printed.")]
    League(League),
    /// Show which runs of an experiment are done, running, failed, missing or damaged
    #[command(after_help = "\
Examples:
  tucrl status out/first
  tucrl status out/first --json

A run counts as running while its last checkpoint is younger than two minutes,
as paused when it is older or its process was told to stop.")]
    Status(Status),
    /// Show curves of another program beside an experiment's own
    #[command(after_help = import::HELP)]
    Import(Import),
    /// Put the results of several machines together in one directory
    #[command(after_help = merge::HELP)]
    Merge(Merge),
    /// Write a page on which agents learn small MDPs in the browser, offline
    #[command(after_help = "\
Examples:
  tucrl play                       writes explorable.html; open it in a browser
  tucrl play --out class.html

One file without network access: state diagrams, live regret curves, an editor of
MDPs, guided tours. The numbers are those of `tucrl learn`, to the last digit.")]
    Play(Play),
    /// Write tables, figures and an interactive page from an experiment's runs
    #[command(after_help = REPORT_HELP)]
    Report(Report),
    /// Compare two experiments, run by run
    #[command(after_help = "\
Examples:
  tucrl compare out/before out/after
  tucrl compare out/mine out/theirs --json

Agents of the same spec in worlds of the same spec are compared, runs of the
same master seed and index with each other. `same` counts runs whose records
are bit-identical.")]
    Compare(Compare),
    /// Benchmark planning, learning and solving on this machine
    #[command(after_help = bench::HELP)]
    Bench(Bench),
    /// Say what this machine has of what tucrl can use, and what each is needed for
    #[command(after_help = tools::DOCTOR_HELP)]
    Doctor(Doctor),
    /// Print a script that completes verbs, flags and names in a shell
    #[command(after_help = tools::COMPLETIONS_HELP)]
    Completions(Completions),
    /// Print a manual page, or write those of all verbs
    #[command(after_help = tools::MAN_HELP)]
    Man(Man),
}

impl Verb {
    /// Whether the answer is for programs, or a file: then its lines stay as they are.
    pub(crate) fn answers_programs(&self) -> bool {
        match self {
            Self::Reproduce(ask) => ask.json,
            Self::Worlds(ask) => ask.json,
            Self::Inspect(ask) => ask.json,
            Self::Explore(ask) => ask.json,
            Self::Agents(ask) => ask.json,
            Self::Learn(ask) => ask.json,
            Self::Bound(ask) => ask.json,
            Self::Status(ask) => ask.json,
            Self::Import(ask) => ask.json,
            Self::Report(ask) => ask.json,
            Self::Compare(ask) => ask.json,
            Self::Bench(ask) => ask.json,
            Self::League(ask) => ask.to.is_none(),
            Self::Schema | Self::Cluster(_) | Self::Completions(_) => true,
            Self::Doctor(ask) => ask.json,
            Self::Man(ask) => ask.out.is_none(),
            Self::Run(ask) => ask.json,
            Self::Merge(ask) => ask.json,
            Self::Export(_) | Self::Play(_) => false,
        }
    }
}

const REPRODUCE_HELP: &str = "\
Examples:
  tucrl reproduce                        all claims, in minutes
  tucrl reproduce three-state spans      two of them
  tucrl reproduce --plan                 what would run, with estimated times
  tucrl reproduce --scale paper          20 runs each with the paper's shrink factors: hours
  tucrl reproduce --json | jq            the verdicts as JSON

Every claim is decided by stated statistics, computed from stored runs. Ctrl-C stops;
the same command continues. The exit code is 0 if all claims hold, 1 if one does not
or something failed, 130 after Ctrl-C. The
experiments are those of crates/tucrl-paper/experiments; docs/reproduction.md
says how each claim is decided.";

const REPORT_HELP: &str = "\
Examples:
  tucrl report out/first
  tucrl report out/first --out paper --tex
  tucrl report out/first --json

Writes report.html (one page, no network needed), report.md, the tables
curves, means, summary, pairs and episodes as CSV and Parquet, and the figures
as SVG and PNG; with --tex the curves also for LaTeX. docs/reports.md describes them. The same runs give the same files.";

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The directory of an experiment
    pub(crate) directory: PathBuf,
    /// Output directory [default: report, inside the directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Which regret is shown, ranked and compared; gap regret needs the optimal gain of the world
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Shown::Gap)]
    pub(crate) regret: Shown,
    /// Also write the curves for LaTeX: pgfplots documents for pdflatex, in figures/
    #[arg(long)]
    pub(crate) tex: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The directory of an experiment
    #[arg(value_name = "DIR A")]
    pub(crate) first: PathBuf,
    /// The directory of another
    #[arg(value_name = "DIR B")]
    pub(crate) second: PathBuf,
    /// Which regret is shown, ranked and compared; gap regret needs the optimal gain of the world
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Shown::Gap)]
    pub(crate) regret: Shown,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Add an optimal policy with the gain and bias of every state, and what it is certain to earn
    #[arg(long)]
    pub(crate) policy: bool,
    /// Skip slow parts: the diameters, or the hardness, or gain, bias, span and hardness
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) skip: Vec<Part>,
    /// Compute the diameter even if it takes over 30 seconds or there are over 20000 reachable states
    #[arg(long)]
    pub(crate) all: bool,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    Diameter,
    Gain,
    Hardness,
}

#[derive(Debug, Args)]
pub(crate) struct Explore {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Stop the search after this number of states
    #[arg(long, value_name = "N", default_value = "1e7", allow_negative_numbers = true, value_parser = limit)]
    pub(crate) limit: usize,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The file to write, .json, .drn or .umb
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Play {
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "explorable.html")]
    pub(crate) out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Agents {
    /// The name of an agent
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Learn {
    #[command(flatten)]
    pub(crate) source: Source,
    /// An agent, as name:key=value,key=value, or with a label as label=name:key=value; may be repeated [default: tucrl]
    #[arg(long = "agent", value_name = "SPEC")]
    pub(crate) agents: Vec<String>,
    /// Steps per run, at most 1e10
    #[arg(long, value_name = "T", default_value = "1e6", allow_negative_numbers = true, value_parser = steps)]
    pub(crate) steps: u64,
    /// Runs per agent
    #[arg(long, value_name = "N", default_value = "4", allow_negative_numbers = true, value_parser = seeds)]
    pub(crate) seeds: u32,
    /// The master seed of all runs
    #[arg(long, value_name = "M", default_value = "1", allow_negative_numbers = true, value_parser = master_seed)]
    pub(crate) seed: u64,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
    /// In a generated world, how many reachable states to search for the optimal gain
    #[arg(long, value_name = "N", default_value = "1e6", allow_negative_numbers = true, value_parser = limit)]
    pub(crate) limit: usize,
    /// Checkpoints of regret per decade of steps, evenly spaced on a log scale
    #[arg(long, value_name = "N", default_value = "10", allow_negative_numbers = true, value_parser = checkpoints)]
    pub(crate) checkpoints: u32,
    /// Which regret is shown, ranked and compared; gap regret needs the optimal gain of the world
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Shown::Gap)]
    pub(crate) regret: Shown,
    /// Measure what is lost in the steps after an agent starts to explore again; runs are slower
    #[arg(long)]
    pub(crate) exploration: bool,
    /// Print JSON lines, one object per agent and run
    #[arg(long)]
    pub(crate) json: bool,
    /// Add every episode's record to the JSON, as `episode_records`
    #[arg(long, requires = "json")]
    pub(crate) episodes: bool,
    /// Say what run 0 of every agent assumes about a state, or a state and an action, at its last step
    #[arg(long, value_name = "STATE[,ACTION]")]
    pub(crate) explain: Option<Explained>,
}

#[derive(Debug, Args)]
pub(crate) struct Bound {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Number of steps
    #[arg(long, value_name = "T", default_value = "1e6", allow_negative_numbers = true, value_parser = many_steps)]
    pub(crate) steps: u64,
    /// Failure probability of the bounds
    #[arg(long, value_name = "P", default_value_t = 0.05, allow_negative_numbers = true, value_parser = probability)]
    pub(crate) delta: f64,
    /// Draw lower and upper bounds over T into this file, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) figure: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const RUN_HELP: &str = "\
Examples:
  tucrl run exp.toml
  tucrl run exp.toml --list                  the runs, without running them
  tucrl run exp.toml --resume                continue after Ctrl-C or a crash
  tucrl run exp.toml --only 'scal*#0'        some of the runs
  tucrl run exp.toml --only '=taxi tucrl #3' one of them
  tucrl run exp.toml --cells 3,17,40-59      those of these lines of --list
  tucrl run exp.toml --list --json           their numbers, names and steps
  tucrl run exp.toml --shard 2/3 --out /net/exp   on the second of three machines

The smallest experiment:
  name = \"first\"
  steps = 1e6
  seeds = 20
  worlds = [\"three-state:delta=0\"]
  agents = [\"tucrl:alpha=0.05\", \"ucrl:alpha=0.05\"]

Finished runs are kept; unfinished runs are checkpointed and resume with
bit-identical results. Several processes may share a directory.
docs/experiments.md has all keys and the file format.

Ctrl-C checkpoints all unfinished runs and exits with 130; a run that fails is
recorded with its error, the others continue, and the exit code is 1. An error that
would hit every run of an agent in a world is refused before the first. Where the
standard error is no terminal it gets a line of progress every minute, or every
TUCRL_LOG_SECONDS.";

#[derive(Debug, Args)]
pub(crate) struct League {
    /// The experiment, a TOML file
    pub(crate) experiment: PathBuf,
    /// The directory of the results [default: out/<name>]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The page to write, in Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// A second page: which agent to use
    #[arg(long, value_name = "FILE", requires = "to")]
    pub(crate) guide: Option<PathBuf>,
    /// Which regret is shown, ranked and compared; gap regret needs the optimal gain of the world
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Shown::Gap)]
    pub(crate) regret: Shown,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The experiment, a TOML file
    pub(crate) experiment: PathBuf,
    /// The directory of the results [default: out/<name>]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
    /// Continue the results in the directory; without this flag existing results are an error
    #[arg(long)]
    pub(crate) resume: bool,
    /// Only runs whose `world label #run` contains this pattern; * matches anything; after = the whole of it
    #[arg(long, value_name = "PATTERN")]
    pub(crate) only: Option<String>,
    /// Only the runs of these lines of --list, as in 3,17,40-59; implies --resume
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) cells: Option<Numbers>,
    /// Only the i-th of n parts, for several machines; implies --resume
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(usize, usize)>,
    /// List the runs without running them
    #[arg(long)]
    pub(crate) list: bool,
    /// List them as JSON, with their numbers and names
    #[arg(long, requires = "list")]
    pub(crate) json: bool,
    /// Repeat runs that failed
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Seconds between checkpoints of a run
    #[arg(long, value_name = "S", default_value_t = 20.0, allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) checkpoint_seconds: f64,
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// Names of claims, or fig3 for those of a figure of the paper [default: all]; `--plan` lists them
    #[arg(value_name = "CLAIM")]
    pub(crate) claims: Vec<String>,
    /// Size of the experiments
    #[arg(long, value_enum, default_value_t = ReproduceScale::Quick)]
    pub(crate) scale: ReproduceScale,
    /// The directory of the results [default: out/reproduce, or out/reproduce-paper]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub(crate) jobs: Option<u16>,
    /// Show what would run, with estimated times, and exit
    #[arg(long)]
    pub(crate) plan: bool,
    /// Print the verdicts as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A kind of regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shown {
    /// The sum of the Bellman gaps of the pairs played: no noise of rewards and transitions
    Gap,
    /// The optimal gain times steps, minus the rewards
    Realised,
    /// The optimal gain times steps, minus the mean rewards of the pairs played
    Pseudo,
}

impl From<Shown> for Regret {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Gap => Self::Gap,
            Shown::Realised => Self::Realised,
            Shown::Pseudo => Self::Pseudo,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReproduceScale {
    /// Minutes: fewer steps and runs, narrower confidence sets where learning takes long
    Quick,
    /// Hours: 20 runs, the paper's shrink factors
    Paper,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The directory of an experiment
    pub(crate) directory: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_well_formed() {
        super::Arguments::command().debug_assert();
    }
}
