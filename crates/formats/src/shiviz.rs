//! A run as a ShiViz log: two lines per event, what it did and its host with the vector clock.
//!
//! The first line is the expression that reads the rest, the second, empty one says that there is one execution. A host
//! is a word in ShiViz, so blanks in names become `_`; should two names fall together, the later one gets more of them.

use std::fmt::Write as _;
use std::io;

use causet_trace::{Clocks, Trace};

use crate::describe::{phrases, push_json};

/// How ShiViz is told to read the log.
const EXPRESSION: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";

/// Writes the log.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    let order = trace.order();
    let clocks = Clocks::new(order);
    let hosts = hosts(trace);
    writeln!(out, "{EXPRESSION}\n")?;
    let mut text = String::new();
    for event in order.recorded() {
        text.clear();
        let phrases = phrases(trace, event).join(", ");
        text.extend(
            phrases
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c }),
        );
        let _ = write!(text, "\n{} {{", hosts[order.process_of(event).index()]);
        let entries = hosts.iter().zip(clocks.of(event));
        for (number, (host, count)) in entries.filter(|(_, count)| **count > 0).enumerate() {
            text.push_str(if number > 0 { "," } else { "" });
            push_json(&mut text, host);
            let _ = write!(text, ":{count}");
        }
        text.push_str("}\n");
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn hosts(trace: &Trace) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for process in trace.order().processes() {
        let name = trace.process_name(process).chars();
        let is_blank = |c: char| c.is_whitespace() || c.is_control();
        let mut host: String = name.map(|c| if is_blank(c) { '_' } else { c }).collect();
        while hosts.contains(&host) {
            host.push('_');
        }
        hosts.push(host);
    }
    hosts
}

#[cfg(test)]
mod tests {
    use causet_trace::notation::parse;

    #[test]
    fn every_event_has_its_clock() {
        let run = parse("node a: x=1  m!b\nb:           .   m?,@got").expect("a drawing");
        let mut out = Vec::new();
        super::write(&run, &mut out).expect("memory is writable");
        let expected = r#"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})

x = 1
node_a {"node_a":1}
send m
node_a {"node_a":2}
step
b {"b":1}
got, recv m
b {"node_a":2,"b":2}
"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
