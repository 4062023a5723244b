//! An address is called with each of the news: `POST`, a line of JSON, and again after a pause when that went wrong.
//!
//! Each call is a connection of its own, which is what a few verdicts an hour need and what needs no state. An answer
//! that a second attempt would not change is not asked for again.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::Uri;
use causet_base::{Code, Diagnostic};

use super::{Inbox, Reaction, Say};
use crate::tls::Trust;

/// So long each of connecting, sending and answering may take.
const STEP: Duration = Duration::from_secs(3);
/// The pauses between attempts; after the last one it is given up.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1500),
    Duration::from_secs(5),
    Duration::from_secs(15),
];
/// The first line of an answer is not longer.
const LONGEST: usize = 1 << 10;

/// An address to call.
#[derive(Clone, Debug)]
pub struct Address {
    host: String,
    port: u16,
    path: String,
    /// Whom to believe, when the call is encrypted.
    trust: Option<Trust>,
}

fn wrong_address(message: &str) -> Diagnostic {
    Diagnostic::new(Code::ReactionFailed, message)
}

impl Address {
    /// Reads an address; `trust` is asked for when it is one of https.
    pub fn of(
        text: &str,
        trust: impl FnOnce() -> Result<Trust, Diagnostic>,
    ) -> Result<Address, Diagnostic> {
        let uri: Uri = text
            .parse()
            .map_err(|_| wrong_address("this is no address"))?;
        let trust = match uri.scheme_str() {
            Some("http") => None,
            Some("https") => Some(trust()?),
            _ => return Err(wrong_address("it has to begin with http:// or https://")),
        };
        let authority = uri
            .authority()
            .ok_or_else(|| wrong_address("there is no host in it"))?;
        if authority.as_str().contains('@') {
            return Err(wrong_address("names and passwords are not sent"));
        }
        let port = if trust.is_some() { 443 } else { 80 };
        Ok(Address {
            host: authority.host().to_owned(),
            port: authority.port_u16().unwrap_or(port),
            path: uri
                .path_and_query()
                .map_or("/", |path| path.as_str())
                .to_owned(),
            trust,
        })
    }
}

/// Starts to call an address with each of the news.
pub fn start(address: Address, say: Say) -> io::Result<Reaction> {
    let told = Arc::clone(&say);
    Reaction::start("webhook", say, move |inbox| work(&address, &inbox, &told))
}

fn work(address: &Address, inbox: &Inbox, say: &Say) {
    while let Some(line) = inbox.next() {
        let mut pauses = PAUSES.iter();
        loop {
            let wrong = match call(address, &line) {
                Ok(200..=299) => break,
                Ok(status @ (408 | 429 | 500..)) => format!("it answered {status}"),
                Ok(status) => {
                    say(&format!(
                        "the webhook refused news, which are dropped: it answered {status}"
                    ));
                    break;
                }
                Err(error) => error.to_string(),
            };
            let Some(pause) = pauses.next() else {
                say(&format!(
                    "the webhook cannot be reached, news are dropped: {wrong}"
                ));
                break;
            };
            if inbox.pause(*pause) {
                let left = inbox.left() + 1;
                say(&format!(
                    "the webhook was not called with {left} news: {wrong}"
                ));
                return;
            }
        }
    }
}

/// Calls once; the status of the answer.
fn call(address: &Address, line: &str) -> io::Result<u16> {
    let Address {
        host, port, path, ..
    } = address;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let mut wrong = io::Error::other("its name means no address");
    for place in (bare, *port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, STEP) {
            Ok(stream) => {
                stream.set_read_timeout(Some(STEP))?;
                stream.set_write_timeout(Some(STEP))?;
                let request = format!(
                    "POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n\
                     Content-Length: {}\r\nConnection: close\r\n\r\n{line}\n",
                    line.len() + 1
                );
                return match &address.trust {
                    None => exchange(&stream, &stream, &request),
                    Some(trust) => {
                        let (input, output) = trust.connect(stream, bare)?;
                        exchange(input, output, &request)
                    }
                };
            }
            Err(error) => wrong = error,
        }
    }
    Err(wrong)
}

/// Sends a request and reads the first line of its answer.
fn exchange(mut input: impl Read, mut output: impl Write, request: &str) -> io::Result<u16> {
    output.write_all(request.as_bytes())?;
    output.flush()?;
    let start = Instant::now();
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") && line.len() < LONGEST && start.elapsed() < STEP {
        match input.read(&mut byte)? {
            0 => break,
            _ => line.push(byte[0]),
        }
    }
    let line = String::from_utf8_lossy(&line);
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|word| word.trim().parse().ok());
    status.ok_or_else(|| io::Error::other("its answer is not HTTP"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let none = || Err(wrong_address("no trust"));
        let read = |text| Address::of(text, none).map(|a| (a.host, a.port, a.path));
        let place = |host: &str, port, path: &str| Ok((host.to_owned(), port, path.to_owned()));
        assert_eq!(
            read("http://a.example/x?y=1"),
            place("a.example", 80, "/x?y=1")
        );
        assert_eq!(read("http://[::1]:9"), place("[::1]", 9, "/"));
        assert_eq!(read("https://a.example/"), Err(wrong_address("no trust")));
        for wrong in [
            "",
            "a.example",
            "ftp://a.example/",
            "http://me:pw@a.example/",
            "/x",
            "http://",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
