//! When does an episode end? One rule per file.
//!
//! An [`EpisodeRule`] is asked before every action but the first of an episode: before the action is chosen, and
//! again when it is known. To add one: its file, and its line in the list at the end.

mod doubling;
mod new_states;
mod powers_of_two;
mod tsde;
mod vm;

use serde::{Deserialize, Serialize};

pub use self::vm::{NewStateRule, Vanishing, WithShare};
use crate::counts::Counts;
use crate::options::explained;
use crate::space::{ActionId, StateId};

/// Why an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// A pair was about to be visited more often in the episode than before it, or, by the rule `vm`, than the share of
    /// its visits that an episode may add.
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
    /// Its rule ended it for a reason that is not listed here.
    Other,
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
    /// When an episode ends, in a few words, for the help of options that name the rule.
    const ABOUT: &'static str = "";

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

    /// How many more times a pair of the state may be played in this episode before the rule has to be asked: until then
    /// it would let the episode continue, whatever else is played. 0, the default, if it has to be asked every time. A
    /// rule that gives more finds in the counts of the other pairs what they were at some time of the episode.
    #[inline]
    fn certain_visits(&self, _counts: &Counts, _state: u32, _pair: usize) -> u64 {
        0
    }
}

/// Declares an option whose words name rules.
macro_rules! kind {
    ($(#[$head:meta])* $name:ident: $($rule:ident = $word:literal,)*) => {
        $(#[$head])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $(
                #[doc = concat!("See [`", stringify!($rule), "`](struct@", stringify!($rule), ").")]
                #[serde(rename = $word)]
                $rule,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Doubling
            }
        }

        explained! { $name: $($word = <$rule as EpisodeRule>::ABOUT,)* }

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

            #[inline]
            fn certain_visits(&self, counts: &Counts, state: u32, pair: usize) -> u64 {
                match self {
                    $(Self::$rule => $rule.certain_visits(counts, state, pair),)*
                }
            }
        }
    };
}

/// The list of rules. The regret of optimists is a sum of widths over visits, which is bounded only if no pair is
/// visited much more often in an episode than before it: rules that ignore visits go into the second part.
macro_rules! rules {
    (
        any { $($file:ident::$rule:ident = $word:literal,)* }
        sampling_only { $($more:ident::$other:ident = $name:literal,)* }
    ) => {
        $(pub use $file::$rule;)*
        $(pub use $more::$other;)*
        kind! {
            /// All rules.
            Rule: $($rule = $word,)* $($other = $name,)*
        }
        kind! {
            /// Rules for optimists.
            OptimistRule: $($rule = $word,)*
        }
    };
}

rules! {
    any {
        doubling::Doubling = "doubling",
        new_states::NewStates = "new-state",
        tsde::Tsde = "tsde",
        vm::Vm = "vm",
    }
    sampling_only {
        powers_of_two::PowersOfTwo = "powers-of-two",
    }
}
