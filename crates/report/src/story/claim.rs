//! What a sentence rests on: facts about the run that anybody can look up.

use super::Pair;

/// A fact that a sentence rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// This part of the formula has this value at the cut, and got it with this event or has had it from the start.
    Holds {
        /// The part, as a formula.
        part: String,
        /// Its value.
        value: bool,
        /// The event after which it has had that value without a break.
        since: Option<u32>,
    },
    /// These two events are concurrent, and an order between them would change this.
    Unordered(Pair),
    /// The first event comes before the second in every order.
    Ordered(u32, u32),
    /// This part of the formula has this value at every cut of the path.
    Throughout {
        /// The part, as a formula.
        part: String,
        /// Its value.
        value: bool,
    },
    /// This part of the formula was true before this event of the path, and is not from there on.
    Over {
        /// The part, as a formula.
        part: String,
        /// The event.
        event: u32,
    },
    /// This part of the formula is true after this event of the path for the first time.
    Begins {
        /// The part, as a formula.
        part: String,
        /// The event.
        event: u32,
    },
    /// This part has this value at every cut from the one shown on, as it goes on.
    Onward {
        /// The part, as a formula.
        part: String,
        /// Its value.
        value: bool,
    },
    /// This part has this value at the position behind this event of the path, or at the start.
    At {
        /// The event.
        event: Option<u32>,
        /// The part, as a formula about the cut and the event.
        part: String,
        /// Its value.
        value: bool,
    },
    /// This part has this value at all positions from the one behind the first event, or the start, to the one behind the
    /// last event.
    Between {
        /// The event before the first position.
        first: Option<u32>,
        /// The event before the last position.
        last: Option<u32>,
        /// The part, as a formula about the cut and the event.
        part: String,
        /// Its value.
        value: bool,
    },
    /// This variable has this value at the cut.
    Value {
        /// Its name.
        name: String,
        /// Its value, as formulas write it.
        value: String,
    },
    /// A message that was sent with the first event has not been received at the cut; that happens with the second.
    OnItsWay {
        /// The sending event.
        send: u32,
        /// The receiving event.
        receive: u32,
    },
}

impl Claim {
    /// The events it speaks of.
    pub fn events(&self) -> Vec<u32> {
        match self {
            Claim::Holds { since, .. } => since.iter().copied().collect(),
            Claim::Unordered(Pair { first, second, .. }) => vec![*first, *second],
            Claim::Ordered(one, other) => vec![*one, *other],
            Claim::Over { event, .. } | Claim::Begins { event, .. } => vec![*event],
            Claim::OnItsWay { send, receive } => vec![*send, *receive],
            Claim::At { event, .. } => event.iter().copied().collect(),
            Claim::Throughout { .. }
            | Claim::Onward { .. }
            | Claim::Between { .. }
            | Claim::Value { .. } => Vec::new(),
        }
    }
}
