//! What is recorded is read back: fields, orders, clocks, several files, lost files, failing writers.

use std::io::{self, Cursor, Read, Write};
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use causet_formats::native::{Part, ReadOptions, Reading, read};
use causet_record::{Builder, EventRef, Recording, Stamp};
use causet_trace::notation::draw;
use causet_trace::{Clocks, Trace};

fn reading(texts: &[&str], lenient: bool) -> Reading {
    let parts = texts
        .iter()
        .map(|text| Part::new("part", Cursor::new(*text)));
    let options = ReadOptions {
        lenient,
        workers: 1,
    };
    read(parts.collect(), &options, &()).unwrap_or_else(|error| panic!("{error}"))
}

fn trace(text: &str) -> Trace {
    reading(&[text], false).trace
}

#[test]
fn every_field_is_written_as_the_format_has_it() {
    let (recording, memory) = Recording::builder()
        .processes(["p1", "p\"2"])
        .shared("turn")
        .init("turn", 0)
        .init("p1.state", "idle")
        .observed()
        .to_memory();
    let (mut one, mut two) = (recording.process("p1"), recording.process("p\"2"));
    let stamp = one.event("ask").set("x", 1).set("x", 2.5).to("p\"2").send();
    let answer = two
        .event("get")
        .recv(&stamp)
        .read("turn")
        .set("ok", true)
        .done();
    one.step().after(&answer).time(2.5).done();
    drop(two.step());
    one.end();
    let expected = r#"{"causet":1,"processes":["p1","p\"2"],"shared":["turn"],"init":{"turn":0,"p1.state":"idle"},"order":"observed"}
{"p":"p1","ev":"ask","set":{"x":2.5},"send":"p1:1","to":"p\"2"}
{"p":"p\"2","ev":"get","recv":"p1:1","set":{"ok":true},"read":["turn"],"clock":{"p1":1,"p\"2":1}}
{"p":"p1","after":[["p\"2",1]],"t":2.5}
{"p":"p\"2"}
{"p":"p1","end":true}
"#;
    assert_eq!(memory.text(), expected);
    let run = trace(&memory.text());
    assert_eq!((run.len(), run.order().crossing_count()), (4, 2));
}

/// A random run: each of a few processes steps, sends, receives and comes after others.
fn random_run(builder: Builder, rng: &mut fastrand::Rng) -> String {
    let (recording, memory) = builder.to_memory();
    let mut recorders: Vec<_> = ["a", "b", "c", "d"]
        .map(|name| recording.process(name))
        .into();
    let (mut stamps, mut events): (Vec<Stamp>, Vec<EventRef>) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        let recorder = &mut recorders[rng.usize(..4)];
        let mut event = recorder.step();
        if rng.bool() && !stamps.is_empty() {
            event = event.recv(&stamps[rng.usize(..stamps.len())]);
        }
        if rng.u8(..4) == 0 && !events.is_empty() {
            event = event.after(&events[rng.usize(..events.len())]);
        }
        if rng.bool() {
            stamps.push(event.send());
        } else {
            events.push(event.done());
        }
    }
    memory.text()
}

#[test]
fn clocks_agree_with_the_order_and_say_nothing_new() {
    for seed in 0..100 {
        let with = trace(&random_run(
            Recording::builder(),
            &mut fastrand::Rng::with_seed(seed),
        ));
        let builder = Recording::builder().without_clocks();
        let without = random_run(builder, &mut fastrand::Rng::with_seed(seed));
        assert!(!without.contains("clock"));
        let without = trace(&without);
        let (one, other) = (Clocks::new(with.order()), Clocks::new(without.order()));
        for event in with.events() {
            assert_eq!(one.of(event), other.of(event), "seed {seed}");
        }
    }
}

#[test]
fn the_order_survives_the_loss_of_the_middle_log() {
    let names = ["a", "b", "c"];
    let run = |name: &str| {
        let (recording, memory) = Recording::builder().processes(names).to_memory();
        (recording.process(name), memory)
    };
    let [(mut a, of_a), (mut b, of_b), (mut c, of_c)] = names.map(run);
    let first = a.event("first").send();
    let carried: Stamp = first.to_string().parse().expect("a stamp");
    let second = b.event("relay").recv(&carried).send();
    let carried = Stamp::from_bytes(&second.to_bytes()).expect("a stamp");
    c.event("last").recv(&carried).done();
    let (of_a, of_b, of_c) = (of_a.text(), of_b.text(), of_c.text());
    assert_eq!(reading(&[&of_a, &of_b, &of_c], false).trace.len(), 3);

    let rest = reading(&[&of_c, &of_a], true).trace;
    let event = |name: &str| {
        let process = rest.process(name).expect("a process");
        rest.order().event(process, 1).expect("an event")
    };
    let clocks = Clocks::new(rest.order());
    assert!(clocks.happened_before(rest.order(), event("a"), event("c")));
}

#[test]
fn after_an_event_of_unknown_clock_no_clock_is_written() {
    let (recording, memory) = Recording::builder().to_memory();
    let (mut a, mut b) = (recording.process("a"), recording.process("b"));
    let stamp = a.step().send();
    a.step();
    b.step().after(&EventRef::new("a", 2)).done();
    b.step().recv(&stamp).done();
    assert!(!memory.text().contains("clock"));
    assert_eq!(
        draw(&trace(&memory.text())),
        "a: a:1! .\nb:        <a.2 a:1?\n"
    );
}

#[test]
fn a_process_goes_on_where_it_stopped() {
    let (recording, memory) = Recording::builder().to_memory();
    recording.process("a").step();
    let mut a = recording.process("a");
    assert_eq!((a.name(), a.position()), ("a", 1));
    assert_eq!(a.step().done().number, 2);
    assert!(catch_unwind(|| recording.process("a")).is_err());
    a.end();
    assert!(catch_unwind(|| recording.process("a")).is_err());
    assert_eq!(trace(&memory.text()).len(), 2);
    let closed = Recording::builder().processes(["a"]).to_writer(io::sink());
    assert!(catch_unwind(|| closed.process("b")).is_err());
}

#[test]
fn an_event_cut_short_by_a_panic_did_not_happen() {
    let (recording, memory) = Recording::builder().to_memory();
    let mut a = recording.process("a");
    let fails = || -> i64 { panic!("on purpose") };
    let cut = catch_unwind(AssertUnwindSafe(|| {
        a.event("cut").set("x", fails()).done();
    }));
    assert!(cut.is_err());
    assert_eq!(a.event("next").done().number, 1);
    assert_eq!(trace(&memory.text()).len(), 1);
}

#[test]
fn a_thread_that_panics_leaves_its_events_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    let recording = Recording::builder().to_file(&path).expect("a file");
    let mut a = recording.process("a");
    let thread = thread::spawn(move || {
        a.event("last words").done();
        panic!("on purpose");
    });
    assert!(thread.join().is_err());
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(
        text.ends_with("{\"p\":\"a\",\"ev\":\"last words\"}\n"),
        "{text}"
    );
}

/// Takes so many writes, then fails; holds that each is of whole lines.
struct Failing(u32);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(bytes.len() <= 64 << 10 && bytes.ends_with(b"\n"));
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_and_does_not_stop_the_program() {
    let recording = Recording::builder().to_writer(Failing(2));
    let mut a = recording.process("a");
    for number in 0..20_000 {
        a.event("step").set("x", number).done();
    }
    for _ in 0..2 {
        let error = recording.flush().expect_err("it failed");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn a_recording_goes_through_a_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let writer = thread::spawn(move || {
        let recording = Recording::builder()
            .to_socket(address)
            .expect("a connection");
        recording.process("a").event("hello").done();
    });
    let mut text = String::new();
    let (mut stream, _) = listener.accept().expect("a connection");
    stream.read_to_string(&mut text).expect("text");
    writer.join().expect("no panic");
    assert_eq!(trace(&text).len(), 1);
}

#[test]
fn handles_go_where_their_processes_go() {
    fn sent<T: Send + 'static>() {}
    fn used_by_all<T: Send + Sync + Clone + 'static>() {}
    sent::<causet_record::Recorder>();
    used_by_all::<Recording>();
    used_by_all::<Stamp>();
    used_by_all::<EventRef>();
}

#[test]
fn bytes_that_are_no_stamp_are_refused_or_make_one_but_never_panic() {
    let rng = &mut fastrand::Rng::with_seed(7);
    let (recording, _memory) = Recording::builder().to_memory();
    let (mut a, mut b) = (recording.process("a"), recording.process("b c"));
    let stamp = b.step().recv(&a.step().send()).send();
    for _ in 0..20_000 {
        let mut bytes = stamp.to_bytes();
        let at = rng.usize(..bytes.len());
        bytes[at] = rng.u8(..);
        if let Ok(other) = Stamp::from_bytes(&bytes) {
            assert_eq!(Stamp::from_bytes(&other.to_bytes()), Ok(other));
        }
        let mut text: Vec<char> = stamp.to_string().chars().collect();
        let at = rng.usize(..text.len());
        text[at] = rng.char(..);
        if let Ok(other) = text.iter().collect::<String>().parse::<Stamp>() {
            assert_eq!(other.to_string().parse(), Ok(other));
        }
    }
}
