//! The stories in `examples`: each prints what its `expected.txt` says, and the tutorial shows their files as they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the folders in `examples` that hold a recorded run; programs have tests of their own.
fn examples() -> Vec<String> {
    let folders = fs::read_dir(root().join("examples")).expect("the folder of examples");
    let mut names: Vec<String> = folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("run.jsonl").exists())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

#[test]
fn every_example_prints_what_it_promises() {
    let names = examples();
    assert!(names.len() >= 3);
    for name in names {
        let trace = format!("examples/{name}/run.jsonl");
        let properties = format!("examples/{name}/{name}.props");
        let output = Command::new(env!("CARGO_BIN_EXE_causet"))
            .args(["check", &trace, "--props", &properties])
            .current_dir(root())
            .output()
            .expect("causet runs");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed, read(&format!("examples/{name}/expected.txt")));
        assert_eq!(output.status.code(), Some(1), "{name} has a violation");
        assert!(output.stderr.is_empty(), "{name} prints no warning");
        let hidden = "The recorded order does not show it";
        assert!(
            printed.contains(hidden),
            "{name}: the record shows it already"
        );
    }
}

#[test]
fn every_example_tells_its_story_and_its_command() {
    for name in examples() {
        let page = read(&format!("examples/{name}/README.md"));
        let command = format!(
            "causet check examples/{name}/run.jsonl --props examples/{name}/{name}.props\n"
        );
        assert!(page.contains(&command), "{name}");
    }
}

#[test]
fn the_tutorial_shows_files_as_they_are() {
    let page = read("docs/book/src/tutorial.md");
    for path in [
        "docs/book/samples/lamp.jsonl",
        "examples/valves/run.jsonl",
        "examples/valves/valves.props",
        "examples/lost-update/lost-update.props",
    ] {
        assert!(page.contains(&read(path)), "{path} has changed");
    }
}
