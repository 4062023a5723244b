//! The words that a text in the format is made of, each with the place where it starts.

use causet_base::{Code, Diagnostic};

/// Where a token starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    line: usize,
    column: usize,
}

impl At {
    /// Where the text starts.
    pub(super) const START: At = At { line: 1, column: 1 };

    /// A mistake at this place.
    pub(super) fn mistake(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::MalformedAutomaton, message).in_file(
            "",
            self.line as u32,
            self.column as u32,
        )
    }
}

/// A word of the format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name with a colon, which begins an item of the header or a state.
    Header(String),
    Identifier(String),
    Text(String),
    Number(usize),
    /// A name with an `@` before it.
    Alias(String),
    Symbol(char),
    Body,
    End,
    /// The text is over.
    Nothing,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Header(name) => write!(f, "`{name}:`"),
            Token::Identifier(name) => write!(f, "`{name}`"),
            Token::Text(text) => write!(f, "{text:?}"),
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Alias(name) => write!(f, "`@{name}`"),
            Token::Symbol(symbol) => write!(f, "`{symbol}`"),
            Token::Body => f.write_str("`--BODY--`"),
            Token::End => f.write_str("`--END--`"),
            Token::Nothing => f.write_str("the end of the text"),
        }
    }
}

/// All tokens of a text, the last of which is [`Token::Nothing`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, At)>, Diagnostic> {
    let mut scanner = Scanner::new(text);
    let mut tokens = Vec::new();
    loop {
        scanner.skip_space()?;
        let at = scanner.at;
        let token = scanner.token()?;
        let over = token == Token::Nothing;
        tokens.push((token, at));
        if over {
            return Ok(tokens);
        }
    }
}

struct Scanner<'t> {
    rest: std::str::Chars<'t>,
    at: At,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Scanner {
            rest: text.chars(),
            at: At::START,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn take_str(&mut self, expected: &str) -> bool {
        let found = self.rest.as_str().starts_with(expected);
        if found {
            expected.chars().for_each(|_| {
                self.take();
            });
        }
        found
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.peek().filter(|&c| belongs(c)) {
            taken.push(c);
            self.take();
        }
        taken
    }

    /// Skips white space and comments, which may be nested.
    fn skip_space(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.take_while(char::is_whitespace);
            let at = self.at;
            if !self.take_str("/*") {
                return Ok(());
            }
            let mut depth = 1_usize;
            while depth > 0 {
                if self.take_str("/*") {
                    depth += 1;
                } else if self.take_str("*/") {
                    depth -= 1;
                } else if self.take().is_none() {
                    return Err(at.mistake("this comment does not end"));
                }
            }
        }
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let at = self.at;
        let Some(c) = self.peek() else {
            return Ok(Token::Nothing);
        };
        match c {
            '"' => self.text(),
            '0'..='9' => {
                let digits = self.take_while(|c| c.is_ascii_digit());
                let number = digits.parse();
                number
                    .map(Token::Number)
                    .map_err(|_| at.mistake("this number is too large"))
            }
            '@' => {
                self.take();
                Ok(Token::Alias(self.take_while(in_name)))
            }
            '-' if self.take_str("--BODY--") => Ok(Token::Body),
            '-' if self.take_str("--END--") => Ok(Token::End),
            '-' if self.take_str("--ABORT--") => {
                Err(at.mistake("the tool that wrote this gave up with `--ABORT--`"))
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let name = self.take_while(in_name);
                let is_header = self.take_str(":");
                Ok(if is_header {
                    Token::Header(name)
                } else {
                    Token::Identifier(name)
                })
            }
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                self.take();
                Ok(Token::Symbol(c))
            }
            c => Err(at.mistake(format!("unexpected character {c:?}"))),
        }
    }

    fn text(&mut self) -> Result<Token, Diagnostic> {
        let at = self.at;
        self.take();
        let mut text = String::new();
        loop {
            match self.take() {
                Some('"') => return Ok(Token::Text(text)),
                Some('\\') => text.extend(self.take()),
                Some(c) => text.push(c),
                None => return Err(at.mistake("this text in quotes does not end")),
            }
        }
    }
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
