//! What a property of a run can name: processes, variables with some of their values, labels, channels.
//!
//! The header and some lines of both ends of the run are enough: a value that occurs only in the middle is not missed
//! by a random property.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;

/// How many lines of the beginning are read.
const FIRST_LINES: usize = 3_000;
/// How many bytes of the end are read.
const LAST_BYTES: u64 = 200_000;
/// How many values of a variable are kept.
const MAX_VALUES: usize = 40;

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Number,
    Text,
    Bool,
}

/// A local variable of the same name in several processes, or a shared one.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) name: String,
    /// The processes that have it; none for a shared variable.
    pub(super) processes: Vec<String>,
    pub(super) kind: Kind,
    /// Values that occur, as literals.
    pub(super) values: Vec<String>,
}

/// Everything that can be named.
#[derive(Default, Debug)]
pub(super) struct Vocabulary {
    pub(super) processes: Vec<String>,
    pub(super) families: Vec<Family>,
    pub(super) labels: Vec<String>,
    /// Sender and receiver of messages that were sent.
    pub(super) channels: Vec<(String, String)>,
    shared: Vec<String>,
}

impl Vocabulary {
    /// Reads the beginning and the end of a run.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let lines = both_ends(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut vocabulary = Vocabulary::default();
        for line in &lines {
            let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            if line["causet"].is_null() {
                vocabulary.add_event(&line);
            } else {
                vocabulary.add_header(&line);
            }
        }
        vocabulary.families.sort_by(|a, b| a.name.cmp(&b.name));
        vocabulary.labels.sort();
        Ok(vocabulary)
    }

    fn add_header(&mut self, header: &Value) {
        self.processes = strings(&header["processes"]);
        self.shared = strings(&header["shared"]);
        for (name, value) in header["init"].as_object().into_iter().flatten() {
            match name.split_once('.') {
                Some((process, name)) => self.add_value(process, name, value),
                None => self.add_value("", name, value),
            }
        }
    }

    fn add_event(&mut self, event: &Value) {
        let process = event["p"].as_str().unwrap_or_default();
        for (name, value) in event["set"].as_object().into_iter().flatten() {
            let owner = if self.shared.contains(name) {
                ""
            } else {
                process
            };
            self.add_value(owner, name, value);
        }
        if let Some(label) = event["ev"].as_str()
            && !self.labels.iter().any(|known| known == label)
        {
            self.labels.push(label.to_owned());
        }
        if let (true, Some(to)) = (!event["send"].is_null(), event["to"].as_str()) {
            let channel = (process.to_owned(), to.to_owned());
            if self.channels.len() < MAX_VALUES && !self.channels.contains(&channel) {
                self.channels.push(channel);
            }
        }
    }

    fn add_value(&mut self, process: &str, name: &str, value: &Value) {
        let kind = match value {
            Value::Bool(_) => Kind::Bool,
            Value::String(_) => Kind::Text,
            _ => Kind::Number,
        };
        let shared = process.is_empty();
        let known = self
            .families
            .iter()
            .position(|family| family.name == name && family.processes.is_empty() == shared);
        let index = known.unwrap_or(self.families.len());
        if known.is_none() {
            self.families.push(Family {
                name: name.to_owned(),
                processes: Vec::new(),
                kind,
                values: Vec::new(),
            });
        }
        let family = &mut self.families[index];
        if !shared && !family.processes.iter().any(|known| known == process) {
            family.processes.push(process.to_owned());
        }
        let literal = value.to_string();
        if family.values.len() < MAX_VALUES && !family.values.contains(&literal) {
            family.values.push(literal);
        }
    }

    /// The local variables of a kind.
    pub(super) fn local(&self, kind: Kind) -> Vec<&Family> {
        let local = self.families.iter();
        local
            .filter(|family| family.kind == kind && !family.processes.is_empty())
            .collect()
    }
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

/// Whole lines of the beginning and of the end, none twice.
fn both_ends(path: &Path) -> std::io::Result<Vec<String>> {
    let mut lines = BTreeMap::new();
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut place = 0;
    for line in BufReader::new(&file).lines().take(FIRST_LINES) {
        let line = line?;
        let next = place + line.len() as u64 + 1;
        lines.insert(place, line);
        place = next;
    }
    let tail = length.saturating_sub(LAST_BYTES).max(place);
    file.seek(SeekFrom::Start(tail))?;
    let mut rest = String::new();
    file.read_to_string(&mut rest)?;
    // Unless the tail follows the beginning at once, its first line may be cut in two.
    let skipped = if tail == place {
        0
    } else {
        rest.find('\n').map_or(rest.len(), |end| end + 1)
    };
    let mut place = tail + skipped as u64;
    for line in rest[skipped..].lines() {
        lines.insert(place, line.to_owned());
        place += line.len() as u64 + 1;
    }
    Ok(lines.into_values().collect())
}
