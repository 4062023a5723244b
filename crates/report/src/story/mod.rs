//! What a verdict means, told: the cut that shows it, the order that leads there beside the recorded one, the values of
//! the variables the property names, and a sentence.
//!
//! ```text
//! trace, property, outcome --Story::of--> Story --> the text report, the page, the picture
//! ```
//!
//! A story claims only what is so. The values are those of the cut; two events are said to be in no order only when
//! they are concurrent; where nothing specific is known, the plain thing is said. Everything here is data for other
//! programs as well: events are the numbers of the run, a cut is a count for each process.
//!
//! * `budget`: how far the limits allow all this;
//! * `path`: which events are shown, in which order, and where each variable got its value;
//! * `pairs`: which two events the run should have ordered;
//! * `swaps`: where the order departs from the recorded one;
//! * `facts`: what holds where along it, since when and how long;
//! * `reasons`: which parts of a predicate make it what it is;
//! * `word`, `hits`: why an order satisfies a formula of LTL, or fits a sequence;
//! * `onward`: what is known of temporal formulas at the cut;
//! * `sentence`, `clause`, `runs`, `moments`: what is said about it, put together from the facts of `claim`;
//! * `marks`: the formula's own text with the values of its parts.

mod budget;
mod claim;
mod clause;
mod facts;
mod hits;
mod marks;
mod moments;
mod onward;
mod pairs;
mod path;
mod reasons;
mod runs;
mod sentence;
mod swaps;
mod word;

pub use claim::Claim;
pub use pairs::{Effect, Pair};

use std::borrow::Cow;

use causet_base::budget::{Budget, Spent};
use causet_check::decide;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::prepare::Question;
use causet_check::subject::{Subject, var_id};
use causet_formula::core::Ctl;
use causet_formula::lower::defined;
use causet_formula::{Lets, Property};
use causet_trace::{EventId, VarId};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::Finding;
use path::Path;
use sentence::{Sentence, Telling};
use swaps::Interest;

/// One property with its verdict and its story, in the form in which programs get it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Told<'a> {
    /// Its name.
    pub name: &'a str,
    /// The word for its logic.
    pub kind: &'a str,
    /// Its text.
    pub formula: &'a str,
    /// `satisfied`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// Who found it.
    pub engine: Option<&'a str>,
    /// What there is to show.
    pub story: Option<&'a Story>,
}

impl<'a> Told<'a> {
    /// What is told of a finding.
    pub fn of(finding: &'a Finding<'a>) -> Told<'a> {
        Told {
            name: finding.name,
            kind: finding.kind,
            formula: finding.formula,
            verdict: match finding.verdict {
                Verdict::Holds => "satisfied",
                Verdict::Violated => "violated",
                Verdict::Unknown(_) | Verdict::Doubtful => "unknown",
            },
            reason: finding.verdict.reason(),
            engine: finding.engine,
            story: finding.story.as_ref(),
        }
    }
}

/// What shows a verdict.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Story {
    /// Whether it shows a violation or an example.
    pub shows: Shows,
    /// What happens, in words.
    pub sentence: String,
    /// The cut to draw, as a count for each process: where the verdict shows, or the last cut of a path.
    pub cut: Vec<u32>,
    /// The order that shows the verdict, up to that cut.
    pub order: Vec<u32>,
    /// The same events as they were recorded.
    pub recorded: Vec<u32>,
    /// Events that were recorded before some event of the order, and have not happened at the cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<u32>,
    /// How it can go on from the cut, when what happens afterwards matters too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<u32>,
    /// Pairs `(e, f)` of concurrent events: recorded as `e`, `f`, while in the order `f` comes first and `e` later or
    /// not until the cut. Those that matter most come first.
    pub swaps: Vec<(u32, u32)>,
    /// The pair of events that the run does not order and that the sentence names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<Pair>,
    /// Of how many instances of the property the same is true, and how many there are, when that is known.
    #[serde(skip)]
    pub share: Option<(usize, usize)>,
    /// The events the sentence is about, in the order of their numbers: what a reader has to see.
    pub focus: Vec<u32>,
    /// Whether the recorded order shows the same, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<bool>,
    /// The variables the property names, at the cut.
    pub values: Vec<Held>,
    /// Parts of the formula and whether they hold at the cut, outermost first.
    pub marks: Vec<Mark>,
    /// The cut at which the order starts, when its beginning is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<u32>>,
    /// How many events of the order are left out.
    pub left_out: usize,
    /// Which limit was reached before there was more to tell than the order, its cut and the plain sentence.
    #[serde(skip)]
    pub cut_short: Option<Spent>,
    /// Whether the sentence says no more than the verdict and the order do.
    #[serde(skip)]
    pub is_plain: bool,
    /// What the sentence rests on, for those who check it.
    #[serde(skip)]
    pub claims: Vec<Claim>,
}

/// What a story is an instance of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// The property is broken.
    Violation,
    /// The property holds, and this is how.
    Example,
}

/// A variable at a cut.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Held {
    /// Its name, as formulas write it.
    pub name: String,
    /// What it holds, as formulas write it; a long text is shortened.
    pub value: String,
    /// Who wrote that; nobody when it is the initial value.
    pub event: Option<u32>,
}

/// A part of a formula at a cut.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Mark {
    /// Where it starts in the text of the formula, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether it holds at the cut.
    pub holds: bool,
    /// That part of the text.
    pub text: String,
}

/// A property as it was asked: its text, the definitions it sees, its meaning on the run.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The property.
    pub property: &'a Property,
    /// The definitions of its file.
    pub lets: &'a Lets,
    /// What it means on the run.
    pub question: &'a Question,
}

impl Asked<'_> {
    /// The variables the property names, each once, in the order of their names in it.
    fn variables(&self) -> Vec<VarId> {
        let lowered = &self.question.lowered;
        let named = lowered.mentions.iter().chain(&lowered.written);
        let mut seen = FxHashSet::default();
        let named = named.map(|&(var, _)| var_id(var));
        named.filter(|&var| seen.insert(var)).collect()
    }
}

impl Story {
    /// The story of an outcome, as far as the budget allows; `None` when no order of events shows the verdict.
    pub fn of(
        subject: Subject<'_>,
        asked: Asked<'_>,
        outcome: &Outcome,
        budget: &Budget<'_>,
    ) -> Option<Story> {
        let witness = outcome.witness.as_ref()?;
        let shows = match outcome.verdict {
            Verdict::Violated => Shows::Violation,
            Verdict::Holds => Shows::Example,
            Verdict::Unknown(_) | Verdict::Doubtful => return None,
        };
        let mut path = Path::of(subject.trace, witness, budget);
        let body = Cow::Borrowed(&asked.question.lowered.body);
        let goal = asked.question.goal_of(witness);
        let (goal, bindings) = goal.unwrap_or((body, Vec::new()));
        let formula = match shows {
            Shows::Example => goal.clone().into_owned(),
            Shows::Violation => Ctl::not(goal.clone().into_owned()),
        };
        let marked = marks::parts_of(&subject, asked, &bindings);
        let mut preds = marked.preds();
        preds.extend(goal.preds());
        path.prepare(preds);
        let defined = defined(&asked.property.text, asked.lets, &subject);
        let telling = Telling {
            subject,
            path: &path,
            formula: &formula,
            property: asked.property,
            shows,
            question: asked.question,
            has_cut: witness.cut.is_some(),
            observed: witness.observed,
            is_decided: witness.enough.is_some(),
            swaps: &[],
            defined: &defined,
        };
        let story = Story::told(telling, asked, &goal, &marked);
        Some(match path.budget.spent() {
            None => story,
            Some(spent) => Story::cut_short(telling, spent),
        })
    }

    /// All there is to tell.
    fn told(telling: Telling<'_>, asked: Asked<'_>, goal: &Ctl, marked: &marks::Parts) -> Story {
        let path = telling.path;
        let shown = path.window();
        let variables = asked.variables();
        let mut swaps = swaps::of(path, shown.events, &Interest::of(goal, &variables));
        let sentence = Telling {
            swaps: &swaps,
            ..telling
        }
        .sentence();
        swaps::put_first(path, &sentence.claims, &mut swaps);
        Story {
            recorded: numbers(&path.in_recorded_order(shown.events)),
            late: numbers(&path.late_within(shown.events)),
            swaps: swaps.iter().map(|(e, f)| (e.raw(), f.raw())).collect(),
            share: share(&telling),
            focus: focus(path, &sentence.claims, &swaps),
            values: path.values(&variables),
            marks: marked.marks(asked, path),
            ..Story::plain(telling, sentence)
        }
    }

    /// The plain sentence with the end of the order and its cut, for which there always is time.
    fn cut_short(telling: Telling<'_>, spent: Spent) -> Story {
        let path = telling.path;
        Story {
            recorded: numbers(&path.in_recorded_order(path.window().events)),
            focus: focus(path, &[], &[]),
            cut_short: Some(spent),
            ..Story::plain(telling, telling.plainly())
        }
    }

    /// The sentence, the order and the cut.
    fn plain(telling: Telling<'_>, sentence: Sentence) -> Story {
        let path = telling.path;
        let shown = path.window();
        Story {
            shows: telling.shows,
            sentence: sentence.text,
            cut: path.cut.counts().to_vec(),
            order: numbers(shown.events),
            recorded: Vec::new(),
            late: Vec::new(),
            then: numbers(shown.then),
            swaps: Vec::new(),
            pair: sentence.pair,
            share: None,
            focus: Vec::new(),
            observed: telling.observed,
            values: Vec::new(),
            marks: Vec::new(),
            start: shown.start,
            left_out: shown.left_out,
            cut_short: None,
            is_plain: sentence.is_plain,
            claims: sentence.claims,
        }
    }
}

/// In runs with more events, times instances, those that show the verdict are not counted.
const MOST_COUNTED: usize = 200_000;

/// Of how many instances the verdict is true, and of how many.
fn share(telling: &Telling<'_>) -> Option<(usize, usize)> {
    let Telling {
        subject, question, ..
    } = *telling;
    let instances = question.lowered.instances.len();
    let is_large = subject.trace.len().saturating_mul(instances) > MOST_COUNTED;
    if is_large || !subject.trace.holes().is_empty() {
        return None;
    }
    let holds = telling.shows == Shows::Example;
    telling.within_limits(|budget| decide::share(&subject, question, holds, budget).ok()?)
}

/// The events that claims speak of; without any, those of the best swap and the last of the order.
fn focus(path: &Path<'_>, claims: &[Claim], swaps: &[(EventId, EventId)]) -> Vec<u32> {
    let mut events: Vec<u32> = claims.iter().flat_map(Claim::events).collect();
    if events.is_empty() {
        let swap = swaps.first().into_iter().flat_map(|&(e, f)| [e, f]);
        events = swap.map(EventId::raw).collect();
    }
    events.extend(path.run.last().map(|event| event.raw()));
    events.sort_unstable();
    events.dedup();
    events
}

/// Events as plain numbers.
fn numbers(events: &[EventId]) -> Vec<u32> {
    events.iter().map(|event| event.raw()).collect()
}
