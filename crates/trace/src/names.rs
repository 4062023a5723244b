//! Text kept once: an arena of strings and a table from string to number.
//!
//! The ids of messages are looked up here, millions of them, and each look is a random access to memory. A string of at
//! most eight bytes is therefore kept in its entry of the table as one machine word, so that a second look at the arena
//! is not needed to recognise it. Names come from outside: the hash is seeded, so nobody can choose names that collide.
//! That table is larger than the text it finds; it stands apart, so that whoever has read all names can let it go.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// A set of strings numbered in the order of their arrival; nothing is ever removed.
#[derive(Clone, Default)]
pub struct NameTable {
    pub(crate) names: Names,
    index: NameIndex,
}

impl std::fmt::Debug for NameTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.names.fmt(f)
    }
}

impl NameTable {
    /// How many different strings there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.len() == 0
    }

    /// The string with this number.
    pub fn get(&self, number: usize) -> &str {
        self.names.get(number)
    }

    /// The number of a string that is in the table.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.find(&self.names, name)
    }

    /// The number of a string, which is added when it is new.
    pub fn intern(&mut self, name: &str) -> usize {
        self.index.intern(&mut self.names, name)
    }

    /// All strings, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter()
    }
}

/// The strings by their numbers: what is left to keep of a table once nothing is looked up any more.
#[derive(Clone, Default)]
pub(crate) struct Names {
    pub(crate) text: String,
    /// Where each string ends, without what is above 32 bits.
    pub(crate) ends: Vec<u32>,
    /// The strings whose ends are the first above each multiple of four gigabytes.
    pub(crate) carries: Vec<u32>,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Names {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string with this number.
    pub(crate) fn get(&self, number: usize) -> &str {
        &self.text[self.range(number)]
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Gives back what growing had set aside.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(crate) fn push(&mut self, name: &str) {
        let above = |length: usize| length as u64 >> 32;
        let before = self.text.len();
        self.text.push_str(name);
        if above(before) < above(self.text.len()) {
            self.carries.push(self.ends.len() as u32);
        }
        self.ends.push(self.text.len() as u32);
    }

    #[inline]
    fn bytes(&self, number: usize) -> &[u8] {
        &self.text.as_bytes()[self.range(number)]
    }

    #[inline]
    fn range(&self, number: usize) -> std::ops::Range<usize> {
        let start = number.checked_sub(1).map_or(0, |before| self.end(before));
        start..self.end(number)
    }

    #[inline]
    pub(crate) fn end(&self, number: usize) -> usize {
        let carried = self
            .carries
            .partition_point(|&first| first as usize <= number);
        ((carried as u64) << 32 | u64::from(self.ends[number])) as usize
    }
}

/// From strings back to their numbers in one list of [`Names`].
#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    entries: HashTable<Entry>,
    seed: DefaultHashBuilder,
}

/// What the index knows of a string.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The bytes of a short string, the hash of a long one.
    key: u64,
    length: u32,
    number: u32,
}

/// How many bytes fit in a key.
const SHORT: usize = size_of::<u64>();

impl NameIndex {
    fn find(&self, names: &Names, name: &str) -> Option<usize> {
        let key = self.key(name);
        self.find_keyed(names, name, key, self.hash(key))
    }

    #[inline]
    fn find_keyed(&self, names: &Names, name: &str, key: u64, hash: u64) -> Option<usize> {
        let same = |entry: &Entry| {
            entry.key == key
                && entry.length as usize == name.len()
                && (name.len() <= SHORT || names.bytes(entry.number as usize) == name.as_bytes())
        };
        let found = self.entries.find(hash, same);
        found.map(|entry| entry.number as usize)
    }

    /// The number of a string, which is added to the list when it is new.
    pub(crate) fn intern(&mut self, names: &mut Names, name: &str) -> usize {
        let key = self.key(name);
        let hash = self.hash(key);
        if let Some(number) = self.find_keyed(names, name, key, hash) {
            return number;
        }
        let number = names.len();
        let entry = Entry {
            key,
            length: u32::try_from(name.len()).expect("names are shorter than 4 gigabytes"),
            number: u32::try_from(number).expect("fewer than 2^32 names"),
        };
        let seed = &self.seed;
        self.entries
            .insert_unique(hash, entry, |entry| seed.hash_one(entry.key));
        names.push(name);
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

    #[test]
    fn names_are_read_without_the_index() {
        let (mut names, mut index) = (Names::default(), NameIndex::default());
        for name in ["one", "", "the third of them"] {
            index.intern(&mut names, name);
        }
        drop(index);
        names.shrink();
        let read: Vec<&str> = names.iter().collect();
        assert_eq!(read, ["one", "", "the third of them"]);
    }

    #[test]
    fn ends_beyond_32_bits_carry() {
        let names = Names {
            text: String::new(),
            ends: vec![7, u32::MAX, 5, 6, 0, 9],
            carries: vec![2, 4],
        };
        let ends: Vec<usize> = (0..6).map(|number| names.end(number)).collect();
        let carry = 1 << 32;
        let expected = [7, carry - 1, carry + 5, carry + 6, 2 * carry, 2 * carry + 9];
        assert_eq!(ends, expected);
    }
}
