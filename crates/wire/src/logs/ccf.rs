//! What the consensus of CCF logs to be compared with its specification in TLA+, in both of its dialects.
//!
//! ```text
//! {"h_ts":"19","tag":"raft_trace","msg":{"function":"commit","state":{"node_id":"0","commit_idx":2,...},...}}
//! {"h_ts":"2023-04-13T16:42:59.46Z","tag":"tla","msg":{"event":{"function":"commit"},"node":"0","state":{...},...}}
//! ```
//!
//! Only lines with these tags count. Nodes are processes, called `n0` for the node 0, in the order of the lines; functions
//! are labels. There are no clocks: a receive comes after the send of the same packet between the same nodes, see
//! [`matching`](super::matching). Everything else in `msg` are variables, such as `state.commit_idx` and `packet.term`
//! (`paket` in the older dialect is a slip of its authors). Receives without a send are usual, and let pass.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::calendar::seconds;
use super::entry::Entry;
use super::etcd_raft::{Tagged, node_name};
use super::head::Head;
use super::json::{Members, fault, place};
use super::lines::{self, Parse};
use super::matching::{Matching, content};
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::{Format, Open, Reader};

pub(super) const FORMAT: Format = Format {
    name: "ccf",
    title: "CCF consensus traces",
    about: "Nodes are processes, receives come after the sends of the same packet, and the state of the nodes is in \
            variables.",
    looks,
    open: Open::Log {
        reader: |_| Ok(Box::new(Ccf::default())),
        tolerant: true,
    },
};

fn looks(head: &Head<'_>) -> bool {
    head.objects().take(200).any(|object| {
        let tag = object.get("tag").and_then(Value::as_str);
        let said = object.get("msg").and_then(Value::as_object);
        tag.is_some_and(is_trace) && said.is_some_and(has_function)
    })
}

fn is_trace(tag: &str) -> bool {
    tag == "raft_trace" || tag == "tla"
}

/// Whether somebody did something, in either dialect.
fn has_function(said: &Map<String, Value>) -> bool {
    let older = || said.get("event").and_then(|event| event.get("function"));
    said.get("function")
        .or_else(older)
        .is_some_and(Value::is_string)
}

const EXPECTED: &str = "expected a line with the tag raft_trace or tla and an object msg";

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    tag: Option<Cow<'a, str>>,
    #[serde(borrow)]
    h_ts: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    msg: Members<'a>,
}

#[derive(Default)]
struct Ccf {
    packets: Matching,
}

impl Reader for Ccf {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        lines::each(text, &Events, |mut entry| {
            self.packets.tell(&mut entry, scribe)
        })
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        self.packets.report(scribe);
        Ok(())
    }
}

/// Parses the lines that are a trace.
struct Events;

impl Parse for Events {
    type Item<'l> = Box<Entry<'l>>;

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Self::Item<'l>>, Trouble> {
        match serde_json::from_str::<Line<'_>>(line) {
            Ok(said) if said.tag.as_deref().is_some_and(is_trace) => {
                entry_of(said, number, line).map(Some)
            }
            Ok(_) => Ok(None),
            // What other lines say may look as it likes.
            Err(error) => match serde_json::from_str::<Tagged<'_>>(line) {
                Ok(said) if !said.tag.as_deref().is_some_and(is_trace) => Ok(None),
                _ => Err(fault(number, line, &error, EXPECTED)),
            },
        }
    }
}

/// What is said elsewhere about an event.
const TOLD: [&str; 3] = ["function", "event", "node"];

/// An event; a packet that it sends or receives is called by its content.
fn entry_of<'l>(said: Line<'l>, number: u32, line: &str) -> Result<Box<Entry<'l>>, Trouble> {
    let lacks = |message: String, expected: &str| {
        Trouble::at(number, line, place(line, "msg"), message, expected)
    };
    let told = said.msg;
    let within = |member: &str, name: &str| told.get(member)?.text(name).cloned();
    let text = |name: &str| told.text(name).cloned();
    // The newer dialect first, then the older one.
    let function = text("function").or_else(|| within("event", "function"));
    let node = within("state", "node_id").or_else(|| within("state", "my_node_id"));
    let (Some(function), Some(node)) = (function, node.or_else(|| text("node"))) else {
        let expected = "expected texts at msg.function and msg.state.node_id, or at msg.event.function and msg.node";
        return Err(lacks(
            "this line does not say which node did what".into(),
            expected,
        ));
    };
    let node = node_name(node);
    let is_send = function.starts_with("send_");
    let (newer, older) = match is_send {
        true => ("to_node_id", "to"),
        false => ("from_node_id", "from"),
    };
    let mut entry = Box::new(Entry::of(node.clone(), number));
    entry.time = said.h_ts.as_deref().and_then(seconds);
    if is_send || function.starts_with("recv_") {
        let packet = told.get("packet").or_else(|| told.get("paket"));
        let packet = packet.filter(|packet| !packet.0.is_empty());
        let other = text(newer).or_else(|| text(older)).map(node_name);
        let (Some(packet), Some(other)) = (packet, other) else {
            let expected = format!(
                "expected the packet at msg.packet or msg.paket, and a text at msg.{newer} or msg.{older}"
            );
            let message = format!("this {function} does not say what was sent, and between whom");
            return Err(lacks(message, &expected));
        };
        let (from, to) = match is_send {
            true => (node, other),
            false => (other, node),
        };
        entry.passes(is_send, content(&from, &to, packet), from, to);
    }
    entry.label = Some(function);
    let others = told.0.into_iter();
    let others = others.filter(|(name, _)| !TOLD.contains(&&**name));
    entry.under = others
        .map(|(name, value)| match &*name {
            "paket" => ("packet".into(), value),
            _ => (name, value),
        })
        .collect();
    Ok(entry)
}
