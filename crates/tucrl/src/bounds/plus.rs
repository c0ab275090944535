//! What is the regret bound of TUCRL+, in numbers? (docs/theory.md)

use std::f64::consts::{LN_2, SQRT_2};

use super::{RegretBound, WorldNumbers, tucrl_regret};
use crate::agents::PlusSet;
use crate::math;
use crate::sets::Union;
use crate::sets::mixture::MISSING;

/// ln(16 S A / delta), or with S^C (S^C + 1) in place of S, the last share in order of discovery.
fn level(world: &WorldNumbers, union: Union, delta: f64) -> f64 {
    let reachable = world.reachable as f64;
    let share = match union {
        Union::Nominal => math::ln(world.states as f64),
        Union::Discovery => math::ln(reachable) + math::ln(reachable + 1.0),
    };
    math::ln(16.0 / delta) + share + math::ln(world.actions as f64)
}

/// What a step in a pair with N visits may cost through its sets: `root` / sqrt(N+) + `linear` / N±.
#[derive(Debug, Clone, Copy)]
struct Cost {
    root: f64,
    linear: f64,
}

/// The regret bound of TUCRL+ with alpha = 1 (docs/theory.md), with probability at least 1 - delta for all T > 1.
pub fn plus_regret(
    world: &WorldNumbers,
    set: PlusSet,
    union: Union,
    steps: u64,
    delta: f64,
) -> RegretBound {
    let time = (steps as f64).max(1.0);
    let support = world.max_support_reachable as f64;
    // ln(1 / delta') of a pair.
    let level = level(world, union, delta);
    let mean = level + 0.5 * math::ln(time) + LN_2;
    let missing = MISSING * (support + level);
    let by_set = |law: Cost, reward: Cost| plus_terms(world, union, law, reward, steps, delta);
    match (set, union) {
        // The total variation between two laws of the set is at most 2 sum (p̂ - l), and p̂ - l is at most
        // sqrt(2 p̂ (1 - p̂) y / n) + 2 p̂ y / n for n KL(p̂, l) <= y. Pinsker's inequality for rewards.
        (PlusSet::Tight, Union::Nominal) => {
            let y = mean + math::ln(world.states as f64);
            let law = Cost { root: (8.0 * (support - 1.0) * y).sqrt(), linear: 4.0 * y };
            by_set(law, Cost { root: (0.5 * mean).sqrt(), linear: 0.0 })
        }
        // At most sum (u - l) + m, from at least half of the draws.
        (PlusSet::Tight, Union::Discovery) => {
            let y = mean + math::ln(support * (support + 1.0));
            let linear = 4.0 * support * y + 4.0 * missing;
            let law = Cost { root: (32.0 * support * y).sqrt(), linear };
            by_set(law, Cost { root: (0.5 * mean).sqrt(), linear: 0.0 })
        }
        (PlusSet::Bernstein, _) => {
            let log = level - math::ln(16.0) + math::ln(2.0) + math::ln(time);
            let reward = Cost { root: (14.0 * log).sqrt(), linear: 49.0 / 3.0 * log };
            let linear = support * reward.linear + missing;
            let widths = Cost { root: (14.0 * (support - 1.0) * log).sqrt(), linear };
            // ln(n (n + 1) / delta') <= ln(2 T² / delta').
            let noise = level + LN_2 + 2.0 * math::ln(time);
            let spread = Cost { root: 2.0 * support.sqrt() + (8.0 * noise).sqrt(), linear: 0.0 };
            let (by_widths, by_spread) = (by_set(widths, reward), by_set(spread, reward));
            // In order of discovery the balls have the second radius only.
            let is_smaller = by_widths.sum() < by_spread.sum();
            if union == Union::Nominal && is_smaller { by_widths } else { by_spread }
        }
    }
}

/// The terms for given costs of a step: `law` bounds a total variation, `reward` half the width of an interval.
fn plus_terms(
    world: &WorldNumbers,
    union: Union,
    law: Cost,
    reward: Cost,
    steps: u64,
    delta: f64,
) -> RegretBound {
    let time = (steps as f64).max(1.0);
    let (r_max, diameter) = (world.r_max, world.diameter_reachable);
    let pairs = world.reachable_pairs();
    let both = |law: f64, reward: f64| r_max * (diameter * law + 2.0 * reward);
    RegretBound {
        // sum nu / sqrt(N+) <= (1 + sqrt 2) sqrt(S^C A T) and sum nu / N± <= 2 S^C A (3 + ln T).
        estimation: both(law.root, reward.root) * (1.0 + SQRT_2) * (pairs * time).sqrt(),
        estimation_lower_order: both(law.linear, reward.linear)
            * 2.0
            * pairs
            * (3.0 + math::ln(time)),
        under_visited: r_max * (diameter + 1.0) * plus_poor_steps_among(pairs, time),
        failed_sets: 0.0,
        exploratory_phase: 2.0 * r_max * plus_exploratory_phase(world, union, delta),
        // Noise, accuracy and episodes are those of TUCRL.
        ..tucrl_regret(world, steps, delta)
    }
}

/// The largest number of steps of TUCRL+ in pairs that are under-visited at that time, as a function of S^C A and the
/// time. Holds surely.
#[doc(alias = "Z")]
pub fn plus_poor_steps_among(reachable_pairs: f64, time: f64) -> f64 {
    4.0 * (reachable_pairs * time).sqrt() + 2.0 * reachable_pairs
}

/// The end of the exploratory phase of TUCRL+: S^C A (D (Gamma^C + ln(1/delta')) / (1 - 1/e))² with D = max(1, D^C) and
/// the level delta' of a pair. No later episode gives up a reachable state unless a confidence set fails.
pub fn plus_exploratory_phase(world: &WorldNumbers, union: Union, delta: f64) -> f64 {
    let new = world.max_support_reachable as f64 + level(world, union, delta);
    world.reachable_pairs() * math::powi(MISSING * world.diameter_reachable.max(1.0) * new, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value} instead of {expected}");
    }

    /// The formulas of docs/theory.md, written out for taxi at T = 10⁹.
    #[test]
    fn every_term_is_that_of_the_theorem() {
        let (world, steps, delta) = (taxi(), 1_000_000_000u64, 0.05f64);
        let (d, g, pairs, t) = (world.diameter_reachable, 300f64, 2400f64, 1e9f64);
        let level = (16.0 * 500.0 * 6.0 / delta).ln();
        let roots = (1.0 + 2f64.sqrt()) * (pairs * t).sqrt();
        let inverses = 2.0 * pairs * (3.0 + t.ln());
        let mean = level + 0.5 * t.ln() + 2f64.ln();
        let next = mean + 500f64.ln();
        let tight = plus_regret(&world, PlusSet::Tight, Union::Nominal, steps, delta);
        let root = d * (8.0 * (g - 1.0) * next).sqrt() + 2.0 * (0.5 * mean).sqrt();
        close(tight.estimation, root * roots);
        close(tight.estimation_lower_order, d * 4.0 * next * inverses);
        let poor = 4.0 * (pairs * t).sqrt() + 2.0 * pairs;
        close(tight.under_visited, (d + 1.0) * poor);
        let phase = pairs * (d * (g + level) / (1.0 - (-1f64).exp())).powi(2);
        close(tight.exploratory_phase, 2.0 * phase);
        assert_eq!(tight.failed_sets, 0.0);
        let paper = tucrl_regret(&world, steps, delta);
        assert_eq!(tight.transition_noise, paper.transition_noise);
        assert_eq!(tight.episode_changes, paper.episode_changes);
        // 6·10¹² instead of 2·10¹⁸.
        assert!(tight.exploratory_phase < 7e12 && paper.exploratory_phase > 2e18);
        let log = (2.0 * 3000.0 * t / delta).ln();
        let balls = plus_regret(&world, PlusSet::Bernstein, Union::Nominal, steps, delta);
        let noise = level + (2.0 * t * t).ln();
        let spread = d * (2.0 * g.sqrt() + (8.0 * noise).sqrt()) + 2.0 * (14.0 * log).sqrt();
        close(balls.estimation, spread * roots);
        close(balls.estimation_lower_order, 98.0 / 3.0 * log * inverses);
    }

    #[test]
    fn the_number_of_states_stands_inside_logarithms_only() {
        let sum = |states: u64, set, union| {
            let world = WorldNumbers { states, ..taxi() };
            plus_regret(&world, set, union, 1_000_000_000, 0.05).sum()
        };
        for set in [PlusSet::Tight, PlusSet::Bernstein] {
            let (few, many) = (sum(500, set, Union::Nominal), sum(1 << 63, set, Union::Nominal));
            assert!(few < many && many < 3.0 * few, "{few} {many}");
            let found = [500, 1 << 63].map(|states| sum(states, set, Union::Discovery));
            // What is left are the terms of the noise, which have no S.
            close(found[0], found[1]);
        }
    }
}
