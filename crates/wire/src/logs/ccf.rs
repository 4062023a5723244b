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
use super::etcd_raft::node_name;
use super::head::Head;
use super::json::{fault, flatten, place};
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
        tag.is_some_and(is_trace) && said.is_some_and(|said| function(said).is_some())
    })
}

fn is_trace(tag: &str) -> bool {
    tag == "raft_trace" || tag == "tla"
}

/// What a node did: in a place of its own in each dialect.
fn function(said: &Map<String, Value>) -> Option<&str> {
    let newer = said.get("function");
    let older = || said.get("event")?.get("function");
    newer.or_else(older)?.as_str()
}

/// The node that did it.
fn node(said: &Map<String, Value>) -> Option<&str> {
    let state = said.get("state");
    let newer = state.and_then(|state| state.get("node_id"));
    let older = || state.and_then(|state| state.get("my_node_id"));
    let node = newer.or_else(older).or_else(|| said.get("node"));
    node?.as_str()
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    tag: Option<Cow<'a, str>>,
    #[serde(borrow)]
    h_ts: Option<Cow<'a, str>>,
    #[serde(default)]
    msg: Value,
}

#[derive(Default)]
struct Ccf {
    packets: Matching,
}

impl Reader for Ccf {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        while let Some((number, text)) = text.next_full_line()? {
            let expected = "expected a line with the tag raft_trace or tla and an object msg";
            let line: Line<'_> = serde_json::from_str(text)
                .map_err(|error| fault(number, text, &error, expected))?;
            if line.tag.as_deref().is_some_and(is_trace) {
                let entry = self.entry_of(&line, number, text)?;
                scribe.add(&entry)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        self.packets.report(scribe);
        Ok(())
    }
}

/// What is said elsewhere about an event.
const TOLD: [&str; 5] = ["function", "event", "node", "packet", "paket"];

impl Ccf {
    fn entry_of<'l>(
        &mut self,
        line: &'l Line<'_>,
        number: u32,
        text: &str,
    ) -> Result<Entry<'l>, Trouble> {
        let lacks = |message: String, expected: &str| {
            Trouble::at(number, text, place(text, "msg"), message, expected)
        };
        let said = line.msg.as_object();
        let (function, node) = (said.and_then(function), said.and_then(node));
        let (Some(said), Some(function), Some(node)) = (said, function, node) else {
            let expected = "expected texts at msg.function and msg.state.node_id, or at msg.event.function and msg.node";
            return Err(lacks(
                "this line does not say which node did what".into(),
                expected,
            ));
        };
        let mut entry = Entry::of(node_name(node), number);
        entry.label = Some(Cow::Borrowed(function));
        entry.time = line.h_ts.as_deref().and_then(seconds);
        let packet = said.get("packet").or_else(|| said.get("paket"));
        for (name, value) in said
            .iter()
            .filter(|(name, _)| !TOLD.contains(&name.as_str()))
        {
            flatten(name, value, &mut entry.sets);
        }
        if let Some(packet) = packet {
            flatten("packet", packet, &mut entry.sets);
        }
        let (is_send, is_receive) = (function.starts_with("send_"), function.starts_with("recv_"));
        if !is_send && !is_receive {
            return Ok(entry);
        }
        let (newer, older) = if is_send {
            ("to_node_id", "to")
        } else {
            ("from_node_id", "from")
        };
        let other = said.get(newer).or_else(|| said.get(older));
        let (Some(packet), Some(other)) = (packet, other.and_then(Value::as_str)) else {
            let expected = format!(
                "expected the packet at msg.packet or msg.paket, and a text at msg.{newer} or msg.{older}"
            );
            let message = format!("this {function} does not say what was sent, and between whom");
            return Err(lacks(message, &expected));
        };
        let (here, other) = (node_name(node), node_name(other));
        match is_send {
            true => {
                let key = content(&here, &other, packet);
                entry.sends.push(Cow::Owned(self.packets.send(&key)));
                entry.to.push(other);
            }
            false => {
                let key = content(&other, &here, packet);
                entry.recvs.push(Cow::Owned(self.packets.receive(&key)));
                entry.from = Some(other);
            }
        }
        Ok(entry)
    }
}
