//! The report of a check as one JSON object, for programs.
//!
//! Fields are only ever added, at the end of their object.

use std::io::{self, Write};

use causet_check::outcome::Witness;
use causet_trace::{Cut, EventId, Trace};
use serde::{Serialize, Serializer};

use super::workers::Row;
use super::{About, Finding, Report};
use crate::lts::json::{Part, Sizes};

/// Writes the report as one line.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let trace = report.about.subject().map(|subject| subject.trace);
    let whole = Whole {
        causet: report.version,
        input: Input::of(report),
        seconds: Seconds {
            read: rounded(report.read_seconds),
            total: rounded(report.total_seconds),
        },
        peak_bytes: report.peak_bytes,
        results: report
            .findings
            .iter()
            .map(|finding| result(finding, trace))
            .collect(),
    };
    serde_json::to_writer(&mut *out, &whole)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Whole<'a> {
    causet: &'a str,
    #[serde(flatten)]
    input: Input<'a>,
    seconds: Seconds,
    peak_bytes: Option<u64>,
    results: Vec<One<'a>>,
}

/// What was read, under the word for it.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Input<'a> {
    Trace(Run<'a>),
    Model(Sizes<'a>),
}

impl<'a> Input<'a> {
    fn of(report: &Report<'a>) -> Input<'a> {
        match report.about {
            About::Run { size, .. } => Input::Trace(Run {
                path: report.path,
                processes: size.map(|size| size.processes),
                events: size.map(|size| size.events),
                messages: size.map(|size| size.messages),
            }),
            About::Model(size) => Input::Model(Sizes::of(report.path, size)),
        }
    }
}

#[derive(Serialize)]
struct Run<'a> {
    path: &'a str,
    processes: Option<usize>,
    events: Option<usize>,
    messages: Option<usize>,
}

#[derive(Serialize)]
struct Seconds {
    read: f64,
    total: f64,
}

#[derive(Serialize)]
struct One<'a> {
    name: &'a str,
    kind: &'a str,
    formula: &'a str,
    verdict: &'a str,
    engine: Option<&'a str>,
    seconds: f64,
    certify_seconds: f64,
    witness: Option<Witnessed<'a>>,
    reason: Option<String>,
    stats: Object<'a, u64>,
    notes: Vec<&'a str>,
    /// Only of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workers: Vec<Row>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Witnessed<'a> {
    Order(Shown<'a>),
    Part(Part<'a>),
}

#[derive(Serialize)]
struct Shown<'a> {
    cut: Option<Object<'a, u32>>,
    run: Vec<(&'a str, u32)>,
    observed: Option<bool>,
    then: Vec<(&'a str, u32)>,
    instance: Option<&'a str>,
}

/// An object whose keys keep their order.
struct Object<'a, V>(Vec<(&'a str, V)>);

impl<V: Serialize> Serialize for Object<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn result<'a>(finding: &'a Finding<'a>, trace: Option<&'a Trace>) -> One<'a> {
    One {
        name: finding.name,
        kind: finding.kind,
        formula: finding.formula,
        verdict: finding.verdict.word(),
        engine: finding.engine,
        seconds: rounded(finding.seconds),
        certify_seconds: rounded(finding.certify_seconds),
        witness: witnessed(finding, trace),
        reason: finding.verdict.reason(),
        stats: Object(finding.stats.clone()),
        notes: finding
            .notes
            .iter()
            .chain(&finding.warnings)
            .map(String::as_str)
            .collect(),
        workers: finding.workers.iter().map(Row::from).collect(),
    }
}

fn witnessed<'a>(finding: &'a Finding<'a>, trace: Option<&'a Trace>) -> Option<Witnessed<'a>> {
    let order = finding.witness.zip(trace);
    let order = order.map(|(witness, trace)| Witnessed::Order(shown(witness, trace)));
    let part = || {
        finding
            .evidence
            .map(|evidence| Witnessed::Part(Part::of(evidence)))
    };
    order.or_else(part)
}

fn shown<'a>(witness: &'a Witness, trace: &'a Trace) -> Shown<'a> {
    Shown {
        cut: witness.cut.as_ref().map(|cut| counts(trace, cut)),
        run: events(trace, &witness.run),
        observed: witness.observed,
        then: events(trace, &witness.then),
        instance: witness.instance.as_deref(),
    }
}

fn counts<'a>(trace: &'a Trace, cut: &Cut) -> Object<'a, u32> {
    let processes = trace.order().processes();
    Object(
        processes
            .map(|process| (trace.process_name(process), cut.of(process)))
            .collect(),
    )
}

fn events<'a>(trace: &'a Trace, events: &[EventId]) -> Vec<(&'a str, u32)> {
    let order = trace.order();
    let named = events.iter().map(|&event| {
        let process = trace.process_name(order.process_of(event));
        (process, order.position_of(event))
    });
    named.collect()
}

/// The order that a witness shows, as it stands in a report.
pub fn witness(witness: &Witness, trace: &Trace) -> serde_json::Value {
    serde_json::to_value(shown(witness, trace)).unwrap_or_default()
}

/// Microseconds are all that a clock on a busy machine can promise.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
