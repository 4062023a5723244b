//! The lines that are not acknowledged, in the order in which they were recorded, and how far each process is.
//!
//! ```text
//!            acknowledged            sent            recorded
//!  front ------------------> | ---------------> | -----------> back       all bytes in one ring
//!        (leaves the queue)
//! ```
//!
//! Nothing here waits or sends. Events of a process have numbers without holes: once one was dropped, the process takes
//! no more. The end of a process is no event and has no number, so it goes out when nothing of the process is under way,
//! and the next acknowledgement that names the process is for it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::report::Missing;
use crate::json::{end_line, push_integer, push_string};

/// Lines that wait to be sent or acknowledged.
#[derive(Debug)]
pub(crate) struct Queue {
    capacity: usize,
    processes: Vec<Process>,
    by_name: HashMap<Arc<str>, usize>,
    /// How many events the server has of processes that have not recorded anything here.
    others: HashMap<String, u32>,
    entries: VecDeque<Entry>,
    bytes: VecDeque<u8>,
    /// How many of the entries and bytes were sent on this connection.
    sent: usize,
    sent_bytes: usize,
}

/// A line of the queue.
#[derive(Debug)]
struct Entry {
    process: usize,
    number: u32,
    length: usize,
}

#[derive(Debug)]
struct Process {
    name: Arc<str>,
    /// How many events were taken in.
    taken: u32,
    /// How many events were sent, on whatever connection.
    sent: u32,
    /// How many events the server has acknowledged.
    safe: u32,
    /// How many events found no room.
    dropped: u32,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    NotYet,
    Recorded,
    Sent,
    Safe,
}

impl Queue {
    /// An empty queue for so many bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        Queue {
            capacity,
            processes: Vec::new(),
            by_name: HashMap::new(),
            others: HashMap::new(),
            entries: VecDeque::new(),
            bytes: VecDeque::new(),
            sent: 0,
            sent_bytes: 0,
        }
    }

    /// The index of a process; and what is wrong, if the server has events of it that are not ours.
    pub(crate) fn process(&mut self, name: &Arc<str>) -> (usize, Option<String>) {
        if let Some(index) = self.by_name.get(name) {
            return (*index, None);
        }
        let index = self.processes.len();
        self.by_name.insert(Arc::clone(name), index);
        self.processes.push(Process {
            name: Arc::clone(name),
            taken: 0,
            sent: 0,
            safe: 0,
            dropped: 0,
            end: End::NotYet,
        });
        let others = self.others.remove(&**name).filter(|count| *count > 0);
        (index, others.map(|count| foreign(name, count)))
    }

    /// Whether there is room for a line. A line that is longer than the queue finds room when it is alone.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        self.bytes.is_empty() || self.bytes.len().saturating_add(length) <= self.capacity
    }

    /// Whether a process takes no more.
    pub(crate) fn has_stopped(&self, process: usize) -> bool {
        self.processes[process].dropped > 0
    }

    /// Takes in an event.
    pub(crate) fn push(&mut self, process: usize, number: u32, line: &[u8]) {
        self.processes[process].taken = number;
        self.bytes.extend(line);
        self.entries.push_back(Entry {
            process,
            number,
            length: line.len(),
        });
    }

    /// Counts an event that found no room.
    pub(crate) fn drop_event(&mut self, process: usize) {
        let dropped = &mut self.processes[process].dropped;
        *dropped = dropped.saturating_add(1);
    }

    /// Takes in the end of a process.
    pub(crate) fn end(&mut self, process: usize) {
        self.processes[process].end = End::Recorded;
    }

    /// What comes next, as whole lines, until there are so many bytes; `false` if there is nothing.
    pub(crate) fn take(&mut self, most: usize, out: &mut Vec<u8>) -> bool {
        let start = self.sent_bytes;
        while let Some(entry) = self.entries.get(self.sent) {
            self.processes[entry.process].sent =
                self.processes[entry.process].sent.max(entry.number);
            self.sent += 1;
            self.sent_bytes += entry.length;
            if self.sent_bytes - start >= most {
                break;
            }
        }
        self.copy(start, self.sent_bytes, out);
        for process in &mut self.processes {
            if process.end == End::Recorded && process.is_through() {
                process.end = End::Sent;
                out.extend_from_slice(end_line(&process.name).as_bytes());
            }
        }
        !out.is_empty()
    }

    /// Whether something was sent and is not acknowledged.
    pub(crate) fn is_under_way(&self) -> bool {
        self.sent > 0
            || self
                .processes
                .iter()
                .any(|process| process.end == End::Sent)
    }

    /// Hears how many events of some processes are safe; whether that is more than was known, or what is wrong.
    pub(crate) fn acknowledge(&mut self, counts: &[(String, u32)]) -> Result<bool, String> {
        let mut is_more = false;
        for (name, count) in counts {
            let Some(&index) = self.by_name.get(name.as_str()) else {
                continue;
            };
            let process = &mut self.processes[index];
            if *count > process.sent {
                return Err(foreign(name, *count));
            }
            if process.end == End::Sent {
                process.end = End::Safe;
                is_more = true;
            }
            is_more |= *count > process.safe;
            process.safe = process.safe.max(*count);
        }
        self.release();
        Ok(is_more)
    }

    /// Begins to send anew, after what the server has; says where the numbers begin. Or what is wrong.
    pub(crate) fn begin(&mut self, have: Vec<(String, u32)>) -> Result<String, String> {
        self.others = have.into_iter().collect();
        for process in &mut self.processes {
            let count = self.others.remove(&*process.name).unwrap_or(0);
            if count > process.sent {
                return Err(foreign(&process.name, count));
            }
            if count < process.safe {
                return Err(format!(
                    "the server has lost events of process `{}`: it had acknowledged {} and has {count}",
                    process.name, process.safe
                ));
            }
            process.safe = count;
            if process.end == End::Sent {
                process.end = End::Recorded;
            }
        }
        self.forget_safe();
        Ok(self.from())
    }

    /// Whether everything is acknowledged.
    pub(crate) fn is_safe(&self) -> bool {
        self.entries.is_empty() && !self.processes.iter().any(Process::owes_end)
    }

    /// What is not acknowledged, by process.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        let all = self.processes.iter().map(|process| Missing {
            process: process.name.to_string(),
            from: process.safe.saturating_add(1),
            kept: process.taken - process.safe,
            dropped: process.dropped,
            end: process.owes_end(),
        });
        all.filter(|missing| missing.kept > 0 || missing.dropped > 0 || missing.end)
            .collect()
    }

    /// Where the numbers of the processes begin, as a line, or nothing if there are no processes yet.
    fn from(&self) -> String {
        let mut line = String::new();
        for process in &self.processes {
            line.push_str(if line.is_empty() { "{\"from\":{" } else { "," });
            push_string(&mut line, &process.name);
            line.push(':');
            push_integer(&mut line, process.safe.saturating_add(1));
        }
        if !line.is_empty() {
            line.push_str("}}\n");
        }
        line
    }

    /// Lets go of the lines at the front that are safe.
    fn release(&mut self) {
        let is_safe = |entry: &&Entry| entry.number <= self.processes[entry.process].safe;
        let safe = self.entries.iter().take_while(is_safe);
        let (count, length) = safe.fold((0, 0), |(count, length), entry| {
            (count + 1, length + entry.length)
        });
        self.entries.drain(..count);
        self.bytes.drain(..length);
        // Only what was sent is acknowledged.
        self.sent = self.sent.saturating_sub(count);
        self.sent_bytes = self.sent_bytes.saturating_sub(length);
    }

    /// Lets go of all lines that are safe, wherever they stand, and forgets what was sent.
    fn forget_safe(&mut self) {
        (self.sent, self.sent_bytes) = (0, 0);
        self.release();
        let is_safe = |entry: &Entry| entry.number <= self.processes[entry.process].safe;
        if !self.entries.iter().any(is_safe) {
            return;
        }
        let mut kept = Vec::with_capacity(self.bytes.len());
        let mut at = 0;
        for entry in &self.entries {
            if !is_safe(entry) {
                self.copy(at, at + entry.length, &mut kept);
            }
            at += entry.length;
        }
        let processes = &self.processes;
        self.entries
            .retain(|entry| entry.number > processes[entry.process].safe);
        self.bytes = kept.into();
    }

    /// Appends a stretch of the bytes.
    fn copy(&self, from: usize, to: usize, out: &mut Vec<u8>) {
        let (front, back) = self.bytes.as_slices();
        let middle = front.len();
        out.extend_from_slice(&front[from.min(middle)..to.min(middle)]);
        out.extend_from_slice(&back[from.saturating_sub(middle)..to.saturating_sub(middle)]);
    }
}

impl Process {
    /// Whether all of its events are acknowledged.
    fn is_through(&self) -> bool {
        self.safe == self.taken && self.dropped == 0
    }

    /// Whether its end is still to be acknowledged.
    fn owes_end(&self) -> bool {
        matches!(self.end, End::Recorded | End::Sent) && self.dropped == 0
    }
}

fn foreign(process: &str, count: u32) -> String {
    format!(
        "the server has {count} events of process `{process}` in this run that were not sent from here: \
         give the run another name, or record the process in one place only"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(all: &[(&str, u32)]) -> Vec<(String, u32)> {
        let owned = all.iter().map(|(name, count)| ((*name).to_owned(), *count));
        owned.collect()
    }

    /// A queue with lines `a1 b1 a2 b2 ...`.
    fn queue(rounds: u32) -> Queue {
        let mut queue = Queue::new(1000);
        for number in 1..=rounds {
            for name in ["a", "b"] {
                let process = queue.process(&Arc::from(name)).0;
                queue.push(process, number, format!("{name}{number}\n").as_bytes());
            }
        }
        queue
    }

    fn taken(queue: &mut Queue, most: usize) -> String {
        let mut out = Vec::new();
        queue.take(most, &mut out);
        String::from_utf8(out).expect("text").replace('\n', " ")
    }

    #[test]
    fn what_is_not_acknowledged_is_sent_again() {
        let mut queue = queue(3);
        assert_eq!(taken(&mut queue, 7), "a1 b1 a2 ");
        assert_eq!(queue.acknowledge(&counts(&[("a", 1)])), Ok(true));
        assert_eq!(taken(&mut queue, 100), "b2 a3 b3 ");
        let from = queue.begin(counts(&[("a", 3), ("c", 9)])).expect("right");
        assert_eq!(from, "{\"from\":{\"a\":4,\"b\":1}}\n");
        assert_eq!(taken(&mut queue, 100), "b1 b2 b3 ");
        assert_eq!(queue.acknowledge(&counts(&[("b", 3)])), Ok(true));
        assert!(queue.is_safe() && queue.missing().is_empty());
    }

    #[test]
    fn an_end_goes_out_when_nothing_else_is_under_way() {
        let mut queue = queue(1);
        queue.end(0);
        assert_eq!(taken(&mut queue, 100), "a1 b1 ");
        assert_eq!(taken(&mut queue, 100), "");
        assert_eq!(queue.acknowledge(&counts(&[("a", 1), ("b", 1)])), Ok(true));
        assert!(!queue.is_safe());
        let end = "{\"p\":\"a\",\"end\":true} ";
        assert_eq!(taken(&mut queue, 100), end);
        queue.begin(counts(&[("a", 1), ("b", 1)])).expect("right");
        assert_eq!(taken(&mut queue, 100), end);
        assert_eq!(queue.acknowledge(&counts(&[("a", 1)])), Ok(true));
        assert!(queue.is_safe());
    }

    #[test]
    fn what_was_dropped_is_counted_and_ends_its_process() {
        let mut queue = queue(2);
        queue.drop_event(0);
        queue.drop_event(0);
        queue.end(0);
        assert!(queue.has_stopped(0) && !queue.has_stopped(1));
        taken(&mut queue, 100);
        queue
            .acknowledge(&counts(&[("a", 1), ("b", 2)]))
            .expect("right");
        assert_eq!(taken(&mut queue, 100), "");
        let missing = Missing {
            process: "a".to_owned(),
            from: 2,
            kept: 1,
            dropped: 2,
            end: false,
        };
        assert_eq!(queue.missing(), [missing]);
    }

    #[test]
    fn what_nobody_here_sent_is_noticed() {
        let mut early = queue(1);
        assert!(early.begin(counts(&[("a", 1)])).is_err());
        let mut late = queue(1);
        late.begin(counts(&[("c", 1), ("d", 0)])).expect("right");
        assert_eq!(late.process(&Arc::from("d")), (2, None));
        assert!(late.process(&Arc::from("c")).1.is_some());
        let mut forgotten = queue(2);
        taken(&mut forgotten, 100);
        forgotten.acknowledge(&counts(&[("a", 2)])).expect("right");
        assert!(forgotten.begin(counts(&[("a", 1)])).is_err());
    }

    #[test]
    fn a_line_longer_than_the_queue_finds_room_when_it_is_alone() {
        let mut queue = Queue::new(4);
        assert!(queue.has_room(100));
        let process = queue.process(&Arc::from("a")).0;
        queue.push(process, 1, b"a1\n");
        assert!(queue.has_room(1) && !queue.has_room(2));
    }
}
