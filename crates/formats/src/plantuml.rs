//! A run as a PlantUML sequence diagram, row by row in recorded order.
//!
//! A message that never arrives and has a destination is an arrow that ends in a cross.

use std::io;

use causet_trace::Trace;

use crate::describe::replaced;
use crate::sequence::{Row, rows};

/// Writes the diagram.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "@startuml")?;
    for process in trace.order().processes() {
        let name = escaped(trace.process_name(process));
        writeln!(out, "participant \"{name}\" as p{}", process.index())?;
    }
    rows(trace, |row| match row {
        Row::Arrow { from, to, name } => {
            let (from, to) = (from.index(), to.index());
            writeln!(out, "p{from} ->> p{to} : {}", escaped(name))
        }
        Row::Note { over, phrases } => {
            let phrases: Vec<String> = phrases.iter().map(|phrase| escaped(phrase)).collect();
            let text = phrases.join("\\n");
            writeln!(out, "rnote over p{} : {text}", over.index())
        }
        Row::Lost { from, to, name } => {
            let (from, to) = (from.index(), to.index());
            writeln!(out, "p{from} ->x p{to} : {}", escaped(name))
        }
    })?;
    writeln!(out, "@enduml")
}

/// Text as the diagram's grammar can bear it: what could begin markup or end a name is written as a character reference.
fn escaped(text: &str) -> String {
    replaced(text, |c| match c {
        '"' => Some("<U+0022>"),
        '\\' => Some("<U+005C>"),
        '<' => Some("<U+003C>"),
        '~' => Some("<U+007E>"),
        '*' => Some("<U+002A>"),
        '_' => Some("<U+005F>"),
        '/' => Some("<U+002F>"),
        '-' => Some("<U+002D>"),
        '%' => Some("<U+0025>"),
        '$' => Some("<U+0024>"),
        '[' => Some("<U+005B>"),
        '\'' => Some("<U+0027>"),
        '\n' => Some("\\n"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use causet_trace::notation::parse;

    #[test]
    fn rows_follow_the_recorded_order() {
        let run = parse("a: x=1  m!b  n!b\nb:      .     m?,y=2").expect("a drawing");
        let mut out = Vec::new();
        super::write(&run, &mut out).expect("memory is writable");
        let expected = "\
@startuml
participant \"a\" as p0
participant \"b\" as p1
rnote over p0 : x = 1
rnote over p0 : send m
rnote over p1 : step
rnote over p0 : send n
p0 ->x p1 : n
p0 ->> p1 : m
rnote over p1 : recv m\\ny = 2
@enduml
";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn markup_is_written_as_characters() {
        assert_eq!(super::escaped("<b>\n__"), "<U+003C>b>\\n<U+005F><U+005F>");
    }
}
