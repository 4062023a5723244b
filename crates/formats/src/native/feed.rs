//! From batches to whoever takes the events: names of the block become names of the run, one question per name and block.
//!
//! The builder is one such sink, and the code is made once for each, so it costs the builder nothing that there are others.

use std::ops::Range;

use causet_base::Diagnostic;
use causet_trace::{
    BuildError, EventRef, Fault, MessageId, NewEvent, ProcessId, Sink, StoredValue, TextId, VarId,
    Write,
};
use memchr::memchr_iter;

use super::batch::{Batch, Kind, Name, Rare, RawRef, RawValue, Row, Text};
use crate::error::{ReadError, cut_off, locate};

/// A block that was parsed.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) part: u32,
    pub(super) text: String,
    pub(super) batch: Batch,
}

/// Feeds a sink, batch after batch, and keeps track of lines.
#[derive(Debug)]
pub(super) struct Feeder<'a, S> {
    pub(super) sink: &'a mut S,
    pub(super) names: &'a [String],
    /// Whether a last line that is cut off is left out.
    pub(super) lenient: bool,
    /// The lines that were left out.
    pub(super) cut_off: Vec<Diagnostic>,
    /// How many lines of each part lie behind.
    lines: Vec<u32>,
}

impl<'a, S: Sink> Feeder<'a, S> {
    pub(super) fn new(sink: &'a mut S, names: &'a [String]) -> Self {
        Feeder {
            sink,
            names,
            lenient: false,
            cut_off: Vec::new(),
            lines: vec![0; names.len()],
        }
    }

    /// Adds the events of a block, then reports the line at which parsing it stopped, if it did.
    pub(super) fn feed(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        self.sink.enter_part(parsed.part);
        self.sink.start_block();
        let before = self.lines[parsed.part as usize];
        let fed = Feed::new(self.sink, parsed, before).run();
        if let Err(error) = fed {
            return Err(self.refused(parsed, before, error));
        }
        if let Some(bad) = parsed.batch.fault.take() {
            let file = &self.names[parsed.part as usize];
            let line = line_number(before, bad.line);
            if self.lenient && bad.is_cut_off {
                self.cut_off.push(cut_off(file, line, "line"));
                return Ok(());
            }
            let problem = bad.complaint.in_line(file, line, &bad.text);
            return Err(ReadError::Fault(problem));
        }
        self.lines[parsed.part as usize] = before.saturating_add(parsed.batch.lines);
        Ok(())
    }

    /// An error about a line of this block, or of one that has passed.
    fn refused(&self, parsed: &Parsed, before: u32, error: BuildError) -> ReadError {
        let place = error.place;
        if place.part == parsed.part && place.line > before {
            return ReadError::Fault(self.show(parsed, before, &error));
        }
        ReadError::Late {
            error: Box::new(error),
            parts: self.names.to_vec(),
        }
    }

    fn show(&self, parsed: &Parsed, before: u32, error: &BuildError) -> Diagnostic {
        let index = error.place.line.saturating_sub(before + 1) as usize;
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

/// Feeds one batch. The columns of the batch are translated entry by entry, so places in both are the same.
struct Feed<'f, S> {
    sink: &'f mut S,
    block: &'f str,
    batch: &'f Batch,
    before: u32,
    processes: Vec<Option<ProcessId>>,
    texts: Vec<Option<TextId>>,
    /// Variables met lately, each at the one place its process and name ask for.
    variables: Vec<(ProcessId, Name, VarId)>,
    columns: Columns<'f>,
}

/// The columns as the sink wants them, as far as they are translated.
#[derive(Default)]
struct Columns<'f> {
    writes: Vec<Write>,
    reads: Vec<VarId>,
    sends: Vec<MessageId>,
    to: Vec<ProcessId>,
    recvs: Vec<MessageId>,
    clock: Vec<(ProcessId, u32)>,
    after: Vec<EventRef<'f>>,
}

/// Where the lists of a row stand in the columns.
struct Lists {
    sets: Range<usize>,
    sends: Range<usize>,
    to: Range<usize>,
    recvs: Range<usize>,
}

impl Lists {
    #[inline]
    fn between(before: &Row, row: &Row) -> Self {
        Lists {
            sets: before.sets as usize..row.sets as usize,
            sends: before.sends as usize..row.sends as usize,
            to: before.to as usize..row.to as usize,
            recvs: before.recvs as usize..row.recvs as usize,
        }
    }
}

impl<'f, S: Sink> Feed<'f, S> {
    fn new(sink: &'f mut S, parsed: &'f Parsed, before: u32) -> Self {
        let names = parsed.batch.name_count();
        Feed {
            sink,
            block: &parsed.text,
            batch: &parsed.batch,
            before,
            processes: vec![None; names],
            texts: vec![None; names],
            variables: vec![(ProcessId::new(0), Name::NONE, VarId::new(0)); REMEMBERED],
            columns: Columns {
                writes: Vec::with_capacity(parsed.batch.sets.len()),
                to: Vec::with_capacity(parsed.batch.to.len()),
                ..Columns::default()
            },
        }
    }

    fn run(&mut self) -> Result<(), BuildError> {
        // All messages at once: each is a random access to memory, and in a short loop several are under way together.
        let (sends, recvs) = (&self.batch.sends, &self.batch.recvs);
        self.columns.sends = sends.iter().map(|&id| self.message(id)).collect();
        self.columns.recvs = recvs.iter().map(|&id| self.message(id)).collect();
        let mut rare = self.batch.rare.iter();
        let mut before = Row::default();
        for row in &self.batch.rows {
            let line = line_number(self.before, row.line);
            let lists = Lists::between(&before, row);
            let rare = if row.rare { rare.next() } else { None };
            match rare {
                None => self.add(row, lists, line)?,
                Some(rare) => self.add_with_rare(row, lists, rare, line)?,
            }
            before = *row;
        }
        Ok(())
    }

    /// Adds an event that has no rare field.
    fn add(&mut self, row: &Row, lists: Lists, line: u32) -> Result<(), BuildError> {
        let process = self.process(row.process, "p", line)?;
        self.translate(process, row, line)?;
        let label = (row.label != Name::NONE).then(|| self.text(row.label));
        let event = NewEvent {
            label,
            writes: &self.columns.writes[lists.sets],
            sends: &self.columns.sends[lists.sends],
            to: &self.columns.to[lists.to],
            recvs: &self.columns.recvs[lists.recvs],
            ..NewEvent::of(process, line)
        };
        self.sink.add(&event)
    }

    /// Adds an event with all its fields, or marks the end of its process.
    fn add_with_rare(
        &mut self,
        row: &Row,
        lists: Lists,
        rare: &Rare,
        line: u32,
    ) -> Result<(), BuildError> {
        let process = self.process(row.process, "p", line)?;
        if rare.kind == Kind::End {
            return self.sink.end(process, line);
        }
        self.translate(process, row, line)?;
        let label = (row.label != Name::NONE).then(|| self.text(row.label));
        let reads = self.columns.reads.len();
        let clock = self.columns.clock.len();
        let after = self.columns.after.len();
        self.translate_rare(rare, line)?;
        let clock = &self.columns.clock[clock..];
        let event = NewEvent {
            process,
            line,
            label,
            name: rare.id.map(|id| self.batch.text(self.block, id)),
            time: rare.time,
            writes: &self.columns.writes[lists.sets],
            reads: &self.columns.reads[reads..],
            sends: &self.columns.sends[lists.sends],
            to: &self.columns.to[lists.to],
            recvs: &self.columns.recvs[lists.recvs],
            clock: (rare.kind == Kind::EventWithClock).then_some(clock),
            after: &self.columns.after[after..],
        };
        self.sink.add(&event)
    }

    /// Translates what the row wrote and to whom it sent.
    #[inline]
    fn translate(&mut self, process: ProcessId, row: &Row, line: u32) -> Result<(), BuildError> {
        let batch = self.batch;
        for &(name, value) in &batch.sets[self.columns.writes.len()..row.sets as usize] {
            let var = self.variable(process, name);
            let value = match value {
                RawValue::Ready(value) => value,
                RawValue::Text(text) => StoredValue::Text(self.text(text)),
            };
            self.columns.writes.push(Write { var, value });
        }
        for &name in &batch.to[self.columns.to.len()..row.to as usize] {
            let process = self.process(name, "to", line)?;
            self.columns.to.push(process);
        }
        Ok(())
    }

    fn translate_rare(&mut self, rare: &Rare, line: u32) -> Result<(), BuildError> {
        let batch = self.batch;
        for &name in &batch.reads[self.columns.reads.len()..rare.reads as usize] {
            let text = batch.name(self.block, name);
            let var = self.sink.shared_variable(text);
            let var = var.map_err(|kind| self.refused(line, "read", text, kind))?;
            self.columns.reads.push(var);
        }
        for &(name, count) in &batch.clock[self.columns.clock.len()..rare.clock as usize] {
            let process = self.clock_process(name, line)?;
            self.columns.clock.push((process, count));
        }
        for &target in &batch.after[self.columns.after.len()..rare.after as usize] {
            let target = match target {
                RawRef::Position(name, number) => {
                    EventRef::Position(self.process(name, "after", line)?, number)
                }
                RawRef::Id(id) => EventRef::Name(batch.text(self.block, id)),
            };
            self.columns.after.push(target);
        }
        Ok(())
    }

    fn message(&mut self, id: Text) -> MessageId {
        self.sink.message(self.batch.text(self.block, id))
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
        let process = self.sink.process(text);
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
        let process = self.sink.clock_process(text);
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
        let var = self.sink.variable(process, text);
        self.variables[place] = (process, name, var);
        var
    }

    #[inline]
    fn text(&mut self, name: Name) -> TextId {
        if let Some(text) = self.texts[name.0 as usize] {
            return text;
        }
        let text = self.sink.text(self.batch.name(self.block, name));
        self.texts[name.0 as usize] = Some(text);
        text
    }

    fn refused(&self, line: u32, field: &'static str, text: &str, kind: Fault) -> BuildError {
        BuildError {
            place: self.sink.place(line),
            field,
            text: text.to_owned(),
            kind,
        }
    }
}
