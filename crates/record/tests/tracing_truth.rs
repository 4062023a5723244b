//! Threads that log through the `tracing` layer and pass stamps along: the recorded order is the true one.
//!
//! Every thread counts its own events and notes, under one lock, which event of which sender each receipt belongs to.
//! Happened-before is the closure of that; the recorded order must say the same of every two events.
//! `CAUSET_ROUNDS` runs more than the usual number of random programs.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use causet_formats::native::{Part, ReadOptions, read};
use causet_record::Recording;
use causet_record::tracing::{Layer, extract, inject};
use causet_trace::{Clocks, EventId, Trace};
use fastrand::Rng;
use tracing::{Dispatch, dispatcher, info, info_span};
use tracing_subscriber::prelude::*;

/// An event: the number of its thread, its position there.
type Event = (usize, u32);

/// A message: its headers, and the event that sent it.
type Mail = (BTreeMap<String, String>, Event);

struct Worker<'a> {
    number: usize,
    rng: Rng,
    inbox: Receiver<Mail>,
    outboxes: Vec<Sender<Mail>>,
    truth: &'a Mutex<Vec<(Event, Event)>>,
    events: u32,
}

impl Worker<'_> {
    fn work(mut self) {
        let name = format!("t{}", self.number);
        let _span = info_span!("worker", process = name.as_str()).entered();
        for step in 0..self.rng.u32(4..14) {
            match self.rng.usize(0..3) {
                0 => {
                    self.events += 1;
                    info!(step, "local");
                }
                1 => self.send(),
                _ => self.receive(),
            }
        }
    }

    fn send(&mut self) {
        let mut headers = BTreeMap::new();
        inject("send", &mut headers).expect("a process");
        self.events += 1;
        let to = self.rng.usize(0..self.outboxes.len());
        let _ = self.outboxes[to].send((headers, (self.number, self.events)));
    }

    fn receive(&mut self) {
        if let Ok((headers, sent)) = self.inbox.try_recv() {
            extract("receive", &headers).expect("a stamp");
            self.events += 1;
            let mut truth = self.truth.lock().expect("no panic");
            truth.push((sent, (self.number, self.events)));
        }
    }
}

/// Runs a random program; the run as it was recorded, and the true edges between threads.
fn play(seed: u64) -> (Trace, Vec<(Event, Event)>) {
    let mut rng = Rng::with_seed(seed);
    let threads = rng.usize(2..6);
    let (recording, memory) = Recording::builder().to_memory();
    let dispatch = Dispatch::new(tracing_subscriber::registry().with(Layer::new(recording)));
    let truth = Mutex::new(Vec::new());
    let (outboxes, inboxes): (Vec<_>, Vec<_>) = (0..threads).map(|_| channel()).unzip();
    thread::scope(|scope| {
        for (number, inbox) in inboxes.into_iter().enumerate() {
            let worker = Worker {
                number,
                rng: rng.fork(),
                inbox,
                outboxes: outboxes.clone(),
                truth: &truth,
                events: 0,
            };
            let dispatch = &dispatch;
            scope.spawn(move || dispatcher::with_default(dispatch, || worker.work()));
        }
    });
    drop(dispatch);
    let text = memory.text();
    let reading = read(
        vec![Part::new("run", text.as_bytes())],
        &ReadOptions::default(),
        &(),
    );
    let trace = reading
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .trace;
    (trace, truth.into_inner().expect("no panic"))
}

/// Whether one event truly came before another: along its thread, or by a message.
fn truly_before(edges: &[(Event, Event)], one: Event, other: Event) -> bool {
    if one.0 == other.0 {
        return one.1 < other.1;
    }
    let mut known: BTreeMap<usize, u32> = BTreeMap::from([one]);
    let mut grew = true;
    while grew {
        grew = false;
        for &((from, sent), (to, received)) in edges {
            let heard = known.get(&from).is_some_and(|&first| first <= sent);
            let earlier = known.get(&to).is_none_or(|&first| received < first);
            if heard && earlier {
                known.insert(to, received);
                grew = true;
            }
        }
    }
    known.get(&other.0).is_some_and(|&first| first <= other.1)
}

#[test]
fn the_layer_records_the_true_order() {
    let rounds = std::env::var("CAUSET_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut crossing = 0;
    for seed in 0..rounds.unwrap_or(150) {
        let (trace, edges) = play(seed);
        let order = trace.order();
        let clocks = Clocks::new(order);
        let name = |event: EventId| -> Event {
            let process = trace.process_name(order.process_of(event));
            (
                process[1..].parse().expect("a number"),
                order.position_of(event),
            )
        };
        for one in trace.events() {
            for other in trace.events().filter(|&other| other != one) {
                let recorded = clocks.happened_before(order, one, other);
                let truth = truly_before(&edges, name(one), name(other));
                assert_eq!(
                    recorded,
                    truth,
                    "seed {seed}: {:?} {:?}",
                    name(one),
                    name(other)
                );
            }
        }
        crossing += edges.len();
    }
    println!("{crossing} edges between threads");
    assert!(crossing > 100);
}
