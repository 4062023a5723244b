//! Seeded random runs for tests: small, dense in messages, every feature of a trace in some of them.

use fastrand::Rng;

use crate::builder::{BuildOptions, NewEvent, TraceBuilder};
use crate::trace::{Trace, Write};
use crate::value::StoredValue;
use causet_base::ids::{MessageId, ProcessId};

/// How large a random run is and what occurs in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shape {
    /// How many processes, `p1`, `p2`, ...
    pub processes: usize,
    /// How many events.
    pub events: usize,
    /// The share of events that send, and of events that receive when something is under way.
    pub messages: f64,
    /// The share of events that write the local `x` (0, 1, 2).
    pub writes: f64,
    /// Whether there is a shared variable `s`, with accesses ordered as they are recorded.
    pub shared: bool,
}

impl Shape {
    /// A shape small enough to enumerate all its orders.
    pub fn small(rng: &mut Rng) -> Shape {
        let processes = rng.usize(1..=4);
        Shape {
            processes,
            events: rng.usize(0..=if processes < 4 { 9 } else { 7 }),
            messages: rng.f64() * 0.8,
            writes: 0.8,
            shared: rng.f64() < 0.4,
        }
    }
}

/// A run of the given shape; the same generator state gives the same run.
pub fn run(rng: &mut Rng, shape: Shape) -> Trace {
    let mut maker = Maker::new(rng, shape);
    for number in 0..shape.events {
        maker.add_event(number as u32 + 1);
    }
    let (trace, _) = maker
        .builder
        .finish()
        .expect("a random run is well-formed by construction");
    trace
}

struct Maker<'r> {
    rng: &'r mut Rng,
    shape: Shape,
    builder: TraceBuilder,
    processes: Vec<ProcessId>,
    /// Messages not yet received, with the process they are for.
    under_way: Vec<(MessageId, ProcessId)>,
    sent: usize,
}

impl<'r> Maker<'r> {
    fn new(rng: &'r mut Rng, shape: Shape) -> Self {
        let mut builder = TraceBuilder::new(BuildOptions::default());
        let names: Vec<String> = (1..=shape.processes).map(|n| format!("p{n}")).collect();
        builder
            .declare_processes(names.iter().map(String::as_str))
            .expect("the names differ");
        if shape.shared {
            builder.declare_shared("s");
            builder.declare_observed();
            builder.init("s", StoredValue::Int(rng.i64(0..2)), 1);
        }
        for name in &names {
            let state = StoredValue::Text(builder.text(["idle", "want"][rng.usize(0..2)]));
            builder.init(&format!("{name}.x"), StoredValue::Int(rng.i64(0..3)), 1);
            builder.init(&format!("{name}.st"), state, 1);
        }
        let processes = names
            .iter()
            .map(|name| builder.process(name).expect("declared"))
            .collect();
        Maker {
            rng,
            shape,
            builder,
            processes,
            under_way: Vec::new(),
            sent: 0,
        }
    }

    fn add_event(&mut self, line: u32) {
        let process = self.processes[self.rng.usize(0..self.processes.len())];
        let recvs = self.maybe_receive(process);
        let (sends, to) = if recvs.is_empty() {
            self.maybe_send(process)
        } else {
            (Vec::new(), Vec::new())
        };
        let writes = self.writes(process);
        let reads = match self.builder.shared_variable("s") {
            Ok(shared) if self.rng.f64() < 0.2 => vec![shared],
            _ => Vec::new(),
        };
        let label = ["a", "b", "c"].get(self.rng.usize(0..6));
        let label = label.map(|label| self.builder.text(label));
        let event = NewEvent {
            label,
            writes: &writes,
            reads: &reads,
            sends: &sends,
            to: &to,
            recvs: &recvs,
            ..NewEvent::of(process, line)
        };
        self.builder.add(&event).expect("well-formed");
    }

    fn maybe_receive(&mut self, process: ProcessId) -> Vec<MessageId> {
        let mine: Vec<usize> = (0..self.under_way.len())
            .filter(|&at| self.under_way[at].1 == process)
            .collect();
        if mine.is_empty() || self.rng.f64() >= self.shape.messages {
            return Vec::new();
        }
        let at = mine[self.rng.usize(0..mine.len())];
        vec![self.under_way.swap_remove(at).0]
    }

    fn maybe_send(&mut self, process: ProcessId) -> (Vec<MessageId>, Vec<ProcessId>) {
        if self.processes.len() < 2 || self.rng.f64() >= self.shape.messages {
            return (Vec::new(), Vec::new());
        }
        let others: Vec<ProcessId> = self
            .processes
            .iter()
            .copied()
            .filter(|&other| other != process)
            .collect();
        let to = others[self.rng.usize(0..others.len())];
        self.sent += 1;
        let message = self.builder.message(&format!("m{}", self.sent));
        self.under_way.push((message, to));
        (vec![message], vec![to])
    }

    fn writes(&mut self, process: ProcessId) -> Vec<Write> {
        let mut writes = Vec::new();
        if self.rng.f64() < self.shape.writes {
            let var = self.builder.variable(process, "x");
            let value = StoredValue::Int(self.rng.i64(0..3));
            writes.push(Write { var, value });
        }
        if self.rng.f64() < 0.3 {
            let var = self.builder.variable(process, "st");
            let text = self
                .builder
                .text(["idle", "crit", "want"][self.rng.usize(0..3)]);
            writes.push(Write {
                var,
                value: StoredValue::Text(text),
            });
        }
        if self.shape.shared && self.rng.f64() < 0.3 {
            let var = self.builder.variable(process, "s");
            let value = StoredValue::Int(self.rng.i64(0..3));
            writes.push(Write { var, value });
        }
        writes
    }
}
