//! Writing a system so that every reader of the format understands it.
//!
//! Labels are quoted, because all readers agree on what a quoted label is and not on where an unquoted one ends; only `i`
//! is not, because for some tools the quotes would make it an ordinary label. A quoted label cannot hold a quote or a line
//! end, and none can be empty. Such a label stands unquoted if it has a quote but neither blank nor comma; otherwise it is
//! respelled, with apostrophes for quotes, blanks for control characters and more apostrophes at the end until no other
//! label is spelled like that: labels that differ stay different, and the caller is told.

use std::io::{self, Write};

use crate::system::{Labels, Lts};

/// A label that could not be written as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Respelled {
    /// The number of the label.
    pub label: u32,
    /// What was written instead.
    pub written: String,
}

/// How much is gathered before it is passed on.
const GATHERED: usize = 64 << 10;

/// Writes a system, and says which labels could not be written as they are.
pub fn write(lts: &Lts, output: &mut dyn Write) -> io::Result<Vec<Respelled>> {
    let (tokens, respelled) = tokens(lts.labels());
    let mut out = Vec::with_capacity(GATHERED + 4096);
    let (initial, steps, states) = (lts.initial(), lts.step_count(), lts.states());
    writeln!(out, "des ({initial},{steps},{states})")?;
    for source in 0..states {
        for step in lts.steps(source) {
            out.push(b'(');
            push_number(&mut out, source);
            out.extend_from_slice(tokens[step.label as usize].as_bytes());
            push_number(&mut out, step.target);
            out.extend_from_slice(b")\n");
            if out.len() >= GATHERED {
                output.write_all(&out)?;
                out.clear();
            }
        }
    }
    output.write_all(&out)?;
    output.flush()?;
    Ok(respelled)
}

/// The labels with the commas around them, and those that are not spelled as they were.
fn tokens(labels: &Labels) -> (Vec<String>, Vec<Respelled>) {
    let mut respelled: Vec<Respelled> = Vec::new();
    let mut tokens = Vec::with_capacity(labels.len());
    for label in 0..labels.len() as u32 {
        let text = labels.text(label);
        tokens.push(if text == "i" || stands_bare(text) {
            format!(",{text},")
        } else if stands_quoted(text) {
            format!(",\"{text}\",")
        } else {
            let written = respell(text, |spelling| {
                let taken = respelled.iter().any(|other| other.written == spelling);
                !taken && labels.find(spelling).is_none()
            });
            let token = format!(",\"{written}\",");
            respelled.push(Respelled { label, written });
            token
        });
    }
    (tokens, respelled)
}

fn stands_quoted(text: &str) -> bool {
    !text.is_empty() && !text.contains(['"', '\n', '\0'])
}

/// Whether a label with a quote can go without quotes around it.
fn stands_bare(text: &str) -> bool {
    let odd = |c: char| c == ',' || c == '\0' || c.is_whitespace();
    text.contains('"') && !text.starts_with('"') && !text.contains(odd)
}

fn respell(text: &str, is_free: impl Fn(&str) -> bool) -> String {
    let respelled = text.chars().map(|c| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    });
    let mut written: String = respelled.collect();
    while written.is_empty() || !is_free(&written) {
        written.push('\'');
    }
    written
}

/// Writes a number in decimal.
#[inline]
fn push_number(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}
