//! DS-PSRL's rule: episodes begin at the times 1, 2, 4, 8, ...
//!
//! Theocharous, Wen, Abbasi-Yadkori, Vlassis 2017; the schedule is from memory.

use super::{EpisodeRule, EpisodeView, StopReason, Verdict};

/// Ends an episode at the powers of two.
#[derive(Debug, Clone, Copy)]
pub struct PowersOfTwo;

impl EpisodeRule for PowersOfTwo {
    const ABOUT: &'static str = "at the times 1, 2, 4, 8, ...";

    #[inline]
    fn before_choice(&self, now: &EpisodeView<'_>) -> Verdict {
        match now.time.is_power_of_two() {
            true => Verdict::End(StopReason::Length),
            false => Verdict::Continue,
        }
    }
}
