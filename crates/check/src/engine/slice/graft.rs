//! The one slice that holds all cuts of a formula, and as few others as possible.
//!
//! For a regular formula that is the slice itself. The slices of any other formula are grafted (paper POTA, section 6):
//! the smallest lattice that holds them all. Its least cut above an event lies in every cut of every slice that holds
//! the event, so it is the intersection of what the single slices have there. Here, and only here, the table `J(e)` of
//! least cuts (thesis, 4.2.4) is made: the meta-events of the slice are the events that share an entry.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_solve::chains::Chains;

use super::Methods;
use super::kitchen::Kitchen;
use super::recipe::Both;
use super::sublattice::Slice;
use crate::engine::subformulas::Subformulas;
use crate::project::Projection;

/// Why there is no slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unsliced {
    /// The formula has none that this program can make.
    Refused(String),
    /// A limit was reached first.
    Spent(Spent),
}

impl From<Spent> for Unsliced {
    fn from(spent: Spent) -> Self {
        Unsliced::Spent(spent)
    }
}

/// A lattice of cuts.
pub(crate) struct Grafted {
    /// Its least cut.
    pub(crate) bottom: Vec<u32>,
    /// Its greatest cut.
    pub(crate) top: Vec<u32>,
    /// Whether every cut in it satisfies the formula.
    pub(crate) is_lean: bool,
    /// Per chain, for each event in the top and not in the bottom, the least cut that holds it.
    least: Vec<Vec<u32>>,
}

impl Grafted {
    /// The least cut that holds the first `x` events of a chain; `x` lies above the bottom and not above the top.
    pub(crate) fn least(&self, chain: usize, x: u32) -> &[u32] {
        let width = self.bottom.len();
        let start = (x - self.bottom[chain] - 1) as usize * width;
        &self.least[chain][start..start + width]
    }

    fn at(&mut self, chain: usize, x: u32) -> &mut [u32] {
        let width = self.bottom.len();
        let start = (x - self.bottom[chain] - 1) as usize * width;
        &mut self.least[chain][start..start + width]
    }
}

/// The smallest lattice that holds all cuts that satisfy a formula; `None` when no cut does.
pub(crate) fn graft(
    projection: &Projection<'_>,
    goal: &Ctl,
    budget: &Budget<'_>,
) -> Result<Option<Grafted>, Unsliced> {
    let recipes = recipes(projection, goal);
    let recipe = recipes
        .yes
        .as_ref()
        .map_err(|reason| refused(&reason.message))?;
    if !recipe.is_pure() {
        return Err(refused(
            "a sum of several processes, whose cuts form no lattice in this run",
        ));
    }
    let kitchen = Kitchen::new(projection, budget);
    let first = projection.first_cut();
    let mut slices = kitchen.slices(recipe)?;
    slices.retain(|slice| slice.least(projection, &first).is_some());
    let Some(mut grafted) = table(projection, &slices, budget)? else {
        return Ok(None);
    };
    grafted.is_lean = slices.len() == 1 || is_lean(&kitchen, &recipes, &grafted)?;
    Ok(Some(grafted))
}

/// The smallest lattice that holds some slices; `None` when no cut is in any.
pub(super) fn table(
    projection: &Projection<'_>,
    slices: &[Slice],
    budget: &Budget<'_>,
) -> Result<Option<Grafted>, Spent> {
    let Some(mut grafted) = empty_table(projection, slices, budget)? else {
        return Ok(None);
    };
    for slice in slices {
        add(projection, slice, &mut grafted, budget)?;
    }
    Ok(Some(grafted))
}

fn refused(reason: &str) -> Unsliced {
    Unsliced::Refused(reason.to_owned())
}

/// The recipes of a formula and its negation.
fn recipes(projection: &Projection<'_>, goal: &Ctl) -> Both {
    let table = Subformulas::of(&[goal]);
    let mut all = Methods {
        recipes: Vec::with_capacity(table.nodes.len()),
        methods: Vec::new(),
    };
    for node in &table.nodes {
        let recipe = all.recipe(projection, &table, node);
        all.recipes.push(recipe);
    }
    all.recipes.swap_remove(table.number(goal))
}

/// A table between the least of the least cuts and the greatest of the greatest, with nothing excluded yet.
fn empty_table(
    projection: &Projection<'_>,
    slices: &[Slice],
    budget: &Budget<'_>,
) -> Result<Option<Grafted>, Spent> {
    let first = projection.first_cut();
    let ends = |slice: &Slice| {
        Some((
            slice.least(projection, &first)?,
            slice.greatest(projection)?,
        ))
    };
    let both = |one: Vec<u32>, other: Vec<u32>, choose: fn(u32, u32) -> u32| {
        let pairs = one.into_iter().zip(other);
        pairs.map(|(one, other)| choose(one, other)).collect()
    };
    let joined = slices.iter().filter_map(ends).reduce(|one, other| {
        (
            both(one.0, other.0, u32::min),
            both(one.1, other.1, u32::max),
        )
    });
    let Some((bottom, top)) = joined else {
        return Ok(None);
    };
    let width = projection.count();
    let sizes = bottom.iter().zip(&top);
    let sizes: Vec<usize> = sizes
        .map(|(from, to)| (to - from) as usize * width)
        .collect();
    budget.charge(4 * sizes.iter().sum::<usize>())?;
    Ok(Some(Grafted {
        bottom,
        top,
        is_lean: true,
        least: sizes.into_iter().map(|size| vec![u32::MAX; size]).collect(),
    }))
}

/// Lets the cuts of one more slice into a table.
fn add(
    projection: &Projection<'_>,
    slice: &Slice,
    grafted: &mut Grafted,
    budget: &Budget<'_>,
) -> Result<(), Spent> {
    for chain in 0..projection.count() {
        let mut cut = projection.first_cut();
        for x in grafted.bottom[chain] + 1..=grafted.top[chain] {
            budget.tick()?;
            // What holds an event holds the one before it, so the search goes on from there.
            cut[chain] = cut[chain].max(x);
            match slice.least(projection, &cut) {
                Some(least) => cut = least,
                None => break,
            }
            let entry = grafted.at(chain, x).iter_mut().zip(&cut);
            entry.for_each(|(sofar, &x)| *sofar = (*sofar).min(x));
        }
    }
    Ok(())
}

/// Whether no cut of a lattice fails the formula.
fn is_lean(kitchen: &Kitchen<'_, '_>, recipes: &Both, grafted: &Grafted) -> Result<bool, Spent> {
    let Some(recipe) = recipes.no.as_ref().ok().filter(|recipe| recipe.is_pure()) else {
        return Ok(false);
    };
    let projection = kitchen.projection;
    let whole = as_slice(projection, grafted);
    let first = projection.first_cut();
    let fails = kitchen.slices(recipe)?;
    let mut fails = fails.iter().map(|fails| whole.and(fails));
    Ok(!fails.any(|fails| fails.least(projection, &first).is_some()))
}

/// The lattice as added facts.
fn as_slice(projection: &Projection<'_>, grafted: &Grafted) -> Slice {
    let mut slice = Slice::all(projection);
    for chain in 0..projection.count() {
        slice.demand((chain, grafted.bottom[chain]));
        slice.forbid((chain, grafted.top[chain] + 1));
        for x in grafted.bottom[chain] + 1..=grafted.top[chain] {
            for (other, &wants) in grafted.least(chain, x).iter().enumerate() {
                if wants > projection.least(chain, x, other) {
                    slice.need((chain, x), (other, wants));
                }
            }
        }
    }
    slice
}
