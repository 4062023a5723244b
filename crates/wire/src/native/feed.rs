//! From batches to the builder: names of the block become names of the run, one question per name and block.

use causet_trace::{
    BuildError, BuildOptions, EventRef, Fault, MessageId, NewEvent, ProcessId, TextId,
    TraceBuilder, Value, VarId, Write,
};
use memchr::memchr_iter;

use super::batch::{Batch, Ends, Kind, Name, RawRef, RawValue, Row, Text};
use crate::error::{Problem, ReadError, locate};

/// A block that was parsed.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) part: u32,
    pub(super) text: String,
    pub(super) batch: Batch,
}

/// Feeds the builder, batch after batch, and keeps track of lines.
#[derive(Debug)]
pub(super) struct Feeder<'a> {
    pub(super) builder: TraceBuilder,
    names: &'a [String],
    /// How many parts have begun.
    parts: u32,
    /// How many lines of the current part lie behind.
    lines: u32,
}

impl<'a> Feeder<'a> {
    pub(super) fn new(lenient: bool, names: &'a [String]) -> Self {
        Feeder {
            builder: TraceBuilder::new(BuildOptions { lenient }),
            names,
            parts: 0,
            lines: 0,
        }
    }

    /// Begins all parts up to one, those without lines included.
    pub(super) fn start_parts(&mut self, count: u32) {
        while self.parts < count {
            self.builder.start_part();
            self.parts += 1;
            self.lines = 0;
        }
    }

    /// Adds the events of a block, then reports the line at which parsing it stopped, if it did.
    pub(super) fn feed(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        self.start_parts(parsed.part + 1);
        let fed = Feed::new(&mut self.builder, parsed, self.lines).run();
        if let Err(error) = fed {
            return Err(ReadError::Fault(Box::new(self.show(parsed, &error))));
        }
        if let Some(bad) = parsed.batch.fault.take() {
            let file = &self.names[parsed.part as usize];
            let line = line_number(self.lines, bad.line);
            let problem = bad.complaint.in_line(file, line, &bad.text);
            return Err(ReadError::Fault(Box::new(problem)));
        }
        self.lines = self.lines.saturating_add(parsed.batch.lines);
        Ok(())
    }

    fn show(&self, parsed: &Parsed, error: &BuildError) -> Problem {
        let index = error.place.line.saturating_sub(self.lines + 1) as usize;
        let bytes = parsed.text.as_bytes();
        let mut newlines = memchr_iter(b'\n', bytes);
        let start = match index.checked_sub(1) {
            Some(before) => newlines.nth(before).map_or(0, |newline| newline + 1),
            None => 0,
        };
        let end = newlines.next().unwrap_or(bytes.len());
        locate(error, self.names, Some(&parsed.text[start..end]))
    }
}

/// The number, from 1, of a line of a block that follows `before` lines.
fn line_number(before: u32, line: u32) -> u32 {
    before.saturating_add(line).saturating_add(1)
}

/// How many variables are remembered; a power of two.
const REMEMBERED: usize = 1024;

/// Feeds one batch; the vectors are used again for every event.
struct Feed<'f> {
    builder: &'f mut TraceBuilder,
    block: &'f str,
    batch: &'f Batch,
    before: u32,
    processes: Vec<Option<ProcessId>>,
    texts: Vec<Option<TextId>>,
    /// Variables met lately, each at the one place its process and name ask for.
    variables: Vec<(ProcessId, Name, VarId)>,
    event: Event<'f>,
}

/// The lists of the event at hand.
#[derive(Default)]
struct Event<'f> {
    writes: Vec<Write>,
    reads: Vec<VarId>,
    sends: Vec<MessageId>,
    to: Vec<ProcessId>,
    recvs: Vec<MessageId>,
    clock: Vec<(ProcessId, u32)>,
    after: Vec<EventRef<'f>>,
}

impl<'f> Feed<'f> {
    fn new(builder: &'f mut TraceBuilder, parsed: &'f Parsed, before: u32) -> Self {
        let names = parsed.batch.name_count();
        Feed {
            builder,
            block: &parsed.text,
            batch: &parsed.batch,
            before,
            processes: vec![None; names],
            texts: vec![None; names],
            variables: vec![(ProcessId::new(0), Name::NONE, VarId::new(0)); REMEMBERED],
            event: Event::default(),
        }
    }

    fn run(&mut self) -> Result<(), BuildError> {
        let batch = self.batch;
        let mut start = Ends::default();
        for row in &batch.rows {
            let line = line_number(self.before, row.line);
            self.add(row, &start, line)?;
            start = row.ends;
        }
        Ok(())
    }

    fn add(&mut self, row: &Row, start: &Ends, line: u32) -> Result<(), BuildError> {
        let process = self.process(row.process, "p", line)?;
        if row.kind == Kind::End {
            return self.builder.end(process, line);
        }
        self.gather_state(process, start, &row.ends, line)?;
        self.gather_messages(start, &row.ends, line)?;
        self.gather_order(start, &row.ends, line)?;
        let label = (row.label != Name::NONE).then(|| self.text(row.label));
        let event = NewEvent {
            process,
            line,
            label,
            name: row.id.map(|id| self.batch.text(self.block, id)),
            time: row.time,
            writes: &self.event.writes,
            reads: &self.event.reads,
            sends: &self.event.sends,
            to: &self.event.to,
            recvs: &self.event.recvs,
            clock: (row.kind == Kind::EventWithClock).then_some(&self.event.clock[..]),
            after: &self.event.after,
        };
        self.builder.add(&event).map(drop)
    }

    fn gather_state(
        &mut self,
        process: ProcessId,
        start: &Ends,
        end: &Ends,
        line: u32,
    ) -> Result<(), BuildError> {
        let batch = self.batch;
        self.event.writes.clear();
        for &(name, value) in &batch.sets[start.sets as usize..end.sets as usize] {
            let var = self.variable(process, name);
            let value = match value {
                RawValue::Ready(value) => value,
                RawValue::Text(text) => Value::Text(self.text(text)),
            };
            self.event.writes.push(Write { var, value });
        }
        self.event.reads.clear();
        for &name in &batch.reads[start.reads as usize..end.reads as usize] {
            let text = batch.name(self.block, name);
            let var = self.builder.shared_variable(text);
            let var = var.map_err(|kind| self.refused(line, "read", text, kind))?;
            self.event.reads.push(var);
        }
        Ok(())
    }

    fn gather_messages(&mut self, start: &Ends, end: &Ends, line: u32) -> Result<(), BuildError> {
        let batch = self.batch;
        self.event.sends.clear();
        for &id in &batch.sends[start.sends as usize..end.sends as usize] {
            let message = self.message(id);
            self.event.sends.push(message);
        }
        self.event.to.clear();
        for &name in &batch.to[start.to as usize..end.to as usize] {
            let process = self.process(name, "to", line)?;
            self.event.to.push(process);
        }
        self.event.recvs.clear();
        for &id in &batch.recvs[start.recvs as usize..end.recvs as usize] {
            let message = self.message(id);
            self.event.recvs.push(message);
        }
        Ok(())
    }

    fn gather_order(&mut self, start: &Ends, end: &Ends, line: u32) -> Result<(), BuildError> {
        let batch = self.batch;
        self.event.clock.clear();
        for &(name, count) in &batch.clock[start.clock as usize..end.clock as usize] {
            let process = self.clock_process(name, line)?;
            self.event.clock.push((process, count));
        }
        self.event.after.clear();
        for &target in &batch.after[start.after as usize..end.after as usize] {
            let target = match target {
                RawRef::Position(name, number) => {
                    EventRef::Position(self.process(name, "after", line)?, number)
                }
                RawRef::Id(id) => EventRef::Name(batch.text(self.block, id)),
            };
            self.event.after.push(target);
        }
        Ok(())
    }

    fn message(&mut self, id: Text) -> MessageId {
        self.builder.message(self.batch.text(self.block, id))
    }

    #[inline]
    fn process(
        &mut self,
        name: Name,
        field: &'static str,
        line: u32,
    ) -> Result<ProcessId, BuildError> {
        if let Some(process) = self.processes[name.0 as usize] {
            return Ok(process);
        }
        let text = self.batch.name(self.block, name);
        let process = self.builder.process(text);
        let process = process.map_err(|kind| self.refused(line, field, text, kind))?;
        self.processes[name.0 as usize] = Some(process);
        Ok(process)
    }

    /// A process named by a clock; being named there does not make it one.
    fn clock_process(&mut self, name: Name, line: u32) -> Result<ProcessId, BuildError> {
        if let Some(process) = self.processes[name.0 as usize] {
            return Ok(process);
        }
        let text = self.batch.name(self.block, name);
        let process = self.builder.clock_process(text);
        process.map_err(|kind| self.refused(line, "clock", text, kind))
    }

    #[inline]
    fn variable(&mut self, process: ProcessId, name: Name) -> VarId {
        let place = (process.index() * 31 + name.0 as usize) % REMEMBERED;
        let (of, named, var) = self.variables[place];
        if of == process && named == name {
            return var;
        }
        let text = self.batch.name(self.block, name);
        let var = self.builder.variable(process, text);
        self.variables[place] = (process, name, var);
        var
    }

    #[inline]
    fn text(&mut self, name: Name) -> TextId {
        if let Some(text) = self.texts[name.0 as usize] {
            return text;
        }
        let text = self.builder.text(self.batch.name(self.block, name));
        self.texts[name.0 as usize] = Some(text);
        text
    }

    fn refused(&self, line: u32, field: &'static str, text: &str, kind: Fault) -> BuildError {
        BuildError {
            place: self.builder.place(line),
            field,
            text: text.to_owned(),
            kind,
        }
    }
}
