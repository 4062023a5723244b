//! Messages between two processes: how many are under way at a cut.

use std::collections::HashSet;

use crate::trace::Trace;
use causet_base::ids::{MessageId, ProcessId};

/// The sends and first receives on the channel from one process to another, as positions in either process.
///
/// A message belongs to the channel when its sender addressed it to the receiver or the receiver received it. A receive
/// in a cut brings its send along, so the number under way is a difference of two counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The sending process.
    pub from: ProcessId,
    /// The receiving process.
    pub to: ProcessId,
    sent: Vec<u32>,
    received: Vec<u32>,
}

impl Channel {
    /// The positions of the sends in the sending process, ascending; one entry per message.
    pub fn sent(&self) -> &[u32] {
        &self.sent
    }

    /// The positions of the receives in the receiving process, ascending; one entry per message.
    pub fn received(&self) -> &[u32] {
        &self.received
    }

    /// How many messages are sent and not yet received when the two processes have come this far.
    pub fn in_flight(&self, from_count: u32, to_count: u32) -> usize {
        let sent = self.sent.partition_point(|&at| at <= from_count);
        let received = self.received.partition_point(|&at| at <= to_count);
        sent.saturating_sub(received)
    }
}

impl Trace {
    /// The channel between two processes.
    pub fn channel(&self, from: ProcessId, to: ProcessId) -> Channel {
        let order = self.order();
        let mut received_ids = HashSet::new();
        let mut received = Vec::new();
        for &event in order.chain(to) {
            for &message in self.receives(event) {
                let from_there = self
                    .sender(message)
                    .is_some_and(|sender| order.process_of(sender) == from);
                if from_there && received_ids.insert(message) {
                    received.push(order.position_of(event));
                }
            }
        }
        let mut sent = Vec::new();
        for &event in order.chain(from) {
            let addressed = self.destinations(event).contains(&to);
            let belongs = |message: &&MessageId| addressed || received_ids.contains(*message);
            let count = self.sends(event).iter().filter(belongs).count();
            sent.extend(std::iter::repeat_n(order.position_of(event), count));
        }
        Channel {
            from,
            to,
            sent,
            received,
        }
    }
}
