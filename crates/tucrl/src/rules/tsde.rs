//! TSDE's rule: an episode is at most one step longer than the last one.
//!
//! It also ends when a pair has more than twice the visits that it had when the episode began (Ouyang, Gagrani,
//! Nayyar, Jain 2017; the count rule N_t <= 2 N is from memory).

use super::{EpisodeRule, EpisodeView, StopReason, Verdict};

/// Ends an episode when it is longer than the last one, or a pair has more than doubled its visits.
#[derive(Debug, Clone, Copy)]
pub struct Tsde;

impl EpisodeRule for Tsde {
    const ABOUT: &'static str =
        "when it is longer than the last one or a pair has more than doubled";

    #[inline]
    fn before_choice(&self, now: &EpisodeView<'_>) -> Verdict {
        let last = &now.counts.pairs()[now.last_pair];
        if last.visits > 2 * last.visits_before() {
            let (state, action) = now.counts.owner(now.last_pair);
            return Verdict::End(StopReason::Doubling { state, action });
        }
        match now.length > now.last_length.unwrap_or(1) {
            true => Verdict::End(StopReason::Length),
            false => Verdict::Continue,
        }
    }
}
