//! What is regret measured against?
//!
//! Against the optimal gain, wherever it can be had: of a table by solving it, of a world without a table by
//! searching for its reachable states and solving the table of those. Where too many states are reachable, the
//! yardstick is the best policy among those that stay with the states that were found, a certified lower bound
//! on the optimal gain; and where nothing can be listed there is none, and the rewards speak for themselves.
//! Which of the three it was stands in the facts of every record ([`Against`]).
//!
//! Reads `tucrl::{explore, solve, structure}`; feeds the commands `learn` and `run`.

use std::sync::Arc;

use thiserror::Error;
use tucrl::error::SolveError;
use tucrl::explore::{self, Exploration, ExploreError};
use tucrl::generator::{Generator, GeneratorError};
use tucrl::mdp::Mdp;
use tucrl::model::Model;
use tucrl::policy::Policy;
use tucrl::run::Truth;
use tucrl::{solve, structure};

use crate::inspection::Watch;
use crate::record::{Against, WorldFacts};

/// So many reachable states are searched for, unless told otherwise, before agents learn.
pub const LIMIT: usize = 1_000_000;

/// A world with the truth about it.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The world.
    pub model: Model,
    /// What regret is measured against.
    pub truth: Truth,
    /// What is known of it.
    pub facts: WorldFacts,
}

/// Why the truth could not be had.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The world could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The world could not be searched.
    #[error(transparent)]
    Explore(#[from] ExploreError),
}

/// Finds out what regret is measured against; of a world without a table up to `limit` states are looked at.
///
/// # Errors
/// When the world's rule is wrong, or the solver gives up.
pub fn measure(model: Model, limit: usize, watch: &dyn Watch) -> Result<Measured, MeasureError> {
    match model {
        Model::Generated { generator, .. } => measure_generated(generator, limit, watch),
        Model::Table(mdp) => {
            let (truth, facts) = of_table(&mdp, watch)?;
            Ok(Measured { model: Model::Table(mdp), truth, facts })
        }
        Model::Padded(mdp, states) => {
            let (truth, mut facts) = of_table(&mdp, watch)?;
            facts.states = states;
            Ok(Measured { model: Model::Padded(mdp, states), truth, facts })
        }
        // The enumeration may grow; nothing else can be had of what is not known here.
        other => Ok(Measured { truth: unknown_truth(), facts: unmeasured(&other), model: other }),
    }
}

fn of_table(mdp: &Mdp, watch: &dyn Watch) -> Result<(Truth, WorldFacts), SolveError> {
    watch.begin("optimal gain");
    let solution = solve::solve(mdp)?;
    let is_reachable = structure::reachable(mdp);
    let reachable = is_reachable.iter().filter(|&&is_reachable| is_reachable).count() as u64;
    let (gain, gain_error) = solution.gain_from_start(mdp);
    let facts = WorldFacts {
        states: mdp.states() as u64,
        actions: mdp.max_actions() as u64,
        reachable,
        class: structure::classify(mdp, &structure::end_components(mdp)).to_string(),
        start_is_recoverable: structure::start_is_recoverable(mdp, &is_reachable),
        gain,
        gain_error,
        span: solution.span(),
        span_reachable: solution.span_within(&is_reachable),
        r_max: mdp.r_max(),
        against: Against::Optimal,
    };
    Ok((Truth { gain, reachable, optimal_policy: solution.policy }, facts))
}

fn measure_generated(
    generator: Arc<dyn Generator>,
    limit: usize,
    watch: &dyn Watch,
) -> Result<Measured, MeasureError> {
    let found = match search(&*generator, limit, watch) {
        Ok(found) => found,
        Err(ExploreError::World(GeneratorError::CannotList)) => {
            let model = Model::Generated { generator, reachable: None };
            return Ok(Measured { truth: unknown_truth(), facts: unmeasured(&model), model });
        }
        Err(error) => return Err(error.into()),
    };
    watch.begin("building the table of what is reachable");
    let table = found.pessimistic_table(&*generator, &|done, of| {
        watch.done(done, of);
        true
    })?;
    let (mut truth, mut facts) = of_table(&table, watch)?;
    let space = generator.space();
    facts.states = space.states();
    facts.actions = u64::from(space.max_actions());
    truth.reachable = found.found() as u64;
    facts.reachable = truth.reachable;
    if found.is_complete() {
        facts.class = format!("{}, of the reachable part", facts.class);
    } else {
        facts.against = Against::BestKnown { explored: found.states.len() as u64 };
        facts.class = "unknown".into();
        // Whether what lies beyond leads back is not known.
        facts.start_is_recoverable = true;
    }
    let model = Model::Generated { generator, reachable: Some(found.states.into()) };
    Ok(Measured { model, truth, facts })
}

/// Searches for the reachable states of a world, and says how far it is.
///
/// # Errors
/// When the world's rule is wrong, or it cannot list what may follow.
pub fn search(
    generator: &dyn Generator,
    limit: usize,
    watch: &dyn Watch,
) -> Result<Exploration, ExploreError> {
    watch.begin("searching reachable states");
    explore::explore(generator, limit, &|progress| {
        watch.done(progress.looked_at, progress.found);
        true
    })
}

fn unknown_truth() -> Truth {
    Truth { gain: 0.0, reachable: 0, optimal_policy: Policy::deterministic([]) }
}

fn unmeasured(model: &Model) -> WorldFacts {
    let space = model.space();
    WorldFacts {
        states: space.states(),
        actions: u64::from(space.max_actions()),
        reachable: 0,
        class: "unknown".into(),
        start_is_recoverable: true,
        gain: 0.0,
        gain_error: 0.0,
        span: 0.0,
        span_reachable: 0.0,
        r_max: model.r_max(),
        against: Against::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use tucrl::generator::{Outcomes, Tabled};
    use tucrl::rng::RandomStream;
    use tucrl::space::{ActionId, Space, StateId};
    use tucrl::worlds::{Junk, JunkKind, RiverSwim};

    use super::*;

    #[test]
    fn a_table_among_junk_is_measured_as_the_table_alone() {
        let mdp = Arc::new(RiverSwim::default().build().unwrap());
        let plain = measure(Model::from(&mdp), 10, &()).unwrap();
        let junk = Junk::new(Arc::new(Tabled::new(mdp)), 1_000_000_000, JunkKind::Chain).unwrap();
        let world: Arc<dyn Generator> = Arc::new(junk);
        let vast = measure(Model::from(Arc::clone(&world)), 10, &()).unwrap();
        assert_eq!(vast.facts.states, 6_000_000_000);
        assert_eq!((vast.facts.reachable, &vast.facts.against), (6, &Against::Optimal));
        assert_eq!(vast.truth.gain, plain.truth.gain);
        assert_eq!(vast.facts.span, plain.facts.span);
        // With too small a limit it is the best of what is known: 0.005 at the near end.
        let partial = measure(Model::from(world), 3, &()).unwrap();
        assert_eq!(partial.facts.against, Against::BestKnown { explored: 3 });
        assert!((partial.truth.gain - 0.005).abs() < 1e-9);
    }

    #[derive(Debug)]
    struct Dice(Space);

    impl Generator for Dice {
        fn space(&self) -> &Space {
            &self.0
        }
        fn start(&self) -> Vec<(StateId, f64)> {
            vec![(0, 1.0)]
        }
        fn outcomes(&self, _: StateId, _: ActionId, _: &mut Outcomes) {}
        fn sample(&self, _: StateId, _: ActionId, r: &mut RandomStream) -> Option<(f64, StateId)> {
            Some((r.unit(), r.below(self.0.states())))
        }
    }

    #[test]
    fn a_world_that_only_draws_is_not_measured_and_says_so() {
        let world: Arc<dyn Generator> = Arc::new(Dice(Space::uniform(1 << 40, 2)));
        let measured = measure(Model::from(world), 100, &()).unwrap();
        assert_eq!(measured.facts.against, Against::Nothing);
        assert_eq!((measured.truth.gain, measured.facts.states), (0.0, 1 << 40));
    }
}
