//! Where lines go: a bounded buffer before a writer, which gets whole lines only.

use std::io::{self, Write};

/// Lines are handed on when this many bytes have come together.
const BUFFER: usize = 64 << 10;

/// A writer with a buffer of whole lines. After an error it takes nothing more and keeps telling that error, so the
/// program that is recorded runs on, and what was written is a prefix of the recording.
pub(crate) struct Sink {
    out: Box<dyn Write + Send>,
    lines: Vec<u8>,
    failed: Option<(io::ErrorKind, String)>,
}

impl Sink {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> Self {
        Sink {
            out,
            lines: Vec::with_capacity(BUFFER),
            failed: None,
        }
    }

    /// Takes in a line with its end.
    pub(crate) fn line(&mut self, line: &[u8]) {
        if self.lines.len() + line.len() > BUFFER {
            self.hand_on();
        }
        if self.failed.is_none() {
            self.lines.extend_from_slice(line);
        }
    }

    /// Hands everything on.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.hand_on();
        if self.failed.is_none() {
            let flushed = self.out.flush();
            self.note(flushed);
        }
        match &self.failed {
            None => Ok(()),
            Some((kind, text)) => Err(io::Error::new(*kind, text.clone())),
        }
    }

    fn hand_on(&mut self) {
        if !self.lines.is_empty() && self.failed.is_none() {
            let written = self.out.write_all(&self.lines);
            self.note(written);
        }
        self.lines.clear();
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed = Some((error.kind(), error.to_string()));
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // Nobody is left to be told of an error.
        let _ = self.flush();
    }
}
