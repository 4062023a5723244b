//! Encrypted connections from the side of a client: whom to believe, and a stream of which one thread reads while another
//! writes.
//!
//! The state of the encryption is shared. A reader waits for bytes without holding it, so that a writer can go on, and
//! takes it only to decrypt what has come.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore};

/// Whom a client believes.
#[derive(Clone, Debug)]
pub struct Trust(Arc<ClientConfig>);

impl Trust {
    /// Believes those whose certificates stand in a text of PEM, and whom they vouch for.
    pub fn of(certificates: &[u8]) -> Result<Trust, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(certificates) {
            let certificate = certificate.map_err(|error| error.to_string())?;
            // Bundles hold a few that nobody can read.
            let _ = roots.add(certificate);
        }
        if roots.is_empty() {
            return Err("there is no certificate in it".to_owned());
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Trust(Arc::new(config)))
    }

    /// Encrypts a connection to somebody who can show to have this name or address.
    pub fn connect(&self, mut socket: TcpStream, name: &str) -> io::Result<(Input, Output)> {
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let mut state =
            ClientConnection::new(Arc::clone(&self.0), name).map_err(io::Error::other)?;
        while state.is_handshaking() {
            state.complete_io(&mut socket)?;
        }
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            socket,
        });
        Ok((Input(Arc::clone(&shared)), Output(shared)))
    }
}

struct Shared {
    state: Mutex<ClientConnection>,
    socket: TcpStream,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ClientConnection> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what is encrypted.
    fn send(&self, state: &mut ClientConnection) -> io::Result<()> {
        while state.wants_write() {
            state.write_tls(&mut &self.socket)?;
        }
        Ok(())
    }
}

/// What comes from the other side.
pub struct Input(Arc<Shared>);

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut bytes = [0; 16 << 10];
        loop {
            match self.0.state().reader().read(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            let length = (&self.0.socket).read(&mut bytes)?;
            let mut state = self.0.state();
            let mut rest = &bytes[..length];
            // The end of the bytes has to be told, too.
            loop {
                state.read_tls(&mut rest)?;
                state.process_new_packets().map_err(io::Error::other)?;
                if rest.is_empty() {
                    break;
                }
            }
            self.0.send(&mut state)?;
        }
    }
}

/// What goes to the other side.
pub struct Output(Arc<Shared>);

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state();
        let length = state.writer().write(buf)?;
        self.0.send(&mut state)?;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.0.state();
        self.0.send(&mut state)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.send_close_notify();
        // The other side may be gone.
        let _ = self.0.send(&mut state);
        let _ = self.0.socket.shutdown(Shutdown::Write);
    }
}
