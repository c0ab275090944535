//! What are the regret bounds of the paper, in numbers?
//!
//! TUCRL's regret bound term by term (theorem 1 and its proof in the appendix), the bounds on episodes
//! and on steps in under-visited pairs, the length C(k) of the exploratory phase, the linear,
//! square-root and logarithmic regimes of UCRL (section 5), and the bound of UCRL2 (Jaksch et al.
//! 2010). The constants are large, so answers include the trivial bound r_max T.
//!
//! Differences from the paper: the episode term has S^C A inside its logarithm, as in the lemma it
//! comes from (the final display has S A). The lower-order estimation term has (S + S^C) / 2 where the
//! paper has S^C: its proof (appendix D.3) bounds |p̃ - p̂|_1 by a sum of widths over S^C, but the radius
//! of the L1 set (appendix C) sums them over all S; only |p̂ - p|_1 is bounded by the sum over S^C. The gap
//! in UCRL's logarithmic regime is divided by r_max, so that every bound scales with the rewards.

use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};

use crate::math;

/// The quantities of a world that the bounds depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorldNumbers {
    /// The nominal number of states.
    #[doc(alias = "S")]
    pub states: u64,
    /// The largest number of actions of a state.
    #[doc(alias = "A")]
    pub actions: u64,
    /// The number of states reachable from the start.
    #[doc(alias = "S^C")]
    pub reachable: u64,
    /// The largest number of possible next states of a pair.
    #[doc(alias = "Gamma")]
    pub max_support: u64,
    /// The same among pairs of reachable states.
    #[doc(alias = "Gamma^C")]
    pub max_support_reachable: u64,
    /// The largest shortest expected time between two states; infinite if some state is unreachable.
    #[doc(alias = "D")]
    pub diameter: f64,
    /// The same among reachable states.
    #[doc(alias = "D^C")]
    pub diameter_reachable: f64,
    /// The largest possible reward.
    pub r_max: f64,
    /// Best minus second-best gain over deterministic policies, if known.
    pub gap: Option<f64>,
}

impl WorldNumbers {
    /// S A, an upper bound on the number of pairs.
    fn pairs(&self) -> f64 {
        self.states as f64 * self.actions as f64
    }

    /// S^C A.
    fn reachable_pairs(&self) -> f64 {
        self.reachable as f64 * self.actions as f64
    }
}

/// TUCRL's regret bound term by term, which holds with probability at least 1 - delta for all T > 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegretBound {
    /// Estimation errors, widths of order 1/sqrt(N): the leading term.
    #[doc(alias = "B1")]
    pub estimation: f64,
    /// Estimation errors, widths of order 1/N.
    #[doc(alias = "B2")]
    pub estimation_lower_order: f64,
    /// Steps in under-visited pairs.
    #[doc(alias = "B3")]
    pub under_visited: f64,
    /// Random next states.
    #[doc(alias = "B4")]
    pub transition_noise: f64,
    /// Planning errors of r_max / sqrt(t_k).
    #[doc(alias = "B5")]
    pub planning_accuracy: f64,
    /// Changes of the policy.
    #[doc(alias = "B6")]
    pub episode_changes: f64,
    /// Random rewards.
    #[doc(alias = "B7")]
    pub reward_noise: f64,
    /// Episodes whose confidence sets do not contain the MDP.
    #[doc(alias = "B8")]
    pub failed_sets: f64,
    /// Episodes that start before C(k), when reachable states may be truncated.
    #[doc(alias = "B9")]
    pub exploratory_phase: f64,
    /// r_max T, the largest possible regret.
    pub trivial: f64,
}

impl RegretBound {
    /// The nine terms B1 to B9 with their names.
    pub fn terms(&self) -> [(&'static str, f64); 9] {
        [
            ("estimation", self.estimation),
            ("estimation, lower order", self.estimation_lower_order),
            ("under-visited pairs", self.under_visited),
            ("transition noise", self.transition_noise),
            ("planning accuracy", self.planning_accuracy),
            ("episode changes", self.episode_changes),
            ("reward noise", self.reward_noise),
            ("failed confidence sets", self.failed_sets),
            ("exploratory phase", self.exploratory_phase),
        ]
    }

    /// The sum of the nine terms.
    pub fn sum(&self) -> f64 {
        self.terms().iter().map(|term| term.1).sum()
    }

    /// The bound: the smaller of the sum and the trivial bound.
    pub fn total(&self) -> f64 {
        self.sum().min(self.trivial)
    }
}

/// The regret bound of TUCRL after `steps` steps.
pub fn tucrl_regret(world: &WorldNumbers, steps: u64, delta: f64) -> RegretBound {
    let time = (steps as f64).max(1.0);
    let (r_max, diameter) = (world.r_max, world.diameter_reachable);
    let (reachable, pairs) = (world.reachable as f64, world.reachable_pairs());
    let log = math::ln(2.0 * world.pairs() * time / delta);
    let noise = (2.5 * time * math::ln(8.0 * time / delta)).sqrt();
    let spread = (world.max_support_reachable.saturating_sub(1) as f64).sqrt();
    let nominal = world.states as f64;
    RegretBound {
        estimation: 2.0
            * (28f64.sqrt() + 14f64.sqrt())
            * r_max
            * (pairs * time * log).sqrt()
            * (diameter * spread + 1.0),
        estimation_lower_order: 196.0 / 3.0
            * r_max
            * pairs
            * log
            * (3.0 + math::ln(time))
            * (diameter * (nominal + reachable) / 2.0 + 1.0),
        under_visited: 2.0 * r_max * (diameter + 1.0) * ((pairs * time).sqrt() + pairs),
        transition_noise: r_max * diameter * noise,
        planning_accuracy: 2.0 * (SQRT_2 + 1.0) * r_max * (pairs * time).sqrt(),
        episode_changes: r_max
            * diameter
            * (1.0 + 2.0 * pairs + pairs * math::log2(time / pairs).max(0.0) + reachable),
        reward_noise: r_max * noise,
        failed_sets: r_max * time.sqrt(),
        exploratory_phase: 4802.0 / 9.0
            * r_max
            * math::powi(diameter, 2)
            * math::powi(nominal, 3)
            * world.actions as f64
            * math::powi(log, 2),
        trivial: r_max * steps as f64,
    }
}

/// The largest number of episodes of UCRL and its variants. Holds surely, for every `steps`.
pub fn ucrl_episodes(world: &WorldNumbers, steps: u64) -> f64 {
    episodes(world.pairs(), steps)
}

/// The largest number of episodes of TUCRL. Holds surely, for every `steps`.
pub fn tucrl_episodes(world: &WorldNumbers, steps: u64) -> f64 {
    episodes(world.reachable_pairs(), steps) + world.reachable as f64
}

/// The published form of [`tucrl_episodes`]; `None` below S^C A steps, where it does not hold.
pub fn tucrl_episodes_published(world: &WorldNumbers, steps: u64) -> Option<f64> {
    let (pairs, time) = (world.reachable_pairs(), steps as f64);
    let bound = 1.0 + 2.0 * pairs + pairs * math::log2(time / pairs) + world.reachable as f64;
    (time >= pairs).then_some(bound)
}

fn episodes(pairs: f64, steps: u64) -> f64 {
    1.0 + pairs + pairs * math::ln_1p(steps as f64 / pairs) / std::f64::consts::LN_2
}

/// The largest number of steps of TUCRL in pairs that are under-visited at that time. Holds surely.
#[doc(alias = "Z")]
pub fn poor_steps(world: &WorldNumbers, steps: u64) -> f64 {
    poor_steps_among(world.reachable_pairs(), steps as f64)
}

/// [`poor_steps`] as a function of S^C A and the time.
#[doc(alias = "Z")]
pub fn poor_steps_among(reachable_pairs: f64, time: f64) -> f64 {
    2.0 * (reachable_pairs * time).sqrt() + 2.0 * reachable_pairs
}

/// The length C(k) of the exploratory phase for an episode that starts at `t_k` with `unseen` states
/// not yet seen. If t_k >= C(k) and the confidence sets hold, all reachable states have been seen or the
/// unseen states are not truncated.
#[doc(alias = "C(k)")]
pub fn exploratory_phase(world: &WorldNumbers, unseen: u64, t_k: f64, delta: f64) -> f64 {
    let log = math::ln(2.0 * world.pairs() * t_k / delta);
    2401.0 / 9.0
        * math::powi(world.diameter_reachable, 2)
        * world.pairs()
        * math::powi(unseen as f64 * log, 2)
}

/// The solution t = C(t): the end of the exploratory phase while `unseen` states are unseen. 0 if there
/// is no such phase, infinite if it does not end.
pub fn exploratory_phase_end(world: &WorldNumbers, unseen: u64, delta: f64) -> f64 {
    let length = |t: f64| exploratory_phase(world, unseen, t.max(1.0), delta);
    if length(1.0) == 0.0 {
        return 0.0;
    }
    fixed_point(length, length(1.0)).unwrap_or(f64::INFINITY)
}

/// The three regimes of UCRL's expected regret (paper, section 5; delta = 1 / (3 T)).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UcrlRegimes {
    /// r_max T.
    pub linear: f64,
    /// Of order sqrt(T); infinite if the diameter is.
    pub root: f64,
    /// Of order ln T, *without* its additive constant C3(M), which cannot be computed: not a bound.
    /// `None` without a gap.
    pub logarithmic: Option<f64>,
}

impl UcrlRegimes {
    /// The regret bound: the smaller of the linear and the square-root term.
    pub fn total(&self) -> f64 {
        self.linear.min(self.root)
    }
}

/// The three regimes of UCRL after `steps` steps.
pub fn ucrl_regimes(world: &WorldNumbers, steps: u64) -> UcrlRegimes {
    let time = (steps as f64).max(1.0);
    let log = math::ln(3.0 * time * time);
    let root = if world.diameter.is_finite() {
        world.r_max * 34.0 * (difficulty(world) * time * log).sqrt() + 1.0 / 3.0
    } else {
        f64::INFINITY
    };
    let logarithmic = world.gap.map(|gap| {
        math::powi(34.0, 2) * world.r_max * difficulty(world) / (gap / world.r_max) * math::ln(time)
    });
    UcrlRegimes { linear: world.r_max * steps as f64, root, logarithmic }
}

/// D² Gamma S A.
fn difficulty(world: &WorldNumbers) -> f64 {
    math::powi(world.diameter, 2) * world.max_support as f64 * world.pairs()
}

/// The start of UCRL's square-root regime: T = 34² D² Gamma S A ln(3 T²). `None` if the diameter is
/// infinite.
#[doc(alias = "T_dagger")]
pub fn linear_regime_end(world: &WorldNumbers) -> Option<f64> {
    let scale = math::powi(34.0, 2) * difficulty(world);
    if scale == 0.0 {
        return Some(0.0);
    }
    fixed_point(|t| scale * math::ln(3.0 * t * t), scale)
}

/// A lower bound on the start of UCRL's logarithmic regime: the crossing of the square-root and the
/// logarithmic term for C3(M) = 0. `None` without a finite diameter and a gap, or without a crossing.
#[doc(alias = "T_star")]
pub fn root_regime_end(world: &WorldNumbers) -> Option<f64> {
    let gap = world.gap? / world.r_max;
    // 34 sqrt(d T ln(3 T²)) = 34² (d / gap) ln T, solved for the T outside the logarithms.
    let scale = math::powi(34.0, 2) * difficulty(world) / (gap * gap);
    let crossing = fixed_point(
        |t| scale * math::powi(math::ln(t), 2) / math::ln(3.0 * t * t),
        scale.max(10.0),
    )?;
    (crossing > 1.0 && crossing.is_finite()).then_some(crossing)
}

/// Iterates a slowly growing map to its fixed point; `None` if it diverges.
fn fixed_point(map: impl Fn(f64) -> f64, start: f64) -> Option<f64> {
    let mut at = start;
    for _ in 0..10_000 {
        let next = map(at);
        if !next.is_finite() || next <= 0.0 {
            return None;
        }
        if (next - at).abs() <= 1e-14 * next {
            return Some(next);
        }
        at = next;
    }
    Some(at)
}

/// The regret bound of UCRL2 (Jaksch, Ortner, Auer 2010): 34 r_max D S sqrt(A T ln(T / delta)) with
/// probability at least 1 - delta, for every T > 1. Infinite if the diameter is.
pub fn ucrl2_regret(world: &WorldNumbers, steps: u64, delta: f64) -> f64 {
    let time = (steps as f64).max(1.0);
    34.0 * world.r_max
        * world.diameter
        * world.states as f64
        * (world.actions as f64 * time * math::ln(time / delta)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_state() -> WorldNumbers {
        WorldNumbers {
            states: 3,
            actions: 2,
            reachable: 2,
            max_support: 1,
            max_support_reachable: 1,
            diameter: f64::INFINITY,
            diameter_reachable: 1.0,
            r_max: 1.0,
            gap: Some(1.0 / 3.0),
        }
    }

    fn slippery_three_state() -> WorldNumbers {
        WorldNumbers {
            reachable: 3,
            max_support: 2,
            max_support_reachable: 2,
            diameter: 200.0,
            diameter_reachable: 200.0,
            ..three_state()
        }
    }

    fn taxi() -> WorldNumbers {
        WorldNumbers {
            states: 500,
            actions: 6,
            reachable: 400,
            max_support: 300,
            max_support_reachable: 300,
            diameter: f64::INFINITY,
            diameter_reachable: 72.066_666_666_7,
            r_max: 1.0,
            gap: None,
        }
    }

    #[track_caller]
    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} vs {expected}");
    }

    #[test]
    fn the_nine_terms_are_those_of_the_reference_table() {
        let rows = [
            (
                three_state(),
                1_000_000,
                [
                    1.587212e5, 2.967861e5, 8.016000e3, 6.872169e3, 9.656854e3, 8.272627e1,
                    6.872169e3,
                ],
                1.072790e7,
                1.121591e7,
            ),
            (
                three_state(),
                100_000_000,
                [
                    1.766488e6, 4.682934e5, 8.001600e4, 7.664179e4, 9.656854e4, 1.093017e2,
                    7.664179e4,
                ],
                1.645952e7,
                1.903428e7,
            ),
            (
                taxi(),
                1_000_000_000,
                [
                    1.987423e11,
                    3.910875e12,
                    2.267395e8,
                    1.830211e7,
                    7.480167e6,
                    3.603728e6,
                    2.539608e5,
                ],
                2.184218e18,
                2.184222e18,
            ),
        ];
        for (world, steps, first_seven, ninth, sum) in rows {
            let bound = tucrl_regret(&world, steps, 0.05);
            let terms = bound.terms();
            for (term, expected) in terms.iter().zip(first_seven) {
                assert_close(term.1, expected, 1e-6);
            }
            assert_eq!(terms[7].1, (steps as f64).sqrt());
            assert_close(terms[8].1, ninth, 1e-6);
            assert_close(bound.sum(), sum, 1e-6);
        }
    }

    /// |p̃ - p|_1 <= |p̃ - p̂|_1 + |p̂ - p|_1 has S widths from the radius of the set and S^C from the widths
    /// of the reachable states: per step D^C (S + S^C) p+ + 2 beta_r, of which the widths (49/3) L / N± add up
    /// to (49/3) L 2 S^C A (3 + ln T).
    #[test]
    fn the_lower_order_term_counts_unreachable_states_once_and_reachable_ones_twice() {
        let (steps, delta) = (1_000_000, 0.05);
        for unreachable in [0, 1, 7, 1000] {
            let world = WorldNumbers { states: 4 + unreachable, reachable: 4, ..three_state() };
            let world = WorldNumbers { diameter_reachable: 2.5, r_max: 3.0, ..world };
            let log = (2.0 * (4 + unreachable) as f64 * 2.0 * 1e6 / delta).ln();
            let widths = 49.0 / 3.0 * log * 2.0 * (4.0 * 2.0) * (3.0 + 1e6f64.ln());
            let per_step = 3.0 * 2.5 * (unreachable as f64 + 4.0 + 4.0) + 2.0 * 3.0;
            let term = tucrl_regret(&world, steps, delta).estimation_lower_order;
            assert_close(term, widths * per_step, 1e-12);
            // The paper's S^C in place of (S + S^C) / 2 is the same only where every state is reachable.
            let published = widths * (3.0 * 2.5 * 8.0 + 2.0 * 3.0);
            assert_eq!(term > published * (1.0 + 1e-9), unreachable > 0);
        }
    }

    #[test]
    fn the_total_never_exceeds_the_trivial_bound() {
        assert_eq!(tucrl_regret(&taxi(), 1_000_000_000, 0.05).total(), 1e9);
        let late = tucrl_regret(&three_state(), 1_000_000_000_000, 0.05);
        assert!(late.total() == late.sum() && late.sum() < late.trivial);
        assert_eq!(tucrl_regret(&three_state(), 0, 0.05).total(), 0.0);
    }

    #[test]
    fn every_regret_bound_scales_with_the_rewards() {
        let world = slippery_three_state();
        let scaled =
            WorldNumbers { r_max: 1000.0, gap: world.gap.map(|gap| 1000.0 * gap), ..world.clone() };
        let (small, large) = (tucrl_regret(&world, 1000, 0.1), tucrl_regret(&scaled, 1000, 0.1));
        for (small, large) in small.terms().iter().zip(large.terms()) {
            assert_close(large.1, 1000.0 * small.1, 1e-14);
        }
        let (small, large) = (ucrl_regimes(&world, 1000), ucrl_regimes(&scaled, 1000));
        assert_close(large.linear, 1000.0 * small.linear, 1e-14);
        assert_close(large.root - 1.0 / 3.0, 1000.0 * (small.root - 1.0 / 3.0), 1e-12);
        assert_close(large.logarithmic.unwrap(), 1000.0 * small.logarithmic.unwrap(), 1e-14);
        let ratio = ucrl2_regret(&scaled, 1000, 0.1) / ucrl2_regret(&world, 1000, 0.1);
        assert_close(ratio, 1000.0, 1e-14);
        assert_eq!(linear_regime_end(&world), linear_regime_end(&scaled));
    }

    #[test]
    fn episode_bounds_have_their_reference_values_and_order() {
        let (world, steps) = (three_state(), 1_000_000);
        assert_close(tucrl_episodes_published(&world, steps).unwrap(), 82.726_27, 1e-6);
        assert_close(tucrl_episodes(&taxi(), 1_000_000), 23_696.0, 1e-4);
        // Where the published form holds, the form for every T is tighter.
        for steps in [6u64, 100, 10_000, 1_000_000] {
            let published = tucrl_episodes_published(&world, steps).unwrap();
            assert!(tucrl_episodes(&world, steps) <= published + 1e-9, "{steps}");
        }
        // Below S^C A steps the published form does not hold; the other one allows an episode per step.
        assert_eq!(tucrl_episodes_published(&world, 3), None);
        assert!((0..=6).all(|steps| ucrl_episodes(&world, steps) >= steps as f64));
    }

    #[test]
    fn poor_step_bounds_have_their_reference_values() {
        assert_close(poor_steps(&three_state(), 1_000_000), 4008.0, 1e-12);
        assert_close(poor_steps(&taxi(), 1_000_000), 102_779.59, 1e-6);
    }

    #[test]
    fn the_exploratory_phase_has_its_reference_length_and_end() {
        let world = three_state();
        assert_close(exploratory_phase(&world, 1, 1e4, 0.05), 3.454637e5, 1e-6);
        let end = exploratory_phase_end(&world, 1, 0.05);
        assert_close(end, 5.608008e5, 1e-6);
        assert_close(exploratory_phase(&world, 1, end, 0.05), end, 1e-12);
        assert_eq!(exploratory_phase_end(&world, 0, 0.05), 0.0, "nothing is unseen");
        let endless = WorldNumbers { diameter_reachable: f64::INFINITY, ..world };
        assert_eq!(exploratory_phase_end(&endless, 1, 0.05), f64::INFINITY);
    }

    #[test]
    fn ucrl_regimes_cross_where_they_should() {
        let world = slippery_three_state();
        let dagger = linear_regime_end(&world).unwrap();
        assert_close(dagger, 2.73e10, 2e-3);
        let at = ucrl_regimes(&world, dagger.round() as u64);
        assert_close(at.linear, at.root, 1e-9);
        assert!(ucrl_regimes(&world, 1_000_000).total() == 1e6);
        let star = root_regime_end(&world).unwrap();
        assert!(star > dagger, "{star}");
        let at = ucrl_regimes(&world, star.round() as u64);
        assert_close(at.logarithmic.unwrap(), at.root, 1e-9);
        assert!(at.total() < at.linear);
    }

    #[test]
    fn without_a_finite_diameter_ucrl_has_only_the_linear_regime() {
        let world = three_state();
        let regimes = ucrl_regimes(&world, 1_000_000_000);
        assert_eq!((regimes.total(), regimes.root), (1e9, f64::INFINITY));
        assert_eq!((linear_regime_end(&world), root_regime_end(&world)), (None, None));
        assert_eq!(ucrl2_regret(&world, 10, 0.05), f64::INFINITY);
        let unknown = WorldNumbers { gap: None, ..slippery_three_state() };
        assert_eq!(
            (root_regime_end(&unknown), ucrl_regimes(&unknown, 9).logarithmic),
            (None, None)
        );
    }

    #[test]
    fn a_single_state_has_no_diameter_and_no_regimes_to_wait_for() {
        let world = WorldNumbers {
            states: 1,
            actions: 3,
            reachable: 1,
            diameter: 0.0,
            diameter_reachable: 0.0,
            ..three_state()
        };
        assert_eq!(linear_regime_end(&world), Some(0.0));
        assert_eq!(root_regime_end(&world), None);
        assert_eq!(exploratory_phase_end(&world, 0, 0.05), 0.0);
        let bound = tucrl_regret(&world, 1000, 0.05);
        assert_eq!((bound.transition_noise, bound.episode_changes), (0.0, 0.0));
    }

    #[test]
    fn ucrl2_has_its_published_bound() {
        let world = slippery_three_state();
        let expected = 34.0 * 200.0 * 3.0 * (2e6 * (1e6f64 / 0.05).ln()).sqrt();
        assert_close(ucrl2_regret(&world, 1_000_000, 0.05), expected, 1e-14);
    }
}
