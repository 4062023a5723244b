//! The nodes of all diagrams: each list of edges is kept once, so equal sets are equal nodes.
//!
//! Edges lie in pieces of equal size and never move while the table grows; a long list has a piece of its own, so that
//! little of a piece is lost at its end. One growing array was the alternative: it is copied at every doubling and
//! needs three times its size at that moment, which a memory limit has to refuse.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::account::Account;
use super::{Edge, Node};
use causet_base::budget::Spent;

/// How many edges a piece has, as a power of two.
const PIECE_BITS: u32 = 14;
const PIECE: usize = 1 << PIECE_BITS;

/// A longer list of edges has a piece of its own.
const LONGEST_SHARED: usize = PIECE / 8;

/// Where the edges of a node lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// An index into the long lists, or a place in the pieces; the next vacant number for a node that was collected.
    start: u32,
    /// How many edges there are; 0 for a node that was collected.
    len: u32,
}

impl Record {
    /// How many edges there are.
    pub(super) fn len(self) -> usize {
        self.len as usize
    }

    fn is_long(self) -> bool {
        self.len() > LONGEST_SHARED
    }

    fn piece(self) -> usize {
        (self.start >> PIECE_BITS) as usize
    }

    fn offset(self) -> usize {
        self.start as usize % PIECE
    }
}

/// All nodes and their edges.
pub(super) struct Table {
    records: Vec<Record>,
    pieces: Vec<Vec<Edge>>,
    long: Vec<Vec<Edge>>,
    unique: HashTable<Node>,
    /// The number of a collected node, from which the other ones hang; 0 if there is none.
    vacant: u32,
    edge_count: usize,
}

impl Table {
    /// The two terminals only. They lead to themselves, which spares every walk a special case.
    pub(super) fn new() -> Table {
        let terminals = [Node::EMPTY, Node::FULL];
        let loops = terminals.map(|child| Edge { lo: 0, child });
        Table {
            records: vec![Record { start: 0, len: 1 }, Record { start: 1, len: 1 }],
            pieces: vec![loops.to_vec()],
            long: Vec::new(),
            unique: HashTable::new(),
            vacant: 0,
            edge_count: 0,
        }
    }

    /// How many nodes there are, without the terminals.
    pub(super) fn node_count(&self) -> usize {
        self.unique.len()
    }

    /// How many edges they have.
    pub(super) fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// Above all numbers of nodes.
    pub(super) fn number_bound(&self) -> usize {
        self.records.len()
    }

    /// Where the edges of a node lie.
    pub(super) fn record(&self, node: Node) -> Record {
        self.records[node.index()]
    }

    /// The edges of a node, upwards from position 0.
    pub(super) fn edges(&self, node: Node) -> &[Edge] {
        self.edges_at(self.record(node))
    }

    /// One edge of a node.
    pub(super) fn edge(&self, record: Record, index: usize) -> Edge {
        self.edges_at(record)[index]
    }

    /// The node with these edges, made if it is new.
    pub(super) fn intern(
        &mut self,
        edges: &[Edge],
        account: &mut Account<'_>,
    ) -> Result<Node, Spent> {
        let hash = hash(edges);
        let same = |&node: &Node| self.edges(node) == edges;
        if let Some(&node) = self.unique.find(hash, same) {
            return Ok(node);
        }
        self.make_room(account)?;
        let record = self.place(edges, account)?;
        let node = self.number(record);
        self.edge_count += edges.len();
        let Table {
            unique,
            records,
            pieces,
            long,
            ..
        } = self;
        unique.insert_unique(hash, node, |&node| {
            hash_of(records[node.index()], pieces, long)
        });
        Ok(node)
    }

    /// Takes away all nodes but the marked ones, whose edges move together.
    pub(super) fn retain(&mut self, is_marked: impl Fn(Node) -> bool, account: &mut Account<'_>) {
        self.unique.retain(|&mut node| is_marked(node));
        let mut kept: Vec<Node> = self.unique.iter().copied().collect();
        kept.sort_unstable_by_key(|&node| self.record(node).start);
        self.move_short(&kept, account);
        self.move_long(&kept, account);
        self.edge_count = kept.iter().map(|&node| self.record(node).len()).sum();
        self.free_numbers(is_marked, account);
        self.shrink_index(account);
    }

    fn edges_at(&self, record: Record) -> &[Edge] {
        edges_in(record, &self.pieces, &self.long)
    }

    /// Makes room for one more node, but not for its edges.
    fn make_room(&mut self, account: &mut Account<'_>) -> Result<(), Spent> {
        if u32::try_from(self.records.len()).is_err() {
            return Err(Spent::Memory);
        }
        if self.vacant == 0 {
            account.room(&mut self.records, 1)?;
        }
        let Table {
            unique,
            records,
            pieces,
            long,
            ..
        } = self;
        account.room_in(unique, |&node| hash_of(records[node.index()], pieces, long))
    }

    /// Stores the edges of a new node.
    fn place(&mut self, edges: &[Edge], account: &mut Account<'_>) -> Result<Record, Spent> {
        let len = u32::try_from(edges.len()).map_err(|_| Spent::Memory)?;
        if edges.len() > LONGEST_SHARED {
            account.charge(size_of_val(edges))?;
            self.long.push(edges.to_vec());
            let start = (self.long.len() - 1) as u32;
            return Ok(Record { start, len });
        }
        if self.free_in_last_piece() < edges.len() {
            if self.pieces.len() >= 1 << (u32::BITS - PIECE_BITS) {
                return Err(Spent::Memory);
            }
            account.charge(PIECE * size_of::<Edge>())?;
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        let piece = self.pieces.len() - 1;
        let start = (piece << PIECE_BITS | self.pieces[piece].len()) as u32;
        self.pieces[piece].extend_from_slice(edges);
        Ok(Record { start, len })
    }

    /// The first piece has the terminals only, so that it need not be paid.
    fn free_in_last_piece(&self) -> usize {
        match self.pieces.as_slice() {
            [_, .., last] => PIECE - last.len(),
            _ => 0,
        }
    }

    /// Gives a new node its number, one of a collected node if there is any.
    fn number(&mut self, record: Record) -> Node {
        if self.vacant == 0 {
            self.records.push(record);
            return Node((self.records.len() - 1) as u32);
        }
        let node = Node(self.vacant);
        self.vacant = self.records[node.index()].start;
        self.records[node.index()] = record;
        node
    }

    /// Moves the kept short lists to the front, in the order in which they lie.
    ///
    /// Each lands at or before its old place, since leaving lists out never makes a later one start further back. It may
    /// land where its piece had been left empty at the end, because the list that came next there was too long.
    fn move_short(&mut self, kept: &[Node], account: &mut Account<'_>) {
        let (mut piece, mut end) = (1, 0);
        let mut carried = Vec::with_capacity(LONGEST_SHARED);
        for &node in kept {
            let record = self.record(node);
            if record.is_long() {
                continue;
            }
            if end + record.len() > PIECE {
                self.pieces[piece].truncate(end);
                (piece, end) = (piece + 1, 0);
            }
            carried.clear();
            carried.extend_from_slice(self.edges_at(record));
            let target = &mut self.pieces[piece];
            let room = target.len().max(end + carried.len());
            target.resize(room, carried[0]);
            target[end..end + carried.len()].copy_from_slice(&carried);
            self.records[node.index()].start = (piece << PIECE_BITS | end) as u32;
            end += carried.len();
        }
        if let Some(last) = self.pieces.get_mut(piece) {
            last.truncate(end);
        }
        for _ in piece + usize::from(end > 0)..self.pieces.len() {
            self.pieces.pop();
            account.release(PIECE * size_of::<Edge>());
        }
    }

    fn move_long(&mut self, kept: &[Node], account: &mut Account<'_>) {
        let mut end = 0;
        for &node in kept {
            let record = self.record(node);
            if record.is_long() {
                self.long.swap(end, record.start as usize);
                self.records[node.index()].start = end as u32;
                end += 1;
            }
        }
        for dropped in self.long.drain(end..) {
            account.release(dropped.len() * size_of::<Edge>());
        }
    }

    /// Hangs the numbers of the collected nodes together, lowest first, and drops those after the last kept node.
    fn free_numbers(&mut self, is_marked: impl Fn(Node) -> bool, account: &mut Account<'_>) {
        let is_free = |number: usize| !is_marked(Node(number as u32));
        let before = self.records.capacity();
        while is_free(self.records.len() - 1) {
            self.records.pop();
        }
        self.records.shrink_to_fit();
        account.release((before - self.records.capacity()) * size_of::<Record>());
        self.vacant = 0;
        for number in (2..self.records.len()).rev().filter(|&n| is_free(n)) {
            let start = self.vacant;
            self.records[number] = Record { start, len: 0 };
            self.vacant = number as u32;
        }
    }

    fn shrink_index(&mut self, account: &mut Account<'_>) {
        let before = self.unique.allocation_size();
        let Table {
            unique,
            records,
            pieces,
            long,
            ..
        } = self;
        unique.shrink_to_fit(|&node| hash_of(records[node.index()], pieces, long));
        account.release(before.saturating_sub(self.unique.allocation_size()));
    }
}

fn edges_in<'t>(record: Record, pieces: &'t [Vec<Edge>], long: &'t [Vec<Edge>]) -> &'t [Edge] {
    if record.is_long() {
        &long[record.start as usize]
    } else {
        &pieces[record.piece()][record.offset()..][..record.len()]
    }
}

fn hash_of(record: Record, pieces: &[Vec<Edge>], long: &[Vec<Edge>]) -> u64 {
    hash(edges_in(record, pieces, long))
}

fn hash(edges: &[Edge]) -> u64 {
    let mut hasher = FxHasher::default();
    for edge in edges {
        hasher.write_u64(u64::from(edge.lo) << 32 | u64::from(edge.child.0));
    }
    hasher.finish()
}
