//! What a worker has to say to the others, packed: a batch is a kind and a row of words, and says one thing many times.

/// What the words of a batch mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A variable, and the sender's variable that waits for it.
    Ask,
    /// The receiver's variables that waited for something which is true.
    True,
    /// The same, for something which is false.
    False,
    /// The receiver's variable that asked first for one which decides, and how far it is from there.
    Trail,
    /// A variable, the sender's variable that looks at it, and as how manieth operand.
    Look,
    /// The answer: the receiver's variable, the operand, its value (2 for none), and since when it has it.
    Seen,
    /// A variable that is part of the reason for the value.
    Walk,
    /// States that are part of the reason, for the first worker.
    Piece,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 8] = [
        Kind::Ask,
        Kind::True,
        Kind::False,
        Kind::Trail,
        Kind::Look,
        Kind::Seen,
        Kind::Walk,
        Kind::Piece,
    ];
}

/// Many messages of one kind, from one worker to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// What the words mean.
    pub kind: Kind,
    /// The sender's time: what it tells was known by then.
    pub clock: u32,
    /// The messages, one after another.
    pub words: Vec<u32>,
}

/// A batch is sent when it has so many words.
const FULL: usize = 1 << 13;

/// The batches that are being filled and those that are full.
pub(super) struct Outbox {
    /// Per receiver and kind.
    filling: Vec<Vec<u32>>,
    full: Vec<(usize, Batch)>,
    messages: u64,
    words: u64,
}

impl Outbox {
    pub(super) fn new(workers: usize) -> Outbox {
        Outbox {
            filling: vec![Vec::new(); workers * Kind::ALL.len()],
            full: Vec::new(),
            messages: 0,
            words: 0,
        }
    }

    /// Adds a message, which `write` appends, unless it appends nothing.
    pub(super) fn put(
        &mut self,
        to: usize,
        kind: Kind,
        clock: u32,
        write: impl FnOnce(&mut Vec<u32>),
    ) {
        let words = &mut self.filling[to * Kind::ALL.len() + kind as usize];
        let before = words.len();
        write(words);
        self.messages += u64::from(words.len() > before);
        self.send_full(to, kind, clock);
    }

    /// Adds a message of words that are known.
    pub(super) fn put_words<const N: usize>(
        &mut self,
        to: usize,
        kind: Kind,
        clock: u32,
        message: [u32; N],
    ) {
        self.filling[to * Kind::ALL.len() + kind as usize].extend_from_slice(&message);
        self.messages += 1;
        self.send_full(to, kind, clock);
    }

    fn send_full(&mut self, to: usize, kind: Kind, clock: u32) {
        let words = &mut self.filling[to * Kind::ALL.len() + kind as usize];
        if words.len() >= FULL {
            // What is told next will most likely fill as much.
            let words = std::mem::replace(words, Vec::with_capacity(FULL + FULL / 8));
            self.words += words.len() as u64;
            self.full.push((to, Batch { kind, clock, words }));
        }
    }

    /// The batches that are full.
    pub(super) fn full(&mut self) -> Vec<(usize, Batch)> {
        std::mem::take(&mut self.full)
    }

    /// Takes what is being filled for full.
    pub(super) fn flush(&mut self, clock: u32) {
        for (place, words) in self.filling.iter_mut().enumerate() {
            if !words.is_empty() {
                let words = std::mem::take(words);
                self.words += words.len() as u64;
                let kind = Kind::ALL[place % Kind::ALL.len()];
                let to = place / Kind::ALL.len();
                self.full.push((to, Batch { kind, clock, words }));
            }
        }
    }

    /// Forgets everything that was not sent.
    pub(super) fn clear(&mut self) {
        self.full.clear();
        self.filling.iter_mut().for_each(Vec::clear);
    }

    /// How many messages were ever put in, and how many words were sent.
    pub(super) fn figures(&self) -> (u64, u64) {
        (self.messages, self.words)
    }
}
