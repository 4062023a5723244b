//! Comparisons and arithmetic, with the checks that need no trace.

use super::scope::{Meaning, Scope, Target};
use super::{Lowerer, push};
use crate::core::{ArithOp, CmpOp, Expr, Pred};
use crate::names::ProcRef;
use crate::syntax::{Binder, Fold, Node, NodeKind, Path};
use causet_base::span::Span;
use causet_base::value::{Value, ValueType};
use causet_base::{Code, Diagnostic};

impl Lowerer<'_> {
    /// An expression.
    pub(super) fn value(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Expr> {
        self.deeper(node.span, |this| {
            this.either_way(|this| this.value_here(node, scope))
        })
    }

    fn value_here(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Expr> {
        match &node.kind {
            NodeKind::Number(number) => Some(Expr::Literal(Value::Number(number.clone()))),
            NodeKind::Text(text) => Some(Expr::Literal(Value::Text(text.clone()))),
            NodeKind::Group(inner) => self.value(inner, scope),
            NodeKind::Name(_) | NodeKind::Call(..) => match self.follow(node, scope)? {
                Target::Definition(body, inner) => self.value(body, &inner),
                Target::Argument(body, inner) => self.value(body, inner),
                Target::Variable(variable) => Some(Expr::Var(variable)),
            },
            NodeKind::Neg(inner) => {
                let operand = self.number("-", inner, scope)?;
                Some(Expr::negative(operand))
            }
            NodeKind::Arith(op, a, b) => self.arith(*op, a, b, scope),
            NodeKind::Inflight(from, to) => {
                let (from, to) = self.channel(from, to, scope)?;
                Some(Expr::Inflight(from, to))
            }
            NodeKind::Steps(process) => self.process(process, scope).map(Expr::Steps),
            NodeKind::Fold(fold, binder, body) => self.fold(*fold, binder, body, scope),
            NodeKind::Listed(fold, parts) => self.listed(*fold, parts, scope),
            _ => self
                .predicate("an expression", node, scope)
                .map(Expr::truth),
        }
    }

    /// Both ends of a channel.
    pub(super) fn channel(
        &mut self,
        from: &Path,
        to: &Path,
        scope: &Scope<'_>,
    ) -> Option<(ProcRef, ProcRef)> {
        let from = self.process(from, scope);
        let to = self.process(to, scope);
        Some((from?, to?))
    }

    /// A chain of comparisons as a conjunction.
    pub(super) fn compare(
        &mut self,
        first: &Node,
        rest: &[(CmpOp, Node)],
        scope: &Scope<'_>,
    ) -> Option<Pred> {
        let all = || std::iter::once(first).chain(rest.iter().map(|(_, node)| node));
        if all().any(|node| self.is_bound_process(node, scope)) {
            for node in all() {
                self.require_process(node, scope)?;
            }
            return self.compare_processes(first, rest, scope).map(Pred::Const);
        }
        let mut operands = Some(Vec::new());
        for node in all() {
            let operand = self.operand(node, scope);
            push(&mut operands, operand.map(|value| (value, node.span)));
        }
        let operands = operands?;
        let mut parts = Some(Vec::new());
        for (pair, (op, _)) in operands.windows(2).zip(rest) {
            if let [(a, a_span), (b, b_span)] = pair {
                let sound = self.check_comparison(*op, (a, *a_span), (b, *b_span));
                push(
                    &mut parts,
                    sound.map(|()| Pred::compare(*op, a.clone(), b.clone())),
                );
            }
        }
        parts.map(Pred::and)
    }

    /// Whether the node is a name that a quantifier or fold has bound to a process.
    fn is_bound_process(&self, node: &Node, scope: &Scope<'_>) -> bool {
        let NodeKind::Name(path) = &node.ungrouped().kind else {
            return false;
        };
        match path.as_word().and_then(|word| scope.get(word)) {
            Some(Meaning::Process(_)) => true,
            Some(Meaning::Argument(inner, outer)) => self.is_bound_process(inner, outer),
            None => false,
        }
    }

    /// Refuses what is no process next to one that is.
    fn require_process(&mut self, node: &Node, scope: &Scope<'_>) -> Option<()> {
        let is_value = match &node.ungrouped().kind {
            NodeKind::Text(_) => false,
            NodeKind::Name(path) => {
                let bound = path.as_word().is_some_and(|word| scope.get(word).is_some());
                !bound && self.names.process(&path.joined()).is_none()
            }
            _ => true,
        };
        match is_value {
            false => Some(()),
            true => self.refuse(
                Diagnostic::at(
                    Code::ProcessComparedWithValue,
                    node.span,
                    "a process is compared with a value",
                )
                .with_label("expected a bound name or a process")
                .with_help("a bound name stands for a process, not for its name or number"),
            ),
        }
    }

    /// One side of a comparison.
    fn operand(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Expr> {
        match self.unquoted_text(&node.kind, scope) {
            Some(error) => self.refuse(error),
            None => self.value(node, scope),
        }
    }

    fn check_comparison(&mut self, op: CmpOp, a: (&Expr, Span), b: (&Expr, Span)) -> Option<()> {
        if op.is_order() {
            let a = self.require_number(op.symbol(), a.0, a.1);
            let b = self.require_number(op.symbol(), b.0, b.1);
            return a.and(b);
        }
        if let (Some(x), Some(y)) = (a.0.static_type(), b.0.static_type())
            && x != y
        {
            let message = format!("{x} and {y} are never equal");
            let always = if op == CmpOp::Eq { "false" } else { "true" };
            let warning = Diagnostic::at(Code::ConstantComparison, a.1.to(b.1), message);
            self.warn(warning.with_label(format!("always {always}")));
        }
        Some(())
    }

    fn arith(&mut self, op: ArithOp, a: &Node, b: &Node, scope: &Scope<'_>) -> Option<Expr> {
        let left = self.number(op.symbol(), a, scope);
        let right = self.number(op.symbol(), b, scope);
        let (left, right) = (left?, right?);
        let zero = matches!(&right, Expr::Literal(Value::Number(number)) if number.is_zero());
        if zero && matches!(op, ArithOp::Div | ArithOp::Rem) {
            let warning = Diagnostic::at(Code::DivisionByZero, b.span, "division by zero");
            self.warn(warning.with_label("makes the comparison false everywhere"));
        }
        Some(Expr::arith(op, left, right))
    }

    /// An operand that has to be a number.
    fn number(&mut self, symbol: &str, node: &Node, scope: &Scope<'_>) -> Option<Expr> {
        let value = self.value(node, scope)?;
        self.require_number(symbol, &value, node.span)?;
        Some(value)
    }

    /// Refuses what cannot be a number in any trace.
    fn require_number(&mut self, symbol: &str, value: &Expr, span: Span) -> Option<()> {
        match value.static_type() {
            None | Some(ValueType::Number) => Some(()),
            Some(other) => {
                let error = Diagnostic::at(
                    Code::NotNumeric,
                    span,
                    format!("`{symbol}` is about numbers"),
                );
                self.refuse(error.with_label(format!("expected a number, this is {other}")))
            }
        }
    }

    fn fold(
        &mut self,
        fold: Fold,
        binder: &Binder,
        body: &Node,
        scope: &Scope<'_>,
    ) -> Option<Expr> {
        let tuples = self.tuples(None, binder, body, scope)?;
        let mut preds = Some(Vec::new());
        let mut values = Some(Vec::new());
        for tuple in &tuples {
            let inner = scope.with_processes(tuple);
            match fold {
                Fold::Count => push(&mut preds, self.predicate("a fold", body, &inner)),
                _ => push(&mut values, self.number(fold.word(), body, &inner)),
            }
        }
        self.folded(fold, preds?, values?, binder.span)
    }

    fn listed(&mut self, fold: Fold, parts: &[Node], scope: &Scope<'_>) -> Option<Expr> {
        let mut preds = Some(Vec::new());
        let mut values = Some(Vec::new());
        for part in parts {
            match fold {
                Fold::Count => push(&mut preds, self.predicate("a fold", part, scope)),
                _ => push(&mut values, self.number(fold.word(), part, scope)),
            }
        }
        let span = parts.first().map_or(Span::default(), |part| part.span);
        self.folded(fold, preds?, values?, span)
    }

    fn folded(
        &mut self,
        fold: Fold,
        preds: Vec<Pred>,
        values: Vec<Expr>,
        span: Span,
    ) -> Option<Expr> {
        match fold {
            Fold::Count if preds.is_empty() => Some(Expr::int(0)),
            Fold::Sum if values.is_empty() => Some(Expr::int(0)),
            Fold::Count => Some(Expr::Count(preds)),
            Fold::Sum => Some(Expr::Sum(values)),
            _ if values.is_empty() => {
                let message = format!("`{}` of no processes at all", fold.word());
                self.refuse(
                    Diagnostic::at(Code::EmptyFold, span, message)
                        .with_label("expected at least one"),
                )
            }
            Fold::Min => Some(Expr::Min(values)),
            Fold::Max => Some(Expr::Max(values)),
        }
    }
}
