//! A server that takes spans, and clients that speak HTTP and gRPC to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::http::Request;
use causet_check::stream::Means;
use causet_formula::{Kind, Lets, Property};
use causet_serve::desk::{self, Desk, Safety};
use causet_serve::news::{News, Told};
use causet_serve::otlp::{self, Patience};
use causet_serve::patience::Waits;
use causet_serve::run::Asked;
use prost::bytes::Bytes;
use tokio::runtime::Runtime;

/// So long something may take that should be there at once.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest request.
pub(crate) const LONGEST: usize = 1 << 20;

/// Never so much time passes in a test.
pub(crate) fn endless() -> Patience {
    let hour = Duration::from_secs(3600);
    Patience {
        whole: hour,
        partial: hour,
        ..Patience::default()
    }
}

/// Nothing is waited for.
pub(crate) fn none() -> Patience {
    Patience {
        whole: Duration::ZERO,
        partial: Duration::ZERO,
        ..Patience::default()
    }
}

pub(crate) fn properties(texts: &[&str]) -> Vec<(Property, Lets)> {
    let parse = |text: &&str| Property::parse(Kind::Ctl, text, text).expect("a property");
    let properties = texts.iter().map(parse);
    properties
        .map(|property| (property, Lets::none()))
        .collect()
}

/// A server that takes spans.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    receiver: Arc<otlp::Receiver>,
    runtime: Option<Runtime>,
    desk: Desk,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    news: Receiver<News>,
    said: Receiver<(String, String)>,
}

impl Server {
    pub(crate) fn start(data: &Path, asked: &[&str], patience: Patience) -> Server {
        let (sender, news) = channel();
        let sender: Mutex<Sender<News>> = Mutex::new(sender);
        let rules = desk::Rules {
            data: data.to_owned(),
            asked: Asked {
                properties: Arc::new(properties(asked)),
                means: Means::default(),
                ahead: 1 << 20,
            },
            safety: Safety::Written,
            runs: 100,
            processes: 1000,
            idle: None,
            memory: 1 << 30,
            search: desk::SEARCH,
            waits: Waits {
                most: 1000,
                patience: PATIENCE,
            },
            ends: false,
            tell: Arc::new(move |told| {
                let sender = sender.lock().expect("no panic");
                if let Told::News(news) = told {
                    // The test may have heard enough.
                    let _ = sender.send(news.clone());
                }
            }),
        };
        let (desk, thread) = Desk::open(rules).expect("a desk");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let (sender, said) = channel();
        let sender = Mutex::new(sender);
        let rules = otlp::Rules {
            data: data.to_owned(),
            safety: Safety::Written,
            patience,
            request: LONGEST,
            processes: 40,
            tell: Arc::new(move |run, what| {
                let sender = sender.lock().expect("no panic");
                let _ = sender.send((run.to_owned(), what.to_owned()));
            }),
        };
        let (address, receiver) = runtime.block_on(async {
            let receiver = otlp::Receiver::open(desk.clone(), rules).expect("a spool");
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
            let listener = listener.expect("an address");
            let address = listener.local_addr().expect("an address");
            let served = axum::serve(listener, otlp::router(Arc::clone(&receiver)));
            tokio::spawn(async move { served.await });
            (address, receiver)
        });
        Server {
            address,
            receiver,
            runtime: Some(runtime),
            desk,
            thread: Some(thread),
            news,
            said,
        }
    }

    /// Has everything told that waits.
    pub(crate) fn end(&self) {
        let runtime = self.runtime.as_ref().expect("it runs");
        runtime.block_on(self.receiver.end());
    }

    pub(crate) fn news(&self) -> News {
        self.news.recv_timeout(PATIENCE).expect("it has news")
    }

    /// What it says of runs.
    pub(crate) fn said(&self) -> (String, String) {
        self.said.recv_timeout(PATIENCE).expect("it says something")
    }

    pub(crate) fn says_nothing(&self) -> bool {
        self.said.try_recv().is_err()
    }

    /// Sends over HTTP: the status, the headers and the body that come back.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> (u16, String, Vec<u8>) {
        let mut request = format!(
            "POST /v1/traces HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += "\r\n";
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream.write_all(request.as_bytes()).expect("it is sent");
        // The server may answer before it has heard everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.expect("headers");
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        (status.expect("a status"), head, answer[end + 4..].to_vec())
    }

    /// Calls over gRPC: the status, what is said of it, and the message that comes back.
    pub(crate) fn call(
        &self,
        metadata: &[(&str, &str)],
        message: &[u8],
    ) -> (String, String, Vec<u8>) {
        let runtime = self.runtime.as_ref().expect("it runs");
        let called = async {
            let called = call(self.address, metadata, message);
            tokio::time::timeout(PATIENCE, called).await
        };
        runtime.block_on(called).expect("in time")
    }
}

impl Drop for Server {
    /// Ends it in the middle of whatever it does.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.block_on(self.desk.ask(desk::Request::Stop));
            runtime.shutdown_background();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn call(
    address: SocketAddr,
    metadata: &[(&str, &str)],
    message: &[u8],
) -> (String, String, Vec<u8>) {
    let stream = tokio::net::TcpStream::connect(address).await;
    let connected = h2::client::handshake(stream.expect("it listens")).await;
    let (mut client, connection) = connected.expect("HTTP/2");
    tokio::spawn(connection);
    let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    let mut request = Request::post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    for (name, value) in metadata {
        request = request.header(*name, *value);
    }
    let request = request.body(()).expect("a request");
    let (response, mut body) = client.send_request(request, false).expect("it is sent");
    let is_compressed = metadata.iter().any(|(name, _)| *name == "grpc-encoding");
    let mut frame = vec![u8::from(is_compressed)];
    frame.extend((message.len() as u32).to_be_bytes());
    frame.extend(message);
    body.send_data(Bytes::from(frame), true)
        .expect("it is sent");
    let response = response.await.expect("an answer");
    let head = response.headers().clone();
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        let data = data.expect("an answer");
        let _ = body.flow_control().release_capacity(data.len());
        bytes.extend(data);
    }
    let trailers = body.trailers().await.expect("an answer");
    let trailers = trailers.unwrap_or(head);
    let text = |name: &str| {
        let value = trailers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().replace("%20", " ")
    };
    let message = bytes.get(5..).unwrap_or_default().to_vec();
    (text("grpc-status"), text("grpc-message"), message)
}
