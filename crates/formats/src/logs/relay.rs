//! What one thread makes and another takes, in the order in which it is made.
//!
//! Entries that had to wait for the last line are told one after the other, and so are the events of a run written down:
//! neither can be done by several threads. But one thread can make entries while another writes down those before.

use std::sync::mpsc::{channel, sync_channel};

use crate::error::ReadError;

/// How many are handed over at a time.
const BATCH: usize = 256;

/// How many batches may wait.
const AHEAD: usize = 8;

/// What is handed over, up to a fault. It goes back to who made it, to be used again.
struct Batch<T> {
    items: Vec<T>,
    fault: Option<ReadError>,
}

/// Fills one after the other, and takes them up to the first fault. What is filled may have been used before.
pub(crate) fn relay<T: Default + Send>(
    mut fill: impl FnMut(&mut T) -> Option<Result<(), ReadError>> + Send,
    workers: usize,
    mut take: impl FnMut(&T) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if workers < 2 {
        let mut one = T::default();
        while let Some(filled) = fill(&mut one) {
            filled?;
            take(&one)?;
        }
        return Ok(());
    }
    std::thread::scope(|scope| {
        let (full, batches) = sync_channel(AHEAD);
        let (taken, empty) = channel();
        scope.spawn(move || {
            loop {
                let items = empty.try_recv().unwrap_or_default();
                let batch = next_batch(&mut fill, items);
                let is_over = batch.items.len() < BATCH;
                // Nobody listens behind a fault.
                if full.send(batch).is_err() || is_over {
                    return;
                }
            }
        });
        for Batch { items, fault } in batches {
            items.iter().try_for_each(&mut take)?;
            fault.map_or(Ok(()), Err)?;
            // Whoever made them may be done already.
            let _ = taken.send(items);
        }
        Ok(())
    })
}

/// Fills a batch; one that is not full is the last.
fn next_batch<T: Default>(
    fill: &mut impl FnMut(&mut T) -> Option<Result<(), ReadError>>,
    mut items: Vec<T>,
) -> Batch<T> {
    items.resize_with(BATCH, T::default);
    for number in 0..BATCH {
        let filled = fill(&mut items[number]);
        if let Some(Ok(())) = filled {
            continue;
        }
        items.truncate(number);
        let fault = filled.and_then(Result::err);
        return Batch { items, fault };
    }
    Batch { items, fault: None }
}

#[cfg(test)]
mod tests {
    use causet_base::Code;

    use super::*;

    fn filled(
        mut made: impl Iterator<Item = Result<u32, ReadError>> + Send,
    ) -> impl FnMut(&mut u32) -> Option<Result<(), ReadError>> + Send {
        move |place| Some(made.next()?.map(|one| *place = one))
    }

    #[test]
    fn all_are_taken_in_their_order() {
        for workers in [1, 2, 5] {
            let mut taken = Vec::new();
            let result = relay(filled((0..12_800).map(Ok)), workers, |&number| {
                taken.push(number);
                Ok(())
            });
            assert!(result.is_ok());
            assert!(taken.into_iter().eq(0..12_800));
        }
    }

    #[test]
    fn a_fault_ends_it() {
        let fault = |line: u32| ReadError::of_line(Code::MalformedLine, line, "", "no", "yes");
        for workers in [1, 2] {
            let mut taken = 0;
            let made = (1..).map(|line| match line {
                5000 => Err(fault(line)),
                _ => Ok(line),
            });
            let result = relay(filled(made), workers, |_| {
                taken += 1;
                Ok(())
            });
            assert_eq!(taken, 4999);
            assert!(matches!(result, Err(fault) if fault.line() == Some(5000)));
            let result = relay(filled((1..).map(Ok)), workers, |&line| match line {
                7000 => Err(fault(line)),
                _ => Ok(()),
            });
            assert!(matches!(result, Err(fault) if fault.line() == Some(7000)));
        }
    }
}
