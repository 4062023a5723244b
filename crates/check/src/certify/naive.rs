//! CTL at a cut by brute force, for the parts of a claim that a single order cannot show.
//!
//! All states from the given one onwards are re-enacted, every predicate is evaluated in each as it comes by, and every
//! sub-formula is then decided from the end backwards. It is the same mathematics as the explicit engine's, written a
//! second time on other data so that the two cannot share a mistake.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use causet_formula::core::{Ctl, Pred};
use causet_solve::budget::{Budget, Spent};
use rustc_hash::FxHashMap;

use super::replay::Replay;

/// Everything that can still happen from some state on.
pub(super) struct Future {
    /// The states, by what has happened in them, numbered as they were met.
    number: FxHashMap<Vec<u32>, usize>,
    next: Vec<Vec<usize>>,
    /// Per predicate: its truth in every state.
    predicates: Vec<(Pred, Vec<bool>)>,
    /// The truth of every formula asked for so far, in every state.
    known: RefCell<FxHashMap<Ctl, Rc<Vec<bool>>>>,
}

impl Future {
    /// Re-enacts all orders from here; formulas made of the predicates of `claim` can be asked for later.
    pub(super) fn of(
        start: Replay<'_, '_>,
        claim: &Ctl,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let mut future = Future {
            number: std::iter::once((start.happened().to_vec(), 0)).collect(),
            next: Vec::new(),
            predicates: Vec::new(),
            known: RefCell::default(),
        };
        future.collect(claim);
        let mut waiting = VecDeque::from([start]);
        while let Some(state) = waiting.pop_front() {
            budget.tick()?;
            for (pred, truth) in &mut future.predicates {
                truth.push(state.holds(pred));
            }
            let next = future.expand(&state, &mut waiting, budget)?;
            future.next.push(next);
            budget.release(state.size());
        }
        Ok(future)
    }

    fn collect(&mut self, formula: &Ctl) {
        match formula {
            Ctl::State(pred) => self.predicates.push((pred.clone(), Vec::new())),
            Ctl::Not(part) | Ctl::Ex(part) => self.collect(part),
            Ctl::And(parts) | Ctl::Or(parts) => parts.iter().for_each(|part| self.collect(part)),
            Ctl::Eu(hold, goal) | Ctl::Au(hold, goal) => {
                self.collect(hold);
                self.collect(goal);
            }
        }
    }

    /// The numbers of the states that can follow; those not met before wait for their turn.
    fn expand<'s, 't>(
        &mut self,
        state: &Replay<'s, 't>,
        waiting: &mut VecDeque<Replay<'s, 't>>,
        budget: &Budget<'_>,
    ) -> Result<Vec<usize>, Spent> {
        let mut next = Vec::new();
        for event in state.possible() {
            let mut happened = state.happened().to_vec();
            happened[state.process_of(event)] += 1;
            let fresh = self.number.len();
            let known = self.number.get(&happened).copied();
            if known.is_none() {
                let mut after = state.clone();
                after.step(event);
                budget.charge(after.size() + STATE_COST + 4 * happened.len())?;
                waiting.push_back(after);
                self.number.insert(happened, fresh);
            }
            next.push(known.unwrap_or(fresh));
        }
        Ok(next)
    }

    /// Whether a formula holds in a state of this future.
    pub(super) fn holds(
        &self,
        formula: &Ctl,
        state: &Replay<'_, '_>,
        budget: &Budget<'_>,
    ) -> Result<bool, Spent> {
        let number = self.number[state.happened()];
        if let Some(known) = self.known.borrow().get(formula) {
            return Ok(known[number]);
        }
        let table = Rc::new(self.table(formula, budget)?);
        let truth = table[number];
        self.known.borrow_mut().insert(formula.clone(), table);
        Ok(truth)
    }

    /// The truth of a formula in every state; later states first, as in breadth-first order they have larger numbers.
    fn table(&self, formula: &Ctl, budget: &Budget<'_>) -> Result<Vec<bool>, Spent> {
        budget.look()?;
        let count = self.next.len();
        Ok(match formula {
            Ctl::State(pred) => {
                let asked = self.predicates.iter().find(|(known, _)| known == pred);
                asked.map_or_else(|| vec![false; count], |(_, truth)| truth.clone())
            }
            Ctl::Not(part) => self
                .table(part, budget)?
                .into_iter()
                .map(|truth| !truth)
                .collect(),
            Ctl::And(parts) => self.combined(parts, true, budget)?,
            Ctl::Or(parts) => self.combined(parts, false, budget)?,
            Ctl::Ex(part) => {
                let part = self.table(part, budget)?;
                let some = |next: &Vec<usize>| next.iter().any(|&state| part[state]);
                self.next.iter().map(some).collect()
            }
            Ctl::Eu(hold, goal) => {
                let (hold, mut truth) = (self.table(hold, budget)?, self.table(goal, budget)?);
                for state in (0..count).rev() {
                    let soon = self.next[state].iter().any(|&next| truth[next]);
                    truth[state] |= hold[state] && soon;
                }
                truth
            }
            Ctl::Au(hold, goal) => {
                let (hold, mut truth) = (self.table(hold, budget)?, self.table(goal, budget)?);
                for state in (0..count).rev() {
                    let next = &self.next[state];
                    let surely = !next.is_empty() && next.iter().all(|&next| truth[next]);
                    truth[state] |= hold[state] && surely;
                }
                truth
            }
        })
    }

    fn combined(&self, parts: &[Ctl], all: bool, budget: &Budget<'_>) -> Result<Vec<bool>, Spent> {
        let mut result = vec![all; self.next.len()];
        for part in parts {
            for (truth, part) in result.iter_mut().zip(self.table(part, budget)?) {
                *truth = if all { *truth && part } else { *truth || part };
            }
        }
        Ok(result)
    }
}

/// About what is kept of a state: its numbers, an entry of the table, its successors, a few truth values.
const STATE_COST: usize = 160;
