//! What the tests of log readers share: samples, runs as texts, tables of refused inputs, damage.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::{Cursor, Read};

use causet_base::Diagnostic;
use causet_formats::logs::{FORMATS, Head, LogOptions, format_named, read, recognise};
use causet_formats::native::{Part, Reading, decompressed, nth_line};
use causet_formats::{ReadError, locate};
use causet_trace::{EventId, Trace};
use fastrand::Rng;

/// A sample of the repository.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/logs/");
    std::fs::read(format!("{folder}{name}")).expect("the sample is there")
}

/// A sample without its compression.
pub(crate) fn plain(name: &str) -> Vec<u8> {
    let bytes = sample(name);
    let mut plain = Vec::new();
    let mut input = decompressed(bytes.as_slice()).expect("it begins well");
    input.read_to_end(&mut plain).expect("it is whole");
    plain
}

/// Reads some bytes in the format that they look like.
pub(crate) fn reading(
    input: &[u8],
    options: &LogOptions,
) -> Result<(Reading, &'static str), Diagnostic> {
    match read(vec![Part::new("log", Cursor::new(input))], options, &()) {
        Ok((reading, format)) => Ok((reading, format.name)),
        Err(ReadError::Fault(problem)) => Err(problem),
        Err(ReadError::Late { error, parts }) => {
            let text = nth_line(input, error.place.line).expect("memory is readable");
            Err(locate(&error, &parts, text.as_deref()))
        }
        Err(other) => panic!("{other}"),
    }
}

/// Reads a sample, and checks that it is recognised as a format, by that one alone of all that have a name.
pub(crate) fn run_of(name: &str, format: &str) -> Reading {
    assert_eq!(looks_like(name), [format], "{name}");
    let bytes = sample(name);
    let recognised = recognise(&Head::of(&bytes));
    assert_eq!(recognised.map(|format| format.name), Some(format));
    match reading(&bytes, &LogOptions::default()) {
        Ok((reading, read_as)) => {
            assert_eq!(read_as, format);
            reading
        }
        Err(problem) => panic!("{name}: {problem:?}"),
    }
}

/// The formats that a sample looks like.
pub(crate) fn looks_like(name: &str) -> Vec<&'static str> {
    let bytes = sample(name);
    let head = Head::of(&bytes);
    let formats = FORMATS.iter().filter(|format| format.looks_like(&head));
    formats.map(|format| format.name).collect()
}

/// The names of all samples of logs.
#[allow(
    dead_code,
    reason = "not every test that shares this file asks for them"
)]
pub(crate) fn all_samples() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/logs/");
    let files = std::fs::read_dir(folder).expect("the samples are there");
    let names = files.flatten().map(|file| file.file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| name != "README.md");
    names.sort_unstable();
    names
}

/// Options for a format that is not to be recognised.
pub(crate) fn as_format(name: &str) -> LogOptions {
    assert!(format_named(name).is_some(), "there is no format {name}");
    LogOptions {
        format: Some(name.to_owned()),
        ..LogOptions::default()
    }
}

/// What was noted, one after the other.
pub(crate) fn notes(reading: &Reading) -> Vec<&str> {
    let warnings = reading.warnings.iter();
    warnings.map(|warning| warning.message.as_str()).collect()
}

/// The names of the processes.
pub(crate) fn processes(trace: &Trace) -> Vec<&str> {
    let processes = trace.order().processes();
    processes
        .map(|process| trace.process_name(process))
        .collect()
}

/// The event of a process at a position from 1.
pub(crate) fn event(trace: &Trace, process: &str, position: u32) -> EventId {
    let found = trace.process(process);
    let found = found.and_then(|process| trace.order().event(process, position));
    found.unwrap_or_else(|| panic!("{process} {position} of {:?}", processes(trace)))
}

/// The edges between different processes, as texts such as `a 1 -> b 2`.
pub(crate) fn edges(trace: &Trace) -> Vec<String> {
    let order = trace.order();
    let name = |event: EventId| {
        let process = trace.process_name(order.process_of(event));
        format!("{process} {}", order.position_of(event))
    };
    let mut edges: Vec<String> = trace
        .events()
        .flat_map(|event| {
            order
                .crossing_into(event)
                .iter()
                .map(move |&from| (from, event))
        })
        .map(|(from, to)| format!("{} -> {}", name(from), name(to)))
        .collect();
    edges.sort();
    edges
}

/// What an event does: its label, and what it sets.
pub(crate) fn told(trace: &Trace, event: EventId) -> String {
    let mut told = trace.label(event).unwrap_or("-").to_owned();
    for write in trace.writes(event) {
        let value = write
            .value
            .spelled(|text| format!("{:?}", trace.text(text)));
        told.push_str(&format!(" {}={value}", trace.short_name(write.var)));
    }
    told
}

/// An input that is refused: what is wrong, where, and what to do.
pub(crate) struct Refused {
    pub(crate) input: &'static str,
    pub(crate) place: (u32, u32),
    pub(crate) message: &'static str,
    pub(crate) expected: &'static str,
}

/// Checks that inputs of a format are refused as they should be; all that are not are shown.
pub(crate) fn check_refused(format: &str, table: &[Refused]) {
    let mut wrong = Vec::new();
    for refused in table {
        let found = match reading(refused.input.as_bytes(), &as_format(format)) {
            Ok(_) => "it was read".to_owned(),
            Err(problem) => {
                let place = (problem.line, problem.column);
                let is_right = (place, problem.message.as_str())
                    == (refused.place, refused.message)
                    && problem.expected().contains(refused.expected);
                if is_right {
                    continue;
                }
                format!("{place:?} {} ({})", problem.message, problem.expected())
            }
        };
        wrong.push(format!("{}\n    {found}", refused.input));
    }
    assert!(wrong.is_empty(), "{format}:\n{}", wrong.join("\n"));
}

/// Cuts and changes a sample in many ways; whatever comes out is read or refused at a place that can be shown.
pub(crate) fn check_damaged(name: &str, format: &str) {
    let whole = sample(name);
    let mut rng = Rng::with_seed(7);
    for round in 0..150 {
        let mut bytes = whole.clone();
        if round % 3 == 0 {
            bytes.truncate(rng.usize(..=bytes.len()));
        }
        for _ in 0..rng.usize(..4) {
            damage(&mut bytes, &mut rng);
        }
        if let Err(problem) = reading(&bytes, &as_format(format)) {
            assert!(
                problem.text.get(problem.span.range()).is_some(),
                "{problem:?}"
            );
            assert!(problem.line >= 1 && problem.column >= 1, "{problem:?}");
            assert!(!problem.message.is_empty() && !problem.expected().is_empty());
        }
    }
}

/// A short piece from anywhere in a long text, damaged.
pub(crate) fn damaged_piece(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let start = rng.usize(..bytes.len());
    let end = bytes.len().min(start + rng.usize(..2000));
    let mut piece = bytes[start..end].to_vec();
    for _ in 0..rng.usize(..3) {
        damage(&mut piece, rng);
    }
    piece
}

/// Changes a byte, or moves or drops a piece.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.usize(..bytes.len());
    let end = (at + rng.usize(..40)).min(bytes.len());
    match rng.u8(..4) {
        0 => bytes[at] = *rng.choice(b"{}[]\",:0a-|()\\\n\xff").unwrap_or(&b'x'),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let piece: Vec<u8> = bytes[at..end].to_vec();
            let to = rng.usize(..=bytes.len());
            bytes.splice(to..to, piece);
        }
        _ => bytes[at] = rng.u8(..),
    }
}
