//! How many states can really be reached?
//!
//! A search forwards from the start, over everything that may follow (the paper's S^C, section 2, for worlds
//! that are given by a rule). It goes by levels, a level on all threads; what is found does not depend on how
//! many there are. Only the numbers of the states found are kept, so that memory is some 30 bytes a state and
//! ends with the limit. A second pass over them makes the table of the reachable part, and notices a rule that
//! does not answer twice the same.
//!
//! Tables number the reachable states in the order of their nominal numbers, so that rows keep their order and
//! a walk in the table is the walk in the world.
//!
//! Reads `generator`; feeds `Mdp`s to everything exact. Departures from the paper: none.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::*;
use thiserror::Error;

use crate::error::ModelError;
use crate::generator::{Generator, GeneratorError, Outcomes, list, start_law};
use crate::mdp::Mdp;
use crate::reward::RewardLaw;
use crate::space::{ActionId, StateHasher, StateId};

/// So many states are looked at before the next report, and in one piece by one thread.
const BATCH: usize = 1 << 16;
const PIECE: usize = 1 << 10;

/// Tables up to this size name their states by their factors.
const MAX_NAMED_STATES: usize = 100_000;

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// States found.
    pub found: usize,
    /// States of which all actions have been looked at.
    pub looked_at: usize,
    /// Steps from the start to the present level.
    pub depth: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    /// The states of which all actions have been looked at, increasing.
    pub states: Vec<StateId>,
    /// How many more were found; none when everything that can be reached has been looked at.
    pub frontier: usize,
    /// State-action pairs looked at.
    pub pairs: usize,
    /// Transitions of positive probability found there.
    pub transitions: usize,
    /// The largest number of steps that the quickest way to a state takes.
    pub depth: usize,
    /// The largest number of next states of one action.
    pub max_support: usize,
    /// What the first pass saw of each state, to be compared by the second.
    marks: Vec<u32>,
}

/// Why a search gave no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The world's rule.
    #[error(transparent)]
    World(#[from] GeneratorError),
    /// The table was refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A table was asked for and there are more reachable states than it may have.
    #[error(
        "{found} states and more are reachable, too many for a table: make the world smaller, or let agents \
         learn it, which needs none"
    )]
    TooMany {
        /// So many were found.
        found: usize,
    },
    /// The caller asked to stop.
    #[error("interrupted after {found} states were found")]
    Interrupted {
        /// So many states.
        found: usize,
    },
}

/// What one thread finds in one piece of a level.
#[derive(Default)]
struct Piece {
    next: Vec<StateId>,
    marks: Vec<u32>,
    pairs: usize,
    transitions: usize,
    max_support: usize,
}

/// Searches for reachable states until there are no more, or more than `limit`.
///
/// `watch` hears how far the search is, now and then, and returns false to end it.
///
/// # Errors
/// When the world cannot list what may follow, its rule is wrong, or the watcher ends the search.
pub fn explore(
    generator: &dyn Generator,
    limit: usize,
    watch: &(dyn Fn(Progress) -> bool + Sync),
) -> Result<Exploration, ExploreError> {
    let mut known: HashSet<StateId, BuildHasherDefault<StateHasher>> = HashSet::default();
    // In order of discovery, with the marks of those looked at.
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
    while marks.len() < order.len() && order.len() <= limit {
        if marks.len() == level_end {
            (level_end, depth) = (order.len(), depth + 1);
        }
        let batch = marks.len()..level_end.min(marks.len() + BATCH);
        let pieces: Vec<Piece> = order[batch]
            .par_chunks(PIECE)
            .map(|states| look(generator, states))
            .collect::<Result<_, _>>()?;
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

/// Looks at all actions of some states.
fn look(generator: &dyn Generator, states: &[StateId]) -> Result<Piece, GeneratorError> {
    let (mut piece, mut outcomes) = (Piece::default(), Outcomes::default());
    for &state in states {
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
    // Most of what follows was met a moment ago: once is enough, in the order of discovery.
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
    // Either nothing can ever be listed, or this one was forgotten.
    let mut random = crate::rng::RandomStream::new(0);
    match generator.sample(state, action, &mut random) {
        Some(_) => Err(GeneratorError::CannotList),
        None => Err(GeneratorError::NoRule { state, action }),
    }
}

impl Exploration {
    /// Whether everything that can be reached has been looked at.
    pub fn is_complete(&self) -> bool {
        self.frontier == 0
    }

    /// How many states were found.
    pub fn found(&self) -> usize {
        self.states.len() + self.frontier
    }

    /// The table of the reachable part; state `i` of it is `states[i]` of the world.
    ///
    /// # Errors
    /// When the search ended before everything was found, or the world's rule answers differently now.
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

    /// The table of what has been looked at. Whatever lies beyond is one more state, the last, that earns
    /// nothing for ever: what can be earned here can be earned in the world, by a policy that stays.
    ///
    /// # Errors
    /// When the world's rule answers differently now.
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
            if number % BATCH == 0 && !watch(number, self.states.len()) {
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
                    // Uniform rewards of two ways beyond could not be mixed, and nobody asks for them.
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
            builder.state().action(0.0, [(beyond, 1.0)]);
        }
        let number = |state| self.number(state).or(beyond);
        let start = start_law(generator)?.into_iter();
        builder.start_law(start.filter_map(|(state, p)| number(state).map(|number| (number, p))));
        builder.r_max(generator.r_max());
        // A limit so low that nothing was looked at leaves no action to name.
        if !self.states.is_empty() {
            builder.action_names(generator.action_names().iter().copied());
        }
        let has_names = self.states.len() <= MAX_NAMED_STATES && beyond.is_none();
        if has_names && !generator.space().factors().is_empty() {
            builder.state_names(self.states.iter().map(|&state| name(generator, state)));
        }
        Ok(builder.build()?)
    }

    /// The number of a state in the table, if it was looked at.
    pub fn number(&self, state: StateId) -> Option<usize> {
        self.states.binary_search(&state).ok()
    }
}

/// A state as the values of its factors: `wall=5 ball=3`.
pub fn name(generator: &dyn Generator, state: StateId) -> String {
    let (space, values) = (generator.space(), generator.space().decode(state).unwrap_or_default());
    let factors = space.factors().iter().zip(values);
    let named: Vec<String> =
        factors.map(|(factor, value)| format!("{}={value}", factor.name)).collect();
    if named.is_empty() { state.to_string() } else { named.join(" ") }
}
