//! `causet lint`: everything that is wrong or suspicious in a log.

use causet_base::Code;
use causet_formats::lint::{write_json, write_text};
use causet_report::sarif;

use crate::cli::Lint;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::{self, NotRead};
use crate::limits;
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: &Lint) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let input = input::find(&arguments.source)?;
    let limits = limits::limits(None, None);
    input.note_left_out(&limits);
    let linted = match input.lint(&limits) {
        Ok(linted) => linted,
        Err(NotRead::Failed(failure)) => return Err(failure),
        Err(NotRead::Stopped(spent)) => {
            diagnostics::sentence(
                Code::LimitReached,
                &format!("reading was stopped: {spent}"),
                None,
            );
            return Ok(Status::Unknown);
        }
    };
    if let Some(path) = &arguments.sarif {
        let version = env!("CARGO_PKG_VERSION");
        output::to_file(path, |out| sarif::write_lint(&linted, version, out))?;
    }
    output::stream_to_stdout(|out| match arguments.json {
        true => write_json(&linted, out),
        false => write_text(&linted, out),
    })?;
    Ok(match linted.findings.is_empty() {
        true => Status::Fine,
        false => Status::Violated,
    })
}
