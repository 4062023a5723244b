//! The written values in four bytes each, as long as they are what programs mostly write.
//!
//! A run of millions of events holds as many values, nearly all of them small integers, truth values or one of a few
//! texts. Those are coded in 32 bits; a decimal or a large integer stands in a list aside, and its code says where.
//!
//! | lowest bits | the other bits |
//! |---|---|
//! | `1` | an integer of 31 bits |
//! | `00` | 0 for false, 1 for true, else the number of a text plus 2 |
//! | `10` | the place in the list aside |

use crate::value::StoredValue;
use causet_base::ids::TextId;

/// A list of values.
#[derive(Clone, Default, Debug)]
pub(crate) struct PackedValues {
    pub(crate) codes: Vec<u32>,
    pub(crate) aside: Vec<StoredValue>,
}

/// How many numbers the other bits of a code with two marking bits can say.
const ROOM: u32 = 1 << 30;

/// The marking bits of a truth value or a text.
const NAMED: u32 = 0b00;

/// The marking bits of a value that stands aside.
const ASIDE: u32 = 0b10;

impl PackedValues {
    /// Whether so many more values can be added, whatever they are.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        self.aside.len() + more <= ROOM as usize
    }

    /// Appends a value, for which there must be room.
    #[inline]
    pub(crate) fn push(&mut self, value: StoredValue) {
        let code = short_code(value).unwrap_or_else(|| {
            self.aside.push(value);
            (self.aside.len() as u32 - 1) << 2 | ASIDE
        });
        self.codes.push(code);
    }

    /// The value at a place.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> StoredValue {
        let code = self.codes[at];
        if code & 1 == 1 {
            return StoredValue::Int(i64::from(code.cast_signed() >> 1));
        }
        match (code & ASIDE, code >> 2) {
            (ASIDE, place) => self.aside[place as usize],
            (_, truth @ 0..=1) => StoredValue::Bool(truth == 1),
            (_, text) => StoredValue::Text(TextId::new(text - 2)),
        }
    }

    /// Gives back what growing had set aside.
    pub(crate) fn shrink(&mut self) {
        self.codes.shrink_to_fit();
        self.aside.shrink_to_fit();
    }
}

/// The code of a value that needs no more than its code.
#[inline]
fn short_code(value: StoredValue) -> Option<u32> {
    match value {
        StoredValue::Int(number) => {
            let short = i32::try_from(number).ok()?;
            let code = short.cast_unsigned() << 1 | 1;
            (code.cast_signed() >> 1 == short).then_some(code)
        }
        StoredValue::Bool(truth) => Some(u32::from(truth) << 2 | NAMED),
        StoredValue::Text(text) => {
            let number = text.raw().checked_add(2).filter(|&number| number < ROOM)?;
            Some(number << 2 | NAMED)
        }
        StoredValue::Decimal { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: [i64; 6] = [0, 1, -1, 2, (1 << 30) - 1, -(1 << 30)];
    const LONG: [i64; 6] = [
        1 << 30,
        -(1 << 30) - 1,
        i32::MAX as i64,
        i32::MIN as i64,
        i64::MAX,
        i64::MIN,
    ];

    fn packed(values: &[StoredValue]) -> PackedValues {
        let mut packed = PackedValues::default();
        values.iter().for_each(|&value| packed.push(value));
        packed.shrink();
        packed
    }

    #[test]
    fn every_value_comes_back() {
        let texts = [0, 1, ROOM - 3, ROOM - 2, ROOM, u32::MAX - 2, u32::MAX];
        let decimals = [(1, 1), (-25, 1), (i64::MAX, 400), (i64::MIN + 1, u16::MAX)];
        let integers = SHORT.into_iter().chain(LONG).map(StoredValue::Int);
        let values: Vec<StoredValue> = integers
            .chain([false, true].map(StoredValue::Bool))
            .chain(texts.map(|text| StoredValue::Text(TextId::new(text))))
            .chain(decimals.map(|(mantissa, scale)| StoredValue::Decimal { mantissa, scale }))
            .collect();
        let packed = packed(&values);
        let back: Vec<StoredValue> = (0..values.len()).map(|at| packed.get(at)).collect();
        assert_eq!(back, values);
    }

    #[test]
    fn only_what_is_large_stands_aside() {
        let short = packed(&SHORT.map(StoredValue::Int));
        let long = packed(&LONG.map(StoredValue::Int));
        assert_eq!((short.aside.len(), long.aside.len()), (0, LONG.len()));
        let named = packed(&[
            StoredValue::Bool(true),
            StoredValue::Text(TextId::new(ROOM - 3)),
        ]);
        assert!(named.aside.is_empty() && named.has_room(1 << 30));
        assert!(!long.has_room(1 << 30));
    }
}
