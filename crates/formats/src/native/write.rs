//! Writing the native format: a header, then the events in recorded order.
//!
//! Clocks are not written again: what they said is in the edges, which are written as `after`. Reading the text gives
//! the same run, events numbered in recorded order; a run that was read leniently needs leniency again.

use std::fmt::Write as _;
use std::io;

use causet_trace::{EventId, ProcessId, StoredValue, Trace, Write};

use super::scan::Scan;
use crate::describe::push_json;

/// Text is handed on in pieces of this size.
const PIECE: usize = 64 << 10;

/// Writes a run.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    let mut text = String::with_capacity(PIECE + 1024);
    push_header(&mut text, trace);
    let mut edges = trace.explicit_edges().to_vec();
    edges.sort_by_key(|&(_, event)| event);
    for event in trace.order().recorded() {
        let first = edges.partition_point(|edge| edge.1 < event);
        let into_event = edges[first..].iter().take_while(|edge| edge.1 == event);
        let before: Vec<EventId> = into_event.map(|edge| edge.0).collect();
        push_event(&mut text, trace, event, &before);
        if text.len() >= PIECE {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    out.write_all(text.as_bytes())
}

fn push_header(out: &mut String, trace: &Trace) {
    out.push_str("{\"causet\":1,\"processes\":");
    let processes = trace.order().processes();
    push_list(out, processes, |out, p| {
        push_json(out, trace.process_name(p));
    });
    if trace.shared_names().next().is_some() {
        out.push_str(",\"shared\":");
        push_list(out, trace.shared_names(), push_json);
    }
    push_init(out, trace);
    let order = if trace.is_observed() {
        "observed"
    } else {
        "causal"
    };
    let _ = write!(out, ",\"order\":\"{order}\"");
    if let Some(meta) = trace.meta() {
        out.push_str(",\"meta\":");
        push_meta(out, meta);
    }
    out.push_str("}\n");
}

fn push_init(out: &mut String, trace: &Trace) {
    let mut inits = trace
        .variables()
        .filter_map(|var| Some((var, trace.given_init(var)?)))
        .peekable();
    if inits.peek().is_none() {
        return;
    }
    let mut separator = ",\"init\":{";
    for (var, value) in inits {
        out.push_str(separator);
        separator = ",";
        push_json(out, &trace.variable_name(var));
        out.push(':');
        push_value(out, trace, value);
    }
    out.push('}');
}

/// An object as it stands, on one line; anything else becomes the text of one.
fn push_meta(out: &mut String, meta: &str) {
    let mut scan = Scan::new(meta);
    let is_object = scan.next() == Some(b'{') && scan.skip_value().is_ok() && scan.end().is_ok();
    if is_object {
        // Outside strings a line end is a blank, and within them it cannot stand.
        out.extend(
            meta.chars()
                .map(|c| if c == '\n' || c == '\r' { ' ' } else { c }),
        );
    } else {
        out.push_str("{\"text\":");
        push_json(out, meta);
        out.push('}');
    }
}

fn push_event(out: &mut String, trace: &Trace, event: EventId, before: &[EventId]) {
    let order = trace.order();
    let name = |process: ProcessId| trace.process_name(process);
    out.push_str("{\"p\":");
    push_json(out, name(order.process_of(event)));
    for (key, text) in [("ev", trace.label(event)), ("id", trace.event_name(event))] {
        if let Some(text) = text {
            let _ = write!(out, ",\"{key}\":");
            push_json(out, text);
        }
    }
    let message = |&message: &_| trace.message_name(message);
    push_names(out, "recv", trace.receives(event).iter().map(message));
    push_set(out, trace, event);
    let reads: Vec<&str> = trace
        .reads(event)
        .iter()
        .map(|&var| trace.short_name(var))
        .collect();
    if !reads.is_empty() {
        out.push_str(",\"read\":");
        push_list(out, reads, push_json);
    }
    push_names(out, "send", trace.sends(event).iter().map(message));
    if !trace.sends(event).is_empty() {
        push_names(
            out,
            "to",
            trace.destinations(event).iter().map(|&to| name(to)),
        );
    }
    if !before.is_empty() {
        out.push_str(",\"after\":");
        push_list(out, before, |out, &event| {
            out.push('[');
            push_json(out, name(order.process_of(event)));
            let _ = write!(out, ",{}]", order.position_of(event));
        });
    }
    if let Some(time) = trace.time(event) {
        let _ = write!(out, ",\"t\":{time}");
    }
    out.push_str("}\n");
}

/// What an event wrote; of several writes of one variable the last one counts.
fn push_set(out: &mut String, trace: &Trace, event: EventId) {
    let mut writes: Vec<Write> = Vec::new();
    for write in trace.writes(event) {
        match writes.iter_mut().find(|earlier| earlier.var == write.var) {
            Some(earlier) => *earlier = write,
            None => writes.push(write),
        }
    }
    for (number, write) in writes.iter().enumerate() {
        out.push_str(if number == 0 { ",\"set\":{" } else { "," });
        push_json(out, trace.short_name(write.var));
        out.push(':');
        push_value(out, trace, write.value);
    }
    if !writes.is_empty() {
        out.push('}');
    }
}

/// A value as JSON.
pub(crate) fn push_value(out: &mut String, trace: &Trace, value: StoredValue) {
    match value {
        StoredValue::Int(number) => {
            let _ = write!(out, "{number}");
        }
        StoredValue::Decimal { .. } => out.push_str(&value.number_text().unwrap_or_default()),
        StoredValue::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        StoredValue::Text(text) => push_json(out, trace.text(text)),
    }
}

/// A field that holds one name or a list of them; nothing when there is none.
fn push_names<'a>(out: &mut String, key: &str, names: impl ExactSizeIterator<Item = &'a str>) {
    if names.len() == 0 {
        return;
    }
    let _ = write!(out, ",\"{key}\":");
    if names.len() == 1 {
        names.for_each(|name| push_json(out, name));
    } else {
        push_list(out, names, push_json);
    }
}

fn push_list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    push: impl Fn(&mut String, T),
) {
    out.push('[');
    for (number, item) in items.into_iter().enumerate() {
        out.push_str(if number > 0 { "," } else { "" });
        push(out, item);
    }
    out.push(']');
}
