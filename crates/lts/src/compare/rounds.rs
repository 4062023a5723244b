//! In which round two states are told apart: blocks split by the steps of the round before, with their whole history.
//!
//! In round 1 states are told apart by the labels they have, in round k + 1 by which labels lead to which blocks of round
//! k. Only states with a step to a state that changed its block are looked at again, and of the parts of a split block
//! the largest keeps its name, so a state changes its block O(log n) times however many rounds there are. The splits form
//! a tree; where two states part in it is the round that told them apart. Jump pointers find the place in O(log n).

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Edge;

use crate::bisimulation::by_target;
use crate::bisimulation::refinable::Refinable;
use crate::system::Lts;

/// The history of a refinement.
pub(super) struct Rounds {
    nodes: Vec<Node>,
    /// The last node of each state.
    leaves: Vec<u32>,
}

/// A block as it was between two splits.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    /// An ancestor further up, for searching.
    jump: u32,
    depth: u32,
    /// The round in which it was split.
    split_in: u32,
}

impl Rounds {
    /// Refines a system until two states are told apart, or no states are any more.
    pub(super) fn until_apart(
        lts: &Lts,
        one: u32,
        other: u32,
        budget: &Budget<'_>,
    ) -> Result<Rounds, Spent> {
        let states = lts.states() as usize;
        let of_step = 2 * size_of::<Edge>() + size_of::<u32>();
        let of_state = 9 * size_of::<u32>() + 2 * size_of::<Node>();
        let bytes = Refinable::bytes(states) + states * of_state + lts.step_count() * of_step;
        budget.charge(bytes)?;
        let mut refinement = Refinement::new(lts);
        for round in 1.. {
            refinement.find_signatures(budget)?;
            let moved = refinement.split(round);
            if refinement.blocks.set_of(one) != refinement.blocks.set_of(other) || moved.is_empty()
            {
                break;
            }
            refinement.mark_sources(&moved);
        }
        Ok(refinement.finish())
    }

    /// The round in which two states were told apart, if they were.
    pub(super) fn apart(&self, one: u32, other: u32) -> Option<u32> {
        let (one, other) = (self.leaves[one as usize], self.leaves[other as usize]);
        (one != other).then(|| self.nodes[self.meet(one, other) as usize].split_in)
    }

    /// The last common ancestor of two nodes.
    fn meet(&self, one: u32, other: u32) -> u32 {
        let node = |number: u32| self.nodes[number as usize];
        let (mut one, mut other) = match node(one).depth >= node(other).depth {
            true => (one, other),
            false => (other, one),
        };
        while node(one).depth > node(other).depth {
            let jump = node(one).jump;
            one = match node(jump).depth >= node(other).depth {
                true => jump,
                false => node(one).parent,
            };
        }
        while one != other {
            (one, other) = match node(one).jump == node(other).jump {
                true => (node(one).parent, node(other).parent),
                false => (node(one).jump, node(other).jump),
            };
        }
        one
    }
}

struct Refinement<'l> {
    lts: &'l Lts,
    /// The sources of the steps into each state, and where they start.
    source_starts: Vec<u32>,
    sources: Vec<u32>,
    blocks: Refinable,
    nodes: Vec<Node>,
    node_of_block: Vec<u32>,
    /// The states to look at in this round, and for each the labels and blocks of its steps.
    looked_at: Vec<u32>,
    is_looked_at: Vec<bool>,
    signatures: Vec<Edge>,
    signature_of: Vec<(u32, u32)>,
}

impl<'l> Refinement<'l> {
    fn new(lts: &'l Lts) -> Self {
        let states = lts.states();
        let (source_starts, sources) = by_target(lts, |source, _| source);
        let root = Node {
            parent: 0,
            jump: 0,
            depth: 0,
            split_in: 0,
        };
        Refinement {
            lts,
            source_starts,
            sources,
            blocks: Refinable::new(states),
            nodes: vec![root],
            node_of_block: vec![0],
            looked_at: (0..states).collect(),
            is_looked_at: vec![true; states as usize],
            signatures: Vec::new(),
            signature_of: vec![(0, 0); states as usize],
        }
    }

    /// Writes down what the states to look at can do, before any of them changes its block.
    fn find_signatures(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        self.signatures.clear();
        let mut steps = Vec::new();
        for state in self.looked_at.drain(..) {
            budget.tick()?;
            steps.clear();
            let all = self.lts.steps(state).iter();
            steps.extend(all.map(|edge| Edge {
                label: edge.label,
                target: self.blocks.set_of(edge.target),
            }));
            steps.sort_unstable();
            steps.dedup();
            let start = self.signatures.len() as u32;
            self.signatures.extend_from_slice(&steps);
            self.signature_of[state as usize] = (start, self.signatures.len() as u32);
            self.is_looked_at[state as usize] = false;
            self.blocks.mark(state);
        }
        Ok(())
    }

    /// Splits every block with states that were looked at; answers with the states that changed their block.
    fn split(&mut self, round: u32) -> Vec<u32> {
        let mut moved = Vec::new();
        while let Some((block, marked)) = self.blocks.next_marked() {
            let groups = self.group(marked.clone());
            let new_blocks = self.split_block(block, marked, groups);
            if !new_blocks.is_empty() {
                self.remember(block, &new_blocks, round);
            }
            for new in new_blocks {
                let places = self.blocks.range(new);
                moved.extend(places.map(|place| self.blocks.element(place)));
            }
        }
        moved
    }

    /// The states at these places, those with equal signatures together.
    fn group(&self, places: std::ops::Range<u32>) -> Vec<Vec<u32>> {
        let signature = |&state: &u32| {
            let (start, end) = self.signature_of[state as usize];
            &self.signatures[start as usize..end as usize]
        };
        let mut states: Vec<u32> = places.map(|place| self.blocks.element(place)).collect();
        states.sort_by(|one, other| signature(one).cmp(signature(other)));
        let groups = states.chunk_by(|one, other| signature(one) == signature(other));
        groups.map(<[u32]>::to_vec).collect()
    }

    /// Makes blocks of the groups, and of the states that were not looked at; the largest stays what it was.
    ///
    /// A state that was looked at has a step to a block with a new name, or this is the first round: it cannot belong to
    /// those that were not.
    fn split_block(
        &mut self,
        block: u32,
        marked: std::ops::Range<u32>,
        mut groups: Vec<Vec<u32>>,
    ) -> Vec<u32> {
        groups.sort_by_key(Vec::len);
        let mut places = marked.clone();
        for &state in groups.iter().flatten() {
            if let Some(place) = places.next() {
                self.blocks.put(state, place);
            }
        }
        let others = self.blocks.range(block).end - marked.end;
        let largest = groups.last().map_or(0, Vec::len) as u32;
        let mut new = Vec::new();
        if others > 0 && others < largest {
            new.push(self.blocks.take_back(block, others));
        }
        let keep_last = others < largest;
        let leaving = groups.len() - usize::from(keep_last);
        for group in &groups[..leaving] {
            new.push(self.blocks.take_front(block, group.len() as u32));
        }
        new
    }

    fn remember(&mut self, block: u32, new_blocks: &[u32], round: u32) {
        let parent = self.node_of_block[block as usize];
        self.nodes[parent as usize].split_in = round;
        self.node_of_block[block as usize] = self.child(parent);
        for &new in new_blocks {
            let node = self.child(parent);
            let new = new as usize;
            if self.node_of_block.len() <= new {
                self.node_of_block.resize(new + 1, 0);
            }
            self.node_of_block[new] = node;
        }
    }

    /// A new node below another. Two jumps of equal length make one of twice the length.
    fn child(&mut self, parent: u32) -> u32 {
        let node = |number: u32| self.nodes[number as usize];
        let above = node(parent);
        let jump = node(above.jump);
        let equal = above.depth - jump.depth == jump.depth - node(jump.jump).depth;
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            parent,
            jump: if equal { jump.jump } else { parent },
            depth: above.depth + 1,
            split_in: 0,
        });
        number
    }

    /// Notes the sources of the steps to the states that changed their block, for the next round.
    fn mark_sources(&mut self, moved: &[u32]) {
        for &state in moved {
            let range = self.source_starts[state as usize]..self.source_starts[state as usize + 1];
            for &source in &self.sources[range.start as usize..range.end as usize] {
                if !std::mem::replace(&mut self.is_looked_at[source as usize], true) {
                    self.looked_at.push(source);
                }
            }
        }
    }

    fn finish(self) -> Rounds {
        let states = 0..self.lts.states();
        let leaf = |state| self.node_of_block[self.blocks.set_of(state) as usize];
        Rounds {
            leaves: states.map(leaf).collect(),
            nodes: self.nodes,
        }
    }
}
