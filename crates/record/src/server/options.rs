//! Where a recording is sent, and how patient the program is with the server.

use std::fmt;
#[cfg(unix)]
use std::path::Path;
use std::time::Duration;

use super::stream::Address;
use crate::json::push_string;

/// Which server a recording is sent to, as which run, and how patient the program is.
///
/// ```
/// use std::time::Duration;
/// use causet_record::ServerOptions;
///
/// let options = ServerOptions::tcp("127.0.0.1:7464", "checkout-7")
///     .token("secret")
///     .block_at_most(Duration::from_millis(5))
///     .drop_when_full();
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct ServerOptions {
    pub(crate) address: Address,
    run: String,
    token: Option<String>,
    pub(crate) buffer: usize,
    pub(crate) block_at_most: Duration,
    pub(crate) drop_when_full: bool,
    pub(crate) flush_at_most: Duration,
    pub(crate) silence_at_most: Duration,
}

impl ServerOptions {
    /// A server at a host and a port, and the name of the run. Every program that takes part in a run gives the same name.
    pub fn tcp(address: impl Into<String>, run: impl Into<String>) -> Self {
        ServerOptions::new(Address::Tcp(address.into()), run.into())
    }

    /// A server at a Unix socket, and the name of the run.
    #[cfg(unix)]
    pub fn unix(path: impl AsRef<Path>, run: impl Into<String>) -> Self {
        ServerOptions::new(Address::Unix(path.as_ref().to_owned()), run.into())
    }

    fn new(address: Address, run: String) -> Self {
        ServerOptions {
            address,
            run,
            token: None,
            buffer: 16 << 20,
            block_at_most: Duration::from_millis(100),
            drop_when_full: false,
            flush_at_most: Duration::from_secs(5),
            silence_at_most: Duration::from_secs(30),
        }
    }

    /// What shows the server that the program may send.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// So many bytes of lines are kept until they are acknowledged; 16 MiB if nothing is said.
    pub fn buffer(mut self, bytes: usize) -> Self {
        self.buffer = bytes;
        self
    }

    /// So long an event may wait for room when the buffer is full; 100 ms if nothing is said. After that the recording
    /// ends where it is, and every flush says so; the program goes on.
    pub fn block_at_most(mut self, time: Duration) -> Self {
        self.block_at_most = time;
        self
    }

    /// When an event finds no room, only its own process stops being sent; the others go on. What was dropped is counted,
    /// and every flush tells it.
    pub fn drop_when_full(mut self) -> Self {
        self.drop_when_full = true;
        self
    }

    /// So long a flush waits for the server to acknowledge everything; 5 s if nothing is said.
    pub fn flush_at_most(mut self, time: Duration) -> Self {
        self.flush_at_most = time;
        self
    }

    /// A server that owes an answer and says nothing for so long is connected to anew; 30 s if nothing is said.
    pub fn silence_at_most(mut self, time: Duration) -> Self {
        self.silence_at_most = time;
        self
    }

    /// The first line of a connection.
    pub(crate) fn hello(&self) -> String {
        let mut line = String::from("{\"run\":");
        push_string(&mut line, &self.run);
        if let Some(token) = &self.token {
            line.push_str(",\"token\":");
            push_string(&mut line, token);
        }
        line.push_str("}\n");
        line
    }
}

impl fmt::Debug for ServerOptions {
    /// Says everything but the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("address", &self.address)
            .field("run", &self.run)
            .field("buffer", &self.buffer)
            .field("block_at_most", &self.block_at_most)
            .field("drop_when_full", &self.drop_when_full)
            .field("flush_at_most", &self.flush_at_most)
            .field("silence_at_most", &self.silence_at_most)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_but_not_shown() {
        let options = ServerOptions::tcp("localhost:1", "a \"run\"").token("secret");
        let hello = "{\"run\":\"a \\\"run\\\"\",\"token\":\"secret\"}\n";
        assert_eq!(options.hello(), hello);
        assert!(!format!("{options:?}").contains("secret"));
    }
}
