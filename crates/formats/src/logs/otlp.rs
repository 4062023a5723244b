//! Traces of OpenTelemetry in the JSON of its protocol, in all dialects that are met.
//!
//! ```text
//! {"resourceSpans":[{"resource":...,"scopeSpans":[{"scope":...,"spans":[...]}]}]}     one document, or one in each line
//! {"batches":[{"resource":...,"instrumentationLibrarySpans":[{"spans":[...]}]}]}      as Tempo answers, and older
//! {"trace":{"resourceSpans":[...]}}                                                   as Tempo answers since version 2
//! ```
//!
//! Ids are written in hexadecimal, or in base 64 by Tempo; kinds and codes as numbers or by their names. Spans are
//! processes as [`spans`](super::spans) says. Events are events, attributes are variables.

use serde::Deserialize;
use serde_json::Value;

use super::document::{Document, Whole, Word};
use super::entry::Datum;
use super::head::Head;
use super::json::{fault, fault_in_document, flatten};
use super::lines::{self, Parse};
use super::scribe::Scribe;
use super::spans::{Kind, Log, Sets, Span, Spans, plain_id};
use super::text::Text;
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "otlp",
    title: "OpenTelemetry (OTLP) JSON",
    about: "Spans, or threads where spans name them and nest, are processes with start, events and end; parents start \
            before their children, and answered calls end after their answers. Attributes are variables.",
    looks: |head: &Head<'_>| {
        head.starts_with('{')
            && (head.mentions("resourceSpans") || head.mentions("batches"))
            && ["scopeSpans", "instrumentationLibrarySpans", "resource"]
                .iter()
                .any(|key| head.mentions(key))
    },
    open: Open::Log {
        reader: |options| Ok(Box::new(Otlp(Spans::new(options)))),
        tolerant: false,
    },
};

const EXPECTED: &str = "expected OTLP: {\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[...]}]}]}";

struct Otlp(Spans);

impl Reader for Otlp {
    fn part(&mut self, text: &mut Text<'_>, _: &mut Scribe<'_>) -> Result<(), ReadError> {
        let Some((line, first)) = text.next_full_line()? else {
            return Ok(());
        };
        if let Ok(spans) = Exports.parse(line, first) {
            spans
                .into_iter()
                .flatten()
                .for_each(|span| self.0.keep(span));
            return lines::each(text, &Exports, |spans| {
                spans.into_iter().for_each(|span| self.0.keep(span));
                Ok(())
            });
        }
        // It does not stand on one line.
        let whole = text.whole_from_line()?;
        let whole = text.mend(whole, Some("spans"));
        let document = Document::from_line(&whole, line);
        for export in serde_json::Deserializer::from_str(&whole).into_iter::<Export<'_>>() {
            let export = export.map_err(|error| fault_in_document(&document, &error, EXPECTED))?;
            spans_of(export, &document, |span| self.0.keep(span));
        }
        Ok(())
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.0.tell(scribe)
    }
}

/// Parses exports that stand each on a line of its own.
struct Exports;

impl Parse for Exports {
    type Item<'l> = Vec<Span>;

    fn parse(&self, number: u32, line: &str) -> Result<Option<Vec<Span>>, ReadError> {
        let export = serde_json::from_str(line);
        let export = export.map_err(|error| fault(number, line, &error, EXPECTED))?;
        let mut spans = Vec::new();
        let document = Document::from_line(line, number);
        spans_of(export, &document, |span| spans.push(span));
        Ok(Some(spans))
    }
}

fn spans_of(export: Export<'_>, document: &Document<'_>, mut keep: impl FnMut(Span)) {
    let within = export.trace.map(|trace| trace.resource_spans);
    let all = [export.resource_spans, within.flatten(), export.batches];
    for ResourceSpans {
        resource,
        scope_spans,
        library_spans,
    } in all.into_iter().flatten().flatten()
    {
        let resource = Resource::of(resource);
        let scopes = [scope_spans, library_spans].into_iter().flatten().flatten();
        for record in scopes.flat_map(|scope| scope.spans.unwrap_or_default()) {
            keep(span_of(record, &resource, document));
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export<'a> {
    #[serde(borrow, default, alias = "resource_spans")]
    resource_spans: Option<Vec<ResourceSpans<'a>>>,
    #[serde(borrow, default)]
    batches: Option<Vec<ResourceSpans<'a>>>,
    #[serde(borrow, default)]
    trace: Option<Trace<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trace<'a> {
    #[serde(borrow, default)]
    resource_spans: Option<Vec<ResourceSpans<'a>>>,
}

#[derive(Deserialize)]
struct ResourceSpans<'a> {
    #[serde(borrow, default)]
    resource: Option<Attributes<'a>>,
    #[serde(borrow, default, rename = "scopeSpans", alias = "scope_spans")]
    scope_spans: Option<Vec<ScopeSpans<'a>>>,
    #[serde(borrow, default, rename = "instrumentationLibrarySpans")]
    library_spans: Option<Vec<ScopeSpans<'a>>>,
}

#[derive(Deserialize)]
struct ScopeSpans<'a> {
    #[serde(borrow, default)]
    spans: Option<Vec<Record<'a>>>,
}

#[derive(Deserialize)]
struct Attributes<'a> {
    #[serde(borrow, default)]
    attributes: Option<Vec<Attribute<'a>>>,
}

#[derive(Deserialize)]
struct Attribute<'a> {
    #[serde(borrow)]
    key: Word<'a>,
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow)]
    trace_id: Word<'a>,
    #[serde(borrow)]
    span_id: Word<'a>,
    #[serde(borrow, default)]
    parent_span_id: Option<Word<'a>>,
    #[serde(borrow, default)]
    name: Word<'a>,
    #[serde(borrow, default)]
    kind: Enumerated<'a>,
    #[serde(default)]
    start_time_unix_nano: Option<Whole>,
    #[serde(default)]
    end_time_unix_nano: Option<Whole>,
    #[serde(borrow, default)]
    attributes: Option<Vec<Attribute<'a>>>,
    #[serde(borrow, default)]
    events: Option<Vec<Event<'a>>>,
    #[serde(borrow, default)]
    links: Option<Vec<Link<'a>>>,
    #[serde(borrow, default)]
    status: Option<Status<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(default)]
    time_unix_nano: Option<Whole>,
    #[serde(borrow, default)]
    name: Word<'a>,
    #[serde(borrow, default)]
    attributes: Option<Vec<Attribute<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link<'a> {
    #[serde(borrow)]
    trace_id: Word<'a>,
    #[serde(borrow)]
    span_id: Word<'a>,
}

#[derive(Deserialize)]
struct Status<'a> {
    #[serde(borrow, default)]
    code: Enumerated<'a>,
    #[serde(borrow, default)]
    message: Option<Word<'a>>,
}

/// A kind or a code, as a number or by its name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Enumerated<'a> {
    Number(i64),
    Name(#[serde(borrow)] Word<'a>),
}

impl Default for Enumerated<'_> {
    fn default() -> Self {
        Enumerated::Number(0)
    }
}

impl Enumerated<'_> {
    fn kind(&self) -> Kind {
        match self {
            Enumerated::Number(2) => Kind::Server,
            Enumerated::Number(3) => Kind::Client,
            Enumerated::Number(4) => Kind::Producer,
            Enumerated::Number(5) => Kind::Consumer,
            Enumerated::Number(_) => Kind::Internal,
            Enumerated::Name(name) => Kind::named(name),
        }
    }

    /// What a status says, if it says anything.
    fn status(&self) -> Option<&'static str> {
        let name = match self {
            Enumerated::Number(1) => "ok",
            Enumerated::Number(2) => "error",
            Enumerated::Number(_) => "",
            Enumerated::Name(name) => name.strip_prefix("STATUS_CODE_").unwrap_or(name),
        };
        match name.to_ascii_lowercase().as_str() {
            "ok" => Some("ok"),
            "error" => Some("error"),
            _ => None,
        }
    }
}

/// What is known of the process that made spans.
struct Resource {
    service: String,
    host: Option<String>,
    instance: Option<String>,
}

impl Resource {
    fn of(resource: Option<Attributes<'_>>) -> Resource {
        let attributes = resource.and_then(|resource| resource.attributes);
        let attributes = attributes.unwrap_or_default();
        let find = |keys: &[&str]| {
            let mut found = keys.iter().filter_map(|key| text_of(&attributes, key));
            found.next()
        };
        let host = find(&["host.id", "host.name", "k8s.pod.uid", "container.id"]);
        let pid = find(&["process.pid"]);
        let both = host.clone().zip(pid);
        let both = both.map(|(host, pid)| format!("{host} {pid}"));
        Resource {
            service: find(&["service.name"]).unwrap_or_default(),
            instance: find(&["service.instance.id"]).or(both),
            host,
        }
    }
}

fn span_of(record: Record<'_>, resource: &Resource, document: &Document<'_>) -> Span {
    let attributes = record.attributes.unwrap_or_default();
    let status = record.status.as_ref();
    let code = status.and_then(|status| status.code.status());
    let message = status.and_then(|status| status.message.as_deref());
    let mut outcome = Vec::new();
    let mut tell = |name: &str, text: &str| {
        outcome.push((name.to_owned(), Datum::Text(text.to_owned().into())));
    };
    code.into_iter().for_each(|code| tell("status", code));
    let message = message.filter(|message| !message.is_empty());
    message
        .into_iter()
        .for_each(|message| tell("status.message", message));
    let events = record.events.unwrap_or_default();
    let links = record.links.unwrap_or_default();
    let nanos = |time: Option<Whole>| time.map(|time| time.0).filter(|&time| time != 0);
    let parent = record.parent_span_id.map(|parent| id_of(&parent));
    Span {
        line: document.line_of(&record.span_id),
        trace: id_of(&record.trace_id),
        id: id_of(&record.span_id),
        parent: parent.filter(|parent| !parent.is_empty()),
        links: links
            .iter()
            .map(|link| (id_of(&link.trace_id), id_of(&link.span_id)))
            .collect(),
        kind: record.kind.kind(),
        service: resource.service.clone(),
        name: record.name.0.into_owned(),
        host: resource.host.clone(),
        instance: resource.instance.clone(),
        thread: text_of(&attributes, "thread.id"),
        start: nanos(record.start_time_unix_nano),
        end: nanos(record.end_time_unix_nano),
        sets: sets_of(&attributes),
        outcome,
        failed: code == Some("error"),
        logs: events
            .into_iter()
            .map(|event| Log {
                time: nanos(event.time_unix_nano),
                label: event.name.0.into_owned(),
                sets: sets_of(event.attributes.as_deref().unwrap_or_default()),
            })
            .collect(),
    }
}

/// An id in small hexadecimal digits: 8 or 16 bytes, written as twice as many digits, or in base 64.
fn id_of(id: &str) -> String {
    match base64(id) {
        Some(bytes) if matches!(id.len(), 12 | 24) => plain_id(
            &bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>(),
        ),
        _ => plain_id(id),
    }
}

/// The bytes that a text of base 64 stands for.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

fn text_of(attributes: &[Attribute<'_>], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| &*attribute.key == key)?;
    match plain(&found.value) {
        Value::String(text) => Some(text),
        Value::Null => None,
        value => Some(value.to_string()),
    }
}

fn sets_of(attributes: &[Attribute<'_>]) -> Sets {
    let mut sets: Sets = Vec::new();
    for attribute in attributes {
        let value = plain(&attribute.value);
        let mut told = Vec::new();
        flatten(&attribute.key, &value, &mut told);
        let told = told.into_iter();
        sets.extend(told.map(|(name, datum)| (name.into_owned(), datum.into_owned())));
    }
    sets
}

/// A value without the name of its type: `{"intValue":"3"}` is 3.
fn plain(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|typed| typed.iter().next()) else {
        return value.clone();
    };
    match (kind.as_str(), inner) {
        ("intValue", Value::String(text)) => match text.parse::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => inner.clone(),
        },
        ("arrayValue", _) => {
            let items = inner.get("values").and_then(Value::as_array);
            Value::Array(items.into_iter().flatten().map(plain).collect())
        }
        ("kvlistValue", _) => {
            let pairs = inner.get("values").and_then(Value::as_array);
            let pairs = pairs.into_iter().flatten().filter_map(|pair| {
                let key = pair.get("key")?.as_str()?.to_owned();
                Some((key, plain(pair.get("value")?)))
            });
            Value::Object(pairs.collect())
        }
        _ => inner.clone(),
    }
}
