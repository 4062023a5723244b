//! All orders of a small run as words, and languages of words as the definitions have them.
//!
//! A letter looks at the set of events so far and at the event just executed. Nothing is made of a language: a formula is
//! asked position by position, a sequence tries all hits, a regular expression all ways to cut the word into pieces.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use causet_trace::{EventId, Trace};

use super::{Oracle, Set};

/// A position of a word: the events so far, and the last of them.
pub(crate) type Position = (Set, Option<EventId>);

/// A truth of a position.
pub(crate) type Truth = Rc<dyn Fn(&Oracle<'_>, &Set, Option<EventId>) -> bool>;

/// A truth of a position with a number of its own, for the memory.
#[derive(Clone)]
pub(crate) struct Letter {
    pub(crate) number: usize,
    pub(crate) truth: Truth,
}

/// A formula of LTL with every operator there is.
#[derive(Clone)]
pub(crate) enum Formula {
    Letter(Letter),
    Not(Box<Formula>),
    Unary(Unary, Box<Formula>),
    Binary(Binary, Box<Formula>, Box<Formula>),
}

#[derive(Clone, Copy)]
pub(crate) enum Unary {
    Next,
    WeakNext,
    Finally,
    Globally,
}

#[derive(Clone, Copy)]
pub(crate) enum Binary {
    And,
    Or,
    Implies,
    Iff,
    Until,
    Weak,
    Release,
    Strong,
}

/// An automaton that reads events; its states are numbers, the first is 0.
#[derive(Clone)]
pub(crate) struct Monitor {
    pub(crate) edges: Vec<(usize, usize, Letter)>,
    pub(crate) bad: Vec<usize>,
}

/// An automaton that reads every position, the first one too; a word without a way on is not accepted.
#[derive(Clone)]
pub(crate) struct Acceptor {
    pub(crate) start: Vec<usize>,
    /// From which state to which one, and what must be the truth of a letter there.
    pub(crate) edges: Vec<(usize, usize, Letter, bool)>,
    pub(crate) accepting: Vec<usize>,
}

/// A position of a sequence, and what holds strictly between the one before and it.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) never: Option<Letter>,
    pub(crate) always: Option<Letter>,
    pub(crate) at: Letter,
}

#[derive(Clone)]
pub(crate) enum Expression {
    Empty,
    Any,
    Letter(Letter),
    Then(Box<Expression>, Box<Expression>),
    Either(Box<Expression>, Box<Expression>),
    Star(Box<Expression>),
    Plus(Box<Expression>),
    Optional(Box<Expression>),
}

#[derive(Clone)]
pub(crate) enum Language {
    Formula(Formula),
    Monitor(Monitor),
    Acceptor(Acceptor),
    Sequence(Vec<Step>),
    Expression(Expression),
}

/// The orders of a run up to a set of events, as words.
pub(crate) struct Words<'t> {
    pub(crate) oracle: Oracle<'t>,
    pub(crate) orders: Vec<Vec<EventId>>,
    memory: RefCell<HashMap<(usize, Position), bool>>,
}

impl<'t> Words<'t> {
    /// All orders of all events.
    pub(crate) fn new(trace: &'t Trace) -> Self {
        Words::upto(trace, &trace.events().collect())
    }

    /// All orders of the events of a cut.
    pub(crate) fn upto(trace: &'t Trace, end: &Set) -> Self {
        let mut words = Words {
            oracle: Oracle::new(trace),
            orders: Vec::new(),
            memory: RefCell::default(),
        };
        let mut orders = Vec::new();
        words.extend(&mut Vec::new(), end, &mut orders);
        words.orders = orders;
        words
    }

    fn extend(&self, begun: &mut Vec<EventId>, end: &Set, orders: &mut Vec<Vec<EventId>>) {
        if begun.len() == end.len() {
            orders.push(begun.clone());
            return;
        }
        let mut set = begun.clone();
        set.sort_unstable();
        for event in self.oracle.possible(&set) {
            if end.contains(&event) {
                begun.push(event);
                self.extend(begun, end, orders);
                begun.pop();
            }
        }
    }

    /// Forgets what letters are true where: those of another property may have the same numbers.
    pub(crate) fn forget(&self) {
        self.memory.borrow_mut().clear();
    }

    /// The order as a word; nothing when it cannot happen.
    pub(crate) fn word(&self, order: &[EventId]) -> Option<Vec<Position>> {
        let mut word: Vec<Position> = vec![(Vec::new(), None)];
        for &event in order {
            let (last, _) = &word[word.len() - 1];
            if !self.oracle.possible(last).contains(&event) {
                return None;
            }
            let next = self.oracle.after(last, event);
            word.push((next, Some(event)));
        }
        Some(word)
    }

    /// Whether an order that can happen is a word of a language.
    pub(crate) fn belongs(&self, language: &Language, order: &[EventId]) -> bool {
        let word = self.word(order).expect("a possible order");
        match language {
            Language::Formula(formula) => self.satisfies(formula, &word, 0),
            Language::Monitor(monitor) => self.finds(monitor, &word),
            Language::Acceptor(acceptor) => self.accepts(acceptor, &word),
            Language::Sequence(steps) => self.hits(steps, &word, 0),
            Language::Expression(expression) => {
                let ends = self.matches(expression, &word, 0);
                ends.contains(&word.len())
            }
        }
    }

    fn holds(&self, letter: &Letter, position: &Position) -> bool {
        let key = (letter.number, position.clone());
        if let Some(&known) = self.memory.borrow().get(&key) {
            return known;
        }
        let truth = (letter.truth)(&self.oracle, &position.0, position.1);
        self.memory.borrow_mut().insert(key, truth);
        truth
    }

    fn satisfies(&self, formula: &Formula, word: &[Position], at: usize) -> bool {
        let mut on = at..word.len();
        match formula {
            Formula::Letter(letter) => self.holds(letter, &word[at]),
            Formula::Not(f) => !self.satisfies(f, word, at),
            Formula::Unary(operator, f) => {
                let f = |i: usize| self.satisfies(f, word, i);
                match operator {
                    Unary::Next => at + 1 < word.len() && f(at + 1),
                    Unary::WeakNext => at + 1 == word.len() || f(at + 1),
                    Unary::Finally => on.any(f),
                    Unary::Globally => on.all(f),
                }
            }
            Formula::Binary(operator, f, g) => {
                let f = |i: usize| self.satisfies(f, word, i);
                let g = |i: usize| self.satisfies(g, word, i);
                match operator {
                    Binary::And => f(at) && g(at),
                    Binary::Or => f(at) || g(at),
                    Binary::Implies => !f(at) || g(at),
                    Binary::Iff => f(at) == g(at),
                    Binary::Until => on.any(|i| g(i) && (at..i).all(f)),
                    Binary::Weak => on.clone().all(f) || on.any(|i| g(i) && (at..i).all(f)),
                    Binary::Release => on.clone().all(g) || on.any(|i| f(i) && (at..=i).all(g)),
                    Binary::Strong => on.any(|i| f(i) && (at..=i).all(g)),
                }
            }
        }
    }

    /// Whether a monitor can be in a bad state after the word; the first position is not read.
    fn finds(&self, monitor: &Monitor, word: &[Position]) -> bool {
        let mut states = BTreeSet::from([0]);
        for position in &word[1..] {
            let mut next = BTreeSet::new();
            for &state in &states {
                let mut targets = BTreeSet::new();
                for (from, to, guard) in &monitor.edges {
                    if *from == state && self.holds(guard, position) {
                        targets.insert(*to);
                    }
                }
                if targets.is_empty() {
                    targets.insert(state);
                }
                next.extend(targets);
            }
            states = next;
        }
        monitor.bad.iter().any(|state| states.contains(state))
    }

    fn accepts(&self, acceptor: &Acceptor, word: &[Position]) -> bool {
        let mut states: BTreeSet<usize> = acceptor.start.iter().copied().collect();
        for position in word {
            let edges = acceptor.edges.iter();
            let open = edges.filter(|(from, _, letter, truth)| {
                states.contains(from) && self.holds(letter, position) == *truth
            });
            states = open.map(|&(_, to, ..)| to).collect();
        }
        let mut accepting = acceptor.accepting.iter();
        accepting.any(|state| states.contains(state))
    }

    /// Whether the steps can be hit one after the other from here on.
    fn hits(&self, steps: &[Step], word: &[Position], from: usize) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        (from..word.len()).any(|hit| {
            let between = &word[from..hit];
            let never = |t: &Letter| !between.iter().any(|position| self.holds(t, position));
            let always = |t: &Letter| between.iter().all(|position| self.holds(t, position));
            self.holds(&step.at, &word[hit])
                && step.never.as_ref().is_none_or(never)
                && step.always.as_ref().is_none_or(always)
                && self.hits(rest, word, hit + 1)
        })
    }

    /// Where a match that begins here can end.
    fn matches(&self, expression: &Expression, word: &[Position], from: usize) -> BTreeSet<usize> {
        match expression {
            Expression::Empty => BTreeSet::from([from]),
            Expression::Any => (from + 1..=word.len()).take(1).collect(),
            Expression::Letter(letter) => {
                let read = (from..word.len()).take(1);
                read.filter(|&at| self.holds(letter, &word[at]))
                    .map(|at| at + 1)
                    .collect()
            }
            Expression::Then(one, other) => {
                let middle = self.matches(one, word, from).into_iter();
                middle
                    .flat_map(|at| self.matches(other, word, at))
                    .collect()
            }
            Expression::Either(one, other) => {
                let mut ends = self.matches(one, word, from);
                ends.extend(self.matches(other, word, from));
                ends
            }
            Expression::Optional(part) => {
                let mut ends = self.matches(part, word, from);
                ends.insert(from);
                ends
            }
            Expression::Plus(part) => {
                let once = self.matches(part, word, from).into_iter();
                once.flat_map(|at| self.repeated(part, word, at)).collect()
            }
            Expression::Star(part) => self.repeated(part, word, from),
        }
    }

    fn repeated(&self, part: &Expression, word: &[Position], from: usize) -> BTreeSet<usize> {
        let mut ends = BTreeSet::from([from]);
        loop {
            let further: BTreeSet<usize> = ends
                .iter()
                .flat_map(|&at| self.matches(part, word, at))
                .collect();
            let known = ends.len();
            ends.extend(further);
            if ends.len() == known {
                return ends;
            }
        }
    }
}
