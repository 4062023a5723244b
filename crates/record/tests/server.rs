//! A recording is sent to a server that dies, sleeps, says nothing or refuses: every event arrives once and in its order,
//! or what is missing is told, and the program goes on.
//!
//! `CAUSET_ROUNDS=n` plays more rounds.

mod common;

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use causet_record::{Builder, NotSent, Recording, ServerOptions};
use common::{Act, Kept, Server};

/// So long something may take that should be there at once.
const PATIENCE: Duration = Duration::from_secs(60);
const NAMES: [&str; 4] = ["a", "b", "ä \"c\"", "d"];

fn builder() -> Builder {
    Recording::builder().processes(NAMES).init("a.x", 0)
}

fn options(server: &Server) -> ServerOptions {
    ServerOptions::tcp(server.address.to_string(), "a run")
        .flush_at_most(PATIENCE)
        .block_at_most(PATIENCE)
        .silence_at_most(Duration::from_millis(100))
}

/// Records so many rounds in two threads, which write to each other; every process ends.
fn record(recording: &Recording, rounds: u32) {
    thread::scope(|scope| {
        for names in NAMES.chunks(2) {
            scope.spawn(move || {
                let (mut one, mut two) = (recording.process(names[0]), recording.process(names[1]));
                for round in 0..rounds {
                    let stamp = one.event("say").set("x", round).to(names[1]).send();
                    two.event("hear").recv(&stamp).done();
                }
                one.end();
                two.end();
            });
        }
    });
}

/// The lines of each process as a file has them.
fn expected(rounds: u32) -> Vec<Vec<String>> {
    let (recording, memory) = builder().to_memory();
    record(&recording, rounds);
    let text = memory.text();
    let of = |name: &&str| {
        let start = format!("{{\"p\":{}", serde_json::to_string(name).expect("text"));
        let lines = text.lines().filter(|line| line.starts_with(&start));
        let events = lines.filter(|line| !line.contains("\"end\""));
        events.map(str::to_owned).collect()
    };
    NAMES.iter().map(of).collect()
}

fn check_all_arrived(kept: &Kept, rounds: u32, context: &str) {
    assert!(kept.faults.is_empty(), "{context}: {:?}", kept.faults);
    for (name, lines) in NAMES.iter().zip(expected(rounds)) {
        assert_eq!(kept.events.get(*name), Some(&lines), "{context}: {name}");
    }
    let ends: BTreeSet<&str> = kept.ends.iter().map(String::as_str).collect();
    assert_eq!(ends, BTreeSet::from(NAMES), "{context}");
    assert_eq!(kept.headers.len(), 1, "{context}: {:?}", kept.headers);
}

/// What a flush says is missing.
fn missing(error: &io::Error) -> &NotSent {
    let inner = error.get_ref().expect("more is known");
    inner.downcast_ref().expect("it says what is missing")
}

#[test]
fn every_event_arrives_once_and_in_its_order_whatever_the_server_does() {
    let rounds = std::env::var("CAUSET_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(8);
    let mut forgotten = 0;
    for seed in 0..rounds {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let acts = (0..rng.usize(1..5)).map(|_| match rng.u8(..8) {
            0 => Act::HangUp,
            1 => Act::TakeSilently,
            2 => Act::Slow,
            _ => Act::Die {
                after: rng.u64(..20_000),
                ack_every: rng.bool().then(|| rng.usize(1..50)),
                keeps: rng.bool(),
            },
        });
        let server = Server::play(acts.collect());
        let buffer = [300, 5_000, 1 << 20][rng.usize(..3)];
        let recording = builder().to_server(options(&server).buffer(buffer));
        let recording = recording.expect("a thread");
        record(&recording, 100);
        recording.flush().expect("everything arrives");
        let kept = server.kept();
        check_all_arrived(&kept, 100, &format!("seed {seed}"));
        forgotten += kept.forgotten;
    }
    println!("{rounds} rounds, {forgotten} lines had to come again");
    assert!(forgotten > 0, "nothing had to come again");
}

#[test]
fn the_end_of_a_process_is_said_until_it_is_heard() {
    let server = Server::play(vec![Act::DieAtEnd, Act::DieAtEnd, Act::DieAtEnd]);
    let recording = builder().to_server(options(&server)).expect("a thread");
    record(&recording, 10);
    recording.flush().expect("everything arrives");
    check_all_arrived(&server.kept(), 10, "ends");
}

#[test]
fn what_is_left_is_sent_when_the_last_handle_is_dropped() {
    let server = Server::play(vec![Act::HangUp]);
    let recording = builder().to_server(options(&server).token("t"));
    record(&recording.expect("a thread"), 50);
    let kept = server.kept();
    check_all_arrived(&kept, 50, "dropped");
    assert_eq!(kept.hellos[0]["run"], "a run");
    assert_eq!(kept.hellos[0]["token"], "t");
}

#[test]
fn several_programs_send_to_one_run() {
    let server = Server::play(Vec::new());
    thread::scope(|scope| {
        for name in NAMES {
            let options = options(&server);
            scope.spawn(move || {
                let recording = builder().to_server(options).expect("a thread");
                let mut process = recording.process(name);
                (0..200).for_each(|number| drop(process.step().set("x", number)));
                process.end();
                recording.flush().expect("everything arrives");
            });
        }
    });
    let kept = server.kept();
    assert!(kept.faults.is_empty());
    assert!(NAMES.iter().all(|name| kept.events[*name].len() == 200));
    assert_eq!(kept.ends.len(), NAMES.len());
}

#[test]
fn a_server_that_acknowledges_nothing_does_not_hold_the_program_up() {
    for drops in [false, true] {
        let server = Server::play(vec![Act::TakeSilently]);
        let mut options = ServerOptions::tcp(server.address.to_string(), "x")
            .buffer(2_000)
            .block_at_most(Duration::from_millis(1))
            .flush_at_most(Duration::from_millis(1));
        if drops {
            options = options.drop_when_full();
        }
        let recording = builder().to_server(options).expect("a thread");
        let (mut a, mut b) = (recording.process("a"), recording.process("b"));
        for number in 0..10_000 {
            a.step().set("x", number).done();
            b.step().set("x", number).done();
        }
        b.end();
        for _ in 0..2 {
            let error = recording.flush().expect_err("it is not acknowledged");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            let told = missing(&error);
            assert_eq!(told.missing.len(), 2, "{told}");
            for missing in &told.missing {
                assert_eq!((missing.from, missing.end), (1, false), "{told}");
                assert_eq!(missing.kept + missing.dropped, 10_000, "{told}");
                assert!(missing.kept > 0, "{told}");
            }
        }
    }
}

#[test]
fn when_lines_are_dropped_only_their_process_stops() {
    let (open, opened) = channel();
    let server = Server::play(vec![Act::Wait(opened)]);
    let options = ServerOptions::tcp(server.address.to_string(), "x")
        .buffer(2_000)
        .block_at_most(Duration::from_millis(1))
        .flush_at_most(PATIENCE)
        .drop_when_full();
    let recording = builder().to_server(options).expect("a thread");
    let (mut loud, mut calm) = (recording.process("a"), recording.process("b"));
    (0..1_000).for_each(|number| drop(loud.step().set("x", number)));
    open.send(()).expect("someone waits");
    recording.flush().expect_err("something was dropped");
    for number in 0..5 {
        calm.step().set("x", number).done();
        loud.step().done();
    }
    loud.end();
    calm.end();
    let error = recording.flush().expect_err("something was dropped");
    let told = missing(&error);
    let [lost] = &told.missing[..] else {
        panic!("one process has lost something: {told}");
    };
    let kept = server.kept();
    assert!(kept.faults.is_empty());
    assert_eq!(kept.events["b"].len(), 5);
    assert_eq!(kept.ends, BTreeSet::from(["b".to_owned()]));
    let arrived = kept.events["a"].len() as u32;
    assert_eq!((lost.process.as_str(), lost.kept), ("a", 0));
    assert_eq!((lost.from, lost.dropped), (arrived + 1, 1_005 - arrived));
    let text = error.to_string();
    let count = format!("{} events from {} on were dropped", lost.dropped, lost.from);
    assert!(text.contains(&count), "{text}");
}

#[test]
fn a_refusal_is_told_and_does_not_stop_the_program() {
    for let_in in [false, true] {
        let refuse = || Act::Refuse { let_in };
        let server = Server::play((0..10).map(|_| refuse()).collect());
        let recording = builder().to_server(options(&server)).expect("a thread");
        let mut a = recording.process("a");
        a.step().done();
        for events in [1, 2] {
            let error = recording.flush().expect_err("it is refused");
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
            assert!(error.to_string().contains("not \"you\""), "{error}");
            let told = &missing(&error).missing[0];
            assert_eq!(told.kept + told.dropped, events, "{error}");
            a.step().done();
        }
    }
}

#[test]
fn a_server_that_is_just_closing_may_refuse_once() {
    let server = Server::play(vec![Act::Refuse { let_in: true }]);
    let recording = builder().to_server(options(&server)).expect("a thread");
    record(&recording, 10);
    recording.flush().expect("everything arrives");
    check_all_arrived(&server.kept(), 10, "refused once");
}

#[test]
fn a_run_that_has_events_of_someone_else_is_not_mixed_with_them() {
    // The server has them before the process records, or is asked after it has recorded.
    for is_early in [false, true] {
        let (open, opened) = channel();
        let server = Server::play(vec![Act::Wait(opened)]).with_events("a", 3);
        let recording = builder().to_server(options(&server)).expect("a thread");
        let mut b = recording.process("b");
        if is_early {
            b.step().done();
            open.send(()).expect("someone waits");
            recording.flush().expect("nothing is wrong with b");
        }
        let mut a = recording.process("a");
        a.step().done();
        // The server may have been left already.
        let _ = open.send(());
        let error = recording.flush().expect_err("it is somebody else's run");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(
            error.to_string().contains("3 events of process `a`"),
            "{error}"
        );
        assert_eq!(server.kept().events["a"].len(), 3);
    }
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let options =
        ServerOptions::tcp(address.to_string(), "x").flush_at_most(Duration::from_millis(200));
    let recording = builder().to_server(options).expect("a thread");
    recording.process("a").step().done();
    let error = recording.flush().expect_err("nobody is there");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert_eq!(missing(&error).missing[0].kept, 1);
}

#[cfg(unix)]
#[test]
fn a_server_at_a_unix_socket_may_come_late() {
    use std::os::unix::net::UnixListener;
    use std::sync::{Arc, Mutex};

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("socket");
    let options = ServerOptions::unix(&path, "a run").flush_at_most(PATIENCE);
    let recording = builder().to_server(options).expect("a thread");
    record(&recording, 20);
    let listener = UnixListener::bind(&path).expect("a socket");
    let kept = Arc::new(Mutex::new(Kept::default()));
    let all = Arc::clone(&kept);
    thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let input = stream.try_clone().expect("another handle");
        common::talk(input, stream, &Act::Serve, &all)
    });
    recording.flush().expect("everything arrives");
    check_all_arrived(&kept.lock().expect("no panic"), 20, "late");
}
