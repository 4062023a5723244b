//! The report of a check as JUnit XML: one suite for the run, one test case per property.
//!
//! A property that holds passes, a violated one fails, an undecided one is an error.

use std::io::{self, Write};

use causet_check::outcome::Verdict;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::text;
use super::words::clean;
use super::{Finding, Palette, Report};

/// Writes the report.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let tally = report.tally();
    let tests = report.findings.len().to_string();
    let failures = tally.violated.to_string();
    let errors = tally.unknown.to_string();
    let time = seconds(report.total_seconds);
    let path = clean(report.path);
    let totals = |name| {
        [
            ("name", name),
            ("tests", tests.as_str()),
            ("failures", failures.as_str()),
            ("errors", errors.as_str()),
            ("time", time.as_str()),
        ]
    };
    xml.create_element("testsuites")
        .with_attributes(totals("causet"))
        .write_inner_content(|xml| {
            xml.create_element("testsuite")
                .with_attributes(totals(&path))
                .write_inner_content(|xml| {
                    let mut findings = report.findings.iter();
                    findings.try_for_each(|finding| case(report, finding, xml))
                })
                .map(drop)
        })?;
    writeln!(xml.get_mut())
}

fn case(
    report: &Report<'_>,
    finding: &Finding<'_>,
    xml: &mut Writer<&mut dyn Write>,
) -> io::Result<()> {
    let (name, time) = (clean(finding.name), seconds(finding.seconds));
    let case = xml.create_element("testcase").with_attributes([
        ("name", name.as_str()),
        ("classname", finding.kind),
        ("time", time.as_str()),
    ]);
    let (element, message) = match finding.verdict {
        Verdict::Holds => return case.write_empty().map(drop),
        Verdict::Violated => (
            "failure",
            format!("violated: {}", one_line(finding.formula)),
        ),
        verdict => {
            let reason = verdict.reason().unwrap_or_default();
            ("error", format!("unknown: {reason}"))
        }
    };
    let description = description(report, finding)?;
    case.write_inner_content(|xml| {
        xml.create_element(element)
            .with_attributes([
                ("message", message.as_str()),
                ("type", finding.verdict.word()),
            ])
            .write_text_content(BytesText::new(&description))
            .map(drop)
    })
    .map(drop)
}

/// What a person would read on the terminal.
fn description(report: &Report<'_>, finding: &Finding<'_>) -> io::Result<String> {
    let mut bytes = Vec::new();
    text::finding(report, finding, &Palette::plain(), &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The clean formula in one line: an attribute has no others.
fn one_line(formula: &str) -> String {
    clean(&super::words::one_line(formula))
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}
