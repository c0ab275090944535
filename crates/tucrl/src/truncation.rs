//! Which transitions to unseen states are plausible?
//!
//! TUCRL's idea (paper, section 3): a transition from a pair to a state never seen is *forbidden*
//! when the largest plausible probability p+ falls below rho_t = (49/3) b sqrt(S A / t), which is
//! N±(s,a) > sqrt(t_k / (S A)). The pairs for which it is not are the under-visited ones, K_k. When there
//! are none, nothing leads outside and planning happens on the seen states only. TUCRL+ has the number S_k of seen
//! states in place of S ([`Threshold::Seen`]).
//!
//! Decided by integer counts, so that shrinking the widths cancels and clipping does not matter.

use crate::counts::{Counts, PairCounts};

/// Which states the threshold sqrt(t / (S A)) counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// All that the space names, as in the paper.
    Nominal,
    /// Those seen when the episode began.
    Seen,
}

impl Threshold {
    /// The time from which on a pair is under-visited, N±² S A, with S or `seen` states.
    #[inline]
    pub fn under_visited_from(self, counts: &Counts, pair: &PairCounts, seen: usize) -> u64 {
        match self {
            Self::Nominal => pair.truncated_before,
            Self::Seen => {
                let pairs = seen as u128 * u128::from(counts.space().max_actions());
                let less_one = u128::from(pair.visits_less_one());
                let squared = (less_one * less_one).checked_mul(pairs);
                squared.and_then(|time| u64::try_from(time).ok()).unwrap_or(u64::MAX)
            }
        }
    }

    /// The largest N± of an under-visited pair at time `t_k`: N±² S A <= t_k iff N± <= isqrt(floor(t_k / (S A))).
    pub(crate) fn most_visits(self, counts: &Counts, seen: usize, t_k: u64) -> u64 {
        let pairs = match self {
            Self::Nominal => counts.space().nominal_pairs(),
            Self::Seen => seen as u128 * u128::from(counts.space().max_actions()),
        };
        (u128::from(t_k) / pairs.max(1)).isqrt() as u64
    }
}

/// The truncation of one episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// The largest N± of an under-visited pair.
    most_visits: u64,
    /// How many states have never been seen.
    #[doc(alias = "S^T_k")]
    pub unseen: u64,
    /// How many pairs of seen states are under-visited.
    #[doc(alias = "K_k")]
    pub under_visited: u64,
}

/// Decides for the episode that starts now, at time `t_k`, as the paper does.
pub fn decide(counts: &Counts, t_k: u64) -> Truncation {
    decide_by(Threshold::Nominal, counts, counts.unseen(), t_k)
}

/// The same with another threshold, for a learner that takes `unseen` states for unseen.
pub fn decide_by(threshold: Threshold, counts: &Counts, unseen: u64, t_k: u64) -> Truncation {
    let most_visits = threshold.most_visits(counts, counts.seen(), t_k);
    let is_under_visited = |pair: &&PairCounts| pair.visits_less_one() <= most_visits;
    let under_visited = counts.pairs().iter().filter(is_under_visited).count();
    Truncation { most_visits, unseen, under_visited: under_visited as u64 }
}

impl Truncation {
    /// Whether a pair may not lead to states never seen: N±² S A > t_k.
    #[inline]
    pub fn forbids(&self, counts: &Counts, pair: usize) -> bool {
        counts.pairs()[pair].visits_less_one() > self.most_visits
    }

    /// Whether a pair may not lead to states never seen, and there are some.
    #[inline]
    pub fn truncates(&self, counts: &Counts, pair: usize) -> bool {
        self.unseen > 0 && self.forbids(counts, pair)
    }

    /// Whether the plan includes the states never seen.
    pub fn plans_unseen(&self) -> bool {
        self.unseen > 0 && self.under_visited > 0
    }
}
