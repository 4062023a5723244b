//! Languages of finite words as they are written: linear temporal logic and regular expressions.
//!
//! Both are generic in what they say of one position. Properties are about predicates of cuts; the translations to
//! automata read a formula over numbers of atoms and an expression over conditions on letters. The constructors simplify,
//! as far as a [`Condition`] lets them; translations do not rely on it.

use std::collections::HashSet;
use std::hash::Hash;
use std::slice::from_ref;
use std::sync::Arc;

/// A formula of LTL over finite words; everything else is built from these by the constructors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ltl<A> {
    /// What holds at this position.
    State(A),
    /// Negation.
    Not(Arc<Ltl<A>>),
    /// Conjunction; true of no operands.
    And(Vec<Ltl<A>>),
    /// Disjunction; false of no operands.
    Or(Vec<Ltl<A>>),
    /// There is a next position and it satisfies the formula.
    Next(Arc<Ltl<A>>),
    /// The second comes true, and the first holds until then.
    Until(Arc<Ltl<A>>, Arc<Ltl<A>>),
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Regular<A> {
    /// One position at which this holds.
    Letter(A),
    /// One after the other; none is the empty word.
    Then(Vec<Regular<A>>),
    /// One of them; none is no word at all.
    Either(Vec<Regular<A>>),
    /// Any number of times, also none.
    Star(Arc<Regular<A>>),
}

/// What holds at a position, as far as the constructors of formulas must know it.
pub trait Condition: Clone + Eq + Hash {
    /// True everywhere.
    const TRUE: Self;
    /// True nowhere.
    const FALSE: Self;

    /// The constant it is, if it is one.
    fn as_const(&self) -> Option<bool>;

    /// Its negation.
    fn negation(self) -> Self;

    /// The conjunction of all of these, or their disjunction.
    fn junction(parts: Vec<Self>, and: bool) -> Self;

    /// How many operators and operands it has.
    fn size(&self) -> usize;
}

impl<A> Ltl<A> {
    /// The direct parts.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Ltl<A>> {
        let (first, second): (&[Ltl<A>], &[Ltl<A>]) = match self {
            Ltl::State(_) => (&[], &[]),
            Ltl::Not(f) | Ltl::Next(f) => (from_ref(f), &[]),
            Ltl::And(parts) | Ltl::Or(parts) => (parts, &[]),
            Ltl::Until(f, g) => (from_ref(f), from_ref(g)),
        };
        first.iter().chain(second)
    }

    /// The formula and all sub-formulas, each before its parts.
    pub fn subformulas(&self) -> impl Iterator<Item = &Ltl<A>> {
        preorder(self, Ltl::children)
    }

    /// What it says of positions.
    pub fn states(&self) -> impl Iterator<Item = &A> {
        self.subformulas().filter_map(|f| match f {
            Ltl::State(state) => Some(state),
            _ => None,
        })
    }

    /// The formulas of which this one, or with `truth` false its opposite, is the conjunction: each with the value it
    /// must have.
    pub fn conjuncts(&self, truth: bool) -> impl Iterator<Item = (&Ltl<A>, bool)> {
        let mut open = vec![(self, truth)];
        std::iter::from_fn(move || {
            loop {
                let (formula, truth) = open.pop()?;
                match formula {
                    Ltl::Not(part) => open.push((part, !truth)),
                    Ltl::And(parts) if truth => {
                        open.extend(parts.iter().rev().map(|part| (part, true)));
                    }
                    Ltl::Or(parts) if !truth => {
                        open.extend(parts.iter().rev().map(|part| (part, false)));
                    }
                    _ => return Some((formula, truth)),
                }
            }
        })
    }

    /// Whether the formula says `X`, and so may count positions.
    pub fn has_next(&self) -> bool {
        self.subformulas().any(|f| matches!(f, Ltl::Next(_)))
    }

    /// The same formula with other formulas in place of its states.
    pub fn substitute<B>(&self, of: &mut impl FnMut(&A) -> Ltl<B>) -> Ltl<B> {
        match self {
            Ltl::State(state) => of(state),
            Ltl::Not(f) => Ltl::Not(Arc::new(f.substitute(of))),
            Ltl::And(parts) => Ltl::And(parts.iter().map(|f| f.substitute(of)).collect()),
            Ltl::Or(parts) => Ltl::Or(parts.iter().map(|f| f.substitute(of)).collect()),
            Ltl::Next(f) => Ltl::Next(Arc::new(f.substitute(of))),
            Ltl::Until(f, g) => {
                let f = f.substitute(of);
                Ltl::Until(Arc::new(f), Arc::new(g.substitute(of)))
            }
        }
    }
}

impl<A: Condition> Ltl<A> {
    /// True at every position.
    pub const TRUE: Ltl<A> = Ltl::State(A::TRUE);
    /// True at no position.
    pub const FALSE: Ltl<A> = Ltl::State(A::FALSE);

    /// The constant this formula is, if it is one.
    pub fn as_const(&self) -> Option<bool> {
        match self {
            Ltl::State(state) => state.as_const(),
            _ => None,
        }
    }

    /// How many operators and operands the formula has.
    pub fn size(&self) -> usize {
        let own = |f: &Ltl<A>| match f {
            Ltl::State(state) => state.size(),
            _ => 1,
        };
        self.subformulas().map(own).sum()
    }

    /// `!f`
    #[expect(
        clippy::should_implement_trait,
        reason = "`!` would hide that this normalises"
    )]
    pub fn not(f: Self) -> Self {
        match f {
            Ltl::State(state) => Ltl::State(state.negation()),
            Ltl::Not(f) => Arc::unwrap_or_clone(f),
            f => Ltl::Not(Arc::new(f)),
        }
    }

    /// `f && g && ...`, true for none.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        junction(parts, true)
    }

    /// `f || g || ...`, false for none.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        junction(parts, false)
    }

    /// `f -> g` as `!f || g`
    pub fn implies(f: Self, g: Self) -> Self {
        Ltl::or([Ltl::not(f), g])
    }

    /// `f <-> g` as `(f && g) || (!f && !g)`
    pub fn iff(f: Self, g: Self) -> Self {
        let neither = Ltl::and([Ltl::not(f.clone()), Ltl::not(g.clone())]);
        Ltl::or([Ltl::and([f, g]), neither])
    }

    /// `X f`; never true of `false`, but `X true` says that this is not the last position.
    pub fn next(f: Self) -> Self {
        match f.as_const() {
            Some(false) => Ltl::FALSE,
            _ => Ltl::Next(Arc::new(f)),
        }
    }

    /// `N f` as `!X !f`
    pub fn weak_next(f: Self) -> Self {
        Ltl::not(Ltl::next(Ltl::not(f)))
    }

    /// `f U g`
    pub fn until(f: Self, g: Self) -> Self {
        match (f.as_const(), g.as_const()) {
            (_, Some(_)) | (Some(false), _) => g,
            _ => Ltl::Until(Arc::new(f), Arc::new(g)),
        }
    }

    /// `f R g` as `!(!f U !g)`
    pub fn release(f: Self, g: Self) -> Self {
        Ltl::not(Ltl::until(Ltl::not(f), Ltl::not(g)))
    }

    /// `F f` as `true U f`
    pub fn finally(f: Self) -> Self {
        Ltl::until(Ltl::TRUE, f)
    }

    /// `G f` as `!F !f`
    pub fn globally(f: Self) -> Self {
        Ltl::not(Ltl::finally(Ltl::not(f)))
    }

    /// `f W g` as `!(!g U (!f && !g))`
    pub fn weak_until(f: Self, g: Self) -> Self {
        let not_g = Ltl::not(g);
        let broken = Ltl::and([Ltl::not(f), not_g.clone()]);
        Ltl::not(Ltl::until(not_g, broken))
    }

    /// `f M g` as `g U (f && g)`
    pub fn strong_release(f: Self, g: Self) -> Self {
        Ltl::until(g.clone(), Ltl::and([f, g]))
    }
}

/// A conjunction (or disjunction) in normal form: flat, without constants, its states joined into one.
fn junction<A: Condition>(parts: impl IntoIterator<Item = Ltl<A>>, and: bool) -> Ltl<A> {
    let mut states = Vec::new();
    let mut others: Vec<Ltl<A>> = Vec::new();
    let mut open: Vec<Ltl<A>> = parts.into_iter().collect();
    open.reverse();
    while let Some(part) = open.pop() {
        match part {
            Ltl::State(state) => states.push(state),
            Ltl::And(inner) if and => open.extend(inner.into_iter().rev()),
            Ltl::Or(inner) if !and => open.extend(inner.into_iter().rev()),
            other => others.push(other),
        }
    }
    drop_repeated(&mut others);
    let state = A::junction(states, and);
    match state.as_const() {
        Some(value) if value != and => return Ltl::State(state),
        Some(_) => {}
        None => others.insert(0, Ltl::State(state)),
    }
    match others.len() {
        0 if and => Ltl::TRUE,
        0 => Ltl::FALSE,
        1 => others.swap_remove(0),
        _ if and => Ltl::And(others),
        _ => Ltl::Or(others),
    }
}

/// Keeps the first of equal formulas.
fn drop_repeated<T: Eq + Hash>(formulas: &mut Vec<T>) {
    let mut seen = HashSet::with_capacity(formulas.len());
    let keep: Vec<bool> = formulas.iter().map(|f| seen.insert(f)).collect();
    let mut keep = keep.into_iter();
    formulas.retain(|_| keep.next().unwrap_or(true));
}

impl<A> Regular<A> {
    /// The direct parts.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Regular<A>> {
        let parts: &[Regular<A>] = match self {
            Regular::Letter(_) => &[],
            Regular::Then(parts) | Regular::Either(parts) => parts,
            Regular::Star(part) => from_ref(part),
        };
        parts.iter()
    }

    /// The expression and all that it is made of, each before its parts.
    pub fn subexpressions(&self) -> impl Iterator<Item = &Regular<A>> {
        preorder(self, Regular::children)
    }

    /// What it says of positions.
    pub fn letters(&self) -> impl Iterator<Item = &A> {
        self.subexpressions().filter_map(|part| match part {
            Regular::Letter(letter) => Some(letter),
            _ => None,
        })
    }

    /// The same expression over other letters.
    pub fn map<B>(&self, of: &mut impl FnMut(&A) -> B) -> Regular<B> {
        match self {
            Regular::Letter(letter) => Regular::Letter(of(letter)),
            Regular::Then(parts) => Regular::Then(parts.iter().map(|part| part.map(of)).collect()),
            Regular::Either(parts) => {
                Regular::Either(parts.iter().map(|part| part.map(of)).collect())
            }
            Regular::Star(part) => Regular::Star(Arc::new(part.map(of))),
        }
    }

    /// One after the other, flat: no `Then` directly within a `Then`, and none around a single part.
    pub fn then(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Regular::Then(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Regular::Then(flat),
        }
    }

    /// One of them, flat as well.
    pub fn either(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Regular::Either(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Regular::Either(flat),
        }
    }

    /// Any number of times, also none.
    pub fn star(part: Self) -> Self {
        match part {
            Regular::Star(_) => part,
            part => Regular::Star(Arc::new(part)),
        }
    }

    /// At most once.
    pub fn optional(part: Self) -> Self {
        Regular::either([part, Regular::Then(Vec::new())])
    }

    /// How many operators and operands it has.
    pub fn size(&self) -> usize
    where
        A: Condition,
    {
        let own = |part: &Regular<A>| match part {
            Regular::Letter(letter) => letter.size(),
            _ => 1,
        };
        self.subexpressions().map(own).sum()
    }
}

impl<A: Clone> Regular<A> {
    /// At least once.
    pub fn plus(part: Self) -> Self {
        Regular::then([part.clone(), Regular::star(part)])
    }
}

/// A term and all that it is made of, each before its parts.
fn preorder<'a, T, C: DoubleEndedIterator<Item = &'a T>>(
    root: &'a T,
    children: impl Fn(&'a T) -> C,
) -> impl Iterator<Item = &'a T> {
    let mut open = vec![root];
    std::iter::from_fn(move || {
        let term = open.pop()?;
        open.extend(children(term).rev());
        Some(term)
    })
}
