//! What a log looks like that is in no known format: the refusal says what was seen, and the command to go on.
//!
//! ```text
//! bytes --packed--> a compressed form that is not read     the command that unpacks it
//!       --json----> objects in lines                       causet map --guess
//!              |--> objects over several lines, in a list  jq, which writes one on each line
//!       --text----> CSV, logfmt, syslog, text, markup      the page of the native format
//! ```
//!
//! What may be the native format with a mistake is left to its reader, which says where the mistake is.

use std::path::Path;

use causet_base::nearest;
use causet_base::{Code, Diagnostic};
use serde_json::{Map, Value};

use super::guess::guess;
use super::head::Head;
use crate::error::mistake;
use crate::native::{FIELDS, Scan};

/// The page that says how events are written.
const PAGE: &str = "docs/book/src/format.md";
/// How many names of fields are listed.
const LISTED: usize = 8;
/// How many bytes are searched for what no text has.
const SEARCHED: usize = 4096;
/// How many lines decide what kind of text it is.
const LINES: usize = 20;

/// The beginning of a part.
pub(super) struct Beginning {
    /// What the caller calls the part.
    pub(super) name: String,
    /// Its first bytes as they are.
    pub(super) raw: Vec<u8>,
    /// Its first bytes after decompression.
    pub(super) plain: Vec<u8>,
}

/// Why a part that no format recognises is refused; nothing if the native reader knows better.
pub(super) fn refusal(part: &Beginning) -> Option<Diagnostic> {
    if let Some(packed) = packed(part) {
        return Some(packed);
    }
    let head = Head::of(&part.plain);
    match head.text().trim_start().chars().next()? {
        '{' | '[' => json(part, &head),
        _ => Some(text(part, &head)),
    }
}

/// A compressed form or an encoding that is not read.
fn packed(part: &Beginning) -> Option<Diagnostic> {
    let (raw, plain) = (part.raw.as_slice(), part.plain.as_slice());
    let name = part.argument();
    let file = part.unpacked();
    let folder = part.stem();
    let is_tar = |bytes: &[u8]| bytes.get(257..262) == Some(b"ustar");
    let (what, command, then) = match raw {
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => (
            "is compressed with xz",
            format!("xz -dc {name} > {file}"),
            file,
        ),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => (
            "is compressed with bzip2",
            format!("bzip2 -dc {name} > {file}"),
            file,
        ),
        [0x04, 0x22, 0x4D, 0x18, ..] => (
            "is compressed with lz4",
            format!("lz4 -dc {name} > {file}"),
            file,
        ),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => (
            "is a zip archive",
            format!("unzip -q {name} -d {folder}"),
            folder,
        ),
        [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => {
            ("is a 7z archive", format!("7z x {name} -o{folder}"), folder)
        }
        _ if is_tar(raw) || is_tar(plain) => {
            let command = format!("mkdir {folder} && tar -xf {name} -C {folder}");
            ("is a tar archive", command, folder)
        }
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            let command = format!("iconv -f UTF-16 -t UTF-8 {name} > {file}");
            let help = format!("convert it: `{command}`; then read {file}");
            return Some(part.about("is text in UTF-16", "expected UTF-8", help));
        }
        _ if is_binary(plain) => {
            let seen = "the first bytes are no text, and of no binary form that is known";
            let help = "`causet formats` lists what can be read; a program that records itself writes the native format: \
                        docs/book/src/recording.md";
            return Some(part.about("is binary data", seen, help));
        }
        _ => return None,
    };
    let help = format!("unpack it: `{command}`; then read {then}");
    Some(part.about(what, "only gzip and zstd are unpacked while reading", help))
}

fn is_binary(bytes: &[u8]) -> bool {
    let searched = &bytes[..bytes.len().min(SEARCHED)];
    let odd = |&&byte: &&u8| byte < 9 || (14..27).contains(&byte);
    searched.iter().filter(odd).count() * 50 > searched.len()
}

/// JSON in no known shape.
fn json(part: &Beginning, head: &Head<'_>) -> Option<Diagnostic> {
    if let Some(empty) = without_spans(part, head) {
        return Some(empty);
    }
    let first = head.full_lines().next()?;
    match serde_json::from_str::<Map<String, Value>>(first) {
        Ok(object) if object.is_empty() || is_native(&object.keys()) => None,
        Ok(object) => Some(lines(part, head, &fields(object.keys()))),
        Err(_) => document(part, head),
    }
}

/// What asks for traces is answered with when there are none.
fn without_spans(part: &Beginning, head: &Head<'_>) -> Option<Diagnostic> {
    const LISTS: [(&str, &str, &[&str]); 3] = [
        ("resourceSpans", "OpenTelemetry", &[]),
        ("batches", "Tempo", &["metrics"]),
        (
            "data",
            "Jaeger",
            &["total", "limit", "offset", "errors", "structuredResponse"],
        ),
    ];
    let value: Value = serde_json::from_str(head.text()).ok()?;
    let is_empty = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
    let (list, of) = match &value {
        Value::Object(members) => LISTS.iter().find_map(|(list, of, others)| {
            let is_known = |name: &String| name == list || others.contains(&name.as_str());
            let is_meant = is_empty(members.get(*list)?) && members.keys().all(is_known);
            is_meant.then_some((format!("its list `{list}` is empty"), *of))
        })?,
        list if is_empty(list) => ("the list is empty".to_owned(), "Zipkin"),
        _ => return None,
    };
    let seen = format!("this looks like an answer of {of} without traces");
    let help = "export the trace again: is it the right id, and the right range of time?";
    Some(part.of_line(head, &format!("holds no events: {list}"), &seen, help))
}

/// Whether an object may be an event or a header, perhaps with a field misspelt.
fn is_native<'k>(keys: &(impl Iterator<Item = &'k String> + Clone)) -> bool {
    const MARKS: [&str; 6] = ["ev", "set", "send", "recv", "clock", "after"];
    let mut names = keys.clone();
    let has = |names: &[&str]| keys.clone().any(|key| names.contains(&key.as_str()));
    has(&["p", "causet"]) || has(&MARKS) && names.all(|key| nearest(key, FIELDS).is_some())
}

/// Objects in lines, with fields of their own.
fn lines(part: &Beginning, head: &Head<'_>, fields: &str) -> Diagnostic {
    let seen = format!("the fields are {fields}");
    part.of_line(
        head,
        "is in no known format: its lines are JSON objects",
        &seen,
        &mapping(part, &part.plain, &part.name),
    )
}

/// How to go on with JSON lines in a file.
fn mapping(part: &Beginning, lines: &[u8], name: &str) -> String {
    let name = match name == part.name {
        true => part.argument(),
        false => name.to_owned(),
    };
    let has_process = guess(lines)
        .is_some_and(|mapping| mapping.lines().any(|line| line.starts_with("process =")));
    let process = match has_process {
        true => "",
        false => ", where `process` must be named, because no field looks like it",
    };
    format!(
        "`causet map --guess {name} -o mapping.toml` proposes which fields are process, event, time and messages{process}; \
         read it with --mapping mapping.toml"
    )
}

/// JSON that goes on over several lines, or is one long list.
fn document(part: &Beginning, head: &Head<'_>) -> Option<Diagnostic> {
    let objects = Elements::of(head.text());
    let is_list = head.starts_with('[');
    let objects: Vec<Map<String, Value>> = objects.take(LINES).collect();
    let members = members(head.text());
    let Some(first) = objects.first() else {
        return match &members[..] {
            _ if is_list => Some(part.of_line(
                head,
                "is a JSON list of no objects",
                "expected one JSON object for each event",
                NATIVE,
            )),
            // The line is cut off, or wrong where the native reader shows it.
            [] => head.text().trim_start()[1..]
                .contains('\n')
                .then(|| damaged(part, head)),
            _ if is_native(&members.iter().map(|(name, _)| name)) => None,
            _ => Some(nested(part, head, &members)),
        };
    };
    let (shape, filter) = match is_list {
        true => ("one JSON list", "'.[]'"),
        false => ("JSON objects that go on over several lines", "."),
    };
    let file = part.with_end("jsonl");
    let command = part.jq(filter, &file);
    let told = fields(first.keys());
    if is_native(&first.keys()) {
        let seen = "in the native format each event stands on one line";
        let help = format!("write each on a line of its own: `{command}`; then read {file}");
        return Some(part.of_line(head, &format!("holds {shape}"), seen, &help));
    }
    if !is_list && objects.len() == 1 {
        return Some(nested(part, head, &members));
    }
    let lines: String = objects
        .iter()
        .map(|object| Value::from(object.clone()).to_string() + "\n")
        .collect();
    let seen = format!("the objects have the fields {told}");
    let help = format!(
        "write each on a line of its own: `{command}`; then {}",
        mapping(part, lines.as_bytes(), &file)
    );
    Some(part.of_line(
        head,
        &format!("is in no known format: it holds {shape}"),
        &seen,
        &help,
    ))
}

/// What to do without a command.
const NATIVE: &str = "write one JSON object for each event, such as {\"p\":\"node1\",\"ev\":\"start\"}: docs/book/src/format.md \
                      has all fields";

/// One JSON object whose members may hold the events.
fn nested(part: &Beginning, head: &Head<'_>, members: &[(String, bool)]) -> Diagnostic {
    let seen = format!(
        "the members are {}",
        fields(members.iter().map(|(name, _)| name))
    );
    let what = "is in no known format: it is one JSON document";
    let Some((list, _)) = members.iter().find(|(_, is_list)| *is_list) else {
        return part.of_line(head, what, &seen, NATIVE);
    };
    let file = part.with_end("jsonl");
    let command = part.jq(&format!("'.[{}][]'", Value::from(list.as_str())), &file);
    let help = format!(
        "write the elements of `{list}` each on a line: `{command}`; then `causet map --guess {file} -o mapping.toml` proposes \
         what to read with --mapping mapping.toml"
    );
    part.of_line(head, what, &seen, &help)
}

/// JSON that is not well-formed.
fn damaged(part: &Beginning, head: &Head<'_>) -> Diagnostic {
    let seen = match serde_json::from_str::<Value>(head.text()) {
        Err(error) => format!("as JSON: {error}"),
        Ok(_) => "no object stands in it".to_owned(),
    };
    part.of_line(
        head,
        "is JSON that is not well-formed, or that is cut off",
        &seen,
        NATIVE,
    )
}

/// The objects of a text, one after the other or in one list, as far as they are well-formed.
struct Elements<'t>(&'t str);

impl<'t> Elements<'t> {
    fn of(text: &'t str) -> Self {
        let text = text.trim_start();
        Elements(text.strip_prefix('[').unwrap_or(text))
    }
}

impl Iterator for Elements<'_> {
    type Item = Map<String, Value>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self
            .0
            .trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        let found = values.next()?.ok()?;
        self.0 = &rest[values.byte_offset()..];
        Some(found)
    }
}

/// The members of the first object of a text, each with whether it is a list of objects; the last may be cut off.
fn members(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut scan = Scan::new(text);
    let Ok(mut inside) = scan.open_object("an object") else {
        return found;
    };
    while let Ok(Some(key)) = scan.next_key(&mut inside) {
        let name = scan.text(key).into_owned();
        let value = text[scan.value_span().start..].trim_start();
        let list = value.strip_prefix('[').map(str::trim_start);
        found.push((name, list.is_some_and(|list| list.starts_with('{'))));
        if scan.skip_value().is_err() {
            break;
        }
    }
    found
}

/// The names of fields for a sentence.
fn fields<'k>(keys: impl Iterator<Item = &'k String>) -> String {
    let keys: Vec<&str> = keys.map(String::as_str).collect();
    match keys.len() {
        ..=LISTED => keys.join(", "),
        count => format!("{} and {} more", keys[..LISTED].join(", "), count - LISTED),
    }
}

/// A text that is no JSON.
fn text(part: &Beginning, head: &Head<'_>) -> Diagnostic {
    let lines: Vec<&str> = head.full_lines().take(LINES).collect();
    let objects = lines
        .iter()
        .filter(|line| serde_json::from_str::<Map<String, Value>>(line).is_ok());
    if objects.count() * 2 >= lines.len() {
        let seen = "this line is no JSON object, and others are";
        return part.of_line(
            head,
            "is in no known format: its lines are text and JSON objects",
            seen,
            &mapping(part, &part.plain, &part.name),
        );
    }
    let first = lines.first().copied().unwrap_or_default();
    if serde_json::from_str::<Value>(first).is_ok() {
        let seen = "this is a JSON value, but no object";
        return part.of_line(head, "holds JSON, but no events", seen, NATIVE);
    }
    let (what, seen) = if is_markup(first) {
        ("XML or HTML", "this is markup".to_owned())
    } else if is_syslog(first) {
        ("syslog", "this is a line of syslog".to_owned())
    } else if let Some(keys) = logfmt(first) {
        ("logfmt", format!("the keys are {}", keys.join(", ")))
    } else if let Some((kind, columns)) = table(&lines) {
        (kind, format!("the columns are {}", columns.join(", ")))
    } else if is_access_log(first) {
        (
            "an access log",
            "this is a request that a web server answered".to_owned(),
        )
    } else if begins_with_time(first) {
        ("text", "the lines begin with a time".to_owned())
    } else {
        ("text", "this is no JSON".to_owned())
    };
    let clocks = match what {
        "text" => ", and --regex finds vector clocks in text: docs/book/src/formats/shiviz.md",
        _ => "",
    };
    let help = format!(
        "nothing reads {what} yet: write one JSON object for each event, such as {{\"p\":\"node1\",\"ev\":\"start\"}}; {PAGE} \
         has all fields{clocks}"
    );
    part.of_line(
        head,
        &format!("is in no known format: it looks like {what}"),
        &seen,
        &help,
    )
}

/// `127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326`, as Apache and nginx write it.
fn is_access_log(line: &str) -> bool {
    let request = line.split('"').nth(1).unwrap_or_default();
    let mut words = request.split(' ');
    let is_method = words
        .next()
        .is_some_and(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase()));
    is_method
        && words
            .next_back()
            .is_some_and(|word| word.starts_with("HTTP/"))
}

/// A date or a time of day, perhaps in brackets, or a long number.
fn begins_with_time(line: &str) -> bool {
    let first = line.trim_start_matches('[').split([' ', ']']).next();
    first.is_some_and(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let is_parted = word.contains([':', '-', '/']) && digits >= 4;
        word.starts_with(|c: char| c.is_ascii_digit()) && (is_parted || digits >= 9)
    })
}

fn is_markup(line: &str) -> bool {
    let mut letters = line.trim_start().chars();
    letters.next() == Some('<')
        && letters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '!' || c == '?')
}

/// `<34>Oct 11 22:14:15 host ...`, with or without the number in front.
fn is_syslog(line: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let numbered = line.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    if numbered
        .is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    {
        return true;
    }
    let mut words = line.split_whitespace();
    let is_month = words.next().is_some_and(|word| MONTHS.contains(&word));
    let is_day = words.next().is_some_and(|word| word.parse::<u8>().is_ok());
    is_month
        && is_day
        && words
            .next()
            .is_some_and(|word| word.matches(':').count() == 2)
}

/// The keys of a line of `key=value` pairs.
fn logfmt(line: &str) -> Option<Vec<&str>> {
    let is_key = |key: &str| {
        !key.is_empty()
            && key
                .chars()
                .all(|c| c.is_alphanumeric() || "_.-@/".contains(c))
    };
    let is_pair = |word: &&str| word.split_once('=').is_some_and(|(key, _)| is_key(key));
    if !line
        .split_whitespace()
        .next()
        .is_some_and(|word| is_pair(&word))
    {
        return None;
    }
    let pairs = line.split_whitespace().filter(is_pair);
    let keys: Vec<&str> = pairs
        .filter_map(|word| Some(word.split_once('=')?.0))
        .take(LISTED)
        .collect();
    (keys.len() > 1).then_some(keys)
}

/// The columns of a table: the same number of separators in the first lines, and names before the first values.
fn table<'l>(lines: &[&'l str]) -> Option<(&'static str, Vec<&'l str>)> {
    [(',', "CSV"), (';', "CSV"), ('\t', "TSV")]
        .into_iter()
        .find_map(|(separator, kind)| {
            let count = |line: &str| line.matches(separator).count();
            let columns: Vec<&str> = lines
                .first()?
                .split(separator)
                .map(|name| name.trim_matches(['"', ' ']))
                .collect();
            let is_name = |name: &&str| {
                !name.is_empty() && name.len() < 64 && !name.contains(['=', '{', ':'])
            };
            let is_table = columns.len() > 1
                && columns.iter().all(is_name)
                && lines
                    .iter()
                    .filter(|line| count(line) >= columns.len() - 1)
                    .count()
                    * 10
                    >= lines.len() * 9;
            is_table.then(|| (kind, columns.into_iter().take(LISTED).collect()))
        })
}

impl Beginning {
    /// It is refused as a whole.
    fn about(&self, what: &str, seen: &str, help: impl Into<String>) -> Diagnostic {
        mistake(Code::UnknownFormat, 0..0, self.sentence(what), seen)
            .with_help(help)
            .in_line(&self.name, 1, "")
    }

    /// It is not in the format that was asked for.
    pub(super) fn unlike(&self, head: &Head<'_>, format: &str, seen: &str) -> Diagnostic {
        let what = format!("is not `{format}`");
        let mut refused = self.of_line(head, &what, seen, "leave --format out");
        refused.code = Code::NotTheFormat;
        refused
    }

    /// It is refused, and its first line shown.
    fn of_line(&self, head: &Head<'_>, what: &str, seen: &str, help: &str) -> Diagnostic {
        let lines = (1..).zip(head.lines());
        let first = lines.into_iter().find(|(_, line)| !line.trim().is_empty());
        let (number, line) = first.unwrap_or((1, ""));
        let end = line
            .char_indices()
            .nth(SHOWN)
            .map_or(line.trim_end().len(), |(at, _)| at);
        mistake(Code::UnknownFormat, 0..end, self.sentence(what), seen)
            .with_help(help)
            .in_line(&self.name, number, line)
    }

    fn sentence(&self, what: &str) -> String {
        format!("{} {what}", self.name)
    }

    /// Its name as an argument of a shell.
    fn argument(&self) -> String {
        match self.name.starts_with('<') {
            true => "FILE".to_owned(),
            false => quoted(&self.name),
        }
    }

    /// The name of its file up to the first point.
    fn stem(&self) -> String {
        let name = Path::new(&self.name)
            .file_name()
            .and_then(|name| name.to_str());
        let stem = name.and_then(|name| name.split('.').next());
        match stem.filter(|stem| !stem.is_empty() && !self.name.starts_with('<')) {
            Some(stem) => quoted(stem),
            None => "run".to_owned(),
        }
    }

    /// A name for what is written to a file of another kind.
    fn with_end(&self, end: &str) -> String {
        let stem = self.stem();
        let same = Path::new(&self.name)
            .extension()
            .is_some_and(|own| own == end);
        match same {
            true => quoted(&format!("{}-lines.{end}", stem.trim_matches('\''))),
            false => quoted(&format!("{}.{end}", stem.trim_matches('\''))),
        }
    }

    /// A name for what it is unpacked to.
    fn unpacked(&self) -> String {
        let path = Path::new(&self.name);
        let packed = ["xz", "bz2", "lz4"].map(Some);
        let end = path.extension().and_then(|end| end.to_str());
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        match stem.filter(|_| packed.contains(&end)) {
            Some(stem) => quoted(stem),
            None => self.with_end("jsonl"),
        }
    }

    /// The command that writes what a filter of `jq` gives, each on a line.
    fn jq(&self, filter: &str, file: &str) -> String {
        let name = self.argument();
        let unpack = match self.raw.as_slice() {
            [0x1F, 0x8B, ..] => "gzip -dc",
            [0x28, 0xB5, 0x2F, 0xFD, ..] => "zstd -dc",
            _ => return format!("jq -c {filter} {name} > {file}"),
        };
        format!("{unpack} {name} | jq -c {filter} > {file}")
    }
}

/// How much of a line is underlined, in characters.
const SHOWN: usize = 60;

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/+,=@:".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) && !word.starts_with('-') {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
