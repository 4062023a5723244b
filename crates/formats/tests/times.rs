//! Times and numbers come out of every reader with the digits that the log has.

mod log_samples;

use causet_formats::logs::{LogOptions, MappingFile};
use causet_formats::{binary, native};
use causet_trace::Trace;
use fastrand::Rng;
use log_samples::reading;

/// A log of one event as a function of its time.
type Log = fn(u64) -> String;

/// Formats with times: how many digits behind the point of a second the log has, and the log of a time in that unit.
const LOGS: [(&str, u32, Log); 12] = [
    ("native", 9, |time| {
        format!("{{\"p\":\"a\",\"t\":{}}}\n", seconds(time, 9))
    }),
    ("native", 7, |time| {
        format!("{{\"p\":\"a\",\"t\":{time}e-7}}\n")
    }),
    ("etcd-raft", 9, |time| {
        let seconds = seconds(time, 9);
        let event = r#"{"name":"InitState","nid":"1","state":{"term":0},"role":"StateFollower"}"#;
        format!("{{\"ts\":{seconds},\"tag\":\"trace\",\"event\":{event}}}\n")
    }),
    ("ccf", 6, |time| {
        let fraction = time % 1_000_000;
        let message = r#"{"function":"commit","state":{"node_id":"0","commit_idx":2}}"#;
        let time = format!("2023-04-13T16:42:59.{fraction:06}Z");
        format!("{{\"h_ts\":\"{time}\",\"tag\":\"raft_trace\",\"msg\":{message}}}\n")
    }),
    ("jepsen", 9, |time| {
        format!(
            "{{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":1,\"time\":{time}}}\n"
        )
    }),
    ("jepsen", 9, |time| {
        format!("{{:process 0, :type :invoke, :f :write, :value 1, :time {time}}}\n")
    }),
    ("otlp", 9, |time| {
        let span = format!(
            r#"{{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"00000000000000a1","name":"x","kind":2,"startTimeUnixNano":"{time}","endTimeUnixNano":"{time}"}}"#
        );
        format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{span}]}}]}}]}}\n")
    }),
    ("jaeger", 6, |time| {
        let span = format!(
            r#"{{"traceID":"5f","spanID":"1a","operationName":"x","references":[],"startTime":{time},"duration":0,"tags":[],"logs":[],"processID":"p1"}}"#
        );
        format!(
            "{{\"data\":[{{\"traceID\":\"5f\",\"spans\":[{span}],\"processes\":{{\"p1\":{{\"serviceName\":\"a\"}}}}}}]}}"
        )
    }),
    ("zipkin", 6, |time| {
        format!(
            r#"[{{"traceId":"a0","id":"15","kind":"SERVER","name":"x","timestamp":{time},"duration":0,"localEndpoint":{{"serviceName":"a"}}}}]"#
        )
    }),
    ("xtrace", 3, |time| {
        format!(
            r#"[{{"id":"8f","reports":[{{"TaskID":"8f","EventID":"a1","ParentEventID":[],"ProcessID":"7","ThreadID":1,"Timestamp":{time},"Agent":"c","Label":"x"}}]}}]"#
        )
    }),
    ("shiviz", 9, |time| {
        format!("at={time} node=a vc={{\"a\":1}} did x\n")
    }),
    ("mapped", 9, |time| {
        format!("{{\"n\":\"a\",\"at\":{}}}\n", seconds(time, 9))
    }),
];

/// A number of units of a second as a decimal, without zeros at the end.
fn seconds(time: u64, places: u32) -> String {
    let unit = 10_u64.pow(places);
    let width = places as usize;
    let text = format!("{}.{:0width$}", time / unit, time % unit);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

fn mapping(text: &str) -> MappingFile {
    MappingFile {
        name: "m.toml".to_owned(),
        text: text.to_owned(),
    }
}

fn options(format: &str) -> LogOptions {
    match format {
        "mapped" => LogOptions {
            mapping: Some(mapping("process = \"/n\"\ntime = \"/at\"\n")),
            ..LogOptions::default()
        },
        "shiviz" => LogOptions {
            regex: Some(
                r"at=(?<timestamp>\S+) node=(?<host>\S+) vc=(?<clock>{.*}) did (?<event>.*)"
                    .to_owned(),
            ),
            ..LogOptions::default()
        },
        _ => LogOptions::default(),
    }
}

fn read(format: &str, log: &str) -> Trace {
    match reading(log.as_bytes(), &options(format)) {
        Ok((reading, read_as)) => {
            assert_eq!(read_as, format, "{log}");
            reading.trace
        }
        Err(problem) => panic!("{problem:?}\n{log}"),
    }
}

fn written(trace: &Trace) -> String {
    let mut text = Vec::new();
    native::write(trace, &mut text).expect("memory takes it all");
    String::from_utf8(text).expect("it is text")
}

/// The first number that stands after a mark.
fn number_after<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let rest = &text[text.find(mark)? + mark.len()..];
    rest.split([',', '}', '\n']).next()
}

#[test]
fn every_reader_keeps_the_digits_of_times() {
    let mut rng = Rng::with_seed(3);
    for (format, places, log) in LOGS {
        for round in 0..200 {
            let unit = 10_u64.pow(places);
            let second = match (format, round % 3) {
                ("ccf", _) => 1_681_404_179,
                (_, 0) => 1_712_329_729,
                // As long as units are told apart by the number of their digits, all times must have as many.
                _ => rng.u64(1_000_000_000..9_000_000_000),
            };
            let time = second * unit + rng.u64(..unit);
            let text = log(time);
            let trace = read(format, &text);
            let native = written(&trace);
            let expected = seconds(time, places);
            assert_eq!(number_after(&native, "\"t\":"), Some(&*expected), "{text}");
            assert_eq!(written(&read("native", &native)), native);
        }
    }
}

#[test]
fn the_binary_form_keeps_the_digits_of_times() {
    let log =
        "{\"p\":\"a\",\"t\":1712329729.603080312}\n{\"p\":\"a\"}\n{\"p\":\"b\",\"t\":-0.05}\n";
    let trace = read("native", log);
    let mut bytes = Vec::new();
    binary::write(&trace, &["log".to_owned()], &mut bytes).expect("memory takes it all");
    let stored = binary::read(bytes.as_slice(), 1, &()).expect("it was just written");
    assert_eq!(written(&stored.trace), written(&trace));
}

#[test]
fn binary_files_of_version_2_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/binary/");
    let bytes = std::fs::read(format!("{folder}version-2.causet")).expect("the file is there");
    let stored = binary::read(bytes.as_slice(), 1, &()).expect("an old file is read");
    let text = written(&stored.trace);
    for time in ["1712329729.6030803", "1712329729.75", "-3"] {
        assert!(text.contains(&format!("\"t\":{time}}}")), "{text}");
    }
}

/// A log of one event as a function of a number that it writes.
type ValueLog = fn(&str) -> String;

/// Formats with values.
const VALUES: [(&str, ValueLog); 5] = [
    ("etcd-raft", |value| {
        let event = format!(
            r#"{{"name":"InitState","nid":"1","state":{{"term":{value}}},"role":"StateFollower"}}"#
        );
        format!("{{\"ts\":1,\"tag\":\"trace\",\"event\":{event}}}\n")
    }),
    ("jepsen", |value| {
        format!("{{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":{value}}}\n")
    }),
    ("jaeger", |value| {
        let span = format!(
            r#"{{"traceID":"5f","spanID":"1a","operationName":"x","references":[],"startTime":1,"duration":0,"tags":[{{"key":"term","type":"float64","value":{value}}}],"logs":[],"processID":"p1"}}"#
        );
        format!(
            "{{\"data\":[{{\"traceID\":\"5f\",\"spans\":[{span}],\"processes\":{{\"p1\":{{\"serviceName\":\"a\"}}}}}}]}}"
        )
    }),
    ("xtrace", |value| {
        format!(
            r#"[{{"id":"8f","reports":[{{"TaskID":"8f","EventID":"a1","ParentEventID":[],"ProcessID":"7","ThreadID":1,"Agent":"c","Label":"x","term":{value}}}]}}]"#
        )
    }),
    ("mapped", |value| {
        format!("{{\"n\":\"a\",\"at\":1,\"term\":{value}}}\n")
    }),
];

#[test]
fn every_reader_keeps_the_digits_of_values() {
    let mut rng = Rng::with_seed(5);
    for (format, log) in VALUES {
        for _ in 0..200 {
            let places = rng.u32(1..18);
            let value = seconds(rng.u64(..1_000_000_000_000_000_000), places);
            let text = log(&value);
            let native = match format {
                "mapped" => {
                    let rules = "process = \"/n\"\n[variables]\nterm = \"/term\"\n";
                    let options = LogOptions {
                        mapping: Some(mapping(rules)),
                        ..LogOptions::default()
                    };
                    let read = reading(text.as_bytes(), &options);
                    written(&read.unwrap_or_else(|problem| panic!("{problem:?}")).0.trace)
                }
                _ => written(&read(format, &text)),
            };
            assert!(native.contains(&format!(":{value}")), "{text}{native}");
        }
    }
}
