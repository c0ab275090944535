//! How fast does regret grow, and what can be said of it in a word?
//!
//! The exponent is the least-squares slope of ln mean pseudo-regret against ln t. Pseudo-regret, because the noise of
//! rewards grows like a square root for every agent. Two things make it uncertain: the runs, which the bootstrap
//! resamples, and the shape of the curve. Regret that rises in ever rarer jumps looks flat or steep over a decade,
//! depending on where a jump falls, in all runs alike; so the two halves of the decade are fitted as well, and a word
//! is given only where all three intervals support it.

use tucrl::math;

use super::bootstrap::{Bootstrap, Interval};
use super::study::at;

/// A growth exponent: the slope of ln pseudo-regret against ln t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// The first checkpoint of the fit.
    pub from: u64,
    /// The last.
    pub to: u64,
    /// The exponent of the mean pseudo-regret.
    pub exponent: f64,
    /// Its 95 % bootstrap interval; none for a single run.
    pub interval: Option<Interval>,
    /// The same, widened to contain the intervals of both halves of the time; none where a half cannot be fitted.
    pub range: Option<Interval>,
}

/// Exponents up to this distance from a landmark (0, 1/2, 1) count as the landmark.
const NEAR: f64 = 0.1;
/// The same for a flat curve, which the last visits to bad pairs make rise a little.
const FLAT: f64 = 0.15;

impl Growth {
    /// The growth of the mean of curves over their last decades; none where a mean is not positive, or for fewer
    /// than two common checkpoints.
    pub fn fitted(curves: &[&[(u64, f64)]], decades: f64) -> Option<Self> {
        let (first, others) = curves.split_first()?;
        let is_common = |t: &u64| others.iter().all(|curve| at(curve, *t).is_some());
        let times: Vec<u64> = first.iter().map(|(t, _)| *t).filter(is_common).collect();
        let to = *times.last()?;
        let begin = to as f64 / math::powf(10.0, decades) * (1.0 - 1e-9);
        let times: Vec<u64> = times.into_iter().filter(|&t| t as f64 >= begin).collect();
        let bootstrap = Bootstrap::new(curves.len());
        let (exponent, interval) = fit(curves, &times, &bootstrap)?;
        // Halves on the logarithmic axis; the checkpoint in the middle, up to its rounding, belongs to both.
        let (middle, rounding) =
            (to as f64 / math::powf(10.0, decades / 2.0), math::powf(10.0, 0.05));
        let early = times.iter().filter(|&&t| t as f64 <= middle * rounding).copied().collect();
        let late = times.iter().filter(|&&t| t as f64 >= middle / rounding).copied().collect();
        let halves: [Vec<u64>; 2] = [early, late];
        let halves = halves.map(|times| fit(curves, &times, &bootstrap).and_then(|(_, i)| i));
        let range = match (interval, halves) {
            (Some(whole), [Some(early), Some(late)]) => {
                Some((whole.0.min(early.0).min(late.0), whole.1.max(early.1).max(late.1)))
            }
            _ => None,
        };
        Some(Self { from: *times.first()?, to, exponent, interval, range })
    }

    /// The growth in words, if there is more than one run. Regret is at most linear and, in the mean, does not fall:
    /// exponents beyond that belong to a curve that has not settled, and are called undecided.
    pub fn word(&self) -> Option<&'static str> {
        self.interval?;
        let within = |low, high| self.range.is_some_and(|range| range.0 >= low && range.1 <= high);
        Some(if within(-FLAT, FLAT) {
            "flat"
        } else if within(-FLAT, 0.5 - NEAR) {
            "below a square root"
        } else if within(0.5 - NEAR, 0.5 + NEAR) {
            "a square root"
        } else if within(1.0 - NEAR, 1.0 + NEAR) {
            "linear"
        } else if within(0.5 + NEAR, 1.0 + NEAR) {
            "above a square root"
        } else {
            "undecided"
        })
    }
}

/// The slope of the mean curve at some times, with its bootstrap interval.
fn fit(
    curves: &[&[(u64, f64)]],
    times: &[u64],
    bootstrap: &Bootstrap,
) -> Option<(f64, Option<Interval>)> {
    let of_run = |curve: &&[(u64, f64)]| times.iter().map(|&t| at(curve, t)).collect();
    let values = curves.iter().map(of_run).collect::<Option<Vec<Vec<f64>>>>()?;
    let slope = |draw: &mut dyn Iterator<Item = usize>| {
        let mut sums = vec![0.0; times.len()];
        for run in draw {
            sums.iter_mut().zip(&values[run]).for_each(|(sum, value)| *sum += value);
        }
        slope(times.iter().copied().zip(sums))
    };
    let exponent = slope(&mut (0..values.len()))?;
    let drawn = |draw: &[u32]| slope(&mut draw.iter().map(|&run| run as usize));
    Some((exponent, bootstrap.interval(drawn)))
}

/// The slope of the least-squares line through ln value against ln time; none where a logarithm is undefined, or
/// for fewer than two times.
fn slope(points: impl Iterator<Item = (u64, f64)>) -> Option<f64> {
    let log = |(t, value): (u64, f64)| (value > 0.0).then(|| (math::ln(t as f64), math::ln(value)));
    let logs = points.map(log).collect::<Option<Vec<_>>>()?;
    let count = logs.len() as f64;
    let centre = (
        logs.iter().map(|log| log.0).sum::<f64>() / count,
        logs.iter().map(|log| log.1).sum::<f64>() / count,
    );
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in logs {
        above += (x - centre.0) * (y - centre.1);
        below += math::powi(x - centre.0, 2);
    }
    (below > 0.0).then_some(above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten checkpoints per decade up to a time, of a curve.
    fn curve(last: f64, value: impl Fn(f64) -> f64) -> Vec<(u64, f64)> {
        let time = |tenth: i32| (last / 10f64.powf(f64::from(tenth) / 10.0)).round() as u64;
        (0..30).rev().map(time).map(|t| (t, value(t as f64))).collect()
    }

    fn grown(curves: &[Vec<(u64, f64)>]) -> Growth {
        let curves: Vec<&[(u64, f64)]> = curves.iter().map(Vec::as_slice).collect();
        Growth::fitted(&curves, 1.0).unwrap()
    }

    fn word(last: f64, value: impl Fn(f64) -> f64 + Copy) -> Option<&'static str> {
        grown(&[curve(last, value), curve(last, |t| 1.1 * value(t))]).word()
    }

    #[test]
    fn powers_have_their_exponent_and_word() {
        let words = [
            (0.0, "flat"),
            (0.3, "below a square root"),
            (0.5, "a square root"),
            (0.75, "above a square root"),
            (1.0, "linear"),
        ];
        for (exponent, expected) in words {
            let curves = [1.0, 2.0].map(|factor| curve(1e6, |t| factor * t.powf(exponent)));
            let growth = grown(&curves);
            let (low, high) = growth.range.unwrap();
            for value in [growth.exponent, low, high] {
                assert!((value - exponent).abs() < 1e-9, "{growth:?}");
            }
            assert_eq!(growth.word(), Some(expected));
            assert!((growth.from as f64 / 1e5 - 1.0).abs() < 0.01 && growth.to == 1_000_000);
        }
    }

    /// Regret that doubles whenever time is quadrupled grows like a square root, in all runs alike.
    #[test]
    fn a_stair_is_undecided_wherever_the_run_ends() {
        let stair = |t: f64| 2f64.powf((t.ln() / 4f64.ln()).floor());
        for tenth in 0..20 {
            let last = 1e5 * 10f64.powf(f64::from(tenth) / 10.0);
            let word = word(last, stair).unwrap();
            assert!(["undecided", "a square root"].contains(&word), "{last}: {word}");
        }
    }

    #[test]
    fn what_is_impossible_has_no_word() {
        // Faster than linear, and falling: over a decade, not forever.
        assert_eq!(word(1e6, |t| t * t), Some("undecided"));
        assert_eq!(word(1e6, |t| 1e6 / t), Some("undecided"));
        // Flat at first, linear in the end.
        assert_eq!(word(1e6, |t| 1e3 + (t - 3e5).max(0.0)), Some("undecided"));
    }

    #[test]
    fn runs_that_disagree_are_undecided() {
        let curves = [0.2, 0.4, 0.9, 1.0].map(|exponent| curve(1e6, |t| t.powf(exponent)));
        let growth = grown(&curves);
        let (low, high) = growth.interval.unwrap();
        assert!(low < 0.5 && high > 0.9, "{growth:?}");
        assert_eq!(growth.word(), Some("undecided"));
    }

    #[test]
    fn one_run_has_an_exponent_and_no_word() {
        let growth = grown(&[curve(1e6, |t| t)]);
        assert!((growth.exponent - 1.0).abs() < 1e-9);
        assert_eq!((growth.interval, growth.range, growth.word()), (None, None, None));
    }

    #[test]
    fn too_few_checkpoints_are_undecided_and_negative_regret_has_no_growth() {
        let sparse = vec![(100_000, 10.0), (1_000_000, 100.0)];
        assert_eq!(grown(&[sparse.clone(), sparse]).word(), Some("undecided"));
        let falling = curve(1e6, |t| -t);
        assert_eq!(Growth::fitted(&[&falling], 1.0), None);
        assert_eq!(Growth::fitted(&[], 1.0), None);
        assert_eq!(Growth::fitted(&[&[]], 1.0), None);
    }
}
