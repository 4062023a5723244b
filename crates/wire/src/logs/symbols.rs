//! Texts that occur again and again, each kept once and called by a number.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Texts by number: one long text, and where each of them ends.
#[derive(Default, Debug)]
pub(crate) struct Symbols {
    all: String,
    ends: Vec<usize>,
    /// With their hashes, which are looked at before the texts are.
    numbers: HashTable<(u64, Symbol)>,
}

/// The number of a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// It counts from 0.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Symbols {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a text that was met before.
    pub(crate) fn find(&self, text: &str) -> Option<Symbol> {
        self.find_hashed(text, hash_of(text))
    }

    fn find_hashed(&self, text: &str, hash: u64) -> Option<Symbol> {
        let is_same = |&(other, symbol): &(u64, Symbol)| other == hash && self.text(symbol) == text;
        let found = self.numbers.find(hash, is_same);
        found.map(|&(_, symbol)| symbol)
    }

    /// The number of a text, a new one if it was not met before.
    pub(crate) fn symbol(&mut self, text: &str) -> Symbol {
        let hash = hash_of(text);
        if let Some(found) = self.find_hashed(text, hash) {
            return found;
        }
        let symbol = Symbol(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        self.all.push_str(text);
        self.ends.push(self.all.len());
        let of_other = |&(hash, _): &(u64, Symbol)| hash;
        self.numbers.insert_unique(hash, (hash, symbol), of_other);
        symbol
    }

    /// The text with a number.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        let number = symbol.index();
        let start = number.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.all[start..self.ends[number]]
    }

    /// All texts, in the order of their numbers.
    pub(crate) fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|number| self.text(Symbol(number as u32)))
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::Symbols;

    #[test]
    fn a_text_has_one_number() {
        let mut symbols = Symbols::default();
        let numbers: Vec<usize> = ["b", "", "b", "a"]
            .map(|text| symbols.symbol(text).index())
            .into();
        assert_eq!(numbers, [0, 1, 0, 2]);
        assert!(symbols.texts().eq(["b", "", "a"]));
        let again = symbols.symbol("a");
        assert_eq!(symbols.text(again), "a");
    }
}
