//! The pair of events that a sentence names: nothing orders them, and an order between them would change the verdict.
//!
//! ```text
//! recorded   a: leads   resigns            nothing orders a#2 before b#1;
//!            b:         leads              with that order no order breaks the property
//! ```
//!
//! Many pairs of a run are concurrent, and most of them have nothing to do with the verdict. So a pair `(x, y)` is named
//! only when one of two things is so, and the sentence says which. With the edge from `x` to `y` added to the run, the
//! checker gives the opposite verdict: then no order is left that shows it. Or the cut holds `y` and not `x`, and the
//! least cut that holds all of it and `x` does not show the verdict: then this cut is gone, and perhaps others are left.
//!
//! Where a cut shows the verdict, `y` is inside and `x` outside of it. Where a whole order does, `y` comes before `x` in
//! it, while they were recorded the other way round. Events that write what the formula names are tried first, then those
//! nearest to the cut. Each trial has limits of its own, counted in steps, so that the same input gives the same sentence;
//! the certifier judges a pair again before it is named.

use std::sync::atomic::{AtomicU64, Ordering};

use causet_base::budget::{Budget, Meter, Spent};
use causet_check::certify;
use causet_check::decide::decide;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::subject::Subject;
use causet_check::valuation::Needs;
use causet_formula::Quantifier;
use causet_formula::core::Ctl;
use causet_trace::{Cut, EventId, ProcessId, Trace};
use serde::Serialize;

use super::Shows;
use super::facts::Facts;
use super::sentence::Telling;

/// A pair of concurrent events, and what an order between them would change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Pair {
    /// The event that would have to come first.
    pub first: u32,
    /// The event that does not wait for it.
    pub second: u32,
    /// What would change.
    pub effect: Effect,
}

/// What an order between two events would change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// No order would show the verdict.
    NoOrderLeft,
    /// The cut that shows it would be no cut, and the least one past it would not show it.
    CutGone,
}

impl Effect {
    /// What would change, as the end of a sentence.
    pub(super) fn words(self, shows: Shows) -> &'static str {
        match (self, shows) {
            (Effect::NoOrderLeft, Shows::Violation) => {
                "with that order no order breaks the property"
            }
            (Effect::NoOrderLeft, Shows::Example) => "with that order the property does not hold",
            (Effect::CutGone, _) => "with that order this moment could not have been",
        }
    }
}

/// At most this many events outside of the cut are tried, and inside of it.
const MOST_ENDS: usize = 8;
/// At most this many runs with an edge are checked.
const MOST_TRIALS: usize = 12;
/// They have at most this many events together.
const MOST_TRIAL_EVENTS: usize = 500_000;
/// Each may take this many looks at the limits, of about a thousand steps each.
const MOST_LOOKS: u64 = 400;
/// And this much memory.
const MOST_BYTES: usize = 64 << 20;

/// The pair to name, if there is one; those that the sentence speaks of are tried first.
pub(super) fn find(telling: &Telling<'_>, wanted: &[(EventId, EventId)]) -> Option<Pair> {
    if ends_early(telling.formula) {
        return None;
    }
    let search = Search::new(telling);
    let candidates = match telling.has_cut {
        true => search.beside_the_cut(wanted),
        false => search.swapped(wanted),
    };
    let trials = (MOST_TRIAL_EVENTS / telling.path.trace.len().max(1)).min(MOST_TRIALS);
    let tried = candidates.iter().take(trials);
    let left = tried.map(|candidate| candidate.pair);
    let found = left.into_iter().find(|&pair| search.leaves_no_order(pair));
    if let Some((first, second)) = found {
        return Some(named(first, second, Effect::NoOrderLeft));
    }
    let mut gone = candidates.iter().filter(|candidate| candidate.is_gone);
    let (first, second) = gone
        .find(|candidate| search.is_certain(candidate.pair))?
        .pair;
    Some(named(first, second, Effect::CutGone))
}

/// Whether a formula is about the orders up to a given cut, which an edge may make impossible.
fn ends_early(formula: &Ctl) -> bool {
    let mut parts = formula.subformulas();
    parts.any(|part| matches!(part, Ctl::Run(runs) if runs.end.is_some()))
}

fn named(first: EventId, second: EventId, effect: Effect) -> Pair {
    Pair {
        first: first.raw(),
        second: second.raw(),
        effect,
    }
}

/// Two concurrent events.
struct Candidate {
    pair: (EventId, EventId),
    /// Whether the least cut past both no longer shows the verdict.
    is_gone: bool,
}

struct Search<'a> {
    telling: &'a Telling<'a>,
    /// What the cut satisfies, when it alone shows the verdict.
    goal: Option<&'a Ctl>,
    facts: Facts<'a>,
}

impl<'a> Search<'a> {
    fn new(telling: &'a Telling<'a>) -> Self {
        let mut preds = Vec::new();
        preds.extend(telling.formula.preds());
        let facts = Facts::new(telling.path, preds);
        let mut search = Search {
            telling,
            goal: None,
            facts,
        };
        let goals = telling.goals();
        let counts = telling.path.cut.counts();
        let mut goals = goals.into_iter().filter(|_| telling.has_cut);
        search.goal = goals.find(|goal| search.may_show(goal, counts));
        search
    }

    /// Whether the predicates that a goal is the conjunction of hold at a cut.
    fn may_show(&self, goal: &Ctl, counts: &[u32]) -> bool {
        goal.conjuncts(true).all(|(part, truth)| match part {
            Ctl::State(pred) => self.facts.holds(pred, counts) == truth,
            _ => true,
        })
    }

    /// Whether a goal is nothing but predicates about the cut.
    fn is_state(goal: &Ctl) -> bool {
        let mut parts = goal.conjuncts(true);
        parts.all(|(part, _)| matches!(part, Ctl::State(_)))
    }

    /// Pairs with the first event outside of the cut and the second inside.
    fn beside_the_cut(&self, wanted: &[(EventId, EventId)]) -> Vec<Candidate> {
        let path = self.telling.path;
        let order = path.trace.order();
        let is_inside = |event: &EventId| order.contains(&path.cut, *event);
        let (ahead, behind) = self.nearest();
        let swaps = self.telling.swaps.iter().copied();
        let swaps: Vec<(EventId, EventId)> = swaps.take(MOST_TRIALS).collect();
        let firsts = wanted.iter().map(|&(first, _)| first).chain(ahead);
        let firsts = firsts.chain(swaps.iter().map(|&(first, _)| first));
        let firsts = distinct(MOST_ENDS, firsts.filter(|event| !is_inside(event)));
        let seconds = wanted.iter().map(|&(_, second)| second).chain(behind);
        let seconds = seconds.chain(swaps.iter().map(|&(_, second)| second));
        let seconds = distinct(MOST_ENDS, seconds.filter(is_inside));
        let mut candidates = Vec::new();
        for (distance, &first) in firsts.iter().enumerate() {
            let past = order.closure([first]);
            let size: u32 = past.counts().iter().sum();
            if !path.budget.allows(size as usize + past.counts().len()) {
                return Vec::new();
            }
            let Some(is_gone) = self.is_gone(&past) else {
                continue;
            };
            let free = seconds.iter().enumerate();
            let free = free.filter(|&(_, &second)| !order.contains(&past, second));
            candidates.extend(free.map(|(other, &second)| {
                let pair = (first, second);
                let place = (!wanted.contains(&pair), distance + other);
                (place, Candidate { pair, is_gone })
            }));
        }
        candidates.sort_by_key(|&(place, _)| place);
        candidates.into_iter().map(|(_, one)| one).collect()
    }

    /// Whether the least cut past the given one and that of the order no longer shows the verdict; `None` when it does,
    /// so that an edge would change nothing.
    fn is_gone(&self, past: &Cut) -> Option<bool> {
        let Some(goal) = self.goal else {
            return Some(false);
        };
        let here = self.telling.path.cut.counts().iter();
        let counts: Vec<u32> = here
            .zip(past.counts())
            .map(|(&one, &other)| one.max(other))
            .collect();
        let is_gone = !self.may_show(goal, &counts);
        (is_gone || !Self::is_state(goal)).then_some(is_gone)
    }

    /// The events that stand nearest to the cut, those outside and those inside: of each variable that the formula names
    /// the next and the last write, then of each process that has such a variable the next and the last event.
    fn nearest(&self) -> (Vec<EventId>, Vec<EventId>) {
        let path = self.telling.path;
        let order = path.trace.order();
        let mut needs = Needs::default();
        let formula = self.goal.unwrap_or(self.telling.formula);
        formula.preds().for_each(|pred| needs.of(pred));
        let (mut ahead, mut behind) = (Vec::new(), Vec::new());
        let mut owners: Vec<ProcessId> = Vec::new();
        for var in needs.variables.into_iter().take(MOST_ENDS) {
            let Some(history) = self.facts.history(var) else {
                continue;
            };
            let done = history.done_in(path.trace, path.cut.counts());
            let event = |place: usize| history.writes.get(place).map(|&(event, _)| event);
            ahead.extend(event(done));
            behind.extend(done.checked_sub(1).and_then(event));
            owners.extend(path.trace.owner(history.var));
        }
        let ends = needs.channels.iter().flat_map(|&(from, to)| [from, to]);
        owners.extend(ends.map(causet_check::subject::process_id));
        // The last of the order is what completed it.
        behind.extend(path.run.last());
        owners.extend(path.run.last().map(|&event| order.process_of(event)));
        for owner in owners {
            let (before, after) = order.chain(owner).split_at(path.cut.of(owner) as usize);
            ahead.extend(after.first());
            behind.extend(before.last());
        }
        (ahead, behind)
    }

    /// Pairs that stand in the order the other way round than recorded. Both orders respect what had to come first, so
    /// the events of such a pair are concurrent.
    fn swapped(&self, wanted: &[(EventId, EventId)]) -> Vec<Candidate> {
        let path = self.telling.path;
        let place = |event: EventId| path.index_of(event).unwrap_or(usize::MAX);
        let is_swapped = |&(first, second): &(EventId, EventId)| {
            path.ranks.of(first) < path.ranks.of(second) && place(second) < place(first)
        };
        let pairs = wanted.iter().chain(self.telling.swaps).copied();
        let pairs = distinct(MOST_TRIALS, pairs.filter(is_swapped)).into_iter();
        pairs
            .map(|pair| Candidate {
                pair,
                is_gone: false,
            })
            .collect()
    }

    /// Whether no order shows the verdict once the first event comes before the second.
    fn leaves_no_order(&self, (first, second): (EventId, EventId)) -> bool {
        let Telling {
            subject, question, ..
        } = *self.telling;
        let opposite = match self.telling.shows {
            Shows::Violation => Verdict::Holds,
            Shows::Example => Verdict::Violated,
        };
        self.telling
            .within_limits(|budget| {
                let trace = subject.trace.with_edge(first, second)?;
                let changed = Subject {
                    trace: &trace,
                    parts: subject.parts,
                };
                let outcome = decide(&changed, question, Choice::Auto, budget).ok()?;
                (outcome.verdict == opposite).then_some(())
            })
            .is_some()
            && self.is_confirmed((first, second))
    }

    /// Whether the certifier agrees that nothing orders two events and, as far as it can go through all cuts, that no
    /// order is left.
    fn is_confirmed(&self, (first, second): (EventId, EventId)) -> bool {
        let Telling {
            subject, question, ..
        } = *self.telling;
        let trace = subject.trace;
        let is_free =
            |budget: &Budget<'_>| certify::are_concurrent(trace, first, second, budget).ok();
        let holds = self.telling.shows == Shows::Violation;
        let agrees = |changed: &Trace, budget: &Budget<'_>| {
            let (quantifier, goals) = question.goals();
            let is_for_all = quantifier == Some(Quantifier::Forall) && holds;
            let is_each = quantifier.is_none() || is_for_all;
            let goals = goals
                .into_iter()
                .filter(|_| is_each && question.lowered.template.is_none());
            goals.take(MOST_TRIALS).all(|goal| {
                let found = certify::holds_by_definition(changed, goal, budget);
                found.map_or(true, |found| found == holds)
            })
        };
        self.telling.within_limits(is_free) == Some(true)
            && self.telling.within_limits(|budget| {
                let changed = trace.with_edge(first, second)?;
                Some(agrees(&changed, budget))
            }) != Some(false)
    }

    /// Whether the certifier agrees that the cut is gone.
    fn is_certain(&self, pair: (EventId, EventId)) -> bool {
        let (trace, cut) = (self.telling.path.trace, &self.telling.path.cut);
        let goal = self.goal;
        self.telling
            .within_limits(|budget| {
                let is_free = certify::are_concurrent(trace, pair.0, pair.1, budget).ok()?;
                let is_gone = certify::removes(trace, pair, cut, goal?, budget).ok()?;
                (is_free && is_gone).then_some(())
            })
            .is_some()
    }
}

impl Telling<'_> {
    /// Does some work within the limits of a trial, in half of the time that is left at most.
    pub(super) fn within_limits<T>(
        &self,
        work: impl FnOnce(&Budget<'_>) -> Option<T>,
    ) -> Option<T> {
        let report = self.path.budget.within();
        let half = report.branch_for_half_the_time();
        half.charge(MOST_BYTES).ok()?;
        half.look().ok()?;
        let meter = TrialMeter {
            report: &half,
            looks: AtomicU64::new(0),
        };
        let budget = Budget::new(&meter).with_memory(MOST_BYTES as u64, 0);
        let done = work(&budget);
        let steps = budget.steps() as usize;
        self.path.budget.allows(steps);
        done
    }
}

/// The limits of a trial: those of the report, and a number of looks.
struct TrialMeter<'a> {
    report: &'a Budget<'a>,
    looks: AtomicU64,
}

impl Meter for TrialMeter<'_> {
    fn stop(&self) -> Option<Spent> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        match looks >= MOST_LOOKS {
            true => Some(Spent::Time),
            false => self.report.look().err(),
        }
    }
}

/// The first few of some things, each once.
fn distinct<T: PartialEq>(most: usize, all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if found.len() < most && !found.contains(&one) {
            found.push(one);
        }
    }
    found
}
