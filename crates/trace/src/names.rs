//! Text kept once: an arena of strings and a table from string to number.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A set of strings numbered in the order of their arrival; nothing is ever removed.
#[derive(Clone, Default, Debug)]
pub struct NameTable {
    text: String,
    ends: Vec<u64>,
    /// The number of each string, with a part of its hash so that most others are told apart without a look at them.
    numbers: HashTable<(u32, u32)>,
}

impl NameTable {
    /// How many different strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string with this number.
    pub fn get(&self, number: usize) -> &str {
        &self.text[range(&self.ends, number)]
    }

    /// The number of a string that is in the table.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.find_hashed(name, hash(name))
    }

    #[inline]
    fn find_hashed(&self, name: &str, hash: u32) -> Option<usize> {
        let same = |&(tag, number): &(u32, u32)| {
            tag == hash && self.bytes(number as usize) == name.as_bytes()
        };
        let found = self.numbers.find(spread(hash), same);
        found.map(|&(_, number)| number as usize)
    }

    /// The number of a string, which is added when it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        let hash = hash(name);
        if let Some(number) = self.find_hashed(name, hash) {
            return number;
        }
        let number = self.ends.len();
        let entry = (hash, u32::try_from(number).expect("fewer than 2^32 names"));
        self.numbers
            .insert_unique(spread(hash), entry, |&(tag, _)| spread(tag));
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
        number
    }

    #[inline]
    fn bytes(&self, number: usize) -> &[u8] {
        &self.text.as_bytes()[range(&self.ends, number)]
    }

    /// All strings, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}

#[inline]
fn range(ends: &[u64], number: usize) -> std::ops::Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[number] as usize
}

fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    (hasher.finish() >> 32) as u32
}

/// The table takes its place from the low bits and its marks from the high ones: give it both.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let mut names = NameTable::default();
        assert_eq!(names.intern("a"), 0);
        assert_eq!(names.intern(""), 1);
        assert_eq!(names.intern("a"), 0);
        assert_eq!((names.get(0), names.get(1)), ("a", ""));
        assert_eq!((names.find(""), names.find("b")), (Some(1), None));
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", ""]);
    }
}
