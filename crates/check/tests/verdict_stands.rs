//! A verdict that is known stands, whatever becomes of the search for an order that shows it: with every limit on time and
//! memory that is large enough for the verdict, and when the work must stop the moment it is known.

mod common;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use causet_base::budget::{Budget, Meter, Spent};
use causet_check::decide::{Failure, decide};
use causet_check::engine::bes::Dealing;
use causet_check::engine::{ENGINES, table};
use causet_check::linear::compile::Sizes;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare};
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::Trace;
use causet_trace::random::{self, Shape};
use common::team::decide_together;
use fastrand::Rng;

/// Properties that hold and that are violated, with and without an order that shows it.
const PROPERTIES: [(Kind, &str); 6] = [
    (Kind::Ctl, "AG !(p1.x = 2 && p2.x = 2 && p3.x = 1)"),
    (Kind::Ctl, "EF (p1.x = 1 && EG p2.x < 3)"),
    (Kind::Ctl, "A[p1.x < 3 U (p2.x = 2 && AX p3.x = 0)]"),
    (Kind::Ctl, "AG (p1.x + p2.x + p3.x < 7)"),
    (Kind::Ltl, "G (p1.x = 1 -> F (p2.x = 2 && X p3.x = 1))"),
    (Kind::Mu, "[true*] <true*> [true] false"),
];

/// A run with some thousand cuts.
fn run() -> Trace {
    let shape = Shape {
        processes: 3,
        events: 60,
        messages: 0.1,
        writes: 0.8,
        shared: false,
    };
    random::run(&mut Rng::with_seed(7), shape)
}

fn question(subject: &Subject<'_>, kind: Kind, text: &str) -> Question {
    let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    prepare(subject, &property, &Lets::none()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// All engines, and the plan's own choice.
fn choices() -> impl Iterator<Item = Choice> {
    let engines = ENGINES.iter().copied().map(Choice::Forced);
    engines.chain([Choice::Auto])
}

/// What an engine makes of a question within a budget; nothing when it cannot decide such questions.
fn outcome(
    subject: &Subject<'_>,
    question: &Question,
    choice: Choice,
    budget: &Budget<'_>,
) -> Option<Outcome> {
    match decide(subject, question, choice, budget) {
        Ok(outcome) => Some(outcome),
        Err(Failure::Refused(_)) => None,
        Err(failure) => panic!("{failure}"),
    }
}

/// Stops after so many looks, each of which takes a millisecond.
struct AfterLooks {
    most: u64,
    looks: AtomicU64,
}

impl Meter for AfterLooks {
    fn stop(&self) -> Option<Spent> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        (looks >= self.most).then_some(Spent::Time)
    }

    fn time_left(&self) -> Option<Duration> {
        let looks = self.looks.load(Ordering::Relaxed);
        Some(Duration::from_millis(self.most.saturating_sub(looks)))
    }
}

/// Stops when a verdict is known.
#[derive(Default)]
struct UntilVerdict(AtomicBool);

impl Meter for UntilVerdict {
    fn stop(&self) -> Option<Spent> {
        self.0.load(Ordering::Relaxed).then_some(Spent::Time)
    }

    fn verdict_known(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Once a limit is enough for the verdict, every larger one is; and the verdict is always the same.
fn stands(
    limits: impl Iterator<Item = u64>,
    place: &str,
    check: impl Fn(u64) -> Option<Outcome>,
) -> usize {
    let mut known = None;
    let mut unknown = 0;
    for limit in limits {
        let Some(outcome) = check(limit) else {
            return 0;
        };
        match outcome.verdict {
            Verdict::Unknown(_) => {
                unknown += 1;
                assert_eq!(known, None, "{limit}: {place}");
            }
            verdict => {
                assert!(
                    known.is_none() || known == Some(verdict),
                    "{limit}: {place}"
                );
                known = Some(verdict);
            }
        }
    }
    unknown
}

#[test]
fn more_time_never_loses_a_verdict() {
    let trace = run();
    let subject = Subject::of(&trace);
    let mut unknown = 0;
    for (kind, text) in PROPERTIES {
        let question = question(&subject, kind, text);
        for choice in choices() {
            unknown += stands(0..60, &format!("{choice:?} {text}"), |most| {
                let meter = AfterLooks {
                    most,
                    looks: AtomicU64::new(0),
                };
                outcome(&subject, &question, choice, &Budget::new(&meter))
            });
        }
    }
    assert!(unknown > 100, "{unknown} undecided");
}

#[test]
fn a_verdict_stands_when_there_is_no_time_to_show_it() {
    let trace = run();
    let subject = Subject::of(&trace);
    let (mut ended, mut asked) = (0, 0);
    for (kind, text) in PROPERTIES {
        let question = question(&subject, kind, text);
        for choice in choices() {
            let place = format!("{choice:?} {text}");
            let Some(free) = outcome(&subject, &question, choice, &Budget::endless()) else {
                continue;
            };
            // A formula of several parts is not decided when the first of them is.
            if free.parts > 1 {
                continue;
            }
            let meter = UntilVerdict::default();
            let limited = outcome(&subject, &question, choice, &Budget::new(&meter));
            let limited = limited.expect("not refused");
            assert_eq!(limited.verdict, free.verdict, "{place}");
            let says_so = limited.notes.iter().any(|note| note.contains("(timeout)"));
            let is_lost = free.witness.is_some() && limited.witness.is_none();
            // Of a value that is known before the search, a search that was cut cannot tell that no order shows it.
            let was_known = limited.engine == Some(&table::OBSERVED);
            let may_say_so = is_lost || (was_known && free.witness.is_none());
            assert!(!says_so || may_say_so, "{place}: {:?}", limited.notes);
            assert!(says_so || !is_lost, "{place}: {:?}", limited.notes);
            assert_eq!(limited.witness_spent.is_some(), says_so, "{place}");
            ended += usize::from(is_lost);
            asked += 1;
        }
        for workers in 1..=3 {
            let team = (workers, Dealing::Turns);
            let decide = |budget: &Budget<'_>| {
                decide_together(&subject, &question, team, Sizes::default(), budget)
            };
            let Ok(free) = decide(&Budget::endless()) else {
                continue;
            };
            let meter = UntilVerdict::default();
            let limited = decide(&Budget::new(&meter)).expect("not refused");
            if free.parts == 1 {
                assert_eq!(limited.verdict, free.verdict, "{workers} workers: {text}");
            }
        }
    }
    assert!(asked >= 20 && ended >= 10, "{ended} of {asked}");
}
