//! The four components as files of their own, and the text that lets them talk and hides what they say to each other.
//!
//! What a component does alone has the label that it has in the whole system. What two do together has a gate and
//! offers, whatever the spelling; the composition synchronises these gates and hides them.

use std::fmt::Write as _;

use super::component::{Acknowledgements, Action, Component, Data, Receiver, Transmitter};
use super::{Seen, Spelling, messages, spelling};
use crate::system::explore::explore;
use crate::system::settings::Values;
use crate::system::{Network, Part};

/// The gates between transmitter and receiver on one side and the channels on the other.
const INNER: [&str; 6] = ["SDT", "RDT", "RDTE", "SACK", "RACK", "RACKE"];

/// Makes the network.
pub(in crate::system) fn network(values: &Values) -> Network {
    let (spelling, messages) = (spelling(values), messages(values));
    let components = vec![
        component::<Transmitter>("bitalt-transmitter.aut", spelling, messages),
        component::<Receiver>("bitalt-receiver.aut", spelling, messages),
        component::<Data>("bitalt-data.aut", spelling, messages),
        component::<Acknowledgements>("bitalt-acknowledgements.aut", spelling, messages),
    ];
    Network {
        composition: Part {
            name: "bitalt.exp".to_owned(),
            text: composition(&components),
        },
        components,
    }
}

/// Transmitter and receiver do not meet, and neither do the channels; the two pairs share all inner gates.
fn composition(components: &[Part]) -> String {
    let names: Vec<String> = components
        .iter()
        .map(|part| format!("\"{}\"", part.name))
        .collect();
    let [ends, channels] = [&names[..2], &names[2..]].map(|pair| pair.join(" ||| "));
    let gates = INNER.join(", ");
    format!("hide {gates} in\n  ({ends})\n  |[{gates}]|\n  ({channels})\nend hide\n")
}

fn component<C: Component>(name: &str, spelling: Spelling, messages: u16) -> Part {
    let alphabet = C::alphabet(messages);
    let steps = |state: C| {
        let after = move |&action| Some((action, state.after(action)?));
        alphabet.iter().filter_map(after)
    };
    let explored = explore(C::default(), |state, after| {
        after.extend(steps(state).map(|(_, target)| target));
    });
    let (states, transitions) = (explored.states.len(), explored.steps);
    let mut text = format!("des (0, {transitions}, {states})\n");
    for (number, &state) in explored.states.iter().enumerate() {
        for (action, target) in steps(state) {
            let target = explored.number(target);
            let target = target.expect("what a step leads to was explored");
            let _ = writeln!(text, "({number}, {}, {target})", label(spelling, action));
        }
    }
    Part {
        name: name.to_owned(),
        text,
    }
}

fn label(spelling: Spelling, action: Action) -> String {
    match action {
        Action::SendData(message, bit) => format!("\"SDT !{message} !{}\"", u8::from(bit)),
        Action::TakeData(message, bit) => format!("\"RDT !{message} !{}\"", u8::from(bit)),
        Action::TakeGarbledData => "RDTE".to_owned(),
        Action::SendAcknowledgement(bit) => format!("\"SACK !{}\"", u8::from(bit)),
        Action::TakeAcknowledgement(bit) => format!("\"RACK !{}\"", u8::from(bit)),
        Action::TakeGarbledAcknowledgement => "RACKE".to_owned(),
        Action::Put(_)
        | Action::Get(_)
        | Action::LoseData
        | Action::LoseAcknowledgement
        | Action::ReceiverTimeout
        | Action::TransmitterTimeout => Seen { action, spelling }.to_string(),
    }
}
