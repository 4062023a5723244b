//! The classes of predicates and formulas, by example.

mod common;

use causet_formula::classify::{classify_ctl, ctl_support, temporal_depth};
use causet_formula::{Kind, VarRef};
use common::{Town, check, draw_all};

#[test]
fn classes() {
    let cases = [
        (
            "p1.x = 1 && p1.only = 2",
            "local, conjunctive, disjunctive, regular, stutter-invariant, RCTL",
        ),
        (
            "p1.x = 1 && p2.x = 2",
            "conjunctive, regular, stutter-invariant, RCTL",
        ),
        (
            "!(p1.x = 1 || p2.x = 2)",
            "conjunctive, regular, stutter-invariant, RCTL",
        ),
        ("p1.x = 1 || p2.x = 2", "disjunctive, stutter-invariant"),
        ("!(p1.x = 1 && p2.x = 2)", "disjunctive, stutter-invariant"),
        ("p1.x = p2.x", "relational, stutter-invariant"),
        (
            "(p1.x || p2.x) && (p1.only || p2.state)",
            "stutter-invariant",
        ),
        ("turn = 1 && p1.x = 2", "regular, stutter-invariant, RCTL"),
        ("turn = p1.x", "relational, stutter-invariant"),
        (
            "empty(p1 -> p2) && p1.x",
            "regular, relational, channel, stutter-invariant, RCTL",
        ),
        (
            "inflight(p1 -> p2) != 2",
            "relational, channel, stutter-invariant",
        ),
        (
            "!(inflight(p1 -> p2) = 2)",
            "relational, channel, stutter-invariant",
        ),
        (
            "final",
            "conjunctive, regular, stable, stutter-invariant, RCTL",
        ),
        (
            "steps(p1) >= 3 || done(p2)",
            "disjunctive, stable, stutter-invariant",
        ),
        (
            "AG (p1.x = 1 && p2.x = 1)",
            "temporal, stutter-invariant, RCTL",
        ),
        (
            "EF AG (p1.x && p2.x) && EG p1.x",
            "temporal, stutter-invariant, RCTL",
        ),
        ("AF p1.x", "temporal, stutter-invariant"),
        ("EX p1.x", "temporal"),
        ("AG (p1.x = 1 || p2.x = 1)", "temporal, stutter-invariant"),
        (
            "EF empty(p1 -> p2)",
            "channel, temporal, stutter-invariant, RCTL",
        ),
    ];
    let town = Town::new();
    for (text, wanted) in cases {
        let lowered = check(Kind::Ctl, text).unwrap_or_else(|e| panic!("{}", draw_all(text, &e)));
        let class = classify_ctl(&lowered.body, &|variable| town.owner(variable));
        assert_eq!(class.to_string(), wanted, "{text}");
    }
}

#[test]
fn supports_and_depths() {
    let town = Town::new();
    let body = check(Kind::Ctl, "AG (p1.x = 1 -> AF E[turn U done(p2)])")
        .expect("sound")
        .body;
    let support = ctl_support(&body, &|variable| town.owner(variable));
    assert_eq!(
        support.variables.into_iter().collect::<Vec<_>>(),
        [VarRef(0), VarRef(4)]
    );
    assert_eq!(support.processes.len(), 2);
    assert!(support.shared && !support.channel);
    assert_eq!(temporal_depth(&body), 3);
}
