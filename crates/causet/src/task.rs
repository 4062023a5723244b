//! Properties and a run in, verdicts out.
//!
//! ```text
//! input --> run --> questions --> plan --> desk (engines, certify), several at a time --> report
//! ```
//!
//! The work is done by one thread while another watches the limits. A property without an answer at the end is unknown.

mod desk;

use std::ops::Deref;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use causet_base::budget::{Budget, Spent};
use causet_base::{Code, Diagnostic, Severity};
use causet_check::compare::Comparison;
use causet_check::engine::Engine;
use causet_check::engine::ist::Stock;
use causet_check::outcome::{Outcome, Verdict, Witness};
use causet_check::plan::{Choice, Plan};
use causet_check::prepare::{Question, prepare_all, prepare_lazily};
use causet_check::records::Records;
use causet_check::subject::{Subject, process_id, var_id};
use causet_check::upto::Modality;
use causet_formats::caveats::Caveat;
use causet_report::caveats::note;
use causet_report::story::{self, Story};
use causet_report::{About, Finding, Report as WireReport, Size, words, workers};
use causet_trace::{History, ProcessId, StoredValue, Trace, VarId};

use crate::claim::Claim;
use crate::cut_text;
use crate::explain;
use crate::failure::Failure;
use crate::input::{Input, NotRead};
use crate::limits::{self, Limits};
use crate::message::Message;
use crate::properties::{Asked, Properties};
use crate::run::Run;
use crate::stream;
use crate::team::{Team, reported, run_watched, stats as stats_of};

use desk::Desk;

/// Everything the work needs.
pub struct Task {
    /// What it may take, and who hears of it.
    pub limits: Arc<Limits>,
    /// The run.
    pub origin: Origin,
    /// What is asked of it.
    pub properties: Properties,
    /// The engine.
    pub choice: Choice,
    /// How many threads may work.
    pub workers: usize,
    /// Whether anyone will see more than the verdicts; a witness that is not seen is not worked out.
    pub shows: bool,
    /// How many events of one process the two-phase search may take in a row.
    pub max_steps: Option<u32>,
    /// Whether the searches level by level are compared.
    pub compares: bool,
    /// Whether the run is not kept.
    pub streams: bool,
    /// At which cut the orders asked about end, if not at the final one.
    pub upto: Option<(String, Modality)>,
    /// The workers that resolve equations, if that is not one thread alone.
    pub team: Option<Arc<dyn Team>>,
}

/// Where the run of a task comes from.
pub enum Origin {
    /// It is to be read.
    Input(Box<Input>),
    /// It has been read.
    Run(Run),
}

impl Task {
    /// A task for one thread, with the engine that fits best, whose witnesses are shown.
    pub fn new(limits: Arc<Limits>, origin: Origin, properties: Properties) -> Task {
        Task {
            limits,
            origin,
            properties,
            choice: Choice::Auto,
            workers: 1,
            shows: true,
            max_steps: None,
            compares: false,
            streams: false,
            upto: None,
            team: None,
        }
    }

    /// Decides the properties, as far as the limits allow.
    pub fn run(self) -> Result<Done, Failure> {
        let job = Arc::new(Job {
            task: self,
            known: Mutex::default(),
        });
        let own = Arc::clone(&job);
        let Task { team, limits, .. } = &job.task;
        run_watched(team.as_ref(), limits, move || own.work(), &|| {
            job.is_complete()
        })?;
        Ok(Done(job))
    }
}

/// A task and everything it has found out.
struct Job {
    task: Task,
    known: Mutex<Known>,
}

impl Deref for Job {
    type Target = Task;

    fn deref(&self) -> &Task {
        &self.task
    }
}

/// What is known so far.
#[derive(Default)]
struct Known {
    run: Option<Run>,
    size: Option<Size>,
    read_seconds: Option<f64>,
    /// The limit that stopped the work before any property was decided.
    stopped: Option<Spent>,
    /// One place per property, filled in any order.
    decided: Vec<Option<Decided>>,
}

impl Known {
    fn learn(&mut self, run: &Run) {
        self.run = Some(run.clone());
        self.size = Some(Size::of(run.subject().trace));
        self.read_seconds = Some(run.read_seconds());
    }

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
        formulas.sum::<usize>()
            + self
                .run
                .as_ref()
                .map_or(0, |run| run.remarks().warnings.len())
    }
}

/// A property with its answer.
struct Decided {
    question: Arc<Question>,
    outcome: Outcome,
    seconds: f64,
    /// The part of it that went into re-checking the witness.
    certify_seconds: f64,
    /// The searches level by level, for each language of runs, if they were compared.
    comparisons: Vec<Comparison>,
}

impl Job {
    /// Reads the trace, prepares every property, then decides them, several at a time.
    fn work(&self) -> Result<(), Failure> {
        if self.streams {
            return self.stream();
        }
        let Some(run) = self.read()? else {
            return Ok(());
        };
        let (records, questions) = self.prepare(run.subject())?;
        let questions: Vec<Arc<Question>> = questions.into_iter().map(Arc::new).collect();
        let budget = self.limits.budget();
        let asked: Vec<&Question> = questions.iter().map(|question| &**question).collect();
        let plan = match self.plan(records, &asked, &budget) {
            Ok(plan) => plan?,
            Err(spent) => {
                self.known().stopped = Some(spent);
                return Ok(());
            }
        };
        self.known().decided.resize_with(questions.len(), || None);
        self.limits.begin(checking(&self.properties.all), None);
        let desk = Desk {
            job: self,
            stock: Stock::new(&budget),
            plan: &plan,
            questions: &questions,
            next: AtomicUsize::new(0),
            budget: &budget,
        };
        let workers = match self.team {
            // All of them work on each.
            Some(_) => 1,
            None => self.workers.min(questions.len()).max(1),
        };
        let ended = desk.decide_all(workers);
        self.limits.end();
        ended
    }

    /// Decides the properties while the run passes by, twice.
    fn stream(&self) -> Result<(), Failure> {
        let Origin::Input(input) = &self.origin else {
            return Err(Failure::Internal(
                "a run that is kept cannot be streamed".to_owned(),
            ));
        };
        let streamed = stream::check(input, &self.properties, &self.limits)?;
        input.note_left_out(&self.limits);
        let seconds = streamed.check_seconds;
        let decided = streamed.answers.into_iter().map(|answer| {
            let (question, outcome) = answer?;
            Some(Decided::alone(Arc::new(question), outcome, seconds))
        });
        let mut known = self.known();
        known.size = streamed.size;
        known.read_seconds = Some(streamed.read_seconds);
        known.stopped = streamed.stopped;
        known.decided = decided.collect();
        Ok(())
    }

    /// Plans the work; a property that the engine asked for cannot decide is refused.
    fn plan<'r>(
        &self,
        records: Records<'r>,
        questions: &[&Question],
        budget: &Budget<'_>,
    ) -> Result<Result<Plan<'r>, Failure>, Spent> {
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
                let refusal = Diagnostic::new(Code::EngineRefuses, message);
                self.limits
                    .tell(refusal.with_help("--engine auto chooses one that can"));
                refused = true;
            }
        }
        Ok(match refused {
            true => Err(Failure::Told),
            false => Ok(plan),
        })
    }

    /// The run; `None` when a limit stopped the reading.
    fn read(&self) -> Result<Option<Run>, Failure> {
        let input = match &self.origin {
            Origin::Run(run) => {
                self.known().learn(run);
                return Ok(Some(run.clone()));
            }
            Origin::Input(input) => input,
        };
        let start = Instant::now();
        let team = self.team.as_deref();
        let reading = input.read_by(&self.limits, team);
        let seconds = start.elapsed().as_secs_f64();
        self.known().read_seconds = Some(seconds);
        let reading = match reading {
            Ok(reading) => reading,
            Err(NotRead::Failed(failure)) => return Err(failure),
            Err(NotRead::Stopped(_)) if !self.properties.errors.is_empty() => {
                return Err(Failure::Told);
            }
            Err(NotRead::Stopped(spent)) => {
                self.known().stopped = Some(spent);
                return Ok(None);
            }
        };
        let run = Run::of(reading, &input.path, seconds);
        input.note_left_out(&self.limits);
        run.tell_warnings(&self.limits);
        self.known().learn(&run);
        if let Some(spent) = team.map_or(Ok(None), Team::agree)? {
            self.known().stopped = Some(spent);
            return Ok(None);
        }
        Ok(Some(run))
    }

    /// Binds every property to the trace; all that is wrong with any of them is shown.
    fn prepare<'r>(&self, subject: Subject<'r>) -> Result<(Records<'r>, Vec<Question>), Failure> {
        let properties = self.properties.bare();
        // Where something is missing from the log, each instance may be in doubt for a reason of its own.
        let is_whole = subject.trace.holes().is_empty();
        let bind = match self.choice {
            Choice::Auto if is_whole => prepare_lazily,
            _ => prepare_all,
        };
        let (records, questions) = bind(subject, &properties, self.workers);
        let prepared = self
            .properties
            .accept(questions, |message| self.limits.tell(message))?;
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

    /// Names the properties in which something was divided by zero, in one warning.
    fn warn_of_divisions(&self, known: &Known) {
        let decided = known.decided.iter().zip(&self.properties.all);
        let divided = |decided: &Option<Decided>| {
            decided
                .as_ref()
                .is_some_and(|decided| decided.outcome.divided_by_zero)
        };
        let names: Vec<&str> = decided
            .filter(|(decided, _)| divided(decided))
            .map(|(_, asked)| asked.property.name.as_str())
            .collect();
        if !names.is_empty() {
            let message = format!("{DIVIDED_BY_ZERO} (in {})", names.join(", "));
            self.limits
                .tell(Diagnostic::new(Code::DivisionByZero, message));
        }
    }

    fn report<'a>(
        &'a self,
        known: &'a Known,
        explain: bool,
        budget: &'a Budget<'a>,
    ) -> WireReport<'a> {
        let seconds = self.limits.seconds();
        let subject = known.run.as_ref().map(Run::subject);
        let caveat = known.run.as_ref().and_then(Run::caveat);
        let findings = self
            .properties
            .all
            .iter()
            .enumerate()
            .map(|(index, asked)| {
                let decided = known.decided.get(index).and_then(Option::as_ref);
                match decided {
                    Some(decided) => decided.finding(
                        asked,
                        subject.as_ref(),
                        caveat,
                        self.forced(),
                        explain,
                        budget,
                    ),
                    None => self.undecided(asked, known),
                }
            });
        WireReport {
            version: env!("CARGO_PKG_VERSION"),
            path: self.path(),
            about: About::Run {
                subject,
                size: known.size,
            },
            read_seconds: known.read_seconds.unwrap_or(seconds),
            budget,
            peak_bytes: limits::peak_bytes,
            findings: findings.collect(),
            remarks: known
                .run
                .as_ref()
                .map(|run| run.remarks().clone())
                .unwrap_or_default(),
        }
    }

    fn path(&self) -> &str {
        match &self.origin {
            Origin::Input(input) => &input.path,
            Origin::Run(run) => run.path(),
        }
    }

    /// A property that was not come to, or that was being decided when the watcher gave up.
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

impl Decided {
    /// A property that was decided by itself.
    fn alone(question: Arc<Question>, outcome: Outcome, seconds: f64) -> Decided {
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
        let formula = warnings.map(|warning| Message::in_formula(&asked.source, warning).located());
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
        let caveat = caveat.and_then(|caveat| note(caveat, subject.trace, witness, story));
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
            question: &self.question,
        };
        Story::of(subject, told, &self.outcome, budget)
    }

    /// All there is to say about it.
    fn finding<'a>(
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
            question: Some(&**question),
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

/// A finding of which nothing but the verdict is known.
pub fn finding(asked: &Asked, verdict: Verdict) -> Finding<'_> {
    let property = &asked.property;
    Finding::bare(&property.name, property.kind.word(), asked.shown(), verdict)
}

/// A task that was done.
#[derive(Clone)]
pub struct Done(Arc<Job>);

impl Done {
    /// Tells of divisions by zero, which a report says of each property.
    pub fn warn_of_divisions(&self) {
        self.0.warn_of_divisions(&self.0.known());
    }

    /// How many warnings there are, notes and what a reader let pass not counted.
    pub fn warnings(&self) -> usize {
        self.0.known().warnings()
    }

    /// Everything that is known, for a form of the report that is made within limits of its own.
    pub fn report<T>(&self, explain: bool, form: impl FnOnce(&WireReport<'_>, &Limits) -> T) -> T {
        self.report_within(&self.0.limits.for_report(), explain, form)
    }

    /// The same within other limits.
    pub fn report_within<T>(
        &self,
        limits: &Limits,
        explain: bool,
        form: impl FnOnce(&WireReport<'_>, &Limits) -> T,
    ) -> T {
        let known = self.0.known();
        let budget = limits.budget();
        form(&self.0.report(&known, explain, &budget), limits)
    }

    /// Whether every property holds.
    pub(crate) fn holds(&self) -> bool {
        let known = self.0.known();
        let holds = |one: &Option<Decided>| {
            one.as_ref()
                .is_some_and(|decided| decided.outcome.verdict == Verdict::Holds)
        };
        known.decided.len() == self.0.properties.all.len() && known.decided.iter().all(holds)
    }

    /// What the task might take.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The run, if it was read and kept.
    pub fn run(&self) -> Option<Run> {
        self.0.known().run.clone()
    }
}
