//! Untils about counts and sums on runs with too many cuts to visit: what they need is looked for first.

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::engine::ist;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::plan::choose::Manner;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::random::{self, Shape};
use causet_trace::{Trace, notation};
use fastrand::Rng;

fn check(trace: &Trace, text: &str, choice: Choice) -> Outcome {
    let subject = Subject::of(trace);
    let property =
        Property::parse(Kind::Ltl, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let question =
        prepare(&subject, &property, &Lets::none()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let outcome = decide(&subject, &question, choice, &Budget::endless());
    outcome.unwrap_or_else(|failure| panic!("{text}: {failure}"))
}

/// Whether a property was decided since a violation needs something that no cut satisfies.
fn is_out_of_reach(outcome: &Outcome) -> bool {
    let mut tried = outcome.steps.iter().flat_map(|step| &step.tried);
    tried.any(|(attempt, found)| attempt.manner == Manner::Need && found.is_ok())
}

#[test]
fn wide_runs_get_the_verdicts_of_diagrams() {
    let (mut out_of_reach, mut violated) = (0, 0);
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            processes: 9,
            events: 72,
            messages: 0.15,
            writes: 0.8,
            shared: false,
        };
        let trace = random::run(&mut rng, shape);
        let (p, bound) = (rng.usize(1..=9), rng.i64(15..=20));
        // Sums go up to 18 and counts to 9: some of these bounds are never broken.
        let text = match seed % 3 {
            0 => format!("!done(p{p}) W sum(i in procs: i.x) > {}", bound - 9),
            1 => format!("G (p{p}.x < 2 -> (p{p}.x < 2 W sum(i in procs: i.x) < {bound}))"),
            _ => format!(
                "G (p{p}.x = 0 -> (p{p}.x = 0 W count(i in procs: i.x = 2) < {}))",
                bound - 9
            ),
        };
        let outcome = check(&trace, &text, Choice::Auto);
        let expected = check(&trace, &text, Choice::Forced(&ist::ENGINE));
        assert_eq!(outcome.verdict, expected.verdict, "seed {seed}: {text}");
        let has_witness = outcome.verdict == Verdict::Violated;
        assert_eq!(outcome.witness.is_some(), has_witness, "seed {seed}");
        out_of_reach += u32::from(is_out_of_reach(&outcome));
        violated += u32::from(has_witness);
    }
    assert!(
        out_of_reach > 2 && violated > 5,
        "{out_of_reach} {violated}"
    );
}

const NAMES: [&str; 8] = ["b", "c", "d", "e", "f", "g", "h", "i"];

/// Eight processes work on their own and report to the first, which then says that all is over.
fn detection(last: &str) -> Trace {
    let mut drawing = String::from("init a.over=0");
    for name in NAMES {
        drawing += &format!(" {name}.busy=1");
    }
    drawing += "\na: m1? m2? m3? m4? m5? m6? m7? m8? over=1\n";
    for (number, name) in NAMES.iter().enumerate() {
        let report = number + 1;
        let work = "busy=0 busy=1 busy=0 busy=1 busy=0 busy=1 busy=0 busy=1 busy=0";
        drawing += &format!("{name}: {work} m{report}!a");
        drawing += if *name == "i" { last } else { "" };
        drawing += "\n";
    }
    notation::parse(&drawing).unwrap_or_else(|error| panic!("{error:?}\n{drawing}"))
}

const REST_FIRST: &str = "a.over = 0 W (count(i in procs: i.busy = 1) = 0)";

#[test]
fn rest_comes_before_the_end_is_announced() {
    let outcome = check(&detection(""), REST_FIRST, Choice::Auto);
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert!(is_out_of_reach(&outcome));
}

#[test]
fn what_is_needed_and_reached_decides_nothing() {
    // The last one works again after its report, perhaps before all others rest.
    let outcome = check(&detection(" busy=1"), REST_FIRST, Choice::Auto);
    assert_eq!(outcome.verdict, Verdict::Violated);
    assert!(outcome.witness.is_some() && !is_out_of_reach(&outcome));
}
