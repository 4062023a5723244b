//! The second opinion: a trail is believed only after it has been re-enacted by code no engine uses.
//!
//! [`examine`] goes through the formula and the trail side by side (the table at [`Trail`] says what belongs to what),
//! lets the events happen one by one and evaluates every claim in the state they have led to. It shares with the engines
//! the trace, the formula and exact arithmetic, and nothing else.
//!
//! It costs about as much as looking at every event once: what the claim cannot see is only asked whether it may happen
//! when it does. Claims about all orders have no trail; they are decided by brute force, and when that would take too
//! many states the examination gives up with [`Spent::Memory`].
//!
//! ```text
//! formula --claim--> slots --stage--> changes per event --replay--> states along the trail
//!                                            +--kept, naive--> all states ahead of a cut
//! ```

mod charge;
mod claim;
mod kept;
mod modal;
mod naive;
mod pair;
mod predicate;
mod replay;
mod rows;
mod stage;
mod words;

use std::cell::RefCell;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_trace::{EventId, Trace};

use crate::engine::Trail;
pub use pair::{are_concurrent, holds_by_definition, removes};

use claim::{Claim, Form, Reading};
use naive::Future;
use replay::Replay;
use stage::Stage;
use words::Words;

/// What re-enacting a trail gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opinion {
    /// Whether the trail shows the truth value.
    pub proven: bool,
    /// Whether the recorded order shows it by itself; `None` when a limit was reached first.
    ///
    /// What a single order can show is asked of the recorded one, at every level of the formula; what speaks of all
    /// orders is a fact about a cut and is asked there. Of the mu-calculus a beginning of the recorded order has to show
    /// it: for `<R> true` and `[R] false` a beginning in `R`, else one that leads to a cut which decides what is left.
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
    judge(trace, (formula, truth), trail, Lens::Visible, budget)
}

/// The same without leaving out any event, however little the claim can see of it; what [`examine`] is compared with.
pub fn examine_every_event(
    trace: &Trace,
    formula: &Ctl,
    truth: bool,
    trail: &Trail,
    budget: &Budget<'_>,
) -> Result<Opinion, Spent> {
    judge(trace, (formula, truth), trail, Lens::Everything, budget)
}

/// Whether a trail shows that a formula has this truth value at the initial cut.
pub(crate) fn is_proven(
    trace: &Trace,
    (formula, truth): (&Ctl, bool),
    trail: &Trail,
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let reading = Reading::new(trace, formula);
    let stage = Stage::new(trace, &reading);
    let court = Court {
        stage: &stage,
        reading: &reading,
        lens: Lens::Visible,
        budget,
        futures: RefCell::new((0..reading.parts).map(|_| None).collect()),
    };
    let mut now = Replay::new(&stage, reading.parts);
    court.proves(
        &reading.claim,
        truth,
        &mut now,
        Some((trail, &trail.focus[..])),
    )
}

fn judge(
    trace: &Trace,
    (formula, truth): (&Ctl, bool),
    trail: &Trail,
    lens: Lens,
    budget: &Budget<'_>,
) -> Result<Opinion, Spent> {
    let reading = Reading::new(trace, formula);
    let stage = Stage::new(trace, &reading);
    let court = Court {
        stage: &stage,
        reading: &reading,
        lens,
        budget,
        futures: RefCell::new((0..reading.parts).map(|_| None).collect()),
    };
    let argument = Some((trail, &trail.focus[..]));
    let mut now = Replay::new(&stage, reading.parts);
    let proven = court.proves(&reading.claim, truth, &mut now, argument)?;
    let recorded = court.recorded();
    // What a beginning of the recorded order shows, that order shows; only equations are known to be shown by beginnings.
    let begins = matches!(reading.claim.form, Form::Modal(_)) && recorded.starts_with(&trail.run);
    let observed = match proven && begins {
        true => Some(true),
        false => court
            .shown(&reading.claim, truth, &recorded)
            .ok()
            .map(|shown| shown[0]),
    };
    Ok(Opinion { proven, observed })
}

type Argument<'a> = Option<(&'a Trail, &'a [usize])>;

/// Which events are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lens {
    /// Those that change something the claim sees, unless it counts steps.
    Visible,
    Everything,
}

struct Court<'s, 't> {
    stage: &'s Stage<'t>,
    reading: &'s Reading,
    lens: Lens,
    budget: &'s Budget<'s>,
    /// Per part of the claim: what brute force found out, when it was asked.
    futures: RefCell<Vec<Option<Future<'s>>>>,
}

impl<'s, 't> Court<'s, 't> {
    /// Judges a claim about the present state; `now` is left where the argument ends.
    fn proves(
        &self,
        claim: &Claim,
        truth: bool,
        now: &mut Replay<'s, 't>,
        argument: Argument<'_>,
    ) -> Result<bool, Spent> {
        let Some((trail, focus)) = argument else {
            return Ok(self.holds(claim, now)? == truth);
        };
        match (&claim.form, truth) {
            (Form::State(_), _) => Ok(self.holds(claim, now)? == truth),
            (Form::Not(part), _) => self.proves(part, !truth, now, argument),
            (Form::And(parts), false) | (Form::Or(parts), true) => match chosen(parts, focus) {
                Some((_, part)) => self.proves(part, truth, now, Some((trail, &focus[1..]))),
                None => self.decided_here(claim, truth, now, trail),
            },
            (Form::And(parts), true) | (Form::Or(parts), false) => {
                let Some((at, _)) = chosen(parts, focus) else {
                    return self.decided_here(claim, truth, now, trail);
                };
                for (number, part) in parts.iter().enumerate() {
                    if number != at && self.holds(part, now)? != truth {
                        return Ok(false);
                    }
                }
                self.proves(&parts[at], truth, now, Some((trail, &focus[1..])))
            }
            (Form::Ex(part), true) => Ok(trail.run.len() == 1
                && now.step(trail.run[0])
                && self.proves(part, true, now, continuation(trail))?),
            (Form::Eu(hold, goal), true) => {
                for &event in &trail.run {
                    if !self.holds(hold, now)? || !now.step(event) {
                        return Ok(false);
                    }
                }
                self.proves(goal, true, now, continuation(trail))
            }
            (Form::Au(hold, goal), false) => {
                for &event in &trail.run {
                    if self.holds(goal, now)? || !now.step(event) {
                        return Ok(false);
                    }
                }
                Ok(!self.holds(goal, now)?
                    && (now.is_over() || self.proves(hold, false, now, continuation(trail))?))
            }
            (Form::Run(words), true) => {
                Ok(trail.then.is_none() && self.reads(words, now, &trail.run)?)
            }
            (Form::Modal(modality), _) => {
                Ok(trail.then.is_none()
                    && modality.is_shown(truth, now, &trail.run, self.budget)?)
            }
            (Form::Ex(_) | Form::Eu(..) | Form::Run(_), false) | (Form::Au(..), true) => {
                self.decided_here(claim, truth, now, trail)
            }
        }
    }

    /// Judges a claim that no order argues for: what is said of all orders is decided where it is said, and events that
    /// argue for nothing prove nothing.
    fn decided_here(
        &self,
        claim: &Claim,
        truth: bool,
        now: &mut Replay<'s, 't>,
        trail: &Trail,
    ) -> Result<bool, Spent> {
        let is_bare = trail.run.is_empty() && trail.then.is_none();
        Ok(is_bare && self.holds(claim, now)? == truth)
    }

    /// Whether these events, one after the other from the initial cut, are a run of the kind looked for.
    fn reads(
        &self,
        words: &Words,
        now: &mut Replay<'s, 't>,
        run: &[EventId],
    ) -> Result<bool, Spent> {
        let mut scroll = words.scroll(self.stage.trace(), self.budget);
        scroll.add(None, true, &|test| self.stage.satisfies(now.slots(), test))?;
        for &event in run {
            if !now.step(event) {
                return Ok(false);
            }
            let changed = !self.stage.changes(event).is_empty();
            let slots = now.slots();
            scroll.add(Some(event), changed, &|test| {
                self.stage.satisfies(slots, test)
            })?;
        }
        let is_complete = match words.end() {
            Some(end) => now.happened() == end,
            None => now.is_over(),
        };
        Ok(is_complete && scroll.belongs()?)
    }

    /// From which positions on a complete order shows that a formula has this truth value.
    fn shown(&self, claim: &Claim, truth: bool, run: &[EventId]) -> Result<Vec<bool>, Spent> {
        let last = run.len();
        match (&claim.form, truth) {
            (Form::Not(part), _) => self.shown(part, !truth, run),
            (Form::And(parts), _) => self.shown_parts(parts, truth, truth, run),
            (Form::Or(parts), _) => self.shown_parts(parts, truth, !truth, run),
            (Form::Ex(part), true) => {
                let mut shown = self.shown(part, true, run)?;
                shown.rotate_left(1);
                shown[last] = false;
                Ok(shown)
            }
            (Form::Eu(hold, goal), true) => {
                let hold = self.shown(hold, true, run)?;
                let mut shown = self.shown(goal, true, run)?;
                for at in (0..last).rev() {
                    shown[at] |= hold[at] && shown[at + 1];
                }
                Ok(shown)
            }
            (Form::Au(hold, goal), false) => {
                let fails = self.shown(hold, false, run)?;
                let mut shown = self.shown(goal, false, run)?;
                for at in (0..last).rev() {
                    shown[at] &= fails[at] || shown[at + 1];
                }
                Ok(shown)
            }
            (Form::Run(words), true) => {
                let mut shown = vec![false; run.len() + 1];
                let mut now = Replay::new(self.stage, self.reading.parts);
                let order = self.stage.trace().order();
                let within = |event: &&EventId| {
                    let process = order.process_of(**event).index();
                    let end = words.end();
                    end.is_none_or(|end| order.position_of(**event) <= end[process])
                };
                let run: Vec<EventId> = run.iter().filter(within).copied().collect();
                shown[0] = self.reads(words, &mut now, &run)?;
                Ok(shown)
            }
            (Form::Run(_), false) => Err(Spent::Memory),
            (Form::Modal(modality), _) => {
                let mut shown = vec![false; run.len() + 1];
                let mut now = Replay::new(self.stage, self.reading.parts);
                shown[0] = modality.is_shown_on_the_way(truth, &mut now, run, self.budget)?;
                Ok(shown)
            }
            (Form::State(_) | Form::Ex(_) | Form::Eu(..) | Form::Au(..), _) => {
                let mut now = Replay::new(self.stage, self.reading.parts);
                let mut shown = vec![self.holds(claim, &mut now)? == truth];
                for &event in run {
                    now.advance(event);
                    shown.push(self.holds(claim, &mut now)? == truth);
                }
                Ok(shown)
            }
        }
    }

    /// The same for several parts, of which all or some must be shown.
    fn shown_parts(
        &self,
        parts: &[Claim],
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

    /// The recorded order, as far as it matters to the claim.
    fn recorded(&self) -> Vec<EventId> {
        if self.takes_all(&self.reading.claim) {
            self.stage.trace().order().recorded().collect()
        } else {
            self.stage.visible().to_vec()
        }
    }

    /// Whether even an event that changes nothing the claim sees must be looked at.
    fn takes_all(&self, claim: &Claim) -> bool {
        claim.counts_steps || self.lens == Lens::Everything
    }

    /// The truth of a claim in a state; a temporal one is decided by brute force.
    fn holds(&self, claim: &Claim, now: &mut Replay<'s, 't>) -> Result<bool, Spent> {
        self.budget.tick()?;
        if let Some(truth) = *now.known(claim.number) {
            return Ok(truth);
        }
        let truth = match &claim.form {
            Form::State(test) => self.stage.satisfies(now.slots(), test),
            // What all runs are is not found out here.
            Form::Run(_) => return Err(Spent::Memory),
            Form::Modal(modality) => modality.holds(now, self.budget)?,
            _ => self.foresee(claim, now)?,
        };
        if !self.takes_all(claim) {
            *now.known(claim.number) = Some(truth);
        }
        Ok(truth)
    }

    /// The truth of a claim in a state, found in what has been explored before or by exploring what lies ahead.
    fn foresee(&self, claim: &Claim, now: &Replay<'s, 't>) -> Result<bool, Spent> {
        let explored = &mut self.futures.borrow_mut()[claim.number];
        let known = explored
            .as_ref()
            .and_then(|future| future.holds(self.stage, now));
        if let Some(truth) = known {
            return Ok(truth);
        }
        let events = self.ahead(claim, now);
        let future = Future::new(self.stage, now, claim, &events, self.budget)?;
        let truth = future.holds(self.stage, now);
        *explored = Some(future);
        Ok(truth.expect("a future begins with the present"))
    }

    /// The events after a state that a claim has to do with, as they were recorded.
    fn ahead(&self, claim: &Claim, now: &Replay<'s, 't>) -> Vec<EventId> {
        let order = self.stage.trace().order();
        let is_ahead = |event: &EventId| {
            order.position_of(*event) > now.happened()[order.process_of(*event).index()]
        };
        if self.takes_all(claim) {
            return order.recorded().filter(is_ahead).collect();
        }
        let is_seen = |event: &EventId| {
            let mut changes = self.stage.changes(*event).iter();
            changes.any(|change| claim.sees.binary_search(&change.slot()).is_ok())
        };
        let visible = self.stage.visible().iter().copied();
        visible.filter(is_ahead).filter(is_seen).collect()
    }
}

/// The part of a connective the argument is about.
fn chosen<'c>(parts: &'c [Claim], focus: &[usize]) -> Option<(usize, &'c Claim)> {
    let at = *focus.first()?;
    Some((at, parts.get(at)?))
}

fn continuation(trail: &Trail) -> Argument<'_> {
    let then = trail.then.as_deref()?;
    Some((then, &then.focus))
}
