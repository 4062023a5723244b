//! Traces of Jaeger, as its user interface and its API give them: `{"data":[{"spans":[...],"processes":{...}}]}`.
//!
//! Spans are processes as [`spans`](super::spans) says. The first reference `CHILD_OF` names the parent, every other one a
//! span that started earlier. Logs are events, tags are variables; `span.kind` tells the two sides of a call apart.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::document::{Document, Whole, Word};
use super::entry::Datum;
use super::head::Head;
use super::json::{fault_in_document, flatten};
use super::scribe::Scribe;
use super::spans::{Kind, Log, Sets, Span, Spans, plain_id};
use super::text::Text;
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "jaeger",
    title: "Jaeger UI and API JSON",
    about: "Spans are processes with start, logs and end; parents start before their children, and answered calls end \
            after their answers. Tags are variables.",
    looks: |head: &Head<'_>| {
        (head.starts_with('{') || head.starts_with('['))
            && head.mentions("spanID")
            && head.mentions("operationName")
    },
    open: Open::Log {
        reader: |options| Ok(Box::new(Jaeger(Spans::new(options)))),
        tolerant: false,
    },
};

const EXPECTED: &str =
    "expected traces of Jaeger: {\"data\":[{\"spans\":[...],\"processes\":{...}}]}";

struct Jaeger(Spans);

impl Reader for Jaeger {
    fn part(&mut self, text: &mut Text<'_>, _: &mut Scribe<'_>) -> Result<(), ReadError> {
        let whole = text.whole()?;
        let text = text.mend(whole, Some("spans"));
        if text.trim().is_empty() {
            return Ok(());
        }
        let document = Document::new(&text);
        let fault = |error| fault_in_document(&document, &error, EXPECTED);
        let traces: Vec<Trace<'_>> = match text.trim_start().starts_with('[') {
            true => serde_json::from_str(&text).map_err(fault)?,
            false => {
                let answer: Answer<'_> = serde_json::from_str(&text).map_err(fault)?;
                // A single trace may stand alone.
                let alone = answer.spans.map(|spans| Trace {
                    spans,
                    processes: answer.processes,
                });
                answer
                    .data
                    .unwrap_or_default()
                    .into_iter()
                    .chain(alone)
                    .collect()
            }
        };
        for Trace { spans, processes } in traces {
            for record in spans {
                self.0.keep(span_of(record, &processes, &document));
            }
        }
        Ok(())
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.0.tell(scribe)
    }
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    data: Option<Vec<Trace<'a>>>,
    #[serde(borrow, default)]
    spans: Option<Vec<Record<'a>>>,
    #[serde(borrow, default)]
    processes: Processes<'a>,
}

type Processes<'a> = BTreeMap<Cow<'a, str>, Process<'a>>;

#[derive(Deserialize)]
struct Trace<'a> {
    #[serde(borrow)]
    spans: Vec<Record<'a>>,
    #[serde(borrow, default)]
    processes: Processes<'a>,
}

#[derive(Deserialize)]
struct Process<'a> {
    #[serde(borrow, rename = "serviceName", default)]
    service: Word<'a>,
    #[serde(borrow, default)]
    tags: Option<Vec<Tag<'a>>>,
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, rename = "traceID")]
    trace: Word<'a>,
    #[serde(borrow, rename = "spanID")]
    id: Word<'a>,
    #[serde(borrow, rename = "parentSpanID", default)]
    parent: Option<Word<'a>>,
    #[serde(borrow, rename = "operationName", default)]
    name: Word<'a>,
    #[serde(borrow, default)]
    references: Option<Vec<Reference<'a>>>,
    #[serde(rename = "startTime", default)]
    start: Option<Whole>,
    #[serde(default)]
    duration: Option<Whole>,
    #[serde(borrow, default)]
    tags: Option<Vec<Tag<'a>>>,
    #[serde(borrow, default)]
    logs: Option<Vec<Fields<'a>>>,
    #[serde(borrow, rename = "processID", default)]
    process_id: Option<Word<'a>>,
    #[serde(borrow, default)]
    process: Option<Process<'a>>,
}

#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(borrow, rename = "refType", default)]
    kind: Word<'a>,
    #[serde(borrow, rename = "traceID")]
    trace: Word<'a>,
    #[serde(borrow, rename = "spanID")]
    span: Word<'a>,
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(borrow)]
    key: Word<'a>,
    #[serde(default)]
    value: Value,
}

impl Tag<'_> {
    fn text(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(default)]
    timestamp: Option<Whole>,
    #[serde(borrow, default)]
    fields: Option<Vec<Tag<'a>>>,
}

fn span_of(record: Record<'_>, processes: &Processes<'_>, document: &Document<'_>) -> Span {
    let micros = |time: Whole| time.0.saturating_mul(1000);
    let start = record.start.map(micros);
    let length = record.duration.map(micros);
    let id = record.process_id.as_deref().unwrap_or_default();
    let process = record.process.as_ref().or_else(|| processes.get(id));
    let tags = record.tags.unwrap_or_default();
    let find = |tags: &[Tag<'_>], key: &str| {
        let found = tags.iter().find(|tag| &*tag.key == key);
        found.map(Tag::text)
    };
    let own = |key: &str| {
        let tags = process.and_then(|process| process.tags.as_deref());
        find(tags.unwrap_or_default(), key)
    };
    let host = own("host.name")
        .or_else(|| own("hostname"))
        .or_else(|| own("ip"));
    let pid = own("process.pid").or_else(|| own("service.instance.id"));
    let references = record.references.unwrap_or_default();
    let is_child = |reference: &Reference<'_>| {
        &*reference.kind == "CHILD_OF" && plain_id(&reference.trace) == plain_id(&record.trace)
    };
    let parent = references.iter().position(is_child);
    let failed = find(&tags, "error").is_some_and(|error| error != "false");
    let (outcome, known) = tags
        .iter()
        .partition::<Vec<_>, _>(|tag| &*tag.key == "error" || tag.key.starts_with("otel.status_"));
    let links = references.iter().enumerate();
    let links = links.filter(|&(number, _)| Some(number) != parent);
    Span {
        line: document.line_of(&record.id),
        trace: plain_id(&record.trace),
        id: plain_id(&record.id),
        parent: parent
            .map(|number| plain_id(&references[number].span))
            .or_else(|| record.parent.map(|parent| plain_id(&parent)))
            .filter(|parent| !parent.is_empty()),
        links: links
            .map(|(_, reference)| (plain_id(&reference.trace), plain_id(&reference.span)))
            .collect(),
        kind: find(&tags, "span.kind").map_or(Kind::Internal, |kind| Kind::named(&kind)),
        service: process.map_or_else(String::new, |process| process.service.to_string()),
        name: record.name.0.into_owned(),
        instance: host
            .clone()
            .zip(pid)
            .map(|(host, pid)| format!("{host} {pid}")),
        host,
        thread: find(&tags, "thread.id"),
        start,
        end: start
            .zip(length)
            .map(|(start, length)| start.saturating_add(length)),
        sets: sets_of(known, &["span.kind", "internal.span.format"]),
        outcome: sets_of(outcome, &[]),
        failed,
        logs: record.logs.unwrap_or_default().iter().map(log_of).collect(),
    }
}

/// What tags say, as variables.
fn sets_of<'a>(tags: impl IntoIterator<Item = &'a Tag<'a>>, without: &[&str]) -> Sets {
    let mut sets = Vec::new();
    let tags = tags.into_iter();
    for tag in tags.filter(|tag| !without.contains(&&*tag.key)) {
        flatten(&tag.key, &tag.value, &mut sets);
    }
    let sets = sets.into_iter();
    sets.map(|(name, datum): (Cow<'_, str>, Datum<'_>)| (name.into_owned(), datum.into_owned()))
        .collect()
}

/// A log is called by its event or its message.
fn log_of(log: &Fields<'_>) -> Log {
    let fields = log.fields.as_deref().unwrap_or_default();
    let named = |key: &str| fields.iter().find(|field| &*field.key == key);
    let label = named("event").or_else(|| named("message"));
    Log {
        time: log.timestamp.map(|time| time.0.saturating_mul(1000)),
        label: label.map_or_else(|| "log".to_owned(), Tag::text),
        sets: sets_of(fields, &["event"]),
    }
}
