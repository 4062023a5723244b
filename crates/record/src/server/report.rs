//! What did not get to the server, told so that one can act on it.

use std::error::Error;
use std::fmt;

/// Why not everything is acknowledged, and what is missing. It is inside the error of a
/// [`flush`](crate::Recording::flush), from where `get_ref` and `downcast_ref` get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSent {
    /// Why.
    pub reason: String,
    /// The processes of which something is missing.
    pub missing: Vec<Missing>,
}

/// What the server has not acknowledged of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The process.
    pub process: String,
    /// The first event that is not acknowledged, from 1.
    pub from: u32,
    /// How many events from there on are kept, and are still sent if the server can be reached.
    pub kept: u32,
    /// How many events after those were dropped; they will not be sent.
    pub dropped: u32,
    /// Whether the process has ended and the server has not acknowledged it.
    pub end: bool,
}

/// So many processes are named in the text.
const NAMED: usize = 10;

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.reason)?;
        for missing in self.missing.iter().take(NAMED) {
            write!(f, "; {missing}")?;
        }
        match self.missing.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, "; and {more} processes more"),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing {
            process,
            from,
            kept,
            dropped,
            end,
        } = self;
        write!(f, "of process `{process}`")?;
        if *kept > 0 {
            write!(f, " {kept} events from {from} on are not acknowledged")?;
        }
        if *dropped > 0 {
            let and = if *kept > 0 { " and" } else { "" };
            let first = from.saturating_add(*kept);
            write!(f, "{and} {dropped} events from {first} on were dropped")?;
        }
        if *end && *kept == 0 && *dropped == 0 {
            write!(f, " the end is not acknowledged")?;
        }
        Ok(())
    }
}

impl Error for NotSent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_from_where_on_and_how_many() {
        let missing = |kept, dropped, end| Missing {
            process: "a".to_owned(),
            from: 18,
            kept,
            dropped,
            end,
        };
        let told = NotSent {
            reason: "why".to_owned(),
            missing: vec![
                missing(5, 100, true),
                missing(0, 7, false),
                missing(0, 0, true),
            ],
        };
        assert_eq!(
            told.to_string(),
            "why; of process `a` 5 events from 18 on are not acknowledged and 100 events from 23 on were dropped; \
             of process `a` 7 events from 18 on were dropped; of process `a` the end is not acknowledged"
        );
    }
}
