//! A connection of either kind: TCP or a Unix socket.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(unix)]
use std::path::PathBuf;
use std::time::Duration;

/// Where a server listens.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    /// A host and a port. The name is looked up at every attempt, for a server may move.
    Tcp(String),
    #[cfg(unix)]
    Unix(PathBuf),
}

/// A connection to a server.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// So long an attempt to connect may take.
const CONNECT: Duration = Duration::from_secs(2);

impl Stream {
    /// Connects; the socket wakes up at least as often as said when it reads.
    pub(crate) fn connect(address: &Address, wake: Duration) -> io::Result<Stream> {
        match address {
            Address::Tcp(address) => {
                let stream = connect_tcp(address)?;
                // What is recorded is wanted at once.
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(wake))?;
                Ok(Stream::Tcp(stream))
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(wake))?;
                Ok(Stream::Unix(stream))
            }
        }
    }

    /// Another handle of the same connection.
    pub(crate) fn try_clone(&self) -> io::Result<Stream> {
        Ok(match self {
            Stream::Tcp(stream) => Stream::Tcp(stream.try_clone()?),
            #[cfg(unix)]
            Stream::Unix(stream) => Stream::Unix(stream.try_clone()?),
        })
    }

    /// Ends the connection for all handles; whoever reads or writes is woken up.
    pub(crate) fn shut_down(&self) {
        // It may have ended by itself.
        let _ = match self {
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(bytes),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Connects to the first address of a name that answers.
fn connect_tcp(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for one in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&one, CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
