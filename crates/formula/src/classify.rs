//! What an engine may rely on: the classes of predicates and formulas, by their shape alone.
//!
//! ```text
//! local  <  conjunctive  <  regular         the cuts that satisfy it form a lattice
//! local  <  disjunctive                     the negation of a conjunctive predicate
//! a boolean combination of local predicates, or else relational
//! ```
//!
//! All answers are sound and none is complete: a predicate may be regular in a trace for reasons
//! its text does not show. The classes are those of Garg, Mittal and Sen (predicate detection and
//! computation slicing).
//!
//! Regular atoms are those that depend on chains of the trace. If an atom depends on how far one
//! chain (a process, or the writes of one shared variable) is in the cut, then for two cuts the
//! union is as far as the one and the intersection as far as the other. (The writes of a shared
//! variable are a chain unless they race, and then no state predicate may name it.) If it compares a
//! difference of two monotone counts, sent minus received, with a constant, then of the two cuts
//! the union takes the larger count of each and the intersection the smaller, and both differences
//! lie between the two given ones: an interval that holds these holds those.

use std::collections::BTreeSet;
use std::fmt;

use crate::core::{CmpOp, Ctl, EventAtom, Expr, Pred};
use crate::fold::Subterm;
use crate::names::{ProcRef, VarRef};

/// Who owns a variable; `None` for a shared one.
pub type Owner<'a> = &'a dyn Fn(VarRef) -> Option<ProcRef>;

/// A set of classes, displayed as `local, conjunctive, ...`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Class(u16);

impl Class {
    /// One process alone decides it: it can be evaluated once for each of its events.
    pub const LOCAL: Class = Class(1);
    /// A conjunction of local predicates: one look at each event decides `EF` and `AF`.
    pub const CONJUNCTIVE: Class = Class(1 << 1);
    /// A disjunction of local predicates: `EF` goes process by process, `AG` is the negation of a
    /// conjunctive `EF`.
    pub const DISJUNCTIVE: Class = Class(1 << 2);
    /// Closed under union and intersection of cuts: its slice is exactly its set of cuts.
    pub const REGULAR: Class = Class(1 << 3);
    /// Some atom compares what different processes hold: no decomposition by process.
    pub const RELATIONAL: Class = Class(1 << 4);
    /// Speaks of messages in transit: needs the channels of the trace.
    pub const CHANNEL: Class = Class(1 << 5);
    /// Once true, true for ever: the final cut alone decides `EF` and `AF`.
    pub const STABLE: Class = Class(1 << 6);
    /// Speaks of the event just executed: has no value at a cut.
    pub const EVENT: Class = Class(1 << 7);
    /// Contains a temporal operator.
    pub const TEMPORAL: Class = Class(1 << 8);
    /// Has no `EX`: cuts that look alike may be merged.
    pub const STUTTER_INVARIANT: Class = Class(1 << 9);
    /// Conjunctions, `EF`, `EG` and `AG` over regular predicates: slicing alone decides it.
    pub const RCTL: Class = Class(1 << 10);

    const WORDS: [(Class, &'static str); 11] = [
        (Class::LOCAL, "local"),
        (Class::CONJUNCTIVE, "conjunctive"),
        (Class::DISJUNCTIVE, "disjunctive"),
        (Class::REGULAR, "regular"),
        (Class::RELATIONAL, "relational"),
        (Class::CHANNEL, "channel"),
        (Class::STABLE, "stable"),
        (Class::EVENT, "about events"),
        (Class::TEMPORAL, "temporal"),
        (Class::STUTTER_INVARIANT, "stutter-invariant"),
        (Class::RCTL, "RCTL"),
    ];

    /// Whether all classes of `other` are in this set.
    pub fn contains(self, other: Class) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub fn union(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }

    /// This class if the condition holds, else none.
    fn when(self, condition: bool) -> Class {
        if condition { self } else { Class::default() }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_set = |(class, word): &(Class, &'static str)| self.contains(*class).then_some(*word);
        let words: Vec<&str> = Class::WORDS.iter().filter_map(of_set).collect();
        match words.is_empty() {
            true => f.write_str("none"),
            false => f.write_str(&words.join(", ")),
        }
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a predicate or formula reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// The variables it names.
    pub variables: BTreeSet<VarRef>,
    /// The processes it depends on: owners of variables, ends of channels, counted processes.
    pub processes: BTreeSet<ProcRef>,
    /// Whether it reads a shared variable, and so may depend on every process.
    pub shared: bool,
    /// Whether it reads a channel.
    pub channel: bool,
    /// Whether it speaks of the event just executed.
    pub event: bool,
}

impl Support {
    /// Nothing but one process (or nothing at all) decides.
    pub fn is_local(&self) -> bool {
        self.processes.len() <= 1 && !self.shared && !self.event
    }

    /// Nothing but one shared variable decides.
    fn is_one_shared(&self) -> bool {
        self.shared && self.processes.is_empty() && self.variables.len() == 1 && !self.event
    }
}

/// The classes of a predicate.
pub fn classify_pred(p: &Pred, owner: Owner<'_>) -> Class {
    let support = pred_support(p, owner);
    let classes = [
        Class::LOCAL.when(support.is_local()),
        Class::CONJUNCTIVE.when(is_conjunctive(p, owner)),
        Class::DISJUNCTIVE.when(is_disjunctive(p, owner)),
        Class::REGULAR.when(is_regular(p, owner)),
        Class::RELATIONAL.when(is_relational(p, owner)),
        Class::CHANNEL.when(support.channel),
        Class::STABLE.when(is_stable(p)),
        Class::EVENT.when(support.event),
    ];
    classes.into_iter().fold(Class::default(), Class::union)
}

/// The classes of a formula; those of its predicate when it is not temporal.
pub fn classify_ctl(f: &Ctl, owner: Owner<'_>) -> Class {
    let own = match f {
        Ctl::State(p) => classify_pred(p, owner),
        _ => {
            let support = ctl_support(f, owner);
            Class::TEMPORAL
                .union(Class::CHANNEL.when(support.channel))
                .union(Class::EVENT.when(support.event))
        }
    };
    own.union(Class::STUTTER_INVARIANT.when(is_stutter_invariant(f)))
        .union(Class::RCTL.when(is_rctl(f, owner)))
}

/// What a predicate reads.
pub fn pred_support(p: &Pred, owner: Owner<'_>) -> Support {
    let mut support = Support::default();
    support.add_pred(p, owner);
    support
}

/// What a formula reads.
pub fn ctl_support(f: &Ctl, owner: Owner<'_>) -> Support {
    let mut support = Support::default();
    f.preds().for_each(|p| support.add_pred(p, owner));
    support
}

/// How deeply temporal operators are nested; zero for a predicate.
pub fn temporal_depth(f: &Ctl) -> usize {
    let below = f.children().map(temporal_depth).max().unwrap_or(0);
    match f {
        Ctl::State(_) | Ctl::Not(_) | Ctl::And(_) | Ctl::Or(_) => below,
        Ctl::Ex(_) | Ctl::Eu(..) | Ctl::Au(..) | Ctl::Run(_) | Ctl::Modal(_) => 1 + below,
    }
}

/// Whether the formula has no `EX`.
pub fn is_stutter_invariant(f: &Ctl) -> bool {
    // Whether a language of runs is stutter-invariant is a question for its automaton; a modality sees every step.
    let is_blind = |f: &Ctl| !matches!(f, Ctl::Ex(_) | Ctl::Run(_) | Ctl::Modal(_));
    f.subformulas().all(is_blind)
}

/// Whether the formula is built from regular predicates by conjunction, `EF`, `EG` and `AG`.
pub fn is_rctl(f: &Ctl, owner: Owner<'_>) -> bool {
    match f {
        Ctl::State(p) => is_regular(p, owner),
        Ctl::And(parts) => parts.iter().all(|part| is_rctl(part, owner)),
        Ctl::Eu(until, g) => **until == Ctl::TRUE && is_rctl(g, owner),
        Ctl::Not(inner) => match &**inner {
            // `AG g` and `EG g` in the core.
            Ctl::Eu(until, not_g) | Ctl::Au(until, not_g) => {
                **until == Ctl::TRUE && is_rctl(&Ctl::not((**not_g).clone()), owner)
            }
            _ => false,
        },
        Ctl::Or(_) | Ctl::Ex(_) | Ctl::Au(..) | Ctl::Run(_) | Ctl::Modal(_) => false,
    }
}

/// Whether the predicate is a conjunction of predicates of one process each.
pub fn is_conjunctive(p: &Pred, owner: Owner<'_>) -> bool {
    is_junction(p, true, &|part| pred_support(part, owner).is_local())
}

/// Whether the predicate is a disjunction of predicates of one process each.
pub fn is_disjunctive(p: &Pred, owner: Owner<'_>) -> bool {
    is_junction(p, false, &|part| pred_support(part, owner).is_local())
}

/// Whether the predicate is a conjunction of regular atoms.
pub fn is_regular(p: &Pred, owner: Owner<'_>) -> bool {
    is_junction(p, true, &|part| {
        let support = pred_support(part, owner);
        support.is_local() || support.is_one_shared() || is_monotone_difference(part)
    })
}

/// Whether some atom depends on more than one process.
pub fn is_relational(p: &Pred, owner: Owner<'_>) -> bool {
    p.atoms().any(|(atom, _)| {
        let support = pred_support(atom, owner);
        !support.is_local() && !support.is_one_shared()
    })
}

/// Whether the predicate, once true, stays true along every run.
pub fn is_stable(p: &Pred) -> bool {
    match p {
        Pred::Const(_) | Pred::Done(_) => true,
        Pred::Compare(CmpOp::Gt | CmpOp::Ge, Expr::Steps(_), Expr::Literal(_)) => true,
        Pred::Compare(CmpOp::Lt | CmpOp::Le, Expr::Literal(_), Expr::Steps(_)) => true,
        Pred::And(parts) | Pred::Or(parts) => parts.iter().all(is_stable),
        _ => false,
    }
}

/// Whether `p` is a conjunction (or, with `and` false, a disjunction) of accepted parts, looking
/// through negations by de Morgan.
fn is_junction(p: &Pred, and: bool, accepts: &dyn Fn(&Pred) -> bool) -> bool {
    let parts = |parts: &[Pred], and| parts.iter().all(|part| is_junction(part, and, accepts));
    let split = match p {
        Pred::And(inner) if and => parts(inner, and),
        Pred::Or(inner) if !and => parts(inner, and),
        Pred::Not(inner) => match &**inner {
            Pred::Or(inner) if and => inner
                .iter()
                .all(|part| is_junction(&Pred::not(part.clone()), and, accepts)),
            Pred::And(inner) if !and => inner
                .iter()
                .all(|part| is_junction(&Pred::not(part.clone()), and, accepts)),
            _ => false,
        },
        _ => false,
    };
    split || accepts(p)
}

/// `inflight(p -> q)` compared with a constant, or `steps(p)` with `steps(q)`; not `!=`.
fn is_monotone_difference(p: &Pred) -> bool {
    let (positive, p) = match p {
        Pred::Not(inner) => (false, &**inner),
        p => (true, p),
    };
    let Pred::Compare(op, a, b) = p else {
        return false;
    };
    let interval = match op {
        CmpOp::Eq => positive,
        CmpOp::Ne => !positive,
        CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => true,
    };
    interval
        && matches!(
            (a, b),
            (Expr::Inflight(..), Expr::Literal(_))
                | (Expr::Literal(_), Expr::Inflight(..))
                | (Expr::Steps(_), Expr::Steps(_))
        )
}

impl Support {
    fn add_pred(&mut self, p: &Pred, owner: Owner<'_>) {
        for term in p.subterms() {
            match term {
                Subterm::Pred(Pred::On(event)) => self.add_event(event, owner),
                Subterm::Pred(Pred::Done(process)) | Subterm::Expr(Expr::Steps(process)) => {
                    self.processes.insert(*process);
                }
                Subterm::Expr(Expr::Var(variable)) => self.add_variable(*variable, owner),
                Subterm::Expr(Expr::Inflight(from, to)) => {
                    self.channel = true;
                    self.processes.extend([*from, *to]);
                }
                _ => {}
            }
        }
    }

    fn add_event(&mut self, event: &EventAtom, owner: Owner<'_>) {
        self.event = true;
        match event {
            EventAtom::Label(_) => {}
            EventAtom::Process(process) | EventAtom::ProcessLabel(process, _) => {
                self.processes.insert(*process);
            }
            EventAtom::Wrote { vars, .. } => {
                vars.iter()
                    .for_each(|variable| self.add_variable(*variable, owner));
            }
        }
    }

    fn add_variable(&mut self, variable: VarRef, owner: Owner<'_>) {
        self.variables.insert(variable);
        match owner(variable) {
            Some(process) => {
                self.processes.insert(process);
            }
            None => self.shared = true,
        }
    }
}
