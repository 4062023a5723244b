//! What the logics have in common, so that one piece of code lowers all of them.
//!
//! Predicates, CTL and LTL share their boolean structure and differ in the temporal operators only. A predicate is the
//! logic that has none; where one is wanted, the temporal operators are refused by name before they get here.

use crate::core::{Ctl, Pred};
use crate::linear::Ltl;
use crate::syntax::{PathQuantifier, Quantifier, TemporalOp, UntilOp};

/// A logic over predicates of a cut or position.
pub(super) trait Logic: Clone {
    /// A predicate as a formula.
    fn state(p: Pred) -> Self;

    /// The predicate that the formula is, if it is one.
    fn as_state(&self) -> Option<&Pred>;

    /// How many operators and operands the formula has.
    fn size(&self) -> usize;

    /// `!f`
    fn not(f: Self) -> Self;

    /// `f && g && ...`
    fn and(parts: Vec<Self>) -> Self;

    /// `f || g || ...`
    fn or(parts: Vec<Self>) -> Self;

    /// `AG f`, `F f`; `None` when the operator belongs to another logic.
    fn temporal(op: TemporalOp, f: Self) -> Option<Self>;

    /// `E[f U g]`, `f U g`; `None` when the operator belongs to another logic.
    fn until(path: Option<PathQuantifier>, op: UntilOp, f: Self, g: Self) -> Option<Self>;

    /// `f -> g`
    fn implies(f: Self, g: Self) -> Self {
        Self::or(vec![Self::not(f), g])
    }

    /// `f <-> g`
    fn iff(f: Self, g: Self) -> Self {
        let neither = Self::and(vec![Self::not(f.clone()), Self::not(g.clone())]);
        Self::or(vec![Self::and(vec![f, g]), neither])
    }

    /// The conjunction or disjunction of instances.
    fn join(quantifier: Quantifier, parts: Vec<Self>) -> Self {
        match quantifier {
            Quantifier::Forall => Self::and(parts),
            Quantifier::Exists => Self::or(parts),
        }
    }
}

impl Logic for Pred {
    fn state(p: Pred) -> Pred {
        p
    }

    fn as_state(&self) -> Option<&Pred> {
        Some(self)
    }

    fn size(&self) -> usize {
        Pred::size(self)
    }

    fn not(f: Pred) -> Pred {
        Pred::not(f)
    }

    fn and(parts: Vec<Pred>) -> Pred {
        Pred::and(parts)
    }

    fn or(parts: Vec<Pred>) -> Pred {
        Pred::or(parts)
    }

    fn temporal(_: TemporalOp, _: Pred) -> Option<Pred> {
        None
    }

    fn until(_: Option<PathQuantifier>, _: UntilOp, _: Pred, _: Pred) -> Option<Pred> {
        None
    }
}

impl Logic for Ctl {
    fn state(p: Pred) -> Ctl {
        Ctl::State(p)
    }

    fn as_state(&self) -> Option<&Pred> {
        match self {
            Ctl::State(p) => Some(p),
            _ => None,
        }
    }

    fn size(&self) -> usize {
        Ctl::size(self)
    }

    fn not(f: Ctl) -> Ctl {
        Ctl::not(f)
    }

    fn and(parts: Vec<Ctl>) -> Ctl {
        Ctl::and(parts)
    }

    fn or(parts: Vec<Ctl>) -> Ctl {
        Ctl::or(parts)
    }

    fn temporal(op: TemporalOp, f: Ctl) -> Option<Ctl> {
        match op {
            TemporalOp::Ex => Some(Ctl::ex(f)),
            TemporalOp::Ax => Some(Ctl::ax(f)),
            TemporalOp::Ef => Some(Ctl::ef(f)),
            TemporalOp::Af => Some(Ctl::af(f)),
            TemporalOp::Eg => Some(Ctl::eg(f)),
            TemporalOp::Ag => Some(Ctl::ag(f)),
            TemporalOp::Next | TemporalOp::WeakNext => None,
            TemporalOp::Finally | TemporalOp::Globally => None,
        }
    }

    fn until(path: Option<PathQuantifier>, op: UntilOp, f: Ctl, g: Ctl) -> Option<Ctl> {
        match (path?, op) {
            (PathQuantifier::Some, UntilOp::Until) => Some(Ctl::eu(f, g)),
            (PathQuantifier::Some, UntilOp::Weak) => Some(Ctl::ew(f, g)),
            (PathQuantifier::Some, UntilOp::Release) => Some(Ctl::er(f, g)),
            (PathQuantifier::All, UntilOp::Until) => Some(Ctl::au(f, g)),
            (PathQuantifier::All, UntilOp::Weak) => Some(Ctl::aw(f, g)),
            (PathQuantifier::All, UntilOp::Release) => Some(Ctl::ar(f, g)),
            (_, UntilOp::StrongRelease) => None,
        }
    }
}

impl Logic for Ltl {
    fn state(p: Pred) -> Ltl {
        Ltl::State(p)
    }

    fn as_state(&self) -> Option<&Pred> {
        match self {
            Ltl::State(p) => Some(p),
            _ => None,
        }
    }

    fn size(&self) -> usize {
        Ltl::size(self)
    }

    fn not(f: Ltl) -> Ltl {
        Ltl::not(f)
    }

    fn and(parts: Vec<Ltl>) -> Ltl {
        Ltl::and(parts)
    }

    fn or(parts: Vec<Ltl>) -> Ltl {
        Ltl::or(parts)
    }

    fn temporal(op: TemporalOp, f: Ltl) -> Option<Ltl> {
        match op {
            TemporalOp::Next => Some(Ltl::next(f)),
            TemporalOp::WeakNext => Some(Ltl::weak_next(f)),
            TemporalOp::Finally => Some(Ltl::finally(f)),
            TemporalOp::Globally => Some(Ltl::globally(f)),
            TemporalOp::Ex | TemporalOp::Ax | TemporalOp::Ef => None,
            TemporalOp::Af | TemporalOp::Eg | TemporalOp::Ag => None,
        }
    }

    fn until(path: Option<PathQuantifier>, op: UntilOp, f: Ltl, g: Ltl) -> Option<Ltl> {
        match (path, op) {
            (None, UntilOp::Until) => Some(Ltl::until(f, g)),
            (None, UntilOp::Weak) => Some(Ltl::weak_until(f, g)),
            (None, UntilOp::Release) => Some(Ltl::release(f, g)),
            (None, UntilOp::StrongRelease) => Some(Ltl::strong_release(f, g)),
            (Some(_), _) => None,
        }
    }
}
