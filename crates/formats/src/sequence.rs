//! A run as the rows of a sequence diagram, in recorded order; every notation of such diagrams writes them its own way.
//!
//! Arrows are level in these notations, so a message is drawn where it is received; where it was sent is a note.

use std::collections::HashSet;
use std::io;

use causet_trace::{EventId, MessageId, ProcessId, Trace};

use crate::describe::phrases;

/// One row.
pub(crate) enum Row<'a> {
    /// A message arrives.
    Arrow {
        from: ProcessId,
        to: ProcessId,
        name: &'a str,
    },
    /// What a process did, in phrases.
    Note {
        over: ProcessId,
        phrases: Vec<String>,
    },
    /// A message that never arrives.
    Lost {
        from: ProcessId,
        to: ProcessId,
        name: &'a str,
    },
}

/// Tells the rows one after the other.
pub(crate) fn rows(
    trace: &Trace,
    mut tell: impl FnMut(Row<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let received = trace.events().flat_map(|event| trace.receives(event));
    let arrived: HashSet<MessageId> = received.copied().collect();
    for event in trace.order().recorded() {
        rows_of(trace, event, &arrived, &mut tell)?;
    }
    Ok(())
}

fn rows_of(
    trace: &Trace,
    event: EventId,
    arrived: &HashSet<MessageId>,
    tell: &mut impl FnMut(Row<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let own = trace.order().process_of(event);
    let mut drawn = 0;
    for &message in trace.receives(event) {
        if let Some(sender) = trace.sender(message) {
            tell(Row::Arrow {
                from: trace.order().process_of(sender),
                to: own,
                name: trace.message_name(message),
            })?;
            drawn += 1;
        }
    }
    let phrases = phrases(trace, event);
    let only_arrows = drawn > 0 && drawn == phrases.len();
    if !only_arrows {
        tell(Row::Note { over: own, phrases })?;
    }
    let sends = trace.sends(event).iter();
    for &message in sends.filter(|message| !arrived.contains(message)) {
        for &to in trace.destinations(event) {
            tell(Row::Lost {
                from: own,
                to,
                name: trace.message_name(message),
            })?;
        }
    }
    Ok(())
}
