//! A shared variable: a read comes after the last write, and so does a write.

use std::sync::Mutex;

use super::edges::Edges;
use super::held;
use crate::recorder::Recorder;
use crate::value::Value;

/// A variable of the recording that several processes read and write. The recording must declare it, by
/// [`Builder::shared`](crate::Builder::shared).
///
/// A write does not come after the reads of the value it replaces unless [`write_after_read`](Shared::write_after_read)
/// asks for it: causality does not say that a reader had to come first.
#[derive(Debug)]
pub struct Shared<T> {
    name: String,
    write_after_read: bool,
    cell: Mutex<(T, Edges)>,
}

impl<T: Clone + Into<Value>> Shared<T> {
    /// A variable with its value at the beginning, which the recording is told by
    /// [`Builder::init`](crate::Builder::init).
    pub fn new(name: &str, value: T) -> Self {
        Shared {
            name: name.to_owned(),
            write_after_read: false,
            cell: Mutex::new((value, Edges::default())),
        }
    }

    /// Lets a write come after the reads of the value it replaces.
    pub fn write_after_read(mut self) -> Self {
        self.write_after_read = true;
        self
    }

    /// Reads the variable: an event `read`.
    pub fn read(&self, recorder: &mut Recorder) -> T {
        let mut cell = held(self.cell.lock());
        let event = recorder.event("read").read(&self.name);
        let event = cell.1.after_write(event).done();
        if self.write_after_read {
            cell.1.note_read(event);
        }
        cell.0.clone()
    }

    /// Writes the variable: an event `write`.
    pub fn write(&self, recorder: &mut Recorder, value: T) {
        self.change(recorder, "write", |_| Some(value));
    }

    /// Replaces the variable by a function of it in one event, `update`, and gives the value it had.
    pub fn update(&self, recorder: &mut Recorder, new: impl FnOnce(&T) -> T) -> T {
        self.change(recorder, "update", |old| Some(new(old)))
    }

    /// One event that reads the variable and, if there is a new value, writes it; gives the value it had.
    pub(super) fn change(
        &self,
        recorder: &mut Recorder,
        label: &str,
        new: impl FnOnce(&T) -> Option<T>,
    ) -> T {
        let mut cell = held(self.cell.lock());
        let (old, edges) = &mut *cell;
        let new = new(old);
        let mut event = recorder.event(label);
        if label != "write" {
            event = event.read(&self.name);
        }
        let Some(new) = new else {
            let event = edges.after_write(event).done();
            if self.write_after_read {
                edges.note_read(event);
            }
            return old.clone();
        };
        let event = event.set(&self.name, new.clone());
        edges.note_write(edges.after_all(event).done());
        std::mem::replace(old, new)
    }
}
