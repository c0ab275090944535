//! Is there a policy that is better than never leaving one state?
//!
//! In an MDP whose optimal gain is constant, a state that can be kept forever for the reward g is a policy of gain g, so
//! the optimal gain is at least g. It is at most g + e if some h has r + P h - h <= g + e for every pair. The smallest
//! h >= 0 that does is the *excess*: the largest expected sum of rewards above g before some stopping time,
//! h = max(0, max (r - g + P h)). It is finite iff no policy is better.
//!
//! Unlike a bias, the excess does not say how far the best state is. In a large MDP in which that state is reached once in
//! a billion steps, a bias has no digits left and the excess takes a few sweeps. Sweeps are in place, from zero, in an
//! order in which states come after most of those they lead to.

use super::sub_mdp::SubMdp;
use crate::pulse::Pulse;

/// The trend is judged after this many sweeps: an infinite excess grows by the same amount in every one.
const TREND: u32 = 8;
/// A limit on time.
const SWEEP_LIMIT: u32 = 2_000;

/// A state to stay in, by which pair, and bounds on the optimal gain; the pair attains the lower one.
pub(super) struct Stay {
    pub(super) state: usize,
    pub(super) pair: usize,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The state that it is best never to leave, if the bounds on the optimal gain are then at most `tolerance` apart. The
/// sub-MDP must have a constant optimal gain.
pub(super) fn best_to_stay(sub: &SubMdp<'_>, tolerance: f64) -> Option<Stay> {
    let (state, pair, gain) = sub.best_self_loop()?;
    // In the middle of the tolerance, so that what is worth g itself counts as a small loss.
    let bar = gain + 0.5 * tolerance;
    let ordered = sub.renumbered(&sub.successors_first());
    let (mut excess, mut earlier) = (vec![0.0; sub.len()], f64::INFINITY);
    for sweep in 1..=SWEEP_LIMIT {
        let change = ordered.sweep_excess(bar, &mut excess);
        if change <= 0.1 * tolerance {
            let high = ordered.improve(&excess, None).high.max(gain);
            return (high - gain <= tolerance).then_some(Stay { state, pair, low: gain, high });
        }
        if sweep % TREND == 0 {
            let is_converging = change < 0.8 * earlier;
            if !is_converging || Pulse::is_stopped() {
                return None;
            }
            earlier = change;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdp::Mdp;

    /// Staying pays 0.5; going to and fro pays 0.5 + 3e-7 on average, which is within the tolerance.
    #[test]
    fn a_better_cycle_within_the_tolerance_is_in_the_upper_bound() {
        let mut builder = Mdp::builder();
        builder.state().action(0.5, [(0, 1.0)]).action(0.25, [(1, 1.0)]);
        builder.state().action(0.75 + 6e-7, [(0, 1.0)]);
        builder.start_at(0);
        let mdp = builder.build().unwrap();
        let found = best_to_stay(&SubMdp::whole(&mdp), 1e-6).unwrap();
        assert_eq!((found.state, found.pair, found.low), (0, 0, 0.5));
        assert!(found.high >= 0.5 + 3e-7 && found.high <= 0.5 + 1e-6, "{}", found.high);
        // With a smaller tolerance it is not best to stay.
        assert!(best_to_stay(&SubMdp::whole(&mdp), 1e-7).is_none());
    }
}
