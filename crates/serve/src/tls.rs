//! Encrypted connections from the side of a client: whom to believe, and a stream of which one thread reads while another
//! writes.
//!
//! The state of the encryption is shared. A reader waits for bytes without holding it, so that a writer can go on, and
//! takes it only to decrypt what has come.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use causet_base::Diagnostic;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::{WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};

use crate::refusal::bad_certificate;

/// Whom a client believes.
#[derive(Clone, Debug)]
pub struct Trust(Arc<ClientConfig>);

impl Trust {
    /// Believes those whose certificates stand in a text of PEM, and whom they vouch for.
    pub fn of(certificates: &[u8]) -> Result<Trust, Diagnostic> {
        let mut roots = RootCertStore::empty();
        let mut named = Vec::new();
        for certificate in CertificateDer::pem_slice_iter(certificates) {
            let certificate = certificate.map_err(|error| bad_certificate(error.to_string()))?;
            // Bundles hold a few that nobody can read.
            if roots.add(certificate.clone()).is_ok() {
                named.push(certificate);
            }
        }
        if roots.is_empty() {
            return Err(bad_certificate("there is no certificate in it"));
        }
        let provider = Arc::new(default_provider());
        let usual = Arc::new(roots);
        let usual = WebPkiServerVerifier::builder_with_provider(usual, Arc::clone(&provider));
        let usual = usual
            .build()
            .map_err(|error| bad_certificate(error.to_string()))?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| bad_certificate(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier { usual, named }))
            .with_no_client_auth();
        Ok(Trust(Arc::new(config)))
    }

    /// Encrypts a connection to somebody who can show to have this name or address.
    pub fn connect(&self, mut socket: TcpStream, name: &str) -> io::Result<(Input, Output)> {
        let server = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let mut state =
            ClientConnection::new(Arc::clone(&self.0), server).map_err(io::Error::other)?;
        while state.is_handshaking() {
            let done = state.complete_io(&mut socket);
            done.map_err(|error| explained(error, name))?;
        }
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            socket,
        });
        Ok((Input(Arc::clone(&shared)), Output(shared)))
    }
}

/// Believes a certificate as usual, or because it is itself one of those that were named.
///
/// A certificate that signs itself is often made as one that may sign others, or without the name of a server. Usually
/// neither is let pass. But who names that very certificate knows the server by it, and the server shows that it has the
/// key; then only its dates count, and its names if it has any.
#[derive(Debug)]
struct Verifier {
    usual: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        server: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let usual = &self.usual;
        let verified = usual.verify_server_cert(certificate, between, server, ocsp, now);
        let Err(refused) = verified else {
            return verified;
        };
        if !self.named.contains(&certificate.clone().into_owned()) {
            return Err(match refused {
                // One that may sign others, and that nobody has named.
                Error::InvalidCertificate(CertificateError::Other(_)) => {
                    Error::InvalidCertificate(CertificateError::UnknownIssuer)
                }
                refused => refused,
            });
        }
        let parsed = ParsedCertificate::try_from(certificate)?;
        let for_name = match verify_server_name(&parsed, server) {
            Err(error) if has_no_names(&error) => Ok(()),
            for_name => for_name,
        };
        match refused {
            // That it may sign others is found after its dates were looked at.
            Error::InvalidCertificate(CertificateError::Other(_)) => for_name,
            refused if has_no_names(&refused) => Ok(()),
            refused => Err(refused),
        }
        .map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Whether a certificate is refused because it is for no server at all.
fn has_no_names(error: &Error) -> bool {
    use CertificateError::NotValidForNameContext;
    match error {
        Error::InvalidCertificate(NotValidForNameContext { presented, .. }) => presented.is_empty(),
        _ => false,
    }
}

/// Says what is wrong with the certificate of a server, if that is why there is no connection, and how a good one is made.
fn explained(error: io::Error, name: &str) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let Some(Error::InvalidCertificate(wrong)) = inner else {
        return error;
    };
    let wrong = match wrong {
        CertificateError::UnknownIssuer => {
            "the certificate of the server is not among those that were named, nor signed by one of them"
                .to_owned()
        }
        wrong => format!("the certificate of the server: {wrong}"),
    };
    let kind = if name.parse::<IpAddr>().is_ok() {
        "IP"
    } else {
        "DNS"
    };
    let good = format!(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj /CN={name} \
         -addext subjectAltName={kind}:{name} -keyout key.pem -out cert.pem"
    );
    let message = format!("{wrong}; `{good}` makes one for it");
    io::Error::new(io::ErrorKind::InvalidData, message)
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
