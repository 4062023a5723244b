//! `cargo xtask bench formats`: every reader of logs beside the reader of the native format, on the same run.
//!
//! The logs are made up: two processes that tell each other things, written as each format writes such events. Each is
//! read, and so is the same run in the native format, as `causet convert` writes it. The two take turns, and of each the
//! fastest counts. What is compared is the time to read, validate and build the run, a million events each.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::lab::{Lab, Table, Told, goal, grouped};

/// A reader may take so many times as long as the native one.
const MOST: f64 = 3.0;
/// The binary form is opened at so many bytes a second, at least.
const FASTEST: f64 = 1e9;

/// Writes a number of events.
type Write = fn(usize) -> String;

/// The formats, and a log of each.
const LOGS: [(&str, Write); 14] = [
    ("shiviz", shiviz),
    ("tracing", tracing),
    ("ewd998", ewd998),
    ("etcd-raft", etcd_raft),
    ("ccf", ccf),
    ("otlp", otlp),
    ("jaeger", jaeger),
    ("zipkin", zipkin),
    ("xtrace", xtrace),
    ("jepsen", jepsen),
    ("rapid", rapid),
    ("p-checker", p_checker),
    ("spin", spin),
    ("mapped", mapped),
];

/// Measures and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let events = if lab.trial { 10_000 } else { 1_000_000 };
    let mut table = Table::new(&[
        "format",
        "MB",
        "read s",
        "million events/s",
        "the same run, native s",
        "native = 1",
    ]);
    let mut goals = String::new();
    for (name, write) in LOGS {
        let log = lab.file(&format!("{name}.log"));
        fs::write(&log, write(events)).map_err(|error| error.to_string())?;
        let compared = compare(&lab, name, &log, events)?;
        table.row(&compared.row(name));
        let of = format!("{name}: reading / native");
        goals += &goal(&of, compared.read / compared.native, MOST, "");
    }
    let (stored, opened) = binary(&lab)?;
    let report = format!(
        "{}Reading {} events of each format, the fastest of {}.\n\n{}\n{stored}\n## Goals\n\n{goals}{opened}",
        lab.header(),
        grouped(events),
        times(&lab),
        table.text
    );
    lab.save("formats", &report)
}

fn times(lab: &Lab) -> usize {
    2 * lab.times() - 1
}

/// A log, and the same run in the native format.
struct Compared {
    bytes: u64,
    events: usize,
    read: f64,
    native: f64,
}

impl Compared {
    fn row(&self, name: &str) -> [String; 6] {
        [
            name.to_owned(),
            format!("{:.1}", self.bytes as f64 / 1e6),
            format!("{:.3}", self.read),
            format!("{:.2}", self.events as f64 / self.read / 1e6),
            format!("{:.3}", self.native),
            format!("{:.2}", self.read / self.native),
        ]
    }
}

fn compare(lab: &Lab, name: &str, log: &str, events: usize) -> Result<Compared, String> {
    let rules = lab.file("mapping.toml");
    fs::write(&rules, MAPPING).map_err(|error| error.to_string())?;
    let options = match name {
        "mapped" => vec![log, "--mapping", &rules],
        _ => vec![log, "--format", name],
    };
    let same = lab.file("same.jsonl");
    let convert = [&["convert"], &options[..], &["--to", "jsonl", "-o", &same]];
    lab.tell(&convert.concat())?;
    let read = |options: &[&str]| lab.check_once(&[options, &["--ctl", "true"]].concat());
    let mut compared = Compared {
        bytes: size(log)?,
        events: 0,
        read: f64::INFINITY,
        native: f64::INFINITY,
    };
    for _ in 0..times(lab) {
        let told = read(&options)?;
        compared.events = count(&told);
        compared.read = compared.read.min(told.read());
        compared.native = compared.native.min(read(&[&same])?.read());
    }
    match compared.events.abs_diff(events) > events / 10 {
        true => Err(format!(
            "{name}: {} events instead of {events}",
            compared.events
        )),
        false => Ok(compared),
    }
}

fn size(path: &str) -> Result<u64, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    Ok(about.len())
}

fn count(told: &Told) -> usize {
    told.events().as_u64().unwrap_or(0) as usize
}

/// Opens a long run in its binary form: what there is to say of it, and whether it is fast enough.
fn binary(lab: &Lab) -> Result<(String, String), String> {
    let events = if lab.trial { 10_000 } else { 10_000_000 };
    let (text, stored) = (lab.file("native.jsonl"), lab.file("stored.causet"));
    fs::write(&text, native(events)).map_err(|error| error.to_string())?;
    lab.tell(&["convert", &text, "--to", "bin", "-o", &stored])?;
    let mut open = f64::INFINITY;
    for _ in 0..times(lab) {
        open = open.min(lab.check_once(&[&stored, "--ctl", "true"])?.read());
    }
    let bytes = size(&stored)? as f64;
    let said = format!(
        "The binary form of {} events: {:.1} MB, {:.2} bytes an event, opened in {open:.3} s: {:.2} GB/s, {:.1} million \
         events/s.\n",
        grouped(events),
        bytes / 1e6,
        bytes / events as f64,
        bytes / open / 1e9,
        events as f64 / open / 1e6,
    );
    let slow = FASTEST / (bytes / open);
    Ok((said, goal("bin: 1 GB/s / opening", slow, 1.0, "")))
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

fn ccf(events: usize) -> String {
    lines(events, |text, number| {
        let (function, node, other) = match number % 2 {
            0 => ("send_append_entries", 0, "\"to_node_id\":\"1\""),
            _ => ("recv_append_entries", 1, "\"from_node_id\":\"0\""),
        };
        let index = number / 2;
        let _ = write!(
            text,
            "{{\"h_ts\":\"2023-04-13T16:43:46.711287Z\",\"thread_id\":\"100\",\"level\":\"info\",\"tag\":\"raft_trace\",\
             \"file\":\"raft.h\",\"number\":\"522\",\"msg\":{{\"function\":\"{function}\",\"packet\":{{\"idx\":{index},\
             \"term\":2}},\"state\":{{\"node_id\":\"{node}\",\"commit_idx\":{index},\"current_view\":2,\
             \"leadership_state\":\"Leader\"}},{other}}}}}"
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
            comma(number),
            number + 1,
            1_541_405_397_200_023_u64 + number as u64,
        );
    });
    format!("[{spans}]")
}

fn jaeger(events: usize) -> String {
    let spans = lines(events / 2, |text, number| {
        let reference = match parent(number) {
            none if none.is_empty() => none,
            parent => format!(
                "{{\"refType\":\"CHILD_OF\",\"traceID\":\"5f3a9c1e70b2d846\",\"spanID\":\"{parent}\"}}"
            ),
        };
        let _ = write!(
            text,
            "{}{{\"traceID\":\"5f3a9c1e70b2d846\",\"spanID\":\"{:016x}\",\"operationName\":\"work\",\"references\":\
             [{reference}],\"startTime\":{},\"duration\":9,\"tags\":[],\"logs\":[],\"processID\":\"p1\"}}",
            comma(number),
            number + 1,
            1_700_000_000_000_000_u64 + number as u64,
        );
    });
    format!(
        "{{\"data\":[{{\"traceID\":\"5f3a9c1e70b2d846\",\"spans\":[{spans}],\"processes\":{{\"p1\":{{\"serviceName\":\
         \"shop\",\"tags\":[]}}}}}}]}}"
    )
}

fn comma(number: usize) -> &'static str {
    if number == 0 { "" } else { "," }
}

fn xtrace(events: usize) -> String {
    let reports = lines(events, |text, number| {
        let edge = match number {
            0 => String::new(),
            _ => format!("\"{number:016X}\""),
        };
        let _ = write!(
            text,
            "{}{{\"X-Trace\":[\"193615C831D3FC58B5{:016X}\"],\"Host\":[\"h\"],\"ProcessID\":[\"{}@h\"],\"ThreadID\":\
             [\"1\"],\"Label\":[\"step\"],\"Edge\":[{edge}],\"Timestamp\":[\"{}.5\"]}}",
            comma(number),
            number + 1,
            number % 2,
            1_364_280_059 + number,
        );
    });
    format!("[{{\"id\":\"job\",\"reports\":[{reports}]}}]")
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

fn p_checker(events: usize) -> String {
    let steps = lines(events, |text, number| {
        let (who, a, b) = clock(number);
        let _ = write!(
            text,
            "{}{{\"type\":\"StateTransition\",\"details\":{{\"log\":\"x\",\"id\":\"{who}\",\"state\":\"S{}\",\"payload\":\
             \"null\",\"isEntry\":true,\"clock\":{{\"a\":{a},\"b\":{b}}}}}}}",
            comma(number),
            number % 97
        );
    });
    format!("[{steps}]")
}

fn spin(events: usize) -> String {
    lines(events, |text, number| {
        let (process, value) = (number % 2, number % 97);
        let _ = write!(
            text,
            "{number:3}:\tproc  {process} (P:1) m.pml:7 (state 1)\t[x = {value}]\n\t\tx = {value}"
        );
    })
}

/// Where everything stands in the lines of [`mapped`].
const MAPPING: &str = "process = \"/host\"\nevent = \"/action\"\n\n[variables]\n\"\" = \"/data\"\n\n[[send]]\nwhen = \
                       [{ at = \"/action\", equals = \"tell\" }]\nkey = [\"/message\"]\n\n[[receive]]\nwhen = [{ at = \
                       \"/action\", equals = \"hear\" }]\nkey = [\"/message\"]\n";

fn mapped(events: usize) -> String {
    lines(events, |text, number| {
        let (who, ..) = clock(number);
        let action = if number.is_multiple_of(2) {
            "tell"
        } else {
            "hear"
        };
        let _ = write!(
            text,
            "{{\"sev\":\"info\",\"host\":\"{who}\",\"action\":\"{action}\",\"message\":{},\"data\":{{\"x\":{}}}}}",
            number - number % 2,
            number % 97
        );
    })
}
