//! A connection as a server sees it: what was read to find out what it speaks is there again, bytes are counted, and a
//! client that takes nothing for too long is gone.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::counts::Counts;

/// A connection whose first bytes are known.
pub(super) struct Stream<S> {
    inner: S,
    first: Vec<u8>,
    /// How many of the first bytes have been read again.
    at: usize,
    counts: Arc<Counts>,
    /// So long a client may leave what it is sent.
    patience: Duration,
    /// When a client that does not read will be given up.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Stream<S> {
    pub(super) fn new(inner: S, first: Vec<u8>, counts: Arc<Counts>, patience: Duration) -> Self {
        Stream {
            inner,
            first,
            at: 0,
            counts,
            patience,
            stalled: None,
        }
    }

    /// Lets an attempt to write pass, unless there have been only attempts for too long.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.stalled = None;
            return tried;
        }
        let wait = self
            .stalled
            .get_or_insert_with(|| Box::pin(sleep(self.patience)));
        ready!(wait.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buf.filled().len();
        let rest = &this.first[this.at..];
        if rest.is_empty() {
            ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        } else {
            let length = rest.len().min(buf.remaining());
            buf.put_slice(&rest[..length]);
            this.at += length;
        }
        this.counts.bytes.add((buf.filled().len() - before) as u64);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.watch(cx, tried)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.inner).poll_flush(cx);
        self.watch(cx, tried)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.watch(cx, tried)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn in_runtime(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(test);
    }

    #[test]
    fn the_first_bytes_come_again_and_all_are_counted() {
        in_runtime(async {
            let counts = Arc::new(Counts::default());
            let first = b"one ".to_vec();
            let mut stream = Stream::new(&b"two"[..], first, Arc::clone(&counts), Duration::MAX);
            let mut text = String::new();
            stream.read_to_string(&mut text).await.expect("text");
            assert_eq!(text, "one two");
            assert_eq!(counts.bytes.get(), 7);
        });
    }

    #[test]
    fn a_client_that_takes_nothing_is_given_up() {
        in_runtime(async {
            let (inner, _client) = tokio::io::duplex(8);
            let patience = Duration::from_millis(1);
            let mut stream = Stream::new(inner, Vec::new(), Arc::default(), patience);
            let written = stream.write_all(&[0; 100]).await;
            assert_eq!(
                written.map_err(|error| error.kind()),
                Err(io::ErrorKind::TimedOut)
            );
        });
    }
}
