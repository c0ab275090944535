//! What comes of agents that learn one world, without leaving anything on disk?
//!
//! The same cells as those of `tucrl learn`: every agent makes the same number of runs, and run r of one
//! agent faces the same random stream of the world as run r of another. The outcome is a list of records
//! like those of an experiment, so that `stats` and `report` read them as they read stored ones.
//!
//! Reads `agent_catalogue`, `runner`, `record`; feeds the Python package.

use std::time::Duration;

use thiserror::Error;
use tucrl::agents::Algorithm;
use tucrl::model::Model;
use tucrl::run::{Checkpoints, RunSpec, Truth};
use tucrl::space::Space;

use crate::agent_catalogue::{Context, NamedAgent, NamedAgentError};
use crate::cmd::warnings;
use crate::measure::{self, MeasureError, Measured};
use crate::names::SpecError;
use crate::record::{Provenance, StoredRun, WorldFacts};
use crate::runner::{self, Ending, Watch};

/// What records of such runs call their experiment.
const NAME: &str = "learn";

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// What the world is called.
    pub world: String,
    /// The world itself.
    pub model: Model,
    /// The specs of the agents.
    pub agents: Vec<String>,
    /// How many steps each run takes.
    pub steps: u64,
    /// How many runs each agent makes.
    pub seeds: u64,
    /// The seed that all runs draw from.
    pub master_seed: u64,
    /// How many times a decade regret is written down.
    pub checkpoints: u32,
}

/// A lesson whose world is solved and whose agents are ready.
#[derive(Debug, Clone)]
pub struct Learning {
    lesson: Lesson,
    agents: Vec<(NamedAgent, Algorithm)>,
    space: Space,
    truth: Truth,
    facts: WorldFacts,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The runs that ended, by agent and then by number; failed ones have an error.
    pub runs: Vec<StoredRun>,
    /// When, where and how fast they were made.
    pub provenance: Provenance,
    /// Whether some were stopped before their end, and are not among them.
    pub is_stopped: bool,
}

/// Why nothing could be learned.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearningError {
    /// The spec of an agent.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An option of an agent.
    #[error(transparent)]
    Agent(#[from] NamedAgentError),
    /// The world cannot be solved or searched.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// An agent that is named twice.
    #[error("the agent {name} is given twice: keep one of them")]
    Twice {
        /// Its spec.
        name: String,
    },
    /// No agents.
    #[error("there is no agent: name at least one, such as \"tucrl\"")]
    NoAgents,
}

impl Learning {
    /// Solves the world and makes the agents ready.
    ///
    /// # Errors
    /// When an agent is unknown, out of range or named twice, or the world cannot be solved.
    pub fn new(lesson: Lesson) -> Result<Self, LearningError> {
        let space = lesson.model.space();
        let r_max = lesson.model.r_max();
        let context = Context { space: &space, r_max, steps: lesson.steps };
        let mut agents: Vec<(NamedAgent, Algorithm)> = Vec::new();
        for spec in &lesson.agents {
            let agent = NamedAgent::parse(spec)?;
            let name = agent.to_string();
            if agents.iter().any(|(earlier, _)| earlier.to_string() == name) {
                return Err(LearningError::Twice { name });
            }
            let algorithm = agent.algorithm(&context)?;
            agents.push((agent, algorithm));
        }
        if agents.is_empty() {
            return Err(LearningError::NoAgents);
        }
        let measured = measure::measure(lesson.model.clone(), measure::LIMIT, &())?;
        let Measured { model, truth, facts } = measured;
        Ok(Self { agents, space, truth, facts, lesson: Lesson { model, ..lesson } })
    }

    /// What should be known before a long computation begins.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = Vec::new();
        if !self.facts.start_is_recoverable {
            all.push(warnings::NOT_RECOVERABLE.to_owned());
        }
        let (reachable, steps) = (self.truth.reachable, self.lesson.steps);
        all.extend(self.agents.iter().filter_map(|(agent, algorithm)| {
            warnings::too_short(agent, algorithm, &self.space, reachable, steps)
        }));
        all
    }

    /// How many runs there are.
    pub fn cells(&self) -> usize {
        self.agents.len() * self.lesson.seeds as usize
    }

    /// Runs all cells on the threads of the current rayon pool.
    pub fn run(&self, watch: &dyn Watch) -> Learned {
        let Lesson { steps, seeds, master_seed, .. } = self.lesson;
        let mut times = Checkpoints::PerDecade(self.lesson.checkpoints).times(steps);
        // Where growth over the last decade is measured from.
        times.push(steps / 10);
        let checkpoints = Checkpoints::At(Checkpoints::At(times).times(steps));
        let cell = |algorithm: &Algorithm, run| RunSpec {
            algorithm: algorithm.clone(),
            steps,
            checkpoints: checkpoints.clone(),
            master_seed,
            run,
        };
        let agents = self.agents.iter().flat_map(|agent| (0..seeds).map(move |run| (agent, run)));
        let agents: Vec<(&(NamedAgent, Algorithm), u64)> = agents.collect();
        let cells: Vec<RunSpec> =
            agents.iter().map(|((_, algorithm), run)| cell(algorithm, *run)).collect();
        let outcomes = runner::run_all(self.lesson.model.clone(), &self.truth, &cells, watch);
        let (mut simulate, mut plan) = (Duration::ZERO, Duration::ZERO);
        let (mut runs, mut is_stopped) = (Vec::new(), false);
        for ((((agent, _), _), spec), outcome) in agents.into_iter().zip(cells).zip(outcomes) {
            simulate += outcome.simulate;
            plan += outcome.plan;
            let error = match outcome.ending {
                Ending::Complete => None,
                Ending::Failed(error) => Some(error.to_string()),
                Ending::Stopped => {
                    is_stopped = true;
                    continue;
                }
            };
            runs.push(StoredRun {
                experiment: NAME.into(),
                world: self.lesson.world.clone(),
                agent: agent.to_string(),
                label: agent.to_string(),
                spec,
                facts: self.facts.clone(),
                record: outcome.record,
                error,
            });
        }
        Learned { runs, provenance: Provenance::now(1, simulate, plan), is_stopped }
    }
}
