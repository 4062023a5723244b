//! What is claimed, read once: the formula with its predicates over slots, and where each slot gets its contents.
//!
//! A predicate about one process alone changes only when that process moves, so its truth gets a slot of its own and the
//! events that leave it as it is need not be looked at again. Predicates about several processes keep a slot for
//! everything they mention.

use causet_base::value::Value;
use causet_formula::Runs;
use causet_formula::core::{CmpOp, Ctl, EventAtom, Expr, Pred};
use causet_formula::names::ProcRef;
use causet_trace::{ProcessId, Trace, VarId};
use rustc_hash::FxHashMap;

use super::modal::Modality;
use super::predicate::{Slot, Term, Test};
use super::words::{self, Atom, Judged, Words, Written};

/// A formula with what is worth knowing about it.
#[derive(Debug)]
pub(super) struct Claim {
    /// Its place among all parts of the formula.
    pub(super) number: usize,
    pub(super) form: Form,
    /// Whether single steps matter, visible or not: it has an `EX`.
    pub(super) counts_steps: bool,
    /// The slots it depends on.
    pub(super) sees: Vec<Slot>,
}

/// The shapes of the core language.
#[derive(Debug)]
pub(super) enum Form {
    State(Test),
    Not(Box<Claim>),
    And(Vec<Claim>),
    Or(Vec<Claim>),
    Ex(Box<Claim>),
    Eu(Box<Claim>, Box<Claim>),
    Au(Box<Claim>, Box<Claim>),
    Run(Box<Words>),
    Modal(Box<Modality>),
}

/// Where a slot gets its contents.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Thing(Thing),
    /// The truth of a predicate about one process.
    Local(Test),
}

/// What a predicate can mention.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Thing {
    Variable(VarId),
    /// The messages from the first process to the second.
    Channel(ProcessId, ProcessId),
    /// How many events of the process have happened.
    Steps(ProcessId),
}

/// A claim and the slots it is about.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) claim: Claim,
    /// How many parts it has.
    pub(super) parts: usize,
    pub(super) sources: Vec<Source>,
    /// Per slot: the slots with predicates about one process that depend on it.
    pub(super) watchers: Vec<Vec<Slot>>,
}

impl Reading {
    /// Reads a formula about a run.
    pub(super) fn new(trace: &Trace, formula: &Ctl) -> Self {
        let mut reader = Reader::new(trace);
        let claim = reader.claim(formula);
        Reading {
            claim,
            parts: reader.parts,
            sources: reader.sources,
            watchers: reader.watchers,
        }
    }
}

/// A predicate that mentions nothing but values.
pub(super) fn test_of(trace: &Trace, pred: &Pred) -> Test {
    Reader::new(trace).plain(pred)
}

struct Reader<'t, 'f> {
    trace: &'t Trace,
    sources: Vec<Source>,
    slot_of: FxHashMap<Thing, Slot>,
    local: FxHashMap<&'f Pred, Slot>,
    watchers: Vec<Vec<Slot>>,
    parts: usize,
    /// The slots mentioned since somebody last took note.
    mentioned: Vec<Slot>,
    within_local: bool,
}

impl<'t, 'f> Reader<'t, 'f> {
    fn new(trace: &'t Trace) -> Self {
        Reader {
            trace,
            sources: Vec::new(),
            slot_of: FxHashMap::default(),
            local: FxHashMap::default(),
            watchers: Vec::new(),
            parts: 0,
            mentioned: Vec::new(),
            within_local: false,
        }
    }

    fn claim(&mut self, formula: &'f Ctl) -> Claim {
        let form = match formula {
            Ctl::State(pred) => Form::State(self.test(pred)),
            Ctl::Not(part) => Form::Not(self.boxed(part)),
            Ctl::And(parts) => Form::And(self.claims(parts)),
            Ctl::Or(parts) => Form::Or(self.claims(parts)),
            Ctl::Ex(part) => Form::Ex(self.boxed(part)),
            Ctl::Eu(hold, goal) => Form::Eu(self.boxed(hold), self.boxed(goal)),
            Ctl::Au(hold, goal) => Form::Au(self.boxed(hold), self.boxed(goal)),
            Ctl::Run(runs) => Form::Run(Box::new(self.words(runs))),
            Ctl::Modal(table) => Form::Modal(Box::new(Modality::new(self.trace, table))),
        };
        let mut sees = std::mem::take(&mut self.mentioned);
        sees.extend(form.parts().flat_map(|part| &part.sees));
        sees.sort_unstable();
        sees.dedup();
        let counts_steps = matches!(form, Form::Ex(_) | Form::Run(_) | Form::Modal(_))
            || form.parts().any(|part| part.counts_steps);
        self.parts += 1;
        Claim {
            number: self.parts - 1,
            form,
            counts_steps,
            sees,
        }
    }

    fn boxed(&mut self, formula: &'f Ctl) -> Box<Claim> {
        Box::new(self.claim(formula))
    }

    fn claims(&mut self, formulas: &'f [Ctl]) -> Vec<Claim> {
        formulas.iter().map(|formula| self.claim(formula)).collect()
    }

    fn words(&mut self, runs: &'f Runs) -> Words {
        let atoms = words::elementary(runs).into_iter();
        let atoms = atoms.map(|pred| match pred {
            Pred::On(atom) => Atom::Event(atom.clone(), self.written(atom)),
            state => Atom::State(self.test(state)),
        });
        let atoms = atoms.collect();
        Words::new(runs, atoms)
    }

    fn written(&mut self, atom: &'f EventAtom) -> Written {
        let EventAtom::Wrote { vars, now } = atom else {
            return Written::Nothing;
        };
        match vars[..] {
            [var] if words::only_variable(now, var) => Written::Value(Judged::new(now)),
            _ => Written::Afterwards(self.test(now)),
        }
    }

    fn test(&mut self, pred: &'f Pred) -> Test {
        if self.within_local {
            return self.plain(pred);
        }
        match self.local_slot(pred) {
            Some(slot) => Test::Known(slot),
            None => self.plain(pred),
        }
    }

    fn plain(&mut self, pred: &'f Pred) -> Test {
        match pred {
            Pred::Const(truth) => Test::Const(*truth),
            Pred::Not(part) => Test::Not(Box::new(self.test(part))),
            Pred::And(parts) => Test::All(self.tests(parts)),
            Pred::Or(parts) => Test::Any(self.tests(parts)),
            Pred::Holds(expr) => Test::Holds(self.term(expr)),
            Pred::Compare(op, left, right) => Test::Compare(*op, self.term(left), self.term(right)),
            Pred::Done(process) => {
                let all = self.trace.order().chain(process_of(*process)).len();
                let steps = Term::Counter(self.slot(Thing::Steps(process_of(*process))));
                let all = Term::Literal(Value::from(all as i64));
                Test::Compare(CmpOp::Eq, steps, all)
            }
            Pred::On(_) => Test::Const(false),
        }
    }

    fn tests(&mut self, preds: &'f [Pred]) -> Vec<Test> {
        preds.iter().map(|pred| self.test(pred)).collect()
    }

    fn term(&mut self, expr: &'f Expr) -> Term {
        match expr {
            Expr::Literal(value) => Term::Literal(value.clone()),
            Expr::Var(var) => Term::Variable(self.slot(Thing::Variable(VarId::new(var.0)))),
            Expr::Inflight(from, to) => {
                let channel = Thing::Channel(process_of(*from), process_of(*to));
                Term::Counter(self.slot(channel))
            }
            Expr::Steps(process) => Term::Counter(self.slot(Thing::Steps(process_of(*process)))),
            Expr::Truth(pred) => Term::Truth(Box::new(self.test(pred))),
            Expr::Neg(part) => Term::Neg(Box::new(self.term(part))),
            Expr::Arith(op, left, right) => {
                Term::Arith(*op, Box::new(self.term(left)), Box::new(self.term(right)))
            }
            Expr::Count(preds) => Term::HowMany(self.tests(preds)),
            Expr::Sum(parts) => Term::Sum(self.terms(parts)),
            Expr::Min(parts) => Term::Min(self.terms(parts)),
            Expr::Max(parts) => Term::Max(self.terms(parts)),
        }
    }

    fn terms(&mut self, exprs: &'f [Expr]) -> Vec<Term> {
        exprs.iter().map(|expr| self.term(expr)).collect()
    }

    fn slot(&mut self, thing: Thing) -> Slot {
        let slot = match self.slot_of.get(&thing) {
            Some(&slot) => slot,
            None => {
                let slot = self.new_slot(Source::Thing(thing));
                self.slot_of.insert(thing, slot);
                slot
            }
        };
        self.mentioned.push(slot);
        slot
    }

    fn new_slot(&mut self, source: Source) -> Slot {
        self.sources.push(source);
        self.watchers.push(Vec::new());
        Slot::new(self.sources.len() - 1)
    }

    /// The slot for the truth of a predicate, if it is about one process; what it mentions is then watched, not seen.
    fn local_slot(&mut self, pred: &'f Pred) -> Option<Slot> {
        let known = self.local.get(pred).copied();
        let slot = known.or_else(|| self.new_local_slot(pred))?;
        self.mentioned.push(slot);
        Some(slot)
    }

    fn new_local_slot(&mut self, pred: &'f Pred) -> Option<Slot> {
        let outside = std::mem::take(&mut self.mentioned);
        self.within_local = true;
        let test = self.plain(pred);
        self.within_local = false;
        let mut watched = std::mem::replace(&mut self.mentioned, outside);
        let home = self.home(*watched.first()?)?;
        if watched.iter().any(|&slot| self.home(slot) != Some(home)) {
            return None;
        }
        let slot = self.new_slot(Source::Local(test));
        self.local.insert(pred, slot);
        watched.sort_unstable();
        watched.dedup();
        for thing in watched {
            self.watchers[thing.index()].push(slot);
        }
        Some(slot)
    }

    /// The only process that can change what a slot holds, if there is only one.
    fn home(&self, slot: Slot) -> Option<ProcessId> {
        match self.sources[slot.index()] {
            Source::Thing(Thing::Variable(var)) => self.trace.owner(var),
            Source::Thing(Thing::Channel(from, to)) => (from == to).then_some(from),
            Source::Thing(Thing::Steps(process)) => Some(process),
            Source::Local(_) => None,
        }
    }
}

impl Form {
    /// The claims this one is made of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Claim> {
        let (list, pair) = match self {
            Form::State(_) | Form::Run(_) | Form::Modal(_) => (&[][..], [None, None]),
            Form::Not(part) | Form::Ex(part) => (&[][..], [Some(&**part), None]),
            Form::And(parts) | Form::Or(parts) => (&parts[..], [None, None]),
            Form::Eu(hold, goal) | Form::Au(hold, goal) => {
                (&[][..], [Some(&**hold), Some(&**goal)])
            }
        };
        list.iter().chain(pair.into_iter().flatten())
    }
}

fn process_of(process: ProcRef) -> ProcessId {
    ProcessId::new(process.0)
}
