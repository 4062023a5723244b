//! Text kept once: an arena of strings and a table from string to number.
//!
//! The ids of messages are looked up here, millions of them, and each look is a random access to memory. A string of at
//! most eight bytes is therefore kept in its entry of the table as one machine word, so that a second look at the arena
//! is not needed to recognise it. Names come from outside: the hash is seeded, so nobody can choose names that collide.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// A set of strings numbered in the order of their arrival; nothing is ever removed.
#[derive(Clone, Default)]
pub struct NameTable {
    text: String,
    ends: Vec<u64>,
    entries: HashTable<Entry>,
    seed: DefaultHashBuilder,
}

impl std::fmt::Debug for NameTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What the table knows of a string.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The bytes of a short string, the hash of a long one.
    key: u64,
    length: u32,
    number: u32,
}

/// How many bytes fit in a key.
const SHORT: usize = size_of::<u64>();

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
        let key = self.key(name);
        self.find_keyed(name, key, self.hash(key))
    }

    #[inline]
    fn find_keyed(&self, name: &str, key: u64, hash: u64) -> Option<usize> {
        let same = |entry: &Entry| {
            entry.key == key
                && entry.length as usize == name.len()
                && (name.len() <= SHORT || self.bytes(entry.number as usize) == name.as_bytes())
        };
        let found = self.entries.find(hash, same);
        found.map(|entry| entry.number as usize)
    }

    /// The number of a string, which is added when it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        let key = self.key(name);
        let hash = self.hash(key);
        if let Some(number) = self.find_keyed(name, key, hash) {
            return number;
        }
        let number = self.ends.len();
        let entry = Entry {
            key,
            length: u32::try_from(name.len()).expect("names are shorter than 4 gigabytes"),
            number: u32::try_from(number).expect("fewer than 2^32 names"),
        };
        let seed = &self.seed;
        self.entries
            .insert_unique(hash, entry, |entry| seed.hash_one(entry.key));
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
        number
    }

    #[inline]
    fn key(&self, name: &str) -> u64 {
        let bytes = name.as_bytes();
        match bytes.len() {
            0 => 0,
            // Three bytes, or four and four, that overlap when there are fewer: with the length they say everything.
            length @ 1..4 => {
                let [first, middle, last] = [bytes[0], bytes[length / 2], bytes[length - 1]];
                u64::from(first) | u64::from(middle) << 8 | u64::from(last) << 16
            }
            4..=SHORT => {
                let half = |four: Option<&[u8; 4]>| {
                    u64::from(four.map_or(0, |&four| u32::from_le_bytes(four)))
                };
                half(bytes.first_chunk()) | half(bytes.last_chunk()) << 32
            }
            _ => self.seed.hash_one(bytes),
        }
    }

    #[inline]
    fn hash(&self, key: u64) -> u64 {
        self.seed.hash_one(key)
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

    #[test]
    fn names_that_share_a_word_are_told_apart() {
        let mut names = NameTable::default();
        let similar = [
            "a",
            "a\0",
            "a\0\0",
            "12345678",
            "123456789",
            "1234567890",
            "12345678\0",
        ];
        for (number, name) in similar.iter().enumerate() {
            assert_eq!(names.intern(name), number);
        }
        for (number, name) in similar.iter().enumerate() {
            assert_eq!((names.find(name), names.get(number)), (Some(number), *name));
        }
    }
}
