//! Any bytes as a trace: read or refused with a span inside the line shown, the same for any number of workers.

#![no_main]

use causet_wire::{ReadError, locate};
use causet_wire::native::{self, Part, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for lenient in [false, true] {
        let one = outcome(bytes, lenient, 1);
        assert_eq!(one, outcome(bytes, lenient, 3));
    }
});

/// What came of it, in words; a trace that was read is written and must be read again.
fn outcome(bytes: &[u8], lenient: bool, workers: usize) -> String {
    let options = ReadOptions { lenient, workers };
    match native::read(vec![Part::new("fuzzed", bytes)], &options, &()) {
        Ok(reading) => {
            let mut text = Vec::new();
            native::write(&reading.trace, &mut text).expect("memory can be written");
            if !lenient {
                let again = native::read(vec![Part::new("again", &text[..])], &options, &());
                assert!(again.is_ok(), "{:?}", String::from_utf8_lossy(&text));
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        Err(ReadError::Fault(problem)) => {
            assert!(problem.text.get(problem.span.clone()).is_some(), "{problem:?}");
            problem.to_string()
        }
        Err(ReadError::Late { error, parts }) => {
            let line = native::nth_line(bytes, error.place.line).expect("memory can be read");
            let problem = locate(&error, &parts, line.as_deref());
            assert!(problem.text.get(problem.span.clone()).is_some(), "{problem:?}");
            problem.to_string()
        }
        Err(other) => other.to_string(),
    }
}
