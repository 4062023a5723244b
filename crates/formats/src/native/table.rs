//! The names of a block, numbered: a hash table whose entries hold the first eight bytes of the name.
//!
//! Most names are at most eight bytes long, and such a name is one machine word: it is compared without a look at the
//! text. A general table spends most of its time on calls that compare four bytes.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::batch::Text;

/// Slots by number, and where to find the number of a name.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) slots: Vec<NameSlot>,
    /// Numbers plus one at the place their hash asks for or after it; a power of two of them, half of them free.
    places: Vec<u32>,
}

/// A name.
#[derive(Debug)]
pub(super) struct NameSlot {
    /// The first eight bytes, zeros after the end.
    head: u64,
    pub(super) text: Text,
    /// The last object in which the name was a key.
    pub(super) object: u32,
}

const FEWEST_PLACES: usize = 256;

impl Names {
    /// Forgets all names.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.places.fill(0);
    }

    /// The number of a name.
    #[inline]
    pub(super) fn intern(&mut self, text: Text, block: &str, arena: &str) -> u32 {
        let head = head(text, block, arena);
        let mut place = hash(head, text, block, arena);
        loop {
            place &= self.places.len().wrapping_sub(1);
            let number = match self.places.get(place) {
                Some(&number) if number > 0 => number - 1,
                _ => {
                    return self.add(
                        NameSlot {
                            head,
                            text,
                            object: 0,
                        },
                        block,
                        arena,
                    );
                }
            };
            let slot = &self.slots[number as usize];
            if slot.head == head
                && slot.text.length == text.length
                && same_tail(slot.text, text, block, arena)
            {
                return number;
            }
            place += 1;
        }
    }

    #[cold]
    fn add(&mut self, slot: NameSlot, block: &str, arena: &str) -> u32 {
        let number = self.slots.len() as u32;
        self.slots.push(slot);
        if self.slots.len() * 2 > self.places.len() {
            let places = (self.places.len() * 2).max(FEWEST_PLACES);
            self.places.clear();
            self.places.resize(places, 0);
            (0..number).for_each(|earlier| self.enter(earlier, block, arena));
        }
        self.enter(number, block, arena);
        number
    }

    fn enter(&mut self, number: u32, block: &str, arena: &str) {
        let NameSlot { head, text, .. } = self.slots[number as usize];
        let mask = self.places.len() - 1;
        let mut place = hash(head, text, block, arena) & mask;
        while self.places[place] != 0 {
            place = (place + 1) & mask;
        }
        self.places[place] = number + 1;
    }
}

/// The first eight bytes as a number.
#[inline]
fn head(text: Text, block: &str, arena: &str) -> u64 {
    let (source, start) = text.source(block, arena);
    let bytes = &source.as_bytes()[start..];
    let length = text.length as usize;
    match bytes.first_chunk() {
        Some(&eight) if length >= 8 => u64::from_le_bytes(eight),
        Some(&eight) => u64::from_le_bytes(eight) & ((1 << (8 * length)) - 1),
        None => {
            let mut eight = [0; 8];
            eight[..length].copy_from_slice(&bytes[..length]);
            u64::from_le_bytes(eight)
        }
    }
}

/// Short names need one multiplication; long ones are hashed whole, lest names with a common start fall together.
#[inline]
fn hash(head: u64, text: Text, block: &str, arena: &str) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    if text.length <= 8 {
        let mixed = (head ^ u64::from(text.length)).wrapping_mul(FACTOR);
        return (mixed >> 32) as usize;
    }
    let mut hasher = FxHasher::default();
    hasher.write(text.within(block, arena).as_bytes());
    hasher.finish() as usize
}

/// Whether two names of one length agree behind the first eight bytes.
#[inline]
fn same_tail(one: Text, other: Text, block: &str, arena: &str) -> bool {
    one.length <= 8 || one.within(block, arena) == other.within(block, arena)
}
