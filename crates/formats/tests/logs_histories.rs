//! Histories of clients, traces of threads and traces of the P checker: what becomes of them, and what is refused.

mod log_samples;

use std::io::Cursor;

use causet_formats::logs::{LogOptions, read};
use causet_formats::native::Part;
use causet_trace::Time;
use log_samples::{
    Refused, all_samples, as_format, check_damaged, check_refused, edges, event, looks_like, notes,
    processes, reading, run_of, told,
};

#[test]
fn completions_come_before_later_invocations() {
    let reading = run_of("jepsen-register.edn", "jepsen");
    let trace = &reading.trace;
    assert_eq!(processes(trace), ["p0", "p1", "nemesis", "p2"]);
    assert_eq!(
        edges(trace),
        [
            // The compare-and-set of p0 crashed: it comes before nothing.
            "p0 2 -> p1 3",
            "p0 2 -> p2 1",
            "p1 2 -> p2 1",
        ]
    );
    assert_eq!(notes(&reading), [] as [&str; 0]);
    let crash = event(trace, "p0", 4);
    assert_eq!(
        told(trace, crash),
        "info cas type=\"info\" f=\"cas\" value=\"[1 2]\" value.len=2 error=\"timeout\""
    );
    assert_eq!(trace.time(crash), Time::new(3, 1));
    assert_eq!(trace.place(crash).line, 8);
}

#[test]
fn json_says_the_same_as_edn() {
    for name in ["jepsen-register.json", "jepsen-register.jsonl"] {
        let reading = run_of(name, "jepsen");
        let trace = &reading.trace;
        assert_eq!(processes(trace), ["p0", "p1"]);
        assert_eq!(edges(trace), [] as [&str; 0]);
        let ok = event(trace, "p1", 2);
        assert_eq!(told(trace, ok), "ok read type=\"ok\" f=\"read\" value=1");
        let invoke = event(trace, "p1", 1);
        assert_eq!(
            told(trace, invoke),
            "invoke read type=\"invoke\" f=\"read\" value=\"nil\""
        );
    }
}

#[test]
fn other_lines_of_a_log_are_skipped() {
    let reading = run_of("jepsen-etcd.log", "jepsen");
    let trace = &reading.trace;
    assert_eq!(processes(trace), ["p0", "p1", "nemesis"]);
    assert_eq!(trace.len(), 7);
    assert_eq!(edges(trace), [] as [&str; 0]);
    let info = event(trace, "p1", 2);
    assert_eq!(trace.place(info).line, 7);
    assert_eq!(
        told(trace, info),
        "info cas type=\"info\" f=\"cas\" value=\"[4 0]\" value.len=2 error=\"timed-out\""
    );
}

#[test]
fn porcupine_names_keys() {
    let reading = run_of("porcupine-kv.txt", "jepsen");
    let trace = &reading.trace;
    assert_eq!(edges(trace), ["p0 2 -> p1 3"]);
    assert_eq!(
        told(trace, event(trace, "p0", 1)),
        "invoke append type=\"invoke\" f=\"append\" key=\"0\" value=\"x 0 0 y\""
    );
}

#[test]
fn lines_of_different_files_are_not_ordered() {
    let part = |name, text: &'static str| Part::new(name, Cursor::new(text.as_bytes()));
    let parts = vec![
        part(
            "a",
            "{:process 0, :type :invoke, :f :r}\n{:process 0, :type :ok, :f :r}",
        ),
        part(
            "b",
            "{:process 1, :type :invoke, :f :r}\n{:process 1, :type :ok, :f :r}",
        ),
    ];
    let (reading, _) = read(parts, &LogOptions::default(), &()).expect("well-formed");
    assert_eq!(processes(&reading.trace), ["p0", "p1"]);
    assert_eq!(edges(&reading.trace), [] as [&str; 0]);
}

/// The edges that are left out follow from those that are there: every completion is before every later invocation.
#[test]
fn few_edges_say_all() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..50 {
        let clients = rng.usize(2..5);
        let mut open = vec![false; clients];
        let mut text = String::new();
        let mut steps: Vec<(String, u32, bool)> = Vec::new();
        let mut counts = vec![0; clients];
        for _ in 0..40 {
            let client = rng.usize(..clients);
            let stage = if open[client] { "ok" } else { "invoke" };
            open[client] = !open[client];
            counts[client] += 1;
            steps.push((format!("p{client}"), counts[client], stage == "ok"));
            text.push_str(&format!(
                "{{:process {client}, :type :{stage}, :f :r, :value 1}}\n"
            ));
        }
        let (reading, _) = reading(text.as_bytes(), &as_format("jepsen")).expect("well-formed");
        let trace = &reading.trace;
        let order = trace.order();
        let clocks = causet_trace::Clocks::new(order);
        for (number, (process, position, _)) in steps.iter().enumerate() {
            let this = event(trace, process, *position);
            for (other, at, is_completion) in &steps[..number] {
                let earlier = event(trace, other, *at);
                let is_invocation = !steps[number].2;
                let must = (*is_completion && is_invocation) || other == process;
                let is_before = clocks.happened_before(order, earlier, this);
                assert!(is_before || !must, "{text}");
                assert!(!clocks.happened_before(order, this, earlier), "{text}");
            }
        }
        assert!(order.crossing_count() <= 20 * (clients - 1));
    }
}

#[test]
fn threads_are_ordered_by_forks_joins_and_locks() {
    let reading = run_of("rapid-counter.std", "rapid");
    let trace = &reading.trace;
    assert_eq!(processes(trace), ["T0", "T1", "T2"]);
    assert_eq!(
        edges(trace),
        [
            "T0 3 -> T1 1",
            "T0 4 -> T2 1",
            "T1 4 -> T2 1",
            "T1 5 -> T0 5",
            "T2 5 -> T0 6",
        ]
    );
    assert_eq!(
        told(trace, event(trace, "T2", 2)),
        "r(V1) read.V1=2 location=\"21\""
    );
    assert_eq!(
        told(trace, event(trace, "T2", 3)),
        "w(V1) V1=3 location=\"22\""
    );
    assert_eq!(
        told(trace, event(trace, "T1", 4)),
        "rel(L1) lock.L1=false location=\"23\""
    );
    assert_eq!(notes(&reading), [] as [&str; 0]);
}

#[test]
fn machines_are_ordered_by_their_clocks() {
    let reading = run_of("p-client-server.trace.json", "p-checker");
    let trace = &reading.trace;
    assert_eq!(processes(trace), ["Client(1)", "Server(2)", "Pending"]);
    assert_eq!(
        notes(&reading),
        [
            "clocks count 3 events that are not in the trace",
            "AssertionFailure: Pending detected liveness bug in hot state 'Hot' at the end of program execution.",
        ]
    );
    assert_eq!(
        edges(trace),
        [
            "Client(1) 2 -> Server(2) 2",
            "Client(1) 3 -> Pending 1",
            "Server(2) 3 -> Client(1) 4",
        ]
    );
    let dequeue = event(trace, "Server(2)", 2);
    let received: Vec<&str> = trace
        .receives(dequeue)
        .iter()
        .map(|&message| trace.message_name(message))
        .collect();
    assert_eq!(received, ["eReq-1"]);
    assert_eq!(
        told(trace, dequeue),
        "DequeueEvent eReq event=\"eReq\" payload.id=1 payload.source=\"Client(1)\" state=\"Serve\""
    );
}

#[test]
fn histories_that_are_refused() {
    let refused = |input, place, message| Refused {
        input,
        place,
        message,
        expected: "{:process 0, :type :invoke, :f :read, :value nil}",
    };
    let table = [
        refused(
            "{:process 0}",
            (1, 1),
            "this operation has no type: invoke, ok, fail or info",
        ),
        refused(
            "{:type :ok, :f :read}",
            (1, 1),
            "this operation has no process",
        ),
        refused(
            "{:process 0, :type :maybe}",
            (1, 1),
            "this operation has no type: invoke, ok, fail or info",
        ),
        refused(
            "{:process 0, :type :ok}\n{:process",
            (2, 1),
            "this bracket is not closed",
        ),
        refused(
            "[{:process 0, :type :ok}",
            (1, 25),
            "this vector is not closed",
        ),
        refused(
            "{:process 0, :type}",
            (1, 1),
            "a key of this map has no value",
        ),
        refused(
            "{:process 0, :type :ok, :value \"open}",
            (1, 32),
            "this text is not closed",
        ),
        refused(
            "{:process 0, :type :ok}\n  7",
            (2, 3),
            "this is not an operation",
        ),
        refused(
            "{\"process\":0,\"f\":\"read\"}",
            (1, 1),
            "this operation has no type: invoke, ok, fail or info",
        ),
        refused(
            "{\"process\":0,",
            (1, 13),
            "the file ends in the middle of this document",
        ),
    ];
    check_refused("jepsen", &table);
}

#[test]
fn steps_that_are_refused() {
    let refused = |input, place, message| Refused {
        input,
        place,
        message,
        expected: "THREAD|OPERATION(OPERAND)|LOCATION",
    };
    let table = [
        refused("T0", (1, 1), "this line has no operation"),
        refused("|r(V1)|3", (1, 1), "this line names no thread"),
        refused(
            "T0|begin|1\nT0|read(V1)|3",
            (2, 4),
            "`read` is not an operation",
        ),
        refused("T0|r(V1|3", (1, 5), "this bracket is not closed"),
        refused("T0|acq|3", (1, 4), "`acq` of what?"),
    ];
    check_refused("rapid", &table);
}

#[test]
fn traces_of_the_p_checker_that_are_refused() {
    let refused = |input, place, message, expected| Refused {
        input,
        place,
        message,
        expected,
    };
    let trace = "the trace of the P checker";
    let table = [
        refused(
            "{}",
            (1, 1),
            "invalid type: map, expected a sequence",
            trace,
        ),
        refused("[{\"details\":{}}]", (1, 15), "missing field `type`", trace),
        refused(
            "[{\"type\":\"Halt\"}]",
            (1, 16),
            "missing field `details`",
            trace,
        ),
        refused(
            "[{\"type\":\"Halt\",\n\"details\":{\"id\":\"A\",\"clock\":{\"A\":-1}}}]",
            (2, 35),
            "invalid value: integer `-1`, expected u32",
            trace,
        ),
        refused(
            "[\n{\"type\":\"Halt\",\"details\":{\"id\":\"A\",\"clock\":{\"B\":1}}}]",
            (2, 1),
            "the clock counts no event of a machine that is named here",
            "expected id, monitor or sender",
        ),
    ];
    check_refused("p-checker", &table);
}

/// No other sample looks like a format of spans or histories, and each of these like one alone.
#[test]
fn formats_are_not_confused() {
    let formats = [
        ("zipkin", "zipkin-"),
        ("jaeger", "jaeger-"),
        ("otlp", "otlp-"),
        ("xtrace", "xtrace-"),
        ("jepsen", "jepsen-"),
        ("jepsen", "porcupine-"),
        ("rapid", "rapid-"),
        ("p-checker", "p-"),
    ];
    for name in all_samples() {
        let expected = formats.iter().find(|(_, prefix)| name.starts_with(prefix));
        let expected = expected.map(|&(format, _)| format);
        let found: Vec<&str> = looks_like(&name)
            .into_iter()
            .filter(|found| formats.iter().any(|(format, _)| format == found))
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{name}");
    }
}

#[test]
fn samples_may_be_damaged() {
    for (name, format) in [
        ("jepsen-register.edn", "jepsen"),
        ("jepsen-register.json", "jepsen"),
        ("jepsen-register.jsonl", "jepsen"),
        ("jepsen-etcd.log", "jepsen"),
        ("porcupine-kv.txt", "jepsen"),
        ("rapid-counter.std", "rapid"),
        ("p-client-server.trace.json", "p-checker"),
    ] {
        check_damaged(name, format);
    }
}
