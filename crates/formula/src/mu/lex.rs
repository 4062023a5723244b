//! From text to tokens of the mu-calculus, written by hand.
//!
//! The tokeniser of predicates cannot be shared: here `'...'` is a regular expression, `%`, `--` and `(* *)` start
//! comments, `@` and `-|` are operators, and `=>` is a right spelling. Words are not sorted into keywords, since
//! most keywords are fine labels; characters that no formula contains are tokens too, since values may have them.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use causet_base::{Code, Diagnostic};
use unicode_ident::is_xid_continue;

use causet_base::span::Span;

/// A token, where it stands in the main text, and which macro it came from.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// In the main text; for the tokens of a macro the place of its use.
    pub(super) span: Span,
    /// The letters it was written with.
    pub(super) text: Arc<str>,
    /// The macro whose body it stood in.
    pub(super) origin: Option<Rc<Origin>>,
}

/// One use of a macro.
#[derive(Debug)]
pub(super) struct Origin {
    /// Tells uses apart.
    pub(super) mark: usize,
    /// What to say of a mistake in its body.
    pub(super) place: String,
    /// The macro in whose body it was used.
    pub(super) parent: Option<Rc<Origin>>,
}

/// The sorts of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Letters, digits, underscores.
    Word,
    /// A text in double quotes, its escapes replaced.
    Text(Arc<str>),
    /// What stood between single quotes.
    Regexp(Arc<str>),
    Symbol(Symbol),
    /// Any other character.
    Other,
}

/// Operators and brackets; spellings of one operator give one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Not,
    And,
    Or,
    Implies,
    Equivalent,
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    OpenBrace,
    CloseBrace,
    Less,
    Greater,
    Dot,
    Ellipsis,
    Bar,
    Star,
    Plus,
    Question,
    At,
    /// `-|`
    Saturates,
    Comma,
    Colon,
    Semicolon,
    Equals,
}

/// Longer spellings stand before their beginnings.
const SYMBOLS: [(&str, Symbol); 39] = [
    ("<->", Symbol::Equivalent),
    ("<=>", Symbol::Equivalent),
    ("-->", Symbol::Implies),
    ("==>", Symbol::Implies),
    ("...", Symbol::Ellipsis),
    ("->", Symbol::Implies),
    ("=>", Symbol::Implies),
    ("-|", Symbol::Saturates),
    ("&&", Symbol::And),
    ("||", Symbol::Or),
    ("/\\", Symbol::And),
    ("\\/", Symbol::Or),
    ("→", Symbol::Implies),
    ("⇒", Symbol::Implies),
    ("↔", Symbol::Equivalent),
    ("⇔", Symbol::Equivalent),
    ("∧", Symbol::And),
    ("∨", Symbol::Or),
    ("¬", Symbol::Not),
    ("⊣", Symbol::Saturates),
    ("!", Symbol::Not),
    ("(", Symbol::Open),
    (")", Symbol::Close),
    ("[", Symbol::OpenSquare),
    ("]", Symbol::CloseSquare),
    ("{", Symbol::OpenBrace),
    ("}", Symbol::CloseBrace),
    ("<", Symbol::Less),
    (">", Symbol::Greater),
    (".", Symbol::Dot),
    ("|", Symbol::Bar),
    ("*", Symbol::Star),
    ("+", Symbol::Plus),
    ("?", Symbol::Question),
    ("@", Symbol::At),
    (",", Symbol::Comma),
    (":", Symbol::Colon),
    (";", Symbol::Semicolon),
    ("=", Symbol::Equals),
];

/// The words that are operators wherever they stand.
const WORDS: [(&str, Symbol); 5] = [
    ("not", Symbol::Not),
    ("and", Symbol::And),
    ("or", Symbol::Or),
    ("implies", Symbol::Implies),
    ("equ", Symbol::Equivalent),
];

/// All tokens in a part of the text, and everything in it that cannot be a token.
pub(super) fn tokenise(source: &str, part: Range<usize>) -> (Vec<Token>, Vec<Diagnostic>) {
    if part.len() > crate::lex::MAX_SOURCE {
        let message = format!(
            "the text is longer than {} MiB",
            crate::lex::MAX_SOURCE >> 20
        );
        let error = Diagnostic::at(Code::TextTooLong, Span::default(), message);
        return (Vec::new(), vec![error]);
    }
    let mut reader = Reader {
        source: source.get(..part.end).unwrap_or(source),
        at: part.start,
        tokens: Vec::new(),
        errors: Vec::new(),
    };
    while reader.skip_blanks() {
        reader.read();
    }
    (reader.tokens, reader.errors)
}

/// Whether a text is one word.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_letter) && !text.starts_with(is_greek)
}

/// Whether a text could grow together with a word before or behind it.
pub(super) fn is_wordlike(text: &str) -> bool {
    text.chars().all(is_letter)
}

fn is_letter(c: char) -> bool {
    c == '_' || is_xid_continue(c)
}

/// The Greek letters that stand for `mu` and `nu`, whatever follows them.
fn is_greek(c: char) -> bool {
    matches!(c, 'μ' | 'µ' | 'ν')
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    tokens: Vec<Token>,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    /// Goes on behind blanks and comments; whether anything is left.
    fn skip_blanks(&mut self) -> bool {
        loop {
            let rest = self.rest();
            let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
            let text = rest.trim_start_matches(blank);
            self.at += rest.len() - text.len();
            if text.starts_with("(*") {
                self.skip_comment(text);
            } else if is_line_comment(text) {
                self.at += text.find('\n').unwrap_or(text.len());
            } else {
                return !text.is_empty();
            }
        }
    }

    fn skip_comment(&mut self, text: &str) {
        let inside = text.get(2..).unwrap_or("");
        match inside.find("*)") {
            Some(length) => self.at += length + 4,
            None => {
                let opener = Span::from(self.at..self.at + 2);
                self.errors.push(
                    Diagnostic::at(Code::Unclosed, opener, "this comment is never closed")
                        .with_label("opened here")
                        .with_help("close it with `*)`, or write `( *` if no comment was meant"),
                );
                self.at = self.source.len();
            }
        }
    }

    fn read(&mut self) {
        let rest = self.rest();
        match rest.chars().next() {
            Some('"') => self.text(rest),
            Some('\'') => self.regexp(rest),
            Some(c) if is_greek(c) => self.push(c.len_utf8(), Kind::Word),
            Some(c) if is_letter(c) => self.word(rest),
            Some(c) => match SYMBOLS.iter().find(|(text, _)| rest.starts_with(text)) {
                Some((text, symbol)) => self.push(text.len(), Kind::Symbol(*symbol)),
                None => self.push(c.len_utf8(), Kind::Other),
            },
            None => {}
        }
    }

    fn push(&mut self, length: usize, kind: Kind) {
        let span = Span::from(self.at..self.at + length);
        let text = Arc::from(span.text(self.source));
        self.tokens.push(Token {
            kind,
            span,
            text,
            origin: None,
        });
        self.at += length;
    }

    fn word(&mut self, rest: &str) {
        let length = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        let operator = WORDS.iter().find(|(text, _)| *text == word);
        self.push(
            length,
            operator.map_or(Kind::Word, |&(_, symbol)| Kind::Symbol(symbol)),
        );
    }

    /// `"..."`: `\"` and `\\` are escapes, any other backslash is itself.
    fn text(&mut self, rest: &str) {
        let Some(length) = closing(rest, '"') else {
            return self.unclosed("label", "a double quote", Kind::Text(Arc::from("")));
        };
        let inside = rest.get(1..length - 1).unwrap_or("");
        let mut text = String::with_capacity(inside.len());
        let mut letters = inside.chars().peekable();
        while let Some(c) = letters.next() {
            let escaped = letters.next_if(|&next| c == '\\' && matches!(next, '"' | '\\'));
            text.push(escaped.unwrap_or(c));
        }
        self.push(length, Kind::Text(Arc::from(text)));
    }

    /// `'...'`: escapes belong to the expression.
    fn regexp(&mut self, rest: &str) {
        let Some(length) = closing(rest, '\'') else {
            let empty = Kind::Regexp(Arc::from(""));
            return self.unclosed("regular expression", "a single quote", empty);
        };
        let inside = Arc::from(rest.get(1..length - 1).unwrap_or(""));
        self.push(length, Kind::Regexp(inside));
    }

    fn unclosed(&mut self, what: &str, quote: &str, kind: Kind) {
        let opener = Span::from(self.at..self.at + 1);
        self.errors.push(
            Diagnostic::at(
                Code::UnclosedText,
                opener,
                format!("this {what} is never closed"),
            )
            .with_label("opened here")
            .with_help(format!("close it with {quote} on the same line")),
        );
        let rest = self.rest();
        self.push(rest.find('\n').unwrap_or(rest.len()), kind);
    }
}

fn is_line_comment(text: &str) -> bool {
    // `-->` is an arrow.
    let dashes = text.starts_with("--") && !text.starts_with("-->");
    dashes || text.starts_with(['%', '#'])
}

/// The length of a quoted piece, both quotes included, if it ends on its line.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
