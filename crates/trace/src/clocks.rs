//! Vector clocks, computed when something needs the transitive closure of happened-before.
//!
//! Entry `q` of the clock of `e` counts the events of `q` that happened before `e` or are `e` (Fidge, Mattern).
//! [`sweep`] visits the events in recorded order and keeps a clock only while a later event still needs it, so a pass
//! over ten million events holds a handful of rows; [`Clocks`] keeps them all, for those who ask again and again.

use crate::ids::{EventId, ProcessId};
use crate::order::Order;

/// The clocks of all events, over some or all processes.
#[derive(Clone, Debug)]
pub struct Clocks {
    width: usize,
    entries: Vec<u32>,
}

impl Clocks {
    /// The full vector clock of every event: four bytes per event and process.
    pub fn new(order: &Order) -> Clocks {
        let processes: Vec<ProcessId> = order.processes().collect();
        let width = processes.len();
        let mut entries = vec![0; order.len() * width];
        sweep(order, &processes, |event, clock| {
            entries[event.index() * width..][..width].copy_from_slice(clock);
        });
        Clocks { width, entries }
    }

    /// The clock of an event: how many events of each process it depends on, itself included.
    pub fn of(&self, event: EventId) -> &[u32] {
        &self.entries[event.index() * self.width..][..self.width]
    }

    /// Whether `first` happened before `second`.
    pub fn happened_before(&self, order: &Order, first: EventId, second: EventId) -> bool {
        first != second
            && self.of(second)[order.process_of(first).index()] >= order.position_of(first)
    }

    /// Whether neither of two different events happened before the other.
    pub fn concurrent(&self, order: &Order, one: EventId, other: EventId) -> bool {
        one != other
            && !self.happened_before(order, one, other)
            && !self.happened_before(order, other, one)
    }
}

/// Visits every event in recorded order with its clock restricted to `columns`.
pub(crate) fn sweep(order: &Order, columns: &[ProcessId], mut visit: impl FnMut(EventId, &[u32])) {
    let mut column_of = vec![usize::MAX; order.process_count()];
    for (column, process) in columns.iter().enumerate() {
        column_of[process.index()] = column;
    }
    let mut rows = Rows::new(order, columns.len());
    let mut clock = vec![0; columns.len()];
    for event in order.recorded() {
        clock.fill(0);
        for before in order.predecessors(event) {
            rows.merge_into(before, &mut clock);
        }
        if let Some(own) = clock.get_mut(column_of[order.process_of(event).index()]) {
            *own = order.position_of(event);
        }
        visit(event, &clock);
        rows.keep(event, &clock);
    }
}

/// The clocks that later events still need, in a slab whose rows are used again.
struct Rows {
    width: usize,
    entries: Vec<u32>,
    free: Vec<u32>,
    row_of: Vec<u32>,
    readers: Vec<u32>,
}

impl Rows {
    fn new(order: &Order, width: usize) -> Rows {
        let mut readers = vec![0; order.len()];
        for event in order.recorded() {
            for before in order.predecessors(event) {
                readers[before.index()] += 1;
            }
        }
        Rows {
            width,
            entries: Vec::new(),
            free: Vec::new(),
            row_of: vec![u32::MAX; order.len()],
            readers,
        }
    }

    /// Takes the maximum with a kept clock, which is given up when this was its last reader.
    fn merge_into(&mut self, before: EventId, clock: &mut [u32]) {
        let row = self.row_of[before.index()];
        let kept = &self.entries[row as usize * self.width..][..self.width];
        for (entry, &known) in clock.iter_mut().zip(kept) {
            *entry = known.max(*entry);
        }
        self.readers[before.index()] -= 1;
        if self.readers[before.index()] == 0 {
            self.free.push(row);
        }
    }

    fn keep(&mut self, event: EventId, clock: &[u32]) {
        if self.readers[event.index()] == 0 {
            return;
        }
        let row = self.free.pop().unwrap_or_else(|| {
            let row = self.entries.len().checked_div(self.width).unwrap_or(0);
            self.entries.resize(self.entries.len() + self.width, 0);
            row as u32
        });
        self.entries[row as usize * self.width..][..self.width].copy_from_slice(clock);
        self.row_of[event.index()] = row;
    }
}
