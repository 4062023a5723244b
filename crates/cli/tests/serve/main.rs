//! `causet serve` as its users have it: real processes, real sockets, and a server that is killed again and again.
//!
//! `CAUSET_ROUNDS=n` kills it more often, `CAUSET_CONNECTIONS=n` has more connections made for nothing.

#[path = "../common/mod.rs"]
mod common;
mod damaged;
mod endings;
mod follow;
mod http;
mod memory;
mod otlp;
mod reactions;
#[path = "../common/served.rs"]
mod served;
#[cfg(feature = "full")]
mod tls;
mod trusting;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use causet_serve::client::{self, Line};
use causet_serve::keeping::folder_of;
use serde_json::Value;
use served::{HEADER, NEVER_BOTH, PATIENCE, Served};
use trusting::Trusting;

const NEVER_HIGH: &str = "AG b.y < 3";

fn line(process: &str, text: String) -> Line {
    Line {
        process: process.to_owned(),
        is_event: !text.contains("\"end\""),
        text,
    }
}

/// Rounds in which `a` holds something, gives it up and tells `b`, who does the same; at last both hold it.
fn rounds(count: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for round in 0..count {
        let say = |from: &str, set: &str, rest: String| {
            line(
                from,
                format!("{{\"p\":\"{from}\",\"set\":{{{set}}}{rest}}}"),
            )
        };
        let tell = |to: &str| format!(",\"send\":\"{to}{round}\",\"to\":\"{to}\"");
        let hear = |by: &str, of: usize| format!(",\"recv\":\"{by}{of}\"");
        let before = round
            .checked_sub(1)
            .map(|of| hear("a", of))
            .unwrap_or_default();
        lines.push(say("a", "\"x\":1", before));
        lines.push(say("a", "\"x\":0", tell("b")));
        lines.push(say("b", "\"y\":1", hear("b", round)));
        lines.push(say("b", "\"y\":0", tell("a")));
    }
    lines.push(line("a", "{\"p\":\"a\",\"set\":{\"x\":1}}".to_owned()));
    lines.push(line("b", "{\"p\":\"b\",\"set\":{\"y\":1}}".to_owned()));
    for process in ["a", "b"] {
        lines.push(line(
            process,
            format!("{{\"p\":\"{process}\",\"end\":true}}"),
        ));
    }
    lines
}

/// What `causet check` says of the journal of a run, by property.
fn checked(folder: &Path, properties: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_causet"))
        .args(["check", "--json"])
        .arg(folder)
        .args(properties)
        .output()
        .expect("the check runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let results = report["results"].as_array().expect("results");
    let verdict = |result: &Value| result["verdict"].as_str().unwrap_or_default().to_owned();
    results.iter().map(verdict).collect()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_violation_is_told_while_the_run_goes_on() {
    let data = folder();
    let properties = ["--ctl", NEVER_BOTH, "--ctl", NEVER_HIGH];
    let server = Served::start(
        data.path(),
        &[&properties[..], &["--exit-on-violation"]].concat(),
    );
    let mut lines = rounds(20);
    lines.truncate(lines.len() - 2);
    let sent = client::send(&server.errand("live"), &lines, false).expect("it is sent");
    assert_eq!(sent.events, 82);
    let news = server.next();
    assert_eq!(news["run"], "live");
    assert_eq!(news["property"], "ctl-1");
    assert_eq!(news["verdict"], "violated");
    assert_eq!(news["certain"], true);
    let mut server = server;
    let status = server.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(1));
    let verdicts = checked(&folder_of(data.path(), "live"), &properties);
    assert_eq!(verdicts, ["violated", "holds"]);
}

#[test]
fn the_last_word_is_that_of_a_check() {
    let data = folder();
    let nested = "AG (a.x = 1 -> AF b.y = 1)";
    let properties = ["--ctl", NEVER_HIGH, "--ctl", nested, "--ltl", "F done(a)"];
    let server = Served::start(data.path(), &properties);
    client::send(&server.errand("end"), &rounds(5), false).expect("it is sent");
    let news: BTreeMap<String, String> = (0..3)
        .map(|_| server.next())
        .map(|news| {
            let text = |key: &str| news[key].as_str().unwrap_or_default().to_owned();
            (text("property"), text("verdict"))
        })
        .collect();
    let verdicts: Vec<String> = news.into_values().collect();
    assert_eq!(
        verdicts,
        checked(&folder_of(data.path(), "end"), &properties)
    );
}

/// Sends the lines of a run that is named.
type SendRun = Box<dyn Fn(&str, &[Line]) + Send>;

#[test]
fn killed_again_and_again_it_loses_nothing() {
    let mut rng = fastrand::Rng::with_seed(11);
    let data = folder();
    let properties = ["--ctl", NEVER_BOTH, "--ctl", NEVER_HIGH];
    let mut server = Served::start(data.path(), &properties);
    let address = server.address.to_string();
    let kills = from_environment("CAUSET_ROUNDS").unwrap_or(8);
    let mut errand = server.errand("");
    errand.patience *= kills as u32;
    let is_enough = Arc::new(AtomicBool::new(false));
    // One run after the other, as long as the server is killed, so it is always killed while events come.
    let lines = Arc::new(rounds(2_000));
    let one_after_the_other = |kind: &'static str, send: SendRun| {
        let (until, lines) = (Arc::clone(&is_enough), Arc::clone(&lines));
        std::thread::spawn(move || {
            let mut runs = Vec::new();
            while !until.load(Ordering::Relaxed) {
                let run = format!("{kind} {}", runs.len());
                send(&run, &lines);
                runs.push(run);
            }
            runs
        })
    };
    let at = server.address;
    let careful = Box::new(move |run: &str, lines: &[Line]| {
        let mut errand = errand.clone();
        errand.hello.run = run.to_owned();
        client::send(&errand, lines, false).expect("all of it is safe in the end");
    });
    let trusting = Box::new(move |run: &str, lines: &[Line]| {
        Trusting::new(at, run, lines, run.len() as u64).send();
    });
    let senders = [
        one_after_the_other("killed", careful),
        one_after_the_other("trusting", trusting),
    ];
    for _ in 0..kills {
        std::thread::sleep(Duration::from_millis(rng.u64(5..150)));
        server.kill();
        server = Served::start_at(data.path(), &address, &properties);
    }
    is_enough.store(true, Ordering::Relaxed);
    let runs = senders.map(|sender| sender.join().expect("no panic"));
    println!(
        "killed {kills} times, {:?} runs were sent",
        runs.each_ref().map(Vec::len)
    );
    let expected: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    for run in runs.iter().flatten() {
        let folder = folder_of(data.path(), run);
        wait_for(&folder.join("told.txt"));
        check_all_kept(&folder, &expected);
        let told = std::fs::read_to_string(folder.join("verdicts.txt")).expect("verdicts");
        let said = |property: &str, verdict: &str| {
            let said = format!("\"property\":\"{property}\",\"verdict\":\"{verdict}\"");
            told.matches(&said).count()
        };
        assert!(said("ctl-1", "violated") >= 1, "{told}");
        assert!(said("ctl-2", "holds") >= 1, "{told}");
        assert_eq!(checked(&folder, &properties), ["violated", "holds"]);
    }
}

#[test]
fn a_folder_has_one_server_at_a_time() {
    let data = folder();
    let server = Served::start(data.path(), &["--ctl", NEVER_BOTH]);
    let other = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_causet"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--ctl", NEVER_BOTH]);
        command.arg("--data").arg(data.path());
        command.output().expect("the server ends")
    };
    let refused = other();
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty(), "it does not say that it listens");
    let complaint = String::from_utf8_lossy(&refused.stderr);
    let owner = format!("another server uses it, process {}", server.child.id());
    assert!(complaint.contains(&owner), "{complaint}");
    assert!(complaint.contains("--data OTHER"), "{complaint}");
    server.post("r", "{\"p\":\"a\"}\n").json(200);
    // Its death leaves nothing locked.
    server.kill();
    let server = Served::start(data.path(), &["--ctl", NEVER_BOTH]);
    assert_eq!(server.get("/runs/r").json(200)["have"]["a"], 1);
}

/// Every event of a run is in its journal once, and in the order of its process.
fn check_all_kept(folder: &Path, expected: &[String]) {
    let kept = journal(&folder.join("events.journal"));
    for process in ["a", "b"] {
        let whose = format!("{{\"p\":\"{process}\"");
        let of = |lines: &[String]| -> Vec<String> {
            let own = lines.iter().filter(|line| line.starts_with(&whose));
            let events = own.filter(|line| !line.contains("\"end\""));
            events.cloned().collect()
        };
        assert_eq!(of(&kept), of(expected), "every event of {process} once");
    }
}

fn from_environment(name: &str) -> Option<usize> {
    std::env::var(name)
        .ok()
        .and_then(|number| number.parse().ok())
}

/// Waits until a file is there.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < PATIENCE, "{} is missing", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The lines of a journal, taken apart by hand.
fn journal(path: &PathBuf) -> Vec<String> {
    let bytes = std::fs::read(path).expect("a journal");
    let mut text = String::new();
    let mut at = 4;
    while at + 8 <= bytes.len() {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
        text += str::from_utf8(&bytes[at + 8..at + 8 + length]).expect("text");
        at += 8 + length;
    }
    text.lines().map(str::to_owned).collect()
}

#[test]
fn nobody_keeps_an_honest_client_from_its_verdict() {
    let data = common::Folder::new();
    let token = data.write_secret("token.txt", "secret\n");
    let runs = data.path().join("runs");
    let token = token.to_str().expect("a path");
    let arguments = ["--ctl", NEVER_BOTH, "--token", token, "--max-line", "64K"];
    let server = Served::start(&runs, &arguments);
    let connect = || TcpStream::connect(server.address).expect("it listens");
    let told = |bytes: &[u8]| -> String {
        let mut stream = connect();
        // The server may stop listening before it has heard everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let mut half_open = Vec::new();
    for _ in 0..50 {
        half_open.push(connect());
        let mut stream = connect();
        stream.write_all(b"{\"run\":\"half").expect("it is sent");
        half_open.push(stream);
    }
    for (bytes, complaint) in [
        (&b"{\"run\":\"x\"}\n"[..], "the token is not the right one"),
        (
            b"{\"run\":\"x\",\"token\":\"guess\"}\n",
            "the token is not the right one",
        ),
        (
            b"GARBAGE \x00\xff\n",
            "the first line has to say which run this is about",
        ),
        (b"{\"run\":7}\n", "this line is not understood"),
        (
            b"{\"run\":\"x\",\"token\":\"secret\"}\n{\"p\":\"a\",\"sett\":1}\n",
            "unknown field",
        ),
        (b"{\"run\":\"x\",\"token\":\"secret\"}\n\xff\xfe\n", "UTF-8"),
    ] {
        let answer = told(bytes);
        assert!(answer.contains(complaint), "{answer}");
    }
    let endless = [
        b"{\"run\":\"x\",\"token\":\"secret\"}\n".to_vec(),
        vec![b'x'; 1 << 20],
    ]
    .concat();
    assert!(told(&endless).contains("a line is longer than 65536 bytes"));
    let connections = from_environment("CAUSET_CONNECTIONS").unwrap_or(500);
    for _ in 0..connections {
        drop(connect());
    }
    let mut errand = server.errand("honest");
    errand.hello.token = Some("secret".to_owned());
    let lines = rounds(50);
    client::send(&errand, &lines, false).expect("it is sent");
    let news = server.next();
    assert_eq!(
        (&news["run"], &news["verdict"]),
        (&"honest".into(), &"violated".into())
    );
    drop(half_open);
    // A folder is named after a digest, whatever the run is called.
    let mut errand = server.errand("../../evil");
    errand.hello.token = Some("secret".to_owned());
    client::send(&errand, &lines[..2], false).expect("it is sent");
    let mut names = std::fs::read_dir(&runs).expect("a folder").flatten();
    let is_ours = |name: &str| name.starts_with("run-") || ["otlp", "server.lock"].contains(&name);
    assert!(names.all(|entry| is_ours(&entry.file_name().to_string_lossy())));
}

#[test]
fn events_arrive_in_any_order_and_more_than_once() {
    let data = folder();
    let server = Served::start(data.path(), &["--ctl", NEVER_BOTH]);
    let lines = rounds(30);
    let by: BTreeMap<&str, Vec<&Line>> = ["a", "b"]
        .map(|process| {
            (
                process,
                lines.iter().filter(|l| l.process == process).collect(),
            )
        })
        .into();
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    let mut text = format!("{{\"run\":\"mixed\"}}\n{HEADER}\n");
    let mut rng = fastrand::Rng::with_seed(3);
    // Each event alone, with its number, backwards and forwards, and many of them twice.
    let mut events: Vec<(&str, usize)> = by
        .iter()
        .flat_map(|(process, lines)| (0..lines.len()).map(move |at| (*process, at)))
        .collect();
    rng.shuffle(&mut events);
    let again: Vec<_> = events.iter().filter(|_| rng.bool()).copied().collect();
    events.extend(again);
    for (process, at) in events {
        let number = at + 1;
        text += &format!(
            "{{\"from\":{{\"{process}\":{number}}}}}\n{}\n",
            by[process][at].text
        );
    }
    stream.write_all(text.as_bytes()).expect("it is sent");
    let news = server.next();
    assert_eq!(news["verdict"], "violated");
    let folder = folder_of(data.path(), "mixed");
    assert_eq!(checked(&folder, &["--ctl", NEVER_BOTH]), ["violated"]);
}
