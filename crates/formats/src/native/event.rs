//! One line to one event: the fields of the format, each with its type, checked as they come.

use std::ops::Range;

use causet_base::nearest;
use causet_base::{Code, Diagnostic};
use causet_trace::{NumberFault, StoredValue, Time};

use super::batch::{Batch, Kind, Name, Rare, RawRef, RawValue, Row, Text};
use super::header;
use super::scan::{LikelyKey, Progress, Quoted, Scan, Scanned};
use crate::error::mistake;

/// The fields of an event, in the order of the documentation.
pub(crate) const FIELDS: [&str; 12] = [
    "p", "set", "read", "send", "recv", "to", "clock", "after", "ev", "id", "t", "end",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    P,
    Set,
    Read,
    Send,
    Recv,
    To,
    Clock,
    After,
    Ev,
    Id,
    T,
    End,
}

impl Field {
    fn from_key(key: &str) -> Option<Field> {
        Some(match key {
            "p" => Field::P,
            "set" => Field::Set,
            "read" => Field::Read,
            "send" => Field::Send,
            "recv" => Field::Recv,
            "to" => Field::To,
            "clock" => Field::Clock,
            "after" => Field::After,
            "ev" => Field::Ev,
            "id" => Field::Id,
            "t" => Field::T,
            "end" => Field::End,
            _ => return None,
        })
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The fields most lines have, the most frequent first.
const LIKELY: [Field; 6] = [
    Field::P,
    Field::Set,
    Field::Ev,
    Field::Send,
    Field::Recv,
    Field::To,
];

/// How they are spelt.
const LIKELY_KEYS: [LikelyKey; 6] = [
    LikelyKey::new("p"),
    LikelyKey::new("set"),
    LikelyKey::new("ev"),
    LikelyKey::new("send"),
    LikelyKey::new("recv"),
    LikelyKey::new("to"),
];

/// The fields kept apart.
const RARE: u16 = Field::Read.bit()
    | Field::Clock.bit()
    | Field::After.bit()
    | Field::Id.bit()
    | Field::T.bit()
    | Field::End.bit();

/// Reads the lines of a block into a batch.
pub(super) struct Lines<'b> {
    /// The whole block.
    pub(super) block: &'b str,
    pub(super) batch: &'b mut Batch,
}

/// A line being read.
struct Line<'l, 'b> {
    block: &'b str,
    batch: &'l mut Batch,
    scan: Scan<'b>,
    /// Where the line starts in the block.
    base: usize,
    /// The fields seen so far, one bit each.
    seen: u16,
    number: u32,
    process: Name,
    label: Name,
    kind: Kind,
    id: Option<Text>,
    time: Option<Time>,
    /// The keys of `to` and `end`, to point at.
    to: Range<usize>,
    end: Range<usize>,
}

impl Lines<'_> {
    /// Adds the event that stands at `span` of the block, on a line of it counted from 0.
    pub(super) fn add(&mut self, span: Range<usize>, number: u32) -> Scanned<()> {
        let mut line = Line {
            block: self.block,
            batch: self.batch,
            scan: Scan::new(&self.block[span.clone()]),
            base: span.start,
            seen: 0,
            number,
            process: Name::NONE,
            label: Name::NONE,
            kind: Kind::Event,
            id: None,
            time: None,
            to: 0..0,
            end: 0..0,
        };
        line.read()
    }
}

impl<'b> Line<'_, 'b> {
    fn read(&mut self) -> Scanned<()> {
        let mut inside = open_line(&mut self.scan)?;
        let open = self.scan.at() - 1;
        while let Some((field, key)) = self.next_field(&mut inside)? {
            if self.seen & field.bit() != 0 {
                return Err(duplicate(&self.scan, key));
            }
            self.seen |= field.bit();
            self.read_field(field, key)?;
        }
        let object = open..self.scan.at();
        self.scan.end()?;
        self.check_together(object)?;
        self.push_row();
        Ok(())
    }

    /// The next field of the event; the usual ones are recognised at a glance.
    #[inline]
    fn next_field(&mut self, inside: &mut Progress) -> Scanned<Option<(Field, Quoted)>> {
        if let Some((number, key)) = self.scan.likely_key(inside, &LIKELY_KEYS) {
            return Ok(Some((LIKELY[number], key)));
        }
        let Some(key) = self.scan.next_key(inside)? else {
            return Ok(None);
        };
        match self.field(key) {
            Some(field) => Ok(Some((field, key))),
            None => Err(unknown_field(&self.scan, key)),
        }
    }

    #[inline]
    fn push_row(&mut self) {
        let rare = self.seen & RARE != 0;
        let batch = &mut *self.batch;
        batch.rows.push(Row {
            line: self.number,
            process: self.process,
            label: self.label,
            rare,
            sets: batch.sets.len() as u32,
            sends: batch.sends.len() as u32,
            to: batch.to.len() as u32,
            recvs: batch.recvs.len() as u32,
        });
        if rare {
            batch.rare.push(Rare {
                kind: self.kind,
                id: self.id,
                time: self.time,
                reads: batch.reads.len() as u32,
                clock: batch.clock.len() as u32,
                after: batch.after.len() as u32,
            });
        }
    }

    #[inline]
    fn field(&self, key: Quoted) -> Option<Field> {
        if key.is_escaped() {
            Field::from_key(&self.scan.text(key))
        } else {
            Field::from_key(self.scan.raw(key))
        }
    }

    #[inline]
    fn read_field(&mut self, field: Field, key: Quoted) -> Scanned<()> {
        match field {
            Field::P => self.process = self.process_name()?,
            Field::Set => self.set()?,
            Field::Read => self.reads()?,
            Field::Send => self.ids(|batch| &mut batch.sends)?,
            Field::Recv => self.ids(|batch| &mut batch.recvs)?,
            Field::To => {
                self.to = key.span();
                self.destinations()?;
            }
            Field::Clock => self.clock()?,
            Field::After => self.after()?,
            Field::Ev => {
                let label = self.string("a string, the name of what the event did")?;
                self.label = self.intern(label);
            }
            Field::Id => {
                let id = self.string("a string, the unique name of the event")?;
                self.id = Some(self.batch.keep(self.base, &self.scan, id));
            }
            Field::T => self.time = Some(self.seconds()?),
            Field::End => {
                self.end = key.span();
                self.end_mark()?;
            }
        }
        Ok(())
    }

    /// What one field asks of the others.
    fn check_together(&self, object: Range<usize>) -> Scanned<()> {
        let has = |field: Field| self.seen & field.bit() != 0;
        if !has(Field::P) {
            return Err(mistake(
                Code::MissingField,
                object,
                "the field `p` is missing",
                "expected `\"p\":\"process\"`",
            )
            .with_help("every event names its process"));
        }
        if has(Field::End) && self.seen != Field::End.bit() | Field::P.bit() {
            let expected = "expected only `p` and `end`";
            return Err(mistake(
                Code::EndWithFields,
                self.end.clone(),
                "`end` stands together with the fields of an event",
                expected,
            )
            .with_help(
                "write `{\"p\":..,\"end\":true}` on a line of its own, after the last event",
            ));
        }
        if has(Field::To) && !has(Field::Send) {
            return Err(mistake(
                Code::ToWithoutSend,
                self.to.clone(),
                "`to` stands without `send`",
                "expected `send` on the same line",
            )
            .with_help("`to` says where the messages in `send` go; a receive needs no `to`"));
        }
        Ok(())
    }

    #[inline]
    fn intern(&mut self, string: Quoted) -> Name {
        let text = self.batch.keep(self.base, &self.scan, string);
        self.batch.intern(self.block, text)
    }

    #[inline]
    fn string(&mut self, what: &str) -> Scanned<Quoted> {
        if self.scan.next() != Some(b'"') {
            return Err(self.scan.wrong_type(what));
        }
        self.scan.string()
    }

    #[inline]
    fn process_name(&mut self) -> Scanned<Name> {
        let name = self.string("a string, the name of a process")?;
        not_empty(name)?;
        Ok(self.intern(name))
    }

    fn set(&mut self) -> Scanned<()> {
        let mut inside = self.scan.open_object("an object of variables and values")?;
        self.batch.start_object();
        while let Some(key) = self.scan.next_key(&mut inside)? {
            let name = self.intern(key);
            if !self.batch.first_time(name) {
                return Err(duplicate(&self.scan, key));
            }
            self.value_of(name)?;
        }
        Ok(())
    }

    #[inline]
    fn value_of(&mut self, variable: Name) -> Scanned<()> {
        let value = match self.scan.next() {
            Some(b'"') => {
                let text = self.scan.string()?;
                RawValue::Text(self.intern(text))
            }
            Some(b'-' | b'0'..=b'9') if let Some(number) = self.scan.small_integer() => {
                RawValue::Ready(StoredValue::Int(number))
            }
            _ => RawValue::Ready(bare_value(&mut self.scan)?),
        };
        self.batch.sets.push((variable, value));
        Ok(())
    }

    fn reads(&mut self) -> Scanned<()> {
        let mut inside = self.scan.open_list("a list of shared variables")?;
        while self.scan.next_item(&mut inside)? {
            let name = self.string("a string, the name of a shared variable")?;
            let name = self.intern(name);
            self.batch.reads.push(name);
        }
        Ok(())
    }

    /// A message id or a list of them.
    #[inline]
    fn ids(&mut self, column: fn(&mut Batch) -> &mut Vec<Text>) -> Scanned<()> {
        if self.scan.next() != Some(b'[') {
            let id = self.message("a message id or a list of them")?;
            column(self.batch).push(id);
            return Ok(());
        }
        let mut inside = self.scan.open_list("")?;
        while self.scan.next_item(&mut inside)? {
            let id = self.message("a message id")?;
            column(self.batch).push(id);
        }
        Ok(())
    }

    /// A string, or an integer that stands for its decimal text.
    #[inline]
    fn message(&mut self, what: &str) -> Scanned<Text> {
        match self.scan.next() {
            Some(b'"') => {
                let id = self.scan.string()?;
                Ok(self.batch.keep(self.base, &self.scan, id))
            }
            Some(b'-' | b'0'..=b'9') => {
                let start = self.scan.at();
                let digits = self.scan.number()?;
                if digits.contains(['.', 'e', 'E']) {
                    let message = "wrong type: a message id is a string or an integer";
                    return Err(mistake(
                        Code::WrongType,
                        start..self.scan.at(),
                        message,
                        format!("expected {what}"),
                    )
                    .with_help("write the id in double quotes"));
                }
                Ok(Batch::keep_digits(self.base, start, digits))
            }
            _ => Err(self.scan.wrong_type(what)),
        }
    }

    /// A process or a list of them.
    fn destinations(&mut self) -> Scanned<()> {
        if self.scan.next() == Some(b'"') {
            let name = self.process_name()?;
            self.batch.to.push(name);
            return Ok(());
        }
        let mut inside = self.scan.open_list("a process or a list of them")?;
        while self.scan.next_item(&mut inside)? {
            let name = self.process_name()?;
            self.batch.to.push(name);
        }
        Ok(())
    }

    fn clock(&mut self) -> Scanned<()> {
        let mut inside = self.scan.open_object("an object of processes and counts")?;
        self.kind = Kind::EventWithClock;
        self.batch.start_object();
        while let Some(key) = self.scan.next_key(&mut inside)? {
            not_empty(key)?;
            let name = self.intern(key);
            if !self.batch.first_time(name) {
                return Err(duplicate(&self.scan, key));
            }
            let count = self.count("a number of events, 0 or more", 0)?;
            self.batch.clock.push((name, count));
        }
        Ok(())
    }

    /// An integer from `least` up to what fits in 32 bits.
    fn count(&mut self, what: &str, least: i64) -> Scanned<u32> {
        let Some(b'-' | b'0'..=b'9') = self.scan.next() else {
            return Err(self.scan.wrong_type(what));
        };
        let start = self.scan.at();
        let number = match self.scan.small_integer() {
            Some(number) => Some(number),
            None => integer(self.scan.number()?),
        };
        let in_range = number.filter(|&number| number >= least);
        match in_range.and_then(|number| u32::try_from(number).ok()) {
            Some(count) => Ok(count),
            None => {
                let found = self.scan.since(start);
                let message = format!("wrong value: {found} is no such count");
                Err(mistake(
                    Code::NumberOutOfRange,
                    start..self.scan.at(),
                    message,
                    format!("expected {what}"),
                )
                .with_help(format!("counts are integers from {least} to {}", u32::MAX)))
            }
        }
    }

    fn after(&mut self) -> Scanned<()> {
        let what = "a list of [process, number] and event ids";
        if let Some(b'"') = self.scan.next() {
            return Err(self
                .scan
                .wrong_type(what)
                .with_help("put the id into a list: [\"id\"]"));
        }
        let mut inside = self.scan.open_list(what)?;
        while self.scan.next_item(&mut inside)? {
            let target = match self.scan.next() {
                Some(b'[') => self.position()?,
                Some(b'"') => {
                    let id = self.scan.string()?;
                    RawRef::Id(self.batch.keep(self.base, &self.scan, id))
                }
                _ => {
                    let complaint = self.scan.wrong_type("[process, number] or an event id");
                    return Err(complaint
                        .with_help("write `\"after\":[[\"p2\",1]]` or `\"after\":[\"e7\"]`"));
                }
            };
            self.batch.after.push(target);
        }
        Ok(())
    }

    /// `[process, number]`.
    fn position(&mut self) -> Scanned<RawRef> {
        let pair = self.scan.value_span();
        let wrong = || {
            mistake(
                Code::WrongType,
                pair.clone(),
                "wrong value: an event is named by two things",
                "expected [process, number]",
            )
            .with_help("for example `[\"p2\",1]`, the first event of `p2`")
        };
        let mut inside = self.scan.open_list("")?;
        if !self.scan.next_item(&mut inside)? {
            return Err(wrong());
        }
        let process = self.process_name()?;
        if !self.scan.next_item(&mut inside)? {
            return Err(wrong());
        }
        let number = self.count("the number of an event, from 1", 1)?;
        if self.scan.next_item(&mut inside)? {
            return Err(wrong());
        }
        Ok(RawRef::Position(process, number))
    }

    fn seconds(&mut self) -> Scanned<Time> {
        let what = "a number, the time in seconds";
        let Some(b'-' | b'0'..=b'9') = self.scan.next() else {
            return Err(self.scan.wrong_type(what));
        };
        let start = self.scan.at();
        let time = Time::parse(self.scan.number()?);
        time.map_err(|fault| {
            let message = if fault == NumberFault::TooPrecise {
                "this number has too many digits for a time"
            } else {
                "this number is too large for a time"
            };
            let span = start..self.scan.at();
            mistake(
                Code::NumberOutOfRange,
                span,
                message,
                format!("expected {what}, of at most 19 digits"),
            )
            .with_help("`t` is wall-clock seconds, for display only")
        })
    }

    fn end_mark(&mut self) -> Scanned<()> {
        self.kind = Kind::End;
        let span = self.scan.value_span();
        if self.scan.next() == Some(b't') && self.scan.word("true") {
            return Ok(());
        }
        if self.scan.word("false") {
            let message = "wrong value: `end` marks the end, it cannot be false";
            return Err(mistake(Code::WrongType, span, message, "expected true")
                .with_help("leave the line out"));
        }
        Err(self.scan.wrong_type("true"))
    }
}

/// A number or boolean that a variable can hold; `what` a variable holds is said otherwise.
#[inline]
pub(super) fn bare_value(scan: &mut Scan<'_>) -> Scanned<StoredValue> {
    match scan.next() {
        Some(b'-' | b'0'..=b'9') => match scan.small_integer() {
            Some(number) => Ok(StoredValue::Int(number)),
            None => long_number(scan),
        },
        Some(b't') if scan.word("true") => Ok(StoredValue::Bool(true)),
        Some(b'f') if scan.word("false") => Ok(StoredValue::Bool(false)),
        _ => Err(scan.wrong_type("an integer, a decimal, a boolean or a string")),
    }
}

fn long_number(scan: &mut Scan<'_>) -> Scanned<StoredValue> {
    let start = scan.at();
    let text = scan.number()?;
    StoredValue::parse_number(text).map_err(|fault| {
        let expected = "expected a 64-bit integer or a decimal of at most 18 significant digits";
        mistake(
            Code::NumberOutOfRange,
            start..scan.at(),
            fault.to_string(),
            expected,
        )
        .with_help("round it, or write it as a string if nothing computes with it")
    })
}

/// The integer a JSON number is, if it is one that fits.
fn integer(text: &str) -> Option<i64> {
    match StoredValue::parse_number(text) {
        Ok(StoredValue::Int(number)) => Some(number),
        _ => None,
    }
}

/// Enters the object that a line is.
pub(super) fn open_line(scan: &mut Scan<'_>) -> Scanned<super::scan::Progress> {
    if scan.next() == Some(b'{') {
        return scan.open_object("an object");
    }
    let is_list = scan.next() == Some(b'[');
    let complaint = scan.wrong_type("an object: one event per line");
    Err(if is_list {
        complaint.with_help(
            "write each element of the list on a line of its own, without the commas between them",
        )
    } else if complaint.help.is_none() {
        complaint.with_help("an event is written as `{\"p\":\"p1\",...}`")
    } else {
        complaint
    })
}

pub(super) fn duplicate(line: &Scan<'_>, key: Quoted) -> Diagnostic {
    let message = format!("duplicate key `{}`", line.text(key));
    mistake(
        Code::DuplicateKey,
        key.span(),
        message,
        "expected each key once",
    )
    .with_help("remove one of the two")
}

pub(super) fn not_empty(name: Quoted) -> Scanned<()> {
    if name.length() > 0 {
        return Ok(());
    }
    Err(mistake(
        Code::EmptyName,
        name.span(),
        "a process has an empty name",
        "expected the name of a process",
    )
    .with_help("every process has a name of at least one character"))
}

fn unknown_field(line: &Scan<'_>, key: Quoted) -> Diagnostic {
    let name = line.text(key);
    if name == "causet" {
        return mistake(Code::MisplacedHeader,
            key.span(),
            "a header that is not the first line",
            "expected an event",
        )
        .with_help("if another run begins here, give it a file of its own; else move the header to the first line");
    }
    let message = format!("unknown field `{name}`");
    let complaint = mistake(
        Code::UnknownField,
        key.span(),
        message,
        "expected a field of an event",
    );
    if header::FIELDS.contains(&&*name) {
        return complaint.with_help("a header is the first line and has `\"causet\":1`");
    }
    complaint.with_help(match nearest(&name, FIELDS) {
        Some(field) => format!("did you mean `{field}`?"),
        None => format!(
            "the fields of an event are {}; variables stand in `set`",
            FIELDS.join(", ")
        ),
    })
}
