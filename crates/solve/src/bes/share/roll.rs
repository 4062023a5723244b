//! Which states are in a set that the equations define, gathered by all workers once the value of the main variable is
//! known.
//!
//! No reasons are followed, and nobody is asked: every worker reads the set off its records and sends the names of the
//! states to the first.

use super::Share;
use super::outbox::Kind;
use super::shared::Shared;
use causet_base::budget::Spent;

impl<E: Shared> Share<'_, E> {
    /// Sends the names of the states at which a node is known to have a value.
    pub fn call_roll(&mut self, node: usize, value: bool) -> Result<(), Spent> {
        let mut name = Vec::new();
        for variable in 0..self.records.len() {
            let is_in = self.value(variable) == Some(value);
            if !is_in || !self.equations.is_of(variable, node) {
                continue;
            }
            self.budget.tick()?;
            name.clear();
            let state = self.equations.state(variable);
            self.equations.name_state(state, &mut name);
            match self.me {
                0 => self.keep_piece(&name)?,
                _ => self.outbox.put(0, Kind::Piece, self.clock, |words| {
                    words.extend_from_slice(&name);
                }),
            }
        }
        Ok(())
    }
}
