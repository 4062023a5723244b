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

use serde::Deserialize;
use serde_json::Value;

use super::entry::{Entry, Name};
use super::head::Head;
use super::json::{fault, flatten, place};
use super::matching::{Matching, content};
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::{Format, Open, Reader};

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
struct Tagged<'a> {
    #[serde(borrow)]
    tag: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    tag: Option<Cow<'a, str>>,
    ts: Option<f64>,
    #[serde(borrow)]
    event: Event<'a>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    nid: Cow<'a, str>,
    #[serde(default)]
    state: Value,
    #[serde(default)]
    role: Value,
    #[serde(default)]
    log: Value,
    #[serde(default)]
    conf: Value,
    #[serde(default)]
    msg: Value,
    #[serde(default)]
    prop: Value,
}

#[derive(Default)]
struct EtcdRaft {
    messages: Matching,
}

impl Reader for EtcdRaft {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        while let Some((number, text)) = text.next_full_line()? {
            match serde_json::from_str::<Line<'_>>(text) {
                Ok(line) if line.tag.as_deref() == Some("trace") => {
                    let entry = self.entry_of(&line, number, text)?;
                    scribe.add(&entry)?;
                }
                Ok(_) => {}
                Err(error) => {
                    let tagged = serde_json::from_str::<Tagged<'_>>(text);
                    if !tagged.is_ok_and(|line| line.tag.as_deref() != Some("trace")) {
                        return Err(fault(number, text, &error, EXPECTED));
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        self.messages.report(scribe);
        Ok(())
    }
}

impl EtcdRaft {
    fn entry_of<'l>(
        &mut self,
        line: &'l Line<'_>,
        number: u32,
        text: &str,
    ) -> Result<Entry<'l>, Trouble> {
        let event = &line.event;
        let mut entry = Entry::of(node_name(&event.nid), number);
        entry.label = Some(Cow::Borrowed(&event.name));
        entry.time = line.ts;
        let said = [
            ("state", &event.state),
            ("role", &event.role),
            ("log", &event.log),
            ("conf", &event.conf),
            ("msg", &event.msg),
            ("prop", &event.prop),
        ];
        for (name, value) in said {
            flatten(name, value, &mut entry.sets);
        }
        let (is_send, is_receive) = (
            event.name.starts_with("Send"),
            event.name.starts_with("Receive"),
        );
        if !is_send && !is_receive {
            return Ok(entry);
        }
        let side = |member: &str| event.msg.get(member).and_then(Value::as_str);
        let (Some(from), Some(to)) = (side("from"), side("to")) else {
            let message = format!("this {} does not say who sent what to whom", event.name);
            let expected = "expected the message at event.msg, with the texts from and to";
            return Err(Trouble::at(
                number,
                text,
                place(text, "event"),
                message,
                expected,
            ));
        };
        let key = content(&node_name(from), &node_name(to), &event.msg);
        match is_send {
            true => {
                entry.sends.push(Cow::Owned(self.messages.send(&key)));
                entry.to.push(node_name(to));
            }
            false => {
                entry.recvs.push(Cow::Owned(self.messages.receive(&key)));
                entry.from = Some(node_name(from));
            }
        }
        Ok(entry)
    }
}

/// A node that is called by a number gets a letter, so that formulas can name it without quotes.
pub(super) fn node_name(node: &str) -> Name<'_> {
    match node.starts_with(|c: char| c.is_ascii_digit()) {
        true => Cow::Owned(format!("n{node}")),
        false => Cow::Borrowed(node),
    }
}
