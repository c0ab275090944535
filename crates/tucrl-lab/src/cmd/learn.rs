//! `tucrl learn`: how do agents fare in a world they do not know?
//!
//! Every agent makes the same number of runs; run r of one agent faces the same random stream of the
//! world as run r of another. All runs share the threads; the answer does not depend on how many.

mod lines;
mod table;

use std::process::ExitCode;

use anyhow::bail;
use tucrl::agents::Algorithm;
use tucrl::model::Model;
use tucrl::run::{Checkpoints, RunSpec, Truth};
use tucrl_lab::agent_catalogue::{Context, NamedAgent};
use tucrl_lab::catalogue::World;
use tucrl_lab::inspection::Watch;
use tucrl_lab::measure::{self, Measured};
use tucrl_lab::record::Against;
use tucrl_lab::runner::{self, Ending, Outcome};

use super::board::Board;
use super::progress::Progress;
use super::warnings::{NOT_RECOVERABLE, too_short};
use super::{Answer, INTERRUPTED, stop_on_interrupt, use_threads};
use crate::cli::Learn;

/// What the answer is about.
struct Experiment {
    world: String,
    states: u64,
    truth: Truth,
    against: Against,
    agents: Vec<(String, Algorithm)>,
    steps: u64,
    seeds: u32,
    master_seed: u64,
}

pub(super) fn run(ask: &Learn) -> anyhow::Result<Answer> {
    let agents = named_agents(&ask.agents)?;
    use_threads(ask.jobs)?;
    let world = World::parse(&ask.source.world)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let model = world.open(&ask.source.options())?;
    let space = model.space();
    let context = Context { space: &space, r_max: model.r_max(), steps: ask.steps };
    let algorithms: Vec<Algorithm> =
        agents.iter().map(|agent| agent.algorithm(&context)).collect::<Result<_, _>>()?;
    let Measured { model, truth, facts } = measure::measure(model, ask.limit, &progress)?;
    drop(progress);
    if !facts.start_is_recoverable {
        super::say("warning", NOT_RECOVERABLE);
    }
    for (agent, algorithm) in agents.iter().zip(&algorithms) {
        if let Some(warning) = too_short(agent, algorithm, &space, truth.reachable, ask.steps) {
            super::say("warning", &warning);
        }
    }
    let experiment = Experiment {
        world: world.to_string(),
        states: space.states(),
        truth,
        against: facts.against,
        agents: agents.iter().map(ToString::to_string).zip(algorithms).collect(),
        steps: ask.steps,
        seeds: ask.seeds,
        master_seed: ask.seed,
    };
    let outcomes = experiment.run(&model, ask.checkpoints)?;
    let code = report(&experiment, &outcomes);
    let answer = match ask.json {
        true => lines::lines(&experiment, &outcomes, ask.episodes)?,
        false => table::page(&experiment, &outcomes)?,
    };
    Ok(Answer { text: answer, code })
}

fn named_agents(specs: &[String]) -> anyhow::Result<Vec<NamedAgent>> {
    let default = ["tucrl".to_string()];
    let specs = if specs.is_empty() { &default } else { specs };
    let mut agents: Vec<NamedAgent> = Vec::new();
    for spec in specs {
        let agent = NamedAgent::parse(spec)?;
        let name = agent.to_string();
        if agents.iter().any(|earlier| earlier.to_string() == name) {
            bail!("the agent {name} is given twice: keep one of them");
        }
        agents.push(agent);
    }
    Ok(agents)
}

impl Experiment {
    fn run(&self, model: &Model, per_decade: u32) -> anyhow::Result<Vec<Outcome>> {
        let mut times = Checkpoints::PerDecade(per_decade).times(self.steps);
        // Where growth over the last decade is measured from.
        times.push(self.steps / 10);
        let checkpoints = Checkpoints::At(Checkpoints::At(times).times(self.steps));
        let cell = |algorithm: &Algorithm, run| RunSpec {
            algorithm: algorithm.clone(),
            steps: self.steps,
            checkpoints: checkpoints.clone(),
            master_seed: self.master_seed,
            run,
        };
        let runs = 0..u64::from(self.seeds);
        let cells: Vec<RunSpec> = self
            .agents
            .iter()
            .flat_map(|(_, algorithm)| runs.clone().map(move |run| cell(algorithm, run)))
            .collect();
        let names = self.agents.iter().flat_map(|(name, _)| {
            let runs = runs.clone();
            runs.map(move |run| (Board::name(name, run), self.steps))
        });
        let board = Board::new(names, stop_on_interrupt()?);
        Ok(runner::run_all(model.clone(), &self.truth, &cells, &board))
    }

    /// The outcomes of each agent, by name.
    fn by_agent<'a>(
        &'a self,
        outcomes: &'a [Outcome],
    ) -> impl Iterator<Item = (&'a (String, Algorithm), &'a [Outcome])> {
        self.agents.iter().zip(outcomes.chunks(self.seeds as usize))
    }
}

/// Says which runs failed; the exit code follows from how they all ended.
fn report(experiment: &Experiment, outcomes: &[Outcome]) -> ExitCode {
    let (mut code, mut is_stopped) = (ExitCode::SUCCESS, false);
    for ((name, _), outcomes) in experiment.by_agent(outcomes) {
        for (run, outcome) in outcomes.iter().enumerate() {
            match &outcome.ending {
                Ending::Complete => {}
                Ending::Stopped => is_stopped = true,
                Ending::Failed(error) => {
                    super::say("error", &format!("{name}, run {run}: {error}"));
                    code = ExitCode::FAILURE;
                }
            }
        }
    }
    if is_stopped { ExitCode::from(INTERRUPTED) } else { code }
}
