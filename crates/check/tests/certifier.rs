//! The certifier must say no as well as yes: trails are spoilt at random, and an oracle says what each still shows.

mod common;

use causet_check::certify;
use causet_check::engine::{Trail, explicit};
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_solve::budget::Budget;
use causet_trace::random::{self, Shape};
use causet_trace::{EventId, Trace, notation};
use common::{Maker, Oracle, Set, Tree};

/// Whether an order can happen, and the sets of events along it.
fn sets_along(oracle: &Oracle<'_>, run: &[EventId]) -> Option<Vec<Set>> {
    let mut sets: Vec<Set> = vec![Vec::new()];
    for &event in run {
        let last = &sets[sets.len() - 1];
        if !oracle.possible(last).contains(&event) {
            return None;
        }
        let next = oracle.after(last, event);
        sets.push(next);
    }
    Some(sets)
}

/// Possibly: the run leads to the predicate. Definitely, refuted: a complete run never meets it.
fn really_shows(oracle: &Oracle<'_>, tree: &Tree, holds: bool, run: &[EventId]) -> bool {
    let Some(sets) = sets_along(oracle, run) else {
        return false;
    };
    if holds {
        oracle.holds(tree, &sets[sets.len() - 1])
    } else {
        run.len() == oracle.trace.len() && !sets.iter().any(|set| oracle.holds(tree, set))
    }
}

fn spoil(rng: &mut fastrand::Rng, trace: &Trace, run: &[EventId]) -> Vec<EventId> {
    let mut run = run.to_vec();
    let events: Vec<EventId> = trace.events().collect();
    let at = rng.usize(0..=run.len());
    match rng.usize(0..5) {
        0 if run.len() >= 2 => {
            let at = rng.usize(0..run.len() - 1);
            run.swap(at, at + 1);
        }
        1 if at < run.len() => {
            run.remove(at);
        }
        2 => run.insert(at, events[rng.usize(0..events.len())]),
        3 => run.truncate(at),
        _ => rng.shuffle(&mut run),
    }
    run
}

#[test]
fn spoilt_trails_are_believed_only_when_they_still_show_it() {
    let (mut refused, mut believed) = (0, 0);
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            events: rng.usize(1..7),
            ..Shape::small(&mut rng)
        };
        let trace = random::run(&mut rng, shape);
        let kind = [Kind::Possibly, Kind::Definitely][rng.usize(0..2)];
        let (text, tree) = Maker::new(&mut rng, &trace).predicate(2);
        let property = Property::parse(kind, "p", &text).expect("well-formed");
        let subject = Subject::of(&trace);
        let question = prepare(&subject, &property, &Lets::none()).expect("meaningful");
        let goal = &question.lowered.body;
        let answers = explicit::run(&subject, &[goal], None, &Budget::endless()).expect("no limit");
        let answer = &answers.answers[0];
        let Some(trail) = answer.trail.as_ref().filter(|_| goal.as_const().is_none()) else {
            continue;
        };
        let oracle = Oracle::new(&trace);
        let run = spoil(&mut rng, &trace, &trail.run);
        let spoilt = Trail {
            run: run.clone(),
            ..Trail::default()
        };
        let opinion = certify::examine(&trace, goal, answer.holds, &spoilt, &Budget::endless());
        let expected = really_shows(&oracle, &tree, answer.holds, &run);
        assert_eq!(
            opinion.map(|opinion| opinion.proven),
            Ok(expected),
            "seed {seed}: {kind} {text}, {run:?}\n{}",
            notation::draw(&trace)
        );
        if expected {
            believed += 1;
        } else {
            refused += 1;
        }
    }
    println!("{believed} believed, {refused} refused");
    assert!(
        believed > 100 && refused > 300,
        "{believed} believed, {refused} refused"
    );
}
