//! How are bootstrap intervals computed?
//!
//! The percentile bootstrap: draw as many runs as there are, with replacement, two thousand times; the 2.5 % and
//! 97.5 % quantiles of a statistic over these draws bound its 95 % interval. The draws depend on the number of runs
//! only, so the same records always give the same intervals, and neighbouring checkpoints share their draws, so bands
//! are as smooth as the curves.

use tucrl::rng::RandomStream;

use super::{mean, quantile_of_sorted};

/// Number of resamples.
const DRAWS: usize = 2000;
/// A fixed, arbitrary seed.
const SEED: u64 = 0x7463_726c_626f_6f74;

/// Lower and upper end of an interval.
pub type Interval = (f64, f64);

/// The resamples for a number of runs.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    runs: usize,
    draws: Vec<u32>,
}

impl Bootstrap {
    /// Draws the resamples.
    pub fn new(runs: usize) -> Self {
        let mut random = RandomStream::new(SEED ^ runs as u64);
        let count = if runs < 2 { 0 } else { DRAWS * runs };
        let draws = (0..count).map(|_| random.below(runs as u64) as u32).collect();
        Self { runs, draws }
    }

    /// The 95 % interval of a statistic of the drawn runs; none for fewer than two runs, or if a draw leaves the
    /// statistic undefined.
    pub fn interval(&self, statistic: impl Fn(&[u32]) -> Option<f64>) -> Option<Interval> {
        let draws = self.draws.chunks_exact(self.runs.max(1));
        let mut values = draws.map(statistic).collect::<Option<Vec<f64>>>()?;
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        Some((quantile_of_sorted(&values, 0.025), quantile_of_sorted(&values, 0.975)))
    }

    /// The interval of the mean of one value per run.
    ///
    /// # Panics
    /// If there is not one value per run.
    pub fn of_mean(&self, values: &[f64]) -> Option<Interval> {
        assert_eq!(values.len(), self.runs, "one value per run");
        // Resample deviations from the mean, so that equal values give exactly their mean.
        let centre = mean(values);
        let rest: Vec<f64> = values.iter().map(|value| value - centre).collect();
        let drawn = |draw: &[u32]| {
            let sum: f64 = draw.iter().map(|&run| rest[run as usize]).sum();
            Some(sum / self.runs as f64)
        };
        self.interval(drawn).map(|(low, high)| (centre + low, centre + high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::half_width;

    #[test]
    fn two_values_give_their_range() {
        // The mean of a draw is 0, 1/2 or 1 with probability 1/4, 1/2, 1/4.
        assert_eq!(Bootstrap::new(2).of_mean(&[0.0, 1.0]), Some((0.0, 1.0)));
        assert_eq!(Bootstrap::new(5).of_mean(&[3.0; 5]), Some((3.0, 3.0)));
        assert_eq!(Bootstrap::new(1).of_mean(&[3.0]), None);
        assert_eq!(Bootstrap::new(0).of_mean(&[]), None);
    }

    #[test]
    fn many_values_give_nearly_what_student_gives() {
        let mut random = RandomStream::new(3);
        // Sums of twelve uniform numbers are nearly normal.
        let values: Vec<f64> =
            (0..200).map(|_| (0..12).map(|_| random.unit()).sum::<f64>()).collect();
        let (low, high) = Bootstrap::new(200).of_mean(&values).unwrap();
        let (centre, half) = (mean(&values), half_width(&values).unwrap());
        assert!((centre - half - low).abs() < 0.15 * half, "{low} {centre} {half}");
        assert!((centre + half - high).abs() < 0.15 * half, "{high} {centre} {half}");
    }

    #[test]
    fn the_same_values_give_the_same_interval() {
        let values = [1.0, 5.0, 2.0, 8.0];
        assert_eq!(Bootstrap::new(4).of_mean(&values), Bootstrap::new(4).of_mean(&values));
        let (low, high) = Bootstrap::new(4).of_mean(&values).unwrap();
        assert!((1.0..4.0).contains(&low) && (4.0..=8.0).contains(&high));
    }

    #[test]
    fn a_statistic_that_may_be_undefined_has_no_interval() {
        let positive = |draw: &[u32]| (draw[0] > 0).then_some(1.0);
        assert_eq!(Bootstrap::new(3).interval(positive), None);
    }
}
