//! What is missing, how a run ends without it, and the order that shows a violation.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use causet_serve::client;
use causet_serve::keeping::folder_of;
use serde_json::json;

use super::served::{HEADER, NEVER_BOTH, Served};
use super::{NEVER_HIGH, checked, folder, rounds, wait_for};

/// Sends lines of a run on a connection that stays open.
fn say(server: &Served, run: &str, lines: &[String]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    let text = format!("{{\"run\":\"{run}\"}}\n{HEADER}\n{}\n", lines.join("\n"));
    stream.write_all(text.as_bytes()).expect("it is sent");
    stream
}

/// Some rounds of which one line is missing: a message that `b` waits for.
fn without_a_send(count: usize, of: usize) -> Vec<String> {
    let lines = rounds(count).into_iter().map(|line| line.text);
    let send = format!("\"send\":\"b{of}\"");
    lines
        .filter(|line| !line.contains(&send) && !line.contains("\"end\""))
        .collect()
}

fn left_out(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("left-out.txt")).unwrap_or_default();
    text.lines().count()
}

#[test]
fn a_stop_ends_a_run_with_what_is_consistent_of_it() {
    let data = folder();
    let nested = "AG (a.x = 1 -> EF b.y = 1)";
    let properties = ["--ctl", NEVER_HIGH, "--ctl", nested, "--ctl", NEVER_BOTH];
    let arguments = [&properties[..], &["--end-runs", "--patience", "100ms"]].concat();
    let server = Served::start(data.path(), &arguments);
    let lines = without_a_send(10, 6);
    let stream = say(&server, "stopped", &lines);
    let gap = server.until(|said| said["missing"].is_string());
    assert_eq!(gap["process"], "b");
    assert_eq!(gap["missing"], "message `b6`");
    let (said, status) = server.stop();
    drop(stream);
    assert_eq!(status, Some(1));
    let folder = folder_of(data.path(), "stopped");
    let verdict = |name: &str| {
        let mut news = said.iter().filter(|said| said["property"] == name);
        let news = news
            .find(|said| said["verdict"].is_string())
            .expect("a last word");
        news["verdict"].as_str().unwrap_or_default().to_owned()
    };
    let verdicts = ["ctl-1", "ctl-2", "ctl-3"].map(verdict);
    assert_eq!(verdicts.to_vec(), checked(&folder, &properties));
    let news = said
        .iter()
        .find(|said| said["verdict"].is_string())
        .expect("news");
    let (events, missing) = (&news["events"], &news["left_out"]);
    assert_eq!(
        events.as_u64().zip(missing.as_u64()).map(|(e, m)| e + m),
        Some(lines.len() as u64)
    );
    assert_eq!(
        left_out(&folder) as u64,
        missing.as_u64().unwrap_or_default()
    );
    assert!(
        left_out(&folder) > 10,
        "b waits from its seventh round on, and a for b"
    );
}

/// Sixteen processes that nothing orders, each with many values; and a sum of products that no cut has, as far as anyone
/// can tell in a minute.
fn hard() -> (String, String) {
    let names: Vec<String> = (0..16).map(|p| format!("p{p}")).collect();
    let mut rng = fastrand::Rng::with_seed(3);
    let mut lines = json!({"causet": 1, "processes": names}).to_string() + "\n";
    for _ in 0..40 {
        for name in &names {
            lines += &json!({"p": name, "set": {"x": rng.u32(..1000)}}).to_string();
            lines.push('\n');
        }
    }
    let product = |four: &[String]| four.join(".x * ") + ".x";
    let products: Vec<String> = names.chunks(4).map(product).collect();
    (lines, format!("EF ({} = 123456789)", products.join(" + ")))
}

#[test]
fn a_stop_does_not_wait_for_decisions_and_the_next_start_makes_them() {
    let data = folder();
    let (lines, property) = hard();
    let server = Served::start(data.path(), &["--ctl", &property, "--memory", "16G"]);
    server.post("hard", &lines).json(200);
    server.post("hard", "{\"over\":true}\n").json(200);
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    let (said, status) = server.stop();
    // About a second on a machine with nothing else to do; a decision may take ten.
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(status, Some(0));
    let last = said.iter().find(|said| said["verdict"].is_string());
    let last = last.expect("it says that it was stopped");
    assert_eq!(last["verdict"], "unknown");
    assert_eq!(
        last["reason"],
        "the server was stopped before it was decided"
    );
    let kept = folder_of(data.path(), "hard");
    assert!(!kept.join("told.txt").exists(), "it is not the last word");
    // The property of this name is easy now.
    let server = Served::start(data.path(), &["--ctl", "EF steps(p0) = 1"]);
    assert_eq!(server.next()["verdict"], "holds");
    wait_for(&kept.join("told.txt"));
}

#[test]
fn a_violation_is_shown_with_its_order() {
    let data = folder();
    let server = Served::start(data.path(), &["--ctl", NEVER_BOTH]);
    let lines: Vec<String> = rounds(3).into_iter().map(|line| line.text).collect();
    let stream = say(&server, "shown", &lines[..lines.len() - 2]);
    let news = server.next();
    assert_eq!(news["verdict"], "violated");
    assert_eq!(news["at"], json!({"a": 7, "b": 5}));
    let shown = server.until(|said| said.get("witness").is_some());
    assert_eq!(
        (&shown["run"], &shown["property"]),
        (&"shown".into(), &"ctl-1".into())
    );
    // Told is the first cut that breaks it; shown is the order of arrival, which breaks it later.
    assert_eq!(shown["witness"]["cut"], json!({"a": 7, "b": 7}));
    assert_eq!(shown["witness"]["run"].as_array().map(Vec::len), Some(14));
    assert_eq!(shown["witness"]["observed"], json!(true));
    drop(stream);
}

#[test]
fn an_order_that_is_asked_for_is_shown() {
    let data = folder();
    let properties = ["--ctl", "EF (a.x = 1 && b.y = 1)", "--ctl", "AF a.x = 1"];
    let server = Served::start(data.path(), &properties);
    let lines: Vec<String> = rounds(3).into_iter().map(|line| line.text).collect();
    let stream = say(&server, "found", &lines[..lines.len() - 2]);
    let news = server.until(|said| said["property"] == "ctl-1");
    assert_eq!(
        (&news["verdict"], &news["certain"]),
        (&"holds".into(), &true.into())
    );
    let shown = server.until(|said| said.get("witness").is_some());
    assert_eq!(shown["property"], "ctl-1");
    assert_eq!(shown["witness"]["cut"], json!({"a": 7, "b": 7}));
    assert_eq!(shown["witness"]["run"].as_array().map(Vec::len), Some(14));
    drop(stream);
    // That all orders pass a cut is shown by none of them.
    let (said, _) = server.stop();
    assert!(
        said.iter().all(|said| said.get("witness").is_none()),
        "{said:?}"
    );
}

#[test]
fn senders_wait_when_too_much_waits_and_the_run_is_given_up_at_last() {
    let data = folder();
    let arguments = [
        "--ctl",
        NEVER_BOTH,
        "--max-waiting",
        "100",
        "--patience",
        "300ms",
    ];
    let server = Served::start(data.path(), &arguments);
    // All that `b` does comes first, on the connection that then should bring what it waits for.
    let mut lines = rounds(40_000);
    lines.sort_by_key(|line| line.process == "a");
    client::send(&server.errand("given up"), &lines, true).expect("all of it is safe");
    let gap = server.until(|said| {
        said["missing"]
            .as_str()
            .is_some_and(|m| m.contains("not followed"))
    });
    assert_eq!(gap["run"], "given up");
    let news = server.until(|said| said["verdict"].is_string());
    assert_eq!(
        (&news["verdict"], &news["certain"]),
        (&"violated".into(), &false.into())
    );
    assert_eq!(news["events"], 160_002);
}

#[test]
fn two_phases_come_to_the_same_verdicts() {
    let data = folder();
    let properties = ["--ctl", NEVER_BOTH, "--ltl", "G (a.x = 1 -> F b.y = 1)"];
    let arguments = [&properties[..], &["--max-steps", "3"]].concat();
    let server = Served::start(data.path(), &arguments);
    client::send(&server.errand("phases"), &rounds(10), false).expect("it is sent");
    let mut verdicts = std::collections::BTreeMap::new();
    while verdicts.len() < 2 {
        let said = server.next();
        if let (Some(name), Some(verdict)) = (said["property"].as_str(), said["verdict"].as_str()) {
            verdicts.insert(name.to_owned(), verdict.to_owned());
        }
    }
    let verdicts: Vec<String> = verdicts.into_values().collect();
    assert_eq!(
        verdicts,
        checked(&folder_of(data.path(), "phases"), &properties)
    );
}

#[test]
fn a_run_that_is_left_alone_makes_room_for_others() {
    let data = folder();
    let limits = ["--ctl", NEVER_BOTH, "--max-runs", "2"];
    let server = Served::start(data.path(), &limits);
    for run in ["one", "two"] {
        server.post(run, "{\"p\":\"a\"}\n").json(200);
    }
    let refused = server.post("three", "{\"p\":\"a\"}\n").json(409);
    let reason = "there are 2 runs already; one is over when nothing has come for 1 h";
    assert_eq!(refused["error"], reason, "by default");
    server.kill();
    let server = Served::start(data.path(), &[&limits[..], &["--idle", "100ms"]].concat());
    for run in ["one", "two"] {
        wait_for(&folder_of(data.path(), run).join("told.txt"));
    }
    server.post("three", "{\"p\":\"a\"}\n").json(200);
    let late = server.post("one", "{\"p\":\"a\"}\n").json(409);
    assert_eq!(
        late["error"],
        "the run is over: nothing had come for 100 ms"
    );
    assert_eq!(late["ack"]["a"], 1, "what it had is still told");
}
