//! `causet info`: the size and shape of a run, before anything is asked of it.

use causet_check::count;
use causet_check::subject::Subject;
use causet_solve::budget::Spent;
use causet_wire::report::info::{Facts, write, write_json, write_unread_json};

use crate::cli::Info;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::{Input, NotRead};
use crate::limits::{self, Limits};
use crate::output;

/// How many races of one variable are named.
const LISTED_RACES: usize = 1000;

/// Runs the command. The time limit is for the counting: how long reading takes is the log's affair.
pub(crate) fn run(arguments: &Info) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let reading_limits = Limits::new(None, arguments.memory);
    let reading = match Input::find(&arguments.source)?.read(&reading_limits) {
        Ok(reading) => Box::leak(Box::new(reading)),
        Err(NotRead::Failed(failure)) => return Err(failure),
        Err(NotRead::Stopped(spent)) => {
            let message = format!("reading was stopped: {spent}");
            diagnostics::sentence(&message, None);
            if arguments.json {
                let mut bytes = Vec::new();
                write_unread_json(&mut bytes)
                    .map_err(|error| Failure::io("the report cannot be written", &error))?;
                output::to_stdout(&bytes)?;
            }
            return Ok(Status::Unknown);
        }
    };
    let limits = Limits::new(Some(arguments.timeout), arguments.memory);
    let subject = Subject {
        trace: &reading.trace,
        parts: &reading.parts,
    };
    limits.bar.start("counting cuts", None);
    let unstopped = || limits.reached().is_none();
    let width = subject.trace.order().width(&unstopped);
    // Only a limit stops the search for the width; memory may have been given back since.
    let limit = || limits.reached().unwrap_or(Spent::Memory).to_string();
    let cuts = count::cuts(subject.trace.order(), &limits.budget());
    let facts = Facts {
        subject,
        races: subject.trace.races(LISTED_RACES),
        width: width.ok_or_else(limit),
        cuts: cuts.map_err(|spent| spent.to_string()),
        warnings: reading.warnings.iter().map(ToString::to_string).collect(),
    };
    limits.bar.end();
    let mut bytes = Vec::new();
    let written = match arguments.json {
        true => write_json(&facts, &mut bytes),
        false => write(&facts, &output::palette(), &mut bytes),
    };
    written.map_err(|error| Failure::io("the report cannot be written", &error))?;
    output::to_stdout(&bytes)?;
    Ok(Status::Fine)
}
