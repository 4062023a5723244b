//! Labels of edges, as decisions that end in yes or no.
//!
//! An alias stands for its decisions and not for its text, so a short text cannot grow without end.

use std::convert::Infallible;

use causet_base::Diagnostic;
use rustc_hash::FxHashMap;

use super::super::decisions::{Decisions, union};
use super::super::{Place, State};
use super::parse::{MOST_ATOMS, Parser, too_much};
use super::tokens::Token;
use causet_base::budget::{Budget, Spent};

/// How deep labels may be nested.
const DEEPEST: usize = 200;

/// The table of all labels.
pub(super) struct Labels {
    pub(super) decisions: Decisions,
    pub(super) no: Place,
    pub(super) yes: Place,
}

impl Labels {
    pub(super) fn new() -> Self {
        let mut decisions = Decisions::new();
        let no = decisions.leaf(&[]);
        let yes = decisions.leaf(&[0]);
        Labels { decisions, no, yes }
    }

    pub(super) fn atom(&mut self, atom: usize) -> Place {
        self.decisions.branch(atom, self.no, self.yes)
    }

    pub(super) fn not(&mut self, one: Place) -> Place {
        let unlimited = || Ok::<(), Infallible>(());
        let join =
            &mut |one: &[State], _: &[State]| Ok(if one.is_empty() { vec![0] } else { Vec::new() });
        let mut known = FxHashMap::default();
        let no = self.no;
        let Ok(place) = self.decisions.merge(one, no, &mut known, &unlimited, join);
        place
    }

    pub(super) fn and(
        &mut self,
        one: Place,
        other: Place,
        budget: &Budget,
    ) -> Result<Place, Spent> {
        let join = &mut |one: &[State], other: &[State]| {
            Ok(if one.is_empty() { one } else { other }.to_vec())
        };
        let mut known = FxHashMap::default();
        let tick = || budget.tick();
        self.decisions.merge(one, other, &mut known, &tick, join)
    }

    pub(super) fn or(&mut self, one: Place, other: Place, budget: &Budget) -> Result<Place, Spent> {
        let join = &mut |one: &[State], other: &[State]| Ok(union(one, other));
        let mut known = FxHashMap::default();
        let tick = || budget.tick();
        self.decisions.merge(one, other, &mut known, &tick, join)
    }
}

impl Parser<'_, '_> {
    pub(super) fn bracketed_label(&mut self) -> Result<Option<Place>, Diagnostic> {
        if !self.take(&Token::Symbol('[')) {
            return Ok(None);
        }
        let label = self.label(0)?;
        self.expect(']')?;
        self.check_atoms()?;
        Ok(Some(label))
    }

    /// A disjunction.
    pub(super) fn label(&mut self, depth: usize) -> Result<Place, Diagnostic> {
        let mut any = self.conjunction(depth)?;
        while self.take(&Token::Symbol('|')) {
            let at = self.at();
            let part = self.conjunction(depth)?;
            let or = self.labels.or(any, part, self.budget);
            any = or.map_err(|spent| too_much(at, spent))?;
        }
        Ok(any)
    }

    fn conjunction(&mut self, depth: usize) -> Result<Place, Diagnostic> {
        let mut all = self.factor(depth)?;
        while self.take(&Token::Symbol('&')) {
            let at = self.at();
            let part = self.factor(depth)?;
            let and = self.labels.and(all, part, self.budget);
            all = and.map_err(|spent| too_much(at, spent))?;
        }
        Ok(all)
    }

    fn factor(&mut self, depth: usize) -> Result<Place, Diagnostic> {
        let at = self.at();
        if depth > DEEPEST {
            return Err(at.mistake("this label is nested too deeply"));
        }
        match self.advance() {
            Token::Symbol('!') => {
                let part = self.factor(depth + 1)?;
                Ok(self.labels.not(part))
            }
            Token::Symbol('(') => {
                let part = self.label(depth + 1)?;
                self.expect(')')?;
                Ok(part)
            }
            Token::Identifier(name) if name == "t" => Ok(self.labels.yes),
            Token::Identifier(name) if name == "f" => Ok(self.labels.no),
            Token::Number(atom) if atom >= MOST_ATOMS => {
                Err(at.mistake(format!("there is no atomic proposition {atom}")))
            }
            Token::Number(atom) => {
                self.used.push((atom, at));
                Ok(self.labels.atom(atom))
            }
            Token::Alias(name) => match self.aliases.get(&name) {
                Some(&label) => Ok(label),
                None => Err(at.mistake(format!("`@{name}` has not been defined"))),
            },
            other => Err(at.mistake(format!("expected a label, found {other}"))),
        }
    }
}
