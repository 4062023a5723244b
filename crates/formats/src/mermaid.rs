//! A run as a Mermaid sequence diagram, row by row in recorded order.
//!
//! A message that never arrives and has a destination is an arrow that ends in a cross.

use std::io;

use causet_trace::Trace;

use crate::describe::replaced;
use crate::sequence::{Row, rows};

/// Writes the diagram.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "sequenceDiagram")?;
    for process in trace.order().processes() {
        let name = escaped(trace.process_name(process));
        writeln!(out, "    participant p{} as {name}", process.index())?;
    }
    rows(trace, |row| match row {
        Row::Arrow { from, to, name } => {
            let (from, to) = (from.index(), to.index());
            writeln!(out, "    p{from}-)p{to}: {}", escaped(name))
        }
        Row::Note { over, phrases } => {
            let phrases: Vec<String> = phrases.iter().map(|phrase| escaped(phrase)).collect();
            let text = phrases.join("<br/>");
            writeln!(out, "    Note over p{}: {text}", over.index())
        }
        Row::Lost { from, to, name } => {
            let (from, to) = (from.index(), to.index());
            writeln!(out, "    p{from}-xp{to}: {}", escaped(name))
        }
    })
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
