//! CTL at a cut by brute force, for the parts of a claim that a single order cannot show.
//!
//! All states from the given one onwards are re-enacted and every sub-formula is decided from the end backwards. It is
//! the same mathematics as the explicit engine's, written a second time on other data so that the two cannot share a
//! mistake.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use causet_formula::core::Ctl;
use causet_solve::budget::{Budget, Spent};

use super::replay::Replay;

/// Everything that can still happen from some state on.
pub(super) struct Future<'s, 't> {
    states: Vec<Replay<'s, 't>>,
    next: Vec<Vec<usize>>,
    number: HashMap<Vec<u32>, usize>,
    /// The truth of every formula asked for so far, in every state.
    known: RefCell<HashMap<Ctl, Rc<Vec<bool>>>>,
}

impl<'s, 't> Future<'s, 't> {
    /// Re-enacts all orders from here.
    pub(super) fn of(start: &Replay<'s, 't>, budget: &Budget<'_>) -> Result<Self, Spent> {
        let mut future = Future {
            states: vec![start.clone()],
            next: Vec::new(),
            number: HashMap::from([(start.happened().to_vec(), 0)]),
            known: RefCell::default(),
        };
        while future.next.len() < future.states.len() {
            budget.tick()?;
            let state = future.states[future.next.len()].clone();
            let mut next = Vec::new();
            for event in state.possible() {
                let mut after = state.clone();
                after.step(event);
                let fresh = future.states.len();
                let number = *future
                    .number
                    .entry(after.happened().to_vec())
                    .or_insert(fresh);
                if number == fresh {
                    budget.charge(after.size())?;
                    future.states.push(after);
                }
                next.push(number);
            }
            future.next.push(next);
        }
        Ok(future)
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
        let count = self.states.len();
        Ok(match formula {
            Ctl::State(pred) => self.states.iter().map(|state| state.holds(pred)).collect(),
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
        let mut result = vec![all; self.states.len()];
        for part in parts {
            for (truth, part) in result.iter_mut().zip(self.table(part, budget)?) {
                *truth = if all { *truth && part } else { *truth || part };
            }
        }
        Ok(result)
    }
}
