//! The rules of a mapping, and the file they are written in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use causet_base::Code;
use serde::Deserialize;
use serde_json::Value;

use super::entry::Name;
use super::places::{Kept, Places, Slot};
use super::tree::Tree;
use crate::error::{ReadError, mistake};

/// A mapping as it was given: the text of a file, and its name for whatever is wrong with it.
#[derive(Clone, Debug)]
pub struct MappingFile {
    /// What the person calls it.
    pub name: String,
    /// All of it, TOML.
    pub text: String,
}

/// Where everything stands in a line.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Mapping {
    pub(super) process: Pointer,
    /// What is put before the names of processes, everywhere.
    #[serde(default)]
    process_prefix: String,
    pub(super) event: Option<Pointer>,
    pub(super) id: Option<Pointer>,
    pub(super) time: Option<Pointer>,
    #[serde(default)]
    pub(super) time_unit: Unit,
    pub(super) clock: Option<Pointer>,
    #[serde(default)]
    pub(super) matching: Match,
    /// Whether lines that are no JSON are passed over.
    #[serde(default)]
    pub(super) skip_text: bool,
    #[serde(default)]
    pub(super) only: Vec<Test>,
    #[serde(default)]
    pub(super) variables: BTreeMap<String, Pointer>,
    #[serde(default)]
    pub(super) send: Vec<SendRule>,
    #[serde(default)]
    pub(super) receive: Vec<ReceiveRule>,
    /// The places of all pointers above.
    #[serde(skip)]
    pub(super) places: Places,
}

/// Which messages an event sends.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct SendRule {
    #[serde(default)]
    pub(super) when: Vec<Test>,
    pub(super) key: Key,
    /// To whom.
    pub(super) to: Option<Pointer>,
}

/// Which messages an event receives.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ReceiveRule {
    #[serde(default)]
    pub(super) when: Vec<Test>,
    pub(super) key: Key,
    /// From whom.
    pub(super) from: Option<Pointer>,
}

/// What a time counts.
#[derive(Clone, Copy, Default, Deserialize, Debug)]
pub(super) enum Unit {
    #[default]
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "ms")]
    Millis,
    #[serde(rename = "us")]
    Micros,
    #[serde(rename = "ns")]
    Nanos,
}

impl Unit {
    /// How many decimal places of a second it is.
    pub(super) fn places(self) -> u8 {
        match self {
            Unit::Seconds => 0,
            Unit::Millis => 3,
            Unit::Micros => 6,
            Unit::Nanos => 9,
        }
    }
}

/// How a receive finds its send.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Match {
    /// A key is sent once.
    #[default]
    Unique,
    /// The n-th receive of a key is that of the n-th send.
    Fifo,
}

/// A JSON pointer (RFC 6901).
#[derive(Clone, Deserialize, Debug)]
#[serde(try_from = "String")]
pub(super) struct Pointer {
    text: String,
    steps: Vec<String>,
    /// Where it is found in what is kept of a line.
    slot: Slot,
}

impl TryFrom<String> for Pointer {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.is_empty() || text.starts_with('/') {
            true => {
                let steps = text.split('/').skip(1);
                let steps = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
                let steps = steps.collect();
                let slot = Slot::default();
                Ok(Pointer { text, steps, slot })
            }
            false => Err("a place is a JSON pointer and begins with `/`, such as `/state/term`"),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pointer {
    /// What stands there in a line, unless it is nothing.
    pub(super) fn find<'k, 'l>(&self, line: &'k Kept<'l>) -> Option<&'k Tree<'l>> {
        line.at(&self.slot)
    }

    /// The name of the member that it leads to.
    pub(super) fn last(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or_default()
    }
}

/// The places that identify a message together.
#[derive(Deserialize, Debug)]
#[serde(try_from = "Vec<Pointer>")]
pub(super) struct Key(Vec<Pointer>);

impl TryFrom<Vec<Pointer>> for Key {
    type Error = &'static str;

    fn try_from(pointers: Vec<Pointer>) -> Result<Self, Self::Error> {
        match pointers.is_empty() {
            true => Err("a key consists of at least one place, such as [\"/message/id\"]"),
            false => Ok(Key(pointers)),
        }
    }
}

impl Key {
    pub(super) fn pointers(&self) -> &[Pointer] {
        &self.0
    }
}

/// A condition on a line.
#[derive(Deserialize, Debug)]
#[serde(try_from = "WrittenTest")]
pub(super) struct Test {
    at: Pointer,
    condition: Condition,
}

#[derive(Debug)]
enum Condition {
    Equals(Value),
    StartsWith(String),
    Exists(bool),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenTest {
    at: Pointer,
    equals: Option<Value>,
    starts_with: Option<String>,
    exists: Option<bool>,
}

impl TryFrom<WrittenTest> for Test {
    type Error = &'static str;

    fn try_from(test: WrittenTest) -> Result<Self, Self::Error> {
        let condition = match (test.equals, test.starts_with, test.exists) {
            (Some(value), None, None) => Condition::Equals(value),
            (None, Some(text), None) => Condition::StartsWith(text),
            (None, None, Some(exists)) => Condition::Exists(exists),
            _ => return Err("a test has exactly one of `equals`, `starts-with` and `exists`"),
        };
        Ok(Test {
            at: test.at,
            condition,
        })
    }
}

impl Test {
    /// Whether a line passes.
    pub(super) fn holds(&self, line: &Kept<'_>) -> bool {
        let found = self.at.find(line);
        match &self.condition {
            Condition::Equals(value) => found.is_some_and(|found| found == value),
            Condition::StartsWith(start) => {
                matches!(found, Some(Tree::Text(text)) if text.starts_with(start))
            }
            Condition::Exists(exists) => found.is_some() == *exists,
        }
    }
}

impl Mapping {
    /// The rules in a file.
    pub(super) fn parse(file: &MappingFile) -> Result<Mapping, ReadError> {
        let mapping = toml::from_str(&file.text).map_err(|error| {
            let message = error.message().trim_end().replace('\n', ", ");
            if message == "missing field `process`" {
                return without_process(file);
            }
            refused(file, error.span().unwrap_or(0..0).start, &message)
        });
        mapping.map(Mapping::with_places)
    }

    /// The places of all pointers, each of which knows then where to look.
    fn with_places(mut self) -> Mapping {
        let mut pointers = self.pointers();
        let steps: Vec<&[String]> = pointers.iter().map(|pointer| &*pointer.steps).collect();
        let (places, slots) = Places::of(&steps);
        for (pointer, slot) in pointers.iter_mut().zip(slots) {
            pointer.slot = slot;
        }
        self.places = places;
        self
    }

    fn pointers(&mut self) -> Vec<&mut Pointer> {
        let single = [
            &mut self.event,
            &mut self.id,
            &mut self.time,
            &mut self.clock,
        ];
        let mut pointers = vec![&mut self.process];
        pointers.extend(single.into_iter().flatten());
        pointers.extend(self.variables.values_mut());
        pointers.extend(self.only.iter_mut().map(|test| &mut test.at));
        for rule in &mut self.send {
            pointers.extend(rule.when.iter_mut().map(|test| &mut test.at));
            pointers.extend(&mut rule.key.0);
            pointers.extend(&mut rule.to);
        }
        for rule in &mut self.receive {
            pointers.extend(rule.when.iter_mut().map(|test| &mut test.at));
            pointers.extend(&mut rule.key.0);
            pointers.extend(&mut rule.from);
        }
        pointers
    }

    /// What a process is called.
    pub(super) fn process_name<'n>(&self, name: Name<'n>) -> Name<'n> {
        match self.process_prefix.as_str() {
            "" => name,
            prefix => Cow::Owned(format!("{prefix}{name}")),
        }
    }
}

/// A mapping does not say whose the events are.
fn without_process(file: &MappingFile) -> ReadError {
    let expected = "expected a rule such as process = \"/node\"";
    let complaint = mistake(Code::MappingWithoutProcess, 0..0, "this mapping has no rule `process`", expected).with_help(
        "name the field that says which process an event is of, as a JSON pointer; `causet map --guess LOG` lists the fields",
    );
    ReadError::Fault(complaint.in_line(&file.name, 1, ""))
}

/// Something is wrong with a mapping, at a byte of it.
fn refused(file: &MappingFile, at: usize, message: &str) -> ReadError {
    let at = file.text.floor_char_boundary(at.min(file.text.len()));
    let start = file.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let number = file.text[..start].matches('\n').count() + 1;
    let line = file.text[start..].lines().next().unwrap_or_default();
    let from = (at - start).min(line.len());
    let complaint = mistake(Code::MalformedMapping,
        from..line.len(),
        message,
        "expected a rule of a mapping, see the chapter on mappings",
    )
    .with_help(
        "the rules are process, process-prefix, event, id, time, time-unit, clock, matching, skip-text, [[only]], \
         [variables], [[send]] and [[receive]]",
    );
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    ReadError::Fault(complaint.in_line(&file.name, number, line))
}
