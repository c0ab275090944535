//! How are times compared on a machine under varying load?
//!
//! All variants are timed alternately many times and the best time of each counts: noise only adds, and slow phases of
//! the machine affect all variants.

use std::time::{Duration, Instant};

use super::BenchError;

/// Smallest number of turns per variant.
const LEAST_TURNS: usize = 5;

/// The time that one call takes.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let clock = Instant::now();
    let outcome = work();
    (outcome, clock.elapsed())
}

/// One variant of the work.
pub(super) type Variant<'a> = &'a mut dyn FnMut() -> Result<(), BenchError>;

/// The best time of each variant, timed alternately until the budget is spent.
pub(super) fn in_turns(
    budget: Duration,
    variants: &mut [Variant<'_>],
) -> Result<Vec<Duration>, BenchError> {
    let began = Instant::now();
    let mut best = vec![Duration::MAX; variants.len()];
    let mut turns = 0;
    while turns < LEAST_TURNS || began.elapsed() < budget {
        for (variant, best) in variants.iter_mut().zip(&mut best) {
            let (outcome, time) = timed(&mut **variant);
            outcome?;
            *best = time.min(*best);
        }
        turns += 1;
    }
    Ok(best)
}

/// The first time divided by the second.
pub(super) fn ratio(longer: Duration, shorter: Duration) -> f64 {
    longer.as_secs_f64() / shorter.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_gets_the_same_number_of_turns_and_its_best_time_counts() {
        let (mut quick, mut slow) = (0, 0);
        let best = in_turns(
            Duration::ZERO,
            &mut [
                &mut || {
                    quick += 1;
                    Ok(())
                },
                &mut || {
                    slow += 1;
                    // The first turn is slow.
                    std::thread::sleep(Duration::from_millis(if slow == 1 { 1000 } else { 10 }));
                    Ok(())
                },
            ],
        )
        .unwrap();
        assert_eq!((quick, slow), (LEAST_TURNS, LEAST_TURNS));
        assert!(best[0] < best[1] && best[1] >= Duration::from_millis(10));
        assert!(best[1] < Duration::from_millis(1000));
    }

    #[test]
    fn a_way_that_fails_ends_the_comparison() {
        let mut fails = || Err(BenchError::Disagree { name: "x", how: "y".into() });
        assert!(in_turns(Duration::ZERO, &mut [&mut fails]).is_err());
    }
}
