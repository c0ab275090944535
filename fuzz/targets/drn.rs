//! `fuzz/run drn`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tucrl_fuzz::drn(bytes));
