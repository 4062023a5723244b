//! An order that shows a verdict, made as like the recorded one as is easily found.
//!
//! An engine gives some order. Two steps make it a nearer one, and what they give is believed only if the certifier finds
//! that it still shows the verdict.
//!
//! * The events up to a cut can happen as they were recorded: they are the past of a cut, so none of them waits for
//!   another event. Where only the cut matters this is the nearest order there is.
//! * Of a whole order, stretches are put into the recorded order, first long ones, then shorter ones down to neighbours,
//!   as long as that helps. Sorting a stretch keeps to what had to come first, since the recorded order does.
//!
//! The least number of events the other way round would be a search through all orders of the language; the stretches find
//! it nearly always (`tests/words.rs`) in a number of trials that is limited by the length of the run.

use causet_base::budget::{Budget, Spent};
use causet_formula::Runs;
use causet_formula::core::Ctl;
use causet_trace::{EventId, Ranks, Trace};

use crate::certify;
use crate::engine::Trail;
use crate::linear::decided::decided_after;

/// Maximum number of events in all orders that are tried.
const MOST_TRIED_EVENTS: usize = 1_000_000;
/// Fewer trials than this are not worth their time.
const LEAST_TRIALS: usize = 8;
/// Maximum number of orders that are tried.
const MOST_TRIALS: usize = 2_000;

/// An order that shows the same and is no farther from the recorded one.
pub(super) fn nearest(
    trace: &Trace,
    (goal, truth): (&Ctl, bool),
    trail: &Trail,
    budget: &Budget<'_>,
) -> Result<Trail, Spent> {
    let ranks = trace.order().ranks();
    if is_sorted(trail, &ranks) {
        return Ok(trail.clone());
    }
    budget.tick_many(trail.run.len() as u64)?;
    let proves = |found: &Trail| certify::is_proven(trace, (goal, truth), found, budget);
    let sorted = sorted(trail, &ranks);
    let is_whole = trail.then.is_none() && trail.run.len() == trace.len();
    if !is_whole {
        return Ok(if proves(&sorted)? {
            sorted
        } else {
            trail.clone()
        });
    }
    let trials = (MOST_TRIED_EVENTS / trace.len().max(1)).min(MOST_TRIALS);
    if trials < LEAST_TRIALS {
        return match trail.enough {
            Some(_) => Ok(trail.clone()),
            None => with_end(trace, (goal, truth), trail.clone(), budget),
        };
    }
    let search = |fixed: usize| {
        let mut search = Stretches {
            best: trail.clone(),
            fixed,
            ranks: &ranks,
            trials,
            proves: &proves,
        };
        search.run()?;
        Ok(search.best)
    };
    let found = with_end(trace, (goal, truth), search(0)?, budget)?;
    match (found.enough, trail.enough) {
        // An order of which the beginning decides is the better one to show.
        (None, Some(fixed)) => search(fixed),
        _ => Ok(found),
    }
}

/// The same order, with the length of the beginning that decides it, if that can be found.
fn with_end(
    trace: &Trace,
    (goal, truth): (&Ctl, bool),
    trail: Trail,
    budget: &Budget<'_>,
) -> Result<Trail, Spent> {
    let enough = match runs_of(goal, truth, &trail.focus) {
        Some(runs) => decided_after(trace, runs, &trail.run, budget)?,
        None => None,
    };
    Ok(Trail {
        enough: enough.filter(|&enough| enough < trail.run.len()),
        ..trail
    })
}

/// The language that an argument about a formula shows a word of.
fn runs_of<'f>(formula: &'f Ctl, truth: bool, focus: &[usize]) -> Option<&'f Runs> {
    match formula {
        Ctl::Run(runs) => truth.then_some(runs),
        Ctl::Not(part) => runs_of(part, !truth, focus),
        Ctl::And(parts) | Ctl::Or(parts) => {
            let (&part, rest) = focus.split_first()?;
            runs_of(parts.get(part)?, truth, rest)
        }
        _ => None,
    }
}

fn is_sorted(trail: &Trail, ranks: &Ranks) -> bool {
    let is_next_sorted = |next: &Trail| is_sorted(next, ranks);
    trail.run.is_sorted_by_key(|&event| ranks.of(event))
        && trail.then.as_deref().is_none_or(is_next_sorted)
}

/// The same events up to each cut on the way, as they were recorded.
fn sorted(trail: &Trail, ranks: &Ranks) -> Trail {
    let mut sorted = trail.clone();
    sorted.run.sort_unstable_by_key(|&event| ranks.of(event));
    let then = trail.then.as_deref();
    sorted.then = then.map(|then| Box::new(self::sorted(then, ranks)));
    sorted
}

/// The search for stretches that can be as they were recorded.
struct Stretches<'a> {
    best: Trail,
    /// So many events at the beginning stay as they are.
    fixed: usize,
    ranks: &'a Ranks,
    /// How many more orders may be tried.
    trials: usize,
    proves: &'a dyn Fn(&Trail) -> Result<bool, Spent>,
}

impl Stretches<'_> {
    fn run(&mut self) -> Result<(), Spent> {
        let fixed = self.fixed;
        let left = self.best.run.len() - fixed;
        // Of the whole the certifier knows already that as it was recorded it does not show the verdict.
        let all = if fixed == 0 { left.div_ceil(2) } else { left };
        let mut size = all;
        while size >= 2 && self.trials > 0 {
            let mut has_changed = false;
            let step = (size / 2).max(1);
            let mut start = fixed;
            while start < self.best.run.len() {
                let end = (start + size).min(self.best.run.len());
                has_changed |= self.try_stretch(start, end)?;
                start += step;
            }
            // A stretch that did not help may do so once others are in order.
            size = match has_changed && size < all {
                true => (2 * size).min(all),
                false => size / 2,
            };
        }
        self.move_one_by_one()
    }

    /// Moves single events past several others at once, where going past some of them alone does not show the verdict.
    fn move_one_by_one(&mut self) -> Result<(), Spent> {
        let fixed = self.fixed;
        let mut at = fixed;
        while at < self.best.run.len() && self.trials > 0 {
            let here = self.ranks.of(self.best.run[at]);
            let is_later = |event: &&EventId| self.ranks.of(**event) > here;
            let before = self.best.run[fixed..at].iter().rev();
            let passed = before.take_while(is_later).count();
            let mut has_moved = false;
            // Past one other it has been tried before.
            for start in at - passed..at.saturating_sub(1) {
                let mut trial = self.best.clone();
                trial.run[start..=at].rotate_right(1);
                has_moved = self.try_order(trial)?;
                if has_moved {
                    break;
                }
            }
            at = if has_moved { fixed } else { at + 1 };
        }
        Ok(())
    }

    fn try_order(&mut self, trial: Trail) -> Result<bool, Spent> {
        if self.trials == 0 {
            return Ok(false);
        }
        self.trials -= 1;
        let is_proven = (self.proves)(&trial)?;
        if is_proven {
            self.best = trial;
        }
        Ok(is_proven)
    }

    /// Puts a stretch into the recorded order, if that still shows the verdict.
    fn try_stretch(&mut self, start: usize, end: usize) -> Result<bool, Spent> {
        let rank = |&event: &EventId| self.ranks.of(event);
        let stretch = &self.best.run[start..end];
        if stretch.is_sorted_by_key(rank) {
            return Ok(false);
        }
        let mut trial = self.best.clone();
        trial.run[start..end].sort_unstable_by_key(rank);
        self.try_order(trial)
    }
}
