//! Lines that arrive a few at a time, rather than in files: what a header among them declares, and pieces of whole lines
//! that are parsed where they arrive and fed to whoever follows the run.

use causet_base::Diagnostic;
use causet_trace::{BuildError, Place, Sink};

use super::batch::Batch;
use super::blocks::RawBlock;
use super::feed::{Feeder, Parsed};
use super::header::{Header, is_header};
use super::read::parse;
use crate::error::ReadError;

/// Whole lines, none of them a header, parsed up to the first one at fault.
#[derive(Debug)]
pub struct Piece {
    parsed: Parsed,
}

impl Piece {
    /// Parses whole lines.
    pub fn parse(lines: Vec<u8>) -> Self {
        let raw = RawBlock {
            part: 0,
            bytes: lines,
            header: false,
        };
        Piece {
            parsed: parse(raw, Batch::default()),
        }
    }

    /// The lines, as far as they are text.
    pub fn text(&self) -> &str {
        &self.parsed.text
    }

    /// Feeds the events, then reports the line at which parsing stopped, if it did. Lines are counted from 1.
    pub fn feed<S: Sink>(&mut self, name: &str, sink: &mut S) -> Result<(), ReadError> {
        let names = [name.to_owned()];
        Feeder::new(sink, &names).feed(&mut self.parsed)
    }
}

/// What a header declares.
#[derive(Clone, Default, Debug)]
pub struct Declared {
    header: Header,
}

impl Declared {
    /// Whether a line is a header.
    pub fn is_in(line: &str) -> bool {
        is_header(line)
    }

    /// Takes over what a header says. What it says again has to be the same; `name` says whose line it is.
    pub fn add(&mut self, name: &str, line: &str) -> Result<(), ReadError> {
        let fault = |complaint: Diagnostic| ReadError::Fault(complaint.in_line(name, 1, line));
        let header = Header::read(line).map_err(fault)?;
        self.header.merge(header.at(0, 1)).map_err(fault)
    }

    /// Declares everything to whoever takes the events.
    pub fn apply(&self, sink: &mut impl Sink) -> Result<(), BuildError> {
        let declared = self.header.apply(sink);
        declared.map_err(|kind| BuildError {
            place: Place { part: 0, line: 1 },
            field: "processes",
            text: String::new(),
            kind,
        })
    }
}
