//! The lanes of a drawing: one per process, with arrows from what had to come first.
//!
//! An arrow stands on the row of the later event and starts at the lane of the earlier one: `─` for a message, `╌` for
//! any other reason (a clock, an explicit edge, a shared variable). Drawing a message from row to row, as on paper, was
//! the alternative; it needs a row of its own for every crossing and is unreadable beyond a handful of events.

use causet_trace::{EventId, ProcessId, Trace};

use super::Palette;
use super::words::{self, padded, short_middle, width};

/// The lanes take at most this many columns, unless there are so many that even narrow ones do not fit.
const LANES_WIDTH: usize = 64;
/// An arrow needs three columns.
const NARROWEST: usize = 3;
/// More lanes than this help nobody: the rows then name their processes only.
const MOST_LANES: usize = 30;

/// The lanes: which processes have one, and how far apart they are.
pub(super) struct Lanes {
    /// The processes, in their order; none when there are too many.
    pub(super) processes: Vec<ProcessId>,
    spacing: usize,
}

impl Lanes {
    /// Lanes for all processes, or for those that take part when all do not fit; when these are too many, for those of the
    /// events that the sentence names.
    pub(super) fn new(
        trace: &Trace,
        events: &[EventId],
        named: &[EventId],
        columns: Option<usize>,
    ) -> Self {
        // On a narrow terminal the lanes leave room for words.
        let most = columns.map_or(LANES_WIDTH, |columns| LANES_WIDTH.min(columns / 2));
        let order = trace.order();
        let widest = |processes: &[ProcessId]| {
            let widths = processes
                .iter()
                .map(|&p| width(&words::clean(trace.process_name(p))));
            widths.max().unwrap_or(0) + 2
        };
        let mut processes: Vec<ProcessId> = match order.process_count() * NARROWEST > most {
            true => involved(trace, events),
            false => order.processes().collect(),
        };
        if processes.len() * widest(&processes).max(5) > most {
            processes = involved(trace, events);
        }
        if processes.len() > MOST_LANES {
            processes = of_events(trace, named);
            processes.truncate(MOST_LANES);
        }
        let room = most / processes.len().max(1);
        let spacing = widest(&processes).clamp(5, 20).min(room).max(NARROWEST);
        Lanes { processes, spacing }
    }

    /// The column of a lane.
    fn column(&self, index: usize) -> usize {
        index * self.spacing + self.spacing / 2
    }

    /// How many columns the lanes take.
    pub(super) fn width(&self) -> usize {
        self.processes.len() * self.spacing
    }

    fn lane_of(&self, process: ProcessId) -> Option<usize> {
        self.processes
            .binary_search(&process)
            .ok()
            .map(|index| self.column(index))
    }

    /// The names of the processes over their lanes.
    pub(super) fn head(&self, trace: &Trace) -> String {
        let mut head = String::new();
        for (index, &process) in self.processes.iter().enumerate() {
            let name = short_middle(trace.process_name(process), self.spacing - 1);
            let start = (self.column(index)).saturating_sub((width(&name) - 1) / 2);
            head = padded(&head, start.max(width(&head)));
            head.push_str(&name);
        }
        head
    }

    fn blank(&self, line: char) -> Vec<char> {
        let mut cells = vec![' '; self.width()];
        for index in 0..self.processes.len() {
            cells[self.column(index)] = line;
        }
        cells
    }

    /// The lanes where rows are left out.
    pub(super) fn gap(&self) -> String {
        self.blank('┊').into_iter().collect()
    }

    /// The cut across the lanes.
    pub(super) fn cut(&self) -> String {
        let line = |cell: char| if cell == ' ' { '═' } else { cell };
        self.blank('╪').into_iter().map(line).collect()
    }

    /// The lanes on the row of an event.
    pub(super) fn row(
        &self,
        trace: &Trace,
        event: EventId,
        mark: char,
        palette: &Palette,
    ) -> String {
        let order = trace.order();
        let mut cells = self.blank('│');
        let Some(here) = self.lane_of(order.process_of(event)) else {
            return cells.into_iter().collect();
        };
        for &before in order.crossing_into(event) {
            if let Some(there) = self.lane_of(order.process_of(before)) {
                let by_message = carries(trace, before, event);
                arrow(&mut cells, there, here, if by_message { '─' } else { '╌' });
            }
        }
        let strong = palette.strong;
        let (left, right): (String, String) = (
            cells[..here].iter().collect(),
            cells[here + 1..].iter().collect(),
        );
        format!("{left}{strong}{mark}{strong:#}{right}")
    }
}

/// The processes that take part in what is shown, as the place of an event or of what had to come before it.
fn involved(trace: &Trace, events: &[EventId]) -> Vec<ProcessId> {
    let order = trace.order();
    let shown = events.iter().flat_map(|&event| {
        let before = order.crossing_into(event).iter().copied();
        before.chain([event])
    });
    let shown: Vec<EventId> = shown.collect();
    of_events(trace, &shown)
}

/// The processes of some events.
fn of_events(trace: &Trace, events: &[EventId]) -> Vec<ProcessId> {
    let processes = events.iter().map(|&event| trace.order().process_of(event));
    let mut processes: Vec<ProcessId> = processes.collect();
    processes.sort_unstable();
    processes.dedup();
    processes
}

/// Whether the later event receives a message of the earlier one.
fn carries(trace: &Trace, before: EventId, event: EventId) -> bool {
    let mut received = trace.receives(event).iter();
    received.any(|&message| trace.sender(message) == Some(before))
}

/// Draws from one lane to the next but the last column, where the head goes.
fn arrow(cells: &mut [char], from: usize, to: usize, line: char) {
    let (low, high) = (from.min(to), from.max(to));
    for cell in &mut cells[low + 1..high] {
        *cell = match *cell {
            '│' | '├' | '┤' | '┼' => '┼',
            '▶' | '◀' => continue,
            _ => line,
        };
    }
    cells[from] = match (cells[from], from < to) {
        ('┼', _) => '┼',
        (_, true) => '├',
        (_, false) => '┤',
    };
    if from < to {
        cells[to - 1] = '▶';
    } else {
        cells[to + 1] = '◀';
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    /// Draws the whole recorded order of a run, without what stands right of the lanes.
    fn lanes(drawing: &str) -> Vec<String> {
        let trace = notation::parse(drawing).unwrap();
        let events: Vec<EventId> = trace.order().recorded().collect();
        let lanes = Lanes::new(&trace, &events, &[], None);
        let rows = events
            .iter()
            .map(|&event| lanes.row(&trace, event, '●', &Palette::plain()));
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    #[test]
    fn arrows_cross_lanes_from_the_sender_to_the_receiver() {
        let rows = lanes("a: m!  .      n?\nb:     .\nc:     m?  n!");
        let expected = [
            "  ●    │    │",
            "  ●    │    │",
            "  │    ●    │",
            "  ├────┼───▶●",
            "  │    │    ●",
            "  ●◀───┼────┤",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn an_order_without_a_message_is_dashed() {
        assert_eq!(lanes("a: .\nb:   .,<a.1"), ["  ●    │", "  ├╌╌╌▶●"]);
    }

    #[test]
    fn two_messages_at_once_keep_their_heads() {
        let rows = lanes("a: m!\nb: n!\nc:     m?,n?");
        assert_eq!(rows[2], "  ├────┼───▶●");
    }

    #[test]
    fn hundreds_of_processes_get_no_lanes_but_their_rows() {
        let drawing: String = (0..200)
            .map(|process| format!("p{process}: x=1\n"))
            .collect();
        assert!(lanes(&drawing).iter().all(String::is_empty));
    }
}
