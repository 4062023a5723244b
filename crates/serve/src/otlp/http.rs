//! Spans over HTTP: `POST /v1/traces` in JSON or as protobuf, compressed or not, answered in kind.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::read::MultiGzDecoder;
use prost::Message;
use serde_json::json;

use super::export::{Coding, Refused};
use super::messages::{ExportResponse, Failure, PartialSuccess};
use super::{NotTaken, Receiver, TURN};

/// The header that says to which run the spans of a request belong.
const RUN: &str = "causet-run";
/// So long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(30);
/// Numbers that gRPC has for what is wrong.
const INVALID: i32 = 3;
const EXHAUSTED: i32 = 8;
const UNAVAILABLE: i32 = 14;

/// Takes an export.
pub(super) async fn traces(
    State(receiver): State<Arc<Receiver>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(coding) = coding_of(&headers) else {
        let what = "spans are application/json or application/x-protobuf";
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, what).into_response();
    };
    match take(&receiver, coding, &headers, body).await {
        Ok(refused) => answer(coding, StatusCode::OK, &ExportResponse::of(&refused)),
        Err(problem) => problem.answer(coding),
    }
}

/// The run that headers name.
pub(super) fn run_of(headers: &HeaderMap) -> Option<String> {
    text_of(headers, RUN).map(str::to_owned)
}

impl ExportResponse {
    pub(super) fn of(refused: &Refused) -> ExportResponse {
        let partial = PartialSuccess {
            rejected_spans: refused.count(),
            error_message: refused.reasons(),
        };
        ExportResponse {
            partial_success: (partial.rejected_spans > 0).then_some(partial),
        }
    }
}

/// Why an export is not taken.
struct Problem {
    status: StatusCode,
    code: i32,
    what: String,
}

impl Problem {
    fn new(status: StatusCode, code: i32, what: impl Into<String>) -> Problem {
        let what = what.into();
        Problem { status, code, what }
    }

    fn wrong(what: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, INVALID, what)
    }

    fn later(what: &str) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE, what)
    }

    fn too_long(most: usize) -> Problem {
        let what = format!("the request is longer than {most} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, EXHAUSTED, what)
    }

    fn answer(self, coding: Coding) -> Response {
        let failure = Failure {
            code: self.code,
            message: self.what,
        };
        let mut response = answer(coding, self.status, &failure);
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
        }
        response
    }
}

async fn take(
    receiver: &Arc<Receiver>,
    coding: Coding,
    headers: &HeaderMap,
    body: Body,
) -> Result<Refused, Problem> {
    let turn = tokio::time::timeout(TURN, receiver.room.acquire()).await;
    let Ok(Ok(_turn)) = turn else {
        return Err(Problem::later("too many requests are worked on"));
    };
    let most = receiver.rules.request;
    let arrived = tokio::time::timeout(ARRIVAL, to_bytes(body, most)).await;
    let arrived = arrived.map_err(|_| Problem::wrong("the request took too long to arrive"))?;
    let bytes = arrived.map_err(|error| match is_too_long(&error) {
        true => Problem::too_long(most),
        false => Problem::wrong(error.to_string()),
    })?;
    let bytes = match text_of(headers, header::CONTENT_ENCODING.as_str()) {
        None | Some("identity") => bytes.to_vec(),
        Some("gzip") => unzip(&bytes, most)?,
        Some(_) => {
            let what = "requests are compressed with gzip or not at all";
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                INVALID,
                what,
            ));
        }
    };
    let taken = receiver.take(coding, bytes, run_of(headers)).await;
    taken.map_err(|not_taken| match not_taken {
        NotTaken::Wrong(what) => Problem::wrong(what),
        NotTaken::Later(what) => Problem::later(what),
    })
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        cause = error.source();
    }
    false
}

fn unzip(bytes: &[u8], most: usize) -> Result<Vec<u8>, Problem> {
    let mut plain = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(most as u64 + 1)
        .read_to_end(&mut plain);
    read.map_err(|error| Problem::wrong(format!("the request cannot be decompressed: {error}")))?;
    match plain.len() > most {
        true => Err(Problem::too_long(most)),
        false => Ok(plain),
    }
}

fn coding_of(headers: &HeaderMap) -> Option<Coding> {
    let kind = text_of(headers, header::CONTENT_TYPE.as_str())?;
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind.to_ascii_lowercase().as_str() {
        "application/json" => Some(Coding::Json),
        "application/x-protobuf" => Some(Coding::Protobuf),
        _ => None,
    }
}

fn text_of<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// A message that can be said in both ways.
trait Answer: Message {
    fn json(&self) -> serde_json::Value;
}

impl Answer for ExportResponse {
    fn json(&self) -> serde_json::Value {
        match &self.partial_success {
            None => json!({}),
            Some(partial) => json!({"partialSuccess": {
                "rejectedSpans": partial.rejected_spans.to_string(),
                "errorMessage": partial.error_message,
            }}),
        }
    }
}

impl Answer for Failure {
    fn json(&self) -> serde_json::Value {
        json!({"code": self.code, "message": self.message})
    }
}

fn answer(coding: Coding, status: StatusCode, answer: &impl Answer) -> Response {
    let (kind, bytes) = match coding {
        Coding::Json => ("application/json", answer.json().to_string().into_bytes()),
        Coding::Protobuf => ("application/x-protobuf", answer.encode_to_vec()),
    };
    (status, [(header::CONTENT_TYPE, kind)], bytes).into_response()
}
