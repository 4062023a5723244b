//! The report of a check as SARIF 2.1.0, for whoever shows findings beside the lines they are about.
//!
//! Every property is a rule. A violated one is an error at the event that decides it, the last of its witness; an
//! undecided one is a warning about the run as a whole. A property that holds is no finding.

use std::io::{self, Write};

use causet_base::Code;
use causet_check::outcome::Verdict;
use causet_trace::{EventId, Place};
use serde::Serialize;

use crate::message::message;
use crate::{Finding, Report};
use causet_formats::lint::{Linted, advice};
use causet_formats::words::{clean, one_line};

/// Writes the report.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let findings = || report.findings.iter().enumerate();
    let rules = findings().map(|(_, finding)| rule(finding)).collect();
    let results = findings().filter_map(|(index, finding)| result(report, index, finding));
    write_log(report.version, rules, results.collect(), out)
}

/// Writes what was found in a log.
pub fn write_lint(linted: &Linted, version: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut broken: Vec<Code> = Vec::new();
    let results = linted.findings.iter().map(|finding| {
        let known = broken.iter().position(|code| *code == finding.code);
        let rule_index = known.unwrap_or_else(|| {
            broken.push(finding.code);
            broken.len() - 1
        });
        Found {
            rule_id: finding.code.rule().to_owned(),
            rule_index,
            kind: "fail",
            level: finding.severity.word(),
            message: Message {
                text: clean(&finding.message),
            },
            locations: match finding.line {
                0 => Vec::new(),
                line => vec![located(&finding.file, Some(line))],
            },
        }
    });
    let results = results.collect();
    let rules = broken.iter().map(|code| Rule {
        id: code.rule().to_owned(),
        name: Some(code.to_string()),
        short_description: Message {
            text: advice(*code).0.to_owned(),
        },
    });
    write_log(version, rules.collect(), results, out)
}

fn write_log(
    version: &str,
    rules: Vec<Rule>,
    results: Vec<Found>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let driver = Driver {
        name: "causet",
        version,
        rules,
    };
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            results,
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
struct Run<'a> {
    tool: Tool<'a>,
    results: Vec<Found>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'a str,
    version: &'a str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    /// The code of a rule for logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    short_description: Message,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    rule_id: String,
    rule_index: usize,
    kind: &'static str,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

fn rule(finding: &Finding<'_>) -> Rule {
    let text = format!("{} {}", finding.kind, one_line(finding.formula));
    Rule {
        id: clean(finding.name),
        name: None,
        short_description: Message { text: clean(&text) },
    }
}

fn result(report: &Report<'_>, index: usize, finding: &Finding<'_>) -> Option<Found> {
    let name = clean(finding.name);
    let (kind, level, mut text) = match finding.verdict {
        Verdict::Holds => return None,
        Verdict::Violated => {
            let formula = clean(&one_line(finding.formula));
            let text = format!("{name} is violated: {} {formula}", finding.kind);
            ("fail", "error", text)
        }
        verdict => {
            let reason = verdict.reason().unwrap_or_default();
            ("open", "warning", format!("{name} is unknown: {reason}"))
        }
    };
    if let Some(message) = message(report, finding) {
        text = format!("{text}. {message}");
    }
    if finding.witness.and_then(|witness| witness.observed) == Some(false)
        && report.about.subject().is_some()
    {
        text.push_str(". The recorded order does not show it; another order of the same run does");
    }
    let deciding = finding.witness.and_then(|witness| {
        let run = witness.enough.and_then(|enough| witness.run.get(..enough));
        run.unwrap_or(&witness.run).last().copied()
    });
    Some(Found {
        rule_id: name,
        rule_index: index,
        kind,
        level,
        message: Message { text },
        locations: vec![location(report, deciding)],
    })
}

/// The place of an event, or of the whole run.
fn location(report: &Report<'_>, event: Option<EventId>) -> Location {
    let place: Option<(Place, &str)> =
        report.about.subject().zip(event).and_then(|(run, event)| {
            let place = run.trace.place(event);
            Some((place, run.parts.get(place.part as usize)?.as_str()))
        });
    let file = place.map_or(report.path, |(_, file)| file);
    let line = place.map(|(place, _)| place.line).filter(|&line| line > 0);
    located(file, line)
}

fn located(file: &str, line: Option<u32>) -> Location {
    Location {
        physical_location: Physical {
            artifact_location: Artifact { uri: uri(file) },
            region: line.map(|start_line| Region { start_line }),
        },
    }
}

/// The name of a file as a relative or absolute reference of a URI.
fn uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_files_are_references() {
        assert_eq!(super::uri("logs/a b.jsonl"), "logs/a%20b.jsonl");
        assert_eq!(super::uri("ä"), "%C3%A4");
    }
}
