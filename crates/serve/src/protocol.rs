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

use causet_base::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::refusal::refused;

/// No event of a process has a greater number.
pub const LAST_NUMBER: u32 = u32::MAX - 1;

/// What is said to whoever sends more to a run that is over; the reason may follow.
pub const IS_OVER: &str = "the run is over";

/// What is said to whoever says that a run is not over.
const NOT_OVER: &str =
    "`over` can only be true: it ends the run for everyone; a run goes on without it";

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

/// The same as it is read: a number may be too large.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyFrom {
    from: BTreeMap<String, u64>,
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
    pub fn read(line: &[u8]) -> Option<Result<Word, Diagnostic>> {
        let starts = |key: &str| {
            let rest = line
                .strip_prefix(b"{\"")
                .and_then(|l| l.strip_prefix(key.as_bytes()));
            rest.is_some_and(|rest| rest.starts_with(b"\""))
        };
        let wrong =
            |error: serde_json::Error| refused(format!("this line is not understood: {error}"));
        if starts("run") {
            Some(serde_json::from_slice(line).map(Word::Hello).map_err(wrong))
        } else if starts("from") {
            let read = serde_json::from_slice(line).map_err(wrong);
            Some(read.and_then(|AnyFrom { from }| Word::from(from)))
        } else if starts("over") {
            let read = serde_json::from_slice(line).map_err(wrong);
            Some(read.and_then(|Over { over }| match over {
                true => Ok(Word::Over),
                false => Err(refused(NOT_OVER)),
            }))
        } else {
            None
        }
    }

    /// Where numbers begin; each has to be one that an event can have.
    fn from(from: BTreeMap<String, u64>) -> Result<Word, Diagnostic> {
        let numbered = from.into_iter().map(|(process, number)| {
            let fits = u32::try_from(number).ok();
            match fits.filter(|number| (1..=LAST_NUMBER).contains(number)) {
                Some(number) => Ok((process, number)),
                None => Err(refused(format!(
                    "`from` says {number} for process `{process}`; its events are numbered from 1 to {LAST_NUMBER}"
                ))),
            }
        });
        numbered.collect::<Result<_, _>>().map(Word::From)
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
    fn only_numbers_of_events_and_a_true_end_are_words() {
        let read = |line: &str| Word::read(line.as_bytes()).expect("a word");
        for number in ["0", "4294967295", "4294967296", "18446744073709551615"] {
            let error = read(&format!("{{\"from\":{{\"p1\":{number}}}}}")).expect_err("no event");
            let error = error.message.as_str();
            assert!(error.contains("from 1 to 4294967294"), "{error}");
            assert!(error.contains(number) && error.contains("p1"), "{error}");
        }
        let last = BTreeMap::from([("p1".to_owned(), LAST_NUMBER)]);
        assert_eq!(read("{\"from\":{\"p1\":4294967294}}"), Ok(Word::From(last)));
        assert_eq!(read("{\"over\":false}"), Err(refused(NOT_OVER)));
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
