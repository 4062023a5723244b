//! `causet gen` from outside: the same seed, the same bytes; what it writes is what `check` and `info` read.

mod common;

use common::Folder;

#[test]
fn a_run_and_its_properties_are_checked_at_once() {
    let folder = Folder::new();
    for (faulty, status) in [(false, 0), (true, 1)] {
        let mut line = vec!["gen", "peterson", "--events", "120", "-o", "run.jsonl"];
        line.extend(["--props", "run.props"]);
        line.extend(faulty.then_some("--faulty"));
        let silent = folder.run(&line).ends(0);
        assert_eq!(silent.stdout, "");
        folder
            .run(&["check", "run.jsonl", "--props", "run.props"])
            .ends(status);
    }
}

#[test]
fn the_numbers_are_those_asked_for() {
    let folder = Folder::new();
    let line = "gen ddph --procs 7 --events 300 --seed 5 -o run.jsonl";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ends(0);
    let line = ["info", "run.jsonl", "--json", "--timeout", "1s"];
    let info = folder.run(&line).ends(0).json();
    assert_eq!(info["events"], 300);
    assert_eq!(info["processes"].as_array().map(Vec::len), Some(7));
    assert_eq!(info["races_total"], 0);
}

#[test]
fn ten_philosophers_have_more_cuts_than_can_be_visited() {
    let folder = Folder::new();
    let cuts = |procs: &str, events: &str| {
        let set = ["gen", "philosophers", "--set", "work=4", "--seed", "1"];
        let size = ["--procs", procs, "--events", events, "-o", "run.jsonl"];
        folder.run(&[set, size].concat()).ends(0);
        let line = ["info", "run.jsonl", "--json"];
        folder.run(&line).ends(0).json()["cuts"].clone()
    };
    assert_eq!(cuts("3", "100"), "2060");
    assert_eq!(cuts("10", "200"), "4441931969");
}

#[test]
fn standard_output_and_compressed_files_hold_the_same_run() {
    let folder = Folder::new();
    let line = ["gen", "abp", "--events", "50", "--seed", "3"];
    let plain = folder.run(&line).ends(0).stdout;
    assert_eq!(plain.lines().count(), 51);
    assert_eq!(plain, folder.run(&line).ends(0).stdout);
    for name in ["run.jsonl", "run.jsonl.gz", "run.jsonl.zst"] {
        folder.run(&[&line[..], &["-o", name]].concat()).ends(0);
        let convert = ["convert", name, "--to", "jsonl"];
        let events = folder.run(&convert).ends(0).stdout.lines().count();
        assert_eq!(events, 51, "{name}");
    }
    assert_eq!(folder.read("run.jsonl"), plain);
}

#[test]
fn all_models_are_listed_and_a_misspelt_one_is_guessed() {
    let folder = Folder::new();
    let list = folder.run(&["gen", "--list"]).ends(0).stdout;
    for name in ["random", "philosophers", "giop"] {
        assert!(list.lines().any(|line| line == name), "{name}");
    }
    let one = folder.run(&["gen", "filter", "--list"]).ends(0).stdout;
    assert!(list.contains(&one) && one.lines().count() < 6);
    folder
        .run(&["gen", "petreson"])
        .ends(2)
        .complains("did you mean `peterson`?");
    folder.run(&["gen"]).ends(2).complains("MODEL");
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    for (arguments, complaint) in [
        ("peterson --procs 3", "it has always 2"),
        ("philosophers --set wrok=4", "it has work"),
        ("philosophers --set work=101", "it goes from 0 to 100"),
        ("philosophers --set work", "such as work=4"),
        ("philosophers --set work=1 --set work=2", "given twice"),
        ("abp --events -1", "-1"),
    ] {
        let mut line = vec!["gen", "-o", "run.jsonl"];
        line.extend(arguments.split(' '));
        folder.run(&line).ends(2).complains(complaint);
        assert!(!folder.path().join("run.jsonl").exists(), "{arguments}");
    }
    folder
        .run(&["gen", "abp", "-o", "no/such/folder.jsonl"])
        .ends(2)
        .complains("cannot be written");
}
