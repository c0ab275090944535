//! UCRL2's rule: an episode ends before a pair is played more often in it than before it.
//!
//! nu >= max(1, N) for the pair about to be played (Jaksch, Ortner, Auer 2010). The figure of Fruit, Pirotta,
//! Lazaric 2018 continues while nu <= max(1, N); its proofs and the published code need nu < max(1, N), which is
//! what stands here.

use super::{EpisodeRule, EpisodeView, StopReason, Verdict};
use crate::counts::Counts;

/// Ends an episode when a pair has doubled its visits.
#[derive(Debug, Clone, Copy)]
pub struct Doubling;

impl EpisodeRule for Doubling {
    const ABOUT: &'static str = "when a pair doubles its visits";

    #[inline]
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        let stats = &now.counts.pairs()[pair];
        if stats.visits < stats.stop_at() {
            return Verdict::Continue;
        }
        let (state, action) = now.counts.owner(pair);
        Verdict::End(StopReason::Doubling { state, action })
    }

    #[inline]
    fn certain_visits(&self, counts: &Counts, _state: u32, pair: usize) -> u64 {
        let stats = &counts.pairs()[pair];
        stats.stop_at().saturating_sub(stats.visits)
    }
}
