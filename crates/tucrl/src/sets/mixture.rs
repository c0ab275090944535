//! How far can a mean lie from its estimate, and how much probability was never observed, at all times at once?
//!
//! Each bound is a nonnegative supermartingale that starts at 1, and Ville's inequality: it exceeds 1/delta' at any
//! time with probability at most delta'. `log` is ln(1/delta') throughout; docs/theory.md has the proofs.
//! - **Means in [0, 1]** ([`interval`]). The likelihood of k of n, mixed over Beta(1/2, 1/2), over that of q:
//!   keep q with q^k (1-q)^(n-k) > delta' B(k + 1/2, n - k + 1/2) / pi. By convexity k may be a sum of numbers in
//!   [0, 1]. With p̂ = k/n the same is n KL(p̂, q) < y, and y <= ln(1/delta') + (1/2) ln n + ln 2.
//! - **Missing mass** ([`missing_mass`]). After n draws with d different outcomes the probability M of all others
//!   satisfies (n-1) M <= V with e^V gamma(d, V) / V^d = 1/delta', and (n-1) M <= (d - 1 + ln(1/delta')) / (1 - 1/e).

use crate::math;

use std::f64::consts::{E, PI};

/// From here on Stirling's series has an error below 1e-13.
const LARGE: f64 = 16.0;

/// 1 / (1 - 1/e).
pub const MISSING: f64 = E / (E - 1.0);

/// ln Gamma(k + 1/2) - (k ln k - k + ln(2 pi)/2), for k >= 0.
fn half_excess(k: f64) -> f64 {
    if k >= LARGE {
        let inverse = 1.0 / k;
        let square = inverse * inverse;
        return inverse
            * (-1.0 / 24.0
                + square
                    * (7.0 / 2880.0 + square * (-31.0 / 40320.0 + square * 127.0 / 215_040.0)));
    }
    let shift = (LARGE - k).ceil();
    let shifted = k + shift;
    let mut product = 1.0;
    let mut factor = k + 0.5;
    while factor < shifted {
        product *= factor;
        factor += 1.0;
    }
    half_excess(shifted) + times_log(shifted, shifted) - shift - math::ln(product) - times_log(k, k)
}

/// ln n! - (n ln n - n + ln(2 pi n)/2), for whole n >= 1.
fn factorial_excess(n: f64) -> f64 {
    if n >= LARGE {
        let inverse = 1.0 / n;
        let square = inverse * inverse;
        return inverse
            * (1.0 / 12.0
                + square * (-1.0 / 360.0 + square * (1.0 / 1260.0 - square * 1.0 / 1680.0)));
    }
    let factorial: f64 = (2..=n as u32).map(f64::from).product();
    math::ln(factorial) - n * math::ln(n) + n - 0.5 * math::ln(2.0 * PI * n)
}

/// a ln b, which is 0 for a = 0.
fn times_log(a: f64, b: f64) -> f64 {
    if a > 0.0 { a * math::ln(b) } else { 0.0 }
}

/// The bound y on n KL(k/n, q).
pub fn divergence(successes: f64, visits: f64, log: f64) -> f64 {
    let failures = (visits - successes).max(0.0);
    log + 0.5 * math::ln(PI * visits / 2.0) + factorial_excess(visits)
        - half_excess(successes)
        - half_excess(failures)
}

/// The smallest and the largest plausible mean after `visits` numbers in [0, 1] of sum `successes`; both are rounded
/// outwards.
pub fn interval(successes: f64, visits: f64, log: f64) -> (f64, f64) {
    if visits <= 0.0 {
        return (0.0, 1.0);
    }
    let successes = successes.clamp(0.0, visits);
    let y = divergence(successes, visits, log).max(0.0);
    let failures = visits - successes;
    (1.0 - upper_end(failures, successes, y), upper_end(successes, failures, y))
}

/// The upper end of [`interval`]; none if it surely lies above `limit`.
///
/// KL(p, q) is at most (q - p)²/(q (1 - q)), so q is plausible where that is at most y/n: the upper end is at least the
/// larger root of (1 + y/n) q² - (2 p + y/n) q + p² = 0.
pub fn highest_below(successes: f64, visits: f64, log: f64, limit: f64) -> Option<f64> {
    if visits <= 0.0 {
        return Some(1.0);
    }
    let successes = successes.clamp(0.0, visits);
    let y = divergence(successes, visits, log).max(0.0);
    let (p, share) = (successes / visits, y / visits);
    let half = p + share / 2.0;
    let root = (half + (half * half - (1.0 + share) * p * p).max(0.0).sqrt()) / (1.0 + share);
    // Rounding may lift the root by some ulps.
    (root * (1.0 - 1e-12) <= limit).then(|| upper_end(successes, visits - successes, y))
}

/// The largest q with n KL(p̂, q) <= y, by Newton's method: the divergence is convex in q, so that from above the
/// iterates fall and never pass the root.
fn upper_end(successes: f64, failures: f64, y: f64) -> f64 {
    if failures <= 0.0 {
        return 1.0;
    }
    let visits = successes + failures;
    let (p, rest, share) = (successes / visits, failures / visits, y / visits);
    if successes <= 0.0 {
        return -math::exp_m1(-share);
    }
    // KL(p, q) is at least (q - p)²/(2q), (q - p)²/(2 (1 - p)), and rest ln(rest/(1 - q)) + p ln p.
    let by_mean = p + share + (share * (2.0 * p + share)).sqrt();
    let by_rest = p + (2.0 * rest * share).sqrt();
    let last = 1.0 - rest * math::exp(-(share - p * math::ln(p)) / rest);
    let mut q = by_mean.min(by_rest).min(last);
    for _ in 0..60 {
        let too_far = successes * math::ln(p / q) + failures * math::ln(rest / (1.0 - q)) - y;
        let slope = failures / (1.0 - q) - successes / q;
        let step = too_far / slope;
        if step.is_nan() || step <= 1e-14 * q {
            break;
        }
        q -= step;
    }
    q.clamp(p, 1.0)
}

/// V: a bound on n - 1 times the missing mass after n draws that showed `distinct` different outcomes.
pub fn missing_mass(distinct: u32, log: f64) -> f64 {
    let d = f64::from(distinct.max(1));
    let mut v = MISSING * (d - 1.0 + log);
    // The logarithm of the mixture is convex in V: from above Newton's iterates fall and never pass the root.
    for _ in 0..60 {
        let (value, slope) = log_mixture(d, v);
        let step = (value - log) / slope;
        if step.is_nan() || step <= 1e-13 * v {
            break;
        }
        v -= step;
    }
    v
}

/// ln(e^V gamma(d, V) / V^d) = ln sum_i V^i / (d (d+1) ... (d+i)), and its derivative in V.
fn log_mixture(d: f64, v: f64) -> (f64, f64) {
    /// Rescales the sums before they overflow.
    const HUGE: f64 = 1e250;
    let (mut term, mut scale) = (1.0 / d, 0.0);
    let (mut sum, mut weighted, mut i) = (term, 0.0, 0.0);
    loop {
        i += 1.0;
        term *= v / (d + i);
        sum += term;
        weighted += i * term;
        if sum > HUGE {
            (term, sum, weighted) = (term / HUGE, sum / HUGE, weighted / HUGE);
            scale += math::ln(HUGE);
        }
        if d + i > v && term <= 1e-17 * sum {
            return (math::ln(sum) + scale, weighted / (v * sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} instead of {expected}");
    }

    /// B(k + 1/2, n - k + 1/2) / pi for whole k by its recursion: each success multiplies by (i + 1/2)/(i + j + 1).
    fn log_evidence(k: u32, n: u32) -> f64 {
        let mut log = 0.0;
        for i in 0..k {
            log += ((f64::from(i) + 0.5) / f64::from(i + 1)).ln();
        }
        for j in 0..n - k {
            log += ((f64::from(j) + 0.5) / f64::from(k + j + 1)).ln();
        }
        log
    }

    #[test]
    fn the_divergence_is_that_of_the_mixture() {
        for n in [1u32, 2, 3, 7, 15, 16, 17, 40, 1000] {
            for k in [0, 1, 2, n / 3, n / 2, n - 1, n] {
                let k = k.min(n);
                let (s, f, all) = (f64::from(k), f64::from(n - k), f64::from(n));
                let best = times_log(s, s / all) + times_log(f, f / all);
                let expected = 3.0 + best - log_evidence(k, n);
                close(divergence(s, all, 3.0), expected, 1e-10 * expected);
                // The regret of the mixture: (1/2) ln n + ln 2.
                assert!(divergence(s, all, 0.0) <= 0.5 * all.ln() + 2f64.ln() + 1e-12);
            }
        }
        // A sum that is not whole lies between its neighbours.
        let [low, middle, high] = [3.0, 3.4, 4.0].map(|k| divergence(k, 10.0, 0.0));
        assert!(low > middle && middle > high, "{low} {middle} {high}");
    }

    #[test]
    fn the_ends_solve_their_equation_from_outside() {
        for n in [1f64, 2.0, 10.0, 1e3, 1e6, 1e9] {
            for k in [0.0, 0.3, 1.0, 0.1 * n, 0.5 * n, n - 1.0, n] {
                let k = k.clamp(0.0, n);
                let (low, high) = interval(k, n, 10.0);
                let y = divergence(k, n, 10.0);
                let kl =
                    |q: f64| times_log(k, k / n / q) + times_log(n - k, (n - k) / n / (1.0 - q));
                assert!(0.0 <= low && low <= k / n && k / n <= high && high <= 1.0);
                for end in [low, high].into_iter().filter(|&end| end > 1e-12 && end < 1.0 - 1e-12) {
                    close(kl(end) / y, 1.0, 1e-5);
                }
                assert!(high == 1.0 || kl(high) >= y * (1.0 - 1e-6), "{k} of {n}");
            }
        }
        assert_eq!(interval(0.0, 0.0, 3.0), (0.0, 1.0));
    }

    #[test]
    fn an_upper_end_is_left_out_only_where_it_lies_above_the_limit() {
        for n in [1f64, 2.0, 10.0, 1e3, 1e6] {
            for k in [0.0, 0.3, 1.0, 0.1 * n, 0.5 * n, n - 1.0, n] {
                let k = k.clamp(0.0, n);
                let (_, high) = interval(k, n, 10.0);
                assert_eq!(highest_below(k, n, 10.0, 1.0), Some(high), "{k} of {n}");
                assert_eq!(highest_below(k, n, 10.0, high), Some(high), "{k} of {n}");
                if k > 0.0 && k < n {
                    // Below the root of the quadratic, which lies between p̂ and the upper end.
                    assert_eq!(highest_below(k, n, 10.0, k / n), None, "{k} of {n}");
                }
            }
        }
    }

    #[test]
    fn the_missing_mass_has_its_reference_values() {
        // d = 1: (e^V - 1)/V = e^20.
        close(missing_mass(1, 20.0), 23.1, 0.05);
        close(missing_mass(300, 20.0), 430.0, 1.0);
        // The integral of e^(uV) (1 - u)^(d - 1) over [0, 1], by the midpoint rule.
        for (d, log) in [(1u32, 3.0), (2, 9.0), (7, 20.0), (300, 20.0)] {
            let v = missing_mass(d, log);
            let steps = 200_000;
            let at = |i: u32| (f64::from(i) + 0.5) / f64::from(steps);
            let inside = |u: f64| (u * v).exp() * (1.0 - u).powi(d as i32 - 1);
            let integral: f64 = (0..steps).map(|i| inside(at(i)) / f64::from(steps)).sum();
            close(integral.ln(), log, 1e-6);
        }
        // Never above the bound for one lambda; far out neither overflows.
        for (d, log) in [(1, 0.1), (1, 1.0), (5, 40.0), (2000, 90.0), (100_000, 90.0)] {
            let v = missing_mass(d, log);
            assert!(v > 0.0 && v <= MISSING * (f64::from(d) - 1.0 + log));
        }
    }
}
