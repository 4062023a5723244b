//! `GET /health`: whether the server can do what it is there for.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;

use super::{Site, json};
use crate::news::Damage;

/// Says whether runs can be kept, and why not, and which of those that were kept cannot be read.
pub(super) async fn health(State(site): State<Arc<Site>>) -> Response {
    #[derive(Serialize)]
    struct Health<'a> {
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        damaged: Vec<Damage>,
    }
    let counts = site.desk.counts();
    let closed = (!site.desk.is_open()).then_some("the server is closing");
    let reason = counts.trouble().or(closed);
    let status = match reason {
        None => StatusCode::OK,
        Some(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    let ok = reason.is_none();
    let damaged = counts.damages();
    let health = Health {
        ok,
        reason,
        damaged,
    };
    json(status, &health)
}
