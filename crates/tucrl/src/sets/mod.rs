//! Which confidence sets are there? One file each: widths, best law, width after n visits.
//!
//! A [`ConfidenceSet`] is the widths of one episode. It makes the plausible MDPs, whose
//! [`Shape`] finds best laws. To add one: its file, and its line in the list at the end.

mod bernstein;
mod bernstein_2020;
mod kept;
mod kl;
mod l1;
pub mod mixture;
mod s_free;
mod tight;
mod ucrl3;

use serde::{Deserialize, Serialize};

pub use bernstein::{BoxRow, Boxes, Intervals, boxes, fill_box, reach_of};
pub use kept::{Kept, KeptSet, budgeted};
pub use kl::{Divergence, fill_kl};
pub use l1::{Ball, BallRow, balls, balls_by, fill_ball};
pub use s_free::SFree;
pub use tight::{Budgeted, Levels, Tight, Union};
pub use ucrl3::{Selected, Selection, fill_selected};

use crate::confidence::Confidence;
use crate::counts::PairCounts;
use crate::options::explained;
use crate::plausible::{Belief, PlausibleSet, Shape};
use crate::space::Space;

/// What the width of a box is called.
const UNOBSERVED: &str = "the width of an unobserved next state";

/// The widths of one episode, and the set that they make.
pub trait ConfidenceSet: Sized {
    /// How best laws are found.
    type Shape: Shape;

    /// The set in a few words, for the help of options that name it.
    const ABOUT: &'static str = "";

    /// The set of an episode that starts at time `t_k`.
    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self;

    /// The reward width of a pair.
    #[doc(alias = "beta_r")]
    fn reward_width(&self, pair: &PairCounts) -> f64;

    /// The plausible MDPs, states never seen included.
    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Self::Shape>;

    /// How wide the set of a pair still is after `visits`; from 1 on it excludes nothing.
    fn width_after(&self, visits: f64) -> SetWidth;
}

/// How wide a set is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetWidth {
    /// Which width.
    pub what: &'static str,
    /// Its value.
    pub width: f64,
    /// Whether it is the root of a logarithm, which shrinks by the root of alpha with [`Shrink::Log`].
    ///
    /// [`Shrink::Log`]: crate::confidence::Shrink::Log
    pub is_root: bool,
}

impl SetWidth {
    /// A width that is proportional to the logarithm.
    pub fn linear(what: &'static str, width: f64) -> Self {
        Self { what, width, is_root: false }
    }

    /// A width that is proportional to the root of the logarithm.
    pub fn root(what: &'static str, width: f64) -> Self {
        Self { what, width, is_root: true }
    }
}

/// A computation for any set, for options that name one.
pub trait SetVisitor {
    /// The result.
    type Output;
    /// Called with the set.
    fn visit<S: ConfidenceSet>(self, set: &S) -> Self::Output;
}

/// Declares an option whose words name sets.
macro_rules! kind {
    ($(#[$head:meta])* $name:ident: $($set:ident = $word:literal,)*) => {
        $(#[$head])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $(
                #[doc = concat!("See [`", stringify!($set), "`](struct@", stringify!($set), ").")]
                #[serde(rename = $word)]
                $set,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::Bernstein
            }
        }

        explained! { $name: $($word = <$set as ConfidenceSet>::ABOUT,)* }

        impl $name {
            /// Hands the set of an episode to a visitor.
            pub fn visit<V: SetVisitor>(
                self,
                confidence: &Confidence,
                space: &Space,
                t_k: u64,
                visitor: V,
            ) -> V::Output {
                match self {
                    $(Self::$set => visitor.visit(&$set::of(confidence, space, t_k)),)*
                }
            }
        }
    };
}

/// The list of sets. Under a span bound a clipped state also plays its most pessimistic law: sets that are defined
/// for optimism only go into the second part.
macro_rules! sets {
    (
        any { $($file:ident::$set:ident = $word:literal,)* }
        optimism_only { $($more:ident::$other:ident = $name:literal,)* }
    ) => {
        $(pub use $file::$set;)*
        $(pub use $more::$other;)*
        kind! {
            /// All sets.
            SetKind: $($set = $word,)* $($other = $name,)*
        }
        kind! {
            /// Sets that can be planned on under a span bound.
            SpanSetKind: $($set = $word,)*
        }
    };
}

sets! {
    any {
        bernstein::Bernstein = "bernstein",
        bernstein_2020::Bernstein2020 = "bernstein-2020",
        l1::L1 = "l1",
        kl::Kl = "kl",
    }
    optimism_only {
        ucrl3::Ucrl3 = "ucrl3",
    }
}
