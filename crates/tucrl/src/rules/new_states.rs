//! TUCRL's rule: doubling, and before acting in a state that had never been visited when the episode began.
//!
//! Fruit, Pirotta, Lazaric 2018, algorithm TUCRL.

use super::{Doubling, EpisodeRule, EpisodeView, StopReason, Verdict};
use crate::counts::Counts;

/// Ends an episode when a pair has doubled its visits, or in a state never visited before the episode.
#[derive(Debug, Clone, Copy)]
pub struct NewStates;

impl EpisodeRule for NewStates {
    const ABOUT: &'static str = "when a pair doubles its visits, or before acting in a new state";

    #[inline]
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        or_new_state(Doubling, now, pair)
    }

    #[inline]
    fn certain_visits(&self, counts: &Counts, state: u32, pair: usize) -> u64 {
        if counts.was_visited(state) { Doubling.certain_visits(counts, state, pair) } else { 0 }
    }
}

/// What a rule decides, but the episode also ends in a state never visited before it.
#[inline]
pub(super) fn or_new_state(rule: impl EpisodeRule, now: &EpisodeView<'_>, pair: usize) -> Verdict {
    if now.counts.was_visited(now.here) {
        return rule.before_pair(now, pair);
    }
    let state = now.counts.state(now.here);
    Verdict::End(match (now.here as usize) < now.planned {
        true => StopReason::ReturnToNewStart { state },
        false => StopReason::NewState { state },
    })
}
