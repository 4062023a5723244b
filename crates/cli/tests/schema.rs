//! What `--json` prints is as the JSON Schemas in `docs/schema` say, and these are strict.
//!
//! `Ran::json` holds every object that a command-line test reads against its schema; here are the forms one by one, the
//! commands of the book, and changes that a schema must refuse.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Folder, Ran, schema};
use serde_json::{Value, json};

const MUTEX: &str = "AG !(a.leader && b.leader)";
const MACHINE: &str = "des (0,4,3)\n(0,\"coin\",1)\n(1,\"tea\",0)\n(1,\"coin\",2)\n(0,\"tau\",0)\n";

fn published(name: &str) -> Value {
    let text = fs::read_to_string(schema::path(name)).expect("a schema");
    serde_json::from_str(&text).expect("JSON")
}

/// The report of a check of the election.
#[track_caller]
fn election(status: i32, arguments: &[&str]) -> Value {
    let folder = Folder::election();
    let ran = folder.run(&[&["check", "t.jsonl", "--json"], arguments].concat());
    ran.ends(status).json()
}

#[test]
fn reports_on_runs_are_as_the_schema_says() {
    let report = election(1, &["--ctl", MUTEX, "--ctl", "AG c.x >= 0"]);
    let verdict = |number: usize| report["results"][number]["verdict"].clone();
    assert_eq!(
        (verdict(0), verdict(1)),
        (json!("violated"), json!("holds"))
    );
    // A choice of processes, a way on from the cut, a complete order.
    let quantified = "forall i, j in procs where i != j: AG !(i.leader && j.leader)";
    let instance = &election(1, &["--ctl", quantified])["results"][0]["witness"]["instance"];
    assert_eq!(instance, "i = a, j = b");
    let report = election(0, &["--ctl", "EF (a.leader && EF b.leader)"]);
    let onward = report["results"][0]["witness"]["then"].as_array();
    assert!(onward.is_some_and(|then| !then.is_empty()), "{report}");
    let report = election(1, &["--definitely", "a.leader && c.x = 1"]);
    assert_eq!(report["results"][0]["witness"]["cut"], Value::Null);
    // Without a witness, and with one that some workers found.
    let report = election(1, &["--stream", "--ctl", MUTEX]);
    assert_eq!(report["results"][0]["witness"], Value::Null);
    let report = election(1, &["--engine", "bes", "--workers", "2", "--ctl", MUTEX]);
    let workers = report["results"][0]["workers"].as_array();
    assert_eq!(workers.map(Vec::len), Some(2), "{report}");
}

#[test]
fn warnings_and_notes_are_as_the_schema_says() {
    let report = election(1, &["--ltl", "F on(\"elct\")", "--explain"]);
    let odd = &report["results"][0]["diagnostics"][0];
    assert_eq!(odd["severity"], "warning");
    let folder = Folder::new();
    folder.write("t.jsonl", "{\"p\":\"a\",\"t\":2}\n{\"p\":\"b\",\"t\":1}\n");
    let report = folder.run(&["check", "t.jsonl", "--ctl", "true", "--json"]);
    let report = report.ends(0).json();
    let severity = &report["diagnostics"][0]["severity"];
    assert_eq!(
        (severity, &report["warnings"]),
        (&json!("note"), &Value::Null)
    );
}

#[test]
fn every_reason_of_an_unknown_verdict_is_in_the_schema() {
    let reason = |report: &Value| report["results"][0]["reason"].clone();
    let memory = election(3, &["--ctl", MUTEX, "--memory", "1M"]);
    assert_eq!(reason(&memory), "memory");
    let folder = Folder::new();
    folder.write(
        "holes.jsonl",
        "{\"p\":\"a\"}\n{\"p\":\"b\",\"recv\":\"m\"}\n{\"p\":\"b\"}\n",
    );
    let possibly = "steps(a) = 0 && steps(b) = 2";
    let asked = ["holes.jsonl", "--lenient", "--possibly", possibly, "--json"];
    let holes = folder.run(&[&["check"], &asked[..]].concat());
    assert_eq!(reason(&holes.ends(3).json()), "holes");
    folder.write("grid.jsonl", grid());
    let grid = [
        "check",
        "grid.jsonl",
        "--ctl",
        "AG p0.x < 100",
        "--engine",
        "explicit",
        "--json",
    ];
    let timeout = folder.run(&[&grid[..], &["--timeout", "300ms"]].concat());
    assert_eq!(reason(&timeout.ends(3).json()), "timeout");
    let cancelled = interrupted(&folder, &grid).ends(3).json();
    assert_eq!(reason(&cancelled), "cancelled");
}

/// A run of which no engine visits every cut within a second.
fn grid() -> String {
    let line = |number: u32| {
        let process = number % 8;
        format!("{{\"p\":\"p{process}\",\"set\":{{\"x\":{number}}}}}\n")
    };
    (0..64).map(line).collect()
}

/// A command that is interrupted once it is at work.
fn interrupted(folder: &Folder, arguments: &[&str]) -> Ran {
    let child = Command::new(env!("CARGO_BIN_EXE_causet"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(Duration::from_millis(700));
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it is running");
    Ran::of(&child.wait_with_output().expect("the binary ends"))
}

#[test]
fn long_orders_are_as_the_schema_says() {
    let folder = Folder::new();
    let generate = [
        "gen",
        "token-ring",
        "--procs",
        "4",
        "--events",
        "12000",
        "-o",
        "t.jsonl",
    ];
    folder.run(&generate).ends(0);
    let asked = [
        "check",
        "t.jsonl",
        "--json",
        "--ctl",
        "AF (p0.crit && p1.crit)",
    ];
    let short = folder.run(&asked).ends(1).json();
    assert!(short["results"][0]["witness"]["moved"].is_array());
    let full = [&asked[..], &["--witness", "full"]].concat();
    let full = folder.run(&full).ends(1).json();
    assert!(full["results"][0]["witness"].get("moved").is_none());
}

#[test]
fn reports_on_models_are_as_the_schema_says() {
    let folder = Folder::new();
    folder.write("m.aut", MACHINE);
    let check = |status: i32, arguments: &[&str]| {
        let ran = folder.run(&[&["lts", "check", "m.aut", "--json"], arguments].concat());
        ran.ends(status).json()
    };
    let no_deadlock = ["--mu", "[true*] <true> true", "--mu", "<coin> true"];
    let report = check(1, &no_deadlock);
    assert_eq!(report["results"][0]["witness"]["kind"], "path");
    let report = check(1, &[&no_deadlock[..], &["--workers", "2"]].concat());
    assert!(report["results"][0]["workers"].is_array());
    let report = check(1, &["--mu", "[true*] <tee> true"]);
    assert!(report["results"][0]["diagnostics"].is_array());
    let report = check(3, &["--mu", "<coin> true", "--memory", "1M"]);
    assert_eq!(report["model"]["labels"], Value::Null);
}

/// The checks that the README and the book show, with the words of each.
fn shown_checks() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md")];
    pages(&root.join("docs/book/src"), &mut files);
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    let texts: Vec<String> = texts.collect();
    let blocks = texts
        .iter()
        .flat_map(|text| text.split("```console\n").skip(1));
    let blocks = blocks.filter_map(|rest| rest.split("\n```").next());
    let lines = blocks.flat_map(str::lines);
    let commands = lines.filter_map(|line| shlex::split(line.strip_prefix("$ causet ")?));
    let is_check = |words: &[String]| {
        let start: Vec<&str> = words.iter().take(2).map(String::as_str).collect();
        matches!(start[..], ["check", ..] | ["lts", "check"])
            && !words.iter().any(|word| word == "-h")
    };
    commands.filter(|words| is_check(words)).collect()
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn the_checks_that_the_book_shows_are_as_the_schemas_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut reports, mut errors) = (0, 0);
    for words in shown_checks() {
        let ran = Command::new(env!("CARGO_BIN_EXE_causet"))
            .args(words.iter().filter(|word| *word != "--json"))
            .arg("--json")
            .current_dir(&root)
            .output()
            .expect("the binary runs");
        let object = Ran::of(&ran).json();
        match schema::is_report(&object) {
            true => reports += 1,
            false => errors += 1,
        }
    }
    assert!(
        reports > 40 && errors > 10,
        "{reports} reports, {errors} errors"
    );
}

#[test]
fn the_reports_on_the_examples_are_as_the_schema_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = fs::read_dir(root.join("examples")).expect("the folder of examples");
    let folders = folders.map(|entry| entry.expect("an entry").path());
    let mut count = 0;
    for folder in folders.filter(|folder| folder.join("run.jsonl").exists()) {
        let name = folder.file_name().expect("a name").display().to_string();
        let ran = Command::new(env!("CARGO_BIN_EXE_causet"))
            .args(["check", "run.jsonl", "--json", "--props"])
            .arg(format!("{name}.props"))
            .current_dir(&folder)
            .output()
            .expect("the binary runs");
        let report = Ran::of(&ran).ends(1).json();
        let results = report["results"].as_array().expect("a list").iter();
        let shown = results.filter(|result| result["verdict"] == "violated");
        let sentences: Vec<&Value> = shown.map(|result| &result["sentence"]).collect();
        let are_told = sentences.iter().all(|sentence| sentence.is_string());
        assert!(!sentences.is_empty() && are_told, "{name}: {report}");
        count += 1;
    }
    assert!(count >= 3, "{count} examples");
}

#[test]
fn errors_are_as_the_schema_says() {
    let folder = Folder::election();
    folder.write(
        "broken.jsonl",
        "{\"p\":\"a\"}\n{\"p\":\"a\",\"recv\":\"m\"}\n",
    );
    for (arguments, count) in [
        (&["t.jsonl", "--jsn"][..], 1),
        (&["none.jsonl", "--ctl", "true"], 1),
        (&["broken.jsonl", "--ctl", "true"], 1),
        (&["t.jsonl", "--ctl", "AG ("], 1),
        (&["t.jsonl", "--ctl", "AG a.leadr", "--ctl", "AG ("], 2),
    ] {
        let ran = folder.run(&[&["check", "--json"], arguments].concat());
        let object = ran.ends(2).json();
        assert!(object["error"].is_object(), "{object}");
        let errors = object["errors"].as_array().map_or(1, Vec::len);
        assert_eq!(errors, count, "{object}");
    }
}

/// The object after a change at a place, as JSON pointers name it.
fn changed(object: &Value, pointer: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut object = object.clone();
    change(object.pointer_mut(pointer).expect("a place"));
    object
}

#[test]
fn a_changed_field_is_refused() {
    let report = election(1, &["--ctl", MUTEX]);
    for (pointer, value) in [
        ("/schema", json!(3)),
        ("/trace/events", json!("6")),
        ("/results/0/verdict", json!("maybe")),
        ("/results/0/reason", json!("timeout")),
        ("/results/0/seconds", json!(-1)),
        ("/results/0/witness/run", Value::Null),
        ("/results/0/witness/run/0", json!(["a", 0])),
        ("/results/0/witness/run/0", json!(["a", 1, 1])),
        ("/results/0/witness/cut/a", json!(1.5)),
        ("/results/0/witness/events/0/values/leader", json!([])),
        ("/results/0/stats/visited", Value::Null),
    ] {
        let flaw = schema::flaw(&changed(&report, pointer, |place| *place = value));
        assert!(flaw.is_some(), "{pointer}");
    }
    let error = Folder::election().run(&["check", "t.jsonl", "--ctl", "AG (", "--json"]);
    let error = error.json();
    for (pointer, value) in [
        ("/error/code", json!("0406")),
        ("/error/line", json!(0)),
        ("/error/message", Value::Null),
    ] {
        let flaw = schema::flaw(&changed(&error, pointer, |place| *place = value));
        assert!(flaw.is_some(), "{pointer}");
    }
}

#[test]
fn a_field_too_many_or_too_few_is_refused() {
    let folder = Folder::election();
    folder.write("m.aut", MACHINE);
    let model = folder.run(&["lts", "check", "m.aut", "--mu", "<coin> true", "--json"]);
    let error = folder.run(&["check", "t.jsonl", "--ctl", "AG (", "--json"]);
    for object in [election(1, &["--ctl", MUTEX]), model.json(), error.json()] {
        for pointer in closed_objects(&object, String::new()) {
            let more = changed(&object, &pointer, |place| place["unheard_of"] = json!(1));
            assert!(schema::flaw(&more).is_some(), "{pointer} has one more");
            let keys = object.pointer(&pointer).and_then(Value::as_object);
            for key in keys.into_iter().flat_map(serde_json::Map::keys) {
                let less = changed(&object, &pointer, |place| {
                    place.as_object_mut().and_then(|place| place.remove(key));
                });
                // The list of events is left out of long orders, and without the others an object has no schema.
                let names_schema = ["causet", "results", "error"].contains(&key.as_str());
                let may_go = key == "events" || (pointer.is_empty() && names_schema);
                assert!(
                    may_go || schema::flaw(&less).is_some(),
                    "{pointer} has no {key}"
                );
            }
        }
    }
}

/// The places of the objects within a value whose keys are fields and not names.
fn closed_objects(value: &Value, place: String) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let is_open = ["cut", "stats", "values"];
            let fields = fields
                .iter()
                .filter(|(key, _)| !is_open.contains(&key.as_str()));
            let below =
                fields.flat_map(|(key, value)| closed_objects(value, format!("{place}/{key}")));
            let below: Vec<String> = below.collect();
            [place].into_iter().chain(below).collect()
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .flat_map(|(index, value)| closed_objects(value, format!("{place}/{index}")))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn every_field_is_described_and_every_object_closed() {
    for name in ["check.json", "error.json"] {
        let schema = published(name);
        described(&schema, name);
    }
    assert_eq!(
        published("check.json")["$defs"]["error"],
        published("error.json")["$defs"]["error"]
    );
}

fn described(schema: &Value, place: &str) {
    if !schema.is_object() {
        return;
    }
    for part in ["properties", "$defs"] {
        for (name, field) in schema[part].as_object().into_iter().flatten() {
            let place = format!("{place}/{name}");
            assert!(field["description"].is_string(), "{place} is not described");
            described(field, &place);
        }
    }
    if schema["type"] == "object" {
        assert!(!schema["additionalProperties"].is_null(), "{place} is open");
    }
    for item in [&schema["items"], &schema["additionalProperties"]] {
        let is_shown = item["description"].is_string() || item["$ref"].is_string();
        assert!(
            !item.is_object() || is_shown,
            "{place} has items without a description"
        );
        described(item, place);
    }
}
