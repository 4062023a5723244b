//! Recipes carried out: the slices themselves, paid for as they are made.

use std::cell::Cell;
use std::rc::Rc;

use causet_base::budget::{Budget, Spent};

use super::recipe::{Kind, Monotone, Recipe};
use super::sublattice::Slice;
use crate::project::Projection;

/// Where slices are made.
pub(super) struct Kitchen<'a, 'b> {
    pub(super) projection: &'a Projection<'a>,
    pub(super) budget: &'a Budget<'b>,
    charged: Cell<usize>,
    made: Cell<u64>,
    edges: Cell<u64>,
}

/// A slice, of which only the cuts count that satisfy some monotone predicates as well.
#[derive(Clone)]
pub(super) struct Term {
    pub(super) slice: Slice,
    pub(super) also: Vec<Rc<Monotone>>,
}

impl Term {
    /// A cut at or after a given one that is meant, the least one unless something must first come true.
    ///
    /// The least cut of the slice satisfies what can only become false if any cut of the slice does: this is detection
    /// of a linear predicate. What can only become true is asked of the greatest cut. Never both: such a recipe is
    /// refused.
    pub(super) fn some_cut(&self, projection: &Projection<'_>, from: &[u32]) -> Option<Vec<u32>> {
        let least = self.slice.least(projection, from)?;
        if self.holds_also(projection, &least) {
            return Some(least);
        }
        if !self.also.iter().all(|literal| literal.rises) {
            return None;
        }
        let greatest = self.slice.greatest(projection)?;
        self.holds_also(projection, &greatest).then_some(greatest)
    }

    fn holds_also(&self, projection: &Projection<'_>, cut: &[u32]) -> bool {
        self.also
            .iter()
            .all(|literal| literal.holds(projection, cut))
    }
}

impl<'a, 'b> Kitchen<'a, 'b> {
    /// A place to make slices for a projection.
    pub(super) fn new(projection: &'a Projection<'a>, budget: &'a Budget<'b>) -> Self {
        Kitchen {
            projection,
            budget,
            charged: Cell::new(0),
            made: Cell::new(0),
            edges: Cell::new(0),
        }
    }

    /// How many slices were made, and how many edges they add to the run.
    pub(super) fn figures(&self) -> (u64, u64) {
        (self.made.get(), self.edges.get())
    }

    /// The slices of a recipe in which nothing else takes part.
    pub(super) fn slices(&self, recipe: &Recipe) -> Result<Vec<Slice>, Spent> {
        let terms = self.terms(recipe)?;
        Ok(terms.into_iter().map(|term| term.slice).collect())
    }

    /// The slices of a recipe, with the monotone predicates that go with each.
    pub(super) fn terms(&self, recipe: &Recipe) -> Result<Vec<Term>, Spent> {
        self.budget.look()?;
        match &recipe.kind {
            Kind::Slice(slice) => self.plain(vec![slice.clone()]),
            Kind::Monotone(literal) => Ok(vec![Term {
                slice: Slice::all(self.projection),
                also: vec![literal.clone()],
            }]),
            Kind::Any(parts) => {
                let mut terms = Vec::new();
                for part in parts {
                    terms.append(&mut self.terms(part)?);
                }
                Ok(terms)
            }
            Kind::All(parts) => self.product(parts),
            Kind::Ef(part) => self.below(part),
            Kind::Ag(part) => self.each(part, Slice::ag),
            Kind::Eg(part) => self.each(part, Slice::eg),
            Kind::Without(part) => self.without(part),
        }
    }

    fn each(
        &self,
        part: &Recipe,
        operator: fn(&Slice, &Projection<'_>) -> Option<Slice>,
    ) -> Result<Vec<Term>, Spent> {
        let slices = self.slices(part)?;
        let slices = slices.iter().filter_map(|s| operator(s, self.projection));
        self.plain(slices.collect())
    }

    /// Every slice of one part with every slice of each other; the single ones first, so that they are joined once.
    fn product(&self, parts: &[Rc<Recipe>]) -> Result<Vec<Term>, Spent> {
        let mut parts: Vec<&Rc<Recipe>> = parts.iter().collect();
        parts.sort_by_key(|part| part.bound);
        let mut product = vec![Term {
            slice: Slice::all(self.projection),
            also: Vec::new(),
        }];
        let first = self.projection.first_cut();
        for part in parts {
            let terms = self.terms(part)?;
            let mut next = Vec::with_capacity(product.len() * terms.len());
            for one in &product {
                for other in &terms {
                    self.budget.tick()?;
                    let slice = one.slice.and(&other.slice);
                    if part.bound > 1 && slice.least(self.projection, &first).is_none() {
                        continue;
                    }
                    self.pay(&slice)?;
                    let also = one.also.iter().chain(&other.also).cloned().collect();
                    next.push(Term { slice, also });
                }
            }
            product = next;
        }
        Ok(product)
    }

    /// What can reach a cut that is meant: what lies below the greatest one of each slice.
    fn below(&self, part: &Recipe) -> Result<Vec<Term>, Spent> {
        let mut slices: Vec<Slice> = Vec::new();
        for term in self.terms(part)? {
            self.budget.tick()?;
            let Some(greatest) = term.slice.greatest(self.projection) else {
                continue;
            };
            if !term.holds_also(self.projection, &greatest) {
                continue;
            }
            if let Some(below) = term.slice.ef(self.projection)
                && !slices.iter().any(|slice| slice.reaches_as_far_as(&below))
            {
                slices.retain(|slice| !below.reaches_as_far_as(slice));
                slices.push(below);
            }
        }
        self.plain(slices)
    }

    /// What no slice holds.
    fn without(&self, part: &Recipe) -> Result<Vec<Term>, Spent> {
        let mut outside = vec![Slice::all(self.projection)];
        let first = self.projection.first_cut();
        for slice in self.slices(part)? {
            let complement = slice.complement(self.projection);
            let mut next = Vec::with_capacity(outside.len() * complement.len());
            for one in &outside {
                for other in &complement {
                    self.budget.tick()?;
                    let both = one.and(other);
                    if both.least(self.projection, &first).is_some() {
                        self.pay(&both)?;
                        next.push(both);
                    }
                }
            }
            outside = next;
        }
        self.plain(outside)
    }

    fn plain(&self, slices: Vec<Slice>) -> Result<Vec<Term>, Spent> {
        slices.iter().try_for_each(|slice| self.pay(slice))?;
        let also = Vec::new();
        let term = |slice| Term {
            slice,
            also: also.clone(),
        };
        Ok(slices.into_iter().map(term).collect())
    }

    fn pay(&self, slice: &Slice) -> Result<(), Spent> {
        let bytes = slice.bytes();
        self.budget.charge(bytes)?;
        self.charged.set(self.charged.get() + bytes);
        self.made.set(self.made.get() + 1);
        let edges = slice.edges(self.projection) as u64;
        self.edges.set(self.edges.get().max(edges));
        Ok(())
    }
}

impl Drop for Kitchen<'_, '_> {
    fn drop(&mut self) {
        self.budget.release(self.charged.get());
    }
}
