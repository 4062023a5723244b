//! What stands in for encryption where it is not built in: who asks for it is told so, and nothing of it exists.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::TcpStream;

use causet_base::Diagnostic;

use crate::refusal::bad_certificate;

const MISSING: &str =
    "this program was built without TLS; `cargo build --release --features full` builds it with it";

/// Whom a client believes.
#[derive(Clone, Debug)]
pub struct Trust(Infallible);

impl Trust {
    /// Refuses.
    pub fn of(_certificates: &[u8]) -> Result<Trust, Diagnostic> {
        Err(bad_certificate(MISSING))
    }

    /// Nobody has such a trust.
    pub fn connect(&self, _socket: TcpStream, _name: &str) -> io::Result<(Input, Output)> {
        match self.0 {}
    }
}

/// What comes from the other side.
pub struct Input(Infallible);

impl Read for Input {
    fn read(&mut self, _buf: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

/// What goes to the other side.
pub struct Output(Infallible);

impl Write for Output {
    fn write(&mut self, _buf: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

/// Encrypts what comes in at a door.
#[derive(Clone)]
pub struct TlsAcceptor(Infallible);

impl TlsAcceptor {
    /// Nobody has such a door.
    pub(crate) async fn accept<S>(&self, _stream: S) -> io::Result<S> {
        match self.0 {}
    }
}

/// Refuses.
pub fn acceptor(_certificates: &[u8], _key: &[u8]) -> Result<TlsAcceptor, Diagnostic> {
    Err(bad_certificate(MISSING))
}
