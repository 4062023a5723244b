//! Strong bisimulation: which states can do the same for ever, found by splitting blocks of states until all agree.
//!
//! The refinement is that of Paige and Tarjan, with labels: blocks are grouped into constellations, and no block can be
//! told apart by asking which constellations its states reach with which label. As long as a constellation has several
//! blocks, a small one leaves it, and the sources of the steps into it are split three ways: those with steps into the
//! leaver only, those with steps into what stays behind too, and the rest. Counters of steps from a state into a
//! constellation tell the first from the second without a look at the other steps. As the block that leaves has at most
//! half of the states, a step is looked at O(log n) times: O(m log n) in all, also on a long chain, where comparing the
//! signatures of all states round by round is quadratic. Nothing rests on a hash.
//!
//! The blocks of a constellation stand side by side in the partition's array, since blocks are only split in place; so a
//! constellation is a range, and one of its first and last block is small enough to leave.

pub(crate) mod refinable;

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Edge;

use self::refinable::Refinable;
use crate::system::{Labels, Lts};

/// The states of a system in blocks of those that are bisimilar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    block_of: Vec<u32>,
    blocks: usize,
}

impl Partition {
    /// The block of a state.
    pub fn block(&self, state: u32) -> u32 {
        self.block_of[state as usize]
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks
    }

    /// Never: there is an initial state.
    pub fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// Whether two states are bisimilar.
    pub fn same(&self, one: u32, other: u32) -> bool {
        self.block(one) == self.block(other)
    }
}

/// Finds the bisimilar states of a system. All internal labels count as one.
pub fn strong_partition(lts: &Lts, budget: &Budget<'_>) -> Result<Partition, Spent> {
    let branch = budget.branch();
    branch.charge(Refinement::bytes(lts))?;
    let mut refinement = Refinement::new(lts);
    refinement.run(&branch)?;
    let blocks = refinement.blocks.len();
    Ok(Partition {
        block_of: refinement.blocks.into_sets(),
        blocks,
    })
}

/// The smallest system that is bisimilar to a system: one state for each reachable block, numbered breadth-first in the
/// order of label texts, the initial one first. The budget stays charged for its [`Lts::bytes`].
pub fn reduce_strong(lts: &Lts, budget: &Budget<'_>) -> Result<Lts, Spent> {
    let partition = strong_partition(lts, budget)?;
    let (reduced, _) = quotient(lts, &partition, &[lts.initial()], budget)?;
    budget.charge(reduced.bytes())?;
    Ok(reduced)
}

/// The blocks that can be reached from some states, as a system, and the numbers of the blocks of those states; the first
/// is the initial one.
pub(crate) fn quotient(
    lts: &Lts,
    partition: &Partition,
    roots: &[u32],
    budget: &Budget<'_>,
) -> Result<(Lts, Vec<u32>), Spent> {
    let branch = budget.branch();
    let bytes = partition.len() * 3 * size_of::<u32>() + lts.step_count() * size_of::<Edge>();
    branch.charge(bytes)?;
    let mut quotient = Quotient::new(lts, partition);
    let roots = roots.iter().map(|&root| quotient.number(root)).collect();
    let mut next = 0;
    while let Some(&member) = quotient.members.get(next) {
        branch.tick()?;
        quotient.expand(lts, member);
        next += 1;
    }
    let labels = lts.labels().clone();
    let system = Lts::new(0, quotient.starts, quotient.edges, labels);
    Ok((system, roots))
}

/// The number that each label counts as: its own, and the first internal one for all internal ones.
pub(crate) fn with_one_internal(labels: &Labels) -> Vec<u32> {
    let numbers = 0..labels.len() as u32;
    let first = numbers.clone().find(|&label| labels.is_internal(label));
    let counts_as = numbers.map(|label| match first {
        Some(first) if labels.is_internal(label) => first,
        _ => label,
    });
    counts_as.collect()
}

/// No number: a block without one, a source without a counter.
const NONE: u32 = u32::MAX;

/// A system whose states are blocks, while it is explored.
struct Quotient<'p> {
    partition: &'p Partition,
    numbers: Vec<u32>,
    /// One state of each block that has a number.
    members: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    counts_as: Vec<u32>,
    /// The place of each label in the order of the texts.
    ranks: Vec<u32>,
    scratch: Vec<Edge>,
}

impl<'p> Quotient<'p> {
    fn new(lts: &Lts, partition: &'p Partition) -> Self {
        let labels = lts.labels();
        let mut by_text: Vec<u32> = (0..labels.len() as u32).collect();
        by_text.sort_by_key(|&label| labels.text(label));
        let mut ranks = vec![0; labels.len()];
        for (rank, &label) in by_text.iter().enumerate() {
            ranks[label as usize] = rank as u32;
        }
        Quotient {
            partition,
            numbers: vec![NONE; partition.len()],
            members: Vec::new(),
            starts: vec![0],
            edges: Vec::new(),
            counts_as: with_one_internal(labels),
            ranks,
            scratch: Vec::new(),
        }
    }

    /// The number of the block of a state.
    fn number(&mut self, state: u32) -> u32 {
        let number = &mut self.numbers[self.partition.block(state) as usize];
        if *number == NONE {
            *number = self.members.len() as u32;
            self.members.push(state);
        }
        *number
    }

    /// Adds the steps of the block of a state.
    fn expand(&mut self, lts: &Lts, state: u32) {
        let mut steps = std::mem::take(&mut self.scratch);
        steps.clear();
        let all = lts.steps(state).iter();
        steps.extend(all.map(|edge| Edge {
            label: self.counts_as[edge.label as usize],
            target: edge.target,
        }));
        steps.sort_by_key(|edge| self.ranks[edge.label as usize]);
        for edge in &mut steps {
            edge.target = self.number(edge.target);
        }
        steps.sort_unstable_by_key(|edge| (self.ranks[edge.label as usize], edge.target));
        steps.dedup();
        self.edges.extend_from_slice(&steps);
        self.starts.push(self.edges.len() as u32);
        self.scratch = steps;
    }
}

/// A step, filed under its target.
#[derive(Clone, Copy, Default)]
struct Incoming {
    source: u32,
    label: u32,
    /// The counter of the steps from its source with its label into the constellation of its target.
    counter: u32,
}

struct Refinement {
    /// Where the steps into each state start.
    starts: Vec<u32>,
    incoming: Vec<Incoming>,
    counters: Vec<u32>,
    unused_counters: Vec<u32>,
    blocks: Refinable,
    /// The constellation of each block.
    constellation_of: Vec<u32>,
    /// The places of each constellation.
    constellations: Vec<std::ops::Range<u32>>,
    /// The constellations with several blocks, each once.
    open: Vec<u32>,
    is_open: Vec<bool>,
    /// The steps into the block at hand for each label, and the labels that have some.
    by_label: Vec<Vec<u32>>,
    labels: Vec<u32>,
    /// The new counter of each source at hand.
    fresh: Vec<u32>,
    /// The sources at hand, with their old counters.
    sources: Vec<(u32, u32)>,
}

impl Refinement {
    /// How many bytes it takes at most.
    fn bytes(lts: &Lts) -> usize {
        let states = lts.states() as usize;
        let range = size_of::<std::ops::Range<u32>>();
        let of_states = Refinable::bytes(states) + states * (6 * size_of::<u32>() + range);
        let of_step = size_of::<Incoming>() + 7 * size_of::<u32>();
        let of_label = size_of::<Vec<u32>>() + size_of::<u32>();
        of_states + lts.step_count() * of_step + lts.labels().len() * of_label
    }

    fn new(lts: &Lts) -> Refinement {
        let counts_as = with_one_internal(lts.labels());
        let (starts, incoming) = by_target(lts, |source, edge| Incoming {
            source,
            label: counts_as[edge.label as usize],
            counter: 0,
        });
        Refinement {
            starts,
            incoming,
            // All steps start with one counter, as if all states were leaving a constellation that is larger by one step.
            counters: vec![(lts.step_count() as u32).saturating_add(1)],
            unused_counters: Vec::new(),
            blocks: Refinable::new(lts.states()),
            constellation_of: vec![0],
            constellations: std::iter::once(0..lts.states()).collect(),
            open: Vec::new(),
            is_open: vec![false],
            by_label: vec![Vec::new(); lts.labels().len()],
            labels: Vec::new(),
            fresh: vec![NONE; lts.states() as usize],
            sources: Vec::new(),
        }
    }

    fn run(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let everything = self.constellations[0].clone();
        self.split_sources(everything, budget)?;
        while let Some(constellation) = self.open.pop() {
            self.is_open[constellation as usize] = false;
            if let Some(leaver) = self.part(constellation) {
                self.split_sources(leaver, budget)?;
            }
        }
        Ok(())
    }

    /// Lets a block of at most half the states leave its constellation; answers with its places.
    fn part(&mut self, constellation: u32) -> Option<std::ops::Range<u32>> {
        let places = self.constellations[constellation as usize].clone();
        let first = self.blocks.set_of(self.blocks.element(places.start));
        let last = self.blocks.set_of(self.blocks.element(places.end - 1));
        if first == last {
            return None;
        }
        let (front, back) = (self.blocks.range(first), self.blocks.range(last));
        let (leaver, block, rest) = match front.len() <= back.len() {
            true => (front.clone(), first, front.end..places.end),
            false => (back.clone(), last, places.start..back.start),
        };
        self.constellations[constellation as usize] = rest;
        self.constellation_of[block as usize] = self.constellations.len() as u32;
        self.constellations.push(leaver.clone());
        self.is_open.push(false);
        open(&mut self.open, &mut self.is_open, constellation);
        Some(leaver)
    }

    /// Splits all blocks by the steps that lead to these places.
    fn split_sources(
        &mut self,
        places: std::ops::Range<u32>,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        for place in places {
            let state = self.blocks.element(place) as usize;
            for step in self.starts[state]..self.starts[state + 1] {
                let label = self.incoming[step as usize].label;
                let steps = &mut self.by_label[label as usize];
                if steps.is_empty() {
                    self.labels.push(label);
                }
                steps.push(step);
            }
        }
        while let Some(label) = self.labels.pop() {
            budget.tick()?;
            self.count_anew(label);
            self.split_marked();
            for &(source, old) in &self.sources {
                self.fresh[source as usize] = NONE;
                match self.counters[old as usize] {
                    0 => self.unused_counters.push(old),
                    _ => self.blocks.mark(source),
                }
            }
            self.split_marked();
            self.sources.clear();
        }
        Ok(())
    }

    /// Gives the gathered steps with a label new counters, and marks their sources.
    fn count_anew(&mut self, label: u32) {
        for step in self.by_label[label as usize].drain(..) {
            let step = &mut self.incoming[step as usize];
            let source = step.source as usize;
            if self.fresh[source] == NONE {
                self.fresh[source] = self.unused_counters.pop().unwrap_or_else(|| {
                    self.counters.push(0);
                    self.counters.len() as u32 - 1
                });
                self.sources.push((step.source, step.counter));
                self.blocks.mark(step.source);
            }
            self.counters[step.counter as usize] -= 1;
            step.counter = self.fresh[source];
            self.counters[step.counter as usize] += 1;
        }
    }

    /// Splits the marked states off their blocks, in the same constellations.
    fn split_marked(&mut self) {
        let Refinement {
            blocks,
            constellation_of,
            open: waiting,
            is_open,
            ..
        } = self;
        blocks.split(|old, _| {
            let constellation = constellation_of[old as usize];
            constellation_of.push(constellation);
            open(waiting, is_open, constellation);
        });
    }
}

fn open(waiting: &mut Vec<u32>, is_open: &mut [bool], constellation: u32) {
    if !std::mem::replace(&mut is_open[constellation as usize], true) {
        waiting.push(constellation);
    }
}

/// Something about every step of a system, target by target, and where that of the steps into each state starts.
pub(crate) fn by_target<T: Clone + Default>(
    lts: &Lts,
    about: impl Fn(u32, &Edge) -> T,
) -> (Vec<u32>, Vec<T>) {
    let states = lts.states();
    let mut starts = vec![0_u32; states as usize + 1];
    for state in 0..states {
        for edge in lts.steps(state) {
            starts[edge.target as usize + 1] += 1;
        }
    }
    for state in 0..states as usize {
        starts[state + 1] += starts[state];
    }
    let mut next = starts.clone();
    let mut filed = vec![T::default(); lts.step_count()];
    for source in 0..states {
        for edge in lts.steps(source) {
            let place = &mut next[edge.target as usize];
            filed[*place as usize] = about(source, edge);
            *place += 1;
        }
    }
    (starts, filed)
}
