//! What is so along a path: whether a predicate holds at a cut of it, which event made it so, which event ends it.

use std::rc::Rc;

use causet_check::subject::{process_id, var_id};
use causet_check::valuation::{Needs, Valuation};
use causet_formula::Value;
use causet_formula::core::{Expr, Pred};
use causet_formula::fold::Subterm;
use causet_formula::names::ProcRef;
use causet_trace::{EventId, History, ProcessId, Trace, VarId};

use super::path::Path;

/// A path, and what it takes to evaluate some predicates along it.
pub(super) struct Facts<'a> {
    pub(super) path: &'a Path<'a>,
    valuation: Rc<Valuation<'a>>,
}

impl<'a> Facts<'a> {
    /// The facts about these predicates.
    pub(super) fn new<'p>(path: &'a Path<'a>, preds: impl IntoIterator<Item = &'p Pred>) -> Self {
        Facts {
            path,
            valuation: path.valuation(preds),
        }
    }

    /// Whether a predicate holds at a cut; one about events does not.
    pub(super) fn holds(&self, pred: &Pred, counts: &[u32]) -> bool {
        self.path.budget.allows(1) && self.valuation.holds(pred, counts)
    }

    /// Whether a predicate holds right behind an event, at a cut.
    pub(super) fn holds_behind(&self, pred: &Pred, counts: &[u32], event: EventId) -> bool {
        self.path.budget.allows(1) && self.valuation.holds_behind(pred, counts, Some(event))
    }

    /// The event of the path with which a predicate came to have the value it has at the cut, as its place in the path;
    /// `None` when it has had it from the start.
    pub(super) fn made(&self, pred: &Pred, truth: bool) -> Option<usize> {
        let stage = Stage::of(self.path.trace, pred);
        let mut counts = self.path.cut.counts().to_vec();
        let changes = stage.changes(self).into_iter().rev();
        changes.into_iter().find(|&index| {
            let (process, position) = self.place(self.path.run[index]);
            counts[process] = position - 1;
            self.holds(pred, &counts) != truth
        })
    }

    /// The process of an event, as an index, and its number there.
    fn place(&self, event: EventId) -> (usize, u32) {
        let order = self.path.trace.order();
        (order.process_of(event).index(), order.position_of(event))
    }

    /// The first event after the cut with which a predicate loses its value, when that does not depend on the order of
    /// the events after the cut: what it speaks of happens on one process, or is one variable.
    pub(super) fn ends(&self, pred: &Pred, truth: bool) -> Option<EventId> {
        let stage = Stage::of(self.path.trace, pred);
        match (stage.home(), stage.variables.as_slice()) {
            (Some(home), _) => self.ends_at_home(pred, truth, &stage, home),
            (None, &[only]) if stage.processes.is_empty() && !stage.has_channels => {
                self.ends_by_write(pred, truth, only)
            }
            _ => None,
        }
    }

    fn ends_at_home(
        &self,
        pred: &Pred,
        truth: bool,
        stage: &Stage,
        home: ProcessId,
    ) -> Option<EventId> {
        let order = self.path.trace.order();
        let mut counts = self.path.cut.counts().to_vec();
        let done = counts[home.index()];
        let ahead = |&event: &EventId| order.position_of(event) > done;
        let mut changes: Vec<EventId> = match stage.followed.is_empty() {
            true => stage.writes(self).filter(ahead).collect(),
            false => order.chain(home)[done as usize..].to_vec(),
        };
        changes.sort_unstable();
        changes.into_iter().find(|&event| {
            counts[home.index()] = order.position_of(event);
            self.holds(pred, &counts) != truth
        })
    }

    fn ends_by_write(&self, pred: &Pred, truth: bool, var: VarId) -> Option<EventId> {
        let trace = self.path.trace;
        let var = causet_formula::VarRef(var.raw());
        let history = self.valuation.history(var)?;
        let counts = self.path.cut.counts();
        let ahead = history.writes.get(history.done_in(trace, counts)..)?;
        let changes = |&&(_, value): &&(EventId, causet_trace::StoredValue)| {
            let value = trace.value(value);
            self.path.budget.allows(1)
                && self.valuation.holds_with(pred, counts, var, &value) != truth
        };
        ahead.iter().find(changes).map(|&(event, _)| event)
    }

    /// The value of an expression of theirs at the cut.
    pub(super) fn value(&self, expr: &Expr) -> Option<Value> {
        let counts = self.path.cut.counts();
        self.valuation.value(expr, counts)
    }

    /// The writes of a variable that the predicates name.
    pub(super) fn history(&self, var: causet_formula::VarRef) -> Option<&History> {
        self.valuation.history(var)
    }

    /// Whether two events are concurrent, of which the first is not in the cut and the second is on the path.
    pub(super) fn is_unordered(&self, outside: EventId, on_path: EventId) -> bool {
        let ranks = &self.path.ranks;
        // A cut is closed, so the outer one cannot come first; recorded first, it does not wait for the other either.
        ranks.of(outside) < ranks.of(on_path) || !self.path.is_before(on_path, outside)
    }

    /// Whether a predicate has one value at every cut of the path.
    pub(super) fn is_always(&self, pred: &Pred, truth: bool) -> bool {
        let stage = Stage::of(self.path.trace, pred);
        let mut counts = self.path.trace.order().initial_cut().counts().to_vec();
        let mut changes = stage.changes(self).into_iter();
        self.holds(pred, &counts) == truth
            && changes.all(|index| {
                let (process, position) = self.place(self.path.run[index]);
                counts[process] = position;
                self.holds(pred, &counts) == truth
            })
    }

    /// Whether a predicate has one value at the cut and at every one that follows on the path.
    pub(super) fn stays(&self, pred: &Pred, truth: bool) -> bool {
        let stage = Stage::of(self.path.trace, pred);
        let mut counts = self.path.cut.counts().to_vec();
        self.holds(pred, &counts) == truth
            && self.path.then.iter().all(|&event| {
                let (process, position) = self.place(event);
                counts[process] = position;
                self.path.budget.allows(1)
                    && (!stage.sees(self.path.trace, event) || self.holds(pred, &counts) == truth)
            })
    }
}

/// Two predicates that are never true together: with which event of the path the first ends, and the second begins.
pub(super) struct Missed<'p> {
    pub(super) over: (&'p Pred, usize),
    pub(super) begins: (&'p Pred, usize),
}

impl Facts<'_> {
    /// Of some predicates: one that is over before another begins; with as little between them as there is.
    pub(super) fn missed<'p>(&self, parts: &'p [Pred]) -> Option<Missed<'p>> {
        let spans = parts
            .iter()
            .filter_map(|part| Some((part, self.span(part)?)));
        let spans: Vec<(&Pred, (usize, usize))> = spans.take(MOST_SPANS).collect();
        let mut best: Option<Missed<'p>> = None;
        for &(over, (_, end)) in &spans {
            for &(begins, (start, _)) in &spans {
                let is_nearer = |best: &Missed<'_>| start - end < best.begins.1 - best.over.1;
                if end > 0 && end < start && best.as_ref().is_none_or(is_nearer) {
                    best = Some(Missed {
                        over: (over, end - 1),
                        begins: (begins, start - 1),
                    });
                }
            }
        }
        best
    }

    /// After how many events a predicate is true for the first time, and after how many it has been for the last time;
    /// the latter is 0 when it stays true, and there is nothing when it never is.
    fn span(&self, pred: &Pred) -> Option<(usize, usize)> {
        let stage = Stage::of(self.path.trace, pred);
        let mut counts = self.path.trace.order().initial_cut().counts().to_vec();
        let mut now = self.holds(pred, &counts);
        let (mut first, mut over) = (now.then_some(0), 0);
        for index in stage.changes(self) {
            let (process, position) = self.place(self.path.run[index]);
            counts[process] = position;
            let before = std::mem::replace(&mut now, self.holds(pred, &counts));
            if now {
                first = first.or(Some(index + 1));
            } else if before {
                over = index + 1;
            }
        }
        Some((first?, if now { 0 } else { over }))
    }
}

/// So many parts of a conjunction are compared.
const MOST_SPANS: usize = 8;

/// What a predicate depends on.
struct Stage {
    variables: Vec<VarId>,
    /// The owners of the variables and the processes whose events are counted.
    processes: Vec<ProcessId>,
    /// The processes of which every event may matter: those that are counted, and the ends of channels.
    followed: Vec<ProcessId>,
    has_shared: bool,
    has_channels: bool,
}

impl Stage {
    fn of(trace: &Trace, pred: &Pred) -> Stage {
        let mut needs = Needs::default();
        needs.of(pred);
        let mut variables: Vec<VarId> = needs.variables.into_iter().map(var_id).collect();
        variables.sort_unstable();
        variables.dedup();
        let owners = variables.iter().filter_map(|&var| trace.owner(var));
        let mut processes: Vec<ProcessId> = owners.collect();
        let mut followed: Vec<ProcessId> = counted_in(pred).map(process_id).collect();
        processes.extend(&followed);
        let ends = needs.channels.iter().flat_map(|&(from, to)| [from, to]);
        followed.extend(ends.map(process_id));
        for list in [&mut processes, &mut followed] {
            list.sort_unstable();
            list.dedup();
        }
        Stage {
            has_shared: variables.iter().any(|&var| trace.owner(var).is_none()),
            has_channels: !needs.channels.is_empty(),
            variables,
            processes,
            followed,
        }
    }

    /// The process on which all of it happens, if there is one.
    fn home(&self) -> Option<ProcessId> {
        match self.processes.as_slice() {
            &[home] if !self.has_shared && !self.has_channels => Some(home),
            _ => None,
        }
    }

    /// Whether an event can change the predicate.
    fn sees(&self, trace: &Trace, event: EventId) -> bool {
        let is_followed = |process| self.followed.binary_search(&process).is_ok();
        let mut writes = trace.writes(event);
        writes.any(|write| self.variables.binary_search(&write.var).is_ok())
            || (!self.followed.is_empty() && is_followed(trace.order().process_of(event)))
    }

    /// The events of the run that write what it depends on.
    fn writes<'f>(&'f self, facts: &'f Facts<'_>) -> impl Iterator<Item = EventId> + 'f {
        let variables = self.variables.iter();
        let histories = variables.filter_map(|var| {
            let var = causet_formula::VarRef(var.raw());
            facts.valuation.history(var)
        });
        histories.flat_map(|history| {
            facts.path.budget.allows(history.writes.len());
            history.writes.iter().map(|&(event, _)| event)
        })
    }

    /// The events of the path that can change it, as their places there, in the order of the path.
    fn changes(&self, facts: &Facts<'_>) -> Vec<usize> {
        let order = facts.path.trace.order();
        let followed = self.followed.iter().flat_map(|&process| {
            let done = facts.path.cut.of(process) as usize;
            facts.path.budget.allows(done);
            order.chain(process)[..done].iter().copied()
        });
        let events = self.writes(facts).chain(followed);
        let mut places: Vec<usize> = events
            .filter_map(|event| facts.path.index_of(event))
            .collect();
        if !places.is_sorted() {
            places.sort_unstable();
        }
        places.dedup();
        places
    }
}

/// The processes whose events a predicate counts.
fn counted_in(pred: &Pred) -> impl Iterator<Item = ProcRef> {
    pred.subterms().filter_map(|term| match term {
        Subterm::Pred(Pred::Done(process)) | Subterm::Expr(Expr::Steps(process)) => Some(*process),
        _ => None,
    })
}
