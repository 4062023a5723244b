//! Syntax to equations: negations pushed to the labels, regular formulas unrolled into fixpoints.
//!
//! A modality is translated from the right, with the equation that its steps have to lead to; that equation is named,
//! never copied, so the result is linear in the formula (paper MB-DSolve uses the same translation):
//!
//! ```text
//! <a . R> F    a step to the equation of <R> F           <R | S> F   both lists of terms in one disjunction
//! <R*> F       X = F or <R> X, least                     <R+> F      X = <R> (F or X), least
//! @(R)         X = <R> X, greatest                       [R] F       the same with `and`, greatest and least swapped
//! ```
//!
//! Under a negation everything is translated as its dual. A sub-formula is translated at most twice, once in each way:
//! that keeps `equ` linear too, and it is sound because a variable occurs in one of the two ways only.

use std::collections::HashMap;
use std::sync::Arc;

use super::Formula;
use super::alternation;
use super::print::shortened;
use super::syntax::{Label, LabelKind, Regular, RegularKind, State, StateKind};
use crate::action::Action;
use crate::modal::{Equation, Modal, Operator, Sign, Term};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// The longest text of an equation.
const TEXT: usize = 60;

/// The formula as equations.
pub(super) fn lower(formula: &Formula) -> Result<Modal, Vec<Diagnostic>> {
    let mut lowerer = Lowerer {
        formula,
        actions: Vec::new(),
        action_index: HashMap::new(),
        slots: Vec::new(),
        done: HashMap::new(),
        shared: HashMap::new(),
        scope: Vec::new(),
        negations: Vec::new(),
        errors: Vec::new(),
    };
    let main = lowerer.equation(formula.root(), true);
    if !lowerer.errors.is_empty() {
        return Err(lowerer.errors);
    }
    let signs = alternation::signs(&lowerer.slots, formula)?;
    Ok(lowerer.finish(main, &signs))
}

/// An equation in the making.
pub(super) struct Slot {
    /// The fixpoint it stands for, if it may depend on itself.
    pub(super) declared: Option<Declared>,
    pub(super) terms: Vec<Term>,
    operator: Operator,
    text: Arc<str>,
    span: Span,
}

/// A fixpoint of the formula, written or hidden in a regular formula.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// With the negations around it pushed inside.
    pub(super) sign: Sign,
    /// Whether it is under an even number of negations.
    pub(super) positive: bool,
    /// `mu X`, `<a*>`
    pub(super) title: String,
    /// `X`, `<a*>`
    pub(super) name: String,
    /// Whether it was written as a fixpoint.
    pub(super) written: bool,
    pub(super) span: Span,
}

/// The right side of an equation.
struct Shape {
    operator: Operator,
    terms: Vec<Term>,
}

impl Shape {
    fn here(at: usize) -> Shape {
        Shape {
            operator: Operator::Or,
            terms: vec![Term::Here(at)],
        }
    }

    /// The equation it says nothing else than, if there is one.
    fn single(&self) -> Option<usize> {
        match self.terms[..] {
            [Term::Here(at)] => Some(at),
            _ => None,
        }
    }
}

/// A fixpoint that surrounds what is translated.
struct Surrounding<'a> {
    name: &'a str,
    slot: usize,
    positive: bool,
    /// How many negations are around it.
    negations: usize,
}

/// What turns truth into falsehood, and where it stands.
type Negation = (&'static str, Span);

struct Lowerer<'a> {
    formula: &'a Formula,
    actions: Vec<Action>,
    /// The actions by their spelling.
    action_index: HashMap<String, usize>,
    slots: Vec<Slot>,
    /// The equations of sub-formulas, by their address and whether they are meant positively.
    done: HashMap<(*const State, bool), usize>,
    /// The equations that are no fixpoints, by what they say.
    shared: HashMap<(Operator, Vec<Term>), usize>,
    scope: Vec<Surrounding<'a>>,
    negations: Vec<Negation>,
    errors: Vec<Diagnostic>,
}

impl<'a> Lowerer<'a> {
    /// The equation of a sub-formula, or of its negation.
    fn equation(&mut self, node: &'a State, positive: bool) -> usize {
        let key = (std::ptr::from_ref(node), positive);
        if let Some(&slot) = self.done.get(&key) {
            return slot;
        }
        let slot = match &node.kind {
            StateKind::Variable(name) => return self.variable(name, node.span, positive),
            StateKind::Fixpoint(sign, name, body) => {
                self.fixpoint(*sign, name, body, node, positive)
            }
            _ => {
                let shape = self.shape(node, positive);
                self.interned(shape, node.span, || text_of(node, positive))
            }
        };
        self.done.insert(key, slot);
        slot
    }

    /// What a sub-formula, or its negation, says.
    fn shape(&mut self, node: &'a State, positive: bool) -> Shape {
        let operator = |positive: bool| match positive {
            true => Operator::Or,
            false => Operator::And,
        };
        match &node.kind {
            StateKind::Variable(_) | StateKind::Fixpoint(..) => {
                Shape::here(self.equation(node, positive))
            }
            StateKind::True => Shape {
                operator: operator(!positive),
                terms: Vec::new(),
            },
            StateKind::False => Shape {
                operator: operator(positive),
                terms: Vec::new(),
            },
            StateKind::Not(inner) => self.negated(("the negation", node.span), |this| {
                this.shape(inner, !positive)
            }),
            StateKind::And(all) => self.joined(operator(!positive), all, positive),
            StateKind::Or(all) => self.joined(operator(positive), all, positive),
            StateKind::Implies(left, right) => {
                let mut terms = Vec::new();
                let operator = operator(positive);
                self.negated(
                    ("being the left side of the implication", left.span),
                    |this| {
                        this.join(operator, left, !positive, &mut terms);
                    },
                );
                self.join(operator, right, positive, &mut terms);
                Shape { operator, terms }
            }
            StateKind::Equivalent(left, right) => self.equivalent(left, right, node, positive),
            StateKind::Diamond(path, inner) => {
                let to = self.equation(inner, positive);
                self.along(operator(positive), path, to, positive)
            }
            StateKind::Box(path, inner) => {
                let to = self.equation(inner, positive);
                self.along(operator(!positive), path, to, positive)
            }
            StateKind::Loops(path) => self.looping(path, node, positive),
        }
    }

    /// A fixpoint: its equation is there before its body is translated.
    fn fixpoint(
        &mut self,
        sign: Sign,
        name: &'a str,
        body: &'a State,
        node: &'a State,
        positive: bool,
    ) -> usize {
        let declared = Declared {
            sign: if positive { sign } else { sign.dual() },
            positive,
            title: format!("{} {name}", sign.word()),
            name: name.to_owned(),
            written: true,
            span: node.span,
        };
        let slot = self.reserve(declared, text_of(node, positive));
        self.scope.push(Surrounding {
            name,
            slot,
            positive,
            negations: self.negations.len(),
        });
        let shape = self.shape(body, positive);
        self.scope.pop();
        self.fill(slot, shape);
        slot
    }

    /// The equation of a variable, if it is used under an even number of negations.
    fn variable(&mut self, name: &str, span: Span, positive: bool) -> usize {
        let found = self.scope.iter().rev().find(|outer| outer.name == name);
        let Some(found) = found else {
            // The parser has resolved every variable; one that is not is refused all the same.
            let error = Diagnostic::at(
                Code::UnboundVariable,
                span,
                format!("unbound variable `{name}`"),
            );
            self.errors.push(error);
            return 0;
        };
        let slot = found.slot;
        if found.positive != positive {
            let error = self.not_monotone(name, span, slot, found.negations);
            self.errors.push(error);
        }
        slot
    }

    fn not_monotone(&self, name: &str, span: Span, slot: usize, outside: usize) -> Diagnostic {
        let declared = self.slots.get(slot).and_then(|slot| slot.declared.as_ref());
        let title = declared.map_or(name, |declared| &declared.title);
        let at = declared.map_or(span, |declared| declared.span);
        let message = format!("`{name}` stands under an odd number of negations within `{title}`");
        let error = Diagnostic::at(Code::NotMonotone, span, message)
            .with_label("expected it under an even number of negations");
        let innermost = self.negations.get(outside..).and_then(<[_]>::last);
        let help = innermost.map(|(what, place)| {
            format!(
                "{what} at {} turns it around; a fixpoint (here `{title}`, at {}) has to be monotone in its variable",
                self.formula.place(*place),
                self.formula.place(at)
            )
        });
        error.with_help_if(help)
    }

    /// Translates what stands under a negation.
    fn negated<T>(&mut self, negation: Negation, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.negations.push(negation);
        let result = inside(self);
        self.negations.pop();
        result
    }

    /// All of these, joined.
    fn joined(&mut self, operator: Operator, all: &'a [State], positive: bool) -> Shape {
        let mut terms = Vec::with_capacity(all.len());
        for one in all {
            self.join(operator, one, positive, &mut terms);
        }
        Shape { operator, terms }
    }

    /// Adds a sub-formula to a list of terms: its own terms if they are joined in the same way, else its equation.
    fn join(&mut self, operator: Operator, node: &'a State, positive: bool, terms: &mut Vec<Term>) {
        let key = (std::ptr::from_ref(node), positive);
        if let Some(&slot) = self.done.get(&key) {
            terms.push(Term::Here(slot));
            return;
        }
        let shape = self.shape(node, positive);
        if shape.operator == operator || shape.single().is_some() {
            terms.extend(shape.terms);
            return;
        }
        let slot = self.interned(shape, node.span, || text_of(node, positive));
        self.done.insert(key, slot);
        terms.push(Term::Here(slot));
    }

    /// `F equ G`: one implies the other; `not (F equ G)`: one of both and not both.
    fn equivalent(
        &mut self,
        left: &'a State,
        right: &'a State,
        node: &'a State,
        positive: bool,
    ) -> Shape {
        let (left_yes, right_yes) = (self.equation(left, true), self.equation(right, true));
        let (left_no, right_no) = self.negated(("the equivalence", node.span), |this| {
            (this.equation(left, false), this.equation(right, false))
        });
        let clauses = match positive {
            true => [(left_no, right_yes), (left_yes, right_no)],
            false => [(left_yes, right_yes), (left_no, right_no)],
        };
        let terms = clauses.map(|(one, other)| {
            let shape = Shape {
                operator: Operator::Or,
                terms: vec![Term::Here(one), Term::Here(other)],
            };
            Term::Here(self.interned(shape, node.span, || text_of(node, positive)))
        });
        Shape {
            operator: Operator::And,
            terms: terms.to_vec(),
        }
    }

    /// `@(R)`, or that it is not so.
    fn looping(&mut self, path: &Regular, node: &State, positive: bool) -> Shape {
        let (sign, operator) = match positive {
            true => (Sign::Nu, Operator::Or),
            false => (Sign::Mu, Operator::And),
        };
        let title = shortened(node, TEXT);
        let declared = Declared {
            sign,
            positive,
            name: title.clone(),
            written: false,
            title,
            span: node.span,
        };
        let slot = self.reserve(declared, text_of(node, positive));
        let shape = self.along(operator, path, slot, positive);
        self.fill(slot, shape);
        Shape::here(slot)
    }

    /// `<R>` or `[R]` before the equation `to`.
    fn along(&mut self, operator: Operator, path: &Regular, to: usize, positive: bool) -> Shape {
        let mut terms = Vec::new();
        self.walk(operator, path, to, positive, &mut terms);
        Shape { operator, terms }
    }

    /// Adds the terms of `<R>` or `[R]` before the equation `to`.
    fn walk(
        &mut self,
        operator: Operator,
        path: &Regular,
        to: usize,
        positive: bool,
        terms: &mut Vec<Term>,
    ) {
        match &path.kind {
            RegularKind::Action(label) => {
                let action = self.action(label);
                terms.push(Term::Step { action, to });
            }
            RegularKind::Nil => terms.push(Term::Here(to)),
            RegularKind::Sequence(all) => {
                let Some((first, rest)) = all.split_first() else {
                    terms.push(Term::Here(to));
                    return;
                };
                let to = rest.iter().rev().fold(to, |to, part| {
                    let shape = self.along(operator, part, to, positive);
                    self.interned_path(operator, part, shape, to)
                });
                self.walk(operator, first, to, positive, terms);
            }
            RegularKind::Choice(all) => {
                for part in all {
                    self.walk(operator, part, to, positive, terms);
                }
            }
            RegularKind::Optional(inner) => {
                terms.push(Term::Here(to));
                self.walk(operator, inner, to, positive, terms);
            }
            RegularKind::Star(inner) => {
                let slot = self.iteration(operator, path, to, positive);
                let mut body = vec![Term::Here(to)];
                self.walk(operator, inner, slot, positive, &mut body);
                self.fill(
                    slot,
                    Shape {
                        operator,
                        terms: body,
                    },
                );
                terms.push(Term::Here(slot));
            }
            RegularKind::Plus(inner) => {
                let slot = self.iteration(operator, path, to, positive);
                let again = Shape {
                    operator,
                    terms: vec![Term::Here(to), Term::Here(slot)],
                };
                let again = self.interned_path(operator, path, again, to);
                let body = self.along(operator, inner, again, positive);
                self.fill(slot, body);
                terms.push(Term::Here(slot));
            }
        }
    }

    /// The equation of `<R*> F` and the like, still empty.
    fn iteration(
        &mut self,
        operator: Operator,
        path: &Regular,
        to: usize,
        positive: bool,
    ) -> usize {
        let sign = match operator {
            Operator::Or => Sign::Mu,
            Operator::And => Sign::Nu,
        };
        // The modality as it was written, before negations were pushed inside.
        let written = match positive {
            true => operator,
            false => operator.dual(),
        };
        let title = in_brackets(written, &shortened(path, TEXT));
        let declared = Declared {
            sign,
            positive,
            name: title.clone(),
            written: false,
            title,
            span: path.span,
        };
        let text = self.text_along(operator, path, to);
        self.reserve(declared, text)
    }

    fn interned_path(
        &mut self,
        operator: Operator,
        path: &Regular,
        shape: Shape,
        to: usize,
    ) -> usize {
        let text = self.text_along(operator, path, to);
        self.interned(shape, path.span, || text)
    }

    /// `<R> F`, where F is the text of another equation.
    fn text_along(&self, operator: Operator, path: &Regular, to: usize) -> Arc<str> {
        let target = self.slots.get(to).map_or("", |slot| &*slot.text);
        let modality = in_brackets(operator, &shortened(path, TEXT));
        Arc::from(shortened(&format!("{modality} {target}"), TEXT))
    }

    /// The equation with this right side, which is no fixpoint.
    fn interned(&mut self, shape: Shape, span: Span, text: impl FnOnce() -> Arc<str>) -> usize {
        if let Some(at) = shape.single() {
            return at;
        }
        let key = (shape.operator, shape.terms);
        if let Some(&slot) = self.shared.get(&key) {
            return slot;
        }
        self.slots.push(Slot {
            declared: None,
            operator: key.0,
            terms: key.1.clone(),
            text: text(),
            span,
        });
        self.shared.insert(key, self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// An equation that may be used before it is filled.
    fn reserve(&mut self, declared: Declared, text: Arc<str>) -> usize {
        self.slots.push(Slot {
            span: declared.span,
            declared: Some(declared),
            operator: Operator::Or,
            terms: Vec::new(),
            text,
        });
        self.slots.len() - 1
    }

    fn fill(&mut self, at: usize, shape: Shape) {
        if let Some(slot) = self.slots.get_mut(at) {
            slot.operator = shape.operator;
            slot.terms = shape.terms;
        }
    }

    /// The index of an action formula, by its canonical spelling.
    fn action(&mut self, label: &Label) -> usize {
        let key = label.to_string();
        if let Some(&index) = self.action_index.get(&key) {
            return index;
        }
        self.actions.push(action(label));
        self.action_index.insert(key, self.actions.len() - 1);
        self.actions.len() - 1
    }

    /// The equations that matter, the main one first.
    fn finish(mut self, main: usize, signs: &[Sign]) -> Modal {
        let mut number = HashMap::from([(main, 0)]);
        let mut order = vec![main];
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            next += 1;
            for term in self.slots.get(at).map_or(&[][..], |slot| &slot.terms) {
                let to = target(*term);
                number.entry(to).or_insert_with(|| {
                    order.push(to);
                    order.len() - 1
                });
            }
        }
        let renumbered = |term: &Term| match *term {
            Term::Here(to) => Term::Here(number[&to]),
            Term::Step { action, to } => Term::Step {
                action,
                to: number[&to],
            },
        };
        let equations = order.iter().map(|&at| Equation {
            sign: signs[at],
            operator: self.slots[at].operator,
            terms: self.slots[at].terms.iter().map(renumbered).collect(),
            text: self.slots[at].text.clone(),
            span: self.slots[at].span,
        });
        Modal {
            equations: equations.collect(),
            actions: std::mem::take(&mut self.actions),
            main: 0,
        }
    }
}

/// The equation that a term names.
pub(super) fn target(term: Term) -> usize {
    match term {
        Term::Here(to) | Term::Step { to, .. } => to,
    }
}

fn text_of(node: &State, positive: bool) -> Arc<str> {
    Arc::from(match positive {
        true => shortened(node, TEXT),
        false => format!("!({})", shortened(node, TEXT)),
    })
}

fn in_brackets(operator: Operator, path: &str) -> String {
    match operator {
        Operator::Or => format!("<{path}>"),
        Operator::And => format!("[{path}]"),
    }
}

/// An action formula as a predicate on labels.
fn action(label: &Label) -> Action {
    let all = |labels: &[Label]| labels.iter().map(action).collect();
    let not = |label: &Label| Action::Not(Box::new(action(label)));
    match &label.kind {
        LabelKind::Any => Action::Any,
        LabelKind::None => Action::Or(Vec::new()),
        LabelKind::Internal => Action::Internal,
        LabelKind::InternalOrI => Action::Or(vec![Action::Internal, Action::Exact(Arc::from("i"))]),
        LabelKind::Exact(text) => Action::Exact(text.clone()),
        LabelKind::Matches { regex, .. }
        | LabelKind::Call { regex, .. }
        | LabelKind::Offers { regex, .. } => Action::Matches(regex.clone()),
        LabelKind::Not(inner) => not(inner),
        LabelKind::And(labels) => Action::And(all(labels)),
        LabelKind::Or(labels) => Action::Or(all(labels)),
        LabelKind::Implies(left, right) => Action::Or(vec![not(left), action(right)]),
        LabelKind::Equivalent(left, right) => {
            Action::Same(Box::new(action(left)), Box::new(action(right)))
        }
    }
}
