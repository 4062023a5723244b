//! A run as a Mermaid sequence diagram, row by row in recorded order.
//!
//! Mermaid's arrows are level, so a message is drawn where it is received; where it was sent is a note. A message that
//! never arrives and has a destination is an arrow that ends in a cross.

use std::collections::HashSet;
use std::io;

use causet_trace::{EventId, MessageId, Trace};

use crate::describe::{phrases, replaced};

/// Writes the diagram.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    let received = trace.events().flat_map(|event| trace.receives(event));
    let arrived: HashSet<MessageId> = received.copied().collect();
    writeln!(out, "sequenceDiagram")?;
    for process in trace.order().processes() {
        let name = escaped(trace.process_name(process));
        writeln!(out, "    participant p{} as {name}", process.index())?;
    }
    for event in trace.order().recorded() {
        write_event(trace, event, &arrived, out)?;
    }
    Ok(())
}

fn write_event(
    trace: &Trace,
    event: EventId,
    arrived: &HashSet<MessageId>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let own = trace.order().process_of(event).index();
    let mut drawn = 0;
    for &message in trace.receives(event) {
        if let Some(sender) = trace.sender(message) {
            let from = trace.order().process_of(sender).index();
            let name = escaped(trace.message_name(message));
            writeln!(out, "    p{from}-)p{own}: {name}")?;
            drawn += 1;
        }
    }
    let notes: Vec<String> = phrases(trace, event)
        .iter()
        .map(|phrase| escaped(phrase))
        .collect();
    let only_arrows = drawn > 0 && drawn == notes.len();
    if !only_arrows {
        writeln!(out, "    Note over p{own}: {}", notes.join("<br/>"))?;
    }
    for &message in trace
        .sends(event)
        .iter()
        .filter(|message| !arrived.contains(message))
    {
        let name = escaped(trace.message_name(message));
        for to in trace.destinations(event) {
            writeln!(out, "    p{own}-xp{}: {name}", to.index())?;
        }
    }
    Ok(())
}

/// Text as the diagram's grammar and the page it is shown on can bear it.
fn escaped(text: &str) -> String {
    replaced(text, |c| match c {
        '#' => Some("#35;"),
        ';' => Some("#59;"),
        '"' => Some("#quot;"),
        '<' => Some("#lt;"),
        '>' => Some("#gt;"),
        '&' => Some("#amp;"),
        '\n' => Some("<br/>"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use causet_trace::notation::parse;

    #[test]
    fn rows_follow_the_recorded_order() {
        let run = parse("a: x=1  m!b  n!b\nb:      .     m?  y=2").expect("a drawing");
        let mut out = Vec::new();
        super::write(&run, &mut out).expect("memory is writable");
        let expected = "\
sequenceDiagram
    participant p0 as a
    participant p1 as b
    Note over p0: x = 1
    Note over p0: send m
    Note over p1: step
    Note over p0: send n
    p0-xp1: n
    p0-)p1: m
    Note over p1: y = 2
";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn signs_of_the_grammar_are_escaped() {
        assert_eq!(
            super::escaped("a;b#c\n\"<i>&"),
            "a#59;b#35;c<br/>#quot;#lt;i#gt;#amp;"
        );
    }
}
