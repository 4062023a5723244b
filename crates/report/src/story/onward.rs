//! What is known of a temporal formula at the cut, without deciding it: from the cut itself, from how the path goes on,
//! and from the end when that has been reached.
//!
//! `AG p` is false where `p` is, `EF p` is true where `p` is; `AF p` is false when the path goes on to the end without
//! `p`. Where none of this is enough, nothing is said.

use causet_formula::Ltl;
use causet_formula::core::{Ctl, Pred};
use causet_formula::lower::Says;

use super::facts::Facts;
use super::path::Path;
use super::word::{both, either};

/// Of a longer way on, times processes, only the cut is looked at.
const MOST_COUNTS: usize = 200_000;

/// The cut of a path and those after it.
pub(super) struct Onward<'a> {
    facts: Facts<'a>,
    cuts: Vec<Vec<u32>>,
    /// Whether nothing follows the last of them.
    is_complete: bool,
}

/// For each cut, whether a formula holds there, if that is known.
type Known = Vec<Option<bool>>;

impl<'a> Onward<'a> {
    /// The cut of a path and those after it, for these predicates.
    pub(super) fn of<'p>(
        path: &'a Path<'a>,
        preds: impl IntoIterator<Item = &'p Pred>,
    ) -> Onward<'a> {
        let processes = path.trace.order().process_count();
        let then = match path.then.len().saturating_mul(processes) > MOST_COUNTS {
            true => &[],
            false => path.then,
        };
        Onward {
            facts: Facts::new(path, preds),
            cuts: path.cuts_from(path.cut.counts().to_vec(), then),
            is_complete: path.run.len() + then.len() == path.trace.len(),
        }
    }

    /// Whether a part of a property holds at the cut, if that is known.
    pub(super) fn value(&self, says: &Says) -> Option<bool> {
        match says {
            Says::State(pred) => Some(self.holds(pred)),
            Says::Ctl(formula) => self.branching(formula)[0],
            Says::Ltl(formula) => self.linear(formula),
        }
    }

    /// A predicate at the cut, right behind the last event.
    fn holds(&self, pred: &Pred) -> bool {
        let counts = &self.cuts[0];
        match self.facts.path.run.last() {
            Some(&event) => self.facts.holds_behind(pred, counts, event),
            None => self.facts.holds(pred, counts),
        }
    }

    fn branching(&self, formula: &Ctl) -> Known {
        match formula {
            Ctl::State(pred) => {
                let cuts = self.cuts.iter();
                cuts.map(|cut| Some(self.facts.holds(pred, cut))).collect()
            }
            Ctl::Not(inner) => {
                let known = self.branching(inner).into_iter();
                known.map(|value| value.map(|truth| !truth)).collect()
            }
            Ctl::And(parts) => self.joined(parts, Some(true), both),
            Ctl::Or(parts) => self.joined(parts, Some(false), either),
            Ctl::Ex(inner) => {
                let inner = self.branching(inner);
                let next = inner.iter().skip(1);
                let mut known: Known = next.map(|value| value.filter(|&truth| truth)).collect();
                known.push(self.is_complete.then_some(false));
                known
            }
            Ctl::Eu(before, goal) => self.until(before, goal, true),
            Ctl::Au(before, goal) => self.until(before, goal, false),
            Ctl::Run(_) | Ctl::Modal(_) => vec![None; self.cuts.len()],
        }
    }

    fn joined(
        &self,
        parts: &[Ctl],
        start: Option<bool>,
        join: fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Known {
        let mut known = vec![start; self.cuts.len()];
        for part in parts {
            for (value, of_part) in known.iter_mut().zip(self.branching(part)) {
                *value = join(*value, of_part);
            }
        }
        known
    }

    /// `E[before U goal]` or `A[before U goal]`. One way on is enough to show the first and to refute the second.
    fn until(&self, before: &Ctl, goal: &Ctl, telling: bool) -> Known {
        let (before, goal) = (self.branching(before), self.branching(goal));
        let mut known = vec![None; self.cuts.len()];
        let mut next = self.is_complete.then_some(false);
        for at in (0..self.cuts.len()).rev() {
            known[at] = either(goal[at], both(before[at], next));
            next = known[at].filter(|&truth| truth == telling);
        }
        known
    }

    /// A formula about what follows, whatever that is.
    fn linear(&self, formula: &Ltl) -> Option<bool> {
        let is_last = self.is_complete && self.cuts.len() == 1;
        match formula {
            Ltl::State(pred) => Some(self.holds(pred)),
            Ltl::Not(inner) => self.linear(inner).map(|truth| !truth),
            Ltl::And(parts) => {
                let parts = parts.iter().map(|part| self.linear(part));
                parts.fold(Some(true), both)
            }
            Ltl::Or(parts) => {
                let parts = parts.iter().map(|part| self.linear(part));
                parts.fold(Some(false), either)
            }
            Ltl::Next(_) => is_last.then_some(false),
            Ltl::Until(before, goal) => {
                let next = is_last.then_some(false);
                either(self.linear(goal), both(self.linear(before), next))
            }
        }
    }
}
