//! Whether every run meets a conjunction of predicates of one chain each, and a run that does not.
//!
//! The strong conjunctive predicates of Garg and Waldecker (thesis, 4.2.3): `AF` of a conjunction, and so `EG` of a
//! disjunction. Each chain has intervals of positions at which its part holds. All runs meet the conjunction exactly if
//! one interval per chain can be chosen such that each begins before every other ends, *before* in the order of the run:
//! no run can then leave one without having entered the others. If the beginning of `I` need not happen before the end
//! of `J`, then `J` is no use, since a later interval on `I`'s chain begins later still: it is dropped, and the search
//! goes on with the next one. When a chain runs out of intervals some run avoids the conjunction.
//!
//! The thesis leaves open which one. We keep, for every interval dropped, a way to the gap after it: `J` was dropped
//! since `I` had not begun, so take the way to the gap before `I`. Either it passes the end of `J`, then stop there; or
//! let everything that the end of `J` waits for happen: `I` need not begin for that, so its chain stays in the gap, where
//! its part is false.

use std::collections::VecDeque;

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;

use super::sublattice::Slice;
use crate::project::Projection;

/// A run, cut by cut, on which a conjunction never holds, if there is one.
pub(super) fn avoiding_run(
    projection: &Projection<'_>,
    conjunction: &Slice,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Vec<u32>>>, Spent> {
    let chains = 0..projection.count();
    let mut search = Search {
        projection,
        intervals: chains
            .map(|chain| intervals(projection, conjunction, chain))
            .collect(),
        heads: vec![0; projection.count()],
        reasons: vec![Vec::new(); projection.count()],
    };
    Ok(search.run_out(budget)?.map(|chain| search.run_past(chain)))
}

/// Positions from the first to the last at which the part of a chain holds.
#[derive(Clone, Copy)]
struct Interval {
    first: u32,
    last: u32,
}

fn intervals(projection: &Projection<'_>, conjunction: &Slice, chain: usize) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    for x in (0..=projection.length(chain)).filter(|&x| conjunction.lets(chain, x)) {
        match intervals.last_mut() {
            Some(interval) if interval.last + 1 == x => interval.last = x,
            _ => intervals.push(Interval { first: x, last: x }),
        }
    }
    intervals
}

struct Search<'a, 's> {
    projection: &'a Projection<'s>,
    intervals: Vec<Vec<Interval>>,
    /// The interval of each chain that has not been dropped yet.
    heads: Vec<usize>,
    /// For each interval dropped: the chain, and its head then, that need not have begun.
    reasons: Vec<Vec<(usize, usize)>>,
}

impl Search<'_, '_> {
    /// Drops intervals until those left all overlap or a chain has none.
    fn run_out(&mut self, budget: &Budget<'_>) -> Result<Option<usize>, Spent> {
        let count = self.projection.count();
        if let Some(chain) = (0..count).find(|&chain| self.intervals[chain].is_empty()) {
            return Ok(Some(chain));
        }
        let mut fresh: VecDeque<usize> = (0..count).collect();
        while let Some(chain) = fresh.pop_front() {
            for other in (0..count).filter(|&other| other != chain) {
                budget.tick()?;
                for (late, early) in [(chain, other), (other, chain)] {
                    if self.may_end_before(early, late) {
                        self.reasons[early].push((late, self.heads[late]));
                        self.heads[early] += 1;
                        if self.heads[early] == self.intervals[early].len() {
                            return Ok(Some(early));
                        }
                        fresh.push_back(early);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether the head of one chain can end while that of another has not begun.
    fn may_end_before(&self, early: usize, late: usize) -> bool {
        let end = self.head(early).last + 1;
        let start = self.head(late).first;
        end <= self.projection.length(early) && self.projection.least(early, end, late) < start
    }

    fn head(&self, chain: usize) -> Interval {
        self.intervals[chain][self.heads[chain]]
    }

    /// The run that passes all intervals of a chain.
    fn run_past(&self, chain: usize) -> Vec<Vec<u32>> {
        let mut way = vec![self.projection.first_cut()];
        let mut gaps = vec![(chain, self.intervals[chain].len())];
        while let Some(&(chain, head)) = gaps.last()
            && let Some(dropped) = head.checked_sub(1)
        {
            gaps.push(self.reasons[chain][dropped]);
        }
        for &(chain, head) in gaps.iter().rev() {
            let Some(dropped) = head.checked_sub(1) else {
                continue;
            };
            let end = self.intervals[chain][dropped].last + 1;
            if way.last().is_some_and(|cut| cut[chain] >= end) {
                let passed = way.partition_point(|cut| cut[chain] < end);
                way.truncate(passed + 1);
            } else {
                let needs = |other| self.projection.least(chain, end, other);
                self.go_on(&mut way, needs);
            }
        }
        self.go_on(&mut way, |other| self.projection.length(other));
        way
    }

    /// Goes on until every chain has come so far, in the order of the recording.
    fn go_on(&self, way: &mut Vec<Vec<u32>>, target: impl Fn(usize) -> u32) {
        let Some(mut cut) = way.last().cloned() else {
            return;
        };
        let mut steps: Vec<(u32, usize)> = Vec::new();
        for (chain, &x) in cut.iter().enumerate() {
            steps.extend((x..target(chain)).map(|x| (self.projection.rank(chain, x), chain)));
        }
        steps.sort_unstable();
        for (_, chain) in steps {
            cut[chain] += 1;
            way.push(cut.clone());
        }
    }
}
