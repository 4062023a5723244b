//! A run as trace events of Chrome, which Perfetto opens: a lane for each process, a slice for each event, an arrow for
//! each direct dependency between processes.
//!
//! Slices stand at their wall-clock times where every event has one and these times agree with the order. Otherwise, or
//! the arrows would point backwards, they stand at their logical times: the length of the longest chain of events that
//! leads to them, a millisecond for each. An arrow is a pair of flow events with an id of its own, start before end.

use std::fmt::Write as _;
use std::io;

use causet_trace::{EventId, Time, Trace};

use crate::describe::{phrases, push_json};
use crate::native::push_value;

/// The place of a slice in microseconds: where it begins and how long it is.
#[derive(Clone, Copy)]
struct Slice {
    start: Time,
    length: Time,
}

/// How far logical times lie apart, in microseconds.
const STEP: i64 = 1000;

/// How long a slice is at least.
const LEAST: i64 = 1;

/// Writes the events.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    let (slices, time) = match wall_clock(trace).and_then(|starts| until_next(trace, &starts)) {
        Some(slices) => (slices, "wall clock"),
        None => (logical(trace), "logical"),
    };
    write!(
        out,
        "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"time\":\"{time}\"}},\"traceEvents\":["
    )?;
    let mut text = String::new();
    push_lanes(&mut text, trace);
    let mut arrows = 0;
    for event in trace.order().recorded() {
        push_slice(&mut text, trace, event, slices[event.index()]);
        for &before in trace.order().crossing_into(event) {
            arrows += 1;
            push_arrow(&mut text, trace, (before, event), arrows, &slices);
        }
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    out.write_all(text.as_bytes())?;
    writeln!(out, "\n]}}")
}

/// The times of all events in microseconds, if there are such and no event is earlier than what it depends on.
fn wall_clock(trace: &Trace) -> Option<Vec<Time>> {
    let times: Option<Vec<Time>> = trace.events().map(|event| trace.time(event)).collect();
    let times = times?;
    let agrees = |event: EventId| {
        let mut before = trace.order().predecessors(event);
        before.all(|before| times[before.index()] <= times[event.index()])
    };
    if !trace.events().all(agrees) {
        return None;
    }
    let first = *times.iter().min()?;
    let micros = |time: &Time| time.since(first)?.scaled_up(6);
    times.iter().map(micros).collect()
}

/// Slices that last until the next event of their process.
fn until_next(trace: &Trace, starts: &[Time]) -> Option<Vec<Slice>> {
    let slice = |event: EventId| {
        let order = trace.order();
        let next = order.event(order.process_of(event), order.position_of(event) + 1);
        let start = starts[event.index()];
        let length = match next {
            Some(next) => starts[next.index()].since(start)?,
            None => micros(LEAST),
        };
        Some(Slice { start, length })
    };
    trace.events().map(slice).collect()
}

/// Slices at logical times.
fn logical(trace: &Trace) -> Vec<Slice> {
    let order = trace.order();
    let mut depths = vec![0_u32; order.len()];
    for event in order.recorded() {
        let before = order.predecessors(event);
        let deepest = before.map(|before| depths[before.index()] + 1).max();
        depths[event.index()] = deepest.unwrap_or(0);
    }
    let slice = |depth: &u32| Slice {
        start: micros(i64::from(*depth) * STEP),
        length: micros(STEP * 4 / 5),
    };
    depths.iter().map(slice).collect()
}

fn micros(whole: i64) -> Time {
    Time::new(whole, 0).unwrap_or_default()
}

fn push_lanes(text: &mut String, trace: &Trace) {
    text.push_str(
        "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"run\"}}",
    );
    for process in trace.order().processes() {
        let lane = process.index() + 1;
        let _ = write!(
            text,
            ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":{lane},\"args\":{{\"name\":"
        );
        push_json(text, trace.process_name(process));
        let _ = write!(
            text,
            "}}}},\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":{lane},\"args\":{{\"sort_index\":{lane}}}}}"
        );
    }
}

/// What all events of the format say of where they stand.
fn push_place(text: &mut String, trace: &Trace, event: EventId, at: Time) {
    let lane = trace.order().process_of(event).index() + 1;
    let _ = write!(text, ",\"pid\":1,\"tid\":{lane},\"ts\":{at}");
}

fn push_slice(text: &mut String, trace: &Trace, event: EventId, slice: Slice) {
    text.push_str(",\n{\"ph\":\"X\",\"cat\":\"event\",\"name\":");
    let phrases = phrases(trace, event);
    push_json(text, phrases.first().map_or("step", String::as_str));
    push_place(text, trace, event, slice.start);
    let position = trace.order().position_of(event);
    let line = trace.place(event).line;
    let length = slice.length;
    let _ = write!(
        text,
        ",\"dur\":{length},\"args\":{{\"event\":{position},\"line\":{line},\"does\":"
    );
    push_json(text, &phrases.join(", "));
    for write in trace.writes(event) {
        text.push(',');
        push_json(text, &trace.variable_name(write.var));
        text.push(':');
        push_value(text, trace, write.value);
    }
    text.push_str("}}");
}

/// An arrow from one event to another, as two events with one id.
fn push_arrow(
    text: &mut String,
    trace: &Trace,
    (from, to): (EventId, EventId),
    id: usize,
    slices: &[Slice],
) {
    let received = trace.receives(to).iter();
    let mut messages = received.filter(|&&message| trace.sender(message) == Some(from));
    let message = messages.next().map(|&message| trace.message_name(message));
    for (phase, event) in [("\"s\"", from), ("\"f\",\"bp\":\"e\"", to)] {
        let category = if message.is_some() {
            "message"
        } else {
            "order"
        };
        let _ = write!(
            text,
            ",\n{{\"ph\":{phase},\"id\":{id},\"cat\":\"{category}\",\"name\":"
        );
        push_json(text, message.unwrap_or("order"));
        push_place(text, trace, event, slices[event.index()].start);
        text.push('}');
    }
}
