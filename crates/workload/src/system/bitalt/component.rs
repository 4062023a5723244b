//! The four components: where each can be, and where an action leads it.

use std::hash::Hash;

/// What can happen. Those that two components know, they do together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// The transmitter takes a message to send.
    Put(u16),
    /// The transmitter sends a message and its bit into the channel.
    SendData(u16, bool),
    /// The channel loses what it holds.
    LoseData,
    /// The receiver takes a message and its bit out of the channel.
    TakeData(u16, bool),
    /// The receiver takes something out of the channel that it cannot read.
    TakeGarbledData,
    /// The receiver has waited long enough.
    ReceiverTimeout,
    /// The receiver hands a message over.
    Get(u16),
    /// The receiver sends a bit into the channel back.
    SendAcknowledgement(bool),
    /// The channel back loses what it holds.
    LoseAcknowledgement,
    /// The transmitter takes a bit out of the channel back.
    TakeAcknowledgement(bool),
    /// The transmitter takes something out of the channel back that it cannot read.
    TakeGarbledAcknowledgement,
    /// The transmitter has waited long enough.
    TransmitterTimeout,
}

/// Something that takes part in some actions; of the others it takes no notice.
pub(super) trait Component: Copy + Eq + Hash + Default {
    /// Where it is after an action, if that is possible now.
    fn after(self, action: Action) -> Option<Self>;

    /// The actions it takes part in, with so many messages.
    fn alphabet(messages: u16) -> Vec<Action>;
}

/// Sends each message until its bit comes back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Transmitter {
    pub(super) place: Place,
    pub(super) bit: bool,
    pub(super) message: u16,
}

/// What the transmitter does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Place {
    /// Takes a message.
    #[default]
    Idle,
    /// Sends it.
    Sending,
    /// Waits for its bit.
    Waiting,
}

impl Component for Transmitter {
    fn after(mut self, action: Action) -> Option<Self> {
        match (self.place, action) {
            (Place::Idle, Action::Put(message)) => {
                (self.place, self.message) = (Place::Sending, message);
            }
            (Place::Sending, Action::SendData(message, bit))
                if (message, bit) == (self.message, self.bit) =>
            {
                self.place = Place::Waiting;
            }
            (Place::Waiting, Action::TakeAcknowledgement(bit)) if bit == self.bit => {
                (self.place, self.bit) = (Place::Idle, !bit);
            }
            (
                Place::Waiting,
                Action::TakeAcknowledgement(_)
                | Action::TakeGarbledAcknowledgement
                | Action::TransmitterTimeout,
            ) => self.place = Place::Sending,
            (
                _,
                Action::Put(_)
                | Action::SendData(..)
                | Action::TakeAcknowledgement(_)
                | Action::TakeGarbledAcknowledgement
                | Action::TransmitterTimeout,
            ) => return None,
            _ => {}
        }
        Some(self)
    }

    fn alphabet(messages: u16) -> Vec<Action> {
        let mut actions: Vec<Action> = (0..messages).map(Action::Put).collect();
        actions.extend(with_bits(messages, Action::SendData));
        actions.extend(BITS.map(Action::TakeAcknowledgement));
        actions.extend([
            Action::TakeGarbledAcknowledgement,
            Action::TransmitterTimeout,
        ]);
        actions
    }
}

/// The channel of the messages. It remembers what it held last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Data {
    full: bool,
    pub(super) message: u16,
    pub(super) bit: bool,
}

impl Component for Data {
    fn after(mut self, action: Action) -> Option<Self> {
        match action {
            Action::SendData(message, bit) if !self.full => {
                (self.full, self.message, self.bit) = (true, message, bit);
            }
            Action::TakeData(message, bit)
                if self.full && (message, bit) == (self.message, self.bit) =>
            {
                self.full = false;
            }
            Action::TakeGarbledData | Action::LoseData if self.full => self.full = false,
            Action::SendData(..)
            | Action::TakeData(..)
            | Action::TakeGarbledData
            | Action::LoseData => return None,
            _ => {}
        }
        Some(self)
    }

    fn alphabet(messages: u16) -> Vec<Action> {
        let mut actions = vec![Action::TakeGarbledData, Action::LoseData];
        actions.extend(with_bits(messages, Action::SendData));
        actions.extend(with_bits(messages, Action::TakeData));
        actions
    }
}

/// The channel back, of the bits alone. It remembers what it held last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Acknowledgements {
    full: bool,
    pub(super) bit: bool,
}

impl Component for Acknowledgements {
    fn after(mut self, action: Action) -> Option<Self> {
        match action {
            Action::SendAcknowledgement(bit) if !self.full => {
                (self.full, self.bit) = (true, bit);
            }
            Action::TakeAcknowledgement(bit) if self.full && bit == self.bit => self.full = false,
            Action::TakeGarbledAcknowledgement | Action::LoseAcknowledgement if self.full => {
                self.full = false;
            }
            Action::SendAcknowledgement(_)
            | Action::TakeAcknowledgement(_)
            | Action::TakeGarbledAcknowledgement
            | Action::LoseAcknowledgement => return None,
            _ => {}
        }
        Some(self)
    }

    fn alphabet(_: u16) -> Vec<Action> {
        let mut actions = vec![
            Action::TakeGarbledAcknowledgement,
            Action::LoseAcknowledgement,
        ];
        actions.extend(BITS.map(Action::SendAcknowledgement));
        actions.extend(BITS.map(Action::TakeAcknowledgement));
        actions
    }
}

/// Hands over each message once, and answers each with its bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Receiver {
    desk: Desk,
    /// The bit it expects.
    bit: bool,
    pub(super) message: u16,
}

/// What the receiver does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
enum Desk {
    /// Waits for a message.
    #[default]
    Waiting,
    /// Hands over the message it expected.
    Delivering,
    /// Answers with the bit it expected.
    Accepting,
    /// Answers with the other bit: the message came before.
    Repeated,
    /// Answers with the other bit: the message could not be read.
    Garbled,
    /// Answers with the other bit: no message came.
    Missing,
}

impl Receiver {
    /// The bit it would answer with.
    pub(super) fn answer(self) -> bool {
        match self.desk {
            Desk::Accepting => self.bit,
            _ => !self.bit,
        }
    }
}

impl Component for Receiver {
    fn after(mut self, action: Action) -> Option<Self> {
        match (self.desk, action) {
            (Desk::Waiting, Action::TakeData(message, bit)) => {
                self.message = message;
                self.desk = match bit == self.bit {
                    true => Desk::Delivering,
                    false => Desk::Repeated,
                };
            }
            (Desk::Waiting, Action::TakeGarbledData) => self.desk = Desk::Garbled,
            (Desk::Waiting, Action::ReceiverTimeout) => self.desk = Desk::Missing,
            (Desk::Delivering, Action::Get(message)) if message == self.message => {
                self.desk = Desk::Accepting;
            }
            (
                Desk::Accepting | Desk::Repeated | Desk::Garbled | Desk::Missing,
                Action::SendAcknowledgement(bit),
            ) if bit == self.answer() => {
                // What it expects next is the bit that it did not answer with.
                (self.desk, self.bit) = (Desk::Waiting, !bit);
            }
            (
                _,
                Action::TakeData(..)
                | Action::TakeGarbledData
                | Action::ReceiverTimeout
                | Action::Get(_)
                | Action::SendAcknowledgement(_),
            ) => return None,
            _ => {}
        }
        Some(self)
    }

    fn alphabet(messages: u16) -> Vec<Action> {
        let mut actions: Vec<Action> = (0..messages).map(Action::Get).collect();
        actions.extend(with_bits(messages, Action::TakeData));
        actions.extend(BITS.map(Action::SendAcknowledgement));
        actions.extend([Action::TakeGarbledData, Action::ReceiverTimeout]);
        actions
    }
}

const BITS: [bool; 2] = [false, true];

fn with_bits(
    messages: u16,
    action: impl Fn(u16, bool) -> Action + Copy,
) -> impl Iterator<Item = Action> {
    (0..messages).flat_map(move |message| BITS.map(|bit| action(message, bit)))
}
