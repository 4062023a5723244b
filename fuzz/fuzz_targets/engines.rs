//! Any text as a property of any kind and a drawing, through every engine.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| causet_fuzz::engines(text));
