//! What is said on a socket: JSON lines in both directions.
//!
//! ```text
//! client: {"run":"checkout-7","token":"..."}          which run this is about; comes first
//! server: {"run":"checkout-7","have":{"p1":17}}       so many events of each process are safe
//! client: {"causet":1,"processes":["p1","p2"]}        a header, if there is one
//! client: {"from":{"p1":18}}                          what comes next of p1 is its event number 18
//! client: {"p":"p1","set":{"x":1}}                    events, as in a file
//! server: {"ack":{"p1":18}}                           so many events of p1 are safe now
//! client: {"over":true}                               nothing more will come, from anyone
//! server: {"error":"..."}                             why the connection is closed
//! ```
//!
//! Events of a process are numbered from 1 in its order. A connection that does not say `from` begins with the first one;
//! so sending a file again from its beginning is right, and what was there before is passed over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is said to whoever sends more to a run that is over; the reason may follow.
pub const IS_OVER: &str = "the run is over";

/// What a client says that is not an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// Which run it is about.
    Hello(Hello),
    /// Where the numbers of the events that follow begin, by process.
    From(BTreeMap<String, u32>),
    /// The run is over.
    Over,
}

/// Which run a connection is about.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Its name, any text.
    pub run: String,
    /// What shows that the client may send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct From {
    from: BTreeMap<String, u32>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Over {
    over: bool,
}

/// What a server says.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// How many events of each process are safe, when the client has said hello.
    Have {
        /// The run.
        run: String,
        /// The number of events, by process.
        have: BTreeMap<String, u32>,
    },
    /// How many events of some processes are safe now.
    Ack {
        /// The number of events, by process.
        ack: BTreeMap<String, u32>,
    },
    /// Why the connection is closed.
    Error {
        /// What is wrong.
        error: String,
    },
}

impl Reply {
    /// The line that says it.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

impl Word {
    /// What a line says, if it is not an event or a header; or what is wrong with it.
    pub fn read(line: &[u8]) -> Option<Result<Word, String>> {
        let starts = |key: &str| {
            let rest = line
                .strip_prefix(b"{\"")
                .and_then(|l| l.strip_prefix(key.as_bytes()));
            rest.is_some_and(|rest| rest.starts_with(b"\""))
        };
        let wrong = |error: serde_json::Error| format!("this line is not understood: {error}");
        if starts("run") {
            Some(serde_json::from_slice(line).map(Word::Hello).map_err(wrong))
        } else if starts("from") {
            let read = serde_json::from_slice(line).map(|From { from }| Word::From(from));
            Some(read.map_err(wrong))
        } else if starts("over") {
            let read = serde_json::from_slice(line).map(|Over { .. }| Word::Over);
            Some(read.map_err(wrong))
        } else {
            None
        }
    }

    /// The line that says it.
    pub fn line(&self) -> String {
        let line = match self {
            Word::Hello(hello) => serde_json::to_string(hello),
            Word::From(from) => serde_json::to_string(&From { from: from.clone() }),
            Word::Over => serde_json::to_string(&Over { over: true }),
        };
        let mut line = line.unwrap_or_default();
        line.push('\n');
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        let hello = Hello {
            run: "a \"run\"".to_owned(),
            token: Some("t".to_owned()),
        };
        let words = [
            Word::Hello(hello),
            Word::From(BTreeMap::from([("p1".to_owned(), 18)])),
            Word::Over,
        ];
        for word in words {
            let line = word.line();
            assert_eq!(Word::read(line.trim_end().as_bytes()), Some(Ok(word)));
        }
    }

    #[test]
    fn events_and_headers_are_no_words() {
        for line in ["{\"p\":\"run\"}", "{\"causet\":1}", "", "{\"runs\":1}"] {
            assert_eq!(Word::read(line.as_bytes()), None);
        }
        for line in ["{\"run\":1}", "{\"from\":[]}", "{\"over\":true,\"x\":1}"] {
            assert!(
                matches!(Word::read(line.as_bytes()), Some(Err(_))),
                "{line}"
            );
        }
    }

    #[test]
    fn replies_are_read_as_they_are_written() {
        let ack = Reply::Ack {
            ack: BTreeMap::from([("p1".to_owned(), 2)]),
        };
        assert_eq!(ack.line(), "{\"ack\":{\"p1\":2}}\n");
        assert_eq!(serde_json::from_str::<Reply>(&ack.line()).ok(), Some(ack));
    }
}
