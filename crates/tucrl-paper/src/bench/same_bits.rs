//! What do functions with the same bits on every platform cost, against those of this platform?
//!
//! `tucrl::math` calls the crate `libm`; the methods of `f64` call the C library of the platform. Both go over the same
//! arguments. The row is about single calls: how many calls a run makes depends on the agent, from a few per plan to a
//! search for roots per visited pair (`kl-ucrl`).

use std::hint::black_box;
use std::time::Duration;

use tucrl::math;
use tucrl::rng::RandomStream;

use super::clock::{in_turns, ratio};
use super::{BenchError, Length, Row};

pub(super) const SAME_BITS: &str = "same-bits";

const ARGUMENTS: usize = 100_000;

/// The largest relative difference between the two libraries: both are within an ulp or two of the true value.
const AGREE: f64 = 1e-15;

type Function = fn(f64) -> f64;

/// The name of a function, ours, and that of the platform.
#[expect(clippy::disallowed_methods, reason = "they are what is compared with")]
const FUNCTIONS: [(&str, Function, Function); 4] = [
    ("ln", math::ln, f64::ln),
    ("ln_1p", math::ln_1p, f64::ln_1p),
    ("exp", math::exp, f64::exp),
    ("powf", |x| math::powf(x, 0.3), |x| x.powf(0.3)),
];

pub(super) fn same_bits(length: Length) -> Result<Vec<Row>, BenchError> {
    let budget = Duration::from_millis(if length == Length::Full { 5000 } else { 500 });
    let mut random = RandomStream::new(1);
    let arguments: Vec<f64> = (0..ARGUMENTS).map(|_| random.uniform(1e-3, 20.0)).collect();
    FUNCTIONS.iter().map(|function| row(function, &arguments, budget)).collect()
}

fn row(
    &(name, ours, platform): &(&str, Function, Function),
    arguments: &[f64],
    budget: Duration,
) -> Result<Row, BenchError> {
    let agrees = |&&x: &&f64| (ours(x) - platform(x)).abs() <= AGREE * platform(x).abs();
    if let Some(x) = arguments.iter().find(|x| !agrees(x)) {
        let how = format!("{name}({x}) is {} and {}", ours(*x), platform(*x));
        return Err(BenchError::Disagree { name: SAME_BITS, how });
    }
    let sum = |function: Function| {
        black_box(arguments.iter().map(|&x| function(x)).sum::<f64>());
        Ok(())
    };
    let times = in_turns(budget, &mut [&mut || sum(ours), &mut || sum(platform)])?;
    let one = |time: Duration| 1e9 * time.as_secs_f64() / arguments.len() as f64;
    Ok(Row::new(
        SAME_BITS,
        format!("{name} with the same bits on every platform against that of this platform"),
        (ratio(times[0], times[1]), "x"),
        None,
        format!("{:.1} ns against {:.1} ns per call", one(times[0]), one(times[1])),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_agrees_with_that_of_the_platform_and_has_a_row() {
        let arguments = [1e-3, 0.5, 1.0, 2.5, 20.0];
        for function in &FUNCTIONS {
            let row = row(function, &arguments, Duration::ZERO).unwrap();
            assert!(row.measured > 0.0 && row.what.starts_with(function.0), "{row:?}");
        }
        let wrong: (&str, Function, Function) = ("ln", |x| math::ln(x) + 1e-12, math::ln);
        assert!(matches!(
            row(&wrong, &arguments, Duration::ZERO),
            Err(BenchError::Disagree { .. })
        ));
    }
}
