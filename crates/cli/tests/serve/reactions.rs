//! What `causet serve` does about verdicts: addresses that are called, commands that are run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::common::Folder;
use super::served::{BOTH, HEADER, NEVER_BOTH, PATIENCE, Served, request};

fn both() -> String {
    format!("{HEADER}\n{BOTH}")
}

/// Somebody who is called, and answers with one status after another, the last one for ever.
fn called(statuses: &'static [&'static str]) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
    let url = format!(
        "http://{}/hook?x=1",
        listener.local_addr().expect("an address")
    );
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let last = statuses.last().expect("a status");
        let statuses = statuses.iter().chain(std::iter::repeat(last));
        for (stream, status) in listener.incoming().flatten().zip(statuses) {
            let body = heard(&stream);
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            // Whoever calls may have enough of it.
            let _ = (&stream).write_all(answer.as_bytes());
            if sender.send(body).is_err() {
                break;
            }
        }
    });
    (url, receiver)
}

/// The body of a request.
fn heard(stream: &TcpStream) -> Value {
    let mut input = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    input.read_line(&mut line).expect("a line");
    assert_eq!(line, "POST /hook?x=1 HTTP/1.1\r\n");
    while line != "\r\n" {
        line.clear();
        input.read_line(&mut line).expect("a line");
        if let Some(text) = line.strip_prefix("Content-Length: ") {
            length = text.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}

fn start(folder: &Folder, arguments: &[&str]) -> Served {
    let runs = folder.path().join("runs");
    Served::start(&runs, &[&["--ctl", NEVER_BOTH], arguments].concat())
}

/// Waits until a file is there and holds something that is read without complaint.
fn eventually<T>(path: &Path, read: impl Fn(&str) -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(found) = read(&text) {
            return found;
        }
        assert!(
            start.elapsed() < PATIENCE,
            "{} holds {text:?}",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_address_is_called_again_until_it_answers() {
    let folder = Folder::new();
    let (url, calls) = called(&["503 Busy", "500 Broken", "204 Fine"]);
    let server = start(&folder, &["--webhook", &url]);
    server.post("called", &both()).json(200);
    let news = server.next();
    for _ in 0..3 {
        let call = calls.recv_timeout(PATIENCE).expect("a call");
        assert_eq!(call, news);
    }
    // The next one is another run's.
    server.post("other", &both()).json(200);
    let call = calls.recv_timeout(PATIENCE).expect("a call");
    assert_eq!(call["run"], "other");
}

#[test]
fn an_address_that_refuses_is_not_asked_twice() {
    let folder = Folder::new();
    let (url, calls) = called(&["410 Gone", "200 Fine"]);
    let server = start(&folder, &["--webhook", &url]);
    server.post("one", &both()).json(200);
    server.complains("refused news, which are dropped: it answered 410");
    server.post("two", &both()).json(200);
    let runs = [(); 2].map(|()| calls.recv_timeout(PATIENCE).expect("a call")["run"].clone());
    assert_eq!(runs, ["one", "two"]);
}

#[test]
fn verdicts_wait_for_nobody() {
    let folder = Folder::new();
    // Someone who lets callers in and never says anything.
    let silent = TcpListener::bind("127.0.0.1:0").expect("an address");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    let server = start(
        &folder,
        &["--webhook", &url, "--max-runs", "2000", "--safe", "written"],
    );
    for number in 0..300 {
        server.post(&format!("run{number}"), &both()).json(200);
        assert_eq!(server.next()["run"], format!("run{number}"));
    }
    server.complains("the webhook is too slow: 1 news dropped so far");
}

#[test]
fn a_command_is_run_with_the_news_on_its_input() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let script = folder.write("hook.sh", "echo \"$# $1\" > \"$2\"; cat >> \"$2\"\n");
    let command = format!(
        "sh {} 'two words $HOME' {}",
        script.display(),
        out.display()
    );
    let server = start(
        &folder,
        &["--possibly", "a.x = 1", "--on-violation", &command],
    );
    let hostile = "%24%28touch%20evil%29%3B%20touch%20evil";
    server.post(hostile, &both()).json(200);
    let (first, news) = eventually(&out, |text| {
        let (first, rest) = text.split_once('\n')?;
        let news: Value = serde_json::from_str(rest).ok()?;
        Some((first.to_owned(), news))
    });
    assert_eq!(first, "2 two words $HOME", "nothing is expanded");
    assert_eq!(news["run"], "$(touch evil); touch evil");
    assert_eq!(news["property"], "ctl-1", "what holds runs nothing");
    assert!(!Path::new("evil").exists());
}

#[test]
fn a_server_that_ends_at_a_violation_runs_the_command_first() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let script = folder.write("hook.sh", "sleep 0.3; cat > \"$1\"\n");
    let command = format!("sh {} {}", script.display(), out.display());
    let (url, calls) = called(&["200 Fine"]);
    let arguments = [
        "--on-violation",
        &command,
        "--webhook",
        &url,
        "--exit-on-violation",
    ];
    let mut server = start(&folder, &arguments);
    let asked = request("POST", "/runs/last/events", "localhost", &[], &both());
    let mut stream = server.connect();
    // The server may be gone before it has answered.
    stream.write_all(asked.as_bytes()).expect("it is sent");
    assert_eq!(server.ends(), Some(1));
    let news: Value = serde_json::from_str(&folder.read("out")).expect("JSON");
    assert_eq!(news["run"], "last");
    assert_eq!(calls.recv_timeout(PATIENCE).expect("a call"), news);
}

#[test]
fn nothing_is_left_of_a_command_that_takes_too_long() {
    let folder = Folder::new();
    let pids = folder.path().join("pids");
    // It has a child that would outlive it, and neither wants to end.
    let script = "trap '' TERM INT HUP; sh -c 'trap \"\" TERM; echo $$ >> \"$0\"; sleep 1000' \"$1\" &\n\
                  echo $$ >> \"$1\"; sleep 1000\n";
    let script = folder.write("hook.sh", script);
    let command = format!("sh {} {}", script.display(), pids.display());
    let server = start(
        &folder,
        &["--on-violation", &command, "--command-timeout", "500ms"],
    );
    server.post("stuck", &both()).json(200);
    let written = |text: &str| {
        let pids: Vec<String> = text.lines().map(str::to_owned).collect();
        (pids.len() == 2).then_some(pids)
    };
    let pids = eventually(&pids, written);
    server.complains("the command was killed: it took more than 500ms");
    let start = Instant::now();
    while pids.iter().any(|pid| lives(pid)) {
        assert!(start.elapsed() < PATIENCE, "{pids:?} are still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process is there and not only waited for.
fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(") ").next().unwrap_or_default();
    !state.is_empty() && !state.starts_with('Z')
}

#[test]
fn a_few_commands_run_at_a_time() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let script = "echo begin >> \"$1\"; sleep 0.2; echo end >> \"$1\"\n";
    let script = folder.write("hook.sh", script);
    let command = format!("sh {} {}", script.display(), out.display());
    let server = start(&folder, &["--on-violation", &command]);
    for number in 0..10 {
        server.post(&format!("run{number}"), &both()).json(200);
    }
    let text = eventually(&out, |text| {
        (text.lines().count() == 20).then(|| text.to_owned())
    });
    let mut running = 0;
    let mut most = 0;
    for line in text.lines() {
        running += if line == "begin" { 1 } else { -1 };
        most = most.max(running);
    }
    assert!((2..=4).contains(&most), "{most} at a time");
}

#[test]
fn what_cannot_be_a_reaction_is_refused() {
    let folder = Folder::new();
    let serve = |arguments: &[&str]| {
        let server = ["serve", "--listen", "127.0.0.1:0", "--ctl", "true"];
        folder.run(&[&server, arguments].concat()).ends(2)
    };
    serve(&["--webhook", "ftp://x/"]).complains("http://");
    serve(&["--webhook", "http://me:pw@x/"]).complains("names and passwords are not sent");
    serve(&["--on-violation", "say 'it"]).complains("does not end");
    serve(&["--on-violation", ""]).complains("there is no program");
    let server = start(&folder, &["--on-violation", "/nowhere/at-all"]);
    server.post("r", &both()).json(200);
    server.complains("the command /nowhere/at-all cannot be run");
}
