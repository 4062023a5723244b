//! Temporal and boolean structure.

use super::range::Tuple;
use super::scope::{Scope, Target};
use super::{Lowerer, MAX_DEPTH, join, push};
use crate::core::{CmpOp, Ctl, Expr, Pred};
use crate::error::FormulaError;
use crate::names::processes;
use crate::span::Span;
use crate::syntax::{
    Binder, EventSyntax, Node, NodeKind, PathQuantifier, Quantifier, SequenceForm, TemporalOp,
    UntilOp,
};

impl Lowerer<'_> {
    /// A formula; where only predicates may stand it is a [`Ctl::State`].
    pub(super) fn formula(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Ctl> {
        self.deeper(node.span, |this| this.formula_here(node, scope))
    }

    /// A formula in which no temporal operator may stand, and why.
    pub(super) fn within(
        &mut self,
        what: &'static str,
        node: &Node,
        scope: &Scope<'_>,
    ) -> Option<Ctl> {
        let outside = self.predicate_of.replace(what);
        let result = self.formula(node, scope);
        self.predicate_of = outside;
        result
    }

    /// A predicate, as part of a comparison or fold.
    pub(super) fn predicate(
        &mut self,
        what: &'static str,
        node: &Node,
        scope: &Scope<'_>,
    ) -> Option<Pred> {
        match self.within(what, node, scope)? {
            Ctl::State(p) => Some(p),
            _ => None,
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
            let error = FormulaError::new(span, "the property is nested too deeply").with_label(
                format!("more than {MAX_DEPTH} levels, definitions included"),
            );
            return self.refuse(error);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn formula_here(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Ctl> {
        match &node.kind {
            NodeKind::Group(inner) => self.formula(inner, scope),
            NodeKind::Not(inner) => self.formula(inner, scope).map(Ctl::not),
            NodeKind::And(parts) => self.formulas(parts, scope).map(Ctl::and),
            NodeKind::Or(parts) => self.formulas(parts, scope).map(Ctl::or),
            NodeKind::Implies(f, g) => {
                let (f, g) = self.both(f, g, scope)?;
                Some(Ctl::implies(f, g))
            }
            NodeKind::Iff(f, g) => {
                let (f, g) = self.both(f, g, scope)?;
                self.charge(f.size() + g.size(), node.span)?;
                Some(Ctl::iff(f, g))
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
            NodeKind::Sequence(form) => self.refuse(no_sequence(*form, node.span)),
            _ => self.atom(node, scope).map(Ctl::State),
        }
    }

    fn formulas(&mut self, parts: &[Node], scope: &Scope<'_>) -> Option<Vec<Ctl>> {
        let mut all = Some(Vec::new());
        for part in parts {
            let part = self.formula(part, scope);
            push(&mut all, part);
        }
        all
    }

    /// Both, so that the errors of both are reported.
    fn both(&mut self, f: &Node, g: &Node, scope: &Scope<'_>) -> Option<(Ctl, Ctl)> {
        let f = self.formula(f, scope);
        let g = self.formula(g, scope);
        Some((f?, g?))
    }

    fn temporal(
        &mut self,
        op: TemporalOp,
        inner: &Node,
        span: Span,
        scope: &Scope<'_>,
    ) -> Option<Ctl> {
        self.allow_temporal(op.word(), span, inner.span)?;
        let f = self.formula(inner, scope)?;
        match op {
            TemporalOp::Ex => Some(Ctl::ex(f)),
            TemporalOp::Ax => Some(Ctl::ax(f)),
            TemporalOp::Ef => Some(Ctl::ef(f)),
            TemporalOp::Af => Some(Ctl::af(f)),
            TemporalOp::Eg => Some(Ctl::eg(f)),
            TemporalOp::Ag => Some(Ctl::ag(f)),
            TemporalOp::Next
            | TemporalOp::WeakNext
            | TemporalOp::Finally
            | TemporalOp::Globally => self.refuse(linear(op.word(), span)),
        }
    }

    fn until(
        &mut self,
        (path, op): (Option<PathQuantifier>, UntilOp),
        f: &Node,
        g: &Node,
        span: Span,
        scope: &Scope<'_>,
    ) -> Option<Ctl> {
        let Some(path) = path else {
            return self.refuse(linear(op.word(), span));
        };
        self.allow_temporal(path.word(), span, span.after())?;
        let (f, g) = self.both(f, g, scope)?;
        self.charge(g.size(), span)?;
        match (path, op) {
            (PathQuantifier::Some, UntilOp::Until) => Some(Ctl::eu(f, g)),
            (PathQuantifier::Some, UntilOp::Weak) => Some(Ctl::ew(f, g)),
            (PathQuantifier::Some, UntilOp::Release) => Some(Ctl::er(f, g)),
            (PathQuantifier::All, UntilOp::Until) => Some(Ctl::au(f, g)),
            (PathQuantifier::All, UntilOp::Weak) => Some(Ctl::aw(f, g)),
            (PathQuantifier::All, UntilOp::Release) => Some(Ctl::ar(f, g)),
            (_, UntilOp::StrongRelease) => self.refuse(linear(op.word(), span)),
        }
    }

    /// Refuses a temporal operator where a predicate is wanted; underlines the operator only.
    fn allow_temporal(&mut self, word: &str, span: Span, operand: Span) -> Option<()> {
        let Some(what) = self.predicate_of else {
            return Some(());
        };
        let end = operand
            .start
            .min(span.start + u32::try_from(word.len()).unwrap_or(0));
        let error = FormulaError::new(
            Span::new(span.start, end),
            format!("`{word}` within {what}"),
        )
        .with_label("expected a predicate without temporal operators");
        let error = match what.starts_with('`') {
            true => error.with_help("a formula with temporal operators is given as CTL (`--ctl`)"),
            false => error,
        };
        self.refuse(error)
    }

    /// A quantifier somewhere in a formula, expanded on the spot.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binder: &Binder,
        body: &Node,
        scope: &Scope<'_>,
    ) -> Option<Ctl> {
        let tuples: Vec<Tuple<'_>> = self.tuples(binder, body, scope)?;
        let mut parts = Some(Vec::new());
        for tuple in &tuples {
            let part = self.formula(body, &scope.with_processes(tuple));
            push(&mut parts, part);
        }
        Some(join(quantifier, parts?))
    }

    /// A name or a call: an argument, a definition or a variable in boolean position.
    fn named(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Ctl> {
        match self.follow(node, scope)? {
            Target::Definition(body, inner) => self.formula(body, &inner),
            Target::Argument(body, inner) => self.formula(body, inner),
            Target::Variable(variable) => Some(Ctl::State(Pred::Holds(Expr::Var(variable)))),
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
                Some(Pred::and(processes(self.names).map(|process| {
                    Pred::compare(CmpOp::Eq, Expr::Steps(process), Expr::int(0))
                })))
            }
            NodeKind::Final => Some(Pred::and(processes(self.names).map(Pred::Done))),
            NodeKind::On(event) => self.refuse(no_event(event, node.span)),
            NodeKind::Number(_) | NodeKind::Text(_) => self.refuse(no_condition(node)),
            _ => self.value(node, scope).map(Pred::holds),
        }
    }
}

fn linear(word: &str, span: Span) -> FormulaError {
    FormulaError::new(span, format!("`{word}` without `A` or `E` belongs to LTL"))
        .with_label("expected a formula of CTL")
}

fn no_sequence(form: SequenceForm, span: Span) -> FormulaError {
    let what = match form {
        SequenceForm::Braces => "sequences `{ a ; b }`",
        SequenceForm::Regular => "regular expressions `re( ... )`",
    };
    FormulaError::new(
        span,
        format!("{what} are not available yet in this version"),
    )
    .with_label("expected a predicate")
}

fn no_event(event: &EventSyntax, span: Span) -> FormulaError {
    let error = FormulaError::new(
        span,
        "`on(...)` is about events, and every kind of property in this version is about cuts",
    )
    .with_label("expected a predicate about cuts");
    match event {
        EventSyntax::About(node) if matches!(node.kind, NodeKind::Compare(..)) => {
            error.with_help("what holds at a cut is written without `on`")
        }
        _ => error,
    }
}

fn no_condition(node: &Node) -> FormulaError {
    let what = match node.kind {
        NodeKind::Text(_) => "a text",
        _ => "a number",
    };
    FormulaError::new(node.span, format!("{what} is neither true nor false"))
        .with_label("expected a condition")
        .with_help("compare it with something")
}
