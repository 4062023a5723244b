//! Rust tokens as one line of text, spaced as rustfmt spaces a signature.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Tokens that no space follows.
const OPENING: &[&str] = &["(", "[", "<", "&", "::", ".", "#", "?", "!"];
/// Tokens that no space precedes.
const CLOSING: &[&str] = &[",", ";", ":", ")", "]", ">", "."];
/// Tokens that stand directly behind a word, as in `f(`, `Vec<`, `a::` and `panic!`.
const ATTACHED: &[&str] = &["::", "<", "(", "!"];

/// The tokens as text. Line breaks and trailing commas of the source make no difference.
pub(super) fn text_of(syntax: impl ToTokens) -> String {
    let mut words = Vec::new();
    flatten(syntax.to_token_stream(), &mut words);
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map_or("", String::as_str);
        if word == "," && [">", "]", "}"].contains(&next) {
            continue;
        }
        let before = index.checked_sub(1).map_or("", |before| &words[before]);
        if !before.is_empty() && has_space_between(before, word) {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    // The last token continues: `-` before `>`, `'` before a name.
    let mut continues = false;
    for token in tokens {
        let word = match &token {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
                continues = false;
                continue;
            }
            _ => token.to_string(),
        };
        match words.last_mut().filter(|_| continues) {
            Some(last) => last.push_str(&word),
            None => words.push(word),
        }
        continues = matches!(&token, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint);
    }
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::None => ("", ""),
    }
}

fn has_space_between(before: &str, next: &str) -> bool {
    let is_word = before == ">" || before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_tight = OPENING.contains(&before)
        || CLOSING.contains(&next)
        || (is_word && ATTACHED.contains(&next));
    !is_tight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let signature: syn::Signature = syn::parse_str(source).expect("a signature");
        assert_eq!(text_of(signature), expected);
    }

    #[test]
    fn signatures_are_spaced_as_rustfmt_does() {
        check(
            "fn a<'a,T:?Sized+'a>(&'a mut self,b:&[(u8,T)],)->Result<(),Vec<Vec<T>>>",
            "fn a<'a, T: ?Sized + 'a>(&'a mut self, b: &[(u8, T)],) -> Result<(), Vec<Vec<T>>>",
        );
        check(
            "async fn b(f: impl FnOnce ( u8 )->! , g:Box<dyn Fn()+Send>) where T:Into<  \n u8,>",
            "async fn b(f: impl FnOnce(u8) -> !, g: Box<dyn Fn() + Send>) where T: Into<u8>",
        );
        check(
            "fn c<F: Future<Output=[u8;4]>>(self:Arc<Self>)->std::io::Result<T::Item>",
            "fn c<F: Future<Output = [u8; 4]>>(self: Arc<Self>) -> std::io::Result<T::Item>",
        );
        check("fn d(t: (u8,)) -> &mut [u8]", "fn d(t: (u8,)) -> &mut [u8]");
    }
}
