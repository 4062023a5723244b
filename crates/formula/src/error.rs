//! What is wrong with a formula: one sentence, the place, what was expected there, and a way out.

use std::fmt;

use causet_base::span::Span;

/// One thing wrong (or, as a warning, suspicious) in the text of a property.
///
/// A renderer prints `message` as the headline, underlines `span`, writes `label` under the line
/// and `help` below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// One sentence without a full stop.
    pub message: String,
    /// The offending text.
    pub span: Span,
    /// What was expected there; stands under the underlined text.
    pub label: Option<String>,
    /// A suggestion: the nearest name, the right operator.
    pub help: Option<String>,
    /// Of a warning: whether it is only worth knowing.
    pub is_note: bool,
}

impl FormulaError {
    /// An error without label and help.
    pub fn new(span: Span, message: impl Into<String>) -> FormulaError {
        FormulaError {
            message: message.into(),
            span,
            label: None,
            help: None,
            is_note: false,
        }
    }

    /// The same error with words under the underlined text.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> FormulaError {
        self.label = Some(label.into());
        self
    }

    /// The same as a note.
    #[must_use]
    pub fn as_note(mut self) -> FormulaError {
        self.is_note = true;
        self
    }

    /// The same error with a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> FormulaError {
        self.help = Some(help.into());
        self
    }

    /// The same error with `did you mean ...?` as its suggestion, when there is a near name.
    #[must_use]
    pub(crate) fn with_nearest(self, nearest: Option<impl fmt::Display>) -> FormulaError {
        match nearest {
            Some(name) => self.with_help(format!("did you mean {}?", shown(&name.to_string()))),
            None => self,
        }
    }
}

/// A piece of a formula within a sentence: in backquotes unless it has some of its own.
pub(crate) fn shown(text: &str) -> String {
    match text.contains('`') {
        true => text.to_owned(),
        false => format!("`{text}`"),
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(label) = &self.label {
            write!(f, ": {label}")?;
        }
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for FormulaError {}
