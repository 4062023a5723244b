//! The syntax of the mu-calculus, with places: state formulas, regular formulas over actions, action formulas.

use std::collections::BTreeSet;
use std::slice::from_ref;
use std::sync::Arc;

use regex::Regex;

use crate::fold::preorder;
use crate::modal::Sign;
use causet_base::span::Span;

/// What is said of a state, and where.
#[derive(Clone, Debug)]
pub struct State {
    /// What is said.
    pub kind: StateKind,
    /// Where it stands in the source; what came out of a macro stands where the macro is used.
    pub span: Span,
}

/// The forms of a state formula.
#[derive(Clone, Debug)]
pub enum StateKind {
    /// `true`
    True,
    /// `false`
    False,
    /// `X`, the variable of the innermost fixpoint with that name.
    Variable(Arc<str>),
    /// `! F`
    Not(Box<State>),
    /// `F && G && ...`, two or more.
    And(Vec<State>),
    /// `F || G || ...`, two or more.
    Or(Vec<State>),
    /// `F -> G`
    Implies(Box<State>, Box<State>),
    /// `F <-> G`
    Equivalent(Box<State>, Box<State>),
    /// `<R> F`: some sequence of steps in R leads to F.
    Diamond(Regular, Box<State>),
    /// `[R] F`: every sequence of steps in R leads to F.
    Box(Regular, Box<State>),
    /// `@(R)`: R can be repeated for ever.
    Loops(Regular),
    /// `mu X. F`, `nu X. F`
    Fixpoint(Sign, Arc<str>, Box<State>),
}

/// A set of sequences of steps, and where it is written.
#[derive(Clone, Debug)]
pub struct Regular {
    /// The set.
    pub kind: RegularKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a regular formula.
#[derive(Clone, Debug)]
pub enum RegularKind {
    /// One step.
    Action(Label),
    /// `nil`: no step at all.
    Nil,
    /// `R . S . ...`, two or more.
    Sequence(Vec<Regular>),
    /// `R | S | ...`, two or more.
    Choice(Vec<Regular>),
    /// `R*`
    Star(Box<Regular>),
    /// `R+`
    Plus(Box<Regular>),
    /// `R?`
    Optional(Box<Regular>),
}

/// A set of labels, and where it is written.
#[derive(Clone, Debug)]
pub struct Label {
    /// The set.
    pub kind: LabelKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an action formula.
#[derive(Clone, Debug)]
pub enum LabelKind {
    /// `true`, `any`
    Any,
    /// `false`
    None,
    /// `tau`: the internal step, whatever it is called.
    Internal,
    /// `i`: the internal step, and the label `i`.
    InternalOrI,
    /// `word`, `"text"`: the label with exactly this text.
    Exact(Arc<str>),
    /// `'expression'`: every label that the expression matches as a whole.
    Matches {
        /// The expression as it was written.
        written: Arc<str>,
        /// The expression to match with.
        regex: Arc<Regex>,
    },
    /// `put(3, _)`: a label of mCRL2.
    Call {
        /// The action.
        name: Arc<str>,
        /// Its arguments.
        values: Vec<Value>,
        /// The expression to match with.
        regex: Arc<Regex>,
    },
    /// `{PUT !3 !_ ...}`: a label of CADP.
    Offers {
        /// The gate.
        gate: Arc<str>,
        /// The offers.
        values: Vec<Value>,
        /// Whether any further offers may follow.
        open: bool,
        /// The expression to match with.
        regex: Arc<Regex>,
    },
    /// `! A`
    Not(Box<Label>),
    /// `A && B && ...`, two or more.
    And(Vec<Label>),
    /// `A || B || ...`, two or more.
    Or(Vec<Label>),
    /// `A -> B`
    Implies(Box<Label>, Box<Label>),
    /// `A <-> B`
    Equivalent(Box<Label>, Box<Label>),
}

impl State {
    /// The direct parts that say something of a state.
    fn children(&self) -> impl DoubleEndedIterator<Item = &State> {
        let (first, second): (&[State], &[State]) = match &self.kind {
            StateKind::True | StateKind::False | StateKind::Variable(_) => (&[], &[]),
            StateKind::Not(inner) | StateKind::Fixpoint(_, _, inner) => (from_ref(inner), &[]),
            StateKind::And(parts) | StateKind::Or(parts) => (parts, &[]),
            StateKind::Implies(one, other) | StateKind::Equivalent(one, other) => {
                (from_ref(one), from_ref(other))
            }
            StateKind::Diamond(_, inner) | StateKind::Box(_, inner) => (from_ref(inner), &[]),
            StateKind::Loops(_) => (&[], &[]),
        };
        first.iter().chain(second)
    }

    /// The labels that are no combination of others, in the order of the text.
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        let paths = preorder(self, State::children).filter_map(|state| match &state.kind {
            StateKind::Diamond(path, _) | StateKind::Box(path, _) | StateKind::Loops(path) => {
                Some(path)
            }
            _ => None,
        });
        paths.flat_map(Regular::labels)
    }

    /// The labels that stand only where a box forbids a step: the last of its sequence, before `false`.
    pub(crate) fn forbidden_labels(&self) -> BTreeSet<Arc<str>> {
        let mut last = Vec::new();
        self.each_forbidden(&mut |text| last.push(text));
        let all = self.labels().filter_map(|label| match &label.kind {
            LabelKind::Exact(text) => Some(text.clone()),
            _ => None,
        });
        let all: Vec<Arc<str>> = all.collect();
        let times =
            |list: &[Arc<str>], text: &Arc<str>| list.iter().filter(|other| *other == text).count();
        let is_forbidden = |text: &Arc<str>| times(&last, text) == times(&all, text);
        last.iter()
            .filter(|text| is_forbidden(text))
            .cloned()
            .collect()
    }

    fn each_forbidden(&self, visit: &mut dyn FnMut(Arc<str>)) {
        match &self.kind {
            StateKind::Box(regular, inner) if matches!(inner.kind, StateKind::False) => {
                if let Some(LabelKind::Exact(text)) = regular.last().map(|label| &label.kind) {
                    visit(text.clone());
                }
            }
            StateKind::And(parts) => parts.iter().for_each(|part| part.each_forbidden(visit)),
            StateKind::Implies(_, inner)
            | StateKind::Box(_, inner)
            | StateKind::Fixpoint(_, _, inner) => inner.each_forbidden(visit),
            _ => {}
        }
    }
}

impl Regular {
    /// The action with which every sequence ends, if it is one.
    fn last(&self) -> Option<&Label> {
        match &self.kind {
            RegularKind::Action(label) => Some(label),
            RegularKind::Sequence(parts) => parts.last()?.last(),
            _ => None,
        }
    }

    fn children(&self) -> impl DoubleEndedIterator<Item = &Regular> {
        let parts: &[Regular] = match &self.kind {
            RegularKind::Action(_) | RegularKind::Nil => &[],
            RegularKind::Sequence(parts) | RegularKind::Choice(parts) => parts,
            RegularKind::Star(inner) | RegularKind::Plus(inner) | RegularKind::Optional(inner) => {
                from_ref(inner)
            }
        };
        parts.iter()
    }

    fn labels(&self) -> impl Iterator<Item = &Label> {
        let actions = preorder(self, Regular::children).filter_map(|part| match &part.kind {
            RegularKind::Action(label) => Some(label),
            _ => None,
        });
        actions.flat_map(Label::atoms)
    }
}

impl Label {
    fn children(&self) -> impl DoubleEndedIterator<Item = &Label> {
        let (first, second): (&[Label], &[Label]) = match &self.kind {
            LabelKind::Not(inner) => (from_ref(inner), &[]),
            LabelKind::And(parts) | LabelKind::Or(parts) => (parts, &[]),
            LabelKind::Implies(one, other) | LabelKind::Equivalent(one, other) => {
                (from_ref(one), from_ref(other))
            }
            _ => (&[], &[]),
        };
        first.iter().chain(second)
    }

    /// The parts that are no combination of others.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Label> {
        let is_atom = |part: &&Label| part.children().next().is_none();
        preorder(self, Label::children).filter(is_atom)
    }
}

/// A value within a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `_`, or a name bound by `exists`: any value.
    Any,
    /// This value, as its tokens are spelt.
    Exact(Vec<Arc<str>>),
    /// A name bound by `exists`, while the action formula is read.
    Bound(Arc<str>),
}
