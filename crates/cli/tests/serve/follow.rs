//! `causet serve --follow` as its users have it: files that grow, halves of lines, new files, files written anew, and a
//! server that is killed.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use causet_serve::keeping::folder_of;
use serde_json::Value;

use super::served::{HEADER, NEVER_BOTH, PATIENCE, Served};

const NEVER_HIGH: &str = "AG b.y < 9";

/// A server that follows something.
fn follow(data: &Path, follow: &[&str], properties: &[&str]) -> Served {
    let follow = follow.iter().flat_map(|one| ["--follow", one]);
    start(data, &follow.collect::<Vec<_>>(), properties)
}

fn start(data: &Path, arguments: &[&str], properties: &[&str]) -> Served {
    let properties = properties.iter().flat_map(|one| ["--ctl", one]);
    let arguments = arguments.iter().copied().chain(properties);
    Served::start(data, &arguments.collect::<Vec<_>>())
}

/// What it complains of next.
fn complains(server: &Served) -> String {
    server.complains("warning[E1203]: ")
}

/// A folder for runs and one for what is followed.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        Place { folder }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    fn append(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.logs()).expect("a folder");
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .append(true)
            .open(self.logs().join(name));
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.expect("it can be written");
    }

    fn follow(&self, properties: &[&str]) -> Served {
        let logs = format!("run={}", self.logs().display());
        follow(&self.data(), &[&logs], properties)
    }

    /// The lines of the journal, as far as they begin like this.
    fn kept(&self, run: &str, beginning: &str) -> Vec<String> {
        let path = folder_of(&self.data(), run).join("events.journal");
        let bytes = std::fs::read(path).unwrap_or_default();
        let (mut text, mut at) = (String::new(), 4);
        while at + 8 <= bytes.len() {
            let length = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize;
            let end = (at + 8 + length).min(bytes.len());
            text += &String::from_utf8_lossy(&bytes[at + 8..end]);
            at = end;
        }
        let lines = text.lines().filter(|line| line.starts_with(beginning));
        lines.map(str::to_owned).collect()
    }

    /// Waits until so many events of a process are kept.
    fn wait_for(&self, process: &str, count: usize) {
        let beginning = format!("{{\"p\":\"{process}\"");
        let start = std::time::Instant::now();
        while self.kept("run", &beginning).len() < count {
            assert!(start.elapsed() < PATIENCE, "{count} events of {process}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn set(process: &str, name: &str, value: i64) -> String {
    format!("{{\"p\":\"{process}\",\"set\":{{\"{name}\":{value}}}}}\n")
}

#[test]
fn what_is_appended_in_pieces_is_followed() {
    let place = Place::new();
    // The folder is not there yet.
    let server = place.follow(&[NEVER_BOTH, NEVER_HIGH]);
    place.append("a.jsonl", &format!("{HEADER}\n{}", set("a", "x", 1)));
    place.wait_for("a", 1);
    // A file that turns up later, a byte at a time; nothing is told before the line is whole.
    let line = set("b", "y", 1);
    let (most, rest) = line.split_at(line.len() - 2);
    for byte in most.chars() {
        place.append("b.jsonl", &byte.to_string());
    }
    place.append("a.jsonl", &set("a", "x", 0));
    place.wait_for("a", 2);
    assert_eq!(place.kept("run", "{\"p\":\"b\""), [""; 0]);
    place.append("b.jsonl", rest);
    let news = server.next();
    assert_eq!(
        (&news["run"], &news["property"], &news["verdict"]),
        (&"run".into(), &"ctl-1".into(), &"violated".into())
    );
    place.append("b.jsonl", &set("b", "y", 9));
    let news = server.next();
    assert_eq!(
        (&news["property"], &news["verdict"]),
        (&"ctl-2".into(), &"violated".into())
    );
}

#[test]
fn a_file_written_anew_tells_nothing_twice() {
    let place = Place::new();
    let server = place.follow(&[NEVER_HIGH]);
    let events: Vec<String> = (0..8).map(|value| set("b", "y", value)).collect();
    place.append(
        "b.jsonl",
        &(HEADER.to_owned() + "\n" + &events[..4].concat()),
    );
    place.wait_for("b", 4);
    let path = place.logs().join("b.jsonl");
    std::fs::write(&path, HEADER.to_owned() + "\n" + &events[..2].concat()).expect("cut short");
    let complaint = complains(&server);
    assert!(
        complaint.contains("b.jsonl: was cut short or replaced"),
        "{complaint}"
    );
    place.append("b.jsonl", &events[2..6].concat());
    place.wait_for("b", 6);
    // Replaced by another file that goes on where it was.
    let other = place.logs().join("other");
    let text = HEADER.to_owned() + "\n" + &events.concat() + &set("b", "y", 9);
    std::fs::write(&other, text).expect("a file");
    std::fs::rename(&other, &path).expect("replaced");
    assert_eq!(server.next()["verdict"], "violated");
    let kept = place.kept("run", "{\"p\":\"b\"");
    let expected = events.concat() + &set("b", "y", 9);
    assert_eq!(kept, expected.lines().collect::<Vec<_>>());
}

#[test]
fn a_file_that_begins_otherwise_is_not_mistaken_for_the_one_before() {
    let place = Place::new();
    let server = place.follow(&[NEVER_HIGH]);
    place.append("b.jsonl", &(set("b", "y", 1) + &set("b", "y", 2)));
    place.wait_for("b", 2);
    std::fs::write(place.logs().join("b.jsonl"), set("b", "y", 3)).expect("rotated");
    assert!(complains(&server).contains("was cut short or replaced"));
    let complaint = complains(&server);
    assert!(
        complaint.contains("b.jsonl:1: another line stood here before"),
        "{complaint}"
    );
}

#[test]
fn a_wrong_line_stops_its_file_and_no_other() {
    let place = Place::new();
    let server = place.follow(&[NEVER_BOTH]);
    let wrong = "{\"p\":\"a\",\"sett\":1}\n";
    let many = set("a", "x", 0).repeat(700);
    let text = format!("{HEADER}\n{many}\n{wrong}{}", set("a", "x", 1));
    place.append("a.jsonl", &text);
    let complaint = complains(&server);
    assert!(
        complaint.contains("a.jsonl:703: unknown field `sett`"),
        "{complaint}"
    );
    place.append("b.jsonl", &set("b", "y", 1));
    place.wait_for("b", 1);
    assert_eq!(place.kept("run", "{\"p\":\"a\"").len(), 700);
    // A process has one file.
    place.append("c.jsonl", &(set("b", "y", 2)));
    let complaint = complains(&server);
    assert!(
        complaint.contains("c.jsonl:1: events of process `b` stand in"),
        "{complaint}"
    );
    // Written anew without the fault it goes on.
    let text = format!("{HEADER}\n{many}\n{}", set("a", "x", 1));
    std::fs::write(place.logs().join("a.jsonl"), text).expect("mended");
    assert!(complains(&server).contains("was cut short or replaced"));
    assert_eq!(server.next()["verdict"], "violated");
    assert_eq!(place.kept("run", "{\"p\":\"a\"").len(), 701);
}

#[test]
fn killed_again_and_again_it_goes_on_where_it_was() {
    let place = Place::new();
    let mut rng = fastrand::Rng::with_seed(5);
    let lines = |process: &str, name: &str| -> Vec<String> {
        (0..20_000)
            .map(|value| set(process, name, value % 2 * 2))
            .collect()
    };
    let all = BTreeMap::from([("a", lines("a", "x")), ("b", lines("b", "y"))]);
    place.append("a.jsonl", &format!("{HEADER}\n"));
    let mut news = Vec::new();
    let mut server = place.follow(&[NEVER_BOTH]);
    for piece in 0..8 {
        for (process, lines) in &all {
            let part = &lines[piece * 2_500..][..2_500];
            place.append(&format!("{process}.jsonl"), &part.concat());
        }
        std::thread::sleep(Duration::from_millis(rng.u64(5..200)));
        server.child.kill().expect("it can be killed");
        news.extend(server.rest());
        server = place.follow(&[NEVER_BOTH]);
    }
    place.append("a.jsonl", &set("a", "x", 1));
    place.append("b.jsonl", &set("b", "y", 1));
    assert_eq!(server.next()["verdict"], "violated");
    assert!(
        news.iter().all(|news| news["verdict"].is_null()),
        "{news:?}"
    );
    for (process, name) in [("a", "x"), ("b", "y")] {
        let expected = all[process].concat() + &set(process, name, 1);
        let kept = place.kept("run", &format!("{{\"p\":\"{process}\""));
        assert!(
            kept.iter().eq(expected.lines()),
            "every event of {process} once, in order"
        );
    }
}

#[test]
fn several_files_are_several_runs_unless_they_are_called_the_same() {
    let place = Place::new();
    place.append("a.jsonl", &format!("{HEADER}\n{}", set("a", "x", 1)));
    place.append("b.jsonl", &set("b", "y", 1));
    place.append("c.jsonl", &set("b", "y", 9));
    let path = |name: &str| place.logs().join(name).display().to_string();
    let (a, b) = (
        format!("two={}", path("a.jsonl")),
        format!("two={}", path("b.jsonl")),
    );
    let paths = [a.as_str(), &b, &path("c.jsonl")];
    let server = follow(&place.data(), &paths, &[NEVER_BOTH, NEVER_HIGH]);
    let mut runs: Vec<Value> = (0..2).map(|_| server.next()["run"].clone()).collect();
    runs.sort_by_key(Value::to_string);
    assert_eq!(runs, ["c.jsonl", "two"]);
}

#[test]
fn a_file_that_is_held_back_does_not_hold_back_the_one_it_waits_for() {
    let place = Place::new();
    place.append("b.jsonl", &format!("{HEADER}\n"));
    let logs = format!("run={}", place.logs().display());
    let arguments = [
        "--max-waiting",
        "100",
        "--patience",
        "1h",
        "--follow",
        &logs,
    ];
    let server = start(&place.data(), &arguments, &[NEVER_BOTH]);
    let receive = "{\"p\":\"a\",\"recv\":\"m\"}\n";
    let many = set("a", "x", 0).repeat(30_000);
    place.append("a.jsonl", &format!("{receive}{many}{}", set("a", "x", 1)));
    // More events wait than may, and most of the file is not read.
    place.wait_for("a", 101);
    place.append(
        "b.jsonl",
        "{\"p\":\"b\",\"send\":\"m\",\"set\":{\"y\":1}}\n",
    );
    assert_eq!(server.next()["verdict"], "violated");
}
