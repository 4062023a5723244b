//! Where a piece of syntax stands in the text it was read from.

use std::ops::Range;

/// A half-open range of byte offsets into the source text, always on character boundaries.
///
/// The source is a formula, or the whole of a property file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty span just behind this one.
    pub fn after(self) -> Span {
        Span {
            start: self.end,
            end: self.end,
        }
    }

    /// The span as a range that can index a string.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text under the span; empty when the span does not belong to `source`.
    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or("")
    }
}

impl From<Range<usize>> for Span {
    /// Offsets beyond `u32` are clamped; texts of that size are refused before they are tokenised.
    fn from(range: Range<usize>) -> Span {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span {
            start: clamp(range.start),
            end: clamp(range.end),
        }
    }
}
