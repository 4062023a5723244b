//! The exact number of cuts, level by level: two neighbouring levels are all that is ever kept.

use causet_solve::budget::{Budget, Spent};
use causet_solve::space::Space;
use causet_trace::Order;
use rustc_hash::FxHashSet;

use crate::lattice::Lattice;

/// The cuts of one level.
type Cuts = FxHashSet<Box<[u32]>>;

/// How many cuts an order has.
pub fn cuts(order: &Order, budget: &Budget<'_>) -> Result<u64, Spent> {
    let lattice = Lattice(order);
    let mut total = 0;
    let mut charged = 0;
    let mut level: Cuts = FxHashSet::default();
    level.insert(vec![0; lattice.width()].into());
    while !level.is_empty() {
        total += level.len() as u64;
        let mut next = Level::new(lattice.width(), budget);
        for cut in &level {
            budget.tick()?;
            lattice.successors(cut, &mut |_, successor| next.insert(successor));
        }
        let (cuts, bytes) = next.finish()?;
        budget.release(std::mem::replace(&mut charged, bytes));
        level = cuts;
    }
    budget.release(charged);
    Ok(total)
}

/// A level being filled, paid for cut by cut.
struct Level<'b, 'm> {
    cuts: Cuts,
    cost: usize,
    charged: usize,
    budget: &'b Budget<'m>,
    spent: Option<Spent>,
}

impl<'b, 'm> Level<'b, 'm> {
    fn new(width: usize, budget: &'b Budget<'m>) -> Self {
        Level {
            cuts: FxHashSet::default(),
            // The numbers, the allocator's header, a slot of the table that is at worst a quarter full while it grows.
            cost: width * size_of::<u32>() + 16 + 4 * size_of::<Box<[u32]>>(),
            charged: 0,
            budget,
            spent: None,
        }
    }

    fn insert(&mut self, cut: &[u32]) {
        if self.spent.is_some() || self.cuts.contains(cut) {
            return;
        }
        match self.budget.charge(self.cost) {
            Ok(()) => {
                self.charged += self.cost;
                self.cuts.insert(cut.into());
            }
            Err(spent) => self.spent = Some(spent),
        }
    }

    fn finish(self) -> Result<(Cuts, usize), Spent> {
        match self.spent {
            Some(spent) => Err(spent),
            None => Ok((self.cuts, self.charged)),
        }
    }
}
