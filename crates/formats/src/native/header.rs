//! The header: what the first line of a part declares, and whether the parts agree.

use std::ops::Range;

use causet_base::nearest;
use causet_base::{Code, Diagnostic};
use causet_trace::{Fault, Place, Sink, StoredValue};

use super::event::{bare_value, duplicate, not_empty, open_line};
use super::scan::{Quoted, Scan, Scanned};
use crate::error::{built, mistake};

/// The fields of a header.
pub(super) const FIELDS: [&str; 6] = ["causet", "processes", "shared", "init", "order", "meta"];

/// The one version there is.
const VERSION: i64 = 1;

/// What headers declare; `None` where they say nothing.
#[derive(Clone, Default, Debug)]
pub(super) struct Header {
    processes: Option<Vec<String>>,
    shared: Option<Vec<String>>,
    init: Option<Inits>,
    observed: Option<bool>,
    meta: Option<String>,
    /// Where each field's value stands in the line, by its number in [`FIELDS`].
    spans: [Option<Range<usize>>; FIELDS.len()],
    /// The part and line that gave `init`.
    init_place: (u32, u32),
}

/// An initial value; a text gets its number from the builder.
#[derive(Clone, PartialEq, Debug)]
enum InitValue {
    Ready(StoredValue),
    Text(String),
}

/// Initial values as they stand; their order says nothing.
#[derive(Clone, Debug)]
struct Inits(Vec<(String, InitValue)>);

impl PartialEq for Inits {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |inits: &Inits| {
            let mut inits = inits.0.clone();
            inits.sort_by(|one, other| one.0.cmp(&other.0));
            inits
        };
        sorted(self) == sorted(other)
    }
}

/// Whether a line is a header: an object that has the key `causet`. A malformed line counts as an event.
pub(super) fn is_header(line: &str) -> bool {
    let mut scan = Scan::new(line);
    let Ok(mut inside) = scan.open_object("") else {
        return false;
    };
    while let Ok(Some(key)) = scan.next_key(&mut inside) {
        if scan.text(key) == "causet" {
            return true;
        }
        if scan.skip_value().is_err() {
            return false;
        }
    }
    false
}

impl Header {
    /// Reads a header.
    pub(super) fn read(line: &str) -> Scanned<Header> {
        let mut header = Header::default();
        let mut scan = Scan::new(line);
        let mut inside = open_line(&mut scan)?;
        while let Some(key) = scan.next_key(&mut inside)? {
            let Some(number) = FIELDS.iter().position(|field| *field == scan.text(key)) else {
                return Err(unknown_field(&scan, key));
            };
            let span = scan.value_span();
            if header.spans[number].replace(span).is_some() {
                return Err(duplicate(&scan, key));
            }
            header.read_field(FIELDS[number], &mut scan)?;
        }
        scan.end()?;
        Ok(header)
    }

    fn read_field(&mut self, field: &str, scan: &mut Scan<'_>) -> Scanned<()> {
        match field {
            "causet" => read_version(scan)?,
            "processes" => self.processes = Some(read_processes(scan)?),
            "shared" => self.shared = Some(read_shared(scan)?),
            "init" => self.init = Some(read_init(scan)?),
            "order" => self.observed = Some(read_order(scan)?),
            _ => self.meta = Some(read_meta(scan)?),
        }
        Ok(())
    }

    /// Notes where the header stands.
    pub(super) fn at(mut self, part: u32, line: u32) -> Header {
        self.init_place = (part, line);
        self
    }

    /// Takes over what another header says; what both say must be the same.
    pub(super) fn merge(&mut self, other: Header) -> Scanned<()> {
        let place = other.init_place;
        if self.init.is_none() && other.init.is_some() {
            self.init_place = place;
        }
        let spans = other.spans;
        let span = |number: usize| spans[number].clone().unwrap_or(0..0);
        agree(&mut self.processes, other.processes, span(1), FIELDS[1])?;
        agree(&mut self.shared, other.shared, span(2), FIELDS[2])?;
        agree(&mut self.init, other.init, span(3), FIELDS[3])?;
        agree(&mut self.observed, other.observed, span(4), FIELDS[4])?;
        agree(&mut self.meta, other.meta, span(5), FIELDS[5])
    }

    /// The part and line that gave `init`.
    pub(super) fn init_place(&self) -> (u32, u32) {
        self.init_place
    }

    /// Whether the order of the lines is one real execution.
    pub(super) fn is_observed(&self) -> bool {
        self.observed == Some(true)
    }

    /// Declares everything to whoever takes the events.
    pub(super) fn apply(&self, sink: &mut impl Sink) -> Result<(), Fault> {
        if let Some(processes) = &self.processes {
            sink.declare_processes(processes)?;
        }
        for name in self.shared.iter().flatten() {
            sink.declare_shared(name);
        }
        if self.is_observed() {
            sink.declare_observed();
        }
        if let Some(meta) = &self.meta {
            sink.set_meta(meta);
        }
        for (name, value) in self.init.iter().flat_map(|inits| &inits.0) {
            let value = match value {
                InitValue::Ready(value) => *value,
                InitValue::Text(text) => StoredValue::Text(sink.text(text)),
            };
            let (part, line) = self.init_place;
            sink.init(name, value, Place { part, line });
        }
        Ok(())
    }
}

fn agree<T: PartialEq>(
    mine: &mut Option<T>,
    other: Option<T>,
    span: Range<usize>,
    field: &'static str,
) -> Scanned<()> {
    let Some(other) = other else {
        return Ok(());
    };
    match mine {
        Some(mine) if *mine != other => Err(built(span, &Fault::HeaderDisagrees(field))),
        _ => {
            *mine = Some(other);
            Ok(())
        }
    }
}

fn read_version(scan: &mut Scan<'_>) -> Scanned<()> {
    let span = scan.value_span();
    let Some(b'-' | b'0'..=b'9') = scan.next() else {
        return Err(scan.wrong_type("the version of the format, 1"));
    };
    let text = scan.number()?;
    if StoredValue::parse_number(text) == Ok(StoredValue::Int(VERSION)) {
        return Ok(());
    }
    let message = format!("version {text} of the format is not supported");
    Err(
        mistake(Code::UnsupportedVersion, span, message, "expected 1")
            .with_help("this program reads version 1; a newer one may read this file"),
    )
}

fn read_processes(scan: &mut Scan<'_>) -> Scanned<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut inside = scan.open_list("a list of processes")?;
    while scan.next_item(&mut inside)? {
        let name = string(scan, "a string, the name of a process")?;
        not_empty(name)?;
        let owned = scan.text(name).into_owned();
        if !known.insert(owned.clone()) {
            return Err(built(name.span(), &Fault::ProcessTwice(owned)));
        }
        names.push(owned);
    }
    Ok(names)
}

fn read_shared(scan: &mut Scan<'_>) -> Scanned<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut inside = scan.open_list("a list of shared variables")?;
    while scan.next_item(&mut inside)? {
        let name = string(scan, "a string, the name of a shared variable")?;
        let owned = scan.text(name).into_owned();
        if !known.insert(owned.clone()) {
            let message = format!("shared variable `{owned}` is listed twice");
            return Err(mistake(
                Code::BadHeaderValue,
                name.span(),
                message,
                "expected each variable once",
            )
            .with_help("remove one of the two"));
        }
        names.push(owned);
    }
    Ok(names)
}

fn read_init(scan: &mut Scan<'_>) -> Scanned<Inits> {
    let mut inits = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut inside = scan.open_object("an object of variables and initial values")?;
    while let Some(key) = scan.next_key(&mut inside)? {
        if !known.insert(scan.text(key)) {
            return Err(duplicate(scan, key));
        }
        let value = match scan.next() {
            Some(b'"') => {
                let text = scan.string()?;
                InitValue::Text(scan.text(text).into_owned())
            }
            _ => InitValue::Ready(bare_value(scan)?),
        };
        inits.push((scan.text(key).into_owned(), value));
    }
    Ok(Inits(inits))
}

/// Whether the order of the lines is a real execution.
fn read_order(scan: &mut Scan<'_>) -> Scanned<bool> {
    let order = string(scan, "\"causal\" or \"observed\"")?;
    match &*scan.text(order) {
        "causal" => Ok(false),
        "observed" => Ok(true),
        other => {
            let message = format!("unknown order `{other}`");
            let help = match nearest(other, ["causal", "observed"]) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`observed` if the order of the lines is one real execution, else `causal`"
                    .to_owned(),
            };
            Err(mistake(
                Code::BadHeaderValue,
                order.span(),
                message,
                "expected \"causal\" or \"observed\"",
            )
            .with_help(help))
        }
    }
}

/// The text of an object, kept as it stands.
fn read_meta(scan: &mut Scan<'_>) -> Scanned<String> {
    if scan.next() != Some(b'{') {
        return Err(scan.wrong_type("an object"));
    }
    let start = scan.at();
    scan.skip_value()?;
    Ok(scan.since(start).to_owned())
}

fn string(scan: &mut Scan<'_>, what: &str) -> Scanned<Quoted> {
    if scan.next() != Some(b'"') {
        return Err(scan.wrong_type(what));
    }
    scan.string()
}

fn unknown_field(line: &Scan<'_>, key: Quoted) -> Diagnostic {
    let name = line.text(key);
    let message = format!("unknown field `{name}` in the header");
    mistake(
        Code::UnknownField,
        key.span(),
        message,
        "expected a field of the header",
    )
    .with_help(match nearest(&name, FIELDS) {
        Some(field) => format!("did you mean `{field}`?"),
        None => format!(
            "its fields are {}; put your own data into `meta`",
            FIELDS.join(", ")
        ),
    })
}
