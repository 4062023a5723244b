//! Languages of runs in the core: linear temporal logic, automata, sequences, regular expressions.
//!
//! A complete run is a finite word: position 0 is the initial cut, position i the cut after i events, and a letter is the
//! truth of all predicates there, those about the event just executed included (at position 0 there is none). Every
//! property of runs comes down to one question, whether some run is a word of a [`Language`] or of its complement:
//! [`Ctl::Run`](crate::core::Ctl::Run).

use std::collections::HashSet;
use std::sync::Arc;

use crate::core::Pred;

/// The runs a property speaks about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Runs {
    /// Some words.
    pub language: Language,
    /// Whether all other words are meant.
    pub complement: bool,
    /// At which cut they end, as so many events of each process; complete runs end at the final one.
    pub end: Option<Vec<u32>>,
}

/// A set of finite words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// The words that satisfy a formula.
    Ltl(Ltl),
    /// The words after which an automaton can be in an accepting state.
    Machine(Machine),
    /// The words with these positions in this order.
    Sequence(Vec<Hit>),
    /// The words that match as a whole.
    Regular(Regular),
}

/// A formula of LTL over finite words; everything else is built from these by the constructors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ltl {
    /// A predicate of the position.
    State(Pred),
    /// Negation.
    Not(Arc<Ltl>),
    /// Conjunction of at least two.
    And(Vec<Ltl>),
    /// Disjunction of at least two.
    Or(Vec<Ltl>),
    /// There is a next position and it satisfies the formula.
    Next(Arc<Ltl>),
    /// The second comes true, and the first holds until then.
    Until(Arc<Ltl>, Arc<Ltl>),
}

/// A finite automaton over events or positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// How it reads a word.
    pub form: MachineForm,
    /// The names of the states.
    pub states: Vec<String>,
    /// Where it starts.
    pub start: Vec<usize>,
    /// Where a word must end: the `bad` states of a monitor.
    pub accepting: Vec<usize>,
    /// Its edges, in the order they were written.
    pub edges: Vec<Edge>,
}

/// How an automaton reads a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MachineForm {
    /// It reads from position 1 on, event by event, and stays where it is when no guard holds (paper TMP).
    Monitor,
    /// It reads from position 0 on, and a word without a way on is not accepted.
    Acceptor,
}

/// An edge of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// From which state.
    pub from: usize,
    /// To which state.
    pub to: usize,
    /// What must hold of the position that is read.
    pub guard: Pred,
}

/// One step of a sequence: the position it hits, and what holds in between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hit {
    /// What holds strictly between the hit before (or the beginning) and this one: `[never t]` is `!t`.
    pub between: Pred,
    /// What holds at the hit.
    pub at: Pred,
}

/// A regular expression over predicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Regular {
    /// One position with this predicate.
    Letter(Pred),
    /// One after the other; none is the empty word.
    Then(Vec<Regular>),
    /// One of them; none is no word at all.
    Either(Vec<Regular>),
    /// Any number of times, also none.
    Star(Arc<Regular>),
}

impl Ltl {
    /// True at every position.
    pub const TRUE: Ltl = Ltl::State(Pred::TRUE);
    /// True at no position.
    pub const FALSE: Ltl = Ltl::State(Pred::FALSE);

    /// The constant this formula is, if it is one.
    pub fn as_const(&self) -> Option<bool> {
        match self {
            Ltl::State(Pred::Const(value)) => Some(*value),
            _ => None,
        }
    }

    /// `!f`
    #[expect(
        clippy::should_implement_trait,
        reason = "`!` would hide that this normalises"
    )]
    pub fn not(f: Ltl) -> Ltl {
        match f {
            Ltl::State(p) => Ltl::State(Pred::not(p)),
            Ltl::Not(f) => Arc::unwrap_or_clone(f),
            f => Ltl::Not(Arc::new(f)),
        }
    }

    /// `f && g && ...`, true for none.
    pub fn and(parts: impl IntoIterator<Item = Ltl>) -> Ltl {
        junction(parts, true)
    }

    /// `f || g || ...`, false for none.
    pub fn or(parts: impl IntoIterator<Item = Ltl>) -> Ltl {
        junction(parts, false)
    }

    /// `f -> g` as `!f || g`
    pub fn implies(f: Ltl, g: Ltl) -> Ltl {
        Ltl::or([Ltl::not(f), g])
    }

    /// `f <-> g` as `(f && g) || (!f && !g)`
    pub fn iff(f: Ltl, g: Ltl) -> Ltl {
        let neither = Ltl::and([Ltl::not(f.clone()), Ltl::not(g.clone())]);
        Ltl::or([Ltl::and([f, g]), neither])
    }

    /// `X f`; never true of `false`, but `X true` says that this is not the last position.
    pub fn next(f: Ltl) -> Ltl {
        match f.as_const() {
            Some(false) => Ltl::FALSE,
            _ => Ltl::Next(Arc::new(f)),
        }
    }

    /// `N f` as `!X !f`
    pub fn weak_next(f: Ltl) -> Ltl {
        Ltl::not(Ltl::next(Ltl::not(f)))
    }

    /// `f U g`
    pub fn until(f: Ltl, g: Ltl) -> Ltl {
        match (f.as_const(), g.as_const()) {
            (_, Some(_)) | (Some(false), _) => g,
            _ => Ltl::Until(Arc::new(f), Arc::new(g)),
        }
    }

    /// `f R g` as `!(!f U !g)`
    pub fn release(f: Ltl, g: Ltl) -> Ltl {
        Ltl::not(Ltl::until(Ltl::not(f), Ltl::not(g)))
    }

    /// `F f` as `true U f`
    pub fn finally(f: Ltl) -> Ltl {
        Ltl::until(Ltl::TRUE, f)
    }

    /// `G f` as `!F !f`
    pub fn globally(f: Ltl) -> Ltl {
        Ltl::not(Ltl::finally(Ltl::not(f)))
    }

    /// `f W g` as `!(!g U (!f && !g))`
    pub fn weak_until(f: Ltl, g: Ltl) -> Ltl {
        let not_g = Ltl::not(g);
        let broken = Ltl::and([Ltl::not(f), not_g.clone()]);
        Ltl::not(Ltl::until(not_g, broken))
    }

    /// `f M g` as `g U (f && g)`
    pub fn strong_release(f: Ltl, g: Ltl) -> Ltl {
        Ltl::until(g.clone(), Ltl::and([f, g]))
    }
}

/// A conjunction (or disjunction) in normal form: flat, without constants, its states joined into one.
fn junction(parts: impl IntoIterator<Item = Ltl>, and: bool) -> Ltl {
    let mut states = Vec::new();
    let mut others: Vec<Ltl> = Vec::new();
    let mut open: Vec<Ltl> = parts.into_iter().collect();
    open.reverse();
    while let Some(part) = open.pop() {
        match part {
            Ltl::State(p) => states.push(p),
            Ltl::And(inner) if and => open.extend(inner.into_iter().rev()),
            Ltl::Or(inner) if !and => open.extend(inner.into_iter().rev()),
            other => others.push(other),
        }
    }
    drop_repeated(&mut others);
    let state = if and {
        Pred::and(states)
    } else {
        Pred::or(states)
    };
    match state {
        Pred::Const(value) if value != and => return Ltl::State(state),
        Pred::Const(_) => {}
        state => others.insert(0, Ltl::State(state)),
    }
    match others.len() {
        0 => Ltl::State(Pred::Const(and)),
        1 => others.swap_remove(0),
        _ if and => Ltl::And(others),
        _ => Ltl::Or(others),
    }
}

/// Keeps the first of equal formulas.
fn drop_repeated(formulas: &mut Vec<Ltl>) {
    let mut seen = HashSet::with_capacity(formulas.len());
    let keep: Vec<bool> = formulas.iter().map(|f| seen.insert(f)).collect();
    let mut keep = keep.into_iter();
    formulas.retain(|_| keep.next().unwrap_or(true));
}

impl Regular {
    /// One after the other, flat: no `Then` directly within a `Then`, and none around a single part.
    pub fn then(parts: impl IntoIterator<Item = Regular>) -> Regular {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Regular::Then(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Regular::Then(flat),
        }
    }

    /// One of them, flat as well.
    pub fn either(parts: impl IntoIterator<Item = Regular>) -> Regular {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Regular::Either(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Regular::Either(flat),
        }
    }

    /// Any number of times, also none.
    pub fn star(part: Regular) -> Regular {
        match part {
            Regular::Star(_) => part,
            part => Regular::Star(Arc::new(part)),
        }
    }

    /// At least once.
    pub fn plus(part: Regular) -> Regular {
        Regular::then([part.clone(), Regular::star(part)])
    }

    /// At most once.
    pub fn optional(part: Regular) -> Regular {
        Regular::either([part, Regular::Then(Vec::new())])
    }
}
