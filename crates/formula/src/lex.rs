//! From text to tokens: the letters of a formula sorted into words, numbers and signs.
//!
//! Both spellings of an operator give one token. Keywords are not tokens: whether `A`, `U`,
//! `done` or `in` is a name or a keyword depends on where it stands, and the parser decides.
//! An operator of another language (`=>`, `~`, `≤`) is reported and then read as the one that was
//! meant, so that the rest of the formula is still checked.

use std::sync::Arc;

use causet_base::{Code, Diagnostic};
use logos::{Lexer, Logos};
use unicode_ident::{is_xid_continue, is_xid_start};

use causet_base::number::Number;
use causet_base::span::Span;

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
    /// Whether it is the first token of its line.
    pub(crate) leads_line: bool,
}

/// What the parser sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A bare word: a name or a keyword.
    Word(Arc<str>),
    /// A name in backquotes: never a keyword.
    Quoted(Arc<str>),
    Number(Number),
    Text(Arc<str>),
    /// A text in single quotes: a regular expression in the mu-calculus, elsewhere a mistake.
    SingleQuoted(Arc<str>),
    Symbol(Symbol),
    /// A character no formula contains; it has been reported.
    Unknown,
}

/// Operators and brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Not,
    Star,
    Slash,
    Percent,
    Plus,
    Minus,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Arrow,
    Iff,
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    OpenBrace,
    CloseBrace,
    Comma,
    Colon,
    Semicolon,
    Dot,
    Question,
    /// `[]`
    Box,
    /// `<>`
    Diamond,
}

impl Symbol {
    /// How a formula spells it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Symbol::Not => "!",
            Symbol::Star => "*",
            Symbol::Slash => "/",
            Symbol::Percent => "%",
            Symbol::Plus => "+",
            Symbol::Minus => "-",
            Symbol::Lt => "<",
            Symbol::Le => "<=",
            Symbol::Gt => ">",
            Symbol::Ge => ">=",
            Symbol::Eq => "=",
            Symbol::Ne => "!=",
            Symbol::And => "&&",
            Symbol::Or => "||",
            Symbol::Arrow => "->",
            Symbol::Iff => "<->",
            Symbol::Open => "(",
            Symbol::Close => ")",
            Symbol::OpenSquare => "[",
            Symbol::CloseSquare => "]",
            Symbol::OpenBrace => "{",
            Symbol::CloseBrace => "}",
            Symbol::Comma => ",",
            Symbol::Colon => ":",
            Symbol::Semicolon => ";",
            Symbol::Dot => ".",
            Symbol::Question => "?",
            Symbol::Box => "[]",
            Symbol::Diamond => "<>",
        }
    }

    /// The bracket that closes this one.
    pub(crate) fn closer(self) -> Option<Symbol> {
        match self {
            Symbol::Open => Some(Symbol::Close),
            Symbol::OpenSquare => Some(Symbol::CloseSquare),
            Symbol::OpenBrace => Some(Symbol::CloseBrace),
            _ => None,
        }
    }

    /// Whether this is a closing bracket.
    pub(crate) fn closes(self) -> bool {
        matches!(
            self,
            Symbol::Close | Symbol::CloseSquare | Symbol::CloseBrace
        )
    }
}

/// All tokens of the text and everything in it that is no token.
pub(crate) fn tokenise(source: &str) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    if source.len() > MAX_SOURCE {
        let message = format!("the text is longer than {} MiB", MAX_SOURCE >> 20);
        return (
            Vec::new(),
            vec![Diagnostic::at(Code::TextTooLong, Span::default(), message)],
        );
    }
    let mut reader = Reader {
        source,
        lexemes: Vec::new(),
        errors: Vec::new(),
        line_end: 0,
    };
    for (raw, range) in Raw::lexer(source).spanned() {
        reader.read(raw.unwrap_or(Raw::Unknown), Span::from(range));
    }
    (reader.lexemes, reader.errors)
}

/// Far beyond any formula, and well within 32-bit offsets.
pub(crate) const MAX_SOURCE: usize = 16 << 20;

/// The regular part of the language; [`Reader`] turns it into [`Token`]s.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n\f\u{feff}\u{a0}]+")]
#[logos(skip(r"#[^\n]*", allow_greedy = true))]
enum Raw {
    #[regex(r"[A-Za-z_][0-9A-Za-z_]*", rest_of_word)]
    #[regex(r"[^\x00-\x7F]", letter, priority = 1)]
    Word,
    #[regex(r"`([^`\\\n]|\\[^\n])*`")]
    Quoted,
    #[regex(r"`([^`\\\n]|\\[^\n])*\\?", priority = 1)]
    OpenQuoted,
    #[regex(r"[0-9]+(\.[0-9]+)?", priority = 5)]
    Number,
    #[regex(r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?", priority = 3)]
    BadNumber,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#, priority = 1)]
    OpenText,
    #[regex(r"'([^'\\\n]|\\[^\n])*'")]
    Single,
    #[regex(r"'([^'\\\n]|\\[^\n])*\\?", priority = 1)]
    OpenSingle,
    #[token("!", |_| Symbol::Not)]
    #[token("*", |_| Symbol::Star)]
    #[token("/", |_| Symbol::Slash)]
    #[token("%", |_| Symbol::Percent)]
    #[token("+", |_| Symbol::Plus)]
    #[token("-", |_| Symbol::Minus)]
    #[token("<", |_| Symbol::Lt)]
    #[token("<=", |_| Symbol::Le)]
    #[token(">", |_| Symbol::Gt)]
    #[token(">=", |_| Symbol::Ge)]
    #[token("=", |_| Symbol::Eq)]
    #[token("==", |_| Symbol::Eq)]
    #[token("!=", |_| Symbol::Ne)]
    #[token("&&", |_| Symbol::And)]
    #[token("&", |_| Symbol::And)]
    #[token("||", |_| Symbol::Or)]
    #[token("|", |_| Symbol::Or)]
    #[token("->", |_| Symbol::Arrow)]
    #[token("<->", |_| Symbol::Iff)]
    #[token("(", |_| Symbol::Open)]
    #[token(")", |_| Symbol::Close)]
    #[token("[", |_| Symbol::OpenSquare)]
    #[token("]", |_| Symbol::CloseSquare)]
    #[token("{", |_| Symbol::OpenBrace)]
    #[token("}", |_| Symbol::CloseBrace)]
    #[token(",", |_| Symbol::Comma)]
    #[token(":", |_| Symbol::Colon)]
    #[token(";", |_| Symbol::Semicolon)]
    #[token(".", |_| Symbol::Dot)]
    #[token("?", |_| Symbol::Question)]
    #[token("[]", |_| Symbol::Box)]
    #[token("<>", |_| Symbol::Diamond)]
    Symbol(Symbol),
    #[token("=>", |_| Symbol::Arrow)]
    #[token("==>", |_| Symbol::Arrow)]
    #[token("-->", |_| Symbol::Arrow)]
    #[token("→", |_| Symbol::Arrow)]
    #[token("⇒", |_| Symbol::Arrow)]
    #[token("<=>", |_| Symbol::Iff)]
    #[token("<-->", |_| Symbol::Iff)]
    #[token("↔", |_| Symbol::Iff)]
    #[token("⇔", |_| Symbol::Iff)]
    #[token("===", |_| Symbol::Eq)]
    #[token(":=", |_| Symbol::Eq)]
    #[token("!==", |_| Symbol::Ne)]
    #[token("~=", |_| Symbol::Ne)]
    #[token("/=", |_| Symbol::Ne)]
    #[token("≠", |_| Symbol::Ne)]
    #[token("=<", |_| Symbol::Le)]
    #[token("≤", |_| Symbol::Le)]
    #[token("≥", |_| Symbol::Ge)]
    #[token("~", |_| Symbol::Not)]
    #[token("¬", |_| Symbol::Not)]
    #[token("∧", |_| Symbol::And)]
    #[token("/\\", |_| Symbol::And)]
    #[token("∨", |_| Symbol::Or)]
    #[token("\\/", |_| Symbol::Or)]
    #[token("**", |_| Symbol::Star)]
    Foreign(Symbol),
    Unknown,
}

/// Goes on to the end of a word in any script. Tables know the letters: as character classes of the regular
/// expressions they would be an automaton that takes longer to compile than all the rest of this crate.
fn rest_of_word(lexer: &mut Lexer<'_, Raw>) {
    let rest = lexer.remainder();
    let end = rest.find(|c| !is_xid_continue(c)).unwrap_or(rest.len());
    lexer.bump(end);
}

/// Whether a character outside of ASCII starts a word; if so, goes on to its end.
fn letter(lexer: &mut Lexer<'_, Raw>) -> bool {
    let starts = lexer.slice().starts_with(is_xid_start);
    if starts {
        rest_of_word(lexer);
    }
    starts
}

struct Reader<'a> {
    source: &'a str,
    lexemes: Vec<Lexeme>,
    errors: Vec<Diagnostic>,
    /// Where the line of the last token ends, as far as it is known.
    line_end: usize,
}

impl Reader<'_> {
    fn read(&mut self, raw: Raw, span: Span) {
        let token = match raw {
            Raw::Word => Some(word(span.text(self.source))),
            Raw::Number => Number::parse(span.text(self.source)).map(Token::Number),
            Raw::Symbol(symbol) => Some(Token::Symbol(symbol)),
            Raw::Foreign(symbol) => Some(self.foreign(symbol, span)),
            Raw::Quoted => self.quoted_name(span),
            Raw::Text => Some(Token::Text(self.unescape(span))),
            Raw::Single => Some(self.single(span)),
            Raw::OpenText => Some(self.unclosed(span, "text", "a double quote")),
            Raw::OpenSingle => Some(self.unclosed(span, "text", "a single quote")),
            Raw::OpenQuoted => Some(self.unclosed(span, "name", "a backquote")),
            Raw::BadNumber => Some(self.bad_number(span)),
            Raw::Unknown => Some(self.unknown(span)),
        };
        if let Some(token) = token {
            let leads_line = self.leads_line(span);
            self.lexemes.push(Lexeme {
                token,
                span,
                leads_line,
            });
        }
    }

    /// Whether only white space stands before the token on its line.
    fn leads_line(&mut self, span: Span) -> bool {
        let start = span.start as usize;
        let leads = self.lexemes.is_empty() || start >= self.line_end;
        if leads {
            let rest = self.source.get(start..).unwrap_or("");
            self.line_end = rest.find('\n').map_or(usize::MAX, |length| start + length);
        }
        leads
    }

    fn foreign(&mut self, meant: Symbol, span: Span) -> Token {
        let written = span.text(self.source);
        let error = Diagnostic::at(
            Code::UnknownOperator,
            span,
            format!("unknown operator `{written}`"),
        )
        .with_label(format!("expected `{}`", meant.text()))
        .with_help(format!(
            "{} is written `{}`",
            operator_name(meant),
            meant.text()
        ));
        self.errors.push(error);
        Token::Symbol(meant)
    }

    fn quoted_name(&mut self, span: Span) -> Option<Token> {
        let name = self.unescape(span);
        if name.is_empty() {
            let error = Diagnostic::at(Code::EmptyQuotedName, span, "a name cannot be empty");
            self.errors
                .push(error.with_label("expected a name between the backquotes"));
        }
        Some(Token::Quoted(name))
    }

    /// Escapes stay as they are: they belong to the regular expression.
    fn single(&self, span: Span) -> Token {
        let text = span.text(self.source);
        Token::SingleQuoted(Arc::from(text.trim_matches('\'')))
    }

    fn unclosed(&mut self, span: Span, what: &str, quote: &str) -> Token {
        let opener = Span::new(span.start, span.start + 1);
        let error = Diagnostic::at(
            Code::UnclosedText,
            opener,
            format!("this {what} is never closed"),
        )
        .with_label("opened here")
        .with_help(format!("close it with {quote} on the same line"));
        self.errors.push(error);
        Token::Text(Arc::from(""))
    }

    fn bad_number(&mut self, span: Span) -> Token {
        let text = span.text(self.source);
        let error = Diagnostic::at(Code::NotANumber, span, format!("`{text}` is not a number"))
            .with_label("expected digits, or digits `.` digits")
            .with_help(format!(
                "a name that starts with a digit needs backquotes: `{text}`"
            ));
        self.errors.push(error);
        Token::Number(Number::ZERO)
    }

    fn unknown(&mut self, span: Span) -> Token {
        let text = span.text(self.source);
        let mut error = Diagnostic::at(
            Code::UnknownCharacter,
            span,
            format!("unknown character `{text}`"),
        );
        error.help = match text {
            "“" | "”" => Some("texts stand in plain double quotes: \"text\"".to_owned()),
            "‘" | "’" => Some("texts stand in plain double quotes: \"text\"".to_owned()),
            "@" | "$" | "\\" | "^" => {
                Some("a name with special characters needs backquotes".to_owned())
            }
            _ => None,
        };
        self.errors
            .push(error.with_label("no formula contains this"));
        Token::Unknown
    }

    /// The inside of a quoted token, with its escapes replaced.
    fn unescape(&mut self, span: Span) -> Arc<str> {
        let quoted = span.text(self.source);
        let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
        let mut text = String::with_capacity(inside.len());
        let mut rest = inside;
        while let Some((before, escape)) = rest.split_once('\\') {
            text.push_str(before);
            let at = span.end as usize - 1 - escape.len() - 1;
            let (letter, length) = match read_escape(escape) {
                Ok(found) => found,
                Err(length) => {
                    self.bad_escape(Span::from(at..at + 1 + length));
                    ('?', length)
                }
            };
            text.push(letter);
            rest = escape.get(length..).unwrap_or("");
        }
        text.push_str(rest);
        Arc::from(text)
    }

    fn bad_escape(&mut self, span: Span) {
        let escape = span.text(self.source);
        let error = Diagnostic::at(
            Code::UnknownEscape,
            span,
            format!("unknown escape `{escape}`"),
        )
        .with_label("expected \\\\, \\\", \\', \\`, \\n, \\t, \\r or \\u{...}")
        .with_help("a backslash itself is written `\\\\`");
        self.errors.push(error);
    }
}

/// The words that are operators wherever they stand.
fn word(text: &str) -> Token {
    match text {
        "not" => Token::Symbol(Symbol::Not),
        "and" => Token::Symbol(Symbol::And),
        "or" => Token::Symbol(Symbol::Or),
        name => Token::Word(Arc::from(name)),
    }
}

fn operator_name(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::Arrow => "implication",
        Symbol::Iff => "equivalence",
        Symbol::Eq => "equality",
        Symbol::Ne => "inequality",
        Symbol::Le => "less or equal",
        Symbol::Ge => "greater or equal",
        Symbol::Not => "negation",
        Symbol::And => "conjunction",
        Symbol::Or => "disjunction",
        Symbol::Star => "multiplication",
        _ => "this operator",
    }
}

/// The character an escape stands for and its length behind the backslash, else the length of
/// what is wrong.
fn read_escape(text: &str) -> Result<(char, usize), usize> {
    let Some(letter) = text.chars().next() else {
        return Err(0);
    };
    let simple = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '\\' | '"' | '\'' | '`' => letter,
        'u' => return read_code_point(text),
        other => return Err(other.len_utf8()),
    };
    Ok((simple, 1))
}

/// `u{1f600}`
fn read_code_point(text: &str) -> Result<(char, usize), usize> {
    let digits = text
        .strip_prefix("u{")
        .and_then(|rest| rest.split_once('}'))
        .ok_or(1usize)?
        .0;
    let length = digits.len() + 3;
    let code = u32::from_str_radix(digits, 16).map_err(|_| length)?;
    char::from_u32(code)
        .map(|letter| (letter, length))
        .ok_or(length)
}

#[cfg(test)]
mod tests {
    use super::{Symbol, Token, tokenise};

    #[test]
    fn both_spellings_give_one_token() {
        let (one, no_errors) = tokenise("!a && b || c == d & e | f");
        let (two, none_either) = tokenise("not a and b or c = d and e or f");
        let tokens = |lexemes: Vec<super::Lexeme>| {
            lexemes
                .into_iter()
                .map(|lexeme| lexeme.token)
                .collect::<Vec<_>>()
        };
        assert!(no_errors.is_empty() && none_either.is_empty());
        assert_eq!(tokens(one), tokens(two));
    }

    #[test]
    fn many_comments_take_no_stack() {
        let (lexemes, errors) = tokenise(&"# nothing\n \t".repeat(1_000_000));
        assert!(lexemes.is_empty() && errors.is_empty());
    }

    #[test]
    fn escapes_are_read() {
        let (lexemes, errors) = tokenise(r#" "a\"b\n\u{e9}" `x\`y` "#);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(lexemes[0].token, Token::Text("a\"b\né".into()));
        assert_eq!(lexemes[1].token, Token::Quoted("x`y".into()));
    }

    #[test]
    fn words_may_be_of_any_script() {
        // The third has its accent as a character of its own.
        let source = "größe ключ cafe\u{301} x١ 名_1";
        let (lexemes, errors) = tokenise(source);
        assert!(errors.is_empty(), "{errors:?}");
        let words: Vec<Token> = source
            .split(' ')
            .map(|word| Token::Word(word.into()))
            .collect();
        let tokens: Vec<Token> = lexemes.into_iter().map(|lexeme| lexeme.token).collect();
        assert_eq!(tokens, words);
        let (lexemes, errors) = tokenise("x “ \u{301}y");
        assert_eq!((lexemes.len(), errors.len()), (4, 2));
    }

    #[test]
    fn lines_are_known() {
        let (lexemes, _) = tokenise("a b # c\n  d\n# e\nf");
        let leads: Vec<bool> = lexemes.iter().map(|lexeme| lexeme.leads_line).collect();
        assert_eq!(leads, [true, false, true, true]);
    }

    #[test]
    fn longest_operator_wins() {
        let (lexemes, _) = tokenise("a<->b <-1 <>");
        let symbols: Vec<&Token> = lexemes.iter().map(|lexeme| &lexeme.token).collect();
        assert_eq!(symbols[1], &Token::Symbol(Symbol::Iff));
        assert_eq!(symbols[3], &Token::Symbol(Symbol::Lt));
        assert_eq!(symbols[4], &Token::Symbol(Symbol::Minus));
        assert_eq!(symbols[6], &Token::Symbol(Symbol::Diamond));
    }
}
