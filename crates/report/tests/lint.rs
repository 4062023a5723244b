//! What is found in logs that are wrong or suspicious, and that nothing is found in those that are not.

use causet_base::Severity;
use causet_formats::ReadError;
use causet_formats::lint::{Linted, lint, write_json, write_text};
use causet_formats::logs::LogOptions;
use causet_formats::native::Part;
use causet_report::sarif;

fn linted(text: &str) -> Result<Linted, ReadError> {
    let parts = vec![Part::new("log", text.as_bytes())];
    lint(parts, &LogOptions::default(), &())
}

/// The rules that a log breaks, with their lines.
fn broken(text: &str) -> Vec<(&'static str, u32)> {
    let linted = linted(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let findings = linted.findings.iter();
    findings
        .map(|finding| (finding.code.rule(), finding.line))
        .collect()
}

#[test]
fn every_rule_is_broken_once() {
    for (text, wanted) in [
        (
            r#"{"p":"a","send":"m","set":{"x":1}}
{"p":"b","recv":"m"}"#,
            &[][..],
        ),
        (
            r#"{"p":"a","send":"m"}
{"p":"b","recv":"m"}
{"p":"b","recv":"n"}"#,
            &[("receive-without-send", 3)],
        ),
        (
            r#"{"p":"a","send":"m"}
{"p":"a","send":"m"}
{"p":"b","recv":"m"}"#,
            &[("message-sent-twice", 2)],
        ),
        (
            r#"{"p":"a","clock":{"a":1}}
{"p":"a","clock":{"a":3}}
{"p":"b","clock":{"a":3,"b":1}}"#,
            &[("clock-skips", 2)],
        ),
        (
            r#"{"p":"a","clock":{"a":1}}
{"p":"a","clock":{"a":2}}
{"p":"a","clock":{"a":1}}
{"p":"b","clock":{"a":2,"b":1}}"#,
            &[("clock-goes-back", 3)],
        ),
        (
            r#"{"p":"a","clock":{"a":1}}
{"p":"b","clock":{"a":5,"b":1}}"#,
            &[("clock-beyond-log", 2)],
        ),
        (
            r#"{"p":"a","clock":{"a":1,"zebra":2}}
{"p":"b","clock":{"a":1,"b":1}}"#,
            &[("clock-of-unknown-process", 1)],
        ),
        (
            r#"{"p":"a","id":"e","send":"m"}
{"p":"b","id":"e","recv":"m"}"#,
            &[("duplicate-id", 2)],
        ),
        (
            r#"{"p":"a","after":[["b",1]]}
{"p":"b","after":[["a",1]]}"#,
            &[("cycle", 2)],
        ),
        (
            r#"{"p":"a","send":"m","t":5}
{"p":"b","recv":"m","t":3}"#,
            &[("time-contradicts-order", 2)],
        ),
        (
            r#"{"p":"a","send":"m"}
{"p":"b","recv":"m"}
{"p":"c"}"#,
            &[("isolated-process", 3)],
        ),
        (
            r#"{"p":"a","send":"m","set":{"x":1}}
{"p":"b","recv":"m"}
{"p":"a","set":{"x":1}}"#,
            &[("constant-variable", 1)],
        ),
        (
            r#"{"p":"a","send":["m","n"]}
{"p":"b","recv":"m"}"#,
            &[("message-never-received", 1)],
        ),
        (
            r#"{"causet":1,"shared":["s"]}
{"p":"a","send":"m"}
{"p":"b","recv":"m"}
{"p":"a","set":{"s":1}}
{"p":"b","set":{"s":2}}"#,
            &[("race", 5)],
        ),
        (
            r#"{"p":"a","send":"m"}
{"p":"b","recv":"m"}
{"p":"b","end":true}
{"p":"b"}"#,
            &[("event-after-end", 4)],
        ),
    ] {
        assert_eq!(broken(text), wanted, "{text}");
    }
}

#[test]
fn what_is_wrong_does_not_hide_what_else_is_wrong() {
    let text = r#"{"p":"a","id":"e","clock":{"a":2}}
{"p":"a","id":"e","clock":{"a":1}}
{"p":"b","recv":"m"}"#;
    let rules: Vec<&str> = broken(text).into_iter().map(|(rule, _)| rule).collect();
    for rule in [
        "duplicate-id",
        "clock-skips",
        "clock-goes-back",
        "receive-without-send",
    ] {
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
}

#[test]
fn many_of_a_kind_are_counted() {
    let lines: Vec<String> = (0..50)
        .map(|n| format!("{{\"p\":\"a\",\"recv\":\"m{n}\"}}"))
        .collect();
    let linted = linted(&lines.join("\n")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(linted.findings.len(), 21);
    assert!(linted.findings[20].message.contains("30 more"));
}

#[test]
fn what_is_no_log_is_refused() {
    assert!(matches!(linted("{\"p\":\n"), Err(ReadError::Fault(_))));
}

#[test]
fn findings_are_told_in_three_ways() {
    let linted =
        linted("{\"p\":\"a\",\"recv\":\"<b>\"}\n").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(linted.findings[0].severity, Severity::Warning);
    let mut text = Vec::new();
    write_text(&linted, &mut text).expect("memory");
    let text = String::from_utf8(text).expect("text");
    assert!(
        text.starts_with("log:1: warning[receive-without-send]: "),
        "{text}"
    );
    assert!(text.contains("help: Log the send"), "{text}");
    let mut json = Vec::new();
    write_json(&linted, &mut json).expect("memory");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["findings"][0]["rule"], "receive-without-send");
    assert_eq!(json["findings"][0]["line"], 1);
    let mut report = Vec::new();
    sarif::write_lint(&linted, "0", &mut report).expect("memory");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let result = &report["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "receive-without-send");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 1);
}
