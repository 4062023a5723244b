//! The text of an equation system as it is written: blocks, names, nested sides, each with its place.

use causet_base::{Code, Diagnostic};

use crate::bes::{Operator, Sign};

/// A side nested deeper than this is refused.
const DEEPEST: usize = 200;

/// A place in the text, both numbers from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) line: usize,
    column: usize,
}

impl Place {
    pub(super) fn mistake(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::MalformedEquations, message).in_file(
            "",
            self.line as u32,
            self.column as u32,
        )
    }
}

/// A text as it was written.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) main: Option<(String, Place)>,
    pub(super) blocks: Vec<Sign>,
    pub(super) equations: Vec<Line>,
    pub(super) end: Place,
}

/// One equation.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) block: usize,
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) side: Side,
}

/// A right-hand side. Parts of a join are never joins with the same operator.
#[derive(Debug)]
pub(super) enum Side {
    True,
    False,
    Variable(String, Place),
    Join(Operator, Vec<Side>),
}

impl Side {
    /// All variables in it.
    pub(super) fn variables(&self) -> Vec<(&str, Place)> {
        match self {
            Side::True | Side::False => Vec::new(),
            Side::Variable(name, place) => vec![(name, *place)],
            Side::Join(_, parts) => parts.iter().flat_map(Side::variables).collect(),
        }
    }

    fn join(operator: Operator, mut parts: Vec<Side>) -> Side {
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
pub(super) fn parse(text: &str) -> Result<Draft, Diagnostic> {
    let (tokens, end) = tokens(text)?;
    let mut parser = Parser {
        tokens,
        next: 0,
        end,
    };
    let mut draft = Draft {
        main: None,
        blocks: Vec::new(),
        equations: Vec::new(),
        end,
    };
    while let Some((token, place)) = parser.take() {
        match token {
            Token::Main => {
                if draft.main.is_some() {
                    return Err(place.mistake("`main` is given twice"));
                }
                draft.main = Some(parser.name("the main variable")?);
            }
            Token::Block => draft.blocks.push(parser.sign()?),
            Token::Name(name) => {
                let line = parser.equation(name, place, draft.blocks.len())?;
                draft.equations.push(line);
            }
            other => {
                let message = format!("{} does not start anything: {STARTS}", other.shown());
                return Err(place.mistake(message));
            }
        }
    }
    Ok(draft)
}

const STARTS: &str =
    "expected `main X`, `block mu`, `block nu` or an equation such as `X = Y or Z`";

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
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
    Name(String),
}

impl Token {
    fn word(word: &str) -> Token {
        match word {
            "main" => Token::Main,
            "block" => Token::Block,
            "mu" => Token::Mu,
            "nu" => Token::Nu,
            "true" => Token::True,
            "false" => Token::False,
            "and" => Token::And,
            "or" => Token::Or,
            name => Token::Name(name.to_owned()),
        }
    }

    fn shown(&self) -> String {
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

/// All tokens with their places, and the place behind the last character.
fn tokens(text: &str) -> Result<(Vec<(Token, Place)>, Place), Diagnostic> {
    let mut tokens = Vec::new();
    let mut end = Place { line: 1, column: 1 };
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            rest = &rest[start..];
            let before = &line[..line.len() - rest.len()];
            let place = Place {
                line: number + 1,
                column: before.chars().count() + 1,
            };
            let (token, length) = token(rest, place)?;
            tokens.push((token, place));
            rest = &rest[length..];
        }
        end = Place {
            line: number + 1,
            column: line.chars().count() + 1,
        };
    }
    Ok((tokens, end))
}

/// The first token of a text that does not start with a blank, and its length.
fn token(text: &str, place: Place) -> Result<(Token, usize), Diagnostic> {
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
        Some(first) if starts(first) => Ok((Token::word(&text[..length]), length)),
        first => Err(place.mistake(format!(
            "`{}` means nothing here: expected a name, `=`, `and`, `or` or parentheses",
            first.unwrap_or_default()
        ))),
    }
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    next: usize,
    end: Place,
}

impl Parser {
    fn take(&mut self) -> Option<(Token, Place)> {
        let token = self.tokens.get(self.next).cloned();
        self.next += usize::from(token.is_some());
        token
    }

    /// Whether the next token is this one, which is then taken.
    fn takes(&mut self, wanted: &Token) -> bool {
        let there = self.tokens.get(self.next);
        let found = there.is_some_and(|(token, _)| token == wanted);
        self.next += usize::from(found);
        found
    }

    /// Something else was expected at the next token.
    fn expected(&self, what: &str) -> Diagnostic {
        match self.tokens.get(self.next) {
            Some((token, place)) => {
                place.mistake(format!("expected {what}, found {}", token.shown()))
            }
            None => self.end.mistake(format!("expected {what}, found the end")),
        }
    }

    fn name(&mut self, what: &str) -> Result<(String, Place), Diagnostic> {
        match self.tokens.get(self.next) {
            Some((Token::Name(name), place)) => {
                self.next += 1;
                Ok((name.clone(), *place))
            }
            _ => Err(self.expected(what)),
        }
    }

    fn sign(&mut self) -> Result<Sign, Diagnostic> {
        if self.takes(&Token::Mu) {
            Ok(Sign::Mu)
        } else if self.takes(&Token::Nu) {
            Ok(Sign::Nu)
        } else {
            Err(self.expected("`mu` or `nu`"))
        }
    }

    fn equation(&mut self, name: String, place: Place, blocks: usize) -> Result<Line, Diagnostic> {
        if !self.takes(&Token::Equals) {
            return Err(self.expected(&format!("`=` after `{name}`")));
        }
        let Some(block) = blocks.checked_sub(1) else {
            let message = "expected `block mu` or `block nu` before the first equation";
            return Err(place.mistake(message));
        };
        let side = self.disjunction(0)?;
        Ok(Line {
            block,
            name,
            place,
            side,
        })
    }

    fn disjunction(&mut self, depth: usize) -> Result<Side, Diagnostic> {
        let mut parts = vec![self.conjunction(depth)?];
        while self.takes(&Token::Or) {
            parts.push(self.conjunction(depth)?);
        }
        Ok(Side::join(Operator::Or, parts))
    }

    fn conjunction(&mut self, depth: usize) -> Result<Side, Diagnostic> {
        let mut parts = vec![self.operand(depth)?];
        while self.takes(&Token::And) {
            parts.push(self.operand(depth)?);
        }
        Ok(Side::join(Operator::And, parts))
    }

    fn operand(&mut self, depth: usize) -> Result<Side, Diagnostic> {
        if self.takes(&Token::True) {
            return Ok(Side::True);
        }
        if self.takes(&Token::False) {
            return Ok(Side::False);
        }
        if depth == DEEPEST {
            return Err(self.expected(&format!(
                "no more than {DEEPEST} parentheses, too deep a side"
            )));
        }
        if !self.takes(&Token::Open) {
            let (name, place) = self.name("a variable, `true`, `false` or `(`")?;
            return Ok(Side::Variable(name, place));
        }
        let side = self.disjunction(depth + 1)?;
        match self.takes(&Token::Close) {
            true => Ok(side),
            false => Err(self.expected("`)`")),
        }
    }
}
