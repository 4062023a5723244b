//! A run, and a question about it, in plain integers: what a writer of models for other checkers needs.
//!
//! ```text
//! Trace            --translate--> processes, guards, coded variables, channels
//! Question (core)  --predicate--> Formula over Cond over Term
//! ```
//!
//! Other checkers know 32-bit integers and nothing else. A variable that holds only numbers is multiplied by a power of
//! ten until all of them are integers (its [`Coding`] says which power); any other variable holds the place of its value
//! in one table, [`Model::codes`], so equality means what it meant. What does not fit is refused, never rounded: every
//! term carries bounds, and no term may leave the 32-bit integers at any cut.

mod predicate;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use causet_base::Diagnostic;
use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::Ctl;
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::{EventId, History, ProcessId, Trace, VarId};
use rustc_hash::FxHashMap;

pub use causet_formula::CmpOp;

use crate::prepare::Question;
use crate::subject::{Subject, process_id, var_id};
use crate::valuation::Needs;

/// No integer of a model is larger than this, nor smaller than its negative.
pub const LARGEST: i64 = i32::MAX as i64;
/// More decimal places than this leave no room for digits before the point.
const MOST_PLACES: u32 = 9;

/// A run as a system of counters, and what is asked about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// The processes, in the order of the trace.
    pub processes: Vec<Process>,
    /// The variables the question names; all of them when there is no question.
    pub variables: Vec<Variable>,
    /// The channels the question names; all that carry messages when there is no question.
    pub channels: Vec<Channel>,
    /// What the codes of variables with [`Coding::Table`] stand for.
    pub codes: Vec<String>,
    /// The question.
    pub property: Option<Formula>,
}

/// A process: it takes its steps one after another.
#[derive(Clone, PartialEq, Debug)]
pub struct Process {
    /// Its name in the trace.
    pub name: String,
    /// Its events.
    pub steps: Vec<Step>,
}

/// An event: it waits for others, then changes everything it changes at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its action label.
    pub label: Option<String>,
    /// How many steps other processes must have taken before.
    pub after: Vec<(usize, u32)>,
}

/// A step of a process, by the number of the process and the position counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The process.
    pub process: usize,
    /// The position.
    pub position: u32,
}

/// A variable, coded as integers.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name as formulas use it.
    pub name: String,
    /// How values became integers.
    pub coding: Coding,
    /// What it holds at first.
    pub initial: i64,
    /// What each write leaves, in causal order unless writes race.
    pub writes: Vec<(At, i64)>,
    /// Whether nothing orders some two writes: then a cut alone does not say what it holds.
    pub raced: bool,
}

/// How the values of a variable became integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Numbers, multiplied by ten to this power.
    Scaled(u32),
    /// Places in the table of codes.
    Table,
}

/// How many messages are under way from one process to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// By how much steps change the number, each step once.
    pub changes: Vec<(At, i64)>,
}

/// An integer at a cut.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// A fixed one.
    Const(i64),
    /// The code of a variable.
    Variable(usize),
    /// How many steps a process has taken.
    Steps(usize),
    /// How many messages are under way in a channel.
    Inflight(usize),
    /// The sum.
    Add(Box<Term>, Box<Term>),
    /// The difference.
    Subtract(Box<Term>, Box<Term>),
    /// The product.
    Multiply(Box<Term>, Box<Term>),
    /// The first where the condition holds, elsewhere the second.
    Choose(Box<Cond>, Box<Term>, Box<Term>),
}

/// A condition of a cut.
#[derive(Clone, PartialEq, Debug)]
pub enum Cond {
    /// Always, or never.
    Const(bool),
    /// A comparison.
    Compare(CmpOp, Term, Term),
    /// Negation.
    Not(Box<Cond>),
    /// Conjunction of at least two.
    And(Vec<Cond>),
    /// Disjunction of at least two.
    Or(Vec<Cond>),
}

/// A CTL formula over cuts, as in the core language.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// A condition of the cut.
    State(Cond),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction of at least two.
    And(Vec<Formula>),
    /// Disjunction of at least two.
    Or(Vec<Formula>),
    /// Some successor satisfies it; false at the final cut.
    Ex(Box<Formula>),
    /// On some run the second comes true, and the first holds until then.
    Eu(Box<Formula>, Box<Formula>),
    /// The same on every run.
    Au(Box<Formula>, Box<Formula>),
}

/// Translates a run and perhaps a question about it; what cannot be translated exactly is refused in a sentence.
pub fn translate(subject: &Subject<'_>, question: Option<&Question>) -> Result<Model, Diagnostic> {
    let trace = subject.trace;
    let (vars, pairs) = match question {
        Some(question) => named(&question.lowered.body),
        None => (
            trace.variables().map(|var| VarRef(var.raw())).collect(),
            busy_pairs(trace),
        ),
    };
    let mut coder = Coder::default();
    let ids: Vec<VarId> = vars.iter().map(|&var| var_id(var)).collect();
    let races = trace.races(1).pairs;
    let mut variables = Vec::new();
    for history in trace.histories(&ids) {
        let raced = races.iter().any(|race| race.var == history.var);
        variables.push(coder.variable(trace, &history, raced));
    }
    let channel = |&(from, to): &(ProcRef, ProcRef)| channel(trace, from, to);
    let mut model = Model {
        processes: trace
            .order()
            .processes()
            .map(|process| steps(trace, process))
            .collect(),
        variables,
        channels: pairs.iter().map(channel).collect(),
        codes: coder.table.iter().map(ToString::to_string).collect(),
        property: None,
    };
    if let Some(question) = question {
        let translator = predicate::Translator::new(&model, &coder.table, &vars, &pairs);
        model.property = Some(translator.formula(&question.lowered.body)?);
    }
    Ok(model)
}

/// The variables and channels of a formula, each once.
fn named(formula: &Ctl) -> (Vec<VarRef>, Vec<(ProcRef, ProcRef)>) {
    let mut needs = Needs::default();
    formula.preds().for_each(|pred| needs.of(pred));
    needs.variables.sort_unstable();
    needs.variables.dedup();
    needs.channels.sort_unstable();
    needs.channels.dedup();
    (needs.variables, needs.channels)
}

/// The pairs of processes between which a message was sent.
fn busy_pairs(trace: &Trace) -> Vec<(ProcRef, ProcRef)> {
    let order = trace.order();
    let reference = |process: ProcessId| ProcRef(process.raw());
    let mut pairs = BTreeSet::new();
    for event in trace.events() {
        let here = reference(order.process_of(event));
        if !trace.sends(event).is_empty() {
            let addressed = trace.destinations(event).iter();
            pairs.extend(addressed.map(|&to| (here, reference(to))));
        }
        for sender in trace
            .receives(event)
            .iter()
            .filter_map(|&m| trace.sender(m))
        {
            pairs.insert((reference(order.process_of(sender)), here));
        }
    }
    pairs.into_iter().collect()
}

/// A process with what its events wait for; of several events of one process only the last is named.
fn steps(trace: &Trace, process: ProcessId) -> Process {
    let order = trace.order();
    let step = |&event: &EventId| {
        let mut after: Vec<(usize, u32)> = Vec::new();
        for &before in order.crossing_into(event) {
            let (other, position) = (order.process_of(before).index(), order.position_of(before));
            match after.iter_mut().find(|(known, _)| *known == other) {
                Some((_, last)) => *last = position.max(*last),
                None => after.push((other, position)),
            }
        }
        after.sort_unstable();
        Step {
            label: trace.label(event).map(str::to_owned),
            after,
        }
    };
    Process {
        name: trace.process_name(process).to_owned(),
        steps: order.chain(process).iter().map(step).collect(),
    }
}

/// A channel as the changes its events make, read off the number of messages around each of them.
fn channel(trace: &Trace, from: ProcRef, to: ProcRef) -> Channel {
    let (sender, receiver) = (process_id(from), process_id(to));
    let channel = trace.channel(sender, receiver);
    let length = |process| trace.order().chain(process).len() as u32;
    let count = |sent, received| channel.in_flight(sent, received) as i64;
    let mut changes = Vec::new();
    let mut add = |process: ProcessId, position, change| {
        if change != 0 {
            let process = process.index();
            changes.push((At { process, position }, change));
        }
    };
    let all_sent = length(sender);
    for at in 1..=all_sent {
        let change = if sender == receiver {
            count(at, at) - count(at - 1, at - 1)
        } else {
            count(at, 0) - count(at - 1, 0)
        };
        add(sender, at, change);
    }
    if sender != receiver {
        for at in 1..=length(receiver) {
            add(receiver, at, count(all_sent, at) - count(all_sent, at - 1));
        }
    }
    Channel {
        from: sender.index(),
        to: receiver.index(),
        changes,
    }
}

/// Turns values into integers; the table grows as values come by.
#[derive(Default)]
struct Coder {
    table: Vec<Value>,
    place: FxHashMap<Value, i64>,
}

impl Coder {
    fn variable(&mut self, trace: &Trace, history: &History, raced: bool) -> Variable {
        let values: Vec<Value> = (0..=history.writes.len())
            .map(|done| trace.value(history.value_after(done)))
            .collect();
        let (coding, codes) = match scaled_alike(&values) {
            Some((places, codes)) => (Coding::Scaled(places), codes),
            None => (
                Coding::Table,
                values.into_iter().map(|value| self.code(value)).collect(),
            ),
        };
        let order = trace.order();
        let at = |event: EventId| At {
            process: order.process_of(event).index(),
            position: order.position_of(event),
        };
        let writes = history.writes.iter().zip(&codes[1..]);
        Variable {
            name: trace.variable_name(history.var),
            coding,
            initial: codes[0],
            writes: writes
                .map(|(&(event, _), &code)| (at(event), code))
                .collect(),
            raced,
        }
    }

    fn code(&mut self, value: Value) -> i64 {
        let next = self.table.len() as i64;
        *self.place.entry(value).or_insert_with_key(|value| {
            self.table.push(value.clone());
            next
        })
    }
}

/// All values as integers under one power of ten; `None` when one is not a number, or does not fit.
fn scaled_alike(values: &[Value]) -> Option<(u32, Vec<i64>)> {
    let mut places = 0;
    for value in values {
        places = places.max(scaled(value.as_number()?)?.0);
    }
    let codes = values
        .iter()
        .map(|value| scaled_by(value.as_number()?, places));
    Some((places, codes.collect::<Option<_>>()?))
}

/// The fewest decimal places that make the number an integer of a model, and that integer.
fn scaled(number: &Number) -> Option<(u32, i64)> {
    let mut all = (0..=MOST_PLACES).map(|places| Some((places, scaled_by(number, places)?)));
    all.find_map(|found| found)
}

/// The number times ten to a power, when that is an integer of a model.
fn scaled_by(number: &Number, places: u32) -> Option<i64> {
    let product = number * &Number::from(10_i64.pow(places));
    let fits = |code: &i64| (-LARGEST..=LARGEST).contains(code);
    product.to_i64().filter(fits)
}
