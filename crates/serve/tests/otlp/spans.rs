//! Spans for tests: random traces, and the JSON of the protocol written a second time.

use causet_serve::otlp::messages::{
    AnyValue, ArrayValue, Event, ExportRequest, KeyValue, Kind, Link, Resource, ResourceSpans,
    ScopeSpans, Span, Status,
};
use fastrand::Rng;
use serde_json::{Value, json};

/// A span and who made it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Made {
    pub(crate) resource: Resource,
    pub(crate) span: Span,
}

pub(crate) fn text(key: &str, value: &str) -> KeyValue {
    attribute(key, Kind::Text(value.to_owned()))
}

fn attribute(key: &str, value: Kind) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
    }
}

/// An attribute that is nested so often.
pub(crate) fn nested(depth: usize) -> KeyValue {
    let mut value = Kind::Bool(true);
    for _ in 0..depth {
        let values = vec![AnyValue { value: Some(value) }];
        value = Kind::Array(ArrayValue { values });
    }
    attribute("nested", value)
}

/// A span with what it must have.
pub(crate) fn span(trace: u8, id: u8, parent: Option<u8>) -> Made {
    let id_of = |id: u8| vec![0, 0, 0, 0, 0, 0, 7, id];
    let start = 1_700_000_000_000_000_000 + u64::from(id) * 1_000_000;
    Made {
        resource: Resource {
            attributes: vec![text("service.name", "shop")],
        },
        span: Span {
            trace_id: trace_id(trace),
            span_id: id_of(id),
            parent_span_id: parent.map(id_of).unwrap_or_default(),
            name: "step".to_owned(),
            kind: 1,
            start_time_unix_nano: start,
            end_time_unix_nano: start + 10_000_000,
            ..Span::default()
        },
    }
}

pub(crate) fn trace_id(trace: u8) -> Vec<u8> {
    let mut id = vec![9; 16];
    id[15] = trace;
    id
}

/// A trace with everything in it that its reader looks at.
pub(crate) fn random(rng: &mut Rng, trace: u8) -> Vec<Made> {
    let names = ["call", "work", "store"];
    let count = rng.u8(1..9);
    let mut made: Vec<Made> = Vec::new();
    for id in 1..=count {
        let parent = (id > 1).then(|| rng.u8(1..id));
        let mut new = span(trace, id, parent);
        let service = rng.usize(0..3);
        let mut attributes = vec![text("service.name", ["gate", "cart", "till"][service])];
        if service > 0 {
            attributes.push(text("service.instance.id", &format!("instance {service}")));
        }
        new.resource = Resource { attributes };
        let span = &mut new.span;
        span.name = rng.choice(names).unwrap_or_default().to_owned();
        span.kind = rng.i32(0..6);
        let begun = parent.map_or(0, |parent| rng.u64(0..40) + u64::from(parent) * 10);
        span.start_time_unix_nano = 1_700_000_000_000_000_000 + begun * 1_000;
        span.end_time_unix_nano = span.start_time_unix_nano + rng.u64(0..60) * 1_000;
        if rng.u8(0..4) == 0 {
            span.attributes
                .push(attribute("thread.id", Kind::Int(rng.i64(1..3))));
        }
        span.attributes
            .push(attribute("n", Kind::Int(rng.i64(-2..5))));
        span.attributes
            .push(attribute("share", Kind::Double(rng.f64())));
        span.attributes
            .push(attribute("cached", Kind::Bool(rng.bool())));
        for _ in 0..rng.u8(0..3) {
            span.events.push(Event {
                time_unix_nano: span.start_time_unix_nano + rng.u64(0..60) * 1_000,
                name: "note \"1\"".to_owned(),
                attributes: vec![attribute("n", Kind::Int(rng.i64(0..5)))],
            });
        }
        if id > 2 && rng.u8(0..5) == 0 {
            span.links.push(Link {
                trace_id: trace_id(trace),
                span_id: made[0].span.span_id.clone(),
            });
        }
        span.status = Some(Status {
            message: String::new(),
            code: rng.i32(0..3),
        });
        made.push(new);
    }
    if made.len() > 3 && rng.u8(0..4) == 0 {
        // One that never comes.
        made.remove(rng.usize(0..made.len()));
    }
    made
}

/// Spans in one request.
pub(crate) fn request(made: &[Made]) -> ExportRequest {
    let groups = made.iter().map(|Made { resource, span }| ResourceSpans {
        resource: Some(resource.clone()),
        scope_spans: vec![ScopeSpans {
            spans: vec![span.clone()],
        }],
    });
    ExportRequest {
        resource_spans: groups.collect(),
    }
}

/// Spans in the JSON of the protocol.
pub(crate) fn json(made: &[Made]) -> Value {
    let groups = made.iter().map(|Made { resource, span }| {
        json!({
            "resource": {"attributes": attributes(&resource.attributes)},
            "scopeSpans": [{"scope": {"name": "test"}, "spans": [span_json(span)]}],
        })
    });
    json!({"resourceSpans": groups.collect::<Vec<_>>()})
}

fn span_json(span: &Span) -> Value {
    let events = span.events.iter().map(|event| {
        json!({
            "timeUnixNano": event.time_unix_nano.to_string(),
            "name": event.name,
            "attributes": attributes(&event.attributes),
        })
    });
    let links = span
        .links
        .iter()
        .map(|link| json!({"traceId": hex(&link.trace_id), "spanId": hex(&link.span_id)}));
    json!({
        "traceId": hex(&span.trace_id),
        "spanId": hex(&span.span_id),
        "parentSpanId": hex(&span.parent_span_id),
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": span.start_time_unix_nano.to_string(),
        "endTimeUnixNano": span.end_time_unix_nano.to_string(),
        "attributes": attributes(&span.attributes),
        "events": events.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "status": {"code": span.status.as_ref().map_or(0, |status| status.code)},
    })
}

fn attributes(attributes: &[KeyValue]) -> Value {
    let pair = |attribute: &KeyValue| {
        let value = attribute
            .value
            .as_ref()
            .and_then(|value| value.value.as_ref());
        let value = match value.expect("a value") {
            Kind::Text(text) => json!({"stringValue": text}),
            Kind::Int(number) => json!({"intValue": number.to_string()}),
            Kind::Double(number) => json!({"doubleValue": number}),
            Kind::Bool(truth) => json!({"boolValue": truth}),
            other => panic!("no test has {other:?}"),
        };
        json!({"key": attribute.key, "value": value})
    };
    attributes.iter().map(pair).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
