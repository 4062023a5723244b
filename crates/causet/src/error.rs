//! Why a run could not be read or checked.

use std::fmt;

use crate::failure::Failure;
use crate::message::Message;

/// What is wrong with a run or with what is asked of it: one or more messages, each with a stable code.
///
/// ```
/// let error = causet::Run::read("{\"p\":\"a\",\"set\":{\"x\":1}\n").unwrap_err();
/// let first = &error.messages()[0];
/// assert_eq!(first.code(), "E0101");
/// assert_eq!(first.line(), Some(1));
/// assert!(error.to_string().contains("<text>:1:"), "{error}");
/// ```
#[derive(Clone)]
pub struct Error {
    messages: Vec<Message>,
}

impl Error {
    /// All that is wrong, in the order in which it was found; never empty.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) fn told(messages: Vec<Message>) -> Error {
        Error { messages }
    }

    /// The end of work in which other messages were told before.
    pub(crate) fn after(mut told: Vec<Message>, failure: Failure) -> Error {
        told.extend(failure.diagnostic().map(Message::from));
        Error::told(told)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        Error::after(Vec::new(), failure)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self
            .messages
            .iter()
            .take(MOST_SHOWN)
            .map(Message::to_string);
        f.write_str(&shown.collect::<Vec<_>>().join("\n"))?;
        match self.messages.len().saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// The same: tests that return an error show it in this way.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// After this many messages the others are counted.
const MOST_SHOWN: usize = 20;

impl std::error::Error for Error {}
