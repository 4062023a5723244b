//! Whether the initial cut, the final cut or the recorded order decides a property, found without the engines.
//!
//! The run is written once more with an edge from every line to the next. That run has one order, the recorded one, and
//! as many cuts as events, so the engine that follows the definition decides it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use super::checker::Checker;
use super::property::Property;

/// Writes a run again in which the order of the lines is the only one.
pub(super) fn write_single_order(run: &Path, single: &Path) -> io::Result<()> {
    let mut counts = std::collections::HashMap::<String, usize>::new();
    let mut previous: Option<(String, usize)> = None;
    let mut out = BufWriter::new(File::create(single)?);
    for line in BufReader::new(File::open(run)?).lines() {
        let line = line?;
        let Some(process) = process(&line) else {
            writeln!(out, "{line}")?;
            continue;
        };
        let count = counts.entry(process.to_owned()).or_default();
        *count += 1;
        let this = (process.to_owned(), *count);
        writeln!(out, "{}", ordered_after(&line, previous.as_ref()))?;
        previous = Some(this);
    }
    out.flush()
}

/// The process of an event, as `causet gen` writes it; none for the header.
fn process(line: &str) -> Option<&str> {
    line.strip_prefix("{\"p\":\"")?.split('"').next()
}

/// The line with one more edge.
fn ordered_after(line: &str, previous: Option<&(String, usize)>) -> String {
    let Some((process, number)) = previous else {
        return line.to_owned();
    };
    let edge = format!("[\"{process}\",{number}]");
    if line.contains("\"after\":[") {
        return line.replacen("\"after\":[", &format!("\"after\":[{edge},"), 1);
    }
    match line.strip_suffix('}') {
        Some(rest) => format!("{rest},\"after\":[{edge}]}}"),
        None => line.to_owned(),
    }
}

/// The verdict that the recorded order alone gives, if it gives one, or why that is not known.
pub(super) fn decided(
    checker: &Checker,
    single: &Path,
    property: &Property,
) -> Result<String, String> {
    let mut open = "no".to_owned();
    for question in &property.questions {
        let answer = checker.check_single_order(single, &question.text)?;
        if answer.verdict == question.decisive {
            return Ok(question.verdict.to_owned());
        }
        if answer.verdict != "holds" && answer.verdict != "violated" {
            open = format!("not found out: {} {}", answer.verdict, answer.reason);
        }
    }
    Ok(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_added_to_a_line() {
        let previous = ("a".to_owned(), 3);
        let plain = ordered_after("{\"p\":\"b\",\"ev\":\"x\"}", Some(&previous));
        assert_eq!(plain, "{\"p\":\"b\",\"ev\":\"x\",\"after\":[[\"a\",3]]}");
        let more = ordered_after("{\"p\":\"b\",\"after\":[[\"c\",1]]}", Some(&previous));
        assert_eq!(more, "{\"p\":\"b\",\"after\":[[\"a\",3],[\"c\",1]]}");
        assert_eq!(process("{\"causet\":1}"), None);
        assert_eq!(process(&plain), Some("b"));
    }
}
