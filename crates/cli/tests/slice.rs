//! `causet slice`: the graph, the summary, and what is refused.

mod common;

use common::Folder;
use serde_json::json;

#[test]
fn the_graph_goes_to_standard_output() {
    let folder = Folder::election();
    let ran = folder
        .run(&["slice", "t.jsonl", "-p", "a.leader && b.leader"])
        .ends(0);
    let slice = ran.json();
    assert_eq!(slice["lean"], json!(true));
    assert_eq!(slice["cuts"], json!({"before": "18", "after": "4"}));
    assert_eq!(slice["bottom"], json!({"a": 1, "b": 2, "c": 0}));
    assert_eq!(slice["top"], json!({"a": 1, "b": 3, "c": 1}));
    assert_eq!(slice["nodes"][0], json!({"id": 0, "events": [["b", 3]]}));
    assert_eq!(slice["edges"], json!([]));
}

#[test]
fn a_file_leaves_the_summary() {
    let folder = Folder::election();
    let arguments = [
        "slice",
        "t.jsonl",
        "-p",
        "b.leader || c.x = 1",
        "-o",
        "s.dot",
        "--to",
        "dot",
    ];
    let text = folder.run(&arguments).ends(0).stdout;
    assert!(text.contains("lean    no"), "{text}");
    assert!(folder.read("s.dot").starts_with("digraph slice {"));
    let object = folder
        .run(&[&arguments[..], &["--json"]].concat())
        .ends(0)
        .json();
    assert_eq!(object["lean"], json!(false));
    assert!(object.get("nodes").is_none());
}

#[test]
fn no_cut_at_all() {
    let folder = Folder::election();
    let slice = folder
        .run(&["slice", "t.jsonl", "-p", "c.x = 7"])
        .ends(0)
        .json();
    assert_eq!(
        (&slice["bottom"], &slice["cuts"]["after"]),
        (&json!(null), &json!("0"))
    );
}

#[test]
fn what_is_wrong_is_refused() {
    let folder = Folder::election();
    folder
        .run(&["slice", "t.jsonl", "-p", "a.leadr"])
        .ends(2)
        .complains("--predicate:1:1");
    folder
        .run(&["slice", "t.jsonl", "-p", "EX a.leader"])
        .ends(2)
        .complains("there is no slice for this predicate: it speaks of the next event");
    folder
        .run(&["slice", "t.jsonl"])
        .ends(2)
        .complains("--predicate");
    folder
        .run(&["slice", "t.jsonl", "-p", "a.leader", "--memory", "1K"])
        .ends(3)
        .complains("was stopped: memory");
}
