//! Linear temporal logic over finite words, and its automata.
//!
//! The deterministic automaton comes from progression: reading a letter leaves a formula for the rest of the word. What is
//! left is a Boolean function of two kinds of variables, `more` (another position follows) and, for a temporal sub-formula
//! or an atom, that it holds at that position. `X f` leaves `more && f`, and `a U b` leaves what `b || a && X (a U b)`
//! leaves. The function of a letter's atoms and of these variables is one canonical diagram with the atoms on top, so the
//! letters are never enumerated, every diagram below the atoms is a state, and states that are propositionally equal are
//! the same. So are those that the laws `b -> a U b` and `a U b -> a || b` make equal: nested `U` would leave exponentially
//! many disjunctions otherwise. At the end of the word `more` is false, which decides each state. Minimisation does the
//! rest.
//!
//! Negation needs no normal form here, because diagrams negate at no cost. The alternative, sets of formulas that are
//! rewritten by rules, finds fewer states equal and needs more code.

use rustc_hash::FxHashMap;

use super::decisions::Decisions;
use super::functions::{Function, Functions};
use super::linear::Ltl;
pub use super::tableau::translate_nondeterministic;
use super::{Automaton, Place, State};
use causet_base::budget::{Budget, Spent};

/// Whether a formula holds at the first position of a word, by the definition of its operators; never for the empty word.
pub fn evaluate(formula: &Ltl<usize>, word: &[Vec<bool>]) -> bool {
    truths(formula, word).first().copied().unwrap_or(false)
}

/// The least complete deterministic automaton of the words that satisfy a formula over so many atoms; `None` if more than
/// `limit` states turn up on the way.
pub fn translate(
    formula: &Ltl<usize>,
    atoms: usize,
    limit: usize,
    budget: &Budget,
) -> Result<Option<Automaton>, Spent> {
    let branch = budget.branch();
    let mut progression = Progression::new(atoms, &branch);
    let Some(automaton) = progression.run(formula, limit)? else {
        return Ok(None);
    };
    drop(progression);
    Ok(Some(automaton.minimise(budget)?.without_empty_word()))
}

/// The truth of a formula at each position of a word.
fn truths(formula: &Ltl<usize>, word: &[Vec<bool>]) -> Vec<bool> {
    let positions = 0..word.len();
    let joined = |parts: &[Ltl<usize>], all: bool| -> Vec<bool> {
        let parts: Vec<_> = parts.iter().map(|part| truths(part, word)).collect();
        let decide = |at: usize| {
            if all {
                parts.iter().all(|part| part[at])
            } else {
                parts.iter().any(|part| part[at])
            }
        };
        positions.clone().map(decide).collect()
    };
    match formula {
        Ltl::State(atom) => word.iter().map(|letter| letter[*atom]).collect(),
        Ltl::Not(part) => truths(part, word).iter().map(|truth| !truth).collect(),
        Ltl::And(parts) => joined(parts, true),
        Ltl::Or(parts) => joined(parts, false),
        Ltl::Next(part) => {
            let part = truths(part, word);
            positions
                .map(|at| part.get(at + 1).copied().unwrap_or(false))
                .collect()
        }
        Ltl::Until(first, second) => {
            let (first, second) = (truths(first, word), truths(second, word));
            let holds_from = |at: usize| {
                (at..word.len()).any(|end| second[end] && first[at..end].iter().all(|&truth| truth))
            };
            positions.map(holds_from).collect()
        }
    }
}

/// A sub-formula in the table.
type Term = usize;

/// A formula whose parts are in the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Shape {
    Atom(usize),
    Not(Term),
    And(Vec<Term>),
    Or(Vec<Term>),
    Next(Term),
    Until(Term, Term),
}

/// The work of one translation.
struct Progression<'b> {
    atoms: usize,
    budget: &'b Budget<'b>,
    functions: Functions<'b>,
    shapes: Vec<Shape>,
    term_of: FxHashMap<Shape, Term>,
    /// The terms that have a variable, in the order of these; the first variable after the atoms is `more`.
    awaited: Vec<Term>,
    variable_of: FxHashMap<Term, usize>,
    /// What a term says about a letter and the rest.
    unfolded: FxHashMap<Term, Function>,
    /// What a function of the next position says about its letter and the rest.
    stepped: FxHashMap<Function, Function>,
    /// The laws that relate what holds at one position.
    laws: Function,
    /// The states found so far, each known by what the laws make of it.
    states: Vec<Function>,
    state_of: FxHashMap<Function, State>,
    decisions: Decisions,
    places: FxHashMap<Function, Place>,
}

impl<'b> Progression<'b> {
    fn new(atoms: usize, budget: &'b Budget<'b>) -> Self {
        Progression {
            atoms,
            budget,
            functions: Functions::new(budget),
            shapes: Vec::new(),
            term_of: FxHashMap::default(),
            awaited: Vec::new(),
            variable_of: FxHashMap::default(),
            unfolded: FxHashMap::default(),
            stepped: FxHashMap::default(),
            laws: Function::YES,
            states: Vec::new(),
            state_of: FxHashMap::default(),
            decisions: Decisions::new(),
            places: FxHashMap::default(),
        }
    }

    fn run(&mut self, formula: &Ltl<usize>, limit: usize) -> Result<Option<Automaton>, Spent> {
        let term = self.enter(formula);
        let holds = self.awaited(term)?;
        let initial = self.if_more(holds)?;
        self.set_laws()?;
        self.number(initial)?;
        let mut moves = Vec::new();
        while let Some(&state) = self.states.get(moves.len()) {
            let after = self.step(state)?;
            moves.push(self.decide(after)?);
            if self.states.len() > limit {
                return Ok(None);
            }
        }
        let accepting = self.states.iter().map(|&state| self.at_end(state));
        Ok(Some(Automaton {
            atoms: self.atoms,
            accepting: accepting.collect(),
            decisions: std::mem::take(&mut self.decisions),
            moves,
            initial: 0,
        }))
    }

    fn enter(&mut self, formula: &Ltl<usize>) -> Term {
        let shape = match formula {
            Ltl::State(atom) => Shape::Atom(*atom),
            Ltl::Not(part) => Shape::Not(self.enter(part)),
            Ltl::And(parts) => Shape::And(parts.iter().map(|part| self.enter(part)).collect()),
            Ltl::Or(parts) => Shape::Or(parts.iter().map(|part| self.enter(part)).collect()),
            Ltl::Next(part) => Shape::Next(self.enter(part)),
            Ltl::Until(first, second) => Shape::Until(self.enter(first), self.enter(second)),
        };
        let fresh = self.shapes.len();
        let term = *self.term_of.entry(shape.clone()).or_insert(fresh);
        if term == fresh {
            self.shapes.push(shape);
        }
        term
    }

    /// What a term says about the letter at hand and the rest of the word.
    fn unfold(&mut self, term: Term) -> Result<Function, Spent> {
        if let Some(&function) = self.unfolded.get(&term) {
            return Ok(function);
        }
        let function = match self.shapes[term].clone() {
            Shape::Atom(atom) => self.functions.variable(atom)?,
            Shape::Next(part) => {
                let holds = self.awaited(part)?;
                self.if_more(holds)?
            }
            Shape::Until(first, second) => {
                let holds = self.awaited(term)?;
                let later = self.if_more(holds)?;
                let (first, second) = (self.unfold(first)?, self.unfold(second)?);
                let later = self.functions.and(first, later)?;
                self.functions.or(second, later)?
            }
            shape => self.combine(shape, Self::unfold)?,
        };
        self.unfolded.insert(term, function);
        Ok(function)
    }

    /// That a term holds at the next position, split into the parts that are not Boolean.
    fn awaited(&mut self, term: Term) -> Result<Function, Spent> {
        match self.shapes[term].clone() {
            Shape::Atom(_) | Shape::Next(_) | Shape::Until(..) => {
                let fresh = self.atoms + 1 + self.awaited.len();
                let variable = *self.variable_of.entry(term).or_insert(fresh);
                if variable == fresh {
                    self.awaited.push(term);
                }
                self.functions.variable(variable)
            }
            shape => self.combine(shape, Self::awaited),
        }
    }

    /// A Boolean operator applied to what becomes of its parts; the others have been dealt with.
    fn combine(
        &mut self,
        shape: Shape,
        part: fn(&mut Self, Term) -> Result<Function, Spent>,
    ) -> Result<Function, Spent> {
        let (parts, all) = match shape {
            Shape::Not(negated) => {
                let negated = part(self, negated)?;
                return self.functions.not(negated);
            }
            Shape::And(parts) => (parts, true),
            Shape::Or(parts) => (parts, false),
            Shape::Atom(_) | Shape::Next(_) | Shape::Until(..) => (Vec::new(), false),
        };
        let mut joined = Function::constant(all);
        for one in parts {
            let one = part(self, one)?;
            joined = if all {
                self.functions.and(joined, one)?
            } else {
                self.functions.or(joined, one)?
            };
        }
        Ok(joined)
    }

    /// Another position follows, and there is `there`.
    fn if_more(&mut self, there: Function) -> Result<Function, Spent> {
        let more = self.functions.variable(self.atoms)?;
        self.functions.and(more, there)
    }

    /// A function of the next position once that is the one at hand.
    fn step(&mut self, function: Function) -> Result<Function, Spent> {
        let Some(split) = self.functions.split(function) else {
            return Ok(function);
        };
        if let Some(&after) = self.stepped.get(&function) {
            return Ok(after);
        }
        self.budget.tick()?;
        let yes = self.step(split.yes)?;
        let after = match split.variable.checked_sub(self.atoms + 1) {
            None => yes,
            Some(index) => {
                let no = self.step(split.no)?;
                let holds = self.unfold(self.awaited[index])?;
                self.functions.choose(holds, yes, no)?
            }
        };
        self.stepped.insert(function, after);
        Ok(after)
    }

    /// The decisions of a function of letter and rest: the atoms are asked, and what is left is a state.
    fn decide(&mut self, function: Function) -> Result<Place, Spent> {
        if let Some(&place) = self.places.get(&function) {
            return Ok(place);
        }
        self.budget.tick()?;
        let place = match self.functions.split(function) {
            Some(split) if split.variable < self.atoms => {
                let no = self.decide(split.no)?;
                let yes = self.decide(split.yes)?;
                self.decisions.branch(split.variable, no, yes)
            }
            _ => {
                let state = self.number(function)?;
                self.decisions.leaf(&[state])
            }
        };
        self.places.insert(function, place);
        Ok(place)
    }

    /// The state that a function is, a new one if the laws do not make it equal to another.
    fn number(&mut self, function: Function) -> Result<State, Spent> {
        let (ended, more) = self.functions.cofactors(function, self.atoms);
        let lawful = self.functions.and(more, self.laws)?;
        let key = self.functions.join(self.atoms, ended, lawful)?;
        let fresh = self.states.len() as State;
        let state = *self.state_of.entry(key).or_insert(fresh);
        if state == fresh {
            self.states.push(function);
        }
        Ok(state)
    }

    /// Finds the laws: `b -> a U b` and `a U b -> a || b` for all that is awaited or may be.
    fn set_laws(&mut self) -> Result<(), Spent> {
        for term in 0..self.shapes.len() {
            let Shape::Until(first, second) = self.shapes[term] else {
                continue;
            };
            let (first, second) = (self.awaited(first)?, self.awaited(second)?);
            let until = self.awaited(term)?;
            let either = self.functions.or(first, second)?;
            let not_second = self.functions.not(second)?;
            let law = self.functions.choose(until, either, not_second)?;
            self.laws = self.functions.and(self.laws, law)?;
        }
        Ok(())
    }

    /// The truth of a state when no position follows: all its variables are behind `more`, which is its first.
    fn at_end(&self, state: Function) -> bool {
        let ended = self.functions.split(state).map_or(state, |split| split.no);
        ended == Function::YES
    }
}
