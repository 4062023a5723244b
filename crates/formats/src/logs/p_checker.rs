//! Traces that the checker of P writes, `*.trace.json`: an array of `{"type":...,"details":{...}}`.
//!
//! Machines and monitors are processes, ordered by the vector clocks of the trace. These count events that are not
//! written too, so the first may be the second: they are counted anew, by those that are written, which leaves the order
//! of these as it is. What is sent to a machine is a message, and the first that it dequeues of the same event and payload
//! is the first that was sent. The other details are variables. What belongs to no machine, as a failed assertion, is said
//! in a note.

mod mailboxes;
mod record;
mod written;

use super::document::Document;
use super::elements::{self, line_within};
use super::head::Head;
use super::json::fault;
use super::scribe::Scribe;
use super::text::Text;
use super::turns::Parse;
use super::{Format, Open, Reader};
use crate::error::ReadError;
use causet_base::Code;
use mailboxes::Mailboxes;
use record::{Event, Record, Told};
use written::Written;

pub(super) const FORMAT: Format = Format {
    name: "p-checker",
    title: "Traces of the P checker",
    about: "Machines and monitors are processes, ordered by the vector clocks of the trace; sends and dequeues are \
            messages. States, events and payloads are variables.",
    looks: |head: &Head<'_>| {
        head.starts_with('[')
            && ["type", "details", "log", "clock"]
                .iter()
                .all(|key| head.mentions(key))
    },
    open: Open::Log {
        reader: |_| Ok(Box::new(PChecker)),
        tolerant: false,
    },
};

const EXPECTED: &str = "expected the trace of the P checker: [{\"type\":\"SendEvent\",\"details\":{...,\"clock\":{...}}}]";

struct PChecker;

impl Reader for PChecker {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let workers = text.workers();
        let whole = text.whole()?;
        let text = &text.mend(whole, None);
        if text.trim().is_empty() {
            return Ok(());
        }
        let trace = Trace { text, workers };
        if scribe.can_start_over() {
            let teller = Teller::new(text, Counting::OnTheWay, scribe);
            if trace.tell(teller).is_ok() {
                return Ok(());
            }
            scribe.start_over();
        }
        // Something is at fault, or an event comes late: then all are counted first.
        let written = trace.count()?;
        let mut teller = Teller::new(text, Counting::Before, scribe);
        teller.written = written;
        trace.tell(teller)
    }
}

/// The records of a trace.
struct Trace<'r> {
    text: &'r str,
    workers: usize,
}

impl Trace<'_> {
    fn each(
        &self,
        take: impl for<'l> FnMut((u32, Told<'l>)) -> Result<(), ReadError> + Send,
    ) -> Result<(), ReadError> {
        elements::each::<Record<'_>, _>(self.text, self.workers, EXPECTED, &Records, take)
    }

    fn count(&self) -> Result<Written, ReadError> {
        let mut events = Vec::new();
        self.each(|(_, told)| {
            if let Told::Event(event) = told {
                events.push((event.entry.process.into_owned(), event.own));
            }
            Ok(())
        })?;
        Ok(Written::all(&events))
    }

    fn tell(&self, mut teller: Teller<'_, '_>) -> Result<(), ReadError> {
        self.each(|(line, told)| teller.tell(line, told))?;
        teller.finish();
        Ok(())
    }
}

/// Parses records, each with the line of its type.
struct Records;

impl Parse for Records {
    type Item<'l> = (u32, Told<'l>);

    fn parse<'l>(&self, number: u32, piece: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        let record = serde_json::from_str::<Record<'l>>(piece);
        let record = record.map_err(|error| fault(number, piece, &error, EXPECTED))?;
        let line = line_within(number, piece, &record.kind);
        Ok(Some((line, record.told(line))))
    }
}

/// When the events are counted that are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    Before,
    OnTheWay,
}

/// Tells the events.
struct Teller<'r, 'a> {
    text: &'r str,
    counting: Counting,
    written: Written,
    mailboxes: Mailboxes,
    /// The line of the first record.
    first: Option<u32>,
    /// What belongs to no machine, with its line.
    remarks: Vec<(u32, String)>,
    scribe: &'r mut Scribe<'a>,
}

impl<'r, 'a> Teller<'r, 'a> {
    fn new(text: &'r str, counting: Counting, scribe: &'r mut Scribe<'a>) -> Self {
        Teller {
            text,
            counting,
            written: Written::default(),
            mailboxes: Mailboxes::default(),
            first: None,
            remarks: Vec::new(),
            scribe,
        }
    }

    fn tell(&mut self, line: u32, told: Told<'_>) -> Result<(), ReadError> {
        self.first.get_or_insert(line);
        match told {
            Told::Event(mut event) => self.event(line, &mut event),
            Told::Remark(remark) => {
                self.remarks.push((line, remark));
                Ok(())
            }
            Told::Nobody => {
                let message = "the clock counts no event of a machine that is named here";
                let expected = "expected id, monitor or sender, with a count in the clock";
                Err(self.refused(line, message, expected))
            }
        }
    }

    fn event(&mut self, line: u32, event: &mut Event<'_>) -> Result<(), ReadError> {
        self.mailboxes.pass(event);
        let Event { entry, own, .. } = event;
        if self.counting == Counting::OnTheWay && !self.written.add(&entry.process, *own) {
            let expected = "expected each event before all that count it";
            return Err(self.refused(line, "this event comes late", expected));
        }
        if let Some(clock) = &mut entry.clock {
            self.written.recount(clock);
        }
        self.scribe.add(entry)?;
        Ok(())
    }

    fn refused(&self, line: u32, message: &str, expected: &str) -> ReadError {
        let document = Document::new(self.text);
        ReadError::of_line(
            Code::MalformedDocument,
            line,
            document.text_of(line),
            message,
            expected,
        )
    }

    fn finish(self) {
        if let Some(first) = self.first {
            self.written.note(first, self.scribe);
        }
        for (line, remark) in self.remarks {
            let help = "it belongs to no machine, and so it is not an event";
            self.scribe.note(line, remark, help);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::{LogOptions, read};
    use crate::native::{self, Part};

    /// What is read of some records, or what is wrong with them.
    fn told(records: &[&str]) -> Result<(Vec<String>, usize), String> {
        let text = format!("[{}]", records.join(",\n"));
        let options = LogOptions {
            format: Some("p-checker".to_owned()),
            ..LogOptions::default()
        };
        let parts = vec![Part::new("x", Cursor::new(text.into_bytes()))];
        let (reading, _) = read(parts, &options, &()).map_err(|error| error.to_string())?;
        let mut written = Vec::new();
        native::write(&reading.trace, &mut written).expect("it is written into memory");
        let written = String::from_utf8_lossy(&written);
        let mut lines: Vec<String> = written.lines().map(str::to_owned).collect();
        lines.sort();
        Ok((lines, reading.warnings.len()))
    }

    const FIRST: &str = r#"{"type":"S","details":{"id":"A","clock":{"A":1}}}"#;
    const SECOND: &str = r#"{"type":"T","details":{"id":"A","clock":{"A":3}}}"#;
    const THIRD: &str = r#"{"type":"U","details":{"id":"B","clock":{"A":3,"B":2}}}"#;
    const REMARK: &str = r#"{"type":"V","details":{"log":"failed"}}"#;

    #[test]
    fn events_that_come_late_are_counted_all_the_same() {
        let in_order = told(&[FIRST, SECOND, REMARK, THIRD]).expect("it is a trace");
        assert_eq!(in_order.1, 2, "events that are not written, and a remark");
        for late in [
            [FIRST, REMARK, THIRD, SECOND],
            [REMARK, FIRST, THIRD, SECOND],
        ] {
            assert_eq!(told(&late).as_ref(), Ok(&in_order));
        }
    }

    #[test]
    fn a_detail_is_said_once() {
        let twice = r#"{"type":"S","details":{"id":"A","clock":{"A":1},"id":"A"}}"#;
        let refused = told(&[FIRST, twice]).expect_err("the id is there twice");
        assert!(refused.contains("duplicate field `id`"), "{refused}");
    }
}
