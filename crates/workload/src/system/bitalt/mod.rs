//! The alternating-bit protocol of paper MB-DSolve, as one system or as a network of its four components.
//!
//! A transmitter takes a message (put) and sends it with a bit until the bit comes back; a receiver hands over (get)
//! what comes with the bit it expects and answers with the bit it got. The two channels between them hold one message
//! each, and may lose or garble it. The components are written once, as what each does on an action: together they give
//! the system, and apart the files of the network, so both have the same states.
//!
//! What a component no longer needs it does not forget, and the receiver stays in different places after a
//! repeated, a garbled and a missing message although it does the same in all of them. Both make the system larger than it
//! must be; they are kept because the sizes are then those of the paper.

mod component;
mod network;

use std::fmt;
use std::io::{self, Write};

use super::aut::{self, Sizes};
use super::explore::explore;
use super::settings::{Range, Setting, Values};
use component::{Acknowledgements, Action, Component, Data, Place, Receiver, Transmitter};

pub(super) use network::network;

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "n",
        about: "How many different messages there are.",
        range: Range::Number {
            least: 1,
            usual: 2,
            most: 4000,
        },
    },
    Setting {
        name: "labels",
        about: "How labels are spelled: put(3) and tau, \"PUT !3\" and i, or put and tau.",
        range: Range::Word(&["call", "offer", "bare"]),
    },
];

/// The spellings, in the order of their words.
const SPELLINGS: [Spelling; 3] = [Spelling::Call, Spelling::Offer, Spelling::Bare];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Call,
    Offer,
    Bare,
}

/// Writes the protocol as one system. It is explored first, because the header has the sizes.
pub(super) fn write(values: &Values, out: &mut dyn Write) -> io::Result<Sizes> {
    let (spelling, messages) = (spelling(values), messages(values));
    let mut steps = Vec::new();
    let explored = explore(State::default(), |state, after| {
        state.steps(messages, &mut steps);
        after.extend(steps.drain(..).map(|(_, target)| target));
    });
    let sizes = Sizes {
        states: explored.states.len() as u64,
        transitions: explored.steps,
    };
    aut::header(out, sizes)?;
    for (number, state) in (0..).zip(&explored.states) {
        state.steps(messages, &mut steps);
        for (action, target) in steps.drain(..) {
            let target = explored.number(target);
            let target = target.expect("what a step leads to was explored");
            transition(out, spelling, number, action, target.into())?;
        }
    }
    Ok(sizes)
}

fn spelling(values: &Values) -> Spelling {
    let word = values.word("labels", &SPELLINGS);
    word.unwrap_or(Spelling::Call)
}

fn messages(values: &Values) -> u16 {
    let asked = u16::try_from(values.number("n"));
    asked.expect("the setting keeps the number of messages below 2^16")
}

/// A line of a file; the spelling with offers has blanks in it, as the tools write that have such labels.
fn transition(
    out: &mut dyn Write,
    spelling: Spelling,
    from: u64,
    action: Action,
    to: u64,
) -> io::Result<()> {
    let label = Seen { action, spelling };
    match spelling {
        Spelling::Offer => writeln!(out, "({from}, {label}, {to})"),
        Spelling::Call | Spelling::Bare => writeln!(out, "({from},{label},{to})"),
    }
}

/// An action as it is seen from outside: only a put and a get are.
struct Seen {
    action: Action,
    spelling: Spelling,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (small, large, message) = match self.action {
            Action::Put(message) => ("put", "PUT", message),
            Action::Get(message) => ("get", "GET", message),
            _ if self.spelling == Spelling::Offer => return f.write_str("i"),
            _ => return f.write_str("\"tau\""),
        };
        match self.spelling {
            Spelling::Call => write!(f, "\"{small}({message})\""),
            Spelling::Offer => write!(f, "\"{large} !{message}\""),
            Spelling::Bare => write!(f, "\"{small}\""),
        }
    }
}

/// Where all four components are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct State {
    transmitter: Transmitter,
    data: Data,
    acknowledgements: Acknowledgements,
    receiver: Receiver,
}

impl State {
    /// Pushes what can happen, and where it leads.
    fn steps(&self, messages: u16, steps: &mut Vec<(Action, State)>) {
        let mut attempt = |action| steps.extend(self.after(action).map(|state| (action, state)));
        if self.transmitter.place == Place::Idle {
            (0..messages).map(Action::Put).for_each(&mut attempt);
        }
        for action in self.candidates() {
            attempt(action);
        }
    }

    /// What may be possible besides a put, with the values that are at hand; the order is that of the numbers of states.
    fn candidates(&self) -> [Action; 11] {
        let State {
            transmitter,
            data,
            acknowledgements,
            receiver,
        } = self;
        [
            Action::SendData(transmitter.message, transmitter.bit),
            Action::TransmitterTimeout,
            Action::TakeAcknowledgement(acknowledgements.bit),
            Action::TakeGarbledAcknowledgement,
            Action::LoseData,
            Action::LoseAcknowledgement,
            Action::TakeData(data.message, data.bit),
            Action::TakeGarbledData,
            Action::ReceiverTimeout,
            Action::Get(receiver.message),
            Action::SendAcknowledgement(receiver.answer()),
        ]
    }

    /// The state after an action, if every component that knows it can do it now.
    fn after(&self, action: Action) -> Option<State> {
        Some(State {
            transmitter: self.transmitter.after(action)?,
            data: self.data.after(action)?,
            acknowledgements: self.acknowledgements.after(action)?,
            receiver: self.receiver.after(action)?,
        })
    }
}
