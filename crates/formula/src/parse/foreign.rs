//! Words of other notations: operators that people write as they know them, and what they are called here.

use super::Dialect;

/// What a word may have been meant as when a formula follows it, or stands around it.
pub(crate) fn operator(word: &str, dialect: Dialect) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    if let Some(capital) = capital(&lower, word, dialect) {
        return Some(format!(
            "temporal operators are written in capitals: `{capital}`"
        ));
    }
    let either = |linear: &str, branching: &str| {
        Some(match dialect {
            Dialect::Linear => linear.to_owned(),
            Dialect::Branching => branching.to_owned(),
            Dialect::Either => format!("{branching}; in LTL, {linear}"),
        })
    };
    match lower.as_str() {
        "always" | "globally" | "henceforth" | "invariant" | "invariantly" => either(
            "always f is written `G f`",
            "always f is written `AG f`: at every cut of every order",
        ),
        "eventually" | "finally" | "sometime" | "sometimes" => either(
            "eventually f is written `F f`",
            "eventually f is written `AF f` (in every order) or `EF f` (in some order)",
        ),
        "next" => either("next f is written `X f`", "next f is written `AX f` or `EX f`"),
        "never" => either("never f is written `G !(f)`", "never f is written `AG !(f)`"),
        "until" => either(
            "f until g is written `f U g`",
            "f until g is written `A[f U g]` (in every order) or `E[f U g]` (in some order)",
        ),
        "unless" => either("f unless g is written `f W g`", "f unless g is written `A[f W g]`"),
        "release" | "releases" => either("it is written `f R g`", "it is written `A[f R g]`"),
        "before" | "precedes" => either(
            "f before g is written `!(g) W f`: no g until there is f",
            "f before g is written `A[!(g) W f]`: no g until there is f; some order that has f and then g is `{ f ; g }` with --possibly",
        ),
        "after" => either(
            "g after f is written `G (f -> F g)`",
            "g after f is written `AG (f -> AF g)`",
        ),
        "once" | "historically" | "previously" | "yesterday" | "since" => either(
            "operators look ahead only: that g needs an f before it is written `!(g) W f`",
            "operators look ahead only: that g needs an f before it is written `A[!(g) W f]`",
        ),
        "in" => Some(
            "a set of values is written `x = 1 || x = 2`; over processes: `exists i in procs: i.x = 1`".to_owned(),
        ),
        "if" | "when" | "whenever" => Some("if f then g is written `f -> g`".to_owned()),
        "then" => Some("if f then g is written `f -> g`".to_owned()),
        _ => None,
    }
}

/// The operator in capitals that a word in small letters is.
fn capital(lower: &str, word: &str, dialect: Dialect) -> Option<String> {
    let upper = lower.to_ascii_uppercase();
    let operators: &[&str] = match dialect {
        Dialect::Linear => &["G", "F", "X", "N", "U", "W", "R", "M"],
        Dialect::Branching => &["AG", "AF", "AX", "EG", "EF", "EX"],
        Dialect::Either => &["AG", "AF", "AX", "EG", "EF", "EX", "G", "F", "X"],
    };
    (word != upper && operators.contains(&upper.as_str())).then_some(upper)
}

/// What a word is in this language that other languages write in their own way, for a value that no variable has.
pub(crate) fn value(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "true" | "false" => Some(format!("`{word}` is written `{lower}`")),
        "null" | "none" | "nil" | "undefined" | "unset" => {
            Some("there is no such value: a variable that nothing has written is 0".to_owned())
        }
        _ => None,
    }
}
