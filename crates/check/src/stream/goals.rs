//! From questions to automata: what is looked for in the stream, and how the answers combine.
//!
//! What can be decided in passing is whether some complete run is a word of an automaton. An until of predicates, on
//! some run or on every run, is that; so are all properties of runs; and so is whatever is made of them with boolean
//! connectives, quantifiers among them. A temporal operator inside another one is not: it asks the same cut twice.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_formula::fold::Subterm;
use causet_formula::names::VarRef;
use causet_formula::{Quantifier, Runs};

use super::meeting::Modality;
use super::outline::Outline;
use super::world::World;
use crate::engine::guided::Steps;
use crate::eval;
use crate::linear::compile::{Compiled, Sizes, compile};
use crate::linear::until::of_until;
use crate::prepare::Question;
use crate::project::view::{Term, TermId, Terms, Track, View, view};

/// What is looked for, for a list of questions.
#[derive(Debug)]
pub struct Goals {
    pub(super) questions: Vec<Question>,
    pub(super) tasks: Vec<Task>,
    /// What is looked for, or why that cannot be.
    pub(super) aims: Vec<Result<Aim, Spent>>,
    /// Which of the enabled events a search follows, where the property lets it choose.
    pub(super) steps: Steps,
}

/// Something that a search looks for.
#[derive(Debug)]
pub(super) enum Aim {
    /// A run that an automaton accepts.
    Word(Box<Compiled>),
    /// Conditions, each of one process, that hold at a time.
    Meeting(Modality, Vec<Pred>),
}

/// A question.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) answer: Combined,
    /// Why it cannot be decided in passing.
    refusal: Option<&'static str>,
    pub(super) divided_by_zero: bool,
}

/// How the answers of searches combine.
#[derive(Debug)]
pub(super) enum Combined {
    Known(bool),
    /// Whether the search with this number finds what it looks for.
    Found(usize),
    Not(Box<Combined>),
    All(Vec<Combined>),
    Any(Vec<Combined>),
}

impl Goals {
    /// Makes the automata; one that is too large leaves its question unknown.
    pub fn new(outline: &Outline, questions: &[Question], budget: &Budget<'_>) -> Self {
        let mut goals = Goals {
            questions: Vec::new(),
            tasks: Vec::new(),
            aims: Vec::new(),
            steps: Steps::All,
        };
        for question in questions {
            let (quantifier, bodies) = question.goals();
            let mut maker = Maker {
                outline,
                budget,
                aims: &mut goals.aims,
                divided_by_zero: false,
            };
            let parts: Result<Vec<Combined>, _> =
                bodies.into_iter().map(|body| maker.goal(body)).collect();
            let divided_by_zero = maker.divided_by_zero;
            let (answer, refusal) = match (parts, quantifier) {
                (Err(reason), _) => (Combined::Known(false), Some(reason)),
                (Ok(parts), Some(Quantifier::Exists)) => (Combined::Any(parts), None),
                (Ok(parts), _) => (Combined::All(parts), None),
            };
            goals.questions.push(question.clone());
            goals.tasks.push(Task {
                answer,
                refusal,
                divided_by_zero,
            });
        }
        goals
    }

    /// Follows only some of the enabled events, where the property cannot tell.
    pub(super) fn with_steps(mut self, steps: Steps) -> Self {
        self.steps = steps;
        self
    }

    /// Why a question cannot be decided in passing, if it cannot.
    pub fn refusal(&self, question: usize) -> Option<&'static str> {
        self.tasks[question].refusal
    }
}

struct Maker<'a> {
    outline: &'a Outline,
    budget: &'a Budget<'a>,
    aims: &'a mut Vec<Result<Aim, Spent>>,
    divided_by_zero: bool,
}

impl Maker<'_> {
    fn goal(&mut self, formula: &Ctl) -> Result<Combined, &'static str> {
        let mut all = |parts: &[Ctl]| -> Result<Vec<Combined>, &'static str> {
            parts.iter().map(|part| self.goal(part)).collect()
        };
        match formula {
            Ctl::And(parts) => all(parts).map(Combined::All),
            Ctl::Or(parts) => all(parts).map(Combined::Any),
            Ctl::Not(part) => Ok(Combined::Not(Box::new(self.goal(part)?))),
            Ctl::State(pred) if self.outline.goes_on() && asks_for_end(pred) => Err(END),
            Ctl::State(pred) => {
                let world = World::new(self.outline, &[]);
                let holds = eval::holds(pred, &world);
                self.divided_by_zero |= world.divided_by_zero.get();
                Ok(Combined::Known(holds))
            }
            Ctl::Run(runs) if runs.end.is_some() => {
                Err("it is about the orders up to a cut, and cuts are known to the whole run only")
            }
            Ctl::Run(runs) => self.found(runs),
            Ctl::Eu(..) | Ctl::Au(..) => self.until(formula),
            Ctl::Modal(_) => Err("the mu-calculus looks at single events from a cut on"),
            Ctl::Ex(_) => Err("`EX` and `AX` look at single events from a cut on"),
        }
    }

    fn until(&mut self, formula: &Ctl) -> Result<Combined, &'static str> {
        if let Some(meetings) = self.meetings(formula)? {
            return Ok(meetings);
        }
        let found = self.found(&of_until(formula).ok_or(NESTED)?)?;
        Ok(match formula {
            Ctl::Au(..) => Combined::Not(Box::new(found)),
            _ => found,
        })
    }

    /// A predicate that is reached on some order or on every one, as conditions of single processes that meet. A
    /// condition of one process is reached on every order if it is on one, and so is the choice between such conditions.
    fn meetings(&mut self, formula: &Ctl) -> Result<Option<Combined>, &'static str> {
        let (hold, goal, modality) = match formula {
            Ctl::Eu(hold, goal) => (hold, goal, Modality::Possibly),
            Ctl::Au(hold, goal) => (hold, goal, Modality::Definitely),
            _ => return Ok(None),
        };
        let (Ctl::State(Pred::Const(true)), Ctl::State(goal)) = (&**hold, &**goal) else {
            return Ok(None);
        };
        let choices = match goal {
            Pred::Or(parts) => parts.as_slice(),
            goal => std::slice::from_ref(goal),
        };
        let mut meetings = Vec::new();
        for choice in choices {
            let parts = match conditions(choice, self.outline) {
                Some(parts) => parts,
                None => return Ok(None),
            };
            if modality == Modality::Definitely && choices.len() > 1 && parts.len() > 1 {
                return Ok(None);
            }
            meetings.push(parts);
        }
        if self.outline.goes_on() && asks_for_end(goal) {
            return Err(END);
        }
        let mut found = Vec::with_capacity(meetings.len());
        for parts in meetings {
            self.aims.push(Ok(Aim::Meeting(modality, parts)));
            found.push(Combined::Found(self.aims.len() - 1));
        }
        Ok(Some(Combined::Any(found)))
    }

    fn found(&mut self, runs: &Runs) -> Result<Combined, &'static str> {
        let compiled = compile(runs, Sizes::default(), &self.budget.branch());
        if matches!(compiled, Err(Spent::Memory)) {
            return Err("its automaton is too large");
        }
        let asks = |compiled: &Compiled| compiled.atoms.iter().any(asks_for_end);
        if self.outline.goes_on() && compiled.as_ref().is_ok_and(asks) {
            return Err(END);
        }
        self.aims
            .push(compiled.map(|compiled| Aim::Word(Box::new(compiled))));
        Ok(Combined::Found(self.aims.len() - 1))
    }
}

/// The conditions of single processes whose conjunction a predicate is, one for each process; `None` if it is none, or
/// if it may divide by zero, which is noticed elsewhere.
fn conditions(pred: &Pred, outline: &Outline) -> Option<Vec<Pred>> {
    let mut locals = Locals {
        outline,
        terms: Vec::new(),
        is_odd: false,
    };
    let is_term = |view: &View| matches!(view, View::Term(_));
    let is_conjunction = match view(pred, &mut locals) {
        View::Term(_) => true,
        View::And(parts) => parts.iter().all(is_term),
        _ => false,
    };
    let condition = |(track, term): (Track, Term)| match (track, term) {
        (Track::Process(_), Term::Pred(pred)) => Some(pred),
        _ => None,
    };
    let conditions: Option<Vec<Pred>> = locals.terms.into_iter().map(condition).collect();
    conditions.filter(|_| is_conjunction && !locals.is_odd)
}

/// The terms of a predicate, with their tracks.
struct Locals<'a> {
    outline: &'a Outline,
    terms: Vec<(Track, Term)>,
    is_odd: bool,
}

impl Terms for Locals<'_> {
    fn track_of(&self, var: VarRef) -> Track {
        self.outline.track_of(var)
    }

    fn number(&mut self, track: Track, term: Term) -> TermId {
        self.terms.push((track, term));
        self.terms.len() - 1
    }

    fn divided_by_zero(&mut self) {
        self.is_odd = true;
    }
}

/// Why a formula has to see cuts twice.
const NESTED: &str =
    "it has a temporal operator inside another one, so cuts would have to be seen twice";

/// Why a formula has to wait for the end.
const END: &str =
    "it asks whether a process has done all it does, which is known when the run is over";

/// Whether a predicate asks for the end of a process.
fn asks_for_end(pred: &Pred) -> bool {
    let mut terms = pred.subterms();
    terms.any(|term| matches!(term, Subterm::Pred(Pred::Done(_))))
}

impl Combined {
    /// The answer, as far as it is known: `answer` tells of each search whether a run was found.
    pub(super) fn truth(&self, answer: &dyn Fn(usize) -> Option<bool>) -> Option<bool> {
        match self {
            Combined::Known(truth) => Some(*truth),
            Combined::Found(search) => answer(*search),
            Combined::Not(part) => part.truth(answer).map(|truth| !truth),
            Combined::All(parts) => joint(parts, true, answer),
            Combined::Any(parts) => joint(parts, false, answer),
        }
    }

    /// Visits the searches.
    pub(super) fn each_search(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Combined::Known(_) => {}
            Combined::Found(search) => visit(*search),
            Combined::Not(part) => part.each_search(visit),
            Combined::All(parts) | Combined::Any(parts) => {
                parts.iter().for_each(|part| part.each_search(visit));
            }
        }
    }
}

/// The truth of all parts together when `all`, else of some part.
fn joint(parts: &[Combined], all: bool, answer: &dyn Fn(usize) -> Option<bool>) -> Option<bool> {
    let mut whole = Some(all);
    for part in parts {
        match part.truth(answer) {
            Some(truth) if truth != all => return Some(truth),
            Some(_) => {}
            None => whole = None,
        }
    }
    whole
}
