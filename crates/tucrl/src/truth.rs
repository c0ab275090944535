//! What is known exactly about a world?
//!
//! [`Truth::of`] solves a table, or searches the reachable states of a generator and solves their table: the gain
//! with its certified error, a bias h*, the Bellman gaps, an optimal policy, the reachable states and the class.
//! Where too many states are reachable, regret is measured against the best policy among those that stay with the
//! states found, a certified lower bound on the optimal gain; where outcomes cannot be listed there is no gain.
//! [`Baseline`] says which of the three it is. [`Facts`] is the part that records keep.
//!
//! Facts are in the world's own units. The solved table counts rewards from the lowest possible one, `low`: its gains
//! are smaller by `low`; biases, spans and gaps are the same.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::episode::KnownMeans;
use crate::error::SolveError;
use crate::explore::{self, Exploration, ExploreError};
use crate::gaps::Gaps;
use crate::generator::{Generator, GeneratorError};
use crate::learner::{Knowledge, RuleOfThumb};
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::Pulse;
use crate::reward::RewardRange;
use crate::solve::{self, Solution};
use crate::space::StateId;
use crate::structure::{self, Class, EndComponents};

/// Reachable states of a generator that are searched for, unless told otherwise.
pub const SEARCH_LIMIT: usize = 1_000_000;

/// Reports which computation is under way and how far it is.
pub trait Watch: Sync {
    /// A computation begins; it ends when the next one begins.
    fn begin(&self, what: &'static str);
    /// How many of its parts are done.
    fn done(&self, parts: usize, of: usize);
}

/// Reports nothing.
impl Watch for () {
    fn begin(&self, _: &'static str) {}
    fn done(&self, _: usize, _: usize) {}
}

/// What regret is measured against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Baseline {
    /// The optimal gain.
    #[default]
    Optimal,
    /// The best policy among those that stay with the states explored before the search was given up: a certified
    /// lower bound on the optimal gain, which may be anything up to the largest reward.
    BestKnown {
        /// How many states were explored.
        explored: u64,
    },
    /// Nothing: the gain is written as 0, and regret is minus the sum of the rewards.
    Nothing,
}

impl Baseline {
    /// True if the gain is the certified optimum.
    pub fn is_optimal(&self) -> bool {
        *self == Self::Optimal
    }

    /// In words, for tables and figures.
    pub fn in_words(&self) -> String {
        match self {
            Self::Optimal => "the optimal gain".into(),
            Self::BestKnown { explored } => format!(
                "the best known policy, which stays with the {explored} states explored; a lower bound"
            ),
            Self::Nothing => "nothing: no gain is known".into(),
        }
    }
}

/// What records keep about a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Nominal number of states.
    pub states: u64,
    /// Largest number of actions.
    pub actions: u64,
    /// States reachable from the start.
    pub reachable: u64,
    /// "communicating", "weakly communicating" or "multichain".
    pub class: String,
    /// Whether the start can be reached back from all of them (the paper's assumption).
    pub start_is_recoverable: bool,
    /// Optimal gain from the start.
    pub gain: f64,
    /// Its certified error.
    pub gain_error: f64,
    /// Span of the optimal bias over all states.
    pub span: f64,
    /// The same over the reachable ones.
    pub span_reachable: f64,
    /// Largest possible reward, counted from the smallest.
    pub r_max: f64,
    /// The smallest and the largest possible reward; absent if they are 0 and `r_max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward_range: Option<RewardRange>,
    /// What the gain is that regret is measured against.
    #[serde(rename = "against", default, skip_serializing_if = "Baseline::is_optimal")]
    pub baseline: Baseline,
    /// By how much a Bellman gap may be wrong; absent where gaps are not known, and in records made before they were
    /// kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bellman_residual: Option<f64>,
}

impl Facts {
    /// The smallest and the largest possible reward.
    pub fn reward_range(&self) -> RewardRange {
        self.reward_range.unwrap_or(RewardRange::up_to(self.r_max))
    }

    /// By how much regret after `steps` steps may be wrong because the gain is: `gain_error` times `steps`; `None`
    /// where that is small, less than a tenth of the largest reward counted from the smallest.
    pub fn regret_error(&self, steps: u64) -> Option<f64> {
        let error = self.gain_error * steps as f64;
        (error > 0.1 * self.r_max).then_some(error)
    }

    /// Whether a report shows rewards besides regret: where no optimal gain is known, and in vast worlds.
    pub fn shows_rewards(&self) -> bool {
        !self.baseline.is_optimal() || self.states > 1_000_000
    }
}

/// What the graph of possible transitions says about a table.
#[derive(Debug, Clone)]
pub struct Structure {
    /// Which states can be reached from the start.
    pub is_reachable: Vec<bool>,
    /// The maximal end components.
    pub end_components: EndComponents,
    /// The class.
    pub class: Class,
    /// Whether the start can be reached back from every reachable state.
    pub start_is_recoverable: bool,
}

impl Structure {
    /// Of a table.
    pub fn of(mdp: &Mdp) -> Self {
        let is_reachable = structure::reachable(mdp);
        let end_components = structure::end_components(mdp);
        Self {
            class: structure::classify(mdp, &end_components),
            start_is_recoverable: structure::start_is_recoverable(mdp, &is_reachable),
            is_reachable,
            end_components,
        }
    }

    /// How many states can be reached.
    pub fn reachable(&self) -> u64 {
        self.is_reachable.iter().filter(|&&is_reachable| is_reachable).count() as u64
    }

    /// The states of the maximal end component that can be reached; `None` if there are several such components.
    pub fn only_reachable_component(&self) -> Option<&[u32]> {
        let members = self.end_components.members().iter();
        let mut found = members.filter(|members| self.is_reachable[members[0] as usize]);
        found.next().filter(|_| found.next().is_none()).map(Vec::as_slice)
    }
}

/// The table of a world or of its reachable part, solved.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The table.
    pub table: Arc<Mdp>,
    /// Its structure.
    pub structure: Structure,
    /// Gains, bias and policy, by number of the table; gains are counted from the lowest possible reward.
    pub solution: Solution,
    /// The states that the table numbers, increasing; `None` when state `i` is number `i`.
    pub states: Option<Arc<[StateId]>>,
}

/// What is known exactly about a world.
#[derive(Debug, Clone)]
pub struct Truth {
    facts: Facts,
    /// The gain that regret is measured against, counted from the lowest possible reward.
    gain: f64,
    solved: Option<Solved>,
    gaps: Option<Arc<Gaps>>,
}

/// Why the truth could not be computed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TruthError {
    /// The table could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The generator could not be searched.
    #[error(transparent)]
    Explore(#[from] ExploreError),
}

impl Truth {
    /// Of a world; of a generator up to [`SEARCH_LIMIT`] states are searched.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tucrl::{Truth, worlds::ThreeState};
    /// let mdp = Arc::new(ThreeState { delta: 0.0, ..ThreeState::default() }.build()?);
    /// let truth = Truth::of(&mdp.into())?;
    /// assert!((truth.gain() - 2.0 / 3.0).abs() <= truth.gain_error());
    /// assert_eq!((truth.facts().reachable, truth.facts().states), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the generator is wrong, or the solver does not converge.
    pub fn of(model: &Model) -> Result<Self, TruthError> {
        Self::within(model, SEARCH_LIMIT, &())
    }

    /// The same with another limit of the search, and reports of progress.
    ///
    /// # Errors
    /// As [`Truth::of`].
    pub fn within(model: &Model, limit: usize, watch: &dyn Watch) -> Result<Self, TruthError> {
        match model {
            Model::Table(mdp) => Ok(Self::of_table(Arc::clone(mdp), watch)?),
            Model::Generated(generator) => Self::of_generator(model, &**generator, limit, watch),
        }
    }

    /// Of a table.
    ///
    /// # Errors
    /// When the solver does not converge.
    pub fn of_table(mdp: Arc<Mdp>, watch: &dyn Watch) -> Result<Self, SolveError> {
        watch.begin("optimal gain");
        let solution = solve::solve(&mdp)?;
        let structure = Structure::of(&mdp);
        if Pulse::is_stopped() {
            return Err(SolveError::Interrupted { what: "the structure" });
        }
        let (gain, error) = solution.gain_from_start(&mdp);
        let range = mdp.reward_range();
        let (own_gain, gain_error) = Self::in_own_units(&mdp, (gain, error));
        let gaps = Gaps::of(&mdp, &solution, &structure.is_reachable);
        let facts = Facts {
            states: mdp.states() as u64,
            actions: mdp.max_actions() as u64,
            reachable: structure.reachable(),
            class: structure.class.to_string(),
            start_is_recoverable: structure.start_is_recoverable,
            gain: own_gain,
            gain_error,
            span: solution.span(),
            span_reachable: solution.span_within(&structure.is_reachable),
            r_max: range.width(),
            reward_range: declared(range),
            baseline: Baseline::Optimal,
            bellman_residual: Some(gaps.residual()),
        };
        let solved = Some(Solved { table: mdp, structure, solution, states: None });
        Ok(Self { facts, gain, solved, gaps: Some(Arc::new(gaps)) })
    }

    /// A gain counted from the lowest possible reward and its certified error, in the world's own units.
    ///
    /// Without rounding where rewards begin at 0; else every reward and the gain are rounded once.
    pub fn in_own_units(mdp: &Mdp, (gain, error): (f64, f64)) -> (f64, f64) {
        let range = mdp.reward_range();
        let own_gain = range.in_own_units(gain);
        let rounding = f64::EPSILON * (own_gain.abs() + range.width());
        (own_gain, if range.low() == 0.0 { error } else { error + rounding })
    }

    fn of_generator(
        model: &Model,
        generator: &dyn Generator,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<Self, TruthError> {
        let found = match search(generator, limit, watch) {
            Ok(found) => found,
            Err(ExploreError::World(GeneratorError::CannotList)) => {
                return Ok(Self::unknown(model));
            }
            Err(error) => return Err(error.into()),
        };
        watch.begin("building the table of what is reachable");
        let table = found.pessimistic_table(generator, &|done, of| {
            watch.done(done, of);
            true
        })?;
        let mut truth = Self::of_table(Arc::new(table), watch)?;
        let facts = &mut truth.facts;
        facts.states = generator.space().states();
        facts.actions = u64::from(generator.space().max_actions());
        facts.reachable = found.found() as u64;
        let states: Arc<[StateId]> = found.states.as_slice().into();
        if found.is_complete() {
            facts.class = format!("{}, of the reachable part", facts.class);
            let gaps = truth.gaps.take().map(Arc::unwrap_or_clone);
            truth.gaps = gaps.map(|gaps| Arc::new(gaps.numbering(Arc::clone(&states))));
        } else {
            // The table is that of the states found, not of the world.
            (truth.gaps, facts.bellman_residual) = (None, None);
            facts.baseline = Baseline::BestKnown { explored: found.states.len() as u64 };
            facts.class = "unknown".into();
            // Whether states beyond the search lead back is not known.
            facts.start_is_recoverable = true;
        }
        if let Some(solved) = &mut truth.solved {
            solved.states = Some(states);
        }
        Ok(truth)
    }

    /// Of a world whose outcomes cannot be listed.
    fn unknown(model: &Model) -> Self {
        let (mut truth, space, range) = (Self::unavailable(), model.space(), model.reward_range());
        truth.facts.states = space.states();
        truth.facts.actions = u64::from(space.max_actions());
        truth.facts.r_max = range.width();
        truth.facts.reward_range = declared(range);
        // Regret is then minus the sum of the rewards in their own units.
        truth.gain = 0.0 - range.low();
        truth
    }

    /// Of a world that could not be built or solved.
    pub fn unavailable() -> Self {
        let facts = Facts {
            states: 0,
            actions: 0,
            reachable: 0,
            class: "unknown".into(),
            start_is_recoverable: true,
            gain: 0.0,
            gain_error: 0.0,
            span: 0.0,
            span_reachable: 0.0,
            r_max: 1.0,
            reward_range: None,
            baseline: Baseline::Nothing,
            bellman_residual: None,
        };
        Self { facts, gain: 0.0, solved: None, gaps: None }
    }

    /// What records keep.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The gain that regret is measured against, from the start.
    #[doc(alias = "g*")]
    pub fn gain(&self) -> f64 {
        self.facts.gain
    }

    /// The same counted from the lowest possible reward, as learners see rewards.
    pub(crate) fn gain_above_lowest(&self) -> f64 {
        self.gain
    }

    /// The certified error of the gain.
    pub fn gain_error(&self) -> f64 {
        self.facts.gain_error
    }

    /// The solved table; `None` if the outcomes of the world cannot be listed.
    pub fn solved(&self) -> Option<&Solved> {
        self.solved.as_ref()
    }

    /// The Bellman gaps; `None` if the optimal gain is not known.
    pub fn gaps(&self) -> Option<&Arc<Gaps>> {
        self.gaps.as_ref()
    }

    /// Knowledge about a world, for algorithms that require it.
    pub fn knowledge(&self, model: &Model) -> Knowledge {
        Knowledge {
            optimal_policy: self.solved.as_ref().map(|solved| solved.solution.policy.clone()),
            policy_states: self.solved.as_ref().and_then(|solved| solved.states.clone()),
            span: Some(self.facts.span_reachable)
                .filter(|span| self.facts.baseline.is_optimal() && span.is_finite()),
            ..Self::told_without_solving(model)
        }
    }

    /// The part of [`Truth::knowledge`] that needs no solution: mean rewards and the rule of thumb.
    pub fn told_without_solving(model: &Model) -> Knowledge {
        let rule_of_thumb = match model {
            Model::Generated(generator) => {
                let generator = Arc::clone(generator);
                Some(RuleOfThumb(Arc::new(move |state| generator.rule_of_thumb(state))))
            }
            Model::Table(_) => None,
        };
        let model = model.clone();
        let means = move |state: u64, action: u32| model.mean_reward(state, action);
        Knowledge {
            mean_rewards: Some(KnownMeans(Arc::new(means))),
            rule_of_thumb,
            ..Knowledge::default()
        }
    }
}

/// The range, unless it begins at 0 and `r_max` says it.
fn declared(range: RewardRange) -> Option<RewardRange> {
    (range.low() != 0.0).then_some(range)
}

/// Searches for the reachable states of a generator.
///
/// # Errors
/// When the generator is wrong, or cannot list outcomes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Outcomes, Tabled};
    use crate::rng::RandomStream;
    use crate::space::{ActionId, Space};
    use crate::worlds::{Junk, JunkKind, RiverSwim};

    #[test]
    fn a_table_among_junk_has_the_truth_of_the_table_alone() {
        let mdp = Arc::new(RiverSwim::default().build().unwrap());
        let plain = Truth::within(&Model::from(&mdp), 10, &()).unwrap();
        let junk = Junk::new(Arc::new(Tabled::new(mdp)), 1_000_000_000, JunkKind::Chain).unwrap();
        let world = Model::from(Arc::new(junk) as Arc<dyn Generator>);
        let vast = Truth::within(&world, 10, &()).unwrap();
        assert_eq!(vast.facts().states, 6_000_000_000);
        assert_eq!((vast.facts().reachable, &vast.facts().baseline), (6, &Baseline::Optimal));
        assert_eq!((vast.gain(), vast.facts().span), (plain.gain(), plain.facts().span));
        // With too small a limit it is the best of what is known: 0.005 at the near end.
        let partial = Truth::within(&world, 3, &()).unwrap();
        assert_eq!(partial.facts().baseline, Baseline::BestKnown { explored: 3 });
        assert!((partial.gain() - 0.005).abs() < 1e-9);
    }

    #[test]
    fn gaps_are_zero_for_the_policy_and_positive_for_worse_actions() {
        let mdp = Arc::new(RiverSwim::default().build().unwrap());
        let truth = Truth::of(&Model::from(&mdp)).unwrap();
        let solution = &truth.solved().unwrap().solution;
        let gaps = truth.gaps().unwrap();
        let (residual, gaps) = (gaps.residual(), gaps.by_pair());
        assert!(residual < 1e-12);
        assert_eq!(truth.facts().bellman_residual, Some(residual));
        assert_eq!(gaps.len(), mdp.pairs());
        for state in 0..mdp.states() {
            let best = solution.policy.action(state).unwrap();
            for action in 0..mdp.actions(state) {
                let gap = gaps[mdp.pair(state, action)];
                assert_eq!(gap == 0.0, action == best, "{state} {action} {gap}");
                assert!(gap == 0.0 || gap > 1e-3);
            }
        }
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
    fn a_world_that_only_draws_has_no_gain_and_says_so() {
        let world: Arc<dyn Generator> = Arc::new(Dice(Space::uniform(1 << 40, 2)));
        let truth = Truth::within(&Model::from(world), 100, &()).unwrap();
        assert_eq!(truth.facts().baseline, Baseline::Nothing);
        assert_eq!((truth.gain(), truth.facts().states), (0.0, 1 << 40));
        assert!(truth.solved().is_none() && truth.gaps().is_none());
    }
}
