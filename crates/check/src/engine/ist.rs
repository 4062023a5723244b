//! Interval sharing trees in canonical form: sets of cuts by the million million, operated on as diagrams.
//!
//! Every sub-formula becomes the diagram of the cuts that satisfy it, from the atoms up (paper IST, section 5). Where the
//! paper iterates fixpoints of `pre`, one pass over the diagram computes an until (`solve::diagram`); everything else is
//! reduced to that, with the meaning at the final cut `E` that the runs give it and the paper's fixpoints miss:
//!
//! ```text
//! EX f       pre(f) ∩ cuts
//! E[f U g]   one pass
//! A[f U g]   cuts \ E[!g U (!g && (!f || E))]      the paper's fixpoint makes this a weak until
//! ```
//!
//! An atom is read layer by layer: after each layer it has shrunk to what the others must still satisfy, and equal
//! residues share their diagrams. Blocks of positions with one value are the paper's `A(e) ∩ B(e')`, without its
//! off-by-one at the end of a block.
//!
//! How large a diagram gets depends on the order of the layers more than on anything else: chains that talk to each other
//! belong next to each other. A greedy arrangement by the number of edges is tried first, one from the heaviest chain
//! outwards when that grows too large.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use causet_formula::core::{Ctl, Pred};
use causet_formula::value::Value;
use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::diagram::{Forest, Node, Reading as LayerReading};
use rustc_hash::FxHashMap;

use super::Finding;
use super::argue::{Decided, argue};
use crate::project::{Known, Projection, Reading, TermId, Track, View};

/// Diagrams kept from one formula to the next that speaks of the same chains.
pub struct Stock<'b> {
    budget: &'b Budget<'b>,
    shelves: Mutex<Vec<Shelf<'b>>>,
}

/// A forest for some chains, with what is known of it.
struct Shelf<'b> {
    key: (Vec<(Track, usize)>, bool),
    forest: Forest<'b>,
    /// The chain of each layer.
    layers: Vec<usize>,
    /// All cuts.
    cuts: Node,
    /// The final one.
    last: Node,
    /// The cuts that satisfy a formula, for every until, what it leads to, and the whole.
    known: FxHashMap<Ctl, Node>,
    /// What operations under way still need.
    kept: Vec<Node>,
}

/// How many forests are kept.
const MOST_SHELVES: usize = 2;
/// A forest with more nodes is cleared of all but what later formulas may use.
const MANY_NODES: usize = 1 << 20;

impl<'b> Stock<'b> {
    /// An empty stock; what is put there is charged to this budget.
    pub fn new(budget: &'b Budget<'b>) -> Self {
        Stock {
            budget,
            shelves: Mutex::default(),
        }
    }

    /// A forest for the chains of a projection: one from the stock, or a new one with all cuts.
    fn take(&self, projection: &Projection<'_>, second: bool) -> Result<Shelf<'b>, Spent> {
        let key = (projection.chains_key(), second);
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = shelves.iter().position(|shelf| shelf.key == key) {
            return Ok(shelves.swap_remove(at));
        }
        drop(shelves);
        let layers = arrange(projection, second, self.budget)?;
        let lengths = layers.iter().map(|&chain| projection.length(chain));
        let mut forest = Forest::new(lengths.collect(), self.budget);
        let cuts = forest.all_cuts(projection, &layers)?;
        let last = forest.single(&reordered(&layers, &projection.last_cut()))?;
        Ok(Shelf {
            key,
            forest,
            layers,
            cuts,
            last,
            known: FxHashMap::default(),
            kept: Vec::new(),
        })
    }

    /// Keeps a forest for the next formula.
    fn put(&self, mut shelf: Shelf<'b>) {
        if shelf.forest.nodes() > MANY_NODES {
            shelf.known.clear();
            shelf.clean();
        }
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if shelves.len() >= MOST_SHELVES {
            shelves.remove(0);
        }
        shelves.push(shelf);
    }

    /// Gives back all memory; says whether there was any to give.
    pub(crate) fn clear(&self) -> bool {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = !shelves.is_empty();
        shelves.clear();
        kept
    }
}

/// Any formula of the core about cuts.
pub fn supports(_formula: &Ctl) -> Result<(), String> {
    Ok(())
}

/// Decides a formula at the initial cut; `second` asks for the other arrangement of the layers.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    second: bool,
    stock: &Stock<'_>,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let mut shelf = stock.take(projection, second)?;
    shelf.decide(projection, goal)?;
    let diagrams = Diagrams {
        projection,
        shelf: &shelf,
    };
    let holds = diagrams.holds(goal, &projection.first_cut());
    debug_assert!(shelf.known.contains_key(goal));
    let route = argue(&diagrams, goal, holds, budget)?;
    let stats = BTreeMap::from([
        ("nodes", shelf.forest.nodes() as u64),
        ("edges", shelf.forest.edges() as u64),
    ]);
    stock.put(shelf);
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

impl<'b> Shelf<'b> {
    /// The cuts that satisfy a formula.
    fn decide(&mut self, projection: &Projection<'_>, formula: &Ctl) -> Result<Node, Spent> {
        if let Some(&known) = self.known.get(formula) {
            return Ok(known);
        }
        let set = match formula {
            Ctl::Eu(hold, goal) => {
                let hold = self.decide(projection, hold)?;
                let goal = self.decide(projection, goal)?;
                self.with(&[hold, goal], |forest| forest.until(hold, goal))?
            }
            Ctl::Au(hold, goal) => self.always_until(projection, hold, goal)?,
            _ => self.inside(projection, formula, true, self.cuts)?,
        };
        self.known.insert(formula.clone(), set);
        Ok(set)
    }

    /// The cuts of `within` at which a formula has a truth value. In a conjunction each part is looked at only where the
    /// parts before it hold, predicates first: what `EX` says matters only there, and there may be few such cuts.
    fn inside(
        &mut self,
        projection: &Projection<'_>,
        formula: &Ctl,
        truth: bool,
        within: Node,
    ) -> Result<Node, Spent> {
        let set = match formula {
            Ctl::Not(part) => return self.inside(projection, part, !truth, within),
            Ctl::And(parts) | Ctl::Or(parts) => {
                let all = matches!(formula, Ctl::And(_)) == truth;
                return self.junction(projection, parts, truth, all, within);
            }
            Ctl::Eu(..) | Ctl::Au(..) | Ctl::Ex(_) => {
                self.kept.push(within);
                let set = self.temporal(projection, formula, within);
                self.kept.pop();
                set?
            }
            Ctl::State(pred) => self.atom(projection, pred, within)?,
        };
        self.with(&[set, within], |forest| match truth {
            true => forest.intersection(within, set),
            false => forest.difference(within, set),
        })
    }

    /// The cuts that satisfy a temporal formula, as far as they lie in `within`.
    fn temporal(
        &mut self,
        projection: &Projection<'_>,
        formula: &Ctl,
        within: Node,
    ) -> Result<Node, Spent> {
        let Ctl::Ex(part) = formula else {
            return self.decide(projection, formula);
        };
        let part = self.decide(projection, part)?;
        self.with(&[part, within], |forest| forest.before_within(part, within))
    }

    fn junction(
        &mut self,
        projection: &Projection<'_>,
        parts: &[Ctl],
        truth: bool,
        all: bool,
        within: Node,
    ) -> Result<Node, Spent> {
        let (states, others): (Vec<&Ctl>, Vec<&Ctl>) =
            parts.iter().partition(|part| matches!(part, Ctl::State(_)));
        let mut parts = states.into_iter().chain(others);
        if all {
            return parts.try_fold(within, |within, part| {
                self.inside(projection, part, truth, within)
            });
        }
        parts.try_fold(Node::EMPTY, |sofar, part| {
            self.kept.push(sofar);
            let set = self.inside(projection, part, truth, within);
            self.kept.pop();
            let set = set?;
            self.with(&[sofar, set], |forest| forest.union(sofar, set))
        })
    }

    /// `A[hold U goal]`: no run can avoid the goal until `hold` fails or the run is over.
    fn always_until(
        &mut self,
        projection: &Projection<'_>,
        hold: &Ctl,
        goal: &Ctl,
    ) -> Result<Node, Spent> {
        let avoids = self.inside(projection, goal, false, self.cuts)?;
        self.kept.push(avoids);
        let fails = self.inside(projection, hold, false, avoids);
        self.kept.pop();
        let fails = fails?;
        let last = self.last;
        let over = self.with(&[avoids, fails], |forest| forest.intersection(avoids, last))?;
        let lost = self.with(&[avoids, fails, over], |forest| forest.union(fails, over))?;
        let avoidable = self.with(&[avoids, lost], |forest| forest.until(avoids, lost))?;
        let cuts = self.cuts;
        self.with(&[avoidable], |forest| forest.difference(cuts, avoidable))
    }

    fn atom(
        &mut self,
        projection: &Projection<'_>,
        pred: &Pred,
        within: Node,
    ) -> Result<Node, Spent> {
        let view = projection.view(projection.number_of(pred));
        let mut reading = Residues::new(projection, &self.layers, view);
        self.with(&[within], |forest| forest.filter(within, &mut reading))
    }

    /// Carries out an operation; when it runs out of memory, once more without the rubbish of earlier ones.
    fn with(
        &mut self,
        operands: &[Node],
        mut operation: impl FnMut(&mut Forest<'b>) -> Result<Node, Spent>,
    ) -> Result<Node, Spent> {
        match operation(&mut self.forest) {
            Err(Spent::Memory) => {
                self.clean_but(operands);
                operation(&mut self.forest)
            }
            done => done,
        }
    }

    fn clean(&mut self) {
        self.clean_but(&[]);
    }

    fn clean_but(&mut self, operands: &[Node]) {
        let mut roots: Vec<Node> = self.known.values().copied().collect();
        roots.extend_from_slice(operands);
        roots.extend_from_slice(&self.kept);
        roots.extend([self.cuts, self.last]);
        self.forest.collect(&roots);
    }
}

/// Every sub-formula decided.
struct Diagrams<'a, 's, 'b> {
    projection: &'a Projection<'s>,
    shelf: &'a Shelf<'b>,
}

impl Decided for Diagrams<'_, '_, '_> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        if let Some(&set) = self.shelf.known.get(formula) {
            let point = reordered(&self.shelf.layers, cut);
            return self.shelf.forest.contains(set, &point);
        }
        match formula {
            Ctl::State(pred) => {
                let number = self.projection.number_of(pred);
                self.projection.holds(number, cut)
            }
            Ctl::Not(part) => !self.holds(part, cut),
            Ctl::And(parts) => parts.iter().all(|part| self.holds(part, cut)),
            Ctl::Or(parts) => parts.iter().any(|part| self.holds(part, cut)),
            Ctl::Ex(part) => {
                let mut chains = 0..self.projection.count();
                let mut next = cut.to_vec();
                chains.any(|chain| {
                    let may = self.projection.may_advance(cut, chain);
                    next[chain] += 1;
                    let holds = may && self.holds(part, &next);
                    next[chain] -= 1;
                    holds
                })
            }
            Ctl::Eu(..) | Ctl::Au(..) => false,
        }
    }

    fn nearest(&self, formula: &Ctl, from: &[u32]) -> Option<Vec<u32>> {
        if from.iter().any(|&x| x > 0) {
            return None;
        }
        let point = self.shelf.forest.lowest(*self.shelf.known.get(formula)?)?;
        let mut cut = vec![0; point.len()];
        for (&chain, x) in self.shelf.layers.iter().zip(point) {
            cut[chain] = x;
        }
        Some(cut)
    }
}

/// A cut with its numbers in the order of the layers.
fn reordered(layers: &[usize], cut: &[u32]) -> Vec<u32> {
    layers.iter().map(|&chain| cut[chain]).collect()
}

/// The order of the layers. The first arrangement appends, from each possible start, the chain with the least weight to
/// chains not yet placed less its weight to those placed, and takes the best start; the second starts with the heaviest
/// chain and appends the one that talks most to those placed.
pub(crate) fn arrange(
    chains: &dyn Chains,
    second: bool,
    budget: &Budget<'_>,
) -> Result<Vec<usize>, Spent> {
    let weights = weights(chains, budget)?;
    let total: Vec<i64> = weights.iter().map(|row| row.iter().sum()).collect();
    let count = chains.count();
    if second {
        let heaviest = (0..count).max_by_key(|&chain| total[chain]);
        let talks_most = |placed: i64, total: i64| (-placed, total);
        let order = heaviest.map(|start| place(start, &weights, &total, talks_most).0);
        return Ok(order.unwrap_or_default());
    }
    let starts = (0..count).step_by(count.div_ceil(MOST_STARTS).max(1));
    let least_cut = |placed: i64, total: i64| (total - 2 * placed, 0);
    let orders = starts.map(|start| place(start, &weights, &total, least_cut));
    let best = orders.min_by_key(|&(_, width)| width);
    Ok(best.map(|(order, _)| order).unwrap_or_default())
}

/// From how many chains an arrangement is started.
const MOST_STARTS: usize = 64;

/// Appends the chain with the least rank again and again; also gives the sum of the weights between front and rest.
fn place(
    start: usize,
    weights: &[Vec<i64>],
    total: &[i64],
    rank: impl Fn(i64, i64) -> (i64, i64),
) -> (Vec<usize>, i64) {
    let count = weights.len();
    let mut placed_weight = vec![0_i64; count];
    let mut is_placed = vec![false; count];
    let (mut order, mut open, mut width) = (Vec::with_capacity(count), 0, 0);
    let mut next = Some(start);
    while let Some(chain) = next {
        is_placed[chain] = true;
        open += total[chain] - 2 * placed_weight[chain];
        width += open;
        order.push(chain);
        for (other, weight) in weights[chain].iter().enumerate() {
            placed_weight[other] += weight;
        }
        next = (0..count)
            .filter(|&other| !is_placed[other])
            .min_by_key(|&other| rank(placed_weight[other], total[other]));
    }
    (order, width)
}

/// How much two chains have to do with each other: how often one learns something new of the other.
fn weights(chains: &dyn Chains, budget: &Budget<'_>) -> Result<Vec<Vec<i64>>, Spent> {
    let count = chains.count();
    let mut weights = vec![vec![0; count]; count];
    let pairs = (0..count).flat_map(|chain| (0..count).map(move |other| (chain, other)));
    for (chain, other) in pairs.filter(|(chain, other)| chain != other) {
        budget.look()?;
        let news = lessons(chains, chain, other);
        weights[chain][other] += news;
        weights[other][chain] += news;
    }
    Ok(weights)
}

/// How often a chain learns something new of another.
fn lessons(chains: &dyn Chains, chain: usize, other: usize) -> i64 {
    let mut known = 0;
    let mut news = 0;
    for x in 1..=chains.length(chain) {
        let now = chains.least(chain, x, other);
        news += i64::from(now > known);
        known = known.max(now);
    }
    news
}

/// An atom read layer by layer.
struct Residues<'a, 's> {
    projection: &'a Projection<'s>,
    /// Per layer: where its terms change, and for each piece between, which values they have there.
    layers: Vec<Pieces>,
    /// What is left of the atom, with how many changes of unfinished terms have been read.
    states: Vec<(View, Vec<u32>)>,
    numbers: FxHashMap<(View, Vec<u32>), u32>,
    steps: FxHashMap<(u32, usize, u32), u32>,
    /// The terms whose changes lie on several layers, and the last of those.
    spread: Vec<(TermId, usize)>,
}

#[derive(Default)]
struct Pieces {
    chain: usize,
    breaks: Vec<u32>,
    /// For each piece the number of its combination of values, and a position that has it.
    combination: Vec<u32>,
    sample: Vec<u32>,
}

impl<'a, 's> Residues<'a, 's> {
    fn new(projection: &'a Projection<'s>, layers: &[usize], view: &View) -> Self {
        let mut view = view.clone();
        let mut terms = Vec::new();
        view.each_term(&mut |term| terms.push(*term));
        terms.sort_unstable();
        terms.dedup();
        let spread = terms
            .iter()
            .filter_map(|&term| match projection.reading(term) {
                Reading::Several { counts, .. } => {
                    let layer = |(chain, _): &(usize, Vec<u32>)| {
                        layers.iter().position(|layer| layer == chain).unwrap_or(0)
                    };
                    Some((term, counts.iter().map(layer).max().unwrap_or(0)))
                }
                Reading::One { .. } => None,
            });
        let mut residues = Residues {
            projection,
            layers: Vec::new(),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            steps: FxHashMap::default(),
            spread: spread.collect(),
        };
        for &chain in layers {
            residues.layers.push(residues.pieces(chain, &terms));
        }
        let open = residues.after(&view, &vec![0; residues.spread.len()], None, 0);
        residues.number(open);
        residues
    }

    /// Where the terms change on a chain.
    fn pieces(&self, chain: usize, terms: &[TermId]) -> Pieces {
        let mut pieces = Pieces {
            chain,
            ..Pieces::default()
        };
        let mut tables: Vec<&[u32]> = Vec::new();
        for &term in terms {
            match self.projection.reading(term) {
                Reading::One { chain: own, values } if *own == chain => {
                    tables.push(values);
                }
                Reading::One { .. } => {}
                Reading::Several { counts, .. } => {
                    let own = counts.iter().find(|(own, _)| *own == chain);
                    tables.extend(own.map(|(_, counts)| &counts[..]));
                }
            }
        }
        let at = |x: u32| -> Vec<u32> { tables.iter().map(|table| table[x as usize]).collect() };
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for x in 0..=self.projection.length(chain) {
            let changed = x > 0
                && tables
                    .iter()
                    .any(|table| table[x as usize] != table[x as usize - 1]);
            if changed {
                pieces.breaks.push(x);
            }
            if changed || x == 0 {
                let fresh = numbers.len() as u32;
                pieces
                    .combination
                    .push(*numbers.entry(at(x)).or_insert(fresh));
                pieces.sample.push(x);
            }
        }
        pieces
    }

    fn number(&mut self, state: (View, Vec<u32>)) -> u32 {
        let fresh = self.states.len() as u32;
        let number = *self.numbers.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
        }
        number
    }

    /// What is left of a view after a layer was read at a position; before the first one when there is none.
    fn after(&self, view: &View, read: &[u32], layer: Option<usize>, x: u32) -> (View, Vec<u32>) {
        let pieces = layer.map(|layer| &self.layers[layer]);
        let mut read = read.to_vec();
        for (sofar, (term, _)) in read.iter_mut().zip(&self.spread) {
            if let (Reading::Several { counts, .. }, Some(pieces)) =
                (self.projection.reading(*term), pieces)
                && let Some((_, counts)) = counts.iter().find(|(chain, _)| *chain == pieces.chain)
            {
                *sofar += counts[x as usize];
            }
        }
        let known = AfterLayer {
            residues: self,
            pieces,
            read: &read,
            layer,
            x,
        };
        let view = view.given(&known);
        // Finished terms are in the view by now.
        for (sofar, (_, last)) in read.iter_mut().zip(&self.spread) {
            if layer.is_some_and(|layer| layer >= *last) {
                *sofar = 0;
            }
        }
        if matches!(view, View::Const(_)) {
            read.fill(0);
        }
        (view, read)
    }
}

impl LayerReading for Residues<'_, '_> {
    fn start(&self) -> u32 {
        0
    }

    fn breaks(&self, layer: usize) -> &[u32] {
        &self.layers[layer].breaks
    }

    fn step(&mut self, state: u32, layer: usize, piece: usize) -> u32 {
        let pieces = &self.layers[layer];
        let key = (state, layer, pieces.combination[piece]);
        if let Some(&next) = self.steps.get(&key) {
            return next;
        }
        let (view, read) = &self.states[state as usize];
        let next = self.after(view, read, Some(layer), pieces.sample[piece]);
        let next = self.number(next);
        self.steps.insert(key, next);
        next
    }

    fn decided(&self, state: u32, _layer: usize) -> Option<bool> {
        match self.states[state as usize].0 {
            View::Const(truth) => Some(truth),
            _ => None,
        }
    }
}

/// The terms that are known once a layer has been read.
struct AfterLayer<'a, 'p, 's> {
    residues: &'a Residues<'p, 's>,
    pieces: Option<&'a Pieces>,
    read: &'a [u32],
    layer: Option<usize>,
    x: u32,
}

impl Known for AfterLayer<'_, '_, '_> {
    fn value(&self, term: TermId) -> Option<Option<Value>> {
        let projection = self.residues.projection;
        let number = match projection.reading(term) {
            Reading::One { chain, values } => {
                self.pieces.filter(|pieces| pieces.chain == *chain)?;
                values[self.x as usize]
            }
            Reading::Several { counts, values } => {
                let spread = &self.residues.spread;
                let at = spread.iter().position(|(spread, _)| *spread == term)?;
                let is_finished =
                    counts.is_empty() || self.layer.is_some_and(|layer| layer >= spread[at].1);
                values[is_finished.then(|| self.read[at] as usize)?]
            }
        };
        Some(projection.values_of(term)[number as usize].clone())
    }

    fn divided_by_zero(&self) {
        self.residues.projection.note_division_by_zero();
    }
}
