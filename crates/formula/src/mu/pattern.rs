//! Labels with values as regular expressions: `put(3, _)` of mCRL2 and `{PUT !3 !_}` of CADP.
//!
//! Blanks between tokens do not matter. A value of mCRL2 may have brackets with commas in them, which a regular
//! expression cannot balance; three levels are enough for the labels of real models.

use std::sync::Arc;

use regex::Regex;

use super::lex::is_wordlike;
use super::regexp::anchored;
use super::syntax::Value;

/// The expression for `name(values)`.
pub(super) fn call(name: &str, values: &[Value]) -> Option<Arc<Regex>> {
    let any = balanced();
    let values: Vec<String> = values.iter().map(|value| expression(value, &any)).collect();
    let name = regex::escape(name);
    anchored(&format!(
        r"\s*{name}\s*\(\s*{}\s*\)\s*",
        values.join(r"\s*,\s*")
    ))
}

/// The expression for a gate and its offers.
pub(super) fn offers(gate: &str, values: &[Value], open: bool) -> Option<Arc<Regex>> {
    let any = r"[^!\s](?:[^!]*[^!\s])?";
    let mut text = format!(r"\s*{}", regex::escape(gate));
    for value in values {
        text.push_str(r"\s*!\s*");
        text.push_str(&expression(value, any));
    }
    text.push_str(if open { r"(?:\s*!.*)?\s*" } else { r"\s*" });
    anchored(&text)
}

/// The tokens of a value as they are printed: only words and values stand close together, so that no two signs become one.
pub(super) fn spell(tokens: &[Arc<str>]) -> String {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| tokens.get(index));
        if before.is_some_and(|before| is_wordlike(before) == is_wordlike(token)) {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}

fn expression(value: &Value, any: &str) -> String {
    let Value::Exact(tokens) = value else {
        return any.to_owned();
    };
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| tokens.get(index));
        if let Some(before) = before {
            let apart = is_wordlike(before) && is_wordlike(token);
            text.push_str(if apart { r"\s+" } else { r"\s*" });
        }
        text.push_str(&regex::escape(token));
    }
    text
}

/// Any value without a comma outside of its brackets. Brackets of all kinds are alike: one kind inside of the other would
/// make an expression three times as long at every level.
fn balanced() -> String {
    let plain = r"[^\s,()\[\]{}]";
    let (open, close) = (r"[(\[{]", r"[)\]}]");
    let mut inside = r"[^()\[\]{}]*".to_owned();
    for _ in 0..2 {
        inside = format!(r"(?:[^()\[\]{{}}]|{open}{inside}{close})*");
    }
    format!(r"(?:{plain}|{open}{inside}{close})(?:\s*(?:{plain}|{open}{inside}{close}))*")
}

#[cfg(test)]
mod tests {
    use super::{call, offers};
    use crate::mu::syntax::Value;

    fn exact(tokens: &[&str]) -> Value {
        Value::Exact(tokens.iter().map(|&token| token.into()).collect())
    }

    #[test]
    fn calls() {
        let put = call("put", &[exact(&["3"]), Value::Any]).expect("small");
        for label in [
            "put(3,true)",
            "put(3, true)",
            "put( 3 , pair(1, [2, 3]) )",
            "put(3, a b)",
        ] {
            assert!(put.is_match(label), "{label}");
        }
        for label in [
            "put(3)",
            "put(4, true)",
            "put(3, true, 1)",
            "put(3, )",
            "put3, true",
            "put(3, true) x",
        ] {
            assert!(!put.is_match(label), "{label}");
        }
    }

    #[test]
    fn offered_values() {
        let put = offers("PUT", &[exact(&["3"]), Value::Any], false).expect("small");
        for label in ["PUT !3 !TRUE", "PUT !3!TRUE", "PUT  ! 3 !F (1, 2)"] {
            assert!(put.is_match(label), "{label}");
        }
        for label in ["PUT !3", "PUT !33 !1", "PUT !3 !1 !2", "PUTS !3 !1"] {
            assert!(!put.is_match(label), "{label}");
        }
        let open = offers("PUT", &[exact(&["3"])], true).expect("small");
        for (label, wanted) in [
            ("PUT !3", true),
            ("PUT !3 !1 !2", true),
            ("PUT !34", false),
            ("PUT", false),
        ] {
            assert_eq!(open.is_match(label), wanted, "{label}");
        }
    }
}
