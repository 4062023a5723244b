//! Non-deterministic automata for temporal logic, for formulas whose deterministic ones are too big.
//!
//! A state is what one way through the word has promised: formulas that must hold at the next position, and whether there
//! must be one. Reading a letter unfolds each of them into a disjunction of such promises; the automaton guesses which is
//! kept. So there are at most two to the number of sub-formulas states, where determinism may need the exponential of
//! that. Formulas are in negation normal form, with a weak `Next` and `Release` for the duals, since a promise is never
//! negated; of two promises for the same letter of which one asks for more, that one is dropped.

use rustc_hash::FxHashMap;

use super::decisions::{Decisions, union};
use super::linear::Ltl;
use super::{Automaton, Place, State};
use causet_base::budget::{Budget, Spent};

/// A trimmed, possibly non-deterministic automaton of the words that satisfy a formula over so many atoms; `None` if more
/// than `limit` states turn up on the way.
pub fn translate_nondeterministic(
    formula: &Ltl<usize>,
    atoms: usize,
    limit: usize,
    budget: &Budget,
) -> Result<Option<Automaton>, Spent> {
    let branch = budget.branch();
    let mut tableau = Tableau::new(&branch);
    let Some(automaton) = tableau.run(formula, atoms, limit)? else {
        return Ok(None);
    };
    drop(tableau);
    let merged = automaton.trim().minimise(budget)?;
    Ok(Some(merged.without_empty_word()))
}

/// A formula in the table.
type Term = State;

/// A formula in negation normal form whose parts are in the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Shape {
    Literal(usize, bool),
    And(Vec<Term>),
    Or(Vec<Term>),
    Next { part: Term, strong: bool },
    Until(Term, Term),
    Release(Term, Term),
}

/// What must hold from the next position on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Promise {
    /// Whether there must be a next position.
    more: bool,
    /// What holds there, if there is one, in ascending order.
    terms: Vec<Term>,
}

impl Promise {
    fn both(&self, other: &Promise) -> Promise {
        Promise {
            more: self.more || other.more,
            terms: union(&self.terms, &other.terms),
        }
    }

    /// Whether whatever keeps the other keeps this one.
    fn is_weaker(&self, other: &Promise) -> bool {
        let has = |term| other.terms.binary_search(term).is_ok();
        (other.more || !self.more) && self.terms.iter().all(has)
    }
}

/// The promises made so far, by number.
#[derive(Default)]
struct Promises {
    all: Vec<Promise>,
    number_of: FxHashMap<Promise, State>,
}

impl Promises {
    fn number(&mut self, promise: Promise) -> State {
        let fresh = self.all.len() as State;
        let number = *self.number_of.entry(promise.clone()).or_insert(fresh);
        if number == fresh {
            self.all.push(promise);
        }
        number
    }

    /// Those that are not stronger than another one of the same list.
    fn weakest(&self, numbers: &[State]) -> Vec<State> {
        let is_weaker = |one: State, other: State| {
            one != other && self.all[one as usize].is_weaker(&self.all[other as usize])
        };
        let stays = |&one: &State| !numbers.iter().any(|&other| is_weaker(other, one));
        numbers.iter().copied().filter(stays).collect()
    }

    /// All promises that keep one of each list.
    fn each_with_each(&mut self, one: &[State], other: &[State]) -> Vec<State> {
        let mut numbers = Vec::new();
        for &left in one {
            for &right in other {
                let both = self.all[left as usize].both(&self.all[right as usize]);
                numbers.push(self.number(both));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        self.weakest(&numbers)
    }
}

/// The work of one translation.
struct Tableau<'b> {
    budget: &'b Budget<'b>,
    shapes: Vec<Shape>,
    term_of: FxHashMap<Shape, Term>,
    promises: Promises,
    decisions: Decisions,
    unfolded: FxHashMap<Term, Place>,
    conjunctions: FxHashMap<(Place, Place), Place>,
    disjunctions: FxHashMap<(Place, Place), Place>,
}

/// A pair of places and what comes of it, with its share of a map, in bytes.
const BYTES_PER_PAIR: usize = 64;

impl<'b> Tableau<'b> {
    fn new(budget: &'b Budget<'b>) -> Self {
        Tableau {
            budget,
            shapes: Vec::new(),
            term_of: FxHashMap::default(),
            promises: Promises::default(),
            decisions: Decisions::new(),
            unfolded: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            disjunctions: FxHashMap::default(),
        }
    }

    fn run(
        &mut self,
        formula: &Ltl<usize>,
        atoms: usize,
        limit: usize,
    ) -> Result<Option<Automaton>, Spent> {
        let whole = self.enter(formula, true);
        let initial = self.promise(true, whole);
        let mut found = vec![initial];
        let mut number_of = FxHashMap::from_iter([(initial, 0)]);
        let mut decisions = Decisions::new();
        let mut known = FxHashMap::default();
        let mut moves = Vec::new();
        while let Some(&state) = found.get(moves.len()) {
            let place = self.keep(state)?;
            let mut rename = |states: &[State]| {
                let mut numbers: Vec<State> = Vec::new();
                for &state in states {
                    let fresh = found.len() as State;
                    let number = *number_of.entry(state).or_insert(fresh);
                    if number == fresh {
                        found.push(state);
                    }
                    numbers.push(number);
                }
                numbers.sort_unstable();
                numbers
            };
            moves.push(decisions.copy(&self.decisions, place, &mut known, &mut rename));
            if found.len() > limit {
                return Ok(None);
            }
        }
        let may_end = |&state: &State| !self.promises.all[state as usize].more;
        Ok(Some(Automaton {
            atoms,
            accepting: found.iter().map(may_end).collect(),
            decisions,
            moves,
            initial: 0,
        }))
    }

    /// Puts a formula or its negation into the table.
    fn enter(&mut self, formula: &Ltl<usize>, positive: bool) -> Term {
        let shape = match formula {
            Ltl::State(atom) => Shape::Literal(*atom, positive),
            Ltl::Not(part) => return self.enter(part, !positive),
            Ltl::And(parts) | Ltl::Or(parts) => {
                let parts = parts.iter().map(|part| self.enter(part, positive));
                let parts = parts.collect();
                if matches!(formula, Ltl::And(_)) == positive {
                    Shape::And(parts)
                } else {
                    Shape::Or(parts)
                }
            }
            Ltl::Next(part) => Shape::Next {
                part: self.enter(part, positive),
                strong: positive,
            },
            Ltl::Until(first, second) => {
                let first = self.enter(first, positive);
                let second = self.enter(second, positive);
                if positive {
                    Shape::Until(first, second)
                } else {
                    Shape::Release(first, second)
                }
            }
        };
        let fresh = self.shapes.len() as Term;
        let term = *self.term_of.entry(shape.clone()).or_insert(fresh);
        if term == fresh {
            self.shapes.push(shape);
        }
        term
    }

    /// The promise that a term holds at the next position, with a conjunction taken apart.
    fn promise(&mut self, more: bool, term: Term) -> State {
        let mut terms = Vec::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match &self.shapes[term as usize] {
                Shape::And(parts) => open.extend(parts),
                _ => terms.push(term),
            }
        }
        terms.sort_unstable();
        terms.dedup();
        self.promises.number(Promise { more, terms })
    }

    /// What must be promised so that a promise is kept at the letter at hand.
    fn keep(&mut self, promise: State) -> Result<Place, Spent> {
        let mut place = self.nothing();
        for term in self.promises.all[promise as usize].terms.clone() {
            let unfolded = self.unfold(term)?;
            place = self.and(place, unfolded)?;
        }
        Ok(place)
    }

    /// What must be promised so that a term holds at the letter at hand.
    fn unfold(&mut self, term: Term) -> Result<Place, Spent> {
        if let Some(&place) = self.unfolded.get(&term) {
            return Ok(place);
        }
        let impossible = self.decisions.leaf(&[]);
        let place = match self.shapes[term as usize].clone() {
            Shape::Literal(atom, positive) => {
                let (mut no, mut yes) = (impossible, self.nothing());
                if !positive {
                    std::mem::swap(&mut no, &mut yes);
                }
                self.decisions.branch(atom, no, yes)
            }
            Shape::And(parts) => {
                let mut all = self.nothing();
                for part in parts {
                    let part = self.unfold(part)?;
                    all = self.and(all, part)?;
                }
                all
            }
            Shape::Or(parts) => {
                let mut any = impossible;
                for part in parts {
                    let part = self.unfold(part)?;
                    any = self.or(any, part)?;
                }
                any
            }
            Shape::Next { part, strong } => self.later(strong, part),
            Shape::Until(first, second) => {
                let (first, second) = (self.unfold(first)?, self.unfold(second)?);
                let later = self.later(true, term);
                let later = self.and(first, later)?;
                self.or(second, later)?
            }
            Shape::Release(first, second) => {
                let (first, second) = (self.unfold(first)?, self.unfold(second)?);
                let later = self.later(false, term);
                let first = self.or(first, later)?;
                self.and(second, first)?
            }
        };
        self.unfolded.insert(term, place);
        Ok(place)
    }

    fn nothing(&mut self) -> Place {
        let nothing = self.promises.number(Promise {
            more: false,
            terms: Vec::new(),
        });
        self.decisions.leaf(&[nothing])
    }

    fn later(&mut self, more: bool, term: Term) -> Place {
        let promise = self.promise(more, term);
        self.decisions.leaf(&[promise])
    }

    fn and(&mut self, one: Place, other: Place) -> Result<Place, Spent> {
        let (budget, promises) = (self.budget, &mut self.promises);
        let join = &mut |one: &[State], other: &[State]| {
            budget.charge(BYTES_PER_PAIR * one.len() * other.len())?;
            Ok(promises.each_with_each(one, other))
        };
        self.decisions
            .merge(one, other, &mut self.conjunctions, &|| step(budget), join)
    }

    fn or(&mut self, one: Place, other: Place) -> Result<Place, Spent> {
        let (budget, promises) = (self.budget, &self.promises);
        let join = &mut |one: &[State], other: &[State]| Ok(promises.weakest(&union(one, other)));
        self.decisions
            .merge(one, other, &mut self.disjunctions, &|| step(budget), join)
    }
}

fn step(budget: &Budget) -> Result<(), Spent> {
    budget.tick()?;
    budget.charge(BYTES_PER_PAIR)
}
