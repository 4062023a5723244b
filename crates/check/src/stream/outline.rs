//! The first reading: what a run is about, without its events.
//!
//! Kept are the names, of each variable a value of each type and how far each process writes it, of each label how far
//! each process carries it, and the number of events of each process. How far something goes matters in the second
//! reading: a search need not wait for a process that has nothing more to show.

use causet_base::Diagnostic;
use causet_base::value::{Value, ValueType};
use causet_formula::lower;
use causet_formula::names::{Names, ProcRef, VarRef, VariableName};
use causet_formula::property::{Lets, Property};
use causet_trace::{
    BuildError, EventRef, Fault, MessageId, NewEvent, Place, ProcessId, Sink, TextId, VarId,
};
use rustc_hash::FxHashMap;

use super::directory::Directory;
use crate::clock::Clock;
use crate::prepare::Question;
use crate::project::view::Track;
use crate::refusal::not_in_passing;
use crate::subject::var_id;
use crate::types::{self, Sample, Seen};

/// What a run is about.
#[derive(Default, Debug)]
pub struct Outline {
    /// What each part of the input is called.
    pub(super) parts: Vec<String>,
    part: u32,
    pub(super) directory: Directory,
    inits: Vec<(String, Value, Place)>,
    lanes: Vec<Lane>,
    variables: Vec<Noted>,
    labels: FxHashMap<Box<str>, Reach>,
    /// The texts of this block, and how far each process has carried them as labels.
    texts: Vec<(Box<str>, Reach)>,
    messages: u64,
    events: u64,
    /// All processes, without an end, when the run is still going on.
    everyone: Option<Reach>,
    /// About how many bytes the labels take, and what is noted of processes that write, carry or refer to something.
    noted: usize,
}

/// How far a process may still come when nobody knows.
const NO_END: u32 = u32::MAX;

/// Processes, each with the last of its positions that has something.
type Reach = Vec<(ProcessId, u32)>;

/// What is known of a process.
#[derive(Clone, Default, Debug)]
struct Lane {
    events: u32,
    ended: Option<Place>,
    /// Its last clock.
    clock: Clock,
    /// Where a clock first named it, if that was all that was known of it.
    named: Option<Place>,
    /// The largest number of its events that a clock counts, and where.
    claimed: Option<(u32, Place)>,
    /// The largest number of an event that `after` names, and where.
    followed: Option<(u32, Place)>,
    /// The processes that name its events in `after`, each with the position of the last event that does.
    followers: Reach,
}

/// What is known of the values of a variable.
#[derive(Clone, Default, Debug)]
struct Noted {
    kinds: Vec<ValueType>,
    samples: Vec<Sample>,
    /// The processes that write it, each with the position of its last write.
    writers: Reach,
}

impl Outline {
    /// Nothing has been read yet; what the parts of the input are called.
    pub fn new(parts: Vec<String>) -> Self {
        Outline {
            parts,
            ..Outline::default()
        }
    }

    /// Says that all has been read.
    pub fn finish(&mut self) -> Result<(), BuildError> {
        self.keep_labels();
        for (number, lane) in self.lanes.iter().enumerate() {
            let entry = self.directory.process_name(ProcessId::new(number as u32));
            let fault = |place, kind| BuildError {
                place,
                field: "clock",
                text: entry.to_owned(),
                kind,
            };
            if let Some(place) = lane.named {
                let kind = Fault::ClockUnknownProcess {
                    name: entry.to_owned(),
                    nearest: None,
                };
                return Err(fault(place, kind));
            }
            if let Some((count, place)) = lane.claimed.filter(|&(count, _)| count > lane.events) {
                let kind = Fault::ClockBeyondLog {
                    entry: entry.to_owned(),
                    count,
                    events: lane.events,
                };
                return Err(fault(place, kind));
            }
        }
        for (number, lane) in (0..).zip(&self.lanes) {
            if let Some((most, place)) = lane.followed.filter(|&(most, _)| most > lane.events) {
                return Err(self.no_such_event(ProcessId::new(number), most, place));
            }
        }
        for (name, value, place) in std::mem::take(&mut self.inits) {
            let given = self.directory.init(&name, value);
            given.map_err(|kind| BuildError {
                place,
                field: "init",
                text: name,
                kind,
            })?;
        }
        let variables = self.directory.variable_count();
        self.variables.resize_with(variables, Noted::default);
        Ok(())
    }

    /// Binds a property to the names that are known of a run that goes on, or says why it has to wait for more.
    pub fn bind(&self, property: &Property, lets: &Lets) -> Result<Question, Diagnostic> {
        let question = match self.prepare(&[(property, lets)]).pop() {
            Some(Ok(question)) => question,
            Some(Err(errors)) => {
                let none = || not_in_passing("");
                return Err(errors.into_iter().next().unwrap_or_else(none));
            }
            None => return Err(not_in_passing("")),
        };
        let lowered = &question.lowered;
        if lowered.ranges && !self.directory.is_closed() {
            return Err(not_in_passing(
                "it is about all processes, and the header does not list them",
            ));
        }
        if let Some(left_out) = lowered.left_out.first() {
            let process = Names::process_name(self, left_out.process);
            let missing = &left_out.missing;
            return Err(not_in_passing(format!(
                "it is about all processes, and `{process}.{missing}` has not turned up"
            )));
        }
        Ok(question)
    }

    /// The same names for a run that is still going on, or has been read in part: every process may still do whatever it
    /// can, without an end.
    pub fn going_on(&mut self) -> Outline {
        self.give_known_inits();
        let processes = 0..self.process_count() as u32;
        let mut outline = Outline {
            parts: self.parts.clone(),
            directory: self.directory.clone(),
            variables: self.variables.clone(),
            labels: self.labels.clone(),
            events: self.events,
            everyone: Some(processes.map(|p| (ProcessId::new(p), NO_END)).collect()),
            ..Outline::default()
        };
        let carried = self.texts.iter().filter(|(_, by)| !by.is_empty());
        for (label, _) in carried {
            outline.labels.entry(label.clone()).or_default();
        }
        let variables = outline.directory.variable_count();
        outline.variables.resize_with(variables, Noted::default);
        outline
    }

    /// Gives initial values to what has turned up; the others wait for their process.
    fn give_known_inits(&mut self) {
        let directory = &mut self.directory;
        self.inits
            .retain(|(name, value, _)| directory.init(name, value.clone()).is_err());
    }

    /// Whether the run is still going on.
    pub(super) fn goes_on(&self) -> bool {
        self.everyone.is_some()
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let clocks = self.lanes.iter().map(|lane| lane.clock.bytes());
        let variable = size_of::<Noted>() + 2 * size_of::<Sample>();
        let waiting = self.inits.len() * size_of::<(String, Value, Place)>();
        self.directory.bytes()
            + self.noted
            + self.lanes.len() * size_of::<Lane>()
            + clocks.sum::<usize>()
            + self.variables.len() * variable
            + waiting
    }

    /// Forgets everything but the processes and how many events they have.
    pub(super) fn forget(&mut self) {
        self.directory.forget_variables();
        self.inits = Vec::new();
        self.variables = Vec::new();
        self.labels = FxHashMap::default();
        self.texts = Vec::new();
        self.noted = 0;
        for lane in &mut self.lanes {
            (lane.clock, lane.followers) = (Clock::default(), Vec::new());
        }
    }

    /// Counts an event of a process; the position it has.
    pub(super) fn count(&mut self, event: &NewEvent<'_>) -> Result<u32, BuildError> {
        let position = self.position(event)?;
        self.lane(event.process).events = position;
        self.events += 1;
        Ok(position)
    }

    /// The position that an event gets in its process.
    fn position(&mut self, event: &NewEvent<'_>) -> Result<u32, BuildError> {
        let place = self.place(event.line);
        if let Some(ended) = self.lane(event.process).ended {
            return Err(self.after_end(event.process, ended, place));
        }
        let lane = self.lane(event.process);
        if lane.events == u32::MAX - 1 {
            return Err(BuildError {
                place,
                field: "",
                text: String::new(),
                kind: Fault::TooMany,
            });
        }
        Ok(lane.events + 1)
    }

    /// How many events a process has.
    pub(super) fn events_of(&self, process: ProcessId) -> u32 {
        self.lanes
            .get(process.index())
            .map_or(0, |lane| lane.events)
    }

    /// Whether a process has said that it is over.
    pub(super) fn has_ended(&self, process: ProcessId) -> bool {
        let lane = self.lanes.get(process.index());
        lane.is_some_and(|lane| lane.ended.is_some())
    }

    /// Whether all processes are known and have said that they are over.
    pub(super) fn is_over(&self) -> bool {
        let is_over = |lane: &Lane| lane.ended.is_some();
        self.directory.is_closed()
            && self.lanes.len() == self.process_count()
            && self.lanes.iter().all(is_over)
    }

    /// How many processes there are.
    pub fn process_count(&self) -> usize {
        self.directory.process_count()
    }

    /// How many events there are.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many messages are sent.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Binds properties to the run. Races are not known yet; they are met in the second reading.
    pub fn prepare(
        &self,
        properties: &[(&Property, &Lets)],
    ) -> Vec<Result<Question, Vec<Diagnostic>>> {
        let prepare = |(property, lets): &(&Property, &Lets)| {
            let lowered = lower(property, lets, self)?;
            let mentions = lowered.mentions.iter().chain(&lowered.written);
            let seen: Seen = mentions.map(|&(var, _)| (var, self.samples(var))).collect();
            let findings = types::check(self, &lowered, &seen);
            if !findings.errors.is_empty() {
                return Err(findings.errors);
            }
            let mut warnings = lowered.warnings.clone();
            warnings.extend(findings.warnings);
            Ok(Question { lowered, warnings })
        };
        properties.iter().map(prepare).collect()
    }

    /// How many events each process has.
    pub(super) fn totals(&self) -> Vec<u32> {
        if let Some(everyone) = &self.everyone {
            return vec![NO_END; everyone.len()];
        }
        let mut totals: Vec<u32> = self.lanes.iter().map(|lane| lane.events).collect();
        totals.resize(self.process_count(), 0);
        totals
    }

    /// The process a variable belongs to; `None` when it is shared.
    pub(super) fn owner(&self, var: VarId) -> Option<ProcessId> {
        self.directory.owner(var)
    }

    /// The track that decides a variable: its process, or its only writer, or its writes.
    pub(super) fn track_of(&self, var: VarRef) -> Track {
        let id = var_id(var);
        match (self.owner(id), self.writers(id)) {
            (Some(owner), _) => Track::Process(owner),
            (None, &[(writer, _)]) => Track::Process(writer),
            _ => Track::Shared(id),
        }
    }

    /// The processes that write a variable, each with the position of its last write.
    pub(super) fn writers(&self, var: VarId) -> &[(ProcessId, u32)] {
        match (&self.everyone, self.owner(var)) {
            (Some(everyone), Some(owner)) => &everyone[owner.index()..][..1],
            (Some(everyone), None) => everyone,
            (None, _) => &self.variables[var.index()].writers,
        }
    }

    /// The processes with events that carry a label, each with the position of the last one.
    pub(super) fn carriers(&self, label: &str) -> &[(ProcessId, u32)] {
        match &self.everyone {
            Some(everyone) => everyone,
            None => self.labels.get(label).map_or(&[], Vec::as_slice),
        }
    }

    /// The first value of each type that a variable holds.
    fn samples(&self, var: VarRef) -> Vec<Sample> {
        let initial = Sample {
            value: self.directory.initial(var_id(var)),
            origin: "initially".to_owned(),
        };
        let same = initial.value.value_type();
        let written = &self.variables[var_id(var).index()].samples;
        let others = written
            .iter()
            .filter(|sample| sample.value.value_type() != same);
        std::iter::once(initial.clone())
            .chain(others.cloned())
            .collect()
    }

    fn lane(&mut self, process: ProcessId) -> &mut Lane {
        if self.lanes.len() <= process.index() {
            self.lanes.resize_with(process.index() + 1, Lane::default);
        }
        &mut self.lanes[process.index()]
    }

    fn note_writes(&mut self, event: &NewEvent<'_>, position: u32) {
        for write in event.writes {
            let index = write.var.index();
            if self.variables.len() <= index {
                self.variables.resize_with(index + 1, Noted::default);
            }
            let noted = &mut self.variables[index];
            self.noted += reach(&mut noted.writers, event.process, position);
            let kind = write.value.value_type();
            if noted.kinds.contains(&kind) {
                continue;
            }
            noted.kinds.push(kind);
            self.directory.note_written(write.var);
            let texts = &self.texts;
            let value = write
                .value
                .resolved(|text| Value::text(&texts[text.index()].0));
            let place = Place {
                part: self.part,
                line: event.line,
            };
            let parts = &self.parts;
            let name = self
                .directory
                .event_name(event.process, position, parts, place);
            self.variables[index].samples.push(Sample {
                value,
                origin: format!("written by {name}"),
            });
        }
    }

    /// Refuses edges from events that nobody can name.
    fn check_edges(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        let place = self.place(event.line);
        for target in event.after {
            match *target {
                EventRef::Position(process, 0) => {
                    // It may have no events yet.
                    self.lane(process);
                    return Err(self.no_such_event(process, 0, place));
                }
                EventRef::Position(..) => {}
                EventRef::Name(_) => {
                    let kind = Fault::NotInPassing {
                        message: "`after` names an event by its id, and ids are not kept"
                            .to_owned(),
                        help: "write [\"process\", number] instead, or check without --stream",
                    };
                    return Err(BuildError {
                        place,
                        field: "after",
                        text: String::new(),
                        kind,
                    });
                }
            }
        }
        Ok(())
    }

    /// Notes who refers to the events of whom, and how long.
    fn note_edges(&mut self, event: &NewEvent<'_>, position: u32) {
        let place = self.place(event.line);
        for target in event.after {
            let EventRef::Position(process, number) = *target else {
                continue;
            };
            let lane = self.lane(process);
            let noted = reach(&mut lane.followers, event.process, position);
            if lane.followed.is_none_or(|(most, _)| most < number) {
                lane.followed = Some((number, place));
            }
            self.noted += noted;
        }
    }

    fn no_such_event(&self, process: ProcessId, number: u32, place: Place) -> BuildError {
        let name = self.directory.process_name(process).to_owned();
        BuildError {
            place,
            field: "after",
            kind: Fault::NoSuchEvent {
                named: format!("number {number} of `{name}`"),
                events: Some(self.lanes[process.index()].events),
            },
            text: name,
        }
    }

    /// The processes with events that come after one of this process by name, each with the position of the last;
    /// `None` while every process may have some.
    pub(super) fn followers(&self, process: ProcessId) -> Option<&[(ProcessId, u32)]> {
        let lane = self.lanes.get(process.index());
        match &self.everyone {
            Some(_) => None,
            None => Some(lane.map_or(&[], |lane| lane.followers.as_slice())),
        }
    }

    /// Holds a clock against the one before it; what it says of other processes is seen in the second reading.
    fn note_clock(
        &mut self,
        event: &NewEvent<'_>,
        clock: &[(ProcessId, u32)],
        position: u32,
    ) -> Result<(), BuildError> {
        let own = self.directory.process_name(event.process).to_owned();
        let place = self.place(event.line);
        let fault = |text: &str, kind| BuildError {
            place,
            field: "clock",
            text: text.to_owned(),
            kind,
        };
        let entry = clock.iter().find(|(process, _)| *process == event.process);
        let found = entry.map_or(0, |&(_, count)| count);
        if found == 0 {
            return Err(fault(&own, Fault::ClockWithoutOwn(own.clone())));
        }
        if found > position {
            let kind = Fault::ClockSkips {
                process: own.clone(),
                expected: position,
                found,
            };
            return Err(fault(&own, kind));
        }
        let mut now = Clock::default();
        for &(process, count) in clock {
            now.raise(process.index(), count);
        }
        let was = &self.lane(event.process).clock;
        let own_place = event.process.index();
        let goes_back = match was.first_beyond(&now, usize::MAX) {
            Some(process) => Some((process, was.get(process), now.get(process))),
            None if found < position => Some((own_place, position - 1, found)),
            None => None,
        };
        if let Some((process, was, now)) = goes_back {
            let entry = self.directory.process_name(ProcessId::new(process as u32));
            let kind = Fault::ClockBackwards {
                entry: entry.to_owned(),
                was,
                now,
            };
            return Err(fault(entry, kind));
        }
        for &(process, count) in clock {
            let lane = self.lane(process);
            if lane.claimed.is_none_or(|(most, _)| most < count) {
                lane.claimed = Some((count, place));
            }
            lane.named = lane.named.map(|first| match first.line {
                0 => place,
                _ => first,
            });
        }
        self.lane(event.process).clock = now;
        Ok(())
    }

    /// Remembers the labels of a block that has passed.
    fn keep_labels(&mut self) {
        for (text, carriers) in std::mem::take(&mut self.texts) {
            if carriers.is_empty() {
                continue;
            }
            let before = self.labels.len();
            let length = text.len();
            let known = self.labels.entry(text).or_default();
            for (process, position) in carriers {
                self.noted += reach(known, process, position);
            }
            if self.labels.len() > before {
                self.noted += length + 2 * size_of::<(Box<str>, Reach)>();
            }
        }
    }
}

/// Notes that a process comes as far as a position; how many bytes that takes.
fn reach(far: &mut Reach, process: ProcessId, position: u32) -> usize {
    match far.iter_mut().find(|(known, _)| *known == process) {
        Some((_, last)) => {
            *last = position.max(*last);
            0
        }
        None => {
            far.push((process, position));
            size_of::<(ProcessId, u32)>()
        }
    }
}

impl Sink for Outline {
    fn enter_part(&mut self, part: u32) {
        self.part = part;
    }

    fn start_block(&mut self) {
        self.keep_labels();
    }

    fn place(&self, line: u32) -> Place {
        Place {
            part: self.part,
            line,
        }
    }

    fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault> {
        self.directory.declare_processes(names)
    }

    fn declare_shared(&mut self, name: &str) {
        self.directory.declare_shared(name);
    }

    fn declare_observed(&mut self) {
        self.directory.observed = true;
    }

    fn init(&mut self, name: &str, value: causet_trace::StoredValue, place: Place) {
        let texts = &self.texts;
        let value = value.resolved(|text| Value::text(&texts[text.index()].0));
        self.inits.push((name.to_owned(), value, place));
    }

    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        let found = self.directory.intern_process(name);
        let process = found.map_err(|nearest| Fault::UnknownProcess {
            name: name.to_owned(),
            nearest,
        })?;
        self.lane(process).named = None;
        Ok(process)
    }

    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        let before = self.directory.process_count();
        let found = self.directory.intern_process(name);
        let process = found.map_err(|nearest| Fault::ClockUnknownProcess {
            name: name.to_owned(),
            nearest,
        })?;
        if process.index() >= before {
            let place = self.place(0);
            self.lane(process).named = Some(place);
        }
        Ok(process)
    }

    fn text(&mut self, text: &str) -> TextId {
        self.texts.push((text.into(), Vec::new()));
        TextId::new(self.texts.len() as u32 - 1)
    }

    fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        self.directory.intern_variable(process, name)
    }

    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        self.directory.shared_variable(name)
    }

    fn message(&mut self, _id: &str) -> MessageId {
        MessageId::new(0)
    }

    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        let position = self.position(event)?;
        // What is refused leaves everything as it was: the same event may come again, and be right.
        self.check_edges(event)?;
        if let Some(clock) = event.clock {
            self.note_clock(event, clock, position)?;
        }
        self.note_edges(event, position);
        self.count(event)?;
        self.messages += event.sends.len() as u64;
        if let Some(label) = event.label {
            // What is carried in a block is counted at its end.
            let _ = reach(&mut self.texts[label.index()].1, event.process, position);
        }
        self.note_writes(event, position);
        Ok(())
    }

    fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError> {
        let place = self.place(line);
        match self.lane(process).ended.replace(place) {
            Some(ended) => Err(self.after_end(process, ended, place)),
            None => Ok(()),
        }
    }
}

impl Outline {
    fn after_end(&self, process: ProcessId, ended: Place, place: Place) -> BuildError {
        let name = self.directory.process_name(process).to_owned();
        BuildError {
            place,
            field: "p",
            text: name.clone(),
            kind: Fault::AfterEnd {
                process: name,
                ended,
            },
        }
    }
}

impl Names for Outline {
    fn process_count(&self) -> usize {
        self.directory.process_count()
    }

    fn process_name(&self, process: ProcRef) -> &str {
        Names::process_name(&self.directory, process)
    }

    fn process(&self, name: &str) -> Option<ProcRef> {
        Names::process(&self.directory, name)
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        self.directory.shared(name)
    }

    fn local(&self, process: ProcRef, name: &str) -> Option<VarRef> {
        self.directory.local(process, name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.directory.variable_names()
    }

    fn label_exists(&self, label: &str) -> bool {
        self.labels.contains_key(label)
    }

    fn variable(&self, var: VarRef) -> Option<VariableName> {
        Names::variable(&self.directory, var)
    }
}
