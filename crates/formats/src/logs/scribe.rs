//! From the entries of a log to the builder of a run: names become numbers, and what was let pass is counted.

use std::collections::hash_map;
use std::hash::Hasher;

use causet_base::{Code, Diagnostic};
use causet_trace::{
    BuildError, BuildOptions, EventRef, Fault, MessageId, NewEvent, ProcessId, StoredValue, TextId,
    TraceBuilder, VarId, Write,
};
use rustc_hash::{FxHashMap, FxHasher};

use super::entry::{Datum, Entry};
use crate::caveats::Caveat;
use crate::error::cut_off;

/// Writes down a run.
pub(crate) struct Scribe<'a> {
    builder: &'a mut TraceBuilder,
    options: BuildOptions,
    /// The name of the part that is read, and its number from 1.
    file: String,
    part: usize,
    notes: &'a mut Vec<Diagnostic>,
    columns: Columns,
    recent: Recent,
    /// The name of a variable within another, kept to be used again.
    full_name: String,
    /// What the log leaves out of the order.
    pub(crate) caveat: Option<Caveat>,
}

/// How many variables are remembered; a power of two.
const REMEMBERED: usize = 1024;

/// Variables met lately, each at the one place its process and name ask for: most logs have few of them, again and again.
struct Recent(Vec<(ProcessId, String, VarId)>);

impl Default for Recent {
    fn default() -> Self {
        let nothing = (ProcessId::new(u32::MAX), String::new(), VarId::new(0));
        Recent(vec![nothing; REMEMBERED])
    }
}

impl Recent {
    fn place(&mut self, process: ProcessId, name: &str) -> &mut (ProcessId, String, VarId) {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        hasher.write_u32(process.index() as u32);
        &mut self.0[hasher.finish() as usize >> 8 & (REMEMBERED - 1)]
    }
}

/// What an event consists of, in numbers of the run; kept to be used again.
#[derive(Default)]
pub(crate) struct Columns {
    pub(crate) writes: Vec<Write>,
    /// Where the write of each variable stands; empty while the writes are few enough to look through.
    places: FxHashMap<VarId, usize>,
    pub(crate) reads: Vec<VarId>,
    pub(crate) sends: Vec<MessageId>,
    to: Vec<ProcessId>,
    pub(crate) recvs: Vec<MessageId>,
    clock: Vec<(ProcessId, u32)>,
    pub(crate) after: Vec<EventRef<'static>>,
}

impl<'a> Scribe<'a> {
    pub(crate) fn new(
        builder: &'a mut TraceBuilder,
        options: BuildOptions,
        notes: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Scribe {
            builder,
            options,
            file: String::new(),
            part: 0,
            notes,
            columns: Columns::default(),
            recent: Recent::default(),
            full_name: String::new(),
            caveat: None,
        }
    }

    /// What follows belongs to the next part.
    pub(crate) fn start_part(&mut self, file: &str) {
        self.builder.start_part();
        file.clone_into(&mut self.file);
        self.part += 1;
    }

    /// Whether nothing would be lost but what was said of this part.
    pub(crate) fn can_start_over(&self) -> bool {
        self.part == 1
    }

    /// Forgets all that was said, for a reader that finds out late how the first part is to be read.
    pub(crate) fn start_over(&mut self) {
        *self.builder = TraceBuilder::new(self.options);
        self.builder.start_part();
        self.notes.clear();
        self.recent = Recent::default();
    }

    /// Lists the processes; from now on any other is refused.
    pub(crate) fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault> {
        self.builder
            .declare_processes(names.iter().map(String::as_str))
    }

    /// Says that a variable is shared by all processes; it is named like this in entries too.
    pub(crate) fn declare_shared(&mut self, name: &str) {
        self.builder.declare_shared(name);
    }

    /// Says that the order of the entries is one real execution: it orders conflicting accesses to shared variables.
    pub(crate) fn declare_observed(&mut self) {
        self.builder.declare_observed();
    }

    /// Gives a variable, named as in formulas, its initial value.
    pub(crate) fn init(&mut self, name: &str, datum: &Datum<'_>, line: u32) {
        let value = self.value(datum);
        self.builder.init(name, value, line);
    }

    /// Says something about a line that its reader should know.
    pub(crate) fn note(&mut self, line: u32, message: impl Into<String>, help: impl Into<String>) {
        let note = Diagnostic::new(Code::LogNote, message).with_help(help);
        self.notes.push(note.in_file(&self.file, line, 0));
    }

    /// Says that the end of the part is cut off.
    pub(crate) fn leave_out(&mut self, line: u32, what: &str) {
        self.notes.push(cut_off(&self.file, line, what));
    }

    /// Takes the next event of a process.
    pub(crate) fn add(&mut self, entry: &Entry<'_>) -> Result<(), BuildError> {
        let line = entry.line;
        let process = self.process(&entry.process, "p", line)?;
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        for (name, datum) in &entry.sets {
            self.set(process, name, datum, &mut columns);
        }
        let mut full = std::mem::take(&mut self.full_name);
        for member in &entry.under {
            full.clear();
            full.push_str(&member.of);
            if !member.name.is_empty() {
                full.push('.');
                full.push_str(&member.name);
            }
            self.set(process, &full, &member.datum, &mut columns);
        }
        self.full_name = full;
        for name in &entry.reads {
            columns.reads.push(self.shared_variable(name, line)?);
        }
        let sends = entry.sends.iter();
        columns.sends.extend(sends.map(|id| self.message(id)));
        let recvs = entry.recvs.iter();
        columns.recvs.extend(recvs.map(|id| self.message(id)));
        if let Some(from) = &entry.from {
            let sender = self.process(from, "from", line)?;
            let messages = columns.recvs.iter();
            messages.for_each(|&message| self.builder.expect_sender(message, sender));
        }
        for name in &entry.to {
            columns.to.push(self.process(name, "to", line)?);
        }
        for (name, count) in entry.clock.iter().flatten() {
            let entry = self.builder.clock_process(name);
            let entry = entry.map_err(|kind| self.refused(line, "clock", name, kind))?;
            columns.clock.push((entry, *count));
        }
        for earlier in &entry.after {
            let process = self.process(&earlier.process, "after", line)?;
            columns
                .after
                .push(EventRef::Position(process, earlier.position));
        }
        let label = entry.label.as_deref();
        let label = label.map(|label| self.builder.text(label));
        let added = self.write(&NewEvent {
            process,
            line,
            label,
            name: entry.id.as_deref(),
            time: entry.time,
            writes: &columns.writes,
            reads: &columns.reads,
            sends: &columns.sends,
            to: &columns.to,
            recvs: &columns.recvs,
            clock: entry.clock.as_ref().map(|_| columns.clock.as_slice()),
            after: &columns.after,
        });
        self.columns = columns;
        added
    }

    /// Takes the next event of a process, in numbers of the run.
    pub(crate) fn write(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        self.builder.add(event).map(drop)
    }

    /// The process that a field of a line names.
    pub(crate) fn process(
        &mut self,
        name: &str,
        field: &'static str,
        line: u32,
    ) -> Result<ProcessId, BuildError> {
        let process = self.builder.process(name);
        process.map_err(|kind| self.refused(line, field, name, kind))
    }

    /// The message with an id.
    pub(crate) fn message(&mut self, id: &str) -> MessageId {
        self.builder.message(id)
    }

    /// The shared variable that a line reads.
    pub(crate) fn shared_variable(&mut self, name: &str, line: u32) -> Result<VarId, BuildError> {
        let var = self.builder.shared_variable(name);
        var.map_err(|kind| self.refused(line, "read", name, kind))
    }

    fn set(&mut self, process: ProcessId, name: &str, datum: &Datum<'_>, columns: &mut Columns) {
        let var = self.variable(process, name);
        columns.set(var, self.value(datum));
    }

    /// The variable that a process calls by a name.
    pub(crate) fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        let (of, named, var) = self.recent.place(process, name);
        if *of != process || named != name {
            *var = self.builder.variable(process, name);
            *of = process;
            name.clone_into(named);
        }
        *var
    }

    /// A value of the run.
    pub(crate) fn value(&mut self, datum: &Datum<'_>) -> StoredValue {
        match datum {
            Datum::Plain(value) => *value,
            Datum::Text(text) => StoredValue::Text(self.text(text)),
        }
    }

    /// A text of the run.
    pub(crate) fn text(&mut self, text: &str) -> TextId {
        self.builder.text(text)
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

impl Columns {
    pub(crate) fn clear(&mut self) {
        self.writes.clear();
        self.places.clear();
        self.reads.clear();
        self.sends.clear();
        self.to.clear();
        self.recvs.clear();
        self.clock.clear();
        self.after.clear();
    }

    /// Adds a write. What is written last is what counts.
    pub(crate) fn set(&mut self, var: VarId, value: StoredValue) {
        let known = if self.writes.len() < FEW_WRITES {
            self.writes.iter().position(|write| write.var == var)
        } else {
            self.place_of(var)
        };
        match known {
            Some(place) => self.writes[place].value = value,
            None => self.writes.push(Write { var, value }),
        }
    }

    /// Where the write of a variable stands among many; if it is new it is taken to be the next one.
    fn place_of(&mut self, var: VarId) -> Option<usize> {
        if self.places.is_empty() {
            let places = self.writes.iter().map(|write| write.var).zip(0..);
            self.places.extend(places);
        }
        match self.places.entry(var) {
            hash_map::Entry::Occupied(known) => Some(*known.get()),
            hash_map::Entry::Vacant(new) => {
                new.insert(self.writes.len());
                None
            }
        }
    }
}

/// The number of writes of one event from which on they are found by a table.
const FEW_WRITES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// With a look through all writes for each of them, this test does not end within a minute.
    #[test]
    fn the_last_of_many_writes_counts() {
        let mut columns = Columns::default();
        for round in 0..2 {
            for var in 0..400_000 {
                columns.set(VarId::new(var), StoredValue::Int(i64::from(var) * round));
            }
        }
        assert_eq!(columns.writes.len(), 400_000);
        let is_last =
            |write: &Write| write.value == StoredValue::Int(i64::from(write.var.index() as u32));
        assert!(columns.writes.iter().all(is_last));
        columns.clear();
        columns.set(VarId::new(3), StoredValue::Int(1));
        columns.set(VarId::new(3), StoredValue::Int(2));
        assert_eq!(columns.writes.len(), 1);
    }
}
