//! The table of engines. A new one is a file with its row and a line here.
//!
//! ```text
//! name, about        what the command line and reports say
//! skill: supports    whether it takes a question, else why not
//!        run         deciding it
//! ```
//!
//! What an engine does not take it refuses; the planner makes a plan of those that take it.

use std::fmt;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_solve::automaton::Automaton;

use super::bes::JointSolver;
use super::ist::Stock;
use super::{Finding, bes, explicit, guided, ist, ist_paper, monitor, rows, slice};
use crate::linear::Search;
use crate::linear::upto::Upto;
use crate::plan::words::Words;
use crate::project::Projection;
use crate::project::letters::Letters;
use crate::subject::Subject;

/// All engines that can be asked for.
pub static ENGINES: &[&Engine] = &[
    &explicit::ENGINE,
    &rows::ENGINE,
    &ist::ENGINE,
    &ist_paper::ENGINE,
    &slice::ENGINE,
    &monitor::MONITOR,
    &monitor::MASKS,
    &guided::LEVELS,
    &guided::GUIDED,
    &guided::TWO_PHASE,
    &guided::SLEEP,
    &guided::PERSISTENT,
    &bes::ENGINE,
];

/// The recorded order alone. The planner looks at it first; it decides too little to be asked for.
pub static OBSERVED: Engine = Engine::look("observed", "the recorded order alone");

/// An engine.
pub struct Engine {
    /// The word for it on the command line and in reports.
    pub name: &'static str,
    /// What it does, for those who choose one.
    pub about: &'static str,
    /// What it decides, and how.
    pub(crate) skill: Skill,
    /// Whether it wants to see every event, since leaving events out is its own affair.
    pub(crate) takes_all: bool,
}

/// What an engine decides, and how.
pub(crate) enum Skill {
    /// Nothing by itself: a look of the planner.
    Look,
    /// Whole questions, by definition.
    Questions,
    /// Formulas at cuts.
    Cuts(OfCuts),
    /// Runs.
    Runs(OfRuns),
    /// Conjunctions that hold at some cut.
    Conjunctions,
    /// Whatever can be written as equations: formulas at cuts, runs, and the mu-calculus.
    Equations(OfCuts, OfRuns),
}

/// Deciding a formula at the initial cut of a projection.
#[derive(Clone, Copy)]
pub(crate) struct OfCuts {
    /// Why it cannot, if so.
    pub(crate) supports: fn(&Projection<'_>, &Ctl) -> Result<(), Diagnostic>,
    pub(crate) run: fn(&AtCuts<'_, '_>) -> Result<Finding, Spent>,
    /// How many ways it has to lay things out, each worth a try.
    pub(crate) layouts: usize,
}

/// A formula to decide.
pub(crate) struct AtCuts<'a, 'b> {
    pub(crate) projection: &'a Projection<'a>,
    pub(crate) formula: &'a Ctl,
    /// Which way to lay things out, from 0.
    pub(crate) layout: usize,
    pub(crate) stock: &'a Stock<'b>,
    pub(crate) joint: Option<&'a JointSolver<'a>>,
    pub(crate) budget: &'a Budget<'a>,
}

/// Deciding whether some run is a word of an automaton.
#[derive(Clone, Copy)]
pub(crate) struct OfRuns {
    /// Why it cannot, if so.
    pub(crate) supports: fn(&Words, &Subject<'_>) -> Result<(), Diagnostic>,
    pub(crate) run: fn(&OverRuns<'_>) -> Result<Search, Spent>,
}

/// An automaton to read runs with.
pub(crate) struct OverRuns<'a> {
    pub(crate) scene: &'a Upto<'a, Letters<'a, 'a>>,
    pub(crate) automaton: &'a Automaton,
    pub(crate) wants_steps: bool,
    /// How often a partial-order reduction may put off an event of another process in favour of one process.
    pub(crate) max_steps: Option<u32>,
    pub(crate) joint: Option<&'a JointSolver<'a>>,
    pub(crate) budget: &'a Budget<'a>,
}

impl Engine {
    /// A look of the planner.
    pub(crate) const fn look(name: &'static str, about: &'static str) -> Engine {
        Engine {
            name,
            about,
            skill: Skill::Look,
            takes_all: false,
        }
    }

    /// The engine with a name.
    pub fn named(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().copied().find(|engine| engine.name == name)
    }

    /// Whether the engine reads runs, rather than deciding formulas at cuts.
    pub fn reads_words(&self) -> bool {
        matches!(self.skill, Skill::Runs(_) | Skill::Conjunctions)
    }

    /// How it decides formulas at cuts, if it does.
    pub(crate) fn cuts(&self) -> Option<OfCuts> {
        match self.skill {
            Skill::Cuts(cuts) | Skill::Equations(cuts, _) => Some(cuts),
            Skill::Look | Skill::Questions | Skill::Runs(_) | Skill::Conjunctions => None,
        }
    }

    /// How it reads runs, if it does.
    pub(crate) fn runs(&self) -> Option<OfRuns> {
        match self.skill {
            Skill::Runs(runs) | Skill::Equations(_, runs) => Some(runs),
            Skill::Look | Skill::Questions | Skill::Cuts(_) | Skill::Conjunctions => None,
        }
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Engine) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Engine {}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
