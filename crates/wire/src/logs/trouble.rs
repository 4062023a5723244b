//! Why a log was not read, before the file is known to whom it happened.

use std::io;
use std::ops::Range;

use causet_trace::BuildError;

use crate::error::{Complaint, ReadError};

/// What went wrong in a part.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// A line is at fault.
    Line {
        /// Its number, from 1.
        line: u32,
        /// Its text, as far as it is at hand.
        text: String,
        /// What is wrong with it.
        complaint: Box<Complaint>,
    },
    /// The run is at fault.
    Run(Box<BuildError>),
    /// The bytes could not be read or decompressed.
    Io(io::Error),
    /// Somebody asked to stop.
    Stopped,
}

impl From<BuildError> for Trouble {
    fn from(error: BuildError) -> Self {
        Trouble::Run(Box::new(error))
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Io(error)
    }
}

impl Trouble {
    /// A line is at fault, at a span of its bytes.
    pub(crate) fn at(
        line: u32,
        text: &str,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let end = |at: usize| (at..=text.len()).find(|&at| text.is_char_boundary(at));
        let span = end(span.start).unwrap_or(0)..end(span.end).unwrap_or(text.len());
        Trouble::Line {
            line,
            text: text.to_owned(),
            complaint: Complaint::new(span, message, expected),
        }
    }

    /// A line is at fault as a whole.
    pub(crate) fn of_line(
        line: u32,
        text: &str,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let start = text.len() - text.trim_start().len();
        Trouble::at(
            line,
            text,
            start..text.trim_end().len().max(start),
            message,
            expected,
        )
    }

    /// With a way out.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        if let Trouble::Line { complaint, .. } = &mut self {
            complaint.help = Some(help.into());
        }
        self
    }

    /// The same, for whoever knows the parts.
    pub(crate) fn in_part(self, part: usize, names: &[String]) -> ReadError {
        let name = || names.get(part).cloned().unwrap_or_default();
        match self {
            Trouble::Line {
                line,
                text,
                complaint,
            } => ReadError::Fault(Box::new(complaint.in_line(&name(), line, &text))),
            Trouble::Run(error) => ReadError::Late {
                error,
                parts: names.to_vec(),
            },
            Trouble::Io(error) => ReadError::Io {
                part: name(),
                error,
            },
            Trouble::Stopped => ReadError::Stopped,
        }
    }
}
