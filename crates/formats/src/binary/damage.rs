//! What is wrong with a file, and how much before that is not.

use std::fmt;

/// Why some bytes are not a run in this form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The section that is at fault.
    pub section: String,
    /// What is wrong with it.
    pub reason: String,
    /// How many events before it are whole, and how many there were; unknown when the head is at fault.
    pub whole: Option<(usize, usize)>,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section `{}`: {}", self.section, self.reason)?;
        match self.whole {
            None => f.write_str("; nothing can be saved"),
            Some((0, all)) => write!(f, "; none of the {all} events is whole"),
            Some((some, all)) => write!(f, "; the first {some} of {all} events are whole"),
        }?;
        f.write_str("; convert the log again, or copy the file again")
    }
}

impl std::error::Error for Damage {}
