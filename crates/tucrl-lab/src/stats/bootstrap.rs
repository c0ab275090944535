//! How are bootstrap intervals computed?
//!
//! The percentile bootstrap: draw as many runs as there are, with replacement, two thousand times; the 2.5 % and
//! 97.5 % quantiles of a statistic over these draws bound its 95 % interval. The draws depend on the number of runs
//! only, so the same records always give the same intervals, and neighbouring checkpoints share their draws, so bands
//! are as smooth as the curves. Where they would fill the memory they are drawn again for every statistic.

use tucrl::rng::RandomStream;

use super::{mean, quantile_of_sorted};

/// Number of resamples.
const DRAWS: usize = 2000;
/// A fixed, arbitrary seed.
const SEED: u64 = 0x7463_726c_626f_6f74;

/// The draws of more runs than this are not kept: 2000 draws of 10^4 runs are 80 MB, of 10^6 runs 8 GB.
const KEPT_RUNS: usize = 10_000;

/// Lower and upper end of an interval.
pub type Interval = (f64, f64);

/// The resamples for a number of runs.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    runs: usize,
    /// All draws, if they are few.
    kept: Option<Vec<u32>>,
}

impl Bootstrap {
    /// Draws the resamples.
    pub fn new(runs: usize) -> Self {
        Self::keeping(runs, KEPT_RUNS)
    }

    fn keeping(runs: usize, kept_runs: usize) -> Self {
        let draws = || {
            let mut random = stream(runs);
            (0..DRAWS * runs).map(|_| random.below(runs as u64) as u32).collect()
        };
        Self { runs, kept: (runs <= kept_runs).then(draws) }
    }

    /// The 95 % interval of a statistic of the drawn runs; none for fewer than two runs, or if a draw leaves the
    /// statistic undefined.
    pub fn interval(&self, statistic: impl Fn(&[u32]) -> Option<f64>) -> Option<Interval> {
        if self.runs < 2 {
            return None;
        }
        let values: Option<Vec<f64>> = match &self.kept {
            Some(draws) => draws.chunks_exact(self.runs).map(statistic).collect(),
            None => {
                let (mut random, mut draw) = (stream(self.runs), vec![0; self.runs]);
                let drawn = |_| {
                    draw.fill_with(|| random.below(self.runs as u64) as u32);
                    statistic(&draw)
                };
                (0..DRAWS).map(drawn).collect()
            }
        };
        let mut values = values?;
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

fn stream(runs: usize) -> RandomStream {
    RandomStream::new(SEED ^ runs as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::half_width;

    #[test]
    fn draws_that_are_not_kept_are_the_same() {
        let values: Vec<f64> = (0..50).map(|run| f64::from(run * run % 17)).collect();
        let (kept, drawn) = (Bootstrap::keeping(50, 50), Bootstrap::keeping(50, 49));
        assert!(kept.kept.is_some() && drawn.kept.is_none());
        assert!(kept.of_mean(&values).is_some());
        assert_eq!(kept.of_mean(&values), drawn.of_mean(&values));
        // The largest experiment: its draws would take 8 GB.
        assert!(Bootstrap::new(1_000_000).kept.is_none());
    }

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
