//! Lines that are parsed on several threads, see [`turns`](super::turns).

use super::text::{Block, Text};
use super::turns::{self, Blocks};
use crate::error::ReadError;

pub(crate) use super::turns::Parse;

/// Parses the lines that are left of a text and takes what they say in their order.
pub(crate) fn each<P: Parse>(
    text: &mut Text<'_>,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    let workers = text.workers();
    let read = turns::each(Lines(text), workers, parser, take);
    text.excuse(read)
}

/// What a line says by itself, for those who need to see all lines, blank ones too.
pub(crate) trait Say: Sync {
    /// What it says.
    type Said<'l>;

    /// What a line says; its number is counted from 1.
    fn say(number: u32, text: &str) -> Self::Said<'_>;
}

/// A line, and what it says by itself.
pub(crate) struct Line<'l, T> {
    pub(crate) number: u32,
    pub(crate) text: &'l str,
    pub(crate) said: T,
}

impl<'l, T> Line<'l, T> {
    pub(crate) fn of<S: Say<Said<'l> = T>>(number: u32, text: &'l str) -> Self {
        Line {
            number,
            text,
            said: S::say(number, text),
        }
    }
}

/// Parses lines that are needed as a whole.
pub(crate) struct Whole<S>(pub(crate) S);

impl<S: Say> Parse for Whole<S> {
    type Item<'l> = Line<'l, S::Said<'l>>;

    const BLANK: bool = true;

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        Ok(Some(Line::of::<S>(number, line)))
    }
}

/// Blocks of whole lines.
struct Lines<'s, 't>(&'s mut Text<'t>);

impl Blocks for Lines<'_, '_> {
    type Block = Block;

    fn fill(&mut self, block: &mut Block) -> Result<bool, ReadError> {
        self.0.next_block(block)
    }

    fn parse<'b, P: Parse>(
        block: &'b Block,
        parser: &P,
        items: &mut Vec<P::Item<'b>>,
    ) -> Result<(), ReadError> {
        let (text, fault) = block.text();
        let (mut start, mut number) = (0, block.first_line());
        while start < text.len() {
            let end = memchr::memchr(b'\n', &text.as_bytes()[start..]);
            let end = end.map_or(text.len(), |length| start + length);
            let line = &text[start..end];
            let line = line.strip_suffix('\r').unwrap_or(line);
            if P::BLANK || !line.trim_start().is_empty() {
                items.extend(parser.parse(number, line)?);
            }
            number = number.saturating_add(1);
            start = end + 1;
        }
        fault.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use causet_base::Code;

    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Reads numbers, and refuses anything else.
    struct Numbers;

    impl Parse for Numbers {
        type Item<'l> = (u32, &'l str);

        fn parse<'l>(
            &self,
            number: u32,
            line: &'l str,
        ) -> Result<Option<(u32, &'l str)>, ReadError> {
            match line.parse::<u32>() {
                Ok(_) => Ok(Some((number, line))),
                Err(_) => Err(ReadError::of_line(
                    Code::MalformedLine,
                    number,
                    line,
                    "no number",
                    "a number",
                )),
            }
        }
    }

    fn read(input: &[u8], workers: usize) -> (Vec<(u32, String)>, Result<(), ReadError>) {
        let bytes = AtomicU64::new(0);
        let mut taken = Vec::new();
        let text = Text::open(Box::new(input), &bytes, &(), workers);
        let result = text.and_then(|mut text| {
            each(&mut text, &Numbers, |(number, line)| {
                taken.push((number, line.to_owned()));
                Ok(())
            })
        });
        (taken, result)
    }

    #[test]
    fn items_come_in_the_order_of_the_lines() {
        let lines: String = (1..=200_000).map(|line| format!("{line}\r\n\n")).collect();
        for workers in [1, 2, 5] {
            let (taken, result) = read(lines.as_bytes(), workers);
            assert!(result.is_ok());
            assert_eq!(taken.len(), 200_000);
            for (index, (number, line)) in taken.into_iter().enumerate() {
                assert_eq!(
                    (number as usize, line),
                    (2 * index + 1, (index + 1).to_string())
                );
            }
        }
    }

    #[test]
    fn the_first_fault_ends_it() {
        let lines: String = (1..=200_000)
            .map(|line| match line % 50_000 {
                0 => "x\n".to_owned(),
                _ => format!("{line}\n"),
            })
            .collect();
        for workers in [1, 2, 5] {
            let (taken, result) = read(lines.as_bytes(), workers);
            assert_eq!(taken.len(), 49_999);
            assert!(matches!(result, Err(fault) if fault.line() == Some(50_000)));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_at_fault_in_their_line() {
        let (taken, result) = read(b"1\n2\n3\xff\n4\n", 2);
        assert_eq!(taken.len(), 2);
        assert!(matches!(result, Err(fault) if fault.line() == Some(3)));
    }
}
