//! Spans that are exported to a server: in any order, in pieces, twice, wrong, too late, and over a restart; the verdicts
//! are those of a check of the same spans in a file.
//!
//! `CAUSET_SEED=n` makes other traces, `CAUSET_ROUNDS=n` more of them.

mod server;
mod spans;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::Part;
use causet_serve::otlp::Patience;
use causet_serve::otlp::messages::{ExportResponse, Failure};
use fastrand::Rng;
use prost::Message;
use serde_json::Value;

use server::{LONGEST, Server, endless, none, properties};
use spans::{Made, hex, json, random, request, span, trace_id};

const JSON: (&str, &str) = ("content-type", "application/json");
const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const ASKED: [&str; 5] = [
    "AG count(i in procs: i.active) <= 2",
    "EF count(i in procs: i.active) >= 3",
    "AF (exists i in procs: i.n = 3)",
    "AG (forall i in procs: !(i.status = \"error\" && i.active))",
    "EF (exists i in procs: i.share > 0.5 && i.cached)",
];

/// The verdicts of a check of a file, by property.
fn checked(file: &str, asked: &[&str]) -> BTreeMap<String, String> {
    let options = LogOptions {
        format: Some("otlp".to_owned()),
        merge: true,
        ..LogOptions::default()
    };
    let part = Part::new("file", Cursor::new(file.as_bytes()));
    let (reading, _) = logs::read(vec![part], &options, &()).expect("a run");
    let subject = Subject::of(&reading.trace);
    let verdict = |(property, lets)| {
        let Ok(question) = prepare(&subject, &property, &lets) else {
            return (property.name.clone(), "refused".to_owned());
        };
        let outcome = decide(&subject, &question, Choice::Auto, &Budget::endless());
        let verdict = outcome.expect("a verdict").verdict.word().to_owned();
        (property.name.clone(), verdict)
    };
    properties(asked).into_iter().map(verdict).collect()
}

/// The verdicts of a server on so many runs, by run and property.
fn told(server: &Server, runs: usize) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut told: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    while told.len() < runs || told.values().any(|told| told.len() < ASKED.len()) {
        let news = server.news();
        let run = told.entry(news.run).or_default();
        let before = run.insert(news.property, news.verdict.to_owned());
        assert_eq!(before, None, "nothing is told twice");
    }
    told
}

fn variable(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok().and_then(|text| text.parse().ok());
    given.unwrap_or(otherwise)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Sends spans in one of the ways there are; all of them are taken.
fn send(server: &Server, rng: &mut Rng, made: &[Made], run: Option<&str>) {
    let run = run.map(|run| ("causet-run", run));
    let protobuf = request(made).encode_to_vec();
    // Without gRPC there are three.
    let ways = if cfg!(feature = "full") { 5 } else { 3 };
    match rng.u8(0..ways) {
        0 => {
            let headers: Vec<_> = [JSON].into_iter().chain(run).collect();
            let text = serde_json::to_string_pretty(&json(made)).expect("JSON");
            let (status, _, body) = server.post(&headers, text.as_bytes());
            assert_eq!((status, body.as_slice()), (200, &b"{}"[..]));
        }
        1 => {
            let headers: Vec<_> = [PROTOBUF].into_iter().chain(run).collect();
            let (status, _, body) = server.post(&headers, &protobuf);
            assert_eq!((status, body.as_slice()), (200, &b""[..]));
        }
        2 => {
            let zipped = [JSON, ("content-encoding", "gzip")];
            let headers: Vec<_> = zipped.into_iter().chain(run).collect();
            let (status, _, body) = server.post(&headers, &zip(json(made).to_string().as_bytes()));
            assert_eq!((status, body.as_slice()), (200, &b"{}"[..]));
        }
        3 => {
            let headers: Vec<_> = run.into_iter().collect();
            let (status, why, body) = server.call(&headers, &protobuf);
            assert_eq!((status.as_str(), why.as_str(), body.len()), ("0", "", 0));
        }
        _ => {
            let zipped = [("grpc-encoding", "gzip")];
            let headers: Vec<_> = zipped.into_iter().chain(run).collect();
            let (status, why, body) = server.call(&headers, &zip(&protobuf));
            assert_eq!((status.as_str(), why.as_str(), body.len()), ("0", "", 0));
        }
    }
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    zipped.write_all(bytes).expect("it fits");
    zipped.finish().expect("it fits")
}

/// Sends spans in pieces, in any order, many of them twice.
fn scatter(server: &Server, rng: &mut Rng, mut made: Vec<Made>, run: Option<&str>) {
    let again: Vec<Made> = made.iter().filter(|_| rng.bool()).cloned().collect();
    made.extend(again);
    rng.shuffle(&mut made);
    let mut rest = made.as_slice();
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(rng.usize(1..=rest.len().min(8)));
        send(server, rng, piece, run);
        rest = others;
    }
}

#[test]
fn verdicts_are_those_of_a_check_of_the_same_spans() {
    let seed = variable("CAUSET_SEED", 7);
    let mut met = BTreeSet::new();
    for round in 0..variable("CAUSET_ROUNDS", 6) {
        let mut rng = Rng::with_seed(seed + round);
        let data = folder();
        let server = Server::start(data.path(), &ASKED, endless());
        let traces: Vec<Vec<Made>> = (0..20).map(|trace| random(&mut rng, trace)).collect();
        scatter(&server, &mut rng, traces.concat(), None);
        // Everything that was acknowledged is there when it begins again.
        drop(server);
        let server = Server::start(data.path(), &ASKED, none());
        let told = told(&server, traces.len());
        for (number, made) in traces.iter().enumerate() {
            let expected = checked(&json(made).to_string(), &ASKED);
            let run = format!("otlp/{}", hex(&trace_id(number as u8)).to_lowercase());
            assert_eq!(
                told[&run],
                expected,
                "trace {number} of seed {}",
                seed + round
            );
            met.extend(expected.into_values());
        }
    }
    assert!(met.contains("holds") && met.contains("violated"), "{met:?}");
}

#[test]
fn several_traces_are_one_run_if_somebody_says_so() {
    let seed = variable("CAUSET_SEED", 70);
    for round in 0..4 {
        let mut rng = Rng::with_seed(seed + round);
        let data = folder();
        let server = Server::start(data.path(), &ASKED, endless());
        let mut all: Vec<Made> = (0..3).flat_map(|trace| random(&mut rng, trace)).collect();
        scatter(&server, &mut rng, all.clone(), Some("night \"1\""));
        for made in &mut all {
            let run = spans::text("causet.run", "by resource");
            made.resource.attributes.push(run);
        }
        scatter(&server, &mut rng, all.clone(), None);
        drop(server);
        let server = Server::start(data.path(), &ASKED, none());
        let told = told(&server, 2);
        let expected = checked(&json(&all).to_string(), &ASKED);
        assert_eq!(told["otlp/night \"1\""], expected, "seed {}", seed + round);
        assert_eq!(told["otlp/by resource"], expected, "seed {}", seed + round);
    }
}

#[test]
fn recorded_traces_get_the_verdicts_of_a_check() {
    let logs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/logs/");
    for name in [
        "otlp-collector.jsonl",
        "otlp-tempo.json",
        "otlp-threads.json",
    ] {
        let text = std::fs::read_to_string(format!("{logs}{name}")).expect("a sample");
        let data = folder();
        let server = Server::start(data.path(), &ASKED, endless());
        let exports = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        for export in exports {
            let mut export = export.expect("JSON");
            // What a server is sent is called otherwise than what one answers.
            if let Some(batches) = export.get_mut("batches") {
                export = serde_json::json!({"resourceSpans": batches.take()});
            }
            let (status, _, body) =
                server.post(&[JSON, ("causet-run", name)], export.to_string().as_bytes());
            assert_eq!((status, body.as_slice()), (200, &b"{}"[..]), "{name}");
        }
        drop(server);
        let server = Server::start(data.path(), &ASKED, none());
        let told = told(&server, 1);
        assert_eq!(
            told[&format!("otlp/{name}")],
            checked(&text, &ASKED),
            "{name}"
        );
    }
}

#[test]
fn a_trace_is_told_when_its_parents_have_come_and_nothing_later_is_taken() {
    let data = folder();
    let asked = ["AG count(i in procs: i.active) <= 2"];
    let patience = Patience {
        partial: endless().partial,
        ..none()
    };
    let server = Server::start(data.path(), &asked, patience);
    let mut rng = Rng::with_seed(1);
    let made = [span(1, 3, Some(2)), span(1, 2, Some(1)), span(1, 1, None)];
    send(&server, &mut rng, &made[..2], None);
    send(&server, &mut rng, &[span(2, 2, Some(1))], None);
    send(&server, &mut rng, &made[2..], None);
    let news = server.news();
    let run = format!("otlp/{}", hex(&trace_id(1)).to_lowercase());
    assert_eq!(
        (news.run.as_str(), news.verdict),
        (run.as_str(), "violated")
    );
    // One span of a closed trace, one that is as it should be, one without an id.
    let mut odd = span(3, 1, Some(2));
    odd.span.span_id.clear();
    let three = [span(1, 9, Some(1)), span(2, 3, Some(1)), odd];
    let (status, _, body) = server.post(&[JSON], json(&three).to_string().as_bytes());
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_slice(&body).expect("JSON");
    let partial = &answer["partialSuccess"];
    assert_eq!(partial["rejectedSpans"], "2");
    let why = partial["errorMessage"].as_str().expect("a text");
    assert!(
        why.contains("1: it came after its trace or run was closed"),
        "{why}"
    );
    assert!(
        why.contains("1: the id of the span is not 8 bytes"),
        "{why}"
    );
    if cfg!(feature = "full") {
        let (status, _, body) = server.call(&[], &request(&three).encode_to_vec());
        let partial = ExportResponse::decode(body.as_slice()).expect("a message");
        let partial = partial.partial_success.expect("something is refused");
        assert_eq!((status.as_str(), partial.rejected_spans), ("0", 2));
    }
    // It stays closed over a restart, and the trace that waits still does.
    drop(server);
    let server = Server::start(data.path(), &asked, none());
    assert_eq!(server.news().run, run.replace("01", "02"));
    let (_, _, body) = server.post(&[JSON], json(&three[..1]).to_string().as_bytes());
    assert!(String::from_utf8_lossy(&body).contains("\"rejectedSpans\":\"1\""));
    let (told, what) = server.said();
    assert_eq!(
        (told, what.as_str()),
        (
            run.replace("01", "02"),
            "1 parents never came; it is told without them"
        )
    );
}

#[test]
fn what_is_wrong_is_refused_and_said() {
    let data = folder();
    let server = Server::start(data.path(), &ASKED[..1], endless());
    let good = json(&[span(1, 1, None)]).to_string();
    let wrong = |headers: &[(&str, &str)], body: &[u8]| {
        let (status, head, body) = server.post(headers, body);
        (status, head, String::from_utf8_lossy(&body).into_owned())
    };
    let deep = format!(
        "{{\"x\":{}}}",
        "[".repeat(10_000) + "1" + &"]".repeat(10_000)
    );
    let nested = good.replace(
        "\"attributes\":[]",
        &format!("\"attributes\":[{{\"key\":\"k\",\"value\":{deep}}}]"),
    );
    assert_ne!(nested, good);
    for (body, complaint) in [
        (&b""[..], "EOF"),
        (b"{}", "there are no `resourceSpans`"),
        (b"[1]", "invalid"),
        (&good.as_bytes()[..good.len() - 9], "EOF"),
        (good.replace("\"step\"", "7").as_bytes(), "invalid type"),
        (
            good.replace("\"traceId\"", "\"traceid\"").as_bytes(),
            "traceId",
        ),
        (b"\xff\xfe", "utf-8"),
        (nested.as_bytes(), "recursion"),
    ] {
        let (status, head, answer) = wrong(&[JSON], body);
        assert_eq!(status, 400, "{answer}");
        assert!(
            answer.contains(complaint) && answer.contains("\"code\":3"),
            "{answer}"
        );
        assert!(head.contains("application/json"), "{head}");
    }
    let (status, _, body) = server.post(&[PROTOBUF], b"\x0a\xff\xff");
    let failure = Failure::decode(body.as_slice()).expect("a message");
    assert_eq!((status, failure.code), (400, 3));
    assert_eq!(wrong(&[JSON, ("content-encoding", "gzip")], b"no").0, 400);
    assert_eq!(wrong(&[JSON, ("content-encoding", "br")], b"no").0, 415);
    assert_eq!(
        wrong(&[("content-type", "text/plain")], good.as_bytes()).0,
        415
    );
    assert_eq!(wrong(&[], good.as_bytes()).0, 415);
    let long = vec![b' '; LONGEST + 1];
    assert_eq!(wrong(&[JSON], &long).0, 413);
    assert_eq!(
        wrong(&[JSON, ("content-encoding", "gzip")], &zip(&long)).0,
        413
    );
    if cfg!(feature = "full") {
        what_is_wrong_is_refused_over_grpc(&server, &long);
    }
    let (_, _, answer) = wrong(&[JSON, ("causet-run", "")], good.as_bytes());
    assert!(
        answer.contains("the name of the run does not have"),
        "{answer}"
    );
    assert_eq!(wrong(&[JSON], good.as_bytes()).2, "{}", "and it goes on");
}

fn what_is_wrong_is_refused_over_grpc(server: &Server, long: &[u8]) {
    assert_eq!(server.call(&[], b"\x0a\xff\xff").0, "3");
    assert_ne!(server.call(&[], long).0, "0");
    assert_ne!(server.call(&[("grpc-encoding", "gzip")], &zip(long)).0, "0");
    let mut deep = span(1, 1, None);
    deep.span.attributes.push(spans::nested(40));
    let (_, _, body) = server.call(&[], &request(&[deep]).encode_to_vec());
    let partial = ExportResponse::decode(body.as_slice()).expect("a message");
    let partial = partial.partial_success.expect("it is refused");
    assert_eq!(
        partial.error_message,
        "1: its values are nested more than 20 times"
    );
}

#[test]
fn the_oldest_trace_makes_room_and_that_is_said() {
    let data = folder();
    let patience = Patience {
        runs: 2,
        ..endless()
    };
    let server = Server::start(data.path(), &ASKED[..1], patience);
    let mut rng = Rng::with_seed(2);
    for trace in 1..=3 {
        send(&server, &mut rng, &[span(trace, 2, Some(1))], None);
    }
    let oldest = format!("otlp/{}", hex(&trace_id(1)).to_lowercase());
    assert_eq!(server.news().run, oldest);
    let (run, what) = server.said();
    assert_eq!(run, oldest);
    assert!(what.contains("it has waited longest"), "{what}");
    assert!(server.says_nothing());
}

#[test]
fn what_waits_is_told_when_the_server_ends() {
    let data = folder();
    let server = Server::start(data.path(), &ASKED[..1], endless());
    let mut rng = Rng::with_seed(4);
    for trace in 1..=3 {
        send(&server, &mut rng, &[span(trace, 1, None)], None);
    }
    server.end();
    let runs: BTreeSet<String> = (0..3).map(|_| server.news().run).collect();
    assert_eq!(runs.len(), 3);
}

#[test]
fn spans_that_make_no_run_are_set_aside() {
    let data = folder();
    let server = Server::start(data.path(), &ASKED[..1], none());
    // Each the parent of the other; and too many processes.
    let circle = [span(1, 1, Some(2)), span(1, 2, Some(1))];
    let many: Vec<Made> = (1..=50).map(|id| span(2, id, None)).collect();
    for (made, complaint) in [
        (&circle[..], "before themselves"),
        (&many, "50 processes, and 40 are allowed"),
    ] {
        let (status, _, body) = server.post(&[PROTOBUF], &request(made).encode_to_vec());
        assert_eq!((status, body.len()), (200, 0));
        let what = loop {
            let (_, what) = server.said();
            if !what.contains("never came") {
                break what;
            }
        };
        assert!(what.contains(complaint), "{what}");
        let (_, path) = what.split_once("its spans are in ").expect("a path");
        let kept = std::fs::read_to_string(path).expect("a file");
        assert_eq!(kept.lines().count(), made.len());
    }
}
