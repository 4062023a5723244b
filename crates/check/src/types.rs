//! Do the values in the trace fit the formula? Decided from all values a variable ever holds, whatever the engine.
//!
//! Order and arithmetic need numbers; a bare value in boolean position needs a number or a truth value. A variable that
//! holds something else at some point is refused, with the event that wrote it. Equality of different types is simply
//! false, but when it can never be anything else the person probably meant something else, and is told.

use causet_base::span::Span;
use causet_base::{Code, Diagnostic};
use causet_formula::Lowered;
use causet_formula::core::{Ctl, EventAtom, Expr, Pred};
use causet_formula::names::{Names, VarRef, VariableName};
use causet_formula::value::{Value, ValueType};
use causet_trace::History;
use rustc_hash::FxHashMap;

use crate::records::Records;
use crate::subject::{Subject, formula_value, var_id};

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
        checker.formula(formula);
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
            let is_new = |sample: &Sample| sample.value.value_type() != kind(write.value);
            if samples.iter().all(is_new) {
                samples.push(Sample {
                    value: formula_value(trace, write.value),
                    origin: format!("written by {}", subject.event_name(event)),
                });
            }
        }
    }
}

fn samples(subject: &Subject<'_>, history: &History) -> Vec<Sample> {
    let sample = |value, origin| Sample {
        value: formula_value(subject.trace, value),
        origin,
    };
    let mut kinds = vec![kind(history.initial)];
    let mut samples = vec![sample(history.initial, "initially".to_owned())];
    for &(event, value) in &history.writes {
        if !kinds.contains(&kind(value)) {
            kinds.push(kind(value));
            let origin = format!("written by {}", subject.event_name(event));
            samples.push(sample(value, origin));
        }
    }
    samples
}

/// The type of a value as formulas see it, without making one.
pub(crate) fn kind(value: causet_trace::Value) -> ValueType {
    match value {
        causet_trace::Value::Int(_) | causet_trace::Value::Decimal { .. } => ValueType::Number,
        causet_trace::Value::Bool(_) => ValueType::Bool,
        causet_trace::Value::Text(_) => ValueType::Text,
    }
}

struct Checker<'a> {
    names: &'a dyn Names,
    lowered: &'a Lowered,
    seen: &'a Seen,
    findings: Findings,
}

impl Checker<'_> {
    fn formula(&mut self, formula: &Ctl) {
        match formula {
            Ctl::State(pred) => self.pred(pred),
            Ctl::Not(part) | Ctl::Ex(part) => self.formula(part),
            Ctl::And(parts) | Ctl::Or(parts) => parts.iter().for_each(|part| self.formula(part)),
            Ctl::Eu(hold, goal) | Ctl::Au(hold, goal) => {
                self.formula(hold);
                self.formula(goal);
            }
            Ctl::Run(runs) => runs.language.each_state(&mut |pred| self.pred(pred)),
            Ctl::Modal(_) => {}
        }
    }

    fn pred(&mut self, pred: &Pred) {
        match pred {
            Pred::On(EventAtom::Wrote { now, .. }) => self.pred(now),
            Pred::Const(_) | Pred::Done(_) | Pred::On(_) => {}
            Pred::Not(part) => self.pred(part),
            Pred::And(parts) | Pred::Or(parts) => parts.iter().for_each(|part| self.pred(part)),
            Pred::Holds(expr) => {
                self.expr(expr);
                let allowed = [ValueType::Number, ValueType::Bool];
                self.require(expr, &allowed, "a truth value is needed here");
            }
            Pred::Compare(op, left, right) => {
                self.expr(left);
                self.expr(right);
                if op.is_order() {
                    let why = format!("`{}` compares numbers", op.symbol());
                    self.require(left, &[ValueType::Number], &why);
                    self.require(right, &[ValueType::Number], &why);
                } else {
                    self.equality(left, right);
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(_) | Expr::Var(_) | Expr::Inflight(..) | Expr::Steps(_) => {}
            Expr::Neg(part) => {
                self.expr(part);
                self.require(part, &[ValueType::Number], "`-` needs a number");
            }
            Expr::Arith(op, left, right) => {
                let why = format!("`{}` needs numbers", op.symbol());
                for part in [left, right] {
                    self.expr(part);
                    self.require(part, &[ValueType::Number], &why);
                }
            }
            Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
                for part in parts {
                    self.expr(part);
                    self.require(
                        part,
                        &[ValueType::Number],
                        "`sum`, `min` and `max` need numbers",
                    );
                }
            }
            Expr::Count(preds) => preds.iter().for_each(|pred| self.pred(pred)),
            Expr::Truth(pred) => self.pred(pred),
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
