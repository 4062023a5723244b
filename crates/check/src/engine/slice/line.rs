//! A line: the changes of something whose changes are totally ordered, and its value after each.
//!
//! A term of a predicate changes along one track, and what happens on a track is totally ordered even when the chains of
//! the projection cut the track into pieces. So a cut holds a beginning of the line, and the union and the intersection of
//! two cuts hold the longer and the shorter of two beginnings: the value at both is a value at one of the two. That is
//! why every predicate of one line is regular (paper POTA, section 6: local predicates), the writes of a shared variable
//! by several processes included.

use causet_base::number::Number;
use causet_solve::chains::Chains;

use super::sublattice::{Place, Slice};
use crate::project::{Projection, Reading};

/// Totally ordered changes and the value after so many of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line<T> {
    /// The events that change the value, in their order.
    pub(super) steps: Vec<Place>,
    /// One value more than there are steps.
    pub(super) values: Vec<T>,
}

impl Line<u32> {
    /// The line of a term: the numbers of its values.
    pub(super) fn of_term(projection: &Projection<'_>, term: usize) -> Line<u32> {
        match projection.reading(term) {
            Reading::One { chain, values } => Line::on_chain(*chain, values.iter().copied()),
            Reading::Several { counts, values } => {
                let mut steps: Vec<(u32, Place)> = Vec::new();
                for (chain, counts) in counts {
                    let rises = (1..counts.len()).filter(|&x| counts[x] > counts[x - 1]);
                    let rises = rises.map(|x| x as u32);
                    steps.extend(rises.map(|x| (projection.rank(*chain, x - 1), (*chain, x))));
                }
                // Recorded in an order that the run allows, and only one order of these is allowed.
                steps.sort_unstable();
                Line {
                    steps: steps.into_iter().map(|(_, place)| place).collect(),
                    values: values.clone(),
                }
            }
        }
    }
}

impl<T: PartialEq> Line<T> {
    /// The line of something with a value at each position of a chain.
    pub(super) fn on_chain(chain: usize, values: impl IntoIterator<Item = T>) -> Line<T> {
        Line::of_changes((1..).map(|x| (chain, x)), values)
    }

    /// The line of something with a value after so many steps, some of which may not change it.
    pub(super) fn of_changes(
        steps: impl IntoIterator<Item = Place>,
        values: impl IntoIterator<Item = T>,
    ) -> Line<T> {
        let mut values = values.into_iter();
        let mut line = Line {
            steps: Vec::new(),
            values: values.next().into_iter().collect(),
        };
        for (value, step) in values.zip(steps) {
            if line.values.last() != Some(&value) {
                line.steps.push(step);
                line.values.push(value);
            }
        }
        line
    }

    /// The cuts at which the value is one of those wanted; `None` when there are none.
    pub(super) fn slice(
        &self,
        projection: &Projection<'_>,
        wanted: impl Fn(&T) -> bool,
    ) -> Option<Slice> {
        let truth: Vec<bool> = self.values.iter().map(wanted).collect();
        Slice::along(projection, &self.steps, &truth)
    }

    /// The one chain it lies on.
    pub(super) fn chain(&self) -> Option<usize> {
        let (first, _) = *self.steps.first()?;
        let mut steps = self.steps.iter();
        steps.all(|&(chain, _)| chain == first).then_some(first)
    }
}

impl Line<Number> {
    /// The sum of two lines of the same chain.
    pub(super) fn plus(&self, other: &Line<Number>, chain: usize, length: u32) -> Line<Number> {
        let values = (0..=length).map(|x| self.at(x) + other.at(x));
        Line::on_chain(chain, values)
    }

    /// The value at a position of its chain.
    fn at(&self, x: u32) -> &Number {
        &self.values[self.steps.partition_point(|&(_, step)| step <= x)]
    }

    /// Whether the value never falls.
    pub(super) fn never_falls(&self) -> bool {
        self.values.is_sorted()
    }

    /// Whether the value never rises.
    pub(super) fn never_rises(&self) -> bool {
        self.values.is_sorted_by(|before, after| before >= after)
    }
}

/// The length of a chain; a name for what the trait gives.
pub(super) fn length(projection: &Projection<'_>, chain: usize) -> u32 {
    projection.length(chain)
}
