//! Which states of a generator can be reached from its start?
//!
//! Breadth-first search over all transitions of positive probability: the set S^C of section 2 of the
//! paper. Each level is searched on the rayon pool; the result does not depend on the number of
//! threads. The search keeps only state numbers, about 30 bytes per state. A second pass builds the
//! table and detects a generator whose transitions changed.
//!
//! Tables number the states in the order of their nominal numbers. Rows then keep their order, so the
//! table and the generator give the same run from the same random stream.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::*;
use thiserror::Error;

use crate::error::ModelError;
use crate::generator::{Generator, GeneratorError, Outcomes, list, start_law};
use crate::mdp::{MAX_NAMED_STATES, Mdp};
use crate::pulse::{Pulse, unless_stopped};
use crate::reward::RewardLaw;
use crate::space::{ActionId, StateHasher, StateId};

/// States expanded between two progress reports, which also decide whether to stop.
const BATCH: usize = 1 << 16;
/// States that one rayon task expands: 64 tasks per batch to share out.
const PIECE: usize = 1 << 10;

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// States found.
    pub found: usize,
    /// States expanded: all their actions have been listed.
    pub looked_at: usize,
    /// Steps from the start to the present level.
    pub depth: usize,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    /// The states expanded, increasing.
    pub states: Vec<StateId>,
    /// The number of states found but not expanded; 0 if the search is complete.
    pub frontier: usize,
    /// State-action pairs of the expanded states.
    pub pairs: usize,
    /// Their transitions of positive probability.
    pub transitions: usize,
    /// The largest distance from the start, in steps.
    pub depth: usize,
    /// The largest number of next states of a pair.
    pub max_support: usize,
    /// A hash of the next states of each state, compared by the second pass.
    marks: Vec<u32>,
}

/// Why a search or a table failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The generator is invalid.
    #[error(transparent)]
    World(#[from] GeneratorError),
    /// The table was refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The search ended at its limit, so there is no table of all reachable states.
    #[error(
        "at least {found} states are reachable, too many for a table: make the world smaller, or \
         run learners in it, which need no table"
    )]
    TooMany {
        /// States found.
        found: usize,
    },
    /// The caller asked to stop.
    #[error("interrupted after {found} states were found")]
    Interrupted {
        /// States found.
        found: usize,
    },
}

/// The result of one rayon task.
#[derive(Default)]
struct Piece {
    next: Vec<StateId>,
    marks: Vec<u32>,
    pairs: usize,
    transitions: usize,
    max_support: usize,
}

/// Searches for reachable states until all are found, or more than `limit`.
///
/// `watch` is called after each batch and returns false to stop the search.
///
/// # Errors
/// When the generator is invalid or cannot list its transitions, or `watch` returns false.
pub fn explore(
    generator: &dyn Generator,
    limit: usize,
    watch: &(dyn Fn(Progress) -> bool + Sync),
) -> Result<Exploration, ExploreError> {
    let mut known: HashSet<StateId, BuildHasherDefault<StateHasher>> = HashSet::default();
    // All states in order of discovery; `marks` has one entry per expanded state.
    let mut order: Vec<StateId> = start_law(generator)?.into_iter().map(|entry| entry.0).collect();
    known.extend(&order);
    let mut marks: Vec<u32> = Vec::new();
    let mut found = Exploration {
        states: Vec::new(),
        frontier: 0,
        pairs: 0,
        transitions: 0,
        depth: 0,
        max_support: 0,
        marks: Vec::new(),
    };
    let (mut level_end, mut depth) = (order.len(), 0);
    let pulse = Pulse::present();
    while marks.len() < order.len() && order.len() <= limit {
        if marks.len() == level_end {
            (level_end, depth) = (order.len(), depth + 1);
        }
        let batch = marks.len()..level_end.min(marks.len() + BATCH);
        let pieces: Vec<Piece> = order[batch]
            .par_chunks(PIECE)
            .map(|states| Pulse::carry(pulse.as_ref(), || expand(generator, states)))
            .collect::<Result<_, _>>()?;
        if Pulse::is_stopped() {
            return Err(ExploreError::Interrupted { found: order.len() });
        }
        for piece in pieces {
            found.pairs += piece.pairs;
            found.transitions += piece.transitions;
            found.max_support = found.max_support.max(piece.max_support);
            marks.extend(piece.marks);
            order.extend(piece.next.into_iter().filter(|&next| known.insert(next)));
        }
        if !watch(Progress { found: order.len(), looked_at: marks.len(), depth }) {
            return Err(ExploreError::Interrupted { found: order.len() });
        }
    }
    found.frontier = order.len() - marks.len();
    found.depth = depth;
    drop(known);
    let mut numbered: Vec<(StateId, u32)> = order.into_iter().zip(marks).collect();
    numbered.par_sort_unstable();
    (found.states, found.marks) = numbered.into_iter().unzip();
    Ok(found)
}

/// Lists all transitions of some states.
fn expand(generator: &dyn Generator, states: &[StateId]) -> Result<Piece, GeneratorError> {
    let (mut piece, mut outcomes) = (Piece::default(), Outcomes::default());
    for &state in unless_stopped(states) {
        let mut mark = StateHasher::default();
        for action in 0..generator.space().actions(state) {
            listed(generator, state, action, &mut outcomes)?;
            piece.pairs += 1;
            piece.transitions += outcomes.entries().len();
            piece.max_support = piece.max_support.max(outcomes.entries().len());
            for outcome in outcomes.entries() {
                mark.write_u64(outcome.next);
                piece.next.push(outcome.next);
            }
        }
        piece.marks.push(mark.finish() as u32);
    }
    // Remove repetitions here, in parallel; the order of discovery is kept.
    let mut met: HashSet<StateId, BuildHasherDefault<StateHasher>> = HashSet::default();
    piece.next.retain(|&next| met.insert(next));
    Ok(piece)
}

fn listed(
    generator: &dyn Generator,
    state: StateId,
    action: ActionId,
    outcomes: &mut Outcomes,
) -> Result<(), GeneratorError> {
    list(generator, state, action, outcomes)?;
    if !outcomes.entries().is_empty() {
        return Ok(());
    }
    if generator.is_simulated() {
        return Err(GeneratorError::CannotList);
    }
    // An empty list is valid only for a generator that can draw.
    let mut random = crate::rng::RandomStream::new(0);
    match generator.sample(state, action, &mut random) {
        Some(_) => Err(GeneratorError::CannotList),
        None => Err(GeneratorError::NoRule { state, action }),
    }
}

impl Exploration {
    /// True if all reachable states were expanded.
    pub fn is_complete(&self) -> bool {
        self.frontier == 0
    }

    /// The number of states found.
    pub fn found(&self) -> usize {
        self.states.len() + self.frontier
    }

    /// The MDP on the reachable states; its state `i` is `states[i]` of the generator.
    ///
    /// # Errors
    /// When the search is incomplete, `watch` returns false, or the generator's transitions changed.
    pub fn table(
        &self,
        generator: &dyn Generator,
        watch: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Mdp, ExploreError> {
        if !self.is_complete() {
            return Err(ExploreError::TooMany { found: self.found() });
        }
        self.rows(generator, watch)
    }

    /// The MDP on the expanded states, with all others merged into a last, absorbing state with the
    /// lowest reward. Its optimal gain is a lower bound on that of the world.
    ///
    /// # Errors
    /// When `watch` returns false, or the generator's transitions changed.
    pub fn pessimistic_table(
        &self,
        generator: &dyn Generator,
        watch: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Mdp, ExploreError> {
        self.rows(generator, watch)
    }

    fn rows(
        &self,
        generator: &dyn Generator,
        watch: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Mdp, ExploreError> {
        let (mut builder, mut outcomes) = (Mdp::builder(), Outcomes::default());
        let unstable = |state, action| GeneratorError::UnstableSupport { state, action };
        let beyond = (!self.is_complete()).then_some(self.states.len());
        for (number, (&state, &mark)) in self.states.iter().zip(&self.marks).enumerate() {
            if Pulse::is_stopped() || number % BATCH == 0 && !watch(number, self.states.len()) {
                return Err(ExploreError::Interrupted { found: number });
            }
            builder.state();
            let mut now = StateHasher::default();
            for action in 0..generator.space().actions(state) {
                listed(generator, state, action, &mut outcomes)?;
                let mut row = Vec::with_capacity(outcomes.entries().len());
                for outcome in outcomes.entries() {
                    now.write_u64(outcome.next);
                    let next = self.number(outcome.next).or(beyond);
                    let next = next.ok_or_else(|| unstable(state, action))?;
                    // Different uniform rewards cannot be mixed; the mean is enough for exact answers.
                    let reward = match Some(next) == beyond {
                        true => RewardLaw::Constant(outcome.reward.mean()),
                        false => outcome.reward.clone(),
                    };
                    row.push((next, outcome.probability, reward));
                }
                builder.joint_action(row);
            }
            if now.finish() as u32 != mark {
                return Err(unstable(state, 0).into());
            }
        }
        if let Some(beyond) = beyond {
            builder.state().action(generator.reward_range().low(), [(beyond, 1.0)]);
        }
        let number = |state| self.number(state).or(beyond);
        let start = start_law(generator)?.into_iter();
        builder.start_law(start.filter_map(|(state, p)| number(state).map(|number| (number, p))));
        builder.reward_range(generator.reward_range());
        // With a very low limit no state was expanded, and there are no actions to name.
        if !self.states.is_empty() {
            builder.action_names(generator.action_names().iter().copied());
        }
        let has_names = self.states.len() <= MAX_NAMED_STATES && beyond.is_none();
        if has_names && !generator.space().factors().is_empty() {
            builder.state_names(self.states.iter().map(|&state| name(generator, state)));
        }
        Ok(builder.build()?)
    }

    /// The number of a state in the table, if it was expanded.
    pub fn number(&self, state: StateId) -> Option<usize> {
        self.states.binary_search(&state).ok()
    }
}

/// A state written as the values of its factors: `wall=5 ball=3`.
pub fn name(generator: &dyn Generator, state: StateId) -> String {
    let (space, values) = (generator.space(), generator.space().decode(state).unwrap_or_default());
    let factors = space.factors().iter().zip(values);
    let named: Vec<String> =
        factors.map(|(factor, value)| format!("{}={value}", factor.name)).collect();
    if named.is_empty() { state.to_string() } else { named.join(" ") }
}
