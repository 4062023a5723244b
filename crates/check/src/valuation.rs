//! The value of an expression at a cut, for engines that jump from cut to cut.
//!
//! The writes of a variable happen one after another, so the cut contains the first few of them: a binary search finds
//! how many. The same goes for sends and receives of a channel.

use std::cell::Cell;

use causet_base::value::Value;
use causet_formula::core::{EventAtom, Expr, Pred};
use causet_formula::fold::Subterm;
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::{Channel, EventId, History, Trace, Write};
use rustc_hash::FxHashMap;

use crate::eval::{self, Look};
use crate::subject::{process_id, var_id};

/// The tables needed to evaluate some predicates at any cut.
pub struct Valuation<'t> {
    trace: &'t Trace,
    variables: FxHashMap<VarRef, Track>,
    channels: FxHashMap<(ProcRef, ProcRef), Channel>,
    divided_by_zero: Cell<bool>,
}

/// A variable's writes and the values they leave, as formulas see them.
struct Track {
    history: History,
    values: Vec<Value>,
    /// How many of the writes were in the last cut that was asked about.
    last: Cell<usize>,
}

impl Track {
    /// How many of the writes are in a cut. Cuts are mostly asked about one after another, so the answer of the last
    /// time, or a neighbour of it, is tried before the writes are searched.
    fn done_in(&self, trace: &Trace, cut: &[u32]) -> usize {
        let order = trace.order();
        let writes = &self.history.writes;
        let is_done = |index: usize| {
            let (event, _) = writes[index];
            order.position_of(event) <= cut[order.process_of(event).index()]
        };
        let fits = |&done: &usize| {
            done <= writes.len()
                && (done == 0 || is_done(done - 1))
                && (done == writes.len() || !is_done(done))
        };
        let last = self.last.get();
        let near = [last, last + 1, last.saturating_sub(1)];
        let done = near.into_iter().find(fits);
        let done = done.unwrap_or_else(|| self.history.done_in(trace, cut));
        self.last.set(done);
        done
    }
}

impl<'t> Valuation<'t> {
    /// Gathers what the given predicates need.
    pub fn new<'p>(trace: &'t Trace, preds: impl IntoIterator<Item = &'p Pred>) -> Self {
        let mut needs = Needs::default();
        for pred in preds {
            needs.of(pred);
        }
        needs.variables.sort_unstable();
        needs.variables.dedup();
        let ids: Vec<_> = needs.variables.iter().map(|&var| var_id(var)).collect();
        let tracks = trace.histories(&ids).into_iter().map(|history| Track {
            values: (0..=history.writes.len())
                .map(|done| trace.value(history.value_after(done)))
                .collect(),
            history,
            last: Cell::new(0),
        });
        let variables = needs.variables.iter().copied().zip(tracks).collect();
        let channel = |&(from, to): &(ProcRef, ProcRef)| {
            let channel = trace.channel(process_id(from), process_id(to));
            ((from, to), channel)
        };
        Valuation {
            trace,
            variables,
            channels: needs.channels.iter().map(channel).collect(),
            divided_by_zero: Cell::new(false),
        }
    }

    /// Whether the tables are enough for these predicates.
    pub fn covers<'p>(&self, preds: impl IntoIterator<Item = &'p Pred>) -> bool {
        let mut needs = Needs::default();
        preds.into_iter().for_each(|pred| needs.of(pred));
        let mut variables = needs.variables.iter();
        let mut channels = needs.channels.iter();
        variables.all(|var| self.variables.contains_key(var))
            && channels.all(|channel| self.channels.contains_key(channel))
    }

    /// The writes of a variable, if it is one of those in the tables.
    pub fn history(&self, var: VarRef) -> Option<&History> {
        self.variables.get(&var).map(|track| &track.history)
    }

    /// Whether a predicate holds at a cut.
    pub fn holds(&self, pred: &Pred, cut: &[u32]) -> bool {
        eval::holds(
            pred,
            &AtCut {
                valuation: self,
                cut,
                given: None,
            },
        )
    }

    /// Whether a predicate holds at a cut when one variable has this value, whatever the cut says.
    pub fn holds_with(&self, pred: &Pred, cut: &[u32], var: VarRef, value: &Value) -> bool {
        eval::holds(
            pred,
            &AtCut {
                valuation: self,
                cut,
                given: Some((var, value)),
            },
        )
    }

    /// The value of an expression at a cut, where it has one.
    pub fn value(&self, expr: &Expr, cut: &[u32]) -> Option<Value> {
        let look = AtCut {
            valuation: self,
            cut,
            given: None,
        };
        eval::value(expr, &look)
    }

    /// Whether a predicate holds at a cut right behind an event, or at the start.
    pub fn holds_behind(&self, pred: &Pred, cut: &[u32], event: Option<EventId>) -> bool {
        let holds = |part: &Pred| self.holds_behind(part, cut, event);
        match pred {
            Pred::On(atom) => event.is_some_and(|event| self.fits(atom, cut, event)),
            Pred::Not(inner) => !holds(inner),
            Pred::And(parts) => parts.iter().all(holds),
            Pred::Or(parts) => parts.iter().any(holds),
            plain => self.holds(plain, cut),
        }
    }

    fn fits(&self, atom: &EventAtom, cut: &[u32], event: EventId) -> bool {
        let trace = self.trace;
        let is_of = |process: ProcRef| trace.order().process_of(event) == process_id(process);
        let is_called = |label: &str| trace.label(event) == Some(label);
        match atom {
            EventAtom::Label(label) => is_called(label),
            EventAtom::Process(process) => is_of(*process),
            EventAtom::ProcessLabel(process, label) => is_of(*process) && is_called(label),
            EventAtom::Wrote { vars, now } => {
                let written = |write: &Write| vars.iter().any(|&var| var_id(var) == write.var);
                match (trace.writes(event).filter(written).last(), vars.as_slice()) {
                    (None, _) => false,
                    // Of one variable the value is the event's own, whatever else is going on.
                    (Some(write), [only]) => {
                        let value = trace.value(write.value);
                        self.holds_with(now, cut, *only, &value)
                    }
                    _ => self.holds(now, cut),
                }
            }
        }
    }

    /// Whether some division so far was by zero.
    pub(crate) fn divided_by_zero(&self) -> bool {
        self.divided_by_zero.get()
    }
}

/// A valuation and the cut it is asked about.
struct AtCut<'a, 't> {
    valuation: &'a Valuation<'t>,
    cut: &'a [u32],
    /// The variable whose value is known better.
    given: Option<(VarRef, &'a Value)>,
}

impl Look for AtCut<'_, '_> {
    fn variable(&self, var: VarRef) -> Value {
        if let Some((_, value)) = self.given.filter(|&(given, _)| given == var) {
            return value.clone();
        }
        let track = &self.valuation.variables[&var];
        let done = track.done_in(self.valuation.trace, self.cut);
        track.values[done].clone()
    }

    fn in_flight(&self, from: ProcRef, to: ProcRef) -> i64 {
        let counts = (self.cut[from.0 as usize], self.cut[to.0 as usize]);
        self.valuation.channels[&(from, to)].in_flight(counts.0, counts.1) as i64
    }

    fn steps(&self, process: ProcRef) -> i64 {
        i64::from(self.cut[process.0 as usize])
    }

    fn is_done(&self, process: ProcRef) -> bool {
        let process = process_id(process);
        let chain = self.valuation.trace.order().chain(process);
        self.cut[process.index()] as usize == chain.len()
    }

    fn divided_by_zero(&self) {
        self.valuation.divided_by_zero.set(true);
    }
}

/// The variables and channels some predicates speak of.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// The variables, perhaps more than once.
    pub variables: Vec<VarRef>,
    /// The channels, by sender and receiver.
    pub channels: Vec<(ProcRef, ProcRef)>,
}

impl Needs {
    /// Adds what a predicate or an expression speaks of.
    pub fn of<'t>(&mut self, term: impl Into<Subterm<'t>>) {
        for term in term.into().subterms() {
            match term {
                Subterm::Expr(Expr::Var(var)) => self.variables.push(*var),
                Subterm::Expr(Expr::Inflight(from, to)) => self.channels.push((*from, *to)),
                _ => {}
            }
        }
    }
}
