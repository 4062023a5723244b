//! `cargo xtask bench formats`: every reader of logs beside the reader of the native format, on as many events.
//!
//! The logs are made up: two processes that tell each other things, written as each format writes such events. What is
//! compared is the time to read, validate and build the run, a million events each.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::lab::{Lab, Table, goal, grouped, median};

/// A reader may take so many times as long as the native one.
const MOST: f64 = 3.0;

/// Writes a number of events.
type Write = fn(usize) -> String;

/// The formats, and a log of each.
const LOGS: [(&str, Write); 9] = [
    ("native", native),
    ("shiviz", shiviz),
    ("tracing", tracing),
    ("ewd998", ewd998),
    ("etcd-raft", etcd_raft),
    ("otlp", otlp),
    ("zipkin", zipkin),
    ("jepsen", jepsen),
    ("rapid", rapid),
];

/// Measures and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let events = if lab.trial { 10_000 } else { 1_000_000 };
    let mut table = Table::new(&["format", "MB", "read s", "million events/s", "native = 1"]);
    let mut goals = String::new();
    let mut first = None;
    for (name, write) in LOGS {
        let path = lab.file(&format!("{name}.log"));
        fs::write(&path, write(events)).map_err(|error| error.to_string())?;
        measure(
            &lab, name, &path, events, &mut first, &mut table, &mut goals,
        )?;
    }
    let stored = lab.file("stored.causet");
    let text = lab.file("native.log");
    lab.tell(&["convert", &text, "--to", "bin", "-o", &stored])?;
    measure(
        &lab, "bin", &stored, events, &mut first, &mut table, &mut goals,
    )?;
    let report = format!(
        "{}Reading {} events of each format, the median of {}.\n\n{}\n## Goals\n\n{goals}",
        lab.header(),
        grouped(events),
        lab.times(),
        table.text
    );
    lab.save("formats", &report)
}

fn measure(
    lab: &Lab,
    name: &str,
    path: &str,
    events: usize,
    first: &mut Option<f64>,
    table: &mut Table,
    goals: &mut String,
) -> Result<(), String> {
    let told = median(lab.times(), || {
        lab.check_once(&[path, "--format", name, "--ctl", "true"])
    })?;
    let found = told.events().as_u64().unwrap_or(0) as usize;
    if found.abs_diff(events) > events / 10 {
        return Err(format!("{name}: {found} events instead of {events}"));
    }
    let native = *first.get_or_insert(told.read());
    let bytes = fs::metadata(path).map_err(|error| error.to_string())?.len();
    table.row(&[
        name.to_owned(),
        format!("{:.1}", bytes as f64 / 1e6),
        format!("{:.3}", told.read()),
        format!("{:.2}", found as f64 / told.read() / 1e6),
        format!("{:.2}", told.read() / native),
    ]);
    *goals += &goal(
        &format!("{name}: reading / native"),
        told.read() / native,
        MOST,
        "",
    );
    Ok(())
}

/// The text of lines that are made one by one.
fn lines(count: usize, line: impl Fn(&mut String, usize)) -> String {
    let mut text = String::with_capacity(count * 80);
    for number in 0..count {
        line(&mut text, number);
        text.push('\n');
    }
    text
}

/// The clock of an event: `a` and `b` take turns, and each knows all that came before.
fn clock(number: usize) -> (&'static str, usize, usize) {
    let who = if number.is_multiple_of(2) { "a" } else { "b" };
    (who, number / 2 + 1, number.div_ceil(2))
}

fn native(events: usize) -> String {
    lines(events, |text, number| {
        let (who, ..) = clock(number);
        let _ = match number % 2 {
            0 => write!(
                text,
                "{{\"p\":\"{who}\",\"ev\":\"tell\",\"send\":\"m{number}\",\"set\":{{\"x\":{}}}}}",
                number % 97
            ),
            _ => write!(
                text,
                "{{\"p\":\"{who}\",\"ev\":\"hear\",\"recv\":\"m{}\",\"set\":{{\"x\":{}}}}}",
                number - 1,
                number % 97
            ),
        };
    })
}

fn shiviz(events: usize) -> String {
    lines(events, |text, number| {
        let (who, a, b) = clock(number);
        let _ = write!(text, "x is {}\n{who} {{\"a\":{a},\"b\":{b}}}", number % 97);
    })
}

fn tracing(events: usize) -> String {
    lines(events, |text, number| {
        let (who, a, b) = clock(number);
        let _ = write!(
            text,
            "{{\"TracerIdentity\":\"{who}\",\"TraceID\":3318265616227424719,\"Tag\":\"Step\",\"Body\":{{\"x\":{}}},\
             \"VectorClock\":{{\"a\":{a},\"b\":{b}}}}}",
            number % 97
        );
    })
}

fn ewd998(events: usize) -> String {
    lines(events, |text, number| {
        let (_, a, b) = clock(number);
        let _ = write!(
            text,
            "{{\"event\":\"d\",\"node\":{},\"pkt\":{{\"vc\":{{\"0\":{a},\"1\":{b}}}}}}}",
            number % 2
        );
    })
}

fn etcd_raft(events: usize) -> String {
    lines(events, |text, number| {
        let (name, node) = match number % 2 {
            0 => ("SendAppendEntriesRequest", 1),
            _ => ("ReceiveAppendEntriesRequest", 2),
        };
        let index = number / 2;
        let _ = write!(
            text,
            "{{\"level\":\"debug\",\"ts\":1712329729.6,\"caller\":\"x.go:42\",\"msg\":\"trace\",\"tag\":\"trace\",\
             \"event\":{{\"name\":\"{name}\",\"nid\":\"{node}\",\"state\":{{\"term\":1,\"vote\":\"1\",\"commit\":{index}}},\
             \"role\":\"StateLeader\",\"log\":{index},\"conf\":[[\"1\",\"2\"],[]],\"msg\":{{\"type\":\"MsgApp\",\"term\":1,\
             \"from\":\"1\",\"to\":\"2\",\"entries\":1,\"logTerm\":1,\"index\":{index},\"commit\":{index},\"vote\":\"0\",\
             \"reject\":false,\"rejectHint\":0}}}}}}"
        );
    })
}

fn otlp(events: usize) -> String {
    lines(events / 2, |text, number| {
        let _ = write!(
            text,
            "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\
             \"shop\"}}}}]}},\"scopeSpans\":[{{\"spans\":[{{\"traceId\":\"5b8efff798038103d269b633813fc60c\",\"spanId\":\
             \"{:016x}\",\"parentSpanId\":\"{}\",\"name\":\"work\",\"kind\":1,\"startTimeUnixNano\":\"{}\",\
             \"endTimeUnixNano\":\"{}\"}}]}}]}}]}}",
            number + 1,
            parent(number),
            1_700_000_000_000_000_000_u64 + number as u64,
            1_700_000_000_000_000_009_u64 + number as u64,
        );
    })
}

/// Every span but the first has the one before it for a parent, in groups of a hundred.
fn parent(number: usize) -> String {
    match number % 100 {
        0 => String::new(),
        _ => format!("{number:016x}"),
    }
}

fn zipkin(events: usize) -> String {
    let spans = lines(events / 2, |text, number| {
        let parent = match parent(number) {
            none if none.is_empty() => none,
            parent => format!("\"parentId\":\"{parent}\","),
        };
        let _ = write!(
            text,
            "{}{{\"traceId\":\"0562809467078eab\",{parent}\"id\":\"{:016x}\",\"name\":\"work\",\"timestamp\":{},\
             \"duration\":9,\"localEndpoint\":{{\"serviceName\":\"shop\"}}}}",
            if number == 0 { "" } else { "," },
            number + 1,
            1_541_405_397_200_023_u64 + number as u64,
        );
    });
    format!("[{spans}]")
}

fn jepsen(events: usize) -> String {
    lines(events, |text, number| {
        let kind = if number % 4 < 2 { "invoke" } else { "ok" };
        let _ = write!(
            text,
            "{{:index {number}, :time {}, :type :{kind}, :process {}, :f :write, :value {}}}",
            number * 1000,
            number % 2,
            number % 97
        );
    })
}

fn rapid(events: usize) -> String {
    lines(events, |text, number| {
        let operation = ["acq(L1)", "w(V1)", "r(V1)", "rel(L1)"][number % 4];
        let _ = write!(text, "T{}|{operation}|{}", number / 4 % 2, number % 1000);
    })
}
