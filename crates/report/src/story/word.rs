//! An order of events as a word, and what makes a formula of LTL true or false of it.
//!
//! The formula is evaluated at every position of the order, bottom up, with a third value where the order has not
//! decided it yet. Then its value at the beginning is traced back to single positions and to stretches of them: an
//! `Until` that is true has a moment at which its goal is, one that is false has a moment at which it breaks off, or a
//! goal that never comes.

use std::ops::Range;

use causet_formula::Ltl;
use causet_formula::core::Pred;

use super::facts::Facts;
use super::path::Path;

/// Orders with more positions times processes are not read again for the sake of a sentence.
const MOST_COUNTS: usize = 5_000_000;

/// A predicate, or its opposite.
pub(super) type Literal<'f> = (&'f Pred, bool);

/// What explains a value.
#[derive(Default)]
pub(super) struct Findings<'f> {
    /// What is so at single positions.
    pub(super) moments: Vec<(usize, Literal<'f>)>,
    /// What is so at all of some positions.
    pub(super) spans: Vec<(Range<usize>, Literal<'f>)>,
}

impl<'f> Findings<'f> {
    /// Takes conjunctions apart, and joins a moment with the span it lies in or that ends there.
    pub(super) fn tidy(&mut self) {
        let mut moments = Vec::new();
        for (at, literal) in self.moments.drain(..) {
            moments.extend(split(literal).map(|part| (at, part)));
        }
        let mut spans: Vec<(Range<usize>, Literal<'f>)> = Vec::new();
        for (range, literal) in self.spans.drain(..) {
            spans.extend(split(literal).map(|part| (range.clone(), part)));
        }
        for (range, literal) in &mut spans {
            moments.retain(|(at, other)| {
                let joins = (range.start..=range.end).contains(at) && other == literal;
                if joins && *at == range.end {
                    range.end += 1;
                }
                !joins
            });
        }
        spans.retain(|(range, _)| !range.is_empty());
        moments.sort_by_key(|&(at, _)| at);
        moments.dedup();
        (self.moments, self.spans) = (moments, spans);
    }
}

/// The parts that a literal is the conjunction of.
fn split<'f>((pred, truth): Literal<'f>) -> impl Iterator<Item = Literal<'f>> {
    let is_open = |(part, _): &Literal<'f>| !matches!(part, Pred::Const(_));
    pred.conjuncts(truth).filter(is_open)
}

/// The order as a word.
pub(super) struct Word<'a> {
    pub(super) facts: Facts<'a>,
    cuts: Vec<Vec<u32>>,
    pub(super) is_complete: bool,
}

impl<'a> Word<'a> {
    /// A path as a word over some predicates; nothing when it is too long to be read again.
    pub(super) fn of<'p>(
        path: &'a Path<'a>,
        preds: impl IntoIterator<Item = &'p Pred>,
    ) -> Option<Word<'a>> {
        let order = path.trace.order();
        if path.run.len().saturating_mul(order.process_count()) > MOST_COUNTS {
            return None;
        }
        let start = order.initial_cut().counts().to_vec();
        Some(Word {
            facts: Facts::new(path, preds),
            cuts: path.cuts_from(start, path.run),
            is_complete: path.run.len() == path.trace.len(),
        })
    }
}

impl Word<'_> {
    /// How many positions it has.
    pub(super) fn positions(&self) -> usize {
        self.cuts.len()
    }

    /// Whether a predicate holds at a position.
    pub(super) fn holds(&self, pred: &Pred, at: usize) -> bool {
        let counts = &self.cuts[at];
        if !self.facts.path.budget.allows(1) {
            return false;
        }
        match at.checked_sub(1) {
            Some(event) => {
                let event = self.facts.path.run[event];
                self.facts.holds_behind(pred, counts, event)
            }
            None => self.facts.holds(pred, counts),
        }
    }

    /// The value of a formula at each position, where the order decides it.
    pub(super) fn values(&self, formula: &Ltl) -> Vec<Option<bool>> {
        let positions = self.positions();
        match formula {
            Ltl::State(pred) => (0..positions)
                .map(|at| Some(self.holds(pred, at)))
                .collect(),
            Ltl::Not(inner) => {
                let values = self.values(inner).into_iter();
                values.map(|value| value.map(|truth| !truth)).collect()
            }
            Ltl::And(parts) => self.joined(parts, false),
            Ltl::Or(parts) => self.joined(parts, true),
            Ltl::Next(inner) => {
                let mut values = self.values(inner);
                values.remove(0);
                values.push(self.is_complete.then_some(false));
                values
            }
            Ltl::Until(before, goal) => {
                let (before, goal) = (self.values(before), self.values(goal));
                let mut values = vec![None; positions];
                let mut next = self.is_complete.then_some(false);
                for at in (0..positions).rev() {
                    next = either(goal[at], both(before[at], next));
                    values[at] = next;
                }
                values
            }
        }
    }

    /// A conjunction or disjunction; the given value of one part is enough.
    fn joined(&self, parts: &[Ltl], enough: bool) -> Vec<Option<bool>> {
        let mut values = vec![Some(!enough); self.cuts.len()];
        for part in parts {
            for (value, of_part) in values.iter_mut().zip(self.values(part)) {
                *value = match enough {
                    true => either(*value, of_part),
                    false => both(*value, of_part),
                };
            }
        }
        values
    }

    /// What makes a formula have its value at a position; nothing when that takes more than moments and spans.
    pub(super) fn explain<'f>(
        &self,
        formula: &'f Ltl,
        at: usize,
        truth: bool,
        found: &mut Findings<'f>,
    ) -> Option<()> {
        match (formula, truth) {
            (Ltl::State(pred), _) => found.moments.push((at, (pred, truth))),
            (Ltl::Not(inner), _) => self.explain(inner, at, !truth, found)?,
            (Ltl::And(parts), true) | (Ltl::Or(parts), false) => {
                for part in parts {
                    self.explain(part, at, truth, found)?;
                }
            }
            (Ltl::And(parts), false) | (Ltl::Or(parts), true) => {
                let is_so = |part: &&Ltl| self.values(part)[at] == Some(truth);
                self.explain(parts.iter().find(is_so)?, at, truth, found)?;
            }
            (Ltl::Next(inner), _) if at + 1 < self.cuts.len() => {
                self.explain(inner, at + 1, truth, found)?;
            }
            // That there is no next position is no event.
            (Ltl::Next(_), _) => return None,
            (Ltl::Until(before, goal), true) => {
                let goals = self.values(goal);
                let end = (at..self.cuts.len()).find(|&at| goals[at] == Some(true))?;
                span(before, at..end, true, found)?;
                self.explain(goal, end, true, found)?;
            }
            (Ltl::Until(before, goal), false) => {
                let befores = self.values(before);
                let end = (at..self.cuts.len()).find(|&at| befores[at] == Some(false));
                span(
                    goal,
                    at..end.map_or(self.cuts.len(), |end| end + 1),
                    false,
                    found,
                )?;
                if let Some(end) = end {
                    self.explain(before, end, false, found)?;
                }
            }
        }
        Some(())
    }
}

fn span<'f>(
    formula: &'f Ltl,
    range: Range<usize>,
    truth: bool,
    found: &mut Findings<'f>,
) -> Option<()> {
    match formula {
        Ltl::State(pred) => found.spans.push((range, (pred, truth))),
        _ if range.is_empty() => {}
        _ => return None,
    }
    Some(())
}

/// Whether two things are so, where one that is not is enough to know.
pub(super) fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether one of two things is so, where one that is is enough to know.
pub(super) fn either(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    both(one.map(|truth| !truth), other.map(|truth| !truth)).map(|truth| !truth)
}
