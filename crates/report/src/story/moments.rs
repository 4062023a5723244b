//! What is said of an order by its moments: the few that matter, one after the other, and what did or did not hold
//! meanwhile.
//!
//! ```text
//! G (on("enter") -> N (!on("enter") W on("leave")))   is false, because
//!     b#4 (enter) came after a#2 (enter) with no "leave" in between
//! { a.leader ; [always b.leader] on("resign") }       is true, because
//!     first a.leader was true with a#1 (elected), then a#3 (resign) came, and b.leader was true in between
//! ```

use std::ops::Range;

use causet_check::subject::{process_id, var_id};
use causet_formula::Ltl;
use causet_formula::core::{CmpOp, EventAtom, Expr, Pred};
use causet_trace::EventId;

use super::claim::Claim;
use super::reasons::{self, Reason};
use super::sentence::{Sentence, Telling, joined, ticked};
use super::word::{Findings, Literal, Word};
use causet_formats::words;

/// More moments than this are no sentence.
const MOST_MOMENTS: usize = 5;

/// The sentence for a formula of LTL, when a few moments and what was so between them are enough for it.
pub(super) fn sentence(telling: &Telling<'_>, formula: &Ltl) -> Option<Sentence> {
    let preds: Vec<&Pred> = formula.states().collect();
    let word = Word::of(telling.path, preds)?;
    let value = word.values(formula)[0]?;
    let mut found = Findings::default();
    word.explain(formula, 0, value, &mut found)?;
    found.tidy();
    at_the_cut(telling, &word, &found).or_else(|| tell(telling, &found))
}

/// When all that matters is so at the last position, it is told like any cut at which several things come together.
fn at_the_cut(telling: &Telling<'_>, word: &Word<'_>, found: &Findings<'_>) -> Option<Sentence> {
    let last = telling.path.run.len();
    let lasts = |(range, _): &(Range<usize>, Literal<'_>)| range.end == last + 1;
    let stays = |&(at, (pred, truth)): &(usize, Literal<'_>)| {
        at == last || (!found.spans.is_empty() && word.holds(pred, last) == truth)
    };
    let is_there = found.moments.last().is_some_and(|&(at, _)| at == last);
    if !telling.is_decided
        || !is_there
        || !found.spans.iter().all(lasts)
        || !found.moments.iter().all(stays)
    {
        return None;
    }
    // What was not so and still is not is worth telling only when nothing else was so.
    let has_lasted = found.spans.iter().any(|&(_, (_, truth))| truth);
    let spans = found.spans.iter().map(|&(_, literal)| literal);
    let spans = spans.filter(|&(_, truth)| truth || !has_lasted);
    let moments = found.moments.iter().map(|&(_, literal)| literal);
    let mut reasons: Vec<Reason<'_>> = Vec::new();
    for (pred, _) in spans.chain(moments) {
        if matches!(pred, Pred::On(_)) {
            return None;
        }
        reasons.extend(reasons::of(&word.facts, pred));
    }
    telling.together(&word.facts, reasons)
}

/// Says what was found, when it is little enough.
pub(super) fn tell(telling: &Telling<'_>, found: &Findings<'_>) -> Option<Sentence> {
    let mut places: Vec<usize> = found.moments.iter().map(|&(at, _)| at).collect();
    places.dedup();
    if places.len() > MOST_MOMENTS {
        return None;
    }
    let account = Account {
        telling,
        found,
        meanwhile: meanwhile(found, &places, telling.path.run.len() + 1)?,
        places,
    };
    let mut sentence = Sentence {
        // A clause may end with a comma for words that do not follow.
        text: account.text()?.trim_end_matches(',').to_owned(),
        claims: claims(telling, found),
        ..Sentence::default()
    };
    let absent = match found.spans.as_slice() {
        [(_, (pred, false))] => Some(*pred),
        _ => None,
    };
    sentence.wanted = wanted(telling, absent, &account.places);
    Some(sentence)
}

/// What held before the first moment, between two of them, and after the last one; nothing when something held on other
/// positions than those.
fn meanwhile<'f>(
    found: &Findings<'f>,
    places: &[usize],
    end: usize,
) -> Option<Vec<Vec<Literal<'f>>>> {
    let mut all = vec![Vec::new(); places.len() + 1];
    for (range, literal) in &found.spans {
        let fits = |gap: &usize| {
            let start = gap.checked_sub(1).map_or(0, |before| places[before]);
            let stop = places.get(*gap).copied().unwrap_or(end);
            (start..=start + 1).contains(&range.start) && (stop..=stop + 1).contains(&range.end)
        };
        let gap = (0..all.len()).find(fits)?;
        all[gap].push(*literal);
    }
    Some(all)
}

/// Moments with what was so between them.
struct Account<'a, 'f> {
    telling: &'a Telling<'a>,
    found: &'a Findings<'f>,
    places: Vec<usize>,
    meanwhile: Vec<Vec<Literal<'f>>>,
}

impl Account<'_, '_> {
    fn text(&self) -> Option<String> {
        let (after, before) = self.meanwhile.split_last()?;
        let moments = self.places.iter().map(|&at| self.moment(at));
        let moments: Vec<String> = moments.collect::<Option<_>>()?;
        Some(match (self.places.as_slice(), after.as_slice()) {
            ([], []) => return None,
            ([], after) => format!("in this order {}", self.ahead(after)),
            (&[at], after) if before[0].is_empty() && !after.is_empty() => {
                format!("after {} {}", self.occasion(at)?, self.ahead(after))
            }
            (&[_], []) => match before[0].as_slice() {
                [] => moments[0].clone(),
                &[(pred, false)] => format!("{} before any {}", moments[0], self.absent(pred)),
                before => format!("{}, and {}", moments[0], self.all(before, " until then")),
            },
            (&[first, _], []) if self.is_brief() => {
                let between = match before[1].as_slice() {
                    [] => String::new(),
                    &[(pred, _), ..] => format!(" with no {} in between", self.absent(pred)),
                };
                format!("{} after {}{between}", moments[1], self.occasion(first)?)
            }
            _ => self.one_by_one(&moments),
        })
    }

    /// Whether at most one thing is to be told beside two moments, and that is an absence between them.
    fn is_brief(&self) -> bool {
        self.meanwhile[0].is_empty() && matches!(self.meanwhile[1].as_slice(), [] | [(_, false)])
    }

    /// `first a came, then b came, and x was true in between`
    fn one_by_one(&self, moments: &[String]) -> String {
        let mut text = String::new();
        for (index, moment) in moments.iter().enumerate() {
            let moment = moment.trim_end_matches(',');
            text += match index {
                0 if moments.len() > 1 => "first ",
                0 => "",
                _ => ", then ",
            };
            text += moment;
            let when = match index {
                0 => " until then",
                _ => " in between",
            };
            if !self.meanwhile[index].is_empty() {
                text += &format!(", and {}", self.all(&self.meanwhile[index], when));
            }
        }
        let after = &self.meanwhile[moments.len()];
        if !after.is_empty() {
            text += &format!(", and after that {}", self.ahead(after));
        }
        text
    }

    /// What is so to the end.
    fn ahead(&self, literals: &[Literal<'_>]) -> String {
        let say = |&(pred, truth): &Literal<'_>| match truth {
            true => format!("{} stays true", self.telling.quoted(pred)),
            false => format!("there is no {}", self.absent(pred)),
        };
        let said: Vec<String> = literals.iter().map(say).collect();
        joined(&said, "and")
    }

    /// What was so all the time.
    fn all(&self, literals: &[Literal<'_>], when: &str) -> String {
        let say = |&(pred, truth): &Literal<'_>| match truth {
            true => format!("{}{when}", state(self.telling, pred, true)),
            false => format!("there was no {}{when}", self.absent(pred)),
        };
        let said: Vec<String> = literals.iter().map(say).collect();
        joined(&said, "and")
    }

    /// `b#4 (enter) came`, `p0.role was "leader" with p0#21 (lead)`.
    fn moment(&self, at: usize) -> Option<String> {
        let (is_named, states) = self.literals(at);
        let Some(index) = at.checked_sub(1) else {
            return (!is_named).then(|| format!("at the start {}", joined(&states, "and")));
        };
        let event = self.telling.event(self.telling.path.run[index]);
        Some(match (is_named, states.is_empty()) {
            (true, true) => format!("{event} came"),
            (true, false) => format!("{event} came, when {},", joined(&states, "and")),
            (false, false) => format!("{} with {event}", joined(&states, "and")),
            (false, true) => return None,
        })
    }

    /// `a#2 (enter)`, `a#2 (enter), when a.x was 1,`.
    fn occasion(&self, at: usize) -> Option<String> {
        let (is_named, states) = self.literals(at);
        let Some(index) = at.checked_sub(1) else {
            return (!is_named).then(|| format!("the start, when {},", joined(&states, "and")));
        };
        let event = self.telling.event(self.telling.path.run[index]);
        Some(match states.is_empty() {
            true => event,
            false => format!("{event}, when {},", joined(&states, "and")),
        })
    }

    /// Whether a literal at a position names the event there, and what the others say.
    fn literals(&self, at: usize) -> (bool, Vec<String>) {
        let here = self.found.moments.iter().filter(|(place, _)| *place == at);
        let mut is_named = false;
        let mut states = Vec::new();
        for (_, (pred, truth)) in here {
            match pred {
                Pred::On(_) if *truth => is_named = true,
                _ => states.push(state(self.telling, pred, *truth)),
            }
        }
        (is_named, states)
    }

    /// `"leave"`, `event with !inlet.open`: what does not happen.
    fn absent(&self, pred: &Pred) -> String {
        let telling = self.telling;
        let quoted = |label: &str| format!("\"{}\"", words::label(label));
        match pred {
            Pred::On(EventAtom::Label(label)) => quoted(label),
            Pred::On(EventAtom::ProcessLabel(process, label)) => {
                let name = words::process(telling.path.trace, process_id(*process));
                format!("{} of {name}", quoted(label))
            }
            Pred::On(EventAtom::Wrote { now, .. }) => {
                format!("event with {}", telling.quoted(now))
            }
            Pred::And(parts) => {
                let is_event = |part: &Pred| matches!(part, Pred::On(_));
                let (event, others) = match parts.split_first() {
                    Some((event, others)) if is_event(event) => (event, others),
                    _ => return format!("moment with {}", telling.quoted(pred)),
                };
                let others: Vec<String> = others.iter().map(|part| telling.quoted(part)).collect();
                format!("{} with {}", self.absent(event), joined(&others, "and"))
            }
            pred => format!("moment with {}", telling.quoted(pred)),
        }
    }
}

/// `a.leader was true`, `p0.role was "leader"`.
fn state(telling: &Telling<'_>, pred: &Pred, truth: bool) -> String {
    let printer = telling.printer();
    match (pred, truth) {
        (Pred::Compare(CmpOp::Eq, name @ Expr::Var(_), value @ Expr::Literal(_)), true) => {
            let (name, value) = (printer.expr(name), printer.expr(value));
            format!("{} was {}", ticked(&name), words::short(&value, 40))
        }
        _ => format!("{} was {truth}", telling.quoted(pred)),
    }
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

/// Pairs whose order may have made a difference: an event that was missing and the one that came too early.
fn wanted(
    telling: &Telling<'_>,
    absent: Option<&Pred>,
    places: &[usize],
) -> Vec<(EventId, EventId)> {
    let event = |at: &usize| Some(telling.path.run[at.checked_sub(1)?]);
    let first = places.first().and_then(event);
    let last = places.last().and_then(event);
    let mut wanted = Vec::new();
    if let (Some(first), Some(last), Some(absent)) = (first, last, absent)
        && first != last
    {
        let missing = next_like(telling, absent, first);
        wanted.extend(missing.map(|missing| (missing, last)));
    }
    let is_meant = |later| absent.is_none_or(|absent| is_like(telling, absent, later));
    // The last of the moments that came earlier than recorded.
    for early in places.iter().rev().filter_map(event) {
        let swaps = telling.swaps.iter().copied();
        wanted.extend(swaps.filter(|&(later, earlier)| earlier == early && is_meant(later)));
    }
    wanted
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
        Pred::And(parts) => parts.iter().all(|part| is_like(telling, part, event)),
        _ => true,
    }
}
