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

use causet_base::Code;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::calendar::seconds;
use super::entry::{Entry, Member};
use super::etcd_raft::{Tagged, node_name};
use super::head::Head;
use super::json::{Members, fault, next_text, place};
use super::lines::{self, Parse};
use super::matching::{Matching, content};
use super::scribe::Scribe;
use super::text::Text;
use super::{Format, Open, Reader};
use crate::error::ReadError;
use crate::native::Scan;

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

#[derive(PartialEq, Debug, Deserialize)]
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
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        lines::each(text, &Events, |mut entry| {
            self.packets.tell(&mut entry, scribe)
        })
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.packets.report(scribe);
        Ok(())
    }
}

/// Parses the lines that are a trace.
struct Events;

impl Parse for Events {
    type Item<'l> = Box<Entry<'l>>;

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        if let Some(said) = scanned(line) {
            let entry = said.map(|said| entry_of(said, number, line));
            return entry.transpose();
        }
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

/// What a line says if it is a trace. The usual line is read without the parser of all that JSON may be, which is asked
/// about any other line, and if there is a fault.
fn scanned(text: &str) -> Option<Option<Line<'_>>> {
    let (mut tag, mut h_ts, mut msg) = (None, None, None);
    let mut scan = Scan::new(text);
    let mut object = scan.open_object("a line").ok()?;
    while let Some(name) = scan.next_key(&mut object).ok()? {
        match &*scan.text(name) {
            "tag" if tag.is_none() => tag = Some(next_text(&mut scan)?),
            "h_ts" if h_ts.is_none() => h_ts = Some(next_text(&mut scan)?),
            "msg" if msg.is_none() => msg = Some(Members::scan(&mut scan)?),
            "tag" | "h_ts" | "msg" => return None,
            _ => scan.skip_value().ok()?,
        }
    }
    scan.end().ok()?;
    if !tag.as_deref().is_some_and(is_trace) {
        return Some(None);
    }
    let msg = msg?;
    Some(Some(Line { tag, h_ts, msg }))
}

/// What is said elsewhere about an event.
const TOLD: [&str; 3] = ["function", "event", "node"];

/// An event; a packet that it sends or receives is called by its content.
fn entry_of<'l>(said: Line<'l>, number: u32, line: &str) -> Result<Box<Entry<'l>>, ReadError> {
    let lacks = |message: String, expected: &str| {
        ReadError::at(
            Code::MissingInformation,
            number,
            line,
            place(line, "msg"),
            message,
            expected,
        )
    };
    let told = said.msg;
    let text = |of: &str, name: &str| told.text(of, name).cloned();
    // The newer dialect first, then the older one.
    let function = text("function", "").or_else(|| text("event", "function"));
    let node = text("state", "node_id").or_else(|| text("state", "my_node_id"));
    let (Some(function), Some(node)) = (function, node.or_else(|| text("node", ""))) else {
        let expected = "expected texts at msg.function and msg.state.node_id, or at msg.event.function and msg.node";
        return Err(lacks(
            "this line does not say which node did what".into(),
            expected,
        ));
    };
    let mut entry = Box::new(Entry::of(node_name(node), number));
    entry.time = said.h_ts.as_deref().and_then(seconds);
    let is_send = function.starts_with("send_");
    if is_send || function.starts_with("recv_") {
        let (newer, older) = match is_send {
            true => ("to_node_id", "to"),
            false => ("from_node_id", "from"),
        };
        let packet = match told.of("packet") {
            [] => told.of("paket"),
            packet => packet,
        };
        let other = text(newer, "").or_else(|| text(older, "")).map(node_name);
        let (false, Some(other)) = (packet.is_empty(), other) else {
            let expected = format!(
                "expected the packet at msg.packet or msg.paket, and a text at msg.{newer} or msg.{older}"
            );
            let message = format!("this {function} does not say what was sent, and between whom");
            return Err(lacks(message, &expected));
        };
        let what = packet.iter().map(Member::pair);
        match is_send {
            true => entry.sends_to(content(&entry.process, &other, what), other),
            false => entry.receives_from(content(&other, &entry.process, what), other),
        }
    }
    entry.label = Some(function);
    entry.under = told.0;
    entry.under.retain(|member| !TOLD.contains(&&*member.of));
    let slips = entry.under.iter_mut().filter(|member| member.of == "paket");
    slips.for_each(|member| member.of = "packet".into());
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_however_they_are_read() {
        for (line, is_usual) in [
            (
                r#"{"tag":"tla","h_ts":"1","msg":{"a":{"b":1,"c":{"d":"x","e":-7}},"f":[1,{"g":[]}],"h":[]}}"#,
                true,
            ),
            (
                r#"{ "msg" : { "t" : true, "n" : null, "o" : {}, "\u0061" : "\n" }, "tag" : "raft_trace", "x" : [1.5] }"#,
                true,
            ),
            (r#"{"tag":"raft_trace","msg":{}}"#, true),
            (r#"{"tag":"raft_trace","msg":{"a":1.5}}"#, false),
            (
                r#"{"tag":"raft_trace","msg":{"a":-0,"b":18446744073709551615}}"#,
                false,
            ),
            (r#"{"tag":"tla","msg":{"a":1},"h_ts":null}"#, false),
            (r#"{"tag":"tla"}"#, false),
        ] {
            let slowly: Line<'_> = serde_json::from_str(line).expect("it is a line");
            let quickly = scanned(line);
            assert_eq!(quickly.is_some(), is_usual, "{line}");
            if let Some(quickly) = quickly {
                assert_eq!(quickly, Some(slowly), "{line}");
            }
        }
        for line in [
            "",
            "{",
            "[]",
            r#"{"tag":"tla","msg":{"a":1}"#,
            r#"{"tag":"tla","msg":{"a":1},"tag":"tla"}"#,
        ] {
            assert_eq!(scanned(line), None, "{line}");
        }
        for line in [r#"{"tag":"other","msg":{}}"#, r#"{"msg":{"a":1}}"#, "{}"] {
            assert_eq!(scanned(line), Some(None), "{line}");
        }
    }
}
