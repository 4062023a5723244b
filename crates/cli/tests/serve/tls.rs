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

/// A key as only its owner can read it; repositories keep no such modes.
fn closed_key(folder: &Folder, key: &str) {
    let key = std::fs::read(key).expect("a key");
    folder.write_secret("key.pem", key);
}

/// A server on all addresses, encrypted, with the token `secret`.
fn served(folder: &Folder) -> Served {
    closed_key(folder, KEY);
    served_with(folder, CERTIFICATE)
}

/// The same with a certificate and the key that is in the folder.
fn served_with(folder: &Folder, certificate: &str) -> Served {
    folder.write_secret("token", "secret\n");
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
        certificate,
        "--tls-key",
        "key.pem",
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
    folder.write_secret("token", "secret\n");
    closed_key(&folder, KEY);
    let refused = |arguments: &[&str]| {
        let server = ["serve", "--listen", "0.0.0.0:0", "--ctl", "true"];
        folder.run(&[&server, arguments].concat()).ends(2)
    };
    let tls = ["--tls-cert", CERTIFICATE, "--tls-key", "key.pem"];
    for arguments in [&[][..], &["--token", "token"], &tls] {
        refused(arguments).complains("can be reached from other machines");
    }
    let half = ["--token", "token", "--tls-cert", CERTIFICATE];
    refused(&half).complains("--tls-key");
    let wrong = [
        "--token",
        "token",
        "--tls-cert",
        KEY,
        "--tls-key",
        "key.pem",
    ];
    refused(&wrong).complains("there is no certificate in it");
    let wrong = [
        "--token",
        "token",
        "--tls-cert",
        OTHER,
        "--tls-key",
        "key.pem",
    ];
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

#[test]
fn secrets_that_others_can_read_are_refused_with_what_mends_them() {
    let folder = Folder::new();
    folder.write("my token", "secret\n");
    folder.write("open.pem", std::fs::read(KEY).expect("a key"));
    folder.write("t.jsonl", format!("{HEADER}\n{BOTH}"));
    let serve = ["serve", "--listen", "127.0.0.1:0", "--ctl", "true"];
    let send = ["send", "t.jsonl", "--to", "127.0.0.1:1"];
    let hosts = ["check", "t.jsonl", "--ctl", "true", "--engine", "bes"];
    folder.write("hosts", "127.0.0.1:1\n127.0.0.1:2\n");
    let together = [
        "--hosts",
        "hosts",
        "--process",
        "0",
        "--secret-file",
        "open.pem",
    ];
    let tls = ["--tls-cert", CERTIFICATE, "--tls-key", "open.pem"];
    let token = ["--token", "my token"];
    for (command, secret, mends) in [
        (&serve[..], &tls[..], "`chmod 600 open.pem`"),
        (&serve, &token, "`chmod 600 -- 'my token'`"),
        (&send, &token, "`chmod 600 -- 'my token'`"),
        (&hosts, &together, "`chmod 600 open.pem`"),
    ] {
        let refused = folder.run(&[command, secret].concat()).ends(2);
        refused
            .complains("not only its owner can read it")
            .complains(mends);
    }
}

#[test]
fn what_is_kept_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let data = folder.path().join("runs");
    let mode = |path: &std::path::Path| {
        let metadata = std::fs::metadata(path).expect("it is there");
        metadata.permissions().mode() & 0o777
    };
    let server = Served::start(&data, &["--ctl", NEVER_BOTH]);
    server.post("r", &format!("{HEADER}\n{BOTH}")).json(200);
    server.next();
    assert_eq!(mode(&data), 0o700);
    let run = causet_serve::keeping::folder_of(&data, "r");
    for folder in [&data, &run] {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let expected = if entry.path().is_file() { 0o600 } else { 0o700 };
            assert_eq!(mode(&entry.path()), expected, "{:?}", entry.path());
        }
    }
    server.kill();
    // Folders of an earlier version are closed; that of all runs is not ours alone.
    for folder in [&data, &run] {
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder, open).expect("it is opened");
    }
    let server = Served::start(&data, &["--ctl", NEVER_BOTH]);
    let command = format!("`chmod 700 {}`", data.display());
    server.complains(&command);
    server.get("/health").json(200);
    assert_eq!((mode(&data), mode(&run)), (0o755, 0o700));
}

#[test]
fn a_certificate_that_signs_itself_is_believed_when_it_is_named() {
    for (name, is_believed) in [
        ("plain", true),
        ("plain-leaf", true),
        ("plain-named", true),
        ("plain-elsewhere", false),
        ("plain-expired", false),
    ] {
        let folder = Folder::new();
        let certificates = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates");
        closed_key(&folder, &format!("{certificates}/plain.key"));
        let certificate = format!("{certificates}/{name}.pem");
        let server = served_with(&folder, &certificate);
        folder.write("t.jsonl", format!("{HEADER}\n{BOTH}"));
        let to = format!("127.0.0.1:{}", server.address.port());
        let send = |ca: &str| {
            let send = ["send", "t.jsonl", "--to", &to, "--token", "token"];
            folder.run(&[&send[..], &["--tls", "--ca", ca]].concat())
        };
        if is_believed {
            send(&certificate).ends(0);
        } else {
            let refused = send(&certificate).ends(2);
            let refused = refused.complains("the certificate of the server");
            refused.complains("-addext subjectAltName=IP:127.0.0.1");
        }
        // Another one that the same key has signed is not the one that was named.
        let other = format!("{certificates}/server.pem");
        send(&other)
            .ends(2)
            .complains("the certificate of the server");
    }
}
