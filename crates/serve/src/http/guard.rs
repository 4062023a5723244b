//! Who is answered, and what every answer says about itself.
//!
//! A page of another site can make a browser on this machine ask a server on a loopback address: by naming the address,
//! or by a name of its own that resolves to it. Against the first, a request that the browser says another site has made
//! is not answered, unless somebody follows a link; against the second, only requests that name a loopback address as
//! their host are. A door that other machines reach can have any name, and there the token decides.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Site, refusal};
use crate::link::is_allowed;

/// Who can reach a door.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Whoever is on this machine and speaks to a loopback address, browsers among them.
    Loopback,
    /// Those that no browser is among, or that the door has other ways to tell apart.
    Elsewhere,
}

/// Answers nothing that a page of another site asks, and lets nothing else use the answers.
pub(super) async fn guard(State(reach): State<Reach>, request: Request, next: Next) -> Response {
    let mut response = match is_ours(&request, reach) {
        true => next.run(request).await,
        false => refusal(StatusCode::FORBIDDEN, "this server answers no other site"),
    };
    close_off(response.headers_mut(), NOTHING);
    response
}

/// What an answer that is no page may load and where it may stand.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// Says of an answer that nothing else may use it, and what it may load, as far as it does not say so itself.
pub fn close_off(headers: &mut HeaderMap, policy: &str) {
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers
            .entry(header::CONTENT_SECURITY_POLICY)
            .or_insert(policy);
    }
    for (name, value) in ALWAYS {
        let value = HeaderValue::from_static(value);
        headers.entry(name).or_insert(value);
    }
}

const ALWAYS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Answers who knows the token, if there is one.
pub(super) async fn token(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    match knows_token(&site, request.headers()) {
        true => next.run(request).await,
        false => unauthorized(),
    }
}

/// Whether a request shows the token.
pub(super) fn knows_token(site: &Site, headers: &HeaderMap) -> bool {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    is_allowed(site.bounds.token.as_deref(), given)
}

/// The answer to somebody who does not know the token.
pub(super) fn unauthorized() -> Response {
    let refused = refusal(StatusCode::UNAUTHORIZED, "the token is not the right one");
    ([(header::WWW_AUTHENTICATE, "Bearer")], refused).into_response()
}

/// Whether a request names a host that is this machine, and comes from no other site.
fn is_ours(request: &Request, reach: Reach) -> bool {
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).or(request.uri().authority().map(Authority::as_str));
    if reach == Reach::Loopback && !host.is_some_and(is_loopback) {
        return false;
    }
    let site = text(HeaderName::from_static("sec-fetch-site"));
    let is_own = match (site, text(header::ORIGIN)) {
        (Some(site), _) => site == "same-origin" || site == "none",
        (None, Some(origin)) => origin.split_once("://").map(|(_, named)| named) == host,
        (None, None) => true,
    };
    let mode = text(HeaderName::from_static("sec-fetch-mode"));
    let is_looked_at = request.method() == Method::GET && mode == Some("navigate");
    is_own || is_looked_at
}

/// Whether a host, with or without a port, is a loopback address. Ports are not looked at: a tunnel has its own.
fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority.host();
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn asked(method: Method, reach: Reach, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().method(method).uri("/runs");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        is_ours(&request.body(Body::empty()).expect("a request"), reach)
    }

    #[test]
    fn only_this_machine_is_named() {
        for host in [
            "127.0.0.1:7464",
            "localhost:9",
            "[::1]:7464",
            "127.9.9.9",
            "LOCALHOST",
        ] {
            assert!(
                asked(Method::GET, Reach::Loopback, &[("host", host)]),
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example:7464",
            "localhost@evil.example",
            "10.0.0.1",
            "",
        ] {
            assert!(
                !asked(Method::GET, Reach::Loopback, &[("host", host)]),
                "{host}"
            );
        }
        assert!(!asked(Method::GET, Reach::Loopback, &[]));
        assert!(asked(
            Method::GET,
            Reach::Elsewhere,
            &[("host", "monitor.example")]
        ));
    }

    #[test]
    fn other_sites_may_link_here_but_ask_nothing() {
        let host = ("host", "127.0.0.1:7464");
        let cross = ("sec-fetch-site", "cross-site");
        let navigate = ("sec-fetch-mode", "navigate");
        for reach in [Reach::Loopback, Reach::Elsewhere] {
            assert!(!asked(Method::GET, reach, &[host, cross]));
            assert!(asked(Method::GET, reach, &[host, cross, navigate]));
            assert!(
                !asked(Method::POST, reach, &[host, cross, navigate]),
                "a form"
            );
            assert!(asked(
                Method::POST,
                reach,
                &[host, ("sec-fetch-site", "same-origin")]
            ));
            assert!(!asked(
                Method::POST,
                reach,
                &[host, ("origin", "http://evil.example")]
            ));
            assert!(!asked(Method::POST, reach, &[host, ("origin", "null")]));
            assert!(asked(
                Method::POST,
                reach,
                &[host, ("origin", "http://127.0.0.1:7464")]
            ));
        }
    }
}
