//! Persistent sets find a cut at which several conditions hold at once (Stoller, Unnikrishnan and Liu; thesis, 4.2.6,
//! pp. 83-86).
//!
//! At a cut where some condition is false, nothing is gained by events that cannot make it true: whatever they lead to
//! can be had later, after an event that can. So one false condition is chosen, and only events are followed without
//! which it stays false: for each chain it speaks of, the next event of that chain or, if that has to wait, an event that
//! is enabled and for which it waits, found by going from one missing cause to the next. If there is none, the condition
//! is false for ever and the cut leads nowhere. Any false condition will do; the one with the fewest events is taken.
//!
//! The thesis runs this depth first with a table of visited cuts, on an encoding of the question as a deadlock. Level by
//! level no such table is needed, and a cut at which all conditions hold is the answer as it stands.

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::Guard;

use super::arrivals::{Arrival, Arriving, Complete, is_enabled};
use super::cuts::Cuts;
use super::levels::Counts;
use super::stats;
use crate::linear::{Scene, Search};
use crate::refusal::refused;

/// Only conditions on cuts, not on events.
pub fn supports<S: Scene>(scene: &S, conditions: &[Guard]) -> Result<(), Diagnostic> {
    let mut atoms = Vec::new();
    conditions
        .iter()
        .for_each(|guard| collect(guard, &mut atoms));
    match atoms.iter().find(|&&atom| scene.is_event(atom)) {
        Some(atom) => Err(refused(format!(
            "atom {atom} is about events, not about cuts"
        ))),
        None => Ok(()),
    }
}

/// Looks for a cut at which all conditions hold, and for steps that lead to it if they are wanted.
///
/// Steps take the memory of all levels, two levels are kept without them.
pub fn run<S: Scene>(
    scene: &S,
    conditions: &[Guard],
    wants_steps: bool,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    let budget = budget.branch();
    let quest = Quest::new(scene, conditions);
    let chains = quest.known.chains();
    let mut level = Cuts::new(chains, 0, 1);
    level.enter(&vec![0; chains], &budget)?;
    let mut levels = Vec::new();
    let mut counts = Counts::default();
    while !level.is_empty() {
        counts.levels += 1;
        counts.states += level.len() as u64;
        counts.widest = counts.widest.max(level.len() as u64);
        if let Some(number) = (0..level.len()).find(|&number| quest.holds(level.cut(number))) {
            let steps = wants_steps.then(|| way_to(&levels, &level, number));
            return Ok(quest.answer(true, steps, counts));
        }
        let mut next = Cuts::new(chains, 0, 1);
        counts.transitions += quest.expand(&level, &mut next, &budget)?;
        let done = std::mem::replace(&mut level, next);
        if wants_steps {
            levels.push(done);
        } else {
            done.free(&budget);
        }
    }
    Ok(quest.answer(false, None, counts))
}

/// The conditions, and the chains each of them speaks of.
struct Quest<'q, S> {
    known: Complete<'q, S>,
    conditions: Vec<(&'q Guard, Vec<usize>)>,
}

impl<'q, S: Scene> Quest<'q, S> {
    fn new(scene: &'q S, conditions: &'q [Guard]) -> Self {
        let with_chains = |guard| (guard, chains_of(scene, guard));
        Quest {
            known: Complete::new(scene, 0),
            conditions: conditions.iter().map(with_chains).collect(),
        }
    }

    fn holds(&self, cut: &[u32]) -> bool {
        self.conditions
            .iter()
            .all(|(guard, _)| self.is_true(guard, cut))
    }

    fn is_true(&self, guard: &Guard, cut: &[u32]) -> bool {
        guard.holds(&|atom| self.known.truth(atom, cut, None))
    }

    /// Follows the persistent sets of a level, at none of whose cuts all conditions hold; how many steps there are.
    fn expand(&self, level: &Cuts, next: &mut Cuts, budget: &Budget<'_>) -> Result<u64, Spent> {
        let mut followed = 0;
        for number in 0..level.len() {
            budget.tick()?;
            let mut cut = level.cut(number).to_vec();
            for chain in self.persistent(&cut) {
                cut[chain] += 1;
                let (place, _) = next.enter(&cut, budget)?;
                next.parts(place).1[0] = chain as u64;
                cut[chain] -= 1;
                followed += 1;
            }
        }
        Ok(followed)
    }

    /// The smallest set of events for a false condition.
    fn persistent(&self, cut: &[u32]) -> Vec<usize> {
        let mut sets = self.conditions.iter();
        let sets = sets
            .by_ref()
            .filter(|(guard, _)| !self.is_true(guard, cut))
            .map(|(_, chains)| self.towards(chains, cut));
        sets.min_by_key(Vec::len).unwrap_or_default()
    }

    /// For each of the chains an enabled event without which it cannot advance.
    fn towards(&self, chains: &[usize], cut: &[u32]) -> Vec<usize> {
        let has_next = |&&chain: &&usize| self.known.next(chain, cut[chain]) == Arrival::Here;
        let waiting = chains.iter().filter(has_next);
        let mut set: Vec<usize> = waiting.map(|&chain| self.enabled_for(chain, cut)).collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    /// The chain itself, or one that is enabled and for which it waits.
    fn enabled_for(&self, mut chain: usize, cut: &[u32]) -> usize {
        while !is_enabled(&self.known, cut, chain) {
            let next = cut[chain] + 1;
            let is_missing = |&other: &usize| {
                other != chain && self.known.needs(chain, next, other) > cut[other]
            };
            match (0..cut.len()).find(is_missing) {
                Some(other) => chain = other,
                None => break,
            }
        }
        chain
    }

    fn answer(&self, found: bool, steps: Option<Vec<usize>>, counts: Counts) -> Search {
        Search {
            found,
            steps: Ok(steps),
            stats: stats(counts),
        }
    }
}

/// The steps to a cut, by the notes that each cut has of the last one.
fn way_to(levels: &[Cuts], level: &Cuts, number: usize) -> Vec<usize> {
    let mut cut = level.cut(number).to_vec();
    let mut last = level.note(number)[0] as usize;
    let mut steps = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        steps.push(last);
        cut[last] -= 1;
        if let Some(number) = level.find(&cut) {
            last = level.note(number)[0] as usize;
        }
    }
    steps.reverse();
    steps
}

/// The chains with an event that may change a condition.
fn chains_of<S: Scene>(scene: &S, guard: &Guard) -> Vec<usize> {
    let mut atoms = Vec::new();
    collect(guard, &mut atoms);
    let touches = |chain: usize| {
        let mut events = 1..=scene.length(chain);
        events.any(|x| atoms.iter().any(|&atom| scene.touches(atom, chain, x)))
    };
    (0..scene.count()).filter(|&chain| touches(chain)).collect()
}

fn collect(guard: &Guard, atoms: &mut Vec<usize>) {
    match guard {
        Guard::Const(_) => {}
        Guard::Atom(atom) => atoms.push(*atom),
        Guard::Not(part) => collect(part, atoms),
        Guard::All(parts) | Guard::Any(parts) => {
            parts.iter().for_each(|part| collect(part, atoms));
        }
    }
}
