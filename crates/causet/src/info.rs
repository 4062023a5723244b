//! `causet info`: the size and shape of a run, before anything is asked of it.

use causet_check::count::{self, MOST_VISITED};
use causet_check::subject::Subject;
use causet_solve::budget::Spent;
use causet_wire::native::Reading;
use causet_wire::report::info::{Facts, write, write_json, write_unread_json};

use crate::cli::Info;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::{Input, NotRead};
use crate::limits::{self, Limits};
use crate::output;

/// How many races of one variable are named.
const LISTED_RACES: usize = 1000;
/// How much memory counting may take beside the run, unless something else is said.
const USUAL_MEMORY: u64 = 2 << 30;

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
    let limits = Limits::new(Some(arguments.timeout), Some(memory(arguments)));
    let facts = found_out(reading, &limits);
    let mut bytes = Vec::new();
    let written = match arguments.json {
        true => write_json(&facts, &mut bytes),
        false => write(&facts, &output::palette(), &mut bytes),
    };
    written.map_err(|error| Failure::io("the report cannot be written", &error))?;
    output::to_stdout(&bytes)?;
    Ok(Status::Fine)
}

/// How much memory may be used. Without a limit, counting would go on taking memory until the time is up.
fn memory(arguments: &Info) -> u64 {
    let usual = || limits::resident_bytes().unwrap_or(0) + USUAL_MEMORY;
    arguments.memory.unwrap_or_else(usual)
}

/// The figures of a run, each one as far as the limits allow.
fn found_out<'t>(reading: &'t Reading, limits: &Limits) -> Facts<'t> {
    let subject = Subject {
        trace: &reading.trace,
        parts: &reading.parts,
    };
    limits.bar.start("counting", None);
    let order = subject.trace.order();
    let unstopped = || limits.reached().is_none();
    let width = order.width(&unstopped);
    // Only a limit stops the search for the width; memory may have been given back since.
    let limit = || limits.reached().unwrap_or(Spent::Memory);
    let longest_chain = count::longest_chain(order, &limits.budget());
    let cuts = count::cuts(subject, &limits.budget());
    let runs = match &cuts {
        Ok(cuts) if *cuts > MOST_VISITED.into() => None,
        Ok(_) => Some(count::runs(order, &limits.budget())),
        Err(spent) => Some(Err(*spent)),
    };
    let facts = Facts {
        subject,
        races: subject.trace.races(LISTED_RACES),
        width: figure(width.ok_or_else(limit)),
        longest_chain: figure(longest_chain),
        cuts: figure(cuts).map(|cuts| cuts.to_string()),
        runs: runs.map(|runs| figure(runs).map(|runs| runs.to_string())),
        warnings: reading.warnings.iter().map(ToString::to_string).collect(),
    };
    limits.bar.end();
    facts
}

/// A figure, or the word for the limit that was reached.
fn figure<T>(found: Result<T, Spent>) -> Result<T, String> {
    found.map_err(|spent| spent.to_string())
}
