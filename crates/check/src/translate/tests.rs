//! The integers of a model against the exact values they stand for, at every cut.

use causet_base::Diagnostic;
use causet_formula::core::Ctl;
use causet_formula::{CmpOp, Kind, Lets, Property};
use causet_trace::{Trace, notation};

use super::{Cond, Formula, Model, Term, translate};
use crate::prepare::prepare;
use crate::subject::Subject;
use crate::valuation::Valuation;

const RUN: &str = "a: x=0.5 m!b x=1.25,s=true n!b x=-3 s=\"on\"\nb: y=2 m? s=\"on\" s=1 y=7";

/// The model with a predicate as its property, beside the predicate in the core language.
fn both(run: &Trace, predicate: &str) -> Result<(Model, Ctl), Diagnostic> {
    let subject = Subject::of(run);
    let property = Property::parse(Kind::Ctl, "p", predicate).expect("a formula");
    let question = prepare(&subject, &property, &Lets::none()).expect("a question");
    let model = translate(&subject, Some(&question))?;
    Ok((model, question.lowered.body))
}

/// Every cut, found by adding one event at a time.
fn cuts(run: &Trace) -> Vec<Vec<u32>> {
    let order = run.order();
    let mut found = vec![vec![0; order.process_count()]];
    let mut next = 0;
    while next < found.len() {
        for process in order.processes() {
            let mut cut = found[next].clone();
            cut[process.index()] += 1;
            let Some(event) = order.event(process, cut[process.index()]) else {
                continue;
            };
            let inside =
                |&before| order.position_of(before) <= cut[order.process_of(before).index()];
            if order.crossing_into(event).iter().all(inside) && !found.contains(&cut) {
                found.push(cut);
            }
        }
        next += 1;
    }
    found
}

fn holds(model: &Model, cond: &Cond, cut: &[u32]) -> bool {
    match cond {
        Cond::Const(truth) => *truth,
        Cond::Compare(op, left, right) => {
            op.accepts(value(model, left, cut).cmp(&value(model, right, cut)))
        }
        Cond::Not(part) => !holds(model, part, cut),
        Cond::And(parts) => parts.iter().all(|part| holds(model, part, cut)),
        Cond::Or(parts) => parts.iter().any(|part| holds(model, part, cut)),
    }
}

/// In 32 bits, so that leaving them is a failure.
fn value(model: &Model, term: &Term, cut: &[u32]) -> i32 {
    let both = |left: &Term, right: &Term| (value(model, left, cut), value(model, right, cut));
    let small = |code: i64| i32::try_from(code).expect("32 bits");
    match term {
        Term::Const(code) => small(*code),
        Term::Variable(number) => {
            let variable = &model.variables[*number];
            let mut writes = variable.writes.iter().rev();
            let last = writes.find(|(at, _)| at.position <= cut[at.process]);
            small(last.map_or(variable.initial, |&(_, code)| code))
        }
        Term::Steps(process) => small(i64::from(cut[*process])),
        Term::Inflight(number) => {
            let changes = model.channels[*number].changes.iter();
            let happened = changes.filter(|(at, _)| at.position <= cut[at.process]);
            small(happened.map(|&(_, change)| change).sum())
        }
        Term::Add(left, right) => {
            let (left, right) = both(left, right);
            left.checked_add(right).expect("32 bits")
        }
        Term::Subtract(left, right) => {
            let (left, right) = both(left, right);
            left.checked_sub(right).expect("32 bits")
        }
        Term::Multiply(left, right) => {
            let (left, right) = both(left, right);
            left.checked_mul(right).expect("32 bits")
        }
        Term::Choose(when, then, other) => match holds(model, when, cut) {
            true => value(model, then, cut),
            false => value(model, other, cut),
        },
    }
}

#[test]
fn conditions_hold_at_the_cuts_where_predicates_do() {
    let run = notation::parse(RUN).expect("a drawing");
    let cuts = cuts(&run);
    assert!(cuts.len() > 12, "{} cuts", cuts.len());
    for predicate in [
        "a.x < 1",
        "a.x = 1.25",
        "a.x * a.x = 1.5625",
        "a.x * 2 + b.y = 4.5",
        "-a.x > b.y - 1",
        "a.x = 0.333",
        "a.x != 99999999999",
        "a.s = b.s",
        "a.s != b.s",
        "a.s = true",
        "b.s = 1",
        "b.s = b.y",
        "b.s != a.x - 0.25",
        "(a.x > 1) = a.s",
        "(a.x > 1) = (b.y > 1)",
        "a.x && !b.y",
        "inflight(a -> b) = 1",
        "inflight(a -> b) + steps(b) > steps(a)",
        "empty(a -> b) && done(b)",
        "min(i in procs: steps(i)) < 1 || max(i in procs: steps(i)) = 5",
        "count(i in procs: i.s = \"on\") = 1",
        "final || initial",
    ] {
        let (model, body) = both(&run, predicate).expect("a model");
        let (Ctl::State(pred), Some(Formula::State(cond))) = (&body, &model.property) else {
            panic!("{predicate} is a predicate");
        };
        let valuation = Valuation::new(&run, [pred]);
        for cut in &cuts {
            let exact = valuation.holds(pred, cut);
            assert_eq!(holds(&model, cond, cut), exact, "{predicate} at {cut:?}");
        }
    }
}

#[test]
fn what_may_leave_the_integers_is_refused() {
    let run = notation::parse(RUN).expect("a drawing");
    for predicate in [
        "a.x * 2000000000 > 1",
        "b.y + 2147483646 > 0",
        "a.x < 2147483647",
        "b.y < 0.0000000001",
        "a.x / 2 < 1",
        "b.y % 2 = 0",
    ] {
        assert!(both(&run, predicate).is_err(), "{predicate}");
    }
    let fits = both(&run, "b.y + 2147483640 > 0");
    let (model, _) = fits.expect("the largest sum is the largest integer");
    let Some(Formula::State(Cond::Compare(op, ..))) = model.property else {
        panic!("a comparison");
    };
    assert_eq!(op, CmpOp::Gt);
}
