//! Why an order satisfies a formula of LTL, or does not: the few moments that matter, and what did not happen meanwhile.
//!
//! ```text
//! G (on("enter") -> N (!on("enter") W on("leave")))   is false, because
//!     b#4 (enter) came after a#2 (enter) with no "leave" in between
//! ```
//!
//! The formula is evaluated at every position of the order, bottom up, with a third value where the order has not
//! decided it yet. Then its value at the beginning is traced back: an `Until` that is true has a moment at which its goal
//! is, one that is false has a moment at which it breaks off, or a goal that never comes.

use std::ops::Range;

use causet_check::subject::{process_id, var_id};
use causet_formula::Ltl;
use causet_formula::core::{EventAtom, Pred};
use causet_trace::EventId;

use super::facts::Facts;
use super::sentence::{Claim, Sentence, Telling, joined, ticked};
use crate::report::words;

/// Orders with more positions times processes are not read again for the sake of a sentence.
const MOST_COUNTS: usize = 5_000_000;

/// The sentence, when two moments and one thing that did not happen are enough for it.
pub(super) fn sentence(telling: &Telling<'_>, formula: &Ltl) -> Option<Sentence> {
    let mut preds = Vec::new();
    formula.each_state(&mut |pred| preds.push(pred));
    let processes = telling.path.trace.order().process_count();
    if telling.path.run.len().saturating_mul(processes) > MOST_COUNTS {
        return None;
    }
    let word = Word {
        facts: Facts::new(telling.path, preds),
        cuts: cuts(telling),
        is_complete: telling.path.run.len() == telling.path.trace.len(),
    };
    let value = word.values(formula)[0]?;
    let mut found = Findings::default();
    word.explain(formula, 0, value, &mut found)?;
    found.tidy();
    tell(telling, &found)
}

/// The cuts along the path, the initial one included.
fn cuts(telling: &Telling<'_>) -> Vec<Vec<u32>> {
    let order = telling.path.trace.order();
    let mut all = vec![order.initial_cut().counts().to_vec()];
    for &event in telling.path.run {
        let mut next = all[all.len() - 1].clone();
        next[order.process_of(event).index()] += 1;
        all.push(next);
    }
    all
}

/// A predicate, or its opposite.
type Literal<'f> = (&'f Pred, bool);

/// What explains a value.
#[derive(Default)]
struct Findings<'f> {
    /// What is so at single positions.
    moments: Vec<(usize, Literal<'f>)>,
    /// What is so at all of some positions.
    spans: Vec<(Range<usize>, Literal<'f>)>,
}

impl<'f> Findings<'f> {
    /// Takes conjunctions apart, and joins a moment with the span that ends there.
    fn tidy(&mut self) {
        let mut moments = Vec::new();
        for (at, literal) in self.moments.drain(..) {
            split(literal, &mut |part| moments.push((at, part)));
        }
        let mut spans: Vec<(Range<usize>, Literal<'f>)> = Vec::new();
        for (range, literal) in self.spans.drain(..) {
            split(literal, &mut |part| spans.push((range.clone(), part)));
        }
        for (range, literal) in &mut spans {
            moments.retain(|(at, other)| {
                let joins = *at == range.end && other == literal;
                if joins {
                    range.end += 1;
                }
                !joins
            });
        }
        spans.retain(|(range, _)| !range.is_empty());
        moments.sort_by_key(|&(at, _)| at);
        (self.moments, self.spans) = (moments, spans);
    }
}

/// The parts that a literal is the conjunction of.
fn split<'f>((pred, truth): Literal<'f>, each: &mut dyn FnMut(Literal<'f>)) {
    match (pred, truth) {
        (Pred::Const(_), _) => {}
        (Pred::Not(inner), _) => split((inner, !truth), each),
        (Pred::And(parts), true) | (Pred::Or(parts), false) => {
            parts.iter().for_each(|part| split((part, truth), each));
        }
        literal => each(literal),
    }
}

/// The order as a word.
struct Word<'a> {
    facts: Facts<'a>,
    cuts: Vec<Vec<u32>>,
    is_complete: bool,
}

impl Word<'_> {
    fn holds(&self, pred: &Pred, at: usize) -> bool {
        let counts = &self.cuts[at];
        match at.checked_sub(1) {
            Some(event) => {
                let event = self.facts.path.run[event];
                self.facts.holds_behind(pred, counts, event)
            }
            None => self.facts.holds(pred, counts),
        }
    }

    /// The value of a formula at each position, where the order decides it.
    fn values(&self, formula: &Ltl) -> Vec<Option<bool>> {
        let positions = self.cuts.len();
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
    fn explain<'f>(
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

fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn either(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    both(one.map(|truth| !truth), other.map(|truth| !truth)).map(|truth| !truth)
}

/// Says what was found, when it is little enough.
fn tell(telling: &Telling<'_>, found: &Findings<'_>) -> Option<Sentence> {
    let mut places: Vec<usize> = found.moments.iter().map(|&(at, _)| at).collect();
    places.dedup();
    let end = telling.path.run.len() + 1;
    let span = match found.spans.as_slice() {
        [] => None,
        [(range, (pred, false))] => Some((range, *pred)),
        _ => return None,
    };
    let absent = span.map(|(_, pred)| absent(telling, pred));
    let moment = |at| moment(telling, found, at);
    let covers = |start: usize, stop: usize| {
        span.is_some_and(|(range, _)| {
            (start..=start + 1).contains(&range.start) && (stop..=stop + 1).contains(&range.end)
        })
    };
    let is_open = span.is_some_and(|(range, _)| range.end == end);
    let text = match (places.as_slice(), absent) {
        (&[at], None) => moment(at)?,
        (&[at], Some(what)) if is_open && covers(at, end) => {
            format!("after {} there is no {what}", occasion(telling, found, at)?)
        }
        (&[at], Some(what)) if covers(0, at) => format!("{} before any {what}", moment(at)?),
        (&[first, at], Some(what)) if covers(first, at) => format!(
            "{} after {} with no {what} in between",
            moment(at)?,
            occasion(telling, found, first)?
        ),
        (&[first, at], None) => {
            format!("{} after {}", moment(at)?, occasion(telling, found, first)?)
        }
        ([], Some(what)) if is_open && covers(0, end) => {
            format!("in this order there is no {what}")
        }
        _ => return None,
    };
    let mut sentence = Sentence {
        text,
        is_plain: false,
        claims: claims(telling, found),
    };
    add_swap(telling, span.map(|(_, pred)| pred), &places, &mut sentence);
    Some(sentence)
}

/// What the sentence says, for those who check it.
fn claims(telling: &Telling<'_>, found: &Findings<'_>) -> Vec<Claim> {
    let event = |at: usize| Some(telling.path.run.get(at.checked_sub(1)?)?.raw());
    let moments = found.moments.iter().map(|&(at, (pred, value))| Claim::At {
        event: event(at),
        part: telling.text(pred),
        value,
    });
    let spans = found.spans.iter();
    let spans = spans.map(|(range, (pred, value))| Claim::Between {
        first: event(range.start),
        last: event(range.end - 1),
        part: telling.text(pred),
        value: *value,
    });
    moments.chain(spans).collect()
}

/// What the run does not order: an event that was missing, and the one that came too early.
fn add_swap(
    telling: &Telling<'_>,
    absent: Option<&Pred>,
    places: &[usize],
    sentence: &mut Sentence,
) {
    let event = |at: &usize| Some(telling.path.run[at.checked_sub(1)?]);
    let Some(last) = places.last().and_then(event) else {
        return;
    };
    let first = places
        .first()
        .and_then(event)
        .filter(|&first| first != last);
    if let (Some(first), Some(absent)) = (first, absent)
        && let Some(end) = next_like(telling, absent, first)
        && !telling.path.is_before(last, end)
    {
        // It lies outside the cut, so it does not come first either.
        sentence.text += &format!(
            "; nothing orders {} before {}",
            telling.event(end),
            words::event(telling.path.trace, last)
        );
        let claim = Claim::Unordered(end.raw(), last.raw());
        sentence.claims.push(claim);
        return;
    }
    telling.add_swap(sentence, |&(later, earlier)| {
        earlier == last && absent.is_none_or(|absent| is_like(telling, absent, later))
    });
}

/// The first event after the cut, on the process of the given one, that is what was missing.
fn next_like(telling: &Telling<'_>, absent: &Pred, near: EventId) -> Option<EventId> {
    let order = telling.path.trace.order();
    let process = order.process_of(near);
    let done = telling.path.cut.counts()[process.index()] as usize;
    let ahead = order.chain(process).get(done..)?;
    ahead
        .iter()
        .copied()
        .find(|&event| matches!(absent, Pred::On(_)) && is_like(telling, absent, event))
}

/// Whether an event may be what a predicate about events asks for; any event may change one about states.
fn is_like(telling: &Telling<'_>, pred: &Pred, event: EventId) -> bool {
    let trace = telling.path.trace;
    let is_called = |label: &str| trace.label(event) == Some(label);
    let is_of = |process| trace.order().process_of(event) == process_id(process);
    match pred {
        Pred::On(EventAtom::Label(label)) => is_called(label),
        Pred::On(EventAtom::Process(process)) => is_of(*process),
        Pred::On(EventAtom::ProcessLabel(process, label)) => is_of(*process) && is_called(label),
        Pred::On(EventAtom::Wrote { vars, .. }) => {
            let mut writes = trace.writes(event);
            writes.any(|write| vars.iter().any(|&var| var_id(var) == write.var))
        }
        _ => true,
    }
}

/// `b#4 (enter) came`, `p0.role = "leader" was true with p0#21 (lead)`.
fn moment(telling: &Telling<'_>, found: &Findings<'_>, at: usize) -> Option<String> {
    let (is_named, states) = literals(telling, found, at);
    let event = telling.event(telling.path.run[at.checked_sub(1)?]);
    Some(match (is_named, states.is_empty()) {
        (true, true) => format!("{event} came"),
        (true, false) => format!("{event} came, when {},", joined(&states, "and")),
        (false, false) => format!("{} with {event}", joined(&states, "and")),
        (false, true) => return None,
    })
}

/// `a#2 (enter)`, `a#2 (enter), when a.x was 1,`.
fn occasion(telling: &Telling<'_>, found: &Findings<'_>, at: usize) -> Option<String> {
    let (is_named, states) = literals(telling, found, at);
    let Some(event) = at.checked_sub(1).map(|index| telling.path.run[index]) else {
        return (!is_named).then(|| format!("the start, when {},", joined(&states, "and")));
    };
    let event = telling.event(event);
    Some(match states.is_empty() {
        true => event,
        false => format!("{event}, when {},", joined(&states, "and")),
    })
}

/// Whether a literal at a position names the event there, and what the others say.
fn literals(telling: &Telling<'_>, found: &Findings<'_>, at: usize) -> (bool, Vec<String>) {
    let here = found.moments.iter().filter(|(place, _)| *place == at);
    let mut is_named = false;
    let mut states = Vec::new();
    for (_, (pred, truth)) in here {
        match pred {
            Pred::On(_) if *truth => is_named = true,
            _ => states.push(format!("{} was {truth}", ticked(&telling.text(pred)))),
        }
    }
    (is_named, states)
}

/// `"leave"`, `event with !inlet.open`: what does not happen.
fn absent(telling: &Telling<'_>, pred: &Pred) -> String {
    let quoted = |label: &str| format!("\"{}\"", words::short(label, 40));
    match pred {
        Pred::On(EventAtom::Label(label)) => quoted(label),
        Pred::On(EventAtom::ProcessLabel(process, label)) => {
            let name = telling.path.trace.process_name(process_id(*process));
            format!("{} of {}", quoted(label), words::short(name, 20))
        }
        Pred::On(EventAtom::Wrote { now, .. }) => {
            format!("event with {}", ticked(&telling.text(now)))
        }
        pred => format!("moment with {}", ticked(&telling.text(pred))),
    }
}
