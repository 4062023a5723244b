//! The text of an equation system as it is written: blocks, names, nested sides, each with its place.

use std::iter::Enumerate;
use std::str::Lines;

use causet_base::budget::Budget;
use causet_base::{Code, Diagnostic};

use super::NotASystem;
use crate::bes::{Operator, Sign};

/// A side nested deeper than this is refused.
const DEEPEST: usize = 200;

/// A longer name is refused: a message about it would be as long.
const MAX_NAME_BYTES: usize = 64 << 10;

/// A place in the text, both numbers from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) line: u32,
    column: u32,
}

impl Place {
    pub(super) fn mistake(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::MalformedEquations, message).in_file("", self.line, self.column)
    }
}

/// A text as it was written.
#[derive(Debug)]
pub(super) struct Draft<'t> {
    pub(super) main: Option<(&'t str, Place)>,
    pub(super) blocks: Vec<Sign>,
    pub(super) equations: Vec<Line<'t>>,
    pub(super) end: Place,
}

/// One equation.
#[derive(Debug)]
pub(super) struct Line<'t> {
    pub(super) block: usize,
    pub(super) name: &'t str,
    pub(super) place: Place,
    pub(super) side: Side<'t>,
}

/// A right-hand side. Parts of a join are never joins with the same operator.
#[derive(Debug)]
pub(super) enum Side<'t> {
    True,
    False,
    Variable(&'t str, Place),
    Join(Operator, Vec<Side<'t>>),
}

impl<'t> Side<'t> {
    /// Visits all variables in it, until there is an error.
    pub(super) fn variables(
        &self,
        visit: &mut dyn FnMut(&'t str, Place) -> Result<(), NotASystem>,
    ) -> Result<(), NotASystem> {
        match self {
            Side::True | Side::False => Ok(()),
            Side::Variable(name, place) => visit(name, *place),
            Side::Join(_, parts) => parts.iter().try_for_each(|part| part.variables(visit)),
        }
    }

    fn join(operator: Operator, mut parts: Vec<Side<'t>>) -> Side<'t> {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Side::Join(same, inner) if same == operator => flat.extend(inner),
                part => flat.push(part),
            }
        }
        Side::Join(operator, flat)
    }
}

/// Reads a text.
pub(super) fn parse<'t>(text: &'t str, budget: &Budget<'_>) -> Result<Draft<'t>, NotASystem> {
    let mut tokens = Tokens {
        lines: text.lines().enumerate(),
        rest: "",
        place: Place { line: 1, column: 1 },
        budget,
    };
    let mut parser = Parser {
        next: tokens.next()?,
        tokens,
    };
    let mut draft = Draft {
        main: None,
        blocks: Vec::new(),
        equations: Vec::new(),
        end: parser.tokens.place,
    };
    while let Some((token, place)) = parser.take()? {
        match token {
            Token::Main => {
                if draft.main.is_some() {
                    return Err(place.mistake("`main` is given twice").into());
                }
                draft.main = Some(parser.name("the main variable")?);
            }
            Token::Block => draft.blocks.push(parser.sign()?),
            Token::Name(name) => {
                let line = parser.equation(name, place, draft.blocks.len())?;
                budget.charge(size_of_val(&line))?;
                draft.equations.push(line);
            }
            other => {
                let message = format!("{} does not start anything: {STARTS}", other.shown());
                return Err(place.mistake(message).into());
            }
        }
    }
    draft.end = parser.tokens.place;
    Ok(draft)
}

const STARTS: &str =
    "expected `main X`, `block mu`, `block nu` or an equation such as `X = Y or Z`";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'t> {
    Main,
    Block,
    Mu,
    Nu,
    True,
    False,
    And,
    Or,
    Equals,
    Open,
    Close,
    Name(&'t str),
}

impl<'t> Token<'t> {
    fn word(word: &'t str) -> Token<'t> {
        match word {
            "main" => Token::Main,
            "block" => Token::Block,
            "mu" => Token::Mu,
            "nu" => Token::Nu,
            "true" => Token::True,
            "false" => Token::False,
            "and" => Token::And,
            "or" => Token::Or,
            name => Token::Name(name),
        }
    }

    fn shown(self) -> String {
        let word = match self {
            Token::Main => "main",
            Token::Block => "block",
            Token::Mu => "mu",
            Token::Nu => "nu",
            Token::True => "true",
            Token::False => "false",
            Token::And => "and",
            Token::Or => "or",
            Token::Equals => "=",
            Token::Open => "(",
            Token::Close => ")",
            Token::Name(name) => name,
        };
        format!("`{word}`")
    }
}

/// The tokens of a text with their places.
struct Tokens<'t, 'b> {
    lines: Enumerate<Lines<'t>>,
    /// The rest of the line, without its comment, and where it starts.
    rest: &'t str,
    place: Place,
    budget: &'b Budget<'b>,
}

impl<'t> Tokens<'t, '_> {
    fn next(&mut self) -> Result<Option<(Token<'t>, Place)>, NotASystem> {
        loop {
            self.budget.tick()?;
            let start = self.rest.find(|c: char| !c.is_whitespace());
            self.skip(start.unwrap_or(self.rest.len()));
            if start.is_some() {
                break;
            }
            let Some((number, line)) = self.lines.next() else {
                return Ok(None);
            };
            self.rest = line.split('#').next().unwrap_or_default();
            self.place = Place {
                line: number as u32 + 1,
                column: 1,
            };
        }
        let place = self.place;
        let (token, length) = token(self.rest, place)?;
        self.skip(length);
        Ok(Some((token, place)))
    }

    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length);
        self.place.column += skipped.chars().count() as u32;
        self.rest = rest;
    }
}

/// The first token of a text that does not start with a blank, and its length.
fn token(text: &str, place: Place) -> Result<(Token<'_>, usize), Diagnostic> {
    let signs = [
        ("&&", Token::And),
        ("||", Token::Or),
        ("=", Token::Equals),
        ("(", Token::Open),
        (")", Token::Close),
    ];
    for (sign, token) in signs {
        if text.starts_with(sign) {
            return Ok((token, sign.len()));
        }
    }
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'');
    let length = text.find(|c| !goes_on(c)).unwrap_or(text.len());
    match text.chars().next() {
        Some(_) if length > MAX_NAME_BYTES => {
            let message = format!("a name of {length} bytes: at most {MAX_NAME_BYTES} are allowed");
            Err(place.mistake(message))
        }
        Some(first) if starts(first) => Ok((Token::word(&text[..length]), length)),
        first => Err(place.mistake(format!(
            "`{}` means nothing here: expected a name, `=`, `and`, `or` or parentheses",
            first.unwrap_or_default()
        ))),
    }
}

struct Parser<'t, 'b> {
    tokens: Tokens<'t, 'b>,
    /// The next token, if there is one.
    next: Option<(Token<'t>, Place)>,
}

impl<'t> Parser<'t, '_> {
    fn take(&mut self) -> Result<Option<(Token<'t>, Place)>, NotASystem> {
        let after = match self.next {
            Some(_) => self.tokens.next()?,
            None => None,
        };
        Ok(std::mem::replace(&mut self.next, after))
    }

    /// Whether the next token is this one, which is then taken.
    fn takes(&mut self, wanted: Token<'_>) -> Result<bool, NotASystem> {
        let found = self.next.is_some_and(|(token, _)| token == wanted);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// Something else was expected at the next token.
    fn expected(&self, what: &str) -> NotASystem {
        let mistake = match self.next {
            Some((token, place)) => {
                place.mistake(format!("expected {what}, found {}", token.shown()))
            }
            None => {
                let end = self.tokens.place;
                end.mistake(format!("expected {what}, found the end"))
            }
        };
        mistake.into()
    }

    fn name(&mut self, what: &str) -> Result<(&'t str, Place), NotASystem> {
        let Some((Token::Name(name), place)) = self.next else {
            return Err(self.expected(what));
        };
        self.take()?;
        Ok((name, place))
    }

    fn sign(&mut self) -> Result<Sign, NotASystem> {
        if self.takes(Token::Mu)? {
            Ok(Sign::Mu)
        } else if self.takes(Token::Nu)? {
            Ok(Sign::Nu)
        } else {
            Err(self.expected("`mu` or `nu`"))
        }
    }

    fn equation(
        &mut self,
        name: &'t str,
        place: Place,
        blocks: usize,
    ) -> Result<Line<'t>, NotASystem> {
        if !self.takes(Token::Equals)? {
            return Err(self.expected(&format!("`=` after `{name}`")));
        }
        let Some(block) = blocks.checked_sub(1) else {
            let message = "expected `block mu` or `block nu` before the first equation";
            return Err(place.mistake(message).into());
        };
        let side = self.disjunction(0)?;
        Ok(Line {
            block,
            name,
            place,
            side,
        })
    }

    fn disjunction(&mut self, depth: usize) -> Result<Side<'t>, NotASystem> {
        let mut parts = vec![self.conjunction(depth)?];
        while self.takes(Token::Or)? {
            parts.push(self.conjunction(depth)?);
        }
        Ok(Side::join(Operator::Or, parts))
    }

    fn conjunction(&mut self, depth: usize) -> Result<Side<'t>, NotASystem> {
        let mut parts = vec![self.operand(depth)?];
        while self.takes(Token::And)? {
            parts.push(self.operand(depth)?);
        }
        Ok(Side::join(Operator::And, parts))
    }

    fn operand(&mut self, depth: usize) -> Result<Side<'t>, NotASystem> {
        // The list it joins may be copied once as it is flattened.
        self.tokens.budget.charge(2 * size_of::<Side<'_>>())?;
        if self.takes(Token::True)? {
            return Ok(Side::True);
        }
        if self.takes(Token::False)? {
            return Ok(Side::False);
        }
        if depth == DEEPEST {
            return Err(self.expected(&format!(
                "no more than {DEEPEST} parentheses, too deep a side"
            )));
        }
        if !self.takes(Token::Open)? {
            let (name, place) = self.name("a variable, `true`, `false` or `(`")?;
            return Ok(Side::Variable(name, place));
        }
        let side = self.disjunction(depth + 1)?;
        match self.takes(Token::Close)? {
            true => Ok(side),
            false => Err(self.expected("`)`")),
        }
    }
}
