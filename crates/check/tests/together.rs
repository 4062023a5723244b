//! Many workers on one property: the same verdict whoever decides and however often, and a witness from what was shown.

mod common;

use causet_base::budget::{Budget, Spent};
use causet_check::engine::bes::Dealing;
use causet_check::engine::{bes, explicit};
use causet_check::linear::compile::Sizes;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare};
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::random::{self, Shape};
use causet_trace::{Trace, notation};
use common::Maker;
use common::asked::Taste;
use common::team::{By, decide_together};

fn question(trace: &Trace, kind: Kind, text: &str) -> Question {
    let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    prepare(&Subject::of(trace), &property, &Lets::none())
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn outcome(trace: &Trace, question: &Question, by: By) -> Outcome {
    by.decide(&Subject::of(trace), question, Sizes::default())
        .unwrap_or_else(|failure| panic!("{by:?}: {failure}"))
}

/// Independent processes that count to a number.
fn independent(processes: usize, events: usize) -> Trace {
    let values: String = (1..=events).map(|value| format!("  x={value}")).collect();
    let rows = (0..processes).map(|process| format!("  p{process}:{values}\n"));
    notation::parse(&rows.collect::<String>()).expect("a drawing")
}

/// The same, but each process is at most three steps ahead of the one before it.
fn chained(processes: usize, events: usize) -> Trace {
    let row = |process: usize| {
        let values = (1..=events).map(|value| match process > 0 && value > 3 {
            true => format!("  x={value},<p{}.{}", process - 1, value - 3),
            false => format!("  x={value}      "),
        });
        let values: String = values.collect();
        format!("  p{process}:{values}\n")
    };
    let drawing: String = (0..processes).map(row).collect();
    notation::parse(&drawing).unwrap_or_else(|error| panic!("{error}\n{drawing}"))
}

/// Properties of all kinds about counting processes: decided at once, by a long run, or by all cuts.
const PROPERTIES: [(Kind, &str); 21] = [
    (Kind::Ctl, "AG p0.x + p1.x <= 12"),
    (Kind::Ctl, "AG p0.x + p1.x <= 11"),
    (Kind::Ctl, "EF (p0.x = 6 && p1.x = 0 && p2.x = 3)"),
    (Kind::Ctl, "AF (p0.x = 3 && p1.x = 3)"),
    (Kind::Ctl, "EG !(p0.x = 3 && p1.x = 3)"),
    (Kind::Ctl, "E[p0.x < 2 U (p1.x = 4 && AG p2.x >= 1)]"),
    (Kind::Ctl, "A[p0.x < 5 U p1.x >= 1]"),
    (Kind::Ctl, "AG (p0.x = 2 -> EF p1.x = 0)"),
    (Kind::Ctl, "AG (p0.x = 2 -> AF p1.x = 6)"),
    (Kind::Ctl, "EX EX (p0.x = 1 && EF final)"),
    (Kind::Ctl, "p0.x = 0 || AG p1.x = 0"),
    // The same until as true and as false.
    (
        Kind::Ctl,
        "EF ((p2.x = 1 || p0.x = 3) && EF (p1.x = 1 && p2.x = 0)) \
         || EF (p0.x = 3 && p1.x = 0 && p2.x = 0 && !EF (p1.x = 1 && p2.x = 0))",
    ),
    (
        Kind::Ctl,
        "EF (p0.x = 3 && p2.x = 3 && EF (p1.x = 1 && p2.x = 0)) \
         || EF ((p1.x = 1 || p0.x = 3) && !EF (p1.x = 1 && p2.x = 0))",
    ),
    (
        Kind::Ctl,
        "AG ((p2.x = 1 || p0.x = 3) -> !EF (p1.x = 1 && p2.x = 0)) \
         && AG (p0.x = 3 && p1.x = 0 && p2.x = 0 -> EF (p1.x = 1 && p2.x = 0))",
    ),
    (Kind::Possibly, "p0.x = 1 && p1.x = 5"),
    (Kind::Definitely, "p0.x = 1 && p1.x = 5"),
    (Kind::Ltl, "G (p0.x = 2 -> F p1.x = 6)"),
    (Kind::Ltl, "F (p0.x = 2 && F (p1.x = 2 && X p2.x = 2))"),
    (Kind::Ltl, "G (p0.x >= p1.x)"),
    (Kind::Mu, "[any* . tau . tau] <any> true"),
    (Kind::Mu, "nu X. ([any] X && (<any> true || [any] false))"),
];

#[test]
fn the_same_however_often_it_is_asked() {
    let traces = [independent(3, 6), chained(3, 6)];
    for (trace, (kind, text)) in traces
        .iter()
        .flat_map(|trace| PROPERTIES.map(|property| (trace, property)))
    {
        let question = question(trace, kind, text);
        let explicit = By::Engine(Choice::Forced(&explicit::ENGINE));
        let expected = outcome(trace, &question, explicit);
        for round in 0..25 {
            let found = outcome(trace, &question, By::some_workers(round));
            let context = format!("{kind} {text}, round {round}");
            assert_eq!(found.verdict, expected.verdict, "{context}");
            let (shown, expected) = (found.witness.is_some(), expected.witness.is_some());
            assert_eq!(shown, expected, "{context}: whether a run is shown");
        }
    }
}

#[test]
fn witnesses_are_found_among_very_many_cuts() {
    // More cuts than are looked at for the shortest run, so that the way leads through what was shown.
    let trace = independent(5, 8);
    let cases = [
        (
            Kind::Ctl,
            "EF (p0.x = 8 && p1.x = 8 && p2.x = 8 && p3.x = 8)",
            true,
        ),
        (
            Kind::Ctl,
            "AG !(p0.x = 8 && p1.x = 8 && p2.x = 8 && p3.x = 8)",
            false,
        ),
        (
            Kind::Ctl,
            "EF (p0.x = 7 && AG (p1.x = 8 && p2.x = 8 && p3.x = 6))",
            false,
        ),
        (
            Kind::Ctl,
            "EF (p0.x = 7 && AG (p1.x = 8 && p2.x = 8 && p3.x >= 6))",
            true,
        ),
        (Kind::Ctl, "AF (p0.x = 4 && p1.x = 4 && p2.x = 4)", false),
        (Kind::Ltl, "F (p0.x = 8 && p1.x = 8 && X p4.x = 1)", false),
        (Kind::Ltl, "G !(p0.x = 8 && p1.x = 8 && X p4.x = 1)", false),
        (Kind::Mu, "[any* . tau] <any> true", false),
    ];
    for (kind, text, holds) in cases {
        let question = question(&trace, kind, text);
        for workers in [1, 3] {
            let found = outcome(&trace, &question, By::Workers(workers, Dealing::Turns));
            let expected = if holds {
                Verdict::Holds
            } else {
                Verdict::Violated
            };
            assert_eq!(found.verdict, expected, "{kind} {text}");
            let shows = holds || !text.starts_with("EF");
            assert_eq!(found.witness.is_some(), shows, "{kind} {text}");
            assert_eq!(found.workers.len(), workers, "{kind} {text}");
        }
    }
}

#[test]
fn what_decides_early_is_not_followed_to_the_end() {
    let trace = independent(6, 9);
    for (kind, text) in [
        (Kind::Ctl, "AG p0.x + p1.x + p2.x + p3.x + p4.x + p5.x <= 2"),
        (
            Kind::Ltl,
            "G (p0.x + p1.x + p2.x + p3.x + p4.x + p5.x <= 2)",
        ),
    ] {
        let question = question(&trace, kind, text);
        for workers in 1..4 {
            let found = outcome(&trace, &question, By::Workers(workers, Dealing::Turns));
            assert_eq!(found.verdict, Verdict::Violated);
            let explored: u64 = found.workers.iter().map(|worker| worker.explored.0).sum();
            assert!(explored < 500_000, "{explored} of a million cuts");
            let witness = found.witness.expect("a run that shows it");
            assert!(
                witness
                    .cut
                    .is_none_or(|cut| cut.counts().iter().sum::<u32>() == 3)
            );
        }
    }
}

#[test]
fn workers_say_what_one_says() {
    let mut rng = fastrand::Rng::with_seed(7);
    for seed in 0..60 {
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        let taste = Taste::any(&mut rng);
        let mut maker = Maker::new(&mut rng, &trace);
        let asked = maker.asked(taste);
        let (formula, _) = maker.formula(4);
        for (kind, text) in [(asked.kind, &asked.text), (Kind::Ctl, &formula)] {
            let question = question(&trace, kind, text);
            let alone = By::Engine(Choice::Forced(&bes::ENGINE));
            let alone = outcome(&trace, &question, alone);
            let found = outcome(&trace, &question, By::some_workers(seed));
            assert_eq!(found.verdict, alone.verdict, "{kind} {text}");
            let shown = found.witness.is_some();
            assert_eq!(shown, alone.witness.is_some(), "{kind} {text}");
        }
    }
}

#[test]
fn limits_are_everybodys() {
    let trace = independent(6, 9);
    let question = question(&trace, Kind::Ctl, "AG sum(i in procs: i.x) <= 54");
    let workers = (3, Dealing::Turns);
    let budget = Budget::endless().with_memory(1 << 20, 0);
    let subject = Subject::of(&trace);
    let found = decide_together(&subject, &question, workers, Sizes::default(), &budget);
    let found = found.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(found.verdict, Verdict::Unknown(Spent::Memory));
}
