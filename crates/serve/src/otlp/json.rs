//! Messages of the protocol in its JSON, one span at a time: the form in which spans are kept and read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::messages::{AnyValue, Event, KeyValue, Kind, Link, Resource, Span, Status};

/// A resource.
pub(super) fn resource(resource: &Resource) -> Value {
    json!({"attributes": attributes(&resource.attributes)})
}

/// A span.
pub(super) fn span(span: &Span) -> Value {
    let mut object = json!({
        "traceId": hex(&span.trace_id),
        "spanId": hex(&span.span_id),
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": span.start_time_unix_nano.to_string(),
        "endTimeUnixNano": span.end_time_unix_nano.to_string(),
        "attributes": attributes(&span.attributes),
        "events": span.events.iter().map(event).collect::<Vec<_>>(),
        "links": span.links.iter().map(link).collect::<Vec<_>>(),
    });
    if !span.parent_span_id.is_empty() {
        object["parentSpanId"] = hex(&span.parent_span_id).into();
    }
    if let Some(Status { message, code }) = &span.status {
        object["status"] = json!({"message": message, "code": code});
    }
    object
}

/// Bytes in small hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn event(event: &Event) -> Value {
    json!({
        "timeUnixNano": event.time_unix_nano.to_string(),
        "name": event.name,
        "attributes": attributes(&event.attributes),
    })
}

fn link(link: &Link) -> Value {
    json!({"traceId": hex(&link.trace_id), "spanId": hex(&link.span_id)})
}

fn attributes(attributes: &[KeyValue]) -> Value {
    attributes.iter().map(attribute).collect()
}

fn attribute(attribute: &KeyValue) -> Value {
    let mut object = json!({"key": attribute.key});
    if let Some(value) = &attribute.value {
        object["value"] = any(value);
    }
    object
}

fn any(value: &AnyValue) -> Value {
    let (kind, value) = match &value.value {
        None => return Value::Object(Map::new()),
        Some(Kind::Text(text)) => ("stringValue", json!(text)),
        Some(Kind::Bool(truth)) => ("boolValue", json!(truth)),
        Some(Kind::Int(number)) => ("intValue", json!(number.to_string())),
        Some(Kind::Double(number)) => ("doubleValue", double(*number)),
        Some(Kind::Array(array)) => {
            let values: Value = array.values.iter().map(any).collect();
            ("arrayValue", json!({"values": values}))
        }
        Some(Kind::List(list)) => ("kvlistValue", json!({"values": attributes(&list.values)})),
        Some(Kind::Bytes(bytes)) => ("bytesValue", json!(STANDARD.encode(bytes))),
    };
    json!({kind: value})
}

/// A number; those that JSON does not have are texts.
fn double(number: f64) -> Value {
    match number {
        _ if number.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        _ => json!(number),
    }
}
