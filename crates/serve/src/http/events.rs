//! `POST /runs/{name}/events`: the body is what a link would say after its hello, read as it comes.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::time::{Sleep, sleep, timeout};

use super::{Site, json};
use crate::link::{self, Taken};
use crate::protocol::{Hello, IS_OVER};

/// A body may be silent for so long.
const SILENCE: Duration = Duration::from_secs(60);
/// So much of a body that is refused is still read, and for so long, so that its sender gets to read the answer.
const REST: u64 = 16 << 20;
const RESTING: Duration = Duration::from_secs(2);

/// Takes the lines of a body; answers when they are safe.
pub(super) async fn post(
    State(site): State<Arc<Site>>,
    Path(run): Path<String>,
    body: Body,
) -> Response {
    let hello = Hello {
        run,
        // The guard has seen it.
        token: site.bounds.token.as_deref().map(str::to_owned),
    };
    let mut reader = Reader::new(body);
    let taken = link::take(&mut reader, hello, &site.desk, &site.bounds).await;
    if taken.error.is_some() {
        let mut nowhere = tokio::io::sink();
        let mut rest = reader.take(REST);
        // What cannot be read any more need not be.
        let _ = timeout(RESTING, tokio::io::copy(&mut rest, &mut nowhere)).await;
        return answer(&site, taken);
    }
    if reader.has_failed {
        let error = "the body ended early or was silent for too long".to_owned();
        let error = Some(error);
        return answer(&site, Taken { error, ..taken });
    }
    answer(&site, taken)
}

fn answer(site: &Site, taken: Taken) -> Response {
    #[derive(Serialize)]
    struct Answer {
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        ack: BTreeMap<String, u32>,
    }
    let counts = site.desk.counts();
    let Taken {
        ack,
        error,
        is_heard,
    } = taken;
    let error = error.or(counts.trouble().map(str::to_owned));
    let status = match error.as_deref() {
        None => StatusCode::OK,
        Some(_) if counts.trouble().is_some() || !site.desk.is_open() => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Some(error) if is_heard && !error.starts_with(IS_OVER) => StatusCode::BAD_REQUEST,
        Some(_) => StatusCode::CONFLICT,
    };
    json(status, &Answer { error, ack })
}

/// The bytes of a body, for whoever reads bytes.
struct Reader {
    body: Body,
    left: Bytes,
    /// When a body that is silent will be given up.
    silent: Pin<Box<Sleep>>,
    has_failed: bool,
}

impl Reader {
    fn new(body: Body) -> Self {
        Reader {
            body,
            left: Bytes::new(),
            silent: Box::pin(sleep(SILENCE)),
            has_failed: false,
        }
    }

    /// The next bytes, empty at the end.
    fn poll_more(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        loop {
            let frame = match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => {
                    ready!(self.silent.as_mut().poll(cx));
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            };
            self.silent = Box::pin(sleep(SILENCE));
            match frame.transpose().map_err(io::Error::other)? {
                None => return Poll::Ready(Ok(Bytes::new())),
                Some(frame) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => return Poll::Ready(Ok(data)),
                    // Trailers say nothing here.
                    _ => {}
                },
            }
        }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left.is_empty() {
            let more = ready!(self.poll_more(cx));
            self.has_failed |= more.is_err();
            self.left = more?;
        }
        let length = self.left.len().min(buf.remaining());
        buf.put_slice(&self.left.split_to(length));
        Poll::Ready(Ok(()))
    }
}
