//! Logs are read alike whatever the number of threads: the run, the notes and the first fault.

mod log_samples;

use causet_formats::logs::LogOptions;
use causet_formats::native::{self, ReadOptions};
use fastrand::Rng;
use log_samples::{all_samples, notes, plain, reading};

/// Everything that reading some bytes says.
fn told(bytes: &[u8], format: Option<&str>, workers: usize) -> String {
    let options = LogOptions {
        format: format.map(str::to_owned),
        read: ReadOptions {
            lenient: false,
            workers,
        },
        ..LogOptions::default()
    };
    match reading(bytes, &options) {
        Err(problem) => format!("{problem:?}"),
        Ok((reading, format)) => {
            let mut out = Vec::new();
            native::write(&reading.trace, &mut out).expect("memory is writable");
            let run = String::from_utf8_lossy(&out).into_owned();
            format!("{format} {:?}\n{run}", notes(&reading))
        }
    }
}

#[test]
fn samples_are_read_alike_by_any_number_of_threads() {
    let mut faults = 0;
    for name in all_samples() {
        let whole = plain(&name);
        let mut rng = Rng::with_seed(7);
        for round in 0..4 {
            let mut bytes = whole.clone();
            if round > 0 {
                let at = rng.usize(..bytes.len());
                bytes[at] = rng.u8(..);
            }
            let alone = told(&bytes, None, 1);
            faults += usize::from(alone.starts_with("Diagnostic"));
            for workers in [2, 5] {
                assert_eq!(
                    told(&bytes, None, workers),
                    alone,
                    "{name}, {workers} threads"
                );
            }
        }
    }
    assert!(faults > 10, "only {faults} damaged samples were refused");
}
