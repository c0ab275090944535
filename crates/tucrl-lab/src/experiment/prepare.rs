//! What must be known of a world before agents learn it?
//!
//! The model, the truth that regret is measured against, and what algorithms may know. They are computed once per
//! world, however many cells it has.

use std::sync::Arc;

use tucrl::error::ModelError;
use tucrl::learner::Setting;
use tucrl::mdp::Mdp;
use tucrl::model::Model;
use tucrl::truth::{Truth, Watch};

use super::{
    Experiment, ExperimentAgent, ExperimentError, ExperimentProblem, ExperimentWorld, Place,
};
use crate::catalogue::World;
use crate::formats::ReadOptions;
use crate::names::SpecError;
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
    /// Why it could not be built or solved; its runs then fail with this message, and the other fields stand for
    /// nothing.
    pub failure: Option<String>,
}

impl PreparedWorld {
    /// A world whose runs all fail.
    ///
    /// # Errors
    /// Never for the model used here.
    pub(crate) fn failed(steps: u64, failure: String) -> Result<Self, ModelError> {
        let mut builder = Mdp::builder();
        builder.state().action(0.0, [(0, 1.0)]).start_at(0);
        let model = Model::from(builder.build()?);
        let (space, r_max) = (model.space(), model.r_max());
        let setting = Setting { space, r_max, steps, knowledge: Default::default() };
        let truth = Arc::new(Truth::unavailable());
        Ok(Self { model, truth, setting, failure: Some(failure) })
    }
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
        Ok(PreparedWorld { model, truth, setting, failure: None })
    }

    /// Checks that agents can start in one of the worlds.
    ///
    /// # Errors
    /// The first that cannot: all its runs would fail alike.
    pub fn check_start(
        &self,
        index: usize,
        prepared: &PreparedWorld,
        agents: impl IntoIterator<Item = usize>,
    ) -> Result<(), ExperimentError> {
        let PreparedWorld { model, setting, .. } = prepared;
        for agent in agents {
            let ExperimentAgent { agent, place, .. } = &self.agents[agent];
            agent.check_start(setting, model).map_err(|error| {
                let world = self.worlds[index].world.to_string();
                self.fault(place, ExperimentProblem::Start { world, error })
            })?;
        }
        Ok(())
    }

    /// What should be known before some agents learn a prepared world.
    pub fn warnings(
        &self,
        prepared: &PreparedWorld,
        agents: impl IntoIterator<Item = usize>,
    ) -> Vec<String> {
        if prepared.failure.is_some() {
            return Vec::new();
        }
        let facts = prepared.truth.facts();
        let lost = (!facts.start_is_recoverable).then(|| warnings::NOT_RECOVERABLE.to_owned());
        let uncertain = warnings::uncertain_regret(facts, prepared.setting.steps);
        let short = agents.into_iter().filter_map(|agent| {
            let agent = &self.agents[agent].agent;
            warnings::too_short(agent, &prepared.setting, facts.reachable)
        });
        lost.into_iter().chain(uncertain).chain(short).collect()
    }

    pub(crate) fn fault_of_world(
        &self,
        index: usize,
        problem: ExperimentProblem,
    ) -> ExperimentError {
        self.fault(&self.worlds[index].place, problem)
    }

    /// The world with the largest span of the optimal bias over its reachable states, and that span; worlds that
    /// cannot be solved are left out.
    pub(super) fn largest_span(&self) -> Option<(String, f64)> {
        let mut largest: Option<(String, f64)> = None;
        for ExperimentWorld { world, .. } in &self.worlds {
            let name = if self.worlds.len() == 1 { "this world".into() } else { world.to_string() };
            if let Some(span) = span(world, &self.read_options, self.search_limit)
                && largest.as_ref().is_none_or(|(_, most)| span > *most)
            {
                largest = Some((name, span));
            }
        }
        largest
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

/// The span of the optimal bias over the reachable states of a world, if it can be computed.
fn span(world: &World, options: &ReadOptions, search_limit: usize) -> Option<f64> {
    let truth = Truth::within(&world.open(options).ok()?, search_limit, &()).ok()?;
    let facts = truth.facts();
    // The span of a policy that may be far from optimal is no advice.
    let is_known =
        facts.baseline.is_optimal() && facts.gain_error <= 1e-6 * facts.reward_range().width();
    Some(facts.span_reachable).filter(|span| is_known && span.is_finite())
}

/// Adds to the error of an agent that lacks a bound on the span what the span of the world is.
///
/// The world is solved only if that is what is missing.
pub fn with_span(
    error: SpecError,
    world: &World,
    options: &ReadOptions,
    search_limit: usize,
) -> SpecError {
    match error.lacks_span_bound().then(|| span(world, options, search_limit)).flatten() {
        Some(span) => error.with_span("this world", span),
        None => error,
    }
}
