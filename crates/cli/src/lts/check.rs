//! `causet lts check`: formulas of the mu-calculus and a model in, verdicts and diagnostics out.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use causet::Message;
use causet::inner::{self as watch, Team, finding};
use causet_base::budget::{Budget, Spent};
use causet_base::{Code, Diagnostic};
use causet_check::outcome::Verdict;
use causet_formula::mu::Formula;
use causet_formula::{Kind, Modal};
use causet_lts::equations::{check_globally, equations};
use causet_lts::model::{self, Checked, NotChecked, Options};
use causet_lts::together::{self, check_portion};
use causet_report::lts::Evidence;
use causet_report::{About, Finding, Report, words};
use causet_solve::bes::text;
use causet_solve::workers::WorkerSummary;

use super::held::Held;
use super::workforce::{self, most_claims};
use super::{diagnostic, ended, explain, labels, read, strategy};
use crate::cli::Ask;
use crate::cli::lts::{Check, Strategy};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::output;
use crate::properties::{self, Asked, Properties};
use crate::publish::{self, Forms};
use crate::together::{Inputs, Workforce, not_solved, reported, stats as worker_stats};

/// Runs the command.
pub(crate) fn run(arguments: Check) -> Result<Status, Failure> {
    let limits = limits::of(arguments.allowed);
    if let Some(path) = &arguments.diagnostic {
        diagnostic::Format::of(path)?;
    }
    let arguments = Arc::new(arguments);
    let (properties, formulas) =
        match limits::finished(&arguments, &limits, |arguments, _| asked(arguments)) {
            Ok(asked) => asked,
            Err(not) => return ended(Err(not)),
        };
    let files = usize::from(arguments.junit.is_some());
    limits.set_aside(publish::time(formulas.len(), arguments.explain, files));
    let workforce = workforce::gather(&arguments, &properties)?;
    let job = Arc::new(Job {
        limits,
        path: arguments.source.model.display().to_string(),
        arguments,
        properties,
        formulas,
        workforce: workforce.map(Arc::new),
        known: Mutex::default(),
    });
    // The work may outlive this function when the watcher gives up on it.
    let own = Arc::clone(&job);
    match &job.workforce {
        Some(workforce) => {
            Arc::clone(workforce).watch(Arc::clone(&job.limits))?;
            let work = Box::new(move || own.work());
            Team::run(&**workforce, &job.limits, work, &|| job.is_complete())?;
        }
        None => watch::run(&job.limits, move || own.work())?,
    }
    job.publish()
}

/// Refuses what would be refused by every process that is started with these arguments.
pub(crate) fn preflight(arguments: &Check) -> Result<(), Failure> {
    workforce::accept(arguments)?;
    lowered(&formulas_in(arguments)?).map(drop)
}

/// The properties, and as equations.
fn asked(arguments: &Check) -> Result<(Properties, Vec<Modal>), NotRead> {
    let properties = formulas_in(arguments)?;
    if arguments.bes.is_some() && properties.all().len() != 1 {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "--bes writes the equations of one formula, and there are several",
            "give one --mu, or a file of one property",
        )
        .into());
    }
    let formulas = lowered(&properties)?;
    Ok((properties, formulas))
}

/// The properties, all of which must be formulas of the mu-calculus.
fn formulas_in(arguments: &Check) -> Result<Properties, Failure> {
    let formulas = arguments.mu.iter().cloned();
    let formulas = formulas.map(|text| Ask::Formula(Kind::Mu, text));
    let files = arguments.props.iter().cloned().map(Ask::File);
    let asks: Vec<Ask> = formulas.chain(files).collect();
    if asks.is_empty() {
        return Err(Failure::helped(
            Code::NothingToCheck,
            "there is no formula to check",
            "give one with --mu or --props, for example --mu '[true*] <true> true' for the absence of deadlocks; \
             `causet lts info` shows what a model holds",
        ));
    }
    let properties = properties::read(&asks)?;
    let mut all = properties.all().iter();
    if let Some(asked) = all.find(|asked| asked.property.mu().is_none()) {
        let (name, kind) = (&asked.property.name, asked.property.kind);
        return Err(Failure::helped(
            Code::NotForModels,
            format!(
                "{name} is a property of kind {kind}, and a transition system has no variables to speak of"
            ),
            "only properties of kind mu can be checked on a model; `causet check` decides the others on a trace",
        ));
    }
    Ok(properties)
}

/// The formulas as equations; all that is wrong with any of them is shown.
fn lowered(properties: &Properties) -> Result<Vec<Modal>, Failure> {
    let mut formulas = Vec::with_capacity(properties.all().len());
    for asked in properties.all() {
        match asked.property.mu().map(Formula::lower) {
            Some(Ok(modal)) => formulas.push(modal),
            Some(Err(errors)) => errors
                .iter()
                .for_each(|error| diagnostics::show_in(&asked.source, error)),
            None => {}
        }
    }
    match !properties.errors().is_empty() || formulas.len() < properties.all().len() {
        true => Err(Failure::Told),
        false => Ok(formulas),
    }
}

/// Everything the work needs and everything it has found out.
struct Job {
    limits: Arc<Limits>,
    /// What the person called the model.
    path: String,
    arguments: Arc<Check>,
    properties: Properties,
    /// One per property.
    formulas: Vec<Modal>,
    /// Those who decide, if that is not one thread alone.
    workforce: Option<Arc<Workforce>>,
    known: Mutex<Known>,
}

/// What is known so far.
#[derive(Default)]
struct Known {
    model: Option<Arc<Held>>,
    read_seconds: Option<f64>,
    /// The limit that stopped the work.
    stopped: Option<Spent>,
    /// The properties that were decided, in order.
    decided: Vec<Decided>,
}

/// What was found out about a property.
struct Decided {
    verdict: Verdict,
    checked: Option<Checked>,
    /// What each worker did, if several were asked.
    workers: Vec<WorkerSummary>,
    is_stuck: bool,
    seconds: f64,
    warnings: Vec<Diagnostic>,
}

impl Job {
    /// Reads the model, then decides the properties one after another.
    fn work(&self) -> Result<(), Failure> {
        let start = Instant::now();
        let (source, inputs) = (&self.arguments.source, Inputs::default());
        let bytes = source.model.metadata().map_or(0, |file| file.len());
        let kept = self.workforce.as_ref().and_then(|all| all.kept(bytes));
        let shared = kept.map(|kept| (Some(kept), &inputs));
        let read = read::model(source, &self.limits, self.is_quiet(), shared);
        let mut known = self.known();
        known.read_seconds = Some(start.elapsed().as_secs_f64());
        let model = match read {
            Ok(model) => Arc::new(model),
            Err(NotRead::Failed(failure)) => return Err(failure),
            Err(NotRead::Stopped(spent)) => {
                known.stopped = Some(spent);
                return Ok(());
            }
        };
        known.model = Some(Arc::clone(&model));
        drop(known);
        let model = &*model;
        if let Some(workforce) = &self.workforce
            && let Some(spent) = workforce.agree_on(&inputs)?
        {
            self.known().stopped = Some(spent);
            return Ok(());
        }
        for (asked, formula) in self.properties.all().iter().zip(&self.formulas) {
            let warnings = self.warn(asked, model);
            let doing = format!("checking {}", words::short(&asked.property.name, 40));
            self.limits.begin(doing, None);
            let decided = self.decide(model, formula, warnings)?;
            self.limits.end();
            self.known().decided.push(decided);
            self.limits.verdict_reported();
            if let Some(path) = &self.arguments.bes
                && let Err(spent) = self.write_equations(model, formula, path)?
            {
                let message = format!("the equations were not written: {spent}");
                diagnostics::warning(
                    Code::ReportLeftOut,
                    &message,
                    Some("raise --timeout or --memory"),
                );
            }
        }
        Ok(())
    }

    /// Says what is suspicious about a formula, above all labels that no step has.
    fn warn(&self, asked: &Asked, model: &Held) -> Vec<Diagnostic> {
        let Some(formula) = asked.property.mu() else {
            return Vec::new();
        };
        let mut warnings = formula.warnings();
        warnings.extend(labels::unknown(formula, model.labels()));
        for warning in warnings.iter().filter(|_| !self.is_quiet()) {
            diagnostics::show_in(&asked.source, warning);
        }
        let warnings = warnings.iter();
        warnings
            .map(|warning| Message::in_formula(&asked.source, warning).located())
            .collect()
    }

    fn decide(
        &self,
        model: &Held,
        formula: &Modal,
        warnings: Vec<Diagnostic>,
    ) -> Result<Decided, Failure> {
        let start = Instant::now();
        let budget = self.limits.budget();
        let mut workers = Vec::new();
        let options = Options {
            strategy: strategy(self.arguments.strategy).unwrap_or_default(),
            most_claims: most_claims(&self.arguments),
        };
        let checked = match (&self.workforce, model) {
            (Some(workforce), model) => {
                let checked = together(
                    workforce,
                    self.arguments.together.heap,
                    model,
                    formula,
                    options,
                    &budget,
                );
                checked.map(|(checked, done)| {
                    workers = done;
                    checked
                })
            }
            (None, Held::All(model)) if self.arguments.strategy == Strategy::Global => {
                check_globally(model, formula, &budget).map_err(NotChecked::Spent)
            }
            (None, Held::All(model)) => model::check(model, formula, options, &budget),
            (None, Held::Portion(_)) => {
                return Err(Failure::Internal("one worker has only a part".to_owned()));
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let (verdict, checked) = match checked {
            Ok(checked) if checked.holds => (Verdict::Holds, Some(checked)),
            Ok(checked) => (Verdict::Violated, Some(checked)),
            Err(NotChecked::Spent(spent)) => (Verdict::Unknown(spent), None),
            Err(NotChecked::Failed(not)) => (Verdict::Unknown(not_solved(not)?), None),
            Err(NotChecked::Refuted(flaw)) => {
                return Err(Failure::Internal(format!(
                    "a diagnostic does not stand up to its check: {flaw:?}"
                )));
            }
        };
        let diagnostic = checked
            .as_ref()
            .and_then(|checked| checked.diagnostic.as_ref());
        Ok(Decided {
            verdict,
            is_stuck: diagnostic.is_some_and(|diagnostic| model.is_stuck(diagnostic)),
            checked,
            workers,
            seconds,
            warnings,
        })
    }

    /// Whether this process says nothing but errors.
    fn is_quiet(&self) -> bool {
        self.arguments.quiet || self.workforce.as_ref().is_some_and(|all| !all.is_first())
    }

    /// Whether the work came to every property.
    fn is_complete(&self) -> bool {
        self.known().decided.len() == self.formulas.len()
    }

    /// Why nothing is shown of a verdict, where a person would expect it.
    fn nothing_shown(&self, decided: &Decided) -> Option<String> {
        let checked = decided.checked.as_ref()?;
        if let Some(spent) = checked.explanation_spent {
            return Some(format!(
                "the search for what shows it was ended by a limit ({spent})"
            ));
        }
        let is_silent = decided.verdict == Verdict::Violated && checked.diagnostic.is_none();
        let reason = match self.arguments.strategy {
            Strategy::Global => "The strategy global does not find what shows this; the others do.",
            _ => "What shows this is too large to be printed: --diagnostic FILE writes it.",
        };
        is_silent.then(|| reason.to_owned())
    }

    /// Writes the whole equation system of a formula.
    fn write_equations(
        &self,
        model: &Held,
        formula: &Modal,
        path: &Path,
    ) -> Result<Result<(), Spent>, Failure> {
        let Held::All(model) = model else {
            return Err(Failure::Internal(
                "only a part of the model is here".to_owned(),
            ));
        };
        let budget = self.limits.budget();
        let system = match equations(model, formula, &budget) {
            Ok(system) => system,
            Err(spent) => return Ok(Err(spent)),
        };
        let name = |variable| format!("X{variable}");
        match output::within(&self.limits, Some(path), |out| {
            text::write(&system, name, out)
        }) {
            Ok(()) => Ok(Ok(())),
            Err(NotRead::Stopped(spent)) => Ok(Err(spent)),
            Err(NotRead::Failed(failure)) => Err(failure),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints and writes what is known, and gives the status.
    fn publish(&self) -> Result<Status, Failure> {
        let known = self.known();
        let limits = self.limits.for_report();
        let budget = limits.budget();
        let report = self.report(&known, &budget);
        if let Some(workforce) = &self.workforce {
            workforce.conclude(self.arguments.quiet);
            if !workforce.is_first() {
                return Ok(publish::status(&report));
            }
        }
        let path = self.arguments.diagnostic.as_deref();
        let written = path.map_or(Ok(()), |path| diagnostic::write_all(path, &report, &limits));
        let refused = match written {
            Err(Failure::Refused(error)) => Some(error),
            written => written.map(|()| None)?,
        };
        let forms = Forms {
            json: self.arguments.json,
            quiet: self.arguments.quiet,
            junit: self.arguments.junit.as_deref(),
            refused: refused.as_ref(),
            ..Forms::default()
        };
        publish::report(&report, forms, &limits)
    }

    fn report<'a>(&'a self, known: &'a Known, budget: &'a Budget<'a>) -> Report<'a> {
        let seconds = self.limits.seconds();
        let findings = self
            .properties
            .all()
            .iter()
            .enumerate()
            .map(
                |(index, asked)| match known.decided.get(index).zip(known.model.as_deref()) {
                    Some((decided, model)) => self.finding(index, decided, model),
                    None => {
                        let reason = known.stopped.or(self.limits.reached());
                        finding(asked, Verdict::Unknown(reason.unwrap_or(Spent::Time)))
                    }
                },
            );
        Report {
            remarks: causet_report::remarks::Remarks::default(),
            version: env!("CARGO_PKG_VERSION"),
            path: &self.path,
            about: About::Model(known.model.as_deref().map(Held::size)),
            read_seconds: known.read_seconds.unwrap_or(seconds),
            budget,
            peak_bytes: limits::peak_bytes,
            findings: findings.collect(),
        }
    }

    fn finding<'a>(&'a self, index: usize, decided: &'a Decided, model: &'a Held) -> Finding<'a> {
        let checked = decided.checked.as_ref();
        let diagnostic = checked.and_then(|checked| checked.diagnostic.as_ref());
        let workers = reported(&decided.workers);
        let explanation = match checked.filter(|_| self.arguments.explain) {
            Some(checked) => {
                explain::rows(&self.formulas[index], checked, &workers, decided.seconds)
            }
            None => Vec::new(),
        };
        let mut stats = checked.map(stats).unwrap_or_default();
        stats.extend(worker_stats(&workers));
        Finding {
            engine: Some("bes"),
            seconds: decided.seconds,
            certify_seconds: checked.map_or(0.0, |checked| checked.certify_time.as_secs_f64()),
            evidence: diagnostic.map(|diagnostic| Evidence {
                diagnostic,
                labels: model.labels(),
                is_stuck: decided.is_stuck,
            }),
            notes: self.nothing_shown(decided).into_iter().collect(),
            warnings: decided.warnings.clone(),
            stats,
            explanation,
            workers,
            ..finding(&self.properties.all()[index], decided.verdict)
        }
    }
}

fn stats(checked: &Checked) -> Vec<(&'static str, u64)> {
    let mut stats = vec![
        ("variables", checked.variables),
        ("operands", checked.operands),
    ];
    if let Some((states, steps)) = checked.explored {
        stats.extend([
            ("explored_states", states as u64),
            ("explored_steps", steps as u64),
        ]);
    }
    stats
}

/// Lets several workers decide a formula.
fn together(
    workforce: &Workforce,
    heap: Option<u32>,
    model: &Held,
    formula: &Modal,
    options: Options,
    budget: &Budget<'_>,
) -> Result<(Checked, Vec<WorkerSummary>), NotChecked> {
    workforce.solve(|workers| match model {
        Held::All(model) => together::check(model, formula, options, (workers, heap), budget),
        Held::Portion(portion) => check_portion(portion, formula, options, workers, budget),
    })
}
