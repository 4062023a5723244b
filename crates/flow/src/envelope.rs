//! What travels between workers: a batch of the solver or a word of the drivers, with what the receiver needs to know.

use causet_solve::bes::share::{Batch, Kind};
use serde::{Deserialize, Serialize};

/// One parcel.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(crate) struct Envelope {
    pub(crate) to: u32,
    pub(crate) from: u32,
    /// The round it belongs to.
    pub(crate) round: u32,
    /// How many parcels of the receiver the sender has dealt with since it last said so.
    pub(crate) acknowledged: u32,
    /// What the words mean: a [`Kind`] of the solver, or a [`Word`] after these.
    kind: u8,
    clock: u32,
    words: Vec<u32>,
}

/// What drivers say to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// Parcels were dealt with.
    Acknowledge,
    /// What is left to do.
    Vote,
    /// The main variable is known, or a limit was reached.
    Stop,
    /// How the account ended, and how much was done.
    Report,
}

const WORDS: [Word; 4] = [Word::Acknowledge, Word::Vote, Word::Stop, Word::Report];

/// What is in a parcel.
pub(crate) enum Content {
    /// For the solver.
    Batch(Batch),
    /// For the driver.
    Word(Word, Vec<u32>),
}

impl Envelope {
    pub(crate) fn batch(from: usize, to: usize, batch: Batch) -> Envelope {
        Envelope::new(from, to, batch.kind as u8, batch.clock, batch.words)
    }

    pub(crate) fn word(from: usize, to: usize, word: Word, words: Vec<u32>) -> Envelope {
        let kind = Kind::ALL.len() + word as usize;
        Envelope::new(from, to, kind as u8, 0, words)
    }

    fn new(from: usize, to: usize, kind: u8, clock: u32, words: Vec<u32>) -> Envelope {
        Envelope {
            to: to as u32,
            from: from as u32,
            round: 0,
            acknowledged: 0,
            kind,
            clock,
            words,
        }
    }

    /// Whether it counts among the parcels that are to be acknowledged.
    pub(crate) fn is_counted(&self) -> bool {
        usize::from(self.kind) < Kind::ALL.len()
    }

    /// How many bytes its words take.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.words.as_slice()) as u64
    }

    /// What is in it; nothing if it was written by another program.
    pub(crate) fn open(self) -> Option<Content> {
        let kind = usize::from(self.kind);
        if let Some(&kind) = Kind::ALL.get(kind) {
            return Some(Content::Batch(Batch {
                kind,
                clock: self.clock,
                words: self.words,
            }));
        }
        let word = WORDS.get(kind - Kind::ALL.len())?;
        Some(Content::Word(*word, self.words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out() {
        for kind in Kind::ALL {
            let (clock, words) = (7, vec![1, 2, 3]);
            let batch = Batch { kind, clock, words };
            let envelope = Envelope::batch(1, 2, batch.clone());
            assert!(envelope.is_counted());
            assert!(matches!(envelope.open(), Some(Content::Batch(other)) if other == batch));
        }
        for word in WORDS {
            let envelope = Envelope::word(1, 2, word, vec![9]);
            assert!(!envelope.is_counted());
            let open = envelope.open();
            assert!(
                matches!(open, Some(Content::Word(other, words)) if other == word && words == [9])
            );
        }
        let strange = Envelope::new(0, 0, u8::MAX, 0, Vec::new());
        assert!(strange.open().is_none());
    }
}
