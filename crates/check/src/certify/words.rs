//! Whether a single order of events is a word of a language, decided by reading it.
//!
//! A formula of LTL is evaluated bottom-up at all positions, an automaton and a sequence are followed forwards, a regular
//! expression is matched part by part. Nothing here knows of the automata that the engines make of the same languages.

use std::collections::hash_map::Entry;

use causet_formula::core::{EventAtom, Expr, Pred};
use causet_formula::names::VarRef;
use causet_formula::value::Value;
use causet_formula::{Hit, Language, Ltl, Machine, MachineForm, Regular, Runs};
use causet_solve::budget::{Budget, Spent};
use causet_trace::{EventId, Trace, VarId};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::charge::Charge;
use super::predicate::{Contents, Test};
use crate::subject::formula_value;

/// A language with its predicates taken apart.
#[derive(Debug)]
pub(super) struct Words {
    runs: Runs,
    /// The parts of its predicates that are no connectives.
    atoms: Vec<Atom>,
    number: FxHashMap<Pred, usize>,
}

/// A part of a predicate that is no connective.
#[derive(Debug)]
pub(super) enum Atom {
    /// About the state.
    State(Test),
    /// About the event just executed.
    Event(EventAtom, Written),
}

/// What is said of the values an event wrote.
#[derive(Debug)]
pub(super) enum Written {
    /// Nothing.
    Nothing,
    /// This holds of the state afterwards.
    Afterwards(Test),
    /// It wrote one of these values.
    Values(VarId, FxHashMap<Value, bool>),
}

/// Finds the parts of predicates that are no connectives, each once.
pub(super) fn elementary<'f>(runs: &'f Runs) -> Vec<&'f Pred> {
    fn visit<'f>(pred: &'f Pred, found: &mut Vec<&'f Pred>) {
        match pred {
            Pred::Const(_) => {}
            Pred::Not(part) => visit(part, found),
            Pred::And(parts) | Pred::Or(parts) => parts.iter().for_each(|part| visit(part, found)),
            atom if found.contains(&atom) => {}
            atom => found.push(atom),
        }
    }
    let mut found: Vec<&'f Pred> = Vec::new();
    runs.language
        .each_state(&mut |pred| visit(pred, &mut found));
    found
}

/// Whether an event that wrote a variable decides a predicate alone: nothing else is named in it.
pub(super) fn only_variable(pred: &Pred, var: VarRef) -> bool {
    match pred {
        Pred::Const(_) => true,
        Pred::Done(_) | Pred::On(_) => false,
        Pred::Holds(expr) => only_variable_in(expr, var),
        Pred::Compare(_, left, right) => {
            only_variable_in(left, var) && only_variable_in(right, var)
        }
        Pred::Not(part) => only_variable(part, var),
        Pred::And(parts) | Pred::Or(parts) => parts.iter().all(|part| only_variable(part, var)),
    }
}

fn only_variable_in(expr: &Expr, var: VarRef) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::Var(named) => *named == var,
        Expr::Inflight(..) | Expr::Steps(_) => false,
        Expr::Neg(part) => only_variable_in(part, var),
        Expr::Arith(_, left, right) => only_variable_in(left, var) && only_variable_in(right, var),
        Expr::Count(preds) => preds.iter().all(|pred| only_variable(pred, var)),
        Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
            parts.iter().all(|part| only_variable_in(part, var))
        }
        Expr::Truth(pred) => only_variable(pred, var),
    }
}

/// The predicate with a value in the place of a variable.
pub(super) fn with_value(pred: &Pred, value: &Value) -> Pred {
    let go = |part: &Pred| with_value(part, value);
    match pred {
        Pred::Holds(expr) => Pred::Holds(with_value_in(expr, value)),
        Pred::Compare(op, left, right) => {
            Pred::Compare(*op, with_value_in(left, value), with_value_in(right, value))
        }
        Pred::Not(part) => Pred::Not(Box::new(go(part))),
        Pred::And(parts) => Pred::And(parts.iter().map(go).collect()),
        Pred::Or(parts) => Pred::Or(parts.iter().map(go).collect()),
        Pred::Const(_) | Pred::Done(_) | Pred::On(_) => pred.clone(),
    }
}

fn with_value_in(expr: &Expr, value: &Value) -> Expr {
    let go = |part: &Expr| with_value_in(part, value);
    let all = |parts: &[Expr]| parts.iter().map(go).collect();
    match expr {
        Expr::Var(_) => Expr::Literal(value.clone()),
        Expr::Literal(_) | Expr::Inflight(..) | Expr::Steps(_) => expr.clone(),
        Expr::Neg(part) => Expr::Neg(Box::new(go(part))),
        Expr::Arith(op, left, right) => Expr::Arith(*op, Box::new(go(left)), Box::new(go(right))),
        Expr::Count(preds) => {
            Expr::Count(preds.iter().map(|pred| with_value(pred, value)).collect())
        }
        Expr::Sum(parts) => Expr::Sum(all(parts)),
        Expr::Min(parts) => Expr::Min(all(parts)),
        Expr::Max(parts) => Expr::Max(all(parts)),
        Expr::Truth(pred) => Expr::Truth(Box::new(with_value(pred, value))),
    }
}

/// Every value the run writes to a variable, with the truth of a predicate about it.
pub(super) fn judged_values(
    trace: &Trace,
    var: VarId,
    mut holds: impl FnMut(&Value) -> bool,
) -> FxHashMap<Value, bool> {
    let mut judged = FxHashMap::default();
    for event in trace.events() {
        for write in trace.writes(event).filter(|write| write.var == var) {
            let value = formula_value(trace, write.value);
            if let Entry::Vacant(entry) = judged.entry(value) {
                let truth = holds(entry.key());
                entry.insert(truth);
            }
        }
    }
    judged
}

/// Whether a test that mentions no slot holds.
pub(super) fn constant(test: &Test) -> bool {
    let (slots, values) = (&[][..], &[][..]);
    Contents { slots, values }.satisfy(test)
}

impl Words {
    /// A language whose predicates are made of these atoms.
    pub(super) fn new(runs: &Runs, atoms: Vec<Atom>) -> Self {
        let numbers = elementary(runs).into_iter().cloned().zip(0..);
        Words {
            number: numbers.collect(),
            atoms,
            runs: runs.clone(),
        }
    }

    /// Where the runs end, if not at the final cut.
    pub(super) fn end(&self) -> Option<&[u32]> {
        self.runs.end.as_deref()
    }

    /// Begins to read a word.
    pub(super) fn scroll<'w>(&'w self, trace: &'w Trace, budget: &'w Budget<'w>) -> Scroll<'w> {
        Scroll {
            words: self,
            trace,
            budget,
            charge: Charge::new(budget),
            length: 0,
            truth: vec![Vec::new(); self.atoms.len()],
            last: Vec::new(),
        }
    }

    fn holds(&self, pred: &Pred, atom: &dyn Fn(usize) -> bool) -> bool {
        match pred {
            Pred::Const(truth) => *truth,
            Pred::Not(part) => !self.holds(part, atom),
            Pred::And(parts) => !parts.iter().any(|part| !self.holds(part, atom)),
            Pred::Or(parts) => parts.iter().any(|part| self.holds(part, atom)),
            elementary => atom(self.number[elementary]),
        }
    }
}

/// A word being written down: for every atom the positions at which it holds.
pub(super) struct Scroll<'w> {
    words: &'w Words,
    trace: &'w Trace,
    budget: &'w Budget<'w>,
    charge: Charge<'w>,
    length: usize,
    /// Per atom the truth at all positions, 64 to a number.
    truth: Vec<Vec<u64>>,
    /// The letter before.
    last: Vec<bool>,
}

impl Scroll<'_> {
    /// Writes down the letter after an event, or the first one; `satisfies` tells what holds of the state, and unless
    /// the state `changed` it is what held before.
    pub(super) fn add(
        &mut self,
        event: Option<EventId>,
        changed: bool,
        satisfies: &dyn Fn(&Test) -> bool,
    ) -> Result<(), Spent> {
        self.budget.tick()?;
        let mut letter = std::mem::take(&mut self.last);
        let is_first = letter.is_empty();
        letter.resize(self.words.atoms.len(), false);
        let mut differs = is_first;
        for (atom, truth) in self.words.atoms.iter().zip(&mut letter) {
            let now = match atom {
                Atom::State(test) if is_first || changed => satisfies(test),
                Atom::State(_) => *truth,
                Atom::Event(atom, written) => event.is_some_and(|event| {
                    self.is(event, atom) && self.wrote(event, written, satisfies)
                }),
            };
            differs |= now != *truth;
            *truth = now;
        }
        self.last = letter;
        if differs || self.counts_positions() {
            self.push()?;
        }
        Ok(())
    }

    /// Whether a letter that is like the one before makes a difference.
    fn counts_positions(&self) -> bool {
        match &self.words.runs.language {
            Language::Ltl(formula) => formula.has_next(),
            Language::Machine(_) | Language::Sequence(_) | Language::Regular(_) => true,
        }
    }

    fn push(&mut self) -> Result<(), Spent> {
        let (word, bit) = (self.length / 64, self.length % 64);
        if bit == 0 {
            self.charge.take(self.truth.len() * 16)?;
            self.truth.iter_mut().for_each(|bits| bits.push(0));
        }
        for (bits, &truth) in self.truth.iter_mut().zip(&self.last) {
            bits[word] |= u64::from(truth) << bit;
        }
        self.length += 1;
        Ok(())
    }

    fn is(&self, event: EventId, atom: &EventAtom) -> bool {
        let process = self.trace.order().process_of(event).raw();
        let is_called = |wanted: &str| self.trace.label(event) == Some(wanted);
        match atom {
            EventAtom::Label(label) => is_called(label),
            EventAtom::Process(wanted) => process == wanted.0,
            EventAtom::ProcessLabel(wanted, label) => process == wanted.0 && is_called(label),
            EventAtom::Wrote { vars, .. } => {
                let mut writes = self.trace.writes(event);
                writes.any(|write| vars.iter().any(|var| var.0 == write.var.raw()))
            }
        }
    }

    fn wrote(&self, event: EventId, written: &Written, satisfies: &dyn Fn(&Test) -> bool) -> bool {
        match written {
            Written::Nothing => true,
            Written::Afterwards(test) => satisfies(test),
            Written::Values(var, judged) => {
                let own = self.trace.writes(event).filter(|write| write.var == *var);
                own.last()
                    .is_some_and(|write| judged[&formula_value(self.trace, write.value)])
            }
        }
    }

    /// Whether the word written down is one of those looked for.
    pub(super) fn belongs(&self) -> Result<bool, Spent> {
        let runs = &self.words.runs;
        let belongs = match &runs.language {
            Language::Ltl(formula) => self.evaluate(formula)?.contains(0),
            Language::Machine(machine) => self.follow(machine)?,
            Language::Sequence(hits) => self.reaches(hits)?,
            Language::Regular(regular) => {
                let mut start = FixedBitSet::with_capacity(self.length + 1);
                start.insert(0);
                self.matched(regular, &start)?.contains(self.length)
            }
        };
        Ok(belongs != runs.complement)
    }

    fn holds(&self, pred: &Pred, position: usize) -> bool {
        let truth = |atom: usize| self.truth[atom][position / 64] >> (position % 64) & 1 == 1;
        self.words.holds(pred, &truth)
    }

    /// The positions at which a formula holds.
    fn evaluate(&self, formula: &Ltl) -> Result<FixedBitSet, Spent> {
        self.budget.look()?;
        let mut holding = FixedBitSet::with_capacity(self.length);
        match formula {
            Ltl::State(pred) => {
                let positions = (0..self.length).filter(|&position| self.holds(pred, position));
                holding.extend(positions);
            }
            Ltl::Not(part) => {
                holding = self.evaluate(part)?;
                holding.toggle_range(..);
            }
            Ltl::And(parts) => {
                holding.insert_range(..);
                for part in parts {
                    holding.intersect_with(&self.evaluate(part)?);
                }
            }
            Ltl::Or(parts) => {
                for part in parts {
                    holding.union_with(&self.evaluate(part)?);
                }
            }
            Ltl::Next(part) => {
                let part = self.evaluate(part)?;
                holding.extend(part.ones().filter_map(|position| position.checked_sub(1)));
            }
            Ltl::Until(hold, goal) => {
                let hold = self.evaluate(hold)?;
                holding = self.evaluate(goal)?;
                for position in (0..self.length.saturating_sub(1)).rev() {
                    if hold.contains(position) && holding.contains(position + 1) {
                        holding.insert(position);
                    }
                }
            }
        }
        Ok(holding)
    }

    /// Whether an automaton can be in an accepting state after the word.
    fn follow(&self, machine: &Machine) -> Result<bool, Spent> {
        let mut now = vec![false; machine.states.len()];
        machine.start.iter().for_each(|&state| now[state] = true);
        let first = match machine.form {
            MachineForm::Monitor => 1,
            MachineForm::Acceptor => 0,
        };
        for position in first..self.length {
            self.budget.tick()?;
            let mut next = vec![false; machine.states.len()];
            let mut moved = vec![false; machine.states.len()];
            for edge in machine.edges.iter().filter(|edge| now[edge.from]) {
                if self.holds(&edge.guard, position) {
                    next[edge.to] = true;
                    moved[edge.from] = true;
                }
            }
            if machine.form == MachineForm::Monitor {
                for state in 0..now.len() {
                    next[state] |= now[state] && !moved[state];
                }
            }
            now = next;
        }
        Ok(machine.accepting.iter().any(|&state| now[state]))
    }

    /// Whether the positions of a sequence are there.
    fn reaches(&self, hits: &[Hit]) -> Result<bool, Spent> {
        // Which hits can have been the last one before a position.
        let mut done = vec![false; hits.len() + 1];
        done[0] = true;
        for position in 0..self.length {
            self.budget.tick()?;
            for at in (0..hits.len()).rev() {
                let hit = done[at] && self.holds(&hits[at].at, position);
                done[at] = done[at] && self.holds(&hits[at].between, position);
                done[at + 1] |= hit;
            }
        }
        Ok(done[hits.len()])
    }

    /// Where a match can end that begins at one of these positions.
    fn matched(&self, regular: &Regular, starts: &FixedBitSet) -> Result<FixedBitSet, Spent> {
        self.budget.look()?;
        match regular {
            Regular::Letter(pred) => {
                let mut ends = FixedBitSet::with_capacity(self.length + 1);
                let inside = starts.ones().filter(|&start| start < self.length);
                let inside = inside.filter(|&start| self.holds(pred, start));
                ends.extend(inside.map(|start| start + 1));
                Ok(ends)
            }
            Regular::Then(parts) => {
                let mut ends = starts.clone();
                for part in parts {
                    ends = self.matched(part, &ends)?;
                }
                Ok(ends)
            }
            Regular::Either(parts) => {
                let mut ends = FixedBitSet::with_capacity(self.length + 1);
                for part in parts {
                    ends.union_with(&self.matched(part, starts)?);
                }
                Ok(ends)
            }
            Regular::Star(part) => {
                let mut ends = starts.clone();
                let mut fresh = starts.clone();
                while !fresh.is_clear() {
                    fresh = self.matched(part, &fresh)?;
                    fresh.difference_with(&ends);
                    ends.union_with(&fresh);
                }
                Ok(ends)
            }
        }
    }
}
