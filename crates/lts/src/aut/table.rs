//! A worker's labels: which number the bytes of a label have, answered for nearly all lines by one look.
//!
//! A label of up to eight bytes is its own key; for a longer one the key is a hash and the bytes are compared. Numbers
//! are the worker's own; the collector knows what they are in the file.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// How many labels are remembered where they can be found at once; a power of two.
const REMEMBERED: usize = 1024;

/// What is wrong with the bytes of a label, and where.
#[derive(Clone, Copy, Debug)]
pub(super) enum BadLabel {
    Nul(usize),
    NotText(usize),
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    length: u32,
    number: u32,
}

/// The labels that one worker has met.
pub(super) struct Table {
    texts: Vec<Arc<str>>,
    numbers: HashTable<u32>,
    slots: Vec<Slot>,
    /// Labels below this number have been handed over.
    known: usize,
}

impl Default for Table {
    fn default() -> Self {
        Table {
            texts: Vec::new(),
            numbers: HashTable::new(),
            // No label is empty, so an empty slot matches none.
            slots: vec![Slot::default(); REMEMBERED],
            known: 0,
        }
    }
}

impl Table {
    /// The number of the label that stands at a place in a block.
    #[inline]
    pub(super) fn number(&mut self, block: &[u8], place: Range<usize>) -> Result<u32, BadLabel> {
        let key = key(block, &place);
        let at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize % REMEMBERED;
        let slot = self.slots[at];
        if slot.key == key
            && slot.length as usize == place.len()
            && (place.len() <= 8
                || self.texts[slot.number as usize].as_bytes() == &block[place.clone()])
        {
            return Ok(slot.number);
        }
        let number = self.look_up(&block[place.clone()])?;
        let length = place.len() as u32;
        self.slots[at] = Slot {
            key,
            length,
            number,
        };
        Ok(number)
    }

    /// The labels that were met since this was last asked, in the order in which they were.
    pub(super) fn take_new(&mut self) -> Vec<Arc<str>> {
        let new = self.texts[self.known..].to_vec();
        self.known = self.texts.len();
        new
    }

    #[cold]
    fn look_up(&mut self, label: &[u8]) -> Result<u32, BadLabel> {
        let text = str::from_utf8(label).map_err(|error| BadLabel::NotText(error.valid_up_to()))?;
        if let Some(at) = memchr::memchr(0, label) {
            return Err(BadLabel::Nul(at));
        }
        let texts = &self.texts;
        let hash = FxBuildHasher.hash_one(text);
        let same = |&number: &u32| &*texts[number as usize] == text;
        if let Some(&number) = self.numbers.find(hash, same) {
            return Ok(number);
        }
        let number = texts.len() as u32;
        let hash_of = |&number: &u32| FxBuildHasher.hash_one(&*texts[number as usize]);
        self.numbers.insert_unique(hash, number, hash_of);
        self.texts.push(text.into());
        Ok(number)
    }
}

/// The bytes of a short label, or a hash of a long one.
#[inline]
fn key(block: &[u8], place: &Range<usize>) -> u64 {
    let length = place.len();
    if length > 8 {
        return FxBuildHasher.hash_one(&block[place.clone()]);
    }
    match block.get(place.start..place.start + 8) {
        Some(&[a, b, c, d, e, f, g, h]) if length > 0 => {
            u64::from_le_bytes([a, b, c, d, e, f, g, h]) & (u64::MAX >> (64 - 8 * length))
        }
        _ => {
            let bytes = block[place.clone()].iter().rev();
            bytes.fold(0, |key, &byte| key << 8 | u64::from(byte))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_with_one_hash_are_told_apart() {
        let mut table = Table::default();
        let block = b"long label one, long label two";
        let (one, two) = (0..14, 16..30);
        assert_eq!(table.number(block, one.clone()).ok(), Some(0));
        // As if the first label had the key of the second.
        let slot = Slot {
            key: key(block, &two),
            length: 14,
            number: 0,
        };
        table.slots.fill(slot);
        assert_eq!(table.number(block, two.clone()).ok(), Some(1));
        assert_eq!(table.number(block, one).ok(), Some(0));
        assert_eq!(table.number(block, two).ok(), Some(1));
    }

    #[test]
    fn a_key_is_the_same_wherever_the_label_stands() {
        for length in 1..=8 {
            let label = &b"abcdefgh"[..length];
            let followed = [label, b"\",12345678)"].concat();
            assert_eq!(key(label, &(0..length)), key(&followed, &(0..length)));
        }
    }
}
