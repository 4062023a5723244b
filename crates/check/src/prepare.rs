//! From a property to a question about one trace: names resolved, races and wrong types refused.

use causet_formula::core::Ctl;
use causet_formula::property::{Lets, Property};
use causet_formula::{FormulaError, Lowered, Quantifier, lower};

use crate::subject::{Subject, var_id};
use crate::types;

/// A property that has a meaning on a trace.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property in the core language, with what was found on the way.
    pub lowered: Lowered,
    /// Things about the formula that are odd but not wrong.
    pub warnings: Vec<FormulaError>,
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
}

/// Binds a property to a trace.
pub fn prepare(
    subject: &Subject<'_>,
    property: &Property,
    lets: &Lets,
) -> Result<Question, Vec<FormulaError>> {
    let lowered = lower(property, lets, subject)?;
    let races = races(subject, &lowered);
    if !races.is_empty() {
        return Err(races);
    }
    let findings = types::check(subject, &lowered);
    if !findings.errors.is_empty() {
        return Err(findings.errors);
    }
    let mut warnings = lowered.warnings.clone();
    warnings.extend(findings.warnings);
    Ok(Question { lowered, warnings })
}

/// The shared variables of the formula whose value at a cut is not defined.
fn races(subject: &Subject<'_>, lowered: &Lowered) -> Vec<FormulaError> {
    let trace = subject.trace;
    let shared = |&&(var, _): &&(_, _)| trace.owner(var_id(var)).is_none();
    if !lowered.mentions.iter().any(|mention| shared(&mention)) {
        return Vec::new();
    }
    let races = trace.races(1).pairs;
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
        let error = FormulaError::new(span, format!("`{name}` has no defined value: two writes race"))
            .with_label(format!("nothing orders {first} and {second}"))
            .with_help(
                "if the lines stand in the order of one real execution, say \"order\":\"observed\" in the header; \
                 else record what orders the two writes",
            );
        errors.push(error);
    }
    errors
}
