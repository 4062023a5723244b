//! Where clients come in: one address for lines and for HTTP, plain or encrypted.
//!
//! ```text
//!            +-- TLS, if the door has it --+                      +-- {"run":...  --> link: lines
//! client --> |                             | --> the first bytes -+
//!            +-----------------------------+                      +-- GET, POST, the preface of HTTP/2 --> router
//! ```
//!
//! A request of HTTP begins with the name of its method and a space, and no line of JSON does; so a few bytes tell what a
//! client speaks, and they are given back before anyone reads. Every connection takes its place among those that are
//! allowed before it is accepted, whatever it turns out to be, and has a limited time for each thing the server waits for.

mod stream;
#[cfg(feature = "full")]
pub mod tls;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

#[cfg(not(feature = "full"))]
pub use crate::plain as tls;

use crate::desk::Desk;
use crate::link::{self, Bounds};
use crate::protocol::Reply;
use stream::Stream;
use tls::TlsAcceptor;

/// So long nobody is let in after that went wrong.
const TROUBLE: Duration = Duration::from_millis(10);
/// So many requests of one HTTP/2 connection are answered at a time.
const TOGETHER: u32 = 32;
/// The headers of a request have at most so many bytes.
const HEADERS: u32 = 16 << 10;
/// A connection over which nothing has come for so long is asked for a sign of life.
const QUIET: Duration = Duration::from_secs(20);
/// So long a client may leave what it is sent.
const STALLED: Duration = Duration::from_secs(60);

/// What happens to those who come in.
#[derive(Clone)]
pub struct Way {
    /// Where events go.
    pub desk: Desk,
    /// What a connection may do.
    pub bounds: Arc<Bounds>,
    /// Who answers requests.
    pub router: Router,
    /// Places for connections, of all doors together.
    pub room: Arc<Semaphore>,
    /// How connections are encrypted, if they are.
    pub tls: Option<TlsAcceptor>,
}

/// Where clients come in.
pub trait Door: Send + Sync + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next client.
    fn enter(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Door for TcpListener {
    type Stream = TcpStream;

    async fn enter(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.accept().await?;
        // Acknowledgements are short and someone waits for them.
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl Door for UnixListener {
    type Stream = UnixStream;

    async fn enter(&self) -> io::Result<UnixStream> {
        let (stream, _) = self.accept().await?;
        Ok(stream)
    }
}

/// Lets clients in, as many as there is room for.
pub async fn accept(door: impl Door, way: Way) {
    while let Ok(permit) = Arc::clone(&way.room).acquire_owned().await {
        let Ok(stream) = door.enter().await else {
            tokio::time::sleep(TROUBLE).await;
            continue;
        };
        let way = way.clone();
        tokio::spawn(async move {
            way.admit(stream).await;
            drop(permit);
        });
    }
}

impl Way {
    /// Serves one client to its end.
    async fn admit<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: S) {
        match &self.tls {
            None => self.serve(stream).await,
            Some(tls) => {
                // Whoever does not get through the handshake cannot be told anything.
                if let Ok(Ok(stream)) = timeout(self.bounds.hello, tls.accept(stream)).await {
                    self.serve(stream).await;
                }
            }
        }
    }

    async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, mut stream: S) {
        let Ok(first) = timeout(self.bounds.hello, first_bytes(&mut stream)).await else {
            let error = "nobody said which run this is about".to_owned();
            // Someone who says nothing may not listen either.
            let _ = stream
                .write_all(Reply::Error { error }.line().as_bytes())
                .await;
            return;
        };
        let counts = Arc::clone(self.desk.counts());
        let (speaks, bytes) = first;
        let stream = Stream::new(stream, bytes, Arc::clone(&counts), STALLED);
        match speaks {
            Speaks::Lines => {
                counts.links.add(1);
                let (input, output) = tokio::io::split(stream);
                link::serve(input, output, &self.desk, &self.bounds).await;
            }
            Speaks::Http => {
                counts.sites.add(1);
                self.answer(stream).await;
            }
        }
        counts.ended.add(1);
    }

    /// Answers requests, of HTTP/1.1 or HTTP/2.
    async fn answer<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: Stream<S>) {
        let mut server = auto::Builder::new(TokioExecutor::new());
        server
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.bounds.hello)
            .max_buf_size(HEADERS as usize);
        server
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(QUIET)
            .keep_alive_timeout(self.bounds.hello)
            .max_concurrent_streams(TOGETHER)
            .max_header_list_size(HEADERS);
        let service = TowerToHyperService::new(self.router.clone());
        // What goes wrong on a connection is the client's to know.
        let _ = server.serve_connection(TokioIo::new(stream), service).await;
    }
}

/// What a client speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Speaks {
    Lines,
    Http,
}

/// How requests begin; the last one is the preface of HTTP/2, all of it, so that nobody else waits for its rest.
const METHODS: [&[u8]; 9] = [
    b"GET ",
    b"POST ",
    b"HEAD ",
    b"PUT ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"TRACE ",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

/// What somebody speaks who begins like this; `None` when it is too early to tell.
fn speaks(bytes: &[u8]) -> Option<Speaks> {
    if METHODS.iter().any(|method| bytes.starts_with(method)) {
        return Some(Speaks::Http);
    }
    let may_be_method = METHODS.iter().any(|method| method.starts_with(bytes));
    (!may_be_method).then_some(Speaks::Lines)
}

/// Reads until it is clear what a client speaks.
async fn first_bytes<S: AsyncRead + Unpin>(stream: &mut S) -> (Speaks, Vec<u8>) {
    let mut bytes = Vec::with_capacity(1 << 10);
    loop {
        // Whoever has gone or fails now does so again for whoever reads next.
        let read = stream.read_buf(&mut bytes).await.unwrap_or(0);
        match speaks(&bytes) {
            Some(speaks) => return (speaks, bytes),
            None if read == 0 => return (Speaks::Lines, bytes),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use causet_check::stream::Means;

    use crate::desk::{Request, Rules};
    use crate::run::Asked;

    use super::*;

    /// What a client that says this, and no more, is told until it is cut off.
    fn told(said: &'static [u8]) -> String {
        let data = tempfile::tempdir().expect("a folder");
        let asked = Asked {
            properties: Arc::default(),
            means: Means::default(),
            ahead: 0,
        };
        let rules = Rules::new(data.path().to_owned(), asked, Arc::new(|_| {}));
        let (desk, thread) = Desk::open(rules).expect("a desk");
        let way = Way {
            desk: desk.clone(),
            bounds: Arc::new(Bounds {
                line: 100,
                token: None,
                hello: Duration::from_millis(20),
            }),
            router: Router::new(),
            room: Arc::new(Semaphore::new(1)),
            tls: None,
        };
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        let told = runtime.block_on(async {
            let (mut client, server) = tokio::io::duplex(1000);
            let served = tokio::spawn(async move { way.admit(server).await });
            client.write_all(said).await.expect("it is sent");
            let mut told = String::new();
            client
                .read_to_string(&mut told)
                .await
                .expect("it is cut off");
            served.await.expect("no panic");
            desk.ask(Request::Stop).await;
            told
        });
        thread.join().expect("no panic").expect("it works");
        told
    }

    #[test]
    fn nobody_is_waited_for_without_end() {
        for silent in [&b""[..], b"PO", b"PRI * HTTP/2.0\r\n", b"{\"run\":\"half"] {
            assert!(told(silent).contains("nobody said which run"), "{silent:?}");
        }
        let half = told(b"GET / HTTP/1.1\r\nHost: x\r\nHalf-a-hea");
        assert!(
            half.is_empty() || half.starts_with("HTTP/1.1 408"),
            "{half}"
        );
    }

    #[test]
    fn the_first_bytes_tell() {
        for (bytes, expected) in [
            (&b""[..], None),
            (b"P", None),
            (b"POST", None),
            (b"POST ", Some(Speaks::Http)),
            (b"GET /runs HTTP/1.1", Some(Speaks::Http)),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Some(Speaks::Http)),
            (b"{", Some(Speaks::Lines)),
            (b"\n{\"run\":", Some(Speaks::Lines)),
            (b"GARBAGE ", Some(Speaks::Lines)),
            (b"get /", Some(Speaks::Lines)),
            (b"\x16\x03\x01", Some(Speaks::Lines)),
        ] {
            assert_eq!(speaks(bytes), expected, "{bytes:?}");
        }
    }
}
