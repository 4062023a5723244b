//! Whom to believe when something is encrypted: a file that was named, or what the system believes.

use std::path::{Path, PathBuf};

use causet_base::{Code, Diagnostic};
use causet_serve::tls::Trust;

/// Where systems keep the certificates they believe.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/// The certificates to trust: those of a file, or the roots of the system.
pub(crate) fn of(file: Option<&Path>) -> Result<Trust, Diagnostic> {
    let none = "this system has no list of certificates: name one with --ca";
    let path = match file {
        Some(path) => path.to_owned(),
        None => bundle().ok_or_else(|| Diagnostic::new(Code::BadCertificate, none))?,
    };
    let named = |error: String| {
        let message = format!("{}: {error}", path.display());
        Diagnostic::new(Code::BadCertificate, message)
    };
    let text = std::fs::read(&path).map_err(|error| named(error.to_string()))?;
    Trust::of(&text).map_err(|error| named(error.to_string()))
}

fn bundle() -> Option<PathBuf> {
    let said = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let usual = BUNDLES.iter().map(PathBuf::from);
    said.or_else(|| usual.into_iter().find(|path| path.is_file()))
}
