//! Each event of a process once, and in its order, however often and in whatever pieces it arrives.
//!
//! Events are numbered from 1 in the order of their process. Of what arrives, the next one is taken; one that was taken
//! before is passed over; and one that is ahead of the next has to be held until those between have come.

use causet_check::stream::Monitor;
use causet_trace::{
    BuildError, Fault, MessageId, NewEvent, Place, ProcessId, Sink, StoredValue, TextId, VarId,
};
use rustc_hash::FxHashMap;

use crate::protocol::LAST_NUMBER;

/// The numbers of the events that a connection sends next, by process.
#[derive(Clone, Default, Debug)]
pub struct Numbers {
    /// By the number of the process; 0 where nothing was said yet.
    next: Vec<u32>,
    /// What was said of processes before they turned up.
    said: FxHashMap<String, u32>,
}

impl Numbers {
    /// Says that the next event of a process has this number.
    pub fn begin(&mut self, process: &str, number: u32, monitor: &Monitor) {
        match monitor.process_named(process) {
            Some(known) => *self.slot(known.index()) = number.max(1),
            None => drop(self.said.insert(process.to_owned(), number.max(1))),
        }
    }

    /// The number of the next event of a process.
    fn of(&mut self, process: ProcessId, monitor: &Monitor) -> &mut u32 {
        let index = process.index();
        if *self.slot(index) == 0 {
            let said = self.said.remove(monitor.process_name(process));
            self.next[index] = said.unwrap_or(1);
        }
        &mut self.next[index]
    }

    fn slot(&mut self, process: usize) -> &mut u32 {
        if self.next.len() <= process {
            self.next.resize(process + 1, 0);
        }
        &mut self.next[process]
    }
}

/// A line that is ahead of its process.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    pub(crate) process: ProcessId,
    pub(crate) number: u32,
    /// Which line of the piece it is, from 1.
    pub(crate) line: u32,
    /// Whether it is an event, and not the end of its process.
    pub(crate) is_event: bool,
}

/// Lets the events of one piece pass to a monitor, as far as it is their turn.
pub(crate) struct Admission<'a> {
    monitor: &'a mut Monitor,
    numbers: &'a mut Numbers,
    /// The lines that were taken, from 1.
    pub(crate) taken: Vec<u32>,
    pub(crate) ahead: Vec<Ahead>,
    /// The processes whose lines arrived.
    pub(crate) touched: Vec<ProcessId>,
    /// How many events were taken before.
    pub(crate) again: u64,
    /// How many events of each process are let pass, by number; without, all.
    most: Option<&'a [u32]>,
}

impl<'a> Admission<'a> {
    pub(crate) fn new(monitor: &'a mut Monitor, numbers: &'a mut Numbers) -> Self {
        Admission {
            monitor,
            numbers,
            taken: Vec::new(),
            ahead: Vec::new(),
            touched: Vec::new(),
            again: 0,
            most: None,
        }
    }

    /// Lets only so many events of each process pass; the others are ahead of it.
    pub(crate) fn up_to(mut self, most: &'a [u32]) -> Self {
        self.most = Some(most);
        self
    }

    /// How far the number that a line claims is ahead of the next of its process; negative if it was taken before.
    fn distance(&mut self, process: ProcessId) -> i64 {
        if self.touched.last() != Some(&process) && !self.touched.contains(&process) {
            self.touched.push(process);
        }
        let next = self.monitor.events_of(process) + 1;
        i64::from(*self.numbers.of(process, self.monitor)) - i64::from(next)
    }

    /// Whether no further event of a process is let pass.
    fn is_closed(&self, process: ProcessId) -> bool {
        let passed = self.monitor.events_of(process);
        let is_enough = |most: &[u32]| most.get(process.index()).is_none_or(|&most| passed >= most);
        self.most.is_some_and(is_enough)
    }

    fn too_many(&self, event: &NewEvent<'_>) -> BuildError {
        BuildError {
            place: self.monitor.place(event.line),
            field: "p",
            text: self.monitor.process_name(event.process).to_owned(),
            kind: Fault::TooMany,
        }
    }

    fn hold(&mut self, process: ProcessId, line: u32, is_event: bool) {
        let number = *self.numbers.of(process, self.monitor);
        self.ahead.push(Ahead {
            process,
            number,
            line,
            is_event,
        });
    }
}

impl Sink for Admission<'_> {
    fn enter_part(&mut self, part: u32) {
        self.monitor.enter_part(part);
    }

    fn start_block(&mut self) {
        self.monitor.start_block();
    }

    fn place(&self, line: u32) -> Place {
        self.monitor.place(line)
    }

    fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault> {
        self.monitor.declare_processes(names)
    }

    fn declare_shared(&mut self, name: &str) {
        self.monitor.declare_shared(name);
    }

    fn declare_observed(&mut self) {
        self.monitor.declare_observed();
    }

    fn init(&mut self, name: &str, value: StoredValue, place: Place) {
        self.monitor.init(name, value, place);
    }

    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        self.monitor.process(name)
    }

    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        self.monitor.clock_process(name)
    }

    fn text(&mut self, text: &str) -> TextId {
        self.monitor.text(text)
    }

    fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        self.monitor.variable(process, name)
    }

    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        self.monitor.shared_variable(name)
    }

    fn message(&mut self, id: &str) -> MessageId {
        self.monitor.message(id)
    }

    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        if *self.numbers.of(event.process, self.monitor) > LAST_NUMBER {
            return Err(self.too_many(event));
        }
        match self.distance(event.process) {
            0 if !self.is_closed(event.process) => {
                self.monitor.add(event)?;
                self.taken.push(event.line);
            }
            ..0 => {
                self.monitor.pass_over(event);
                self.again += 1;
            }
            0.. => {
                self.monitor.pass_over(event);
                self.hold(event.process, event.line, true);
            }
        }
        *self.numbers.of(event.process, self.monitor) += 1;
        Ok(())
    }

    fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError> {
        match self.distance(process) {
            0 if self.monitor.has_ended(process) => {}
            0 => {
                self.monitor.end(process, line)?;
                self.taken.push(line);
            }
            // It said so before, or it has gone on since.
            ..0 => {}
            1.. => self.hold(process, line, false),
        }
        Ok(())
    }
}
