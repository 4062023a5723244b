//! Traces of Zipkin, version 2 of its JSON: an array of spans, or an array of such arrays.
//!
//! Spans are processes as [`spans`](super::spans) says. The two sides of a call may share one id: then the client's span
//! is the parent of the server's. Annotations are events, tags are variables; a tag `error` says that a span failed.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::document::{Document, Whole, Word};
use super::entry::Datum;
use super::head::Head;
use super::json::{datum, fault_in_document};
use super::scribe::Scribe;
use super::spans::{Kind, Log, Sets, Span, Spans, plain_id};
use super::text::Text;
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "zipkin",
    title: "Zipkin v2 JSON",
    about: "Spans are processes with start, annotations and end; parents start before their children, and answered \
            calls end after their answers. Tags are variables.",
    looks: |head: &Head<'_>| {
        head.starts_with('[')
            && head.mentions("traceId")
            && head.mentions("id")
            && !head.mentions("spanId")
    },
    open: Open::Log {
        reader: |options| Ok(Box::new(Zipkin(Spans::new(options)))),
        tolerant: false,
    },
};

const EXPECTED: &str =
    "expected an array of Zipkin spans such as {\"traceId\":\"a1\",\"id\":\"b2\",\"name\":\"get\"}";

struct Zipkin(Spans);

impl Reader for Zipkin {
    fn part(&mut self, text: &mut Text<'_>, _: &mut Scribe<'_>) -> Result<(), ReadError> {
        let whole = text.whole()?;
        let text = text.mend(whole, None);
        if text.trim().is_empty() {
            return Ok(());
        }
        let document = Document::new(&text);
        let traces: Vec<OneOrMany<'_>> = match serde_json::from_str::<Vec<Record<'_>>>(&text) {
            Ok(records) => vec![OneOrMany(records)],
            Err(error) if !is_nested(&text) => {
                return Err(fault_in_document(&document, &error, EXPECTED));
            }
            Err(_) => serde_json::from_str(&text)
                .map_err(|error| fault_in_document(&document, &error, EXPECTED))?,
        };
        for record in traces.into_iter().flat_map(|trace| trace.0) {
            self.0.keep(span_of(record, &document));
        }
        Ok(())
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.0.tell(scribe)
    }
}

/// Whether a document is an array of arrays.
fn is_nested(text: &str) -> bool {
    let inner = text.trim_start().strip_prefix('[');
    inner.is_some_and(|inner| inner.trim_start().starts_with('['))
}

/// The spans of one trace.
#[derive(Deserialize)]
#[serde(transparent)]
struct OneOrMany<'a>(#[serde(borrow)] Vec<Record<'a>>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow)]
    trace_id: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow, default)]
    parent_id: Option<Word<'a>>,
    #[serde(borrow, default)]
    kind: Option<Word<'a>>,
    #[serde(borrow, default)]
    name: Option<Word<'a>>,
    #[serde(default)]
    timestamp: Option<Whole>,
    #[serde(default)]
    duration: Option<Whole>,
    #[serde(borrow, default)]
    local_endpoint: Option<Endpoint<'a>>,
    #[serde(borrow, default)]
    remote_endpoint: Option<Endpoint<'a>>,
    #[serde(borrow, default)]
    annotations: Option<Vec<Annotation<'a>>>,
    #[serde(borrow, default)]
    tags: Option<BTreeMap<Word<'a>, Word<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Endpoint<'a> {
    #[serde(borrow, default)]
    service_name: Option<Word<'a>>,
    #[serde(borrow, default)]
    ipv4: Option<Word<'a>>,
    #[serde(borrow, default)]
    ipv6: Option<Word<'a>>,
}

#[derive(Deserialize)]
struct Annotation<'a> {
    #[serde(default)]
    timestamp: Option<Whole>,
    #[serde(borrow)]
    value: Word<'a>,
}

fn span_of(record: Record<'_>, document: &Document<'_>) -> Span {
    let owned = |word: Option<Word<'_>>| word.map(|word| word.0.into_owned());
    let micros = |time: Whole| time.0.saturating_mul(1000);
    let start = record.timestamp.map(micros);
    let length = record.duration.map(micros);
    let local = record.local_endpoint.unwrap_or_default();
    let remote = record.remote_endpoint.and_then(|end| end.service_name);
    let (mut sets, mut outcome): (Sets, Sets) = (Vec::new(), Vec::new());
    if let Some(remote) = remote {
        sets.push((
            "remote".to_owned(),
            Datum::Text(remote.0.into_owned().into()),
        ));
    }
    let mut failed = false;
    for (name, value) in record.tags.unwrap_or_default() {
        let told = match &*name == "error" {
            true => &mut outcome,
            false => &mut sets,
        };
        failed |= &*name == "error" && &*value != "false";
        told.push((name.0.into_owned(), datum(&value)));
    }
    let annotations = record.annotations.unwrap_or_default().into_iter();
    Span {
        line: document.line_of(&record.id),
        trace: plain_id(&record.trace_id),
        id: plain_id(&record.id),
        parent: record.parent_id.map(|id| plain_id(&id)),
        kind: record
            .kind
            .map_or(Kind::Internal, |kind| Kind::named(&kind)),
        service: owned(local.service_name).unwrap_or_default(),
        name: owned(record.name).unwrap_or_default(),
        host: owned(local.ipv4.or(local.ipv6)),
        start,
        end: start
            .zip(length)
            .map(|(start, length)| start.saturating_add(length)),
        logs: annotations
            .map(|annotation| Log {
                time: annotation.timestamp.map(micros),
                label: annotation.value.0.into_owned(),
                sets: Vec::new(),
            })
            .collect(),
        sets,
        outcome,
        failed,
        ..Span::default()
    }
}
