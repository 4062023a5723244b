//! From the spans of a run to its events: read as `causet check` reads them, written as a client would send them.

use std::io::Cursor;

use causet_base::Diagnostic;
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::{self, Part};

use crate::desk::Desk;
use crate::inside::{Inside, Refusal};
use crate::refusal::refused_spans;

/// A run in the native format.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Native {
    header: String,
    /// Whole lines, in pieces that are sent one by one.
    pieces: Vec<String>,
}

/// So much is sent at a time.
const PIECE: usize = 256 << 10;

/// Makes a run of spans, each on a line of its own, with so many processes at most.
pub(super) fn run(name: &str, spans: String, most: usize) -> Result<Native, Diagnostic> {
    let options = LogOptions {
        format: Some("otlp".to_owned()),
        merge: true,
        ..LogOptions::default()
    };
    let part = Part::new(name, Cursor::new(spans.into_bytes()));
    let read = logs::read(vec![part], &options, &());
    let (reading, _) = read.map_err(|error| refused_spans(error.to_string()))?;
    let processes = reading.trace.order().processes().count();
    if processes > most {
        return Err(refused_spans(format!(
            "the run has {processes} processes, and {most} are allowed"
        )));
    }
    let mut text = Vec::new();
    native::write(&reading.trace, &mut text).map_err(|error| refused_spans(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| refused_spans(error.to_string()))?;
    let (header, events) = text.split_once('\n').unwrap_or((&text, ""));
    let mut pieces = vec![String::new()];
    for line in events.split_inclusive('\n') {
        match pieces.last_mut() {
            Some(last) if last.len() + line.len() <= PIECE || last.is_empty() => *last += line,
            _ => pieces.push(line.to_owned()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    Ok(Native {
        header: header.to_owned(),
        pieces,
    })
}

impl Native {
    /// Asks the desk for the run.
    pub(super) async fn open<'d>(&self, desk: &'d Desk, run: &str) -> Result<Inside<'d>, Refusal> {
        Inside::hello(desk, run).await
    }

    /// Sends all of it, and says that the run is over. What was sent before the server was killed is passed over.
    pub(super) async fn send(&self, mut client: Inside<'_>) -> Result<(), Refusal> {
        client.header(self.header.clone()).await?;
        client.confirm().await?;
        for piece in &self.pieces {
            client.lines(piece.clone().into_bytes()).await?;
        }
        client.over().await
    }
}
