//! Counting by visiting every cut, level by level: two neighbouring levels are all that is ever kept.
//!
//! The number of ways to a cut is the sum of the ways to the cuts one event below it. So the ways to the final cut, the
//! complete orders, come out of the same walk that counts the cuts.

use causet_base::budget::{Budget, Spent};
use causet_solve::space::Space;
use causet_trace::Order;
use dashu_int::UBig;
use rustc_hash::FxHashMap;

use crate::lattice::Lattice;

/// How many cuts an order has.
pub fn cuts_by_level(order: &Order, budget: &Budget<'_>) -> Result<u64, Spent> {
    let (cuts, ()) = walk(order, budget)?;
    Ok(cuts)
}

/// How many complete orders there are: in how many ways all events can happen one after the other.
pub fn runs(order: &Order, budget: &Budget<'_>) -> Result<UBig, Spent> {
    let (_, runs) = walk(order, budget)?;
    Ok(runs)
}

/// How many cuts there are, and the ways to the final one.
fn walk<W: Ways>(order: &Order, budget: &Budget<'_>) -> Result<(u64, W), Spent> {
    let lattice = Lattice(order);
    let width = lattice.width();
    let mut level = Level::new(width, budget);
    level.insert(&vec![0; width], &W::ONE);
    // There may be no room even for the first cut.
    let mut level = level.finish()?;
    let mut below = 0;
    for _ in 0..order.len() {
        below += level.cuts.len() as u64;
        let mut next = Level::new(width, budget);
        for (cut, ways) in &level.cuts {
            budget.tick()?;
            lattice.successors(cut, &mut |_, successor| next.insert(successor, ways));
        }
        level = next.finish()?;
    }
    // All events together are a cut.
    let last = level.cuts.into_values().next().ok_or(Spent::Memory)?;
    Ok((below + 1, last))
}

/// What is known of the ways to a cut.
trait Ways: Clone {
    /// The one way to the initial cut.
    const ONE: Self;

    /// Also counts the ways that come from another cut below.
    fn add(&mut self, others: &Self);

    /// How many bytes this takes outside the table, or soon may.
    fn bytes(&self) -> usize;
}

/// Only that there is one.
impl Ways for () {
    const ONE: Self = ();

    fn add(&mut self, (): &Self) {}

    fn bytes(&self) -> usize {
        0
    }
}

/// Their number.
impl Ways for UBig {
    const ONE: Self = UBig::ONE;

    fn add(&mut self, others: &Self) {
        *self += others;
    }

    fn bytes(&self) -> usize {
        // The sum of some neighbours is at most a word longer, and the allocation somewhat longer still.
        self.as_words().len().div_ceil(8) * 9 * size_of::<usize>() + 16
    }
}

/// A level being filled, paid for cut by cut; what it took is given back with it.
struct Level<'b, W> {
    cuts: FxHashMap<Box<[u32]>, W>,
    cost: usize,
    room: Budget<'b>,
    spent: Option<Spent>,
}

impl<'b, W: Ways> Level<'b, W> {
    fn new(width: usize, budget: &'b Budget<'_>) -> Self {
        let slot = size_of::<(Box<[u32]>, W)>();
        Level {
            cuts: FxHashMap::default(),
            // The numbers, the allocator's header, a slot of the table that is at worst a quarter full while it grows.
            cost: width * size_of::<u32>() + 16 + 4 * slot,
            room: budget.branch(),
            spent: None,
        }
    }

    fn insert(&mut self, cut: &[u32], ways: &W) {
        if self.spent.is_some() {
            return;
        }
        if let Some(known) = self.cuts.get_mut(cut) {
            return known.add(ways);
        }
        match self.room.charge(self.cost + ways.bytes()) {
            Ok(()) => {
                self.cuts.insert(cut.into(), ways.clone());
            }
            Err(spent) => self.spent = Some(spent),
        }
    }

    fn finish(self) -> Result<Self, Spent> {
        match self.spent {
            Some(spent) => Err(spent),
            None => Ok(self),
        }
    }
}
