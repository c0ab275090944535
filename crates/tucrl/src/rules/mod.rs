//! When does an episode end? One rule per file.
//!
//! An [`EpisodeRule`] is asked before every action but the first of an episode: before the action is chosen, and
//! again when it is known. To add one: its file, and one line in the list below.

mod doubling;
mod new_states;
mod powers_of_two;
mod tsde;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use doubling::Doubling;
pub use new_states::NewStates;
pub use powers_of_two::PowersOfTwo;
pub use tsde::Tsde;

use crate::counts::Counts;
use crate::space::{ActionId, StateId};

/// Why an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// A pair was about to be visited more often in the episode than before it.
    Doubling {
        /// The state of the pair.
        state: StateId,
        /// Its action.
        action: ActionId,
    },
    /// A state was met that had never been seen before.
    NewState {
        /// The state.
        state: StateId,
    },
    /// The episode came back to its own start, which it had been the first to visit.
    ReturnToNewStart {
        /// The state.
        state: StateId,
    },
    /// It was as long as it could be by its rule.
    Length,
    /// The run ended.
    Horizon,
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The episode continues.
    Continue,
    /// The episode continues with a new plan; counts stay as they were at its start.
    Replan(StopReason),
    /// The episode ends: counts are updated and a new plan is made.
    End(StopReason),
}

/// What a rule may look at.
#[derive(Debug, Clone, Copy)]
pub struct EpisodeView<'a> {
    /// What has been counted.
    pub counts: &'a Counts,
    /// The number of the present state.
    pub here: u32,
    /// The index of the action about to be played, from 1.
    pub time: u64,
    /// Actions played since the last plan.
    pub length: u64,
    /// The length of the last episode.
    pub last_length: Option<u64>,
    /// The pair played last.
    pub last_pair: usize,
    /// How many states had been seen when the plan was made.
    pub planned: usize,
    /// Plans of this episode before the present one.
    pub replans: u32,
}

/// When an episode ends.
pub trait EpisodeRule: Copy {
    /// Asked before an action is chosen.
    #[inline]
    fn before_choice(&self, _now: &EpisodeView<'_>) -> Verdict {
        Verdict::Continue
    }

    /// Asked when the pair about to be played is known.
    #[inline]
    fn before_pair(&self, _now: &EpisodeView<'_>, _pair: usize) -> Verdict {
        Verdict::Continue
    }
}

/// Declares an option whose words name rules.
macro_rules! rules {
    ($(#[$head:meta])* $name:ident: $($rule:ident = $word:literal),* $(,)?) => {
        $(#[$head])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name {
            $(
                #[doc = concat!("See [`", stringify!($rule), "`](struct@", stringify!($rule), ").")]
                #[schemars(description = "")]
                #[serde(rename = $word)]
                $rule,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Doubling
            }
        }

        impl EpisodeRule for $name {
            #[inline]
            fn before_choice(&self, now: &EpisodeView<'_>) -> Verdict {
                match self {
                    $(Self::$rule => $rule.before_choice(now),)*
                }
            }

            #[inline]
            fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
                match self {
                    $(Self::$rule => $rule.before_pair(now, pair),)*
                }
            }
        }
    };
}

rules! {
    /// All rules.
    Rule: Doubling = "doubling", NewStates = "new-state", Tsde = "tsde", PowersOfTwo = "powers-of-two",
}
rules! {
    /// Rules for optimists. Optimism pays for every step with a width, and widths sum up only if an episode visits
    /// no pair more often than all episodes before it; a schedule that ignores visits does not ensure that.
    OptimistRule: Doubling = "doubling", NewStates = "new-state", Tsde = "tsde",
}
