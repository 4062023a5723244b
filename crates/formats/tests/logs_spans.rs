//! Traces of Zipkin, Jaeger and OpenTelemetry, and reports of X-Trace: what becomes of them, and what is refused.

mod log_samples;

use causet_formats::logs::LogOptions;
use causet_trace::Time;
use log_samples::{
    Refused, as_format, check_damaged, check_refused, edges, event, notes, processes, reading,
    run_of, sample, told,
};

#[test]
fn messages_of_zipkin_order_starts_only() {
    let reading = run_of("zipkin-messaging-kafka.json", "zipkin");
    let trace = &reading.trace;
    assert_eq!((processes(trace).len(), trace.len()), (28, 56));
    assert_eq!(
        notes(&reading),
        ["3 of 27 children start before their parent by the clock"]
    );
    // Nobody waits for anybody here, so that there is one edge for each child.
    assert_eq!(edges(trace).len(), 27);
    assert!(
        edges(trace)
            .iter()
            .all(|edge| edge.ends_with(" 1") && edge.contains(" 1 -> "))
    );
    assert!(processes(trace).contains(&"servicea/send#2e22"));
    let poll = event(trace, "servicea/poll#5628", 1);
    assert_eq!(
        told(trace, poll),
        "start kind=\"consumer\" service=\"servicea\" operation=\"poll\" remote=\"kafka\" \
         kafka.topic=\"messages\" active=true"
    );
    assert_eq!(
        trace.time(poll),
        Some(Time::from_nanos(1_541_405_397_200_023_000))
    );
}

#[test]
fn two_sides_of_a_call_may_share_an_id() {
    let reading = run_of("zipkin-yelp.json", "zipkin");
    let trace = &reading.trace;
    assert_eq!((processes(trace).len(), trace.len()), (16, 33));
    let edges = edges(trace);
    let has = |edge: &str| {
        assert!(
            edges.iter().any(|other| other == edge),
            "{edge}: {edges:#?}"
        );
    };
    has("mobile_api/get 1 -> spectre/get 1");
    has("spectre/get 2 -> mobile_api/get 2");
    // What the server called is its child, and not the client's.
    has("mobile_api/post /location/update/v4 1 -> mobile_api/get 1");
    has("yelp-main/post 1 -> mobile_api/post /location/update/v4 1");
    has("mobile_api/post /location/update/v4 2 -> yelp-main/post 2");
    // Fifteen children, and three calls that were answered.
    assert_eq!(edges.len(), 18);
    assert_eq!(notes(&reading), [] as [&str; 0]);
}

#[test]
fn jaeger_orders_answered_calls_only() {
    let reading = run_of("jaeger-shop.json", "jaeger");
    let trace = &reading.trace;
    assert_eq!(
        edges(trace),
        [
            "payment/POST /pay 1 -> payment/publish paid 1",
            "payment/publish paid 1 -> stock/on paid 1",
            "shop/GET /order 1 -> shop/GET /stock 1",
            "shop/GET /order 1 -> shop/POST /pay 1",
            "shop/GET /stock 1 -> stock/GET /stock 1",
            "shop/POST /pay 1 -> payment/POST /pay 1",
            "stock/GET /stock 4 -> shop/GET /stock 2",
        ]
    );
    assert_eq!(
        notes(&reading),
        [
            "1 of 5 children start before their parent by the clock",
            "1 span names a parent that is not there",
            "1 call failed or ended before its answer by the clock",
        ]
    );
    let log = event(trace, "stock/GET /stock", 3);
    assert_eq!(
        told(trace, log),
        "row read message=\"row read\" stock=\"3\""
    );
    let end = event(trace, "shop/POST /pay", 2);
    assert_eq!(told(trace, end), "end error=true active=false");
}

#[test]
fn a_thread_on_which_spans_nest_is_a_process() {
    let reading = run_of("otlp-threads.json", "otlp");
    let trace = &reading.trace;
    let expected = [
        "gate/thread-1",
        "prices/thread-1",
        "gate/poll#b1",
        "gate/poll#b2",
    ];
    let mut found = processes(trace);
    found.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let labels: Vec<&str> = (1..=9)
        .filter_map(|position| trace.label(event(trace, "gate/thread-1", position)))
        .collect();
    assert_eq!(
        labels,
        [
            "start GET /cart",
            "start load cart",
            "cache miss",
            "end load cart",
            "start price",
            "end price",
            "end GET /cart",
            "start GET /health",
            "end GET /health",
        ]
    );
    assert_eq!(
        edges(trace),
        [
            "gate/poll#b1 1 -> prices/thread-1 1",
            "gate/thread-1 5 -> prices/thread-1 1",
            "prices/thread-1 2 -> gate/thread-1 6",
        ]
    );
    let start = event(trace, "gate/thread-1", 5);
    assert_eq!(
        told(trace, start),
        "start price kind=\"client\" service=\"gate\" operation=\"price\" thread.id=1 \
         tags=\"[\\\"a\\\",\\\"b\\\"]\" tags.len=2 depth=2"
    );
    let end = event(trace, "prices/thread-1", 2);
    assert_eq!(
        told(trace, end),
        "end price status=\"error\" status.message=\"no price\" depth=0"
    );
    assert_eq!(notes(&reading), ["the spans of 1 of 3 threads do not nest"]);
}

#[test]
fn the_dialect_of_tempo_says_the_same() {
    let reading = run_of("otlp-tempo.json", "otlp");
    let expected = [
        "mobile/order 1 -> mobile/send 1",
        "mobile/order 1 -> orders/order 1",
        "mobile/send 1 -> orders/receive 1",
        "orders/order 2 -> mobile/order 2",
    ];
    assert_eq!(edges(&reading.trace), expected);
    assert_eq!(
        notes(&reading),
        ["1 of 3 children start before their parent by the clock"]
    );
}

#[test]
fn every_line_of_the_collector_is_a_document() {
    let reading = run_of("otlp-collector.jsonl", "otlp");
    let expected = [
        "mobile/order 1 -> orders/order 1",
        "orders/order 2 -> mobile/order 2",
    ];
    assert_eq!(edges(&reading.trace), expected);
    assert_eq!(notes(&reading), ["1 span occurs twice"]);
    let place = reading
        .trace
        .place(event(&reading.trace, "orders/order", 1));
    assert_eq!(place.line, 2);
}

#[test]
fn a_trusted_clock_orders_the_spans_of_a_host() {
    let input = r#"[
        {"traceId":"1","id":"a","name":"a","timestamp":10,"duration":5,"localEndpoint":{"ipv4":"10.0.0.1"},
         "annotations":[{"timestamp":30,"value":"late"}]},
        {"traceId":"2","id":"b","name":"b","timestamp":20,"duration":5,"localEndpoint":{"ipv4":"10.0.0.1"}},
        {"traceId":"3","id":"c","name":"c","timestamp":20,"duration":1,"localEndpoint":{"ipv4":"10.0.0.2"}}
    ]"#;
    let careful = LogOptions {
        merge: true,
        ..as_format("zipkin")
    };
    let trusting = LogOptions {
        trust_local_clock: true,
        ..careful.clone()
    };
    let edges_with = |options| {
        let (reading, _) = reading(input.as_bytes(), options).expect("it is well-formed");
        edges(&reading.trace)
    };
    assert_eq!(edges_with(&careful), [] as [&str; 0]);
    assert_eq!(edges_with(&trusting), ["a 2 -> b 1", "a 3 -> b 1"]);
}

#[test]
fn reports_have_many_parents() {
    let reading = run_of("xtrace-job.json", "xtrace");
    let trace = &reading.trace;
    assert_eq!(
        edges(trace),
        [
            "100@node7/1 1 -> 201@node7/1 1",
            "100@node7/1 1 -> 202@node7/1 1",
            "201@node7/1 2 -> 201@node7/2 1",
            "201@node7/1 3 -> 100@node7/1 2",
            "201@node7/2 1 -> 201@node7/1 3",
            "202@node7/1 2 -> 100@node7/1 2",
        ]
    );
    assert_eq!(
        notes(&reading),
        ["1 edge comes from a report that is not there"]
    );
    let spill = event(trace, "201@node7/2", 1);
    assert_eq!(
        told(trace, spill),
        "spill Agent=\"Spill\" Combiner=\"true\""
    );
}

#[test]
fn newer_reports_name_their_events() {
    let reading = run_of("xtrace-pipeline.json", "xtrace");
    assert_eq!(
        edges(&reading.trace),
        [
            "31@d1/12 1 -> 44@d2/15 1",
            "31@d1/12 2 -> 7@c/1 2",
            "44@d2/15 1 -> 31@d1/12 2",
            "7@c/1 1 -> 31@d1/12 1",
        ]
    );
    assert_eq!(notes(&reading), [] as [&str; 0]);
}

#[test]
fn spans_that_are_refused() {
    let table = [
        Refused {
            input: "[{\"traceId\":\"1\",\n\"name\":\"x\"}]",
            place: (2, 11),
            message: "missing field `id`",
            expected: "an array of Zipkin spans",
        },
        Refused {
            input: "é",
            place: (1, 1),
            message: "expected value",
            expected: "an array of Zipkin spans",
        },
        Refused {
            input: "[{\"traceId\":\"1\",\"id\":7}]",
            place: (1, 22),
            message: "invalid type: integer `7`, expected a string",
            expected: "an array of Zipkin spans",
        },
        Refused {
            input: "[{\"traceId\":\"1\",\"id\":\"a\"}",
            place: (1, 25),
            message: "the file ends in the middle of this document",
            expected: "an array of Zipkin spans",
        },
        Refused {
            input: "[{\"traceId\":\"1\",\"id\":\"a\",\"timestamp\":\"soon\"}]",
            place: (1, 43),
            message: "invalid value: string \"soon\", expected a whole number",
            expected: "an array of Zipkin spans",
        },
        Refused {
            input: "{\"traceId\":\"1\",\"id\":\"a\"}",
            place: (1, 1),
            message: "invalid type: map, expected a sequence",
            expected: "an array of Zipkin spans",
        },
    ];
    check_refused("zipkin", &table);
}

#[test]
fn jaeger_that_is_refused() {
    check_refused("jaeger", &jaeger_refused());
}

#[test]
fn otlp_that_is_refused() {
    check_refused("otlp", &otlp_refused());
}

#[test]
fn reports_that_are_refused() {
    check_refused("xtrace", &xtrace_refused());
}

fn jaeger_refused() -> Vec<Refused> {
    let refused = |input, place, message| Refused {
        input,
        place,
        message,
        expected: "traces of Jaeger",
    };
    vec![
        refused(
            r#"{"data":[{"spans":[{"spanID":"1"}]}]}"#,
            (1, 33),
            "missing field `traceID`",
        ),
        refused(
            r#"{"data":[{"spans":[{"traceID":"1"}]}]}"#,
            (1, 34),
            "missing field `spanID`",
        ),
        refused(
            r#"{"data":[{"processes":{}}]}"#,
            (1, 25),
            "missing field `spans`",
        ),
        refused(
            r#"{"data":[{"spans":[{"traceID":"1","spanID":"2","startTime":"now"}]}]}"#,
            (1, 64),
            "invalid value: string \"now\", expected a whole number",
        ),
        refused(
            r#"{"data":7}"#,
            (1, 9),
            "invalid type: integer `7`, expected a sequence",
        ),
    ]
}

fn otlp_refused() -> Vec<Refused> {
    let refused = |input, place, message| Refused {
        input,
        place,
        message,
        expected: "resourceSpans",
    };
    vec![
        refused(
            r#"{"resourceSpans":{}}"#,
            (1, 17),
            "invalid type: map, expected a sequence",
        ),
        refused(
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"1"}]}]}]}"#,
            (1, 57),
            "missing field `traceId`",
        ),
        refused(
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1"}]}]}]}"#,
            (1, 58),
            "missing field `spanId`",
        ),
        refused(
            r#"{"batches":[{"resource":{"attributes":[{"value":{}}]}}]}"#,
            (1, 51),
            "missing field `key`",
        ),
        refused(
            r#"{"resourceSpans":["#,
            (1, 18),
            "the file ends in the middle of this document",
        ),
    ]
}

fn xtrace_refused() -> Vec<Refused> {
    let refused = |input, place, message| Refused {
        input,
        place,
        message,
        expected: "reports of X-Trace",
    };
    vec![
        refused(
            r#"[{"reports":[{"Label":["x"]}]}]"#,
            (1, 1),
            "this report has no id",
        ),
        refused(
            r#"[{"reports":[{"X-Trace":["19ab"]}]}]"#,
            (1, 1),
            "this X-Trace id is too short",
        ),
        refused(r#"[{"id":"x"}]"#, (1, 11), "missing field `reports`"),
        refused(
            r#"{"reports":[]}"#,
            (1, 1),
            "invalid type: map, expected a sequence",
        ),
        refused(
            r#"[{"reports":[{"X-Trace":["19""#,
            (1, 29),
            "the file ends in the middle of this document",
        ),
    ]
}

#[test]
fn samples_may_be_damaged() {
    for (name, format) in [
        ("zipkin-messaging-kafka.json", "zipkin"),
        ("zipkin-yelp.json", "zipkin"),
        ("jaeger-shop.json", "jaeger"),
        ("otlp-threads.json", "otlp"),
        ("otlp-tempo.json", "otlp"),
        ("otlp-collector.jsonl", "otlp"),
        ("xtrace-job.json", "xtrace"),
        ("xtrace-pipeline.json", "xtrace"),
    ] {
        check_damaged(name, format);
        assert!(!sample(name).is_empty());
    }
}
