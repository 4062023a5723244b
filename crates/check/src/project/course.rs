//! The values a term takes as its track goes on, and the events that change it.
//!
//! Most terms read one variable, and most variables take few different values: those are evaluated once per value, so
//! a course costs one look at a small table per write.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use causet_base::value::Value;
use causet_formula::core::{EventAtom, Expr, Pred};
use causet_formula::fold::Subterm;
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::{Channel, EventId, History, Trace, Write};
use rustc_hash::FxHashMap;

use super::view::Term;
use crate::eval::{self, Look};
use crate::subject::{process_id, var_id};
use crate::valuation::Needs;

/// What happens to a term along its track.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    /// The different values it takes, undefined among them; for a truth value `false`, then `true`.
    pub(crate) values: Vec<Option<Value>>,
    /// The number of its first value.
    pub(crate) first: u32,
    /// The events after which it is another than before.
    pub(crate) events: Arc<[EventId]>,
    /// The numbers of the new values; left out as long as there are two values, which take turns.
    numbers: Vec<u32>,
    /// Whether something was divided by zero on the way.
    pub(crate) divided_by_zero: bool,
}

impl Course {
    /// Whether it never changes.
    pub(crate) fn is_constant(&self) -> bool {
        self.events.is_empty()
    }

    /// The events that change it, with the number of the new value.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (EventId, u32)> + '_ {
        let events = self.events.iter().copied().zip(0..);
        events.map(|(event, index)| {
            let listed = self.numbers.get(index as usize).copied();
            let number = listed.unwrap_or_else(|| in_turn(self.first, index));
            (event, number)
        })
    }
}

/// The number that a term with two values has after a change, counted from 0.
fn in_turn(first: u32, change: u32) -> u32 {
    (first ^ change ^ 1) & 1
}

/// What the events of the run wrote, as far as the terms need it.
pub(crate) type Histories = FxHashMap<VarRef, History>;

/// Follows a term along its track.
pub(crate) fn course(term: &Term, trace: &Trace, histories: &Histories) -> Course {
    let mut needs = Needs::default();
    let counts = match term {
        Term::Sent(from, to) | Term::Received(from, to) => {
            let channel = trace.channel(process_id(*from), process_id(*to));
            return count(term, &channel, trace);
        }
        Term::Marked(atom, process) => return marked(atom, *process, trace),
        Term::Pred(pred) => {
            needs.of(pred);
            counts_events(pred)
        }
        Term::Expr(expr) => {
            needs.of(expr);
            counts_events(expr)
        }
    };
    needs.variables.sort_unstable();
    needs.variables.dedup();
    match needs.variables[..] {
        [var] if counts.is_none() && needs.channels.is_empty() => {
            of_one_variable(term, trace, &histories[&var])
        }
        _ => of_a_process(term, &needs, counts, trace, histories),
    }
}

/// The common case: one variable, evaluated once per different value.
fn of_one_variable(term: &Term, trace: &Trace, history: &History) -> Course {
    let mut known: FxHashMap<causet_trace::StoredValue, u32> = FxHashMap::default();
    let divided = Cell::new(false);
    let mut recorder = Recorder::new(term);
    let mut number = |value: causet_trace::StoredValue, recorder: &mut Recorder| {
        *known.entry(value).or_insert_with(|| {
            let look = OneValue {
                value: trace.value(value),
                divided: &divided,
            };
            recorder.number(evaluate(term, &look))
        })
    };
    let first = number(history.initial, &mut recorder);
    recorder.begin(first);
    for &(event, value) in &history.writes {
        let value = number(value, &mut recorder);
        recorder.go_on(event, value);
    }
    recorder.end(divided.get())
}

/// The general case on one process: variables, counted events, a channel to itself.
fn of_a_process(
    term: &Term,
    needs: &Needs,
    counts: Option<ProcRef>,
    trace: &Trace,
    histories: &Histories,
) -> Course {
    let order = trace.order();
    let channels: Vec<Channel> = needs
        .channels
        .iter()
        .map(|&(from, to)| trace.channel(process_id(from), process_id(to)))
        .collect();
    let mut events: Vec<EventId> = Vec::new();
    for var in &needs.variables {
        events.extend(histories[var].writes.iter().map(|&(event, _)| event));
    }
    let channel_process = channels.first().map(|channel| channel.from);
    if let Some(process) = counts.map(process_id).or(channel_process) {
        events.extend_from_slice(order.chain(process));
    }
    events.sort_unstable_by_key(|&event| order.position_of(event));
    events.dedup();
    let mut now = Moment {
        trace,
        histories,
        channels,
        position: 0,
        divided: Cell::new(false),
    };
    let mut recorder = Recorder::new(term);
    let first = recorder.number(evaluate(term, &now));
    recorder.begin(first);
    for event in events {
        now.position = order.position_of(event);
        let value = recorder.number(evaluate(term, &now));
        recorder.go_on(event, value);
    }
    recorder.end(now.divided.get())
}

/// How many messages have been sent or received so far.
fn count(term: &Term, channel: &Channel, trace: &Trace) -> Course {
    let (process, positions) = match term {
        Term::Sent(..) => (channel.from, channel.sent()),
        _ => (channel.to, channel.received()),
    };
    let chain = trace.order().chain(process);
    let mut values = vec![Some(Value::from(0))];
    let mut events = Vec::new();
    let mut sofar = 0;
    for same_event in positions.chunk_by(|one, other| one == other) {
        sofar += same_event.len() as i64;
        let event = chain[same_event[0] as usize - 1];
        events.push(event);
        values.push(Some(Value::from(sofar)));
    }
    Course {
        numbers: (1..values.len() as u32).collect(),
        values,
        first: 0,
        events: events.into(),
        divided_by_zero: false,
    }
}

/// The events of a process that an atom about events may be true of.
fn marked(atom: &EventAtom, process: ProcRef, trace: &Trace) -> Course {
    let order = trace.order();
    let chain = order.chain(process_id(process));
    let labelled = |label: &str| {
        let carries = |event: &&EventId| trace.label(**event) == Some(label);
        chain.iter().filter(carries).copied().collect()
    };
    let mut divided_by_zero = false;
    let events: Arc<[EventId]> = match atom {
        EventAtom::Process(_) => chain.into(),
        EventAtom::Label(label) | EventAtom::ProcessLabel(_, label) => labelled(label),
        EventAtom::Wrote { vars, now } => {
            let judge = is_decided_by_event(vars, now).then(|| Judge::new(now, trace));
            let wrote = |event: &&EventId| {
                let own = |write: &Write| vars.iter().any(|&var| var_id(var) == write.var);
                let last = trace.writes(**event).filter(own).last();
                last.is_some_and(|write| {
                    judge.as_ref().is_none_or(|judge| judge.holds(write.value))
                })
            };
            let events = chain.iter().filter(wrote).copied().collect();
            divided_by_zero = judge.is_some_and(|judge| judge.divided.get());
            events
        }
    };
    Course {
        values: vec![Some(Value::from(false)), Some(Value::from(true))],
        first: 0,
        events,
        numbers: Vec::new(),
        divided_by_zero,
    }
}

/// Whether the event that wrote one of these variables decides a predicate: it names no more than one of them.
pub(crate) fn is_decided_by_event(vars: &[VarRef], pred: &Pred) -> bool {
    let mut needs = Needs::default();
    needs.of(pred);
    let is_own = |named: &VarRef| matches!(vars, [var] if var == named);
    needs.channels.is_empty() && needs.variables.iter().all(is_own) && counts_events(pred).is_none()
}

/// A predicate about a single value, and what is known of it.
struct Judge<'a> {
    pred: &'a Pred,
    trace: &'a Trace,
    known: RefCell<FxHashMap<causet_trace::StoredValue, bool>>,
    divided: Cell<bool>,
}

impl<'a> Judge<'a> {
    fn new(pred: &'a Pred, trace: &'a Trace) -> Self {
        Judge {
            pred,
            trace,
            known: RefCell::default(),
            divided: Cell::new(false),
        }
    }

    fn holds(&self, value: causet_trace::StoredValue) -> bool {
        *self.known.borrow_mut().entry(value).or_insert_with(|| {
            let value = self.trace.value(value);
            let divided = &self.divided;
            eval::holds(self.pred, &OneValue { value, divided })
        })
    }
}

fn evaluate(term: &Term, look: &impl Look) -> Option<Value> {
    match term {
        Term::Pred(pred) => Some(Value::from(eval::holds(pred, look))),
        Term::Expr(expr) => eval::value(expr, look),
        Term::Sent(..) | Term::Received(..) | Term::Marked(..) => None,
    }
}

/// Numbers values and notes where they change.
struct Recorder {
    values: Vec<Option<Value>>,
    number_of: FxHashMap<Option<Value>, u32>,
    first: u32,
    last: u32,
    events: Vec<EventId>,
    numbers: Vec<u32>,
}

impl Recorder {
    fn new(term: &Term) -> Self {
        let values = match term {
            Term::Pred(_) => vec![Some(Value::from(false)), Some(Value::from(true))],
            _ => Vec::new(),
        };
        Recorder {
            number_of: values.iter().cloned().zip(0..).collect(),
            values,
            first: 0,
            last: 0,
            events: Vec::new(),
            numbers: Vec::new(),
        }
    }

    fn number(&mut self, value: Option<Value>) -> u32 {
        if let Some(&number) = self.number_of.get(&value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.number_of.insert(value, number);
        number
    }

    fn begin(&mut self, value: u32) {
        self.first = value;
        self.last = value;
    }

    fn go_on(&mut self, event: EventId, value: u32) {
        if value == self.last {
            return;
        }
        if self.values.len() > 2 {
            let unlisted = self.numbers.len() as u32..self.events.len() as u32;
            let first = self.first;
            self.numbers
                .extend(unlisted.map(|change| in_turn(first, change)));
            self.numbers.push(value);
        }
        self.events.push(event);
        self.last = value;
    }

    fn end(self, divided_by_zero: bool) -> Course {
        Course {
            values: self.values,
            first: self.first,
            events: self.events.into(),
            numbers: self.numbers,
            divided_by_zero,
        }
    }
}

/// One variable with one value.
struct OneValue<'a> {
    value: Value,
    divided: &'a Cell<bool>,
}

impl Look for OneValue<'_> {
    fn variable(&self, _: VarRef) -> Value {
        self.value.clone()
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

/// A process at a position.
struct Moment<'a> {
    trace: &'a Trace,
    histories: &'a Histories,
    channels: Vec<Channel>,
    position: u32,
    divided: Cell<bool>,
}

impl Look for Moment<'_> {
    fn variable(&self, var: VarRef) -> Value {
        let history = &self.histories[&var];
        let order = self.trace.order();
        let done = history
            .writes
            .partition_point(|&(event, _)| order.position_of(event) <= self.position);
        self.trace.value(history.value_after(done))
    }

    fn in_flight(&self, _: ProcRef, _: ProcRef) -> i64 {
        let own = self.channels.first();
        own.map_or(0, |channel| {
            channel.in_flight(self.position, self.position) as i64
        })
    }

    fn steps(&self, _: ProcRef) -> i64 {
        i64::from(self.position)
    }

    fn is_done(&self, process: ProcRef) -> bool {
        let chain = self.trace.order().chain(process_id(process));
        self.position as usize == chain.len()
    }

    fn divided_by_zero(&self) {
        self.divided.set(true);
    }
}

/// The process whose events a predicate or an expression counts, if it counts any.
pub(crate) fn counts_events<'t>(term: impl Into<Subterm<'t>>) -> Option<ProcRef> {
    term.into().subterms().find_map(|term| match term {
        Subterm::Pred(Pred::Done(process)) | Subterm::Expr(Expr::Steps(process)) => Some(*process),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(term: &Term, values: &[i64]) -> (Course, Vec<u32>) {
        let mut recorder = Recorder::new(term);
        let numbers: Vec<u32> = values
            .iter()
            .zip(0..)
            .map(|(&value, event)| {
                let number = recorder.number(Some(Value::from(value)));
                match event {
                    0 => recorder.begin(number),
                    _ => recorder.go_on(EventId::new(event), number),
                }
                number
            })
            .collect();
        (recorder.end(false), numbers)
    }

    #[test]
    fn the_changes_are_those_of_the_values() {
        let term = Term::Expr(Expr::Literal(Value::from(0)));
        for values in [
            &[7][..],
            &[7, 7, 8, 8, 7, 8, 7],
            &[7, 8, 7, 9, 9, 7, 8, 9],
            &[7, 8, 7, 8, 8, 7, 7, 9],
            &[7, 8, 9, 10, 9, 8, 7],
        ] {
            let (course, numbers) = recorded(&term, values);
            let changed = (1..numbers.len()).filter(|&at| numbers[at] != numbers[at - 1]);
            let expected: Vec<(EventId, u32)> = changed
                .map(|at| (EventId::new(at as u32), numbers[at]))
                .collect();
            assert_eq!(course.changes().collect::<Vec<_>>(), expected);
        }
    }
}
