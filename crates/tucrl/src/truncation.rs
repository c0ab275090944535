//! Which transitions to unseen states are plausible?
//!
//! TUCRL's idea (paper, section 3): a transition from a pair to a state never seen is *forbidden*
//! when the largest plausible probability p+ falls below rho_t = (49/3) b sqrt(S A / t), which is
//! N±(s,a) > sqrt(t_k / (S A)). The pairs for which it is not are the under-visited ones, K_k. When there
//! are none, nothing leads outside and planning happens on the seen states only.
//!
//! Decided by integer counts, so that shrinking the widths cancels and clipping does not matter.

use crate::counts::Counts;

/// The truncation of one episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    t_k: u64,
    /// How many states have never been seen.
    #[doc(alias = "S^T_k")]
    pub unseen: u64,
    /// How many pairs of seen states are under-visited.
    #[doc(alias = "K_k")]
    pub under_visited: u64,
}

/// Decides for the episode that starts now, at time `t_k`.
pub fn decide(counts: &Counts, t_k: u64) -> Truncation {
    let under_visited = counts.pairs().iter().filter(|pair| pair.truncated_before <= t_k).count();
    Truncation { t_k, unseen: counts.unseen(), under_visited: under_visited as u64 }
}

impl Truncation {
    /// Whether a pair may not lead to states never seen: N±² S A > t_k.
    #[inline]
    pub fn forbids(&self, counts: &Counts, pair: usize) -> bool {
        counts.pairs()[pair].truncated_before > self.t_k
    }

    /// Whether the plan includes the states never seen.
    pub fn plans_unseen(&self) -> bool {
        self.unseen > 0 && self.under_visited > 0
    }
}
