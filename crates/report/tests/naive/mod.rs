//! Truth of formulas by looking at all events, all cuts and all orders, for those who check what others say.

mod form;
mod grammar;
mod temporal;

pub(crate) use form::Form;
pub(crate) use grammar::slip;
pub(crate) use temporal::{branching, is_temporal, linear, some_completion};

use causet_trace::{EventId, MessageId, StoredValue, Trace};

/// A cut as the events in it, and truth by looking at all of them.
pub(crate) struct Naive<'t> {
    trace: &'t Trace,
    /// The events in it, as they were recorded.
    pub(crate) done: Vec<EventId>,
    /// The event that led there.
    event: Option<EventId>,
}

impl<'t> Naive<'t> {
    /// The cut with so many events of each process.
    pub(crate) fn at(trace: &'t Trace, counts: &[u32]) -> Self {
        let order = trace.order();
        let inside =
            |&event: &EventId| order.position_of(event) <= counts[order.process_of(event).index()];
        Naive {
            trace,
            done: order.recorded().filter(inside).collect(),
            event: None,
        }
    }

    /// The same right behind an event.
    pub(crate) fn behind(trace: &'t Trace, counts: &[u32], event: Option<EventId>) -> Self {
        Naive {
            event,
            ..Naive::at(trace, counts)
        }
    }

    /// Whether every message from one process that has been sent to another, or is ever received by it, is received.
    fn is_empty(&self, from: &str, to: &str) -> bool {
        let [from, to] = [from, to].map(|name| self.trace.process(name).unwrap());
        let order = self.trace.order();
        let of = |process, event: &EventId| order.process_of(*event) == process;
        let sends = self.done.iter().filter(|event| of(from, event));
        let mut messages = sends.flat_map(|&event| {
            let sent = self.trace.sends(event).iter();
            sent.map(move |&message| (message, self.trace.destinations(event).contains(&to)))
        });
        let all: Vec<EventId> = order.recorded().collect();
        let receives = |events: &[EventId], message: MessageId| {
            let mut received = events.iter().filter(|event| of(to, event));
            received.any(|&event| self.trace.receives(event).contains(&message))
        };
        messages.all(|(message, is_addressed)| {
            let is_due = is_addressed || receives(&all, message);
            !is_due || receives(&self.done, message)
        })
    }

    /// The value of a variable and who wrote it.
    pub(crate) fn value(&self, name: &str) -> (StoredValue, Option<EventId>) {
        let trace = self.trace;
        let var = trace
            .variables()
            .find(|&var| trace.variable_name(var) == name);
        let var = var.unwrap_or_else(|| panic!("no variable {name}"));
        let mut last = (trace.initial_value(var), None);
        for &event in &self.done {
            for write in trace.writes(event).filter(|write| write.var == var) {
                last = (write.value, Some(event));
            }
        }
        last
    }

    fn number(&self, term: &str) -> i64 {
        match term.parse() {
            Ok(number) => number,
            Err(_) => match self.value(term).0 {
                StoredValue::Int(number) => number,
                other => panic!("{term} is {other:?}"),
            },
        }
    }

    /// Whether the text of a formula without temporal operators holds.
    pub(crate) fn holds(&self, text: &str) -> bool {
        self.is(&Form::parse(text))
    }

    /// Whether a formula without temporal operators holds.
    pub(crate) fn is(&self, form: &Form) -> bool {
        match form {
            Form::Const(truth) => *truth,
            Form::Done(name) => {
                let process = self.trace.process(name).unwrap();
                let of = |&&event: &&EventId| self.trace.order().process_of(event) == process;
                let done = self.done.iter().filter(of).count();
                done == self.trace.order().chain(process).len()
            }
            Form::On(label) => self.event.and_then(|event| self.trace.label(event)) == Some(label),
            Form::Empty(from, to) => self.is_empty(from, to),
            Form::Count(parts, op, bound) => {
                let count = parts.iter().filter(|part| self.is(part)).count();
                compare(op, count as i64, self.number(bound))
            }
            Form::Compare(left, op, right) => compare(op, self.number(left), self.number(right)),
            Form::Not(inner) => !self.is(inner),
            Form::And(one, other) => self.is(one) && self.is(other),
            Form::Or(one, other) => self.is(one) || self.is(other),
            Form::Implies(one, other) => !self.is(one) || self.is(other),
            Form::Temporal(..) | Form::Until(..) => panic!("{form:?} is about more than a cut"),
        }
    }
}

fn compare(op: &str, left: i64, right: i64) -> bool {
    match op {
        "=" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        other => panic!("{other} is no comparison"),
    }
}
