//! Properties decided while a run passes by, against the same properties decided on the whole run.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

mod common;

use std::rc::Rc;

use causet_base::budget::{Budget, Spent};
use causet_check::decide::{Failure, decide};
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::stream::{Checker, Ending, Goals, Outline};
use causet_check::subject::Subject;
use causet_formats::native::{self, Part, ReadOptions};
use causet_formula::{Kind, Lets, Property};
use causet_trace::Trace;
use causet_trace::random::{self, Shape};
use common::Maker;
use common::asked::Taste;
use common::passing::{property, some_properties, text_of};

fn read(text: &str) -> Trace {
    let part = Part::new("t", text.as_bytes());
    let reading = native::read(vec![part], &ReadOptions::default(), &());
    reading.unwrap_or_else(|e| panic!("{e:?}\n{text}")).trace
}

fn passed(text: &str, sink: &mut impl causet_trace::Sink) -> Result<(), String> {
    let part = Part::new("t", text.as_bytes());
    let passed = native::stream(vec![part], &ReadOptions::default(), &(), sink);
    passed.map_err(|error| format!("{error:?}"))
}

/// What is decided in passing, or why not.
fn streamed(text: &str, properties: &[Property]) -> Result<Vec<Outcome>, String> {
    streamed_twice(text, text, properties)
}

/// The same when the second reading may meet another text.
fn streamed_twice(
    first: &str,
    text: &str,
    properties: &[Property],
) -> Result<Vec<Outcome>, String> {
    let mut outline = Outline::new(vec!["t".to_owned()]);
    passed(first, &mut outline)?;
    outline.finish().map_err(|error| format!("{error:?}"))?;
    let lets = Lets::none();
    let asked: Vec<_> = properties
        .iter()
        .map(|property| (property, &lets))
        .collect();
    let questions: Result<Vec<_>, _> = outline.prepare(&asked).into_iter().collect();
    let questions = questions.map_err(|errors| format!("{errors:?}"))?;
    let budget = Budget::endless();
    let goals = Goals::new(&outline, &questions, &budget);
    for number in 0..questions.len() {
        if let Some(reason) = goals.refusal(number) {
            return Err(reason.to_owned());
        }
    }
    let checker = Checker::new(Rc::new(outline), goals, &budget);
    let mut checker = checker.map_err(|error| error.to_string())?;
    passed(text, &mut checker)?;
    match checker.finish().map_err(|error| format!("{error:?}"))? {
        Ending::Decided(outcomes) => Ok(outcomes),
        Ending::Refused(errors) => Err(format!("{errors:?}")),
    }
}

fn expected(trace: &Trace, property: &Property) -> Verdict {
    let subject = Subject::of(trace);
    let question = prepare(&subject, property, &Lets::none())
        .unwrap_or_else(|e| panic!("{}: {e:?}", property.text));
    match decide(&subject, &question, Choice::Auto, &Budget::endless()) {
        Ok(outcome) => outcome.verdict,
        Err(Failure::Refused(reason)) => panic!("{reason}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// The same run with its lines in another order, each process in its own.
fn shuffled(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let header = lines.remove(0);
    let process = |line: &str| {
        line.split("\"p\":")
            .nth(1)
            .map(|rest| rest.get(..4).map(str::to_owned))
    };
    for _ in 0..4 * lines.len() {
        let at = rng.usize(0..lines.len().max(2) - 1);
        if at + 1 < lines.len() && process(lines[at]) != process(lines[at + 1]) {
            lines.swap(at, at + 1);
        }
    }
    lines.insert(0, header);
    lines.join("\n")
}

/// Holds what is decided in passing against what is decided on the whole run.
fn compare(text: &str, trace: &Trace, properties: &[Property], seed: u64) {
    let outcomes =
        streamed(text, properties).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    for (property, outcome) in properties.iter().zip(outcomes) {
        let expected = expected(trace, property);
        assert_eq!(
            outcome.verdict, expected,
            "seed {seed}, {}\n{text}",
            property.text
        );
    }
}

fn one_round(seed: u64) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut shape = Shape::small(&mut rng);
    shape.shared &= rng.bool();
    let trace = random::run(&mut rng, shape);
    let taste = Taste::any(&mut rng);
    let mut text = text_of(&trace);
    if !shape.shared && rng.bool() {
        text = shuffled(&text, &mut rng);
    }
    let properties = some_properties(&mut Maker::new(&mut rng, &trace), taste);
    compare(&text, &trace, &properties, seed);
    properties.len()
}

#[test]
fn passing_by_and_keeping_agree() {
    let rounds = common::number_from_environment("CAUSET_ROUNDS").unwrap_or(600);
    let seeds = match common::number_from_environment("CAUSET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..rounds,
    };
    let checked: usize = seeds.map(one_round).sum();
    println!("{checked} verdicts compared");
    assert!(checked > 0);
}

#[test]
fn every_instance_of_a_quantifier_is_followed() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            processes: 3,
            events: 9,
            messages: 0.5,
            writes: 0.9,
            shared: false,
        };
        let trace = random::run(&mut rng, shape);
        let text = text_of(&trace);
        let properties = [
            "forall i, j in procs where i != j: G !(i.x = 2 && j.x = 2)",
            "exists i in procs: F (i.x = 1 && X i.x = 2)",
            "forall i in procs: exists j in procs: G (i.x = 0 -> F j.x = 1)",
        ]
        .map(|text| property(Kind::Ltl, text));
        compare(&text, &trace, &properties, seed);
    }
}

/// A run whose events come after others by number, sometimes ones that stand on later lines.
fn run_with_edges(rng: &mut fastrand::Rng) -> String {
    let names = ["a", "b", "c"];
    let mut counts = [0; 3];
    let mut lines: Vec<String> = names
        .iter()
        .map(|p| format!("{{\"p\":\"{p}\",\"set\":{{\"x\":0}}}}"))
        .collect();
    for _ in 0..rng.usize(2..8) {
        let (p, q) = (rng.usize(0..3), rng.usize(0..3));
        let mut line = format!(
            "{{\"p\":\"{}\",\"set\":{{\"x\":{}}}",
            names[p],
            rng.u32(0..3)
        );
        if p != q && counts[q] > 0 && rng.bool() {
            let number = rng.usize(1..=counts[q]) + 1;
            line += &format!(",\"after\":[[\"{}\",{number}]]", names[q]);
        }
        counts[p] += 1;
        lines.push(line + "}");
    }
    lines.join("\n")
}

#[test]
fn events_may_come_after_others_by_number() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text = run_with_edges(&mut rng);
        let trace = read(&text);
        let text = match rng.bool() {
            true => shuffled(&format!("{{\"causet\":1}}\n{text}"), &mut rng),
            false => text,
        };
        let properties = [
            "G !(a.x = 2 && b.x = 2)",
            "F (a.x = 1 && X c.x = 2)",
            "G (b.x = 1 -> F c.x = 1)",
            "G (on(a) -> b.x + c.x < 3)",
        ]
        .map(|text| property(Kind::Ltl, text));
        compare(&text, &trace, &properties, seed);
    }
}

/// Two processes that hand a token to and fro, with work of their own between.
fn long_run(rounds: usize) -> String {
    let mut text = String::new();
    for round in 0..rounds {
        let (here, there) = if round % 2 == 0 {
            ("a", "b")
        } else {
            ("b", "a")
        };
        text += &format!("{{\"p\":\"{here}\",\"set\":{{\"crit\":true}}}}\n");
        text += &format!("{{\"p\":\"{there}\",\"set\":{{\"work\":{round}}}}}\n");
        text += &format!("{{\"p\":\"{here}\",\"set\":{{\"crit\":false}}}}\n");
        text += &format!("{{\"p\":\"{here}\",\"send\":\"m{round}\",\"to\":\"{there}\"}}\n");
        text += &format!("{{\"p\":\"{there}\",\"recv\":\"m{round}\"}}\n");
    }
    text
}

#[test]
fn the_window_does_not_grow_with_the_run() {
    let asked = [
        property(Kind::Ltl, "G !(a.crit && b.crit)"),
        property(Kind::Ltl, "G (a.crit -> F b.crit)"),
    ];
    let windows = [2_000, 40_000].map(|rounds| {
        let outcomes = streamed(&long_run(rounds), &asked).expect("it can be streamed");
        let holds = |outcome: &Outcome| outcome.verdict == Verdict::Holds;
        assert!(outcomes.iter().all(holds), "{outcomes:?}");
        outcomes[0].stats["window"]
    });
    assert!(windows[1] <= 300, "{windows:?}");
}

#[test]
fn clocks_are_believed_and_held_against_each_other() {
    let run = |clock: &str| {
        format!(
            "{{\"p\":\"a\",\"set\":{{\"x\":1}},\"clock\":{{\"a\":1}}}}\n{{\"p\":\"a\",\"send\":\"m\",\"to\":\"b\",\"clock\":{{\"a\":2}}}}\n{{\"p\":\"b\",\"recv\":\"m\",\"set\":{{\"y\":1}},\"clock\":{clock}}}\n"
        )
    };
    let asked = [property(Kind::Ltl, "G (b.y = 1 -> a.x = 1)")];
    let outcomes = streamed(&run("{\"a\":2,\"b\":1}"), &asked).expect("it is well-formed");
    assert_eq!(outcomes[0].verdict, Verdict::Holds);
    let refused = streamed(&run("{\"b\":1}"), &asked).expect_err("the clock knows too little");
    assert!(refused.contains("contradicts"), "{refused}");
    let refused = streamed(&run("{\"a\":3,\"b\":1}"), &asked).expect_err("there are two events");
    assert!(refused.contains("ClockBeyondLog"), "{refused}");
}

#[test]
fn what_needs_the_whole_run_is_refused() {
    let asked = [property(Kind::Ltl, "G (b.y = 0)")];
    let refused = |text: &str| streamed(text, &asked).expect_err("it needs more");
    let twice = "{\"p\":\"a\",\"send\":\"m\"}\n{\"p\":\"b\",\"recv\":\"m\"}\n{\"p\":\"c\",\"recv\":\"m\"}\n{\"p\":\"b\",\"set\":{\"y\":0}}\n";
    assert!(refused(twice).contains("reached all it was sent to"));
    let never = "{\"p\":\"b\",\"recv\":\"m\",\"set\":{\"y\":0}}\n";
    assert!(refused(never).contains("nobody sends it"));
    let after = "{\"p\":\"a\",\"id\":\"e\"}\n{\"p\":\"b\",\"after\":[\"e\"],\"set\":{\"y\":0}}\n";
    assert!(refused(after).contains("`after`"));
    let race = "{\"causet\":1,\"shared\":[\"s\"]}\n{\"p\":\"a\",\"set\":{\"s\":1}}\n{\"p\":\"b\",\"set\":{\"s\":2,\"y\":0}}\n";
    let asked = [property(Kind::Ltl, "G (s < 5)")];
    let refused = streamed(race, &asked).expect_err("the writes race");
    assert!(refused.contains("two writes race"), "{refused}");
    let nested = [property(Kind::Ctl, "AG EF b.y = 0")];
    let refused = streamed("{\"p\":\"b\",\"set\":{\"y\":0}}\n", &nested).expect_err("nested");
    assert!(refused.contains("inside another"), "{refused}");
}

#[test]
fn a_run_that_changes_between_the_readings_is_refused() {
    let first = "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"a\",\"set\":{\"x\":2}}\n";
    let asked = [property(Kind::Ltl, "G x < 3")];
    assert!(streamed(first, &asked).is_ok());
    let shorter = &first[..first.len() / 2];
    let told = streamed_twice(first, shorter, &asked).expect_err("an event is missing");
    assert!(told.contains("when it was first read"), "{told}");
    streamed_twice(first, "", &asked).expect_err("all events are missing");
}

/// Lets all events but the last `left` pass, then stops.
fn stopped_before(text: &str, left: usize, asked: &Property) -> Outcome {
    let mut outline = Outline::new(vec!["t".to_owned()]);
    passed(text, &mut outline).expect("a run");
    outline.finish().expect("a whole run");
    let lets = Lets::none();
    let mut questions = outline.prepare(&[(asked, &lets)]);
    let question = questions.remove(0).expect("a question");
    let budget = Budget::endless();
    let goals = Goals::new(&outline, &[question], &budget);
    let mut checker = Checker::new(Rc::new(outline), goals, &budget).expect("a checker");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let beginning = lines[..lines.len() - left].concat();
    passed(&beginning, &mut checker).expect("a beginning");
    checker.stop(Spent::Cancelled);
    match checker.finish().expect("an ending") {
        Ending::Decided(mut outcomes) => outcomes.remove(0),
        Ending::Refused(errors) => panic!("{errors:?}"),
    }
}

#[test]
fn who_stops_early_hears_about_the_beginning() {
    let write = |x: u32| format!("{{\"p\":\"a\",\"set\":{{\"x\":{x}}}}}\n");
    let text: String = (1..6).map(write).collect();
    let told = |formula: &str, left: usize| {
        let outcome = stopped_before(&text, left, &property(Kind::Ltl, formula));
        assert_eq!(outcome.verdict, Verdict::Unknown(Spent::Cancelled));
        outcome.notes.concat()
    };
    let sure = stopped_before(&text, 2, &property(Kind::Ltl, "F x = 3"));
    assert_eq!(sure.verdict, Verdict::Holds, "whatever would have followed");
    assert!(told("F x = 4", 2).ends_with("the 3 events read for the whole run, it is violated"));
    assert!(told("G x < 5", 1).ends_with("the 4 events read for the whole run, it holds"));
}
