//! Pieces of an input that are parsed on several threads and consumed in their order.
//!
//! ```text
//! worker 1:  piece 0 --parse--> consume--|  piece 2 --parse--> wait--consume--|
//! worker 2:  piece 1 ------parse------> wait--consume--|  piece 3 --parse--> ...
//! ```
//!
//! Every worker cuts the next piece from the input, parses it, and consumes the result when the turn of its piece comes.
//! So a result may borrow from its piece, nothing moves between threads, all workers are busy with whatever there is to do,
//! and the consumer sees the order of the input for any number of workers; the first error too is the first one of the
//! input. One worker is the caller itself. Threads with one role each (cut, parse, consume) and channels between them were
//! the alternative: the slowest role then sets the pace, and the others idle.

use std::sync::{Condvar, Mutex, PoisonError};

/// Cuts an input into pieces, parses them with `workers` threads, and consumes the results in order.
///
/// `fill` fills a piece, which may have been used before, and tells whether there was anything left. `parse` ends with
/// [`Turn::take`], whose closure gets the consumer once all pieces before have been consumed.
pub fn in_order<P, C, E>(
    fill: impl FnMut(&mut P) -> Result<bool, E> + Send,
    workers: usize,
    consumer: C,
    parse: impl Fn(&mut P, Turn<'_, C, E>) + Sync,
) -> Result<(), E>
where
    P: Default,
    C: Send,
    E: Send,
{
    let source = Mutex::new(Source { fill, filled: 0 });
    let queue = Queue {
        state: Mutex::new(State {
            turn: 0,
            consumer,
            is_over: false,
            result: Ok(()),
        }),
        advanced: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..workers.max(1) {
            scope.spawn(|| work(&source, &parse, &queue));
        }
        work(&source, &parse, &queue);
    });
    let state = queue.state.into_inner();
    state.unwrap_or_else(PoisonError::into_inner).result
}

/// Where pieces come from, and how many have come.
struct Source<F> {
    fill: F,
    filled: u64,
}

/// Whose turn it is.
struct Queue<C, E> {
    state: Mutex<State<C, E>>,
    advanced: Condvar,
}

struct State<C, E> {
    /// The number of the piece whose turn it is.
    turn: u64,
    consumer: C,
    /// Whether nothing more is to be consumed.
    is_over: bool,
    result: Result<(), E>,
}

fn work<P, C, E, F>(
    source: &Mutex<Source<F>>,
    parse: &impl Fn(&mut P, Turn<'_, C, E>),
    queue: &Queue<C, E>,
) where
    P: Default,
    F: FnMut(&mut P) -> Result<bool, E>,
{
    let mut piece = P::default();
    while !queue.is_over() {
        let Ok(mut source) = source.lock() else {
            return;
        };
        let filled = (source.fill)(&mut piece);
        let turn = Turn {
            queue,
            number: source.filled,
        };
        source.filled += 1;
        drop(source);
        match filled {
            Ok(true) => parse(&mut piece, turn),
            // A later piece finds the end as well, and its turn never comes.
            Ok(false) => return turn.take(|_| Ok(false)),
            Err(error) => return turn.take(|_| Err(error)),
        }
    }
}

/// The right to consume what was parsed of a piece, in its turn.
pub struct Turn<'q, C, E> {
    queue: &'q Queue<C, E>,
    number: u64,
}

impl<C, E> Turn<'_, C, E> {
    /// Waits until all pieces before have been consumed, then consumes this one; `Ok(false)` and an error end the work.
    /// Without effect when it has ended.
    pub fn take(self, consume: impl FnOnce(&mut C) -> Result<bool, E>) {
        let Ok(state) = self.queue.state.lock() else {
            return;
        };
        let is_waiting = |state: &mut State<C, E>| state.turn != self.number && !state.is_over;
        let Ok(mut state) = self.queue.advanced.wait_while(state, is_waiting) else {
            return;
        };
        if state.is_over {
            return;
        }
        let consumed = consume(&mut state.consumer);
        state.turn += 1;
        state.is_over = !matches!(consumed, Ok(true));
        state.result = consumed.map(drop);
    }
}

/// A turn that nobody took, because its worker panicked, ends the work: the pieces behind would wait for it for ever.
impl<C, E> Drop for Turn<'_, C, E> {
    fn drop(&mut self) {
        let state = self.queue.state.lock();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.is_over |= state.turn <= self.number;
        drop(state);
        self.queue.advanced.notify_all();
    }
}

impl<C, E> Queue<C, E> {
    fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.unwrap_or_else(PoisonError::into_inner).is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the pieces that were consumed, and how it ended.
    fn consumed(
        workers: usize,
        pieces: u32,
        consume: impl Fn(u32) -> Result<bool, u32> + Sync,
    ) -> (Vec<u32>, Result<(), u32>) {
        let mut consumed = Vec::new();
        let mut numbers = 0..pieces;
        let fill = move |piece: &mut u32| match numbers.next() {
            Some(900) => Err(900),
            Some(number) => {
                *piece = number;
                Ok(true)
            }
            None => Ok(false),
        };
        let result = in_order(fill, workers, &mut consumed, |&mut piece, turn| {
            // Some pieces take longer than others.
            std::thread::sleep(std::time::Duration::from_micros(u64::from(piece % 7) * 20));
            turn.take(|consumed| {
                consumed.push(piece);
                consume(piece)
            });
        });
        (consumed, result)
    }

    #[test]
    fn pieces_are_consumed_in_order_up_to_the_end() {
        for workers in [0, 1, 2, 5] {
            let (all, result) = consumed(workers, 500, |_| Ok(true));
            assert!(result.is_ok() && all.into_iter().eq(0..500));
        }
    }

    #[test]
    fn the_first_piece_that_says_so_ends_it() {
        for workers in [1, 2, 5] {
            let (all, result) = consumed(workers, 800, |piece| match piece {
                300 => Ok(false),
                301 => Err(301),
                _ => Ok(true),
            });
            assert!(result.is_ok() && all.into_iter().eq(0..=300));
            let (all, result) = consumed(workers, 800, |piece| match piece {
                400.. => Err(piece),
                _ => Ok(true),
            });
            assert_eq!((all.len(), result), (401, Err(400)));
            let (all, result) = consumed(workers, 1000, |_| Ok(true));
            assert_eq!((all.len(), result), (900, Err(900)));
        }
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panicked() {
        let mut left = 0..20;
        let fill = move |_: &mut ()| Ok::<_, ()>(left.next().is_some());
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            in_order(fill, 3, 0, |(), turn| {
                turn.take(|count| {
                    *count += 1;
                    assert!(*count < 10, "on purpose");
                    Ok(true)
                });
            })
        }));
        assert!(ended.is_err());
    }
}
