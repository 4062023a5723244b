//! Events as they are read: names become numbers, and an event waits until all it depends on has passed.

use std::rc::Rc;

use causet_base::value::Value;
use causet_trace::{
    BuildError, EventRef, Fault, MessageId, NewEvent, Place, ProcessId, Sink, TextId, VarId,
};

use super::{Checker, fault};

/// An event, as far as anyone looks at it.
#[derive(Clone, Default)]
pub(super) struct Deed {
    pub(super) process: usize,
    /// Its place among the events as they are read, from 1.
    pub(super) number: u64,
    pub(super) place: Option<Place>,
    pub(super) label: Option<Rc<str>>,
    pub(super) wrote: Vec<VarId>,
    pub(super) values: Vec<Value>,
    pub(super) reads: Vec<VarId>,
    pub(super) sends: Vec<MessageId>,
    pub(super) to: Vec<ProcessId>,
    pub(super) recvs: Vec<MessageId>,
    pub(super) after: Vec<(ProcessId, u32)>,
    pub(super) has_clock: bool,
    pub(super) clock: Vec<(ProcessId, u32)>,
}

/// A text of a block.
pub(super) struct Text {
    pub(super) value: Value,
    /// The same, if it is a label someone looks at.
    pub(super) label: Option<Rc<str>>,
}

impl Checker<'_> {
    /// Whether all that an event waits for has passed.
    pub(super) fn is_ready(&self, deed: &Deed) -> bool {
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
    pub(super) fn take(&mut self, deed: Deed) -> Result<(), BuildError> {
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
        self.waiting_bytes += deed.bytes();
        self.waiting[process].push_back(deed);
        Ok(())
    }

    /// Lets events pass that need not wait any more, the one that was read first before the others: that is the
    /// recorded order of the run.
    pub(super) fn wake(&mut self) -> Result<(), BuildError> {
        loop {
            let waiting = &self.waiting;
            self.blocked.retain(|&process| !waiting[process].is_empty());
            let heads = self.blocked.iter().filter_map(|&p| self.waiting[p].front());
            let ready = heads.filter(|deed| self.is_ready(deed));
            let Some(process) = ready
                .min_by_key(|deed| deed.number)
                .map(|deed| deed.process)
            else {
                return Ok(());
            };
            if let Some(deed) = self.waiting[process].pop_front() {
                self.waiting_bytes -= deed.bytes();
                self.execute(&deed)?;
            }
        }
    }

    /// What is left of an event when nobody looks at the rest.
    pub(super) fn deed(&mut self, event: &NewEvent<'_>) -> Deed {
        let mut deed = std::mem::take(&mut self.spare);
        deed.process = event.process.index();
        deed.number = self.read;
        deed.place = Some(self.place(event.line));
        let label = event
            .label
            .and_then(|label| self.texts[label.index()].label.as_ref());
        deed.label = label.cloned();
        deed.wrote.clear();
        deed.values.clear();
        let observed = self.outline.directory.observed;
        for write in event.writes {
            // Nobody asks for a variable that has turned up since.
            let Some(&is_watched) = self.is_watched.get(write.var.index()) else {
                continue;
            };
            let is_ordered = observed && self.outline.owner(write.var).is_none();
            if is_watched || is_ordered {
                let texts = &self.texts;
                let value = write
                    .value
                    .resolved(|text| texts[text.index()].value.clone());
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
        let has_more = !self.outline.goes_on() || self.read < self.outline.events();
        self.spent.is_none()
            && has_more
            && (may_race || (self.races.is_empty() && !self.is_decided()))
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

    fn init(&mut self, _name: &str, _value: causet_trace::StoredValue, _place: Place) {}

    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        let known = causet_formula::names::Names::process(&*self.outline, name);
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

    fn end(&mut self, process: ProcessId, _line: u32) -> Result<(), BuildError> {
        self.note_end(process);
        Ok(())
    }
}

impl Deed {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        let numbers = self.wrote.len()
            + self.reads.len()
            + self.sends.len()
            + self.to.len()
            + self.recvs.len()
            + 2 * (self.after.len() + self.clock.len());
        size_of::<Deed>()
            + numbers * size_of::<u32>()
            + self.values.len() * size_of::<Value>()
            + self.values.iter().map(text_bytes).sum::<usize>()
    }

    pub(super) fn fault(&self, field: &'static str, text: &str, kind: Fault) -> BuildError {
        let place = self.place.unwrap_or(Place { part: 0, line: 0 });
        fault(place, field, text, kind)
    }
}

fn text_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        _ => 0,
    }
}

fn refill<T: Copy>(list: &mut Vec<T>, items: &[T]) {
    list.clear();
    list.extend_from_slice(items);
}
