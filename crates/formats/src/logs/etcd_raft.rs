//! What the Raft library of etcd logs to be compared with its specification in TLA+.
//!
//! ```text
//! {"ts":1712329729.6,"tag":"trace","event":{"name":"Ready","nid":"2","state":{"term":2,"vote":"2","commit":6},...}}
//! ```
//!
//! Only lines with the tag `trace` count. Nodes are processes, called `n1` for the node 1, in the order of the lines; the
//! names of the events are labels. There are no clocks: a receive comes after the send of the same message, see
//! [`matching`](super::matching). What a node says about itself are variables (`state.term`, `state.vote`,
//! `state.commit`, `role`, `log`, `conf`), and so are the message (`msg.type` and others) and the proposal (`prop`) that
//! it dealt with last.

use std::borrow::Cow;

use causet_base::Code;
use causet_trace::Time;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::entry::{Entry, Flat, Member, Name};
use super::head::Head;
use super::json::{fault, place};
use super::lines::{self, Parse};
use super::matching::{Matching, content};
use super::scribe::Scribe;
use super::text::Text;
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "etcd-raft",
    title: "etcd Raft traces",
    about: "Nodes are processes, receives come after the sends of the same content, and the state of the nodes is in \
            variables.",
    looks,
    open: Open::Log {
        reader: |_| Ok(Box::new(EtcdRaft::default())),
        tolerant: true,
    },
};

fn looks(head: &Head<'_>) -> bool {
    head.objects().take(200).any(|object| {
        let event = object.get("event").filter(|_| is_trace(&object));
        event.is_some_and(|event| event.get("nid").is_some() && event.get("name").is_some())
    })
}

fn is_trace(object: &serde_json::Map<String, Value>) -> bool {
    object.get("tag").and_then(Value::as_str) == Some("trace")
}

const EXPECTED: &str =
    "expected a line with the tag trace and an event with name, nid, state and role";

/// A line that is not a trace may look as it likes.
#[derive(Deserialize)]
pub(super) struct Tagged<'a> {
    #[serde(borrow)]
    pub(super) tag: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    tag: Option<Cow<'a, str>>,
    ts: Option<Number>,
    #[serde(borrow)]
    event: Event<'a>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    nid: Cow<'a, str>,
    #[serde(borrow, default)]
    state: Flat<'a>,
    #[serde(borrow, default)]
    role: Flat<'a>,
    #[serde(borrow, default)]
    log: Flat<'a>,
    #[serde(borrow, default)]
    conf: Flat<'a>,
    #[serde(borrow, default)]
    msg: Flat<'a>,
    #[serde(borrow, default)]
    prop: Flat<'a>,
}

#[derive(Default)]
struct EtcdRaft {
    messages: Matching,
}

impl Reader for EtcdRaft {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        lines::each(text, &Events, |mut entry| {
            self.messages.tell(&mut entry, scribe)
        })
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.messages.report(scribe);
        Ok(())
    }
}

/// Parses the lines that are a trace.
struct Events;

impl Parse for Events {
    type Item<'l> = Entry<'l>;

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Entry<'l>>, ReadError> {
        let is_trace = |tag: &Option<Cow<'_, str>>| tag.as_deref() == Some("trace");
        match serde_json::from_str::<Line<'_>>(line) {
            Ok(said) if is_trace(&said.tag) => {
                let time = said.ts.map(|ts| Time::parse(&ts.to_string()));
                let time = time.transpose().map_err(|fault| {
                    let message = format!("{fault} that can be a time");
                    ReadError::at(
                        Code::MalformedLine,
                        number,
                        line,
                        place(line, "ts"),
                        message,
                        EXPECTED,
                    )
                })?;
                entry_of(said.event, time, number, line).map(Some)
            }
            Ok(_) => Ok(None),
            Err(error) => match serde_json::from_str::<Tagged<'_>>(line) {
                Ok(said) if !is_trace(&said.tag) => Ok(None),
                _ => Err(fault(number, line, &error, EXPECTED)),
            },
        }
    }
}

/// An event; a message that it sends or receives is called by its content.
fn entry_of<'l>(
    event: Event<'l>,
    time: Option<Time>,
    number: u32,
    line: &str,
) -> Result<Entry<'l>, ReadError> {
    let mut entry = Entry::of(node_name(event.nid), number);
    entry.time = time;
    let is_send = event.name.starts_with("Send");
    if is_send || event.name.starts_with("Receive") {
        let side = |member: &str| event.msg.text(member).cloned().map(node_name);
        let (Some(from), Some(to)) = (side("from"), side("to")) else {
            let message = format!("this {} does not say who sent what to whom", event.name);
            let expected = "expected the message at event.msg, with the texts from and to";
            let span = place(line, "event");
            return Err(ReadError::at(
                Code::MissingInformation,
                number,
                line,
                span,
                message,
                expected,
            ));
        };
        let what = event.msg.0.iter().map(|(name, datum)| (name, datum));
        let key = content(&from, &to, what);
        match is_send {
            true => entry.sends_to(key, to),
            false => entry.receives_from(key, from),
        }
    }
    entry.label = Some(event.name);
    let told = [
        ("state", event.state),
        ("role", event.role),
        ("log", event.log),
        ("conf", event.conf),
        ("msg", event.msg),
        ("prop", event.prop),
    ];
    let members = told.iter().map(|(_, flat)| flat.0.len()).sum();
    entry.under.reserve_exact(members);
    for (name, flat) in told {
        entry.under.extend(Member::all(name.into(), flat));
    }
    Ok(entry)
}

/// A node that is called by a number gets a letter, so that formulas can name it without quotes.
pub(super) fn node_name(node: Name<'_>) -> Name<'_> {
    match node.as_bytes() {
        [digit @ b'0'..=b'9'] => Cow::Borrowed(USUAL[usize::from(digit - b'0')]),
        [b'0'..=b'9', ..] => Cow::Owned(["n", &*node].concat()),
        _ => node,
    }
}

/// What most nodes are called.
const USUAL: [&str; 10] = ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"];
