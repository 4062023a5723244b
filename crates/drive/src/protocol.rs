//! What is said between tester and adapter: JSON, one object a line.
//!
//! ```text
//! to the adapter                          from the adapter
//!                                         {"ready":true}       it has started, and the system is in its first state
//! {"do":"?coin"}   do this to the system
//!                                         {"saw":"!coffee"}    the system did this
//! {"reset":true}   back to the first state
//!                                         {"ready":true}       it is there
//!                                         {"error":"..."}      it cannot go on
//! ```
//!
//! Labels are those of the specification. Silence has no line: an adapter that says nothing has seen nothing.

use std::io::{self, BufRead, Read};

use causet_lts::conformance::roles::DELTA;
use serde::{Deserialize, Serialize};

/// A line is not longer than this.
pub const LONGEST_LINE: usize = 64 << 10;

/// What the adapter is told.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Do this to the system.
    Do(String),
    /// Bring the system back to its first state.
    Reset(bool),
}

impl Order {
    /// The line, with its end.
    pub fn line(&self) -> String {
        // A text or a truth value can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// What the adapter says.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// The system did this.
    Saw(String),
    /// Whether the system is in its first state. Until it is, `false` is as good as nothing; nobody asks for it later.
    Ready(bool),
    /// It cannot go on.
    Error(String),
}

/// One line of an adapter, or why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// It said something.
    Said(Said),
    /// It said something that is none of the protocol.
    Garbage(String),
    /// Its output has ended.
    End,
}

/// Reads one line.
pub fn hear(lines: &mut impl BufRead) -> Heard {
    match line(lines) {
        Ok(bytes) if bytes.is_empty() => Heard::End,
        Ok(bytes) if bytes.len() > LONGEST_LINE => {
            Heard::Garbage(format!("a line of more than {LONGEST_LINE} bytes"))
        }
        Ok(bytes) => understand(&bytes),
        Err(_) => Heard::End,
    }
}

fn line(lines: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = LONGEST_LINE as u64 + 1;
    lines.by_ref().take(most).read_until(b'\n', &mut bytes)?;
    Ok(bytes)
}

fn understand(bytes: &[u8]) -> Heard {
    match serde_json::from_slice::<Said>(bytes) {
        Ok(Said::Saw(label)) if label == DELTA => {
            let why = format!("`{DELTA}` as an observation; whoever sees nothing says nothing");
            Heard::Garbage(why)
        }
        Ok(said) => Heard::Said(said),
        Err(_) => {
            let text = String::from_utf8_lossy(bytes);
            let text: String = text.trim_end().chars().take(120).collect();
            Heard::Garbage(format!("`{text}`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_lines() {
        let order = Order::Do("?\"coin\"\n".to_owned());
        assert_eq!(order.line(), "{\"do\":\"?\\\"coin\\\"\\n\"}\n");
        assert_eq!(Order::Reset(true).line(), "{\"reset\":true}\n");
    }

    #[test]
    fn whatever_is_not_of_the_protocol_is_garbage() {
        let mut text = "{\"saw\":\"!tea\"}\n{\"ready\":true}\n{\"error\":\"no\"}\n".to_owned();
        text += "tea\n{\"saw\":1}\n{\"saw\":\"a\",\"ready\":true}\n{\"saw\":\"delta\"}\n\n";
        text += &"x".repeat(LONGEST_LINE + 9);
        let mut lines = text.as_bytes();
        let mut next = || hear(&mut lines);
        assert_eq!(next(), Heard::Said(Said::Saw("!tea".to_owned())));
        assert_eq!(next(), Heard::Said(Said::Ready(true)));
        assert_eq!(next(), Heard::Said(Said::Error("no".to_owned())));
        for _ in 0..6 {
            assert!(matches!(next(), Heard::Garbage(_)));
        }
        assert!(
            matches!(next(), Heard::Garbage(_)),
            "the rest of a long line"
        );
        assert_eq!(next(), Heard::End);
    }
}
