//! What must be known of a world before agents learn it?
//!
//! The model, the truth that regret is measured against, and what algorithms may know. They are computed once per
//! world, however many cells it has.

use std::sync::Arc;

use tucrl::learner::Setting;
use tucrl::model::Model;
use tucrl::truth::{Truth, Watch};

use super::{Experiment, ExperimentError, ExperimentProblem, Place};
use crate::warnings;

/// A world that is ready to be learned.
#[derive(Debug, Clone)]
pub struct PreparedWorld {
    /// The world itself.
    pub model: Model,
    /// What is known exactly about it.
    pub truth: Arc<Truth>,
    /// What algorithms may know of it.
    pub setting: Setting,
}

impl Experiment {
    /// Builds and solves one of the worlds, and checks the agents against it.
    ///
    /// # Errors
    /// When an option of the world or of an agent is refused, or the world cannot be solved.
    pub fn prepare(
        &self,
        index: usize,
        watch: &dyn Watch,
    ) -> Result<PreparedWorld, ExperimentError> {
        let world = &self.worlds[index];
        watch.begin("building the world");
        let mut options = self.read_options.clone();
        options.reward_range = world.reward_range.or(options.reward_range);
        let opened = world.world.open(&options);
        let model = opened.map_err(|error| self.fault(&world.place, error.into()))?;
        let mut setting = Setting {
            space: model.space(),
            r_max: model.r_max(),
            steps: world.steps,
            knowledge: Default::default(),
        };
        for agent in &self.agents {
            let checked = agent.agent.check(&setting);
            checked.map_err(|error| self.fault(&agent.place, error.into()))?;
        }
        let truth = Truth::within(&model, self.search_limit, watch);
        let truth = Arc::new(truth.map_err(|error| self.fault(&world.place, error.into()))?);
        setting.knowledge = truth.knowledge(&model);
        Ok(PreparedWorld { model, truth, setting })
    }

    /// What should be known before some agents learn a prepared world.
    pub fn warnings(
        &self,
        prepared: &PreparedWorld,
        agents: impl IntoIterator<Item = usize>,
    ) -> Vec<String> {
        let facts = prepared.truth.facts();
        let lost = (!facts.start_is_recoverable).then(|| warnings::NOT_RECOVERABLE.to_owned());
        let short = agents.into_iter().filter_map(|agent| {
            let agent = &self.agents[agent].agent;
            warnings::too_short(agent, &prepared.setting, facts.reachable)
        });
        lost.into_iter().chain(short).collect()
    }

    fn fault(&self, place: &Place, problem: ExperimentProblem) -> ExperimentError {
        let problem = Box::new(problem);
        match self.path.clone() {
            Some(path) => {
                let Place { line, key } = place.clone();
                ExperimentError::Key { path, line, key, problem }
            }
            None => ExperimentError::Plain { problem },
        }
    }
}
