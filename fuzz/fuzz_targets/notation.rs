//! Any text as a drawing: read or refused, never a panic, and what was read can be drawn and read again.

#![no_main]

use causet_trace::notation;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(run) = notation::parse(text) {
        let _ = notation::draw(&run);
        let _ = run.races();
        let _ = run.order().width(&|| true);
    }
});
