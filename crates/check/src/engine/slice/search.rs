//! A run that stays where something holds, looked for cut by cut: what remains when no slice decides `EG`.
//!
//! `EG` of a disjunction is not the disjunction of two `EG`, and deciding it is NP-complete for boolean combinations in
//! general. Paper POTA (section 7) searches the slice; here nothing but cuts that satisfy the predicate is ever entered,
//! and none twice, which is at most the slice and usually less. The search takes the recorded order first.

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use rustc_hash::FxHashSet;

use crate::project::Projection;

/// A complete run, cut by cut, on which something always holds, if there is one.
pub(super) fn staying_run(
    projection: &Projection<'_>,
    holds: impl Fn(&[u32]) -> bool,
    budget: &Budget<'_>,
) -> Result<Option<Vec<Vec<u32>>>, Spent> {
    let (first, last) = (projection.first_cut(), projection.last_cut());
    if !holds(&first) || !holds(&last) {
        return Ok(None);
    }
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
    let cost = 4 * first.len() + 64;
    let mut way: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
    let mut next = Some(first);
    let ended = loop {
        if let Some(cut) = next.take() {
            if cut == last {
                break Some(cut);
            }
            let steps = steps(projection, &cut);
            way.push((cut, steps));
        }
        let Some((cut, steps)) = way.last_mut() else {
            break None;
        };
        budget.tick()?;
        let Some(chain) = steps.pop() else {
            way.pop();
            continue;
        };
        let mut after = cut.clone();
        after[chain] += 1;
        if !seen.contains(&after) {
            budget.charge(cost)?;
            seen.insert(after.clone());
            next = holds(&after).then_some(after);
        }
    };
    budget.release(cost * seen.len());
    Ok(ended.map(|last| way.into_iter().map(|(cut, _)| cut).chain([last]).collect()))
}

/// The chains that may advance, the one recorded first at the end.
fn steps(projection: &Projection<'_>, cut: &[u32]) -> Vec<usize> {
    let chains = 0..projection.count();
    let mut steps: Vec<usize> = chains
        .filter(|&chain| projection.may_advance(cut, chain))
        .collect();
    steps.sort_by_key(|&chain| std::cmp::Reverse(projection.rank(chain, cut[chain])));
    steps
}
