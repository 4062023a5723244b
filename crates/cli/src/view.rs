//! `causet view`: the run as a page, served to the browser on this machine and to nobody else.
//!
//! ```text
//! /             the page, with names and verdicts
//! /run.bin      the run in columns
//! /event/N      what an event did
//! /search       where a predicate comes true in the recorded order
//! /lattice      how many cuts there are after each number of events
//! /slice        the cuts that a property looks for, or those that satisfy a predicate
//! ```
//!
//! The server listens on the loopback address only. A page of another site could still make the browser ask it
//! something, under a name that resolves to this address; so only requests that name this address as their host are
//! answered, and none that the browser says another site has made.

mod guard;
mod search;
mod slices;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use causet::Run;
use causet::inner as extras;
use causet_base::Code;
use causet_check::wanted::Wanted;
use causet_report::page::{self, Columns, Detail, Document};
use causet_trace::EventId;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;

use crate::check;
use crate::cli::View;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::limits::{self, Limits};
use crate::output;
use crate::serve::runtime;

/// Runs the command, until Ctrl-C.
pub(crate) fn run(arguments: View) -> Result<Status, Failure> {
    let port = arguments.port;
    let arguments = arguments.into_check();
    let (timeout, memory) = (arguments.timeout, arguments.memory);
    let shown = check::shown(&arguments, move |run, report| {
        let columns = Columns::of(run.subject().trace, report.budget).ok()?;
        let document = page::served(report, columns.labels)?;
        Some(Shown {
            run: run.clone(),
            document,
            columns: columns.bytes.into(),
            wanted: slices::wanted(report),
            levels: extras::levels(report),
            timeout,
            memory,
        })
    })?;
    match shown {
        Some(shown) => serve(shown, port),
        None => {
            diagnostics::sentence(
                Code::LimitReached,
                "the work was stopped, so there is nothing to view",
                None,
            );
            Ok(Status::Unknown)
        }
    }
}

/// Everything that is served.
struct Shown {
    run: Run,
    document: Document,
    columns: Bytes,
    /// For each property the cuts that it looks for, if it does.
    wanted: Vec<Option<Wanted>>,
    /// The levels that stories end at.
    levels: Vec<u32>,
    /// What the answer to a request may take.
    timeout: Option<Duration>,
    memory: Option<u64>,
}

impl Shown {
    /// The limits of an answer, from now.
    fn limits(&self) -> Limits {
        limits::limits(self.timeout, self.memory)
    }
}

fn serve(shown: Shown, port: u16) -> Result<Status, Failure> {
    runtime()?.block_on(listen(shown, port))
}

async fn listen(shown: Shown, port: u16) -> Result<Status, Failure> {
    let failed = |error| {
        Failure::io(
            Code::ServerNotStarted,
            format!("port {port} cannot be listened on"),
            &error,
        )
    };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await
        .map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    output::to_stdout(format!("http://{address}/\n").as_bytes())?;
    diagnostics::note(
        Code::ServerHint,
        "open this address in a browser on this machine; Ctrl-C ends the server",
    );
    let router = router(Arc::new(shown), address.port());
    axum::serve(listener, router)
        .with_graceful_shutdown(interrupted())
        .await
        .map_err(|error| Failure::io(Code::ServerNotStarted, "the server ended", &error))?;
    Ok(Status::Fine)
}

/// Waits for Ctrl-C.
async fn interrupted() {
    let limits = limits::limits(None, None);
    while limits.reached().is_none() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn router(shown: Arc<Shown>, port: u16) -> Router {
    let policy = format!("{}; frame-ancestors 'none'", shown.document.policy);
    Router::new()
        .route("/", get(document))
        .route("/run.bin", get(columns))
        .route("/event/{number}", get(event))
        .route("/search", get(found))
        .route("/lattice", get(lattice))
        .route("/slice", get(slice))
        .with_state(shown)
        .layer(axum::middleware::from_fn(move |request, next| {
            guard::guard(port, policy.clone(), request, next)
        }))
}

async fn document(State(shown): State<Arc<Shown>>) -> Response {
    let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (html, shown.document.html.clone()).into_response()
}

async fn columns(State(shown): State<Arc<Shown>>) -> Response {
    let bytes = [(header::CONTENT_TYPE, "application/octet-stream")];
    (bytes, shown.columns.clone()).into_response()
}

async fn event(State(shown): State<Arc<Shown>>, Path(number): Path<u32>) -> Response {
    let trace = shown.run.subject().trace;
    match (number as usize) < trace.len() {
        true => answer(&json!(Detail::of(trace, EventId::new(number)))),
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

/// What a search asks.
#[derive(serde::Deserialize)]
struct Sought {
    predicate: String,
}

async fn found(State(shown): State<Arc<Shown>>, Query(sought): Query<Sought>) -> Response {
    in_background(move || {
        let limits = shown.limits();
        search::search(shown.run.subject(), &sought.predicate, &limits.budget())
    })
    .await
}

async fn lattice(State(shown): State<Arc<Shown>>) -> Response {
    in_background(move || {
        let limits = shown.limits();
        json!(extras::density(shown.run.subject(), &shown.levels, &limits))
    })
    .await
}

async fn slice(State(shown): State<Arc<Shown>>, Query(asked): Query<slices::Asked>) -> Response {
    in_background(move || {
        let limits = shown.limits();
        slices::slice(shown.run.subject(), &shown.wanted, &asked, &limits)
    })
    .await
}

/// Works where it keeps no other answer waiting.
async fn in_background(work: impl FnOnce() -> Json + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(json) => answer(&json),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn answer(json: &Json) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, json.to_string()).into_response()
}
