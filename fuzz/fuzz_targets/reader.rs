//! Any bytes as a trace file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| causet_fuzz::reader(bytes));
