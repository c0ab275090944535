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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Variance;
    use crate::space::Space;

    /// Two of seven states are seen, with three actions each; the first pair has five visits, so that N± = 4.
    fn counts() -> Counts {
        let mut counts = Counts::new(Space::uniform(7, 3), Variance::default());
        counts.see(0);
        let next = counts.see(3);
        (0..5).for_each(|_| counts.record(0, 0.5, next));
        counts.freeze();
        counts
    }

    #[test]
    fn a_pair_is_under_visited_from_the_square_of_its_visits_times_the_pairs_on() {
        let counts = counts();
        let [visited, untried] = [0, 1].map(|pair| &counts.pairs()[pair]);
        // 4² · 7 · 3 and 4² · 2 · 3; an untried pair counts as visited once.
        assert_eq!(Threshold::Nominal.under_visited_from(&counts, visited, 2), 336);
        assert_eq!(Threshold::Seen.under_visited_from(&counts, visited, 2), 96);
        assert_eq!(Threshold::Seen.under_visited_from(&counts, untried, 2), 6);
        assert_eq!(Threshold::Seen.under_visited_from(&counts, visited, usize::MAX), u64::MAX);
        for (threshold, at) in [(Threshold::Nominal, 336), (Threshold::Seen, 96)] {
            assert_eq!(threshold.most_visits(&counts, 2, at), 4);
            assert_eq!(threshold.most_visits(&counts, 2, at - 1), 3);
        }
    }

    #[test]
    fn an_episode_is_truncated_where_few_visits_end() {
        let counts = counts();
        let said = |truncation: Truncation| {
            let at =
                |pair| (truncation.forbids(&counts, pair), truncation.truncates(&counts, pair));
            (truncation.unseen, truncation.under_visited, truncation.plans_unseen(), at(0), at(1))
        };
        let (yes, no) = ((true, true), (false, false));
        assert_eq!(said(decide(&counts, 336)), (5, 6, true, no, no));
        assert_eq!(said(decide(&counts, 335)), (5, 5, true, yes, no));
        assert_eq!(said(decide(&counts, 20)), (5, 0, false, yes, yes));
        // The threshold of seen states is lower; where nothing is unseen, nothing is truncated or planned.
        let seen = |unseen, t_k| said(decide_by(Threshold::Seen, &counts, unseen, t_k));
        assert_eq!(seen(1, 96), (1, 6, true, no, no));
        assert_eq!(seen(1, 95), (1, 5, true, yes, no));
        assert_eq!(seen(0, 95), (0, 5, false, (true, false), no));
    }
}
