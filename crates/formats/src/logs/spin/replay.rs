//! The steps of a simulation one after the other: what they read and wrote, and which message is which.
//!
//! A queue of Promela keeps its order: the n-th receive gets the n-th message, each send comes after the send before it,
//! and each receive after the receive before it. A send waits while the queue is full. How long a queue is does not stand
//! in the output, so the most it ever held is taken for that: every order that is checked could have happened.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use causet_base::Code;
use rustc_hash::FxHashMap;

use super::super::entry::Datum;
use super::super::numbered::{Numbered, Teller, Wording};
use super::super::relay::relay;
use super::super::scribe::Scribe;
use super::super::symbols::{Symbol, Symbols};
use super::statement::{Pass, Passing, Statement, Variable};
use super::terms::{mentions, value};
use crate::error::ReadError;

/// One step as it was printed. Its texts are numbers in the simulation, and what it has several of are ranges there.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) line: u32,
    pub(super) pid: u32,
    /// Which process it is of all that there were.
    pub(super) process: u32,
    pub(super) statement: Symbol,
    /// What it sent or received, if that was printed.
    pub(super) content: Option<Symbol>,
    /// Through which queue, if that was printed.
    pub(super) queue: Option<Symbol>,
    /// The processes it started.
    pub(super) starts: Range<u32>,
    /// What variables hold after it, of a process or global.
    pub(super) holds: Range<u32>,
    /// The names of queues, to a process or to all.
    pub(super) queues: Range<u32>,
}

/// All that was read.
#[derive(Default, Debug)]
pub(super) struct Simulation {
    pub(super) processes: Vec<String>,
    pub(super) steps: Vec<Step>,
    pub(super) starts: Vec<u32>,
    pub(super) holds: Vec<Owned>,
    pub(super) queues: Vec<Owned>,
    pub(super) statements: Symbols,
    /// All other texts.
    pub(super) texts: Symbols,
}

/// What a name stands for, to a process or to all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub(super) pid: Option<u32>,
    pub(super) name: Symbol,
    pub(super) value: Symbol,
}

impl Simulation {
    /// Tells the run, with the help of some threads.
    pub(super) fn tell(mut self, workers: usize, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        scribe.declare_processes(&self.processes).map_err(|fault| {
            ReadError::at(
                Code::ProcessTwice,
                1,
                "",
                0..0,
                fault.to_string(),
                "expected each process once",
            )
        })?;
        let zero = self.texts.symbol("0");
        let processes = self.processes.iter();
        let processes = processes.map(|name| self.texts.symbol(name)).collect();
        let texts = self.statements.texts();
        let statements: Vec<Statement<'_>> = texts
            .map(|text| Statement::new(text, &self.texts))
            .collect();
        let mut replay = Replay::new(&self, &statements, processes, zero);
        let shared = replay.shared.sorted.iter();
        shared.for_each(|&name| scribe.declare_shared(self.texts.text(name)));
        scribe.declare_observed();
        if statements.iter().any(|one| one.passing.is_some()) {
            replay.measure()?;
        }
        let mut steps = self.steps.iter();
        let next = |event: &mut Numbered| Some(replay.tell(steps.next()?, event));
        let wording = Wording {
            labels: &self.statements,
            texts: &self.texts,
            datum,
        };
        let mut teller = Teller::new(wording, scribe);
        relay(next, workers, |event| Ok(teller.tell(event)?))?;
        for (name, (value, line)) in &replay.inits {
            scribe.init(name, &datum(self.texts.text(*value)), *line);
        }
        let sets_field = |step: &&Step| statements[step.statement.index()].sets_field;
        if let Some(step) = self.steps.iter().find(sets_field) {
            scribe.note(
                step.line,
                "Spin does not print what fields of structures hold: they are left out, and order nothing",
                "use plain variables for what is shared and what properties name",
            );
        }
        for (what, line) in &replay.unseen {
            scribe.note(
                *line,
                format!("{what} looks at a queue, which orders nothing here"),
                "orders are checked in which it would have seen another queue",
            );
        }
        Ok(())
    }
}

/// What is known so far.
struct Replay<'s> {
    simulation: &'s Simulation,
    statements: &'s [Statement<'s>],
    /// What the processes are called.
    processes: Vec<Symbol>,
    /// What a variable holds that was never printed.
    zero: Symbol,
    shared: Shared,
    known: Known,
    /// What was printed before the step that did it.
    pending: Vec<Owned>,
    inits: BTreeMap<String, (Symbol, u32)>,
    /// How many events each process has.
    counts: Vec<u32>,
    /// The event that started each process.
    started: FxHashMap<u32, (u32, u32)>,
    /// The queues that go by a name.
    names: FxHashMap<(Option<u32>, Symbol), Symbol>,
    queues: FxHashMap<Symbol, Queue>,
    /// The most that each queue holds at a time.
    rooms: FxHashMap<Symbol, usize>,
    /// The first statement of each kind that looks at queues.
    unseen: BTreeMap<&'static str, u32>,
    /// Names that a step is about, kept to be used again.
    at_hand: Vec<Symbol>,
}

/// The global variables that change, elements of arrays one by one.
struct Shared {
    /// Whether a name is one of them.
    is_shared: Vec<bool>,
    /// In the order of their texts.
    sorted: Vec<Symbol>,
}

impl Shared {
    fn of(simulation: &Simulation) -> Self {
        let mut is_shared = vec![false; simulation.texts.len()];
        let mut sorted = Vec::new();
        for held in simulation.holds.iter().filter(|held| held.pid.is_none()) {
            let is_shared = &mut is_shared[held.name.index()];
            if !std::mem::replace(is_shared, true) {
                sorted.push(held.name);
            }
        }
        sorted.sort_unstable_by_key(|&name| simulation.texts.text(name));
        Shared { is_shared, sorted }
    }

    fn contains(&self, name: Symbol) -> bool {
        self.is_shared[name.index()]
    }

    /// All elements of an array.
    fn elements<'s>(&'s self, array: &str, texts: &'s Symbols) -> impl Iterator<Item = Symbol> {
        let elements = format!("{array}[");
        let from = self
            .sorted
            .partition_point(|&name| texts.text(name) < elements.as_str());
        let all = self.sorted[from..].iter().copied();
        all.take_while(move |&name| texts.text(name).starts_with(&elements))
    }
}

/// What variables hold.
struct Known {
    global: Vec<Option<Symbol>>,
    /// Those of a process by its pid.
    local: FxHashMap<(u32, Symbol), Symbol>,
}

impl Known {
    fn nothing_of(texts: &Symbols) -> Self {
        Known {
            global: vec![None; texts.len()],
            local: FxHashMap::default(),
        }
    }

    fn get(&self, pid: Option<u32>, name: Symbol) -> Option<Symbol> {
        match pid {
            Some(pid) => self.local.get(&(pid, name)).copied(),
            None => self.global[name.index()],
        }
    }

    fn keep(&mut self, held: Owned) {
        match held.pid {
            Some(pid) => drop(self.local.insert((pid, held.name), held.value)),
            None => self.global[held.name.index()] = Some(held.value),
        }
    }
}

/// A queue: what is in it, and the events that came last.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(String, Option<Symbol>)>,
    sent: usize,
    last_send: Option<(u32, u32)>,
    receives: Vec<(u32, u32)>,
    most: usize,
}

/// Which printed variable a mention means.
enum Meant {
    /// This one.
    Printed(Symbol),
    /// One that was never printed.
    Unprinted,
    /// An element of an array, and nobody knows which.
    SomeElement,
}

impl<'s> Replay<'s> {
    fn new(
        simulation: &'s Simulation,
        statements: &'s [Statement<'s>],
        processes: Vec<Symbol>,
        zero: Symbol,
    ) -> Self {
        Replay {
            simulation,
            statements,
            shared: Shared::of(simulation),
            known: Known::nothing_of(&simulation.texts),
            zero,
            pending: Vec::new(),
            inits: BTreeMap::new(),
            counts: vec![0; processes.len()],
            processes,
            started: FxHashMap::default(),
            names: FxHashMap::default(),
            queues: FxHashMap::default(),
            rooms: FxHashMap::default(),
            unseen: BTreeMap::new(),
            at_hand: Vec::new(),
        }
    }

    fn statement(&self, step: &Step) -> &'s Statement<'s> {
        &self.statements[step.statement.index()]
    }

    fn text(&self, symbol: Symbol) -> &'s str {
        self.simulation.texts.text(symbol)
    }

    /// What is printed behind a step.
    fn holds(&self, step: &Step) -> &'s [Owned] {
        several(&self.simulation.holds, &step.holds)
    }

    /// Finds out how much each queue holds at most, by a first replay of the queues alone.
    fn measure(&mut self) -> Result<(), ReadError> {
        let steps = &self.simulation.steps;
        for step in steps {
            self.pass(step, 0, &mut Numbered::default())?;
            self.remember(step);
        }
        let queues = self.queues.drain();
        self.rooms = queues.map(|(name, queue)| (name, queue.most)).collect();
        self.known = Known::nothing_of(&self.simulation.texts);
        self.names.clear();
        Ok(())
    }

    /// Makes an event of a step.
    fn tell(&mut self, step: &Step, event: &mut Numbered) -> Result<(), ReadError> {
        event.start(self.processes[step.process as usize], step.line);
        event.label = Some(step.statement);
        let position = self.counts[step.process as usize] + 1;
        if position == 1
            && let Some(&(creator, at)) = self.started.get(&step.process)
        {
            event.after.push((self.processes[creator as usize], at));
        }
        for &child in several(&self.simulation.starts, &step.starts) {
            self.started.insert(child, (step.process, position));
        }
        self.pass(step, position, event)?;
        let mut names = std::mem::take(&mut self.at_hand);
        self.reads(step, &mut names);
        let count = names.len();
        self.targets(step, &mut names);
        let (reads, targets) = names.split_at(count);
        self.writes(step, targets, &mut event.sets);
        self.remember(step);
        let is_written = |name: &Symbol| event.sets.iter().any(|(other, _)| other == name);
        let reads = reads.iter().copied();
        event.reads.extend(reads.filter(|name| !is_written(name)));
        names.clear();
        self.at_hand = names;
        self.counts[step.process as usize] = position;
        Ok(())
    }

    /// Keeps what is printed behind a step.
    fn remember(&mut self, step: &Step) {
        let holds = self.holds(step).iter();
        holds.for_each(|&held| self.known.keep(held));
    }

    /// What the process of a step knows under a name.
    fn number(&self, pid: u32, name: &str) -> Option<i64> {
        if name == "_pid" {
            return Some(i64::from(pid));
        }
        let name = self.simulation.texts.find(name)?;
        let own = self.known.get(Some(pid), name);
        let held = own.or_else(|| self.known.get(None, name))?;
        self.text(held).parse().ok()
    }

    /// Which variable is meant.
    fn meant(&self, pid: u32, variable: &Variable<'s>) -> Meant {
        let mention = variable.mention;
        let name = match mention.index {
            None => variable.name,
            Some(index) => match value(index, &|name| self.number(pid, name)) {
                Some(index) => {
                    let element = format!("{}[{index}]", mention.name);
                    self.simulation.texts.find(&element)
                }
                None => return Meant::SomeElement,
            },
        };
        name.map_or(Meant::Unprinted, Meant::Printed)
    }

    /// The shared variables a step reads: one for each that it mentions, or all elements if an index is not known. What
    /// `else` depends on is not printed, so it depends on all.
    fn reads(&self, step: &Step, reads: &mut Vec<Symbol>) {
        let statement = self.statement(step);
        if statement.is_else {
            reads.extend(&self.shared.sorted);
            return;
        }
        for variable in &statement.mentions {
            match self.meant(step.pid, variable) {
                Meant::Printed(name) if self.shared.contains(name) => reads.push(name),
                Meant::Printed(_) | Meant::Unprinted => {}
                Meant::SomeElement => {
                    let texts = &self.simulation.texts;
                    reads.extend(self.shared.elements(variable.mention.name, texts));
                }
            }
        }
        if reads.len() > 1 {
            reads.sort_unstable_by_key(|&name| self.text(name));
            reads.dedup();
        }
    }

    /// The variables that a step assigns.
    fn targets(&self, step: &Step, targets: &mut Vec<Symbol>) {
        let assigned = self.statement(step).assigned.iter();
        targets.extend(
            assigned.filter_map(|variable| match self.meant(step.pid, variable) {
                Meant::Printed(name) => Some(name),
                Meant::Unprinted | Meant::SomeElement => None,
            }),
        );
    }

    /// What a step writes. Elements of arrays are printed together, some lines belong to the step that follows, and what
    /// is set to what it was is not printed at all.
    fn writes(&mut self, step: &Step, targets: &[Symbol], writes: &mut Vec<(Symbol, Symbol)>) {
        let is_due = |held: &mut Owned| held.pid.is_none_or(|pid| pid == step.pid);
        let due = self.pending.extract_if(.., is_due);
        writes.extend(due.map(|held| (held.name, held.value)));
        let assigned = &self.statement(step).assigned;
        for &held in self.holds(step) {
            let Owned { pid, name, value } = held;
            let is_own = pid.is_none_or(|pid| pid == step.pid);
            if !is_own || !self.is_of(name, assigned) {
                self.pending.push(held);
                continue;
            }
            let before = self.known.get(pid, name);
            if targets.contains(&name) || before.is_some_and(|before| before != value) {
                writes.retain(|&(other, _)| other != name);
                writes.push((name, value));
            } else if before.is_none() && value != self.zero {
                let own = self.text(name);
                let full = match pid {
                    Some(_) => {
                        format!("{}.{own}", self.simulation.processes[step.process as usize])
                    }
                    None => own.to_owned(),
                };
                self.inits.entry(full).or_insert((value, step.line));
            }
        }
        for &name in targets {
            let is_written = writes.iter().any(|&(other, _)| other == name);
            let is_local = || self.known.get(Some(step.pid), name).is_some();
            if !is_written && self.shared.contains(name) && !is_local() {
                let before = self.known.get(None, name);
                writes.push((name, before.unwrap_or(self.zero)));
            }
        }
    }

    /// Whether a name is that of one of some variables, or of an element of one.
    fn is_of(&self, name: Symbol, variables: &[Variable<'s>]) -> bool {
        let is_whole = |variable: &Variable<'_>| variable.name == Some(name);
        if variables.iter().any(is_whole) {
            return true;
        }
        let array = self.text(name).split_once('[');
        array.is_some_and(|(array, _)| variables.iter().any(|one| one.mention.name == array))
    }

    /// Matches what a step sends or receives.
    fn pass(&mut self, step: &Step, position: u32, event: &mut Numbered) -> Result<(), ReadError> {
        for queue in several(&self.simulation.queues, &step.queues) {
            self.names.insert((queue.pid, queue.name), queue.value);
        }
        let statement = self.statement(step);
        if let Some(look) = statement.looks {
            let unseen = self.unseen.entry(look.trim_end_matches('('));
            unseen.or_insert(step.line);
        }
        let Some(Passing {
            channel,
            pass,
            sorts,
        }) = statement.passing
        else {
            return Ok(());
        };
        if sorts {
            return Err(self.refused(
                step,
                "`!!` puts messages where their content says",
                "expected queues that keep their order",
            ));
        }
        let Some(key) = self.queue_of(step, channel) else {
            let message = format!("which queue `{channel}` is does not stand in this output");
            return Err(self.refused(step, &message, "expected its number"));
        };
        let simulation = self.simulation;
        let room = self.rooms.get(&key).copied();
        let queue = self.queues.entry(key).or_default();
        let this = (step.process, position);
        let mut after = Vec::new();
        match pass {
            Pass::Send => {
                queue.sent += 1;
                let content = step.content.map(|content| simulation.texts.text(content));
                let content = content.map_or(String::new(), |text| format!(" {text}"));
                let key = simulation.texts.text(key);
                let name = format!("queue {key} #{}{content}", queue.sent);
                event.sends.push(name.clone());
                after.extend(queue.last_send.replace(this));
                let waits = room.and_then(|room| queue.sent.checked_sub(room + 1));
                after.extend(waits.and_then(|at| queue.receives.get(at)));
                queue.waiting.push_back((name, step.content));
                queue.most = queue.most.max(queue.waiting.len());
            }
            Pass::Receive | Pass::Copy | Pass::Fetch => {
                let fits = |&(_, content): &(String, Option<Symbol>)| {
                    pass != Pass::Fetch || (content.is_some() && content == step.content)
                };
                let Some(at) = queue.waiting.iter().position(fits) else {
                    return Err(self.refused(
                        step,
                        "no message is known that this could receive",
                        "expected its send before it",
                    ));
                };
                let name = queue.waiting[at].0.clone();
                after.extend(queue.receives.last());
                if pass != Pass::Copy {
                    queue.waiting.remove(at);
                    queue.receives.push(this);
                }
                event.recvs.push(name);
            }
        }
        let others = after.into_iter();
        let others = others.filter(|&(process, _)| process != step.process);
        let others = others.map(|(process, at)| (self.processes[process as usize], at));
        event.after.extend(others);
        Ok(())
    }

    fn refused(&self, step: &Step, message: &str, expected: &str) -> ReadError {
        ReadError::of_line(
            Code::ReplayMismatch,
            step.line,
            &format!("[{}]", self.statement(step).text),
            message,
            expected,
        )
        .with_help("let Spin say which queues are meant: `spin -p -g -l -s -r`")
    }

    /// The number of the queue that a statement names, if it was printed somewhere. A name alone is not enough: two
    /// processes may have the same name for different queues.
    fn queue_of(&self, step: &Step, channel: &'s str) -> Option<Symbol> {
        if step.queue.is_some() {
            return step.queue;
        }
        let first = Variable::new(*mentions(channel).first()?, &self.simulation.texts);
        let Meant::Printed(name) = self.meant(step.pid, &first) else {
            return None;
        };
        let known = |pid| self.names.get(&(pid, name));
        known(Some(step.pid)).or_else(|| known(None)).copied()
    }
}

/// What stands in a range.
fn several<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    &all[range.start as usize..range.end as usize]
}

/// A value as it was printed: a number, or the name of a message type.
fn datum(text: &str) -> Datum<'_> {
    match text.parse() {
        Ok(number) => Datum::int(number),
        Err(_) => Datum::Text(text.into()),
    }
}
