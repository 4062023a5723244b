//! Inputs that are read: every field, every wrapping, any number of workers.

use std::io::{Cursor, Write as _};

use causet_formats::native::{Part, Progress, ReadOptions, Reading, nth_line, read};
use causet_formats::{ReadError, locate};
use causet_trace::notation::draw;
use causet_trace::{StoredValue, Time, Trace};

fn parts<'a>(texts: &[&'a [u8]]) -> Vec<Part<'a>> {
    let name = |number: usize| format!("part{}", number + 1);
    let numbered = texts.iter().enumerate();
    numbered
        .map(|(number, text)| Part::new(name(number), Cursor::new(*text)))
        .collect()
}

fn options(lenient: bool) -> ReadOptions {
    ReadOptions {
        lenient,
        workers: 1,
    }
}

#[track_caller]
fn read_all(texts: &[&[u8]], lenient: bool) -> Reading {
    read(parts(texts), &options(lenient), &()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn trace(text: &str) -> Trace {
    read_all(&[text.as_bytes()], false).trace
}

const CONTRACT: &str = r#"{"causet":1,"processes":["p1","p2"],"shared":["turn"],"init":{"turn":0,"p1.state":"idle"},"order":"causal","meta":{}}
{"p":"p1","set":{"state":"want","turn":1}}
{"p":"p1","ev":"request","send":"m1","to":"p2","set":{"x":1}}
{"p":"p2","recv":"m1","set":{"x":2}}
{"p":"p2","clock":{"p1":2,"p2":2}}
{"p":"p1","after":[["p2",1]],"id":"e7","t":1699.25}
{"p":"p1","end":true}
"#;

#[test]
fn every_field_is_read() {
    let run = trace(CONTRACT);
    let expected = "\
shared turn
init turn=0
init p1.state=\"idle\"
p1: state=\"want\",turn=1 x=1,m1!p2,@request               <p2.1
p2:                                        m1?,x=2 <p1.2
";
    assert_eq!(draw(&run), expected);
    let last = run.events().last().expect("five events");
    assert_eq!(
        (run.event_name(last), run.time(last)),
        (Some("e7"), Time::new(169_925, 2))
    );
    assert_eq!(run.place(last).line, 6);
    assert_eq!(run.meta(), Some("{}"));
}

/// Everything that a run consists of, as text.
fn picture(run: &Trace) -> String {
    let columns = run.order().recorded().map(|event| {
        let place = run.place(event);
        format!(
            "{:?} {:?} {:?} {:?}\n",
            place,
            run.label(event),
            run.event_name(event),
            run.time(event)
        )
    });
    draw(run) + &columns.collect::<String>()
}

#[test]
fn wrappings_do_not_matter() {
    let plain = picture(&trace(CONTRACT));
    let crlf = CONTRACT.replace('\n', "\r\n");
    let marked = format!("\u{FEFF}{CONTRACT}");
    let unfinished = CONTRACT.trim_end();
    let blank_end = format!("{CONTRACT}\n  \n\t\n");
    for text in [&crlf, &marked, unfinished, &blank_end] {
        assert_eq!(picture(&trace(text)), plain, "{text:?}");
    }
}

#[test]
fn blanks_within_and_between_lines_are_nothing() {
    let run = trace(
        "\n \t\r\n{ \"p\" : \"a\" , \"set\" : { \"x\" : -1.50 } , \"send\" : [ ] }  \n\n{\"p\":\"a\"}\n",
    );
    assert_eq!(draw(&run), "a: x=-1.5 .\n");
    let lines: Vec<u32> = run.events().map(|event| run.place(event).line).collect();
    assert_eq!(lines, [3, 5]);
}

#[test]
fn compressed_parts_are_recognised() {
    let plain = picture(&trace(CONTRACT));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&CONTRACT.as_bytes()[..100]).expect("memory");
    let mut gzip = gzip.finish().expect("memory");
    let mut second = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    second
        .write_all(&CONTRACT.as_bytes()[100..])
        .expect("memory");
    gzip.extend(second.finish().expect("memory"));
    let zstd = zstd::encode_all(CONTRACT.as_bytes(), 3).expect("memory");
    for bytes in [&gzip, &zstd] {
        let reading = read_all(&[bytes], false);
        assert_eq!(picture(&reading.trace), plain);
        assert_eq!(reading.bytes, bytes.len() as u64);
        let line = nth_line(&bytes[..], 4).expect("readable").expect("there");
        assert_eq!(line, r#"{"p":"p2","recv":"m1","set":{"x":2}}"#);
        assert_eq!(nth_line(&bytes[..], 8).expect("readable"), None);
    }
    let cut = read(parts(&[&gzip[..gzip.len() - 9]]), &options(false), &());
    assert!(matches!(cut, Err(ReadError::Io { part, .. }) if part == "part1"));
}

#[test]
fn nothing_is_a_run_without_events() {
    for text in ["", "\n\n", "\u{FEFF}", "{\"causet\":1}"] {
        assert!(trace(text).is_empty(), "{text:?}");
    }
    assert!(read_all(&[], false).trace.is_empty());
    let run = trace(
        "{\"causet\":1.0,\"processes\":[\"a\",\"b\"],\"shared\":[\"x\"],\"init\":{\"x\":2.5}}",
    );
    assert_eq!(run.order().process_count(), 2);
    let x = run.shared_variable("x").expect("it has an initial value");
    assert_eq!(run.initial_value(x), StoredValue::decimal(25, 1));
}

#[test]
fn ids_may_be_integers() {
    let run = trace(
        "{\"p\":\"a\",\"send\":[1,\"2\"]}\n{\"p\":\"b\",\"recv\":\"1\"}\n{\"p\":\"c\",\"recv\":2}",
    );
    assert_eq!(draw(&run), "a: 1!,2!\nb:       1?\nc:          2?\n");
}

#[test]
fn escapes_are_one_with_what_they_stand_for() {
    let run = trace(
        r#"{"p":"\u0061","ev":"\ud83d\ude00\n\"\\\/","set":{"\u0078":"t\u00e4st"}}
{"\u0070":"a","ev":"😀\n\"\\/","set":{"x":"täst"}}"#,
    );
    assert_eq!(run.order().process_count(), 1);
    assert_eq!(run.variables().count(), 1);
    let labels: Vec<_> = run.events().map(|event| run.label(event)).collect();
    assert_eq!(labels, [Some("😀\n\"\\/"); 2]);
    let values: Vec<StoredValue> = run
        .events()
        .flat_map(|event| run.writes(event))
        .map(|w| w.value)
        .collect();
    assert_eq!(values[0], values[1]);
}

#[test]
fn parts_are_one_run_and_their_headers_one_header() {
    let first = b"{\"p\":\"a\",\"set\":{\"turn\":1},\"send\":\"m\"}\n";
    let empty = b"";
    let second = b"\n{\"causet\":1,\"shared\":[\"turn\"],\"order\":\"causal\"}\n{\"p\":\"b\",\"recv\":\"m\"}";
    let third = b"{\"causet\":1,\"shared\":[\"turn\"],\"processes\":[\"b\",\"a\"]}\n";
    let reading = read_all(&[first, empty, second, third], false);
    assert_eq!(reading.parts.len(), 4);
    let run = reading.trace;
    assert_eq!(draw(&run), "shared turn\nb:           m?\na: turn=1,m!\n");
    let places: Vec<(u32, u32)> = run
        .events()
        .map(|event| (run.place(event).part, run.place(event).line))
        .collect();
    assert_eq!(places, [(0, 1), (2, 3)]);
}

#[test]
fn headers_that_disagree_are_refused() {
    let with = |field: &str| format!("{{\"causet\":1,{field}}}\n");
    for (field, one, other) in [
        ("processes", "[\"a\"]", "[\"a\",\"b\"]"),
        ("shared", "[\"x\"]", "[]"),
        ("init", "{\"x\":1}", "{\"x\":1.5}"),
        ("order", "\"causal\"", "\"observed\""),
        ("meta", "{}", "{\"a\":1}"),
    ] {
        let texts = [one, other].map(|value| with(&format!("\"{field}\":{value}")));
        let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        match read(parts(&bytes), &options(false), &()) {
            Err(ReadError::Fault(problem)) => {
                assert_eq!((problem.file.as_str(), problem.line), ("part2", 1));
                assert_eq!(&problem.text[problem.span.range()], other);
                assert!(
                    problem
                        .message
                        .contains(&format!("disagree about `{field}`"))
                );
            }
            result => panic!("{field}: {result:?}"),
        }
    }
}

#[test]
fn late_faults_name_the_part() {
    let texts: [&[u8]; 2] = [
        b"{\"p\":\"a\"}\n",
        b"{\"p\":\"b\"}\n{\"p\":\"b\",\"recv\":\"m\"}\n",
    ];
    let Err(ReadError::Late { error, parts }) = read(parts(&texts), &options(false), &()) else {
        panic!("a receive without send");
    };
    let problem = locate(&error, &parts, None);
    assert_eq!(
        (problem.file.as_str(), problem.line, problem.column),
        ("part2", 2, 1)
    );
    assert_eq!((problem.text.as_str(), problem.span.range()), ("", 0..0));
}

#[test]
fn init_is_looked_for_in_the_part_that_gives_it() {
    let texts: [&[u8]; 2] = [
        b"{\"p\":\"a\"}\n",
        b"\n{\"causet\":1,\"init\":{\"q.x\":1}}\n",
    ];
    let Err(ReadError::Late { error, parts }) = read(parts(&texts), &options(false), &()) else {
        panic!("an initial value for nothing");
    };
    let problem = locate(&error, &parts, None);
    assert_eq!((problem.file.as_str(), problem.line), ("part2", 2));
}

#[test]
fn leniency_warns_instead() {
    let text = "{\"p\":\"a\",\"recv\":\"lost\",\"clock\":{\"a\":2}}\n{\"p\":\"b\",\"clock\":{\"a\":2,\"b\":1}}\n";
    let reading = read_all(&[text.as_bytes()], true);
    assert_eq!(reading.trace.len(), 2);
    let warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "part1:1: the clock of `a` skips from 0 to 2",
            "part1:1: message `lost` is received but never sent",
        ]
    );
    let helps = reading.warnings.iter().map(|warning| &warning.help);
    assert!(
        helps
            .into_iter()
            .all(|help| !help.as_deref().is_some_and(|help| help.contains("lenient")))
    );
}

#[test]
fn lines_longer_than_a_block_are_read() {
    let long = "x".repeat(900_000);
    let text =
        format!("{{\"p\":\"a\"}}\n{{\"p\":\"a\",\"set\":{{\"s\":\"{long}\"}}}}\n{{\"p\":\"b\"}}");
    for workers in [1, 2, 4] {
        let options = ReadOptions {
            lenient: false,
            workers,
        };
        let run = read(parts(&[text.as_bytes()]), &options, &())
            .expect("well-formed")
            .trace;
        assert_eq!(run.len(), 3);
        let write = run
            .events()
            .flat_map(|event| run.writes(event))
            .next()
            .expect("one");
        assert!(matches!(write.value, StoredValue::Text(text) if run.text(text) == long));
    }
}

#[test]
fn workers_do_not_matter() {
    let mut text = String::new();
    for number in 0..60_000 {
        let (p, q) = (number % 7, (number + 3) % 7);
        text += &format!(
            "{{\"p\":\"p{p}\",\"ev\":\"e{}\",\"send\":\"m{number}\",\"to\":\"p{q}\",\"set\":{{\"x\":{number}}}}}\n",
            number % 100
        );
    }
    let with = |workers: usize, text: &str| {
        let options = ReadOptions {
            lenient: false,
            workers,
        };
        read(parts(&[text.as_bytes()]), &options, &())
    };
    let one = with(1, &text).expect("well-formed").trace;
    assert_eq!(one.len(), 60_000);
    for workers in [2, 3, 9] {
        let several = with(workers, &text).expect("well-formed").trace;
        assert_eq!(format!("{one:?}"), format!("{several:?}"));
    }
    let (first, second) = text.split_at(text.find("{\"p\":\"p0\",\"ev\":\"e21\"").expect("there"));
    let broken = format!("{first}{second}{{\"p\":1}}\n{text}{{\"p\"}}");
    for workers in [1, 2, 3] {
        let error = with(workers, &broken).expect_err("two lines are at fault");
        assert!(error.to_string().starts_with("part1:60001:6: "), "{error}");
    }
}

#[test]
fn reading_can_be_stopped() {
    struct Impatient;
    impl Progress for Impatient {
        fn go_on(&self) -> bool {
            false
        }
    }
    for workers in [1, 2] {
        let options = ReadOptions {
            lenient: false,
            workers,
        };
        let long = CONTRACT.to_owned() + &" \n".repeat(1 << 20);
        let stopped = read(parts(&[long.as_bytes()]), &options, &Impatient);
        assert!(matches!(stopped, Err(ReadError::Stopped)), "{stopped:?}");
    }
}
