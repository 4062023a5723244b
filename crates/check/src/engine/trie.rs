//! The cuts of an order one by one, as a trie with an interval at every node.
//!
//! Fix how far all chains but the last have come: the cuts that remain are an interval of the last one, a *row*. Rows
//! hang in a trie whose nodes have an interval of children each, since the bounds between chains are closed: every choice
//! within them can be completed. So a cut is found by as many additions as there are chains, without hashing, and the
//! successors of a row are the rows below the neighbours of its ancestors, found on the way down.

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;

/// The cuts of an order: `levels[d]` has a node for every choice of the first `d` chains.
pub(crate) struct Trie {
    levels: Vec<Vec<Choice>>,
    /// How many cuts there are.
    pub(crate) cuts: usize,
}

/// Where a step leads: by which chain, and to which node of the level, or to which cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    pub(crate) chain: u32,
    pub(crate) node: u32,
}

/// The positions a chain may have after the choices so far.
#[derive(Clone, Copy)]
struct Choice {
    low: u32,
    high: u32,
    /// Where the node for `low` stands in the next level, or the cut in the list of cuts.
    first: u32,
}

impl Choice {
    /// The child for a position.
    fn child(self, x: u32) -> Option<u32> {
        (self.low..=self.high)
            .contains(&x)
            .then(|| self.first + (x - self.low))
    }
}

impl Trie {
    /// All cuts of an order.
    pub(crate) fn build(chains: &impl Chains, budget: &Budget<'_>) -> Result<Trie, Spent> {
        let width = chains.count();
        let mut trie = Trie {
            levels: Vec::with_capacity(width),
            cuts: 1,
        };
        let mut bounds = Bounds::of(chains);
        for chain in 0..width {
            let mut level = Vec::new();
            let mut next = Bounds::default();
            let mut first = 0_u64;
            for node in 0..bounds.low.len() / width {
                budget.tick()?;
                let (low, high) = bounds.at(node, width);
                let choice = Choice {
                    low: low[chain],
                    high: high[chain],
                    first: u32::try_from(first).map_err(|_| Spent::Memory)?,
                };
                first += u64::from(choice.high - choice.low) + 1;
                charge_growth(budget, level.len(), level.capacity(), size_of::<Choice>())?;
                level.push(choice);
                for x in choice.low..=choice.high {
                    if chain + 1 < width {
                        next.push(chains, chain, x, (low, high), budget)?;
                    }
                }
            }
            trie.cuts = u32::try_from(first).map_err(|_| Spent::Memory)? as usize;
            trie.levels.push(level);
            budget.release(bounds.charged);
            bounds = next;
        }
        Ok(trie)
    }

    /// The number of a cut.
    pub(crate) fn find(&self, cut: &[u32]) -> usize {
        let mut node = 0;
        for (level, &x) in self.levels.iter().zip(cut) {
            let choice = level[node];
            node = (choice.first + (x - choice.low)) as usize;
        }
        node
    }

    /// Visits all cuts from the last to the first, each after those it leads to: its number, the cut, and where its steps
    /// lead. The cuts of a row come one after the other.
    pub(crate) fn descend(
        &self,
        budget: &Budget<'_>,
        visit: impl FnMut(usize, &[u32], &[Next]),
    ) -> Result<(), Spent> {
        let mut descent = Descent {
            trie: self,
            cut: vec![0; self.levels.len()],
            budget,
            visit,
        };
        descent.below(0, 0, &[])
    }
}

/// The way from the last cut to the first.
struct Descent<'a, V> {
    trie: &'a Trie,
    cut: Vec<u32>,
    budget: &'a Budget<'a>,
    visit: V,
}

impl<V: FnMut(usize, &[u32], &[Next])> Descent<'_, V> {
    /// Visits the cuts below a node; `after` are the nodes of the same level with one earlier chain a step further.
    fn below(&mut self, depth: usize, node: u32, after: &[Next]) -> Result<(), Spent> {
        let Some(level) = self.trie.levels.get(depth) else {
            (self.visit)(node as usize, &self.cut, &[]);
            return Ok(());
        };
        let choice = level[node as usize];
        let is_row = depth + 1 == self.trie.levels.len();
        let mut below = Vec::with_capacity(after.len() + 1);
        for x in (choice.low..=choice.high).rev() {
            self.budget.tick()?;
            self.cut[depth] = x;
            below.clear();
            below.extend(after.iter().filter_map(|next| {
                let node = level[next.node as usize].child(x)?;
                Some(Next { node, ..*next })
            }));
            let chain = depth as u32;
            below.extend(choice.child(x + 1).map(|node| Next { chain, node }));
            let child = choice.first + (x - choice.low);
            if is_row {
                (self.visit)(child as usize, &self.cut, &below);
            } else {
                self.below(depth + 1, child, &below)?;
            }
        }
        Ok(())
    }
}

/// For each node of a level, within which bounds the chains may still be: rows of numbers, end to end.
#[derive(Default)]
struct Bounds {
    low: Vec<u32>,
    high: Vec<u32>,
    charged: usize,
}

impl Bounds {
    /// Those of the root.
    fn of(chains: &impl Chains) -> Self {
        Bounds {
            low: vec![0; chains.count()],
            high: (0..chains.count())
                .map(|chain| chains.length(chain))
                .collect(),
            charged: 0,
        }
    }

    fn at(&self, node: usize, width: usize) -> (&[u32], &[u32]) {
        let row = node * width..(node + 1) * width;
        (&self.low[row.clone()], &self.high[row])
    }

    /// Adds what is left of a node's bounds once a chain has come so far.
    fn push(
        &mut self,
        chains: &impl Chains,
        chain: usize,
        x: u32,
        (low, high): (&[u32], &[u32]),
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let row = self.low.len();
        for numbers in [&self.low, &self.high] {
            let length = numbers.len() + low.len();
            self.charged += charge_growth(budget, length, numbers.capacity(), 4)?;
        }
        self.low.extend_from_slice(low);
        self.high.extend_from_slice(high);
        for later in chain + 1..low.len() {
            let (low, high) = (&mut self.low[row + later], &mut self.high[row + later]);
            *low = chains.least(chain, x, later).max(*low);
            *high = chains.most(chain, x, later).min(*high);
        }
        Ok(())
    }
}

/// Pays for a list that is about to double, while the old and the new one are both there; says how much.
fn charge_growth(
    budget: &Budget<'_>,
    length: usize,
    capacity: usize,
    size: usize,
) -> Result<usize, Spent> {
    if length < capacity {
        return Ok(0);
    }
    let bytes = (2 * capacity).max(length) * size;
    budget.charge(bytes)?;
    Ok(bytes)
}
