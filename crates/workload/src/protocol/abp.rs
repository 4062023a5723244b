//! The alternating-bit protocol: a sender and a receiver over channels that lose messages.
//!
//! Every message carries one bit, every acknowledgement the bit it answers. The sender repeats a message until its bit
//! comes back, then sends the next with the other bit. A lost message is one that is sent and never received. The faulty
//! sender takes an acknowledgement with the wrong bit for the right one, one time in ten.

use crate::registry::Cast;
use crate::stage::{Post, Stage};

const SENDER: usize = 0;
const RECEIVER: usize = 1;
/// How many messages a channel holds.
const CAPACITY: usize = 8;
/// How many messages in a hundred are lost.
const LOSS: u64 = 15;
/// How often in a hundred an idle sender repeats its message.
const TIMEOUT: u64 = 45;
/// The bit in a variable that has seen none.
const NONE: i64 = -1;

/// The two processes, the bits they saw last, and what they count.
pub(crate) fn cast(_: usize) -> Cast {
    Cast::named(["sender", "receiver"])
        .init("sender.sent_msg", NONE)
        .init("sender.recv_ack", NONE)
        .init("sender.sent", 0)
        .init("receiver.received_msg", NONE)
        .init("receiver.sent_ack", NONE)
        .init("receiver.delivered", 0)
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let mut line = Line {
        post: Post::new(2),
        number: 1,
        fresh: true,
        delivered: 0,
        owed: None,
    };
    stage.schedule(|stage, me| match me {
        SENDER => line.sender(stage),
        _ => line.receiver(stage),
    });
}

struct Line {
    post: Post<i64>,
    /// The message that the sender is busy with, from 1.
    number: i64,
    /// It has not been sent at all yet.
    fresh: bool,
    delivered: i64,
    /// The bit that the receiver has yet to acknowledge.
    owed: Option<i64>,
}

impl Line {
    fn sender(&mut self, stage: &mut Stage<'_>) -> bool {
        let bit = bit_of(self.number);
        if let Some(letter) = self.post.take(SENDER, &mut stage.rng) {
            let right = letter.body == bit || stage.slips(10);
            let event = stage.event(SENDER, "recv_ack").recv(&letter.stamp);
            event.set("recv_ack", letter.body).done();
            if right && !self.fresh {
                self.number += 1;
                self.fresh = true;
            }
            return true;
        }
        if self.post.waiting(RECEIVER) >= CAPACITY || !(self.fresh || stage.chance(TIMEOUT)) {
            return false;
        }
        let lost = stage.chance(LOSS);
        let mut event = stage
            .message(SENDER, RECEIVER, "send_msg")
            .set("sent_msg", bit);
        if self.fresh {
            event = event.set("sent", self.number);
        }
        let stamp = event.send();
        self.fresh = false;
        if !lost {
            self.post.put(SENDER, RECEIVER, bit, stamp);
        }
        true
    }

    fn receiver(&mut self, stage: &mut Stage<'_>) -> bool {
        if let Some(bit) = self.owed {
            if self.post.waiting(SENDER) >= CAPACITY {
                return false;
            }
            let lost = stage.chance(LOSS);
            let event = stage.message(RECEIVER, SENDER, "send_ack");
            let stamp = event.set("sent_ack", bit).send();
            self.owed = None;
            if !lost {
                self.post.put(RECEIVER, SENDER, bit, stamp);
            }
            return true;
        }
        let Some(letter) = self.post.take(RECEIVER, &mut stage.rng) else {
            return false;
        };
        let mut event = stage.event(RECEIVER, "recv_msg").recv(&letter.stamp);
        event = event.set("received_msg", letter.body);
        if letter.body == bit_of(self.delivered + 1) {
            self.delivered += 1;
            event = event.set("delivered", self.delivered);
        }
        event.done();
        self.owed = Some(letter.body);
        true
    }
}

/// The first message carries 0.
fn bit_of(number: i64) -> i64 {
    (number - 1) % 2
}
