//! `fuzz/run checkpoint`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tucrl_fuzz::checkpoint(bytes));
