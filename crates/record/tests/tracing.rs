//! The layer for `tracing`: whose events they are, what becomes of their fields, how stamps travel.

use std::collections::BTreeMap;
use std::thread;

use causet_formats::native::{Part, ReadOptions, read};
use causet_record::tracing::{
    Carrier, CarrierError, HEADER, Layer, extract, inject, record, record_turmoil,
};
use causet_record::{Builder, Recording};
use causet_trace::Trace;
use tracing::{Dispatch, dispatcher, field, info, info_span, trace};
use tracing_subscriber::prelude::*;

/// The lines, without the header, that the layer writes for what is done, and the run they are.
fn recorded(builder: Builder, does: impl FnOnce(&Dispatch)) -> (Vec<String>, Trace) {
    let (recording, memory) = builder.to_memory();
    let dispatch = Dispatch::new(tracing_subscriber::registry().with(Layer::new(recording)));
    dispatcher::with_default(&dispatch, || does(&dispatch));
    let text = memory.text();
    let parts = vec![Part::new("run", text.as_bytes())];
    let reading = read(parts, &ReadOptions::default(), &());
    let trace = reading.unwrap_or_else(|error| panic!("{error}")).trace;
    (text.lines().skip(1).map(str::to_owned).collect(), trace)
}

#[test]
fn the_innermost_process_counts_and_nobodys_events_are_left_out() {
    let (lines, _) = recorded(Recording::builder(), |_| {
        info!("nobody's");
        let _outer = info_span!("outer", process = "a").entered();
        info!(count = 3, ratio = 0.5, ok = true, who = "x", list = ?[1], "first");
        let inner = info_span!("inner", step = 1).entered();
        info!(big = u64::MAX, "second");
        drop(inner);
        info_span!("other", process = %"b").in_scope(|| info!("third"));
        let late = info_span!("late", process = field::Empty);
        late.record("process", "c");
        late.in_scope(|| info!(name: "fourth", x = 1));
        info!(x = 2);
    });
    let expected = [
        r#"{"p":"a","ev":"first","set":{"count":3,"ratio":0.5,"ok":true,"who":"x","list":"[1]"}}"#,
        r#"{"p":"a","ev":"second","set":{"big":"18446744073709551615"}}"#,
        r#"{"p":"b","ev":"third"}"#,
        r#"{"p":"c","ev":"fourth","set":{"x":1}}"#,
        r#"{"p":"a","set":{"x":2}}"#,
    ];
    assert_eq!(lines, expected);
}

#[test]
fn stamps_travel_in_headers() {
    let (_, trace) = recorded(Recording::builder(), |dispatch| {
        let mut headers = BTreeMap::new();
        info_span!("client", process = "a").in_scope(|| inject("ask", &mut headers).expect("sent"));
        let dispatch = dispatch.clone();
        let server = thread::spawn(move || {
            let _default = dispatcher::set_default(&dispatch);
            let _span = info_span!("server", process = "b").entered();
            extract("ask", &headers).expect("received");
            extract("again", &headers).expect("received");
        });
        server.join().expect("no panic");
    });
    assert_eq!((trace.len(), trace.message_count()), (3, 1));
    assert_eq!(trace.order().crossing_count(), 2);
}

#[test]
fn what_cannot_be_recorded_is_told() {
    let mut headers = BTreeMap::new();
    assert_eq!(inject("ask", &mut headers), Err(CarrierError::NoProcess));
    let (lines, _) = recorded(Recording::builder(), |_| {
        assert_eq!(inject("ask", &mut headers), Err(CarrierError::NoProcess));
        let _span = info_span!("server", process = "b").entered();
        assert_eq!(extract("ask", &headers), Err(CarrierError::NoStamp));
        headers.put(HEADER, "nonsense".to_owned());
        assert_eq!(extract("ask", &headers), Err(CarrierError::BadStamp));
    });
    assert!(lines.is_empty());
}

#[test]
fn threads_that_share_a_process_keep_its_order() {
    let (lines, trace) = recorded(Recording::builder(), |dispatch| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let _default = dispatcher::set_default(dispatch);
                    let _span = info_span!("worker", process = "pool").entered();
                    (0..100).for_each(|x| info!(x, "step"));
                });
            }
        });
    });
    assert_eq!((lines.len(), trace.len()), (400, 400));
}

#[test]
fn a_guard_restores_the_subscriber_and_keeps_the_text() {
    let outer = record();
    let inner = record();
    info_span!("span", process = "a").in_scope(|| info!("inner"));
    assert_eq!(inner.text().lines().count(), 2);
    drop(inner);
    info_span!("span", process = "a").in_scope(|| info!("outer"));
    let text = outer.text();
    assert_eq!(text.lines().nth(1), Some(r#"{"p":"a","ev":"outer"}"#));
    assert_eq!(text.lines().count(), 2);
}

/// Reports a message as turmoil does.
macro_rules! report {
    ($kind:literal, $src:literal, $dst:literal, $content:expr) => {
        trace!(target: "turmoil", src = %$src, dst = %$dst, protocol = %$content, $kind)
    };
}

/// The lines, without the header, that the layer for turmoil writes for the reports of two hosts.
fn simulated(reports: impl FnOnce()) -> Vec<String> {
    let recorded = record_turmoil();
    for (nodename, addr) in [("a", "10.0.0.1"), ("b", "10.0.0.2")] {
        info!(target: "turmoil", nodename, addr = %addr, "New");
    }
    reports();
    recorded.text().lines().skip(1).map(str::to_owned).collect()
}

/// What runs on a host.
fn on_host(name: &str, runs: impl FnOnce()) {
    info_span!(target: "turmoil::sim", "node", name).in_scope(runs);
}

#[test]
fn a_receipt_is_matched_by_sockets_and_content() {
    let lines = simulated(|| {
        report!("Send", "10.0.0.1:7", "10.0.0.2:9", "UDP [0x1]");
        report!("Send", "10.0.0.1:7", "10.0.0.2:9", "UDP [0x2]");
        report!("Send", "10.0.0.1:8", "10.0.0.2:9", "UDP [0x1]");
        report!("Delivered", "10.0.0.1:7", "10.0.0.2:9", "UDP [0x2]");
        on_host("b", || {
            report!("Recv", "10.0.0.1:7", "0.0.0.0:9", "UDP [0x2]");
            report!("Recv", "10.0.0.1:8", "0.0.0.0:9", "UDP [0x1]");
            info!(got = 2);
        });
    });
    let expected = [
        r#"{"p":"a","ev":"UDP","send":"a:1"}"#,
        r#"{"p":"a","ev":"UDP","send":"a:2"}"#,
        r#"{"p":"a","ev":"UDP","send":"a:3"}"#,
        r#"{"p":"b","ev":"UDP","recv":"a:2","clock":{"a":2,"b":1}}"#,
        r#"{"p":"b","ev":"UDP","recv":"a:3","clock":{"a":3,"b":2}}"#,
        r#"{"p":"b","set":{"got":2}}"#,
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_dropped_packet_is_not_received_by_its_successor() {
    let lines = simulated(|| {
        report!("Send", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
        report!("Drop", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
        report!("Send", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
        report!("Send", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
        report!("Peek", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
        report!("Recv", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
        report!("Recv", "10.0.0.1:7", "10.0.0.2:9", "TCP [0x1]");
    });
    let expected = [
        r#"{"p":"b","ev":"TCP","recv":"a:2","clock":{"a":2,"b":1}}"#,
        r#"{"p":"b","ev":"TCP","recv":"a:3","clock":{"a":3,"b":2}}"#,
    ];
    assert_eq!(lines[3..], expected);
}

#[test]
fn a_reset_is_received_on_delivery_and_crashes_are_events() {
    let lines = simulated(|| {
        trace!(target: "turmoil", addr = %"10.0.0.1", "Crash");
        report!("Send", "10.0.0.1:7", "10.0.0.2:9", "TCP RST");
        report!("Delivered", "10.0.0.1:7", "10.0.0.2:9", "TCP RST");
        report!("Delivered", "10.0.0.3:7", "10.0.0.2:9", "TCP RST");
        trace!(target: "turmoil", "step 1");
    });
    let expected = [
        r#"{"p":"a","ev":"Crash"}"#,
        r#"{"p":"a","ev":"TCP RST","send":"a:2"}"#,
        r#"{"p":"b","ev":"TCP RST","recv":"a:2","clock":{"a":2,"b":1}}"#,
    ];
    assert_eq!(lines, expected);
}
