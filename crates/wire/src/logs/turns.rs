//! Pieces of a log that are parsed on several threads, and taken in their order.
//!
//! ```text
//! worker 1:  block 0 --parse--> items --take--|  block 2 --parse--> items --wait--take--|
//! worker 2:  block 1 ------parse------> items --wait--take--|  block 3 --parse--> ...
//! ```
//!
//! Each worker parses a block of pieces and hands over what it found when its turn comes. So items borrow from the block
//! they were read from, nothing is copied from thread to thread, and whoever takes them sees the order of the text
//! whatever the number of workers; the first fault too is the first one of the text. One worker is the caller itself.

use std::sync::{Condvar, Mutex, PoisonError};

use super::trouble::Trouble;

/// Parses pieces one by one, knowing nothing of the others: lines, or elements of an array.
pub(crate) trait Parse: Sync {
    /// What a piece says.
    type Item<'l>;

    /// Whether blank lines say something.
    const BLANK: bool = false;

    /// What a piece says, if anything; the number of the line it starts on is counted from 1.
    fn parse<'l>(&self, number: u32, piece: &'l str) -> Result<Option<Self::Item<'l>>, Trouble>;
}

/// Where blocks of pieces come from, one after the other.
pub(crate) trait Blocks: Send {
    /// Some pieces; one that was used is filled again.
    type Block: Default;

    /// Fills a block with the next pieces; whether there are any.
    fn fill(&mut self, block: &mut Self::Block) -> Result<bool, Trouble>;

    /// Appends what the pieces of a block say, up to the first one at fault.
    fn parse<'b, P: Parse>(
        block: &'b Self::Block,
        parser: &P,
        items: &mut Vec<P::Item<'b>>,
    ) -> Result<(), Trouble>;
}

/// Parses all blocks and takes what they say in their order.
pub(crate) fn each<B: Blocks, P: Parse>(
    blocks: B,
    workers: usize,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), Trouble> + Send,
) -> Result<(), Trouble> {
    let source = Mutex::new(Source { blocks, given: 0 });
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
        for _ in 1..workers.max(1) {
            scope.spawn(|| work(&source, parser, &turns));
        }
        work(&source, parser, &turns);
    });
    let state = turns.state.into_inner();
    state.unwrap_or_else(PoisonError::into_inner).result
}

/// Where blocks come from, and how many have.
struct Source<B> {
    blocks: B,
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

fn work<B, P, T>(source: &Mutex<Source<B>>, parser: &P, turns: &Turns<T>)
where
    B: Blocks,
    P: Parse,
    T: for<'l> FnMut(P::Item<'l>) -> Result<(), Trouble>,
{
    let _bell = Bell(turns);
    let mut block = B::Block::default();
    // One block has about as many pieces as another.
    let mut usual = 0;
    loop {
        let Ok(mut source) = source.lock() else {
            return;
        };
        let filled = source.blocks.fill(&mut block);
        let number = source.given;
        source.given += 1;
        drop(source);
        let mut items = Vec::with_capacity(usual);
        let parsed = match filled {
            Ok(false) => return,
            Ok(true) => B::parse(&block, parser, &mut items),
            Err(trouble) => Err(trouble),
        };
        usual = items.len();
        if !turns.take(number, items, parsed) {
            return;
        }
    }
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
