//! The text of a network as tokens: words, quoted texts and the signs of composition.

use causet_base::{Code, Diagnostic};
use causet_formula::Span;

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A gate, a component or a keyword.
    Word(String),
    /// A label or a file name, `"so"`.
    Text(String),
    /// A regular expression, `'so'`.
    Expression(String),
    /// One of [`SIGNS`].
    Sign(&'static str),
    /// Behind the last token.
    End,
}

/// The signs, each before its beginnings.
const SIGNS: &[&str] = &["|||", "||", "|[", "]|", "->", "(", ")", ",", "*", "=", "_"];

/// The tokens of a text, with one for its end; or everything that is none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        let message = "this text is longer than 4 GiB, which no network is";
        return Err(vec![Diagnostic::at(
            Code::TextTooLong,
            Span::default(),
            message,
        )]);
    }
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        mistakes: Vec::new(),
    };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.push(text.len(), TokenKind::End);
    match lexer.mistakes.is_empty() {
        true => Ok(lexer.tokens),
        false => Err(lexer.mistakes),
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    mistakes: Vec<Diagnostic>,
}

impl Lexer<'_> {
    /// Reads one token, comment or blank.
    fn next(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return;
        };
        if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if rest.starts_with("--") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("(*") {
            self.comment(rest);
        } else if first == '"' || first == '\'' {
            self.quoted(first);
        } else if let Some(length) = word_length(rest) {
            self.at += length;
            self.push(start, TokenKind::Word(rest[..length].to_owned()));
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.at += sign.len();
            self.push(start, TokenKind::Sign(sign));
        } else {
            self.at += first.len_utf8();
            self.stray(first, start);
        }
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        let span = Span::from(start..self.at);
        self.tokens.push(Token { kind, span });
    }

    fn comment(&mut self, rest: &str) {
        let start = self.at;
        match rest[2..].find("*)") {
            Some(length) => self.at += length + 4,
            None => {
                self.at = self.text.len();
                let span = Span::from(start..start + 2);
                let mistake =
                    Diagnostic::at(Code::NetworkUnclosed, span, "this comment is never closed");
                self.mistakes.push(mistake.with_help("close it with `*)`"));
            }
        }
    }

    /// Reads a text to its closing quote, on one line; a backslash keeps a quote from closing it.
    fn quoted(&mut self, quote: char) {
        let start = self.at;
        let mut inside = String::new();
        let mut characters = self.text[start + 1..].char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            let escaped = characters.peek().map(|&(_, next)| next);
            match (character, escaped) {
                ('\n', _) => break,
                ('\\', Some(next)) if next == quote || (next == '\\' && quote == '"') => {
                    inside.push(next);
                    characters.next();
                }
                _ if character == quote => {
                    self.at = start + 1 + offset + 1;
                    return self.push(start, quoted_kind(quote, inside));
                }
                _ => inside.push(character),
            }
        }
        let line = self.text[start..].find('\n');
        self.at = line.map_or(self.text.len(), |length| start + length);
        let span = Span::from(start..start + 1);
        let mistake = Diagnostic::at(
            Code::NetworkUnclosed,
            span,
            "this quoted text is never closed",
        );
        let help = format!("close it with {quote} on the same line");
        self.mistakes.push(mistake.with_help(help));
    }

    fn stray(&mut self, character: char, start: usize) {
        let span = Span::from(start..self.at);
        let message = format!("`{character}` means nothing here");
        let help = match character {
            '|' => {
                "interleaving is `|||`, full synchronisation `||`, synchronisation on gates `|[a, b]|`"
            }
            '[' | ']' => "gates to synchronise on stand between `|[` and `]|`",
            '-' => "a comment starts with `--`, a new name with `->`",
            _ => {
                "labels that are more than a word stand in double quotes, regular expressions in single ones"
            }
        };
        let mistake = Diagnostic::at(Code::NetworkCharacter, span, message);
        self.mistakes.push(mistake.with_help(help));
    }
}

fn quoted_kind(quote: char, inside: String) -> TokenKind {
    match quote {
        '"' => TokenKind::Text(inside),
        _ => TokenKind::Expression(inside),
    }
}

/// The length of the word at the start of a text: letters, digits, `_` and `.`, but not `_` alone.
fn word_length(text: &str) -> Option<usize> {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let length = text.find(|c| !inside(c)).unwrap_or(text.len());
    let word = &text[..length];
    (length > 0 && word != "_" && !word.starts_with('.')).then_some(length)
}
