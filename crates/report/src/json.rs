//! The report of a check as one JSON object, for programs.
//!
//! Fields are only ever added, at the end of their object.

use std::io::{self, Write};

use causet_base::Diagnostic;
use causet_base::budget::Spent;
use serde::{Serialize, Serializer};

use super::orders::{self, MOST_LISTED, Order};
use super::workers::Row;
use super::{About, Finding, Report};
use crate::SCHEMA;
use crate::diagnostics::DiagnosticJson;
use crate::lts::json::{Part, Sizes};

pub use super::orders::{LongOrders, witness};

/// Writes the report as one line. The seconds are those it took to get so far; the error is why the command fails although
/// it has verdicts.
pub fn write(
    report: &Report<'_>,
    long: LongOrders,
    error: Option<&Diagnostic>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let results = results(report, long)?;
    let head = Head {
        causet: report.version,
        schema: SCHEMA,
        input: Input::of(report),
        seconds: Seconds {
            read: rounded(report.read_seconds),
            total: rounded(report.total_seconds()),
        },
        peak_bytes: (report.peak_bytes)(),
        warnings: messages(&report.remarks.warnings),
        notes: messages(&report.remarks.notes),
        diagnostics: report.remarks.all().map(DiagnosticJson::from).collect(),
    };
    let mut head = serde_json::to_vec(&head)?;
    // The object goes on.
    head.pop();
    out.write_all(&head)?;
    out.write_all(b",\"results\":")?;
    out.write_all(&results)?;
    if let Some(error) = error {
        out.write_all(b",\"error\":")?;
        serde_json::to_writer(&mut *out, &DiagnosticJson::error(error))?;
    }
    out.write_all(b"}\n")
}

/// The array of results. One is made after the other, so that only its text is kept of each.
fn results(report: &Report<'_>, long: LongOrders) -> io::Result<Vec<u8>> {
    let witnesses = report.findings.iter().filter_map(|one| one.witness);
    let events = witnesses.map(|witness| witness.run.len() + witness.then.len());
    let are_few = events.sum::<usize>() <= MOST_LISTED;
    let mut bytes = vec![b'['];
    for (number, one) in report.findings.iter().enumerate() {
        if number > 0 {
            bytes.push(b',');
        }
        // A few events are listed whatever the limits.
        let limit = report.budget.look().err().filter(|_| !are_few);
        let before = bytes.len();
        serde_json::to_writer(&mut bytes, &result(one, report, (long, limit)))?;
        // Only a limit on memory refuses this, and the next look sees it as well.
        let _ = report.budget.charge(bytes.len() - before);
    }
    bytes.push(b']');
    Ok(bytes)
}

#[derive(Serialize)]
struct Head<'a> {
    causet: &'a str,
    schema: u32,
    #[serde(flatten)]
    input: Input<'a>,
    seconds: Seconds,
    peak_bytes: Option<u64>,
    /// What is odd about the run as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'a str>,
    /// Both, with their codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticJson<'a>>,
}

fn messages(remarks: &[Diagnostic]) -> Vec<&str> {
    remarks
        .iter()
        .map(|remark| remark.message.as_str())
        .collect()
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
    notes: Vec<String>,
    /// Only of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    workers: Vec<Row>,
    /// What shows the verdict, in words.
    sentence: Option<String>,
    /// What is odd about the property, with codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticJson<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Witnessed<'a> {
    Order(Order<'a>),
    Part(Part<'a>),
}

/// An object whose keys keep their order.
pub(super) struct Object<'a, V>(pub(super) Vec<(&'a str, V)>);

impl<V: Serialize> Serialize for Object<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn result<'a>(
    finding: &'a Finding<'a>,
    report: &Report<'a>,
    (long, limit): (LongOrders, Option<Spent>),
) -> One<'a> {
    let order = finding.witness.zip(report.about.subject());
    let order = order.map(|(witness, subject)| match limit {
        Some(spent) => orders::left_out(witness, subject, spent),
        None => orders::of(witness, subject, long, report.budget),
    });
    let (order, left_out) = order.map_or((None, None), |(order, left_out)| (Some(order), left_out));
    let notes = finding.notes.iter().cloned();
    let notes = notes.chain(finding.warnings.iter().map(Diagnostic::sentence));
    let part = || finding.evidence.map(Part::of).map(Witnessed::Part);
    One {
        name: finding.name,
        kind: finding.kind,
        formula: finding.formula,
        verdict: finding.verdict.word(),
        engine: finding.engine,
        seconds: rounded(finding.seconds),
        certify_seconds: rounded(finding.certify_seconds),
        witness: order.map(Witnessed::Order).or_else(part),
        reason: finding.verdict.reason(),
        stats: Object(finding.stats.clone()),
        notes: notes.chain(left_out).collect(),
        workers: finding.workers.iter().map(Row::from).collect(),
        sentence: finding.sentence(),
        diagnostics: finding.warnings.iter().map(DiagnosticJson::from).collect(),
    }
}

/// Microseconds are all that a clock on a busy machine can promise.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
