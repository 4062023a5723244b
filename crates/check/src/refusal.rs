//! Why something that can be decided cannot be decided in the way that was asked for.

use causet_base::{Code, Diagnostic};

/// By the engine.
pub(crate) fn refused(reason: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::EngineRefuses, reason)
}

/// By slices.
pub(crate) fn no_slice(reason: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::NoSlice, reason)
}

/// By another checker, for which it is translated.
pub(crate) fn not_translated(reason: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::NotTranslatable, reason)
}

/// While the events pass.
pub(crate) fn not_in_passing(reason: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::StreamRefuses, reason)
}
