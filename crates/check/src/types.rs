//! Do the values in the trace fit the formula? Decided from all values a variable ever holds, whatever the engine.
//!
//! Order and arithmetic need numbers; a bare value in boolean position needs a number or a truth value. A variable that
//! holds something else at some point is refused, with the event that wrote it. Equality of different types is simply
//! false, but when it can never be anything else the person probably meant something else, and is told.

use causet_base::span::Span;
use causet_base::value::{Value, ValueType};
use causet_base::{Code, Diagnostic};
use causet_formula::Lowered;
use causet_formula::core::{Expr, Pred};
use causet_formula::fold::Subterm;
use causet_formula::names::{Names, VarRef, VariableName};
use causet_trace::History;
use rustc_hash::FxHashMap;

use crate::records::Records;
use crate::subject::{Subject, var_id};

/// What is wrong, and what is odd.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Holds the values of the trace against the uses in a formula.
pub(crate) fn check(names: &dyn Names, lowered: &Lowered, seen: &Seen) -> Findings {
    let mut checker = Checker {
        names,
        lowered,
        seen,
        findings: Findings::default(),
    };
    for formula in &lowered.representatives() {
        formula.preds().for_each(|pred| checker.term(pred.into()));
    }
    checker.findings
}

/// A value and who put it there.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) value: Value,
    pub(crate) origin: String,
}

/// The samples of each variable.
pub(crate) type Seen = FxHashMap<VarRef, Vec<Sample>>;

/// For each variable, the first value of each type it ever holds.
pub(crate) fn first_of_each_type(records: &Records<'_>) -> Seen {
    let samples = |(&var, history): (&VarRef, &History)| (var, samples(&records.subject, history));
    records.histories.iter().map(samples).collect()
}

/// The same for variables of which no history is kept, since formulas ask only for what events wrote.
pub(crate) fn add_written(
    subject: &Subject<'_>,
    vars: impl Iterator<Item = VarRef>,
    seen: &mut Seen,
) {
    let trace = subject.trace;
    let missing: FxHashMap<_, _> = vars
        .filter(|var| !seen.contains_key(var))
        .map(|var| (var_id(var), var))
        .collect();
    if missing.is_empty() {
        return;
    }
    for event in trace.events() {
        for write in trace.writes(event) {
            let Some(&var) = missing.get(&write.var) else {
                continue;
            };
            let samples = seen.entry(var).or_default();
            let is_new = |sample: &Sample| sample.value.value_type() != write.value.value_type();
            if samples.iter().all(is_new) {
                samples.push(Sample {
                    value: trace.value(write.value),
                    origin: format!("written by {}", subject.event_name(event)),
                });
            }
        }
    }
}

fn samples(subject: &Subject<'_>, history: &History) -> Vec<Sample> {
    let sample = |value, origin| Sample {
        value: subject.trace.value(value),
        origin,
    };
    let mut kinds = vec![history.initial.value_type()];
    let mut samples = vec![sample(history.initial, "initially".to_owned())];
    for &(event, value) in &history.writes {
        if !kinds.contains(&value.value_type()) {
            kinds.push(value.value_type());
            let origin = format!("written by {}", subject.event_name(event));
            samples.push(sample(value, origin));
        }
    }
    samples
}

struct Checker<'a> {
    names: &'a dyn Names,
    lowered: &'a Lowered,
    seen: &'a Seen,
    findings: Findings,
}

impl Checker<'_> {
    fn term(&mut self, term: Subterm<'_>) {
        for part in term.children() {
            self.term(part);
            if let (Subterm::Expr(part), Some((allowed, why))) = (part, required(term)) {
                self.require(part, allowed, &why);
            }
        }
        match term {
            Subterm::Pred(Pred::Compare(op, left, right)) if op.is_order() => {
                let why = format!("`{}` compares numbers", op.symbol());
                self.require(left, &[ValueType::Number], &why);
                self.require(right, &[ValueType::Number], &why);
            }
            Subterm::Pred(Pred::Compare(_, left, right)) => self.equality(left, right),
            _ => {}
        }
    }

    /// The types an expression can have somewhere in this trace.
    fn types(&self, expr: &Expr) -> Vec<ValueType> {
        match expr {
            Expr::Literal(value) => vec![value.value_type()],
            Expr::Var(var) => {
                let samples = self.seen.get(var).into_iter().flatten();
                samples.map(|sample| sample.value.value_type()).collect()
            }
            Expr::Truth(_) => vec![ValueType::Bool],
            _ => vec![ValueType::Number],
        }
    }

    /// Refuses an expression that has another type at some point.
    fn require(&mut self, expr: &Expr, allowed: &[ValueType], why: &str) {
        let is_wrong = |sample: &&Sample| !allowed.contains(&sample.value.value_type());
        let error = match expr {
            Expr::Var(var) => {
                let mut samples = self.seen.get(var).into_iter().flatten();
                let Some(wrong) = samples.find(is_wrong) else {
                    return;
                };
                let name = self.name(*var);
                let Sample { value, origin } = wrong;
                let message = format!("{why}, but `{name}` is {value} {origin}");
                Diagnostic::at(Code::WrongValueType, self.mention(*var), message).with_help(
                    format!(
                        "compare it with `=` or `!=`, or keep {} out of `{name}`",
                        value.value_type()
                    ),
                )
            }
            Expr::Truth(_) if !allowed.contains(&ValueType::Bool) => Diagnostic::at(
                Code::WrongValueType,
                self.anywhere(),
                format!("{why}, but this is a truth value"),
            ),
            _ => return,
        };
        if !self.findings.errors.contains(&error) {
            self.findings.errors.push(error);
        }
    }

    /// Warns of an equality that can never hold because the two sides never have one type.
    fn equality(&mut self, left: &Expr, right: &Expr) {
        let (left_types, right_types) = (self.types(left), self.types(right));
        if left_types.iter().any(|one| right_types.contains(one)) {
            return;
        }
        let ((Expr::Var(var), other) | (other, Expr::Var(var))) = (left, right) else {
            return;
        };
        let name = self.name(*var);
        let own = self.types(&Expr::Var(*var));
        let list: Vec<String> = own.iter().map(ToString::to_string).collect();
        let mut warning = Diagnostic::at(
            Code::NeverEqual,
            self.mention(*var),
            format!(
                "`{name}` is never equal to this: it is always {}",
                list.join(" or ")
            ),
        );
        if let Expr::Literal(literal) = other {
            warning = warning.with_help(other_spelling(literal, &own));
        }
        if !self.findings.warnings.contains(&warning) {
            self.findings.warnings.push(warning);
        }
    }

    fn name(&self, var: VarRef) -> String {
        let Some(VariableName { process, name }) = self.names.variable(var) else {
            return String::new();
        };
        match process {
            Some(process) => format!("{}.{name}", self.names.process_name(process)),
            None => name,
        }
    }

    fn mention(&self, var: VarRef) -> Span {
        let mut all = self.mentions();
        let found = all.find(|(mentioned, _)| *mentioned == var);
        found.map_or_else(|| self.anywhere(), |(_, span)| *span)
    }

    fn anywhere(&self) -> Span {
        let first = self.mentions().next();
        first.map_or(Span::default(), |(_, span)| *span)
    }

    fn mentions(&self) -> impl Iterator<Item = &(VarRef, Span)> {
        self.lowered.mentions.iter().chain(&self.lowered.written)
    }
}

/// The types that a term allows its direct parts to have, and why.
fn required(term: Subterm<'_>) -> Option<(&'static [ValueType], String)> {
    let number: &[ValueType] = &[ValueType::Number];
    match term {
        Subterm::Pred(Pred::Holds(_)) => {
            let why = "a truth value is needed here".to_owned();
            Some((&[ValueType::Number, ValueType::Bool], why))
        }
        Subterm::Expr(Expr::Neg(_)) => Some((number, "`-` needs a number".to_owned())),
        Subterm::Expr(Expr::Arith(op, ..)) => {
            Some((number, format!("`{}` needs numbers", op.symbol())))
        }
        Subterm::Expr(Expr::Sum(_) | Expr::Min(_) | Expr::Max(_)) => {
            Some((number, "`sum`, `min` and `max` need numbers".to_owned()))
        }
        _ => None,
    }
}

/// The literal a person may have meant.
fn other_spelling(literal: &Value, wanted: &[ValueType]) -> String {
    match literal {
        Value::Text(text) if wanted.contains(&ValueType::Number) && text.parse::<f64>().is_ok() => {
            format!("a number is written without quotes: {text}")
        }
        Value::Text(text)
            if wanted.contains(&ValueType::Bool) && matches!(&**text, "true" | "false") =>
        {
            format!("a truth value is written without quotes: {text}")
        }
        Value::Number(number) if wanted.contains(&ValueType::Text) => {
            format!("text is written in quotes: \"{number}\"")
        }
        Value::Bool(truth) if wanted.contains(&ValueType::Number) => {
            format!(
                "an unset variable is the number 0; give it an initial value, or write {}",
                i32::from(*truth)
            )
        }
        _ => "values of different types are never equal".to_owned(),
    }
}
