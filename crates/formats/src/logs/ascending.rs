//! Numbers in ascending order, and how many of them there are up to some other: asked again and again, mostly for one
//! close to the one before.

use std::cell::Cell;

/// Numbers in ascending order.
#[derive(Default)]
pub(crate) struct Ascending<T> {
    numbers: Vec<T>,
    /// The last answer, where the next one is looked for first.
    last: Cell<usize>,
}

impl<T: Ord + Copy> Ascending<T> {
    /// Some numbers that are sorted.
    pub(crate) fn new(numbers: Vec<T>) -> Self {
        Ascending {
            numbers,
            last: Cell::new(0),
        }
    }

    /// One more, which is the greatest so far unless they are sorted before the next question.
    pub(crate) fn push(&mut self, number: T) {
        self.numbers.push(number);
    }

    /// Puts them in order.
    pub(crate) fn sort(&mut self) {
        self.numbers.sort_unstable();
    }

    /// All of them.
    pub(crate) fn numbers(&self) -> &[T] {
        &self.numbers
    }

    /// How many of them are not greater than a limit.
    pub(crate) fn count_up_to(&self, limit: T) -> usize {
        let is_within = |number: &T| *number <= limit;
        let last = self.last.get();
        let found = (last..=last + 1).find(|&count| {
            let greatest = count.checked_sub(1).map(|last| self.numbers.get(last));
            let next = self.numbers.get(count);
            greatest.is_none_or(|greatest| greatest.is_some_and(is_within))
                && !next.is_some_and(is_within)
        });
        let count = found.unwrap_or_else(|| self.numbers.partition_point(is_within));
        self.last.set(count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::Ascending;

    #[test]
    fn the_last_question_does_not_change_the_answer() {
        let numbers = Ascending::new(vec![2, 3, 3, 7]);
        for first in 0..10 {
            for (limit, count) in [(1, 0), (2, 1), (3, 3), (6, 3), (7, 4), (9, 4)] {
                numbers.count_up_to(first);
                assert_eq!(numbers.count_up_to(limit), count, "{limit} after {first}");
            }
        }
        assert_eq!(Ascending::new(Vec::<u32>::new()).count_up_to(5), 0);
    }

    #[test]
    fn more_may_come_between_questions() {
        let mut numbers = Ascending::default();
        for (number, count) in [(5, 1), (2, 1), (9, 3), (4, 2)] {
            numbers.push(number);
            numbers.sort();
            assert_eq!(numbers.count_up_to(number), count, "{number}");
        }
    }
}
