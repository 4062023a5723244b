//! Histories of Jepsen, Knossos, Elle and Porcupine: what clients asked for, and what they were told.
//!
//! ```text
//! {:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}         EDN, one map in a line or all in a vector
//! {"process":9,"type":"invoke","f":"append","value":"x 9 0 y"}                JSON of the same, in lines or in an array
//! INFO  jepsen.util - 3    :invoke    :cas    [4 4]                           a log; its other lines are skipped
//! ```
//!
//! Clients are processes, operations are two events: invocation and completion. A completion comes before every
//! invocation that stands after it; nothing else is known of different clients. An operation that ends with `:info` is
//! not completed: what it asked for may still happen, and so it comes before nothing. The nemesis is a process of its own.

use std::collections::BTreeMap;

use causet_base::Code;
use causet_trace::Time;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::document::{Document, Word};
use super::edn::{Edn, Forms, Wrong};
use super::entry::{Datum, Earlier, Entry, Name};
use super::head::Head;
use super::json::{datum, fault_in_document, flatten};
use super::lines::{self, Line, Say, Whole};
use super::scribe::Scribe;
use super::text::Text;
use super::{Format, Open, Reader};
use crate::caveats::Caveat;
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "jepsen",
    title: "Jepsen and Porcupine histories",
    about: "Clients are processes, invocations and completions are events; a completion comes before every later \
            invocation. Type, function and value are variables.",
    looks,
    open: Open::Log {
        reader: |_| Ok(Box::new(Jepsen::default())),
        tolerant: false,
    },
};

const EXPECTED: &str =
    "expected an operation such as {:process 0, :type :invoke, :f :read, :value nil}";

fn looks(head: &Head<'_>) -> bool {
    let text = head.text();
    if ['{', '[', '#', ';', '(']
        .iter()
        .any(|&first| head.starts_with(first))
    {
        let is_edn = text.contains(":process") && text.contains(":type");
        let is_json = ["process", "type", "f", "invoke"]
            .iter()
            .all(|word| head.mentions(word) || head.mentions(&format!(":{word}")));
        return is_edn || is_json;
    }
    head.full_lines().any(|line| logged(line).is_some())
}

#[derive(Default)]
struct Jepsen {
    history: History,
}

impl Reader for Jepsen {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        // The lines of different files are not ordered.
        self.history.latest.clear();
        let Some((line, first)) = text.next_full_line()? else {
            return Ok(());
        };
        if first.starts_with(['{', '#']) && alone(first).is_some() {
            let first = first.to_owned();
            return self.line_by_line(line, &first, text, scribe);
        }
        let whole = text.whole_from_line()?;
        let start = whole.trim_start();
        // In JSON the first name is in quotes.
        let inner = start.trim_start_matches(['[', '{', ' ', '\n', '\r', '\t']);
        let is_bare = start.starts_with(['{', '[', '#', ';', '(']);
        match (is_bare, inner.starts_with('"')) {
            (true, true) => self.json(&text.mend(whole, None), line, scribe),
            (true, false) => self.edn(&whole, line, text, scribe),
            (false, _) => self.lines(&whole, line, scribe),
        }
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.history.note(scribe);
        scribe.caveat = Some(Caveat::Completions);
        Ok(())
    }
}

impl Jepsen {
    /// Forms that stand each on a line of its own; from the first line that does not, the rest is read as a whole.
    fn line_by_line(
        &mut self,
        line: u32,
        first: &str,
        text: &mut Text<'_>,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), ReadError> {
        let (mut rest, mut rest_line) = (String::new(), None);
        let mut take = |line: Line<'_, Option<Operation<'_>>>| match line.said {
            Some(operation) if rest_line.is_none() => {
                self.history.tell(operation, line.number, scribe)
            }
            _ if line.text.trim().is_empty() && rest_line.is_none() => Ok(()),
            _ => {
                rest_line.get_or_insert(line.number);
                rest.extend([line.text, "\n"]);
                Ok(())
            }
        };
        take(Line::of::<Operations>(line, first))?;
        lines::each(text, &Whole(Operations), take)?;
        match rest_line {
            Some(line) => self.edn(&rest, line, text, scribe),
            None => Ok(()),
        }
    }

    fn edn(
        &mut self,
        whole: &str,
        line: u32,
        text: &mut Text<'_>,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), ReadError> {
        let document = Document::from_line(whole, line);
        let mut forms = Forms::new(whole);
        let told = self.forms(&document, &mut forms, scribe);
        match told {
            Err(trouble) if forms.is_cut_off() => {
                let (last, ..) = document.shown(whole.trim_end().len());
                text.end_early(last, "record", trouble)
            }
            told => told,
        }
    }

    fn forms(
        &mut self,
        document: &Document<'_>,
        forms: &mut Forms<'_>,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), ReadError> {
        let fault = |wrong: Wrong| wrong_at(document, wrong.span, wrong.message);
        let mut inside = false;
        loop {
            if inside && forms.leave().map_err(fault)? {
                inside = false;
            } else if !inside && forms.enter().map_err(fault)? {
                inside = true;
            } else if let Some((start, form)) = forms.next().map_err(fault)? {
                let operation = Operation::of_edn(&form);
                let operation =
                    operation.map_err(|message| wrong_at(document, start..start + 1, message))?;
                self.history
                    .tell(operation, document.line_at(start), scribe)?;
            } else if inside {
                return Err(fault(forms.unclosed()));
            } else {
                return Ok(());
            }
        }
    }

    fn json(&mut self, text: &str, line: u32, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        type Fields<'a> = BTreeMap<Word<'a>, Value>;
        let document = Document::from_line(text, line);
        let fault = |error: serde_json::Error| fault_in_document(&document, &error, EXPECTED);
        let all: Vec<Fields<'_>> = match text.trim_start().starts_with('[') {
            true => serde_json::from_str(text).map_err(fault)?,
            false => {
                let stream = serde_json::Deserializer::from_str(text).into_iter();
                stream.collect::<Result<_, _>>().map_err(fault)?
            }
        };
        for fields in &all {
            let line = document.first_line_of(fields.keys().map(|key| &**key));
            let operation = Operation::of_json(fields.iter().map(|(key, value)| (&**key, value)));
            let shown = || document.text_of(line);
            let operation = operation.map_err(|message| {
                ReadError::of_line(Code::MalformedLine, line, shown(), message, EXPECTED)
            })?;
            self.history.tell(operation, line, scribe)?;
        }
        Ok(())
    }

    fn lines(&mut self, text: &str, first: u32, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        for (number, line) in (first..).zip(text.lines()) {
            if let Some(operation) = logged(line) {
                self.history.tell(operation, number, scribe)?;
            }
        }
        Ok(())
    }
}

/// The operation that is all of a text.
fn alone(text: &str) -> Option<Operation<'_>> {
    let mut forms = Forms::new(text);
    let (_, form) = forms.next().ok()??;
    let is_all = forms.next().is_ok_and(|more| more.is_none());
    Operation::of_edn(&form).ok().filter(|_| is_all)
}

/// The operation that is all of a line.
struct Operations;

impl Say for Operations {
    type Said<'l> = Option<Operation<'l>>;

    fn say(_: u32, text: &str) -> Self::Said<'_> {
        alone(text)
    }
}

fn wrong_at(document: &Document<'_>, span: std::ops::Range<usize>, message: &str) -> ReadError {
    let (line, start, shown) = document.shown(span.start);
    ReadError::at(
        Code::MalformedLine,
        line,
        shown,
        start..start + span.len(),
        message,
        EXPECTED,
    )
}

/// How an operation stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Stage {
    fn named(name: &str) -> Option<Stage> {
        match name.trim_start_matches(':') {
            "invoke" => Some(Stage::Invoke),
            "ok" => Some(Stage::Ok),
            "fail" => Some(Stage::Fail),
            "info" => Some(Stage::Info),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Stage::Invoke => "invoke",
            Stage::Ok => "ok",
            Stage::Fail => "fail",
            Stage::Info => "info",
        }
    }
}

/// One line of a history.
struct Operation<'t> {
    process: Name<'t>,
    stage: Stage,
    function: Name<'t>,
    time: Option<Time>,
    sets: Sets<'t>,
}

type Sets<'t> = Vec<(Name<'t>, Datum<'t>)>;

const NO_PROCESS: &str = "this operation has no process";
const NO_TYPE: &str = "this operation has no type: invoke, ok, fail or info";

impl<'t> Operation<'t> {
    fn of_edn(form: &Edn<'t>) -> Result<Operation<'t>, &'static str> {
        let Edn::Map(members) = form else {
            return Err("this is not an operation");
        };
        let stage = form
            .get("type")
            .map(name_of)
            .and_then(|name| Stage::named(&name));
        let process = form.get("process").ok_or(NO_PROCESS)?;
        let mut sets = Vec::new();
        for (key, value) in members {
            let name = name_of(key);
            if !KNOWN.contains(&&*name) {
                set(name, value, &mut sets);
            }
        }
        let time = form.get("time").map(name_of);
        Ok(Operation {
            process: process_name(name_of(process)),
            stage: stage.ok_or(NO_TYPE)?,
            function: form.get("f").map(name_of).unwrap_or_default(),
            time: time.and_then(|time| seconds(&time)),
            sets,
        })
    }

    fn of_json(
        fields: impl Iterator<Item = (&'t str, &'t Value)>,
    ) -> Result<Operation<'t>, &'static str> {
        let (mut process, mut stage, mut time) = (None, None, None);
        let mut function = Name::default();
        let mut sets = Vec::new();
        for (name, value) in fields {
            let name = name.trim_start_matches(':');
            let text: Name<'t> = match value {
                Value::String(text) => text.trim_start_matches(':').into(),
                value => value.to_string().into(),
            };
            match name {
                "process" => process = Some(process_name(text)),
                "type" => stage = Stage::named(&text),
                "f" => function = text,
                "time" => time = seconds(&text),
                "index" => {}
                _ if value.is_null() => sets.push((name.into(), Datum::Text("nil".into()))),
                _ => flatten(name, value, &mut sets),
            }
        }
        Ok(Operation {
            process: process.ok_or(NO_PROCESS)?,
            stage: stage.ok_or(NO_TYPE)?,
            function,
            time,
            sets,
        })
    }
}

/// Fields that become something else than variables of their own.
const KNOWN: [&str; 5] = ["process", "type", "f", "time", "index"];

/// The operation that a line of Jepsen's own log tells.
fn logged(line: &str) -> Option<Operation<'_>> {
    let (_, told) = line.split_once("jepsen.util")?;
    let told = told.trim_start();
    let told = told.strip_prefix("- ").unwrap_or(told);
    let mut forms = Forms::new(told);
    let mut next = || forms.next().ok().flatten().map(|(_, form)| form);
    let (process, stage, function) = (next()?, next()?, next()?);
    let Edn::Keyword(stage) = stage else {
        return None;
    };
    let mut sets = Vec::new();
    set("value".into(), &next().unwrap_or(Edn::Nil), &mut sets);
    if let Some(error) = next() {
        set("error".into(), &error, &mut sets);
    }
    Some(Operation {
        process: process_name(name_of(&process)),
        stage: Stage::named(stage)?,
        function: name_of(&function),
        time: None,
        sets,
    })
}

/// A form as a name: keywords without colon, texts without quotes.
fn name_of<'t>(form: &Edn<'t>) -> Name<'t> {
    match form {
        Edn::Keyword(name) | Edn::Word(name) => (*name).into(),
        Edn::Text(text) => text.clone().into(),
        Edn::Nil => "nil".into(),
        form => form.to_string().into(),
    }
}

/// Clients are numbered; a name that is a number alone would be hard to use in formulas.
fn process_name(name: Name<'_>) -> Name<'_> {
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => ["p", &*name].concat().into(),
        false => name,
    }
}

/// Times are in nanoseconds.
fn seconds(time: &str) -> Option<Time> {
    Time::parse_scaled(time, 9).ok()
}

/// What a form says, as variables: members of maps as `name.member`, lists as their text and their length.
fn set<'t>(name: Name<'t>, form: &Edn<'t>, sets: &mut Sets<'t>) {
    match form {
        Edn::Bool(value) => sets.push((name, Datum::bool(*value))),
        Edn::Word(word) => sets.push((name, datum(word.trim_end_matches(['N', 'M'])))),
        Edn::Map(members) => {
            for (key, value) in members {
                let member = [&*name, ".", &*name_of(key)].concat();
                set(member.into(), value, sets);
            }
        }
        Edn::List(_, items, _) => {
            let length = [&*name, ".len"].concat();
            sets.push((name, Datum::Text(form.to_string().into())));
            sets.push((length.into(), Datum::int(items.len() as i64)));
        }
        Edn::Nil | Edn::Keyword(_) | Edn::Text(_) => {
            sets.push((name, Datum::Text(name_of(form))));
        }
    }
}

/// The order of a history.
///
/// A completion must come before all later invocations, but most of that follows from less: once an operation that was
/// invoked later is completed too, its completion stands for the earlier one. So each invocation comes after the
/// completions in `latest` only, of which there is at most one for each client.
#[derive(Default)]
struct History {
    clients: FxHashMap<String, Client>,
    /// Completions since the latest invocation that is completed: number, process and position.
    latest: Vec<(u64, String, u32)>,
    count: u64,
    /// Invocations of clients that had not got an answer, with the line of the first.
    overtaken: Option<(u64, u32)>,
    /// Completions of what was never asked for.
    unasked: Option<(u64, u32)>,
}

#[derive(Default)]
struct Client {
    position: u32,
    /// When the operation that is open was invoked.
    invoked: Option<u64>,
}

impl History {
    fn tell(
        &mut self,
        operation: Operation<'_>,
        line: u32,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), ReadError> {
        let mut entry = Entry::of(operation.process, line);
        self.order(&mut entry, operation.stage);
        let stage = operation.stage.name();
        entry.label = Some([stage, " ", &*operation.function].concat().into());
        entry.time = operation.time;
        entry.sets = operation.sets;
        entry
            .sets
            .insert(0, ("type".into(), Datum::Text(stage.into())));
        let function = ("f".into(), Datum::Text(operation.function));
        entry.sets.insert(1, function);
        scribe.add(&entry)?;
        Ok(())
    }

    /// Says what an operation comes after, and takes note of it.
    fn order(&mut self, entry: &mut Entry<'_>, stage: Stage) {
        self.count += 1;
        let (count, process, line) = (self.count, &*entry.process, entry.line);
        let client = match self.clients.get_mut(process) {
            Some(client) => client,
            None => self.clients.entry(process.to_owned()).or_default(),
        };
        client.position += 1;
        let position = client.position;
        let before = match stage {
            Stage::Invoke => client.invoked.replace(count),
            Stage::Ok | Stage::Fail | Stage::Info => client.invoked.take(),
        };
        let add = |tally: &mut Option<(u64, u32)>| {
            let (count, first) = tally.unwrap_or((0, line));
            *tally = Some((count + 1, first));
        };
        match stage {
            Stage::Invoke => {
                if before.is_some() {
                    add(&mut self.overtaken);
                }
                let others = self.latest.iter().filter(|(_, other, _)| other != process);
                let others = others.map(|(_, other, at)| Earlier::new(other.clone().into(), *at));
                entry.after = others.collect();
            }
            Stage::Ok | Stage::Fail => {
                match before {
                    Some(invoked) => self.latest.retain(|&(number, ..)| number > invoked),
                    None => add(&mut self.unasked),
                }
                self.latest.retain(|(_, other, _)| other != process);
                self.latest.push((count, process.to_owned(), position));
            }
            Stage::Info if before.is_none() && process.starts_with('p') => add(&mut self.unasked),
            Stage::Info => {}
        }
    }

    fn note(&self, scribe: &mut Scribe<'_>) {
        if let Some((count, line)) = self.overtaken {
            let message =
                format!("clients that still waited for an answer invoked something {count} times");
            let help =
                "the operation before never completes; give each client one operation at a time";
            scribe.note(line, message, help);
        }
        if let Some((count, line)) = self.unasked {
            let message = format!("operations that were not invoked are completed {count} times");
            let help = "when they began is not known: they come before what is invoked later, and after nothing";
            scribe.note(line, message, help);
        }
    }
}
