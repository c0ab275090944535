//! What does a step need that can only go as it always went?

use crate::space::{ActionId, StateId};

/// Steps of a batch that are worth preparing for.
pub(super) const LONG_BATCH: u64 = 256;

/// What a step needs in a state whose pair is chosen for sure and has always given the same: such steps are counted here
/// and recorded together, before anything reads the counts of the pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ready {
    /// How often the pair may be played before the rule is asked again; 0 if idle.
    pub(super) left: u64,
    /// The same when the last step was recorded.
    pub(super) limit: u64,
    pub(super) reward: f64,
    pub(super) next: StateId,
    pub(super) next_number: u32,
    pub(super) pair: u32,
    pub(super) action: ActionId,
    /// When the pair becomes under-visited.
    pub(super) under_visited_from: u64,
}
