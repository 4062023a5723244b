//! Who waits for a variable: backward dependencies as lists of packets, a few dependents in each.
//!
//! Paper MB-DSolve keeps linked lists of single dependents and names them as its weakness in memory. A variable here has
//! one number for all of them: a single dependent is kept in place of a list, and a packet holds three, so that a
//! dependent costs little more than five bytes. Packets given back are used again.

use causet_base::budget::{Budget, Spent};

/// How many dependents a packet holds.
const ROOM: usize = 3;
/// No dependent, no packet.
const NONE: u32 = u32::MAX;
/// The bit that tells a packet's number from a single dependent.
const PACKET: u32 = 1 << 31;
/// The largest dependent there is room for.
const LAST: u32 = PACKET - 2;

/// The dependents of one variable: 0 for none, one more than the only one, or a packet's number with its bit.
pub(super) type Head = u32;

/// Dependents of one variable, and the packet before.
#[derive(Clone, Copy)]
struct Packet {
    dependents: [u32; ROOM],
    before: u32,
}

/// The packets of all variables.
#[derive(Default)]
pub(super) struct Dependents {
    packets: Vec<Packet>,
    /// The packet given back last; each names the one given back before it.
    spare: Option<u32>,
    paid: usize,
}

impl Dependents {
    /// Adds a dependent and gives the new head.
    pub(super) fn add(
        &mut self,
        head: Head,
        dependent: u32,
        budget: &Budget<'_>,
    ) -> Result<Head, Spent> {
        if dependent > LAST {
            return Err(Spent::Memory);
        }
        if head == 0 {
            return Ok(dependent + 1);
        }
        let number = match head & PACKET {
            0 => self.packet(head - 1, NONE, budget)?,
            _ => head & !PACKET,
        };
        let packet = &mut self.packets[number as usize];
        let room = packet.dependents.iter().position(|&other| other == NONE);
        let number = match room {
            Some(place) => {
                packet.dependents[place] = dependent;
                number
            }
            None => self.packet(dependent, number, budget)?,
        };
        Ok(PACKET | number)
    }

    /// Appends all dependents and gives their packets back.
    pub(super) fn take(&mut self, head: Head, into: &mut Vec<u32>) {
        if head == 0 {
            return;
        }
        if head & PACKET == 0 {
            into.push(head - 1);
            return;
        }
        let mut number = head & !PACKET;
        while number != NONE {
            let packet = &mut self.packets[number as usize];
            let held = packet.dependents.iter();
            into.extend(held.copied().take_while(|&other| other != NONE));
            let before = packet.before;
            packet.before = self.spare.unwrap_or(NONE);
            self.spare = Some(number);
            number = before;
        }
    }

    fn packet(&mut self, first: u32, before: u32, budget: &Budget<'_>) -> Result<u32, Spent> {
        let mut dependents = [NONE; ROOM];
        dependents[0] = first;
        let packet = Packet { dependents, before };
        if let Some(number) = self.spare {
            let spare = &mut self.packets[number as usize];
            self.spare = (spare.before != NONE).then_some(spare.before);
            *spare = packet;
            return Ok(number);
        }
        let number = u32::try_from(self.packets.len()).map_err(|_| Spent::Memory)?;
        if number > LAST {
            return Err(Spent::Memory);
        }
        if self.packets.len() == self.packets.capacity() {
            self.grow(budget)?;
        }
        self.packets.push(packet);
        Ok(number)
    }

    /// Makes room for half as many packets again, and pays for it first.
    #[cold]
    fn grow(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let more = (self.packets.len() / 2).max(1024);
        let size = (self.packets.len() + more) * size_of::<Packet>();
        // For a moment the new packets lie beside the old ones.
        budget.charge(size)?;
        self.packets.reserve_exact(more);
        budget.release(self.paid);
        self.paid = size;
        Ok(())
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
            let mut heads = [0; 40];
            for count in 0..40_u32 {
                for dependent in 0..count {
                    let head = &mut heads[count as usize];
                    *head = dependents.add(*head, dependent, &budget).expect("no limit");
                }
            }
            for count in 0..40_u32 {
                let mut taken = Vec::new();
                dependents.take(heads[count as usize], &mut taken);
                taken.sort_unstable();
                assert_eq!(taken, (0..count).collect::<Vec<_>>(), "round {round}");
            }
        }
        let used = (0..40_usize).filter(|&count| count > 1);
        let used: usize = used.map(|count| count.div_ceil(ROOM)).sum();
        assert_eq!(dependents.packets.len(), used, "packets are used again");
    }

    #[test]
    fn a_dependent_that_does_not_fit_is_refused() {
        let budget = Budget::endless();
        let mut dependents = Dependents::default();
        assert_eq!(dependents.add(0, LAST, &budget), Ok(LAST + 1));
        assert_eq!(dependents.add(0, LAST + 1, &budget), Err(Spent::Memory));
    }
}
