//! `causet serve` beyond this machine: encrypted and with a token, or not at all.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;

use causet_serve::tls::{Input, Output, Trust};
use serde_json::{Value, json};

use super::common::Folder;
use super::served::{Answer, BOTH, HEADER, NEVER_BOTH, Served, request};

const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates/server.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates/server.key");
const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates/other.pem");

/// A server on all addresses, encrypted, with the token `secret`.
fn served(folder: &Folder) -> Served {
    folder.write("token", "secret\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_causet"));
    command.current_dir(folder.path());
    command.args([
        "serve",
        "--listen",
        "0.0.0.0:0",
        "--ctl",
        NEVER_BOTH,
        "--data",
        "runs",
    ]);
    command.args([
        "--token",
        "token",
        "--tls-cert",
        CERTIFICATE,
        "--tls-key",
        KEY,
    ]);
    Served::spawn(command)
}

fn connect(server: &Served) -> (Input, Output) {
    let pem = std::fs::read(CERTIFICATE).expect("a certificate");
    let trust = Trust::of(&pem).expect("a certificate");
    let stream = TcpStream::connect(("127.0.0.1", server.address.port())).expect("it listens");
    trust.connect(stream, "localhost").expect("it is encrypted")
}

fn ask(server: &Served, request: &str) -> Answer {
    let (input, mut output) = connect(server);
    output.write_all(request.as_bytes()).expect("it is sent");
    Answer::read(input)
}

#[test]
fn other_machines_are_served_with_token_and_encryption_only() {
    let folder = Folder::new();
    folder.write("token", "secret\n");
    let refused = |arguments: &[&str]| {
        let server = ["serve", "--listen", "0.0.0.0:0", "--ctl", "true"];
        folder.run(&[&server, arguments].concat()).ends(2)
    };
    let tls = ["--tls-cert", CERTIFICATE, "--tls-key", KEY];
    for arguments in [&[][..], &["--token", "token"], &tls] {
        refused(arguments).complains("can be reached from other machines");
    }
    let half = ["--token", "token", "--tls-cert", CERTIFICATE];
    refused(&half).complains("--tls-key");
    let wrong = ["--token", "token", "--tls-cert", KEY, "--tls-key", KEY];
    refused(&wrong).complains("there is no certificate in it");
    let wrong = ["--token", "token", "--tls-cert", OTHER, "--tls-key", KEY];
    refused(&wrong).complains("other.pem");
}

#[test]
fn requests_are_encrypted() {
    let folder = Folder::new();
    let server = served(&folder);
    let body = format!("{HEADER}\n{BOTH}");
    let post = |headers: &[(&str, &str)]| {
        ask(
            &server,
            &request("POST", "/runs/r/events", "monitor.example", headers, &body),
        )
    };
    let get = |path: &str, headers: &[(&str, &str)]| {
        ask(
            &server,
            &request("GET", path, "monitor.example", headers, ""),
        )
    };
    assert_eq!(post(&[]).status, 401);
    assert_eq!(post(&[("Authorization", "Bearer guess")]).status, 401);
    let token = ("Authorization", "Bearer secret");
    assert_eq!(post(&[token]).json(200), json!({"ack": {"a": 1, "b": 1}}));
    assert_eq!(server.next()["verdict"], "violated");
    // The page is there for everyone and knows nothing; what it asks for is not.
    let page = get("/", &[]);
    assert!(
        page.status == 200 && !page.body.contains("violated in"),
        "{page:?}"
    );
    for path in [
        "/runs",
        "/runs/r",
        "/news",
        "/metrics",
        "/runs/r/properties/ctl-1/report",
    ] {
        assert_eq!(get(path, &[]).status, 401, "{path}");
        assert_eq!(get(path, &[token]).status, 200, "{path}");
    }
    // News come with a key that opens their report, and no other.
    let news = get("/news", &[token]).json(200);
    let key = news[0]["key"].as_str().expect("a key");
    let report = |run: &str| format!("/runs/{run}/properties/ctl-1/report?key={key}");
    assert_eq!(get(&report("r"), &[]).status, 200);
    assert_eq!(get(&report("other"), &[]).status, 401);
    assert_eq!(
        post(&[
            ("Authorization", "Bearer secret"),
            ("Origin", "https://evil.example")
        ])
        .status,
        403
    );
}

#[test]
fn lines_are_encrypted() {
    let folder = Folder::new();
    let server = served(&folder);
    let say = |hello: &str| -> Value {
        let (input, mut output) = connect(&server);
        writeln!(output, "{hello}").expect("it is sent");
        let mut told = String::new();
        BufReader::new(input)
            .read_line(&mut told)
            .expect("an answer");
        serde_json::from_str(&told).expect("JSON")
    };
    let refused = json!({"error": "the token is not the right one"});
    assert_eq!(say("{\"run\":\"r\"}"), refused);
    assert_eq!(say("{\"run\":\"r\",\"token\":\"guess\"}"), refused);
    assert_eq!(
        say("{\"run\":\"r\",\"token\":\"secret\"}"),
        json!({"run": "r", "have": {}})
    );
    // Whoever does not encrypt is not heard.
    let mut plain = TcpStream::connect(("127.0.0.1", server.address.port())).expect("it listens");
    plain
        .write_all(b"{\"run\":\"r\",\"token\":\"secret\"}\n")
        .expect("it is sent");
    let mut told = Vec::new();
    // It may be cut off rudely.
    let _ = BufReader::new(plain).read_until(b'\n', &mut told);
    assert!(!String::from_utf8_lossy(&told).contains("have"));
}

#[test]
fn a_recorded_run_is_sent_encrypted() {
    let folder = Folder::new();
    let server = served(&folder);
    folder.write("t.jsonl", format!("{HEADER}\n{BOTH}"));
    let to = format!("127.0.0.1:{}", server.address.port());
    let send = |arguments: &[&str]| {
        let send = [
            "send",
            "t.jsonl",
            "--to",
            &to,
            "--run",
            "sent",
            "--patience",
            "1ms",
        ];
        folder.run(&[&send, arguments].concat())
    };
    let token = ["--token", "token"];
    send(&token).ends(2).complains("cannot be reached");
    let other = ["--token", "token", "--tls", "--ca", OTHER];
    send(&other).ends(2).complains("certificate");
    let nobody = ["--tls", "--ca", CERTIFICATE];
    send(&nobody)
        .ends(2)
        .complains("the token is not the right one");
    let right = ["--token", "token", "--tls", "--ca", CERTIFICATE];
    assert_eq!(
        send(&right).ends(0).json(),
        json!({"run": "sent", "safe": 2})
    );
    assert_eq!(server.next()["run"], "sent");
}

#[test]
fn an_address_of_https_is_called() {
    let folder = Folder::new();
    // Another server is called; it does not know us, but it has understood.
    let called = served(&folder);
    let url = format!("https://localhost:{}/runs/r/events", called.address.port());
    let others = folder.path().join("others");
    let arguments = [
        "--ctl",
        NEVER_BOTH,
        "--webhook",
        &url,
        "--webhook-ca",
        CERTIFICATE,
    ];
    let server = Served::start(&others, &arguments);
    server.post("r", &format!("{HEADER}\n{BOTH}")).json(200);
    server.complains("it answered 401");
}
