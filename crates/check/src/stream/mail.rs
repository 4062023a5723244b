//! The messages under way, and nothing of those that have arrived.
//!
//! ```text
//!             named            sent                     received by all it is for
//!  (unknown) ------> expected ------> under way --------------------------------> delivered
//!      ^                                                                             |
//!      +-----------------------------------------------------------------------------+
//!                            no line at hand mentions it any more
//! ```
//!
//! A message is for the processes in `to`; without `to` it is for whoever receives it first. What is delivered is
//! forgotten, so its name may turn up again without anyone noticing.

use std::hash::BuildHasher;
use std::rc::Rc;

use causet_trace::{MessageId, Place, ProcessId};
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::clock::Clock;

/// The messages that matter.
#[derive(Default, Debug)]
pub(super) struct Mail {
    letters: Vec<Letter>,
    free: Vec<u32>,
    numbers: HashTable<u32>,
    seed: DefaultHashBuilder,
    /// About how many bytes the messages take that are known.
    bytes: usize,
}

#[derive(Debug)]
struct Letter {
    name: Box<str>,
    /// How many times it was named and not used yet.
    uses: u32,
    state: State,
    /// About how many bytes it takes since it has been sent.
    charged: usize,
}

/// What a message takes beside its name.
const LETTER: usize = size_of::<Letter>() + 2 * size_of::<u32>();

impl UnderWay {
    fn bytes(&self) -> usize {
        let addresses = self.addressed.len() + self.left.as_ref().map_or(0, Vec::len);
        self.clock.bytes() + addresses * size_of::<ProcessId>()
    }
}

#[derive(Debug)]
enum State {
    Expected,
    UnderWay(UnderWay),
    Delivered,
}

/// A message that has been sent.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    pub(super) sender: ProcessId,
    pub(super) place: Place,
    /// What its sender knew.
    pub(super) clock: Clock,
    /// Whom it is for, if that is said.
    pub(super) addressed: Rc<[ProcessId]>,
    /// Whom of them it has not reached yet; when it does not say, whoever comes first.
    pub(super) left: Option<Vec<ProcessId>>,
}

impl Mail {
    /// The message with a name; it will be used once.
    pub(super) fn name(&mut self, name: &str) -> MessageId {
        let hash = self.seed.hash_one(name);
        let letters = &self.letters;
        let same = |&number: &u32| *letters[number as usize].name == *name;
        if let Some(&number) = self.numbers.find(hash, same) {
            self.letters[number as usize].uses += 1;
            return MessageId::new(number);
        }
        self.bytes += name.len() + LETTER;
        let letter = Letter {
            name: name.into(),
            uses: 1,
            state: State::Expected,
            charged: 0,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.letters[number as usize] = letter;
                number
            }
            None => {
                self.letters.push(letter);
                self.letters.len() as u32 - 1
            }
        };
        let (letters, seed) = (&self.letters, &self.seed);
        let hash_of = |&number: &u32| seed.hash_one(&*letters[number as usize].name);
        self.numbers.insert_unique(hash, number, hash_of);
        MessageId::new(number)
    }

    /// What a message is called.
    pub(super) fn called(&self, message: MessageId) -> &str {
        &self.letters[message.index()].name
    }

    /// Whether a message has been sent, as far as anyone knows.
    pub(super) fn is_sent(&self, message: MessageId) -> bool {
        !matches!(self.letters[message.index()].state, State::Expected)
    }

    /// Sends a message; the place of the first time if it was sent before.
    pub(super) fn send(&mut self, message: MessageId, under_way: UnderWay) -> Result<(), Place> {
        let letter = &mut self.letters[message.index()];
        match &letter.state {
            State::UnderWay(first) => return Err(first.place),
            State::Expected | State::Delivered => {}
        }
        letter.state = match &under_way.left {
            Some(left) if left.is_empty() => State::Delivered,
            _ => State::UnderWay(under_way),
        };
        letter.charged = match &letter.state {
            State::UnderWay(under_way) => under_way.bytes(),
            _ => 0,
        };
        self.bytes += letter.charged;
        self.used(message);
        Ok(())
    }

    /// Receives a message: as it was before, or nothing if it is not under way.
    pub(super) fn receive(&mut self, message: MessageId, by: ProcessId) -> Option<UnderWay> {
        let letter = &mut self.letters[message.index()];
        let found = match &mut letter.state {
            State::UnderWay(under_way) => {
                let before = under_way.clone();
                match &mut under_way.left {
                    Some(left) => left.retain(|process| *process != by),
                    none => *none = Some(Vec::new()),
                }
                if under_way.left.as_ref().is_some_and(Vec::is_empty) {
                    letter.state = State::Delivered;
                }
                Some(before)
            }
            State::Expected | State::Delivered => None,
        };
        self.used(message);
        found
    }

    /// How many messages are known.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Notes that a mention has been used, and forgets what nobody will ask for.
    pub(super) fn used(&mut self, message: MessageId) {
        let letter = &mut self.letters[message.index()];
        letter.uses -= 1;
        if letter.uses > 0 || matches!(letter.state, State::UnderWay(_)) {
            return;
        }
        self.bytes -= letter.name.len() + LETTER + std::mem::take(&mut letter.charged);
        let hash = self.seed.hash_one(&*letter.name);
        let own = |&number: &u32| number == message.raw();
        if let Ok(entry) = self.numbers.find_entry(hash, own) {
            entry.remove();
        }
        letter.name = Box::default();
        letter.state = State::Expected;
        self.free.push(message.raw());
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.free.len() * LETTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under_way(left: Option<Vec<ProcessId>>) -> UnderWay {
        UnderWay {
            sender: ProcessId::new(0),
            place: Place { part: 0, line: 1 },
            clock: Clock::from([1, 0]),
            addressed: left.clone().unwrap_or_default().into(),
            left,
        }
    }

    #[test]
    fn what_is_delivered_is_forgotten() {
        let mut mail = Mail::default();
        let [p, q] = [1, 2].map(ProcessId::new);
        let m = mail.name("m");
        assert!(!mail.is_sent(m));
        assert_eq!(mail.send(m, under_way(Some(vec![p, q]))), Ok(()));
        let again = mail.name("m");
        assert_eq!((again, mail.len()), (m, 1));
        assert!(mail.receive(again, p).is_some());
        let last = mail.name("m");
        assert!(mail.receive(last, q).is_some());
        assert_eq!(mail.len(), 0);
    }

    #[test]
    fn without_an_address_the_first_receive_is_the_last() {
        let mut mail = Mail::default();
        let m = mail.name("m");
        assert_eq!(mail.send(m, under_way(None)), Ok(()));
        let [one, two] = [mail.name("m"), mail.name("m")];
        assert!(mail.receive(one, ProcessId::new(1)).is_some());
        assert!(mail.receive(two, ProcessId::new(2)).is_none());
        assert_eq!(mail.len(), 0);
    }

    #[test]
    fn a_message_is_not_sent_twice_while_it_is_under_way() {
        let mut mail = Mail::default();
        let m = mail.name("m");
        assert_eq!(mail.send(m, under_way(None)), Ok(()));
        let m = mail.name("m");
        assert_eq!(
            mail.send(m, under_way(None)),
            Err(Place { part: 0, line: 1 })
        );
    }
}
