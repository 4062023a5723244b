//! Logs of JSON lines: DistributedClocks tracing, EWD998, etcd Raft and CCF.

mod log_samples;

use std::collections::HashSet;

use causet_formats::logs::{FORMATS, Head, LogOptions};
use causet_trace::{Cut, ProcessId, StoredValue, Trace};
use log_samples::{
    Refused, all_samples, as_format, check_damaged, check_refused, damaged_piece, edges, event,
    notes, plain, processes, reading, run_of, sample, told,
};

#[test]
fn tokens_of_tracing_are_messages() {
    let reading = run_of("tracechecker-echo.ndjson", "tracing");
    let trace = &reading.trace;
    assert_eq!(processes(trace), ["echo_server", "client1", "client2"]);
    assert_eq!((trace.len(), trace.message_count()), (169, 40));
    assert_eq!(count_cuts(trace, |_| true), 904);
    let start = event(trace, "client1", 2);
    // The number of a trace has more digits than a double can hold.
    assert_eq!(
        told(trace, start),
        "ClientStart TraceID=\"4733983094015607429\" Kill=false RequestCount=10"
    );
    let received = event(trace, "echo_server", 3);
    assert_eq!(trace.receives(received).len(), 1);
    let sender = trace.sender(trace.receives(received)[0]);
    assert_eq!(sender, Some(event(trace, "client1", 5)));
    assert!(edges(trace).contains(&"client1 5 -> echo_server 3".to_owned()));
}

#[test]
fn a_store_of_eleven_processes_is_read() {
    let reading = run_of("tracechecker-kvs-put-violation.ndjson", "tracing");
    let trace = &reading.trace;
    assert_eq!((processes(trace).len(), trace.len()), (11, 809));
    assert_eq!(trace.message_count(), 179);
    let is_received = |label| {
        let events = trace.events();
        events
            .filter(|&event| trace.label(event) == Some(label))
            .count()
    };
    assert_eq!(
        (is_received("Put"), is_received("PutResultRecvd")),
        (20, 20)
    );
    assert_eq!(notes(&reading), [] as [&str; 0]);
}

#[test]
fn all_nodes_of_ewd998_are_passive_in_108_cuts() {
    let reading = run_of("tlaplus-ewd998-5nodes.ndjson", "ewd998");
    let trace = &reading.trace;
    assert_eq!(processes(trace), ["n0", "n1", "n2", "n3", "n4"]);
    assert_eq!((trace.len(), trace.message_count()), (654, 143));
    assert_eq!(count_cuts(trace, |_| true), 27_650);
    assert_eq!(count_cuts(trace, |cut| is_passive(trace, cut)), 108);
    let early = |cut: &Cut| is_passive(trace, cut) && in_flight(trace, cut) > 0;
    assert_eq!(count_cuts(trace, early), 40);
    // A node is told of the end only when there is one.
    let ended = |cut: &Cut| {
        let nodes = trace.order().processes();
        let mut told = nodes.map(|node| value(trace, cut, node, "terminated"));
        told.any(|value| value == StoredValue::Bool(true))
    };
    let wrong = |cut: &Cut| ended(cut) && (!is_passive(trace, cut) || in_flight(trace, cut) > 0);
    assert!(count_cuts(trace, ended) > 0);
    assert_eq!(count_cuts(trace, wrong), 0);
}

#[test]
fn raft_messages_are_matched_by_content() {
    let reading = run_of_compressed("etcd-raft-example.ndjson.zst", "etcd-raft");
    let trace = &reading.0;
    assert_eq!((processes(trace).len(), trace.len()), (10, 4888));
    let receives = trace.events().map(|event| trace.receives(event).len());
    assert_eq!(receives.sum::<usize>(), 1661);
    // Each receive has a send, and 126 sends have no receive.
    assert_eq!(trace.message_count(), 1661 + 126);
    assert_eq!(reading.1.len(), 1, "{:?}", reading.1);
    let note = &reading.1[0];
    assert!(
        note.contains("188 of 886 contents were sent more than once"),
        "{note}"
    );
    assert!(note.contains("126 sends were never received"), "{note}");
    let leaders: HashSet<(&str, StoredValue)> = trace
        .order()
        .processes()
        .flat_map(|node| {
            let states = states(trace, node, &["role", "state.term"]);
            let leading = states
                .into_iter()
                .filter(|state| is_text(trace, state[0], "StateLeader"));
            leading.map(move |state| (trace.process_name(node), state[1]))
        })
        .collect();
    assert_eq!(leaders, HashSet::from([("n2", StoredValue::Int(2))]));
    for node in trace.order().processes() {
        let commits = states(trace, node, &["state.commit"]);
        assert!(commits.is_sorted_by_key(|state| match state[0] {
            StoredValue::Int(number) => number,
            other => panic!("{other:?}"),
        }));
    }
    assert_eq!(
        told(trace, event(trace, "n1", 6)),
        "ApplyConfChange state.term=1 state.vote=\"0\" state.commit=5 role=\"StateFollower\" log=5 \
         conf=\"[[\\\"1\\\"],[]]\" conf.len=2 prop.cc.newconf=\"[\\\"1\\\",\\\"2\\\"]\" prop.cc.newconf.len=2"
    );
}

#[test]
fn the_older_dialect_of_ccf_is_read() {
    for (name, events, repeated) in [
        ("ccf-consensus-election.ndjson", 73, "6 of 18 contents"),
        ("ccf-consensus-replicate.ndjson", 64, "8 of 14 contents"),
    ] {
        let reading = run_of(name, "ccf");
        let trace = &reading.trace;
        assert_eq!(processes(trace), ["n0", "n1", "n2"], "{name}");
        assert_eq!((trace.len(), trace.message_count()), (events, 24), "{name}");
        let note = &notes(&reading)[0];
        assert!(note.contains(repeated), "{note}");
        assert!(note.contains("0 sends were never received"), "{note}");
        let first = event(trace, "n0", 1);
        assert_eq!(trace.label(first), Some("add_configuration"));
        assert!(
            trace
                .time(first)
                .is_some_and(|time| time.whole_units(0) / 86400 == 19_460)
        );
    }
}

#[test]
fn receives_without_a_send_are_told_once() {
    let reading = run_of("ccf-late-candidate.ndjson", "ccf");
    let trace = &reading.trace;
    // The candidate left no log, but is known by its messages.
    assert_eq!(processes(trace), ["n0", "n1", "n2"]);
    assert_eq!(trace.len(), 10);
    assert_eq!(edges(trace), ["n0 2 -> n1 2"]);
    let [note] = notes(&reading)[..] else {
        panic!("{:?}", notes(&reading));
    };
    assert!(
        note.starts_with("2 messages are received but never sent; here, message `n2 -> n0 "),
        "{note}"
    );
    assert_eq!(reading.warnings[0].line, 9);
    let dropped = event(trace, "n1", 5);
    assert_eq!(trace.label(dropped), Some("drop_pending_to"));
    assert!(trace.receives(dropped).is_empty() && trace.sends(dropped).is_empty());
}

#[test]
fn what_tracing_lacks_is_said() {
    check_refused(
        "tracing",
        &[
            refused(
                "{",
                (1, 1),
                "this line ends in the middle of a JSON value",
                "TracerIdentity",
            ),
            refused(
                r#"{"TracerIdentity":"a","TraceID":1,"Body":{},"VectorClock":{"a":1}}"#,
                (1, 66),
                "missing field `Tag`",
                "expected a record with TracerIdentity",
            ),
            refused(
                r#"{"TracerIdentity":"a","TraceID":-1,"Tag":"T","Body":{},"VectorClock":{"a":1}}"#,
                (1, 34),
                "invalid value: integer `-1`, expected u64",
                "expected a record",
            ),
            refused(
                r#"{"TracerIdentity":"a","TraceID":1,"Tag":"T","Body":{},"VectorClock":{"b":1}}"#,
                (1, 1),
                "the clock has no entry for its own process `a`",
                "expected its own count",
            ),
            refused(
                r#"{"TracerIdentity":"a","TraceID":1,"Tag":"GenerateTokenTrace","Body":{},"VectorClock":{"a":1}}"#,
                (1, 62),
                "this GenerateTokenTrace has no token",
                "expected a text at Body.Token",
            ),
            refused(
                r#"{"TracerIdentity":"a","TraceID":1,"Tag":"ReceiveTokenTrace","Body":{"Token":"t"},"VectorClock":{"a":1}}"#,
                (1, 1),
                "message `t` is received but never sent",
                "expected a message that some event sends",
            ),
        ],
    );
}

#[test]
fn what_ewd998_lacks_is_said() {
    check_refused(
        "ewd998",
        &[
            refused(
                "{\"N\":5}\n{\"N\":5}",
                (2, 7),
                "missing field `event`",
                "expected an event",
            ),
            refused(
                "{\"N\":70000}",
                (1, 1),
                "70000 nodes are too many",
                "at most 65536",
            ),
            refused(
                r#"{"event":"x","node":0,"pkt":{"vc":{"0":1}}}"#,
                (1, 2),
                "there is no event `x`",
                "expected `>` for a send",
            ),
            refused(
                r#"{"event":">","node":0,"pkt":{"vc":{"0":1}}}"#,
                (1, 23),
                "this packet does not say what was sent, by whom and to whom",
                "expected pkt.snd",
            ),
            refused(
                r#"{"event":">","node":0,"pkt":{"snd":1,"rcv":0,"msg":{"type":"pl"},"vc":{"0":1}}}"#,
                (1, 30),
                "node 0 logs a packet with snd 1",
                "logged by its sender",
            ),
            refused(
                r#"{"event":"<","node":0,"pkt":{"snd":1,"rcv":0,"msg":{"type":"pl"},"vc":{"0":1}}}"#,
                (1, 1),
                "message `pl-1-0` is received but never sent",
                "",
            ),
        ],
    );
}

#[test]
fn what_raft_traces_lack_is_said() {
    check_refused(
        "etcd-raft",
        &[
            refused(
                "[1",
                (1, 2),
                "invalid type: integer `1`, expected a string",
                "",
            ),
            refused(
                r#"{"tag":"trace"}"#,
                (1, 15),
                "missing field `event`",
                "the tag trace",
            ),
            refused(
                r#"{"tag":"trace","event":{"name":"Ready"}}"#,
                (1, 39),
                "missing field `nid`",
                "name, nid, state and role",
            ),
            refused(
                r#"{"tag":"trace","event":{"name":"SendSnapshot","nid":"1"}}"#,
                (1, 16),
                "this SendSnapshot does not say who sent what to whom",
                "event.msg",
            ),
            refused(
                "{\"tag\":\"other\"}\nx",
                (2, 1),
                "expected value",
                "the tag trace",
            ),
        ],
    );
    check_refused(
        "ccf",
        &[
            refused("x", (1, 1), "expected value", "raft_trace or tla"),
            refused(
                r#"{"tag":7}"#,
                (1, 8),
                "invalid type: integer `7`, expected a string",
                "",
            ),
            refused(
                r#"{"tag":"raft_trace","msg":{"function":"commit"}}"#,
                (1, 21),
                "this line does not say which node did what",
                "msg.state.node_id",
            ),
            refused(
                r#"{"tag":"tla","msg":"text"}"#,
                (1, 25),
                "invalid type: string \"text\", expected an object",
                "an object msg",
            ),
            refused(
                r#"{"tag":"tla","msg":{"event":{"function":"send_x"},"node":"0","to":"1"}}"#,
                (1, 14),
                "this send_x does not say what was sent, and between whom",
                "msg.packet or msg.paket",
            ),
        ],
    );
}

#[test]
fn damaged_logs_are_read_or_refused() {
    check_damaged("tracechecker-echo.ndjson", "tracing");
    check_damaged("tlaplus-ewd998-5nodes.ndjson", "ewd998");
    check_damaged("ccf-consensus-election.ndjson", "ccf");
    check_damaged("ccf-late-candidate.ndjson", "ccf");
    let bytes = plain("etcd-raft-example.ndjson.zst");
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..60 {
        let piece = damaged_piece(&bytes, &mut rng);
        if let Err(problem) = reading(&piece, &as_format("etcd-raft")) {
            assert!(problem.line >= 1 && problem.column >= 1, "{problem:?}");
        }
    }
}

#[test]
fn no_sample_is_taken_for_another() {
    let formats = [
        ("tracing", "tracechecker-"),
        ("ewd998", "tlaplus-"),
        ("etcd-raft", "etcd-raft-"),
        ("ccf", "ccf-"),
    ];
    for name in all_samples() {
        let expected = formats.iter().find(|(_, prefix)| name.starts_with(prefix));
        let expected = expected.map(|&(format, _)| format);
        let bytes = plain(&name);
        let head = Head::of(&bytes);
        let looks = FORMATS.iter().filter(|format| format.looks_like(&head));
        let mut ours = looks.filter(|format| formats.iter().any(|(name, _)| *name == format.name));
        assert_eq!(ours.next().map(|format| format.name), expected, "{name}");
        assert!(ours.next().is_none(), "{name}");
    }
}

fn refused(
    input: &'static str,
    place: (u32, u32),
    message: &'static str,
    expected: &'static str,
) -> Refused {
    Refused {
        input,
        place,
        message,
        expected,
    }
}

/// The run and the notes of a compressed sample that looks like one format only.
fn run_of_compressed(name: &str, format: &str) -> (Trace, Vec<String>) {
    let bytes = plain(name);
    let head = Head::of(&bytes);
    let looks = FORMATS.iter().filter(|format| format.looks_like(&head));
    let looks: Vec<&str> = looks.map(|format| format.name).collect();
    assert_eq!(looks, [format]);
    let (reading, read_as) = reading(&sample(name), &LogOptions::default()).expect("it is read");
    assert_eq!(read_as, format);
    let notes = notes(&reading).into_iter().map(str::to_owned).collect();
    (reading.trace, notes)
}

/// How many cuts of a run fit, one by one from the initial cut.
fn count_cuts(trace: &Trace, fits: impl Fn(&Cut) -> bool) -> usize {
    let order = trace.order();
    let mut level = HashSet::from([order.initial_cut()]);
    let mut count = 0;
    while !level.is_empty() {
        count += level.iter().filter(|cut| fits(cut)).count();
        let next = level.iter().flat_map(|cut| {
            let enabled = order.enabled(cut);
            enabled.map(|event| cut.advanced(order.process_of(event)))
        });
        level = next.collect();
    }
    count
}

/// The value of a variable of a process at a cut.
fn value(trace: &Trace, cut: &Cut, process: ProcessId, name: &str) -> StoredValue {
    let var = trace.local_variable(process, name).expect("it exists");
    let events = &trace.order().chain(process)[..cut.of(process) as usize];
    let writes = events.iter().rev().flat_map(|&event| trace.writes(event));
    let mut writes = writes.filter(|write| write.var == var);
    writes
        .next()
        .map_or(trace.initial_value(var), |write| write.value)
}

fn is_passive(trace: &Trace, cut: &Cut) -> bool {
    let mut nodes = trace.order().processes();
    nodes.all(|node| value(trace, cut, node, "active") == StoredValue::Bool(false))
}

fn in_flight(trace: &Trace, cut: &Cut) -> usize {
    let nodes = || trace.order().processes();
    let channels = nodes().flat_map(|from| nodes().map(move |to| (from, to)));
    let counts = channels.map(|(from, to)| {
        let channel = trace.channel(from, to);
        channel.in_flight(cut.of(from), cut.of(to))
    });
    counts.sum()
}

/// The values of some variables after each event of a process.
fn states(trace: &Trace, process: ProcessId, names: &[&str]) -> Vec<Vec<StoredValue>> {
    let vars: Vec<_> = names
        .iter()
        .map(|name| trace.local_variable(process, name).expect("it exists"))
        .collect();
    let mut state: Vec<StoredValue> = vars.iter().map(|&var| trace.initial_value(var)).collect();
    let mut states = Vec::new();
    for &event in trace.order().chain(process) {
        for write in trace.writes(event) {
            if let Some(at) = vars.iter().position(|&var| var == write.var) {
                state[at] = write.value;
            }
        }
        states.push(state.clone());
    }
    states
}

fn is_text(trace: &Trace, value: StoredValue, text: &str) -> bool {
    matches!(value, StoredValue::Text(id) if trace.text(id) == text)
}
