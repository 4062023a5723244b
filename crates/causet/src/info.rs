//! `causet info`: the size and shape of a run, before anything is asked of it.

use std::time::Duration;

use causet_check::count::{self, MOST_VISITED};
use causet_check::subject::Subject;
use causet_solve::budget::Spent;
use causet_wire::grouped;
use causet_wire::native::Reading;
use causet_wire::report::info::{CutCount, Facts, write, write_json, write_unread_json};

use crate::cli::Info;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::{Input, NotRead};
use crate::limits::{self, Limits};
use crate::output;

/// How many races of one variable are named.
const LISTED_RACES: usize = 1000;
/// How long cuts are counted before their number is estimated.
const SOON: Duration = Duration::from_millis(200);
/// How much memory counting may take beside the run, unless something else is said.
const USUAL_MEMORY: u64 = 2 << 30;

/// Runs the command. The time limit is for the counting: how long reading takes is the log's affair.
pub(crate) fn run(arguments: &Info) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let reading_limits = Limits::new(None, arguments.memory);
    let input = Input::find(&arguments.source)?;
    input.note_left_out();
    let reading = match input.read(&reading_limits) {
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
    let facts = found_out(reading, &limits, arguments.cuts || arguments.json);
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
fn found_out<'t>(reading: &'t Reading, limits: &Limits, exactly: bool) -> Facts<'t> {
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
    let (cuts, is_small) = cuts(subject, limits, exactly);
    let runs = is_small.then(|| count::runs(order, &limits.budget()));
    let facts = Facts {
        subject,
        races: subject.trace.races(LISTED_RACES),
        width: figure(width.ok_or_else(limit)),
        longest_chain: figure(longest_chain),
        cuts,
        runs: runs.map(|runs| figure(runs).map(|runs| runs.to_string())),
        warnings: grouped(&reading.warnings)
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    limits.bar.end();
    facts
}

/// The number of cuts, and whether they may be visited one by one. Where an exact number is not asked for and takes long,
/// an estimate has to do.
fn cuts(subject: Subject<'_>, limits: &Limits, exactly: bool) -> (CutCount, bool) {
    let counting = limits.budget();
    let counted = match exactly {
        true => count::cuts(subject, &counting),
        false => count::cuts(subject, &limits.within(SOON, USUAL_MEMORY).budget()),
    };
    match counted {
        Ok(cuts) => (
            CutCount::Exact(cuts.to_string()),
            cuts <= MOST_VISITED.into(),
        ),
        Err(Spent::Cancelled) => (CutCount::Unknown(Spent::Cancelled.to_string()), false),
        Err(spent) if exactly => (CutCount::Unknown(spent.to_string()), false),
        Err(_) => match count::estimated_cuts(subject, &counting) {
            Ok((low, high)) => (CutCount::Estimated(low, high), false),
            Err(spent) => (CutCount::Unknown(spent.to_string()), false),
        },
    }
}

/// A figure, or the word for the limit that was reached.
fn figure<T>(found: Result<T, Spent>) -> Result<T, String> {
    found.map_err(|spent| spent.to_string())
}
