//! The binary and the library say the same.

mod common;

use causet::{Properties, Report, Run, Session};
use common::Folder;
use serde_json::Value;

/// What does not depend on the moment at which it was measured.
fn steady(mut report: Value) -> Value {
    let object = report.as_object_mut().expect("an object");
    object.remove("seconds");
    object.remove("peak_bytes");
    for result in object["results"].as_array_mut().expect("results") {
        let result = result.as_object_mut().expect("a result");
        result.remove("seconds");
        result.remove("certify_seconds");
    }
    report
}

/// The report of the library on an example, and the arguments for the same of the binary.
fn example(name: &str) -> (Report, [String; 4]) {
    let folder = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let (run, props) = (
        format!("{folder}/run.jsonl"),
        format!("{folder}/{name}.props"),
    );
    let read = Run::open(&run).expect("a run");
    let properties = Properties::open(&props).expect("properties");
    let report = Session::new().check(&read, &properties).expect("a report");
    let arguments = ["check".to_owned(), run, "--props".to_owned(), props];
    (report, arguments)
}

#[test]
fn the_report_of_the_library_is_what_the_binary_prints() {
    let folder = Folder::new();
    for name in ["leaders", "valves", "lost-update"] {
        let (report, arguments) = example(name);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let text = folder.run(&arguments);
        assert_eq!(report.to_string(), text.stdout.trim_end(), "{name}");
        arguments.push("--json");
        let json = folder.run(&arguments);
        let own = serde_json::to_value(&report).expect("an object");
        assert_eq!(steady(own), steady(json.json()), "{name}");
        assert_eq!(report.holds(), text.code == Some(0), "{name}");
    }
}

#[test]
fn an_error_of_the_library_is_what_the_binary_prints() {
    let folder = Folder::election();
    let broken = folder.write("t.jsonl", "{\"p\":\"a\",\"set\":{\"x\":}}\n");
    let error = Run::open(&broken).expect_err("it is broken");
    let path = broken.display().to_string();
    let printed = folder.run(&["check", &path, "--ctl", "AG a.x = 1"]);
    assert_eq!(error.to_string().trim_end(), printed.stderr.trim_end());
}
