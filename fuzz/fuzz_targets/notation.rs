//! Any text as a drawing of a run.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| causet_fuzz::drawing(text));
