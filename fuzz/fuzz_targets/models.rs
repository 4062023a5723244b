//! Any text as a formula about a model, an equation system or a network.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| causet_fuzz::models(text));
