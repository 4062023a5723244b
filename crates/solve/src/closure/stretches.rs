//! The losses of one chain: what they still take, who sent to them, and the last gains that sent to a stretch of them.
//!
//! Losses only ever get fuller, so the last one before a place that is not full is found by following links that are
//! shortened on the way, as in a union-find. Who sent what is a list for each loss. The last gain on each chain that
//! sent to a stretch is a maximum, kept for blocks of losses in a tree; within a block the lists are short enough to read.

use std::ops::Range;

/// A place on a chain: so many of its events, the last of which is meant.
pub(super) type Place = (usize, u32);

/// How many losses share a leaf of the tree.
const BLOCK: usize = 8;
/// No entry.
const NONE: u32 = u32::MAX;

/// The losses of one chain.
pub(super) struct Stretches {
    /// How many chains there are.
    width: usize,
    /// Where on its chain each loss is.
    places: Vec<u32>,
    /// How much each still takes.
    room: Vec<u64>,
    /// For each place between losses, a loss at or before which the last one with room is; one more than its number.
    links: Vec<u32>,
    /// The first entry of each list.
    heads: Vec<u32>,
    entries: Vec<Entry>,
    /// Entries that are no longer in a list.
    unused: u32,
    /// How many leaves the tree has.
    leaves: usize,
    /// The last gains by node and chain; the children of node `n` are `2n` and `2n + 1`, the leaves come last.
    tree: Vec<u32>,
}

/// Something sent to a loss.
struct Entry {
    amount: u64,
    chain: u32,
    x: u32,
    next: u32,
}

impl Stretches {
    /// About how many bytes a loss takes.
    pub(super) const COST: usize = 48;

    /// The losses of a chain with these weights.
    pub(super) fn new(weights: &[i64], width: usize) -> Stretches {
        let losses = weights
            .iter()
            .zip(1_u32..)
            .filter(|(weight, _)| **weight < 0);
        let (room, places): (Vec<u64>, Vec<u32>) =
            losses.map(|(weight, x)| (weight.unsigned_abs(), x)).unzip();
        let leaves = places.len().div_ceil(BLOCK).next_power_of_two();
        Stretches {
            width,
            links: (0..=places.len() as u32).collect(),
            heads: vec![NONE; places.len()],
            entries: Vec::with_capacity(places.len()),
            unused: NONE,
            leaves,
            tree: vec![0; 2 * leaves * width],
            places,
            room,
        }
    }

    /// How many losses are among the first `x` events.
    pub(super) fn up_to(&self, x: u32) -> usize {
        self.places.partition_point(|&place| place <= x)
    }

    /// Where a loss is.
    pub(super) fn place(&self, loss: usize) -> u32 {
        self.places[loss]
    }

    /// How much a loss still takes.
    pub(super) fn room(&self, loss: usize) -> u64 {
        self.room[loss]
    }

    /// The last of the first so many losses that has room.
    pub(super) fn last_with_room(&mut self, losses: usize) -> Option<usize> {
        let mut root = losses;
        while root > 0 && self.room[root - 1] == 0 {
            let link = self.links[root] as usize;
            root = if link == root { root - 1 } else { link };
        }
        let mut at = losses;
        while at > root {
            let link = self.links[at] as usize;
            self.links[at] = root as u32;
            at = if link == at { at - 1 } else { link };
        }
        root.checked_sub(1)
    }

    /// How much a gain has sent to a loss.
    pub(super) fn sent(&self, loss: usize, (chain, x): Place) -> u64 {
        let mut entries = self.list(loss);
        let own = entries.find(|entry| entry.chain as usize == chain && entry.x == x);
        own.map_or(0, |entry| entry.amount)
    }

    /// Fills a loss.
    pub(super) fn fill(&mut self, loss: usize, amount: u64) {
        self.room[loss] -= amount;
    }

    /// A gain sends to a loss, which has room or gets some.
    pub(super) fn send(&mut self, loss: usize, gain: Place, amount: u64) {
        let (chain, x) = gain;
        if let Some(at) = self.find(loss, gain).1 {
            self.entries[at as usize].amount += amount;
            return;
        }
        let entry = Entry {
            amount,
            chain: chain as u32,
            x,
            next: self.heads[loss],
        };
        self.heads[loss] = self.keep(entry);
        let mut node = self.leaves + loss / BLOCK;
        while node > 0 && self.tree[node * self.width + chain] < x {
            self.tree[node * self.width + chain] = x;
            node /= 2;
        }
    }

    /// A gain takes back what it sent to a loss, or a part of it.
    pub(super) fn take_back(&mut self, loss: usize, gain: Place, amount: u64) {
        let (before, Some(at)) = self.find(loss, gain) else {
            return;
        };
        let entry = &mut self.entries[at as usize];
        entry.amount -= amount;
        if entry.amount > 0 {
            return;
        }
        let next = std::mem::replace(&mut entry.next, self.unused);
        self.unused = at;
        match before {
            Some(before) => self.entries[before as usize].next = next,
            None => self.heads[loss] = next,
        }
        self.renew(loss / BLOCK, gain.0);
    }

    /// The last gain of each chain that sent something to losses of a stretch, joined with what is known.
    pub(super) fn join_last(&self, stretch: Range<usize>, last: &mut [u32]) {
        let (mut from, mut to) = (stretch.start, stretch.end);
        while from < to && !from.is_multiple_of(BLOCK) {
            self.join_loss(from, last);
            from += 1;
        }
        while from < to && !to.is_multiple_of(BLOCK) {
            to -= 1;
            self.join_loss(to, last);
        }
        let (mut from, mut to) = (self.leaves + from / BLOCK, self.leaves + to / BLOCK);
        while from < to {
            if from % 2 == 1 {
                self.join_node(from, last);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                self.join_node(to, last);
            }
            from /= 2;
            to /= 2;
        }
    }

    /// A loss of a stretch to which a gain sent something; usually one of the last.
    pub(super) fn receiver(&self, stretch: Range<usize>, gain: Place) -> Option<usize> {
        let (chain, x) = gain;
        let mut end = stretch.end;
        while end > stretch.start {
            let block = (end - 1) / BLOCK;
            let start = (block * BLOCK).max(stretch.start);
            let last = self.tree[(self.leaves + block) * self.width + chain];
            if last >= x
                && let Some(loss) = (start..end).find(|&loss| self.sent(loss, gain) > 0)
            {
                return Some(loss);
            }
            end = start;
        }
        None
    }

    fn list(&self, loss: usize) -> impl Iterator<Item = &Entry> {
        let mut at = self.heads[loss];
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize)?;
            at = entry.next;
            Some(entry)
        })
    }

    /// The entry of a gain in the list of a loss, and the one before it.
    fn find(&self, loss: usize, (chain, x): Place) -> (Option<u32>, Option<u32>) {
        let (mut before, mut at) = (None, self.heads[loss]);
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.chain as usize == chain && entry.x == x {
                return (before, Some(at));
            }
            (before, at) = (Some(at), entry.next);
        }
        (before, None)
    }

    fn keep(&mut self, entry: Entry) -> u32 {
        let at = self.unused;
        match self.entries.get_mut(at as usize) {
            Some(old) => {
                self.unused = old.next;
                *old = entry;
                at
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        }
    }

    fn join_loss(&self, loss: usize, last: &mut [u32]) {
        for entry in self.list(loss) {
            let last = &mut last[entry.chain as usize];
            *last = (*last).max(entry.x);
        }
    }

    fn join_node(&self, node: usize, last: &mut [u32]) {
        let own = &self.tree[node * self.width..(node + 1) * self.width];
        for (last, &own) in last.iter_mut().zip(own) {
            *last = (*last).max(own);
        }
    }

    /// Finds the last gain of a chain again for a block and all above it.
    fn renew(&mut self, block: usize, chain: usize) {
        let losses = block * BLOCK..((block + 1) * BLOCK).min(self.heads.len());
        let own = |entry: &&Entry| entry.chain as usize == chain;
        let places = losses.flat_map(|loss| self.list(loss).filter(own).map(|entry| entry.x));
        let mut last = places.max().unwrap_or(0);
        let mut node = self.leaves + block;
        while self.tree[node * self.width + chain] != last {
            self.tree[node * self.width + chain] = last;
            if node < 2 {
                break;
            }
            last = last.max(self.tree[(node ^ 1) * self.width + chain]);
            node /= 2;
        }
    }
}
