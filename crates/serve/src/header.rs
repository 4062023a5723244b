//! What a run declares: put together of what its links say, until an event rests on it.
//!
//! ```text
//!  said by links, each may be retracted -- first event taken --> given to the monitor, in the journal
//! ```
//!
//! A link that is refused before an event of the run was taken leaves nothing behind, so whoever sends the run
//! rightly is not held against a header that came to nothing.

use causet_base::Diagnostic;
use causet_check::stream::{Means, Monitor};
use causet_formats::ReadError;
use causet_formats::native::Declared;
use serde_json::{Map, Value};

use crate::refusal::refused;

/// What a run declares.
#[derive(Debug, Default)]
pub(crate) struct Header {
    /// What links have said, each with its line.
    said: Vec<(u64, String)>,
    together: Together,
    /// Whether it was given to the monitor; from then on nothing can be added.
    pub(crate) is_given: bool,
}

/// What all links say together.
#[derive(Clone, Debug, Default)]
struct Together {
    declared: Declared,
    fields: Map<String, Value>,
}

impl Header {
    /// Adds what a link says of a run.
    pub(crate) fn add(&mut self, link: u64, run: &str, line: &str) -> Result<(), Diagnostic> {
        if self.is_given {
            let given = &self.together.fields;
            let is_known = |(key, value): (&String, &Value)| match given.get(key) {
                None => key == "causet" && *value == 1,
                known => known == Some(value),
            };
            return match fields_of(line)?.iter().all(is_known) {
                true => Ok(()),
                false => Err(refused("the run has begun with another header")),
            };
        }
        let mut together = self.together.clone();
        together.add(run, line)?;
        // What cannot be declared is said at once, and to whom it concerns.
        together.apply(&mut Monitor::new(Vec::new(), Means::default()))?;
        self.together = together;
        self.said.push((link, line.to_owned()));
        Ok(())
    }

    /// Forgets what a link has said, unless events rest on it.
    pub(crate) fn retract(&mut self, link: u64, run: &str) {
        let before = self.said.len();
        self.said.retain(|(other, _)| *other != link);
        if self.is_given || self.said.len() == before {
            return;
        }
        self.together = Together::default();
        for (_, line) in &self.said {
            // It fitted with more.
            let _ = self.together.add(run, line);
        }
    }

    /// Whether anything was said.
    pub(crate) fn is_said(&self) -> bool {
        !self.said.is_empty()
    }

    /// Gives it to the monitor of the run.
    pub(crate) fn give(&mut self, monitor: &mut Monitor) -> Result<(), Diagnostic> {
        self.together.apply(monitor)?;
        self.is_given = true;
        Ok(())
    }

    /// Takes back that it was given; what was said stands.
    pub(crate) fn take_back(&mut self) {
        self.is_given = false;
    }

    /// The line that says it.
    pub(crate) fn line(&self) -> String {
        let mut fields = self.together.fields.clone();
        fields.entry("causet").or_insert(1.into());
        let mut line = serde_json::to_string(&fields).unwrap_or_default();
        line.push('\n');
        line
    }
}

impl Together {
    fn add(&mut self, run: &str, line: &str) -> Result<(), Diagnostic> {
        let fields = fields_of(line)?;
        let added = self.declared.add(run, line);
        added.map_err(|error| match error {
            ReadError::Fault(fault) => fault,
            error => refused(error.to_string()),
        })?;
        self.fields.extend(fields);
        Ok(())
    }

    fn apply(&self, monitor: &mut Monitor) -> Result<(), Diagnostic> {
        let applied = self.declared.apply(monitor);
        applied.map_err(|error| Diagnostic::new(error.kind.code(), error.kind.to_string()))
    }
}

fn fields_of(line: &str) -> Result<Map<String, Value>, Diagnostic> {
    serde_json::from_str(line).map_err(|error| refused(format!("the header: {error}")))
}
