//! What must be known of a world before agents can be sent into it?
//!
//! The model, the truth that regret is measured against, and the facts that every record repeats.
//! They are computed once per world, however many cells it has.

use std::sync::Arc;

use tucrl::agents::Algorithm;
use tucrl::mdp::Mdp;
use tucrl::run::Truth;
use tucrl::space::Space;

use super::{Experiment, ExperimentError, ExperimentProblem, Place};
use crate::agent_catalogue::Context;
use crate::formats::ReadOptions;
use crate::inspection::Watch;
use crate::learning;
use crate::record::WorldFacts;

/// A world that is ready to be learned.
#[derive(Debug, Clone)]
pub struct PreparedWorld {
    /// The model.
    pub mdp: Arc<Mdp>,
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
        let built = world.world.build(&ReadOptions::default());
        let mdp = built.map_err(|error| self.fault(&world.place, error.into()))?;
        let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        let context = Context { space: &space, r_max: mdp.r_max(), steps: world.steps };
        let mut algorithms = Vec::new();
        for agent in &self.agents {
            let algorithm = agent.agent.algorithm(&context);
            algorithms.push(algorithm.map_err(|error| self.fault(&agent.place, error.into()))?);
        }
        watch.begin("optimal gain");
        let solved = learning::truth(&mdp);
        let (truth, facts) = solved.map_err(|error| self.fault(&world.place, error.into()))?;
        Ok(PreparedWorld { mdp: Arc::new(mdp), space, truth, facts, algorithms })
    }

    fn fault(&self, place: &Place, problem: ExperimentProblem) -> ExperimentError {
        let Place { line, key } = place.clone();
        let problem = Box::new(problem);
        ExperimentError::Key { path: self.path.clone(), line, key, problem }
    }
}
