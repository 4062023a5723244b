//! Automata from outside: written by another tool over atoms that are predicates of ours.
//!
//! Whoever reads the file (HOA, for one) hands over the texts of the atoms and the edges over their numbers. The atoms
//! are read here, like any formula, so that their mistakes are shown like those of any formula: underlined in the text
//! of the file when the atom is found there, and with the atom itself in the message when it is not.

use crate::core::Pred;
use crate::lex::tokenise;
use crate::parse::{self, Dialect};
use crate::property::{Kind, Property, in_order};
use crate::syntax::Node;
use causet_base::span::Span;
use causet_base::value::escape;
use causet_base::{Code, Diagnostic};

/// A finite automaton over atoms that are given as text; it reads from position 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutsideAutomaton {
    /// The predicates its guards are about.
    pub atoms: Vec<String>,
    /// How many states it has.
    pub states: usize,
    /// Where it may start.
    pub start: Vec<usize>,
    /// Where a run must end.
    pub accepting: Vec<usize>,
    /// From which state, on what, to which state.
    pub edges: Vec<(usize, AtomGuard, usize)>,
}

/// A boolean combination of atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtomGuard {
    /// Always, or never.
    Const(bool),
    /// The atom of that number.
    Atom(usize),
    /// Negation.
    Not(Box<AtomGuard>),
    /// Conjunction.
    All(Vec<AtomGuard>),
    /// Disjunction.
    Any(Vec<AtomGuard>),
}

/// An automaton of which the atoms have been read.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub(crate) outside: OutsideAutomaton,
    pub(crate) atoms: Vec<Atom>,
}

/// The syntax of an atom.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) node: Node,
    pub(crate) place: Place,
}

/// Where an atom stands.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// In the text of the property.
    span: Span,
    /// The atom, when its own letters cannot be pointed at there.
    shown: Option<String>,
}

impl Property {
    /// The property that an automaton accepts every run; `text` is what errors are shown in, the automaton's file
    /// for instance.
    pub fn from_automaton(
        name: &str,
        text: &str,
        automaton: OutsideAutomaton,
    ) -> Result<Property, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut atoms = Vec::new();
        let mut from = 0;
        for atom in &automaton.atoms {
            let place = Place::find(atom, text, &mut from);
            match place.read(atom) {
                Ok(node) => atoms.push(Atom { node, place }),
                Err(more) => errors.extend(more),
            }
        }
        let span = Span::from(0..text.len());
        errors.extend(automaton.fault(span));
        if !errors.is_empty() {
            return Err(in_order(errors));
        }
        let automaton = Automaton {
            outside: automaton,
            atoms,
        };
        Ok(Property {
            name: name.to_owned(),
            kind: Kind::Automaton,
            text: text.to_owned(),
            span,
            syntax: None,
            automaton: Some(automaton.into()),
            mu: None,
        })
    }
}

impl Place {
    /// The next place of the atom in the text, in quotes if there is one such.
    fn find(atom: &str, text: &str, from: &mut usize) -> Place {
        let written = escape(atom, '"');
        let quoted = format!("\"{written}\"");
        let rest = text.get(*from..).unwrap_or("");
        let found = rest.find(&quoted).map(|at| at + 1);
        match found.or_else(|| rest.find(&written)) {
            Some(at) => {
                let span = Span::from(*from + at..*from + at + written.len());
                *from += at + written.len();
                let same = written == atom;
                let shown = (!same).then(|| atom.to_owned());
                Place { span, shown }
            }
            None => Place {
                span: Span::from(0..text.len()),
                shown: Some(atom.to_owned()),
            },
        }
    }

    fn read(&self, atom: &str) -> Result<Node, Vec<Diagnostic>> {
        let (mut lexemes, mut errors) = tokenise(atom);
        for lexeme in &mut lexemes {
            lexeme.span = self.moved(lexeme.span);
        }
        for error in &mut errors {
            error.span = self.moved(error.span);
        }
        let end = lexemes
            .last()
            .map_or(self.span.after(), |last| last.span.after());
        match parse::formula(&lexemes, end, Dialect::Linear) {
            Ok(node) if errors.is_empty() => return Ok(node),
            Ok(_) => {}
            Err(more) => errors.extend(more),
        }
        errors.iter_mut().for_each(|error| self.show(error));
        Err(errors)
    }

    /// A span of the atom as one of the text.
    fn moved(&self, span: Span) -> Span {
        match self.shown {
            None => Span::new(self.span.start + span.start, self.span.start + span.end),
            Some(_) => self.span,
        }
    }

    /// Names the atom in an error that cannot point into it.
    pub(crate) fn show(&self, error: &mut Diagnostic) {
        if let Some(atom) = &self.shown {
            error.message = format!("in the atom \"{atom}\": {}", error.message);
        }
    }
}

impl OutsideAutomaton {
    /// A number that is none of a state or an atom, or guards nested too deeply.
    fn fault(&self, span: Span) -> Option<Diagnostic> {
        let ends = self.edges.iter().flat_map(|(from, _, to)| [from, to]);
        let mut states = ends.chain(&self.start).chain(&self.accepting);
        if let Some(state) = states.find(|&&state| state >= self.states) {
            let message = format!("the automaton has no state {state}");
            let label = format!("expected a number below {}", self.states);
            return Some(Diagnostic::at(Code::MalformedAutomaton, span, message).with_label(label));
        }
        let mut guards = self.edges.iter().map(|(_, guard, _)| guard);
        guards.find_map(|guard| guard.fault(self.atoms.len(), span, 0))
    }
}

impl AtomGuard {
    fn fault(&self, atoms: usize, span: Span, depth: usize) -> Option<Diagnostic> {
        if depth > parse::MAX_DEPTH {
            return Some(parse::too_deep(span));
        }
        match self {
            AtomGuard::Const(_) => None,
            AtomGuard::Atom(atom) if *atom < atoms => None,
            AtomGuard::Atom(atom) => {
                let message = format!("the automaton has no atom {atom}");
                let label = format!("expected a number below {atoms}");
                Some(Diagnostic::at(Code::MalformedAutomaton, span, message).with_label(label))
            }
            AtomGuard::Not(guard) => guard.fault(atoms, span, depth + 1),
            AtomGuard::All(guards) | AtomGuard::Any(guards) => guards
                .iter()
                .find_map(|guard| guard.fault(atoms, span, depth + 1)),
        }
    }

    /// The guard as a predicate.
    pub(crate) fn over(&self, atoms: &[Pred]) -> Pred {
        match self {
            AtomGuard::Const(value) => Pred::Const(*value),
            AtomGuard::Atom(atom) => atoms.get(*atom).cloned().unwrap_or(Pred::FALSE),
            AtomGuard::Not(guard) => Pred::not(guard.over(atoms)),
            AtomGuard::All(guards) => Pred::and(guards.iter().map(|guard| guard.over(atoms))),
            AtomGuard::Any(guards) => Pred::or(guards.iter().map(|guard| guard.over(atoms))),
        }
    }
}
