//! What the recorded order decides by itself, before any engine runs.
//!
//! The run was recorded in one order, and that order is one of those a property speaks about. Along it every sub-formula
//! has one of three values: true, false, or not known, because other orders have a say in it.
//!
//! | formula at position `i` | true | false |
//! |---|---|---|
//! | `EX f` | `f` is true at `i + 1` | `i` is the final cut |
//! | `E[f U g]` | `g` is true, or `f` is and the until is true at `i + 1` | `g` is false, and `f` is or `i` is the final cut |
//! | `A[f U g]` | `g` is true, or `f` is constantly true and `g` is true at the final cut | `g` is false, and `f` is, or `i` is the final cut, or the until is false at `i + 1` |
//! | `EF g`, `AF g`, `g` a disjunction of predicates that one track each decides | `g` is true at `i` or later | `g` is false from `i` on |
//! | some run is of a language | the recorded one is | both ends of every order show it (`observe/ends.rs`) |
//!
//! The row before the last: every order goes through every state of a track, so what one of them shows all of them do.
//!
//! Every order ends at the final cut. So `EF g` and `AF g` are true at every cut of every order if `g` is true there, and
//! what is built from such parts may be constant too: `EF AG g` is false if `g` is false at the final cut.
//!
//! One pass from the last position to the first finds them all, in time proportional to what the formula can see. What
//! the initial cut, the final cut or the recorded order shows is never left to an engine that may run into a limit, and
//! the order shown for it is the one that happened.

mod ends;
mod modal;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_formula::linear::{Language, Runs};
use causet_solve::automaton::linear::Ltl;
use causet_solve::automaton::{Automaton, State};
use causet_trace::Order;
use fixedbitset::FixedBitSet;

use crate::engine::{Trail, only_temporal};
use crate::linear::compile::{Sizes, as_written, compile, over_atoms};
use crate::project::{Recorded, Survey};
use ends::value_in_every_order;
pub(crate) use modal::observe_modal;

/// A truth value that the recorded order shows.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    /// Whether the initial cut satisfies the formula.
    pub(crate) holds: bool,
    /// Whether something was divided by zero on the way.
    pub(crate) divided_by_zero: bool,
    argument: Option<Argument>,
}

/// A [`Trail`] along the recorded order: only where it begins and ends is kept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Argument {
    focus: Vec<usize>,
    /// How many recorded events lead to its beginning, and to its end.
    events: (u32, u32),
    then: Option<Box<Argument>>,
    /// Of a complete run, after how many events it is decided, whatever follows.
    enough: Option<u32>,
}

/// What the recorded order shows of a formula at the initial cut.
pub(crate) fn observe(
    survey: &mut Survey<'_>,
    goal: &Ctl,
    budget: &Budget<'_>,
) -> Result<Option<Observation>, Spent> {
    let branch = budget.branch();
    match goal {
        Ctl::Run(runs) => observe_run(survey, runs, &branch),
        _ if !goal.is_about_cuts() => Ok(None),
        _ => {
            let sight = survey.look_at_all(&[goal], false);
            let recorded = survey.recorded(&sight, &branch)?;
            let judged = Judged::of(goal, &recorded, &branch)?;
            let events = survey.subject().trace.len() as u32;
            Ok(judged.at_initial_cut(&recorded, events))
        }
    }
}

impl Observation {
    /// A truth value without an order that shows it.
    pub(crate) fn bare(holds: bool) -> Observation {
        Observation {
            holds,
            divided_by_zero: false,
            argument: None,
        }
    }

    /// How many events the order that shows it has; none is longer than any.
    pub(crate) fn length(&self) -> usize {
        self.argument
            .as_ref()
            .map_or(usize::MAX, |argument| argument.events.1 as usize)
    }

    /// The order that shows it, where a single one can.
    pub(crate) fn trail(&self, order: &Order) -> Option<Trail> {
        self.argument.as_ref().map(|argument| argument.trail(order))
    }
}

impl Argument {
    fn trail(&self, order: &Order) -> Trail {
        let (from, to) = self.events;
        let events = order.recorded().skip(from as usize);
        Trail {
            focus: self.focus.clone(),
            run: events.take((to - from) as usize).collect(),
            then: self.then.as_ref().map(|then| Box::new(then.trail(order))),
            enough: self.enough.map(|events| events as usize),
        }
    }

    fn within(mut self, part: usize) -> Argument {
        self.focus.insert(0, part);
        self
    }
}

/// A formula with what is known of it along the recorded order.
struct Judged<'f> {
    formula: &'f Ctl,
    /// The positions where it is true, and where it is false.
    yes: FixedBitSet,
    no: FixedBitSet,
    /// Its value, if it is shown to have the same at every cut of the run, recorded or not.
    constant: Option<bool>,
    parts: Vec<Judged<'f>>,
}

impl<'f> Judged<'f> {
    fn of(formula: &'f Ctl, recorded: &Recorded<'_>, budget: &Budget<'_>) -> Result<Self, Spent> {
        budget.look()?;
        let last = recorded.last();
        budget.charge(last / 4 + 64)?;
        let judge = |part: &'f Ctl| Judged::of(part, recorded, budget);
        let parts: Vec<Judged<'f>> = match formula {
            Ctl::State(_) | Ctl::Run(_) | Ctl::Modal(_) => Vec::new(),
            Ctl::Not(part) | Ctl::Ex(part) => vec![judge(part)?],
            Ctl::And(parts) | Ctl::Or(parts) => {
                parts.iter().map(judge).collect::<Result<_, _>>()?
            }
            Ctl::Eu(hold, goal) | Ctl::Au(hold, goal) => vec![judge(hold)?, judge(goal)?],
        };
        let (yes, no) = match (formula, &parts[..]) {
            (Ctl::State(pred), _) => {
                let yes = recorded.predicate(pred).clone();
                let no = complement(&yes, last);
                (yes, no)
            }
            (Ctl::Not(_), [part]) => (part.no.clone(), part.yes.clone()),
            (Ctl::And(_), parts) => (all(yes(parts), last), some(no(parts), last)),
            (Ctl::Or(_), parts) => (some(yes(parts), last), all(no(parts), last)),
            (Ctl::Ex(_), [part]) => next(&part.yes, last),
            (Ctl::Eu(..) | Ctl::Au(..), [hold, goal]) if is_local(hold, goal, recorded) => {
                let yes = until(&hold.yes, &goal.yes, last);
                let no = complement(&yes, last);
                (yes, no)
            }
            (Ctl::Eu(..), [hold, goal]) => some_until(hold, goal, last),
            (Ctl::Au(..), [hold, goal]) => every_until(hold, goal, last),
            _ => (nowhere(last), nowhere(last)),
        };
        let constant = constant(formula, &parts, last);
        let (yes, no) = match constant {
            Some(true) => (complement(&nowhere(last), last), nowhere(last)),
            Some(false) => (nowhere(last), complement(&nowhere(last), last)),
            None => (yes, no),
        };
        Ok(Judged {
            formula,
            yes,
            no,
            constant,
            parts,
        })
    }

    fn is(&self, truth: bool, position: usize) -> bool {
        if truth { &self.yes } else { &self.no }.contains(position)
    }

    fn at_initial_cut(&self, recorded: &Recorded<'_>, events: u32) -> Option<Observation> {
        let holds = match (self.yes.contains(0), self.no.contains(0)) {
            (true, _) => true,
            (_, true) => false,
            _ => return None,
        };
        Some(Observation {
            holds,
            divided_by_zero: recorded.divided_by_zero,
            argument: self.argue(holds, 0, recorded, events),
        })
    }

    /// The argument along the recorded order for a truth value at a position, where one order can make it.
    fn argue(
        &self,
        truth: bool,
        at: usize,
        recorded: &Recorded<'_>,
        events: u32,
    ) -> Option<Argument> {
        let argue = |part: &Judged<'_>, truth, at| part.argue(truth, at, recorded, events);
        let here = recorded.events_before(at);
        let until = |to, claim: &Judged<'_>, truth, at| Argument {
            events: (here, to),
            then: claim.continuation(truth, at, recorded, events),
            ..Argument::default()
        };
        match (self.formula, &self.parts[..], truth) {
            (Ctl::State(_), ..) => Some(Argument {
                events: (here, here),
                ..Argument::default()
            }),
            (Ctl::Not(_), [part], _) => argue(part, !truth, at),
            (Ctl::And(_), parts, false) | (Ctl::Or(_), parts, true) => {
                let deciding = parts.iter().position(|part| part.is(truth, at))?;
                Some(argue(&parts[deciding], truth, at)?.within(deciding))
            }
            (Ctl::And(all) | Ctl::Or(all), parts, _) => {
                let temporal = only_temporal(all)?;
                Some(argue(&parts[temporal], truth, at)?.within(temporal))
            }
            (Ctl::Ex(_), [part], true) => {
                let to = recorded.events_before(at + 1);
                Some(until(to, part, true, at + 1))
            }
            (Ctl::Eu(..), [_, goal], true) => {
                let end = (at..=recorded.last()).find(|&at| goal.is(true, at))?;
                Some(until(recorded.events_before(end), goal, true, end))
            }
            (Ctl::Au(..), [hold, _], false) => {
                match (at..=recorded.last()).find(|&at| hold.is(false, at)) {
                    Some(end) => Some(until(recorded.events_before(end), hold, false, end)),
                    None => Some(Argument {
                        events: (here, events),
                        ..Argument::default()
                    }),
                }
            }
            _ => None,
        }
    }

    /// What is claimed of the cut at the end of an argument, if it is more than a predicate.
    fn continuation(
        &self,
        truth: bool,
        at: usize,
        recorded: &Recorded<'_>,
        events: u32,
    ) -> Option<Box<Argument>> {
        if matches!(self.formula, Ctl::State(_)) {
            return None;
        }
        self.argue(truth, at, recorded, events).map(Box::new)
    }
}

/// The value that a formula has at every cut of the run, if its parts show one.
fn constant(formula: &Ctl, parts: &[Judged<'_>], last: usize) -> Option<bool> {
    let among = |value| parts.iter().any(|part| part.constant == Some(value));
    let all = |value| parts.iter().all(|part| part.constant == Some(value));
    match (formula, parts) {
        (Ctl::State(Pred::Const(value)), _) => Some(*value),
        (Ctl::Not(_), [part]) => part.constant.map(|value| !value),
        (Ctl::Ex(_), [part]) => part.constant.filter(|value| !value),
        (Ctl::And(_), _) if among(false) => Some(false),
        (Ctl::And(_), _) => all(true).then_some(true),
        (Ctl::Or(_), _) if among(true) => Some(true),
        (Ctl::Or(_), _) => all(false).then_some(false),
        (Ctl::Eu(..) | Ctl::Au(..), [hold, goal]) => {
            let is_reached = hold.constant == Some(true) && goal.yes.contains(last);
            goal.constant.or(is_reached.then_some(true))
        }
        _ => None,
    }
}

/// A disjunction (decided by a true value) or a conjunction (decided by a false one) of values that may be open.
pub(crate) fn join(decisive: bool, values: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(!decisive);
    for value in values {
        match value {
            Some(value) if value == decisive => return Some(decisive),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}

fn nowhere(last: usize) -> FixedBitSet {
    FixedBitSet::with_capacity(last + 1)
}

fn complement(positions: &FixedBitSet, last: usize) -> FixedBitSet {
    let mut others = positions.clone();
    others.toggle_range(0..last + 1);
    others
}

fn yes<'p>(parts: &'p [Judged<'_>]) -> impl Iterator<Item = &'p FixedBitSet> {
    parts.iter().map(|part| &part.yes)
}

fn no<'p>(parts: &'p [Judged<'_>]) -> impl Iterator<Item = &'p FixedBitSet> {
    parts.iter().map(|part| &part.no)
}

fn all<'p>(mut parts: impl Iterator<Item = &'p FixedBitSet>, last: usize) -> FixedBitSet {
    let mut positions = parts.next().cloned().unwrap_or_else(|| nowhere(last));
    parts.for_each(|part| positions.intersect_with(part));
    positions
}

fn some<'p>(parts: impl Iterator<Item = &'p FixedBitSet>, last: usize) -> FixedBitSet {
    let mut positions = nowhere(last);
    parts.for_each(|part| positions.union_with(part));
    positions
}

fn next(part: &FixedBitSet, last: usize) -> (FixedBitSet, FixedBitSet) {
    let (mut yes, mut no) = (nowhere(last), nowhere(last));
    let before = part.ones().filter_map(|at| at.checked_sub(1));
    before.for_each(|at| yes.insert(at));
    no.insert(last);
    (yes, no)
}

/// Whether every order shows the same of `EF` and `AF` of the goal.
fn is_local(hold: &Judged<'_>, goal: &Judged<'_>, recorded: &Recorded<'_>) -> bool {
    match goal.formula {
        Ctl::State(pred) => *hold.formula == Ctl::TRUE && recorded.is_local_disjunction(pred),
        _ => false,
    }
}

fn some_until(hold: &Judged<'_>, goal: &Judged<'_>, last: usize) -> (FixedBitSet, FixedBitSet) {
    let yes = until(&hold.yes, &goal.yes, last);
    let mut no = goal.no.clone();
    no.intersect_with(&hold.no);
    no.set(last, goal.no.contains(last));
    (yes, no)
}

fn every_until(hold: &Judged<'_>, goal: &Judged<'_>, last: usize) -> (FixedBitSet, FixedBitSet) {
    let yes = goal.yes.clone();
    // The until fails where the goal stays false until the other fails too, or to the end.
    let mut fails = hold.no.clone();
    fails.insert(last);
    fails.intersect_with(&goal.no);
    (yes, until(&goal.no, &fails, last))
}

/// The positions from which `hold` holds until `goal` does.
fn until(hold: &FixedBitSet, goal: &FixedBitSet, last: usize) -> FixedBitSet {
    let mut positions = goal.clone();
    let mut later = false;
    for at in (0..=last).rev() {
        later = goal.contains(at) || (later && hold.contains(at));
        positions.set(at, later);
    }
    positions
}

/// Whether the recorded order is of a language; then some run is.
fn observe_run(
    survey: &mut Survey<'_>,
    runs: &Runs,
    budget: &Budget<'_>,
) -> Result<Option<Observation>, Spent> {
    // Orders that end at another cut than the last are no beginnings of the recorded one.
    if runs.end.is_some() {
        return Ok(None);
    }
    let (atoms, reader) = match &runs.language {
        Language::Ltl(formula) => {
            let (atoms, over_atoms) = over_atoms(formula);
            (atoms, Reader::Formula(over_atoms))
        }
        other => {
            let (atoms, automaton) = as_written(other, budget)?;
            (atoms, Reader::Automaton(automaton))
        }
    };
    let sight = survey.look_for_atoms(&atoms, reader.counts_positions(&atoms));
    let recorded = survey.recorded(&sight, budget)?;
    let word = Word {
        letters: recorded.letters(),
        last: recorded.last(),
        budget,
    };
    let is_member = match &reader {
        Reader::Formula(formula) => word.satisfies(formula)?.contains(0),
        Reader::Automaton(automaton) => word.is_accepted(automaton)?,
    };
    if is_member == runs.complement {
        let in_every_order = match &reader {
            Reader::Formula(formula) => {
                value_in_every_order(formula, &atoms, &word.letters, word.last)
            }
            Reader::Automaton(_) => None,
        };
        return Ok(in_every_order.map(|_| Observation {
            divided_by_zero: recorded.divided_by_zero,
            ..Observation::bare(false)
        }));
    }
    let enough = word.decided_at(runs)?;
    let argument = Argument {
        events: (0, survey.subject().trace.len() as u32),
        enough: enough.map(|position| recorded.events_before(position)),
        ..Argument::default()
    };
    Ok(Some(Observation {
        holds: true,
        divided_by_zero: recorded.divided_by_zero,
        argument: Some(argument),
    }))
}

/// What reads the recorded word.
enum Reader {
    Formula(Ltl<usize>),
    Automaton(Automaton),
}

impl Reader {
    /// Whether an event that no atom can see may make a difference.
    fn counts_positions(&self, atoms: &[Pred]) -> bool {
        match self {
            Reader::Formula(formula) => {
                formula.has_next() || atoms.iter().any(|atom| matches!(atom, Pred::On(_)))
            }
            Reader::Automaton(_) => true,
        }
    }
}

/// The recorded order as a word over atoms.
struct Word<'b> {
    /// Per atom: the positions where it holds.
    letters: Vec<FixedBitSet>,
    last: usize,
    budget: &'b Budget<'b>,
}

impl Word<'_> {
    /// The positions from which the word satisfies a formula.
    fn satisfies(&self, formula: &Ltl<usize>) -> Result<FixedBitSet, Spent> {
        self.budget.look()?;
        self.budget.charge(self.last / 8 + 64)?;
        let join =
            |parts: &[Ltl<usize>], neutral: bool, join: fn(&mut FixedBitSet, &FixedBitSet)| {
                let mut positions = nowhere(self.last);
                positions.set_range(.., neutral);
                for part in parts {
                    join(&mut positions, &self.satisfies(part)?);
                }
                Ok(positions)
            };
        Ok(match formula {
            Ltl::State(atom) => self.letters[*atom].clone(),
            Ltl::Not(part) => complement(&self.satisfies(part)?, self.last),
            Ltl::And(parts) => join(parts, true, FixedBitSet::intersect_with)?,
            Ltl::Or(parts) => join(parts, false, FixedBitSet::union_with)?,
            Ltl::Next(part) => next(&self.satisfies(part)?, self.last).0,
            Ltl::Until(hold, goal) => {
                until(&self.satisfies(hold)?, &self.satisfies(goal)?, self.last)
            }
        })
    }

    /// Whether an automaton accepts the word.
    fn is_accepted(&self, automaton: &Automaton) -> Result<bool, Spent> {
        let states = self.read(automaton, |_| false)?.1;
        Ok(states.iter().any(|&state| automaton.is_accepting(state)))
    }

    /// The position from which on every continuation of a member of a language is a member, if there is one.
    fn decided_at(&self, runs: &Runs) -> Result<Option<usize>, Spent> {
        let compiled = match compile(runs, Sizes::default(), self.budget) {
            Err(Spent::Memory) => return Ok(None),
            compiled => compiled?,
        };
        if !compiled.is_deterministic {
            return Ok(None);
        }
        let sure = compiled.automaton.sure();
        let is_sure = |states: &[State]| states.iter().all(|&state| sure[state as usize]);
        let (position, _) = self.read(&compiled.automaton, is_sure)?;
        Ok(position)
    }

    /// Lets an automaton read the word until its states are as wanted: the position of that, and the last states.
    fn read(
        &self,
        automaton: &Automaton,
        is_wanted: impl Fn(&[State]) -> bool,
    ) -> Result<(Option<usize>, Vec<State>), Spent> {
        let mut states = vec![automaton.initial()];
        for position in 0..=self.last {
            self.budget.tick()?;
            let truth = |atom: usize| self.letters[atom].contains(position);
            let mut after: Vec<State> = Vec::new();
            for &state in &states {
                after.extend_from_slice(automaton.next(state, truth));
            }
            after.sort_unstable();
            after.dedup();
            states = after;
            if is_wanted(&states) {
                return Ok((Some(position), states));
            }
        }
        Ok((None, states))
    }
}
