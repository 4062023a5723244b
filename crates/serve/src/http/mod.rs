//! What is answered over HTTP: events are taken, and whoever may ask is told how the runs are.
//!
//! ```text
//! POST /runs/{name}/events     lines of a run, answered when they are safe
//! GET  /runs                   how the runs are, in short
//! GET  /runs/{name}            how one run is, with its processes and what was told of it
//! GET  /news?after=N           what was told of all runs, as far as it is remembered
//! GET  /metrics                figures for Prometheus
//! GET  /health                 whether runs can be kept
//! ```
//!
//! The guard stands before all of it and lets pages of other sites ask nothing. With a token, only `/health` answers
//! whoever does not send it as `Authorization: Bearer TOKEN`. All routes are put together in [`router`], which takes what
//! others want to have served at the same address.

pub mod board;
mod events;
mod guard;
mod health;
mod metrics;
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

pub use guard::Reach;

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
        .route("/health", get(health::health))
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
    #[derive(Serialize)]
    struct Refusal<'a> {
        error: &'a str,
    }
    json(status, &Refusal { error })
}
