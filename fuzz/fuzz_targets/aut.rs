//! Any bytes as an Aldebaran file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| causet_fuzz::system(bytes));
