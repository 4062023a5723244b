//! What is answered over HTTP: events are taken, and whoever may ask is told how the runs are.
//!
//! ```text
//! POST /runs/{name}/events     lines of a run, answered when they are safe
//! GET  /runs                   how the runs are, in short
//! GET  /runs/{name}            how one run is, with its processes and what was told of it
//! GET  /news?after=N           what was told of all runs, as far as it is remembered
//! GET  /metrics                figures for Prometheus
//! GET  /health                 whether runs can be kept
//! GET  /                       a page that shows all this as it happens
//! GET  /runs/{name}/properties/{property}/report
//!                              the run as it was when a verdict was told, with what shows it
//! ```
//!
//! The guard stands before all of it and lets pages of other sites ask nothing. With a token, only `/health` and
//! the page, which is empty until it has asked for more, answer whoever does not send it as `Authorization: Bearer TOKEN`.
//! A browser that opens a report cannot send it, so news come with a key that opens their report alone. All routes are put together in [`router`], which takes what
//! others want to have served at the same address.

pub mod board;
mod events;
mod guard;
mod health;
mod keys;
mod metrics;
mod page;
pub mod reports;
mod runs;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderName, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;

use crate::desk::Desk;
use crate::link::Bounds;
use board::Board;
use reports::Reports;

pub use guard::{Reach, close_off};
pub use keys::Keys;

/// What requests are about.
pub struct Site {
    /// The way to the runs.
    pub desk: Desk,
    /// What a request may do.
    pub bounds: Arc<Bounds>,
    /// Where runs are kept.
    pub data: PathBuf,
    /// What was told.
    pub board: Arc<Board>,
    /// What is drawn of runs.
    pub reports: Reports,
    /// What opens it.
    pub keys: Keys,
}

/// Answers all requests that come in by a door; `others` are routes that want the same guard and the same token.
pub fn router(site: &Arc<Site>, reach: Reach, others: Router) -> Router {
    let closed = Router::new()
        .route("/runs", get(runs::list))
        .route("/runs/{name}", get(runs::one))
        .route("/runs/{name}/events", post(events::post))
        .route("/news", get(runs::news))
        .route("/metrics", get(metrics::metrics))
        .with_state(Arc::clone(site))
        .merge(others)
        .layer(from_fn_with_state(Arc::clone(site), guard::token));
    let open = Router::new()
        .route("/", get(page::page))
        .route("/health", get(health::health))
        .route(
            "/runs/{name}/properties/{property}/report",
            get(reports::report),
        )
        .with_state(Arc::clone(site));
    closed
        .merge(open)
        .layer(from_fn_with_state(reach, guard::guard))
}

const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// An answer for programs.
fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => (status, JSON, text + "\n").into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// An answer that says what is wrong.
fn refusal(status: StatusCode, error: &str) -> Response {
    refusal_with_help(status, error, None)
}

/// The same, perhaps with what to do about it.
fn refusal_with_help(status: StatusCode, error: &str, help: Option<&str>) -> Response {
    #[derive(Serialize)]
    struct Refusal<'a> {
        error: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<&'a str>,
    }
    json(status, &Refusal { error, help })
}
