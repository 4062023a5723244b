//! A predicate taken apart into terms, each of which a single track decides.
//!
//! A *track* is a totally ordered list of events: those of a process, or the writes of one shared variable. A *term* is a
//! largest part of a predicate whose value depends on nothing but how far one track has come. What is left around the
//! terms, the [`View`], is evaluated at a cut from their values. The point of it: an event that changes no term cannot
//! be seen by the predicate, however many variables it writes (thesis, 4.2.2: filtering; made exact by looking at values
//! instead of names).

use std::cell::Cell;
use std::collections::BTreeMap;

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::{ArithOp, CmpOp, EventAtom, Expr, Pred};
use causet_formula::fold::Subterm;
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::{ProcessId, VarId};

use crate::eval::{self, Look};
use crate::subject::process_id;

/// A totally ordered list of events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Track {
    /// The events of a process.
    Process(ProcessId),
    /// The writes of a shared variable by several processes.
    Shared(VarId),
}

/// Something that one track decides.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    /// Whether a predicate holds.
    Pred(Pred),
    /// What an expression is.
    Expr(Expr),
    /// How many messages have been sent from one process to the other.
    Sent(ProcRef, ProcRef),
    /// How many of them have been received.
    Received(ProcRef, ProcRef),
    /// Flips with every event of a process that an atom about events may be true of.
    Marked(EventAtom, ProcRef),
}

/// The number of a term, in a survey while predicates are taken apart, in a sight afterwards.
pub(crate) type TermId = usize;

/// A predicate over terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum View {
    /// Always, or never.
    Const(bool),
    /// A term that is a truth value.
    Term(TermId),
    /// Negation.
    Not(Box<View>),
    /// Conjunction.
    And(Vec<View>),
    /// Disjunction.
    Or(Vec<View>),
    /// A comparison that needs several tracks.
    Compare(CmpOp, Figure, Figure),
    /// A value in boolean position that needs several tracks.
    Holds(Figure),
}

/// An expression over terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Figure {
    /// A fixed value.
    Literal(Value),
    /// No value, after a division by zero.
    Undefined,
    /// A term.
    Term(TermId),
    /// Sent less received.
    InFlight(TermId, TermId),
    /// The negative.
    Neg(Box<Figure>),
    /// Exact arithmetic.
    Arith(ArithOp, Box<Figure>, Box<Figure>),
    /// How many hold.
    Count(Vec<View>),
    /// The sum.
    Sum(Vec<Figure>),
    /// The least.
    Min(Vec<Figure>),
    /// The greatest.
    Max(Vec<Figure>),
    /// A predicate as a value.
    Truth(Box<View>),
}

/// Where the terms go while predicates are taken apart.
pub(crate) trait Terms {
    /// The track that decides a variable.
    fn track_of(&self, var: VarRef) -> Track;

    /// The number of a term on a track, a new one if need be.
    fn number(&mut self, track: Track, term: Term) -> TermId;

    /// Told of a division of one literal by another that is zero.
    fn divided_by_zero(&mut self);
}

/// Takes a predicate apart.
pub(crate) fn view(pred: &Pred, terms: &mut dyn Terms) -> View {
    match reach(pred.into(), terms) {
        Reach::Nothing => View::Const(constant(pred, terms)),
        Reach::One(track) => View::Term(terms.number(track, Term::Pred(pred.clone()))),
        Reach::Many => match pred {
            Pred::Not(part) => View::Not(Box::new(view(part, terms))),
            Pred::And(parts) => View::And(views(parts, Pred::and, terms)),
            Pred::Or(parts) => View::Or(views(parts, Pred::or, terms)),
            Pred::Compare(op, left, right) => {
                View::Compare(*op, figure(left, terms), figure(right, terms))
            }
            Pred::Holds(expr) => View::Holds(figure(expr, terms)),
            Pred::Const(_) | Pred::Done(_) | Pred::On(_) => View::Const(false),
        },
    }
}

/// The parts of a connective, those of one track put together.
fn views(parts: &[Pred], join: fn(Vec<Pred>) -> Pred, terms: &mut dyn Terms) -> Vec<View> {
    let mut together: BTreeMap<Track, Vec<Pred>> = BTreeMap::new();
    let mut views = Vec::new();
    for part in parts {
        match reach(part.into(), terms) {
            Reach::One(track) => together.entry(track).or_default().push(part.clone()),
            Reach::Nothing | Reach::Many => views.push(view(part, terms)),
        }
    }
    for (track, parts) in together {
        views.push(View::Term(terms.number(track, Term::Pred(join(parts)))));
    }
    views
}

fn figure(expr: &Expr, terms: &mut dyn Terms) -> Figure {
    if let Reach::One(track) = reach(expr.into(), terms) {
        return Figure::Term(terms.number(track, Term::Expr(expr.clone())));
    }
    let mut boxed = |part: &Expr| Box::new(figure(part, terms));
    match expr {
        Expr::Literal(value) => Figure::Literal(value.clone()),
        Expr::Inflight(from, to) => {
            let sending = Track::Process(process_id(*from));
            let receiving = Track::Process(process_id(*to));
            Figure::InFlight(
                terms.number(sending, Term::Sent(*from, *to)),
                terms.number(receiving, Term::Received(*from, *to)),
            )
        }
        Expr::Neg(part) => Figure::Neg(boxed(part)),
        Expr::Arith(op, left, right) => Figure::Arith(*op, boxed(left), boxed(right)),
        Expr::Count(parts) => Figure::Count(parts.iter().map(|part| view(part, terms)).collect()),
        Expr::Sum(parts) => Figure::Sum(figures(parts, terms)),
        Expr::Min(parts) => Figure::Min(figures(parts, terms)),
        Expr::Max(parts) => Figure::Max(figures(parts, terms)),
        Expr::Truth(pred) => Figure::Truth(Box::new(view(pred, terms))),
        // Decided by one track, so a term by now.
        Expr::Var(_) | Expr::Steps(_) => Figure::Literal(Value::from(false)),
    }
}

fn figures(parts: &[Expr], terms: &mut dyn Terms) -> Vec<Figure> {
    parts.iter().map(|part| figure(part, terms)).collect()
}

/// How many tracks something depends on.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Nothing,
    One(Track),
    Many,
}

impl Reach {
    fn with(self, other: Reach) -> Reach {
        match (self, other) {
            (Reach::Nothing, reach) | (reach, Reach::Nothing) => reach,
            (Reach::One(one), Reach::One(other)) if one == other => self,
            _ => Reach::Many,
        }
    }
}

fn reach(term: Subterm<'_>, terms: &dyn Terms) -> Reach {
    let of_process = |process: &ProcRef| Reach::One(Track::Process(process_id(*process)));
    match term {
        Subterm::Pred(Pred::On(_)) => Reach::Nothing,
        Subterm::Pred(Pred::Done(process)) | Subterm::Expr(Expr::Steps(process)) => {
            of_process(process)
        }
        Subterm::Expr(Expr::Var(var)) => Reach::One(terms.track_of(*var)),
        Subterm::Expr(Expr::Inflight(from, to)) => of_process(from).with(of_process(to)),
        _ => {
            let mut whole = Reach::Nothing;
            for part in term.children() {
                whole = whole.with(reach(part, terms));
                if whole == Reach::Many {
                    break;
                }
            }
            whole
        }
    }
}

/// The truth of a predicate that looks at nothing.
fn constant(pred: &Pred, terms: &mut dyn Terms) -> bool {
    let nowhere = Nowhere::default();
    let truth = eval::holds(pred, &nowhere);
    if nowhere.divided.get() {
        terms.divided_by_zero();
    }
    truth
}

/// Where there is nothing to look at.
#[derive(Default)]
struct Nowhere {
    divided: Cell<bool>,
}

impl Look for Nowhere {
    fn variable(&self, _: VarRef) -> Value {
        Value::from(false)
    }

    fn in_flight(&self, _: ProcRef, _: ProcRef) -> i64 {
        0
    }

    fn steps(&self, _: ProcRef) -> i64 {
        0
    }

    fn is_done(&self, _: ProcRef) -> bool {
        false
    }

    fn divided_by_zero(&self) {
        self.divided.set(true);
    }
}

impl View {
    /// Whether the view, or its negation, is a disjunction of terms.
    pub(crate) fn is_local_disjunction(&self, truth: bool) -> bool {
        match (self, truth) {
            (View::Const(_) | View::Term(_), _) => true,
            (View::Not(part), _) => part.is_local_disjunction(!truth),
            (View::Or(parts), true) | (View::And(parts), false) => {
                parts.iter().all(|part| part.is_local_disjunction(truth))
            }
            _ => false,
        }
    }

    /// Whether the predicate holds when the terms have these values.
    pub(crate) fn holds(&self, at: &dyn Values) -> bool {
        match self {
            View::Const(truth) => *truth,
            View::Term(term) => at.truth(*term),
            View::Not(part) => !part.holds(at),
            View::And(parts) => parts.iter().all(|part| part.holds(at)),
            View::Or(parts) => parts.iter().any(|part| part.holds(at)),
            View::Compare(op, Figure::Term(left), Figure::Term(right)) => {
                at.compare(*op, *left, *right).unwrap_or(false)
            }
            View::Compare(op, left, right) => match (left.value(at), right.value(at)) {
                (Some(left), Some(right)) => op.apply(&left, &right).unwrap_or(false),
                _ => false,
            },
            View::Holds(figure) => {
                let value = figure.value(at);
                value.and_then(|value| value.holds()).unwrap_or(false)
            }
        }
    }

    /// Visits the numbers of the terms.
    pub(crate) fn each_term(&mut self, visit: &mut dyn FnMut(&mut TermId)) {
        match self {
            View::Const(_) => {}
            View::Term(term) => visit(term),
            View::Not(part) => part.each_term(visit),
            View::And(parts) | View::Or(parts) => {
                parts.iter_mut().for_each(|part| part.each_term(visit));
            }
            View::Compare(_, left, right) => {
                left.each_term(visit);
                right.each_term(visit);
            }
            View::Holds(figure) => figure.each_term(visit),
        }
    }
}

/// The values terms have somewhere.
pub(crate) trait Values {
    /// Whether a term that is a truth value holds.
    fn truth(&self, term: TermId) -> bool;

    /// The value of a term; `None` where it is undefined.
    fn value(&self, term: TermId) -> Option<Value>;

    /// The comparison of two terms; `None` where it is undefined. Worth its own way where no value has to be copied.
    fn compare(&self, op: CmpOp, left: TermId, right: TermId) -> Option<bool> {
        op.apply(&self.value(left)?, &self.value(right)?)
    }

    /// Told of a division by zero.
    fn divided_by_zero(&self);
}

impl Figure {
    fn value(&self, at: &dyn Values) -> Option<Value> {
        match self {
            Figure::Literal(value) => Some(value.clone()),
            Figure::Undefined => None,
            Figure::Term(term) => at.value(*term),
            Figure::Truth(view) => Some(Value::from(view.holds(at))),
            Figure::Count(views) => {
                let count = views.iter().filter(|view| view.holds(at)).count();
                Some(Value::from(count as i64))
            }
            _ => self.number(at).map(Value::Number),
        }
    }

    fn number(&self, at: &dyn Values) -> Option<Number> {
        match self {
            Figure::InFlight(sent, received) => {
                let (sent, received) = (at.value(*sent)?, at.value(*received)?);
                Some(sent.as_number()? - received.as_number()?)
            }
            Figure::Neg(part) => Some(-&part.number(at)?),
            Figure::Arith(op, left, right) => {
                let (left, right) = (left.number(at)?, right.number(at)?);
                let result = op.apply(&left, &right);
                if result.is_none() {
                    at.divided_by_zero();
                }
                result
            }
            Figure::Sum(parts) => parts
                .iter()
                .try_fold(Number::from(0), |sum, part| Some(&sum + &part.number(at)?)),
            Figure::Min(parts) => Figure::numbers(parts, at)?.into_iter().min(),
            Figure::Max(parts) => Figure::numbers(parts, at)?.into_iter().max(),
            _ => self.value(at)?.as_number().cloned(),
        }
    }

    fn numbers(parts: &[Figure], at: &dyn Values) -> Option<Vec<Number>> {
        parts.iter().map(|part| part.number(at)).collect()
    }

    fn each_term(&mut self, visit: &mut dyn FnMut(&mut TermId)) {
        match self {
            Figure::Literal(_) | Figure::Undefined => {}
            Figure::Term(term) => visit(term),
            Figure::InFlight(sent, received) => {
                visit(sent);
                visit(received);
            }
            Figure::Neg(part) => part.each_term(visit),
            Figure::Arith(_, left, right) => {
                left.each_term(visit);
                right.each_term(visit);
            }
            Figure::Count(views) => views.iter_mut().for_each(|view| view.each_term(visit)),
            Figure::Sum(parts) | Figure::Min(parts) | Figure::Max(parts) => {
                parts.iter_mut().for_each(|part| part.each_term(visit));
            }
            Figure::Truth(view) => view.each_term(visit),
        }
    }
}
