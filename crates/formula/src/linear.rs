//! Languages of runs in the core: linear temporal logic, automata, sequences, regular expressions.
//!
//! A complete run is a finite word: position 0 is the initial cut, position i the cut after i events, and a letter is the
//! truth of all predicates there, those about the event just executed included (at position 0 there is none). Every
//! property of runs comes down to one question, whether some run is a word of a [`Language`] or of its complement:
//! [`Ctl::Run`](crate::core::Ctl::Run).

use causet_solve::automaton::linear::{self, Condition};

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

/// A formula of LTL about predicates; its predicates are as large as they can be.
pub type Ltl = linear::Ltl<Pred>;

/// A regular expression over predicates.
pub type Regular = linear::Regular<Pred>;

impl Condition for Pred {
    const TRUE: Pred = Pred::TRUE;
    const FALSE: Pred = Pred::FALSE;

    fn as_const(&self) -> Option<bool> {
        match self {
            Pred::Const(value) => Some(*value),
            _ => None,
        }
    }

    fn negation(self) -> Pred {
        Pred::not(self)
    }

    fn junction(parts: Vec<Pred>, and: bool) -> Pred {
        if and {
            Pred::and(parts)
        } else {
            Pred::or(parts)
        }
    }

    fn size(&self) -> usize {
        Pred::size(self)
    }
}
