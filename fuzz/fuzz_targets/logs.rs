//! Any bytes as a log of any format.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| causet_fuzz::log(bytes));
