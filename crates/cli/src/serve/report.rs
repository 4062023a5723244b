//! The report of a verdict that was told: the run as it was, decided once more and drawn like that of `check --html`.

use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::Duration;

use causet::inner::{self as watch, Decided, of_report, resident_bytes};
use causet_base::{Code, Diagnostic};
use causet_check::decide::decide;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::ReadError;
use causet_formats::native::{self, Part, ReadOptions};
use causet_report::page;
use causet_report::{About, Report, Size};
use causet_serve::http::reports::Drawn;

use crate::limits;
use crate::properties::Asked;

/// How long it may take to read and decide, and how much memory that may take.
const TIME: Duration = Duration::from_secs(20);
const MEMORY: u64 = 1 << 30;

/// Draws a run for one of the properties.
pub(super) fn draw(
    all: &[Asked],
    run: &str,
    lines: Vec<u8>,
    name: &str,
) -> Result<Drawn, Diagnostic> {
    let asked = all.iter().find(|asked| asked.property.name == name);
    let asked = asked.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|asked| &*asked.property.name).collect();
        let message = format!(
            "the server does not follow a property `{name}` any more; it follows {}",
            names.join(", ")
        );
        Diagnostic::new(Code::NoSuchName, message)
    })?;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("report".to_owned())
            .stack_size(watch::STACK)
            .spawn_scoped(scope, || drawn(asked, run, lines));
        let failed = |error: io::Error| Diagnostic::new(Code::CannotStart, error.to_string());
        let thread = thread.map_err(failed)?;
        let crashed = |_| Err(Diagnostic::new(Code::Internal, "the drawing failed"));
        thread.join().unwrap_or_else(crashed)
    })
}

fn drawn(asked: &Asked, run: &str, lines: Vec<u8>) -> Result<Drawn, Diagnostic> {
    let memory = resident_bytes().map(|used| used + MEMORY);
    let limits = limits::limits(Some(TIME), memory);
    let options = ReadOptions {
        lenient: true,
        ..ReadOptions::default()
    };
    let reading = native::read(vec![Part::new(run, Cursor::new(lines))], &options, &limits);
    let reading = reading.map_err(|error| match error {
        ReadError::Fault(fault) => fault,
        error => Diagnostic::new(Code::NotReadable, error.to_string()),
    })?;
    let read_seconds = limits.seconds();
    let subject = Subject {
        trace: &reading.trace,
        parts: &reading.parts,
    };
    let question = prepare(&subject, &asked.property, &asked.lets);
    let question = question.map_err(|errors| {
        let first = errors.into_iter().next();
        let (code, message) = match &first {
            Some(error) => (error.code, error.message.as_str()),
            None => (
                Code::NothingToCheck,
                "the property means nothing on this run",
            ),
        };
        Diagnostic::new(code, message)
    })?;
    let outcome = decide(&subject, &question, Choice::Auto, &limits.budget());
    let outcome =
        outcome.map_err(|failure| Diagnostic::new(Code::Internal, failure.to_string()))?;
    let decided = Decided::alone(Arc::new(question), outcome, limits.seconds() - read_seconds);
    let budget = limits.budget();
    let report = Report {
        remarks: causet_report::remarks::Remarks::default(),
        version: env!("CARGO_PKG_VERSION"),
        path: run,
        about: About::Run {
            subject: Some(subject),
            size: Some(Size::of(subject.trace)),
        },
        read_seconds,
        budget: &budget,
        peak_bytes: limits::peak_bytes,
        findings: vec![decided.finding(asked, Some(&subject), None, None, false, &budget)],
    };
    let page = page::report(&report, of_report(&report, &limits));
    let page = page.ok_or_else(|| Diagnostic::new(Code::NoEvents, "there is no run to draw"))?;
    Ok(Drawn {
        html: page.html,
        policy: page.policy,
    })
}
