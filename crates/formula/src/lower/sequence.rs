//! Orders of positions along a run: sequences and regular expressions behind `possibly` and `definitely`.
//!
//! A definition may hold one as a whole, so that several properties can ask for the same order; within a formula it has
//! no meaning, since it is not about one cut.

use super::event::Events;
use super::scope::{Scope, Target};
use super::{Lowerer, push};
use crate::core::Pred;
use crate::linear::{Hit, Language, Regular};
use crate::property::Kind;
use crate::syntax::{Node, NodeKind, Repetition, Step};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// What the letters of a regular expression are part of.
pub(super) const REGULAR: &str = "a regular expression";

impl Lowerer<'_> {
    /// Whether the whole is a sequence or a regular expression, perhaps within a definition.
    pub(super) fn is_language(&self, node: &Node) -> bool {
        match &node.ungrouped().kind {
            NodeKind::Sequence(_) | NodeKind::Regular(_) => true,
            NodeKind::Name(path) => path
                .as_word()
                .and_then(|word| self.lets.get(word))
                .is_some_and(|found| self.is_language(&found.body)),
            NodeKind::Call(name, _) => self
                .lets
                .get(&name.name)
                .is_some_and(|found| self.is_language(&found.body)),
            _ => false,
        }
    }

    /// The runs of a sequence or a regular expression.
    pub(super) fn language(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Language> {
        let node = node.ungrouped();
        self.deeper(node.span, |this| match &node.kind {
            NodeKind::Sequence(steps) => this.sequence(steps, scope).map(Language::Sequence),
            NodeKind::Regular(inside) => this.regular(inside, scope).map(Language::Regular),
            NodeKind::Name(_) | NodeKind::Call(..) => match this.follow(node, scope)? {
                Target::Definition(body, inner) => this.language(body, &inner),
                Target::Argument(body, inner) => this.language(body, inner),
                Target::Variable(_) => this.refuse(no_language(node.span)),
            },
            _ => this.refuse(no_language(node.span)),
        })
    }

    fn sequence(&mut self, steps: &[Step], scope: &Scope<'_>) -> Option<Vec<Hit>> {
        let mut hits = Some(Vec::new());
        for step in steps {
            let mut between = Some(Vec::new());
            for guard in &step.guards {
                let what = |this: &mut Self| this.along_run("a sequence", &guard.what, scope);
                let holds = if guard.always {
                    what(self)
                } else {
                    self.negated(what).map(Pred::not)
                };
                push(&mut between, holds);
            }
            let at = self.along_run("a sequence", &step.at, scope);
            let hit = between.zip(at).map(|(between, at)| Hit {
                between: Pred::and(between),
                at,
            });
            push(&mut hits, hit);
        }
        hits
    }

    fn regular(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Regular> {
        self.deeper(node.span, |this| match &node.kind {
            NodeKind::Group(inner) if is_expression(inner) => this.regular(inner, scope),
            NodeKind::Then(parts) => this.regulars(parts, scope).map(Regular::then),
            NodeKind::Either(parts) => this.regulars(parts, scope).map(Regular::either),
            NodeKind::Repeat(repetition, inner) => {
                let inner = this.regular(inner, scope)?;
                this.charge(inner.size(), node.span)?;
                Some(match repetition {
                    Repetition::Any => Regular::star(inner),
                    Repetition::Some => Regular::plus(inner),
                    Repetition::Optional => Regular::optional(inner),
                })
            }
            NodeKind::AnyLetter => Some(Regular::Letter(Pred::TRUE)),
            NodeKind::EmptyWord => Some(Regular::then([])),
            _ => this.along_run(REGULAR, node, scope).map(Regular::Letter),
        })
    }

    fn regulars(&mut self, parts: &[Node], scope: &Scope<'_>) -> Option<Vec<Regular>> {
        let mut all = Some(Vec::new());
        for part in parts {
            let part = self.regular(part, scope);
            push(&mut all, part);
        }
        all
    }

    /// A predicate of a position: the event just executed may be spoken of.
    pub(super) fn along_run(
        &mut self,
        what: &'static str,
        node: &Node,
        scope: &Scope<'_>,
    ) -> Option<Pred> {
        let outside = std::mem::replace(&mut self.events, Events::Allowed);
        let result = self.predicate(what, node, scope);
        self.events = outside;
        result
    }

    /// A sequence, a regular expression or a monitor in the middle of a formula.
    pub(super) fn misplaced<T>(&mut self, node: &Node) -> Option<T> {
        let error = misplaced(&node.kind, node.span, self.kind);
        self.refuse(error)
    }
}

/// Whether a node is one of the operators of a regular expression.
fn is_expression(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Group(inner) => is_expression(inner),
        NodeKind::Then(_) | NodeKind::Either(_) | NodeKind::Repeat(..) => true,
        NodeKind::AnyLetter | NodeKind::EmptyWord => true,
        _ => false,
    }
}

/// A parameter hides the definition of a sequence.
fn no_language(span: Span) -> Diagnostic {
    Diagnostic::at(Code::NotAnOrder, span, "this is not an order of positions")
        .with_label("expected a sequence `{ a ; b }` or a regular expression `re( a . b )`")
}

fn misplaced(kind: &NodeKind, span: Span, property: Kind) -> Diagnostic {
    let what = match kind {
        NodeKind::Sequence(_) => "a sequence",
        NodeKind::Regular(_) => "a regular expression",
        NodeKind::Monitor(_) => "a monitor",
        _ => "a part of a regular expression",
    };
    let error = Diagnostic::at(
        Code::SequenceInFormula,
        span,
        format!("{what} within a formula"),
    )
    .with_label("expected a predicate");
    match property {
        Kind::Possibly | Kind::Definitely => error.with_help(format!(
            "it stands alone: `{property} {{ a ; b }}`; both sides of a connective can be properties of their own"
        )),
        _ => error.with_help("it stands alone behind `possibly` or `definitely`"),
    }
}
