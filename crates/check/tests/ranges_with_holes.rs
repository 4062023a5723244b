//! Logs with holes and properties about all processes: the processes that a range is taken from may be missing too.
//!
//! `CAUSET_ROUNDS=n` tries more random runs, `CAUSET_SEED=n` repeats one of them.

mod common;
#[path = "ranges_with_holes/random_log.rs"]
mod random_log;
#[path = "ranges_with_holes/random_property.rs"]
mod random_property;

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::native::{self, Part, ReadOptions};
use causet_formula::{Kind, Lets, Property, PropertyFile};
use causet_trace::Trace;
use common::number_from_environment;
use fastrand::Rng;
use random_log::RandomLog;
use random_property::{DEFINITIONS, PropertyMaker};

/// A run from JSON lines.
fn read(text: &str, lenient: bool) -> Option<Trace> {
    let options = ReadOptions {
        lenient,
        ..ReadOptions::default()
    };
    let parts = vec![Part::new("log", text.as_bytes())];
    let reading = native::read(parts, &options, &()).ok()?;
    Some(reading.trace)
}

/// The outcome of a property, or nothing where the property is refused.
fn outcome(trace: &Trace, kind: Kind, text: &str, lets: &Lets) -> Option<Outcome> {
    let subject = Subject::of(trace);
    let property = Property::parse(kind, "p", text)
        .unwrap_or_else(|errors| panic!("{kind} {text}: {errors:?}"));
    let question = prepare(&subject, &property, lets).ok()?;
    let outcome = decide(&subject, &question, Choice::Auto, &Budget::endless());
    Some(outcome.unwrap_or_else(|failure| panic!("{text}: {failure}")))
}

/// The verdict on a log, in a word, and what is said about it.
fn verdict(log: &str, kind: Kind, text: &str) -> (&'static str, String) {
    let log = read(log, true).expect("a log that is read leniently");
    let file = PropertyFile::parse(DEFINITIONS).expect("definitions");
    let outcome = outcome(&log, kind, text, &file.lets).expect("a property with a meaning");
    (outcome.verdict.word(), outcome.notes.join("\n"))
}

/// `a#1`, which wrote `x = 5`, is missing.
const FIRST_MISSING: &str = r#"{"causet":1,"processes":["a","b"]}
{"p":"a","clock":{"a":2}}
{"p":"b","set":{"x":1},"clock":{"b":1}}
"#;

/// All of `a` is missing: only a clock names it.
const PROCESS_MISSING: &str = r#"{"p":"b","set":{"x":1},"clock":{"b":1,"a":2}}
"#;

/// The sender of `m` is missing, and nothing says who it was.
const SENDER_MISSING: &str = r#"{"p":"b","set":{"x":1},"recv":"m"}
"#;

/// Kind, verdict and property; of the log only `b.x` is known, which becomes 1.
const CASES: &str = r#"
ctl unknown forall i in procs: AG i.x < 2
ctl violated forall i in procs: AG i.x < 1
ctl unknown exists i in procs: EF i.x > 1
ctl holds exists i in procs: EF i.x = 1
ctl unknown AG (forall i in procs: i.x < 2)
ctl violated AG (forall i in procs: i.x < 1)
ctl holds !(forall i in procs: AG i.x < 1)
ctl unknown !(forall i in procs: AG i.x < 2)
ctl unknown AG !(exists i in procs: i.x > 1)
ctl violated AG !(exists i in procs: i.x = 1)
ctl unknown (exists i in procs: EF i.x > 1) -> EF b.x > 1
ctl violated (exists i in procs: EF i.x = 1) -> EF b.x > 1
ctl unknown (EF b.x = 1) <-> (exists i in procs: EF i.x = 1)
ctl holds forall i in procs("b*"): AG i.x < 2
ctl unknown AG somebody_high
ctl unknown AG !somebody_high
ctl unknown forall i in procs: AG !high(i)
ctl unknown forall i in procs: exists j in procs: EF i.x = j.x
ctl unknown AG count(i in procs: i.x > 1) = 0
ctl unknown AG sum(i in procs: i.x) < 2
ctl unknown AG max(i in procs: i.x) < 2
ctl unknown AG min(i in procs: i.x) >= 0
ctl unknown AG ((forall i in procs: i.x < 2) = true)
ltl unknown forall i in procs: G i.x < 2
ltl unknown G (forall i in procs: i.x < 2)
ltl violated G (forall i in procs: i.x < 1)
ltl unknown F on(exists i in procs: i.x = 1)
possibly unknown exists i in procs: i.x > 1
possibly holds exists i in procs: i.x = 1
possibly unknown { b.x = 0 ; exists i in procs: i.x > 1 }
possibly holds { b.x = 0 ; exists i in procs: i.x = 1 }
possibly unknown { b.x = 0 ; [never exists i in procs: i.x = 1] b.x = 1 }
definitely unknown forall i in procs: i.x = 1
definitely unknown re( b.x = 0 . (exists i in procs: i.x = 1) )
monitor unknown forall i in procs: { start s; s -> t on i.x > 1; bad t }
monitor violated forall i in procs: { start s; s -> t on i.x = 1; bad t }
monitor unknown { start s; s -> t when exists i in procs: i.x > 1; bad t }
monitor unknown { start s; s -> t when exists i in procs: i.x = 1; bad t }
ctl holds AG b.x < 2
ctl violated AG (b.x < 1 && steps(a) < 2)
ctl unknown AG (b.x < 2 && steps(a) < 2)
"#;

#[test]
fn a_range_in_doubt_leaves_only_the_verdict_that_more_processes_cannot_change() {
    for case in CASES.lines().filter(|line| !line.is_empty()) {
        let mut words = case.splitn(3, ' ');
        let mut next = || words.next().expect("kind, verdict and property");
        let kind = match next() {
            "ctl" => Kind::Ctl,
            "ltl" => Kind::Ltl,
            "possibly" => Kind::Possibly,
            "definitely" => Kind::Definitely,
            _ => Kind::Monitor,
        };
        let (expected, text) = (next(), next());
        for log in [FIRST_MISSING, PROCESS_MISSING] {
            let (found, notes) = verdict(log, kind, text);
            assert_eq!(found, expected, "{log}{kind} {text}: {notes}");
        }
    }
}

#[test]
fn a_position_more_may_change_what_a_monitor_or_a_sequence_finds() {
    let log = r#"{"causet":1,"processes":["a","b"]}
{"p":"a","set":{"x":2},"clock":{"a":1}}
{"p":"a","set":{"x":0},"clock":{"a":2,"b":1}}
"#;
    let monitor = "{ start s; s -> u when a.x = 2; u -> t when a.x = 2; bad t }";
    assert_eq!(verdict(log, Kind::Monitor, monitor).0, "unknown");
    assert_eq!(
        verdict(log, Kind::Possibly, "{ a.x = 2 ; a.x = 2 }").0,
        "unknown"
    );
    assert_eq!(
        verdict(log, Kind::Possibly, "{ a.x = 2 ; a.x = 0 }").0,
        "holds"
    );
    let always = "G (on(a) || steps(a) = 0)";
    assert_eq!(verdict(log, Kind::Ltl, always).0, "unknown");
}

#[test]
fn a_process_that_the_log_does_not_name_may_belong_to_every_range() {
    for text in [
        "forall i in procs: AG i.x < 2",
        "forall i in procs: AF done(i)",
        "AG count(i in procs: true) = 1",
        "AF final",
        "AG (initial -> b.x = 0)",
    ] {
        assert_eq!(
            verdict(SENDER_MISSING, Kind::Ctl, text).0,
            "unknown",
            "{text}"
        );
    }
    for text in [
        "forall i in procs: AF done(i)",
        "AF final",
        "AG steps(a) = 0",
    ] {
        assert_eq!(
            verdict(PROCESS_MISSING, Kind::Ctl, text).0,
            "unknown",
            "{text}"
        );
    }
}

#[test]
fn a_listed_process_without_an_event_may_be_missing() {
    let lines = r#"{"causet":1,"processes":["a","b"]}
{"p":"b","set":{"x":1}}
"#;
    let property = "forall i in procs: AG i.x < 2";
    assert_eq!(verdict(lines, Kind::Ctl, property).0, "unknown");
    assert_eq!(verdict(lines, Kind::Ctl, "AG b.x < 2").0, "holds");
    assert_eq!(verdict(lines, Kind::Ctl, "AG steps(a) = 0").0, "unknown");
    let ended = format!("{lines}{}\n", r#"{"p":"a","end":true}"#);
    assert_eq!(verdict(&ended, Kind::Ctl, property).0, "holds");
}

#[test]
fn positions_are_in_doubt_where_missing_lines_may_change_them() {
    let lines = r#"{"p":"a","clock":{"a":1},"set":{"x":2}}
{"p":"b","clock":{"b":1},"set":{"x":1}}
{"p":"c","clock":{"c":2}}
"#;
    let listed = format!("{{\"causet\":1,\"processes\":[\"a\",\"b\",\"c\"]}}\n{lines}");
    let property = "forall i, j in procs(\"?\") where i < j: EF (steps(i) > 0 && steps(j) = 0)";
    let named = "exists i in procs(\"a\"): exists j in procs(\"b\"): i < j && EF i.x = 2";
    assert_eq!(verdict(lines, Kind::Ctl, named).0, "unknown");
    assert_eq!(verdict(&listed, Kind::Ctl, named).0, "holds");
    assert_eq!(verdict(lines, Kind::Ctl, property).0, "unknown");
    let unequal = "exists i in procs(\"a\"): exists j in procs(\"b\"): i != j && EF i.x = 2";
    assert_eq!(verdict(lines, Kind::Ctl, unequal).0, "holds");
}

#[test]
fn the_explanation_names_the_range_and_what_is_missing() {
    let property = "forall i in procs: AG i.x < 2";
    let (_, notes) = verdict(FIRST_MISSING, Kind::Ctl, property);
    assert_eq!(
        notes,
        "events of a are missing from the log, and a may have had a variable x: the range of `i` is in doubt; among \
         the events that were logged it holds"
    );
    let (_, notes) = verdict(SENDER_MISSING, Kind::Ctl, "AG count(i in procs: true) = 1");
    assert!(
        notes.contains("a whole process may be missing too: the range of `i` is in doubt"),
        "{notes}"
    );
}

/// How the verdicts on logs compare with those on the whole runs.
#[derive(Default, Debug)]
struct Tally {
    comparisons: u64,
    definite: u64,
    wrong: u64,
}

#[test]
fn what_is_sure_of_all_processes_of_a_log_is_true_of_the_whole_run() {
    let lets = PropertyFile::parse(DEFINITIONS).expect("definitions").lets;
    let rounds = number_from_environment("CAUSET_ROUNDS").unwrap_or(700);
    let seeds = match number_from_environment("CAUSET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..rounds,
    };
    let mut tallies = [Tally::default(), Tally::default()];
    let mut wrong = Vec::new();
    let mut logs = 0;
    for seed in seeds {
        let mut random = Rng::with_seed(seed);
        let log = RandomLog::with_holes(&mut random);
        let whole = read(&log.whole, false).expect("a whole run");
        let Some(left) = read(&log.left, true) else {
            continue;
        };
        assert!(
            !left.holes().is_empty(),
            "seed {seed}: nothing shows a hole\n{}",
            log.left
        );
        logs += 1;
        for number in 0..8 {
            let is_quantified = number % 2 == 0;
            let names = log.processes.clone();
            let mut maker = PropertyMaker::new(&mut random, names, is_quantified);
            let (kind, text) = maker.property();
            let found = outcome(&left, kind, &text, &lets);
            let truth = outcome(&whole, kind, &text, &lets);
            let (Some(found), Some(truth)) = (found, truth) else {
                continue;
            };
            let tally = &mut tallies[usize::from(is_quantified)];
            tally.comparisons += 1;
            tally.definite += u64::from(found.verdict != Verdict::Doubtful);
            if found.verdict != Verdict::Doubtful && found.verdict != truth.verdict {
                tally.wrong += 1;
                wrong.push(format!(
                    "seed {seed}: {kind} {text}: {} instead of {}\n{}whole run:\n{}",
                    found.verdict.word(),
                    truth.verdict.word(),
                    log.left,
                    log.whole
                ));
            }
        }
    }
    println!(
        "{logs} logs; without quantifiers {:?}, with them {:?}",
        tallies[0], tallies[1]
    );
    let shown: Vec<&String> = wrong.iter().take(5).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong, such as {shown:#?}",
        wrong.len()
    );
    if rounds >= 500 && logs > 1 {
        assert!(
            tallies
                .iter()
                .all(|tally| tally.definite > tally.comparisons / 20)
        );
    }
}
