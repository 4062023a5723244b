//! The order of the layers: chains that have much to do with each other belong next to each other.
//!
//! A ring of processes with shuffled numbers makes diagrams a thousand times larger than the same ring in order. The best
//! order is hard to find; a greedy one is good enough, and a second one of another kind is kept for when it is not.

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;

/// The order of the layers. The first arrangement appends, from each possible start, the chain with the least weight to
/// chains not yet placed less its weight to those placed, and takes the best start; the second starts with the heaviest
/// chain and appends the one that talks most to those placed.
pub(crate) fn arrange(
    chains: &dyn Chains,
    second: bool,
    budget: &Budget<'_>,
) -> Result<Vec<usize>, Spent> {
    let weights = weights(chains, budget)?;
    let total: Vec<i64> = weights.iter().map(|row| row.iter().sum()).collect();
    let count = chains.count();
    if second {
        let heaviest = (0..count).max_by_key(|&chain| total[chain]);
        let talks_most = |placed: i64, total: i64| (-placed, total);
        let order = heaviest.map(|start| place(start, &weights, &total, talks_most).0);
        return Ok(order.unwrap_or_default());
    }
    let starts = (0..count).step_by(count.div_ceil(MOST_STARTS).max(1));
    let least_cut = |placed: i64, total: i64| (total - 2 * placed, 0);
    let orders = starts.map(|start| place(start, &weights, &total, least_cut));
    let best = orders.min_by_key(|&(_, width)| width);
    Ok(best.map(|(order, _)| order).unwrap_or_default())
}

/// From how many chains an arrangement is started.
const MOST_STARTS: usize = 64;

/// Appends the chain with the least rank again and again; also gives the sum of the weights between front and rest.
fn place(
    start: usize,
    weights: &[Vec<i64>],
    total: &[i64],
    rank: impl Fn(i64, i64) -> (i64, i64),
) -> (Vec<usize>, i64) {
    let count = weights.len();
    let mut placed_weight = vec![0_i64; count];
    let mut is_placed = vec![false; count];
    let (mut order, mut open, mut width) = (Vec::with_capacity(count), 0, 0);
    let mut next = Some(start);
    while let Some(chain) = next {
        is_placed[chain] = true;
        open += total[chain] - 2 * placed_weight[chain];
        width += open;
        order.push(chain);
        for (other, weight) in weights[chain].iter().enumerate() {
            placed_weight[other] += weight;
        }
        next = (0..count)
            .filter(|&other| !is_placed[other])
            .min_by_key(|&other| rank(placed_weight[other], total[other]));
    }
    (order, width)
}

/// How much two chains have to do with each other: how often one learns something new of the other.
fn weights(chains: &dyn Chains, budget: &Budget<'_>) -> Result<Vec<Vec<i64>>, Spent> {
    let count = chains.count();
    let mut weights = vec![vec![0; count]; count];
    let pairs = (0..count).flat_map(|chain| (0..count).map(move |other| (chain, other)));
    for (chain, other) in pairs.filter(|(chain, other)| chain != other) {
        budget.look()?;
        let news = lessons(chains, chain, other);
        weights[chain][other] += news;
        weights[other][chain] += news;
    }
    Ok(weights)
}

/// How often a chain learns something new of another.
fn lessons(chains: &dyn Chains, chain: usize, other: usize) -> i64 {
    let mut known = 0;
    let mut news = 0;
    for x in 1..=chains.length(chain) {
        let now = chains.least(chain, x, other);
        news += i64::from(now > known);
        known = known.max(now);
    }
    news
}
