//! `fuzz/run gzip`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tucrl_fuzz::gzip(bytes));
