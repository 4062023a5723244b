//! CTL at a cut by brute force, for the parts of a claim that a single order cannot show.
//!
//! All states from the given one onwards are re-enacted, every predicate is evaluated in each as it comes by, and every
//! sub-formula is then decided from the end backwards. It is the same mathematics as the explicit engine's, written a
//! second time on other data so that the two cannot share a mistake.
//!
//! A formula without `EX` cannot tell a cut from the events in it that change something the formula sees: one that is
//! not seen leads to a cut that looks the same, and a cut can always take what is not seen until the next seen event may
//! happen (stuttering bisimulation). So the states are the sets of seen events that are closed under what the whole run
//! orders. With `EX`, all events are.

use std::num::Wrapping;

use causet_base::budget::{Budget, Spent};
use causet_trace::EventId;
use rustc_hash::FxHashMap;

use super::charge::Charge;
use super::claim::{Claim, Form};
use super::kept::Kept;
use super::predicate::Test;
use super::replay::Replay;
use super::rows::Rows;
use super::stage::{Change, Stage};

/// How many states are looked at before brute force gives up: about a second's work.
const MOST_STATES: usize = 1 << 20;

/// How many numbers are kept of them; there are fewer states when each has very many processes or things to see.
const MOST_NUMBERS: usize = 1 << 25;

/// The truth of a claim in everything that can still happen from some state on.
pub(super) struct Future<'b> {
    kept: Kept,
    met: Met,
    truth: Vec<bool>,
    _charge: Charge<'b>,
}

impl<'b> Future<'b> {
    /// Decides a claim in all states from here on, which are those of `events`, given as they were recorded.
    pub(super) fn new(
        stage: &Stage<'_>,
        start: &Replay<'_, '_>,
        claim: &Claim,
        events: &[EventId],
        budget: &'b Budget<'b>,
    ) -> Result<Self, Spent> {
        // Even a run without any choice has a state more than events.
        if events.len() >= MOST_STATES {
            return Err(Spent::Memory);
        }
        let kept = Kept::new(stage.trace(), start.happened(), events, budget)?;
        let mut states = States::new(stage, &kept, claim, budget);
        states.explore(start.slots())?;
        let truth = states.table(claim)?;
        let (met, charge) = (states.met, states.charge);
        Ok(Future {
            kept,
            met,
            truth,
            _charge: charge,
        })
    }

    /// Whether the claim holds in a state; `None` when that does not lie in this future.
    pub(super) fn holds(&self, stage: &Stage<'_>, now: &Replay<'_, '_>) -> Option<bool> {
        let order = stage.trace().order();
        let counts = self.kept.counts(now.happened(), order)?;
        let number = self.met.find(&counts)?;
        Some(self.truth[number])
    }
}

/// How far each lane has come in every state. The states with as many events stand together, fewer events first.
struct Met {
    width: usize,
    /// Where the states with so many events begin.
    levels: Vec<usize>,
    counts: Vec<u32>,
}

impl Met {
    fn find(&self, counts: &[u32]) -> Option<usize> {
        if self.width == 0 {
            return Some(0);
        }
        let level = counts.iter().map(|&count| count as usize).sum::<usize>();
        let (first, end) = (*self.levels.get(level)?, *self.levels.get(level + 1)?);
        let states = self.counts[first * self.width..end * self.width].chunks(self.width);
        let place = states.into_iter().position(|state| state == counts)?;
        Some(first + place)
    }
}

/// The states, numbered as they are met, so that what follows a state has a larger number.
struct States<'a, 't, 'b> {
    stage: &'a Stage<'t>,
    kept: &'a Kept,
    budget: &'b Budget<'b>,
    charge: Charge<'b>,
    met: Met,
    next: Rows<u32>,
    /// Per predicate, with the number of the part of the claim it is: its truth in every state.
    predicates: Vec<(usize, &'a Test, Vec<bool>)>,
    /// How many numbers a state takes: how far each lane has come, and what each slot holds.
    numbers: usize,
}

impl<'a, 't, 'b> States<'a, 't, 'b> {
    fn new(stage: &'a Stage<'t>, kept: &'a Kept, claim: &'a Claim, budget: &'b Budget<'b>) -> Self {
        let mut states = States {
            stage,
            kept,
            budget,
            charge: Charge::new(budget),
            met: Met {
                width: kept.width(),
                levels: vec![0],
                counts: Vec::new(),
            },
            next: Rows::new(),
            predicates: Vec::new(),
            numbers: kept.width() + stage.initial().len(),
        };
        states.collect(claim);
        states
    }

    fn collect(&mut self, claim: &'a Claim) {
        if let Form::State(test) = &claim.form {
            self.predicates.push((claim.number, test, Vec::new()));
        }
        for part in claim.form.parts() {
            self.collect(part);
        }
    }

    fn explore(&mut self, slots: &[i64]) -> Result<(), Spent> {
        let mut level = Level::default();
        level.meet(&vec![0; self.kept.width()], Wrapping(0));
        level.slots.extend_from_slice(slots);
        while level.len > 0 {
            let cost = STATE_COST + 8 * self.numbers;
            self.charge.take(level.len * cost)?;
            level = self.expand(&level)?;
        }
        Ok(())
    }

    /// The states that one more event leads to.
    fn expand(&mut self, level: &Level) -> Result<Level, Spent> {
        let (kept, width) = (self.kept, self.kept.width());
        let mut following = Level::default();
        let first = self.next.len() + level.len;
        let most = MOST_STATES.min(MOST_NUMBERS / self.numbers.max(1));
        let mut counts = Vec::new();
        for state in 0..level.len {
            self.budget.tick()?;
            let slots = level.slots_of(state);
            for (_, test, truth) in &mut self.predicates {
                truth.push(self.stage.satisfies(slots, test));
            }
            counts.clear();
            counts.extend_from_slice(&level.counts[state * width..][..width]);
            for lane in 0..width {
                let Some(event) = kept.possible(&counts, lane) else {
                    continue;
                };
                counts[lane] += 1;
                let (place, fresh) = following.meet(&counts, level.keys[state] + weight(lane));
                counts[lane] -= 1;
                if fresh {
                    following.add_slots(slots, self.stage.changes(event));
                }
                self.next.push((first + place) as u32);
            }
            if first + following.len > most {
                return Err(Spent::Memory);
            }
            self.next.close();
        }
        self.met.levels.push(self.next.len());
        self.met.counts.extend_from_slice(&level.counts);
        Ok(following)
    }

    /// The truth of a claim in every state, later states first.
    fn table(&self, claim: &Claim) -> Result<Vec<bool>, Spent> {
        self.budget.look()?;
        let count = self.next.len();
        Ok(match &claim.form {
            Form::State(_) => {
                let mut known = self.predicates.iter();
                let asked = known.find(|(number, ..)| *number == claim.number);
                asked.map_or_else(|| vec![false; count], |(.., truth)| truth.clone())
            }
            Form::Not(part) => {
                let part = self.table(part)?;
                part.into_iter().map(|truth| !truth).collect()
            }
            Form::And(parts) => self.combined(parts, true)?,
            Form::Or(parts) => self.combined(parts, false)?,
            // What all runs are is not found out here, and equations are never below an operator.
            Form::Run(_) | Form::Modal(_) => return Err(Spent::Memory),
            Form::Ex(part) => {
                let part = self.table(part)?;
                let some = |state| self.next.row(state).iter().any(|&next| part[next as usize]);
                (0..count).map(some).collect()
            }
            Form::Eu(hold, goal) => {
                let (hold, mut truth) = (self.table(hold)?, self.table(goal)?);
                for state in (0..count).rev() {
                    let soon = self
                        .next
                        .row(state)
                        .iter()
                        .any(|&next| truth[next as usize]);
                    truth[state] |= hold[state] && soon;
                }
                truth
            }
            Form::Au(hold, goal) => {
                let (hold, mut truth) = (self.table(hold)?, self.table(goal)?);
                for state in (0..count).rev() {
                    let next = self.next.row(state);
                    let surely = !next.is_empty() && next.iter().all(|&next| truth[next as usize]);
                    truth[state] |= hold[state] && surely;
                }
                truth
            }
        })
    }

    fn combined(&self, parts: &[Claim], all: bool) -> Result<Vec<bool>, Spent> {
        let mut result = vec![all; self.next.len()];
        for part in parts {
            for (truth, part) in result.iter_mut().zip(self.table(part)?) {
                *truth = if all { *truth && part } else { *truth || part };
            }
        }
        Ok(result)
    }
}

/// About what a state takes besides its numbers: its successors, a few truth values.
const STATE_COST: usize = 160;

/// The states with the same number of events, while their successors are looked for.
#[derive(Default)]
struct Level {
    len: usize,
    counts: Vec<u32>,
    slots: Vec<i64>,
    /// The weights of their events, added up.
    keys: Vec<Wrapping<u64>>,
    /// Where the state with a key stands; when a state before it has the same key, the next free number is its entry.
    place: FxHashMap<Wrapping<u64>, usize>,
}

impl Level {
    /// The place of a state, and whether it was not met before.
    fn meet(&mut self, counts: &[u32], key: Wrapping<u64>) -> (usize, bool) {
        let mut entry = key;
        while let Some(&place) = self.place.get(&entry) {
            if self.counts[place * counts.len()..][..counts.len()] == *counts {
                return (place, false);
            }
            entry += 1;
        }
        self.place.insert(entry, self.len);
        self.keys.push(key);
        self.counts.extend_from_slice(counts);
        self.len += 1;
        (self.len - 1, true)
    }

    /// Says what the slots of the last state hold: what they held before, and then the changes.
    fn add_slots(&mut self, before: &[i64], changes: &[Change]) {
        let start = self.slots.len();
        self.slots.extend_from_slice(before);
        for change in changes {
            change.apply(&mut self.slots[start..]);
        }
    }

    fn slots_of(&self, state: usize) -> &[i64] {
        let width = self.slots.len() / self.len;
        &self.slots[state * width..][..width]
    }
}

/// What an event of a lane adds to the key of a state: an arbitrary odd number.
fn weight(lane: usize) -> Wrapping<u64> {
    let mixed = (Wrapping(lane as u64) + Wrapping(1)) * Wrapping(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)) * Wrapping(0xbf58_476d_1ce4_e5b9)) | Wrapping(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_with_the_same_key_are_told_apart() {
        let mut level = Level::default();
        let key = Wrapping(7);
        assert_eq!(level.meet(&[1, 0], key), (0, true));
        assert_eq!(level.meet(&[0, 1], key), (1, true));
        assert_eq!(level.meet(&[2, 3], key + Wrapping(1)), (2, true));
        assert_eq!(level.meet(&[0, 1], key), (1, false));
        assert_eq!(level.meet(&[2, 3], key + Wrapping(1)), (2, false));
    }
}
