//! The steps of a simulation one after the other: what they read and wrote, and which message is which.
//!
//! A queue of Promela keeps its order: the n-th receive gets the n-th message, each send comes after the send before it,
//! and each receive after the receive before it. A send waits while the queue is full. How long a queue is does not stand
//! in the output, so the most it ever held is taken for that: every order that is checked could have happened.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::super::entry::{Datum, Earlier, Entry};
use super::super::scribe::Scribe;
use super::super::trouble::Trouble;
use super::terms::{Mention, mentions, target, value};

/// One step as it was printed.
#[derive(Default, Debug)]
pub(super) struct Step {
    pub(super) line: u32,
    pub(super) pid: u32,
    /// Which process it is of all that there were.
    pub(super) process: usize,
    pub(super) statement: String,
    /// What it sent or received, if that was printed.
    pub(super) content: Option<String>,
    /// Through which queue, if that was printed.
    pub(super) queue: Option<String>,
    /// The processes it started.
    pub(super) starts: Vec<usize>,
    /// What variables hold after it, of a process or global.
    pub(super) holds: Vec<Held>,
    /// The names of queues, to a process or to all.
    pub(super) queues: Vec<(Option<u32>, String, String)>,
}

/// All that was read.
#[derive(Default, Debug)]
pub(super) struct Simulation {
    pub(super) processes: Vec<String>,
    pub(super) steps: Vec<Step>,
}

impl Simulation {
    /// Tells the run.
    pub(super) fn tell(&self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let mut replay = Replay::new(self);
        scribe.declare_processes(&self.processes).map_err(|fault| {
            Trouble::at(1, "", 0..0, fault.to_string(), "expected each process once")
        })?;
        replay
            .shared
            .iter()
            .for_each(|name| scribe.declare_shared(name));
        scribe.declare_observed();
        replay.measure()?;
        for step in &self.steps {
            let entry = replay.entry(step)?;
            scribe.add(&entry)?;
        }
        for (name, (datum, line)) in &replay.inits {
            scribe.init(name, datum, *line);
        }
        if let Some(step) = self
            .steps
            .iter()
            .find(|step| target(&step.statement).is_some_and(|target| target.name.contains('.')))
        {
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
    /// The global variables that change, elements of arrays one by one.
    shared: BTreeSet<String>,
    /// What variables hold, those of a process by its pid.
    known: HashMap<(Option<u32>, String), String>,
    /// What was printed before the step that did it.
    pending: Vec<Held>,
    inits: BTreeMap<String, (Datum<'static>, u32)>,
    /// How many events each process has.
    counts: Vec<u32>,
    /// The event that started each process.
    started: HashMap<usize, (usize, u32)>,
    names: HashMap<(Option<u32>, String), String>,
    queues: HashMap<String, Queue>,
    /// The most that each queue holds at a time.
    rooms: HashMap<String, usize>,
    /// The first statement of each kind that looks at queues.
    unseen: BTreeMap<&'static str, u32>,
}

/// A variable of a process or a global one, and its value.
type Held = (Option<u32>, String, String);

/// A queue: what is in it, and the events that came last.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(String, Option<String>)>,
    sent: usize,
    last_send: Option<(usize, u32)>,
    receives: Vec<(usize, u32)>,
    most: usize,
}

/// What a statement does with a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Send,
    Receive,
    /// Any message that fits, not only the first.
    Fetch,
    /// The message stays.
    Copy,
}

impl<'s> Replay<'s> {
    fn new(simulation: &'s Simulation) -> Self {
        let held = simulation.steps.iter().flat_map(|step| &step.holds);
        let global = held.filter(|(pid, ..)| pid.is_none());
        Replay {
            simulation,
            shared: global.map(|(_, name, _)| name.clone()).collect(),
            known: HashMap::new(),
            pending: Vec::new(),
            inits: BTreeMap::new(),
            counts: vec![0; simulation.processes.len()],
            started: HashMap::new(),
            names: HashMap::new(),
            queues: HashMap::new(),
            rooms: HashMap::new(),
            unseen: BTreeMap::new(),
        }
    }

    /// Finds out how much each queue holds at most, by a first replay of the queues alone.
    fn measure(&mut self) -> Result<(), Trouble> {
        let steps = &self.simulation.steps;
        for step in steps {
            let mut entry = Entry::of("", step.line);
            self.pass(step, 0, &mut entry)?;
            self.remember(step);
        }
        let queues = std::mem::take(&mut self.queues).into_iter();
        self.rooms = queues.map(|(name, queue)| (name, queue.most)).collect();
        self.known.clear();
        self.names.clear();
        Ok(())
    }

    fn entry(&mut self, step: &'s Step) -> Result<Entry<'s>, Trouble> {
        let position = self.counts[step.process] + 1;
        let name = |process: usize| Cow::Borrowed(self.simulation.processes[process].as_str());
        let mut entry = Entry::of(name(step.process), step.line);
        entry.label = Some(Cow::Borrowed(&step.statement));
        if position == 1
            && let Some(&(creator, at)) = self.started.get(&step.process)
        {
            entry.after.push(Earlier::new(name(creator), at));
        }
        for &child in &step.starts {
            self.started.insert(child, (step.process, position));
        }
        self.pass(step, position, &mut entry)?;
        entry.reads = self.reads(step).into_iter().map(Cow::Owned).collect();
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
        for (pid, name, value) in &step.holds {
            self.known.insert((*pid, name.clone()), value.clone());
        }
    }

    /// What the process of a step knows under a name.
    fn number(&self, pid: u32, name: &str) -> Option<i64> {
        if name == "_pid" {
            return Some(i64::from(pid));
        }
        let held = |pid| self.known.get(&(pid, name.to_owned()));
        held(Some(pid)).or_else(|| held(None))?.parse().ok()
    }

    /// The shared variables that a mention may stand for: one, or all elements if its index is not known.
    fn meant(&self, pid: u32, mention: Mention<'_>) -> Vec<String> {
        let Some(index) = mention.index else {
            let name = mention.name.to_owned();
            return self.shared.get(&name).cloned().into_iter().collect();
        };
        match value(index, &|name| self.number(pid, name)) {
            Some(index) => {
                let name = format!("{}[{index}]", mention.name);
                self.shared.get(&name).cloned().into_iter().collect()
            }
            None => {
                let elements = format!("{}[", mention.name);
                let all = self.shared.range(elements.clone()..);
                let all = all.take_while(|name| name.starts_with(&elements));
                all.cloned().collect()
            }
        }
    }

    /// The shared variables a step reads. What `else` depends on is not printed, so it depends on all.
    fn reads(&self, step: &Step) -> Vec<String> {
        if ["else", "timeout"].contains(&step.statement.as_str()) {
            return self.shared.iter().cloned().collect();
        }
        let own = mentions(&step.statement).into_iter();
        let mut reads: Vec<String> = own.flat_map(|one| self.meant(step.pid, one)).collect();
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// What a step writes. Elements of arrays are printed together, some lines belong to the step that follows, and what
    /// is set to what it was is not printed at all.
    fn writes(&mut self, step: &'s Step) -> Vec<(Cow<'s, str>, Datum<'s>)> {
        let mut writes: Vec<(Cow<'s, str>, Datum<'s>)> = Vec::new();
        let is_due = |(pid, ..): &mut Held| pid.is_none_or(|pid| pid == step.pid);
        let due: Vec<_> = self.pending.extract_if(.., is_due).collect();
        for (_, name, value) in due {
            writes.push((Cow::Owned(name), datum(Cow::Owned(value))));
        }
        let assigned = assigned(&step.statement);
        let targets = assigned
            .iter()
            .flat_map(|&mention| self.named(step.pid, mention));
        let targets: Vec<String> = targets.collect();
        for (pid, name, value) in &step.holds {
            let base = name.split('[').next().unwrap_or(name);
            let is_assigned = assigned.iter().any(|mention| mention.name == base);
            if !is_assigned || pid.is_some_and(|pid| pid != step.pid) {
                self.pending.push((*pid, name.clone(), value.clone()));
                continue;
            }
            let before = self.known.get(&(*pid, name.clone()));
            if targets.contains(name) || before.is_some_and(|before| before != value) {
                writes.retain(|(other, _)| other != name);
                writes.push((Cow::Borrowed(name), datum(Cow::Borrowed(value))));
            } else if before.is_none() && value != "0" {
                let full = match pid {
                    Some(_) => format!("{}.{name}", self.simulation.processes[step.process]),
                    None => name.clone(),
                };
                let value = datum(Cow::Owned(value.clone()));
                self.inits.entry(full).or_insert((value, step.line));
            }
        }
        for name in targets {
            let is_written = writes.iter().any(|(other, _)| *other == name);
            if !is_written && self.shared.contains(&name) && !self.is_local(step.pid, &name) {
                let before = self.known.get(&(None, name.clone())).cloned();
                let value = datum(Cow::Owned(before.unwrap_or_else(|| "0".to_owned())));
                writes.push((Cow::Owned(name), value));
            }
        }
        writes
    }

    /// Whether a process has a variable of its own with a name.
    fn is_local(&self, pid: u32, name: &str) -> bool {
        self.known.contains_key(&(Some(pid), name.to_owned()))
    }

    /// The name of what is assigned, if its index is known.
    fn named(&self, pid: u32, mention: Mention<'_>) -> Option<String> {
        let Some(index) = mention.index else {
            return Some(mention.name.to_owned());
        };
        let index = value(index, &|name| self.number(pid, name))?;
        Some(format!("{}[{index}]", mention.name))
    }

    /// Matches what a step sends or receives.
    fn pass(&mut self, step: &Step, position: u32, entry: &mut Entry<'_>) -> Result<(), Trouble> {
        for (pid, name, queue) in &step.queues {
            self.names.insert((*pid, name.clone()), queue.clone());
        }
        self.note_looks(step);
        let Some((channel, pass, sorts)) = passing(&step.statement) else {
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
        let room = self.rooms.get(&key).copied();
        let queue = self.queues.entry(key.clone()).or_default();
        let this = (step.process, position);
        let mut after = Vec::new();
        match pass {
            Pass::Send => {
                queue.sent += 1;
                let content = step
                    .content
                    .as_deref()
                    .map_or(String::new(), |text| format!(" {text}"));
                let name = format!("queue {key} #{}{content}", queue.sent);
                entry.sends.push(Cow::Owned(name.clone()));
                after.extend(queue.last_send.replace(this));
                let waits = room.and_then(|room| queue.sent.checked_sub(room + 1));
                after.extend(waits.and_then(|at| queue.receives.get(at)));
                queue.waiting.push_back((name, step.content.clone()));
                queue.most = queue.most.max(queue.waiting.len());
            }
            Pass::Receive | Pass::Copy | Pass::Fetch => {
                let fits = |(_, content): &(String, Option<String>)| {
                    pass != Pass::Fetch || (content.is_some() && *content == step.content)
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
        entry.after.extend(others.map(|(process, at)| {
            Earlier::new(Cow::Owned(self.simulation.processes[process].clone()), at)
        }));
        Ok(())
    }

    fn refused(&self, step: &Step, message: &str, expected: &str) -> Trouble {
        Trouble::of_line(
            step.line,
            &format!("[{}]", step.statement),
            message,
            expected,
        )
        .with_help("let Spin say which queues are meant: `spin -p -g -l -s -r`")
    }

    /// The number of the queue that a statement names, if it was printed somewhere. A name alone is not enough: two
    /// processes may have the same name for different queues.
    fn queue_of(&self, step: &Step, channel: &str) -> Option<String> {
        if step.queue.is_some() {
            return step.queue.clone();
        }
        let first = mentions(channel).first().copied()?;
        let name = match first.index {
            None => first.name.to_owned(),
            Some(index) => {
                let index = value(index, &|name| self.number(step.pid, name))?;
                format!("{}[{index}]", first.name)
            }
        };
        let known = |pid| self.names.get(&(pid, name.clone()));
        known(Some(step.pid)).or_else(|| known(None)).cloned()
    }

    fn note_looks(&mut self, step: &Step) {
        for look in ["len(", "nfull(", "full(", "nempty(", "empty(", "?["] {
            if step.statement.contains(look) {
                self.unseen
                    .entry(look.trim_end_matches('('))
                    .or_insert(step.line);
                return;
            }
        }
    }
}

/// The variables that a statement assigns: the left side, or what a message is received into.
fn assigned(statement: &str) -> Vec<Mention<'_>> {
    match passing(statement) {
        Some((_, Pass::Send, _)) => Vec::new(),
        Some((channel, ..)) => mentions(&statement[channel.len()..]),
        None => target(statement).into_iter().collect(),
    }
}

/// The channel of a statement, what is done with it, and whether that sorts.
fn passing(statement: &str) -> Option<(&str, Pass, bool)> {
    let at = statement.find(['!', '?'])?;
    let (channel, rest) = statement.split_at(at);
    let is_channel = |c: char| c.is_ascii_alphanumeric() || "_.[]()+-*/%".contains(c);
    let starts = channel.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts
        || !channel.chars().all(is_channel)
        || rest.starts_with("!=")
        || rest.starts_with("?[")
    {
        return None;
    }
    let pass = match rest {
        rest if rest.starts_with('!') => Pass::Send,
        rest if rest.starts_with("??") => Pass::Fetch,
        rest if rest.starts_with("?<") => Pass::Copy,
        _ => Pass::Receive,
    };
    Some((channel, pass, rest.starts_with("!!")))
}

/// A value as it was printed: a number, or the name of a message type.
fn datum(text: Cow<'_, str>) -> Datum<'_> {
    match text.parse() {
        Ok(number) => Datum::int(number),
        Err(_) => Datum::Text(text),
    }
}
