//! The header: what the automaton is about, and which infinite ways are accepted.

use causet_base::Diagnostic;

use super::draft::{Acceptance, DraftState};
use super::parse::{MOST_ATOMS, Parser};
use super::tokens::{At, Token};

impl Parser<'_, '_> {
    /// The items up to the body.
    pub(super) fn header(&mut self) -> Result<(), Diagnostic> {
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

    fn item(&mut self, name: &str, at: At) -> Result<(), Diagnostic> {
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

    fn atom_names(&mut self) -> Result<Vec<String>, Diagnostic> {
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

    fn alias(&mut self) -> Result<(), Diagnostic> {
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

    fn acceptance(&mut self) -> Result<Acceptance, Diagnostic> {
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
    pub(super) fn check_header(&mut self) -> Result<(), Diagnostic> {
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
}

fn once<T>(slot: &mut Option<T>, value: T, name: &str, at: At) -> Result<(), Diagnostic> {
    if slot.replace(value).is_some() {
        return Err(at.mistake(format!("`{name}:` is there twice")));
    }
    Ok(())
}
