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

use serde::Deserialize;
use serde_json::Value;

use super::entry::{Datum, Entry};
use super::head::Head;
use super::json::{fault, flatten, place};
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::unsorted::{Counts, Unsorted, owns_its_clock};
use super::{Format, Open, Reader};

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
    #[serde(default)]
    body: Value,
    #[serde(borrow)]
    vector_clock: Counts<'a>,
}

impl Reader for Tracing {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let mut entries = Unsorted::default();
        while let Some((line, text)) = text.next_full_line()? {
            let record: Record<'_> =
                serde_json::from_str(text).map_err(|error| fault(line, text, &error, EXPECTED))?;
            let entry = entry_of(&record, line, text)?;
            owns_its_clock(&entry, text)?;
            entries.keep(entry);
        }
        entries.tell(scribe)
    }
}

fn entry_of<'r>(record: &'r Record<'_>, line: u32, text: &str) -> Result<Entry<'r>, Trouble> {
    let mut entry = Entry::of(&*record.tracer_identity, line);
    entry.label = Some(Cow::Borrowed(&record.tag));
    entry.clock = Some(
        record
            .vector_clock
            .0
            .iter()
            .map(|(name, count)| (Cow::Borrowed(&**name), *count))
            .collect(),
    );
    if let Some(id) = record.trace_id {
        let id = Datum::Text(Cow::Owned(id.to_string()));
        entry.sets.push((Cow::Borrowed("TraceID"), id));
    }
    match &*record.tag {
        "GenerateTokenTrace" => entry.sends.push(token(record, line, text)?),
        "ReceiveTokenTrace" => entry.recvs.push(token(record, line, text)?),
        _ => flatten("", &record.body, &mut entry.sets),
    }
    Ok(entry)
}

/// The token that a record is about.
fn token<'r>(record: &'r Record<'_>, line: u32, text: &str) -> Result<Cow<'r, str>, Trouble> {
    let token = record.body.get("Token").and_then(Value::as_str);
    token.map(Cow::Borrowed).ok_or_else(|| {
        let message = format!("this {} has no token", record.tag);
        let expected = "expected a text at Body.Token";
        Trouble::at(line, text, place(text, "Body"), message, expected).with_help(
            "the token says which send a receive belongs to; leave the record out if it is lost",
        )
    })
}
