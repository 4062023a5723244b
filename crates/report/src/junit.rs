//! Reports as JUnit XML: one suite for a run with one test case per property, or one for tests of a program.
//!
//! A property that holds passes, a violated one fails, an undecided one is an error. A test that comes to no verdict is
//! skipped: nothing was wrong, and nothing was shown.

use std::io::{self, Write};

use causet_check::outcome::Verdict;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::message::message;
use super::text;
use super::words::clean;
use super::{Finding, Report};

/// Writes the report.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tally = report.tally();
    let totals = vec![
        ("tests", report.findings.len().to_string()),
        ("failures", tally.violated.to_string()),
        ("errors", tally.unknown.to_string()),
        ("time", seconds(report.total_seconds())),
    ];
    let name_width = text::name_width(report);
    suite(report.path, &totals, out, |xml| {
        let mut findings = report.findings.iter();
        findings.try_for_each(|finding| case(report, finding, name_width, xml))
    })
}

/// A test of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Tested {
    /// What the person calls it.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// What was wrong, if anything.
    pub end: End,
}

/// How a test of a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing was wrong.
    Passed,
    /// The program did what it must not: in a sentence, and at length.
    Failed(String, String),
    /// There is no verdict: in a sentence.
    Undecided(String),
    /// It could not be run to its end: in a sentence.
    Broken(String),
}

/// Writes the report of tests of a program.
pub fn write_tests(name: &str, tests: &[Tested], out: &mut dyn Write) -> io::Result<()> {
    let count = |wanted: fn(&End) -> bool| {
        let found = tests.iter().filter(|test| wanted(&test.end));
        found.count().to_string()
    };
    let totals = vec![
        ("tests", tests.len().to_string()),
        ("failures", count(|end| matches!(end, End::Failed(..)))),
        ("errors", count(|end| matches!(end, End::Broken(_)))),
        ("skipped", count(|end| matches!(end, End::Undecided(_)))),
        ("time", seconds(tests.iter().map(|test| test.seconds).sum())),
    ];
    suite(name, &totals, out, |xml| {
        tests.iter().try_for_each(|test| tested(test, xml))
    })
}

fn tested(test: &Tested, xml: &mut Writer<&mut dyn Write>) -> io::Result<()> {
    let (name, time) = (clean(&test.name), seconds(test.seconds));
    let case = xml.create_element("testcase").with_attributes([
        ("name", name.as_str()),
        ("classname", "test"),
        ("time", time.as_str()),
    ]);
    let (element, message, text) = match &test.end {
        End::Passed => return case.write_empty().map(drop),
        End::Failed(message, text) => ("failure", message, text.as_str()),
        End::Undecided(message) => ("skipped", message, ""),
        End::Broken(message) => ("error", message, ""),
    };
    let text: Vec<String> = text.lines().map(clean).collect();
    case.write_inner_content(|xml| {
        xml.create_element(element)
            .with_attribute(("message", clean(message).as_str()))
            .write_text_content(BytesText::new(&text.join("\n")))
            .map(drop)
    })
    .map(drop)
}

/// Writes a document of one suite, which has the name and the totals.
fn suite(
    name: &str,
    totals: &[(&str, String)],
    out: &mut dyn Write,
    cases: impl FnOnce(&mut Writer<&mut dyn Write>) -> io::Result<()>,
) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let name = clean(name);
    let totals = totals.iter().map(|(key, value)| (*key, value.as_str()));
    xml.create_element("testsuites")
        .with_attribute(("name", "causet"))
        .with_attributes(totals.clone())
        .write_inner_content(|xml| {
            xml.create_element("testsuite")
                .with_attribute(("name", name.as_str()))
                .with_attributes(totals)
                .write_inner_content(cases)
                .map(drop)
        })?;
    writeln!(xml.get_mut())
}

fn case(
    report: &Report<'_>,
    finding: &Finding<'_>,
    name_width: usize,
    xml: &mut Writer<&mut dyn Write>,
) -> io::Result<()> {
    let (name, time) = (clean(finding.name), seconds(finding.seconds));
    let case = xml.create_element("testcase").with_attributes([
        ("name", name.as_str()),
        ("classname", finding.kind),
        ("time", time.as_str()),
    ]);
    let (element, mut summary) = match finding.verdict {
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
    if let Some(message) = message(report, finding) {
        summary = format!("{summary}. {message}");
    }
    let mut description = Vec::new();
    text::finding(report, finding, name_width, &mut description)?;
    let description = String::from_utf8_lossy(&description);
    case.write_inner_content(|xml| {
        xml.create_element(element)
            .with_attributes([
                ("message", summary.as_str()),
                ("type", finding.verdict.word()),
            ])
            .write_text_content(BytesText::new(&description))
            .map(drop)
    })
    .map(drop)
}

/// The clean formula in one line: an attribute has no others.
fn one_line(formula: &str) -> String {
    clean(&super::words::one_line(formula))
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}
