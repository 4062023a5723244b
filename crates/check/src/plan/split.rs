//! A formula in parts that can be decided one by one, each seeing less of the run than the whole.
//!
//! | rule | why |
//! |---|---|
//! | `!f`, `f && g`, `f \|\| g` at the initial cut | the connectives say it themselves |
//! | `EF (f \|\| g)` = `EF f \|\| EF g`, so `AG (f && g)` = `AG f && AG g` | a cut with `f` or `g` is one with `f` or one with `g` |
//! | `count(p, q, ...) >= n` | some `n` of them hold: one way for each choice, for few choices |
//! | `p && (q \|\| r)` under `EF` | the same as `(p && q) \|\| (p && r)`, for few combinations |
//!
//! The argument for a part is an argument for the whole, given the place of the part.

use causet_base::value::Value;
use causet_formula::core::{CmpOp, Ctl, Equations, Expr, Pred};

use crate::engine::{Trail, only_temporal};
use crate::observe::Observation;

/// A formula in parts; `L` is what is known of a part that is not taken apart further.
#[derive(Clone, Debug)]
pub(crate) enum Parts<L> {
    /// Decided by an engine.
    Leaf(L),
    /// Decided by the recorded order.
    Observed(Ctl, Observation),
    /// A truth value that is known; the part is only asked for an order that shows it.
    Known(bool, Box<Parts<L>>),
    /// The opposite of a part.
    Not(Box<Parts<L>>),
    /// All parts of a conjunction, or some part of a disjunction.
    Join {
        /// Whether all must hold.
        all: bool,
        /// The parts.
        parts: Vec<Parts<L>>,
        /// The part that is temporal, if just one is.
        temporal: Option<usize>,
    },
    /// Several ways to make `EF f` true.
    Reach {
        /// For each way, how `EF` of it is decided and which part of `f` it belongs to, if `f` has temporal parts.
        ways: Vec<(Parts<L>, Option<usize>)>,
    },
    /// Decided by an engine, and false where one of some other formulas is.
    Needing {
        /// What must be true, each in parts.
        needs: Vec<Parts<L>>,
        /// What is decided.
        part: L,
    },
    /// A language of runs as formulas: an argument for them that is completed in any way is a run of the language.
    Complete(Box<Parts<L>>),
    /// An until as a language of runs: a run of it is cut where the until is decided.
    Along(Ctl, Box<Parts<L>>),
    /// A formula of the mu-calculus as languages of runs: a run is cut where the formula is decided.
    Begun(Equations, Box<Parts<L>>),
}

/// More ways than this are not listed one by one.
const MOST_WAYS: usize = 50_000;
/// A conjunction of several disjunctions is multiplied out into at most so many ways.
const MOST_PRODUCTS: usize = 64;

/// Takes a formula apart.
pub(crate) fn split(formula: &Ctl) -> Parts<Ctl> {
    match formula {
        Ctl::Not(part) => Parts::Not(Box::new(split(part))),
        Ctl::And(parts) => join(true, parts),
        Ctl::Or(parts) => join(false, parts),
        Ctl::Eu(hold, goal) if **hold == Ctl::TRUE => {
            let ways = ways(goal);
            match ways.len() {
                2..=MOST_WAYS => Parts::Reach {
                    ways: ways
                        .into_iter()
                        .map(|(way, part)| (Parts::Leaf(Ctl::ef(way)), part))
                        .collect(),
                },
                _ => Parts::Leaf(formula.clone()),
            }
        }
        Ctl::State(_) | Ctl::Ex(_) | Ctl::Eu(..) | Ctl::Au(..) => Parts::Leaf(formula.clone()),
        Ctl::Run(_) | Ctl::Modal(_) => Parts::Leaf(formula.clone()),
    }
}

fn join(all: bool, parts: &[Ctl]) -> Parts<Ctl> {
    Parts::Join {
        all,
        parts: parts.iter().map(split).collect(),
        temporal: only_temporal(parts),
    }
}

/// Formulas one of which holds exactly where this one does, with the part each comes from.
fn ways(goal: &Ctl) -> Vec<(Ctl, Option<usize>)> {
    let of_part = |(at, part): (usize, Ctl)| match part {
        Ctl::State(pred) => {
            let ways = pred_ways(&pred).into_iter().map(Ctl::State);
            ways.map(|way| (way, Some(at))).collect::<Vec<_>>()
        }
        part => vec![(part, Some(at))],
    };
    match goal {
        Ctl::State(pred) => pred_ways(pred)
            .into_iter()
            .map(|way| (Ctl::State(way), None))
            .collect(),
        Ctl::Or(parts) => parts
            .iter()
            .cloned()
            .enumerate()
            .flat_map(of_part)
            .collect(),
        Ctl::Not(inner) => match &**inner {
            Ctl::And(parts) => {
                let negated = parts.iter().cloned().map(Ctl::not);
                negated.enumerate().flat_map(of_part).collect()
            }
            _ => vec![(goal.clone(), None)],
        },
        _ => vec![(goal.clone(), None)],
    }
}

/// Predicates one of which holds exactly where this one does.
fn pred_ways(pred: &Pred) -> Vec<Pred> {
    match pred {
        Pred::Or(parts) => parts.iter().flat_map(pred_ways).collect(),
        Pred::And(parts) => product(parts).unwrap_or_else(|| vec![pred.clone()]),
        Pred::Compare(op, left, right) => counted(*op, left, right, true),
        Pred::Not(inner) => match &**inner {
            Pred::And(parts) => parts
                .iter()
                .cloned()
                .map(Pred::not)
                .flat_map(|part| pred_ways(&part))
                .collect(),
            Pred::Or(parts) => {
                let parts: Vec<Pred> = parts.iter().cloned().map(Pred::not).collect();
                product(&parts).unwrap_or_else(|| vec![pred.clone()])
            }
            Pred::Compare(op, left, right) => counted(*op, left, right, false),
            _ => vec![pred.clone()],
        },
        _ => vec![pred.clone()],
    }
}

/// A conjunction of disjunctions multiplied out, when that makes few ways.
fn product(parts: &[Pred]) -> Option<Vec<Pred>> {
    let mut ways = vec![Vec::new()];
    for part in parts {
        let choices = pred_ways(part);
        // One disjunction gives no more ways than it has parts.
        let is_single = ways.len() == 1 || choices.len() == 1;
        let most = if is_single { MOST_WAYS } else { MOST_PRODUCTS };
        if ways.len() * choices.len() > most {
            return None;
        }
        let longer = |way: &Vec<Pred>| {
            let way = way.clone();
            choices
                .iter()
                .map(move |choice| {
                    let mut longer = way.clone();
                    longer.push(choice.clone());
                    longer
                })
                .collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(longer).collect();
    }
    Some(ways.into_iter().map(Pred::and).collect())
}

/// `count(...) op n`, or its negation, as choices of so many of the counted predicates.
fn counted(op: CmpOp, left: &Expr, right: &Expr, truth: bool) -> Vec<Pred> {
    let same = || {
        let atom = Pred::Compare(op, left.clone(), right.clone());
        vec![if truth { atom } else { Pred::not(atom) }]
    };
    let (op, preds, bound) = match (left, right) {
        (Expr::Count(preds), Expr::Literal(bound)) => (op, preds, bound),
        (Expr::Literal(bound), Expr::Count(preds)) => (mirrored(op), preds, bound),
        _ => return same(),
    };
    let Some(bound) = small_integer(bound, preds.len()) else {
        return same();
    };
    // At least so many hold, or at least so many do not.
    let (needed, hold) = match (op, truth) {
        (CmpOp::Ge, true) | (CmpOp::Lt, false) => (bound, true),
        (CmpOp::Gt, true) | (CmpOp::Le, false) => (bound + 1, true),
        (CmpOp::Le, true) | (CmpOp::Gt, false) => (preds.len().saturating_sub(bound), false),
        (CmpOp::Lt, true) | (CmpOp::Ge, false) => (preds.len() + 1 - bound, false),
        (CmpOp::Eq | CmpOp::Ne, _) => return same(),
    };
    let preds: Vec<Pred> = match hold {
        true => preds.clone(),
        false => preds.iter().cloned().map(Pred::not).collect(),
    };
    choices(&preds, needed).unwrap_or_else(same)
}

/// The conjunctions of `needed` of the predicates, when there are few.
fn choices(preds: &[Pred], needed: usize) -> Option<Vec<Pred>> {
    if needed == 0 || needed > preds.len() {
        return None;
    }
    let mut count = 1_usize;
    for taken in 0..needed {
        count = count.checked_mul(preds.len() - taken)? / (taken + 1);
        if count > MOST_WAYS {
            return None;
        }
    }
    let mut ways = Vec::with_capacity(count);
    let mut chosen: Vec<usize> = (0..needed).collect();
    loop {
        ways.push(Pred::and(chosen.iter().map(|&at| preds[at].clone())));
        let Some(last) = (0..needed)
            .rev()
            .find(|&at| chosen[at] + needed - at < preds.len())
        else {
            return Some(ways);
        };
        chosen[last] += 1;
        for at in last + 1..needed {
            chosen[at] = chosen[at - 1] + 1;
        }
    }
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        CmpOp::Eq | CmpOp::Ne => op,
    }
}

/// An integer between zero and a count, when the value is one.
fn small_integer(value: &Value, most: usize) -> Option<usize> {
    (0..=most).find(|&number| *value == Value::from(number as i64))
}

impl<L> Parts<L> {
    /// The same with other parts in the place of each.
    pub(crate) fn expand<M, E>(
        self,
        know: &mut dyn FnMut(L) -> Result<Parts<M>, E>,
    ) -> Result<Parts<M>, E> {
        Ok(match self {
            Parts::Leaf(leaf) => know(leaf)?,
            Parts::Observed(formula, observation) => Parts::Observed(formula, observation),
            Parts::Known(holds, part) => Parts::Known(holds, Box::new(part.expand(know)?)),
            Parts::Needing { needs, part } => match know(part)? {
                Parts::Leaf(part) => {
                    let needs = needs.into_iter().map(|need| need.expand(know));
                    Parts::Needing {
                        needs: needs.collect::<Result<_, E>>()?,
                        part,
                    }
                }
                parts => parts,
            },
            Parts::Not(part) => Parts::Not(Box::new(part.expand(know)?)),
            Parts::Complete(part) => Parts::Complete(Box::new(part.expand(know)?)),
            Parts::Along(until, part) => Parts::Along(until, Box::new(part.expand(know)?)),
            Parts::Begun(table, part) => Parts::Begun(table, Box::new(part.expand(know)?)),
            Parts::Join {
                all,
                parts,
                temporal,
            } => {
                let parts = parts.into_iter().map(|part| part.expand(know));
                Parts::Join {
                    all,
                    parts: parts.collect::<Result<_, E>>()?,
                    temporal,
                }
            }
            Parts::Reach { ways } => {
                let ways = ways.into_iter();
                let ways = ways.map(|(way, part)| Ok((way.expand(know)?, part)));
                Parts::Reach {
                    ways: ways.collect::<Result<_, E>>()?,
                }
            }
        })
    }

    /// Visits what is known of each part.
    pub(crate) fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a L)) {
        match self {
            Parts::Leaf(leaf) => visit(leaf),
            Parts::Observed(..) => {}
            Parts::Needing { needs, part } => {
                needs.iter().for_each(|need| need.each(visit));
                visit(part);
            }
            Parts::Not(part) | Parts::Complete(part) | Parts::Known(_, part) => part.each(visit),
            Parts::Along(_, part) | Parts::Begun(_, part) => part.each(visit),
            Parts::Join { parts, .. } => parts.iter().for_each(|part| part.each(visit)),
            Parts::Reach { ways } => ways.iter().for_each(|(way, _)| way.each(visit)),
        }
    }
}

impl<L> Parts<L> {
    /// The truth value that the recorded order shows, if it shows one, and the length of the order that does.
    pub(crate) fn observed(&self) -> Option<(bool, usize)> {
        match self {
            Parts::Observed(_, observation) => Some((observation.holds, observation.length())),
            Parts::Not(part) => part.observed().map(|(holds, length)| (!holds, length)),
            Parts::Join { all, parts, .. } => {
                let seen = || parts.iter().map(Parts::observed);
                let deciding = seen().flatten().filter(|(holds, _)| holds != all);
                let shown = deciding.min_by_key(|&(_, length)| length);
                let is_decided = || seen().all(|seen| seen.is_some());
                shown.or_else(|| is_decided().then_some((*all, usize::MAX)))
            }
            _ => None,
        }
    }

    /// Whether the recorded order shows this truth value.
    pub(crate) fn shows(&self, truth: bool) -> bool {
        self.observed().is_some_and(|(holds, _)| holds == truth)
    }

    /// Parts with this truth value, and nothing to decide.
    pub(crate) fn constant(truth: bool) -> Parts<L> {
        Parts::Join {
            all: truth,
            parts: Vec::new(),
            temporal: None,
        }
    }

    /// The same without the parts that do not matter, where the recorded order decides.
    pub(crate) fn without_undecided(self) -> Parts<L> {
        match self {
            Parts::Not(part) => Parts::Not(Box::new(part.without_undecided())),
            Parts::Join {
                all,
                parts,
                temporal,
            } => {
                let parts = parts.into_iter().map(|part| match part.observed() {
                    Some(_) => part.without_undecided(),
                    None => Parts::constant(all),
                });
                Parts::Join {
                    all,
                    parts: parts.collect(),
                    temporal,
                }
            }
            decided => decided,
        }
    }
}

/// The argument for one way to reach something as one for all of them together.
pub(crate) fn reached(trail: Option<Trail>, part: Option<usize>) -> Option<Trail> {
    trail.map(|mut trail| {
        if let Some(part) = part {
            let then = trail.then.take().unwrap_or_default();
            trail.then = Some(Box::new(then.within(part)));
        }
        trail
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_formula::names::ProcRef;

    fn done(process: u32) -> Pred {
        Pred::Done(ProcRef(process))
    }

    fn ways_of(pred: &Pred) -> usize {
        match split(&Ctl::ef(Ctl::State(pred.clone()))) {
            Parts::Reach { ways } => ways.len(),
            _ => 1,
        }
    }

    #[test]
    fn a_count_is_split_into_choices() {
        let counted: Vec<Pred> = (0..5).map(done).collect();
        let count = |op, bound| {
            let count = Expr::Count(counted.clone());
            Pred::Compare(op, count, Expr::int(bound))
        };
        assert_eq!(ways_of(&count(CmpOp::Ge, 2)), 10);
        assert_eq!(ways_of(&count(CmpOp::Gt, 2)), 10);
        assert_eq!(ways_of(&Pred::not(count(CmpOp::Le, 1))), 10);
        assert_eq!(ways_of(&count(CmpOp::Lt, 1)), 1);
        assert_eq!(ways_of(&count(CmpOp::Le, 1)), 5);
        assert_eq!(ways_of(&count(CmpOp::Eq, 1)), 1);
    }

    #[test]
    fn a_product_stays_small() {
        let either = |a, b| Pred::or([done(a), done(b)]);
        let few = Pred::and([either(0, 1), either(2, 3), done(4)]);
        assert_eq!(ways_of(&few), 4);
        let many = Pred::and((0..10).map(|at| either(at, at + 10)));
        assert_eq!(ways_of(&many), 1);
    }
}
