//! How is a constant gain found quickly where the world mixes?
//!
//! Modified policy iteration (Puterman and Shin 1978; Puterman, section 8.7): one sweep over all pairs
//! picks the best pair of every state and bounds the gain by the extremes of its increments; then a few
//! sweeps over the picked pairs alone, which cost a fraction. All of them are damped so that periodic
//! worlds converge. Whatever comes of it is judged by the bounds; where they narrow too slowly it gives
//! up early, and other methods take over.
//!
//! The values are *a* solution: where there are several, the caller must look for the one it wants.
//!
//! Reads `solve::part`; feeds `solve::constant`. Departures: none.

use super::part::Part;

/// Sweeps over the picked pairs for every sweep over all.
const EVALUATIONS: usize = 6;
/// Rounds after which it is given up.
const ROUND_LIMIT: u32 = 120;
/// Rounds between two looks at the trend.
const TREND: u32 = 6;

/// Values whose increments agree within the tolerance or to rounding, and the number of sweeps over all
/// pairs; nothing when that would take too long.
pub(super) fn iterate(
    part: &Part<'_>,
    r_max: f64,
    tolerance: f64,
    damping: f64,
) -> Option<(Vec<f64>, u64)> {
    let mut values = vec![0.0; part.len()];
    let mut swept = vec![0.0; part.len()];
    let mut choice = vec![0; part.len()];
    let mut earlier_span = f64::INFINITY;
    for round in 1..=ROUND_LIMIT {
        let (low, high) = part.sweep_choosing(&values, damping, &mut swept, &mut choice);
        let span = high - low;
        if span <= tolerance {
            return Some((values, u64::from(round)));
        }
        if round % TREND == 0 {
            let is_rounding = span <= 2.0 * part.rounding(&values, r_max);
            if is_rounding && span > 0.5 * earlier_span {
                return Some((values, u64::from(round)));
            }
            let decay = (earlier_span / span).ln() / f64::from(TREND);
            let needed = (span / tolerance).ln() / decay;
            let will_do = needed < f64::from(ROUND_LIMIT - round);
            if earlier_span.is_finite() && !will_do {
                return None;
            }
            earlier_span = span;
        }
        for _ in 0..EVALUATIONS {
            std::mem::swap(&mut values, &mut swept);
            part.sweep_chosen(&choice, damping, &values, &mut swept);
        }
        std::mem::swap(&mut values, &mut swept);
        // Keep the numbers small: only differences between states mean anything.
        let reference = values[0];
        values.iter_mut().for_each(|value| *value -= reference);
    }
    None
}
