//! Damaged inputs: nothing panics, every problem can be shown, workers do not matter.

use std::io::Cursor;

use causet_base::Diagnostic;
use causet_formats::native::{Part, ReadOptions, nth_line, read, write};
use causet_formats::{ReadError, locate};
use causet_trace::notation::draw;
use causet_trace::random::{Shape, run};
use fastrand::Rng;

const SAMPLE: &str = r#"{"causet":1,"processes":["p1","p2"],"shared":["turn"],"init":{"turn":0,"p1.state":"idle"},"order":"observed","meta":{"a":[1]}}
{"p":"p1","set":{"state":"w\u00e4nt","turn":1.5},"read":["turn"]}
{"p":"p1","ev":"request","send":["m1","m2"],"to":"p2","set":{"x":1}}
{"p":"p2","recv":"m1","set":{"x":true},"clock":{"p1":2,"p2":1}}
{"p":"p2","clock":{"p1":2,"p2":2}}
{"p":"p1","after":[["p2",1]],"id":"e7","t":1699.25}
{"p":"p2","after":["e7"]}
{"p":"p1","end":true}
"#;

/// The run as a drawing, or the problem, late ones completed.
fn outcome(input: &[u8], options: &ReadOptions) -> Result<String, Diagnostic> {
    match read(vec![Part::new("t", Cursor::new(input))], options, &()) {
        Ok(reading) => Ok(format!("{}{:?}", draw(&reading.trace), reading.warnings)),
        Err(ReadError::Fault(problem)) => Err(problem),
        Err(ReadError::Late { error, parts }) => {
            let text = nth_line(input, error.place.line).expect("memory is readable");
            Err(locate(&error, &parts, text.as_deref()))
        }
        Err(other) => panic!("{other}"),
    }
}

fn check(input: &[u8], lenient: bool) {
    let with = |workers| outcome(input, &ReadOptions { lenient, workers });
    let alone = with(1);
    assert_eq!(alone, with(3), "{:?}", String::from_utf8_lossy(input));
    if let Err(problem) = alone {
        let shown = problem.text.get(problem.span.range());
        assert!(shown.is_some(), "{problem:?}");
        assert!(problem.line >= 1 && problem.column >= 1, "{problem:?}");
        assert!(problem.text.chars().count() <= 202, "{problem:?}");
        assert!(!problem.message.is_empty() && !problem.expected().is_empty());
    }
}

fn random_text(rng: &mut Rng) -> Vec<u8> {
    if rng.bool() {
        return SAMPLE.as_bytes().to_vec();
    }
    let shape = Shape::small(rng);
    let mut out = Vec::new();
    write(&run(rng, shape), &mut out).expect("memory is writable");
    out
}

/// One change: a byte, a word, a piece moved or doubled, a line moved or lost.
fn mutate(rng: &mut Rng, input: &mut Vec<u8>) {
    const WORDS: [&[u8]; 18] = [
        b"\"p\":",
        b"null",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"\"",
        b"\\u",
        b"\\ud800",
        b"\xFF",
        b"\xC3\xA4",
        b"9223372036854775808",
        b"-1",
        b"\n",
        b"\r\n",
        b"\"end\":true",
        b"{\"causet\":1}\n",
    ];
    let at = rng.usize(0..=input.len());
    let end = (at + rng.usize(0..12)).min(input.len());
    match rng.usize(0..6) {
        0 if at < input.len() => input[at] = rng.u8(..),
        1 => drop(input.splice(at..at, WORDS[rng.usize(0..WORDS.len())].iter().copied())),
        2 => drop(input.drain(at..end)),
        3 => {
            let piece = input[at..end].to_vec();
            let to = rng.usize(0..=input.len());
            input.splice(to..to, piece);
        }
        4 => {
            let mut lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
            let (one, other) = (rng.usize(0..lines.len()), rng.usize(0..lines.len()));
            lines.swap(one, other);
            *input = lines.join(&b'\n');
        }
        _ => {
            let mut lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
            lines.remove(rng.usize(0..lines.len()));
            *input = lines.join(&b'\n');
        }
    }
}

#[test]
fn damage_is_reported_and_never_fatal() {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..3_000 {
        let mut input = random_text(&mut rng);
        for _ in 0..rng.usize(1..4) {
            mutate(&mut rng, &mut input);
        }
        check(&input, rng.bool());
    }
}
