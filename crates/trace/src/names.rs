//! Text kept once: an arena of strings and a table from string to number.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

/// A set of strings numbered in the order of their arrival; nothing is ever removed.
#[derive(Clone, Default, Debug)]
pub struct NameTable {
    text: String,
    ends: Vec<u64>,
    numbers: HashTable<u32>,
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
        slice(&self.text, &self.ends, number)
    }

    /// The number of a string that is in the table.
    pub fn find(&self, name: &str) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let same = |&number: &u32| &bytes[range(&self.ends, number as usize)] == name.as_bytes();
        self.numbers
            .find(hash(name), same)
            .map(|&number| number as usize)
    }

    /// The number of a string, which is added when it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        let Self {
            text,
            ends,
            numbers,
        } = self;
        let bytes = text.as_bytes();
        let same = |&number: &u32| &bytes[range(ends, number as usize)] == name.as_bytes();
        let rehash = |&number: &u32| hash(slice(text, ends, number as usize));
        match numbers.entry(hash(name), same, rehash) {
            Entry::Occupied(entry) => *entry.get() as usize,
            Entry::Vacant(entry) => {
                let number = ends.len();
                entry.insert(u32::try_from(number).expect("fewer than 2^32 names"));
                text.push_str(name);
                ends.push(text.len() as u64);
                number
            }
        }
    }

    /// All strings, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}

fn slice<'a>(text: &'a str, ends: &[u64], number: usize) -> &'a str {
    &text[range(ends, number)]
}

#[inline]
fn range(ends: &[u64], number: usize) -> std::ops::Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[number] as usize
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
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
