//! Who is answered, and what every answer says about itself.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use causet_serve::http::close_off;

/// Answers a request that this machine's own page made, with headers that let nothing else use the answer.
pub(super) async fn guard(port: u16, policy: String, request: Request, next: Next) -> Response {
    let mut response = match is_ours(request.headers(), port) {
        true => next.run(request).await,
        false => (
            StatusCode::FORBIDDEN,
            "this server answers its own page only\n",
        )
            .into_response(),
    };
    close_off(response.headers_mut(), &policy);
    response
}

/// Whether a request names this server as its host and comes from no other site.
fn is_ours(headers: &HeaderMap, port: u16) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let named = text("host").is_some_and(|host| hosts.iter().any(|known| known == host));
    let from = text("sec-fetch-site");
    let own = from.is_none_or(|site| site == "same-origin" || site == "none");
    let navigates = text("sec-fetch-mode") == Some("navigate");
    named && (own || navigates)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn asked(headers: &[(&'static str, &str)]) -> bool {
        let pairs = headers.iter().map(|&(name, value)| {
            let value = HeaderValue::from_str(value).expect("a value");
            (HeaderName::from_static(name), value)
        });
        is_ours(&pairs.collect(), 80)
    }

    #[test]
    fn only_requests_to_this_address_are_answered() {
        assert!(asked(&[("host", "127.0.0.1:80")]));
        assert!(asked(&[
            ("host", "localhost:80"),
            ("sec-fetch-site", "none")
        ]));
        assert!(!asked(&[]));
        assert!(!asked(&[("host", "evil.example:80")]));
        assert!(!asked(&[("host", "127.0.0.1:81")]));
    }

    #[test]
    fn other_sites_may_link_here_but_not_fetch() {
        let cross = ("sec-fetch-site", "cross-site");
        assert!(!asked(&[("host", "127.0.0.1:80"), cross]));
        assert!(asked(&[
            ("host", "127.0.0.1:80"),
            cross,
            ("sec-fetch-mode", "navigate")
        ]));
    }
}
