//! Reports of runs with very many processes: the work they take is counted, and a spent limit makes them shorter.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use causet_base::budget::{Budget, Meter, Spent};
use causet_check::decide::decide;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare};
use causet_check::subject::{Subject, var_id};
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::Part;
use causet_formula::{Kind, Lets, Property};
use causet_report::itf;
use causet_report::json::{self, LongOrders};
use causet_report::page::{self, Extras};
use causet_report::story::{Asked, Story};
use causet_report::{About, Finding, Palette, Report, Size, Stopped, junit, text};
use causet_trace::Trace;
use serde_json::Value;

/// Three events on each process, with messages between some.
fn crowd(processes: usize) -> Trace {
    let mut lines = String::new();
    for round in 0..3 {
        for process in 0..processes {
            let message = match (round, process % 3) {
                (0, _) => format!(",\"send\":\"m{process}\""),
                (1, 0) if process > 0 => format!(",\"recv\":\"m{}\"", process - 1),
                _ => String::new(),
            };
            lines += &format!(
                "{{\"p\":\"p{process}\",\"ev\":\"e{round}\",\"set\":{{\"x\":{round}}}{message}}}\n"
            );
        }
    }
    let parts = vec![Part::new("crowd", lines.as_bytes())];
    let (read, _) = logs::read(parts, &LogOptions::default(), &()).expect("a run");
    read.trace
}

/// A property with its answer on a run.
struct Answered<'t> {
    subject: Subject<'t>,
    property: Property,
    question: Question,
    outcome: Outcome,
}

impl<'t> Answered<'t> {
    fn new(trace: &'t Trace, kind: Kind, text: &str) -> Answered<'t> {
        let subject = Subject::of(trace);
        let property = Property::parse(kind, "p", text).expect("a formula");
        let question = prepare(&subject, &property, &Lets::none()).expect("a meaning");
        let room = Budget::endless();
        let outcome = decide(&subject, &question, Choice::Auto, &room).expect("an answer");
        Answered {
            subject,
            property,
            question,
            outcome,
        }
    }

    /// What is found out about it within a budget.
    fn finding(&self, budget: &Budget<'_>) -> Finding<'_> {
        let asked = Asked {
            property: &self.property,
            lets: &Lets::none(),
            question: &self.question,
        };
        let mentions = self.question.lowered.mentions.iter();
        Finding {
            witness: self.outcome.witness.as_ref(),
            question: Some(&self.question),
            story: Story::of(self.subject, asked, &self.outcome, budget),
            mentioned: mentions.map(|&(var, _)| var_id(var)).collect(),
            ..Finding::bare(
                &self.property.name,
                self.property.kind.word(),
                &self.property.text,
                self.outcome.verdict,
            )
        }
    }

    /// The text and the page, made within a budget.
    fn reported(&self, budget: &Budget<'_>) -> (String, String) {
        let report = report(self.subject, vec![self.finding(budget)], budget);
        let text = drawn(&report);
        let page = page::report(&report, Extras::default()).expect("a run");
        (text, page.html)
    }
}

/// A report within a budget.
fn report<'a>(
    subject: Subject<'a>,
    findings: Vec<Finding<'a>>,
    budget: &'a Budget<'a>,
) -> Report<'a> {
    Report {
        remarks: causet_report::remarks::Remarks::default(),
        version: "1.2.3",
        path: "crowd",
        about: About::Run {
            subject: Some(subject),
            size: Some(Size::of(subject.trace)),
        },
        read_seconds: 0.0,
        budget,
        peak_bytes: || None,
        findings,
    }
}

/// The text of a report.
fn drawn(report: &Report<'_>) -> String {
    let mut out = Vec::new();
    text::write(report, &Palette::plain(), &mut out).expect("memory is writable");
    String::from_utf8(out).expect("text")
}

/// Properties that are broken or shown in several ways: by a cut, by all of an order, by many variables, by events.
const ASKED: [(Kind, &str); 6] = [
    (Kind::Ctl, "AG !(p5.x == 2 && p7.x == 1)"),
    (Kind::Ctl, "AF p5.x == 7"),
    (Kind::Ctl, "AG (p9.x == 1 -> AF p5.x == 9)"),
    (Kind::Ctl, "AG count(i in procs: i.x == 2) < 500"),
    (Kind::Ltl, "G (on(\"e1\") -> F p5.x == 9)"),
    (Kind::Possibly, "{ p5.x == 2 ; p7.x == 1 }"),
];

#[test]
fn a_report_takes_work_in_proportion_to_the_run() {
    let runs = [crowd(1_000), crowd(10_000)];
    for (kind, text) in ASKED {
        let steps = runs.each_ref().map(|trace| {
            let answered = Answered::new(trace, kind, text);
            let budget = Budget::endless();
            let (drawing, page) = answered.reported(&budget);
            assert!(!drawing.contains("cut short"), "{text}:\n{drawing}");
            assert!(drawing.len() < 10_000, "{text}: {} bytes", drawing.len());
            // Names and counts of all processes, and what a few lanes show.
            let most = 1_500_000 + 120 * trace.order().process_count();
            assert!(page.len() < most, "{text}: {} bytes", page.len());
            budget.steps()
        });
        assert!(steps[1] < 20 * steps[0] + 100_000, "{text}: {steps:?}");
    }
}

/// Stops the work after a number of looks.
struct Looks {
    all: u64,
    taken: AtomicU64,
}

impl Meter for Looks {
    fn stop(&self) -> Option<Spent> {
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        (taken >= self.all).then_some(Spent::Time)
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.taken.load(Ordering::Relaxed))
    }
}

#[test]
fn a_spent_limit_leaves_the_verdict_the_sentence_and_the_cut() {
    let trace = crowd(2_000);
    let answered = Answered::new(&trace, Kind::Ctl, "AG !(p5.x == 2 && p7.x == 1)");
    let mut whole = [false, false];
    for all in 0..400 {
        let meter = Looks {
            all,
            taken: AtomicU64::new(0),
        };
        let (drawing, page) = answered.reported(&Budget::new(&meter));
        for (form, is_whole) in [&drawing, &page].into_iter().zip(&mut whole) {
            let is_short = form.contains("The drawing was cut short by the limit (timeout).");
            assert!(
                !(is_short && *is_whole),
                "whole with fewer looks than {all}"
            );
            *is_whole |= !is_short;
            assert!(form.contains("violated"), "{all}:\n{form}");
        }
        if !whole[0] {
            let words = ["In short: ", "At the cut ", "3 of 3 of p5", "2 of 3 of p7"];
            for word in words {
                assert!(drawing.contains(word), "{all}, {word}:\n{drawing}");
            }
            assert!(page.contains("In short: ") && page.len() < 2_000);
        }
    }
    assert_eq!(whole, [true, true]);
}

#[test]
fn the_end_of_the_memory_is_the_end_of_a_drawing() {
    let trace = crowd(2_000);
    let answered = Answered::new(&trace, Kind::Ctl, "AF p5.x == 7");
    let (_, page) = answered.reported(&Budget::endless().with_memory(1_000, 0));
    assert!(page.contains("The drawing was cut short by the limit (memory)."));
}

/// A meter that has stopped already.
fn stopped() -> Looks {
    Looks {
        all: 0,
        taken: AtomicU64::new(0),
    }
}

#[test]
fn states_beyond_a_limit_are_not_written_to_their_end() {
    let trace = crowd(100);
    let answered = Answered::new(&trace, Kind::Ctl, "AF p5.x == 7");
    let witness = answered.outcome.witness.as_ref().expect("an order");
    let mut states = Vec::new();
    let mut written =
        |budget: &Budget<'_>| itf::write_witness(&trace, witness, "p", budget, &mut states);
    assert!(written(&Budget::endless()).is_ok());
    let meter = Looks {
        all: 100,
        taken: AtomicU64::new(0),
    };
    let ended = written(&Budget::new(&meter));
    assert!(
        matches!(ended, Err(Stopped::Limit(Spent::Time))),
        "{ended:?}"
    );
}

#[test]
fn orders_beyond_a_limit_are_left_out_of_many_results() {
    let trace = crowd(2_000);
    let answered = Answered::new(&trace, Kind::Ctl, "AF p5.x == 7");
    let meter = stopped();
    let budget = Budget::new(&meter);
    let results = |count: usize| {
        let findings = vec![answered.finding(&budget); count];
        let report = report(answered.subject, findings, &budget);
        let mut out = Vec::new();
        json::write(&report, LongOrders::Moved, None, &mut out).expect("memory is writable");
        let whole: Value = serde_json::from_slice(&out).expect("JSON");
        whole["results"].as_array().expect("results").clone()
    };
    // A few events are listed whatever the limits.
    let one = results(1);
    assert_eq!(
        one[0]["witness"]["run"].as_array().map(Vec::len),
        Some(6_000)
    );
    for result in results(2) {
        assert_eq!(result["witness"]["run"], Value::Null);
        assert_eq!(result["verdict"], "violated");
        let note = "the order was left out by the limit (timeout)";
        assert_eq!(result["notes"], serde_json::json!([note]));
    }
}

#[test]
fn many_results_take_time_in_proportion_to_their_number() {
    let trace = crowd(1);
    let names: Vec<String> = (0..20_000).map(|number| format!("p{number}")).collect();
    let unknown = Verdict::Unknown(Spent::Time);
    let findings = names
        .iter()
        .map(|name| Finding::bare(name, "ctl", "AG true", unknown));
    let budget = Budget::endless();
    let report = report(Subject::of(&trace), findings.collect(), &budget);
    let start = Instant::now();
    junit::write(&report, &mut std::io::sink()).expect("nothing is written");
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(6), "{taken:?}");
}

#[test]
fn a_search_that_a_limit_ended_does_not_show_that_no_order_is_enough() {
    let trace = crowd(3);
    let budget = Budget::endless();
    let text = |witness_spent: Option<Spent>| {
        let finding = Finding {
            witness_spent,
            ..Finding::bare("p", "ctl", "AF p0.x == 7", Verdict::Violated)
        };
        drawn(&report(Subject::of(&trace), vec![finding], &budget))
    };
    assert!(text(None).contains("No single order shows this"));
    assert!(!text(Some(Spent::Memory)).contains("No single order"));
}
