//! One text that is a whole page: skeleton, style, script and data, and the policy that goes with them.
//!
//! The policy names the one style and the one script by their hashes and allows nothing else: no other script could run
//! even if a log managed to write one, and nothing can be fetched from anywhere, except, for a page that a server feeds,
//! from that server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causet_base::budget::{Budget, Spent};
use serde::Serialize;
use sha2::{Digest, Sha256};

use causet_formats::words;

const SKELETON: &str = include_str!("../../page/page.html");
const STYLE: &str = include_str!("../../page/page.css");
/// In an order in which nothing is used before it is there.
const SCRIPTS: [&str; 16] = [
    include_str!("../../page/dom.js"),
    include_str!("../../page/run.js"),
    include_str!("../../page/causality.js"),
    include_str!("../../page/layout.js"),
    include_str!("../../page/theme.js"),
    include_str!("../../page/painter.js"),
    include_str!("../../page/diagram.js"),
    include_str!("../../page/lanes.js"),
    include_str!("../../page/details.js"),
    include_str!("../../page/search.js"),
    include_str!("../../page/verdict.js"),
    include_str!("../../page/stepper.js"),
    include_str!("../../page/density.js"),
    include_str!("../../page/lattice.js"),
    include_str!("../../page/slice.js"),
    include_str!("../../page/main.js"),
];

/// A page and the policy to serve it with.
#[derive(Clone, Debug)]
pub struct Document {
    /// The whole text.
    pub html: String,
    /// The content security policy, which also stands in the text.
    pub policy: String,
}

impl Document {
    /// The page with its data, if that much text is within the budget.
    pub(super) fn within(
        data: &impl Serialize,
        title: &str,
        live: bool,
        budget: &Budget<'_>,
    ) -> Result<Document, Spent> {
        budget.look()?;
        let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
        // The page and the data in it are as long once more.
        budget.charge(2 * data.len())?;
        budget.look()?;
        Ok(Document::of(data, title, live))
    }

    /// The page with its data.
    pub(super) fn new(data: &impl Serialize, title: &str, live: bool) -> Document {
        let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
        Document::of(data, title, live)
    }

    fn of(data: String, title: &str, live: bool) -> Document {
        let script = script();
        let policy = policy(&script, live);
        let data = harmless(data);
        let mut html =
            String::with_capacity(SKELETON.len() + STYLE.len() + script.len() + data.len());
        let mut rest = SKELETON;
        // Each place is filled in turn, so nothing that is filled in is ever looked at again.
        let title = escaped(&super::facts::shortened(title));
        let policy_text = escaped(&policy);
        let fillings = [
            ("{policy}", policy_text.as_str()),
            ("{title}", title.as_str()),
            ("{style}", STYLE),
            ("{data}", data.as_str()),
            ("{script}", script.as_str()),
        ];
        for (place, filling) in fillings {
            if let Some((before, after)) = rest.split_once(place) {
                html.push_str(before);
                html.push_str(filling);
                rest = after;
            }
        }
        html.push_str(rest);
        Document { html, policy }
    }
}

/// The style of a page without a script.
const BRIEF_STYLE: &str = "body{font:16px/1.5 sans-serif;margin:2em;max-width:60em}";

impl Document {
    /// A page of a few paragraphs and nothing else.
    pub(super) fn brief(lines: &[String], title: &str) -> Document {
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            hash(BRIEF_STYLE)
        );
        let title = escaped(&super::facts::shortened(title));
        let lines = lines
            .iter()
            .map(|line| format!("<p>{}</p>\n", escaped(&words::clean(line))));
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{title} – Causet</title>\n\
             <style>{BRIEF_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{}</body>\n</html>\n",
            escaped(&policy),
            lines.collect::<String>()
        );
        Document { html, policy }
    }
}

/// All scripts as one, which shares nothing with anything else.
fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.join("\n"))
}

fn policy(script: &str, live: bool) -> String {
    let connect = if live { "connect-src 'self'; " } else { "" };
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; {connect}img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(script),
        hash(STYLE)
    )
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Bytes as text.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// JSON that cannot end the data block it stands in, nor begin a comment there.
fn harmless(json: String) -> String {
    let is_harmful = |letter: char| matches!(letter, '<' | '\u{2028}' | '\u{2029}');
    if !json.contains(is_harmful) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + json.len() / 8);
    for part in json.split_inclusive(is_harmful) {
        let end = part.chars().next_back().filter(|&last| is_harmful(last));
        let length = end.map_or(0, char::len_utf8);
        safe.push_str(&part[..part.len() - length]);
        if let Some(end) = end {
            safe.push_str(&format!("\\u{:04x}", u32::from(end)));
        }
    }
    safe
}

/// Text between tags or within quotes of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_its_block() {
        let hostile = "</script><script>alert(1)</script><!--{script}{data}";
        let document = Document::new(&[hostile], hostile, false);
        let scripts = document.html.matches("<script").count();
        assert_eq!(scripts, 2, "the data and the script");
        assert_eq!(document.html.matches("</script>").count(), 2);
        let line = document
            .html
            .lines()
            .find(|line| line.contains("alert(1)\\u003c"));
        let block = line.expect("the data");
        let json = &block[block.find('[').expect("a list")..=block.rfind(']').expect("its end")];
        let read: Vec<String> = serde_json::from_str(json).expect("JSON");
        assert_eq!(read, [hostile]);
    }

    #[test]
    fn the_policy_names_what_stands_in_the_page() {
        let document = Document::new(&0, "run", false);
        let between = |start: &str, end: &str| {
            let from = document.html.find(start).expect("a start") + start.len();
            let length = document.html[from..].find(end).expect("an end");
            hash(&document.html[from..from + length])
        };
        assert!(document.policy.contains(&between("<style>", "</style>")));
        assert!(document.policy.contains(&between("<script>", "</script>")));
        assert!(document.policy.starts_with("default-src 'none'; "));
        assert!(!document.policy.contains("unsafe"));
        assert!(!document.policy.contains("connect-src"));
    }

    #[test]
    fn the_scripts_are_what_a_careful_reader_hopes_for() {
        let script = script();
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ] {
            assert!(!script.contains(word), "{word}");
        }
        assert!(!script.contains("</script"));
        assert!(!STYLE.contains("</style") && !STYLE.contains("url("));
    }
}
