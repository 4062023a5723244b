//! Texts that occur again and again, each kept once and called by a number of its own type.

use causet_trace::NameTable;

/// Texts by number.
#[derive(Default, Debug)]
pub(crate) struct Symbols(NameTable);

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
        self.0.len()
    }

    /// The number of a text that was met before.
    pub(crate) fn find(&self, text: &str) -> Option<Symbol> {
        self.0.find(text).map(|number| Symbol(number as u32))
    }

    /// The number of a text, a new one if it was not met before.
    pub(crate) fn symbol(&mut self, text: &str) -> Symbol {
        Symbol(self.0.intern(text) as u32)
    }

    /// The text with a number.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        self.0.get(symbol.index())
    }

    /// All texts, in the order of their numbers.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter()
    }
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
