//! Which law within a Kullback-Leibler ball is best?
//!
//! All q with KL(p̂ || q) <= e (Filippi, Cappé, Garivier 2010; ALGORITHMS 6.1). The best one gives observed
//! states mass proportional to p̂ / (nu - v), for a number nu above all their values. With
//! f(nu) = Σ p̂ ln(nu - v) + ln Σ p̂ / (nu - v), either nu is the best value of all, held by a state never
//! observed from here, and 1 - exp(f(nu) - e) goes there; or nothing does and f(nu) = e.
//!
//! nu is written as the best observed value plus d, and d is searched on a log scale: however close nu comes,
//! no digits are lost. Bisection, because Newton's method leaves the domain.

use super::Sink;

/// Steps of bisection, enough for all digits of a double.
const STEPS: u32 = 70;

/// f at nu = highest + d.
fn divergence(next: &[u32], share: &[f64], values: &[f64], highest: f64, d: f64) -> f64 {
    let (mut logs, mut inverse) = (0.0, 0.0);
    for (&state, &share) in next.iter().zip(share) {
        let above = d + (highest - values[state as usize]);
        logs += share * above.ln();
        inverse += share / above;
    }
    logs + inverse.ln()
}

/// Fills the best law within divergence `radius` of the observed one; `top` is the best allowed state and
/// `top_value` its value.
pub fn fill_kl(
    next: &[u32],
    share: &[f64],
    radius: f64,
    (top, top_value): (u32, f64),
    values: &[f64],
    sink: &mut impl Sink,
) {
    let observed = next.iter().map(|&state| values[state as usize]);
    let (lowest, highest) =
        observed.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let f = |d: f64| divergence(next, share, values, highest, d);
    let (d, elsewhere) = if top_value > highest && f(top_value - highest) < radius {
        let d = top_value - highest;
        (d, -(f(d) - radius).exp_m1())
    } else if lowest >= highest || radius <= 0.0 {
        next.iter().zip(share).for_each(|(&state, &share)| sink.give(state, share));
        return;
    } else {
        // f falls from infinity to 0; a bracket, then its middle again and again, in logarithms.
        let mut high = (highest - lowest).ln();
        while f(high.exp()) >= radius && high < 700.0 {
            high += 2.0;
        }
        let mut low = high - 1.0;
        while f(low.exp()) < radius && low > -700.0 {
            low -= 1.0 + 0.5 * (high - low);
        }
        for _ in 0..STEPS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if f(middle.exp()) < radius { high = middle } else { low = middle }
        }
        (high.exp(), 0.0)
    };
    let weight = |state: u32, share: f64| share / (d + (highest - values[state as usize]));
    let total: f64 = next.iter().zip(share).map(|(&state, &share)| weight(state, share)).sum();
    if elsewhere > 0.0 {
        sink.give(top, elsewhere);
    }
    for (&state, &share) in next.iter().zip(share) {
        sink.give(state, (1.0 - elsewhere) * weight(state, share) / total);
    }
}
