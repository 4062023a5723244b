//! `causet check`: arguments to a task of the library, and what came out of it to the terminal and to files.

mod workforce;

use std::sync::Arc;
use std::time::Duration;

use causet::Run;
use causet::inner::{Done, NotRead, Origin, Task, Team, finished};
use causet_base::{Code, Diagnostic};
use causet_check::engine::guided;
use causet_check::plan::Choice;
use causet_check::upto::Modality;
use causet_report::{Report, words};

use crate::cli::{Ask, Check};
use crate::failure::{Failure, Status};
use crate::input;
use crate::limits;
use crate::properties::{self, Properties};
use crate::publish::{self, Forms};
use crate::together::Workforce;

/// Runs the command.
pub(crate) fn run(arguments: &Check) -> Result<Status, Failure> {
    let is_two_phase = arguments.engine == Choice::Forced(&guided::TWO_PHASE);
    let uses_steps = is_two_phase || arguments.stats;
    if arguments.max_steps.is_some() && !uses_steps {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "--max-steps is for the engine two-phase",
            "add --engine two-phase, or --stats to compare it with other searches",
        ));
    }
    limits::listen_for_interrupt();
    let worked = worked(arguments, properties::read, Duration::ZERO)?;
    publish(&worked, arguments)
}

/// Decides properties, if there are any, for commands that show run and report in a way of their own; `None` when there is
/// no run to show.
pub(crate) fn shown<T: Send + 'static>(
    arguments: &Check,
    show: impl FnOnce(&Run, &Report<'_>) -> Option<T> + Send + 'static,
) -> Result<Option<T>, Failure> {
    limits::listen_for_interrupt();
    let Worked { done, .. } = worked(arguments, properties::read_any, SHOWING_TIME_PER_BYTE)?;
    let Some(run) = done.run() else {
        return Ok(None);
    };
    // The time that is set aside is for showing, and the details of verdicts leave it.
    let limits = done.limits().for_report().with_aside(Duration::ZERO);
    let shown = finished(&limits, move || {
        Ok(done.report(false, |report, _| show(&run, report)))
    });
    match shown {
        Ok(shown) => Ok(shown),
        Err(NotRead::Stopped(_)) => Ok(None),
        Err(NotRead::Failed(failure)) => Err(failure),
    }
}

/// The time to show a run, for each byte of its files, as measured on ten million events.
const SHOWING_TIME_PER_BYTE: Duration = Duration::from_nanos(2);

/// What came out of the work, and the workers if there were several.
struct Worked {
    done: Done,
    workforce: Option<Arc<Workforce>>,
}

/// Does the work, as far as the limits allow; time is set aside to tell the verdicts, and for each byte of the run.
fn worked(
    arguments: &Check,
    read: impl FnOnce(&[Ask]) -> Result<Properties, Failure>,
    time_per_byte: Duration,
) -> Result<Worked, Failure> {
    let limits = limits::limits(arguments.timeout, arguments.memory);
    let properties = read(&arguments.asked.0)?;
    let is_broken = !properties.errors().is_empty();
    let workforce = workforce::gather(arguments, &properties)?.map(Arc::new);
    let has_others = arguments.together.has_others();
    let is_first = workforce.as_ref().is_none_or(|all| all.is_first());
    if arguments.quiet || !is_first {
        limits::be_quiet();
    }
    let input = input::find(&arguments.source)?;
    let bytes = u32::try_from(input.size().unwrap_or(0)).unwrap_or(u32::MAX);
    let telling = telling(arguments, properties.all().len());
    limits.set_aside(telling + time_per_byte * bytes);
    let team = workforce.as_ref();
    let task = Task {
        limits: Arc::new(limits),
        origin: Origin::Input(Box::new(input)),
        properties,
        choice: arguments.engine,
        workers: arguments.source.workers(),
        // Others may be asked to be quiet, as long as the first is not.
        shows: !arguments.quiet || writes_files(arguments) || arguments.json || has_others,
        max_steps: arguments.max_steps,
        compares: arguments.stats,
        streams: arguments.stream,
        upto: upto(arguments),
        team: team.map(|team| Arc::<Workforce>::clone(team) as Arc<dyn Team>),
    };
    let done = task.run()?;
    if is_broken {
        return Err(Failure::Told);
    }
    Ok(Worked { done, workforce })
}

/// How long the verdicts on some properties take to report once the limits allow no details.
fn telling(arguments: &Check, properties: usize) -> Duration {
    let files = [
        &arguments.junit,
        &arguments.sarif,
        &arguments.itf,
        &arguments.html,
    ];
    let files = files.iter().filter(|file| file.is_some()).count();
    let explanation = EXPLANATION_TIME * u32::from(arguments.explain);
    let each = SENTENCE_TIME + explanation + ROW_TIME * files as u32;
    each * properties as u32
}

/// The time for the sentence of a verdict, its explanation, and its row in a file, as measured on 20,000 properties.
const SENTENCE_TIME: Duration = Duration::from_micros(55);
const EXPLANATION_TIME: Duration = Duration::from_micros(70);
const ROW_TIME: Duration = Duration::from_micros(12);

/// Refuses what would be refused by every process that is started with these arguments.
pub(crate) fn preflight(arguments: &Check) -> Result<(), Failure> {
    workforce::accept(arguments)?;
    let properties = properties::read(&arguments.asked.0);
    properties.and_then(properties::all_read).map(drop)
}

/// The cut at which the orders asked about end, as it was written, and what is asked about them.
fn upto(arguments: &Check) -> Option<(String, Modality)> {
    let some = arguments.some.clone().map(|cut| (cut, Modality::Some));
    some.or(arguments.all.clone().map(|cut| (cut, Modality::All)))
}

/// Whether there are files beside the report.
fn writes_files(arguments: &Check) -> bool {
    let files = [
        &arguments.html,
        &arguments.junit,
        &arguments.sarif,
        &arguments.itf,
    ];
    files.iter().any(|file| file.is_some())
}

/// Prints and writes what is known, and gives the status.
fn publish(worked: &Worked, arguments: &Check) -> Result<Status, Failure> {
    let Worked { done, workforce } = worked;
    done.warn_of_divisions();
    let warnings = done.warnings();
    done.report(arguments.explain, |report, limits| {
        if let Some(workforce) = workforce {
            workforce.conclude(arguments.quiet);
            if !workforce.is_first() {
                return Ok(publish::status(report));
            }
        }
        let is_denied =
            arguments.deny_warnings && warnings > 0 && publish::status(report) != Status::Violated;
        let refused = is_denied.then(|| denied(warnings));
        let forms = Forms {
            json: arguments.json,
            long_orders: arguments.witness.into(),
            quiet: arguments.quiet,
            html: arguments.html.as_deref(),
            junit: arguments.junit.as_deref(),
            sarif: arguments.sarif.as_deref(),
            itf: arguments.itf.as_deref(),
            refused: refused.as_ref(),
        };
        publish::report(report, forms, limits)
    })
}

/// Why warnings make a command fail.
fn denied(warnings: usize) -> Diagnostic {
    let warnings = words::count(warnings, "warning");
    let message = format!("{warnings}, and --deny-warnings is given");
    Diagnostic::new(Code::WarningsDenied, message)
}
