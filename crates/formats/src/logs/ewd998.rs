//! Runs of EWD998, Dijkstra's termination detection on a ring, as the examples of TLA+ log them to check them.
//!
//! ```text
//! {"event":">","node":4,"pkt":{"snd":4,"rcv":2,"msg":{"type":"pl"},"vc":{"0":16,"4":22}}}
//! ```
//!
//! Nodes are processes, called `n0`, `n1` and so on, and the vector clocks order their events: the lines stand in no order.
//! Payload messages are paired per channel, the n-th receive with the n-th send. Tokens are not messages here, because a
//! node that is still active logs the receive of the same token again and again; `token.q` and `token.color` are the
//! token as the node saw it last. `active` is true at first and after the receive of a payload, and false after a
//! deactivation. `terminated` is true once the node was told that all is over.

use std::borrow::Cow;
use std::collections::BTreeSet;

use causet_base::Code;
use serde::Deserialize;

use super::entry::{Datum, Entry, Name};
use super::head::Head;
use super::json::{fault, place};
use super::lines::{self, Parse};
use super::matching::Matching;
use super::scribe::Scribe;
use super::text::Text;
use super::unsorted::{Counts, Unsorted, owns_its_clock};
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "ewd998",
    title: "TLA+ EWD998 traces",
    about: "Nodes are processes, ordered by their vector clocks. Payloads are messages; active, terminated and the token \
            last seen are variables.",
    looks,
    open: Open::Log {
        reader: |_| Ok(Box::new(Ewd998::default())),
        tolerant: false,
    },
};

fn looks(head: &Head<'_>) -> bool {
    let mut events = head
        .objects()
        .take(2)
        .filter(|object| !object.contains_key("N"));
    events.next().is_some_and(|object| {
        let packet = object.get("pkt").and_then(|packet| packet.get("vc"));
        object.contains_key("event") && object.contains_key("node") && packet.is_some()
    })
}

const EXPECTED: &str =
    "expected an event with event, node and pkt.vc, or the number of nodes as {\"N\":5}";

/// More nodes than this are a mistake.
const MOST_NODES: u32 = 1 << 16;

#[derive(Default)]
struct Ewd998 {
    payloads: Matching,
    /// How many nodes there are, if the log says so.
    declared: Option<u32>,
    /// The nodes whose initial activity was told.
    begun: BTreeSet<u32>,
}

/// The line that says how many nodes there are.
#[derive(Deserialize)]
struct Nodes {
    #[serde(rename = "N")]
    nodes: u32,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    node: u32,
    #[serde(borrow, rename = "pkt")]
    packet: Packet<'a>,
}

#[derive(Deserialize)]
struct Packet<'a> {
    snd: Option<u32>,
    rcv: Option<u32>,
    #[serde(borrow)]
    msg: Option<Message<'a>>,
    #[serde(borrow, rename = "vc")]
    clock: Counts<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    q: Option<i64>,
    #[serde(borrow)]
    color: Option<Cow<'a, str>>,
}

impl Reader for Ewd998 {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let mut payloads = std::mem::take(&mut self.payloads);
        let mut entries = Unsorted::new(scribe).with_keys(&mut payloads);
        if let Some((number, line)) = text.next_full_line()? {
            match serde_json::from_str(line) {
                Ok(Nodes { nodes }) => self.declare(nodes, number, line, entries.scribe())?,
                Err(_) => {
                    let (node, entry) = parse(number, line)?;
                    self.begin(node, number, entries.scribe());
                    entries.take(entry)?;
                }
            }
        }
        lines::each(text, &Events, |(node, entry)| {
            self.begin(node, entry.line, entries.scribe());
            entries.take(entry)
        })?;
        entries.finish()?;
        self.payloads = payloads;
        Ok(())
    }
}

/// Parses events, which follow the number of nodes if that is there.
struct Events;

impl Parse for Events {
    type Item<'l> = (u32, Entry<'l>);

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        parse(number, line).map(Some)
    }
}

/// An event and its node.
fn parse(number: u32, line: &str) -> Result<(u32, Entry<'_>), ReadError> {
    let event = serde_json::from_str(line);
    let event: Event<'_> = event.map_err(|error| fault(number, line, &error, EXPECTED))?;
    let node = event.node;
    let entry = entry_of(event, number, line)?;
    owns_its_clock(&entry, line)?;
    Ok((node, entry))
}

impl Ewd998 {
    /// Takes note of the number of nodes. A node without events exists too, and is active.
    fn declare(
        &mut self,
        nodes: u32,
        line: u32,
        text: &str,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), ReadError> {
        let before = self.declared.replace(nodes);
        if nodes > MOST_NODES || before.is_some_and(|before| before != nodes) {
            let message = match before {
                Some(before) => {
                    format!("there are {nodes} nodes here and {before} in another part")
                }
                None => format!("{nodes} nodes are too many"),
            };
            let expected = format!("expected the same number everywhere, at most {MOST_NODES}");
            return Err(ReadError::of_line(
                Code::MissingInformation,
                line,
                text,
                message,
                expected,
            ));
        }
        if before.is_none() {
            let names: Vec<String> = (0..nodes).map(|node| name(node).into_owned()).collect();
            scribe.declare_processes(&names).map_err(|kind| {
                ReadError::of_line(
                    Code::ProcessTwice,
                    line,
                    text,
                    kind.to_string(),
                    kind.expected(),
                )
                .with_help(kind.help())
            })?;
            (0..nodes).for_each(|node| self.begin(node, line, scribe));
        }
        Ok(())
    }

    /// A node is active at first, and has not been told of any end.
    fn begin(&mut self, node: u32, line: u32, scribe: &mut Scribe<'_>) {
        if self.declared.is_none_or(|nodes| node < nodes) && self.begun.insert(node) {
            for (variable, value) in [("active", true), ("terminated", false)] {
                let variable = format!("{}.{variable}", name(node));
                scribe.init(&variable, &Datum::bool(value), line);
            }
        }
    }
}

/// The names of the first nodes, which are asked for again and again.
const FIRST: [&str; 10] = ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"];

fn name(node: u32) -> Name<'static> {
    match FIRST.get(node as usize) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(format!("n{node}")),
    }
}

/// The node that a clock calls by its number.
fn counted(node: &str) -> Name<'static> {
    match node.parse() {
        Ok(number) if name(number)[1..] == *node => name(number),
        _ => Cow::Owned(format!("n{node}")),
    }
}

/// An event; the messages it sends and receives are called by their channel.
fn entry_of<'l>(event: Event<'l>, line: u32, text: &str) -> Result<Entry<'l>, ReadError> {
    let mut entry = Entry::of(name(event.node), line);
    let clock = event.packet.clock.0.into_iter();
    let clock = clock.map(|(node, count)| (counted(&node), count));
    entry.clock = Some(clock.collect());
    let is_send = match &*event.event {
        ">" => true,
        "<" => false,
        "d" => {
            entry.label = Some(Cow::Borrowed("deactivate"));
            entry
                .sets
                .push((Cow::Borrowed("active"), Datum::bool(false)));
            return Ok(entry);
        }
        other => {
            let message = format!("there is no event `{other}`");
            let expected = "expected `>` for a send, `<` for a receive or `d` for a deactivation";
            return Err(ReadError::at(
                Code::UnknownOperation,
                line,
                text,
                place(text, "event"),
                message,
                expected,
            ));
        }
    };
    let (Some(snd), Some(rcv), Some(message)) =
        (event.packet.snd, event.packet.rcv, event.packet.msg)
    else {
        let expected = "expected pkt.snd, pkt.rcv and pkt.msg";
        let complaint = "this packet does not say what was sent, by whom and to whom";
        return Err(ReadError::at(
            Code::MissingInformation,
            line,
            text,
            place(text, "pkt"),
            complaint,
            expected,
        ));
    };
    let (here, side) = if is_send { (snd, "snd") } else { (rcv, "rcv") };
    if here != event.node {
        let complaint = format!("node {} logs a packet with {side} {here}", event.node);
        let expected = "expected that a send is logged by its sender and a receive by its receiver";
        return Err(ReadError::at(
            Code::MissingInformation,
            line,
            text,
            place(text, side),
            complaint,
            expected,
        ));
    }
    let verb = if is_send { "send" } else { "recv" };
    entry.label = Some(Cow::Owned(format!("{verb}-{}", message.kind)));
    match &*message.kind {
        "pl" => {
            let channel = Cow::Owned(format!("pl-{snd}-{rcv}"));
            if is_send {
                entry.sends.push(channel);
                entry.to.push(name(rcv));
            } else {
                entry.recvs.push(channel);
                entry.from = Some(name(snd));
                entry
                    .sets
                    .push((Cow::Borrowed("active"), Datum::bool(true)));
            }
        }
        "trm" if !is_send => {
            entry
                .sets
                .push((Cow::Borrowed("terminated"), Datum::bool(true)));
        }
        _ => {}
    }
    if let Some(q) = message.q {
        entry.sets.push((Cow::Borrowed("token.q"), Datum::int(q)));
    }
    if let Some(color) = message.color {
        let color = Datum::Text(color);
        entry.sets.push((Cow::Borrowed("token.color"), color));
    }
    Ok(entry)
}
