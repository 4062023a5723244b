//! Folds over the core languages: the direct parts of a term, all of its sub-terms, the same term with other parts.
//!
//! A question about every sub-term is one about an iterator (`formula.subformulas().any(..)`). A walk that gives
//! operators a meaning matches on those that have one and takes the parts of the others from `children()`. The
//! iterators go from left to right, a term before its parts, and keep a stack of their own.

use std::slice::from_ref;
use std::sync::Arc;

use crate::core::{Ctl, EventAtom, Expr, Pred};
use crate::linear::{Edge, Hit, Language, Ltl, Machine, Runs};

/// A predicate or an expression: each may be a part of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subterm<'a> {
    /// A predicate.
    Pred(&'a Pred),
    /// An expression.
    Expr(&'a Expr),
}

impl<'a> From<&'a Pred> for Subterm<'a> {
    fn from(p: &'a Pred) -> Self {
        Subterm::Pred(p)
    }
}

impl<'a> From<&'a Expr> for Subterm<'a> {
    fn from(e: &'a Expr) -> Self {
        Subterm::Expr(e)
    }
}

impl<'a> Subterm<'a> {
    /// The direct parts, the predicate below [`EventAtom::Wrote`] included.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Subterm<'a>> {
        let (preds, first, second): (&[Pred], &[Expr], &[Expr]) = match self {
            Subterm::Pred(p) => match p {
                Pred::Const(_) | Pred::Done(_) => (&[], &[], &[]),
                Pred::Compare(_, a, b) => (&[], from_ref(a), from_ref(b)),
                Pred::Holds(e) => (&[], from_ref(e), &[]),
                Pred::On(EventAtom::Wrote { now, .. }) => (one(now), &[], &[]),
                Pred::On(_) => (&[], &[], &[]),
                Pred::Not(p) => (one(p), &[], &[]),
                Pred::And(parts) | Pred::Or(parts) => (parts, &[], &[]),
            },
            Subterm::Expr(e) => match e {
                Expr::Literal(_) | Expr::Var(_) => (&[], &[], &[]),
                Expr::Inflight(..) | Expr::Steps(_) => (&[], &[], &[]),
                Expr::Neg(e) => (&[], one(e), &[]),
                Expr::Arith(_, a, b) => (&[], one(a), one(b)),
                Expr::Count(parts) => (parts, &[], &[]),
                Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => (&[], parts, &[]),
                Expr::Truth(p) => (one(p), &[], &[]),
            },
        };
        let exprs = first.iter().chain(second).map(Subterm::Expr);
        preds.iter().map(Subterm::Pred).chain(exprs)
    }

    /// The term and all that it is made of.
    pub fn subterms(self) -> impl Iterator<Item = Subterm<'a>> {
        preorder(self, Subterm::children)
    }

    /// How many operators and operands the term has.
    pub fn size(self) -> usize {
        let is_counted = |term: &Subterm<'_>| {
            !matches!(
                term,
                Subterm::Pred(Pred::Holds(_)) | Subterm::Expr(Expr::Truth(_))
            )
        };
        self.subterms().filter(is_counted).count()
    }
}

impl Expr {
    /// The direct parts.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = Subterm<'_>> {
        Subterm::Expr(self).children()
    }

    /// The expression and all that it is made of.
    pub fn subterms(&self) -> impl Iterator<Item = Subterm<'_>> {
        Subterm::Expr(self).subterms()
    }

    /// The same operator on other direct parts.
    pub fn map_children(&self, pred: impl Fn(&Pred) -> Pred, expr: impl Fn(&Expr) -> Expr) -> Expr {
        let each = |parts: &[Expr]| parts.iter().map(&expr).collect();
        match self {
            Expr::Literal(_) | Expr::Var(_) | Expr::Inflight(..) | Expr::Steps(_) => self.clone(),
            Expr::Neg(e) => Expr::Neg(Arc::new(expr(e))),
            Expr::Arith(op, a, b) => Expr::Arith(*op, Arc::new(expr(a)), Arc::new(expr(b))),
            Expr::Count(parts) => Expr::Count(parts.iter().map(pred).collect()),
            Expr::Sum(parts) => Expr::Sum(each(parts)),
            Expr::Min(parts) => Expr::Min(each(parts)),
            Expr::Max(parts) => Expr::Max(each(parts)),
            Expr::Truth(p) => Expr::Truth(Arc::new(pred(p))),
        }
    }
}

impl Pred {
    /// The direct parts.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = Subterm<'_>> {
        Subterm::Pred(self).children()
    }

    /// The predicate and all that it is made of.
    pub fn subterms(&self) -> impl Iterator<Item = Subterm<'_>> {
        Subterm::Pred(self).subterms()
    }

    /// How many operators and operands the predicate has.
    pub fn size(&self) -> usize {
        Subterm::Pred(self).size()
    }

    /// What stands below the boolean connectives, and whether an even number of negations is above it.
    pub fn atoms(&self) -> impl Iterator<Item = (&Pred, bool)> {
        below(self, true, Pred::connective, |_| true)
    }

    /// The predicates of which this one, or with `truth` false its opposite, is the conjunction: each with the value it
    /// must have.
    pub fn conjuncts(&self, truth: bool) -> impl Iterator<Item = (&Pred, bool)> {
        below(self, truth, Pred::connective, |is_and| is_and)
    }

    fn connective(&self) -> Connective<'_, Pred> {
        match self {
            Pred::Not(p) => Connective::Not(p),
            Pred::And(parts) => Connective::And(parts),
            Pred::Or(parts) => Connective::Or(parts),
            _ => Connective::None,
        }
    }

    /// The same operator on other direct parts.
    pub fn map_children(&self, pred: impl Fn(&Pred) -> Pred, expr: impl Fn(&Expr) -> Expr) -> Pred {
        match self {
            Pred::Const(_) | Pred::Done(_) => self.clone(),
            Pred::Compare(op, a, b) => Pred::Compare(*op, expr(a), expr(b)),
            Pred::Holds(e) => Pred::Holds(expr(e)),
            Pred::On(EventAtom::Wrote { vars, now }) => Pred::On(EventAtom::Wrote {
                vars: vars.clone(),
                now: Arc::new(pred(now)),
            }),
            Pred::On(_) => self.clone(),
            Pred::Not(p) => Pred::Not(Arc::new(pred(p))),
            Pred::And(parts) => Pred::And(parts.iter().map(pred).collect()),
            Pred::Or(parts) => Pred::Or(parts.iter().map(pred).collect()),
        }
    }
}

impl Ctl {
    /// The direct parts that are formulas about cuts too.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Ctl> {
        let (first, second): (&[Ctl], &[Ctl]) = match self {
            Ctl::State(_) | Ctl::Run(_) | Ctl::Modal(_) => (&[], &[]),
            Ctl::Not(f) | Ctl::Ex(f) => (one(f), &[]),
            Ctl::And(parts) | Ctl::Or(parts) => (parts, &[]),
            Ctl::Eu(f, g) | Ctl::Au(f, g) => (one(f), one(g)),
        };
        first.iter().chain(second)
    }

    /// The formula and all sub-formulas about cuts.
    pub fn subformulas(&self) -> impl Iterator<Item = &Ctl> {
        preorder(self, Ctl::children)
    }

    /// The predicates, those of languages of runs included.
    pub fn preds(&self) -> impl Iterator<Item = &Pred> {
        self.subformulas().flat_map(|f| match f {
            Ctl::State(p) => vec![p],
            Ctl::Run(runs) => runs.language.preds(),
            _ => Vec::new(),
        })
    }

    /// What stands below the boolean connectives, and whether an even number of negations is above it.
    pub fn atoms(&self) -> impl Iterator<Item = (&Ctl, bool)> {
        below(self, true, Ctl::connective, |_| true)
    }

    /// The formulas of which this one, or with `truth` false its opposite, is the conjunction: each with the value it
    /// must have.
    pub fn conjuncts(&self, truth: bool) -> impl Iterator<Item = (&Ctl, bool)> {
        below(self, truth, Ctl::connective, |is_and| is_and)
    }

    fn connective(&self) -> Connective<'_, Ctl> {
        match self {
            Ctl::Not(f) => Connective::Not(f),
            Ctl::And(parts) => Connective::And(parts),
            Ctl::Or(parts) => Connective::Or(parts),
            _ => Connective::None,
        }
    }

    /// Whether the formula has neither a language of runs nor equations about labelled steps.
    pub fn is_about_cuts(&self) -> bool {
        let is_about_cuts = |f: &Ctl| !matches!(f, Ctl::Run(_) | Ctl::Modal(_));
        self.subformulas().all(is_about_cuts)
    }

    /// How many operators and operands the formula has.
    pub fn size(&self) -> usize {
        let own = |f: &Ctl| match f {
            Ctl::State(p) => p.size(),
            Ctl::Run(runs) => 1 + runs.language.size(),
            Ctl::Modal(table) => {
                let terms = table.equations.iter().map(|equation| equation.terms.len());
                1 + table.equations.len() + terms.sum::<usize>()
            }
            _ => 1,
        };
        self.subformulas().map(own).sum()
    }

    /// The same operator on other direct parts.
    pub fn map_children(&self, map: impl Fn(&Ctl) -> Ctl) -> Ctl {
        match self {
            Ctl::State(_) | Ctl::Run(_) | Ctl::Modal(_) => self.clone(),
            Ctl::Not(f) => Ctl::Not(Arc::new(map(f))),
            Ctl::And(parts) => Ctl::And(parts.iter().map(map).collect()),
            Ctl::Or(parts) => Ctl::Or(parts.iter().map(map).collect()),
            Ctl::Ex(f) => Ctl::Ex(Arc::new(map(f))),
            Ctl::Eu(f, g) => Ctl::Eu(Arc::new(map(f)), Arc::new(map(g))),
            Ctl::Au(f, g) => Ctl::Au(Arc::new(map(f)), Arc::new(map(g))),
        }
    }

    /// The same formula about other predicates, those of languages of runs included.
    pub fn map_preds(&self, map: &impl Fn(&Pred) -> Pred) -> Ctl {
        match self {
            Ctl::State(p) => Ctl::State(map(p)),
            Ctl::Run(runs) => Ctl::Run(Arc::new(Runs {
                language: runs.language.map_preds(map),
                ..(**runs).clone()
            })),
            _ => self.map_children(|f| f.map_preds(map)),
        }
    }
}

impl Language {
    /// The predicates, from the first to the last.
    pub fn preds(&self) -> Vec<&Pred> {
        match self {
            Language::Ltl(formula) => formula.states().collect(),
            Language::Machine(machine) => machine.edges.iter().map(|edge| &edge.guard).collect(),
            Language::Sequence(hits) => hits
                .iter()
                .flat_map(|hit| [&hit.between, &hit.at])
                .collect(),
            Language::Regular(regular) => regular.letters().collect(),
        }
    }

    /// How many operators and operands it has.
    pub fn size(&self) -> usize {
        match self {
            Language::Ltl(formula) => formula.size(),
            Language::Machine(machine) => {
                let guards = machine.edges.iter().map(|edge| 1 + edge.guard.size());
                machine.states.len() + guards.sum::<usize>()
            }
            Language::Sequence(hits) => {
                let hits = hits.iter();
                hits.map(|hit| 1 + hit.between.size() + hit.at.size()).sum()
            }
            Language::Regular(regular) => regular.size(),
        }
    }

    /// The same language over other predicates.
    pub fn map_preds(&self, map: &impl Fn(&Pred) -> Pred) -> Language {
        let edge = |edge: &Edge| Edge {
            guard: map(&edge.guard),
            ..edge.clone()
        };
        let hit = |hit: &Hit| Hit {
            between: map(&hit.between),
            at: map(&hit.at),
        };
        match self {
            Language::Ltl(formula) => {
                Language::Ltl(formula.substitute(&mut |p| Ltl::State(map(p))))
            }
            Language::Machine(machine) => Language::Machine(Machine {
                edges: machine.edges.iter().map(edge).collect(),
                ..machine.clone()
            }),
            Language::Sequence(hits) => Language::Sequence(hits.iter().map(hit).collect()),
            Language::Regular(regular) => Language::Regular(regular.map(&mut |p| map(p))),
        }
    }
}

/// The boolean connective at the top of a formula.
enum Connective<'a, T> {
    Not(&'a T),
    And(&'a [T]),
    Or(&'a [T]),
    None,
}

/// What stands below the negations and those connectives that are entered, each with its value if the whole has the
/// given one. `enters` decides on a connective by whether it acts as a conjunction.
fn below<'a, T>(
    root: &'a T,
    truth: bool,
    connective: fn(&'a T) -> Connective<'a, T>,
    enters: fn(bool) -> bool,
) -> impl Iterator<Item = (&'a T, bool)> {
    let mut open = vec![(root, truth)];
    std::iter::from_fn(move || {
        loop {
            let (formula, truth) = open.pop()?;
            match connective(formula) {
                Connective::Not(part) => open.push((part, !truth)),
                Connective::And(parts) if enters(truth) => {
                    open.extend(parts.iter().rev().map(|part| (part, truth)));
                }
                Connective::Or(parts) if enters(!truth) => {
                    open.extend(parts.iter().rev().map(|part| (part, truth)));
                }
                _ => return Some((formula, truth)),
            }
        }
    })
}

/// A term and all that it is made of, each before its parts.
pub(crate) fn preorder<T: Copy, C: DoubleEndedIterator<Item = T>>(
    root: T,
    children: impl Fn(T) -> C,
) -> impl Iterator<Item = T> {
    let mut open = vec![root];
    std::iter::from_fn(move || {
        let term = open.pop()?;
        open.extend(children(term).rev());
        Some(term)
    })
}

/// The only part of an operator.
fn one<T>(part: &Arc<T>) -> &[T] {
    from_ref(part)
}

#[cfg(test)]
mod tests {
    use super::Subterm;
    use crate::core::{CmpOp, Ctl, EventAtom, Expr, Pred};
    use crate::linear::{Language, Ltl, Regular};
    use crate::names::{ProcRef, VarRef};

    fn atom(n: u32) -> Pred {
        Pred::compare(CmpOp::Eq, Expr::Var(VarRef(n)), Expr::int(1))
    }

    fn state(n: u32) -> Ctl {
        Ctl::State(atom(n))
    }

    fn vars(terms: impl Iterator<Item = Pred>) -> Vec<u32> {
        let vars = terms.flat_map(|p| {
            let vars = p.subterms().filter_map(|term| match term {
                Subterm::Expr(Expr::Var(var)) => Some(var.0),
                _ => None,
            });
            vars.collect::<Vec<u32>>()
        });
        vars.collect()
    }

    fn shifted(p: &Pred) -> Pred {
        p.map_children(shifted, |e| match e {
            Expr::Var(var) => Expr::Var(VarRef(var.0 + 1)),
            e => e.map_children(shifted, Expr::clone),
        })
    }

    #[test]
    fn subterms_go_from_left_to_right_a_term_before_its_parts() {
        let count = Expr::Count(vec![atom(0), Pred::not(atom(1))]);
        let wrote = EventAtom::Wrote {
            vars: vec![VarRef(9)],
            now: atom(3).into(),
        };
        let p = Pred::and([
            Pred::compare(CmpOp::Lt, count, Expr::Steps(ProcRef(0))),
            Pred::or([Pred::holds(Expr::truth(atom(2))), Pred::On(wrote)]),
        ]);
        assert_eq!(vars([p.clone()].into_iter()), [0, 1, 2, 3]);
        assert!(matches!(
            p.subterms().next(),
            Some(Subterm::Pred(Pred::And(_)))
        ));
        assert_eq!(p.children().count(), 2);
        assert_eq!(p.size(), 19);
        assert_eq!(vars([shifted(&p)].into_iter()), [1, 2, 3, 4]);
    }

    #[test]
    fn a_value_in_boolean_position_counts_once() {
        let value = Pred::Holds(Expr::Var(VarRef(0)));
        assert_eq!(value.size(), 1);
        assert_eq!(Subterm::Expr(&Expr::truth(value)).size(), 1);
    }

    #[test]
    fn conjuncts_go_through_negations_by_de_morgan() {
        let either = Pred::or([Pred::not(atom(0)), atom(1)]);
        let p = Pred::and([Pred::not(either.clone()), Pred::or([atom(2), atom(3)])]);
        let or = Pred::or([atom(2), atom(3)]);
        let parts: Vec<(&Pred, bool)> = p.conjuncts(true).collect();
        assert_eq!(parts, [(&atom(0), true), (&atom(1), false), (&or, true)]);
        assert_eq!(p.conjuncts(false).collect::<Vec<_>>(), [(&p, false)]);
        let atoms: Vec<bool> = p.atoms().map(|(_, positive)| positive).collect();
        assert_eq!(atoms, [true, false, true, true]);
    }

    #[test]
    fn predicates_of_a_formula_include_those_of_its_languages() {
        let run = Ltl::until(Ltl::State(atom(2)), Ltl::next(Ltl::State(atom(3))));
        let f = Ctl::and([
            Ctl::eu(state(0), Ctl::ex(state(1))),
            Ctl::some_run(Language::Ltl(run)),
            Ctl::some_run(Language::Regular(Regular::plus(Regular::Letter(atom(4))))),
        ]);
        assert_eq!(vars(f.preds().cloned()), [0, 1, 2, 3, 4, 4]);
        assert_eq!(f.children().count(), 3);
        assert_eq!(f.subformulas().count(), 7);
        assert!(!f.is_about_cuts());
        assert_eq!(
            vars(f.map_preds(&shifted).preds().cloned()),
            [1, 2, 3, 4, 5, 5]
        );
        assert_eq!(f.map_preds(&Pred::clone), f);
        assert_eq!(f.map_children(Ctl::clone), f);
    }

    #[test]
    fn deep_terms_need_no_deep_stack() {
        let deep = (0..20_000).fold(state(0), |f, _| Ctl::Ex(f.into()));
        assert_eq!(deep.subformulas().count(), 20_001);
        assert_eq!(deep.size(), 20_003);
    }
}
