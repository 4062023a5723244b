//! Entries that come in no order: told at once as long as each is the next of its process, and otherwise kept until all
//! are there.

use std::borrow::Cow;

use causet_base::Code;
use rustc_hash::FxHashMap;

use super::entry::Entry;
use super::json::Key;
use super::matching::Matching;
use super::scribe::Scribe;
use crate::error::ReadError;

/// Takes the entries of a part, which have vector clocks, in any order.
pub(crate) struct Unsorted<'u, 'a> {
    scribe: &'u mut Scribe<'a>,
    /// Makes ids of the keys of messages, if they are keys: each side of a channel is told in its own order.
    messages: Option<&'u mut Matching>,
    /// How many entries of each process were told.
    told: FxHashMap<String, u32>,
    /// All since the first that was not the next of its process.
    kept: Vec<Entry<'static>>,
}

impl<'u, 'a> Unsorted<'u, 'a> {
    pub(crate) fn new(scribe: &'u mut Scribe<'a>) -> Self {
        Unsorted {
            scribe,
            messages: None,
            told: FxHashMap::default(),
            kept: Vec::new(),
        }
    }

    /// With messages that are known by keys.
    pub(crate) fn with_keys(mut self, messages: &'u mut Matching) -> Self {
        self.messages = Some(messages);
        self
    }

    /// Who writes the run down, for what is no entry.
    pub(crate) fn scribe(&mut self) -> &mut Scribe<'a> {
        self.scribe
    }

    /// Takes an entry.
    pub(crate) fn take(&mut self, entry: Entry<'_>) -> Result<(), ReadError> {
        if self.kept.is_empty() && self.is_next(&entry) {
            return self.tell(entry);
        }
        self.kept.push(entry.into_owned());
        Ok(())
    }

    /// Whether an entry is the next of its process; it is counted then.
    fn is_next(&mut self, entry: &Entry<'_>) -> bool {
        let count = entry.own_count();
        match self.told.get_mut(&*entry.process) {
            Some(told) if count == Some(*told + 1) => *told += 1,
            None if count == Some(1) => drop(self.told.insert(entry.process.to_string(), 1)),
            _ => return false,
        }
        true
    }

    fn tell(&mut self, mut entry: Entry<'_>) -> Result<(), ReadError> {
        if let Some(messages) = &mut self.messages {
            messages.number(&mut entry);
        }
        self.scribe.add(&entry)?;
        Ok(())
    }

    /// Tells what was kept: in the order in which it came as far as that is the order of the clocks, and otherwise each in
    /// the place where its process had its turn.
    pub(crate) fn finish(mut self) -> Result<(), ReadError> {
        let kept = std::mem::take(&mut self.kept);
        let mut lanes: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (number, entry) in kept.iter().enumerate() {
            lanes.entry(&entry.process).or_default().push(number as u32);
        }
        for lane in lanes.values_mut() {
            let count = |&number: &u32| kept[number as usize].own_count().unwrap_or(0);
            if !lane.is_sorted_by_key(count) {
                lane.sort_by_key(count);
            }
            lane.reverse();
        }
        let turns = kept
            .iter()
            .filter_map(|entry| lanes.get_mut(&*entry.process)?.pop());
        let turns: Vec<u32> = turns.collect();
        let mut kept: Vec<Option<Entry<'_>>> = kept.into_iter().map(Some).collect();
        for number in turns {
            if let Some(entry) = kept[number as usize].take() {
                self.tell(entry)?;
            }
        }
        Ok(())
    }
}

/// A clock must count the events of its own process.
pub(crate) fn owns_its_clock(entry: &Entry<'_>, line: &str) -> Result<(), ReadError> {
    if entry.own_count().is_some() {
        return Ok(());
    }
    let message = format!(
        "the clock has no entry for its own process `{}`",
        entry.process
    );
    let shown = line.lines().next().unwrap_or_default();
    Err(ReadError::of_line(
        Code::BadLoggedClock,
        entry.line,
        shown,
        message,
        "expected its own count, at least 1",
    ))
}

/// A clock as a JSON object: counts by process, without those that are 0.
pub(crate) fn clock_of(text: &str) -> Result<Vec<(Cow<'_, str>, u32)>, serde_json::Error> {
    let counts: Counts<'_> = serde_json::from_str(text)?;
    Ok(counts.0)
}

/// A JSON object of counts, in the order in which it was written.
pub(crate) struct Counts<'a>(pub(crate) Vec<(Cow<'a, str>, u32)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Counts<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Vec<(Cow<'de, str>, u32)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of counts such as {\"p1\":3,\"p2\":1}")
            }

            fn visit_map<M: serde::de::MapAccess<'de>>(
                self,
                mut map: M,
            ) -> Result<Self::Value, M::Error> {
                let mut counts = Vec::new();
                while let Some((Key(name), count)) = map.next_entry::<Key<'de>, u32>()? {
                    if count > 0 {
                        counts.push((name, count));
                    }
                }
                Ok(counts)
            }
        }
        deserializer.deserialize_map(Visitor).map(Counts)
    }
}
