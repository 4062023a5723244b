//! The engines: one technique a file, each with a row of the [`table`]: its name, what it does, what it takes and how it runs.

pub(crate) mod argue;
pub mod bes;
pub(crate) mod evidence;
pub(crate) mod exclusion;
pub mod explicit;
pub(crate) mod first_levels;
pub mod guided;
pub mod ist;
pub mod ist_paper;
pub mod monitor;
pub mod rows;
pub mod slice;
pub(crate) mod subformulas;
pub mod table;
mod tables;
mod trie;
pub(crate) mod unfolding;

use std::collections::BTreeMap;

use causet_base::budget::Spent;
use causet_formula::Instance;
use causet_formula::core::Ctl;
use causet_solve::workers::WorkerSummary;
use causet_trace::EventId;

use crate::plan::choose::{Attempt, Figures};
use crate::project::Route;

pub use table::{ENGINES, Engine};

/// For how many instances of a quantified property a trail is looked for; the shortest one is shown.
pub(crate) const MOST_ARGUED: usize = 32;

/// What an engine found out about one formula at the initial cut.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Which formula: the instance of a quantified property.
    pub goal: usize,
    /// Whether the initial cut satisfies it.
    pub holds: bool,
    /// Events that show it, when a single order can.
    pub trail: Option<Trail>,
}

/// What an engine that works on a projection found out about one formula at the initial cut.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Finding {
    /// Whether the initial cut satisfies it.
    pub(crate) holds: bool,
    /// Steps that show it, when a single order can, or the limit that ended the search for them.
    pub(crate) route: Result<Option<Route>, Spent>,
    /// Figures about the work done.
    pub(crate) stats: BTreeMap<&'static str, u64>,
}

/// What an engine found out about several formulas, with figures about the work.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Answers {
    /// One answer per formula, as far as they were needed.
    pub answers: Vec<Answer>,
    /// The engine that decided, of several parts the last one that was needed.
    pub engine: Option<&'static Engine>,
    /// How the first few parts were decided.
    pub steps: Vec<Step>,
    /// How many parts there were.
    pub parts: usize,
    /// The instance the only answer is about, of a property that is kept as a template.
    pub instance: Option<Instance>,
    /// The limit that was reached before there was an answer, if one was.
    pub spent: Option<Spent>,
    /// The limit that ended a search for a trail, if one did: the answers stand without it.
    pub trail_spent: Option<Spent>,
    /// Whether some division was by zero, which made its atom false there.
    pub divided_by_zero: bool,
    /// Figures about the work done.
    pub stats: BTreeMap<&'static str, u64>,
    /// What each of those did who resolved equations together.
    pub workers: Vec<WorkerSummary>,
}

impl Answers {
    /// No answers, because a limit was reached first.
    pub(crate) fn given_up(spent: Spent) -> Self {
        Answers {
            spent: Some(spent),
            ..Answers::default()
        }
    }
}

/// How a part of a formula was decided.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The part.
    pub formula: Ctl,
    /// What it can see; of the recorded order nothing but the order counts.
    pub figures: Option<Figures>,
    /// The engines tried, with their own figures or the limit they ran into.
    pub tried: Vec<(Attempt, Result<Stats, Spent>)>,
}

/// Figures about the work done, by name.
pub type Stats = BTreeMap<&'static str, u64>;

/// An argument for the truth or falsehood of a formula at a cut, made of events.
///
/// | formula | truth | what the events are |
/// |---|---|---|
/// | `f && g`, `f \|\| g` | decided by one part | `focus` says which part the rest is about |
/// | `f && g`, `f \|\| g` | decided by all parts | the same for the one part that is temporal |
/// | `EX f` | true | one event, after which `f` is true |
/// | `E[f U g]` | true | `f` holds until, after the last one, `g` does |
/// | `A[f U g]` | false | `g` never holds; after the last one `f` fails or nothing is left |
/// | some run is of a language | true | such a run, complete |
/// | equations about steps | either | each equation owes its value to one term; so does the last cut, or shows it itself |
/// | no temporal operator | either | none |
///
/// What `f` or `g` claims of the last cut is argued by `then` in the same way. Everything else (`EX` false, `E[f U g]`
/// false, `A[f U g]` true) speaks of all orders: no single one can show it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trail {
    /// Which part of each conjunction or disjunction on the way the argument is about.
    pub focus: Vec<usize>,
    /// The events.
    pub run: Vec<EventId>,
    /// The argument at the cut they lead to.
    pub then: Option<Box<Trail>>,
    /// Of a complete run, after how many events it is decided, whatever follows; nothing depends on it.
    pub enough: Option<usize>,
}

impl Trail {
    /// The argument for a part as one for the conjunction or disjunction it stands in.
    pub(crate) fn within(mut self, part: usize) -> Trail {
        self.focus.insert(0, part);
        self
    }
}

/// The part of a conjunction or disjunction that is temporal, if just one is: it alone may need events to be argued.
pub(crate) fn only_temporal(parts: &[Ctl]) -> Option<usize> {
    let mut temporal = (0..parts.len()).filter(|&at| !matches!(parts[at], Ctl::State(_)));
    temporal.next().filter(|_| temporal.next().is_none())
}
