//! `causet slice`: a run reduced to the cuts that satisfy a predicate.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use causet_base::Code;
use causet_base::Diagnostic;
use causet_check::prepare::prepare;
use causet_check::slicing::{NoSlice, slice};
use causet_check::subject::Subject;
use causet_check::wanted::{Role, Wanted};
use causet_formula::{Kind, Lets, Property};
use causet_report::page::{self, Extras, SliceShown};
use causet_report::slice::{Sliced, write_dot, write_json, write_summary, write_summary_json};
use causet_report::{About, Report, Size};

use crate::cli::{Slice, SliceFormat};
use crate::diagnostics;
use std::sync::Arc;

use crate::failure::{Failure, Status};
use crate::input;
use crate::limits::{self, Limits};
use crate::output;
use causet::inner::{FormulaText, density};

/// How long cuts are counted when nothing else is said.
const COUNTING: Duration = Duration::from_secs(5);
/// How much memory counting may take beside the run when nothing else is said.
const COUNTING_MEMORY: u64 = 2 << 30;

/// Runs the command.
pub(crate) fn run(arguments: &Slice) -> Result<Status, Failure> {
    let source = Arc::new(FormulaText {
        name: "--predicate".to_owned(),
        text: arguments.predicate.clone(),
    });
    let property = Property::parse(Kind::Ctl, "slice", &source.text);
    let property = property.map_err(|errors| told(&source, &errors))?;
    limits::listen_for_interrupt();
    let limits = limits::limits(arguments.timeout, arguments.memory);
    // A limit that was given is for the whole command.
    let given = arguments.timeout.map(|_| counting_limits(arguments));
    let input = input::find(&arguments.source)?;
    let Some(reading) = input::read_whole(&input, &limits)? else {
        return Ok(Status::Unknown);
    };
    let subject = Subject {
        trace: &reading.trace,
        parts: &reading.parts,
    };
    let question = prepare(&subject, &property, &Lets::none());
    let question = question.map_err(|errors| told(&source, &errors))?;
    for warning in &question.warnings {
        diagnostics::show_in(&source, warning);
    }
    limits.begin("slicing", None);
    let counting = given.unwrap_or_else(|| counting_limits(arguments));
    let wanted = Wanted::by_formula(&question);
    let found = slice(
        subject,
        &wanted.goal,
        wanted.vars,
        &limits.budget(),
        &counting.budget(),
    );
    limits.end();
    let found = match found {
        Ok(found) => found,
        Err(NoSlice::Spent(spent)) => {
            diagnostics::sentence(
                Code::LimitReached,
                &format!("slicing was stopped: {spent}"),
                None,
            );
            return Ok(Status::Unknown);
        }
        Err(NoSlice::Refused(reason)) => {
            return Err(Failure::helped(
                Code::NoSlice,
                format!("there is no slice for this predicate: {reason}"),
                "`causet check` decides properties of any predicate",
            ));
        }
    };
    let sliced = Sliced {
        trace: &reading.trace,
        predicate: &arguments.predicate,
        slice: &found,
    };
    if let Some(path) = &arguments.html {
        page_to(path, &input.path, subject, &sliced, &limits.for_report())?;
    }
    deliver(arguments, &sliced)?;
    Ok(Status::Fine)
}

/// Writes the run with the slice as a page.
fn page_to(
    path: &Path,
    title: &str,
    subject: Subject<'_>,
    sliced: &Sliced<'_>,
    limits: &Limits,
) -> Result<(), Failure> {
    let budget = limits.budget();
    let report = Report {
        remarks: causet_report::remarks::Remarks::default(),
        version: env!("CARGO_PKG_VERSION"),
        path: title,
        about: About::Run {
            subject: Some(subject),
            size: Some(Size::of(subject.trace)),
        },
        read_seconds: 0.0,
        budget: &budget,
        peak_bytes: || None,
        findings: Vec::new(),
    };
    let shown = SliceShown::of(subject.trace, Role::Satisfy, Ok(sliced.slice), &budget);
    let extras = Extras {
        slices: Vec::new(),
        slice: Some((sliced.predicate.to_owned(), shown)),
        density: density(subject, &[], limits),
    };
    match page::report(&report, extras) {
        Some(page) => output::to_file(path, |out| out.write_all(page.html.as_bytes())),
        None => Ok(()),
    }
}

/// Counting is the only part that may take longer than anyone would wait, so it has limits of its own.
fn counting_limits(arguments: &Slice) -> Limits {
    let usual = || limits::resident_bytes().unwrap_or(0) + COUNTING_MEMORY;
    limits::limits(
        Some(arguments.timeout.unwrap_or(COUNTING)),
        Some(arguments.memory.unwrap_or_else(usual)),
    )
}

/// The graph to where it was asked for; a summary to standard output when that is elsewhere, or there is a page instead.
fn deliver(arguments: &Slice, sliced: &Sliced<'_>) -> Result<(), Failure> {
    let graph = |out: &mut dyn Write| -> io::Result<()> {
        match arguments.to {
            SliceFormat::Json => write_json(sliced, out),
            SliceFormat::Dot => write_dot(sliced, out),
        }
    };
    match (&arguments.output, &arguments.html) {
        (Some(path), _) => output::to_file(path, graph)?,
        (None, Some(_)) => {}
        (None, None) => return output::stream_to_stdout(graph),
    }
    output::stream_to_stdout(|out| match arguments.json {
        true => write_summary_json(sliced, out),
        false => write_summary(sliced, out),
    })
}

fn told(source: &Arc<FormulaText>, errors: &[Diagnostic]) -> Failure {
    for error in errors {
        diagnostics::show_in(source, error);
    }
    Failure::Told
}
