//! What the `tracing` library of DistributedClocks records: one JSON object per line, with a vector clock.
//!
//! ```text
//! {"TracerIdentity":"client1","TraceID":128425910260572360,"Tag":"ClientSend","Body":{},"VectorClock":{"client1":4}}
//! ```
//!
//! Tracers are processes, records are events, and the tag is the label. The members of the body are variables, and so is
//! the number of the trace, as a text because it needs all 64 bits. Who generates a token sends it, who receives a token
//! receives it: these are the messages. The clocks give the order, and whoever receives a token comes after its sender.

use std::borrow::Cow;

use causet_base::Code;
use serde::Deserialize;

use super::entry::{Datum, Entry, Flat};
use super::head::Head;
use super::json::{fault, place};
use super::lines::{self, Parse};
use super::scribe::Scribe;
use super::text::Text;
use super::unsorted::{Counts, Unsorted, owns_its_clock};
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "tracing",
    title: "DistributedClocks tracing",
    about: "Tracers are processes, ordered by their vector clocks. Tags are labels, bodies are variables, and tokens are \
            messages.",
    looks,
    open: Open::Log {
        reader: |_| Ok(Box::new(Tracing)),
        tolerant: false,
    },
};

fn looks(head: &Head<'_>) -> bool {
    let members = ["TracerIdentity", "Tag", "VectorClock"];
    let first = head.first_object();
    first.is_some_and(|object| members.iter().all(|&member| object.contains_key(member)))
}

const EXPECTED: &str = "expected a record with TracerIdentity, TraceID, Tag, Body and VectorClock";

struct Tracing;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Record<'a> {
    #[serde(borrow)]
    tracer_identity: Cow<'a, str>,
    #[serde(rename = "TraceID")]
    trace_id: Option<u64>,
    #[serde(borrow)]
    tag: Cow<'a, str>,
    #[serde(borrow, default)]
    body: Flat<'a>,
    #[serde(borrow)]
    vector_clock: Counts<'a>,
}

impl Reader for Tracing {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let mut entries = Unsorted::new(scribe);
        lines::each(text, &Tracing, |entry| entries.take(entry))?;
        entries.finish()
    }
}

impl Parse for Tracing {
    type Item<'l> = Entry<'l>;

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Entry<'l>>, ReadError> {
        let record = serde_json::from_str(line);
        let record = record.map_err(|error| fault(number, line, &error, EXPECTED))?;
        let entry = entry_of(record, number, line)?;
        owns_its_clock(&entry, line)?;
        Ok(Some(entry))
    }
}

fn entry_of<'l>(record: Record<'l>, number: u32, line: &str) -> Result<Entry<'l>, ReadError> {
    let mut entry = Entry::of(record.tracer_identity, number);
    entry.clock = Some(record.vector_clock.0);
    if let Some(id) = record.trace_id {
        let id = Datum::Text(Cow::Owned(id.to_string()));
        entry.sets.push((Cow::Borrowed("TraceID"), id));
    }
    match &*record.tag {
        "GenerateTokenTrace" => entry
            .sends
            .push(token(&record.tag, &record.body, number, line)?),
        "ReceiveTokenTrace" => entry
            .recvs
            .push(token(&record.tag, &record.body, number, line)?),
        _ => entry.sets.extend(record.body.0),
    }
    entry.label = Some(record.tag);
    Ok(entry)
}

/// The token that a record is about.
fn token<'l>(
    tag: &str,
    body: &Flat<'l>,
    number: u32,
    line: &str,
) -> Result<Cow<'l, str>, ReadError> {
    body.text("Token").cloned().ok_or_else(|| {
        let message = format!("this {tag} has no token");
        let expected = "expected a text at Body.Token";
        ReadError::at(
            Code::MissingInformation,
            number,
            line,
            place(line, "Body"),
            message,
            expected,
        )
        .with_help(
            "the token says which send a receive belongs to; leave the record out if it is lost",
        )
    })
}
