//! What comes out of a check: a verdict, and the order of events that shows it.

use std::collections::BTreeMap;

use causet_base::budget::Spent;
use causet_formula::ProcRef;
use causet_solve::workers::WorkerSummary;
use causet_trace::{Cut, EventId};

use crate::engine::{Engine, Step};

/// The answer to a question; a spent budget is an answer of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every order of the run satisfies the property.
    Holds,
    /// The property is broken.
    Violated,
    /// A limit was reached first.
    Unknown(Spent),
    /// Something is missing from the log that could change the answer.
    Doubtful,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown(_) | Verdict::Doubtful => "unknown",
        }
    }
}

impl Verdict {
    /// Why it is unknown, in a word.
    pub fn reason(self) -> Option<String> {
        match self {
            Verdict::Holds | Verdict::Violated => None,
            Verdict::Unknown(spent) => Some(spent.to_string()),
            Verdict::Doubtful => Some("holes".to_owned()),
        }
    }
}

/// A verdict with everything a person or a program wants to know about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// Who found it; nobody when it is unknown.
    pub engine: Option<&'static Engine>,
    /// The order of events that shows it, re-checked.
    pub witness: Option<Witness>,
    /// The limit that ended the search for the witness, or its re-check, if one did.
    pub witness_spent: Option<Spent>,
    /// Things worth saying, such as that a witness could not be re-checked in time.
    pub notes: Vec<String>,
    /// Whether some division was by zero, which made its atom false there.
    pub divided_by_zero: bool,
    /// Figures about the work done.
    pub stats: BTreeMap<&'static str, u64>,
    /// How the first few parts were decided.
    pub steps: Vec<Step>,
    /// How many parts there were.
    pub parts: usize,
    /// What each of those did who resolved equations together, for all parts.
    pub workers: Vec<WorkerSummary>,
}

/// An order of events that shows a verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The events in order, from the initial cut.
    pub run: Vec<EventId>,
    /// The cut it leads to, when that cut is what shows the verdict; else the whole run does.
    pub cut: Option<Cut>,
    /// How it goes on from that cut, when what happens afterwards matters too.
    pub then: Vec<EventId>,
    /// Of a complete run, after how many events it is decided, whatever follows.
    pub enough: Option<usize>,
    /// Whether the recorded order shows the same; `None` when that could not be found out within the limits.
    pub observed: Option<bool>,
    /// For which processes, when the property was quantified: `i = a, j = b`.
    pub instance: Option<String>,
    /// These processes, outermost name first.
    pub processes: Vec<ProcRef>,
}
