//! `GET /runs/{name}/properties/{property}/report`: the run as it was when the verdict was told, drawn as a page.
//!
//! ```text
//! verdicts.txt --> after how many events --> so much of the journal --> drawn by whoever decides --> kept for the next
//! ```
//!
//! A verdict that was told stays, and so does the page that shows it. Drawing decides the property once more and takes
//! its time, so there is one drawing at a time, a few may wait for it, and the last few pages are kept.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::path::Path as File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causet_base::Diagnostic;
use causet_formats::journal::{Frames, MAGIC};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::guard::{knows_token, unauthorized};
use super::{Site, refusal_with_help};
use crate::draining::consistent_lines;
use crate::keeping::{check, folder_of, is_end, journal_of, told};

/// So many pages are kept.
const MOST_KEPT: usize = 16;
/// So many may wait for a page.
const WAITING: usize = 8;
/// Of a run with more bytes there is no page here.
const LONGEST: usize = 64 << 20;

/// A page, and the policy it is shown with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The whole text.
    pub html: String,
    /// Its content security policy.
    pub policy: String,
}

/// Draws a run for a property: the name of the run, its lines, the name of the property. What is wrong is a sentence.
pub type Draw = dyn Fn(&str, Vec<u8>, &str) -> Result<Drawn, Diagnostic> + Send + Sync;

/// Run and property, and the page.
type Kept = VecDeque<((String, String), Arc<Drawn>)>;

/// Draws pages, one at a time, and keeps the last ones.
pub struct Reports {
    draw: Arc<Draw>,
    /// Places for those who wait, and the one for whoever draws.
    waiting: Semaphore,
    drawing: Semaphore,
    kept: Mutex<Kept>,
}

impl Reports {
    /// Nothing is drawn yet.
    pub fn new(draw: Arc<Draw>) -> Reports {
        Reports {
            draw,
            waiting: Semaphore::new(WAITING),
            drawing: Semaphore::new(1),
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, names: &(String, String)) -> Option<Arc<Drawn>> {
        let kept = self.kept();
        let found = kept.iter().find(|(known, _)| known == names);
        found.map(|(_, drawn)| Arc::clone(drawn))
    }

    fn keep(&self, names: (String, String), drawn: &Arc<Drawn>) {
        let mut kept = self.kept();
        if kept.len() == MOST_KEPT {
            kept.pop_front();
        }
        kept.push_back((names, Arc::clone(drawn)));
    }
}

/// What opens the page, if not the token.
#[derive(Deserialize)]
pub(super) struct Opens {
    #[serde(default)]
    key: String,
}

/// Shows the page of a verdict.
pub(super) async fn report(
    State(site): State<Arc<Site>>,
    Path((run, property)): Path<(String, String)>,
    Query(opens): Query<Opens>,
    headers: HeaderMap,
) -> Response {
    if !knows_token(&site, &headers) && !site.keys.open(&run, &property, &opens.key) {
        return unauthorized();
    }
    let folder = folder_of(&site.data, &run);
    let help = format!(
        "`causet check {} --html report.html`, with the property, draws what is kept of the run; --lenient reads a damaged one",
        folder.display()
    );
    match drawn(&site, (run, property)).await {
        Ok(drawn) => {
            let policy = format!("{}; frame-ancestors 'self'", drawn.policy);
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, policy.as_str()),
            ];
            (headers, drawn.html.clone()).into_response()
        }
        Err((status, error)) => {
            let help = (status == StatusCode::UNPROCESSABLE_ENTITY).then_some(&*help);
            refusal_with_help(status, &error, help)
        }
    }
}

type Refused = (StatusCode, String);

async fn drawn(site: &Arc<Site>, names: (String, String)) -> Result<Arc<Drawn>, Refused> {
    let busy = || {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            "others are being drawn".to_owned(),
        )
    };
    if let Some(drawn) = site.reports.find(&names) {
        return Ok(drawn);
    }
    let _place = site.reports.waiting.try_acquire().map_err(|_| busy())?;
    let _turn = site.reports.drawing.acquire().await.map_err(|_| busy())?;
    // It may have been drawn while this one waited.
    if let Some(drawn) = site.reports.find(&names) {
        return Ok(drawn);
    }
    let (worker, asked) = (Arc::clone(site), names.clone());
    let drawn = tokio::task::spawn_blocking(move || draw(&worker, &asked)).await;
    let crashed = |_| {
        (
            StatusCode::INTERNAL_SERVER_ERROR,
            "the drawing failed".to_owned(),
        )
    };
    let drawn = Arc::new(drawn.map_err(crashed)??);
    site.reports.keep(names, &drawn);
    Ok(drawn)
}

fn draw(site: &Site, (run, property): &(String, String)) -> Result<Drawn, Refused> {
    let folder = folder_of(&site.data, run);
    let missing = |what: &str| (StatusCode::NOT_FOUND, what.to_owned());
    let told = told(&folder).ok_or_else(|| missing("there is no such run"))?;
    let events = told.lines().find_map(|line| events_at(line, property));
    let events = events.ok_or_else(|| missing("nothing was told of such a property"))?;
    let unreadable = |error: io::Error| (StatusCode::UNPROCESSABLE_ENTITY, error.to_string());
    check(&folder).map_err(unreadable)?;
    let lines = lines_until(&folder, events).map_err(unreadable)?;
    let lines = consistent_lines(run, &lines).map_err(unreadable)?;
    (site.reports.draw)(run, lines, property)
        .map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))
}

/// After how many events something was told of a property, if this line tells it.
fn events_at(line: &str, property: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Told {
        property: String,
        events: u64,
    }
    let told: Told = serde_json::from_str(line).ok()?;
    (told.property == property).then_some(told.events)
}

/// The lines of a journal up to so many events.
fn lines_until(folder: &File, events: u64) -> io::Result<Vec<u8>> {
    let mut journal = journal_of(folder)?;
    journal.read_exact(&mut [0; MAGIC.len()])?;
    let mut frames = Frames::new(BufReader::new(journal));
    let mut lines = Vec::new();
    let mut left = events;
    // The first line is the header, and the lines that end a process are no events.
    let mut is_header = true;
    while let Some(frame) = frames.next_frame()? {
        for line in frame.split_inclusive(|&byte| byte == b'\n') {
            let counts = u64::from(!is_header && !is_end(line));
            if left < counts {
                return Ok(lines);
            }
            left -= counts;
            is_header = false;
            lines.extend_from_slice(line);
        }
        if lines.len() > LONGEST {
            return Err(io::Error::other(
                "the run is too long to be drawn here: causet check --html on its folder draws it",
            ));
        }
    }
    Ok(lines)
}
