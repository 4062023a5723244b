//! The kind of a formula that does not say it: by its first word, or by its operators.
//!
//! Path quantifiers (`AG`, `E[... U ...]`) belong to CTL; `G`, `F`, `X`, `U` without them to LTL. A predicate alone could be
//! meant at some cut, at every cut or on every order, and is refused with the choices.

use causet_base::{Code, Diagnostic};

use crate::lex::{Symbol, Token, tokenise};
use crate::property::Kind;
use crate::syntax::{TemporalOp, UntilOp};

/// The kind of a formula.
pub(crate) fn kind(text: &str) -> Result<Kind, Vec<Diagnostic>> {
    if let Some((kind, _)) = first_word(text) {
        return Ok(kind);
    }
    let (lexemes, errors) = tokenise(text);
    let tokens: Vec<&Token> = lexemes.iter().map(|lexeme| &lexeme.token).collect();
    let mut is_linear = false;
    for (at, token) in tokens.iter().enumerate() {
        let is_part_of_a_name = at > 0 && *tokens[at - 1] == Token::Symbol(Symbol::Dot);
        match token {
            _ if is_part_of_a_name => {}
            Token::Word(word) => {
                let opens = tokens.get(at + 1) == Some(&&Token::Symbol(Symbol::OpenSquare));
                let is_path = opens && matches!(&**word, "A" | "E");
                let op = TemporalOp::from_word(word);
                if is_path || op.is_some_and(|op| !op.is_linear()) {
                    return Ok(Kind::Ctl);
                }
                is_linear |= op.is_some() || UntilOp::from_word(word).is_some();
            }
            Token::Symbol(Symbol::Box | Symbol::Diamond) => is_linear = true,
            _ => {}
        }
    }
    if is_linear {
        return Ok(Kind::Ltl);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let whole = 0..text.len();
    let message = "this predicate does not say when it is to hold";
    Err(vec![
        Diagnostic::at(Code::KindNotSaid, whole, message)
            .with_label("expected a temporal operator or `possibly`, `definitely`")
            .with_help(
                "at every cut: `AG (...)`; at some cut of some order: `possibly ...`; at some cut of every order: `definitely ...`",
            ),
    ])
}

/// The formula after the word that says its kind, if it begins with one.
pub(crate) fn without_word(text: &str) -> &str {
    first_word(text).map_or(text, |(_, rest)| rest)
}

fn first_word(text: &str) -> Option<(Kind, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric())?;
    let (word, rest) = text.split_at(end);
    let kind = Kind::WITH_FORMULA
        .into_iter()
        .find(|kind| kind.word() == word)?;
    // A process may be called `possibly`.
    (!rest.starts_with('.')).then(|| (kind, rest.trim_start()))
}
