//! `causet info`: the size and shape of a run, before anything is asked of it.

use std::sync::Arc;
use std::time::Duration;

use causet::inner as watch;
use causet_base::Code;
use causet_base::budget::{Meter, Spent};
use causet_check::count::{self, MOST_VISITED};
use causet_check::subject::Subject;
use causet_formats::grouped;
use causet_formats::native::Reading;
use causet_report::info::{CutCount, Facts, Traffic, types, write, write_json, write_unread_json};

use crate::cli::Info;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::{self, NotRead};
use crate::limits::{self, Limits};
use crate::output;

/// How many races of one variable are named.
const LISTED_RACES: usize = 1000;
/// How long cuts are counted before their number is estimated.
const SOON: Duration = Duration::from_millis(200);
/// How many bytes for each event it takes to find the width.
const WIDTH: usize = 24;
/// How long counting may take, and how much memory beside the run, unless something else is said.
const USUAL_TIME: Duration = Duration::from_secs(5);
const USUAL_MEMORY: u64 = 2 << 30;

/// Runs the command.
pub(crate) fn run(arguments: &Info) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let input = input::find(&arguments.source)?;
    let limits = Arc::new(limits::limits(arguments.timeout, arguments.memory));
    input.note_left_out(&limits);
    let own = Arc::clone(&limits);
    // Reading may outlive this function when the watcher gives up on it.
    let reading = match watch::finished(&limits, move || input.read(&own)) {
        Ok(reading) => reading,
        Err(NotRead::Failed(failure)) => return Err(failure),
        Err(NotRead::Stopped(spent)) => {
            let message = format!("reading was stopped: {spent}");
            diagnostics::sentence(Code::LimitReached, &message, None);
            if arguments.json {
                let mut bytes = Vec::new();
                write_unread_json(&mut bytes).map_err(|error| {
                    Failure::io(Code::NotWritable, "the report cannot be written", &error)
                })?;
                output::to_stdout(&bytes)?;
            }
            return Ok(Status::Unknown);
        }
    };
    let time = limits.time_left().unwrap_or(USUAL_TIME);
    let limits = limits::limits(Some(time), Some(memory(arguments)));
    let facts = found_out(&reading, &limits, arguments.cuts || arguments.json);
    let mut bytes = Vec::new();
    let written = match arguments.json {
        true => write_json(&facts, &mut bytes),
        false => write(&facts, &output::palette(), &mut bytes),
    };
    written
        .map_err(|error| Failure::io(Code::NotWritable, "the report cannot be written", &error))?;
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
    limits.begin("counting", None);
    let order = subject.trace.order();
    let unstopped = || limits.reached().is_none();
    // What one pass finds comes before what may take all of the time.
    let traffic = Traffic::of(subject.trace, &limits.budget()).ok();
    let types = types(subject.trace, &limits.budget()).ok();
    let races = unstopped().then(|| subject.trace.races(LISTED_RACES));
    // Only a limit stops the search for the width; memory may have been given back since.
    let limit = || limits.reached().unwrap_or(Spent::Memory);
    let width = match limits.budget().charge(WIDTH * order.len()) {
        Ok(()) => order.width(&unstopped).ok_or_else(limit),
        Err(spent) => Err(spent),
    };
    let longest_chain = count::longest_chain(order, &limits.budget());
    let (cuts, is_small) = cuts(subject, limits, exactly);
    let runs = is_small.then(|| count::runs(order, &limits.budget()));
    let facts = Facts {
        subject,
        races,
        traffic,
        types,
        width,
        longest_chain,
        cuts,
        runs: runs.map(|runs| runs.map(|runs| runs.to_string())),
        warnings: grouped(&reading.warnings)
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    limits.end();
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
        Err(Spent::Cancelled) => (CutCount::Unknown(Spent::Cancelled), false),
        Err(spent) if exactly => (CutCount::Unknown(spent), false),
        Err(_) => match count::estimated_cuts(subject, &counting) {
            Ok((low, high)) => (CutCount::Estimated(low, high), false),
            Err(spent) => (CutCount::Unknown(spent), false),
        },
    }
}
