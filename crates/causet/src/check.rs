//! `causet check`: properties and a trace in, verdicts out.
//!
//! The work is done by one thread while another watches the limits. A property without an answer at the end is unknown.

mod desk;
mod workforce;

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use causet_base::budget::{Budget, Spent};
use causet_base::{Code, Diagnostic, Severity};
use causet_check::compare::Comparison;
use causet_check::engine::ist::Stock;
use causet_check::engine::{Engine, guided};
use causet_check::outcome::{Outcome, Verdict, Witness};
use causet_check::plan::{Choice, Plan};
use causet_check::prepare::{Question, prepare_all, prepare_lazily};
use causet_check::records::Records;
use causet_check::subject::{Subject, process_id, var_id};
use causet_check::upto::Modality;
use causet_trace::{History, ProcessId, StoredValue, Trace, VarId};
use causet_wire::caveats::Caveat;
use causet_wire::remarks::{Remarks, remarks};
use causet_wire::report::{About, Finding, Report, Size, words, workers};
use causet_wire::story::{self, Story};

use crate::claim::Claim;
use crate::cli::Check;
use crate::cut_text;
use crate::diagnostics;
use crate::explain;
use crate::failure::{Failure, Status};
use crate::input::{Input, NotRead};
use crate::limits::{self, Limits};
use crate::properties::{Asked, Properties};
use crate::publish::{self, Forms, finding};
use crate::stream;
use crate::together::{Inputs, Workforce, reported, stats as stats_of};
use crate::watch;

use desk::Desk;

/// Runs the command.
pub(crate) fn run(arguments: &Check) -> Result<Status, Failure> {
    let limits = Limits::new(arguments.timeout, arguments.memory);
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
    let properties = Properties::read(&arguments.asked.0)?;
    let job = worked(arguments, limits, properties, Duration::ZERO)?;
    match job.properties.broken {
        true => Err(Failure::Told),
        false => job.publish(arguments),
    }
}

/// Decides properties, if there are any, for somebody who shows run and report in a way of their own; `None` when there is
/// no run to show.
pub(crate) fn shown<T: Send + 'static>(
    arguments: &Check,
    properties: Properties,
    show: impl FnOnce(Subject<'static>, &Report<'_>) -> Option<T> + Send + 'static,
) -> Result<Option<T>, Failure> {
    limits::listen_for_interrupt();
    let limits = Limits::new(arguments.timeout, arguments.memory);
    let job = worked(arguments, limits, properties, SHOWING_TIME_PER_BYTE)?;
    if job.properties.broken {
        return Err(Failure::Told);
    }
    // The time that is set aside is for showing, and the details of verdicts leave it.
    let limits = job.limits.for_report().with_aside(Duration::ZERO);
    let shown = watch::finished(Box::leak(Box::new(limits)), || {
        let known = job.known();
        let details = job.limits.for_report();
        let budget = details.budget();
        let report = job.report(&known, false, &budget);
        Ok(known.subject.and_then(|subject| show(subject, &report)))
    });
    match shown {
        Ok(shown) => Ok(shown),
        Err(NotRead::Stopped(_)) => Ok(None),
        Err(NotRead::Failed(failure)) => Err(failure),
    }
}

/// The time to show a run, for each byte of its files, as measured on ten million events.
const SHOWING_TIME_PER_BYTE: Duration = Duration::from_nanos(2);

/// Does the work, as far as the limits allow; time is set aside to tell the verdicts, and for each byte of the run.
fn worked(
    arguments: &Check,
    limits: Limits,
    properties: Properties,
    time_per_byte: Duration,
) -> Result<&'static Job, Failure> {
    let workforce = workforce::gather(arguments, &properties)?;
    let input = Input::find(&arguments.source)?;
    let bytes = u32::try_from(input.size().unwrap_or(0)).unwrap_or(u32::MAX);
    let telling = telling(arguments, properties.all.len());
    let limits = limits.with_aside(telling + time_per_byte * bytes);
    let has_others = arguments.together.has_others();
    // The work may outlive this function when the watcher gives up on it.
    let job: &'static Job = Box::leak(Box::new(Job {
        limits,
        input,
        properties,
        choice: arguments.engine,
        workers: arguments.source.workers(),
        quiet: arguments.quiet || workforce.as_ref().is_some_and(|all| !all.is_first()),
        // Others may be asked to be quiet, as long as the first is not.
        shows: !arguments.quiet || writes_files(arguments) || arguments.json || has_others,
        max_steps: arguments.max_steps,
        compares: arguments.stats,
        streams: arguments.stream,
        upto: upto(arguments),
        workforce,
        known: Mutex::default(),
    }));
    match &job.workforce {
        Some(workforce) => {
            workforce.watch(&job.limits)?;
            workforce.run(&job.limits, || job.work(), || job.is_complete())?;
        }
        None => watch::run(&job.limits, || job.work())?,
    }
    Ok(job)
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
    publish::time(properties, arguments.explain, files)
}

/// Refuses what would be refused by every process that is started with these arguments.
pub(crate) fn preflight(arguments: &Check) -> Result<(), Failure> {
    workforce::accept(arguments)?;
    match Properties::read(&arguments.asked.0)?.broken {
        true => Err(Failure::Told),
        false => Ok(()),
    }
}

/// The cut at which the orders asked about end, as it was written, and what is asked about them.
fn upto(arguments: &Check) -> Option<(String, Modality)> {
    let some = arguments.some.clone().map(|cut| (cut, Modality::Some));
    some.or(arguments.all.clone().map(|cut| (cut, Modality::All)))
}

/// Whether somebody will read more than the terminal shows.
fn writes_files(arguments: &Check) -> bool {
    let files = [
        &arguments.html,
        &arguments.junit,
        &arguments.sarif,
        &arguments.itf,
    ];
    files.iter().any(|file| file.is_some())
}

/// Everything the work needs and everything it has found out.
struct Job {
    limits: Limits,
    input: Input,
    properties: Properties,
    choice: Choice,
    workers: usize,
    quiet: bool,
    /// Whether anyone will see more than the exit status; a witness nobody sees is not worked out.
    shows: bool,
    /// How many events of one process the two-phase search may take in a row.
    max_steps: Option<u32>,
    /// Whether the searches level by level are compared.
    compares: bool,
    /// Whether the run is not kept.
    streams: bool,
    /// At which cut the orders asked about end, if not at the final one.
    upto: Option<(String, Modality)>,
    /// Those who resolve equations, if that is not one thread alone.
    workforce: Option<Workforce>,
    known: Mutex<Known>,
}

/// What is known so far.
#[derive(Default)]
struct Known {
    subject: Option<Subject<'static>>,
    size: Option<Size>,
    /// What is odd about the run as a whole.
    remarks: Remarks,
    /// What its format leaves out of the order.
    caveat: Option<&'static Caveat>,
    read_seconds: Option<f64>,
    /// The limit that stopped the work before any property was decided.
    stopped: Option<Spent>,
    /// One place per property, filled in any order.
    decided: Vec<Option<Decided<'static>>>,
}

impl Known {
    /// How many things were warned of, notes and what a reader let pass not counted.
    fn warnings(&self) -> usize {
        let decided = self.decided.iter().flatten();
        let formulas = decided.map(|decided| {
            let warnings = decided.question.warnings.iter();
            let warnings = warnings
                .filter(|warning| warning.severity == Severity::Warning)
                .count();
            warnings + usize::from(decided.outcome.divided_by_zero)
        });
        formulas.sum::<usize>() + self.remarks.warnings.len()
    }
}

/// A property with its answer.
pub(crate) struct Decided<'q> {
    question: &'q Question,
    outcome: Outcome,
    seconds: f64,
    /// The part of it that went into re-checking the witness.
    certify_seconds: f64,
    /// The searches level by level, for each language of runs, if they were compared.
    comparisons: Vec<Comparison>,
}

impl Job {
    /// Reads the trace, prepares every property, then decides them, several at a time.
    fn work(&'static self) -> Result<(), Failure> {
        if self.streams {
            return self.stream();
        }
        let Some(subject) = self.read()? else {
            return Ok(());
        };
        let (records, questions) = self.prepare(subject)?;
        // Like the trace, what was made of it lives as long as the process: taking it apart would only take time.
        let questions: &'static [Question] = Box::leak(questions.into_boxed_slice());
        let budget = self.limits.budget();
        let asked: Vec<&Question> = questions.iter().collect();
        let plan = match self.plan(records, &asked, &budget) {
            Ok(plan) => Box::leak(Box::new(plan?)),
            Err(spent) => {
                self.known().stopped = Some(spent);
                return Ok(());
            }
        };
        self.known().decided.resize_with(questions.len(), || None);
        self.limits.bar.start(checking(&self.properties.all), None);
        let desk = Desk {
            job: self,
            stock: Stock::new(&budget),
            plan,
            questions,
            next: AtomicUsize::new(0),
            budget: &budget,
        };
        let workers = match self.workforce {
            // All of them work on each.
            Some(_) => 1,
            None => self.workers.min(questions.len()).max(1),
        };
        let ended = desk.decide_all(workers);
        self.limits.bar.end();
        ended
    }

    /// Decides the properties while the run passes by, twice.
    fn stream(&self) -> Result<(), Failure> {
        let streamed = stream::check(&self.input, &self.properties, &self.limits, self.quiet)?;
        if !self.quiet {
            self.input.note_left_out();
        }
        let seconds = streamed.check_seconds;
        let decided = streamed.answers.into_iter().map(|answer| {
            let (question, outcome) = answer?;
            let question = Box::leak(Box::new(question));
            Some(Decided::alone(question, outcome, seconds))
        });
        let mut known = self.known();
        known.size = streamed.size;
        known.read_seconds = Some(streamed.read_seconds);
        known.stopped = streamed.stopped;
        known.decided = decided.collect();
        Ok(())
    }

    /// Plans the work; a property that the engine asked for cannot decide is refused.
    fn plan(
        &self,
        records: Records<'static>,
        questions: &[&Question],
        budget: &Budget<'_>,
    ) -> Result<Result<Plan<'static>, Failure>, Spent> {
        let plan = Plan::new(records, questions, self.choice, budget)?;
        let plan = plan.with_max_steps(self.max_steps);
        let plan = if self.shows {
            plan
        } else {
            plan.without_trails()
        };
        let mut refused = false;
        for (number, asked) in self.properties.all.iter().enumerate() {
            if let Some(reason) = plan.refusal(number, budget)? {
                let name = &asked.property.name;
                let engine = self.forced().map_or("auto", |engine| engine.name);
                let message = format!("the engine `{engine}` cannot decide {name}: {reason}");
                diagnostics::sentence(
                    Code::EngineRefuses,
                    &message,
                    Some("--engine auto chooses one that can"),
                );
                refused = true;
            }
        }
        Ok(match refused {
            true => Err(Failure::Told),
            false => Ok(plan),
        })
    }

    /// The trace, kept for as long as the process lives; `None` when a limit stopped the reading.
    fn read(&self) -> Result<Option<Subject<'static>>, Failure> {
        let start = Instant::now();
        let inputs = Inputs::default();
        let all = self.workforce.as_ref();
        let counted = all.is_some_and(Workforce::has_others).then_some(&inputs);
        let reading = self.input.read_counted(&self.limits, counted);
        self.known().read_seconds = Some(start.elapsed().as_secs_f64());
        let reading = match reading {
            Ok(reading) => Box::leak(Box::new(reading)),
            Err(NotRead::Failed(failure)) => return Err(failure),
            Err(NotRead::Stopped(_)) if self.properties.broken => return Err(Failure::Told),
            Err(NotRead::Stopped(spent)) => {
                self.known().stopped = Some(spent);
                return Ok(None);
            }
        };
        if !self.quiet {
            self.input.note_left_out();
            diagnostics::read_warnings(&reading.warnings);
        }
        let remarks = remarks(&reading.trace);
        if !self.quiet {
            diagnostics::remarks(&remarks);
        }
        let subject = Subject {
            trace: &reading.trace,
            parts: &reading.parts,
        };
        let mut known = self.known();
        known.subject = Some(subject);
        known.size = Some(Size::of(subject.trace));
        known.remarks = remarks;
        known.caveat = reading.caveat.as_ref();
        drop(known);
        if let Some(spent) = all.map_or(Ok(None), |all| all.agree(&inputs))? {
            self.known().stopped = Some(spent);
            return Ok(None);
        }
        Ok(Some(subject))
    }

    /// Binds every property to the trace; all that is wrong with any of them is shown.
    fn prepare(
        &self,
        subject: Subject<'static>,
    ) -> Result<(Records<'static>, Vec<Question>), Failure> {
        let properties = self.properties.bare();
        // Where something is missing from the log, each instance may be in doubt for a reason of its own.
        let is_whole = subject.trace.holes().is_empty();
        let bind = match self.choice {
            Choice::Auto if is_whole => prepare_lazily,
            _ => prepare_all,
        };
        let (records, questions) = bind(subject, &properties, self.workers);
        let prepared = self.properties.accept(questions, self.quiet)?;
        let prepared = match &self.upto {
            Some((cut, modality)) => self.ending(prepared, cut, *modality, &subject)?,
            None => prepared,
        };
        Ok((records, prepared))
    }

    /// The same questions about the orders up to a cut.
    fn ending(
        &self,
        questions: Vec<Question>,
        cut: &str,
        modality: Modality,
        subject: &Subject<'_>,
    ) -> Result<Vec<Question>, Failure> {
        let cut = cut_text::read(cut, subject.trace)?;
        let questions = questions.into_iter().zip(&self.properties.all);
        let questions = questions.map(|(question, asked)| {
            question.upto(&cut, modality).ok_or_else(|| {
                let name = &asked.property.name;
                Failure::helped(
                    Code::ArgumentsDoNotFit,
                    format!("{name} is not about runs, so --some and --all mean nothing for it"),
                    "they are for LTL, monitors, sequences and regular expressions",
                )
            })
        });
        questions.collect()
    }

    /// The engine the person asked for, if any.
    fn forced(&self) -> Option<&'static Engine> {
        match self.choice {
            Choice::Auto => None,
            Choice::Forced(engine) => Some(engine),
        }
    }

    /// Whether the work came to every property.
    fn is_complete(&self) -> bool {
        let decided = &self.known().decided;
        decided.len() == self.properties.all.len() && decided.iter().all(Option::is_some)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints and writes what is known, and gives the status.
    fn publish(&self, arguments: &Check) -> Result<Status, Failure> {
        let known = self.known();
        self.warn_of_divisions(&known);
        let limits = self.limits.for_report();
        let budget = limits.budget();
        let report = self.report(&known, arguments.explain, &budget);
        if let Some(workforce) = &self.workforce {
            workforce.conclude(arguments.quiet);
            if !workforce.is_first() {
                return Ok(publish::status(&report));
            }
        }
        let forms = Forms {
            json: arguments.json,
            long_orders: arguments.witness.into(),
            quiet: arguments.quiet,
            html: arguments.html.as_deref(),
            junit: arguments.junit.as_deref(),
            sarif: arguments.sarif.as_deref(),
            itf: arguments.itf.as_deref(),
        };
        let status = publish::report(&report, forms, &limits)?;
        let warnings = known.warnings();
        if !arguments.deny_warnings || warnings == 0 || status == Status::Violated {
            return Ok(status);
        }
        let warnings = match warnings {
            1 => "1 warning".to_owned(),
            count => format!("{count} warnings"),
        };
        Err(Failure::refused(
            Code::WarningsDenied,
            format!("{warnings}, and --deny-warnings is given"),
        ))
    }

    /// Names the properties in which something was divided by zero, in one warning.
    fn warn_of_divisions(&self, known: &Known) {
        let decided = known.decided.iter().zip(&self.properties.all);
        let divided = |decided: &Option<Decided<'_>>| {
            decided
                .as_ref()
                .is_some_and(|decided| decided.outcome.divided_by_zero)
        };
        let names: Vec<&str> = decided
            .filter(|(decided, _)| divided(decided))
            .map(|(_, asked)| asked.property.name.as_str())
            .collect();
        if !names.is_empty() && !self.quiet {
            let message = format!("{DIVIDED_BY_ZERO} (in {})", names.join(", "));
            diagnostics::warning(Code::DivisionByZero, &message, None);
        }
    }

    fn report<'a>(&'a self, known: &'a Known, explain: bool, budget: &'a Budget<'a>) -> Report<'a> {
        let seconds = self.limits.seconds();
        let findings = self
            .properties
            .all
            .iter()
            .enumerate()
            .map(|(index, asked)| {
                let decided = known.decided.get(index).and_then(Option::as_ref);
                let subject = known.subject.as_ref();
                match decided {
                    Some(decided) => {
                        let caveat = known.caveat;
                        decided.finding(asked, subject, caveat, self.forced(), explain, budget)
                    }
                    None => self.undecided(asked, known),
                }
            });
        Report {
            version: env!("CARGO_PKG_VERSION"),
            path: &self.input.path,
            about: About::Run {
                subject: known.subject,
                size: known.size,
            },
            read_seconds: known.read_seconds.unwrap_or(seconds),
            budget,
            peak_bytes: limits::peak_bytes,
            findings: findings.collect(),
            remarks: known.remarks.clone(),
        }
    }

    /// A property nobody came to, or that was being decided when the watcher gave up.
    fn undecided<'a>(&self, asked: &'a Asked, known: &Known) -> Finding<'a> {
        let reason = known
            .stopped
            .or(self.limits.reached())
            .unwrap_or(Spent::Time);
        finding(asked, Verdict::Unknown(reason))
    }
}

/// What the progress bar says.
fn checking(asked: &[Asked]) -> String {
    match asked {
        [one] => format!("checking {}", words::short(&one.property.name, 40)),
        several => format!("checking {} properties", several.len()),
    }
}

/// In runs with more events unset variables are not looked for: that is a pass over the run for each property.
const MAX_NOTED_EVENTS: usize = 100_000;
/// How many columns of the name of a variable a note shows.
const MAX_NAME_COLUMNS: usize = 60;

/// Said once for a whole command.
const DIVIDED_BY_ZERO: &str = "a division by zero made its comparison false at some cuts";

impl<'q> Decided<'q> {
    /// A property that was decided by itself.
    pub(crate) fn alone(question: &'q Question, outcome: Outcome, seconds: f64) -> Decided<'q> {
        Decided {
            question,
            outcome,
            seconds,
            certify_seconds: 0.0,
            comparisons: Vec::new(),
        }
    }

    /// What a person has been told of this property, for programs to know as well.
    fn warnings(&self, asked: &Asked) -> Vec<Diagnostic> {
        let warnings = self.question.warnings.iter();
        let formula = warnings.map(|warning| diagnostics::located(&asked.source, warning));
        let divided = self.outcome.divided_by_zero;
        let division = divided.then(|| Diagnostic::new(Code::DivisionByZero, DIVIDED_BY_ZERO));
        formula.chain(division).collect()
    }

    /// What is worth knowing of the verdict: what was noted on the way, for how many choices it is so, what its format leaves
    /// open, and variables that are unset at its cut.
    fn notes(
        &self,
        subject: Option<&Subject<'_>>,
        caveat: Option<&Caveat>,
        story: Option<&Story>,
    ) -> Vec<String> {
        let mut notes = self.outcome.notes.clone();
        let Some((witness, subject)) = self.outcome.witness.as_ref().zip(subject) else {
            return notes;
        };
        let caveat = caveat.and_then(|caveat| caveat.note(subject.trace, witness, story));
        notes.extend(story.and_then(|story| self.share(story)));
        notes.extend(caveat);
        notes.extend(self.unset(witness, subject.trace));
        notes
    }

    /// `violated for 3 of 15 choices of i and j`.
    fn share(&self, story: &Story) -> Option<String> {
        let (count, all) = story.share.filter(|&(count, _)| count > 1)?;
        let verdict = match self.outcome.verdict {
            Verdict::Violated => "violated",
            _ => "true",
        };
        let bindings = &self.question.lowered.instances.first()?.bindings;
        let names: Vec<&str> = bindings.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        Some(format!("{verdict} for {count} of {all} choices of {names}"))
    }

    /// The variables of the instance shown that are compared, and that nothing has written at its cut.
    fn unset(&self, witness: &Witness, trace: &Trace) -> Option<String> {
        let cut = witness.cut.as_ref()?;
        if trace.len() > MAX_NOTED_EVENTS {
            return None;
        }
        let is_meant = |owner: Option<ProcessId>| {
            let mut processes = witness.processes.iter();
            witness.processes.is_empty()
                || owner.is_some_and(|owner| processes.any(|process| process_id(*process) == owner))
        };
        let mentions = self.question.lowered.mentions.iter();
        let mentioned = mentions.map(|&(var, _)| var_id(var));
        let without_init = mentioned.filter(|&var| trace.given_init(var).is_none());
        let meant: Vec<VarId> = without_init
            .filter(|&var| is_meant(trace.owner(var)))
            .collect();
        let histories = match meant.is_empty() {
            true => Vec::new(),
            false => trace.histories(&meant),
        };
        // Unset is false, which is what most mean by it; as a number or a text it may surprise.
        let surprises = |history: &&History| {
            let first = history.writes.first();
            first.is_some_and(|(_, value)| !matches!(value, StoredValue::Bool(_)))
                && history.done_in(trace, cut.counts()) == 0
        };
        let names = histories.iter().filter(surprises);
        let names: Vec<String> = names
            .map(|history| words::short_middle(&trace.variable_name(history.var), MAX_NAME_COLUMNS))
            .map(|name| format!("`{name}`"))
            .collect();
        let verb = match names.len() {
            0 => return None,
            1 => "is unset at this cut: nothing has written it, so it is 0",
            _ => "are unset at this cut: nothing has written them, so each is 0",
        };
        let names = words::list(&names, 3);
        Some(format!(
            "{names} {verb} and equal to no text; `init` names a first value"
        ))
    }

    /// What there is to tell about the verdict.
    fn story(&self, asked: &Asked, subject: Subject<'_>, budget: &Budget<'_>) -> Option<Story> {
        let told = story::Asked {
            property: &asked.property,
            lets: &asked.lets,
            question: self.question,
        };
        Story::of(subject, told, &self.outcome, budget)
    }

    /// All there is to say about it.
    pub(crate) fn finding<'a>(
        &'a self,
        asked: &'a Asked,
        subject: Option<&Subject<'_>>,
        caveat: Option<&Caveat>,
        forced: Option<&'static Engine>,
        explain: bool,
        budget: &Budget<'_>,
    ) -> Finding<'a> {
        let Decided {
            question,
            outcome,
            seconds,
            certify_seconds,
            comparisons,
        } = self;
        let lowered = &question.lowered;
        let mentions = lowered.mentions.iter().chain(&lowered.written);
        let stats = outcome.stats.iter();
        let claim =
            subject.and_then(|subject| Claim::of(subject, &asked.property, question, outcome));
        let mut explanation = match subject.filter(|_| explain) {
            Some(subject) => explain::all(subject, question, outcome),
            None => Vec::new(),
        };
        explanation.extend(explain::comparisons(comparisons));
        let workers = reported(&outcome.workers);
        if !explanation.is_empty() {
            explanation.extend(explain::titled("workers", workers::table(&workers)));
        }
        let story = subject.and_then(|subject| self.story(asked, *subject, budget));
        Finding {
            engine: outcome.engine.or(forced).map(|engine| engine.name),
            seconds: *seconds,
            certify_seconds: *certify_seconds,
            witness: outcome.witness.as_ref(),
            witness_spent: outcome.witness_spent,
            claim: claim.as_ref().and_then(Claim::end),
            onward: claim.as_ref().and_then(Claim::onward),
            question: Some(question),
            notes: self.notes(subject, caveat, story.as_ref()),
            story,
            mentioned: mentions.map(|&(var, _)| var_id(var)).collect(),
            warnings: self.warnings(asked),
            stats: stats
                .map(|(&name, &value)| (name, value))
                .chain(explain::compared(comparisons))
                .chain(stats_of(&workers))
                .collect(),
            explanation,
            workers,
            ..finding(asked, outcome.verdict)
        }
    }
}
