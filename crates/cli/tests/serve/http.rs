//! `causet serve` over HTTP: events come in, and whoever may ask is told how the runs are.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Version};
use causet_serve::keeping::folder_of;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use super::common::Folder;
use super::served::{Answer, BOTH, HEADER, NEVER_BOTH, Served, request};

/// A server with one property.
fn served(folder: &Folder) -> Served {
    Served::start(&folder.path().join("runs"), &["--ctl", NEVER_BOTH])
}

fn both() -> String {
    format!("{HEADER}\n{BOTH}")
}

#[test]
fn one_address_takes_lines_and_requests() {
    let folder = Folder::new();
    let server = served(&folder);
    let mut lines = server.connect();
    lines.write_all(b"{\"run\":\"one\"}\n").expect("it is sent");
    let mut told = BufReader::new(lines.try_clone().expect("a stream"));
    let mut have = String::new();
    told.read_line(&mut have).expect("it answers");
    assert_eq!(have, "{\"run\":\"one\",\"have\":{}}\n");
    let answer = server.post("one", &both());
    assert_eq!(answer.json(200), json!({"ack": {"a": 1, "b": 1}}));
    assert_eq!(server.next()["verdict"], "violated");
    // What came over HTTP is there for lines, and the other way round.
    let more = "{\"from\":{\"a\":2}}\n{\"p\":\"a\",\"set\":{\"x\":0}}\n";
    lines.write_all(more.as_bytes()).expect("it is sent");
    let mut ack = String::new();
    told.read_line(&mut ack).expect("it answers");
    assert_eq!(ack, "{\"ack\":{\"a\":2}}\n");
    assert_eq!(
        server.get("/runs/one").json(200)["have"],
        json!({"a": 2, "b": 1})
    );
}

#[test]
fn the_first_bytes_may_come_one_by_one() {
    let folder = Folder::new();
    let server = served(&folder);
    let slowly = |text: &str| {
        let mut stream = server.connect();
        for byte in text.as_bytes() {
            stream.write_all(&[*byte]).expect("it is sent");
            stream.flush().expect("it is sent");
            std::thread::yield_now();
        }
        stream
    };
    let asked = slowly(&request("GET", "/runs", "localhost", &[], ""));
    assert_eq!(Answer::read(asked).json(200), json!([]));
    // Not a method, though it begins like one.
    let other = slowly("POSTE restante\n");
    let mut told = String::new();
    BufReader::new(other)
        .read_line(&mut told)
        .expect("it answers");
    assert!(
        told.contains("the first line has to say which run"),
        "{told}"
    );
}

#[test]
fn http_2_is_spoken_too() {
    let folder = Folder::new();
    let server = served(&folder);
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = Client::builder(TokioExecutor::new())
            .http2_only(true)
            .build_http();
        let asked = Request::post(format!("http://{}/runs/two/events", server.address))
            .body(Body::from(both()))
            .expect("a request");
        let answer = client.request(asked).await.expect("an answer");
        assert_eq!(
            (answer.status().as_u16(), answer.version()),
            (200, Version::HTTP_2)
        );
        let body = axum::body::to_bytes(Body::new(answer.into_body()), 1000).await;
        let body: Value = serde_json::from_slice(&body.expect("a body")).expect("JSON");
        assert_eq!(body, json!({"ack": {"a": 1, "b": 1}}));
    });
    assert_eq!(server.next()["run"], "two");
}

#[test]
fn every_connection_takes_a_place() {
    let folder = Folder::new();
    let runs = folder.path().join("runs");
    let server = Served::start(&runs, &["--ctl", NEVER_BOTH, "--max-connections", "1"]);
    let mut first = server.connect();
    first.write_all(b"GET /health HT").expect("it is sent");
    let mut second = server.connect();
    let asked = request("GET", "/health", "localhost", &[], "");
    second.write_all(asked.as_bytes()).expect("it is sent");
    second
        .set_read_timeout(Some(Duration::from_millis(200)))
        .expect("a time-out");
    assert!(second.read(&mut [0; 1]).is_err(), "there was room for one");
    drop(first);
    second.set_read_timeout(None).expect("no time-out");
    assert_eq!(Answer::read(second).status, 200);
}

#[test]
fn a_body_says_what_a_connection_says() {
    let folder = Folder::new();
    let server = served(&folder);
    let half = format!("{HEADER}\n{{\"p\":\"a\",\"set\":{{\"x\":1}}}}\n");
    assert_eq!(
        server.post("words", &half).json(200),
        json!({"ack": {"a": 1}})
    );
    // Sent again, with more: what was there is passed over.
    assert_eq!(
        server.post("words", &both()).json(200),
        json!({"ack": {"a": 1, "b": 1}})
    );
    let run = server.get("/runs/words").json(200);
    assert_eq!(run["short"]["again"], 1);
    assert_eq!(run["told"][0]["verdict"], "violated");
    let ahead = "{\"from\":{\"b\":3}}\n{\"p\":\"b\",\"set\":{\"y\":5}}\n";
    assert_eq!(
        server.post("words", ahead).json(200),
        json!({"ack": {"b": 1}})
    );
    assert_eq!(server.get("/runs/words").json(200)["short"]["held"], 1);
    let other = "{\"causet\":1,\"init\":{\"a.x\":7}}\n";
    let error = server.post("words", other).json(400);
    assert_eq!(error["error"], "the run has begun with another header");
    assert_eq!(
        server.post("words", "{\"over\":true}\n").json(200),
        json!({"ack": {}})
    );
    assert_eq!(
        server.post("words", BOTH).json(409)["error"],
        "the run is over"
    );
    let over = server.get("/runs/words").json(200);
    assert_eq!(over["over"], true);
    assert_eq!(over["have"], json!({"a": 1, "b": 1}), "what it had");
    assert_eq!(server.get("/runs").json(200), json!([]));
}

#[test]
fn a_body_that_is_wrong_says_what_was_taken() {
    let folder = Folder::new();
    let runs = folder.path().join("runs");
    let server = Served::start(&runs, &["--ctl", NEVER_BOTH, "--max-line", "1K"]);
    let good = "{\"p\":\"a\",\"set\":{\"x\":0}}\n".repeat(10_000);
    let wrong = format!("{HEADER}\n{good}{{\"p\":\"a\",\"sett\":1}}\n");
    let answer = server.post("wrong", &wrong).json(400);
    let error = answer["error"].as_str().expect("an error");
    assert!(error.contains("unknown field"), "{error}");
    let safe = answer["ack"]["a"].as_u64().expect("a number");
    let have = server.get("/runs/wrong").json(200)["have"]["a"].as_u64();
    assert!(safe > 0 && have == Some(10_000), "{safe} of {have:?}");
    let long = format!("{HEADER}\n{}", "x".repeat(1 << 20));
    let error = server.post("long", &long).json(400);
    assert_eq!(error["error"], "a line is longer than 1024 bytes");
    let two = format!("{HEADER}\n{{\"run\":\"other\"}}\n");
    assert_eq!(
        server.post("two", &two).json(400)["error"],
        "a connection is about one run"
    );
    assert_eq!(server.get("/nowhere").status, 404);
    assert_eq!(server.ask("PUT", "/runs/x/events", &[], "x").status, 405);
    // Nobody ends the server by being wrong.
    assert_eq!(server.post("right", &both()).status, 200);
}

#[test]
fn numbers_that_no_event_has_are_refused_and_change_nothing() {
    let folder = Folder::new();
    let server = served(&folder);
    let (last, beyond) = (u32::MAX - 1, u64::from(u32::MAX) + 1);
    let from = |number: u64| format!("{{\"from\":{{\"a\":{number}}}}}\n{{\"p\":\"a\"}}\n");
    let range = "its events are numbered from 1 to 4294967294";
    for (run, lines, reason) in [
        ("zero", from(0), range),
        ("top", from(u32::MAX.into()), range),
        ("beyond", from(beyond), range),
        // The second of the two events has no number any more.
        (
            "overflow",
            from(last.into()) + "{\"p\":\"a\"}\n",
            "at most 4,294,967,294 events",
        ),
        ("over", "{\"over\":false}\n".to_owned(), "can only be true"),
        (
            "clock",
            "{\"p\":\"a\",\"clock\":{\"a\":4294967295}}\n".to_owned(),
            "skips from 0 to 4294967295",
        ),
        (
            "no clock",
            "{\"p\":\"a\",\"clock\":{\"a\":0}}\n".to_owned(),
            "no entry for its own process",
        ),
        (
            "after",
            "{\"p\":\"a\",\"after\":[[\"b\",0]]}\n".to_owned(),
            "wrong value: 0",
        ),
    ] {
        let run = run.replace(' ', "%20");
        let refused = server.post(&run, &format!("{HEADER}\n{lines}")).json(400);
        let error = refused["error"].as_str().expect("a reason");
        assert!(error.contains(reason), "{error}");
        // The run goes on, and has nothing.
        let answer = server.post(&run, &both());
        assert_eq!(answer.json(200), json!({"ack": {"a": 1, "b": 1}}), "{run}");
        assert_eq!(server.next()["verdict"], "violated", "{run}");
    }
    assert_eq!(server.get("/health").json(200)["ok"], true);
}

#[test]
fn who_begins_wrongly_takes_the_name_from_nobody() {
    let folder = Folder::new();
    let runs = folder.path().join("runs");
    let arguments = ["--ctl", NEVER_BOTH, "--max-runs", "2", "--idle", "1s"];
    let server = Served::start(&runs, &arguments);
    let other = "{\"causet\":1,\"processes\":[\"evil\"]}\n";
    for (number, wrong) in [
        "GARBAGE\n".to_owned(),
        "{\"p\":\"evil\",\"sett\":1}\n".to_owned(),
        "{\"causet\":1,\"processes\":7}\n".to_owned(),
        format!("{other}GARBAGE\n"),
        format!("{other}{{\"p\":\"a\"}}\n"),
        format!("{other}{{\"from\":{{\"evil\":7}}}}\n{{\"p\":\"evil\"}}\nGARBAGE\n"),
        format!("{other}{{\"p\":\"evil\",\"clock\":{{\"evil\":7}}}}\n"),
    ]
    .iter()
    .enumerate()
    {
        let run = format!("honest-{number}");
        server.post(&run, wrong).json(400);
        assert_eq!(server.get(&format!("/runs/{run}")).status, 404, "{wrong}");
        assert!(!folder_of(&runs, &run).exists(), "{wrong}");
        let answer = server.post(&run, &both());
        assert_eq!(
            answer.json(200),
            json!({"ack": {"a": 1, "b": 1}}),
            "{wrong}"
        );
        assert_eq!(server.next()["run"], run, "{wrong}");
        let processes = &server.get(&format!("/runs/{run}")).json(200)["have"];
        assert_eq!(*processes, json!({"a": 1, "b": 1}), "{wrong}");
        server.post(&run, "{\"over\":true}\n").json(200);
    }
    // What is declared is there for those who send events, and who says nothing more leaves the name.
    server.post("later", &format!("{HEADER}\n")).json(200);
    let mut silent = server.connect();
    silent
        .write_all(b"{\"run\":\"silent\"}\n")
        .expect("it is sent");
    server.post("later", BOTH).json(200);
    assert_eq!(server.next()["run"], "later");
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.get("/runs").json(200), json!([]));
    server.post("silent", &both()).json(200);
    assert_eq!(server.next()["run"], "silent");
}

#[test]
fn a_long_body_is_taken_as_it_comes() {
    let folder = Folder::new();
    let server = served(&folder);
    let mut stream = server.connect();
    let head = "POST /runs/long/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\
                Connection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("it is sent");
    let mut chunk = |text: &str| {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        stream.write_all(chunk.as_bytes()).expect("it is sent");
    };
    chunk(&format!("{HEADER}\n{BOTH}"));
    // The verdict is there before the body ends.
    assert_eq!(server.next()["verdict"], "violated");
    for _ in 0..200 {
        // Chunks end within lines.
        let text = "{\"p\":\"a\",\"set\":{\"x\":0}}\n".repeat(100);
        let (one, other) = text.split_at(1111);
        chunk(one);
        chunk(other);
    }
    chunk("");
    let body = Answer::read(stream);
    assert!(
        body.body.contains("{\"ack\":{\"a\":20001,\"b\":1}}"),
        "{body:?}"
    );
}

#[test]
fn names_are_text_and_nothing_else() {
    let folder = Folder::new();
    let server = served(&folder);
    let names = [
        ("..%2F..%2Fevil", "../../evil"),
        ("%2Fetc%2Fpasswd", "/etc/passwd"),
        ("a%20b%22%3Cscript%3E", "a b\"<script>"),
        ("%E2%82%AC%0A", "\u{20ac}\n"),
    ];
    for (encoded, name) in names {
        assert_eq!(server.post(encoded, &both()).status, 200, "{name}");
        assert_eq!(server.next()["run"], name);
        assert_eq!(
            server.get(&format!("/runs/{encoded}")).json(200)["run"],
            name
        );
    }
    assert_eq!(server.post("%FF", &both()).status, 400);
    assert_eq!(server.post(&"x".repeat(1001), &both()).status, 409);
    assert_eq!(
        server.get("/runs/unheard").json(404)["error"],
        "there is no such run"
    );
    let runs = std::fs::read_dir(folder.path().join("runs")).expect("a folder");
    let names: Vec<_> = runs.flatten().map(|entry| entry.file_name()).collect();
    let is_ours = |name: &str| name.starts_with("run-") || ["otlp", "server.lock"].contains(&name);
    assert!(
        names.iter().all(|name| is_ours(&name.to_string_lossy())),
        "{names:?}"
    );
    assert_eq!(names.len(), 6);
}

#[test]
fn a_token_is_asked_of_everyone() {
    let folder = Folder::new();
    let token = folder.write_secret("token", "secret\n");
    let token = token.to_str().expect("a path");
    let runs = folder.path().join("runs");
    let server = Served::start(&runs, &["--ctl", NEVER_BOTH, "--token", token]);
    let post = |headers: &[(&str, &str)]| server.ask("POST", "/runs/t/events", headers, &both());
    for wrong in [
        &[][..],
        &[("Authorization", "Bearer guess")],
        &[("Authorization", "secret")],
    ] {
        let refused = post(wrong);
        assert_eq!(refused.json(401)["error"], "the token is not the right one");
        for path in ["/runs", "/runs/t", "/news", "/metrics"] {
            assert_eq!(server.ask("GET", path, wrong, "").status, 401, "{path}");
        }
    }
    assert_eq!(server.get("/health").status, 200);
    let right = ("Authorization", "Bearer secret");
    assert_eq!(post(&[right]).status, 200);
    assert_eq!(
        server.ask("GET", "/runs/t", &[right], "").json(200)["run"],
        "t"
    );
}

#[test]
fn pages_of_other_sites_are_not_answered() {
    let folder = Folder::new();
    let server = served(&folder);
    let from = |headers: &[(&str, &str)]| server.ask("POST", "/runs/x/events", headers, &both());
    assert_eq!(from(&[("Sec-Fetch-Site", "cross-site")]).status, 403);
    assert_eq!(from(&[("Origin", "http://evil.example")]).status, 403);
    let named = request("GET", "/runs", "evil.example", &[], "");
    let answer = Answer::of(server.connect(), &named);
    assert_eq!(answer.status, 403);
    assert!(
        answer.head.contains("default-src 'none'"),
        "{}",
        answer.head
    );
    assert_eq!(server.get("/runs").json(200), json!([]));
}

#[test]
fn figures_are_there_for_whoever_collects_them() {
    let folder = Folder::new();
    let server = served(&folder);
    server.post("one%22%0Atwo", &both()).json(200);
    server.next();
    let ahead = "{\"from\":{\"b\":3}}\n{\"p\":\"b\",\"set\":{\"y\":5}}\n";
    server.post("one%22%0Atwo", ahead).json(200);
    let metrics = server.get("/metrics");
    assert_eq!(metrics.status, 200);
    let lines: Vec<&str> = metrics.body.lines().collect();
    for line in [
        "# TYPE causet_events_total counter",
        "causet_events_total 2",
        "causet_verdicts_total{property=\"ctl-1\",verdict=\"violated\"} 1",
        "causet_connections_total{speaks=\"http\"} 3",
        "causet_runs 1",
        "causet_runs_without_series 0",
        "causet_run_events{run=\"one\\\"\\ntwo\"} 2",
        "causet_run_held{run=\"one\\\"\\ntwo\"} 1",
        "causet_run_waiting{run=\"one\\\"\\ntwo\"} 0",
        "causet_run_again{run=\"one\\\"\\ntwo\"} 0",
        "causet_run_lag_events{run=\"one\\\"\\ntwo\"} 0",
    ] {
        assert!(lines.contains(&line), "no {line} in\n{}", metrics.body);
    }
    let figure = |name: &str| -> f64 {
        let line = lines.iter().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim().parse().ok()).expect(name)
    };
    // The others may still be taking their leave.
    assert!((1.0..=3.0).contains(&figure("causet_connections ")));
    assert!(figure("causet_flushes_total ") >= 1.0);
    assert!(figure("causet_received_bytes_total ") > 300.0);
}

#[test]
fn a_server_that_can_keep_nothing_says_so() {
    let folder = Folder::new();
    // No file of its may become larger than some kilobytes; writing on fails, as on a full disk.
    let mut command = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    command.args(["-c", script, env!("CARGO_BIN_EXE_causet"), "serve"]);
    command.args(["--listen", "127.0.0.1:0", "--ctl", NEVER_BOTH, "--data"]);
    command.arg(folder.path().join("runs"));
    let mut server = Served::spawn(command);
    assert_eq!(server.get("/health").json(200), json!({"ok": true}));
    let many = "{\"p\":\"a\",\"set\":{\"x\":0}}\n".repeat(10_000);
    let answer = server.post("full", &format!("{HEADER}\n{many}"));
    assert_eq!(answer.status, 503, "{answer:?}");
    server.complains("runs cannot be kept any more");
    let health = server.get("/health").json(503);
    assert_eq!(health["ok"], false);
    let reason = health["reason"].as_str().expect("a reason");
    assert!(reason.contains("File too large"), "{reason}");
    let answer = server.post("another", &both());
    assert_eq!(answer.status, 503, "{answer:?}");
    server.child.kill().expect("it can be killed");
}

#[test]
fn a_report_shows_the_run_as_it_was() {
    let folder = Folder::new();
    let server = served(&folder);
    // One event waits for a message that nobody has sent; what is shown needs none of it.
    let waits = "{\"p\":\"a\",\"ev\":\"it-waits\",\"recv\":\"m\"}\n";
    let lines =
        format!("{}{waits}", both()).replace("\"p\":\"b\"", "\"p\":\"b\",\"ev\":\"it-is-shown\"");
    server.post("r%2F1", &lines).json(200);
    server.next();
    let later = "{\"from\":{\"b\":2}}\n{\"p\":\"b\",\"ev\":\"it-is-later\",\"set\":{\"y\":0}}\n";
    server.post("r%2F1", later).json(200);
    let report = server.get("/runs/r%2F1/properties/ctl-1/report");
    assert_eq!(report.status, 200, "{report:?}");
    assert!(report.body.contains("\"verdict\":\"violated\""));
    assert!(report.body.contains("it-is-shown") && !report.body.contains("it-is-later"));
    assert!(!report.body.contains("it-waits"));
    assert!(
        report.head.contains("frame-ancestors 'self'"),
        "{}",
        report.head
    );
    assert!(
        report.head.contains("script-src 'sha256-"),
        "{}",
        report.head
    );
    let again = server.get("/runs/r%2F1/properties/ctl-1/report");
    assert_eq!(again.body, report.body);
    for path in [
        "/runs/other/properties/ctl-1/report",
        "/runs/r%2F1/properties/ctl-2/report",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_report_that_cannot_be_drawn_says_who_can_draw_it() {
    let folder = Folder::new();
    let runs = folder.path().join("runs");
    let server = served(&folder);
    server.post("drawn", &both()).json(200);
    server.next();
    server.kill();
    let server = Served::start(&runs, &["--possibly", "a.x = 1"]);
    let path = "/runs/drawn/properties/ctl-1/report";
    let refused = server.get(path).json(422);
    let error = refused["error"].as_str().expect("a reason");
    assert!(error.contains("any more; it follows possibly-1"), "{error}");
    let help = refused["help"].as_str().expect("a way out");
    let kept = folder_of(&runs, "drawn");
    let command = format!("causet check {} --html", kept.display());
    assert!(help.contains(&command), "{help}");
}
