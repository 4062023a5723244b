//! Lines that are parsed on several threads, and taken in their order.
//!
//! ```text
//! worker 1:  block 0 --parse--> items --take--|  block 2 --parse--> items --wait--take--|
//! worker 2:  block 1 ------parse------> items --wait--take--|  block 3 --parse--> ...
//! ```
//!
//! Each worker parses a block of lines and hands over what it found when its turn comes. So items borrow from the block
//! they were read from, nothing is copied from thread to thread, and whoever takes them sees the order of the lines
//! whatever the number of workers; the first fault too is the first one of the text. One worker is the caller itself.

use std::sync::{Condvar, Mutex, PoisonError};

use super::text::{Block, Text};
use super::trouble::Trouble;

/// Parses lines one by one, knowing nothing of the others.
pub(crate) trait Parse: Sync {
    /// What a line says.
    type Item<'l>;

    /// Whether blank lines say something.
    const BLANK: bool = false;

    /// What a line says, if anything; its number is counted from 1.
    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Self::Item<'l>>, Trouble>;
}

/// Parses the lines that are left of a text and takes what they say in their order.
pub(crate) fn each<P: Parse>(
    text: &mut Text<'_>,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), Trouble> + Send,
) -> Result<(), Trouble> {
    let workers = text.workers().max(1);
    let source = Mutex::new(Source { text, given: 0 });
    let turns = Turns {
        state: Mutex::new(State {
            turn: 0,
            take,
            is_over: false,
            result: Ok(()),
        }),
        next: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| work(&source, parser, &turns));
        }
        work(&source, parser, &turns);
    });
    let state = turns.state.into_inner();
    state.unwrap_or_else(PoisonError::into_inner).result
}

/// Where blocks come from, and how many have.
struct Source<'s, 't> {
    text: &'s mut Text<'t>,
    given: u64,
}

/// Who takes items, one block after the other.
struct Turns<T> {
    state: Mutex<State<T>>,
    next: Condvar,
}

struct State<T> {
    /// The number of the block whose turn it is.
    turn: u64,
    take: T,
    /// Whether nothing more is to be taken.
    is_over: bool,
    result: Result<(), Trouble>,
}

fn work<P, T>(source: &Mutex<Source<'_, '_>>, parser: &P, turns: &Turns<T>)
where
    P: Parse,
    T: for<'l> FnMut(P::Item<'l>) -> Result<(), Trouble>,
{
    let _bell = Bell(turns);
    let mut block = Block::default();
    loop {
        let Ok(mut source) = source.lock() else {
            return;
        };
        let filled = source.text.next_block(&mut block);
        let number = source.given;
        source.given += 1;
        drop(source);
        let mut items = Vec::new();
        let parsed = match filled {
            Ok(false) => return,
            Ok(true) => parse_block(&block, parser, &mut items),
            Err(trouble) => Err(trouble),
        };
        if !turns.take(number, items, parsed) {
            return;
        }
    }
}

/// What the lines of a block say, up to the first one at fault.
fn parse_block<'b, P: Parse>(
    block: &'b Block,
    parser: &P,
    items: &mut Vec<P::Item<'b>>,
) -> Result<(), Trouble> {
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

impl<T> Turns<T> {
    /// Waits for the turn of a block, and hands over what it says; whether to go on.
    fn take<I>(&self, number: u64, items: Vec<I>, parsed: Result<(), Trouble>) -> bool
    where
        T: FnMut(I) -> Result<(), Trouble>,
    {
        let Ok(state) = self.state.lock() else {
            return false;
        };
        let waited = self
            .next
            .wait_while(state, |state| state.turn != number && !state.is_over);
        let Ok(mut state) = waited else {
            return false;
        };
        if state.is_over {
            return false;
        }
        let taken = items.into_iter().try_for_each(&mut state.take);
        let result = taken.and(parsed);
        state.turn += 1;
        state.is_over = result.is_err();
        state.result = result;
        let goes_on = !state.is_over;
        drop(state);
        self.next.notify_all();
        goes_on
    }
}

/// Rings when a worker leaves: should it fall over, nobody waits for its turn.
struct Bell<'t, T>(&'t Turns<T>);

impl<T> Drop for Bell<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let state = self.0.state.lock();
            state.unwrap_or_else(PoisonError::into_inner).is_over = true;
        }
        self.0.next.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Reads numbers, and refuses anything else.
    struct Numbers;

    impl Parse for Numbers {
        type Item<'l> = (u32, &'l str);

        fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<(u32, &'l str)>, Trouble> {
            match line.parse::<u32>() {
                Ok(_) => Ok(Some((number, line))),
                Err(_) => Err(Trouble::of_line(number, line, "no number", "a number")),
            }
        }
    }

    fn read(input: &[u8], workers: usize) -> (Vec<(u32, String)>, Result<(), Trouble>) {
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
            assert!(matches!(result, Err(Trouble::Line { line: 50_000, .. })));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_at_fault_in_their_line() {
        let (taken, result) = read(b"1\n2\n3\xff\n4\n", 2);
        assert_eq!(taken.len(), 2);
        assert!(matches!(result, Err(Trouble::Line { line: 3, .. })));
    }
}
