//! The way to a cut and a state that a search has found: the search once more, below that cut, and back through its levels.
//!
//! All ways to a cut go through cuts within it, so a search that is restricted to those finds the same states there as
//! the first one did, whatever its technique. It keeps its levels. From the state at the end some state at a cut just
//! below leads there, which was reached itself; so the way back never fails and needs no links.

use causet_base::budget::{Budget, Spent};

use super::arrivals::{Arriving, is_enabled, is_final};
use super::cuts::Cuts;
use super::labelling::{Labels, meets, members};
use super::levels::{Frontier, Walk};

/// The chains that advance on a way to a cut along which the automaton can come to a state.
pub(super) fn find<A: Arriving>(
    walk: &Walk<'_, A>,
    cut: &[u32],
    state: usize,
    budget: &Budget<'_>,
) -> Result<Option<Vec<usize>>, Spent> {
    let below = Walk {
        below: Some(cut),
        ..*walk
    };
    let mut frontier = Frontier::start(&below, budget)?;
    let mut levels: Vec<Cuts> = Vec::new();
    while frontier.cuts().find(cut).is_none() && !frontier.cuts().is_empty() {
        levels.push(frontier.cuts().copy(budget)?);
        frontier.advance(&below, budget)?;
    }
    let mut place = (cut.to_vec(), state);
    let mut steps = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        budget.tick()?;
        let Some((chain, before)) = step_back(walk, level, &mut place) else {
            return Ok(None);
        };
        place.1 = before;
        steps.push(chain);
    }
    steps.reverse();
    Ok(Some(steps))
}

/// Goes back one step: the chain that has advanced, and the state before.
fn step_back<A: Arriving>(
    walk: &Walk<'_, A>,
    level: &Cuts,
    (cut, state): &mut (Vec<u32>, usize),
) -> Option<(usize, usize)> {
    for chain in 0..cut.len() {
        if cut[chain] == 0 {
            continue;
        }
        let truth = |atom: usize| walk.known.truth(atom, cut, Some(chain));
        let mut before = cut.clone();
        before[chain] -= 1;
        let leads_here = |&from: &usize| {
            let next = walk.labels.next(from, truth);
            next.iter().any(|&next| next as usize == *state)
        };
        let found = level
            .find(&before)
            .and_then(|number| members(level.states(number)).find(leads_here));
        if let Some(from) = found {
            *cut = before;
            return Some((chain, from));
        }
    }
    None
}

/// Whether steps are a run from the initial cut after which all that follows is accepted.
pub(super) fn is_accepted<A: Arriving>(known: &A, labels: &Labels<'_>, steps: &[usize]) -> bool {
    let mut cut = vec![0; known.chains()];
    let mut set = vec![0; labels.words()];
    let mut next = set.clone();
    labels.read(&labels.before(), &mut set, |atom| {
        known.truth(atom, &cut, None)
    });
    for &chain in steps {
        if !is_enabled(known, &cut, chain) {
            return false;
        }
        cut[chain] += 1;
        labels.read(&set, &mut next, |atom| known.truth(atom, &cut, Some(chain)));
        std::mem::swap(&mut set, &mut next);
    }
    meets(&set, labels.outlook().sure()) || (is_final(known, &cut) && labels.some(&set))
}
