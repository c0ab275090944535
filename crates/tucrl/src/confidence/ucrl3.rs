//! How far can the truth be, if every next state is a coin of its own?
//!
//! UCRL3's bounds (Bourel, Maillard, Talebi 2020; ALGORITHMS 6.2): for each next state the tighter of a Bernstein
//! and a sub-Gaussian bound for Bernoulli numbers, both with the *candidate's* variance, solved by bisection; for
//! rewards the tighter of a sub-Gaussian and an empirical Bernstein bound. With
//! delta' = delta / (S A (3 + 3 S)) and eta = 1.12:
//! l(n) = (eta / n) ln( ln(eta n) ln(eta² n) / (ln(eta)² delta') ).
//!
//! Shrinking multiplies the resulting widths, or both logarithms. Bisection keeps the outer end, so a bound is
//! never too tight.

use super::{Confidence, Delta, Shrink};
use crate::counts::PairCounts;
use crate::space::Space;

const ETA: f64 = 1.12;
const STEPS: u32 = 40;

/// UCRL3's bounds in one episode.
#[derive(Debug, Clone, Copy)]
pub struct CoinBounds {
    /// ln(1 / delta').
    log: f64,
    r_max: f64,
    /// Factors of the logarithms, and of the widths.
    log_r: f64,
    log_p: f64,
    width_r: f64,
    width_p: f64,
}

impl CoinBounds {
    /// The bounds of an episode that starts at time `t_k`.
    pub fn new(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        let states = space.states() as f64;
        let pairs = confidence.nominal_pairs.unwrap_or(space.nominal_pairs() as f64);
        let delta = match confidence.delta {
            Delta::Fixed(delta) => delta,
            Delta::InverseRoot => 1.0 / (t_k as f64).sqrt(),
        };
        let (alpha_r, alpha_p) = (confidence.alpha_r, confidence.alpha_p);
        let (log_r, log_p, width_r, width_p) = match confidence.shrink {
            Shrink::Linear => (1.0, 1.0, alpha_r, alpha_p),
            Shrink::Log => (alpha_r, alpha_p, 1.0, 1.0),
        };
        let log = pairs.ln() + (3.0 + 3.0 * states).ln() - delta.ln();
        Self { log, r_max: confidence.r_max, log_r, log_p, width_r, width_p }
    }

    fn iterated(&self, visits: f64) -> f64 {
        let eta = ETA.ln();
        let inner = ((ETA * visits).ln() * (ETA * ETA * visits).ln() / (eta * eta)).ln();
        ETA / visits * (inner + self.log)
    }

    /// (1 + 1/n) ln(factor sqrt(n + 1) / delta') / n.
    fn mixture(&self, visits: f64, factor: f64) -> f64 {
        (1.0 + 1.0 / visits) * ((factor * (visits + 1.0).sqrt()).ln() + self.log) / visits
    }

    /// The reward width of a pair.
    pub fn reward(&self, pair: &PairCounts) -> f64 {
        let visits = pair.visits_at_least_one() as f64;
        let light = self.r_max * (self.log_r * self.mixture(visits, 1.0) / 2.0).sqrt();
        let l = self.log_r * self.iterated(visits);
        let deviation = pair.reward_deviation() * visits.sqrt();
        let bernstein = (2.0 * l).sqrt() * deviation + 7.0 / 3.0 * self.r_max * l;
        self.width_r * light.min(bernstein)
    }

    /// The interval of a next state's probability, from its share of so many visits.
    pub fn interval(&self, share: f64, visits: u64) -> (f64, f64) {
        if visits == 0 {
            return (0.0, 1.0);
        }
        let visits = visits as f64;
        let (l, m) = (self.log_p * self.iterated(visits), self.log_p * self.mixture(visits, 2.0));
        let bernstein = |q: f64| (2.0 * q * (1.0 - q) * l).sqrt() + l / 3.0;
        let gaussian = |h: f64| (2.0 * h * m).sqrt();
        let is_high = |q: f64| q - share <= bernstein(q).min(gaussian(flat_proxy(q)));
        let is_low = |q: f64| share - q <= bernstein(q).min(gaussian(proxy(q)));
        let up = outermost(share, 1.0, is_high);
        let mut low = outermost(share, 0.0, is_low);
        if share >= 1.0 {
            low = low.max(0.5f64.powf(1.0 / visits));
        }
        let width = |end: f64| share + self.width_p * (end - share);
        (width(low).clamp(0.0, share), width(up).clamp(share, 1.0))
    }
}

/// The variance proxy of a coin of probability q that falls too rarely.
fn proxy(q: f64) -> f64 {
    if q <= 0.0 || q >= 1.0 {
        0.0
    } else if (q - 0.5).abs() < 1e-6 {
        0.25
    } else {
        (0.5 - q) / (1.0 / q - 1.0).ln()
    }
}

/// The same for one that falls too often: the variance itself above one half.
fn flat_proxy(q: f64) -> f64 {
    if q < 0.5 { proxy(q) } else { q * (1.0 - q) }
}

/// The point farthest from `from` towards `to` up to which the bound holds, rounded outwards.
fn outermost(from: f64, to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(to) {
        return to;
    }
    let (mut inside, mut outside) = (from, to);
    for _ in 0..STEPS {
        let middle = inside + (outside - inside) / 2.0;
        if holds(middle) { inside = middle } else { outside = middle }
    }
    outside
}
