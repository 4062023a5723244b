//! Who waits for a variable: backward dependencies as lists of packets, a few dependents in each.
//!
//! Paper MB-DSolve keeps linked lists of single dependents and names them as its weakness in memory. A packet holds up to
//! seven, so that a variable with many dependents pays little more than four bytes for each; one with a single dependent
//! has it in place of a packet.

use super::Variable;
use super::marks::grow;
use crate::budget::{Budget, Spent};

/// How many dependents a packet holds.
const ROOM: usize = 7;
/// No dependent, no packet.
const NONE: u32 = u32::MAX;
/// The bit that tells a packet's number from a single dependent.
const PACKET: u64 = 1 << 32;

/// Dependents of one variable, and the packet before.
#[derive(Clone, Copy)]
struct Packet {
    dependents: [Variable; ROOM],
    before: u32,
}

/// The dependents of all variables.
#[derive(Default)]
pub(super) struct Dependents {
    /// Per variable: one more than the only dependent, or than a packet's number; 0 for none.
    heads: Vec<u64>,
    packets: Vec<Packet>,
    /// Packets given back, the last one first.
    spare: Vec<u32>,
    paid: usize,
}

impl Dependents {
    /// Notes that `dependent` waits for `variable`.
    pub(super) fn add(
        &mut self,
        variable: Variable,
        dependent: Variable,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let index = variable as usize;
        if index >= self.heads.len() {
            grow(&mut self.heads, index, budget)?;
        }
        let head = self.heads[index];
        if head == 0 {
            self.heads[index] = u64::from(dependent) + 1;
            return Ok(());
        }
        let number = match head & PACKET {
            0 => {
                let first = (head - 1) as Variable;
                self.packet(&[first], NONE, budget)?
            }
            _ => (head & !PACKET) as u32,
        };
        let packet = &mut self.packets[number as usize];
        let room = packet.dependents.iter().position(|&other| other == NONE);
        let number = match room {
            Some(place) => {
                packet.dependents[place] = dependent;
                number
            }
            None => self.packet(&[dependent], number, budget)?,
        };
        self.heads[index] = PACKET | u64::from(number);
        Ok(())
    }

    /// Takes all dependents of a variable away and appends them.
    pub(super) fn take(&mut self, variable: Variable, into: &mut Vec<Variable>) {
        let Some(head) = self.heads.get_mut(variable as usize) else {
            return;
        };
        match std::mem::take(head) {
            0 => {}
            single if single & PACKET == 0 => into.push((single - 1) as Variable),
            head => {
                let mut number = (head & !PACKET) as u32;
                while number != NONE {
                    let packet = self.packets[number as usize];
                    let held = packet.dependents.iter();
                    into.extend(held.copied().take_while(|&other| other != NONE));
                    self.spare.push(number);
                    number = packet.before;
                }
            }
        }
    }

    fn packet(
        &mut self,
        first: &[Variable],
        before: u32,
        budget: &Budget<'_>,
    ) -> Result<u32, Spent> {
        let mut packet = Packet {
            dependents: [NONE; ROOM],
            before,
        };
        packet.dependents[..first.len()].copy_from_slice(first);
        if let Some(number) = self.spare.pop() {
            self.packets[number as usize] = packet;
            return Ok(number);
        }
        let number = u32::try_from(self.packets.len()).map_err(|_| Spent::Memory)?;
        self.packets.push(packet);
        let size = self.packets.capacity() * size_of::<Packet>();
        if size > self.paid {
            budget.charge(size - self.paid)?;
            self.paid = size;
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_taken_once() {
        let budget = Budget::endless();
        let mut dependents = Dependents::default();
        for round in 0..3 {
            for count in 0..40_u32 {
                for dependent in 0..count {
                    dependents.add(count, dependent, &budget).expect("no limit");
                }
            }
            for count in 0..40_u32 {
                let mut taken = Vec::new();
                dependents.take(count, &mut taken);
                taken.sort_unstable();
                assert_eq!(taken, (0..count).collect::<Vec<_>>(), "round {round}");
                dependents.take(count, &mut taken);
                assert_eq!(taken.len(), count as usize);
            }
        }
    }
}
