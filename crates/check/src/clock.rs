//! Vector clocks that share what they have in common, so that they take memory for what is new in each.
//!
//! A clock is a tree of blocks of sixteen entries; blocks of zeros are not there. A clock made from another one shares
//! all blocks but those on the way to the entries that changed, so a message that passes through ten thousand processes
//! leaves a few blocks at each of them, where a row of counts would have ten thousand entries. A run of at most sixteen
//! processes has clocks of one block. Sorted lists of the entries that are not zero would do for processes that know
//! few others, but not for that message.

use std::rc::Rc;

/// How many entries a block has.
const WIDTH: usize = 1 << BITS;
const BITS: u32 = 4;

/// How many events of each process are known; those that are not named are zero.
#[derive(Clone, Default, Debug)]
pub struct Clock {
    root: Link,
    /// How many blocks lie below each other, less one.
    height: u32,
}

type Link = Option<Rc<Block>>;

/// A block, in which something is not zero.
#[derive(Clone, Debug)]
enum Block {
    Counts([u32; WIDTH]),
    Below(Box<[Link; WIDTH]>),
}

impl Clock {
    /// An entry.
    pub fn get(&self, index: usize) -> u32 {
        if index >> (BITS * (self.height + 1)) > 0 {
            return 0;
        }
        let (mut link, mut height) = (&self.root, self.height);
        loop {
            match link.as_deref() {
                None => return 0,
                Some(Block::Counts(counts)) => return counts[index % WIDTH],
                Some(Block::Below(links)) => {
                    link = &links[(index >> (BITS * height)) % WIDTH];
                    height -= 1;
                }
            }
        }
    }

    /// Raises an entry to a count; one that is larger stays.
    pub fn raise(&mut self, index: usize, count: u32) {
        if count == 0 || self.get(index) >= count {
            return;
        }
        while index >> (BITS * (self.height + 1)) > 0 {
            self.grow();
        }
        let (mut link, mut height) = (&mut self.root, self.height);
        loop {
            let block = link.get_or_insert_with(|| Rc::new(Block::empty(height)));
            match Rc::make_mut(block) {
                Block::Counts(counts) => {
                    counts[index % WIDTH] = count;
                    return;
                }
                Block::Below(links) => {
                    link = &mut links[(index >> (BITS * height)) % WIDTH];
                    height -= 1;
                }
            }
        }
    }

    /// Raises every entry to that of another clock.
    pub fn join(&mut self, other: &Clock) {
        while self.height < other.height {
            self.grow();
        }
        match other.height < self.height {
            true => join(&mut self.root, &other.grown(self.height).root),
            false => join(&mut self.root, &other.root),
        }
    }

    /// The first entry that is larger than that of another clock, but for one that is not looked at.
    pub fn first_beyond(&self, other: &Clock, except: usize) -> Option<usize> {
        let height = self.height.max(other.height);
        let (one, other) = (self.grown(height), other.grown(height));
        first_beyond(&one.root, &other.root, height, 0, except)
    }

    /// Whether no entry is larger than that of another clock.
    pub fn is_within(&self, other: &Clock) -> bool {
        match self.height == other.height {
            true => is_within(&self.root, &other.root),
            false => self.first_beyond(other, usize::MAX).is_none(),
        }
    }

    /// Whether all entries but one are those of another clock.
    pub fn is_same_but_for(&self, index: usize, other: &Clock) -> bool {
        self.first_beyond(other, index).is_none() && other.first_beyond(self, index).is_none()
    }

    /// About how many bytes it adds to those of the clock it was made from by raising one entry.
    pub fn bytes(&self) -> usize {
        let below = size_of::<[Link; WIDTH]>() + BLOCK;
        BLOCK + self.height as usize * below
    }

    /// Puts the root below a new one.
    fn grow(&mut self) {
        if let Some(root) = self.root.take() {
            let mut links = [const { None }; WIDTH];
            links[0] = Some(root);
            self.root = Some(Rc::new(Block::Below(Box::new(links))));
        }
        self.height += 1;
    }

    /// The same clock with more blocks below each other.
    fn grown(&self, height: u32) -> Clock {
        let mut grown = self.clone();
        while grown.height < height {
            grown.grow();
        }
        grown
    }
}

/// What a block takes beside what lies below it.
const BLOCK: usize = size_of::<Block>() + 2 * size_of::<usize>();

impl Block {
    fn empty(height: u32) -> Block {
        match height {
            0 => Block::Counts([0; WIDTH]),
            _ => Block::Below(Box::new([const { None }; WIDTH])),
        }
    }
}

impl<const N: usize> From<[u32; N]> for Clock {
    fn from(counts: [u32; N]) -> Clock {
        Clock::from(&counts[..])
    }
}

impl From<&[u32]> for Clock {
    fn from(counts: &[u32]) -> Clock {
        let mut clock = Clock::default();
        for (index, &count) in counts.iter().enumerate() {
            clock.raise(index, count);
        }
        clock
    }
}

fn is_within(one: &Link, other: &Link) -> bool {
    match (one, other) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(one), Some(other)) if Rc::ptr_eq(one, other) => true,
        (Some(one), Some(other)) => match (&**one, &**other) {
            (Block::Counts(one), Block::Counts(other)) => {
                // No early end, so that all entries are compared at once.
                let beyond = one.iter().zip(other).map(|(one, other)| one > other);
                !beyond.fold(false, |some, one| some | one)
            }
            (Block::Below(one), Block::Below(other)) => {
                let mut links = one.iter().zip(other.iter());
                links.all(|(one, other)| is_within(one, other))
            }
            _ => false,
        },
    }
}

/// Makes as few new blocks as it can: where one side has all that the other has, its blocks are shared.
fn join(own: &mut Link, other: &Link) {
    if is_within(other, own) {
        return;
    }
    if is_within(own, other) {
        own.clone_from(other);
        return;
    }
    let (Some(own), Some(other)) = (own, other) else {
        return;
    };
    match (Rc::make_mut(own), &**other) {
        (Block::Counts(own), Block::Counts(other)) => {
            for (own, &other) in own.iter_mut().zip(other) {
                *own = other.max(*own);
            }
        }
        (Block::Below(own), Block::Below(other)) => {
            for (own, other) in own.iter_mut().zip(other.iter()) {
                join(own, other);
            }
        }
        _ => {}
    }
}

fn first_beyond(
    one: &Link,
    other: &Link,
    height: u32,
    base: usize,
    except: usize,
) -> Option<usize> {
    let one = one.as_ref()?;
    if other.as_ref().is_some_and(|other| Rc::ptr_eq(one, other)) {
        return None;
    }
    match (&**one, other.as_deref()) {
        (Block::Counts(one), other) => {
            let zeros = [0; WIDTH];
            let other = match other {
                Some(Block::Counts(other)) => other,
                _ => &zeros,
            };
            let beyond = |&at: &usize| one[at] > other[at] && base + at != except;
            (0..WIDTH).find(beyond).map(|at| base + at)
        }
        (Block::Below(one), other) => one.iter().enumerate().find_map(|(at, one)| {
            let other = match other {
                Some(Block::Below(other)) => &other[at],
                _ => &None,
            };
            let base = base + (at << (BITS * height));
            first_beyond(one, other, height - 1, base, except)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many different blocks some clocks have.
    fn blocks(clocks: &[Clock]) -> usize {
        fn visit(link: &Link, seen: &mut std::collections::BTreeSet<usize>) {
            let Some(block) = link else { return };
            if seen.insert(Rc::as_ptr(block) as usize)
                && let Block::Below(links) = &**block
            {
                links.iter().for_each(|link| visit(link, seen));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        clocks
            .iter()
            .for_each(|clock| visit(&clock.root, &mut seen));
        seen.len()
    }

    #[test]
    fn clocks_are_rows_of_counts() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let width = [3, 16, 17, 300, 5000][rng.usize(..5)];
            let mut rows = vec![vec![0_u32; width]; 4];
            let mut clocks = vec![Clock::default(); 4];
            for _ in 0..60 {
                let (one, other) = (rng.usize(..4), rng.usize(..4));
                if rng.bool() {
                    let (at, count) = (rng.usize(..width), rng.u32(..5));
                    rows[one][at] = rows[one][at].max(count);
                    clocks[one].raise(at, count);
                } else {
                    let from = rows[other].clone();
                    let row = rows[one].iter_mut().zip(from);
                    row.for_each(|(own, from)| *own = from.max(*own));
                    let from = clocks[other].clone();
                    clocks[one].join(&from);
                }
                let except = rng.usize(..width);
                let beyond = |&at: &usize| rows[one][at] > rows[other][at] && at != except;
                let expected = (0..width).find(beyond);
                assert_eq!(clocks[one].first_beyond(&clocks[other], except), expected);
                let is_within = rows[one].iter().zip(&rows[other]).all(|(a, b)| a <= b);
                assert_eq!(clocks[one].is_within(&clocks[other]), is_within);
            }
            for (row, clock) in rows.iter().zip(&clocks) {
                let read: Vec<u32> = (0..width).map(|at| clock.get(at)).collect();
                assert_eq!(*row, read);
                assert_eq!(clock.get(width << 8), 0);
            }
        }
    }

    #[test]
    fn a_message_through_all_processes_leaves_little_at_each() {
        let processes = 10_000;
        let mut clocks = Vec::with_capacity(processes);
        let mut message = Clock::default();
        for process in 0..processes {
            let mut clock = Clock::default();
            clock.join(&message);
            clock.raise(process, 1);
            message = clock.clone();
            clocks.push(clock);
        }
        assert!(blocks(&clocks) <= 4 * processes, "{}", blocks(&clocks));
        assert_eq!(clocks[processes - 1].get(17), 1);
    }
}
