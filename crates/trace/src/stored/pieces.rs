//! The containers of a run as columns of numbers, and back; each knows what it can be made of.

use std::borrow::Cow;
use std::ops::Range;

use super::{Numbers, Restored, refused};
use crate::lines::Lines;
use crate::names::{NameTable, Names};
use crate::narrow::Narrow;
use crate::packed::PackedValues;
use crate::ragged::Ragged;
use crate::value::{MAX_SCALE, StoredValue};
use causet_base::ids::TextId;

/// The kind of a truth value; kinds up to [`MAX_SCALE`] are numbers with so many decimal places.
const BOOL: u16 = u16::MAX;
/// The kind of a text.
const TEXT: u16 = u16::MAX - 1;

/// Values of any kind, as two columns.
pub(super) fn value_columns(values: impl Iterator<Item = StoredValue>) -> [Numbers<'static>; 2] {
    let (numbers, kinds): (Vec<u64>, Vec<u16>) = values
        .map(|value| match value {
            StoredValue::Int(number) => (number.cast_unsigned(), 0),
            StoredValue::Decimal { mantissa, scale } => (mantissa.cast_unsigned(), scale),
            StoredValue::Bool(truth) => (u64::from(truth), BOOL),
            StoredValue::Text(text) => (u64::from(text.raw()), TEXT),
        })
        .unzip();
    [
        Numbers::Longs(numbers.into()),
        Numbers::Shorts(kinds.into()),
    ]
}

/// Values from their two columns.
pub(super) fn values(
    numbers: &Numbers<'_>,
    kinds: &Numbers<'_>,
    texts: usize,
    column: &'static str,
) -> Restored<Vec<StoredValue>> {
    let (numbers, kinds) = (numbers.longs(column)?, kinds.to_words(column)?);
    if numbers.len() != kinds.len() {
        return refused(column, "it is not as long as that of their kinds");
    }
    let value = |(&number, &kind): (&u64, &u32)| match u16::try_from(kind) {
        Ok(BOOL) if number <= 1 => Ok(StoredValue::Bool(number == 1)),
        Ok(TEXT) if number < texts as u64 => Ok(StoredValue::Text(TextId::new(number as u32))),
        Ok(scale @ 0..=MAX_SCALE) => Ok(StoredValue::decimal(number.cast_signed(), scale)),
        _ => refused(column, "there is no such value"),
    };
    numbers.iter().zip(kinds.iter()).map(value).collect()
}

impl Names {
    pub(super) fn columns(&self) -> [Numbers<'_>; 2] {
        [
            Numbers::text(&self.text),
            Numbers::Words(Cow::Borrowed(&self.ends)),
        ]
    }

    /// The columns of some of them alone.
    pub(super) fn slice(&self, range: Range<usize>) -> [Numbers<'_>; 2] {
        let end = |number: usize| number.checked_sub(1).map_or(0, |last| self.end(last));
        let (start, end) = (end(range.start), end(range.end));
        let ends = self.ends[range].iter();
        [
            Numbers::text(&self.text[start..end]),
            Numbers::words(ends.map(|end| end.wrapping_sub(start as u32))),
        ]
    }

    /// Appends names from their columns.
    pub(super) fn append(
        &mut self,
        text: &Numbers<'_>,
        ends: &Numbers<'_>,
        column: &'static str,
    ) -> Restored<()> {
        let more = Names::restored(text, ends, column)?;
        let start = self.text.len();
        if u32::try_from(start + more.text.len()).is_ok() {
            self.text.push_str(&more.text);
            let ends = more.ends.iter().map(|&end| end + start as u32);
            self.ends.extend(ends);
        } else {
            (0..more.len()).for_each(|number| self.push(more.get(number)));
        }
        Ok(())
    }

    pub(super) fn restored(
        text: &Numbers<'_>,
        ends: &Numbers<'_>,
        column: &'static str,
    ) -> Restored<Names> {
        let (text, ends) = (text.to_text(column)?, ends.to_words(column)?);
        // Nearly all are short and plain, and then this says everything.
        if text.is_ascii()
            && ends.is_sorted()
            && ends.last().copied().unwrap_or(0) as usize == text.len()
        {
            return Ok(Names {
                text: text.to_owned(),
                ends: ends.into_owned(),
                carries: Vec::new(),
            });
        }
        let mut carries = Vec::new();
        let (mut above, mut last) = (0_u64, 0);
        for (number, &end) in ends.iter().enumerate() {
            if end < last {
                above += 1 << 32;
                carries.push(number as u32);
            }
            last = end;
            let whole = usize::try_from(above | u64::from(end));
            if !whole.is_ok_and(|whole| text.is_char_boundary(whole)) {
                return refused(column, "a name ends outside of its text");
            }
        }
        if above | u64::from(last) != text.len() as u64 {
            return refused(column, "there is text after the last name");
        }
        Ok(Names {
            text: text.to_owned(),
            ends: ends.into_owned(),
            carries,
        })
    }
}

impl NameTable {
    pub(super) fn restored(
        text: &Numbers<'_>,
        ends: &Numbers<'_>,
        column: &'static str,
    ) -> Restored<NameTable> {
        let names = Names::restored(text, ends, column)?;
        let mut table = NameTable::default();
        for number in 0..names.len() {
            if table.intern(names.get(number)) != number {
                return refused(column, "a name occurs twice");
            }
        }
        Ok(table)
    }
}

impl Narrow {
    pub(super) fn slice(&self, range: Range<usize>) -> Numbers<'_> {
        match self {
            Narrow::Bytes(list) => Numbers::Bytes(Cow::Borrowed(&list[range])),
            Narrow::Shorts(list) => Numbers::Shorts(Cow::Borrowed(&list[range])),
            Narrow::Words(list) => Numbers::Words(Cow::Borrowed(&list[range])),
        }
    }

    /// Appends numbers, of the same width as those before them unless the first ones are wider.
    pub(super) fn append(&mut self, numbers: &Numbers<'_>, column: &'static str) -> Restored<()> {
        match (&mut *self, numbers) {
            (Narrow::Bytes(list), Numbers::Bytes(more)) => list.extend_from_slice(more),
            (Narrow::Shorts(list), Numbers::Shorts(more)) => list.extend_from_slice(more),
            (Narrow::Words(list), Numbers::Words(more)) => list.extend_from_slice(more),
            (Narrow::Bytes(list), Numbers::Shorts(more)) if list.is_empty() => {
                *self = Narrow::Shorts(more.to_vec());
            }
            (Narrow::Bytes(list), Numbers::Words(more)) if list.is_empty() => {
                *self = Narrow::Words(more.to_vec());
            }
            _ => {
                let more = numbers.to_words(column)?;
                more.iter().for_each(|&number| self.push(number));
            }
        }
        Ok(())
    }
}

impl Lines {
    /// The first events of the stretches within a block, counted from its beginning, and their lines.
    pub(super) fn columns(&self, events: &Range<usize>) -> [Numbers<'static>; 2] {
        let start = events.start as u32;
        let begun = |event: usize| {
            self.stretches
                .partition_point(|&(first, _)| (first as usize) < event)
        };
        let stretches = &self.stretches[begun(events.start)..begun(events.end)];
        [
            Numbers::words(stretches.iter().map(|&(first, _)| first - start)),
            Numbers::words(stretches.iter().map(|&(_, line)| line)),
        ]
    }

    pub(super) fn append(
        &mut self,
        events: &Range<usize>,
        firsts: &Numbers<'_>,
        lines: &Numbers<'_>,
        column: &'static str,
    ) -> Restored<()> {
        let (firsts, lines) = (firsts.to_words(column)?, lines.to_words(column)?);
        let is_ascending = firsts.is_sorted_by(|one, other| one < other);
        let fits = firsts
            .last()
            .is_none_or(|&last| (last as usize) < events.len());
        if firsts.len() != lines.len() || !is_ascending || !fits {
            return refused(column, "its stretches do not fit its events");
        }
        let start = events.start as u32;
        let firsts = firsts.iter().map(|&first| first + start);
        self.stretches.extend(firsts.zip(lines.iter().copied()));
        self.length = events.end;
        Ok(())
    }
}

impl PackedValues {
    pub(super) fn slice(&self, range: Range<usize>) -> Numbers<'_> {
        Numbers::Words(Cow::Borrowed(&self.codes[range]))
    }

    /// Appends the codes of values, which must mean something.
    pub(super) fn append(
        &mut self,
        numbers: &Numbers<'_>,
        texts: usize,
        column: &'static str,
    ) -> Restored<()> {
        let codes = numbers.to_words(column)?;
        // All places have less than 31 bits. Without branches the compiler turns this into vector instructions.
        let limit = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        let (texts, aside) = (limit(texts + 2), limit(self.aside.len()));
        let wrong = codes.iter().fold(0, |wrong, &code| {
            let place = (code >> 2).cast_signed();
            let limit = if code & 0b10 != 0 { aside } else { texts };
            wrong | (u32::from(place >= limit) & !code & 1)
        });
        if wrong != 0 {
            return refused(column, "there is no such value");
        }
        self.codes.extend_from_slice(&codes);
        Ok(())
    }
}

impl<T> Ragged<T> {
    /// Where the entries of a block of rows stand among all entries.
    pub(super) fn items_of(&self, rows: &Range<usize>) -> Range<usize> {
        let at = |row: usize| match self.ends.is_empty() {
            true => self.filled_until(row),
            false => {
                let last = self.filled_until(row).checked_sub(1);
                last.map_or(0, |last| self.ends[last] as usize)
            }
        };
        at(rows.start)..at(rows.end)
    }

    /// How many rows before this one are filled.
    fn filled_until(&self, row: usize) -> usize {
        let (word, bit) = (row / 64, 1_u64 << (row % 64));
        match self.filled.get(word) {
            None => self.count as usize,
            Some(filled) => {
                let before = (filled & (bit - 1)).count_ones() + self.filled_before[word];
                before as usize
            }
        }
    }

    /// The filled rows among some, of which the first number is a multiple of 64, with their entries.
    pub(super) fn filled_rows<'a>(
        &'a self,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = (usize, &'a [T])> + use<'a, T> {
        let words = rows.start / 64..rows.end.div_ceil(64).min(self.filled.len());
        let numbers =
            words.flat_map(|word| bits(self.filled[word]).map(move |bit| word * 64 + bit));
        let mut at = self.filled_until(rows.start);
        let mut start = self.items_of(rows).start;
        numbers.map(move |row| {
            let end = self.ends.get(at).map_or(at + 1, |&end| end as usize);
            let items = &self.items[start..end];
            (at, start) = (at + 1, end);
            (row, items)
        })
    }

    /// Three columns: which rows of a block are filled, where they end unless each has one entry, the entries.
    pub(super) fn columns<'a>(
        &'a self,
        rows: Range<usize>,
        columns: &mut Vec<Numbers<'a>>,
        numbers: impl Fn(&'a [T]) -> Numbers<'a>,
    ) {
        let words = rows.start / 64..rows.end.div_ceil(64);
        let within = words.start.min(self.filled.len())..words.end.min(self.filled.len());
        let items = self.items_of(&rows);
        let filled = self.filled_until(rows.start)..self.filled_until(rows.end);
        columns.push(Numbers::Longs(Cow::Borrowed(&self.filled[within])));
        let ends = match filled.len() == items.len() {
            true => Vec::new(),
            false => {
                let ends = self.ends[filled].iter();
                ends.map(|&end| end - items.start as u32).collect()
            }
        };
        columns.push(Numbers::Words(ends.into()));
        columns.push(numbers(&self.items[items]));
    }

    /// Appends the rows of a block, of which the first number is a multiple of 64; says how many entries they must have.
    pub(super) fn append_rows(
        &mut self,
        rows: &Range<usize>,
        filled: &Numbers<'_>,
        ends: &Numbers<'_>,
        entries: usize,
        column: &'static str,
    ) -> Restored<()> {
        let (filled, ends) = (filled.longs(column)?, ends.to_words(column)?);
        let room = rows.len();
        let beyond = filled
            .get(room / 64)
            .is_some_and(|&last| last >> (room % 64) != 0);
        if filled.len() > room.div_ceil(64) || beyond {
            return refused(column, "it has more rows than there are events");
        }
        let before = self.count;
        if !filled.is_empty() {
            self.filled.resize(rows.start / 64, 0);
            self.filled_before.resize(rows.start / 64, before);
        }
        for &word in filled {
            self.filled_before.push(self.count);
            self.count += word.count_ones();
        }
        self.filled.extend_from_slice(filled);
        self.append_ends(before, &ends, entries, column)
    }

    fn append_ends(
        &mut self,
        before: u32,
        ends: &[u32],
        entries: usize,
        column: &'static str,
    ) -> Restored<()> {
        let first = match self.ends.last() {
            Some(&last) => last,
            None => before,
        };
        let rows = (self.count - before) as usize;
        let fits = u32::try_from(entries).is_ok_and(|entries| first.checked_add(entries).is_some());
        if ends.is_empty() {
            if rows != entries || !fits {
                return refused(column, "its rows do not fit its entries");
            }
            if !self.ends.is_empty() {
                self.ends.extend((1..=rows as u32).map(|row| first + row));
            }
            return Ok(());
        }
        let is_ascending = ends.is_sorted_by(|one, other| one < other);
        let is_whole =
            ends.first() > Some(&0) && ends.last().map(|&end| end as usize) == Some(entries);
        if ends.len() != rows || !is_ascending || !is_whole || !fits {
            return refused(column, "its rows do not fit its entries");
        }
        if self.ends.is_empty() {
            self.ends.extend(1..=before);
        }
        self.ends.extend(ends.iter().map(|&end| first + end));
        Ok(())
    }
}

/// The places of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_of_values_are_taken() {
        let appended = |code: u32| {
            let mut values = PackedValues {
                codes: Vec::new(),
                aside: vec![StoredValue::Int(1 << 40); 2],
            };
            // Three texts; integers before and after, since all are looked at together.
            let codes = Numbers::words([1, 3, code, u32::MAX]);
            values.append(&codes, 3, "values").is_ok()
        };
        for code in [0, 1 << 2, 4 << 2, 0b10, 1 << 2 | 0b10, 0b1, 0b11, u32::MAX] {
            assert!(appended(code), "{code:b}");
        }
        for code in [5 << 2, 2 << 2 | 0b10, !0b11, !0b01] {
            assert!(!appended(code), "{code:b}");
        }
    }

    #[test]
    fn rows_of_any_length_come_back_block_by_block() {
        let lengths = [0_usize, 1, 1, 0, 2, 1, 0, 3];
        for (most, gap) in [(1, 0), (3, 0), (3, 200)] {
            let mut column = Ragged::default();
            for row in (0..500).filter(|row| !(100..100 + gap).contains(row)) {
                (0..lengths[row % 8].min(most))
                    .for_each(|item| column.push(row, (row * 8 + item) as u32));
            }
            let mut again = Ragged::<u32>::default();
            for start in (0..500).step_by(64) {
                let rows = start..(start + 64).min(500);
                let mut columns = Vec::new();
                column.columns(rows.clone(), &mut columns, |items| {
                    Numbers::words(items.iter().copied())
                });
                let [filled, ends, items] = &columns[..] else {
                    panic!("three columns")
                };
                let items = items.to_words("").expect("words");
                again
                    .append_rows(&rows, filled, ends, items.len(), "")
                    .expect("a column");
                again.items.extend_from_slice(&items);
            }
            for row in 0..600 {
                assert_eq!(again.row(row), column.row(row), "{row} of {most}, {gap}");
            }
            for rows in [0..64, 64..128, 128..500, 448..500, 512..600] {
                let filled: Vec<(usize, &[u32])> = again.filled_rows(&rows).collect();
                let all = rows.map(|row| (row, column.row(row)));
                let expected: Vec<_> = all.filter(|(_, items)| !items.is_empty()).collect();
                assert_eq!(filled, expected, "of {most}, {gap}");
            }
        }
    }

    #[test]
    fn rows_that_do_not_fit_are_refused() {
        let words = |list: &[u32]| Numbers::words(list.iter().copied());
        let bits = |list: &[u64]| Numbers::Longs(list.to_vec().into());
        let table: [(&[u64], &[u32], usize); 6] = [
            (&[0b11], &[], 1),
            (&[0b11], &[1, 1], 1),
            (&[0b11], &[0, 2], 2),
            (&[0b11], &[1, 3], 2),
            (&[0b1_0000_0000], &[], 1),
            (&[1, 1], &[], 2),
        ];
        for (filled, ends, entries) in table {
            let mut column = Ragged::<u32>::default();
            let appended = column.append_rows(&(0..8), &bits(filled), &words(ends), entries, "c");
            assert!(appended.is_err(), "{filled:?} {ends:?} {entries}");
        }
    }
}
