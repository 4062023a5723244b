//! A run re-enacted event by event: what the variables hold and which messages are under way right now.
//!
//! Nothing here is looked up in tables made for an engine. Values are overwritten as events write them, messages are put
//! into a bag and taken out of it, and an event is refused when something it depends on has not happened.

use causet_formula::core::{CmpOp, Expr, Pred};
use causet_formula::names::{ProcRef, VarRef};
use causet_formula::number::Number;
use causet_formula::value::Value;
use causet_trace::{EventId, MessageId, ProcessId, Trace, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

use crate::subject::formula_value;

/// The run and who receives what in it.
pub(super) struct Stage<'t> {
    trace: &'t Trace,
    receivers: FxHashMap<MessageId, Vec<ProcessId>>,
}

impl<'t> Stage<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let mut receivers: FxHashMap<MessageId, Vec<ProcessId>> = FxHashMap::default();
        for event in trace.events() {
            for &message in trace.receives(event) {
                let process = trace.order().process_of(event);
                receivers.entry(message).or_default().push(process);
            }
        }
        Stage { trace, receivers }
    }
}

/// The state of the system after some events.
#[derive(Clone)]
pub(super) struct Replay<'s, 't> {
    stage: &'s Stage<'t>,
    trace: &'t Trace,
    happened: Vec<u32>,
    /// What has been written so far; a variable not yet written holds its initial value.
    written: FxHashMap<VarRef, Value>,
    /// Messages sent and not yet received, each with the process it is for.
    under_way: FxHashSet<(MessageId, ProcessId)>,
    /// How many of them there are from one process to another.
    traffic: FxHashMap<(ProcessId, ProcessId), i64>,
}

impl<'s, 't> Replay<'s, 't> {
    /// Before the first event.
    pub(super) fn new(stage: &'s Stage<'t>) -> Self {
        Replay {
            stage,
            trace: stage.trace,
            happened: vec![0; stage.trace.order().process_count()],
            written: FxHashMap::default(),
            under_way: FxHashSet::default(),
            traffic: FxHashMap::default(),
        }
    }

    /// How many events of each process have happened.
    pub(super) fn happened(&self) -> &[u32] {
        &self.happened
    }

    /// The number of the process an event belongs to.
    pub(super) fn process_of(&self, event: EventId) -> usize {
        self.trace.order().process_of(event).index()
    }

    /// About how many bytes this state takes.
    pub(super) fn size(&self) -> usize {
        let entries = self.written.capacity() + self.under_way.capacity() + self.traffic.capacity();
        256 + 8 * self.happened.len() + 64 * entries
    }

    /// Whether everything has happened.
    pub(super) fn is_over(&self) -> bool {
        let order = self.trace.order();
        let mut processes = order.processes();
        processes
            .all(|process| order.chain(process).len() == self.happened[process.index()] as usize)
    }

    /// The events that may happen now.
    pub(super) fn possible(&self) -> Vec<EventId> {
        let order = self.trace.order();
        let next = |process: ProcessId| order.event(process, self.happened[process.index()] + 1);
        let events = order.processes().filter_map(next);
        events.filter(|&event| self.may_happen(event)).collect()
    }

    fn may_happen(&self, event: EventId) -> bool {
        let order = self.trace.order();
        let has_happened =
            |e: EventId| order.position_of(e) <= self.happened[order.process_of(e).index()];
        !has_happened(event) && order.predecessors(event).all(has_happened)
    }

    /// Lets an event happen; `false` when it cannot happen now.
    pub(super) fn step(&mut self, event: EventId) -> bool {
        if !self.may_happen(event) {
            return false;
        }
        let process = self.trace.order().process_of(event);
        self.happened[process.index()] += 1;
        for write in self.trace.writes(event) {
            let value = formula_value(self.trace, write.value);
            self.written.insert(VarRef(write.var.raw()), value);
        }
        for &message in self.trace.receives(event) {
            let sender = self.trace.sender(message);
            if let Some(sender) = sender.filter(|_| self.under_way.remove(&(message, process))) {
                let from = self.trace.order().process_of(sender);
                *self.traffic.entry((from, process)).or_default() -= 1;
            }
        }
        for &message in self.trace.sends(event) {
            for to in self.receivers(event, message) {
                if self.under_way.insert((message, to)) {
                    *self.traffic.entry((process, to)).or_default() += 1;
                }
            }
        }
        true
    }

    /// For whom a message is: those it was addressed to, and those who receive it in this run.
    fn receivers(&self, send: EventId, message: MessageId) -> Vec<ProcessId> {
        let addressed = self.trace.destinations(send).iter();
        let receiving = self.stage.receivers.get(&message).into_iter().flatten();
        addressed.chain(receiving).copied().collect()
    }

    /// Whether a predicate holds now.
    pub(super) fn holds(&self, pred: &Pred) -> bool {
        match pred {
            Pred::Const(truth) => *truth,
            Pred::Not(part) => !self.holds(part),
            Pred::And(parts) => !parts.iter().any(|part| !self.holds(part)),
            Pred::Or(parts) => parts.iter().any(|part| self.holds(part)),
            Pred::Done(process) => {
                let all = self.trace.order().chain(ProcessId::new(process.0)).len();
                self.steps(*process) == all as i64
            }
            Pred::Holds(expr) => match self.eval(expr) {
                Some(Value::Bool(truth)) => truth,
                Some(Value::Number(number)) => number != Number::from(0),
                Some(Value::Text(_)) | None => false,
            },
            Pred::Compare(op, left, right) => match (self.eval(left), self.eval(right)) {
                (Some(left), Some(right)) => compare(*op, &left, &right),
                _ => false,
            },
            Pred::On(_) => false,
        }
    }

    fn steps(&self, process: ProcRef) -> i64 {
        i64::from(self.happened[process.0 as usize])
    }

    /// The value of an expression now; nothing where it is undefined.
    fn eval(&self, expr: &Expr) -> Option<Value> {
        Some(match expr {
            Expr::Literal(value) => value.clone(),
            Expr::Var(var) => match self.written.get(var) {
                Some(value) => value.clone(),
                None => {
                    let initial = self.trace.initial_value(VarId::new(var.0));
                    formula_value(self.trace, initial)
                }
            },
            Expr::Steps(process) => Value::from(self.steps(*process)),
            Expr::Truth(pred) => Value::Bool(self.holds(pred)),
            Expr::Inflight(from, to) => Value::from(self.in_flight(*from, *to)),
            Expr::Neg(part) => Value::Number(&Number::from(0) - &self.eval_number(part)?),
            Expr::Arith(op, left, right) => {
                let (left, right) = (self.eval_number(left)?, self.eval_number(right)?);
                Value::Number(op.apply(&left, &right)?)
            }
            Expr::Count(preds) => Value::from(
                preds
                    .iter()
                    .map(|pred| i64::from(self.holds(pred)))
                    .sum::<i64>(),
            ),
            Expr::Sum(parts) => Value::Number(self.fold(parts, |sum, next| &sum + &next)?),
            Expr::Min(parts) => Value::Number(self.fold(parts, Ord::min)?),
            Expr::Max(parts) => Value::Number(self.fold(parts, Ord::max)?),
        })
    }

    fn eval_number(&self, expr: &Expr) -> Option<Number> {
        match self.eval(expr)? {
            Value::Number(number) => Some(number),
            Value::Bool(_) | Value::Text(_) => None,
        }
    }

    fn fold(&self, parts: &[Expr], combine: impl Fn(Number, Number) -> Number) -> Option<Number> {
        let mut result = self.eval_number(parts.first()?)?;
        for part in &parts[1..] {
            result = combine(result, self.eval_number(part)?);
        }
        Some(result)
    }

    fn in_flight(&self, from: ProcRef, to: ProcRef) -> i64 {
        let channel = (ProcessId::new(from.0), ProcessId::new(to.0));
        self.traffic.get(&channel).copied().unwrap_or(0)
    }
}

fn compare(op: CmpOp, left: &Value, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
        _ => None,
    };
    match op {
        CmpOp::Eq => left == right,
        CmpOp::Ne => left != right,
        CmpOp::Lt => order.is_some_and(Ordering::is_lt),
        CmpOp::Le => order.is_some_and(Ordering::is_le),
        CmpOp::Gt => order.is_some_and(Ordering::is_gt),
        CmpOp::Ge => order.is_some_and(Ordering::is_ge),
    }
}
