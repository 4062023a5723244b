//! The end of a check: the report on the terminal or for programs, the files beside it, the exit status.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use causet::inner as extras;
use causet_base::budget::Spent;
use causet_base::{Code, Diagnostic};
use causet_report::json::{self, LongOrders};
use causet_report::{Report, Stopped, junit, text};
use causet_report::{itf, page, sarif};

use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::limits::Limits;
use crate::output;

/// In which forms a report is wanted.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Forms<'a> {
    /// One JSON object instead of text.
    pub(crate) json: bool,
    /// How that object tells long orders.
    pub(crate) long_orders: LongOrders,
    /// No text.
    pub(crate) quiet: bool,
    /// A page for a browser as well.
    pub(crate) html: Option<&'a Path>,
    /// A JUnit file as well.
    pub(crate) junit: Option<&'a Path>,
    /// A SARIF file as well.
    pub(crate) sarif: Option<&'a Path>,
    /// The first witness as a file of states.
    pub(crate) itf: Option<&'a Path>,
    /// Why the command fails although it has verdicts.
    pub(crate) refused: Option<&'a Diagnostic>,
}

/// How long a report on some properties, with this many files beside it, takes once the limits allow no details.
pub(crate) fn time(properties: usize, explains: bool, files: usize) -> Duration {
    let explanation = EXPLANATION_TIME * u32::from(explains);
    let each = SENTENCE_TIME + explanation + ROW_TIME * files as u32;
    each * properties as u32
}

/// The time for the sentence of a verdict, its explanation, and its row in a file, as measured on 20,000 properties.
const SENTENCE_TIME: Duration = Duration::from_micros(55);
const EXPLANATION_TIME: Duration = Duration::from_micros(70);
const ROW_TIME: Duration = Duration::from_micros(12);

/// Prints and writes a report, and gives the status.
pub(crate) fn report(
    report: &Report<'_>,
    forms: Forms<'_>,
    limits: &Limits,
) -> Result<Status, Failure> {
    if !forms.json && !forms.quiet {
        let mut bytes = Vec::new();
        text::write(report, &output::palette(), &mut bytes).map_err(|error| {
            Failure::io(Code::NotWritable, "the report cannot be written", &error)
        })?;
        diagnostics::before_report();
        output::to_stdout(&bytes)?;
    }
    let written = files(report, forms, limits);
    let refused = forms.refused.cloned().map(Failure::Refused);
    let ended = written.and_then(|()| refused.map_or(Ok(()), Err));
    if forms.json {
        let error = match &ended {
            Err(Failure::Refused(error)) => Some(error),
            _ => None,
        };
        // The last of all, so that its seconds are those of everything.
        output::stream_to_stdout(|out| json::write(report, forms.long_orders, error, out))?;
    }
    ended.map(|()| status(report))
}

/// Writes the files beside the report.
fn files(report: &Report<'_>, forms: Forms<'_>, limits: &Limits) -> Result<(), Failure> {
    if let Some(path) = forms.html {
        page_to(report, path, limits)?;
    }
    if let Some(path) = forms.junit {
        output::to_file(path, |out| junit::write(report, out))?;
    }
    if let Some(path) = forms.sarif {
        output::to_file(path, |out| sarif::write(report, out))?;
    }
    if let Some(path) = forms.itf {
        first_witness(report, path)?;
    }
    Ok(())
}

/// Writes the page; without a run there is none, and that is said.
fn page_to(report: &Report<'_>, path: &Path, limits: &Limits) -> Result<(), Failure> {
    match page::report(report, extras::of_report(report, limits)) {
        Some(page) => output::to_file(path, |out| out.write_all(page.html.as_bytes())),
        None => {
            let message = format!("{} was not written: the run was not kept", path.display());
            diagnostics::warning(Code::ReportLeftOut, &message, None);
            Ok(())
        }
    }
}

/// Writes the states along the first witness; without one, or beyond a limit, there is no file, and that is said.
fn first_witness(report: &Report<'_>, path: &Path) -> Result<(), Failure> {
    let witnessed = report.findings.iter().find_map(|finding| {
        let witness = finding.witness?;
        Some((finding.name, witness, report.about.subject()?.trace))
    });
    let Some((name, witness, trace)) = witnessed else {
        let message = format!("{} was not written: there is no witness", path.display());
        diagnostics::warning(Code::ReportLeftOut, &message, None);
        return Ok(());
    };
    within_limits(path, |out| {
        itf::write_witness(trace, witness, name, report.budget, out)
    })
}

/// Writes a file that means nothing unless it is whole: beyond a limit there is none, and that is said.
fn within_limits(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Stopped>,
) -> Result<(), Failure> {
    let mut reached = None;
    let written = output::to_file(path, |out| {
        write(out).map_err(|stopped| match stopped {
            Stopped::Failed(error) => error,
            Stopped::Limit(spent) => {
                reached = Some(spent);
                io::Error::other(spent.to_string())
            }
        })
    });
    let Some(spent) = reached else {
        return written;
    };
    left_out(path, spent);
    Ok(())
}

/// Says that a file was not written because a limit was reached.
pub(crate) fn left_out(path: &Path, spent: Spent) {
    let message = format!(
        "{} was not written: a limit was reached ({spent})",
        path.display()
    );
    let help = match spent {
        Spent::Time => Some("raise --timeout"),
        Spent::Memory => Some("raise --memory"),
        Spent::Cancelled => None,
    };
    diagnostics::warning(Code::ReportLeftOut, &message, help);
}

/// The status that a report stands for.
pub(crate) fn status(report: &Report<'_>) -> Status {
    let tally = report.tally();
    match (tally.violated, tally.unknown) {
        (0, 0) => Status::Fine,
        (0, _) => Status::Unknown,
        _ => Status::Violated,
    }
}
