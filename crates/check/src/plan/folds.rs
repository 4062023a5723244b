//! Folds that are compared with a constant, as conjunctions and disjunctions of what they fold.
//!
//! | fold | the same as |
//! |---|---|
//! | `max(e, f, ..) <= c`, `<` | `e <= c && f <= c && ..` |
//! | `max(e, f, ..) >= c`, `>` | `e >= c \|\| f >= c \|\| ..` |
//! | `max(e, f, ..) = c` | all are at most `c`, and some is at least `c` |
//! | `count(p, q, ..) >= 1`, `> 0`, `!= 0` | `p \|\| q \|\| ..` |
//! | `count(p, q, ..) = 0`, `< 1` | `!p && !q && ..` |
//! | `count(p, q, ..) = n`, `>= n`, where `n` are counted | `p && q && ..` |
//! | `count(p, q, ..) < n`, `!= n` | `!p \|\| !q \|\| ..` |
//! | `e = e`, `<=`, `>=`; `e != e`, `<`, `>` | `true`; `false` |
//!
//! and `min` the other way round. Each part is often about one process, and then the recorded order or a slice decides
//! what a diagram of the fold would not fit into memory. A comparison is false where one of its operands is undefined, so
//! the rows that make a disjunction of an extreme need operands that never divide by zero.

use causet_base::value::Value;
use causet_formula::core::{ArithOp, CmpOp, Ctl, Expr, Pred};
use causet_formula::fold::Subterm;

use super::split::mirrored;

/// A formula with such folds replaced in its predicates; languages of runs stay as they are.
pub(crate) fn without_folds(formula: &Ctl) -> Ctl {
    match formula {
        Ctl::State(pred) => Ctl::State(unfolded(pred)),
        _ => formula.map_children(without_folds),
    }
}

/// An equivalent predicate without such folds.
fn unfolded(pred: &Pred) -> Pred {
    match pred {
        Pred::Not(part) => Pred::not(unfolded(part)),
        Pred::And(parts) => Pred::and(parts.iter().map(unfolded)),
        Pred::Or(parts) => Pred::or(parts.iter().map(unfolded)),
        Pred::Compare(op, left, right) if left == right && is_total(left) => {
            Pred::Const(matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge))
        }
        Pred::Compare(op, left, right) => compared(*op, left, right)
            .or_else(|| compared(mirrored(*op), right, left))
            .unwrap_or_else(|| pred.clone()),
        Pred::Holds(Expr::Count(parts)) => Pred::or(parts.iter().map(unfolded)),
        Pred::Holds(_) | Pred::Const(_) | Pred::Done(_) | Pred::On(_) => pred.clone(),
    }
}

/// A fold on the left compared with something simple, if that has an equivalent.
fn compared(op: CmpOp, fold: &Expr, bound: &Expr) -> Option<Pred> {
    match fold {
        Expr::Max(parts) if is_simple(bound) => extreme(op, parts, bound, CmpOp::Le),
        Expr::Min(parts) if is_simple(bound) => extreme(op, parts, bound, CmpOp::Ge),
        Expr::Count(parts) => match bound {
            Expr::Literal(bound) => counted(op, parts, bound),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression may be repeated for each part of a fold.
fn is_simple(bound: &Expr) -> bool {
    matches!(bound, Expr::Literal(_) | Expr::Var(_) | Expr::Steps(_))
}

/// The greatest part compared, where `inward` is `<=`; the least where it is `>=`.
fn extreme(op: CmpOp, parts: &[Expr], bound: &Expr, inward: CmpOp) -> Option<Pred> {
    let each = |op: CmpOp| {
        let atoms = parts.iter();
        atoms.map(move |part| unfolded(&Pred::compare(op, part.clone(), bound.clone())))
    };
    let equal = || Pred::and([Pred::and(each(inward)), Pred::or(each(mirrored(inward)))]);
    let is_inward = op == inward || op == strict(inward);
    match op {
        CmpOp::Eq => Some(equal()),
        _ if is_inward => Some(Pred::and(each(op))),
        _ if !parts.iter().all(is_total) => None,
        CmpOp::Ne => Some(Pred::not(equal())),
        _ => Some(Pred::or(each(op))),
    }
}

fn strict(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Le => CmpOp::Lt,
        _ => CmpOp::Gt,
    }
}

/// How many hold, compared: a connective where the comparison tells apart none, only none, or only all of them.
fn counted(op: CmpOp, parts: &[Pred], bound: &Value) -> Option<Pred> {
    let accepts = |count: usize| op.apply(&Value::from(count as i64), bound).unwrap_or(false);
    let accepted = (0..=parts.len()).filter(|&count| accepts(count)).count();
    let (none, all) = (accepts(0), accepts(parts.len()));
    let yes = || parts.iter().map(unfolded);
    let no = || yes().map(Pred::not);
    if accepted == 0 || accepted == parts.len() + 1 {
        return Some(Pred::Const(accepted > 0));
    }
    match (accepted, parts.len() + 1 - accepted) {
        (1, _) if none => Some(Pred::and(no())),
        (1, _) if all => Some(Pred::and(yes())),
        (_, 1) if !none => Some(Pred::or(yes())),
        (_, 1) if !all => Some(Pred::or(no())),
        _ => None,
    }
}

/// Whether an expression has a value at every cut.
fn is_total(expr: &Expr) -> bool {
    expr.children().all(|part| match part {
        Subterm::Expr(part) => is_total(part),
        // A predicate is true or false everywhere.
        Subterm::Pred(_) => true,
    }) && !may_divide_by_zero(expr)
}

fn may_divide_by_zero(expr: &Expr) -> bool {
    match expr {
        Expr::Arith(ArithOp::Div | ArithOp::Rem, _, divisor) => {
            !matches!(&**divisor, Expr::Literal(Value::Number(number)) if !number.is_zero())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::random::{self, Shape};
    use fastrand::Rng;

    use super::*;
    use crate::prepare::prepare;
    use crate::subject::Subject;
    use crate::valuation::Valuation;

    fn predicate(rng: &mut Rng) -> String {
        let op = ["<", "<=", ">", ">=", "=", "!="][rng.usize(0..6)];
        let bound = rng.i64(-1..=5);
        let part = ["i.x", "6 / i.x", "i.x % 2", "i.x - steps(i)"][rng.usize(0..4)];
        let fold = ["min", "max"][rng.usize(0..2)];
        let atom = match rng.usize(0..5) {
            0 => format!("count(i in procs: {part} {op} 1) {op} {bound}"),
            1 => format!("count(i in procs: max(j in procs: j.x) > i.x) {op} {bound}"),
            2 => format!("{bound} {op} {fold}(i in procs: {part})"),
            3 => format!("{fold}(i in procs: {part}) {op} p1.x"),
            _ => format!("{fold}(i in procs: {part}) {op} {bound}"),
        };
        if rng.bool() {
            format!("!({atom})")
        } else {
            atom
        }
    }

    /// Every predicate and its equivalent, at every cut of the recorded order.
    #[test]
    fn a_fold_and_its_connective_hold_at_the_same_cuts() {
        let (mut changed, mut held, mut compared) = (0, 0, 0);
        for seed in 0..3000 {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape::small(&mut rng);
            let trace = random::run(&mut rng, shape);
            let text = predicate(&mut rng);
            let subject = Subject::of(&trace);
            let property = Property::parse(Kind::Ctl, "p", &text).expect("a property");
            let Ok(question) = prepare(&subject, &property, &Lets::none()) else {
                continue;
            };
            let Ctl::State(pred) = &question.lowered.body else {
                panic!("{text} is no predicate");
            };
            let Ctl::State(other) = without_folds(&question.lowered.body) else {
                panic!("{text} is no predicate any more");
            };
            changed += u32::from(other != *pred);
            let valuation = Valuation::new(&trace, [pred, &other]);
            let order = trace.order();
            for events in 0..=trace.len() {
                let cut = order.closure(order.recorded().take(events));
                let cut: Vec<u32> = order.processes().map(|process| cut.of(process)).collect();
                let expected = valuation.holds(pred, &cut);
                assert_eq!(
                    valuation.holds(&other, &cut),
                    expected,
                    "seed {seed}: {text} after {events} events"
                );
                held += u32::from(expected);
                compared += 1;
            }
        }
        assert!(changed > 1000, "{changed}");
        assert!((compared / 5..compared * 4 / 5).contains(&held), "{held}");
    }

    #[test]
    fn what_cannot_be_said_by_connectives_stays() {
        let parts: Vec<Pred> = (0..4)
            .map(|p| Pred::Done(causet_formula::ProcRef(p)))
            .collect();
        let counted = |op, bound| counted(op, &parts, &Value::from(bound));
        assert_eq!(counted(CmpOp::Ge, 2), None);
        assert_eq!(counted(CmpOp::Eq, 1), None);
        assert_eq!(counted(CmpOp::Ge, 5), Some(Pred::FALSE));
        assert_eq!(counted(CmpOp::Ge, 0), Some(Pred::TRUE));
        assert_eq!(counted(CmpOp::Gt, 3), Some(Pred::and(parts.clone())));
        assert_eq!(counted(CmpOp::Ne, 0), Some(Pred::or(parts.clone())));
    }
}
