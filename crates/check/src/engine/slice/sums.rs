//! `EF` of a comparison of a sum with a constant, by the heaviest cut.
//!
//! A sum of lines, whatever goes up and down in it, changes with each event by a fixed amount: what the event adds to the
//! lines it is a step of. Taking these amounts for weights, the sum at a cut is its value at the first cut and the weight
//! of the events in between, so the greatest value anywhere is that at a heaviest cut, and the least one that at a
//! heaviest cut for the opposite weights (Chase and Garg, *Detection of global predicates*, 1998; Tomlinson and Garg,
//! *Monitoring functions on global states of distributed programs*, 1997). [`causet_solve::closure`] finds both.
//!
//! | comparison | decided by |
//! |---|---|
//! | `>=`, `>` | the greatest value |
//! | `<=`, `<` | the least value |
//! | `!=` | either |
//! | `=`, if no event changes the sum by more than one | whether the constant lies between: on the way to an extreme value no whole number is left out |
//! | one of these and a predicate that has slices | the same within each slice |
//!
//! Amounts are machine integers, decimals after multiplication by a power of ten; a sum with others is refused, as is one
//! that is not always a number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use causet_base::budget::{Budget, Spent};
use causet_base::number::Number;
use causet_formula::core::{ArithOp, CmpOp};
use causet_solve::chains::Chains;
use causet_solve::closure::heaviest;

use super::atoms;
use super::graft::{Grafted, table};
use super::kitchen::Kitchen;
use super::line::Line;
use super::recipe::{Both, Recipe};
use crate::project::{Figure, Projection, View};

/// A comparison of a sum, perhaps together with something that has slices.
pub(super) struct Extreme {
    weighing: Weighing,
    /// What else must hold.
    within: Option<Rc<Recipe>>,
}

/// How `EF` of a predicate is decided by heaviest cuts, if it is.
pub(super) fn extreme(projection: &Projection<'_>, view: &View) -> Option<Extreme> {
    let mut parts = Vec::new();
    flatten(view, true, &mut parts)?;
    let mut sums = Vec::new();
    let mut others = Vec::new();
    for (part, truth) in parts {
        let both = atoms::of_view(projection, part);
        let both = if truth { both } else { both.negated() };
        match &both.yes {
            Ok(recipe) if recipe.is_pure() => others.push(both),
            _ => sums.push((part, truth)),
        }
    }
    let &[(View::Compare(op, left, right), truth)] = &sums[..] else {
        return None;
    };
    let op = if truth { *op } else { opposite(*op) };
    let within = match others.is_empty() {
        true => None,
        false => Some(Both::all(others.into_iter()).yes.ok()?),
    };
    let addends = Addends::of_difference(left, right)?;
    let weighing = Weighing::new(projection, addends, op)?;
    // Inside a slice several events may have to happen at once, which can leave out numbers.
    let fits = op != CmpOp::Eq || within.is_none() && weighing.goes_by_ones(projection);
    fits.then_some(Extreme { weighing, within })
}

/// The parts of a conjunction; `None` where it is none.
fn flatten<'v>(view: &'v View, truth: bool, parts: &mut Vec<(&'v View, bool)>) -> Option<()> {
    match (view, truth) {
        (View::Not(part), _) => flatten(part, !truth, parts),
        (View::And(all), true) | (View::Or(all), false) => {
            all.iter().try_for_each(|part| flatten(part, truth, parts))
        }
        (View::And(_), false) | (View::Or(_), true) => None,
        _ => {
            parts.push((view, truth));
            Some(())
        }
    }
}

fn opposite(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    }
}

impl Extreme {
    /// A cut that satisfies the predicate, if there is one.
    pub(super) fn some_cut(&self, kitchen: &Kitchen<'_, '_>) -> Result<Option<Vec<u32>>, Spent> {
        let projection = kitchen.projection;
        let branch = kitchen.budget.branch();
        let scales = self.weighing.load(projection, &branch)?;
        let Some(recipe) = &self.within else {
            return scales.seek(projection, &projection.first_cut(), &branch);
        };
        for slice in kitchen.slices(recipe)? {
            let branch = kitchen.budget.branch();
            let Some(lattice) = table(projection, &[slice], &branch)? else {
                continue;
            };
            let found = scales.seek(&Within(&lattice), &lattice.bottom, &branch)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// The cuts of a lattice, counted from its least one.
struct Within<'a>(&'a Grafted);

impl Chains for Within<'_> {
    fn count(&self) -> usize {
        self.0.bottom.len()
    }

    fn length(&self, chain: usize) -> u32 {
        self.0.top[chain] - self.0.bottom[chain]
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        match x {
            0 => 0,
            _ => self.0.least(chain, x + self.0.bottom[chain])[other] - self.0.bottom[other],
        }
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        let beyond = |y: &u32| self.least(other, *y, chain) > x;
        let length = self.length(other);
        (1..=length).find(beyond).map_or(length, |y| y - 1)
    }
}

/// A sum that is compared with zero, in machine integers.
struct Weighing {
    addends: Addends,
    op: CmpOp,
    /// By what everything is multiplied.
    scale: Number,
}

impl Weighing {
    /// `None` when the sum is not always a number, or not one that is handled here.
    fn new(projection: &Projection<'_>, addends: Addends, op: CmpOp) -> Option<Weighing> {
        let scales = (0..MOST_DECIMALS).map(|decimals| Number::from(10_i64.pow(decimals)));
        let fits = |scale: &Number| {
            let room = i64::MAX / (4 * (addends.terms.len() as i64 + 1));
            let fits = |number: &Number| {
                let scaled = (number * scale).to_i64();
                scaled.is_some_and(|scaled| scaled.checked_abs().is_some_and(|size| size < room))
            };
            let numbers = |addend: &Addend| {
                let numbers = 0..projection.values_of(addend.term).len() as u32;
                let mut values = numbers.map(|number| addend.value(projection, number));
                values.all(|value| value.is_some_and(|value| fits(&value)))
            };
            fits(&addends.constant) && addends.terms.iter().all(numbers)
        };
        let scale = scales.into_iter().find(fits)?;
        Some(Weighing { addends, op, scale })
    }

    /// Whether no event changes the sum by more than one.
    fn goes_by_ones(&self, projection: &Projection<'_>) -> bool {
        let mut weights = self.changes(projection).1.into_iter().flatten();
        weights.all(|weight| weight.unsigned_abs() <= 1)
    }

    fn load<'a, 's>(
        &self,
        projection: &'a Projection<'s>,
        budget: &Budget<'_>,
    ) -> Result<Scales<'a, 's>, Spent> {
        let events: u64 = projection.last_cut().iter().map(|&x| u64::from(x)).sum();
        budget.charge(events as usize * WEIGHT_COST)?;
        let (first, weights) = self.changes(projection);
        Ok(Scales {
            projection,
            op: self.op,
            first,
            weights,
        })
    }

    /// The sum at the first cut, and by how much each event changes it.
    fn changes(&self, projection: &Projection<'_>) -> (i128, Vec<Vec<i64>>) {
        let scaled = |number: &Number| (number * &self.scale).to_i64().unwrap_or(0);
        let mut first = i128::from(scaled(&self.addends.constant));
        let mut weights: Vec<Vec<i64>> = (0..projection.count())
            .map(|chain| vec![0; projection.length(chain) as usize])
            .collect();
        for addend in &self.addends.terms {
            let numbers = 0..projection.values_of(addend.term).len() as u32;
            let values = numbers.map(|number| addend.value(projection, number));
            let values: Vec<i64> = values
                .map(|value| value.map_or(0, |value| scaled(&value)))
                .collect();
            let line = Line::of_term(projection, addend.term);
            let value = |at: usize| values[line.values[at] as usize];
            first += i128::from(value(0));
            for (at, &(chain, x)) in line.steps.iter().enumerate() {
                weights[chain][x as usize - 1] += value(at + 1) - value(at);
            }
        }
        (first, weights)
    }
}

/// More digits after the point are refused.
const MOST_DECIMALS: u32 = 10;
/// About how many bytes are taken for an event: its weight twice, and its place in a line.
const WEIGHT_COST: usize = 32;

/// A sum as a weight of events.
struct Scales<'a, 's> {
    projection: &'a Projection<'s>,
    op: CmpOp,
    /// The sum at the first cut.
    first: i128,
    weights: Vec<Vec<i64>>,
}

impl Scales<'_, '_> {
    /// A cut at which the comparison with zero is true, among those of an order that is counted from some cut.
    fn seek(
        &self,
        order: &impl Chains,
        from: &[u32],
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<u32>>, Spent> {
        let before = self.weights.iter().zip(from);
        let before = before.flat_map(|(weights, &x)| &weights[..x as usize]);
        let sum = before.fold(self.first, |sum, &weight| sum + i128::from(weight));
        for (rises, enough) in wanted(self.op, sum) {
            let found = self.reach(order, from, rises, enough, budget)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A cut at which the sum has changed enough.
    fn reach(
        &self,
        order: &impl Chains,
        from: &[u32],
        rises: bool,
        enough: i128,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<u32>>, Spent> {
        let sign = if rises { 1 } else { -1 };
        let part = |chain: usize| {
            let start = from[chain] as usize;
            let weights = &self.weights[chain][start..start + order.length(chain) as usize];
            weights.iter().map(|weight| sign * weight).collect()
        };
        let weights: Vec<Vec<i64>> = (0..order.count()).map(part).collect();
        let to: Vec<u32> = (0..order.count())
            .map(|chain| from[chain] + order.length(chain))
            .collect();
        let run = Recorded::between(self.projection, from, &to);
        let closure = heaviest(order, &weights, run, Some(enough), budget)?;
        if closure.weight < enough {
            return Ok(None);
        }
        // If the weights are ones it is exactly enough: the search stops there, and left over is one at a time.
        let cut = from.iter().zip(&closure.cut).map(|(x, more)| x + more);
        Ok(Some(cut.collect()))
    }
}

/// Whether and by how much a sum must rise, or fall, for a comparison with zero; any of these is enough.
fn wanted(op: CmpOp, sum: i128) -> Vec<(bool, i128)> {
    match op {
        CmpOp::Ge => vec![(true, -sum)],
        CmpOp::Gt => vec![(true, 1 - sum)],
        CmpOp::Le => vec![(false, sum)],
        CmpOp::Lt => vec![(false, sum + 1)],
        CmpOp::Ne => vec![(true, 1 - sum), (false, sum + 1)],
        CmpOp::Eq if sum <= 0 => vec![(true, -sum)],
        CmpOp::Eq => vec![(false, sum)],
    }
}

/// The chains in the order in which their events between two cuts were recorded.
struct Recorded<'a, 's> {
    projection: &'a Projection<'s>,
    to: Vec<u32>,
    /// By rank, the next event of each chain.
    next: BinaryHeap<Reverse<(u32, usize, u32)>>,
}

impl<'a, 's> Recorded<'a, 's> {
    fn between(projection: &'a Projection<'s>, from: &[u32], to: &[u32]) -> Self {
        let mut recorded = Recorded {
            projection,
            to: to.to_vec(),
            next: BinaryHeap::with_capacity(to.len()),
        };
        for (chain, &x) in from.iter().enumerate() {
            recorded.expect(chain, x);
        }
        recorded
    }

    fn expect(&mut self, chain: usize, x: u32) {
        if x < self.to[chain] {
            let rank = self.projection.rank(chain, x);
            self.next.push(Reverse((rank, chain, x)));
        }
    }
}

impl Iterator for Recorded<'_, '_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let Reverse((_, chain, x)) = self.next.pop()?;
        self.expect(chain, x + 1);
        Some(chain)
    }
}

/// A sum of multiples of terms and a constant.
pub(super) struct Addends {
    pub(super) constant: Number,
    pub(super) terms: Vec<Addend>,
}

/// A multiple of a term; of one that is a truth value, which counts as one where it is true.
pub(super) struct Addend {
    pub(super) term: usize,
    factor: Number,
    is_truth: bool,
}

impl Addend {
    /// What it adds when its term has the value with this number; `None` where that is no number.
    pub(super) fn value(&self, projection: &Projection<'_>, number: u32) -> Option<Number> {
        if self.is_truth {
            let truth = Number::from(i64::from(number == 1));
            return Some(&truth * &self.factor);
        }
        let value = projection.values_of(self.term)[number as usize].as_ref()?;
        Some(value.as_number()? * &self.factor)
    }
}

impl Addends {
    /// One expression less another; `None` when that is no such sum.
    pub(super) fn of_difference(left: &Figure, right: &Figure) -> Option<Addends> {
        let mut addends = Addends {
            constant: Number::ZERO,
            terms: Vec::new(),
        };
        let one = Number::from(1);
        addends.add(left, &one)?;
        addends.add(right, &-&one)?;
        Some(addends)
    }

    fn add(&mut self, figure: &Figure, factor: &Number) -> Option<()> {
        match figure {
            Figure::Literal(value) => {
                self.add_constant(&(factor * value.as_number()?));
            }
            Figure::Term(term) => self.add_term(*term, factor, false),
            Figure::InFlight(sent, received) => {
                self.add_term(*sent, factor, false);
                self.add_term(*received, &-factor, false);
            }
            Figure::Neg(part) => self.add(part, &-factor)?,
            Figure::Sum(parts) => parts.iter().try_for_each(|part| self.add(part, factor))?,
            Figure::Count(views) => views
                .iter()
                .try_for_each(|view| self.add_truth(view, factor))?,
            Figure::Arith(ArithOp::Add, left, right) => {
                self.add(left, factor)?;
                self.add(right, factor)?;
            }
            Figure::Arith(ArithOp::Sub, left, right) => {
                self.add(left, factor)?;
                self.add(right, &-factor)?;
            }
            Figure::Arith(ArithOp::Mul, left, right) => match (&**left, &**right) {
                (Figure::Literal(value), part) | (part, Figure::Literal(value)) => {
                    self.add(part, &(factor * value.as_number()?))?;
                }
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    fn add_truth(&mut self, view: &View, factor: &Number) -> Option<()> {
        match view {
            View::Const(true) => self.add_constant(factor),
            View::Const(false) => {}
            View::Term(term) => self.add_term(*term, factor, true),
            _ => return None,
        }
        Some(())
    }

    fn add_constant(&mut self, number: &Number) {
        self.constant = &self.constant + number;
    }

    fn add_term(&mut self, term: usize, factor: &Number, is_truth: bool) {
        self.terms.push(Addend {
            term,
            factor: factor.clone(),
            is_truth,
        });
    }
}
