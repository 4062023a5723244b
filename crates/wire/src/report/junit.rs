//! The report of a check as JUnit XML: one suite for the run, one test case per property.

use std::io::{self, Write};
use std::time::Duration;

use causet_check::outcome::Verdict;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::text;
use super::{Finding, Palette, Report};

/// Writes the report.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut suite = TestSuite::new(report.path);
    suite.set_time(duration(report.total_seconds));
    for finding in &report.findings {
        suite.add_test_case(case(report, finding)?);
    }
    let mut whole = quick_junit::Report::new("causet");
    whole.set_time(duration(report.total_seconds));
    whole.add_test_suite(suite);
    whole.serialize(out).map_err(io::Error::other)
}

/// A property that holds passes, a violated one fails, an undecided one is an error.
fn case(report: &Report<'_>, finding: &Finding<'_>) -> io::Result<TestCase> {
    let status = match finding.verdict {
        Verdict::Holds => TestCaseStatus::success(),
        Verdict::Violated => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("violated: {}", finding.formula));
            status.set_type("violated");
            status.set_description(description(report, finding)?);
            status
        }
        Verdict::Unknown(spent) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(format!("unknown: {spent}"));
            status.set_type("unknown");
            status.set_description(description(report, finding)?);
            status
        }
    };
    let mut case = TestCase::new(finding.name, status);
    case.set_classname(finding.kind);
    case.set_time(duration(finding.seconds));
    Ok(case)
}

/// What a person would read on the terminal.
fn description(report: &Report<'_>, finding: &Finding<'_>) -> io::Result<String> {
    let mut bytes = Vec::new();
    text::finding(report, finding, &Palette::plain(), &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
