//! A partition of numbers into sets that are only ever split, in constant time for each number that moves.
//!
//! The numbers of a set stand side by side in one array. Marking a number swaps it to the front of its set, so splitting
//! a set costs as much as its marked numbers and nothing for the others.

/// Sets of the numbers below a bound.
pub(crate) struct Refinable {
    elements: Vec<u32>,
    /// Where each number stands among the elements.
    places: Vec<u32>,
    set_of: Vec<u32>,
    sets: Vec<Set>,
    /// The sets with marked numbers.
    touched: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Set {
    start: u32,
    end: u32,
    /// How many numbers at the front are marked.
    marked: u32,
}

impl Refinable {
    /// How many bytes a partition of so many numbers takes at most.
    pub(crate) fn bytes(numbers: usize) -> usize {
        numbers * (4 * size_of::<u32>() + size_of::<Set>())
    }

    /// One set with all numbers below the bound.
    pub(crate) fn new(bound: u32) -> Refinable {
        let whole = Set {
            start: 0,
            end: bound,
            marked: 0,
        };
        Refinable {
            elements: (0..bound).collect(),
            places: (0..bound).collect(),
            set_of: vec![0; bound as usize],
            sets: vec![whole],
            touched: Vec::new(),
        }
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The set of a number.
    pub(crate) fn set_of(&self, number: u32) -> u32 {
        self.set_of[number as usize]
    }

    /// The number at a place.
    pub(crate) fn element(&self, place: u32) -> u32 {
        self.elements[place as usize]
    }

    /// The places of a set.
    pub(crate) fn range(&self, set: u32) -> std::ops::Range<u32> {
        let set = self.sets[set as usize];
        set.start..set.end
    }

    /// The set of every number.
    pub(crate) fn into_sets(self) -> Vec<u32> {
        self.set_of
    }

    /// Marks a number; once is enough.
    pub(crate) fn mark(&mut self, number: u32) {
        let set = self.set_of[number as usize];
        let Set { start, marked, .. } = self.sets[set as usize];
        let (place, front) = (self.places[number as usize], start + marked);
        if place < front {
            return;
        }
        if marked == 0 {
            self.touched.push(set);
        }
        self.put(self.elements[front as usize], place);
        self.put(number, front);
        self.sets[set as usize].marked += 1;
    }

    /// A set with marked numbers and their places; nothing is marked in it any more.
    pub(crate) fn next_marked(&mut self) -> Option<(u32, std::ops::Range<u32>)> {
        let number = self.touched.pop()?;
        let set = &mut self.sets[number as usize];
        let marked = std::mem::take(&mut set.marked);
        Some((number, set.start..set.start + marked))
    }

    /// Splits the marked numbers off each set that has others too; calls `each` with the old set and the new one.
    pub(crate) fn split(&mut self, mut each: impl FnMut(u32, u32)) {
        while let Some((set, marked)) = self.next_marked() {
            if marked.end < self.sets[set as usize].end {
                each(set, self.take_front(set, marked.end - marked.start));
            }
        }
    }

    /// Makes the first few numbers of a set a set of their own.
    pub(crate) fn take_front(&mut self, set: u32, count: u32) -> u32 {
        let start = self.sets[set as usize].start;
        self.sets[set as usize].start += count;
        self.add(start..start + count)
    }

    /// Makes the last few numbers of a set a set of their own.
    pub(crate) fn take_back(&mut self, set: u32, count: u32) -> u32 {
        let end = self.sets[set as usize].end;
        self.sets[set as usize].end -= count;
        self.add(end - count..end)
    }

    /// Puts a number of a set at one of the set's places; the caller sees to it that none gets lost.
    pub(crate) fn put(&mut self, number: u32, place: u32) {
        self.elements[place as usize] = number;
        self.places[number as usize] = place;
    }

    fn add(&mut self, places: std::ops::Range<u32>) -> u32 {
        let set = self.sets.len() as u32;
        for place in places.clone() {
            self.set_of[self.elements[place as usize] as usize] = set;
        }
        self.sets.push(Set {
            start: places.start,
            end: places.end,
            marked: 0,
        });
        set
    }
}
