//! What tests of cases and of walks share: small systems as lists of steps, and a writer that can be looked at.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use causet_lts::{Labels, Lts};
use causet_solve::steps::Edge;

/// A system with these steps, whose first state is 0.
pub(crate) fn system_of(steps: &[(u32, &str, u32)]) -> Lts {
    let mut labels = Labels::default();
    let states = steps.iter().map(|&(from, _, to)| from.max(to)).max();
    let steps: Vec<(u32, Edge)> = steps
        .iter()
        .map(|&(source, text, target)| {
            let label = labels.number(text);
            (source, Edge { label, target })
        })
        .collect();
    Lts::from_steps(states.unwrap_or(0) + 1, 0, &steps, labels)
}

/// A writer that somebody else can look at.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// What was written so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("a lock").clone()).expect("a text")
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a lock").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
