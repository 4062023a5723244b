//! Any text as a formula and as a property file.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| causet_fuzz::formula(text));
