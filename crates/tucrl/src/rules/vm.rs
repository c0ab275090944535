//! The vanishing multiplicative rule: an episode may visit a pair only a vanishing share of its visits before it.
//!
//! Boone and Gaujal, COLT 2025: with f non-increasing, f -> 0, an episode that begins at t_k ends before a pair with
//! N_t > (1 + f(t_k)) max(1, N_k). Here it ends with nu >= max(1, f(t_k) N_k), so that f = 1 is the doubling rule.
//! The two differ where f(t_k) N_k is an integer, which the paper lets one visit more, and at a pair never tried, which
//! the paper may play twice in an episode. Every pair that ends an episode has 1 + f(t_k) times the visits that it
//! had, so that the number of episodes is at most 1 + |Z| ln(2T/|Z|) / ln(1 + f(T)), as in the paper's Lemma 24.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::new_states::or_new_state;
use super::{Doubling, EpisodeRule, EpisodeView, NewStates, OptimistRule, StopReason, Verdict};
use crate::counts::Counts;
use crate::math;

/// The share f(t_k) of its visits that an episode may add to a pair; it is the rule with that share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Vanishing {
    /// sqrt(ln(1 + t) / t), that of the paper's experiments.
    #[default]
    SqrtLog,
    /// t^(-1/3): fewer plans, the same theorems.
    CubeRoot,
    /// 1: the doubling rule.
    One,
}

impl Vanishing {
    /// f(t), for t >= 1.
    pub fn at(self, time: u64) -> f64 {
        let time = time as f64;
        match self {
            Self::SqrtLog => (math::ln_1p(time) / time).sqrt(),
            Self::CubeRoot => 1.0 / math::cbrt(time),
            Self::One => 1.0,
        }
    }
}

impl EpisodeRule for Vanishing {
    #[inline]
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        let stats = &now.counts.pairs()[pair];
        let before = stats.visits_before();
        let within = stats.visits - before;
        // The length counts from the plan: with several plans per episode f would be that of the last one.
        if within == 0 || (within as f64) < self.at(now.time - now.length) * before as f64 {
            return Verdict::Continue;
        }
        let (state, action) = now.counts.owner(pair);
        Verdict::End(StopReason::Doubling { state, action })
    }
}

/// Ends an episode when a pair has added the share sqrt(ln(1 + t_k) / t_k) to its visits.
#[derive(Debug, Clone, Copy)]
pub struct Vm;

impl EpisodeRule for Vm {
    const ABOUT: &'static str = "when a pair adds a vanishing share to its visits";

    #[inline]
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        Vanishing::default().before_pair(now, pair)
    }
}

/// A rule, and the share that it has if it is [`Vm`].
#[derive(Debug, Clone, Copy)]
pub struct WithShare<R> {
    /// The rule.
    pub rule: R,
    /// The share.
    pub f: Vanishing,
}

impl EpisodeRule for WithShare<OptimistRule> {
    #[inline]
    fn before_choice(&self, now: &EpisodeView<'_>) -> Verdict {
        self.rule.before_choice(now)
    }

    #[inline]
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        match self.rule {
            OptimistRule::Vm => self.f.before_pair(now, pair),
            other => other.before_pair(now, pair),
        }
    }

    #[inline]
    fn certain_visits(&self, counts: &Counts, state: u32, pair: usize) -> u64 {
        self.rule.certain_visits(counts, state, pair)
    }
}

/// Rules for learners that must plan anew in a new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewStateRule {
    /// See [`NewStates`].
    #[default]
    NewState,
    /// [`Vm`] in place of doubling.
    Vm,
}

impl EpisodeRule for WithShare<NewStateRule> {
    #[inline]
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        match self.rule {
            NewStateRule::NewState => or_new_state(Doubling, now, pair),
            NewStateRule::Vm => or_new_state(self.f, now, pair),
        }
    }

    #[inline]
    fn certain_visits(&self, counts: &Counts, state: u32, pair: usize) -> u64 {
        match self.rule {
            NewStateRule::NewState => NewStates.certain_visits(counts, state, pair),
            NewStateRule::Vm => 0,
        }
    }
}
