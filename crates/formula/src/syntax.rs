//! The surface syntax: what was written, with spans and sugar, before any name is resolved.
//!
//! Predicates and temporal formulas share one tree, since they mix freely in the text; which of
//! them may stand where is decided by [`lower`](crate::lower()).

use std::sync::Arc;

use crate::core::{ArithOp, CmpOp};
use crate::fold::preorder;
use causet_base::number::Number;
use causet_base::span::Span;

/// A piece of syntax.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands.
    pub span: Span,
    /// The length of the longest path below; bounded by the parser, so recursion is safe.
    height: u16,
}

/// The kinds of syntax.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// `12`, `2.5`
    Number(Number),
    /// `true`, `false`
    Bool(bool),
    /// `"text"`
    Text(Arc<str>),
    /// `x`, `p1.x`, a bound name or a definition without parameters
    Name(Path),
    /// `crit(i)`: a definition with arguments
    Call(Ident, Vec<Node>),
    /// `( ... )`
    Group(Box<Node>),
    /// `-e`
    Neg(Box<Node>),
    /// `a + b`
    Arith(ArithOp, Box<Node>, Box<Node>),
    /// `a < b <= c`
    Compare(Box<Node>, Vec<(CmpOp, Node)>),
    /// `!f`
    Not(Box<Node>),
    /// `f && g && ...`
    And(Vec<Node>),
    /// `f || g || ...`
    Or(Vec<Node>),
    /// `f -> g`
    Implies(Box<Node>, Box<Node>),
    /// `f <-> g`
    Iff(Box<Node>, Box<Node>),
    /// `inflight(p -> q)`
    Inflight(Path, Path),
    /// `empty(p -> q)`
    Empty(Path, Path),
    /// `done(p)`
    Done(Path),
    /// `steps(p)`
    Steps(Path),
    /// `initial`
    Initial,
    /// `final`
    Final,
    /// `on(...)`
    On(EventSyntax),
    /// `count(i in procs: f)`
    Fold(Fold, Binder, Box<Node>),
    /// `min(a, b)`: the same functions over what is listed
    Listed(Fold, Vec<Node>),
    /// `forall i in procs: f`
    Quantified(Quantifier, Binder, Box<Node>),
    /// `AG f`, `F f`
    Temporal(TemporalOp, Box<Node>),
    /// `E[f U g]`, `f U g`
    Until(Option<PathQuantifier>, UntilOp, Box<Node>, Box<Node>),
    /// `{ a ; [never t] b }`
    Sequence(Vec<Step>),
    /// `re( ... )`; the kinds below stand within it only
    Regular(Box<Node>),
    /// `a . b`: one after the other
    Then(Vec<Node>),
    /// `a | b`: one of them
    Either(Vec<Node>),
    /// `a*`
    Repeat(Repetition, Box<Node>),
    /// `_` or `any`: a letter whatever holds there
    AnyLetter,
    /// `()`: no letter at all
    EmptyWord,
    /// `{ start s; s -> t on P; bad t }`
    Monitor(Monitor),
}

/// A bare word with its place.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The word.
    pub name: Arc<str>,
    /// Its place.
    pub span: Span,
}

/// A name of one or more segments joined by dots.
#[derive(Clone, Debug)]
pub struct Path {
    /// At least one.
    pub segments: Vec<Segment>,
    /// From the first to the last.
    pub span: Span,
}

/// One segment of a dotted name.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The name without backquotes.
    pub name: Arc<str>,
    /// Whether it stood in backquotes: then it is a complete name of the trace, never a keyword,
    /// a bound name or a definition.
    pub quoted: bool,
    /// Its place.
    pub span: Span,
}

/// The argument of `on`.
#[derive(Clone, Debug)]
pub enum EventSyntax {
    /// `on("label")`
    Label(Arc<str>),
    /// `on(p, any)`: `on(p)` for a process that shares its name with a variable
    Process(Path),
    /// `on(p, "label")`
    ProcessLabel(Path, Arc<str>),
    /// `on(p)` or `on(x = 3)`: a lone name may be either a process or a variable
    About(Box<Node>),
}

/// One position of a sequence.
#[derive(Clone, Debug)]
pub struct Step {
    /// What holds strictly between the position before, or the beginning, and this one.
    pub guards: Vec<Guard>,
    /// What holds at the position.
    pub at: Node,
}

/// `[always t]` or `[never t]`
#[derive(Clone, Debug)]
pub struct Guard {
    /// Whether it is `always`.
    pub always: bool,
    /// The predicate.
    pub what: Node,
}

/// A monitor. Its states are those its edges mention.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Where it starts.
    pub start: Ident,
    /// At least one.
    pub edges: Vec<MonitorEdge>,
    /// At least one.
    pub bad: Vec<Ident>,
}

/// `s -> t on P` or `s -> t when P`
#[derive(Clone, Debug)]
pub struct MonitorEdge {
    /// From which state.
    pub from: Ident,
    /// To which state.
    pub to: Ident,
    /// How the guard is meant.
    pub trigger: Trigger,
    /// The predicate.
    pub guard: Node,
}

/// What quantifiers and folds bind: `i, j in procs, k in procs("w*") where i != j`.
#[derive(Clone, Debug)]
pub struct Binder {
    /// At least one.
    pub ranges: Vec<Range>,
    /// Which tuples of processes are meant.
    pub condition: Option<Box<Node>>,
    /// The whole of it.
    pub span: Span,
}

/// Names that range over the same processes.
#[derive(Clone, Debug)]
pub struct Range {
    /// The bound names.
    pub names: Vec<Ident>,
    /// Only processes whose name matches; `*` stands for any text, `?` for one character.
    pub glob: Option<Arc<str>>,
    /// `procs` or `procs("glob")`
    pub span: Span,
}

/// What a fold computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// How many hold.
    Count,
    /// The sum.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// How the instances of a quantified property are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// All of them hold.
    Forall,
    /// Some instance holds.
    Exists,
}

/// On all runs or on some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathQuantifier {
    /// `A`
    All,
    /// `E`
    Some,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalOp {
    /// `EX`
    Ex,
    /// `AX`
    Ax,
    /// `EF`
    Ef,
    /// `AF`
    Af,
    /// `EG`
    Eg,
    /// `AG`
    Ag,
    /// `X` (LTL)
    Next,
    /// `N`, the weak next (LTL)
    WeakNext,
    /// `F` (LTL)
    Finally,
    /// `G` (LTL)
    Globally,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UntilOp {
    /// `U`
    Until,
    /// `W`, the second operand may never come
    Weak,
    /// `R`, the dual of `U`
    Release,
    /// `M`, the release that must come (LTL)
    StrongRelease,
}

/// How often a part of a regular expression occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// `*`: any number of times
    Any,
    /// `+`: at least once
    Some,
    /// `?`: at most once
    Optional,
}

/// How the guard of an edge is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// `on P`: the event wrote a variable of `P`, and `P` holds now.
    On,
    /// `when P`: `P` holds after the event.
    When,
}

impl Node {
    /// A node; its height follows from its children.
    pub(crate) fn new(kind: NodeKind, span: Span) -> Node {
        let heights = kind.children().into_iter().map(|child| child.height);
        let below = heights.max().unwrap_or(0);
        Node {
            kind,
            span,
            height: below.saturating_add(1),
        }
    }

    /// The number of nodes on the longest path from here to a leaf.
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// The node and all that it is made of, each before its parts.
    pub(crate) fn subnodes(&self) -> impl Iterator<Item = &Node> {
        preorder(self, |node| node.kind.children().into_iter())
    }

    /// The node without the parentheses around it.
    pub(crate) fn ungrouped(&self) -> &Node {
        match &self.kind {
            NodeKind::Group(inner) => inner.ungrouped(),
            _ => self,
        }
    }
}

impl NodeKind {
    /// The direct parts, conditions of binders included.
    pub(crate) fn children(&self) -> Vec<&Node> {
        match self {
            NodeKind::Number(_) | NodeKind::Bool(_) | NodeKind::Text(_) | NodeKind::Name(_) => {
                Vec::new()
            }
            NodeKind::Inflight(..) | NodeKind::Empty(..) | NodeKind::Done(_) => Vec::new(),
            NodeKind::Steps(_) | NodeKind::Initial | NodeKind::Final => Vec::new(),
            NodeKind::AnyLetter | NodeKind::EmptyWord => Vec::new(),
            NodeKind::On(EventSyntax::About(one)) => vec![one],
            NodeKind::On(_) => Vec::new(),
            NodeKind::Group(one) | NodeKind::Neg(one) | NodeKind::Not(one) => vec![one],
            NodeKind::Temporal(_, one) | NodeKind::Regular(one) => vec![one],
            NodeKind::Repeat(_, one) => vec![one],
            NodeKind::Call(_, many) | NodeKind::And(many) | NodeKind::Or(many) => {
                many.iter().collect()
            }
            NodeKind::Listed(_, many) | NodeKind::Then(many) => many.iter().collect(),
            NodeKind::Either(many) => many.iter().collect(),
            NodeKind::Sequence(steps) => {
                let parts = steps.iter().flat_map(|step| {
                    let guards = step.guards.iter().map(|guard| &guard.what);
                    guards.chain([&step.at])
                });
                parts.collect()
            }
            NodeKind::Monitor(monitor) => monitor.edges.iter().map(|edge| &edge.guard).collect(),
            NodeKind::Arith(_, a, b) | NodeKind::Implies(a, b) | NodeKind::Iff(a, b) => vec![a, b],
            NodeKind::Until(_, _, a, b) => vec![a, b],
            NodeKind::Compare(first, rest) => {
                let rest = rest.iter().map(|(_, next)| next);
                [&**first].into_iter().chain(rest).collect()
            }
            NodeKind::Fold(_, binder, body) | NodeKind::Quantified(_, binder, body) => {
                let condition = binder.condition.as_deref().into_iter();
                condition.chain([&**body]).collect()
            }
        }
    }
}

impl Path {
    /// The only segment, when it is a bare word.
    pub(crate) fn as_word(&self) -> Option<&Arc<str>> {
        match self.segments.as_slice() {
            [only] if !only.quoted => Some(&only.name),
            _ => None,
        }
    }

    /// The names of the segments joined by dots, without backquotes.
    pub(crate) fn joined(&self) -> String {
        join(&self.segments)
    }
}

/// The names of the segments joined by dots.
pub(crate) fn join(segments: &[Segment]) -> String {
    let names: Vec<&str> = segments.iter().map(|segment| &*segment.name).collect();
    names.join(".")
}

impl Binder {
    /// The bound names with the range of each, from left to right.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&Ident, &Range)> {
        self.ranges
            .iter()
            .flat_map(|range| range.names.iter().map(move |name| (name, range)))
    }
}

impl Repetition {
    /// The sign.
    pub fn sign(self) -> &'static str {
        match self {
            Repetition::Any => "*",
            Repetition::Some => "+",
            Repetition::Optional => "?",
        }
    }
}

impl Trigger {
    /// The keyword.
    pub fn word(self) -> &'static str {
        match self {
            Trigger::On => "on",
            Trigger::When => "when",
        }
    }
}

impl Fold {
    /// The function's name.
    pub fn word(self) -> &'static str {
        match self {
            Fold::Count => "count",
            Fold::Sum => "sum",
            Fold::Min => "min",
            Fold::Max => "max",
        }
    }
}

impl Quantifier {
    /// The keyword.
    pub fn word(self) -> &'static str {
        match self {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
        }
    }
}

impl PathQuantifier {
    /// The letter.
    pub fn word(self) -> &'static str {
        match self {
            PathQuantifier::All => "A",
            PathQuantifier::Some => "E",
        }
    }
}

impl TemporalOp {
    /// The keyword.
    pub fn word(self) -> &'static str {
        match self {
            TemporalOp::Ex => "EX",
            TemporalOp::Ax => "AX",
            TemporalOp::Ef => "EF",
            TemporalOp::Af => "AF",
            TemporalOp::Eg => "EG",
            TemporalOp::Ag => "AG",
            TemporalOp::Next => "X",
            TemporalOp::WeakNext => "N",
            TemporalOp::Finally => "F",
            TemporalOp::Globally => "G",
        }
    }

    /// The operator of that keyword.
    pub(crate) fn from_word(word: &str) -> Option<TemporalOp> {
        let all = [
            TemporalOp::Ex,
            TemporalOp::Ax,
            TemporalOp::Ef,
            TemporalOp::Af,
            TemporalOp::Eg,
            TemporalOp::Ag,
            TemporalOp::Next,
            TemporalOp::WeakNext,
            TemporalOp::Finally,
            TemporalOp::Globally,
        ];
        all.into_iter().find(|op| op.word() == word)
    }

    /// Whether the operator speaks about one run, and so belongs to LTL.
    pub fn is_linear(self) -> bool {
        matches!(
            self,
            TemporalOp::Next | TemporalOp::WeakNext | TemporalOp::Finally | TemporalOp::Globally
        )
    }
}

impl UntilOp {
    /// The letter.
    pub fn word(self) -> &'static str {
        match self {
            UntilOp::Until => "U",
            UntilOp::Weak => "W",
            UntilOp::Release => "R",
            UntilOp::StrongRelease => "M",
        }
    }

    /// The operator of that letter.
    pub(crate) fn from_word(word: &str) -> Option<UntilOp> {
        let all = [
            UntilOp::Until,
            UntilOp::Weak,
            UntilOp::Release,
            UntilOp::StrongRelease,
        ];
        all.into_iter().find(|op| op.word() == word)
    }
}
