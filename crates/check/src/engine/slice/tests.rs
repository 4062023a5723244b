//! Slices against the definition: every sub-formula at every cut, least and greatest cuts, routes judged by the certifier.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

use std::collections::BTreeMap;

use causet_base::budget::{Budget, Meter, Spent};
use causet_formula::core::Ctl;
use causet_solve::chains::Chains;
use causet_trace::random::{self, Shape};
use causet_trace::{Trace, notation};
use fastrand::Rng;

use super::{Effort, Known, Method, Methods, Sliced, effort, run};
use crate::certify::examine;
use crate::engine::subformulas::{Node, Subformulas};
use crate::engine::{Finding, rows};
use crate::fixtures::{Maker, number_from_environment, random_sum, with_projection};
use crate::project::Projection;

/// What the engine says to a formula on a run, everything checked on the way; `None` when it is not supported.
fn check(trace: &Trace, text: &str) -> Option<Finding> {
    with_projection(trace, text, |projection, goal| {
        effort(projection, goal).ok()?;
        check_every_cut(projection, goal, text);
        let budget = Budget::endless();
        let finding = run(projection, goal, &budget).expect("no limit");
        let expected = rows::run(projection, goal, &budget).expect("no limit");
        assert_eq!(finding.holds, expected.holds, "{text}");
        let route = finding.route.clone().expect("no limit");
        let shortest = expected.route.expect("no limit");
        assert_eq!(route.is_some(), shortest.is_some(), "{text}: a route");
        if let (Ctl::Eu(..), Some(route), Some(shortest)) = (goal, &route, &shortest)
            && !by_heaviest_cut(projection, goal)
        {
            let is_longer = route.steps.len() > shortest.steps.len();
            assert!(!is_longer, "{text}: {route:?} instead of {shortest:?}");
        }
        if let Some(route) = &route {
            let trail = projection.lift(route);
            let opinion = examine(trace, goal, finding.holds, &trail, &budget).expect("no limit");
            assert!(opinion.proven, "{text}: {} {route:?}", finding.holds);
        }
        Some(finding)
    })?
}

/// Whether a formula is decided by a cut that is no nearest one.
fn by_heaviest_cut(projection: &Projection<'_>, goal: &Ctl) -> bool {
    let table = Subformulas::of(&[goal]);
    let methods = Methods::find(projection, &table, goal).expect("supported");
    let is_extreme =
        |method: &Option<Method>| matches!(method, Some(Method::Extreme(_) | Method::Spread(_)));
    methods.methods.iter().any(is_extreme)
}

fn check_every_cut(projection: &Projection<'_>, goal: &Ctl, text: &str) {
    let budget = Budget::endless();
    let table = Subformulas::of(&[goal]);
    let truth = truth(projection, &table);
    let methods = Methods::find(projection, &table, goal).expect("supported");
    let sliced = Sliced::decide(projection, table, methods, &budget).expect("no limit");
    for (number, known) in sliced.known.iter().enumerate() {
        let satisfying: Vec<&Vec<u32>> = truth
            .iter()
            .filter(|(_, t)| t[number])
            .map(|(c, _)| c)
            .collect();
        if !at_first_only(known) && sees_no_way(&sliced, number) {
            for (cut, truth) in &truth {
                let holds = sliced.holds_at(number, cut);
                assert_eq!(
                    holds, truth[number],
                    "{text}: sub-formula {number} at {cut:?}"
                );
            }
        }
        let Ok(recipe) = &sliced.recipes[number].yes else {
            continue;
        };
        let terms = sliced.kitchen.terms(recipe).expect("no limit");
        if recipe.is_pure() {
            for (cut, truth) in &truth {
                let contained = terms.iter().any(|term| term.slice.contains(cut));
                assert_eq!(
                    contained, truth[number],
                    "{text}: recipe of {number} at {cut:?}"
                );
            }
        }
        if recipe.is_regular() {
            let (first, last) = (projection.first_cut(), projection.last_cut());
            let slice = terms.first().map(|term| &term.slice);
            let meet = satisfying
                .iter()
                .fold(last, |all, cut| each(&all, cut, u32::min));
            let join = satisfying
                .iter()
                .fold(first.clone(), |all, cut| each(&all, cut, u32::max));
            let expected = (!satisfying.is_empty()).then_some((meet, join));
            let found = slice.and_then(|slice| {
                Some((
                    slice.least(projection, &first)?,
                    slice.greatest(projection)?,
                ))
            });
            assert_eq!(found, expected, "{text}: least and greatest of {number}");
        }
    }
}

/// Whether a sub-formula holds no part that is known at few cuts only.
fn sees_no_way(sliced: &Sliced<'_, '_>, number: usize) -> bool {
    let sees = |part: &usize| sees_no_way(sliced, *part);
    match &sliced.table.nodes[number] {
        Node::State(_) => true,
        Node::Not(part) | Node::Ex(part) => sees(part),
        Node::And(parts) | Node::Or(parts) => parts.iter().all(sees),
        Node::Eu(..) | Node::Au(..) => !at_first_only(&sliced.known[number]),
    }
}

/// Whether the truth is known at the initial cut only.
fn at_first_only(known: &Option<Known>) -> bool {
    matches!(known, Some(Known::Way(_) | Known::Cut(_)))
}

fn each(one: &[u32], other: &[u32], choose: fn(u32, u32) -> u32) -> Vec<u32> {
    one.iter().zip(other).map(|(&a, &b)| choose(a, b)).collect()
}

/// Every cut with the truth of every sub-formula, by the definition, from the last cut to the first.
fn truth(projection: &Projection<'_>, table: &Subformulas<'_>) -> BTreeMap<Vec<u32>, Vec<bool>> {
    let mut known: BTreeMap<Vec<u32>, Vec<bool>> = BTreeMap::new();
    visit(projection, table, projection.first_cut(), &mut known);
    known
}

fn visit(
    projection: &Projection<'_>,
    table: &Subformulas<'_>,
    cut: Vec<u32>,
    known: &mut BTreeMap<Vec<u32>, Vec<bool>>,
) {
    if known.contains_key(&cut) {
        return;
    }
    let mut after: Vec<Vec<bool>> = Vec::new();
    for chain in (0..projection.count()).filter(|&chain| projection.may_advance(&cut, chain)) {
        let mut next = cut.clone();
        next[chain] += 1;
        visit(projection, table, next.clone(), known);
        after.push(known[&next].clone());
    }
    let mut now: Vec<bool> = Vec::new();
    for (number, node) in table.nodes.iter().enumerate() {
        let some = |part: usize| after.iter().any(|truth| truth[part]);
        let all = |part: usize| !after.is_empty() && after.iter().all(|truth| truth[part]);
        now.push(match node {
            Node::State(pred) => projection.holds(projection.number_of(pred), &cut),
            Node::Not(part) => !now[*part],
            Node::And(parts) => parts.iter().all(|&part| now[part]),
            Node::Or(parts) => parts.iter().any(|&part| now[part]),
            Node::Ex(part) => some(*part),
            Node::Eu(hold, goal) => now[*goal] || now[*hold] && some(number),
            Node::Au(hold, goal) => now[*goal] || now[*hold] && all(number),
        });
    }
    known.insert(cut, now);
}

#[test]
fn every_sub_formula_at_every_cut() {
    let rounds = number_from_environment("CAUSET_ROUNDS").unwrap_or(3000);
    let seeds = match number_from_environment("CAUSET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..rounds,
    };
    let (mut supported, mut asked) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        for _ in 0..4 {
            let mut maker = Maker {
                rng: &mut rng,
                processes: shape.processes,
                shared: shape.shared,
            };
            let text = maker.formula(4);
            asked += 1;
            let checked = std::panic::catch_unwind(|| check(&trace, &text).is_some());
            match checked {
                Ok(known) => supported += u32::from(known),
                Err(_) => panic!("CAUSET_SEED={seed}: {text}"),
            }
        }
    }
    println!("{supported} of {asked} formulas");
    assert!(
        asked < 400 || supported * 2 > asked,
        "{supported} of {asked}"
    );
}

/// Sums that go up and down, compared with a constant, by themselves and together with a predicate of slices.
#[test]
fn sums_have_extreme_values() {
    let (mut asked, mut supported, mut held, mut equal) = (0_u32, 0_u32, 0_u32, 0_u32);
    for seed in 0..2500 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            processes: rng.usize(2..=4),
            events: rng.usize(6..=16),
            messages: rng.f64() * 0.6,
            writes: 0.8,
            shared: rng.bool(),
        };
        let trace = random::run(&mut rng, shape);
        for _ in 0..3 {
            let sum = random_sum(&mut rng, shape.processes);
            let op = ["<", "<=", ">", ">=", "!=", "="][rng.usize(0..6)];
            let bound = rng.i64(-4..=4);
            let operator = ["EF", "AG"][rng.usize(0..2)];
            let p = rng.usize(1..=shape.processes);
            let text = match rng.usize(0..3) {
                0 => format!("EF({sum} {op} {bound} && p{p}.x = {})", rng.i64(0..3)),
                _ => format!("{operator}({sum} {op} {bound})"),
            };
            asked += 1;
            let found = with_projection(&trace, &text, |projection, goal| {
                effort(projection, goal).is_ok() && by_heaviest_cut(projection, goal)
            });
            if found != Some(true) {
                continue;
            }
            let checked = std::panic::catch_unwind(|| check(&trace, &text));
            let finding = checked.unwrap_or_else(|_| panic!("seed {seed}: {text}"));
            supported += 1;
            equal += u32::from(op == "=");
            held += u32::from(finding.expect("supported").holds);
        }
    }
    println!("{supported} of {asked}, {held} held, {equal} equations");
    assert!(supported * 5 > asked, "{supported} of {asked}");
    assert!(
        (supported / 5..supported * 4 / 5).contains(&held),
        "{held} of {supported}"
    );
    assert!(equal > 20, "{equal}");
}

/// How far apart the values of some processes get.
#[test]
fn values_get_far_apart() {
    let (mut supported, mut held) = (0_u32, 0_u32);
    for seed in 0..2500 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            processes: rng.usize(2..=4),
            events: rng.usize(6..=16),
            messages: rng.f64() * 0.6,
            writes: 0.8,
            shared: rng.bool(),
        };
        let trace = random::run(&mut rng, shape);
        let op = ["<", "<=", ">", ">="][rng.usize(0..4)];
        let operator = if op.starts_with('>') { "EF" } else { "AG" };
        let part = ["i.x", "steps(i)", "0.5 * i.x", "i.x - steps(i)"][rng.usize(0..4)];
        let less = ["i.x", "steps(i)", part][rng.usize(0..3)];
        let spread = format!("max(i in procs: {part}) - min(i in procs: {less})");
        let bound = rng.i64(-1..=6);
        let text = format!("{operator}({spread} {op} {bound})");
        let checked = std::panic::catch_unwind(|| check(&trace, &text));
        let finding = checked.unwrap_or_else(|_| panic!("seed {seed}: {text}"));
        if let Some(finding) = finding {
            supported += 1;
            held += u32::from(finding.holds);
        }
    }
    assert!(supported > 2000, "{supported}");
    assert!((supported / 5..supported * 4 / 5).contains(&held), "{held}");
}

/// Runs long enough for a way around a conjunction to lead through several gaps.
#[test]
fn ways_around_conjunctions() {
    let mut avoided = 0;
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            processes: rng.usize(2..=4),
            events: 20,
            messages: rng.f64() * 0.6,
            writes: 1.0,
            shared: false,
        };
        let trace = random::run(&mut rng, shape);
        let part =
            |p: usize, rng: &mut Rng| format!("p{p}.x {} 1", ["<=", ">=", "!="][rng.usize(0..3)]);
        let parts: Vec<String> = (1..=shape.processes).map(|p| part(p, &mut rng)).collect();
        let text = format!("AF({})", parts.join(" && "));
        let checked = std::panic::catch_unwind(|| check(&trace, &text));
        let finding = checked.unwrap_or_else(|_| panic!("seed {seed}: {text}"));
        avoided += u32::from(!finding.expect("supported").holds);
    }
    assert!((20..380).contains(&avoided), "{avoided} of 400");
}

/// The formulas of the classes this engine is for, on a run drawn by hand.
#[test]
fn the_promised_classes_are_supported() {
    let trace = notation::parse(
        "a: x=1 m!b x=2 n?   x=3\n\
         b: y=1 m?  y=2 n!a  y=3",
    )
    .expect("a drawing");
    for (text, holds) in [
        ("EF(a.x = 3 && b.y = 1)", false),
        ("EF(a.x = 2 && b.y = 1)", true),
        ("AG(a.x - b.y <= 2)", true),
        ("AG(a.x < b.y + 2)", false),
        ("AG EF(a.x = 3)", true),
        ("EG(a.x != 2 || b.y != 2)", true),
        ("AF(a.x = 2 && b.y = 2)", false),
        ("AF(a.x >= 1 && b.y >= 1)", true),
        ("AG(inflight(a -> b) <= 1)", true),
        ("AG(empty(a -> b) -> EF(!empty(b -> a)))", false),
        ("EF(AG(a.x >= 2) && EG(b.y != 2))", true),
        ("AF(steps(a) + steps(b) >= 10)", true),
        ("EG(steps(a) + steps(b) < 10)", false),
        ("AF(steps(a) + steps(b) < 1)", true),
        ("EF(a.x = 2 && steps(a) + steps(b) < 4)", true),
        ("EF(a.x = 2 && steps(a) + steps(b) < 3)", false),
        (
            "EF(steps(a) + steps(b) > 9 || (a.x = 2 && steps(a) + steps(b) < 3))",
            true,
        ),
    ] {
        let finding = check(&trace, text).unwrap_or_else(|| panic!("{text} is not supported"));
        assert_eq!(finding.holds, holds, "{text}");
    }
}

/// Two lines of one chain whose sum does not change are a constant, and not nothing.
#[test]
fn what_cancels_out_still_counts() {
    let trace = notation::parse("a: x=1 x=2\nb: y=1").expect("a drawing");
    let finding = check(&trace, "AG(0 * b.y + a.x <= steps(a) - 1)").expect("supported");
    assert!(!finding.holds);
}

#[test]
fn what_is_not_decided_is_refused_with_a_reason() {
    let trace = notation::parse("a: x=1 x=0 x=1\nb: y=1 y=0 y=1").expect("a drawing");
    for (text, expected) in [
        ("EX(a.x = 1)", Err("next event")),
        ("E[a.x = 1 U b.y = 1]", Err("left side")),
        ("EF(EG(a.x = 1 || b.y = 1))", Err("no lattice")),
        ("EG(a.x = 1 || b.y = 1)", Ok(Effort::Polynomial)),
        (
            "EG((a.x = 1 && b.y = 1) || (a.x = 0 && b.y = 0))",
            Ok(Effort::Search),
        ),
        ("AG(EF(a.x = 1 || b.y = 1))", Ok(Effort::Polynomial)),
    ] {
        let found = with_projection(&trace, text, effort);
        let found = found.expect("a formula");
        match (found.map_err(|reason| reason.message.clone()), expected) {
            (Err(reason), Err(words)) => assert!(reason.contains(words), "{text}: {reason}"),
            (found, expected) => assert_eq!(found, expected.map_err(str::to_owned), "{text}"),
        }
    }
}

/// A meter that stops at once.
struct Stopped;

impl Meter for Stopped {
    fn stop(&self) -> Option<Spent> {
        Some(Spent::Time)
    }
}

#[test]
fn a_spent_budget_is_passed_on() {
    let trace = notation::parse("a: x=1 x=0 x=1\nb: y=1 y=0 y=1").expect("a drawing");
    for text in ["EF(a.x = 1 && b.y = 1)", "EG(a.x = 1 || b.y = 0)"] {
        let found = with_projection(&trace, text, |projection, goal| {
            run(projection, goal, &Budget::new(&Stopped))
        });
        assert_eq!(found, Some(Err(Spent::Time)), "{text}");
    }
}
