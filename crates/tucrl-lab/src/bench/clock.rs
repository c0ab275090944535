//! How are two ways compared on a machine that does other things too?
//!
//! In turns: both are timed many times alternately and the best time of each counts. Noise only ever
//! adds, so the best is the nearest to the truth, and a slow minute of the machine hurts both.

use std::time::{Duration, Instant};

use super::BenchError;

/// Turns that every way gets at least.
const LEAST_TURNS: usize = 5;

/// The time that one call takes.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let clock = Instant::now();
    let outcome = work();
    (outcome, clock.elapsed())
}

/// One of the ways of doing something.
pub(super) type Way<'a> = &'a mut dyn FnMut() -> Result<(), BenchError>;

/// The best time of each way, taken in turns until the budget is spent.
pub(super) fn in_turns(
    budget: Duration,
    ways: &mut [Way<'_>],
) -> Result<Vec<Duration>, BenchError> {
    let began = Instant::now();
    let mut best = vec![Duration::MAX; ways.len()];
    let mut turns = 0;
    while turns < LEAST_TURNS || began.elapsed() < budget {
        for (way, best) in ways.iter_mut().zip(&mut best) {
            let (outcome, time) = timed(&mut **way);
            outcome?;
            *best = time.min(*best);
        }
        turns += 1;
    }
    Ok(best)
}

/// How many times longer the first took.
pub(super) fn ratio(longer: Duration, shorter: Duration) -> f64 {
    longer.as_secs_f64() / shorter.as_secs_f64()
}

/// A duration with three digits.
pub(super) fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (1e3 * s, "ms"),
        s if s >= 1e-6 => (1e6 * s, "µs"),
        s => (1e9 * s, "ns"),
    };
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gets_the_same_number_of_turns_and_its_best_time_counts() {
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
                    // The first turn is unlucky.
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

    #[test]
    fn durations_have_three_digits() {
        let nanoseconds = [7, 1_250, 65_000, 12_345_678, 310_000_000_000];
        let shown = nanoseconds.map(|n| shown(Duration::from_nanos(n)));
        assert_eq!(shown, ["7.00 ns", "1.25 µs", "65.0 µs", "12.3 ms", "310 s"]);
    }
}
