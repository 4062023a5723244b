//! From tokens to a draft; what the format allows and we do not understand is refused where it stands.

use rustc_hash::FxHashMap;

use super::super::{Place, State};
use super::Mistake;
use super::draft::{Acceptance, Draft, DraftEdge, DraftState};
use super::label::Labels;
use super::tokens::{At, Token};
use crate::budget::{Budget, Spent};

/// How deep labels may be nested.
const DEEPEST: usize = 200;

/// How many atomic propositions there may be.
const MOST_ATOMS: usize = 1000;

/// Reads all tokens.
pub(super) fn parse(tokens: &[(Token, At)], budget: &Budget) -> Result<Draft, Mistake> {
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

struct Parser<'t, 'b> {
    tokens: &'t [(Token, At)],
    next: usize,
    budget: &'b Budget<'b>,
    name: Option<String>,
    atoms: Option<Vec<String>>,
    starts: Vec<State>,
    start_places: Vec<At>,
    acceptance: Option<Acceptance>,
    count: Option<usize>,
    states: Vec<DraftState>,
    labels: Labels,
    aliases: FxHashMap<String, Place>,
    /// The atoms that labels were about, with the place of the first use.
    used: Vec<(usize, At)>,
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

    /// The items up to the body.
    fn header(&mut self) -> Result<(), Mistake> {
        let at = self.at();
        let is_version = self.take(&Token::Header("HOA".to_owned()));
        if !is_version || !self.take(&Token::Identifier("v1".to_owned())) {
            return Err(at.mistake("expected `HOA: v1`"));
        }
        loop {
            let at = self.at();
            match self.advance() {
                Token::Body => return Ok(()),
                Token::Header(name) => self.item(&name, at)?,
                other => {
                    let message = format!("expected an item of the header, found {other}");
                    return Err(at.mistake(message));
                }
            }
        }
    }

    fn item(&mut self, name: &str, at: At) -> Result<(), Mistake> {
        match name {
            "States" => {
                let count = self.number("the number of states")?;
                if count > self.most_states() {
                    return Err(at.mistake("more states are announced than the text has room for"));
                }
                once(&mut self.count, count, "States", at)
            }
            "Start" => {
                let place = self.at();
                let start = self.state_number()?;
                self.refuse_conjunction()?;
                self.starts.push(start);
                self.start_places.push(place);
                Ok(())
            }
            "AP" => {
                let atoms = self.atom_names()?;
                once(&mut self.atoms, atoms, "AP", at)
            }
            "Alias" => self.alias(),
            "Acceptance" => {
                let acceptance = self.acceptance()?;
                once(&mut self.acceptance, acceptance, "Acceptance", at)
            }
            "name" => {
                let at = self.at();
                let Token::Text(name) = self.advance() else {
                    return Err(at.mistake("expected the name in quotes"));
                };
                self.name = Some(name);
                Ok(())
            }
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Err(at.mistake(format!("`{name}:` is not understood")))
            }
            _ => {
                self.skip_values();
                Ok(())
            }
        }
    }

    /// Skips what belongs to an item that changes nothing.
    fn skip_values(&mut self) {
        while matches!(
            self.peek(),
            Token::Identifier(_) | Token::Text(_) | Token::Number(_) | Token::Symbol(_)
        ) {
            self.next += 1;
        }
    }

    fn atom_names(&mut self) -> Result<Vec<String>, Mistake> {
        let at = self.at();
        let count = self.number("the number of atomic propositions")?;
        if count > MOST_ATOMS {
            let message = format!("more than {MOST_ATOMS} atomic propositions are not understood");
            return Err(at.mistake(message));
        }
        let mut names = Vec::new();
        while let Token::Text(name) = self.peek() {
            if names.contains(name) {
                return Err(self.at().mistake(format!("{name:?} is there twice")));
            }
            names.push(name.clone());
            self.next += 1;
        }
        if names.len() != count {
            let message = format!("{count} names are announced and {} follow", names.len());
            return Err(at.mistake(message));
        }
        Ok(names)
    }

    fn alias(&mut self) -> Result<(), Mistake> {
        let at = self.at();
        let Token::Alias(name) = self.advance() else {
            return Err(at.mistake("expected the name of an alias, such as `@a`"));
        };
        let label = self.label(0)?;
        if self.aliases.insert(name.clone(), label).is_some() {
            return Err(at.mistake(format!("`@{name}` is defined twice")));
        }
        Ok(())
    }

    fn acceptance(&mut self) -> Result<Acceptance, Mistake> {
        let at = self.at();
        let sets = self.number("the number of acceptance sets")?;
        let first = self.next;
        while matches!(
            self.peek(),
            Token::Identifier(_) | Token::Number(_) | Token::Symbol(_)
        ) {
            self.next += 1;
        }
        let condition: Vec<String> = self.tokens[first..self.next]
            .iter()
            .map(|(token, _)| token.to_string().replace('`', ""))
            .collect();
        match (sets, condition.concat().as_str()) {
            (_, "t") => Ok(Acceptance::Const(true)),
            (_, "f") => Ok(Acceptance::Const(false)),
            (1, "Inf(0)") => Ok(Acceptance::Marks),
            (_, condition) => {
                let message = format!(
                    "the acceptance condition `{sets} {condition}` is not understood; \
                     `1 Inf(0)`, `0 t` and `0 f` are"
                );
                Err(at.mistake(message))
            }
        }
    }

    /// What can be said only when the whole header is known.
    fn check_header(&mut self) -> Result<(), Mistake> {
        if self.acceptance.is_none() {
            return Err(self.at().mistake("the header has no `Acceptance:`"));
        }
        self.check_atoms()?;
        let pairs: Vec<_> = self
            .starts
            .iter()
            .copied()
            .zip(self.start_places.clone())
            .collect();
        for (start, at) in pairs {
            self.mention(start, at)?;
        }
        if let Some(count) = self.count {
            self.states.resize_with(count, DraftState::default);
        }
        Ok(())
    }

    fn check_atoms(&mut self) -> Result<(), Mistake> {
        let count = self.atoms.as_ref().map_or(0, Vec::len);
        for (atom, at) in std::mem::take(&mut self.used) {
            if atom >= count {
                return Err(at.mistake(format!("there is no atomic proposition {atom}")));
            }
        }
        Ok(())
    }

    fn body(&mut self) -> Result<(), Mistake> {
        loop {
            let at = self.at();
            match self.advance() {
                Token::End => break,
                Token::Header(name) if name == "State" => self.state()?,
                other => {
                    return Err(
                        at.mistake(format!("expected `State:` or `--END--`, found {other}"))
                    );
                }
            }
        }
        match self.peek() {
            Token::Nothing => Ok(()),
            other => {
                let message = format!("one automaton is expected, and after it comes {other}");
                Err(self.at().mistake(message))
            }
        }
    }

    fn state(&mut self) -> Result<(), Mistake> {
        let common = self.bracketed_label()?;
        let at = self.at();
        let number = self.state_number()?;
        self.mention(number, at)?;
        if let Token::Text(_) = self.peek() {
            self.next += 1;
        }
        let marked = self.marks()?;
        let (mut edges, mut unlabelled) = (Vec::new(), Vec::new());
        while matches!(self.peek(), Token::Symbol('[') | Token::Number(_)) {
            let place = self.at();
            let own = self.bracketed_label()?;
            if own.is_some() && common.is_some() {
                return Err(place.mistake("the state has a label already, so its edges have none"));
            }
            let (target, edge_marked) = self.edge_end()?;
            if own.is_none() && common.is_none() {
                unlabelled.push(place);
            }
            edges.push(DraftEdge {
                label: own.or(common).unwrap_or(self.labels.yes),
                target,
                marked: edge_marked,
            });
        }
        self.label_implicitly(&mut edges, &unlabelled, at)?;
        edges.retain(|edge| edge.label != self.labels.no);
        let state = &mut self.states[number as usize];
        if state.at.is_some() {
            return Err(at.mistake(format!("state {number} is defined twice")));
        }
        *state = DraftState {
            at: Some(at),
            marked,
            edges,
        };
        Ok(())
    }

    /// Where an edge leads, and whether it is marked.
    fn edge_end(&mut self) -> Result<(State, bool), Mistake> {
        let at = self.at();
        let target = self.state_number()?;
        self.refuse_conjunction()?;
        self.mention(target, at)?;
        Ok((target, self.marks()?))
    }

    /// Gives edges without labels theirs: the first is for the letter of which no atom is true, and so on in binary.
    fn label_implicitly(
        &mut self,
        edges: &mut [DraftEdge],
        unlabelled: &[At],
        at: At,
    ) -> Result<(), Mistake> {
        let Some(&first) = unlabelled.first() else {
            return Ok(());
        };
        let atoms = self.atoms.as_ref().map_or(0, Vec::len);
        if unlabelled.len() != edges.len() {
            return Err(first.mistake("this edge has no label, but others of the state have"));
        }
        if 1_usize.checked_shl(atoms as u32) != Some(edges.len()) {
            let message = format!(
                "without labels a state needs one edge for each letter of {atoms} atomic propositions"
            );
            return Err(at.mistake(message));
        }
        for (letter, edge) in edges.iter_mut().enumerate() {
            edge.label = self.labels.yes;
            for atom in 0..atoms {
                let mut literal = self.labels.atom(atom);
                if letter >> atom & 1 == 0 {
                    literal = self.labels.not(literal);
                }
                let both = self.labels.and(edge.label, literal, self.budget);
                edge.label = both.map_err(|spent| too_much(at, spent))?;
            }
        }
        Ok(())
    }

    fn bracketed_label(&mut self) -> Result<Option<Place>, Mistake> {
        if !self.take(&Token::Symbol('[')) {
            return Ok(None);
        }
        let label = self.label(0)?;
        self.expect(']')?;
        self.check_atoms()?;
        Ok(Some(label))
    }

    /// A disjunction.
    fn label(&mut self, depth: usize) -> Result<Place, Mistake> {
        let mut any = self.conjunction(depth)?;
        while self.take(&Token::Symbol('|')) {
            let at = self.at();
            let part = self.conjunction(depth)?;
            let or = self.labels.or(any, part, self.budget);
            any = or.map_err(|spent| too_much(at, spent))?;
        }
        Ok(any)
    }

    fn conjunction(&mut self, depth: usize) -> Result<Place, Mistake> {
        let mut all = self.factor(depth)?;
        while self.take(&Token::Symbol('&')) {
            let at = self.at();
            let part = self.factor(depth)?;
            let and = self.labels.and(all, part, self.budget);
            all = and.map_err(|spent| too_much(at, spent))?;
        }
        Ok(all)
    }

    fn factor(&mut self, depth: usize) -> Result<Place, Mistake> {
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

    /// Whether the acceptance sets in braces, if there are any, have a member.
    fn marks(&mut self) -> Result<bool, Mistake> {
        if !self.take(&Token::Symbol('{')) {
            return Ok(false);
        }
        let mut marked = false;
        while !self.take(&Token::Symbol('}')) {
            let at = self.at();
            let set = self.number("an acceptance set")?;
            if set > 0 && self.acceptance == Some(Acceptance::Marks) {
                return Err(at.mistake(format!("there is no acceptance set {set}")));
            }
            marked = true;
        }
        Ok(marked)
    }

    fn refuse_conjunction(&self) -> Result<(), Mistake> {
        match self.peek() {
            Token::Symbol('&') => Err(self
                .at()
                .mistake("several states at once (alternation) are not understood")),
            _ => Ok(()),
        }
    }

    /// Makes room for a state that the text speaks of.
    fn mention(&mut self, state: State, at: At) -> Result<(), Mistake> {
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

    fn state_number(&mut self) -> Result<State, Mistake> {
        let at = self.at();
        let number = self.number("the number of a state")?;
        if number >= self.most_states() {
            return Err(at.mistake("this number is larger than the text has room for states"));
        }
        Ok(number as State)
    }

    /// No text speaks of more states than it has tokens.
    fn most_states(&self) -> usize {
        self.tokens.len().min(State::MAX as usize)
    }

    fn number(&mut self, what: &str) -> Result<usize, Mistake> {
        let at = self.at();
        match self.advance() {
            Token::Number(number) => Ok(number),
            other => Err(at.mistake(format!("expected {what}, found {other}"))),
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), Mistake> {
        if self.take(&Token::Symbol(symbol)) {
            return Ok(());
        }
        let message = format!("expected `{symbol}`, found {}", self.peek());
        Err(self.at().mistake(message))
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.next += usize::from(found);
        found
    }

    /// The next token, which stays the last one at the end of the text.
    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::Nothing {
            self.next += 1;
        }
        token
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn at(&self) -> At {
        self.tokens[self.next].1
    }
}

fn once<T>(slot: &mut Option<T>, value: T, name: &str, at: At) -> Result<(), Mistake> {
    if slot.replace(value).is_some() {
        return Err(at.mistake(format!("`{name}:` is there twice")));
    }
    Ok(())
}

fn too_much(at: At, spent: Spent) -> Mistake {
    at.mistake(format!("this is too complicated to read: {spent}"))
}
