//! Reports of runs with very many processes: the work they take is counted, and a spent limit makes them shorter.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use causet_check::decide::decide;
use causet_check::outcome::Outcome;
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare};
use causet_check::subject::{Subject, var_id};
use causet_formula::{Kind, Lets, Property};
use causet_solve::budget::{Budget, Meter, Spent};
use causet_trace::Trace;
use causet_wire::logs::{self, LogOptions};
use causet_wire::native::Part;
use causet_wire::page::{self, Extras};
use causet_wire::report::{About, Finding, Palette, Report, Size, text};
use causet_wire::story::{Asked, Story};

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

    /// The text and the page, made within a budget.
    fn reported(&self, budget: &Budget<'_>) -> (String, String) {
        let asked = Asked {
            property: &self.property,
            lets: &Lets::none(),
            question: &self.question,
        };
        let mentions = self.question.lowered.mentions.iter();
        let finding = Finding {
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
        };
        let report = Report {
            remarks: causet_wire::remarks::Remarks::default(),
            version: "1.2.3",
            path: "crowd",
            about: About::Run {
                subject: Some(self.subject),
                size: Some(Size::of(self.subject.trace)),
            },
            read_seconds: 0.0,
            budget,
            peak_bytes: None,
            findings: vec![finding],
        };
        let mut out = Vec::new();
        text::write(&report, &Palette::plain(), &mut out).expect("memory is writable");
        let page = page::report(&report, Extras::default()).expect("a run");
        (String::from_utf8(out).expect("text"), page.html)
    }
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
