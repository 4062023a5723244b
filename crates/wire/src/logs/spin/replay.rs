//! The steps of a simulation one after the other: what they read and wrote, and which message is which.
//!
//! A queue of Promela keeps its order: the n-th receive gets the n-th message, each send comes after the send before it,
//! and each receive after the receive before it. A send waits while the queue is full. How long a queue is does not stand
//! in the output, so the most it ever held is taken for that: every order that is checked could have happened.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::{Bound, Range};

use rustc_hash::FxHashMap;

use super::super::entry::{Datum, Earlier, Entry};
use super::super::relay::relay;
use super::super::scribe::Scribe;
use super::super::symbols::{Symbol, Symbols};
use super::super::trouble::Trouble;
use super::statement::{Pass, Passing, Statement};
use super::terms::{Mention, mentions, value};

/// One step as it was printed. Its texts are numbers in the simulation, and what it has several of are ranges there.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) line: u32,
    pub(super) pid: u32,
    /// Which process it is of all that there were.
    pub(super) process: usize,
    pub(super) statement: Symbol,
    /// What it sent or received, if that was printed.
    pub(super) content: Option<Symbol>,
    /// Through which queue, if that was printed.
    pub(super) queue: Option<Symbol>,
    /// The processes it started.
    pub(super) starts: Range<usize>,
    /// What variables hold after it, of a process or global.
    pub(super) holds: Range<usize>,
    /// The names of queues, to a process or to all.
    pub(super) queues: Range<usize>,
}

/// All that was read.
#[derive(Default, Debug)]
pub(super) struct Simulation {
    pub(super) processes: Vec<String>,
    pub(super) steps: Vec<Step>,
    pub(super) starts: Vec<usize>,
    pub(super) holds: Vec<Owned<Symbol>>,
    pub(super) queues: Vec<Owned<Symbol>>,
    pub(super) statements: Symbols,
    /// All other texts.
    pub(super) texts: Symbols,
}

/// What a name stands for, to a process or to all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned<T> {
    pub(super) pid: Option<u32>,
    pub(super) name: T,
    pub(super) value: T,
}

impl Simulation {
    /// Tells the run, with the help of some threads.
    pub(super) fn tell(&self, workers: usize, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let statements: Vec<Statement<'_>> = self.statements.texts().map(Statement::new).collect();
        let mut replay = Replay::new(self, &statements);
        scribe.declare_processes(&self.processes).map_err(|fault| {
            Trouble::at(1, "", 0..0, fault.to_string(), "expected each process once")
        })?;
        replay
            .shared
            .iter()
            .for_each(|name| scribe.declare_shared(name));
        scribe.declare_observed();
        if statements.iter().any(|one| one.passing.is_some()) {
            replay.measure()?;
        }
        let entries = self.steps.iter().map(|step| replay.entry(step));
        relay(entries, workers, |entry| {
            scribe.add(entry)?;
            Ok(())
        })?;
        for (name, (datum, line)) in &replay.inits {
            scribe.init(name, datum, *line);
        }
        let sets_field = |step: &&Step| statements[step.statement.index()].sets_field();
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

    /// What stands in a range of what several steps have, in texts.
    fn owned<'s>(&'s self, some: &'s [Owned<Symbol>]) -> impl Iterator<Item = Owned<&'s str>> {
        some.iter().map(|one| Owned {
            pid: one.pid,
            name: self.texts.text(one.name),
            value: self.texts.text(one.value),
        })
    }

    fn text(&self, symbol: Option<Symbol>) -> Option<&str> {
        symbol.map(|symbol| self.texts.text(symbol))
    }
}

/// What is known so far.
struct Replay<'s> {
    simulation: &'s Simulation,
    statements: &'s [Statement<'s>],
    /// The global variables that change, elements of arrays one by one.
    shared: BTreeSet<&'s str>,
    /// What variables hold, those of a process by its pid.
    known: FxHashMap<Named<'s>, &'s str>,
    /// What was printed before the step that did it.
    pending: Vec<Owned<&'s str>>,
    inits: BTreeMap<String, (Datum<'s>, u32)>,
    /// How many events each process has.
    counts: Vec<u32>,
    /// The event that started each process.
    started: FxHashMap<usize, (usize, u32)>,
    /// The queues that go by a name.
    names: FxHashMap<Named<'s>, &'s str>,
    queues: FxHashMap<&'s str, Queue<'s>>,
    /// The most that each queue holds at a time.
    rooms: FxHashMap<&'s str, usize>,
    /// The first statement of each kind that looks at queues.
    unseen: BTreeMap<&'static str, u32>,
}

/// A name that a process has, or all.
type Named<'s> = (Option<u32>, &'s str);

/// A queue: what is in it, and the events that came last.
#[derive(Default)]
struct Queue<'s> {
    waiting: VecDeque<(String, Option<&'s str>)>,
    sent: usize,
    last_send: Option<(usize, u32)>,
    receives: Vec<(usize, u32)>,
    most: usize,
}

impl<'s> Replay<'s> {
    fn new(simulation: &'s Simulation, statements: &'s [Statement<'s>]) -> Self {
        let held = simulation.owned(&simulation.holds);
        let global = held.filter(|one| one.pid.is_none());
        Replay {
            simulation,
            statements,
            shared: global.map(|one| one.name).collect(),
            known: FxHashMap::default(),
            pending: Vec::new(),
            inits: BTreeMap::new(),
            counts: vec![0; simulation.processes.len()],
            started: FxHashMap::default(),
            names: FxHashMap::default(),
            queues: FxHashMap::default(),
            rooms: FxHashMap::default(),
            unseen: BTreeMap::new(),
        }
    }

    fn statement(&self, step: &Step) -> &'s Statement<'s> {
        &self.statements[step.statement.index()]
    }

    /// What is printed behind a step.
    fn holds(&self, step: &Step) -> impl Iterator<Item = Owned<&'s str>> + use<'s> {
        let simulation = self.simulation;
        simulation.owned(&simulation.holds[step.holds.clone()])
    }

    /// Finds out how much each queue holds at most, by a first replay of the queues alone.
    fn measure(&mut self) -> Result<(), Trouble> {
        let steps = &self.simulation.steps;
        for step in steps {
            let mut entry = Entry::of("", step.line);
            self.pass(step, 0, &mut entry)?;
            self.remember(step);
        }
        let queues = self.queues.drain();
        self.rooms = queues.map(|(name, queue)| (name, queue.most)).collect();
        self.known.clear();
        self.names.clear();
        Ok(())
    }

    fn entry(&mut self, step: &'s Step) -> Result<Entry<'s>, Trouble> {
        let position = self.counts[step.process] + 1;
        let processes = &self.simulation.processes;
        let name = |process: usize| Cow::Borrowed(processes[process].as_str());
        let mut entry = Entry::of(name(step.process), step.line);
        entry.label = Some(Cow::Borrowed(self.statement(step).text));
        if position == 1
            && let Some(&(creator, at)) = self.started.get(&step.process)
        {
            entry.after.push(Earlier::new(name(creator), at));
        }
        for &child in &self.simulation.starts[step.starts.clone()] {
            self.started.insert(child, (step.process, position));
        }
        self.pass(step, position, &mut entry)?;
        entry.reads = self.reads(step);
        let writes = self.writes(step);
        self.remember(step);
        entry.sets = writes;
        let written = |name: &Cow<'_, str>| entry.sets.iter().any(|(other, _)| other == name);
        entry.reads.retain(|name| !written(name));
        self.counts[step.process] = position;
        Ok(entry)
    }

    /// Keeps what is printed behind a step.
    fn remember(&mut self, step: &Step) {
        for held in self.holds(step) {
            self.known.insert((held.pid, held.name), held.value);
        }
    }

    /// What the process of a step knows under a name.
    fn number(&self, pid: u32, name: &str) -> Option<i64> {
        if name == "_pid" {
            return Some(i64::from(pid));
        }
        let held = |pid| self.known.get(&(pid, name));
        held(Some(pid)).or_else(|| held(None))?.parse().ok()
    }

    /// The shared variables that a mention may stand for: one, or all elements if its index is not known.
    fn meant(&self, pid: u32, mention: Mention<'s>, reads: &mut Vec<Cow<'s, str>>) {
        match self.named(pid, mention) {
            Some(name) => {
                let known = self.shared.get(&*name);
                reads.extend(known.map(|&name| Cow::Borrowed(name)));
            }
            None => {
                let elements = format!("{}[", mention.name);
                let from = (Bound::Included(&*elements), Bound::Unbounded);
                let all = self.shared.range::<str, _>(from);
                let all = all.take_while(|name| name.starts_with(&elements));
                reads.extend(all.map(|&name| Cow::Borrowed(name)));
            }
        }
    }

    /// The shared variables a step reads. What `else` depends on is not printed, so it depends on all.
    fn reads(&self, step: &Step) -> Vec<Cow<'s, str>> {
        let statement = self.statement(step);
        if statement.is_else() {
            return self.shared.iter().map(|&name| name.into()).collect();
        }
        let mut reads = Vec::new();
        for &mention in &statement.mentions {
            self.meant(step.pid, mention, &mut reads);
        }
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// What a step writes. Elements of arrays are printed together, some lines belong to the step that follows, and what
    /// is set to what it was is not printed at all.
    fn writes(&mut self, step: &Step) -> Vec<(Cow<'s, str>, Datum<'s>)> {
        let mut writes: Vec<(Cow<'s, str>, Datum<'s>)> = Vec::new();
        let is_due = |held: &mut Owned<&str>| held.pid.is_none_or(|pid| pid == step.pid);
        for held in self.pending.extract_if(.., is_due) {
            writes.push((held.name.into(), datum(held.value)));
        }
        let assigned = &self.statement(step).assigned;
        let targets = assigned
            .iter()
            .filter_map(|&mention| self.named(step.pid, mention));
        let targets: Vec<Cow<'s, str>> = targets.collect();
        for held in self.holds(step) {
            let Owned { pid, name, value } = held;
            let base = name.split('[').next().unwrap_or(name);
            let is_assigned = assigned.iter().any(|mention| mention.name == base);
            if !is_assigned || pid.is_some_and(|pid| pid != step.pid) {
                self.pending.push(held);
                continue;
            }
            let before = self.known.get(&(pid, name));
            let is_target = targets.iter().any(|target| target == name);
            if is_target || before.is_some_and(|before| *before != value) {
                writes.retain(|(other, _)| other != name);
                writes.push((name.into(), datum(value)));
            } else if before.is_none() && value != "0" {
                let full = match pid {
                    Some(_) => format!("{}.{name}", self.simulation.processes[step.process]),
                    None => name.to_owned(),
                };
                self.inits.entry(full).or_insert((datum(value), step.line));
            }
        }
        for name in targets {
            let is_written = writes.iter().any(|(other, _)| *other == name);
            if !is_written && self.shared.contains(&*name) && !self.is_local(step.pid, &name) {
                let before = self.known.get(&(None, &*name)).copied();
                writes.push((name, datum(before.unwrap_or("0"))));
            }
        }
        writes
    }

    /// Whether a process has a variable of its own with a name.
    fn is_local(&self, pid: u32, name: &str) -> bool {
        self.known.contains_key(&(Some(pid), name))
    }

    /// The name of what is meant, if its index is known.
    fn named(&self, pid: u32, mention: Mention<'s>) -> Option<Cow<'s, str>> {
        let Some(index) = mention.index else {
            return Some(Cow::Borrowed(mention.name));
        };
        let index = value(index, &|name| self.number(pid, name))?;
        Some(Cow::Owned(format!("{}[{index}]", mention.name)))
    }

    /// Matches what a step sends or receives.
    fn pass(&mut self, step: &Step, position: u32, entry: &mut Entry<'s>) -> Result<(), Trouble> {
        let simulation = self.simulation;
        for queue in simulation.owned(&simulation.queues[step.queues.clone()]) {
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
        let told = simulation.text(step.content);
        let room = self.rooms.get(key).copied();
        let queue = self.queues.entry(key).or_default();
        let this = (step.process, position);
        let mut after = Vec::new();
        match pass {
            Pass::Send => {
                queue.sent += 1;
                let content = told.map_or(String::new(), |text| format!(" {text}"));
                let name = format!("queue {key} #{}{content}", queue.sent);
                entry.sends.push(Cow::Owned(name.clone()));
                after.extend(queue.last_send.replace(this));
                let waits = room.and_then(|room| queue.sent.checked_sub(room + 1));
                after.extend(waits.and_then(|at| queue.receives.get(at)));
                queue.waiting.push_back((name, told));
                queue.most = queue.most.max(queue.waiting.len());
            }
            Pass::Receive | Pass::Copy | Pass::Fetch => {
                let fits = |(_, content): &(String, Option<&str>)| {
                    pass != Pass::Fetch || (content.is_some() && *content == told)
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
                entry.recvs.push(Cow::Owned(name));
            }
        }
        let others = after
            .into_iter()
            .filter(|(process, _)| *process != step.process);
        entry.after.extend(
            others.map(|(process, at)| {
                Earlier::new(Cow::Borrowed(&simulation.processes[process]), at)
            }),
        );
        Ok(())
    }

    fn refused(&self, step: &Step, message: &str, expected: &str) -> Trouble {
        Trouble::of_line(
            step.line,
            &format!("[{}]", self.statement(step).text),
            message,
            expected,
        )
        .with_help("let Spin say which queues are meant: `spin -p -g -l -s -r`")
    }

    /// The number of the queue that a statement names, if it was printed somewhere. A name alone is not enough: two
    /// processes may have the same name for different queues.
    fn queue_of(&self, step: &Step, channel: &'s str) -> Option<&'s str> {
        if step.queue.is_some() {
            return self.simulation.text(step.queue);
        }
        let first = mentions(channel).first().copied()?;
        let name = self.named(step.pid, first)?;
        let known = |pid| self.names.get(&(pid, &*name));
        known(Some(step.pid)).or_else(|| known(None)).copied()
    }
}

/// A value as it was printed: a number, or the name of a message type.
fn datum(text: &str) -> Datum<'_> {
    match text.parse() {
        Ok(number) => Datum::int(number),
        Err(_) => Datum::Text(text.into()),
    }
}
