//! The binary form: what is read is what was written, and what was damaged is refused with what is left of it.

use causet_formats::binary::{self, Damage, NotOpened, Stored};
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::{self, Part, ReadOptions};
use causet_trace::random::{self, Shape};
use causet_trace::stored::BLOCK;
use causet_trace::{Clocks, Trace, notation};
use fastrand::Rng;

/// Everything that a run is asked, as text.
fn described(trace: &Trace) -> String {
    let mut out = Vec::new();
    native::write(trace, &mut out).expect("memory is writable");
    let mut text = String::from_utf8(out).expect("the native format is text");
    let recorded: Vec<_> = trace.order().recorded().collect();
    text.push_str(&format!("{recorded:?}\n{:?}\n", trace.holes()));
    for event in trace.events() {
        let time = trace.time(event);
        let place = trace.place(event);
        let order = trace.order();
        let position = order.position_of(event);
        let before: Vec<_> = order.predecessors(event).collect();
        text.push_str(&format!("{place:?} {time:?} {position} {before:?}\n"));
    }
    for var in trace.variables() {
        let (name, init) = (trace.variable_name(var), trace.given_init(var));
        text.push_str(&format!("{name} {init:?} {:?}\n", trace.owner(var)));
    }
    text
}

fn stored(trace: &Trace) -> Vec<u8> {
    let mut out = Vec::new();
    let parts = ["one.jsonl".to_owned(), "two.jsonl".to_owned()];
    binary::write(trace, &parts, &mut out).expect("memory is writable");
    out
}

fn opened(bytes: &[u8], workers: usize) -> Result<Stored, Damage> {
    binary::read(bytes, workers, &()).map_err(|error| match error {
        NotOpened::Damaged(damage) => damage,
        other => panic!("{other:?}"),
    })
}

/// Reads back what is written, with one thread and with two.
fn comes_back(trace: &Trace, context: &str) {
    let bytes = stored(trace);
    for workers in [1, 2] {
        let again = opened(&bytes, workers).unwrap_or_else(|error| panic!("{context}: {error}"));
        assert_eq!(described(&again.trace), described(trace), "{context}");
        assert_eq!(again.parts, ["one.jsonl", "two.jsonl"]);
        assert!(stored(&again.trace) == bytes, "{context}: other bytes");
    }
}

fn read_native(parts: &[&str], lenient: bool) -> Trace {
    let parts = parts.iter().map(|text| Part::new("log", text.as_bytes()));
    let options = ReadOptions {
        lenient,
        workers: 1,
    };
    let reading = native::read(parts.collect(), &options, &());
    reading.unwrap_or_else(|error| panic!("{error}")).trace
}

#[test]
fn random_runs_come_back() {
    let mut rng = Rng::with_seed(41);
    for number in 0..200 {
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        comes_back(&trace, &format!("run {number} of {shape:?}"));
    }
}

#[test]
fn long_runs_come_back() {
    let mut rng = Rng::with_seed(43);
    let sizes = [
        (3, BLOCK, 0.3),
        (400, BLOCK + 1, 0.3),
        (5, 3 * BLOCK + 777, 0.9),
    ];
    for (processes, events, messages) in sizes {
        let shape = Shape {
            processes,
            events,
            messages,
            writes: 0.5,
            shared: true,
        };
        let trace = random::run(&mut rng, shape);
        assert_eq!(trace.name_blocks().len() > 1, messages > 0.5, "{shape:?}");
        comes_back(&trace, &format!("{shape:?}"));
    }
}

#[test]
fn everything_a_log_can_say_comes_back() {
    let drawn = notation::parse("a: x=0.5 y=\"text\" m!b\nb: z=true m?,@got").expect("a drawing");
    comes_back(&drawn, "drawing");
    comes_back(
        &notation::parse("").unwrap_or_else(|_| read_native(&[""], false)),
        "nothing",
    );
    let log = [
        r#"{"causet":1,"shared":["s"],"init":{"s":123456789012345,"a.x":1.25,"a.on":true,"b.w":"hello"},"order":"causal","meta":{"by":"hand"}}
{"p":"b","recv":"m","set":{"x":-9223372036854775808,"y":0.001},"t":17.25,"id":"late"}
{"p":"a","send":["m","n"],"to":["b","c"],"ev":"both","set":{"x":2,"on":false,"w":"ä"}}

{"p":"c","after":["late",["a",1]],"set":{"s":1}}
"#,
        r#"{"p":"a","ev":"both","read":["s"],"set":{"x":4611686018427387904}}
{"p":"d","clock":{"d":1}}
"#,
    ];
    comes_back(&read_native(&log, false), "log");
    let holes = [r#"{"p":"a","recv":"never sent"}
{"p":"b","clock":{"b":1,"nobody":3}}
"#];
    comes_back(&read_native(&holes, true), "holes");
}

#[test]
fn it_is_recognised_like_any_log() {
    let trace = notation::parse("a: x=1 m!\nb: . m?").expect("a drawing");
    let bytes = stored(&trace);
    let packed = zstd_of(&bytes);
    for input in [&bytes, &packed] {
        let parts = vec![Part::new("run.causet", input.as_slice())];
        let read = logs::read(parts, &LogOptions::default(), &());
        let (reading, format) = read.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(format.name, "bin");
        assert_eq!(described(&reading.trace), described(&trace));
    }
    let two = vec![
        Part::new("run.causet", bytes.as_slice()),
        Part::new("more.jsonl", &b"{\"p\":\"a\"}\n"[..]),
    ];
    let refused = logs::read(two, &LogOptions::default(), &()).map(drop);
    let message = refused.expect_err("a run and another").to_string();
    assert_eq!(
        message,
        "run.causet: it is a whole run; read it without more.jsonl"
    );
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory is writable")
}

fn refused(bytes: &[u8]) -> Damage {
    match opened(bytes, 2) {
        Ok(_) => panic!("damaged bytes were read"),
        Err(damage) => damage,
    }
}

fn long_run() -> Trace {
    let shape = Shape {
        processes: 3,
        events: 2 * BLOCK + 5,
        messages: 0.2,
        writes: 0.4,
        shared: false,
    };
    random::run(&mut Rng::with_seed(47), shape)
}

#[test]
fn a_truncated_file_says_how_many_events_are_whole() {
    let bytes = stored(&long_run());
    let all = 2 * BLOCK + 5;
    let mut seen = Vec::new();
    let lengths = (0..200).map(|step| bytes.len() * step / 200);
    for length in lengths.chain([bytes.len() - 1]) {
        let damage = refused(&bytes[..length]);
        let whole = damage.whole.map(|(whole, counted)| {
            assert_eq!(counted, all);
            whole
        });
        assert!(seen.last() <= Some(&whole), "{whole:?} after {seen:?}");
        seen.push(whole);
    }
    seen.dedup();
    assert_eq!(seen, [None, Some(0), Some(BLOCK), Some(2 * BLOCK)]);
    let last = refused(&bytes[..bytes.len() - 1]).to_string();
    let expected = "section `writes of block 2`: the file ends within it; the first 131072 of 131077 events are whole; convert the log again, or copy the file again";
    assert_eq!(last, expected);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let small = stored(&notation::parse("a: x=1 m!b\nb: . m?").expect("a drawing"));
    for at in 0..small.len() {
        for bit in [0x01, 0x80] {
            let mut damaged = small.clone();
            damaged[at] ^= bit;
            refused(&damaged);
        }
    }
    let mut longer = small.clone();
    longer.push(0);
    let message = refused(&longer).to_string();
    assert!(
        message.starts_with("section `end`: 1 bytes follow"),
        "{message}"
    );
    assert_eq!(refused(b"causet").section, "head");
    assert!(opened(&small, 1).is_ok());
}

#[test]
fn a_damaged_block_leaves_those_before_it() {
    let bytes = stored(&long_run());
    let mut damaged = bytes.clone();
    let at = bytes.len() * 7 / 10;
    damaged[at] ^= 4;
    let damage = refused(&damaged);
    assert!(damage.section.ends_with("of block 1"), "{damage}");
    assert_eq!(
        damage.reason,
        "its checksum does not agree with its content"
    );
    assert_eq!(damage.whole, Some((BLOCK, 2 * BLOCK + 5)));
}

#[test]
fn another_version_is_refused() {
    let mut bytes = stored(&notation::parse("a: x=1").expect("a drawing"));
    bytes[8] = 1;
    let reason = refused(&bytes).reason;
    assert_eq!(
        reason,
        "the file has version 1, and this program reads versions 2 to 3; `causet convert LOG --to bin` writes version 3"
    );
}

/// Damages the content of a random section and makes its checksums fit again: then only the columns can tell.
fn forged(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut sections = Vec::new();
    let mut at = 12;
    while at + 24 <= bytes.len() {
        let length = bytes[at + 8..at + 16]
            .iter()
            .rev()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        sections.push((at, length));
        at += 24 + length;
    }
    let (head, length) = sections[rng.usize(..sections.len())];
    for _ in 0..rng.usize(1..4) {
        bytes[head + 24 + rng.usize(..length)] = [0, 1, 2, 255, rng.u8(..)][rng.usize(..5)];
    }
    let content = crc32fast::hash(&bytes[head + 24..head + 24 + length]);
    bytes[head + 16..head + 20].copy_from_slice(&content.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[head..head + 20]);
    bytes[head + 20..head + 24].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn forged_columns_never_panic() {
    let mut rng = Rng::with_seed(53);
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..60 {
        let shape = Shape::small(&mut rng);
        let bytes = stored(&random::run(&mut rng, shape));
        for _ in 0..400 {
            match opened(&forged(&bytes, &mut rng), 1) {
                Err(_) => rejected += 1,
                Ok(read) => {
                    // Whatever was accepted can be used.
                    accepted += 1;
                    described(&read.trace);
                    Clocks::new(read.trace.order());
                    read.trace.races(2);
                }
            }
        }
    }
    assert!(accepted > 100 && rejected > 100, "{accepted} {rejected}");
}
