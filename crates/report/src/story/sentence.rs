//! The sentence: which event made which part of the formula true while which other part was still true, and what the
//! run does not order.
//!
//! ```text
//! a.leader was still true when b.leader became true with b#2 (elected); nothing orders a#3 (lease expired) before b#2
//! ```
//!
//! A sentence is put together from claims, each of which is a fact about the run that can be looked up. Where the shape
//! of the formula says nothing to this file, the plain thing is said.

use causet_check::prepare::Question;
use causet_check::subject::Subject;
use causet_formula::core::{Ctl, Expr, Pred};
use causet_formula::print::Printer;
use causet_formula::{Kind, Property};
use causet_trace::EventId;

use super::claim::Claim;
use super::clause::Tense;
use super::facts::{Facts, Missed};
use super::path::Path;
use super::reasons::{self, Reason};
use super::{Pair, Shows, pairs, runs};
use causet_formats::words;

/// What is said, and what it rests on.
#[derive(Default)]
pub(super) struct Sentence {
    pub(super) text: String,
    /// Whether it says nothing that the verdict and the order do not.
    pub(super) is_plain: bool,
    pub(super) claims: Vec<Claim>,
    /// Pairs of events whose order would have made a difference to what it says, the best first.
    pub(super) wanted: Vec<(EventId, EventId)>,
    /// The pair it names in the end.
    pub(super) pair: Option<Pair>,
}

/// All that a sentence is made from.
#[derive(Clone, Copy)]
pub(super) struct Telling<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) path: &'a Path<'a>,
    /// What the witness shows to be true.
    pub(super) formula: &'a Ctl,
    /// The property as its author wrote it.
    pub(super) property: &'a Property,
    pub(super) shows: Shows,
    /// What the property means on the run.
    pub(super) question: &'a Question,
    /// Whether a cut shows it, rather than a whole order.
    pub(super) has_cut: bool,
    /// Whether the recorded order shows the same, when that is known.
    pub(super) observed: Option<bool>,
    /// Whether it is decided before the end, whatever follows.
    pub(super) is_decided: bool,
    /// Pairs of concurrent events that the path has the other way round, the best first.
    pub(super) swaps: &'a [(EventId, EventId)],
    /// What the property's definitions call expressions.
    pub(super) defined: &'a [(Expr, String)],
}

impl Telling<'_> {
    /// The sentence.
    pub(super) fn sentence(&self) -> Sentence {
        let told = shapes_of(self.formula).find_map(|shape| match shape {
            Shape::Reaches(goal) => self.reaches(goal),
            Shape::Never(pred) => self.never(pred),
            Shape::Runs(runs) => runs::sentence(self, runs),
        });
        let mut sentence = told.unwrap_or_else(|| self.plainly());
        self.add_pair(&mut sentence);
        sentence.text = words::clean(&sentence.text);
        sentence
    }

    /// What the run does not order, where that would have made a difference.
    fn add_pair(&self, sentence: &mut Sentence) {
        let Some(pair) = pairs::find(self, &sentence.wanted) else {
            return;
        };
        let [first, second] = [pair.first, pair.second].map(EventId::new);
        // The sentence has said what the second event is, if it has named it.
        let name = words::event_in_text(self.path.trace, second);
        let second = match sentence.text.contains(&name) {
            true => name,
            false => self.event(second),
        };
        sentence.text += &format!(
            "; nothing orders {} before {second}; {}",
            self.event(first),
            pair.effect.words(self.shows)
        );
        sentence.is_plain = false;
        sentence.claims.push(Claim::Unordered(pair));
        sentence.pair = Some(pair);
    }

    /// What the formula says of the cut, for each way in which a cut may show it.
    pub(super) fn goals(&self) -> Vec<&Ctl> {
        let goals = shapes_of(self.formula).filter_map(|shape| match shape {
            Shape::Reaches(goal) => Some(goal),
            Shape::Never(_) | Shape::Runs(_) => None,
        });
        goals.collect()
    }

    /// The property and how it is with it. An automaton has no text that says anything: it goes by its name.
    pub(super) fn outcome(&self) -> String {
        let verb = match self.shows {
            Shows::Violation => "is violated",
            Shows::Example => "is satisfied",
        };
        let (text, article) = match self.property.kind {
            Kind::Monitor => (&self.property.name, "the monitor "),
            Kind::Automaton => (&self.property.name, "the automaton "),
            _ => (&self.property.text, ""),
        };
        let text = words::short(&words::one_line(text.trim()), 120);
        format!("{article}`{text}` {verb}")
    }

    /// The plain thing, which is always so.
    pub(super) fn plainly(&self) -> Sentence {
        let when = match (self.path.run.len(), self.is_decided) {
            (0, _) => "from the start".to_owned(),
            (1, true) => "after this event, whatever follows,".to_owned(),
            (many, true) => format!("after these {many} events, whatever follows,"),
            (1, false) => "with this event".to_owned(),
            (many, false) => format!("with these {many} events in this order"),
        };
        Sentence {
            text: words::clean(&format!("{when} {}", self.outcome())),
            is_plain: true,
            ..Sentence::default()
        }
    }

    /// What came together at the cut.
    fn reaches(&self, goal: &Ctl) -> Option<Sentence> {
        let (mut states, mut others) = (Vec::new(), Vec::new());
        for (part, truth) in goal.conjuncts(true) {
            match part {
                Ctl::State(pred) => states.push((pred, truth)),
                _ => others.push((part, truth)),
            }
        }
        let preds = states.iter().map(|&(pred, _)| pred);
        let facts = Facts::new(self.path, preds.chain(others.iter().filter_map(never_true)));
        let counts = self.path.cut.counts();
        let is_so = |&(pred, truth): &(&Pred, bool)| facts.holds(pred, counts) == truth;
        if !states.iter().all(is_so) {
            return None;
        }
        let mut reasons: Vec<Reason<'_>> = Vec::new();
        for (pred, _) in &states {
            reasons.extend(reasons::of(&facts, pred));
        }
        let mut sentence = self.together(&facts, reasons)?;
        for pred in others.iter().filter_map(never_true) {
            if !facts.stays(pred, false) {
                continue;
            }
            let (inner, value, words) = match pred {
                Pred::Not(inner) => (&**inner, true, "stays true from then on"),
                pred => (pred, false, "never becomes true after that"),
            };
            let part = self.text(inner);
            sentence.text += &format!(", and {} {words}", self.quoted(inner));
            sentence.claims.push(Claim::Onward { part, value });
        }
        Some(sentence)
    }

    /// The same for a predicate that holds at the cut.
    pub(super) fn comes_together(&self, pred: &Pred) -> Option<Sentence> {
        let facts = Facts::new(self.path, [pred]);
        let is_so = facts.holds(pred, self.path.cut.counts());
        let reasons = is_so.then(|| reasons::of(&facts, pred))?;
        self.together(&facts, reasons)
    }

    /// Several parts at once: what was so when the last of them came to be.
    pub(super) fn together(
        &self,
        facts: &Facts<'_>,
        mut reasons: Vec<Reason<'_>>,
    ) -> Option<Sentence> {
        let mut sentence = Sentence::default();
        // What ends soon is what the reader has to see; after that, what happened last.
        let last = reasons.iter().filter_map(|reason| reason.made).max();
        reasons.sort_by_key(|reason| (reason.ends.is_none(), std::cmp::Reverse(reason.made)));
        let is_last = |reason: &&Reason<'_>| reason.made == last;
        let Some(index) = last else {
            let say = |one| self.clause(facts, one, Tense::Is, &mut sentence);
            let parts: Vec<String> = reasons.iter().map(say).collect();
            self.note(&reasons, &mut sentence);
            sentence.text = format!("from the start {}", joined(&parts, "and"));
            return (!parts.is_empty()).then_some(sentence);
        };
        let event = self.path.run[index];
        let newest: Vec<&Reason<'_>> = reasons.iter().filter(is_last).collect();
        let older: Vec<&Reason<'_>> = reasons.iter().filter(|one| !is_last(one)).collect();
        let say = |one: &&Reason<'_>| self.clause(facts, one, Tense::Became, &mut sentence);
        let mut became: Vec<String> = newest.iter().map(say).collect();
        became.dedup();
        let was = |one: &&Reason<'_>| {
            let tense = match one.ends {
                Some(_) => Tense::WasStill,
                None => Tense::Was,
            };
            self.clause(facts, one, tense, &mut sentence)
        };
        let mut before: Vec<String> = older.iter().take(MOST_PARTS).map(was).collect();
        // One thing may stand in a formula in two ways, `x = 1` and `x != 1`.
        before.dedup();
        if older.len() > MOST_PARTS {
            before.push(match older.len() - MOST_PARTS {
                1 => "one more part was as the formula has it".to_owned(),
                more => format!("{more} more parts were as the formula has them"),
            });
        }
        self.note(&reasons, &mut sentence);
        let became = format!("{} with {}", joined(&became, "and"), self.event(event));
        sentence.text = match before.is_empty() {
            true => became,
            false => format!("{} when {became}", joined(&before, "and")),
        };
        let ends: Vec<EventId> = older.iter().filter_map(|one| one.ends).collect();
        self.add_order(facts, event, &ends, &mut sentence);
        Some(sentence)
    }

    /// What the run says about the event that completed it and those that would have prevented it.
    fn add_order(
        &self,
        facts: &Facts<'_>,
        event: EventId,
        ends: &[EventId],
        sentence: &mut Sentence,
    ) {
        let mut free: Vec<EventId> = Vec::new();
        for &end in ends {
            if facts.is_unordered(end, event) && !free.contains(&end) {
                free.push(end);
            }
        }
        // What was recorded before it is what nobody would expect to come after it.
        free.sort_by_key(|&end| self.path.ranks.of(end) > self.path.ranks.of(event));
        sentence.wanted.extend(free.iter().map(|&end| (end, event)));
        if let (true, Some(&end)) = (free.is_empty(), ends.first()) {
            let name = words::event_in_text(self.path.trace, event);
            sentence.text += &format!("; {} comes only after {name}", self.event(end));
            sentence.claims.push(Claim::Ordered(event.raw(), end.raw()));
        }
    }

    /// A predicate that no cut of the path satisfies.
    fn never(&self, pred: &Pred) -> Option<Sentence> {
        let inner = match pred {
            Pred::Not(inner) => (&**inner, true),
            pred => (pred, false),
        };
        let facts = Facts::new(self.path, [pred]);
        if !facts.is_always(inner.0, inner.1) {
            return None;
        }
        let part = self.text(inner.0);
        let what = match inner.1 {
            true => "holds at every step",
            false => "is never true",
        };
        let events = words::count(self.path.run.len(), "event");
        let mut sentence = Sentence {
            text: format!(
                "in this order of all {events} {} {what}",
                self.quoted(inner.0)
            ),
            is_plain: true,
            claims: vec![Claim::Throughout {
                part,
                value: inner.1,
            }],
            ..Sentence::default()
        };
        self.add_cause(&facts, inner, &mut sentence);
        Some(sentence)
    }

    /// Of a conjunction that never holds: a part that never does, or one that is over before another begins.
    fn add_cause(&self, facts: &Facts<'_>, (pred, truth): (&Pred, bool), sentence: &mut Sentence) {
        let Pred::And(parts) = pred else {
            return;
        };
        let missing = parts
            .iter()
            .find(|part| !truth && facts.is_always(part, false));
        if let Some(part) = missing {
            sentence.text += &format!(", because {} never is", self.quoted(part));
            let part = self.text(part);
            sentence.is_plain = false;
            sentence
                .claims
                .push(Claim::Throughout { part, value: false });
            return;
        }
        if let Some(missed) = facts.missed(parts).filter(|_| !truth) {
            self.add_missed(&missed, sentence);
        }
    }

    fn add_missed(&self, missed: &Missed<'_>, sentence: &mut Sentence) {
        let Missed { over, begins } = missed;
        let (end, start) = (self.path.run[over.1], self.path.run[begins.1]);
        let (ended, started) = (self.text(over.0), self.text(begins.0));
        sentence.text += &format!(
            ": {} is over with {} before {} begins with {}",
            self.quoted(over.0),
            self.event(end),
            self.quoted(begins.0),
            self.event(start)
        );
        sentence.is_plain = false;
        sentence.claims.push(Claim::Over {
            part: ended,
            event: end.raw(),
        });
        sentence.claims.push(Claim::Begins {
            part: started,
            event: start.raw(),
        });
        sentence.wanted.push((start, end));
    }

    fn note(&self, reasons: &[Reason<'_>], sentence: &mut Sentence) {
        for reason in reasons {
            sentence.claims.push(Claim::Holds {
                part: self.text(reason.pred),
                value: reason.truth,
                since: reason.made.map(|index| self.path.run[index].raw()),
            });
        }
    }

    /// A part in quotes, with the names of definitions.
    pub(super) fn quoted(&self, pred: &Pred) -> String {
        ticked(&self.printer().pred(pred))
    }

    pub(super) fn printer(&self) -> Printer<'_> {
        Printer::new(&self.subject).with_defined(self.defined)
    }

    /// A part as those who check the sentence read it.
    pub(super) fn text(&self, pred: &Pred) -> String {
        Printer::new(&self.subject).pred(pred)
    }

    /// An event with what it did: `b#2 (elected)`.
    pub(super) fn event(&self, event: EventId) -> String {
        let name = words::event_in_text(self.path.trace, event);
        match self.path.trace.label(event) {
            Some(label) => format!("{name} ({})", words::label(label)),
            None => name,
        }
    }
}

/// So many parts are told beside the last one.
const MOST_PARTS: usize = 3;

/// What a formula that a path shows may look like.
enum Shape<'f> {
    /// The end of the path satisfies this.
    Reaches(&'f Ctl),
    /// No cut of the path satisfies this.
    Never(&'f Pred),
    /// The path is a word, or is none, of a language.
    Runs(&'f causet_formula::Runs),
}

/// The shapes of a formula; of a disjunction, those of all parts.
fn shapes_of(formula: &Ctl) -> impl Iterator<Item = Shape<'_>> {
    // Where the opposite fails some conjunct of it does.
    formula.conjuncts(false).filter_map(|part| match part {
        (Ctl::Eu(_, goal) | Ctl::Ex(goal), false) => Some(Shape::Reaches(goal)),
        (Ctl::Au(until, goal), true) if until.as_const() == Some(true) => match &**goal {
            Ctl::State(pred) => Some(Shape::Never(pred)),
            _ => None,
        },
        (Ctl::Run(runs), _) => Some(Shape::Runs(runs)),
        _ => None,
    })
}

/// For `!A[true U p]`: the `p` that never comes.
fn never_true<'f>(&(formula, truth): &(&'f Ctl, bool)) -> Option<&'f Pred> {
    match formula {
        Ctl::Au(until, goal) if !truth && until.as_const() == Some(true) => match &**goal {
            Ctl::State(pred) => Some(pred),
            _ => None,
        },
        _ => None,
    }
}

/// A part of a formula within a sentence: a bare name as it is, anything longer in backticks.
pub(super) fn ticked(text: &str) -> String {
    let text = words::short(text, 80);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '(' | ')');
    match text.chars().all(is_name) || text.contains('`') {
        true => text,
        false => format!("`{text}`"),
    }
}

/// `a, b and c`
pub(super) fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
