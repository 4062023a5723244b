//! Vector clocks, computed when something needs the transitive closure of happened-before.
//!
//! Entry `q` of the clock of `e` counts the events of `q` that happened before `e` or are `e` (Fidge, Mattern).
//! [`sweep`] visits the events in recorded order and keeps a clock only while a later event still needs it, so a pass
//! over ten million events holds a handful of rows; [`Clocks`] keeps them all, for those who ask again and again.

use crate::order::Order;
use causet_base::ids::{EventId, ProcessId};

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
        sweep_processes(order, &processes, |event, clock| {
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

/// Visits every event in recorded order with its clock restricted to the processes `columns`.
pub(crate) fn sweep_processes(
    order: &Order,
    columns: &[ProcessId],
    mut visit: impl FnMut(EventId, &[u32]),
) {
    let mut column_of = vec![usize::MAX; order.process_count()];
    for (column, process) in columns.iter().enumerate() {
        column_of[process.index()] = column;
    }
    let swept: Result<(), std::convert::Infallible> =
        sweep(order, columns.len(), |event, clock| {
            if let Some(own) = clock.get_mut(column_of[order.process_of(event).index()]) {
                *own = order.position_of(event);
            }
            visit(event, clock);
            Ok(())
        });
    match swept {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

/// Visits every event in recorded order with the component-wise maximum of what its predecessors left in theirs: `width`
/// numbers, zero to begin with. What `visit` makes of them is what later events see; an error ends the sweep.
///
/// Numbers that count marked events, raised by the visitor at each of those, become clocks over any chains.
pub fn sweep<E>(
    order: &Order,
    width: usize,
    mut visit: impl FnMut(EventId, &mut [u32]) -> Result<(), E>,
) -> Result<(), E> {
    let mut rows = Rows::new(order, width);
    for event in order.recorded() {
        let clock = rows.arrive(order, event);
        visit(event, clock)?;
        rows.keep(order, event);
    }
    Ok(())
}

/// The clocks that later events still need: the last one of each process, and those that edges to other processes wait
/// for, in a slab whose rows are used again.
struct Rows {
    width: usize,
    latest: Vec<u32>,
    awaited: Vec<u32>,
    free: Vec<u32>,
    row_of: Vec<u32>,
    readers: Vec<u32>,
}

impl Rows {
    fn new(order: &Order, width: usize) -> Rows {
        let mut readers = vec![0; order.len()];
        for before in order.crossing_sources() {
            readers[before.index()] += 1;
        }
        Rows {
            width,
            latest: vec![0; width * order.process_count()],
            awaited: Vec::new(),
            free: Vec::new(),
            row_of: vec![0; order.len()],
            readers,
        }
    }

    /// The clock of an event as its predecessors have it.
    fn arrive(&mut self, order: &Order, event: EventId) -> &mut [u32] {
        let width = self.width;
        let own = order.process_of(event).index() * width;
        let clock = &mut self.latest[own..own + width];
        for before in order.crossing_into(event) {
            let row = self.row_of[before.index()];
            let kept = &self.awaited[row as usize * width..][..width];
            for (entry, &known) in clock.iter_mut().zip(kept) {
                *entry = known.max(*entry);
            }
            self.readers[before.index()] -= 1;
            if self.readers[before.index()] == 0 {
                self.free.push(row);
            }
        }
        clock
    }

    /// Sets the clock aside when another process waits for it.
    fn keep(&mut self, order: &Order, event: EventId) {
        if self.readers[event.index()] == 0 {
            return;
        }
        let width = self.width;
        let row = self.free.pop().unwrap_or_else(|| {
            let row = self.awaited.len().checked_div(width).unwrap_or(0);
            self.awaited.resize(self.awaited.len() + width, 0);
            row as u32
        });
        let own = order.process_of(event).index() * width;
        let clock = &self.latest[own..own + width];
        self.awaited[row as usize * width..][..width].copy_from_slice(clock);
        self.row_of[event.index()] = row;
    }
}
