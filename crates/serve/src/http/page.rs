//! `GET /`: one page that shows the runs as they go on, with everything in it.
//!
//! The page holds no data: its script asks for that once a second and shows it as text. The policy names the one style
//! and the one script by their hashes, and lets them ask this server and frame its reports, and nothing else.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const SKELETON: &str = include_str!("../../page/live.html");
const STYLE: &str = include_str!("../../page/live.css");
const SCRIPT: &str = include_str!("../../page/live.js");

struct Page {
    html: String,
    policy: String,
}

static PAGE: LazyLock<Page> = LazyLock::new(|| Page {
    html: SKELETON
        .replace("{style}", STYLE)
        .replace("{script}", SCRIPT),
    policy: format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; frame-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash(SCRIPT),
        hash(STYLE)
    ),
});

/// The page.
pub(super) async fn page() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, PAGE.policy.as_str()),
    ];
    (headers, PAGE.html.as_str()).into_response()
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_shows_text_and_nothing_else() {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "Function(",
        ] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("{style}"));
        assert!(
            !STYLE.contains("</style") && !STYLE.contains("url(") && !STYLE.contains("{script}")
        );
        assert_eq!(PAGE.html.matches("<script").count(), 1);
        assert!(PAGE.html.contains(SCRIPT) && PAGE.html.contains(STYLE));
    }
}
