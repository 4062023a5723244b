//! From a property to a question about one trace: names resolved, races and wrong types refused.

use std::borrow::Cow;

use causet_base::span::Span;
use causet_base::{Code, Diagnostic};
use causet_formula::core::Ctl;
use causet_formula::property::{Lets, Property};
use causet_formula::{Lowered, Names, ProcRef, Quantifier, lower, lower_lazily};
use causet_trace::Race;

use crate::outcome::Witness;
use crate::records::Records;
use crate::subject::{Subject, var_id};
use crate::types;
use crate::vacuity;

/// A property that has a meaning on a trace.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property in the core language, with what was found on the way.
    pub lowered: Lowered,
    /// Things about the formula that are odd but not wrong.
    pub warnings: Vec<Diagnostic>,
}

impl Question {
    /// The formulas to decide, one per instance of the quantifier, and how their answers combine.
    pub fn goals(&self) -> (Option<Quantifier>, Vec<&Ctl>) {
        match self.lowered.quantifier {
            Some(quantifier) if !self.lowered.instances.is_empty() => {
                let bodies = self.lowered.instances.iter().map(|instance| &instance.body);
                (Some(quantifier), bodies.collect())
            }
            _ => (None, vec![&self.lowered.body]),
        }
    }

    /// The formula a witness is about and the processes in it: that of its instance, or the only one.
    pub fn goal_of(&self, witness: &Witness) -> Option<Goal<'_>> {
        let Some(template) = &self.lowered.template else {
            if witness.instance.is_none() {
                return Some((Cow::Borrowed(&self.lowered.body), Vec::new()));
            }
            let mut instances = self.lowered.instances.iter();
            let found = instances.find(|instance| instance.processes() == witness.processes);
            return found
                .map(|instance| (Cow::Borrowed(&instance.body), instance.bindings.clone()));
        };
        let instance = template.instance(&witness.processes);
        Some((Cow::Owned(instance.body), instance.bindings))
    }
}

/// A formula, and the bound names in it with their processes.
pub type Goal<'q> = (Cow<'q, Ctl>, Vec<(String, ProcRef)>);

/// Binds a property to a trace.
pub fn prepare(
    subject: &Subject<'_>,
    property: &Property,
    lets: &Lets,
) -> Result<Question, Vec<Diagnostic>> {
    let (_, mut questions) = prepare_all(*subject, &[(property, lets)], 1);
    match questions.pop() {
        Some(question) => question,
        None => Err(Vec::new()),
    }
}

/// Questions with what they need to know of the run, or what is wrong with them.
pub type Prepared<'t> = (Records<'t>, Vec<Result<Question, Vec<Diagnostic>>>);

/// Binds properties to a trace, several at a time; what they need to know of it is looked up once for all of them.
pub fn prepare_all<'t>(
    subject: Subject<'t>,
    properties: &[(&Property, &Lets)],
    workers: usize,
) -> Prepared<'t> {
    prepare_by(lower, subject, properties, workers)
}

/// The same, but properties with more than [`MAX_EXPANDED`] instances are kept as templates, which only the planner's
/// own choice of engines can decide.
pub fn prepare_lazily<'t>(
    subject: Subject<'t>,
    properties: &[(&Property, &Lets)],
    workers: usize,
) -> Prepared<'t> {
    prepare_by(lower_many, subject, properties, workers)
}

/// A property with more instances than this is kept as a template.
pub const MAX_EXPANDED: usize = 1000;

fn lower_many(
    property: &Property,
    lets: &Lets,
    names: &dyn Names,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_lazily(property, lets, names, MAX_EXPANDED)
}

type Lower = fn(&Property, &Lets, &dyn Names) -> Result<Lowered, Vec<Diagnostic>>;

fn prepare_by<'t>(
    lower: Lower,
    subject: Subject<'t>,
    properties: &[(&Property, &Lets)],
    workers: usize,
) -> Prepared<'t> {
    let lowered = lower_all(lower, &subject, properties, workers);
    let mentions = lowered
        .iter()
        .flatten()
        .flat_map(|lowered| &lowered.mentions);
    let records = Records::of(subject, mentions.map(|&(var, _)| var));
    let races = records.races();
    let mut seen = types::first_of_each_type(&records);
    let written = lowered
        .iter()
        .flatten()
        .flat_map(|lowered| &lowered.written);
    types::add_written(&subject, written.map(|&(var, _)| var), &mut seen);
    let questions = lowered.into_iter().map(|lowered| {
        let lowered = lowered?;
        let errors = racing(&subject, &lowered, &races);
        if !errors.is_empty() {
            return Err(errors);
        }
        let findings = types::check(&subject, &lowered, &seen);
        if !findings.errors.is_empty() {
            return Err(findings.errors);
        }
        let mut warnings = lowered.warnings.clone();
        warnings.extend(findings.warnings);
        warnings.extend(vacuity::never_asked(&records, &lowered));
        Ok(Question { lowered, warnings })
    });
    let questions = questions.collect();
    (records, questions)
}

/// The properties in the core language; each worker takes its share of them.
fn lower_all(
    lower: Lower,
    subject: &Subject<'_>,
    properties: &[(&Property, &Lets)],
    workers: usize,
) -> Vec<Result<Lowered, Vec<Diagnostic>>> {
    let share = properties
        .len()
        .div_ceil(workers.max(1))
        .max(SMALLEST_SHARE);
    let lower_some = |some: &[(&Property, &Lets)]| -> Vec<_> {
        let lowered = some
            .iter()
            .map(|(property, lets)| lower(property, lets, subject));
        lowered.collect()
    };
    std::thread::scope(|scope| {
        let mut shares = properties.chunks(share);
        let own = shares.next().unwrap_or_default();
        let others: Vec<_> = shares
            .map(|some| (some, scope.spawn(move || lower_some(some))))
            .collect();
        let mut lowered = lower_some(own);
        for (some, other) in others {
            // A share whose worker died is done again here, where the reason will show.
            lowered.extend(other.join().unwrap_or_else(|_| lower_some(some)));
        }
        lowered
    })
}

/// A worker is not worth starting for fewer properties.
const SMALLEST_SHARE: usize = 100;

/// The shared variables of the formula whose value at a cut is not defined.
fn racing(subject: &Subject<'_>, lowered: &Lowered, races: &[Race]) -> Vec<Diagnostic> {
    if races.is_empty() {
        return Vec::new();
    }
    let trace = subject.trace;
    let mut errors = Vec::new();
    for &(var, span) in &lowered.mentions {
        let Some(race) = races.iter().find(|race| race.var == var_id(var)) else {
            continue;
        };
        let name = trace.variable_name(race.var);
        let (first, second) = (
            subject.event_name(race.first),
            subject.event_name(race.second),
        );
        errors.push(race_error(span, &name, &first, &second));
    }
    errors
}

/// Two writes of a variable that nothing orders.
pub(crate) fn race_error(span: Span, name: &str, first: &str, second: &str) -> Diagnostic {
    let message = format!("`{name}` has no defined value: two writes race");
    Diagnostic::at(Code::RacingWrites, span, message)
        .with_label(format!("nothing orders {first} and {second}"))
        .with_help(
            "if the lines stand in the order of one real execution, say \"order\":\"observed\" in the header; \
             else record what orders the two writes",
        )
}
