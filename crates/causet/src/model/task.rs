//! Formulas of the mu-calculus and a model in, verdicts and the parts of the model that show them out.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use causet_base::budget::{Budget, Spent};
use causet_base::{Code, Diagnostic};
use causet_check::outcome::Verdict;
use causet_formula::Modal;
use causet_formula::mu::Formula;
use causet_lts::equations::check_globally;
use causet_lts::model::{self, Checked, NotChecked, Options};
use causet_lts::together::{self, check_portion};
use causet_report::lts::Evidence;
use causet_report::remarks::Remarks;
use causet_report::{About, Finding, Report as WireReport, words};
use causet_solve::bes::Strategy;
use causet_solve::workers::WorkerSummary;

use super::held::Held;
use super::read::{ModelReading, held};
use super::{explain, labels};
use crate::failure::Failure;
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::message::Message;
use crate::properties::{Asked, Properties};
use crate::task::finding;
use crate::team::{Team, not_solved, reported, run_watched, stats as worker_stats};

/// Everything the work needs.
pub struct ModelTask {
    /// What it may take, and who hears of it.
    pub limits: Arc<Limits>,
    /// What the person called the model.
    pub path: String,
    /// The model.
    pub origin: ModelOrigin,
    /// The properties, all of them formulas of the mu-calculus.
    pub properties: Properties,
    /// The same as equations.
    pub formulas: Vec<Modal>,
    /// How equations are solved; by the definition if nothing is said.
    pub strategy: Option<Strategy>,
    /// How many variables what shows a verdict may take.
    pub most_claims: usize,
    /// How many states of a network each worker of a team takes in a row.
    pub heap: Option<u32>,
    /// The workers, if that is not one thread alone.
    pub team: Option<Arc<dyn Team>>,
}

/// Where the model of a task comes from.
pub enum ModelOrigin {
    /// It is to be read from a file.
    File(PathBuf, ModelReading),
    /// It has been read.
    Held(Arc<Held>),
}

impl ModelTask {
    /// Decides the properties, as far as the limits allow.
    pub fn run(self) -> Result<ModelDone, Failure> {
        let job = Arc::new(Job {
            task: self,
            known: Mutex::default(),
        });
        let own = Arc::clone(&job);
        let ModelTask { team, limits, .. } = &job.task;
        run_watched(team.as_ref(), limits, move || own.work(), &|| {
            job.is_complete()
        })?;
        Ok(ModelDone(job))
    }
}

/// Refuses properties that are no formulas of the mu-calculus.
pub fn only_mu(properties: &Properties) -> Result<(), Failure> {
    let mut all = properties.all().iter();
    let Some(asked) = all.find(|asked| asked.property.mu().is_none()) else {
        return Ok(());
    };
    let (name, kind) = (&asked.property.name, asked.property.kind);
    Err(Failure::helped(
        Code::NotForModels,
        format!(
            "{name} is a property of kind {kind}, and a transition system has no variables to speak of"
        ),
        "only properties of kind mu can be checked on a model; `causet check` decides the others on a trace",
    ))
}

/// The formulas as equations; all that is wrong with any of them is shown.
pub fn lowered(properties: &Properties, tell: impl Fn(Message)) -> Result<Vec<Modal>, Failure> {
    let mut formulas = Vec::with_capacity(properties.all().len());
    for asked in properties.all() {
        match asked.property.mu().map(Formula::lower) {
            Some(Ok(modal)) => formulas.push(modal),
            Some(Err(errors)) => errors
                .iter()
                .for_each(|error| tell(Message::in_formula(&asked.source, error))),
            None => {}
        }
    }
    match !properties.errors().is_empty() || formulas.len() < properties.all().len() {
        true => Err(Failure::Told),
        false => Ok(formulas),
    }
}

/// A task and everything it has found out.
struct Job {
    task: ModelTask,
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
        let team = self.task.team.as_deref();
        let read = match &self.task.origin {
            ModelOrigin::Held(held) => Ok(Arc::clone(held)),
            ModelOrigin::File(path, reading) => {
                held(path, reading, &self.task.limits, team).map(Arc::new)
            }
        };
        let mut known = self.known();
        known.read_seconds = Some(start.elapsed().as_secs_f64());
        let model = match read {
            Ok(model) => model,
            Err(NotRead::Failed(failure)) => return Err(failure),
            Err(NotRead::Stopped(spent)) => {
                known.stopped = Some(spent);
                return Ok(());
            }
        };
        known.model = Some(Arc::clone(&model));
        drop(known);
        let model = &*model;
        if let Some(spent) = team.map_or(Ok(None), Team::agree)? {
            self.known().stopped = Some(spent);
            return Ok(());
        }
        for (asked, formula) in self.task.properties.all().iter().zip(&self.task.formulas) {
            let warnings = self.warn(asked, model);
            let doing = format!("checking {}", words::short(&asked.property.name, 40));
            self.task.limits.begin(doing, None);
            let decided = self.decide(model, formula, warnings)?;
            self.task.limits.end();
            self.known().decided.push(decided);
            self.task.limits.verdict_reported();
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
        let warnings = warnings.iter();
        let told = warnings.map(|warning| {
            let message = Message::in_formula(&asked.source, warning);
            let located = message.located();
            self.task.limits.tell(message);
            located
        });
        told.collect()
    }

    fn decide(
        &self,
        model: &Held,
        formula: &Modal,
        warnings: Vec<Diagnostic>,
    ) -> Result<Decided, Failure> {
        let start = Instant::now();
        let budget = self.task.limits.budget();
        let mut workers = Vec::new();
        let options = Options {
            strategy: self.task.strategy.unwrap_or_default(),
            most_claims: self.task.most_claims,
        };
        let checked = match (&self.task.team, model) {
            (Some(team), model) => {
                let checked = together(&**team, self.task.heap, model, formula, options, &budget);
                checked.map(|(checked, done)| {
                    workers = done;
                    checked
                })
            }
            (None, Held::All(model)) if self.task.strategy.is_none() => {
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

    /// Whether the work came to every property.
    fn is_complete(&self) -> bool {
        self.known().decided.len() == self.task.formulas.len()
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
        let reason = match self.task.strategy {
            None => "The strategy global does not find what shows this; the others do.",
            Some(_) => "What shows this is too large to be printed: --diagnostic FILE writes it.",
        };
        is_silent.then(|| reason.to_owned())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report<'a>(
        &'a self,
        known: &'a Known,
        explain: bool,
        budget: &'a Budget<'a>,
    ) -> WireReport<'a> {
        let seconds = self.task.limits.seconds();
        let findings = self
            .task
            .properties
            .all()
            .iter()
            .enumerate()
            .map(
                |(index, asked)| match known.decided.get(index).zip(known.model.as_deref()) {
                    Some((decided, model)) => self.finding(index, decided, model, explain),
                    None => {
                        let reason = known.stopped.or(self.task.limits.reached());
                        finding(asked, Verdict::Unknown(reason.unwrap_or(Spent::Time)))
                    }
                },
            );
        WireReport {
            remarks: Remarks::default(),
            version: env!("CARGO_PKG_VERSION"),
            path: &self.task.path,
            about: About::Model(known.model.as_deref().map(Held::size)),
            read_seconds: known.read_seconds.unwrap_or(seconds),
            budget,
            peak_bytes: limits::peak_bytes,
            findings: findings.collect(),
        }
    }

    fn finding<'a>(
        &'a self,
        index: usize,
        decided: &'a Decided,
        model: &'a Held,
        explain: bool,
    ) -> Finding<'a> {
        let checked = decided.checked.as_ref();
        let diagnostic = checked.and_then(|checked| checked.diagnostic.as_ref());
        let workers = reported(&decided.workers);
        let explanation = match checked.filter(|_| explain) {
            Some(checked) => explain::rows(
                &self.task.formulas[index],
                checked,
                &workers,
                decided.seconds,
            ),
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
            ..finding(&self.task.properties.all()[index], decided.verdict)
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
    team: &dyn Team,
    heap: Option<u32>,
    model: &Held,
    formula: &Modal,
    options: Options,
    budget: &Budget<'_>,
) -> Result<(Checked, Vec<WorkerSummary>), NotChecked> {
    let mut checked = Err(NotChecked::Spent(Spent::Cancelled));
    team.solve(&mut |workers| {
        checked = match model {
            Held::All(model) => together::check(model, formula, options, (workers, heap), budget),
            Held::Portion(portion) => check_portion(portion, formula, options, workers, budget),
        };
    });
    checked
}

/// A task that was done.
#[derive(Clone)]
pub struct ModelDone(Arc<Job>);

impl ModelDone {
    /// Everything that is known, for a form of the report that is made within limits of its own.
    pub fn report<T>(&self, explain: bool, form: impl FnOnce(&WireReport<'_>, &Limits) -> T) -> T {
        self.report_within(&self.0.task.limits.for_report(), explain, form)
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
        let mut decided = known.decided.iter();
        decided.len() == self.0.task.formulas.len()
            && decided.all(|decided| decided.verdict == Verdict::Holds)
    }

    /// The model, if it was read.
    pub fn model(&self) -> Option<Arc<Held>> {
        self.0.known().model.clone()
    }

    /// The formulas as equations.
    pub fn formulas(&self) -> &[Modal] {
        &self.0.task.formulas
    }
}
