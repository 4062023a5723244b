//! Formulas that a few cuts decide, on runs with too many cuts to visit and memory for only a few of them.

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::engine::table;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::notation;

#[test]
fn the_cuts_after_one_event_or_the_final_cut_decide() {
    let row = |process: usize| format!("p{process}:{}\n", "  x=1  x=2  x=0".repeat(6));
    let drawing: String = (0..12).map(row).collect();
    let trace = notation::parse(&drawing).expect("a drawing");
    let subject = Subject::of(&trace);
    let sum = "sum(i in procs: i.x)";
    let cases = [
        // After one event.
        (format!("EX {sum} % 7 = 1"), Verdict::Holds),
        (format!("AX {sum} % 7 = 2"), Verdict::Violated),
        (format!("EX EX {sum} % 7 = 2"), Verdict::Holds),
        (format!("EX EX {sum} % 7 = 3"), Verdict::Violated),
        // At the final cut, which every order reaches.
        (format!("AX EF {sum} % 7 = 0"), Verdict::Holds),
        (format!("EF AG {sum} % 7 != 0"), Verdict::Violated),
        (format!("AG (p1.x = 1 -> AF {sum} % 7 = 0)"), Verdict::Holds),
        // Whatever the values are.
        (
            format!("A[p1.x < 3 U p2.x = 1 && {sum} >= {sum}]"),
            Verdict::Holds,
        ),
    ];
    for (text, expected) in cases {
        let property =
            Property::parse(Kind::Ctl, "p", &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let question =
            prepare(&subject, &property, &Lets::none()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let budget = Budget::endless().with_memory(1 << 20, 0);
        let outcome =
            decide(&subject, &question, Choice::Auto, &budget).expect("auto refuses none");
        assert_eq!(outcome.verdict, expected, "{text}");
    }
}

#[test]
fn both_ends_of_every_order_decide_ltl() {
    let row = |process: usize| format!("p{process}:{}\n", "  x=1  x=2  x=0".repeat(6));
    let drawing: String = (0..12).map(row).collect();
    let trace = notation::parse(&drawing).expect("a drawing");
    let subject = Subject::of(&trace);
    let sum = "sum(i in procs: i.x)";
    let cases = [
        (format!("F ({sum} % 7 = 0 && !initial)"), Verdict::Holds),
        (
            format!("F ((F {sum} % 7 = 3) -> G ({sum} % 5 = 0))"),
            Verdict::Holds,
        ),
        (
            format!("F ((G on(p3)) W G ({sum} % 7 != 3))"),
            Verdict::Holds,
        ),
        (format!("p1.x = 0 U {sum} % 7 = 0"), Verdict::Holds),
        (format!("X (true U {sum} % 7 = 0)"), Verdict::Holds),
        (format!("on(p2) U !(G ({sum} % 7 != 0))"), Verdict::Holds),
        (format!("F (N ({sum} % 7 = 3) W on(p1))"), Verdict::Holds),
    ];
    for (text, expected) in cases {
        let property =
            Property::parse(Kind::Ltl, "p", &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let question =
            prepare(&subject, &property, &Lets::none()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let budget = Budget::endless().with_memory(1 << 20, 0);
        let outcome =
            decide(&subject, &question, Choice::Auto, &budget).expect("auto refuses none");
        assert_eq!(outcome.verdict, expected, "{text}");
        assert_eq!(outcome.engine, Some(&table::OBSERVED), "{text}");
    }
}

#[test]
fn a_letter_that_is_never_true_decides() {
    let row = |process: usize| format!("p{process}:{}\n", "  x=1  x=2  x=0".repeat(6));
    let drawing: String = (0..12).map(row).collect();
    let trace = notation::parse(&drawing).expect("a drawing");
    let subject = Subject::of(&trace);
    let sum = "sum(i in procs: i.x)";
    let cases = [
        (
            Kind::Possibly,
            format!("{{ p1.x = 1 ; {sum} > 24 ; p2.x = 2 }}"),
            Verdict::Violated,
        ),
        (
            Kind::Possibly,
            format!("re( any* . {sum} > 24 . any* . p1.x = 1 . any* )"),
            Verdict::Violated,
        ),
        (
            Kind::Ltl,
            format!("G (p1.x = 1 -> N G ({sum} > 24 -> G p2.x = 0))"),
            Verdict::Holds,
        ),
        (
            Kind::Monitor,
            format!("{{ start s; s -> t on p1.x = 1; t -> u on {sum} > 24; bad u }}"),
            Verdict::Holds,
        ),
    ];
    for (kind, text, expected) in cases {
        let property =
            Property::parse(kind, "p", &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let question =
            prepare(&subject, &property, &Lets::none()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let budget = Budget::endless().with_memory(1 << 20, 0);
        let outcome =
            decide(&subject, &question, Choice::Auto, &budget).expect("auto refuses none");
        assert_eq!(outcome.verdict, expected, "{text}");
    }
}
