//! What holds now: the values of the variables named, the steps of the processes and the messages on the channels named,
//! after the events that have passed.
//!
//! The events pass in an order in which they can have happened, so the values of one process, and those of a shared
//! variable whose writes are ordered, are just what a cut sees of them that ends with the event that passes.

use std::cell::Cell;

use causet_base::value::Value;
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::{ProcessId, VarId};

use super::outline::Outline;
use crate::eval::{self, Look};
use crate::project::view::Term;
use crate::subject::var_id;

/// What holds now.
#[derive(Debug)]
pub(super) struct World {
    values: Vec<Value>,
    pub(super) steps: Vec<u32>,
    totals: Vec<u32>,
    pub(super) channels: Vec<Channel>,
    pub(super) divided_by_zero: Cell<bool>,
}

/// The messages from one process to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Channel {
    pub(super) from: ProcRef,
    pub(super) to: ProcRef,
    pub(super) sent: i64,
    pub(super) received: i64,
}

impl World {
    /// What holds at first, with these channels in view.
    pub(super) fn new(outline: &Outline, ends: &[(ProcRef, ProcRef)]) -> Self {
        let directory = &outline.directory;
        let variables = (0..directory.variable_count() as u32).map(VarId::new);
        let channel = |&(from, to): &(ProcRef, ProcRef)| Channel {
            from,
            to,
            sent: 0,
            received: 0,
        };
        World {
            values: variables.map(|var| directory.initial(var)).collect(),
            steps: vec![0; outline.process_count()],
            totals: outline.totals(),
            channels: ends.iter().map(channel).collect(),
            divided_by_zero: Cell::new(false),
        }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.values.len() * size_of::<Value>() + self.channels.len() * size_of::<Channel>()
    }

    /// Makes room for processes that have turned up.
    pub(super) fn grow(&mut self, processes: usize) {
        self.steps.resize(processes, 0);
        self.totals.resize(processes, u32::MAX);
    }

    pub(super) fn write(&mut self, var: VarId, value: Value) {
        self.values[var.index()] = value;
    }

    /// The channels that a process sends on or receives from.
    pub(super) fn channels_of(&mut self, process: ProcessId) -> impl Iterator<Item = &mut Channel> {
        let process = ProcRef(process.raw());
        let channels = self.channels.iter_mut();
        channels.filter(move |channel| channel.from == process || channel.to == process)
    }

    /// What a term is; `None` where it is undefined.
    pub(super) fn value(&self, term: &Term) -> Option<Value> {
        match term {
            Term::Pred(pred) => Some(Value::from(eval::holds(pred, self))),
            Term::Expr(expr) => eval::value(expr, self),
            Term::Sent(from, to) => Some(Value::from(self.channel(*from, *to)?.sent)),
            Term::Received(from, to) => Some(Value::from(self.channel(*from, *to)?.received)),
            Term::Marked(..) => None,
        }
    }

    fn channel(&self, from: ProcRef, to: ProcRef) -> Option<&Channel> {
        let mut channels = self.channels.iter();
        channels.find(|channel| channel.from == from && channel.to == to)
    }
}

impl Look for World {
    fn variable(&self, var: VarRef) -> Value {
        self.values[var_id(var).index()].clone()
    }

    fn in_flight(&self, from: ProcRef, to: ProcRef) -> i64 {
        let channel = self.channel(from, to);
        channel.map_or(0, |channel| channel.sent - channel.received)
    }

    fn steps(&self, process: ProcRef) -> i64 {
        i64::from(self.steps[process.0 as usize])
    }

    fn is_done(&self, process: ProcRef) -> bool {
        let process = process.0 as usize;
        self.steps[process] == self.totals[process]
    }

    fn divided_by_zero(&self) {
        self.divided_by_zero.set(true);
    }
}
