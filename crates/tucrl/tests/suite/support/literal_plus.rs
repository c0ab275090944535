//! The sets of TUCRL+ as docs/theory.md defines them: dense, slow, over all S nominal states, with the union bound over
//! all of them. Nothing here is shared with the library.

use super::literal::{Laws, Learner, Options, Table, bernstein, decreasing};

/// ln Gamma(x) for x > 0, by Lanczos' approximation (g = 7, nine terms).
pub(crate) fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - log_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let t = x + 7.5;
    let series = (1..9).fold(TERMS[0], |sum, i| sum + TERMS[i] / (x + i as f64));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + series.ln()
}

/// Whether q^k (1-q)^(n-k) > delta' B(k + 1/2, n - k + 1/2) / B(1/2, 1/2).
pub(crate) fn is_kept(q: f64, k: f64, n: f64, log: f64) -> bool {
    let power = |count: f64, base: f64| if count > 0.0 { count * base.ln() } else { 0.0 };
    let evidence = log_gamma(k + 0.5) + log_gamma(n - k + 0.5) - log_gamma(n + 1.0);
    power(k, q) + power(n - k, 1.0 - q) > evidence - std::f64::consts::PI.ln() - log
}

/// The ends of what is kept, by bisection.
pub(crate) fn interval(k: f64, n: f64, log: f64) -> (f64, f64) {
    let end = |mut outside: f64| {
        if is_kept(outside, k, n, log) {
            return outside;
        }
        let mut inside = k / n;
        for _ in 0..100 {
            let middle = 0.5 * (inside + outside);
            if is_kept(middle, k, n, log) { inside = middle } else { outside = middle }
        }
        outside
    };
    (end(0.0), end(1.0))
}

/// The root of e^V gamma(d, V) / V^d = 1/delta', the sum over i of V^i / (d ... (d + i)); or the bound for lambda = 1.
pub(crate) fn missing_mass(d: usize, log: f64) -> f64 {
    let log_sum = |v: f64| {
        let (mut term, mut terms, mut i) = (-(d as f64).ln(), Vec::new(), 0.0);
        while i < 3.0 * v + 400.0 {
            terms.push(term);
            i += 1.0;
            term += v.ln() - (d as f64 + i).ln();
        }
        let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln()
    };
    let simple = (d as f64 - 1.0 + log) / (1.0 - (-1f64).exp());
    let (mut low, mut high) = (0.0, simple);
    if log_sum(high) < log {
        return simple;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if log_sum(middle) < log { low = middle } else { high = middle }
    }
    high
}

/// ln(1/delta') with delta' = delta / (16 S A).
fn pair_log(options: &Options, table: &Table) -> f64 {
    (16.0 * (table.states() * table.max_actions()) as f64 / options.delta).ln()
}

/// What shrinking multiplies: the logarithm, and the width.
fn shrunk(options: &Options, alpha: f64) -> (f64, f64) {
    if options.shrinks_log { (alpha, 1.0) } else { (1.0, alpha) }
}

/// Above the mean: the mixture or Maurer and Pontil, whichever is smaller.
pub(crate) fn reward_width(options: &Options, table: &Table, s: usize, a: usize) -> f64 {
    let (n, mean) = (table.visits(s, a) as f64, table.mean_reward(s, a));
    let (of_log, of_width) = shrunk(options, options.alpha_r);
    let log = of_log * pair_log(options, table);
    let (_, high) = interval((n * mean / table.r_max).min(n), n, log);
    let x = log + (4.0 * n * (n + 1.0)).ln();
    let variance = table.reward_variance(s, a, options.variances);
    let bernstein = match n > 1.0 {
        true => (2.0 * variance * x / n).sqrt() + 7.0 * table.r_max * x / (3.0 * (n - 1.0)),
        false => f64::INFINITY,
    };
    of_width * (table.r_max * high - mean).min(bernstein).max(0.0)
}

/// The set of a visited pair.
pub(crate) fn laws(
    options: &Options,
    table: &Table,
    (s, a): (usize, usize),
    is_truncated: bool,
    allowed: Vec<bool>,
) -> Laws {
    let (n, center) = (table.visits(s, a), table.center(s, a));
    let d = center.iter().filter(|&&p| p > 0.0).count();
    let log = pair_log(options, table);
    if matches!(options.learner, Learner::PlusBernstein | Learner::UntruncatedPlusBernstein) {
        let visits = n as f64;
        let b = (2.0 * (table.states() * table.max_actions()) as f64 * table.time as f64
            / options.delta)
            .ln();
        let width = |p: &f64| {
            let variance = super::literal::transition_variance(*p, n, options.variances);
            bernstein(variance, 1.0, n, b, options.alpha_p, options.shrinks_log)
        };
        let widths: f64 = center.iter().filter(|&&p| p > 0.0).map(width).sum();
        let missing = ((d as f64 + log) / (1.0 - (-1f64).exp()) / visits).min(1.0);
        let first = widths + options.alpha_p * missing;
        let spread: f64 = center.iter().map(|p| 2.0 * (p / visits).sqrt()).sum();
        let noise = (8.0 * (log + (visits * (visits + 1.0)).ln()) / visits).sqrt();
        let alpha = if options.shrinks_log { options.alpha_p.sqrt() } else { options.alpha_p };
        let radius = first.min(alpha * (spread + noise)).min(2.0);
        return Laws::Ball { center, radius, allowed };
    }
    let (of_log, of_width) = shrunk(options, options.alpha_p);
    let next_log = of_log * (log + (table.states() as f64).ln());
    let ends = |&p: &f64| {
        if p == 0.0 {
            return (0.0, 0.0);
        }
        let (low, high) = interval((p * n as f64).round(), n as f64, next_log);
        (p + of_width * (low - p), p + of_width * (high - p))
    };
    let (lo, up) = center.iter().map(ends).unzip();
    let bound = missing_mass(d, of_log * log) / (n as f64 - 1.0);
    let budget = of_width * bound.min(1.0);
    Laws::Budget { lo, up, budget, raises: is_truncated, allowed }
}

/// Starts at `lo`; then every state has its own room, and one item of size `budget` belongs to the best state that may
/// use it.
pub(crate) fn best_with_budget(
    lo: &[f64],
    up: &[f64],
    budget: f64,
    raises: bool,
    allowed: &[bool],
    v: &[f64],
) -> Vec<f64> {
    let mut q = lo.to_vec();
    let mut left = 1.0 - lo.iter().sum::<f64>();
    let uses_budget = |s: usize| allowed[s] && (raises || up[s] == 0.0);
    let mut budget = budget;
    for s in decreasing(v, |s| allowed[s]) {
        let mut room = up[s] - lo[s];
        if uses_budget(s) {
            room += budget;
            budget = 0.0;
        }
        let given = left.max(0.0).min(room);
        q[s] += given;
        left -= given;
    }
    q
}
