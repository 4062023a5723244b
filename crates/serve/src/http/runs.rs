//! How the runs are, for programs and for the page.

use std::collections::BTreeMap;
use std::path::Path as File;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::board::Numbered;
use super::{Site, json, refusal};
use crate::keeping::{folder_of, had, is_over, told};
use crate::status::Status;

/// All runs that go on, in short.
pub(super) async fn list(State(site): State<Arc<Site>>) -> Response {
    let runs: Vec<Short> = site
        .desk
        .status()
        .await
        .into_iter()
        .map(Short::from)
        .collect();
    json(StatusCode::OK, &runs)
}

/// One run, whether it goes on or is over.
pub(super) async fn one(State(site): State<Arc<Site>>, Path(name): Path<String>) -> Response {
    let mut live = site.desk.look(&name).await;
    let folder = folder_of(&site.data, &name);
    let told = tokio::task::spawn_blocking(move || told_of(&folder)).await;
    let (had, told) = match told {
        Ok(Some((had, told))) => (had, told),
        _ if live.is_some() => (None, Vec::new()),
        _ => return refusal(StatusCode::NOT_FOUND, "there is no such run"),
    };
    let taken = live.as_mut().map(|live| {
        let have = std::mem::take(&mut live.have);
        let lags = std::mem::take(&mut live.lags);
        (have, lags, std::mem::take(&mut live.missing))
    });
    let over = had.is_some();
    let (have, lag, missing) =
        taken.unwrap_or_else(|| (had.unwrap_or_default(), BTreeMap::new(), Vec::new()));
    let whole = Whole {
        short: live.map(Short::from),
        run: name,
        over,
        have,
        lag,
        missing,
        told,
    };
    json(StatusCode::OK, &whole)
}

/// From which number on news are wanted.
#[derive(Deserialize)]
pub(super) struct After {
    #[serde(default)]
    after: u64,
}

/// What was told of all runs.
pub(super) async fn news(State(site): State<Arc<Site>>, Query(asked): Query<After>) -> Response {
    let numbered = site.board.since(asked.after).into_iter();
    let opened = numbered.map(|news| Opened {
        key: site.keys.of(&news.news.run, &news.news.property),
        news,
    });
    json(StatusCode::OK, &opened.collect::<Vec<Opened>>())
}

/// News, and what opens their report.
#[derive(Serialize)]
struct Opened {
    #[serde(flatten)]
    news: Numbered,
    key: String,
}

/// What the run of a folder had, if it is over.
type Had = Option<BTreeMap<String, u32>>;

/// What the run of a folder had when it was over, if it is, and what was told of it; `None` without a run.
fn told_of(folder: &File) -> Option<(Had, Vec<Json>)> {
    let text = told(folder)?;
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let had = is_over(folder).then(|| had(folder));
    Some((had, lines.collect()))
}

/// A run in short.
#[derive(Serialize)]
struct Short {
    run: String,
    processes: usize,
    events: u64,
    waiting: usize,
    held: usize,
    again: u64,
    /// Of the process that is furthest behind.
    lag: u32,
    /// Seconds since something was taken.
    quiet: f64,
    properties: Vec<Asked>,
}

#[derive(Serialize)]
struct Asked {
    property: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl From<Status> for Short {
    fn from(status: Status) -> Self {
        let asked = |(property, state, why)| Asked {
            property,
            state,
            why,
        };
        Short {
            processes: status.processes,
            run: status.run,
            events: status.events,
            waiting: status.waiting,
            held: status.held,
            again: status.again,
            lag: status.lag,
            quiet: status.quiet,
            properties: status.properties.into_iter().map(asked).collect(),
        }
    }
}

/// All that is known of a run.
#[derive(Serialize)]
struct Whole {
    run: String,
    over: bool,
    /// While it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    short: Option<Short>,
    have: BTreeMap<String, u32>,
    lag: BTreeMap<String, u32>,
    missing: Vec<(String, String)>,
    told: Vec<Json>,
}
