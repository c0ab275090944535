//! How are several runs summarised?
//!
//! Means with 95 % intervals by Student's t, and quantiles. Submodules: comparisons over worlds, bootstrap intervals,
//! growth exponents, kinds of regret, curves of an experiment, ranks and paired comparisons, sweeps over parameters.

mod across;
mod bootstrap;
mod growth;
mod kind;
mod ranking;
mod study;
mod sweeps;
#[cfg(test)]
mod tests;

use std::f64::consts::PI;

use tucrl::math;

pub use across::{Across, AgentAcross, Improvement, Share, iqm};
pub use bootstrap::{Bootstrap, Interval};
pub use growth::Growth;
pub use kind::Regret;
pub use ranking::{Difference, Pair, differences, holm, sign_test};
pub use study::{AgentStudy, Point, Study, WorldStudy};
pub use sweeps::{Sample, SweepStudy, VariantStudy, WorldSweep, number};

/// The two-sided 95 % quantile of the normal law.
const NORMAL: f64 = 1.959_963_984_540_054;
const CENTRAL: f64 = 0.95;
/// From this number of degrees of freedom on, the expansion around the normal law is exact to rounding.
const MANY: u64 = 200;

/// The mean; NaN if empty.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median; NaN if empty.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// A quantile, interpolated linearly between order statistics (type 7 of Hyndman and Fan, as in NumPy and R);
/// NaN if empty.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, share)
}

fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// Half the width of the 95 % interval of the mean, by Student's t; none for fewer than two values.
pub fn half_width(values: &[f64]) -> Option<f64> {
    let degrees = values.len().checked_sub(1).filter(|&degrees| degrees > 0)?;
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| math::powi(value - centre, 2)).sum();
    let variance_of_mean = squares / degrees as f64 / values.len() as f64;
    Some(student(degrees as u64) * variance_of_mean.sqrt())
}

/// The t of a two-sided 95 % interval: |X| <= t with probability 0.95 for Student's X.
///
/// # Panics
/// If `degrees` is 0.
pub fn student(degrees: u64) -> f64 {
    match degrees {
        0 => panic!("Student's law needs a degree of freedom"),
        1 => math::tan(CENTRAL * PI / 2.0),
        2 => CENTRAL * (2.0 / (1.0 - CENTRAL * CENTRAL)).sqrt(),
        3..MANY => {
            // The quantile decreases in the degrees: that of one degree is an upper bound, the normal one a lower bound.
            let (mut low, mut high) = (NORMAL, 4.5);
            while high - low > 1e-14 * high {
                let middle = low + (high - low) / 2.0;
                if middle <= low || middle >= high {
                    break;
                }
                if central(degrees, middle) < CENTRAL { low = middle } else { high = middle }
            }
            low + (high - low) / 2.0
        }
        _ => expansion(degrees as f64),
    }
}

/// The two-sided p-value of Student's t: P(|X| >= t) if the mean is 0.
pub fn student_p(degrees: u64, t: f64) -> f64 {
    if t.is_infinite() { 0.0 } else { (1.0 - central(degrees, t.abs())).max(0.0) }
}

/// P(|X| <= t) by the finite sums for whole degrees (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn central(degrees: u64, t: f64) -> f64 {
    let angle = math::atan(t / (degrees as f64).sqrt());
    let (sin, cos) = math::sin_cos(angle);
    let is_odd = degrees % 2 == 1;
    // Odd: cos (1 + 2/3 cos² + 2/3 4/5 cos⁴ + ...); even: 1 + 1/2 cos² + 1/2 3/4 cos⁴ + ...
    let mut term = if is_odd { cos } else { 1.0 };
    let mut sum = 0.0;
    let first = if is_odd { 3 } else { 2 };
    for divisor in (first..=degrees).step_by(2) {
        sum += term;
        term *= cos * cos * (divisor - 1) as f64 / divisor as f64;
    }
    if is_odd { 2.0 / PI * (angle + sin * sum) } else { sin * sum }
}

/// The expansion of the quantile in powers of 1/degrees (Abramowitz and Stegun 26.7.5).
fn expansion(degrees: f64) -> f64 {
    let z = NORMAL;
    let odd = |coefficients: &[f64]| {
        coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * z * z + coefficient) * z
    };
    z + odd(&[1.0, 1.0]) / (4.0 * degrees)
        + odd(&[3.0, 16.0, 5.0]) / (96.0 * math::powi(degrees, 2))
        + odd(&[-15.0, 17.0, 19.0, 3.0]) / (384.0 * math::powi(degrees, 3))
        + odd(&[-945.0, -1920.0, 1482.0, 776.0, 79.0]) / (92_160.0 * math::powi(degrees, 4))
}

#[cfg(test)]
mod by_hand {
    use super::*;

    #[track_caller]
    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} vs {expected}");
    }

    #[test]
    fn student_has_the_values_of_the_tables() {
        let table = [
            (1, 12.706_204_736_174_698),
            (2, 4.302_652_729_749_462),
            (3, 3.182_446_305_284_263),
            (4, 2.776_445_105_197_793),
            (5, 2.570_581_835_636_314),
            (6, 2.446_911_851_144_969),
            (7, 2.364_624_251_592_784),
            (9, 2.262_157_162_798_204),
            (10, 2.228_138_851_986_273),
            (19, 2.093_024_054_408_263),
            (20, 2.085_963_447_265_837),
            (29, 2.045_229_642_132_703),
            (30, 2.042_272_456_301_238),
            (49, 2.009_575_237_129_24),
            (99, 1.984_216_951_586_418),
            (100, 1.983_971_518_523_552),
            (1000, 1.962_339_080_826_408),
        ];
        for (degrees, t) in table {
            assert_close(student(degrees), t, 1e-9);
        }
    }

    #[test]
    fn the_two_ways_to_student_meet_and_fall_to_the_normal_law() {
        for degrees in [100, 150, MANY - 1] {
            assert_close(expansion(degrees as f64), student(degrees), 1e-10);
        }
        let ts: Vec<f64> = (1..400).map(student).collect();
        assert!(ts.windows(2).all(|pair| pair[1] < pair[0]));
        assert_close(student(u64::MAX), NORMAL, 1e-14);
        for degrees in 3..MANY {
            assert_close(central(degrees, student(degrees)), CENTRAL, 1e-13);
        }
    }

    #[test]
    fn intervals_are_those_of_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!((half_width(&[]), half_width(&[5.0])), (None, None));
        // Sample variance 7, over 3 values.
        let width = half_width(&[1.0, 2.0, 6.0]).unwrap();
        assert_close(width, 4.302_652_729_749_462 * (7.0f64 / 3.0).sqrt(), 1e-12);
        assert_eq!(half_width(&[4.0; 9]), Some(0.0));
    }
}
