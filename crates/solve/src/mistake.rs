//! Why a text was not understood, and where.

/// A mistake in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, from one.
    pub line: usize,
    /// The column, from one, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mistake {
            line,
            column,
            message,
        } = self;
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl std::error::Error for Mistake {}
