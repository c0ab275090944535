//! Are mistakes that only checks find found in tests?

use std::hint::black_box;
use std::panic::catch_unwind;

#[test]
fn tests_run_with_debug_assertions_and_overflow_checks() {
    assert!(black_box(cfg!(debug_assertions)), "run the tests in the profile `dev`");
    let sum = catch_unwind(|| black_box(u64::MAX) + black_box(1));
    assert!(sum.is_err(), "overflow-checks = true is missing in the profile `dev`");
}
