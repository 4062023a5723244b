//! A proposal for a mapping: what the first lines of a log suggest by the names and the values of their members.
//!
//! Every place in these lines is counted with its values. The process is the place with the best name that most lines
//! have, the event likewise, and so on: lists of usual names, best first. A person reads the proposal and corrects it, so
//! it says what it saw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use super::head::Head;

/// So many lines are looked at.
const LINES: usize = 1000;
/// So many different values of a place are kept.
const VALUES: usize = 64;

const PROCESSES: &[&str] = &[
    "process",
    "proc",
    "traceridentity",
    "nid",
    "node_id",
    "nodeid",
    "node",
    "host",
    "hostname",
    "replica",
    "server",
    "actor",
    "service",
    "sender",
    "client",
    "thread",
    "thread_id",
    "tid",
    "pid",
    "p",
];
const EVENTS: &[&str] = &[
    "event", "ev", "action", "name", "function", "tag", "op", "label", "type", "kind", "msg",
    "message",
];
const TIMES: &[&str] = &["ts", "time", "timestamp", "@timestamp", "at", "t", "h_ts"];
const CLOCKS: &[&str] = &["vectorclock", "vector_clock", "vclock", "clock", "vc", "vt"];
const STATES: &[&str] = &[
    "state",
    "vars",
    "variables",
    "set",
    "data",
    "body",
    "fields",
];
const SENT: &[&str] = &["send", "sends", "sent"];
const RECEIVED: &[&str] = &["recv", "recvs", "receive", "received"];
const MESSAGES: &[&str] = &[
    "message_id",
    "messageid",
    "msg_id",
    "msgid",
    "msg",
    "packet",
    "token",
    "message",
];
const DESTINATIONS: &[&str] = &["to", "rcv", "dst", "dest", "destination", "to_node_id"];

/// Proposes a mapping for the beginning of a log; nothing if that has no JSON objects.
pub fn guess(bytes: &[u8]) -> Option<String> {
    let head = Head::of(bytes);
    let objects = head.full_lines().filter_map(|line| {
        let value: Option<Value> = serde_json::from_str(line).ok();
        value.filter(Value::is_object)
    });
    let mut places = Places::default();
    objects.take(LINES).for_each(|object| places.take(&object));
    let full_lines = head.full_lines().take(LINES).count();
    (places.lines > 0).then(|| Proposal::of(&places, full_lines > places.lines).text(&places))
}

/// Everything that was seen, by place.
#[derive(Default)]
struct Places {
    lines: usize,
    seen: BTreeMap<String, Seen>,
}

/// What was seen at a place.
#[derive(Default)]
struct Seen {
    times: usize,
    objects: usize,
    counts: usize,
    texts: usize,
    numbers: usize,
    values: BTreeSet<String>,
    largest: f64,
}

impl Places {
    fn take(&mut self, object: &Value) {
        self.lines += 1;
        self.walk("", object, 0);
    }

    fn walk(&mut self, place: &str, value: &Value, depth: usize) {
        if depth > 0 {
            self.seen.entry(place.to_owned()).or_default().take(value);
        }
        if let Value::Object(members) = value
            && depth < 6
        {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                self.walk(&format!("{place}/{name}"), member, depth + 1);
            }
        }
    }

    /// The place with the best of some names among those that fit; the shortest of several.
    fn best(&self, names: &[&str], fits: impl Fn(&str, &Seen) -> bool) -> Option<String> {
        let rank = |place: &str| {
            let last = place.rsplit('/').next().unwrap_or_default().to_lowercase();
            names.iter().position(|name| *name == last)
        };
        let candidates = self.seen.iter().filter(|(place, seen)| fits(place, seen));
        let ranked = candidates.filter_map(|(place, _)| Some((rank(place)?, place.len(), place)));
        ranked.min().map(|(_, _, place)| place.clone())
    }

    fn is_usual(&self, seen: &Seen) -> bool {
        seen.times * 10 >= self.lines * 9
    }
}

impl Seen {
    fn take(&mut self, value: &Value) {
        self.times += 1;
        match value {
            Value::Object(members) => {
                self.objects += 1;
                self.counts += usize::from(members.values().all(Value::is_u64));
                return;
            }
            Value::String(_) => self.texts += 1,
            Value::Number(number) => {
                self.numbers += 1;
                self.largest = self.largest.max(number.as_f64().unwrap_or(0.0));
            }
            _ => {}
        }
        if self.values.len() < VALUES {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            self.values.insert(text);
        }
    }

    fn is_scalar(&self) -> bool {
        self.texts + self.numbers == self.times
    }

    /// A few of its values, for a comment.
    fn examples(&self) -> String {
        let shown = self.values.iter().take(4).map(|value| {
            let value: String = value.chars().filter(|c| !c.is_control()).take(30).collect();
            value
        });
        let shown: Vec<String> = shown.collect();
        let more = if self.values.len() > 4 { ", ..." } else { "" };
        format!("{}{more}", shown.join(", "))
    }
}

/// What is proposed.
struct Proposal {
    process: Option<String>,
    event: Option<String>,
    time: Option<String>,
    clock: Option<String>,
    state: Vec<String>,
    sent: Option<String>,
    received: Option<String>,
    /// A message that the name of the event says to be sent or received.
    message: Option<String>,
    to: Option<String>,
    has_text: bool,
}

impl Proposal {
    fn of(places: &Places, has_text: bool) -> Proposal {
        let varies = |seen: &Seen| seen.is_scalar() && seen.values.len() > 1;
        let clock = places.best(CLOCKS, |_, seen| {
            seen.objects > 0 && seen.counts == seen.objects
        });
        let outside = |place: &str| {
            let inside = clock
                .as_ref()
                .is_some_and(|clock| place.starts_with(clock.as_str()));
            !inside
        };
        let usual =
            |place: &str, seen: &Seen| outside(place) && varies(seen) && places.is_usual(seen);
        let process = places
            .best(PROCESSES, usual)
            .or_else(|| places.best(PROCESSES, |place, seen| outside(place) && seen.is_scalar()));
        let other = |place: &str| process.as_deref() != Some(place) && outside(place);
        let events = process
            .as_ref()
            .and_then(|process| places.seen.get(process));
        let events = events.map_or(places.lines, |seen| seen.times);
        let event = places.best(EVENTS, |place, seen| {
            let is_text = varies(seen) && seen.texts == seen.times;
            other(place) && is_text && seen.times * 10 >= events * 9
        });
        let sides: Vec<&str> = [SENT, RECEIVED].concat();
        let is_side = |place: &str| {
            let last = place.rsplit('/').next().unwrap_or_default().to_lowercase();
            sides.contains(&last.as_str())
        };
        let scalar = |place: &str, seen: &Seen| outside(place) && seen.is_scalar();
        let message = places.best(MESSAGES, |place, seen| {
            let is_event = event.as_deref() == Some(place);
            outside(place) && !is_event && !is_side(place) && seen.times < places.lines
        });
        let state = STATES.iter().filter_map(|name| {
            places.best(&[name], |place, seen| outside(place) && seen.objects > 0)
        });
        Proposal {
            time: places.best(TIMES, scalar),
            state: state.collect(),
            sent: places.best(SENT, scalar),
            received: places.best(RECEIVED, scalar),
            to: places.best(DESTINATIONS, scalar),
            message,
            process,
            event,
            clock,
            has_text,
        }
    }

    fn text(&self, places: &Places) -> String {
        let mut out = format!(
            "# A mapping proposed from {} lines; correct it before you rely on it.\n\
             # Places are JSON pointers: \"/a/b\" is the member b of the member a.\n\n",
            places.lines
        );
        self.heading(places, &mut out);
        self.tests(places, &mut out);
        self.variables(&mut out);
        self.messages(places, &mut out);
        out
    }

    fn heading(&self, places: &Places, out: &mut String) {
        let seen = |place: &str| places.seen.get(place);
        let examples = |place: &str| seen(place).map(Seen::examples).unwrap_or_default();
        let mut rule = |name: &str, about: &str, place: &Option<String>| {
            // Writing to a text cannot fail.
            let _ = match place {
                Some(place) => writeln!(
                    out,
                    "# {about}: {}\n{name} = {}",
                    examples(place),
                    quoted(place)
                ),
                None => writeln!(
                    out,
                    "# {about}: no place looks like it.\n# {name} = \"/...\""
                ),
            };
        };
        rule("process", "The process that did it", &self.process);
        rule("event", "What it did", &self.event);
        rule("time", "When, for display only", &self.time);
        let largest = self
            .time
            .as_deref()
            .and_then(seen)
            .map_or(0.0, |seen| seen.largest);
        let unit = match largest {
            ..1e11 => "s",
            ..1e14 => "ms",
            ..1e17 => "us",
            _ => "ns",
        };
        let prefix = self.process.as_deref().and_then(seen).is_some_and(|seen| {
            let is_number = |value: &String| value.starts_with(|c: char| c.is_ascii_digit());
            seen.values.iter().any(is_number)
        });
        if unit != "s" {
            let _ = writeln!(out, "time-unit = \"{unit}\"");
        }
        if prefix {
            let _ = writeln!(
                out,
                "# So that formulas can name processes that are numbers.\nprocess-prefix = \"n\""
            );
        }
        match &self.clock {
            Some(place) => {
                let _ = writeln!(
                    out,
                    "# Its vector clock, own entry included.\nclock = {}",
                    quoted(place)
                );
            }
            None => out.push_str("# Without clocks, the lines of a process stand in its order.\n"),
        }
        if self.has_text {
            out.push_str("# Some lines are no JSON.\nskip-text = true\n");
        }
        if self.has_messages() && self.clock.is_none() {
            out.push_str(
                "# \"unique\" if every key is sent once; \"fifo\" if the n-th receive of a key is that of its n-th send.\n\
                 matching = \"fifo\"\n",
            );
        }
    }

    fn tests(&self, places: &Places, out: &mut String) {
        let Some(place) = &self.process else { return };
        if places
            .seen
            .get(place)
            .is_some_and(|seen| seen.times < places.lines)
        {
            let _ = writeln!(
                out,
                "\n# Not every line has a process: the others are left out.\n[[only]]\nat = {}\nexists = true",
                quoted(place)
            );
        }
    }

    fn variables(&self, out: &mut String) {
        out.push_str("\n# Variables by name; an object gives one for each member.\n[variables]\n");
        for place in &self.state {
            let name = place.rsplit('/').next().unwrap_or_default();
            let _ = writeln!(out, "{} = {}", quoted(name), quoted(place));
        }
        if self.state.is_empty() {
            out.push_str("# \"term\" = \"/state/term\"\n");
        }
    }

    fn has_messages(&self) -> bool {
        self.sent.is_some() || self.received.is_some() || self.message.is_some()
    }

    fn messages(&self, places: &Places, out: &mut String) {
        let to = self.to.as_ref().map(|to| format!("to = {}\n", quoted(to)));
        let to = to.unwrap_or_default();
        if let Some(place) = &self.sent {
            let _ = write!(out, "\n[[send]]\nkey = [{}]\n{to}", quoted(place));
        }
        if let Some(place) = &self.received {
            let _ = writeln!(out, "\n[[receive]]\nkey = [{}]", quoted(place));
        }
        if self.sent.is_some() || self.received.is_some() {
            return;
        }
        let (Some(message), Some(event)) = (&self.message, &self.event) else {
            out.push_str(
                "\n# Messages, if there are any:\n# [[send]]\n# key = [\"/message/id\"]\n# [[receive]]\n# key = [\"/message/id\"]\n",
            );
            return;
        };
        let values = places.seen.get(event).map(|seen| &seen.values);
        let begins = |words: &[&str]| {
            let mut values = values.into_iter().flatten();
            let found = words
                .iter()
                .find(|word| values.clone().any(|value| value.starts_with(**word)));
            let fallback = values.next().map(String::as_str).unwrap_or_default();
            found.map_or((fallback.to_owned(), false), |word| {
                ((*word).to_owned(), true)
            })
        };
        let sides = [
            (
                "send",
                begins(&["Send", "send", "SEND", "Generate", ">"]),
                to.as_str(),
            ),
            (
                "receive",
                begins(&["Receive", "receive", "Recv", "recv", "RECV", "<"]),
                "",
            ),
        ];
        for (side, (word, is_found), to) in sides {
            let doubt = if is_found {
                ""
            } else {
                "# Which events are these?\n"
            };
            let _ = write!(
                out,
                "\n{doubt}[[{side}]]\nwhen = [{{ at = {}, starts-with = {} }}]\nkey = [{}]\n{to}",
                quoted(event),
                quoted(&word),
                quoted(message)
            );
        }
    }
}

/// A text in TOML, where the escapes of JSON are good too.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
