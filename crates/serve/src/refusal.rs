//! Why something that a client sent or asked for is refused.

use causet_base::{Code, Diagnostic};

/// An event, a header or a request.
pub(crate) fn refused(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::RefusedEvent, message)
}

/// A span or a request with spans.
pub(crate) fn refused_spans(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::RefusedSpans, message)
}

/// A certificate, a key or the list of those that are believed.
pub(crate) fn bad_certificate(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::BadCertificate, message)
}
