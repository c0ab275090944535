//! What must be known of a world before agents can be sent into it?
//!
//! The model, the truth that regret is measured against, and the facts that every record repeats.
//! They are computed once per world, however many cells it has.

use tucrl::agents::Algorithm;
use tucrl::model::Model;
use tucrl::run::Truth;
use tucrl::space::Space;

use super::{Experiment, ExperimentError, ExperimentProblem, Place};
use crate::agent_catalogue::Context;
use crate::formats::ReadOptions;
use crate::inspection::Watch;
use crate::measure::{LIMIT, Measured, measure};
use crate::record::WorldFacts;

/// A world that is ready to be learned.
#[derive(Debug, Clone)]
pub struct PreparedWorld {
    /// The world itself.
    pub model: Model,
    /// What learners may know of it.
    pub space: Space,
    /// What regret is measured against.
    pub truth: Truth,
    /// What is true of it.
    pub facts: WorldFacts,
    /// The agents of the experiment, with the options that they have here.
    pub algorithms: Vec<Algorithm>,
}

impl Experiment {
    /// Builds and solves one of the worlds.
    ///
    /// # Errors
    /// When a value of the world or of an agent is out of range, or the world cannot be solved.
    pub fn prepare(
        &self,
        index: usize,
        watch: &dyn Watch,
    ) -> Result<PreparedWorld, ExperimentError> {
        let world = &self.worlds[index];
        watch.begin("building the world");
        let opened = world.world.open(&ReadOptions::default());
        let model = opened.map_err(|error| self.fault(&world.place, error.into()))?;
        let space = model.space();
        let context = Context { space: &space, r_max: model.r_max(), steps: world.steps };
        let mut algorithms = Vec::new();
        for agent in &self.agents {
            let algorithm = agent.agent.algorithm(&context);
            algorithms.push(algorithm.map_err(|error| self.fault(&agent.place, error.into()))?);
        }
        let measured = measure(model, LIMIT, watch);
        let measured = measured.map_err(|error| self.fault(&world.place, error.into()))?;
        let Measured { model, truth, facts } = measured;
        Ok(PreparedWorld { model, space, truth, facts, algorithms })
    }

    fn fault(&self, place: &Place, problem: ExperimentProblem) -> ExperimentError {
        let Place { line, key } = place.clone();
        let problem = Box::new(problem);
        ExperimentError::Key { path: self.path.clone(), line, key, problem }
    }
}
