//! Whether a single order of events is a word of a language, decided by reading it.
//!
//! A formula of LTL is evaluated bottom-up at all positions, an automaton and a sequence are followed forwards, a regular
//! expression is matched part by part. Nothing here knows of the automata that the engines make of the same languages.

use std::cell::RefCell;
use std::sync::Arc;

use causet_base::budget::{Budget, Spent};
use causet_base::value::Value;
use causet_formula::core::{EventAtom, Expr, Pred};
use causet_formula::names::VarRef;
use causet_formula::{Edge, Hit, Language, Ltl, Machine, MachineForm, Regular, Runs};
use causet_trace::{EventId, Trace};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::charge::Charge;
use super::claim::test_of;
use super::predicate::{Contents, Test};

/// A language with its predicates taken apart.
#[derive(Debug)]
pub(super) struct Words {
    runs: Runs,
    /// The parts of its predicates that are no connectives.
    atoms: Vec<Atom>,
    number: FxHashMap<Pred, usize>,
    /// Per variable: the atoms about events that wrote it.
    by_variable: Vec<Vec<usize>>,
    /// The other atoms about events.
    by_name: Vec<usize>,
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
    /// It wrote a value of which this is true.
    Value(Judged),
}

/// A predicate about a value, and the values it has been asked about.
#[derive(Debug)]
pub(super) struct Judged {
    pred: Pred,
    known: RefCell<FxHashMap<causet_trace::StoredValue, bool>>,
}

impl Judged {
    /// A predicate about one variable, whose value will be given.
    pub(super) fn new(pred: &Pred) -> Self {
        Judged {
            pred: pred.clone(),
            known: RefCell::default(),
        }
    }

    fn holds(&self, trace: &Trace, value: causet_trace::StoredValue) -> bool {
        let mut known = self.known.borrow_mut();
        *known.entry(value).or_insert_with(|| {
            let pred = with_value(&self.pred, &trace.value(value));
            constant(&test_of(trace, &pred))
        })
    }
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
    for pred in runs.language.preds() {
        visit(pred, &mut found);
    }
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
fn with_value(pred: &Pred, value: &Value) -> Pred {
    let go = |part: &Pred| with_value(part, value);
    match pred {
        Pred::Holds(expr) => Pred::Holds(with_value_in(expr, value)),
        Pred::Compare(op, left, right) => {
            Pred::Compare(*op, with_value_in(left, value), with_value_in(right, value))
        }
        Pred::Not(part) => Pred::Not(Arc::new(go(part))),
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
        Expr::Neg(part) => Expr::Neg(Arc::new(go(part))),
        Expr::Arith(op, left, right) => Expr::Arith(*op, Arc::new(go(left)), Arc::new(go(right))),
        Expr::Count(preds) => {
            Expr::Count(preds.iter().map(|pred| with_value(pred, value)).collect())
        }
        Expr::Sum(parts) => Expr::Sum(all(parts)),
        Expr::Min(parts) => Expr::Min(all(parts)),
        Expr::Max(parts) => Expr::Max(all(parts)),
        Expr::Truth(pred) => Expr::Truth(Arc::new(with_value(pred, value))),
    }
}

/// Whether a test that mentions no slot holds.
fn constant(test: &Test) -> bool {
    let (slots, values) = (&[][..], &[][..]);
    Contents { slots, values }.satisfy(test)
}

impl Words {
    /// A language whose predicates are made of these atoms.
    pub(super) fn new(runs: &Runs, atoms: Vec<Atom>) -> Self {
        let numbers = elementary(runs).into_iter().cloned().zip(0..);
        let mut words = Words {
            number: numbers.collect(),
            by_variable: Vec::new(),
            by_name: Vec::new(),
            runs: runs.clone(),
            atoms: Vec::new(),
        };
        for (number, atom) in atoms.iter().enumerate() {
            match atom {
                Atom::State(_) => {}
                Atom::Event(EventAtom::Wrote { vars, .. }, _) => {
                    vars.iter()
                        .for_each(|var| words.note_variable(var.0 as usize, number));
                }
                Atom::Event(..) => words.by_name.push(number),
            }
        }
        words.atoms = atoms;
        words
    }

    fn note_variable(&mut self, variable: usize, atom: usize) {
        let known = self.by_variable.len().max(variable + 1);
        self.by_variable.resize(known, Vec::new());
        self.by_variable[variable].push(atom);
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
            letter: vec![false; self.atoms.len()],
            marked: Vec::new(),
            counts_positions: self.counts_positions(),
        }
    }

    /// Whether a letter that is like the one before makes a difference.
    fn counts_positions(&self) -> bool {
        match &self.runs.language {
            Language::Ltl(formula) => formula.has_next(),
            Language::Machine(machine) => !self.waits_for_events(machine),
            Language::Sequence(_) | Language::Regular(_) => true,
        }
    }

    /// Whether a monitor moves with marked events only: it speaks of nothing else, and stays while there is none.
    fn waits_for_events(&self, machine: &Machine) -> bool {
        let speaks_of_events = self
            .atoms
            .iter()
            .all(|atom| matches!(atom, Atom::Event(..)));
        let moves = |edge: &Edge| self.check(&edge.guard).holds(&|_| false);
        machine.form == MachineForm::Monitor && speaks_of_events && !machine.edges.iter().any(moves)
    }

    /// A predicate over the numbers of the atoms.
    fn check(&self, pred: &Pred) -> Check {
        let all = |parts: &[Pred]| parts.iter().map(|part| self.check(part)).collect();
        match pred {
            Pred::Const(truth) => Check::Const(*truth),
            Pred::Not(part) => Check::Not(Box::new(self.check(part))),
            Pred::And(parts) => Check::All(all(parts)),
            Pred::Or(parts) => Check::Any(all(parts)),
            elementary => Check::Atom(self.number[elementary]),
        }
    }
}

/// A predicate over the numbers of the atoms.
enum Check {
    Const(bool),
    Atom(usize),
    Not(Box<Check>),
    All(Vec<Check>),
    Any(Vec<Check>),
}

impl Check {
    fn holds(&self, truth: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Check::Const(always) => *always,
            Check::Atom(atom) => truth(*atom),
            Check::Not(part) => !part.holds(truth),
            Check::All(parts) => !parts.iter().any(|part| !part.holds(truth)),
            Check::Any(parts) => parts.iter().any(|part| part.holds(truth)),
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
    /// The truth of all atoms now.
    letter: Vec<bool>,
    /// The atoms about events that are true now.
    marked: Vec<usize>,
    /// Whether a letter that is like the one before makes a difference.
    counts_positions: bool,
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
        let was_marked = !self.marked.is_empty();
        for atom in self.marked.drain(..) {
            self.letter[atom] = false;
        }
        if changed {
            for (atom, truth) in self.words.atoms.iter().zip(&mut self.letter) {
                if let Atom::State(test) = atom {
                    *truth = satisfies(test);
                }
            }
        }
        if let Some(event) = event {
            self.mark(event, satisfies);
        }
        let is_new = changed || was_marked || !self.marked.is_empty();
        match is_new || self.counts_positions {
            true => self.push(),
            false => Ok(()),
        }
    }

    /// Finds the atoms about events that are true of one.
    fn mark(&mut self, event: EventId, satisfies: &dyn Fn(&Test) -> bool) {
        let words = self.words;
        for write in self.trace.writes(event) {
            let atoms = words.by_variable.get(write.var.index());
            for &atom in atoms.into_iter().flatten() {
                let Atom::Event(_, written) = &words.atoms[atom] else {
                    continue;
                };
                let holds = match written {
                    Written::Nothing => true,
                    Written::Afterwards(test) => satisfies(test),
                    Written::Value(judged) => judged.holds(self.trace, write.value),
                };
                // Of several writes of one variable the last counts.
                self.letter[atom] = holds;
                self.marked.push(atom);
            }
        }
        for &atom in &words.by_name {
            if let Atom::Event(named, _) = &words.atoms[atom]
                && self.is(event, named)
            {
                self.letter[atom] = true;
                self.marked.push(atom);
            }
        }
    }

    fn push(&mut self) -> Result<(), Spent> {
        let (word, bit) = (self.length / 64, self.length % 64);
        if bit == 0 {
            self.charge.take(self.truth.len() * 16)?;
            self.truth.iter_mut().for_each(|bits| bits.push(0));
        }
        for (bits, &truth) in self.truth.iter_mut().zip(&self.letter) {
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
            // Found by what it wrote.
            EventAtom::Wrote { .. } => false,
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

    fn holds(&self, check: &Check, position: usize) -> bool {
        check.holds(&|atom| self.truth[atom][position / 64] >> (position % 64) & 1 == 1)
    }

    /// The positions at which a formula holds.
    fn evaluate(&self, formula: &Ltl) -> Result<FixedBitSet, Spent> {
        self.budget.look()?;
        let mut holding = FixedBitSet::with_capacity(self.length);
        match formula {
            Ltl::State(pred) => {
                let check = self.words.check(pred);
                let positions = (0..self.length).filter(|&position| self.holds(&check, position));
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
        let is_monitor = machine.form == MachineForm::Monitor;
        let first = usize::from(is_monitor);
        let guards = machine.edges.iter();
        let guards: Vec<Check> = guards.map(|edge| self.words.check(&edge.guard)).collect();
        let mut next = vec![false; now.len()];
        let mut moved = vec![false; now.len()];
        for position in first..self.length {
            self.budget.tick()?;
            // Where no edge starts, an automaton that stays is at its end.
            if is_monitor && !machine.edges.iter().any(|edge| now[edge.from]) {
                break;
            }
            next.fill(false);
            moved.fill(false);
            let edges = machine.edges.iter().zip(&guards);
            for (edge, guard) in edges.filter(|(edge, _)| now[edge.from]) {
                if self.holds(guard, position) {
                    next[edge.to] = true;
                    moved[edge.from] = true;
                }
            }
            for state in 0..now.len() {
                next[state] |= is_monitor && now[state] && !moved[state];
            }
            std::mem::swap(&mut now, &mut next);
        }
        Ok(machine.accepting.iter().any(|&state| now[state]))
    }

    /// Whether the positions of a sequence are there.
    fn reaches(&self, hits: &[Hit]) -> Result<bool, Spent> {
        // Which hits can have been the last one before a position.
        let mut done = vec![false; hits.len() + 1];
        done[0] = true;
        let checks = |hit: &Hit| (self.words.check(&hit.at), self.words.check(&hit.between));
        let checks: Vec<(Check, Check)> = hits.iter().map(checks).collect();
        for position in 0..self.length {
            self.budget.tick()?;
            for at in (0..hits.len()).rev() {
                let hit = done[at] && self.holds(&checks[at].0, position);
                done[at] = done[at] && self.holds(&checks[at].1, position);
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
                let check = self.words.check(pred);
                let inside = starts.ones().filter(|&start| start < self.length);
                let inside = inside.filter(|&start| self.holds(&check, start));
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
