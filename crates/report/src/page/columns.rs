//! A run as the browser reads it: a few columns of numbers, one entry per event or per edge.
//!
//! ```text
//! "CSTV" version count | tag width length 0 | entries, padded to eight bytes | tag width ...
//! ```
//!
//! All numbers are little-endian. A tag is four letters, a width the bytes of one entry: 1, 4 or 8 (a floating-point
//! number). Every column begins at a multiple of eight bytes, so the browser makes typed arrays of them without a copy.
//! What can be computed from other columns in one pass (positions, causal depth) is left to the browser.

use causet_base::budget::{Budget, Spent};
use causet_trace::{EventId, Time, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts;
use super::kept::{Between, Kept};

/// The columns of a run, in bytes, together with the texts that they refer to by number.
#[derive(Clone, Debug)]
pub struct Columns {
    /// As the browser reads them.
    pub bytes: Vec<u8>,
    /// The labels: entry `n - 1` is what label number `n` stands for.
    pub labels: Vec<String>,
}

/// How an edge came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Edge {
    Message = 0,
    /// Stated by the log, by `after` or by a clock.
    Stated = 1,
    /// By way of events that are not shown.
    Indirect = 2,
    /// Two accesses to a shared variable.
    Shared = 3,
}

/// What an event and an edge take at most while the columns are made: their entries, and the lists these are made from.
const BYTES_PER_EVENT: usize = 32;
const BYTES_PER_EDGE: usize = 24;

impl Columns {
    /// The columns of all events. The budget is charged for what they take while they are made.
    pub fn of(trace: &Trace, budget: &Budget<'_>) -> Result<Columns, Spent> {
        let order = trace.order();
        let room = budget.branch();
        room.charge(BYTES_PER_EVENT * order.len() + BYTES_PER_EDGE * order.crossing_count())?;
        Ok(Columns::with(trace, &Kept::all(order), &Between::default()))
    }

    pub(super) fn with(trace: &Trace, kept: &Kept, between: &Between) -> Columns {
        let order = trace.order();
        let mut columns = Writer::new();
        columns.numbers(b"lane", kept.events().map(|e| order.process_of(e).raw()));
        let mut labels = Labels::default();
        let numbers: Vec<u32> = kept.events().map(|e| labels.number(trace, e)).collect();
        columns.numbers(b"labl", numbers);
        columns.numbers(b"line", kept.events().map(|e| trace.place(e).line));
        columns.bytes(
            b"wrts",
            kept.events().map(|e| trace.writes(e).len().min(255) as u8),
        );
        if kept.is_excerpt() {
            columns.numbers(b"numb", kept.events().map(EventId::raw));
            columns.numbers(b"posn", kept.events().map(|e| order.position_of(e)));
        }
        if !order.recorded().map(EventId::index).eq(0..order.len()) {
            let ranks = order.ranks();
            columns.numbers(b"rank", kept.events().map(|e| ranks.of(e)));
        }
        if kept.events().any(|e| trace.time(e).is_some()) {
            columns.floats(
                b"time",
                kept.events()
                    .map(|e| trace.time(e).map_or(f64::NAN, Time::to_f64)),
            );
        }
        let edges = edges(trace, kept, between);
        columns.numbers(b"from", edges.iter().map(|edge| edge.0));
        columns.numbers(b"into", edges.iter().map(|edge| edge.1));
        columns.bytes(b"kind", edges.iter().map(|edge| edge.2 as u8));
        Columns {
            bytes: columns.finish(),
            labels: labels.texts,
        }
    }
}

/// The edges between kept events of different processes: places from and to, and why; in the order of the latter.
fn edges(trace: &Trace, kept: &Kept, between: &Between) -> Vec<(u32, u32, Edge)> {
    let order = trace.order();
    let stated: FxHashSet<(EventId, EventId)> = trace.explicit_edges().iter().copied().collect();
    let mut edges = Vec::with_capacity(between.edges.len());
    for (place, event) in kept.events().enumerate() {
        for &before in order.crossing_into(event) {
            if let Some(from) = kept.place(before) {
                let kind = kind(trace, &stated, before, event);
                edges.push((from as u32, place as u32, kind));
            }
        }
    }
    let indirect = between.edges.iter();
    edges.extend(indirect.map(|&(from, to)| (from, to, Edge::Indirect)));
    edges.sort_by_key(|&(_, to, _)| to);
    edges
}

fn kind(trace: &Trace, stated: &FxHashSet<(EventId, EventId)>, from: EventId, to: EventId) -> Edge {
    let mut received = trace.receives(to).iter();
    if received.any(|&message| trace.sender(message) == Some(from)) {
        Edge::Message
    } else if stated.contains(&(from, to)) {
        Edge::Stated
    } else {
        Edge::Shared
    }
}

/// The labels that occur, numbered as they come; 0 stands for none.
#[derive(Default)]
struct Labels<'t> {
    numbers: FxHashMap<&'t str, u32>,
    texts: Vec<String>,
}

impl<'t> Labels<'t> {
    fn number(&mut self, trace: &'t Trace, event: EventId) -> u32 {
        let Some(label) = trace.label(event) else {
            return 0;
        };
        *self.numbers.entry(label).or_insert_with(|| {
            self.texts.push(facts::shortened(label));
            self.texts.len() as u32
        })
    }
}

/// Columns being written.
struct Writer {
    count: u32,
    bytes: Vec<u8>,
}

impl Writer {
    fn new() -> Writer {
        let mut bytes = b"CSTV".to_vec();
        bytes.extend_from_slice(&1u32.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        Writer { count: 0, bytes }
    }

    fn numbers(&mut self, tag: &[u8; 4], entries: impl IntoIterator<Item = u32>) {
        self.column(tag, 4, entries.into_iter().flat_map(u32::to_le_bytes));
    }

    fn floats(&mut self, tag: &[u8; 4], entries: impl IntoIterator<Item = f64>) {
        self.column(tag, 8, entries.into_iter().flat_map(f64::to_le_bytes));
    }

    fn bytes(&mut self, tag: &[u8; 4], entries: impl IntoIterator<Item = u8>) {
        self.column(tag, 1, entries);
    }

    fn column(&mut self, tag: &[u8; 4], width: u32, entries: impl IntoIterator<Item = u8>) {
        self.count += 1;
        self.bytes.extend_from_slice(tag);
        self.bytes.extend_from_slice(&width.to_le_bytes());
        let length_at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 8]);
        let start = self.bytes.len();
        self.bytes.extend(entries);
        let length = (self.bytes.len() - start) as u32 / width;
        self.bytes[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        let padded = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(padded, 0);
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes[8..12].copy_from_slice(&self.count.to_le_bytes());
        self.bytes
    }
}
