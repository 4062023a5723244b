//! `EF` of how far apart values of several chains can get: `max(..) - min(..) > c`.
//!
//! Such a cut exists exactly if two values alone are that far apart at some cut. Let one be that of chain `a` after `x`
//! events. The positions of chain `b` that occur together with it are an interval, and both of its ends go up with `x`. So
//! the least value of `b` in the interval is found for all `x` by one pass over both chains, with a queue of the
//! candidates in rising order (the sliding window minimum). All pairs together take time proportional to chains × events.

use std::collections::VecDeque;

use causet_base::budget::{Budget, Spent};
use causet_base::number::Number;
use causet_formula::core::{ArithOp, CmpOp};
use causet_solve::chains::Chains;

use crate::project::{Figure, Projection, Reading, View};

/// Two groups of values, and how much a value of the first must exceed one of the second.
pub(super) struct Spread {
    greater: Vec<ScaledColumn>,
    less: Vec<ScaledColumn>,
    /// The least difference that is enough, in units of `1 / scale`.
    enough: i128,
}

/// A value along one chain, in machine integers.
struct ScaledColumn {
    /// `None` for a value that never changes.
    chain: Option<usize>,
    /// The value at each position of the chain.
    values: Vec<i64>,
}

/// How `EF` of a predicate is decided in this way, if it is.
pub(super) fn spread(projection: &Projection<'_>, view: &View) -> Option<Spread> {
    let (greater, less, bound, is_strict) = shape(view, true)?;
    let figures = || greater.iter().chain(less);
    let scale = scales().find(|scale| {
        let fits = |figure| integers(projection, figure, scale).is_some();
        scaled(bound, scale).is_some() && figures().all(fits)
    })?;
    let tracks = |figures: &[Figure]| -> Option<Vec<ScaledColumn>> {
        let tracks = figures.iter();
        tracks
            .map(|figure| integers(projection, figure, &scale))
            .collect()
    };
    Some(Spread {
        greater: tracks(greater)?,
        less: tracks(less)?,
        enough: i128::from(scaled(bound, &scale)?) + i128::from(is_strict),
    })
}

/// The parts of `max(..) - min(..) > bound`, and whether the comparison is strict.
type Shape<'v> = (&'v [Figure], &'v [Figure], &'v Number, bool);

fn shape(view: &View, truth: bool) -> Option<Shape<'_>> {
    let (op, left, right) = match view {
        View::Not(part) => return shape(part, !truth),
        View::Compare(op, left, right) => (*op, left, right),
        _ => return None,
    };
    let (difference, bound, is_above) = match (left, right) {
        (difference, Figure::Literal(bound)) => (difference, bound, true),
        (Figure::Literal(bound), difference) => (difference, bound, false),
        _ => return None,
    };
    let is_strict = match (op, is_above, truth) {
        (CmpOp::Gt, true, true) | (CmpOp::Le, true, false) => true,
        (CmpOp::Lt, false, true) | (CmpOp::Ge, false, false) => true,
        (CmpOp::Ge, true, true) | (CmpOp::Lt, true, false) => false,
        (CmpOp::Le, false, true) | (CmpOp::Gt, false, false) => false,
        _ => return None,
    };
    match difference {
        Figure::Arith(ArithOp::Sub, greatest, least) => match (&**greatest, &**least) {
            (Figure::Max(greater), Figure::Min(less)) => {
                Some((greater, less, bound.as_number()?, is_strict))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What numbers may have to be multiplied by to become integers.
fn scales() -> impl Iterator<Item = Number> {
    (0..=MAX_DECIMALS).map(|decimals| Number::from(10_i64.pow(decimals)))
}

const MAX_DECIMALS: u32 = 10;

fn scaled(number: &Number, scale: &Number) -> Option<i64> {
    (number * scale).to_i64()
}

/// A value that one chain decides; `None` where it is not always such an integer.
fn integers(projection: &Projection<'_>, figure: &Figure, scale: &Number) -> Option<ScaledColumn> {
    let term = match figure {
        Figure::Term(term) => term,
        Figure::Literal(value) => {
            return Some(ScaledColumn {
                chain: None,
                values: vec![scaled(value.as_number()?, scale)?],
            });
        }
        _ => return None,
    };
    let Reading::One { chain, values } = projection.reading(*term) else {
        return None;
    };
    let numbers = projection.values_of(*term).iter();
    let numbers: Option<Vec<i64>> = numbers
        .map(|value| scaled(value.as_ref()?.as_number()?, scale))
        .collect();
    let numbers = numbers?;
    Some(ScaledColumn {
        chain: Some(*chain),
        values: values
            .iter()
            .map(|&value| numbers[value as usize])
            .collect(),
    })
}

impl Spread {
    /// A cut at which two values are far enough apart, if there is one.
    pub(super) fn some_cut(
        &self,
        projection: &Projection<'_>,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<u32>>, Spent> {
        for greater in &self.greater {
            for less in &self.less {
                budget.look()?;
                let found = match (greater.chain, less.chain) {
                    (Some(a), Some(b)) if a != b => {
                        let found = self.on_two_chains(projection, (a, greater), (b, less));
                        found.map(|(x, y)| least_cut(projection, &[(a, x), (b, y)]))
                    }
                    (Some(chain), _) | (None, Some(chain)) => self
                        .on_one_chain(greater, less)
                        .map(|x| least_cut(projection, &[(chain, x)])),
                    (None, None) => self
                        .on_one_chain(greater, less)
                        .map(|_| projection.first_cut()),
                };
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    fn is_enough(&self, greater: i64, less: i64) -> bool {
        i128::from(greater) - i128::from(less) >= self.enough
    }

    /// The first position of the only chain at which the values are far enough apart.
    fn on_one_chain(&self, greater: &ScaledColumn, less: &ScaledColumn) -> Option<u32> {
        let length = greater.values.len().max(less.values.len());
        let value = |track: &ScaledColumn, x: usize| track.values[x.min(track.values.len() - 1)];
        let mut positions = 0..length;
        let x = positions.find(|&x| self.is_enough(value(greater, x), value(less, x)))?;
        Some(x as u32)
    }

    /// The first position of one chain and one of the other, at the same cut, that are far enough apart.
    fn on_two_chains(
        &self,
        projection: &Projection<'_>,
        (a, greater): (usize, &ScaledColumn),
        (b, less): (usize, &ScaledColumn),
    ) -> Option<(u32, u32)> {
        // Positions of the interval whose values are less than all later ones of it, the least first.
        let mut candidates: VecDeque<u32> = VecDeque::new();
        let mut next = 0;
        for (x, &value) in (0..).zip(&greater.values) {
            while next <= projection.most(a, x, b) {
                let entering = less.values[next as usize];
                while candidates
                    .back()
                    .is_some_and(|&y| less.values[y as usize] >= entering)
                {
                    candidates.pop_back();
                }
                candidates.push_back(next);
                next += 1;
            }
            let first = projection.least(a, x, b);
            while candidates.front().is_some_and(|&y| y < first) {
                candidates.pop_front();
            }
            if let Some(&y) = candidates.front()
                && self.is_enough(value, less.values[y as usize])
            {
                return Some((x, y));
            }
        }
        None
    }
}

/// The least cut with these chains at these positions, which occur together.
fn least_cut(projection: &Projection<'_>, positions: &[(usize, u32)]) -> Vec<u32> {
    let needed = |chain: usize, &(at, x): &(usize, u32)| {
        if at == chain {
            x
        } else {
            projection.least(at, x, chain)
        }
    };
    let at = |chain: usize| {
        positions
            .iter()
            .map(|position| needed(chain, position))
            .max()
    };
    let chains = 0..projection.count();
    chains.map(|chain| at(chain).unwrap_or(0)).collect()
}
