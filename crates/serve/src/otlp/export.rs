//! What an exporter sent, taken apart: spans one by one, each with the run it belongs to, and those that are refused.
//!
//! A span is kept as a line of its own, an export of the JSON of the protocol with one span in it. So what is read in
//! the end is what `causet check` would read from a file, by the same reader.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causet_base::Diagnostic;
use causet_formats::ReadError;
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::Part;
use prost::Message;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::json;
use super::messages::{AnyValue, ExportRequest, Kind, Resource, Span};
use crate::refusal::refused_spans;

/// The resource attribute that says to which run spans belong.
pub(super) const RUN: &str = "causet.run";
/// What the names of these runs begin with.
const PREFIX: &str = "otlp/";
/// No run has a longer name.
const LONGEST_NAME: usize = 900;

/// Values are nested so often at most; what is nested far more often, readers of JSON refuse.
const DEEPEST: usize = 20;

/// How a request is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coding {
    Json,
    Protobuf,
}

/// A span that arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Arrived {
    pub(super) run: RunName,
    /// Its id, in hexadecimal digits.
    pub(super) id: String,
    pub(super) parent: Option<String>,
    /// When it started, in nanoseconds; 0 if it does not say.
    pub(super) start: u64,
    /// The line that says everything.
    pub(super) line: String,
}

/// Which run a span belongs to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct RunName {
    pub(super) name: String,
    /// Whether somebody named it; else it is a trace.
    pub(super) is_given: bool,
}

/// What a request holds.
#[derive(Default, Debug)]
pub(super) struct Export {
    pub(super) spans: Vec<Arrived>,
    pub(super) refused: Refused,
}

/// Spans that are not taken, counted by the reason.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Refused(BTreeMap<String, i64>);

impl Refused {
    pub(super) fn add(&mut self, why: String) {
        *self.0.entry(why).or_default() += 1;
    }

    pub(super) fn count(&self) -> i64 {
        self.0.values().sum()
    }

    /// All reasons in a sentence each.
    pub(super) fn reasons(&self) -> String {
        let reasons = self.0.iter().map(|(why, count)| format!("{count}: {why}"));
        reasons.collect::<Vec<_>>().join("; ")
    }
}

impl Export {
    /// Takes a request apart; `run` is what it says of all its spans. What is wrong with it as a whole is an error.
    pub(super) fn read(
        coding: Coding,
        bytes: &[u8],
        run: Option<&str>,
    ) -> Result<Export, Diagnostic> {
        match coding {
            Coding::Json => {
                let text =
                    str::from_utf8(bytes).map_err(|error| refused_spans(error.to_string()))?;
                let export = Export::of_json(text, run)?;
                is_readable(text)?;
                Ok(export)
            }
            Coding::Protobuf => {
                let request = ExportRequest::decode(bytes);
                let request = request.map_err(|error| refused_spans(error.to_string()))?;
                Ok(Export::of_message(&request, run))
            }
        }
    }

    /// Takes apart a request in JSON that can be read.
    pub(super) fn of_json(text: &str, run: Option<&str>) -> Result<Export, Diagnostic> {
        let request: Request<'_> =
            serde_json::from_str(text).map_err(|error| refused_spans(error.to_string()))?;
        let Some(all) = request.resource_spans else {
            return Err(refused_spans("there are no `resourceSpans`"));
        };
        let mut export = Export::default();
        for ResourceJson { resource, scopes } in all {
            let named = resource.and_then(|raw| serde_json::from_str::<Attributed>(raw.get()).ok());
            let named = named.and_then(Attributed::run);
            let run = run.or(named.as_deref());
            let spans = scopes.into_iter().flatten();
            for raw in spans.flat_map(|scope| scope.spans.unwrap_or_default()) {
                let known = serde_json::from_str::<Known<'_>>(raw.get());
                let known = known.map_err(|error| refused_spans(format!("a span: {error}")))?;
                let ids = Ids {
                    trace: id(&known.trace_id),
                    span: id(&known.span_id),
                    parent: known.parent_span_id.map(id),
                };
                let start = known.start_time_unix_nano.map_or(0, |start| start.nanos());
                let resource = resource.map_or("{}", RawValue::get);
                export.add(ids, run, start, || line(resource, raw.get()));
            }
        }
        Ok(export)
    }

    fn of_message(request: &ExportRequest, run: Option<&str>) -> Export {
        let mut export = Export::default();
        for group in &request.resource_spans {
            let resource = group.resource.as_ref().filter(|resource| {
                let mut values = resource.attributes.iter();
                !values.any(|attribute| depth(attribute.value.as_ref()) > DEEPEST)
            });
            let resource = resource.map(json::resource);
            let resource = resource.map_or("{}".to_owned(), |resource| resource.to_string());
            let named = group.resource.as_ref().and_then(run_of);
            let run = run.or(named.as_deref());
            for span in group.scope_spans.iter().flat_map(|scope| &scope.spans) {
                if is_deep(span) {
                    let why = format!("its values are nested more than {DEEPEST} times");
                    export.refused.add(why);
                    continue;
                }
                let ids = Ids {
                    trace: span.trace_id.clone(),
                    span: span.span_id.clone(),
                    parent: Some(span.parent_span_id.clone()),
                };
                export.add(ids, run, span.start_time_unix_nano, || {
                    line(&resource, &json::span(span).to_string())
                });
            }
        }
        export
    }

    fn add(&mut self, ids: Ids, run: Option<&str>, start: u64, line: impl FnOnce() -> String) {
        match ids.check().and_then(|()| run_name(run, &ids.trace)) {
            Err(why) => self.refused.add(why.to_string()),
            Ok(run) => self.spans.push(Arrived {
                run,
                id: json::hex(&ids.span),
                parent: ids
                    .parent
                    .filter(|id| !id.is_empty())
                    .map(|id| json::hex(&id)),
                start,
                line: line(),
            }),
        }
    }
}

/// The ids of a span, in bytes.
struct Ids {
    trace: Vec<u8>,
    span: Vec<u8>,
    parent: Option<Vec<u8>>,
}

impl Ids {
    fn check(&self) -> Result<(), Diagnostic> {
        let is_id = |id: &[u8], length| id.len() == length && id.iter().any(|&byte| byte != 0);
        let parent = self.parent.as_deref().unwrap_or_default();
        if !is_id(&self.trace, 16) {
            Err(refused_spans(
                "the id of the trace is not 16 bytes, some of them not 0",
            ))
        } else if !is_id(&self.span, 8) {
            Err(refused_spans(
                "the id of the span is not 8 bytes, some of them not 0",
            ))
        } else if !matches!(parent.len(), 0 | 8) {
            Err(refused_spans("the id of the parent is not 8 bytes"))
        } else {
            Ok(())
        }
    }
}

/// The bytes of an id in hexadecimal digits, or in base 64 as some write it; nothing if it is neither.
fn id(text: impl AsRef<str>) -> Vec<u8> {
    let text = text.as_ref();
    if matches!(text.len(), 12 | 24) {
        return STANDARD.decode(text).unwrap_or_default();
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>().unwrap_or_default()
}

fn run_name(given: Option<&str>, trace: &[u8]) -> Result<RunName, Diagnostic> {
    let is_given = given.is_some();
    let name = given.map_or_else(|| json::hex(trace), str::to_owned);
    match name.len() {
        1..=LONGEST_NAME => Ok(RunName {
            name: format!("{PREFIX}{name}"),
            is_given,
        }),
        _ => Err(refused_spans(format!(
            "the name of the run does not have 1 to {LONGEST_NAME} bytes"
        ))),
    }
}

/// An export with one span, on one line.
fn line(resource: &str, span: &str) -> String {
    let parts = [
        "{\"resourceSpans\":[{\"resource\":",
        resource,
        ",\"scopeSpans\":[{\"spans\":[",
        span,
        "]}]}]}",
    ];
    // Within strings a line end cannot stand.
    parts.concat().replace(['\n', '\r'], " ")
}

/// Whether the reader of traces understands an export; whether its spans make a run is not known before all are there.
fn is_readable(text: &str) -> Result<(), Diagnostic> {
    let options = LogOptions {
        format: Some("otlp".to_owned()),
        merge: true,
        ..LogOptions::default()
    };
    let part = Part::new("the request", Cursor::new(text.as_bytes()));
    match logs::read(vec![part], &options, &()) {
        Err(ReadError::Fault(problem)) => Err(problem),
        _ => Ok(()),
    }
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow, default, rename = "resourceSpans", alias = "resource_spans")]
    resource_spans: Option<Vec<ResourceJson<'a>>>,
}

#[derive(Deserialize)]
struct ResourceJson<'a> {
    #[serde(borrow, default)]
    resource: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "scopeSpans",
        alias = "scope_spans",
        alias = "instrumentationLibrarySpans"
    )]
    scopes: Option<Vec<Scope<'a>>>,
}

#[derive(Deserialize)]
struct Scope<'a> {
    #[serde(borrow, default)]
    spans: Option<Vec<&'a RawValue>>,
}

/// What has to be known of a span at once.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Known<'a> {
    #[serde(borrow, default, alias = "trace_id")]
    trace_id: Cow<'a, str>,
    #[serde(borrow, default, alias = "span_id")]
    span_id: Cow<'a, str>,
    #[serde(borrow, default)]
    parent_span_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    start_time_unix_nano: Option<Nanos<'a>>,
}

/// A time as a number, or as the text of one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Nanos<'a> {
    Number(u64),
    Text(#[serde(borrow)] Cow<'a, str>),
}

impl Nanos<'_> {
    fn nanos(&self) -> u64 {
        match self {
            Nanos::Number(number) => *number,
            Nanos::Text(text) => text.parse().unwrap_or(0),
        }
    }
}

/// A resource, as far as it says something about the run.
#[derive(Deserialize)]
struct Attributed {
    #[serde(default)]
    attributes: Option<Vec<Attribute>>,
}

#[derive(Deserialize)]
struct Attribute {
    key: String,
    #[serde(default)]
    value: serde_json::Value,
}

impl Attributed {
    fn run(self) -> Option<String> {
        let attributes = self.attributes.unwrap_or_default();
        let run = attributes
            .into_iter()
            .find(|attribute| attribute.key == RUN)?;
        run.value["stringValue"].as_str().map(str::to_owned)
    }
}

/// Whether values of a span are nested too deeply to be read again.
fn is_deep(span: &Span) -> bool {
    let events = span.events.iter().flat_map(|event| &event.attributes);
    let mut values = span.attributes.iter().chain(events);
    values.any(|attribute| depth(attribute.value.as_ref()) > DEEPEST)
}

/// How often a value is nested. Messages that are nested endlessly are refused before.
fn depth(value: Option<&AnyValue>) -> usize {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Kind::Array(array)) => {
            let inner = array.values.iter().map(|value| depth(Some(value)));
            1 + inner.max().unwrap_or(0)
        }
        Some(Kind::List(list)) => {
            let inner = list.values.iter().map(|value| depth(value.value.as_ref()));
            1 + inner.max().unwrap_or(0)
        }
        _ => 0,
    }
}

fn run_of(resource: &Resource) -> Option<String> {
    let run = resource
        .attributes
        .iter()
        .find(|attribute| attribute.key == RUN)?;
    match run.value.as_ref()?.value.as_ref()? {
        Kind::Text(text) => Some(text.clone()),
        _ => None,
    }
}
