//! A network as it is written: components, and how they are composed.

use causet_formula::Span;

use super::pattern::{Pattern, Replacement};

/// A composition of components.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) kind: ExpressionKind,
    pub(super) span: Span,
    depth: usize,
}

/// Deeper expressions are refused, because those who walk them recur.
pub(super) const DEEPEST: usize = 200;

impl Expression {
    /// An expression, unless it is too deep.
    pub(super) fn new(kind: ExpressionKind, span: Span) -> Option<Expression> {
        let below = match &kind {
            ExpressionKind::Component(_) => 0,
            ExpressionKind::Parallel(_, operands) => operands
                .iter()
                .map(|operand| operand.depth)
                .max()
                .unwrap_or(0),
            ExpressionKind::Hide(_, body)
            | ExpressionKind::Cut(_, body)
            | ExpressionKind::Rename(_, body) => body.depth,
        };
        let depth = below + 1;
        (depth <= DEEPEST).then_some(Expression { kind, span, depth })
    }
}

/// The ways to compose.
#[derive(Debug)]
pub(super) enum ExpressionKind {
    /// The system of a file.
    Component(String),
    /// All operands at once.
    Parallel(Synchronisation, Vec<Expression>),
    /// Labels become internal.
    Hide(Selection, Box<Expression>),
    /// Labels become impossible.
    Cut(Selection, Box<Expression>),
    /// Labels get other names: of several that match, the first counts.
    Rename(Vec<(Pattern, Replacement)>, Box<Expression>),
}

/// Which steps of the operands are made together.
#[derive(Debug)]
pub(super) enum Synchronisation {
    /// Those with one of these labels, by all operands; the others by one operand alone.
    On(Selection),
    /// Those that a vector names, and no other visible ones.
    By(Vec<Vector>),
}

/// Some of the visible labels.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) patterns: Vec<Pattern>,
    /// Whether the others are meant.
    pub(super) all_but: bool,
}

/// What each operand does in a common step, if it takes part, and what the step is called.
#[derive(Debug)]
pub(super) struct Vector {
    pub(super) entries: Vec<Option<Pattern>>,
    pub(super) result: Replacement,
    pub(super) span: Span,
}
