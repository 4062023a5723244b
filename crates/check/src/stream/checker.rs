//! The second reading: every event gets its vector clock as it passes, and the searches that can see its process get it.
//!
//! ```text
//!  line --> Deed --> has all it waits for? --no--> behind the others of its process, until it has
//!                          | yes
//!                          v
//!          clock = own clock, messages, shared accesses; held against the clock recorded
//!                          |
//!                          +--> world: variables, steps, channels --> searches, which advance every so often
//! ```
//!
//! The lines of different processes may be mixed in any way, so a receive may stand before its send: it waits. The events
//! then pass in an order in which they can have happened. Only what is still to come is ever asked for: of a process its
//! last clock, of a message under way the clock of its sender, of a shared variable whose accesses are ordered as they
//! stand the clocks of the last write and of the reads since.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use causet_formula::FormulaError;
use causet_formula::names::{ProcRef, VarRef};
use causet_formula::value::Value;
use causet_solve::budget::{Budget, Spent};
use causet_trace::{
    BuildError, EventRef, Fault, MessageId, NewEvent, Place, ProcessId, Sink, TextId, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::goals::Goals;
use super::letters::Mark;
use super::mail::{Mail, UnderWay};
use super::outline::Outline;
use super::past::Past;
use super::search::{Passing, Search};
use super::world::World;
use crate::engine::EngineName;
use crate::outcome::{Outcome, Verdict};
use crate::prepare::race_error;
use crate::subject::{value_with, var_id};

/// The searches go on after so many events.
const PATIENCE: u64 = 256;

/// What is said with a verdict that an order of events would show.
const NO_ORDER: &str =
    "the run was not kept, so no order of its events is shown; check without --stream to see one";

/// Decides questions while the events pass.
pub struct Checker<'a> {
    outline: &'a Outline,
    goals: &'a Goals<'a>,
    budget: &'a Budget<'a>,
    searches: Vec<Result<Search<'a>, Spent>>,
    /// Per process: the searches that can see it, and the chain it is there.
    audience: Vec<Vec<(usize, usize)>>,
    /// Per variable: whether anyone looks at it.
    is_watched: Vec<bool>,
    labels: FxHashSet<Rc<str>>,
    part: u32,
    /// How many events have been read.
    read: u64,
    texts: Vec<Text>,
    clocks: Vec<Vec<u32>>,
    mail: Mail,
    /// Per process: the clocks of its events that others may still refer to.
    pasts: Vec<Past>,
    accesses: FxHashMap<VarId, Accesses>,
    /// The last writes of the shared variables that may race and must not.
    last_writes: FxHashMap<VarId, Option<(ProcessId, u32, Place)>>,
    races: FxHashMap<VarId, (String, String)>,
    world: World,
    /// Per process: the events that wait, the first of them for something that has not passed.
    waiting: Vec<VecDeque<Deed>>,
    /// The processes with events that wait.
    blocked: Vec<usize>,
    spare: Deed,
    passed: u64,
    spent: Option<Spent>,
}

/// How the second reading ended.
#[derive(Debug)]
pub enum Ending {
    /// One outcome per question.
    Decided(Vec<Outcome>),
    /// Variables have no defined value: what is wrong, with the number of the question.
    Refused(Vec<(usize, FormulaError)>),
}

/// A text of a block.
struct Text {
    value: Value,
    /// The same, if it is a label someone looks at.
    label: Option<Rc<str>>,
}

/// The last write of a shared variable and the reads since, as the clocks of those events.
#[derive(Default)]
struct Accesses {
    write: Option<Rc<[u32]>>,
    reads: Vec<(ProcessId, Rc<[u32]>)>,
}

/// An event, as far as anyone looks at it.
#[derive(Clone, Default)]
struct Deed {
    process: usize,
    place: Option<Place>,
    label: Option<Rc<str>>,
    wrote: Vec<VarId>,
    values: Vec<Value>,
    reads: Vec<VarId>,
    sends: Vec<MessageId>,
    to: Vec<ProcessId>,
    recvs: Vec<MessageId>,
    after: Vec<(ProcessId, u32)>,
    has_clock: bool,
    clock: Vec<(ProcessId, u32)>,
}

impl<'a> Checker<'a> {
    /// Nothing has passed yet.
    pub fn new(
        outline: &'a Outline,
        goals: &'a Goals<'a>,
        budget: &'a Budget<'a>,
    ) -> Result<Self, String> {
        let processes = outline.process_count();
        let mut searches = Vec::with_capacity(goals.automata.len());
        for compiled in &goals.automata {
            searches.push(match compiled {
                Ok(compiled) => Ok(Search::new(compiled, outline)?),
                Err(spent) => Err(*spent),
            });
        }
        let mut channels = Vec::new();
        for search in searches.iter().flatten() {
            channels.extend_from_slice(&search.watch.channels);
        }
        channels.sort_unstable();
        channels.dedup();
        let mut checker = Checker {
            outline,
            goals,
            budget,
            searches,
            audience: vec![Vec::new(); processes],
            is_watched: vec![false; outline.directory.variable_count()],
            labels: FxHashSet::default(),
            part: 0,
            read: 0,
            texts: Vec::new(),
            clocks: vec![vec![0; processes]; processes],
            mail: Mail::default(),
            pasts: (0..processes as u32)
                .map(|process| Past::new(outline.followers(ProcessId::new(process))))
                .collect(),
            accesses: FxHashMap::default(),
            last_writes: FxHashMap::default(),
            races: FxHashMap::default(),
            world: World::new(outline, &channels),
            waiting: vec![VecDeque::new(); processes],
            blocked: Vec::new(),
            spare: Deed::default(),
            passed: 0,
            spent: None,
        };
        checker.watch();
        checker.advance();
        Ok(checker)
    }

    /// Notes who looks at what.
    fn watch(&mut self) {
        for (number, search) in self.searches.iter().enumerate() {
            let Ok(search) = search else { continue };
            for (chain, watched) in search.watch.chains.iter().enumerate() {
                self.audience[watched.process.index()].push((number, chain));
                for (_, mark) in &watched.marks {
                    if let Mark::Label(label) = mark {
                        self.labels.insert(label.clone());
                    }
                }
            }
        }
        for question in &self.goals.questions {
            let lowered = &question.lowered;
            for &(var, _) in lowered.mentions.iter().chain(&lowered.written) {
                self.is_watched[var_id(var).index()] = true;
            }
            for var in lowered.mentions.iter().map(|&(var, _)| var_id(var)) {
                if self.outline.owner(var).is_none() && self.outline.writers(var).len() > 1 {
                    self.last_writes.insert(var, None);
                }
            }
        }
    }

    /// Says that nothing more will pass, because a limit was reached.
    pub fn stop(&mut self, spent: Spent) {
        self.spent = Some(spent);
    }

    /// The outcomes, after all that was wanted has passed.
    pub fn finish(mut self) -> Result<Ending, BuildError> {
        if !self.races.is_empty() {
            return Ok(Ending::Refused(self.refusals()));
        }
        if self.spent.is_none() && !self.is_decided() {
            self.check_waiting()?;
            if self.read != self.outline.events() {
                return Err(self.changed());
            }
            for search in self.searches.iter_mut().flatten() {
                search.end().map_err(|reason| unplaced(&reason))?;
            }
            self.advance();
        }
        let outcomes = (0..self.goals.tasks.len()).map(|number| self.outcome(number));
        Ok(Ending::Decided(outcomes.collect()))
    }

    /// The second reading met other events than the first.
    fn changed(&self) -> BuildError {
        let (now, before) = (self.read, self.outline.events());
        let kind = Fault::NotInPassing {
            message: format!("the run had {before} events when it was first read, and now {now}"),
            help: "check a copy that nobody writes to, or check without --stream",
        };
        fault(Place { part: 0, line: 0 }, "", "", kind)
    }

    /// How many events the largest window of a search had.
    pub fn largest_window(&self) -> u64 {
        let searches = self.searches.iter().flatten();
        searches
            .map(|search| search.figures().window)
            .max()
            .unwrap_or(0)
    }

    fn refusals(&self) -> Vec<(usize, FormulaError)> {
        let mut refusals = Vec::new();
        for (number, question) in self.goals.questions.iter().enumerate() {
            for &(var, span) in &question.lowered.mentions {
                if let Some((first, second)) = self.races.get(&var_id(var)) {
                    let name = self.name_of(var);
                    refusals.push((number, race_error(span, &name, first, second)));
                }
            }
        }
        refusals
    }

    fn name_of(&self, var: VarRef) -> String {
        use causet_formula::names::Names;
        let name = Names::variable(self.outline, var);
        name.map_or_else(String::new, |name| name.name)
    }

    /// Nothing may wait any more.
    fn check_waiting(&self) -> Result<(), BuildError> {
        let heads = self.blocked.iter().filter_map(|&p| self.waiting[p].front());
        let Some(first) = heads.min_by_key(|deed| deed.place) else {
            return Ok(());
        };
        let place = first.place.unwrap_or(Place { part: 0, line: 0 });
        let mut messages = first.recvs.iter().copied();
        let Some(missing) = messages.find(|&message| !self.mail.is_sent(message)) else {
            let kind = Fault::NotInPassing {
                message: "this event and others wait for each other".to_owned(),
                help: "check without --stream: the cycle is then shown",
            };
            return Err(fault(place, "", "", kind));
        };
        let name = self.mail.called(missing).to_owned();
        let kind = Fault::NotInPassing {
            message: format!(
                "message `{name}` is received, but nobody sends it, or it has reached all it was sent to"
            ),
            help: "say in `to` who gets a message that several receive, or check without --stream",
        };
        Err(fault(place, "recv", &name, kind))
    }

    fn outcome(&self, number: usize) -> Outcome {
        let task = &self.goals.tasks[number];
        let mut divided_by_zero = task.divided_by_zero;
        let mut spent = None;
        let mut stats: BTreeMap<&'static str, u64> = BTreeMap::new();
        stats.insert("events", self.outline.events());
        task.answer.each_search(&mut |search| {
            let search = match &self.searches[search] {
                Ok(search) => search,
                Err(reached) => {
                    spent = Some(*reached);
                    return;
                }
            };
            divided_by_zero |= search.divided_by_zero();
            spent = spent.or(search.spent());
            let figures = search.figures();
            *stats.entry("visible").or_default() += figures.visible;
            *stats.entry("states").or_default() += figures.counts.states;
            *stats.entry("transitions").or_default() += figures.counts.transitions;
            let window = stats.entry("window").or_default();
            *window = figures.window.max(*window);
        });
        let holds = self.truth(number);
        let spent = spent.or(self.spent).unwrap_or(Spent::Cancelled);
        Outcome {
            verdict: match holds {
                Some(true) => Verdict::Holds,
                Some(false) => Verdict::Violated,
                None => Verdict::Unknown(spent),
            },
            engine: holds.map(|_| EngineName::Guided),
            witness: None,
            notes: match holds {
                Some(false) => vec![NO_ORDER.to_owned()],
                _ => Vec::new(),
            },
            divided_by_zero,
            stats,
            steps: Vec::new(),
            parts: 0,
        }
    }

    fn truth(&self, question: usize) -> Option<bool> {
        let found = |search: usize| self.searches[search].as_ref().ok()?.found();
        self.goals.tasks[question].answer.truth(&found)
    }

    /// Whether nothing that may still come changes an answer.
    fn is_decided(&self) -> bool {
        let is_given_up = |search: usize| match &self.searches[search] {
            Ok(search) => search.is_over(),
            Err(_) => true,
        };
        let mut questions = 0..self.goals.tasks.len();
        questions.all(|number| {
            let mut all_over = true;
            let answer = &self.goals.tasks[number].answer;
            answer.each_search(&mut |search| all_over &= is_given_up(search));
            all_over || self.truth(number).is_some()
        })
    }

    fn advance(&mut self) {
        for search in self.searches.iter_mut().flatten() {
            search.advance(self.budget);
            match search.spent() {
                Some(Spent::Memory) | None => {}
                reached => self.spent = reached,
            }
        }
    }

    /// Whether all that an event waits for has passed.
    fn is_ready(&self, deed: &Deed) -> bool {
        let has_passed = |&(process, count): &(ProcessId, u32)| {
            let is_next = process.index() == deed.process && deed.has_clock;
            self.world.steps[process.index()] + u32::from(is_next) >= count
        };
        let is_sent = |&message: &MessageId| deed.has_clock || self.mail.is_sent(message);
        deed.recvs.iter().all(is_sent)
            && deed.clock.iter().all(has_passed)
            && deed.after.iter().all(has_passed)
    }

    /// Lets an event pass, or lets it wait.
    fn take(&mut self, deed: Deed) -> Result<(), BuildError> {
        let process = deed.process;
        if self.waiting[process].is_empty() && self.is_ready(&deed) {
            self.execute(&deed)?;
            self.spare = deed;
            return match self.blocked.is_empty() {
                true => Ok(()),
                false => self.wake(),
            };
        }
        if self.outline.directory.observed {
            let kind = Fault::NotInPassing {
                message: "the order of the lines is said to be that of the run, but this event comes after later ones"
                    .to_owned(),
                help: "put the line behind those it depends on, or check without --stream",
            };
            let place = deed.place.unwrap_or(Place { part: 0, line: 0 });
            return Err(fault(place, "", "", kind));
        }
        if self.waiting[process].is_empty() {
            self.blocked.push(process);
        }
        self.waiting[process].push_back(deed);
        Ok(())
    }

    /// Lets events pass that need not wait any more.
    fn wake(&mut self) -> Result<(), BuildError> {
        loop {
            let is_ready = |&&process: &&usize| {
                let head = self.waiting[process].front();
                head.is_none_or(|deed| self.is_ready(deed))
            };
            let Some(&process) = self.blocked.iter().find(is_ready) else {
                return Ok(());
            };
            match self.waiting[process].pop_front() {
                Some(deed) => self.execute(&deed)?,
                None => self.blocked.retain(|&other| other != process),
            }
        }
    }

    /// An event happens.
    fn execute(&mut self, deed: &Deed) -> Result<(), BuildError> {
        let own = deed.process;
        let mut clock = std::mem::take(&mut self.clocks[own]);
        self.receive(deed, &mut clock)?;
        for &(process, number) in &deed.after {
            self.pasts[process.index()].join(process, number, &mut clock);
        }
        self.follow_accesses(deed, &mut clock);
        clock[own] += 1;
        self.compare_clock(deed, &mut clock)?;
        let mut shared: Option<Rc<[u32]>> = None;
        let mut copy = || {
            shared
                .get_or_insert_with(|| clock.as_slice().into())
                .clone()
        };
        self.send(deed, &mut copy)?;
        self.note_accesses(deed, &mut copy);
        self.pasts[own].note(own, &clock, &mut copy);
        self.note_writes(deed, &clock);
        for (&var, value) in deed.wrote.iter().zip(&deed.values) {
            self.world.write(var, value.clone());
        }
        self.world.steps[own] += 1;
        let event = Passing {
            position: clock[own],
            clock: &clock,
            label: deed.label.as_deref(),
            wrote: &deed.wrote,
        };
        for &(search, chain) in &self.audience[own] {
            if let Ok(search) = &mut self.searches[search] {
                let passed = search.pass(chain, &event, &self.world);
                passed.map_err(|reason| unplaced(&reason))?;
            }
        }
        self.clocks[own] = clock;
        self.passed += 1;
        if self.passed.is_multiple_of(PATIENCE) {
            self.advance();
            self.forget_pasts();
            if let Err(reached) = self.budget.look() {
                self.spent = Some(reached);
            }
        }
        Ok(())
    }

    /// Takes over what the senders of the messages received knew.
    fn receive(&mut self, deed: &Deed, clock: &mut [u32]) -> Result<(), BuildError> {
        let by = ProcessId::new(deed.process as u32);
        for &message in &deed.recvs {
            let name = self.mail.called(message).to_owned();
            let Some(arrived) = self.mail.receive(message, by) else {
                if deed.has_clock {
                    // The clock says what the message would have.
                    continue;
                }
                let kind = Fault::NotInPassing {
                    message: format!("message `{name}` has reached all it was sent to before"),
                    help: "say in `to` who gets a message that several receive, or check without --stream",
                };
                return Err(deed.fault("recv", &name, kind));
            };
            join(clock, &arrived.clock);
            let ends = (ProcRef(arrived.sender.raw()), ProcRef(by.raw()));
            let mut channels = self.world.channels.iter_mut();
            if let Some(channel) = channels.find(|channel| (channel.from, channel.to) == ends) {
                if !arrived.addressed.contains(&by) {
                    return Err(deed.fault("recv", &name, unaddressed(&name)));
                }
                let left = arrived.left.unwrap_or_default();
                channel.received += i64::from(left.contains(&by));
            }
        }
        Ok(())
    }

    fn send(&mut self, deed: &Deed, copy: &mut dyn FnMut() -> Rc<[u32]>) -> Result<(), BuildError> {
        if deed.sends.is_empty() {
            return Ok(());
        }
        let own = ProcessId::new(deed.process as u32);
        let mut destinations = deed.to.clone();
        destinations.sort_unstable();
        destinations.dedup();
        for channel in self.world.channels_of(own) {
            if channel.from.0 != own.raw() {
                continue;
            }
            if destinations.is_empty() {
                let name = self.mail.called(deed.sends[0]).to_owned();
                return Err(deed.fault("send", &name, unaddressed(&name)));
            }
            if destinations.contains(&ProcessId::new(channel.to.0)) {
                channel.sent += deed.sends.len() as i64;
            }
        }
        for &message in &deed.sends {
            let under_way = UnderWay {
                sender: own,
                place: deed.place.unwrap_or(Place { part: 0, line: 0 }),
                clock: copy(),
                left: (!destinations.is_empty()).then(|| destinations.clone()),
                addressed: destinations.as_slice().into(),
            };
            let name = || self.mail.called(message).to_owned();
            let name = name();
            if let Err(first) = self.mail.send(message, under_way) {
                let kind = Fault::SentTwice {
                    message: name.clone(),
                    first,
                };
                return Err(deed.fault("send", &name, kind));
            }
        }
        Ok(())
    }

    /// Takes over what the earlier accesses knew with which this event's accesses conflict.
    fn follow_accesses(&self, deed: &Deed, clock: &mut [u32]) {
        if !self.outline.directory.observed {
            return;
        }
        for var in deed.reads.iter().filter(|var| !deed.wrote.contains(var)) {
            let write = self
                .accesses
                .get(var)
                .and_then(|known| known.write.as_ref());
            if let Some(write) = write {
                join(clock, write);
            }
        }
        for accesses in deed.wrote.iter().filter_map(|var| self.accesses.get(var)) {
            let reads = accesses.reads.iter().map(|(_, read)| read);
            for earlier in reads.chain(&accesses.write) {
                join(clock, earlier);
            }
        }
    }

    fn note_accesses(&mut self, deed: &Deed, copy: &mut dyn FnMut() -> Rc<[u32]>) {
        if !self.outline.directory.observed {
            return;
        }
        let own = ProcessId::new(deed.process as u32);
        for &var in deed.reads.iter().filter(|var| !deed.wrote.contains(var)) {
            let reads = &mut self.accesses.entry(var).or_default().reads;
            reads.retain(|(process, _)| *process != own);
            reads.push((own, copy()));
        }
        for &var in &deed.wrote {
            if self.outline.owner(var).is_none() {
                let accesses = self.accesses.entry(var).or_default();
                accesses.reads.clear();
                accesses.write = Some(copy());
            }
        }
    }

    /// Holds the clock that was recorded against what is known, and believes it where it says more.
    fn compare_clock(&self, deed: &Deed, clock: &mut [u32]) -> Result<(), BuildError> {
        if !deed.has_clock {
            return Ok(());
        }
        for &(process, count) in &deed.clock {
            if process.index() != deed.process && self.world.steps[process.index()] == count {
                join(clock, &self.clocks[process.index()]);
            }
        }
        let mut claimed = vec![0; clock.len()];
        for &(process, count) in &deed.clock {
            claimed[process.index()] = count;
        }
        let mut entries = claimed.iter().zip(clock.iter()).enumerate();
        let less =
            entries.find(|&(process, (says, known))| process != deed.process && says < known);
        if let Some((process, (&says, &follows))) = less {
            let directory = &self.outline.directory;
            let kind = Fault::ClockContradicts {
                entry: directory
                    .process_name(ProcessId::new(process as u32))
                    .to_owned(),
                says,
                follows,
            };
            let own = directory.process_name(ProcessId::new(deed.process as u32));
            return Err(deed.fault("clock", own, kind));
        }
        join(clock, &claimed);
        Ok(())
    }

    /// Forgets the clocks that nobody can learn from any more.
    fn forget_pasts(&mut self) {
        for (process, past) in self.pasts.iter_mut().enumerate() {
            past.forget(|follower| self.clocks[follower][process], &self.world.steps);
        }
    }

    /// Looks for writes that nothing orders.
    fn note_writes(&mut self, deed: &Deed, clock: &[u32]) {
        if self.last_writes.is_empty() {
            return;
        }
        let own = ProcessId::new(deed.process as u32);
        let place = deed.place.unwrap_or(Place { part: 0, line: 0 });
        for &var in &deed.wrote {
            let Some(last) = self.last_writes.get_mut(&var) else {
                continue;
            };
            let now = (own, clock[deed.process], place);
            let Some(before) = last.replace(now) else {
                continue;
            };
            if clock[before.0.index()] >= before.1 {
                continue;
            }
            let (directory, parts) = (&self.outline.directory, &self.outline.parts);
            let name = |(process, position, place): (ProcessId, u32, Place)| {
                directory.event_name(process, position, parts, place)
            };
            self.races.insert(var, (name(before), name(now)));
        }
    }

    /// What is left of an event when nobody looks at the rest.
    fn deed(&mut self, event: &NewEvent<'_>) -> Deed {
        let mut deed = std::mem::take(&mut self.spare);
        deed.process = event.process.index();
        deed.place = Some(self.place(event.line));
        let label = event
            .label
            .and_then(|label| self.texts[label.index()].label.as_ref());
        deed.label = label.cloned();
        deed.wrote.clear();
        deed.values.clear();
        let observed = self.outline.directory.observed;
        for write in event.writes {
            let is_ordered = observed && self.outline.owner(write.var).is_none();
            if self.is_watched[write.var.index()] || is_ordered {
                let texts = &self.texts;
                let value = value_with(write.value, |text| texts[text.index()].value.clone());
                deed.wrote.push(write.var);
                deed.values.push(value);
            }
        }
        refill(&mut deed.reads, if observed { event.reads } else { &[] });
        refill(&mut deed.sends, event.sends);
        refill(&mut deed.to, event.to);
        refill(&mut deed.recvs, event.recvs);
        deed.after.clear();
        deed.after
            .extend(event.after.iter().filter_map(|target| match *target {
                EventRef::Position(process, number) => Some((process, number)),
                // The first reading has refused it.
                EventRef::Name(_) => None,
            }));
        deed.has_clock = event.clock.is_some();
        refill(&mut deed.clock, event.clock.unwrap_or(&[]));
        deed
    }
}

impl Deed {
    fn fault(&self, field: &'static str, text: &str, kind: Fault) -> BuildError {
        let place = self.place.unwrap_or(Place { part: 0, line: 0 });
        fault(place, field, text, kind)
    }
}

fn refill<T: Copy>(list: &mut Vec<T>, items: &[T]) {
    list.clear();
    list.extend_from_slice(items);
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (own, &other) in clock.iter_mut().zip(other) {
        *own = other.max(*own);
    }
}

fn fault(place: Place, field: &'static str, text: &str, kind: Fault) -> BuildError {
    BuildError {
        place,
        field,
        text: text.to_owned(),
        kind,
    }
}

/// A search refuses an event whose clock is not that of the next one.
fn unplaced(reason: &str) -> BuildError {
    let kind = Fault::NotInPassing {
        message: format!("the events cannot be followed: {reason}"),
        help: "check without --stream",
    };
    fault(Place { part: 0, line: 0 }, "", "", kind)
}

fn unaddressed(name: &str) -> Fault {
    Fault::NotInPassing {
        message: format!("a channel counts message `{name}`, which does not say whom it is for"),
        help: "say in `to` who gets each message, or check without --stream",
    }
}

impl Sink for Checker<'_> {
    fn enter_part(&mut self, part: u32) {
        self.part = part;
    }

    fn start_block(&mut self) {
        self.texts.clear();
    }

    fn wants_more(&self) -> bool {
        // What may turn out to have no defined value must be seen to the end.
        let may_race = !self.last_writes.is_empty() && self.races.is_empty();
        self.spent.is_none() && (may_race || (self.races.is_empty() && !self.is_decided()))
    }

    fn place(&self, line: u32) -> Place {
        Place {
            part: self.part,
            line,
        }
    }

    fn declare_processes(&mut self, _names: &[String]) -> Result<(), Fault> {
        Ok(())
    }

    fn declare_shared(&mut self, _name: &str) {}

    fn declare_observed(&mut self) {}

    fn init(&mut self, _name: &str, _value: causet_trace::Value, _place: Place) {}

    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        let known = causet_formula::names::Names::process(self.outline, name);
        let changed = || Fault::UnknownProcess {
            name: name.to_owned(),
            nearest: None,
        };
        known
            .map(|process| ProcessId::new(process.0))
            .ok_or_else(changed)
    }

    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        self.process(name)
    }

    fn text(&mut self, text: &str) -> TextId {
        self.texts.push(Text {
            value: Value::text(text),
            label: self.labels.get(text).cloned(),
        });
        TextId::new(self.texts.len() as u32 - 1)
    }

    fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        let known = self.outline.directory.known_variable(process, name);
        known.unwrap_or(VarId::new(0))
    }

    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        self.outline.directory.shared_variable(name)
    }

    fn message(&mut self, id: &str) -> MessageId {
        self.mail.name(id)
    }

    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        self.read += 1;
        let deed = self.deed(event);
        self.take(deed)
    }

    fn end(&mut self, _process: ProcessId, _line: u32) -> Result<(), BuildError> {
        Ok(())
    }
}
