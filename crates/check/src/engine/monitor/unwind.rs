//! From an accepting configuration back to the first cut: the steps of a run that leads there.
//!
//! A configuration grows over optional events only, so the events between its ends that matter to its path were there when
//! it was reached. The least of its cuts that holds those of a given cut was therefore reached as the configuration was,
//! and optional events lead on from it in any order. One that does not grow was reached at every cut. Before it stands the event by which the configuration was reached,
//! and without this event it is a cut of the configuration before.

use causet_base::budget::{Budget, Spent};

use super::configurations::{ANY, End};
use super::covering::{Configuration, Met, NONE, reserve};
use super::reading::{Path, Read, Reader};
use crate::linear::scene::Scene;

/// The chains that advance on a way from the first cut to the end.
pub(super) fn unwind<S: Scene>(
    scene: &S,
    reader: &mut Reader<'_, S>,
    met: &Met<'_>,
    end: &End,
    budget: &Budget<'_>,
) -> Result<Vec<usize>, Spent> {
    let width = scene.count();
    // Cuts on the way, the last first, and the chain that advances after each of them but the last.
    let mut halts = Vec::new();
    let mut cut = end.cut.clone();
    let mut number = end.number;
    let mut by = ANY;
    loop {
        budget.tick()?;
        reserve(&mut halts, width + 1, budget)?;
        halts.extend_from_slice(&cut);
        halts.push(by);
        let now = met.get(number);
        go_back(scene, reader, &now, &mut cut)?;
        if now.parent == NONE {
            break;
        }
        let before = met.get(now.parent);
        let chain = match now.by {
            ANY => last_event(scene, before.low, &cut),
            chain => chain as usize,
        };
        cut[chain] -= 1;
        (number, by) = (now.parent, chain as u32);
    }
    budget.charge(end.cut.iter().map(|&x| x as usize).sum::<usize>() * size_of::<usize>())?;
    let mut steps = Vec::new();
    for halt in halts.rchunks_exact(width + 1) {
        budget.tick()?;
        advance(scene, &mut cut, &halt[..width], &mut steps);
        if halt[width] != ANY {
            cut[halt[width] as usize] += 1;
            steps.push(halt[width] as usize);
        }
    }
    Ok(steps)
}

/// From a cut of a configuration back to one at which the configuration was reached: as far as it can have grown.
fn go_back<S: Scene>(
    scene: &S,
    reader: &mut Reader<'_, S>,
    now: &Configuration<'_>,
    cut: &mut [u32],
) -> Result<(), Spent> {
    let mut path = Path::default();
    let quiet = reader.read((now.low, now.low), now.state, None, &mut path)?;
    if !matches!(quiet, Read::Go(next) if next.contains(&now.state)) {
        return Ok(());
    }
    let mut back = now.low.to_vec();
    for (chain, &x) in cut.iter().enumerate() {
        let marked = reader.last_marked(&path, chain, x)?;
        if marked > now.low[chain] {
            for (other, back) in back.iter_mut().enumerate() {
                *back = scene.least(chain, marked, other).max(*back);
            }
        }
    }
    cut.copy_from_slice(&back);
    Ok(())
}

/// A chain whose last event can be the last one on a way from a cut to a later one.
fn last_event(scene: &impl Scene, low: &[u32], cut: &[u32]) -> usize {
    let is_needed = |chain: usize| {
        (0..cut.len())
            .any(|other| other != chain && scene.least(other, cut[other], chain) >= cut[chain])
    };
    (0..cut.len())
        .find(|&chain| low[chain] < cut[chain] && !is_needed(chain))
        .unwrap_or(0)
}

/// Goes from a cut to a later one.
fn advance(scene: &impl Scene, cut: &mut [u32], goal: &[u32], steps: &mut Vec<usize>) {
    let mut before = usize::MAX;
    while steps.len() != before {
        before = steps.len();
        for chain in 0..cut.len() {
            let is_enabled = |cut: &[u32]| {
                (0..cut.len()).all(|other| {
                    other == chain || scene.least(chain, cut[chain] + 1, other) <= cut[other]
                })
            };
            while cut[chain] < goal[chain] && is_enabled(cut) {
                cut[chain] += 1;
                steps.push(chain);
            }
        }
    }
}
