//! Temporal and boolean structure.

use super::dependence::Polarity;
use super::logic::Logic;
use super::range::Tuple;
use super::scope::{Scope, Target};
use super::{Lowerer, MAX_DEPTH, push};
use crate::core::{CmpOp, Expr, Pred};
use crate::syntax::{Binder, Node, NodeKind, PathQuantifier, Quantifier, TemporalOp, UntilOp};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl Lowerer<'_> {
    /// A formula of a logic; a predicate goes through [`Lowerer::predicate`].
    pub(super) fn formula<L: Logic>(&mut self, node: &Node, scope: &Scope<'_>) -> Option<L> {
        self.deeper(node.span, |this| this.formula_here(node, scope))
    }

    /// A formula in which no temporal operator may stand, and why.
    pub(super) fn predicate(
        &mut self,
        what: &'static str,
        node: &Node,
        scope: &Scope<'_>,
    ) -> Option<Pred> {
        let outside = self.predicate_of.replace(what);
        let result = self.formula(node, scope);
        self.predicate_of = outside;
        result
    }

    /// Keeps the left side of an implication that the property demands.
    fn keep_antecedent(&mut self, pred: &Pred, span: Span) {
        /// More of them are not looked at.
        const MAX_ANTECEDENTS: usize = 10_000;
        if self.polarity == Polarity::Positive && self.antecedents.len() < MAX_ANTECEDENTS {
            self.antecedents.push((pred.clone(), span));
        }
    }

    /// Runs one level of expansion.
    pub(super) fn deeper<T>(
        &mut self,
        span: Span,
        part: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.charge(1, span)?;
        if self.depth >= MAX_DEPTH {
            let error = Diagnostic::at(
                Code::NestedTooDeeply,
                span,
                "the property is nested too deeply",
            )
            .with_label(format!(
                "more than {MAX_DEPTH} levels, definitions included"
            ));
            return self.refuse(error);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn formula_here<L: Logic>(&mut self, node: &Node, scope: &Scope<'_>) -> Option<L> {
        match &node.kind {
            NodeKind::Group(inner) => self.formula(inner, scope),
            NodeKind::Not(inner) => self.negated(|this| this.formula(inner, scope)).map(L::not),
            NodeKind::And(parts) => self.formulas(parts, scope).map(L::and),
            NodeKind::Or(parts) => self.formulas(parts, scope).map(L::or),
            NodeKind::Implies(f, g) => {
                let left = self.negated(|this| this.formula::<L>(f, scope));
                let g = self.formula(g, scope);
                let left = left?;
                if let Some(pred) = left.as_state() {
                    self.keep_antecedent(pred, f.span);
                }
                Some(L::implies(left, g?))
            }
            NodeKind::Iff(f, g) => {
                let (f, g): (L, L) = self.either_way(|this| this.both(f, g, scope))?;
                self.charge(f.size() + g.size(), node.span)?;
                Some(L::iff(f, g))
            }
            NodeKind::Temporal(op, inner) => self.temporal(*op, inner, node.span, scope),
            NodeKind::Until(path, op, f, g) => {
                let operator = (*path, *op);
                self.until(operator, f, g, node.span, scope)
            }
            NodeKind::Quantified(quantifier, binder, body) => {
                self.quantified(*quantifier, binder, body, scope)
            }
            NodeKind::Name(_) | NodeKind::Call(..) => self.named(node, scope),
            NodeKind::Sequence(_) | NodeKind::Regular(_) | NodeKind::Monitor(_) => {
                self.misplaced(node)
            }
            NodeKind::Then(_) | NodeKind::Either(_) | NodeKind::Repeat(..) => self.misplaced(node),
            NodeKind::AnyLetter | NodeKind::EmptyWord => self.misplaced(node),
            _ => self.atom(node, scope).map(L::state),
        }
    }

    fn formulas<L: Logic>(&mut self, parts: &[Node], scope: &Scope<'_>) -> Option<Vec<L>> {
        let mut all = Some(Vec::new());
        for part in parts {
            let part = self.formula(part, scope);
            push(&mut all, part);
        }
        all
    }

    /// Both, so that the errors of both are reported.
    fn both<L: Logic>(&mut self, f: &Node, g: &Node, scope: &Scope<'_>) -> Option<(L, L)> {
        let f = self.formula(f, scope);
        let g = self.formula(g, scope);
        Some((f?, g?))
    }

    fn temporal<L: Logic>(
        &mut self,
        op: TemporalOp,
        inner: &Node,
        span: Span,
        scope: &Scope<'_>,
    ) -> Option<L> {
        self.allow_temporal(op.word(), first_letters(span, op.word()))?;
        let f = self.formula(inner, scope)?;
        match L::temporal(op, f) {
            Some(f) => Some(f),
            None => self.refuse(foreign(op.word(), op.is_linear(), span)),
        }
    }

    fn until<L: Logic>(
        &mut self,
        (path, op): (Option<PathQuantifier>, UntilOp),
        f: &Node,
        g: &Node,
        span: Span,
        scope: &Scope<'_>,
    ) -> Option<L> {
        let word = path.map_or(op.word(), PathQuantifier::word);
        let operator = match path {
            Some(_) => first_letters(span, word),
            None => span,
        };
        self.allow_temporal(word, operator)?;
        let (f, g): (L, L) = self.both(f, g, scope)?;
        self.charge(g.size(), span)?;
        match L::until(path, op, f, g) {
            Some(f) => Some(f),
            None => self.refuse(foreign(word, path.is_none(), span)),
        }
    }

    /// Refuses a temporal operator where a predicate is wanted.
    fn allow_temporal(&mut self, word: &str, operator: Span) -> Option<()> {
        let Some(what) = self.predicate_of else {
            return Some(());
        };
        let error = Diagnostic::at(
            Code::TemporalInPredicate,
            operator,
            format!("`{word}` within {what}"),
        )
        .with_label("expected a predicate without temporal operators");
        let error = match what.starts_with('`') {
            true => error.with_help(
                "a formula with temporal operators is given as CTL (`--ctl`) or LTL (`--ltl`)",
            ),
            false => error,
        };
        self.refuse(error)
    }

    /// A quantifier somewhere in a formula, expanded on the spot.
    fn quantified<L: Logic>(
        &mut self,
        quantifier: Quantifier,
        binder: &Binder,
        body: &Node,
        scope: &Scope<'_>,
    ) -> Option<L> {
        let tuples: Vec<Tuple<'_>> = self.tuples(Some(quantifier), binder, body, scope)?;
        let mut parts = Some(Vec::new());
        for tuple in &tuples {
            let part = self.formula(body, &scope.with_processes(tuple));
            push(&mut parts, part);
        }
        Some(L::join(quantifier, parts?))
    }

    /// A name or a call: an argument, a definition or a variable in boolean position.
    fn named<L: Logic>(&mut self, node: &Node, scope: &Scope<'_>) -> Option<L> {
        match self.follow(node, scope)? {
            Target::Definition(body, inner) => self.formula(body, &inner),
            Target::Argument(body, inner) => self.formula(body, inner),
            Target::Variable(variable) => Some(L::state(Pred::Holds(Expr::Var(variable)))),
        }
    }

    /// A predicate that is no boolean combination.
    fn atom(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Pred> {
        match &node.kind {
            NodeKind::Bool(value) => Some(Pred::Const(*value)),
            NodeKind::Compare(first, rest) => self.compare(first, rest, scope),
            NodeKind::Empty(from, to) => {
                let (from, to) = self.channel(from, to, scope)?;
                Some(Pred::compare(
                    CmpOp::Eq,
                    Expr::Inflight(from, to),
                    Expr::int(0),
                ))
            }
            NodeKind::Done(process) => self.process(process, scope).map(Pred::Done),
            NodeKind::Initial => {
                Some(Pred::and(self.all_processes().map(|process| {
                    Pred::compare(CmpOp::Eq, Expr::Steps(process), Expr::int(0))
                })))
            }
            NodeKind::Final => Some(Pred::and(self.all_processes().map(Pred::Done))),
            NodeKind::On(event) => self.event(event, node.span, scope),
            NodeKind::Number(_) | NodeKind::Text(_) => self.refuse(no_condition(node)),
            _ => self.value(node, scope).map(Pred::holds),
        }
    }
}

/// The part of the span that a word at its beginning takes.
fn first_letters(span: Span, word: &str) -> Span {
    let length = u32::try_from(word.len()).unwrap_or(0);
    Span::new(span.start, span.end.min(span.start + length))
}

/// An operator of the other logic, which only a definition can bring in.
fn foreign(word: &str, linear: bool, span: Span) -> Diagnostic {
    let (message, wanted, other) = match linear {
        true => (
            format!("`{word}` without `A` or `E` belongs to LTL"),
            "CTL",
            "ltl",
        ),
        false => (format!("`{word}` belongs to CTL"), "LTL", "ctl"),
    };
    Diagnostic::at(Code::WrongDefinition, span, message)
        .with_label(format!("expected a formula of {wanted}"))
        .with_help(format!(
            "a definition with this operator serves properties of kind {other}"
        ))
}

fn no_condition(node: &Node) -> Diagnostic {
    let what = match node.kind {
        NodeKind::Text(_) => "a text",
        _ => "a number",
    };
    Diagnostic::at(
        Code::NotACondition,
        node.span,
        format!("{what} is neither true nor false"),
    )
    .with_label("expected a condition")
    .with_help("compare it with something")
}
