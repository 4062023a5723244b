//! Threads race on every kind of shared object, and the recorded order is held against the true one.
//!
//! The truth is kept by the test, under one lock, from what it sees itself: which operation came when, and which value
//! it read. Values are unique, so a value tells its writer. An operation that may block is noted as soon as it has
//! succeeded, one that lets others go on is noted while they still wait; so the list of notes is an order in which
//! everything could have happened. From it the test derives all true edges, closes them naively, and compares every
//! pair of events with the clocks of the recording as it is read back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use causet_formats::native::{Part, ReadOptions, read};
use causet_record::sync::{self, AtomicInt, Receiver, RwLock, Sender, Shared};
use causet_record::{Recorder, Recording};
use causet_trace::{Clocks, EventId};

const THREADS: usize = 4;
const OPERATIONS: usize = 25;

/// What an operation did to an object, as the test saw it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    /// Saw the value that was written there, 0 for the first.
    Read(i64),
    /// Wrote, knowing nothing of what was there.
    Write(i64),
    Lock,
    Unlock,
    Share,
    Unshare,
    Send(i64),
    Receive(i64),
}

/// An operation: who, the number of its event, on which object, what.
type Note = (usize, u32, &'static str, What);

#[derive(Default)]
struct Truth {
    notes: Vec<Note>,
    /// The next value that nobody has written yet.
    unique: i64,
}

impl Truth {
    fn fresh(&mut self) -> i64 {
        self.unique += 1;
        self.unique
    }
}

struct Objects {
    plain: Shared<i64>,
    strict: Shared<i64>,
    atomic: AtomicInt,
    mutex: sync::Mutex<()>,
    rwlock: RwLock<()>,
    senders: Vec<Sender<i64>>,
    truth: Mutex<Truth>,
}

/// One thread.
struct Worker {
    own: usize,
    recorder: Recorder,
    receiver: Receiver<i64>,
    objects: Arc<Objects>,
    rng: fastrand::Rng,
}

impl Worker {
    fn run(mut self) {
        for _ in 0..OPERATIONS {
            match self.rng.u8(..9) {
                0 => self.read_or_write("plain"),
                1 => self.read_or_write("strict"),
                2 => self.atomic(),
                3 => self.mutex(),
                4 | 5 => self.rwlock(),
                6 => self.send(),
                _ => self.receive(),
            }
            if self.rng.bool() {
                thread::yield_now();
            }
        }
    }

    fn truth(objects: &Objects) -> MutexGuard<'_, Truth> {
        objects.truth.lock().expect("no panic")
    }

    fn read_or_write(&mut self, name: &'static str) {
        let objects = self.objects.clone();
        let variable = if name == "plain" {
            &objects.plain
        } else {
            &objects.strict
        };
        let mut truth = Self::truth(&objects);
        let what = if self.rng.bool() {
            What::Read(variable.read(&mut self.recorder))
        } else {
            let value = truth.fresh();
            variable.write(&mut self.recorder, value);
            What::Write(value)
        };
        truth
            .notes
            .push((self.own, self.recorder.position(), name, what));
    }

    fn atomic(&mut self) {
        let objects = self.objects.clone();
        let atomic = &objects.atomic;
        let mut truth = Self::truth(&objects);
        let value = truth.fresh();
        let recorder = &mut self.recorder;
        let whats = match self.rng.u8(..4) {
            0 => vec![What::Read(atomic.load(recorder))],
            1 => {
                atomic.store(recorder, value);
                vec![What::Write(value)]
            }
            2 => vec![What::Read(atomic.swap(recorder, value)), What::Write(value)],
            _ => match atomic.compare_exchange(recorder, value - 2, value) {
                Ok(old) => vec![What::Read(old), What::Write(value)],
                Err(old) => vec![What::Read(old)],
            },
        };
        for what in whats {
            truth
                .notes
                .push((self.own, self.recorder.position(), "atomic", what));
        }
    }

    fn mutex(&mut self) {
        let objects = self.objects.clone();
        let mut guard = objects.mutex.lock(&mut self.recorder);
        let number = guard.recorder().position();
        Self::truth(&objects)
            .notes
            .push((self.own, number, "mutex", What::Lock));
        thread::yield_now();
        let mut truth = Self::truth(&objects);
        truth
            .notes
            .push((self.own, number + 1, "mutex", What::Unlock));
        drop(guard);
    }

    fn rwlock(&mut self) {
        let objects = self.objects.clone();
        let note = |number, what| {
            let mut truth = Self::truth(&objects);
            truth.notes.push((self.own, number, "rwlock", what));
            truth
        };
        if self.rng.bool() {
            let mut guard = objects.rwlock.read(&mut self.recorder);
            let number = guard.recorder().position();
            drop(note(number, What::Share));
            thread::yield_now();
            let _truth = note(number + 1, What::Unshare);
            drop(guard);
        } else {
            let mut guard = objects.rwlock.write(&mut self.recorder);
            let number = guard.recorder().position();
            drop(note(number, What::Lock));
            thread::yield_now();
            let _truth = note(number + 1, What::Unlock);
            drop(guard);
        }
    }

    fn send(&mut self) {
        let objects = self.objects.clone();
        let mut truth = Self::truth(&objects);
        let value = truth.fresh();
        let to = self.rng.usize(..THREADS);
        let sent = objects.senders[to].send(&mut self.recorder, value);
        let number = self.recorder.position();
        truth
            .notes
            .push((self.own, number, "channel", What::Send(value)));
        // A thread that has finished receives no more.
        let _ = sent;
    }

    fn receive(&mut self) {
        let objects = self.objects.clone();
        let mut truth = Self::truth(&objects);
        if let Ok(value) = self.receiver.try_recv(&mut self.recorder) {
            let number = self.recorder.position();
            truth
                .notes
                .push((self.own, number, "channel", What::Receive(value)));
        }
    }
}

/// Runs the threads; gives the text of the recording and the notes.
fn run(seed: u64) -> (String, Vec<Note>) {
    let names = ["t0", "t1", "t2", "t3"];
    let shared = ["plain", "strict", "atomic"];
    let builder = Recording::builder().processes(names);
    let builder = shared
        .into_iter()
        .fold(builder, |b, name| b.shared(name).init(name, 0));
    let (recording, memory) = builder.to_memory();
    let (senders, receivers): (Vec<_>, Vec<_>) = names.map(sync::channel_to).into_iter().unzip();
    let objects = Arc::new(Objects {
        plain: Shared::new("plain", 0),
        strict: Shared::new("strict", 0).write_after_read(),
        atomic: AtomicInt::new("atomic", 0),
        mutex: sync::Mutex::new("mutex", ()),
        rwlock: RwLock::new("rwlock", ()),
        senders,
        truth: Mutex::default(),
    });
    thread::scope(|scope| {
        for (own, receiver) in receivers.into_iter().enumerate() {
            let worker = Worker {
                own,
                recorder: recording.process(names[own]),
                receiver,
                objects: objects.clone(),
                rng: fastrand::Rng::with_seed(seed * 10 + own as u64),
            };
            scope.spawn(|| worker.run());
        }
    });
    let notes = std::mem::take(&mut Worker::truth(&objects).notes);
    (memory.text(), notes)
}

/// Whether the object makes the second note come after the first, which stands before it.
fn synchronises(first: &Note, second: &Note) -> bool {
    use What::{Lock, Read, Receive, Send, Share, Unlock, Unshare, Write};
    first.2 == second.2
        && match (first.3, second.3) {
            (Write(written), Read(read)) => written == read,
            (Write(_), Write(_)) => true,
            (Read(_), Write(_)) => first.2 == "strict",
            (Unlock | Unshare, Lock) | (Unlock, Share) => true,
            (Send(sent), Receive(received)) => sent == received,
            _ => false,
        }
}

/// Per event, all events before it, by the definition.
fn close(notes: &[Note]) -> HashMap<(usize, u32), Vec<(usize, u32)>> {
    let mut before: HashMap<(usize, u32), Vec<(usize, u32)>> = HashMap::new();
    for (at, note) in notes.iter().enumerate() {
        let event = (note.0, note.1);
        let mut all = before.remove(&event).unwrap_or_default();
        for first in &notes[..at] {
            let earlier = (first.0, first.1);
            if earlier != event && (first.0 == note.0 || synchronises(first, note)) {
                all.push(earlier);
                all.extend(&before[&earlier]);
            }
        }
        all.sort_unstable();
        all.dedup();
        before.insert(event, all);
    }
    before
}

fn check(seed: u64) -> usize {
    let (text, notes) = run(seed);
    let options = ReadOptions {
        lenient: false,
        workers: 1,
    };
    let reading = read(vec![Part::new("run", text.as_bytes())], &options, &());
    let trace = reading
        .unwrap_or_else(|error| panic!("seed {seed}: {error}"))
        .trace;
    let (order, clocks) = (trace.order(), Clocks::new(trace.order()));
    let name = |event: EventId| (order.process_of(event).index(), order.position_of(event));
    let truth = close(&notes);
    assert_eq!(truth.len(), trace.len(), "seed {seed}: events");
    for event in trace.events() {
        let earlier = trace
            .events()
            .filter(|&e| clocks.happened_before(order, e, event));
        let mut recorded: Vec<(usize, u32)> = earlier.map(name).collect();
        recorded.sort_unstable();
        assert_eq!(
            recorded,
            truth[&name(event)],
            "seed {seed}: before {:?}",
            name(event)
        );
    }
    order.crossing_count()
}

#[test]
fn the_recorded_order_is_the_true_one() {
    let rounds = std::env::var("CAUSET_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(200);
    let edges: usize = (0..rounds).map(check).sum();
    println!("{rounds} rounds, {edges} edges between threads");
    assert!(edges as u64 > rounds, "the threads hardly met");
}
