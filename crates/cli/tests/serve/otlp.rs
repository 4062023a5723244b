//! `causet serve` as an exporter of spans has it: a real server that is killed again and again, and what `causet check`
//! says of the same spans in a file.
//!
//! `CAUSET_ROUNDS=n` kills it more often.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use causet_serve::keeping::folder_of;
use serde_json::{Value, json};

use super::common::Folder;
use super::served::{PATIENCE, Served, request};

const ASKED: [&str; 4] = [
    "--ctl",
    "AG count(i in procs: i.active) <= 3",
    "--ctl",
    "EF count(i in procs: i.n) >= 2",
];
const JSON: (&str, &str) = ("Content-Type", "application/json");
/// Nothing is told while spans are sent, and all of it then.
const LATER: [&str; 4] = ["--otlp-whole", "1h", "--otlp-partial", "1h"];
const NOW: [&str; 4] = ["--otlp-whole", "1ms", "--otlp-partial", "1ms"];

/// The spans of a trace: calls that call others, and what they note.
fn spans(rng: &mut fastrand::Rng, trace: usize) -> Vec<Value> {
    let count = rng.usize(2..8);
    let id = |span: usize| format!("{:016x}", span + 1);
    let of = |span: usize| {
        let parent = span.checked_sub(1).map(|last| rng.usize(0..=last));
        let start = 1_700_000_000_000_000_000 + span as u64 * 1000;
        json!({
            "traceId": format!("{:032x}", trace + 1),
            "spanId": id(span),
            "parentSpanId": parent.map(id),
            "name": rng.choice(["ask", "work"]),
            "kind": rng.i32(1..4),
            "startTimeUnixNano": start.to_string(),
            "endTimeUnixNano": (start + rng.u64(0..9000)).to_string(),
            "attributes": [{"key": "n", "value": {"boolValue": rng.bool()}}],
        })
    };
    (0..count).map(of).collect()
}

fn export(spans: &[Value]) -> String {
    let service = json!({"key": "service.name", "value": {"stringValue": "shop"}});
    let resource = json!({"attributes": [service]});
    json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}).to_string()
}

/// Sends an export; whether it was acknowledged before the server died.
fn is_taken(server: &Served, export: &str) -> bool {
    let request = request(
        "POST",
        "/v1/traces",
        &server.address.to_string(),
        &[JSON],
        export,
    );
    let Ok(mut stream) = TcpStream::connect(server.address) else {
        return false;
    };
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let mut answer = String::new();
    // It may die at any moment.
    let _ = stream.write_all(request.as_bytes());
    let _ = stream.read_to_string(&mut answer);
    let is_taken = answer.starts_with("HTTP/1.1 200") && answer.ends_with("{}");
    assert!(is_taken || answer.is_empty(), "{answer}");
    is_taken
}

/// Kills a server without warning, after a while.
fn kill_after(server: &Served, pause: Duration) {
    let process = server.child.id().to_string();
    std::thread::spawn(move || {
        std::thread::sleep(pause);
        // It may be dead already.
        let _ = Command::new("kill").args(["-9", &process]).output();
    });
}

/// What `causet check` says, by property.
fn checked(path: &Path) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_causet"))
        .args(["check", "--json"])
        .arg(path)
        .args(ASKED)
        .output()
        .expect("the check runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let results = report["results"].as_array().expect("results");
    results
        .iter()
        .map(|result| result["verdict"].clone())
        .collect()
}

#[test]
fn killed_again_and_again_it_loses_no_span_that_it_acknowledged() {
    let rounds = std::env::var("CAUSET_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut rng = fastrand::Rng::with_seed(12);
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let traces: Vec<Vec<Value>> = (0..10).map(|trace| spans(&mut rng, trace)).collect();
    let mut pieces = traces.concat();
    rng.shuffle(&mut pieces);
    let mut kills: usize = rounds.unwrap_or(10);
    let mut start = |server: Option<Served>, when: &[&str], most: u64| {
        drop(server);
        let server = Served::start(&data, &[&ASKED[..], when].concat());
        if kills > 0 {
            kills -= 1;
            kill_after(&server, Duration::from_millis(rng.u64(0..most)));
        }
        (server, kills)
    };
    let (mut server, _) = start(None, &LATER, 30);
    for piece in pieces.chunks(3) {
        while !is_taken(&server, &export(piece)) {
            (server, _) = start(Some(server), &LATER, 30);
        }
    }
    // Killed while it tells them, too.
    let (mut server, mut left) = start(Some(server), &NOW, 300);
    let begun = Instant::now();
    let folders: Vec<_> = (1..=traces.len())
        .map(|trace| folder_of(&data, &format!("otlp/{trace:032x}")))
        .collect();
    while folders
        .iter()
        .any(|folder| !folder.join("over.txt").exists())
    {
        assert!(begun.elapsed() < PATIENCE, "all of them are told");
        std::thread::sleep(Duration::from_millis(20));
        let is_dead = server.child.try_wait().expect("a state").is_some();
        if is_dead || left > 0 {
            std::thread::sleep(Duration::from_millis(200));
            (server, left) = start(Some(server), &NOW, 300);
        }
    }
    for (spans, told) in traces.iter().zip(&folders) {
        let file = folder.path().join("trace.json");
        std::fs::write(&file, export(spans)).expect("a file");
        assert_eq!(checked(told), checked(&file), "{}", export(spans));
    }
}

#[test]
fn spans_need_the_token_and_come_by_the_same_door() {
    let folder = Folder::new();
    let token = folder.write_secret("token.txt", "secret\n");
    let token = token.to_str().expect("a path");
    let arguments = [&ASKED[..2], &NOW, &["--token", token]].concat();
    let server = Served::start(&folder.path().join("data"), &arguments);
    let mut rng = fastrand::Rng::with_seed(3);
    let spans = export(&spans(&mut rng, 0));
    let ask = |headers: &[(&str, &str)]| server.ask("POST", "/v1/traces", headers, &spans).status;
    assert_eq!(ask(&[JSON]), 401);
    assert_eq!(ask(&[JSON, ("Authorization", "Bearer guess")]), 401);
    assert_eq!(ask(&[JSON, ("Authorization", "Bearer secret")]), 200);
    assert_eq!(server.next()["run"], format!("otlp/{:032x}", 1));
}
