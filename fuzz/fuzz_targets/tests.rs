//! Any bytes as what tests are made from.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| causet_fuzz::tests::tests(bytes));
