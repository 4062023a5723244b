//! Encryption of a door: a certificate and its key, from PEM.

use std::sync::Arc;

use causet_base::Diagnostic;
pub use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::refusal::bad_certificate;

/// A door that shows this certificate, which may be followed by those that vouch for it.
pub fn acceptor(certificates: &[u8], key: &[u8]) -> Result<TlsAcceptor, Diagnostic> {
    let certificates: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(certificates).collect();
    let certificates =
        certificates.map_err(|error| bad_certificate(format!("the certificate: {error}")))?;
    if certificates.is_empty() {
        return Err(bad_certificate("there is no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| bad_certificate(format!("the key: {error}")))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(certificates, key)
        });
    let mut config = config.map_err(|error| bad_certificate(error.to_string()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
