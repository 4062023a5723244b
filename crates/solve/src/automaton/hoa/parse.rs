//! From tokens to a draft; what the format allows and we do not understand is refused where it stands.
//!
//! Here is what all parts share; `header`, `body` and `label` hold the grammar.

use causet_base::Diagnostic;
use rustc_hash::FxHashMap;

use super::super::{Place, State};
use super::draft::{Acceptance, Draft, DraftState};
use super::label::Labels;
use super::tokens::{At, Token};
use causet_base::budget::{Budget, Spent};

/// How many atomic propositions there may be.
pub(super) const MOST_ATOMS: usize = 1000;

/// Reads all tokens.
pub(super) fn parse(tokens: &[(Token, At)], budget: &Budget) -> Result<Draft, Diagnostic> {
    let mut parser = Parser::new(tokens, budget);
    parser.header()?;
    parser.check_header()?;
    parser.body()?;
    let atoms = parser.atoms.unwrap_or_default();
    Ok(Draft {
        name: parser.name,
        atoms,
        starts: parser.starts,
        acceptance: parser.acceptance.unwrap_or(Acceptance::Marks),
        states: parser.states,
        labels: parser.labels,
    })
}

/// What has been read so far, and what comes next.
pub(super) struct Parser<'t, 'b> {
    pub(super) tokens: &'t [(Token, At)],
    pub(super) next: usize,
    pub(super) budget: &'b Budget<'b>,
    pub(super) name: Option<String>,
    pub(super) atoms: Option<Vec<String>>,
    pub(super) starts: Vec<State>,
    pub(super) start_places: Vec<At>,
    pub(super) acceptance: Option<Acceptance>,
    pub(super) count: Option<usize>,
    pub(super) states: Vec<DraftState>,
    pub(super) labels: Labels,
    pub(super) aliases: FxHashMap<String, Place>,
    /// The atoms that labels were about, with the place of the first use.
    pub(super) used: Vec<(usize, At)>,
}

impl<'t, 'b> Parser<'t, 'b> {
    fn new(tokens: &'t [(Token, At)], budget: &'b Budget<'b>) -> Self {
        Parser {
            tokens,
            next: 0,
            budget,
            name: None,
            atoms: None,
            starts: Vec::new(),
            start_places: Vec::new(),
            acceptance: None,
            count: None,
            states: Vec::new(),
            labels: Labels::new(),
            aliases: FxHashMap::default(),
            used: Vec::new(),
        }
    }

    pub(super) fn check_atoms(&mut self) -> Result<(), Diagnostic> {
        let count = self.atoms.as_ref().map_or(0, Vec::len);
        for (atom, at) in std::mem::take(&mut self.used) {
            if atom >= count {
                return Err(at.mistake(format!("there is no atomic proposition {atom}")));
            }
        }
        Ok(())
    }

    pub(super) fn refuse_conjunction(&self) -> Result<(), Diagnostic> {
        match self.peek() {
            Token::Symbol('&') => Err(self
                .at()
                .mistake("several states at once (alternation) are not understood")),
            _ => Ok(()),
        }
    }

    /// Makes room for a state that the text speaks of.
    pub(super) fn mention(&mut self, state: State, at: At) -> Result<(), Diagnostic> {
        let index = state as usize;
        match self.count {
            Some(count) if index >= count => {
                let message = format!("state {state} is not one of the {count} announced");
                return Err(at.mistake(message));
            }
            _ if index >= self.states.len() => {
                self.states.resize_with(index + 1, DraftState::default);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn state_number(&mut self) -> Result<State, Diagnostic> {
        let at = self.at();
        let number = self.number("the number of a state")?;
        if number >= self.most_states() {
            return Err(at.mistake("this number is larger than the text has room for states"));
        }
        Ok(number as State)
    }

    /// No text speaks of more states than it has tokens.
    pub(super) fn most_states(&self) -> usize {
        self.tokens.len().min(State::MAX as usize)
    }

    pub(super) fn number(&mut self, what: &str) -> Result<usize, Diagnostic> {
        let at = self.at();
        match self.advance() {
            Token::Number(number) => Ok(number),
            other => Err(at.mistake(format!("expected {what}, found {other}"))),
        }
    }

    pub(super) fn expect(&mut self, symbol: char) -> Result<(), Diagnostic> {
        if self.take(&Token::Symbol(symbol)) {
            return Ok(());
        }
        let message = format!("expected `{symbol}`, found {}", self.peek());
        Err(self.at().mistake(message))
    }

    pub(super) fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.next += usize::from(found);
        found
    }

    /// The next token, which stays the last one at the end of the text.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::Nothing {
            self.next += 1;
        }
        token
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    pub(super) fn at(&self) -> At {
        self.tokens[self.next].1
    }
}

/// The budget does not allow to read on.
pub(super) fn too_much(at: At, spent: Spent) -> Diagnostic {
    at.mistake(format!("this is too complicated to read: {spent}"))
}
