//! The second opinion: a trail is believed only after it has been re-enacted by code no engine uses.
//!
//! [`examine`] goes through the formula and the trail side by side (the table at [`Trail`] says what belongs to what),
//! lets the events happen one by one and evaluates every claim in the state they have led to. It shares with the engines
//! the trace, the formula and exact arithmetic, and nothing else.

mod naive;
mod replay;

use std::cell::OnceCell;

use causet_formula::core::Ctl;
use causet_solve::budget::{Budget, Spent};
use causet_trace::{EventId, Trace};

use crate::engine::Trail;
use naive::Future;
use replay::{Replay, Stage};

/// What re-enacting a trail gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opinion {
    /// Whether the trail shows the truth value.
    pub proven: bool,
    /// Whether the recorded order shows it by itself; `None` when a limit was reached first.
    ///
    /// What a single order can show is asked of the recorded one, at every level of the formula; what speaks of all
    /// orders is a fact about a cut and is asked there.
    pub observed: Option<bool>,
}

/// Whether a trail, and whether the recorded order, shows that a formula has this truth value at the initial cut.
pub fn examine(
    trace: &Trace,
    formula: &Ctl,
    truth: bool,
    trail: &Trail,
    budget: &Budget<'_>,
) -> Result<Opinion, Spent> {
    let stage = Stage::new(trace);
    let court = Court::new(&stage, formula, budget);
    let mut now = Replay::new(&stage);
    let argument = Some((trail, &trail.focus[..]));
    let proven = court.proves(formula, truth, &mut now, argument)?;
    let recorded: Vec<EventId> = trace.order().recorded().collect();
    let shown = court.shown(formula, truth, &recorded);
    Ok(Opinion {
        proven,
        observed: shown.ok().map(|shown| shown[0]),
    })
}

type Argument<'a> = Option<(&'a Trail, &'a [usize])>;

struct Court<'s, 't, 'b> {
    stage: &'s Stage<'t>,
    claim: &'b Ctl,
    budget: &'b Budget<'b>,
    /// Everything that can happen, re-enacted only when a claim about all orders must be judged.
    future: OnceCell<Future>,
}

impl<'s, 't, 'b> Court<'s, 't, 'b> {
    fn new(stage: &'s Stage<'t>, claim: &'b Ctl, budget: &'b Budget<'b>) -> Self {
        Court {
            stage,
            claim,
            budget,
            future: OnceCell::new(),
        }
    }

    /// Judges a claim about the present state; `now` is left where the argument ends.
    fn proves(
        &self,
        formula: &Ctl,
        truth: bool,
        now: &mut Replay<'s, 't>,
        argument: Argument<'_>,
    ) -> Result<bool, Spent> {
        let Some((trail, focus)) = argument else {
            return Ok(self.holds(formula, now)? == truth);
        };
        match (formula, truth) {
            (Ctl::State(pred), _) => Ok(now.holds(pred) == truth),
            (Ctl::Not(part), _) => self.proves(part, !truth, now, argument),
            (Ctl::And(parts), false) | (Ctl::Or(parts), true) => match chosen(parts, focus) {
                Some((_, part)) => self.proves(part, truth, now, Some((trail, &focus[1..]))),
                None => Ok(false),
            },
            (Ctl::And(parts), true) | (Ctl::Or(parts), false) => {
                let Some((at, _)) = chosen(parts, focus) else {
                    return Ok(self.holds(formula, now)? == truth);
                };
                for (number, part) in parts.iter().enumerate() {
                    if number != at && self.holds(part, now)? != truth {
                        return Ok(false);
                    }
                }
                self.proves(&parts[at], truth, now, Some((trail, &focus[1..])))
            }
            (Ctl::Ex(part), true) => Ok(trail.run.len() == 1
                && now.step(trail.run[0])
                && self.proves(part, true, now, continuation(trail))?),
            (Ctl::Eu(hold, goal), true) => {
                for &event in &trail.run {
                    if !self.holds(hold, now)? || !now.step(event) {
                        return Ok(false);
                    }
                }
                self.proves(goal, true, now, continuation(trail))
            }
            (Ctl::Au(hold, goal), false) => {
                for &event in &trail.run {
                    if self.holds(goal, now)? || !now.step(event) {
                        return Ok(false);
                    }
                }
                Ok(!self.holds(goal, now)?
                    && (now.is_over() || self.proves(hold, false, now, continuation(trail))?))
            }
            (Ctl::Ex(_), false) | (Ctl::Eu(..), false) | (Ctl::Au(..), true) => {
                Ok(self.holds(formula, now)? == truth)
            }
        }
    }

    /// From which positions on a complete order shows that a formula has this truth value.
    fn shown(&self, formula: &Ctl, truth: bool, run: &[EventId]) -> Result<Vec<bool>, Spent> {
        let last = run.len();
        match (formula, truth) {
            (Ctl::Not(part), _) => self.shown(part, !truth, run),
            (Ctl::And(parts), _) => self.shown_parts(parts, truth, truth, run),
            (Ctl::Or(parts), _) => self.shown_parts(parts, truth, !truth, run),
            (Ctl::Ex(part), true) => {
                let mut shown = self.shown(part, true, run)?;
                shown.rotate_left(1);
                shown[last] = false;
                Ok(shown)
            }
            (Ctl::Eu(hold, goal), true) => {
                let hold = self.shown(hold, true, run)?;
                let mut shown = self.shown(goal, true, run)?;
                for at in (0..last).rev() {
                    shown[at] |= hold[at] && shown[at + 1];
                }
                Ok(shown)
            }
            (Ctl::Au(hold, goal), false) => {
                let fails = self.shown(hold, false, run)?;
                let mut shown = self.shown(goal, false, run)?;
                for at in (0..last).rev() {
                    shown[at] &= fails[at] || shown[at + 1];
                }
                Ok(shown)
            }
            (Ctl::State(_) | Ctl::Ex(_) | Ctl::Eu(..) | Ctl::Au(..), _) => {
                let mut now = Replay::new(self.stage);
                let mut shown = vec![self.holds(formula, &now)? == truth];
                for &event in run {
                    now.step(event);
                    shown.push(self.holds(formula, &now)? == truth);
                }
                Ok(shown)
            }
        }
    }

    /// The same for several parts, of which all or some must be shown.
    fn shown_parts(
        &self,
        parts: &[Ctl],
        truth: bool,
        all: bool,
        run: &[EventId],
    ) -> Result<Vec<bool>, Spent> {
        let mut shown = vec![all; run.len() + 1];
        for part in parts {
            for (whole, part) in shown.iter_mut().zip(self.shown(part, truth, run)?) {
                *whole = if all { *whole && part } else { *whole || part };
            }
        }
        Ok(shown)
    }

    /// The truth of a formula in a state; a temporal one is decided by brute force.
    fn holds(&self, formula: &Ctl, now: &Replay<'s, 't>) -> Result<bool, Spent> {
        self.budget.tick()?;
        if let Ctl::State(pred) = formula {
            return Ok(now.holds(pred));
        }
        if self.future.get().is_none() {
            let future = Future::of(Replay::new(self.stage), self.claim, self.budget)?;
            let _ = self.future.set(future);
        }
        match self.future.get() {
            Some(future) => future.holds(formula, now, self.budget),
            None => Err(Spent::Cancelled),
        }
    }
}

/// The part of a connective the argument is about.
fn chosen<'f>(parts: &'f [Ctl], focus: &[usize]) -> Option<(usize, &'f Ctl)> {
    let at = *focus.first()?;
    Some((at, parts.get(at)?))
}

fn continuation(trail: &Trail) -> Argument<'_> {
    let then = trail.then.as_deref()?;
    Some((then, &then.focus))
}
