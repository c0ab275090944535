//! Which MDPs are plausible within a Kullback-Leibler divergence? (KL-UCRL)
//!
//! Filippi, Cappé, Garivier 2010; widths as in public code for Talebi, Maillard 2018. All q with
//! KL(p̂ || q) <= C_p / N+ are plausible; rewards have Hoeffding intervals with an iterated logarithm.
//!
//! **Best law**: observed states get mass proportional to p̂ / (nu - v), for a number nu above all their values.
//! With f(nu) = Σ p̂ ln(nu - v) + ln Σ p̂ / (nu - v) and radius e, either nu is the best value of all, held by a
//! state never observed from the pair, and 1 - exp(f(nu) - e) goes there; or nothing does and f(nu) = e.
//! nu is written as the best observed value plus d, and d is searched on a log scale, so that no digits are lost
//! however small d is. Bisection, because Newton's method leaves the domain.

use crate::confidence::{Confidence, Shrink};
use crate::counts::PairCounts;
use crate::inner_max::{Scratch, Sink};
use crate::math;
use crate::plausible::{Belief, PlausibleSet, Row, Shape, View, optimistic_rewards};
use crate::space::Space;

use super::{ConfidenceSet, SetWidth};

/// KL-UCRL's set in one episode.
#[derive(Debug, Clone, Copy)]
pub struct Kl {
    reward: f64,
    radius: f64,
}

impl Kl {
    /// The largest plausible divergence of a pair.
    pub fn radius(&self, pair: &PairCounts) -> f64 {
        self.radius / pair.visits_at_least_one() as f64
    }

    /// The largest probability that a state never observed from a pair may have.
    pub fn unobserved(&self, pair: &PairCounts) -> f64 {
        -math::exp_m1(-self.radius(pair))
    }
}

impl ConfidenceSet for Kl {
    type Shape = Divergence;

    const ABOUT: &'static str = "KL-UCRL's divergences";

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        let (time, delta) = (t_k as f64, confidence.delta.at(t_k));
        let (states, pairs) = (space.states() as f64, confidence.pairs(space));
        let late = math::ln(math::ln(time.max(2.0)));
        let each = math::ln(2.0 * std::f64::consts::E) + math::ln(states) + math::ln(pairs) + late
            - math::ln(delta);
        let grown = each + 1.0 / math::ln(time.max(2.0));
        let radius = states * (each + math::ln(grown) * (1.0 + 1.0 / grown));
        let rewards = (math::ln(4.0) + math::ln(pairs) + late - math::ln(delta)).max(0.0) / 1.99;
        Self {
            reward: confidence.r_max * confidence.root(confidence.alpha_r, rewards),
            // A divergence is the square of a width.
            radius: radius
                * match confidence.shrink {
                    Shrink::Linear => confidence.alpha_p * confidence.alpha_p,
                    Shrink::Log => confidence.alpha_p,
                },
        }
    }

    fn reward_width(&self, pair: &PairCounts) -> f64 {
        self.reward / (pair.visits_at_least_one() as f64).sqrt()
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Divergence> {
        let counts = belief.counts;
        let mut all = PlausibleSet::new(belief, Divergence::default());
        let reward = optimistic_rewards(belief, |stats| self.reward_width(stats));
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let begin = all.next.len();
            if stats.visits_before() > 0 {
                let row = counts.row(pair);
                all.next.extend_from_slice(row.next);
                all.mass.extend_from_slice(row.p_hat);
            }
            all.shape.radius.push(self.radius(stats));
            all.close_row(begin, reward[pair], 1.0, belief.unseen == 0, true);
        }
        all.closed()
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        // Pinsker's inequality: half the L1 distance is at most the root of half the divergence.
        let width = (self.radius / visits.max(1.0) / 2.0).sqrt();
        SetWidth::root("the width of a divergence", width)
    }
}

/// Kullback-Leibler balls: the mass of a row is the observed law.
#[derive(Debug, Clone, Default)]
pub struct Divergence {
    /// By pair.
    radius: Vec<f64>,
}

impl Shape for Divergence {
    fn fill(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        _scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let top = view.top_of(row);
        let target = (top, view.value(top));
        fill_kl(row.next, row.mass, set.shape.radius[pair], target, &view.values.seen, sink);
    }

    #[inline(always)]
    fn bound(_fixed: f64, _row: &Row<'_>, view: &View<'_>) -> f64 {
        view.best()
    }
}

/// Steps of bisection, enough for all digits of a double.
const STEPS: u32 = 70;

/// f at nu = highest + d.
fn divergence(next: &[u32], p_hat: &[f64], values: &[f64], highest: f64, d: f64) -> f64 {
    let (mut logs, mut inverse) = (0.0, 0.0);
    for (&state, &p_hat) in next.iter().zip(p_hat) {
        let above = d + (highest - values[state as usize]);
        logs += p_hat * math::ln(above);
        inverse += p_hat / above;
    }
    logs + math::ln(inverse)
}

/// Fills the best law within divergence `radius` of the observed one; `top` is the best allowed state and
/// `top_value` its value.
pub fn fill_kl(
    next: &[u32],
    p_hat: &[f64],
    radius: f64,
    (top, top_value): (u32, f64),
    values: &[f64],
    sink: &mut impl Sink,
) {
    let observed = next.iter().map(|&state| values[state as usize]);
    let (lowest, highest) =
        observed.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let f = |d: f64| divergence(next, p_hat, values, highest, d);
    let (d, elsewhere) = if top_value > highest && f(top_value - highest) < radius {
        let d = top_value - highest;
        (d, -math::exp_m1(f(d) - radius))
    } else if lowest >= highest || radius <= 0.0 {
        next.iter().zip(p_hat).for_each(|(&state, &p_hat)| sink.give(state, p_hat));
        return;
    } else {
        // f falls from infinity to 0; a bracket, then its middle again and again, in logarithms.
        let mut high = math::ln(highest - lowest);
        while f(math::exp(high)) >= radius && high < 700.0 {
            high += 2.0;
        }
        let mut low = high - 1.0;
        while f(math::exp(low)) < radius && low > -700.0 {
            low -= 1.0 + 0.5 * (high - low);
        }
        for _ in 0..STEPS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if f(math::exp(middle)) < radius { high = middle } else { low = middle }
        }
        (math::exp(high), 0.0)
    };
    let weight = |state: u32, p_hat: f64| p_hat / (d + (highest - values[state as usize]));
    let total: f64 = next.iter().zip(p_hat).map(|(&state, &p_hat)| weight(state, p_hat)).sum();
    if elsewhere > 0.0 {
        sink.give(top, elsewhere);
    }
    for (&state, &p_hat) in next.iter().zip(p_hat) {
        sink.give(state, (1.0 - elsewhere) * weight(state, p_hat) / total);
    }
}
