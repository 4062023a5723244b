//! The heaviest closed set of an order: a cut of greatest weight, by matching gains with the losses they need.
//!
//! Give every event a weight. Among the sets that hold with an event all that it needs, the cuts, one of greatest weight
//! is found by a maximum flow (Picard, *Maximal closure of a graph*, 1976; for sums over the cuts of a recorded run Chase
//! and Garg, *Detection of global predicates*, 1998): gains, the events of positive weight, send their weight to losses
//! below them, which take as much as they weigh. What gains cannot get rid of is the greatest weight.
//!
//! Picard's network has an edge for each need, and a flow takes long ways through it. Our order comes with closed bounds
//! ([`Chains::least`]), so a gain may send to any loss below it at once, and what is left is an assignment. The bounds
//! also make the search for a better assignment short: from a gain one reaches the losses below it, from a loss those
//! gains that sent something there, from these all below them. What is below an event is a beginning of every chain, so
//! whatever has been reached is one as well. The search keeps one number a chain, and asks of a stretch of a chain only:
//! which is the last gain on each chain that sent something there (`stretches`)?
//!
//! Gains come in the order of a run. One that cannot get rid of its weight leaves behind what it has reached: losses that
//! are used up by gains that are in there too. Nothing will ever go there again, the set is closed, and its weight is
//! what has been left over so far. So the sets left behind grow into the heaviest one, the smallest of them if there are
//! several, and one may stop as soon as the weight suffices.
//!
//! A general algorithm for flows lost: those of Dinic or of Goldberg and Tarjan go through the whole network again and
//! again, while here a search hardly leaves the events between the cut below a gain and the present one.

mod searching;
mod stretches;

use crate::chains::Chains;
use causet_base::budget::{Budget, Spent};
use searching::Assignment;

/// A closed set and its weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closure {
    /// How many events of each chain are in the set.
    pub cut: Vec<u32>,
    /// The sum of their weights.
    pub weight: i128,
}

/// The smallest of the heaviest closed sets, or one that weighs enough.
///
/// `weights` has the weight of each event of each chain; `run` says which chain goes on next until all events have
/// happened. An order that the bounds allow is best, since then searches are short and what weighs enough is found early,
/// but any other gives a right answer too. Events may need each other, and so later ones of their own chain; such events
/// are in a closed set together or not at all.
pub fn heaviest(
    order: &impl Chains,
    weights: &[Vec<i64>],
    run: impl IntoIterator<Item = usize>,
    enough: Option<i128>,
    budget: &Budget<'_>,
) -> Result<Closure, Spent> {
    let branch = budget.branch();
    let mut assignment = Assignment::new(order, weights, &branch)?;
    let mut now = vec![0_u32; order.count()];
    let mut weight = 0;
    for chain in run {
        branch.tick()?;
        if enough.is_some_and(|enough| weight >= enough) {
            break;
        }
        let gain = weights[chain][now[chain] as usize];
        now[chain] += 1;
        if gain > 0 {
            weight += i128::from(assignment.place((chain, now[chain]), gain.unsigned_abs())?);
        }
    }
    let cut = assignment.left_behind();
    Ok(Closure {
        weight: weight_of(weights, &cut),
        cut,
    })
}

fn weight_of(weights: &[Vec<i64>], cut: &[u32]) -> i128 {
    let chains = weights.iter().zip(cut);
    let events = chains.flat_map(|(weights, &x)| &weights[..x as usize]);
    events.map(|&weight| i128::from(weight)).sum()
}
