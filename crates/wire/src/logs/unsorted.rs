//! Entries that come in no order: kept until all are there, then told process by process as their clocks count.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::entry::Entry;
use super::scribe::Scribe;
use super::trouble::Trouble;

/// Entries with vector clocks, in any order.
#[derive(Default)]
pub(crate) struct Unsorted {
    entries: Vec<Entry<'static>>,
}

impl Unsorted {
    /// Keeps an entry.
    pub(crate) fn keep(&mut self, entry: Entry<'_>) {
        self.entries.push(entry.into_owned());
    }

    /// Tells all entries of a part: in the order in which they came as far as that is the order of their clocks, and
    /// otherwise each in the place where its process had its turn.
    pub(crate) fn tell(&mut self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let entries = std::mem::take(&mut self.entries);
        let mut lanes: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (number, entry) in entries.iter().enumerate() {
            lanes.entry(&entry.process).or_default().push(number as u32);
        }
        for lane in lanes.values_mut() {
            let count = |&number: &u32| entries[number as usize].own_count().unwrap_or(0);
            if !lane.is_sorted_by_key(count) {
                lane.sort_by_key(count);
            }
            lane.reverse();
        }
        for entry in &entries {
            let lane = lanes.get_mut(&*entry.process);
            if let Some(number) = lane.and_then(Vec::pop) {
                scribe.add(&entries[number as usize])?;
            }
        }
        Ok(())
    }
}

/// A clock must count the events of its own process.
pub(crate) fn owns_its_clock(entry: &Entry<'_>, line: &str) -> Result<(), Trouble> {
    if entry.own_count().is_some() {
        return Ok(());
    }
    let message = format!(
        "the clock has no entry for its own process `{}`",
        entry.process
    );
    let shown = line.lines().next().unwrap_or_default();
    Err(Trouble::of_line(
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

/// A key, borrowed unless it has escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
