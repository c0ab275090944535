//! `tucrl learn`: how do agents fare in a world they do not know?
//!
//! An experiment in memory, with one world. Every agent makes the same number of runs; run r of one agent faces the
//! same random stream of the world as run r of another. All runs share the threads; results do not depend on how
//! many there are.

mod explain;
mod lines;
mod table;

use std::collections::BTreeMap;

use anyhow::anyhow;
use tucrl::truth::Facts;
use tucrl_lab::experiment::with_span;
use tucrl_lab::names::{Problem, SpecError};
use tucrl_lab::runner::{Ending, Outcome};
use tucrl_lab::stats::Regret;
use tucrl_lab::warnings::remarks;
use tucrl_lab::{Catalogue, Experiment, InMemory, NamedAgent, execute};

use explain::Asking;

use super::board::Board;
use super::progress::Progress;
use super::{Answer, FAILURE, INTERRUPTED, SUCCESS, stop_on_interrupt, use_threads};
use crate::cli::Learn;

/// The runs of an experiment with one world, by agent and then by run; a run that was not started has no outcome.
struct Learned<'a> {
    experiment: &'a Experiment,
    facts: &'a Facts,
    /// The regret that is shown.
    shown: Regret,
    outcomes: &'a [Option<Outcome>],
    /// What run 0 of an agent says, by cell; empty if it is not asked.
    answers: &'a BTreeMap<usize, explain::Answer>,
}

pub(super) fn run(ask: &Learn, catalogue: &Catalogue) -> anyhow::Result<Answer> {
    let specs: Vec<&str> = match ask.agents.as_slice() {
        [] => vec!["tucrl"],
        specs => specs.iter().map(String::as_str).collect(),
    };
    let (world, options) = (catalogue.world(&ask.source.world)?, ask.source.options());
    let refused = |error: SpecError| {
        if let Problem::SeveralNames { names, .. } = &*error.problem {
            let flags: Vec<String> = names.iter().map(|name| format!("--agent {name}")).collect();
            return anyhow!("--agent takes one agent: write {}", flags.join(" "));
        }
        with_span(error, &world, &options, ask.limit).into()
    };
    let agents = specs.into_iter().map(|spec| catalogue.labelled_agent(spec).map_err(&refused));
    let agents = agents.collect::<Result<_, _>>()?;
    let mut experiment = Experiment::new(InMemory {
        world,
        agents,
        steps: ask.steps,
        seeds: ask.seeds.into(),
        master_seed: ask.seed,
        checkpoints: ask.checkpoints,
        exploration: ask.exploration,
    })?;
    experiment.read_options = options;
    experiment.search_limit = ask.limit;
    use_threads(ask.jobs)?;
    let cells = experiment.cells();
    let progress = Progress::new();
    let worlds = execute::prepare(&experiment, &cells, &progress)?;
    drop(progress);
    let prepared = &worlds[&0];
    for warning in experiment.warnings(prepared, 0..experiment.agents.len()) {
        super::say("warning", &warning);
    }
    let board = Board::new(cells.iter().map(|cell| &cell.id), stop_on_interrupt()?);
    let asking = Asking::new(&board, ask.explain);
    let outcomes = execute::run_in_memory(&experiment, &cells, &worlds, &asking);
    let answers = asking.into_answers();
    drop(board);
    let facts = prepared.truth.facts();
    let asked = Regret::from(ask.regret);
    let has_gaps = facts.bellman_residual.is_some();
    let shown = if asked == Regret::Gap && !has_gaps { Regret::Realised } else { asked };
    let (experiment, outcomes, answers) = (&experiment, &outcomes[..], &answers);
    let learned = Learned { experiment, facts, shown, outcomes, answers };
    let code = learned.report();
    let text = match ask.json {
        true => lines::lines(&learned, ask.episodes)?,
        false => {
            let explained = ask.explain.map(|asked| explain::text(asked, learned.explained()));
            table::page(&learned)? + &explained.transpose()?.unwrap_or_default()
        }
    };
    Ok(Answer { text, code })
}

impl<'a> Learned<'a> {
    fn steps(&self) -> u64 {
        self.experiment.worlds[0].steps
    }

    /// The agents with the outcomes of their runs.
    fn by_agent(&self) -> impl Iterator<Item = (&'a NamedAgent, &'a [Option<Outcome>])> {
        let agents = self.experiment.agents.iter().map(|agent| &agent.agent);
        agents.zip(self.outcomes.chunks(self.experiment.seeds as usize))
    }

    /// The agents with what their run 0 says.
    fn explained(&self) -> impl Iterator<Item = (&'a NamedAgent, &'a explain::Answer)> {
        let (answers, seeds) = (self.answers, self.experiment.seeds as usize);
        let agents = self.experiment.agents.iter().enumerate();
        agents
            .filter_map(move |(index, agent)| Some((&agent.agent, answers.get(&(index * seeds))?)))
    }

    /// Whether all runs are complete.
    fn is_complete(&self) -> bool {
        let is_complete = |outcome: &Outcome| outcome.ending == Ending::Complete;
        self.outcomes.iter().all(|outcome| outcome.as_ref().is_some_and(is_complete))
    }

    /// Reports which runs failed; the exit code follows from how they all ended.
    fn report(&self) -> u8 {
        let (mut code, mut is_stopped) = (SUCCESS, false);
        for (agent, outcomes) in self.by_agent() {
            let numbered = (0..).zip(outcomes);
            let records =
                numbered.filter_map(|(run, outcome)| Some((run, &outcome.as_ref()?.record)));
            for remark in remarks(&agent.label(), records) {
                super::say("warning", &remark);
            }
            for (run, outcome) in outcomes.iter().enumerate() {
                match outcome.as_ref().map(|outcome| &outcome.ending) {
                    Some(Ending::Complete) => {}
                    Some(Ending::Stopped) | None => is_stopped = true,
                    Some(Ending::Failed(error)) => {
                        super::say("error", &format!("{}, run {run}: {error}", agent.label()));
                        code = FAILURE;
                    }
                }
            }
        }
        if is_stopped { INTERRUPTED } else { code }
    }
}
