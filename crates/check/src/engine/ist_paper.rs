//! The paper's own method: sets of cuts as interval sharing trees that are not canonical, temporal operators as fixpoints
//! that are iterated step by step.
//!
//! Every sub-formula becomes the tree of the cuts that satisfy it, parts before the whole (paper IST, section 5). The cuts
//! themselves come first: the box of all points, from which each communication edge removes the points that hold its end
//! without its beginning. Then predicates as blocks of their chain, boolean operators as set operations, `EF` in one
//! downward closure (Lemma 10) and every other until by iterating predecessors.
//!
//! The engine is never the best choice. It stands here so that what the canonical diagrams gain, and what one pass
//! instead of an iteration gains, is a measurement; and so that a second symbolic method answers every case. It follows
//! the text where the text is right. Where it is not, this is what happens instead:
//!
//! | place | as printed | why not | here |
//! |---|---|---|---|
//! | section 3, `U` | the first holds on `[0, i]` | against the section's own fixpoints | on `[0, i)` |
//! | section 4, enabled | `x < pos(e)`, and a wrong process | skips events | `x + 1 = pos(e)`, all else by I_T |
//! | section 4, shift | `x_i - 1` may be -1 | only cut off by the next intersection | cut off at once |
//! | section 5, predicates | a block ends before its last write | blocks of one write vanish | it ends before the next one starts |
//! | section 5, `EG` | greatest `X = f && pre_some(X)` | empty: the last cut has no successor | the dual of `AF` |
//! | section 5, `A[f U g]` | least `X = g \|\| f && pre_all(X)` | the last cut is in `pre_all` of nothing, so `AF` is true | without the last cut |
//!
//! The tests run the printed versions of the last three and find them wrong.
//!
//! Beyond the paper: a variable starts as the recording says, not as 0; a predicate may look at several variables. It is
//! taken apart into terms that a totally ordered list of events decides each; connectives between terms are operations
//! on trees, and below a comparison of several terms the cuts are split by the values of each in turn.

use std::collections::BTreeMap;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_base::value::Value;
use causet_formula::core::{Ctl, Pred};
use causet_solve::chains::Chains;
use causet_solve::sharing_tree::{Grid, Span, Tree};

use super::Finding;
use super::argue::{Decided, argue};
use super::subformulas::{Node, Subformulas};
use super::table::{Engine, OfCuts, Skill};
use crate::project::{Projection, Reading, Values, View};
use crate::refusal::refused;

/// Its row in the table.
pub static ENGINE: Engine = Engine {
    name: "ist-paper",
    about: "Interval sharing trees as published, for comparison",
    skill: Skill::Cuts(OfCuts {
        supports: |projection, _| supports(projection),
        run: |task| run(task.projection, task.formula, task.budget),
        layouts: 1,
    }),
    takes_all: true,
};

/// How many chains a run may have: operations recurse once a chain, and stacks are not endless.
const MOST_CHAINS: usize = 1 << 10;

/// Any formula of the core, on a run without too many chains.
fn supports(projection: &Projection<'_>) -> Result<(), Diagnostic> {
    match projection.count() {
        0..=MOST_CHAINS => Ok(()),
        count => Err(refused(format!(
            "the formula is about {count} chains of events, more than {MOST_CHAINS}"
        ))),
    }
}

/// Decides a formula at the initial cut.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let table = Subformulas::of(&[goal]);
    let mut space = Space::new(projection, budget)?;
    let sets = Sets {
        projection,
        table: &table,
        trees: space.decide_all(&table)?,
    };
    let holds = sets.holds(goal, &projection.first_cut());
    let route = budget.explain(|| argue(&sets, goal, holds, budget));
    let stats = BTreeMap::from([
        ("nodes", space.largest as u64),
        ("iterations", space.iterations),
    ]);
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

/// All sub-formulas, each as the tree of the cuts that satisfy it.
struct Sets<'a, 's, 'b> {
    projection: &'a Projection<'s>,
    table: &'a Subformulas<'a>,
    trees: Vec<Tree<'b>>,
}

impl Decided for Sets<'_, '_, '_> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        self.trees[self.table.number(formula)].contains(cut)
    }
}

/// An event by its place: how many events of its chain there are up to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    chain: usize,
    position: u32,
}

/// A communication: an event of one chain that an event of another waits for.
struct Edge {
    from: Place,
    to: Place,
}

/// The cuts of a run and the trees that belong to it.
struct Space<'a, 's, 'b> {
    projection: &'a Projection<'s>,
    grid: Grid<'b>,
    edges: Vec<Edge>,
    /// All cuts.
    all: Tree<'b>,
    /// The last cut alone.
    last: Tree<'b>,
    /// Per chain the cuts where its next event may not happen, once needed.
    blocked: Vec<Tree<'b>>,
    /// The nodes of the largest tree so far.
    largest: usize,
    iterations: u64,
}

impl<'a, 's, 'b> Space<'a, 's, 'b> {
    fn new(projection: &'a Projection<'s>, budget: &'b Budget<'b>) -> Result<Self, Spent> {
        let lengths = projection.last_cut();
        let spans = lengths.iter().enumerate().map(|(layer, &length)| Span {
            layer,
            low: length,
            high: length,
        });
        let spans: Vec<Span> = spans.collect();
        let grid = Grid::new(lengths, budget);
        let mut space = Space {
            projection,
            edges: edges(projection),
            all: grid.everything()?,
            last: grid.rectangle(&spans)?,
            blocked: Vec::new(),
            largest: 0,
            iterations: 0,
            grid,
        };
        space.remove_what_is_no_cut()?;
        Ok(space)
    }

    /// The tree I_T, one edge after the other (paper IST, section 5 and Lemma 1).
    fn remove_what_is_no_cut(&mut self) -> Result<(), Spent> {
        for edge in &self.edges {
            let (to, from) = (edge.to, edge.from);
            let ends = self.grid.containing(to.chain, to.position)?;
            let not_begun = self.grid.lacking(from.chain, from.position)?;
            let wrong = self.grid.intersection(&ends, &not_begun)?;
            self.all = self.grid.difference(&self.all, &wrong)?;
        }
        self.largest = self.all.nodes();
        Ok(())
    }

    /// One tree a sub-formula.
    fn decide_all(&mut self, table: &Subformulas<'_>) -> Result<Vec<Tree<'b>>, Spent> {
        let mut trees = Vec::with_capacity(table.nodes.len());
        for node in &table.nodes {
            let tree = self.decide(table, node, &trees)?;
            self.measure(&tree);
            trees.push(tree);
        }
        Ok(trees)
    }

    fn decide(
        &mut self,
        table: &Subformulas<'_>,
        node: &Node<'_>,
        trees: &[Tree<'b>],
    ) -> Result<Tree<'b>, Spent> {
        match node {
            Node::State(pred) => {
                let view = self.projection.view(self.projection.number_of(pred));
                self.satisfying(view, &self.all)
            }
            // The paper intersects the complement with I_T (Lemma 3); the same set in one operation.
            Node::Not(part) => self.grid.difference(&self.all, &trees[*part]),
            Node::And(parts) => {
                let parts = parts.iter().map(|&part| &trees[part]);
                self.join(self.grid.everything()?, parts, Grid::intersection)
            }
            Node::Or(parts) => {
                let parts = parts.iter().map(|&part| &trees[part]);
                self.join(self.grid.nothing()?, parts, Grid::union)
            }
            Node::Ex(part) => self.before_some(&trees[*part]),
            Node::Eu(hold, goal) if is_true(&table.nodes[*hold]) => self.reach(&trees[*goal]),
            Node::Eu(hold, goal) => self.some_until(&trees[*hold], &trees[*goal]),
            Node::Au(hold, goal) => self.all_until(&trees[*hold], &trees[*goal]),
        }
    }

    fn join<'t>(
        &self,
        start: Tree<'b>,
        parts: impl IntoIterator<Item = &'t Tree<'b>>,
        operation: impl Fn(&Grid<'b>, &Tree<'b>, &Tree<'b>) -> Result<Tree<'b>, Spent>,
    ) -> Result<Tree<'b>, Spent>
    where
        'b: 't,
    {
        let mut parts = parts.into_iter();
        parts.try_fold(start, |sum, part| operation(&self.grid, &sum, part))
    }

    /// `EF`: whatever is below is a way there, if it is a cut (paper IST, Lemma 10).
    fn reach(&self, goal: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        self.grid.intersection(&self.grid.below(goal)?, &self.all)
    }

    /// `E[hold U goal]`, the least `X = goal || hold && pre_some(X)` (paper IST, section 5).
    fn some_until(&mut self, hold: &Tree<'b>, goal: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        self.least(|space, known| {
            let before = space.before_some(known)?;
            space
                .grid
                .union(goal, &space.grid.intersection(hold, &before)?)
        })
    }

    /// `A[hold U goal]`, the least `X = goal || hold && pre_all(X)` without the last cut.
    ///
    /// As printed the last cut is in `pre_all` of the empty set, having no successor at all, so an until that never comes
    /// true would be true wherever `hold` lasts (paper IST, section 5: a weak until).
    fn all_until(&mut self, hold: &Tree<'b>, goal: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        self.find_blocked()?;
        let hold = self.grid.difference(hold, &self.last)?;
        self.least(|space, known| {
            let before = space.before_all(known)?;
            space
                .grid
                .union(goal, &space.grid.intersection(&hold, &before)?)
        })
    }

    /// The least fixpoint of a function that grows with its argument, from the empty set step by step.
    ///
    /// Trees of equal sets may differ, so the end shows only by asking for inclusion.
    fn least(
        &mut self,
        step: impl Fn(&Self, &Tree<'b>) -> Result<Tree<'b>, Spent>,
    ) -> Result<Tree<'b>, Spent> {
        let mut known = self.grid.nothing()?;
        loop {
            let next = step(self, &known)?;
            self.iterations += 1;
            self.measure(&next);
            if self.grid.within(&next, &known)? {
                return Ok(known);
            }
            known = next;
        }
    }

    /// The cuts with some successor in a set (paper IST, definition 3 and Theorem 1).
    fn before_some(&self, set: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        let mut before = self.grid.nothing()?;
        for chain in 0..self.projection.count() {
            before = self.grid.union(&before, &self.before(set, chain)?)?;
        }
        Ok(before)
    }

    /// The cuts with all successors in a set (paper IST, definition 4 and Theorem 2).
    fn before_all(&self, set: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        let mut before = self.grid.everything()?;
        for (chain, blocked) in self.blocked.iter().enumerate() {
            let fine = self.grid.union(&self.before(set, chain)?, blocked)?;
            before = self.grid.intersection(&before, &fine)?;
        }
        Ok(before)
    }

    /// The cuts from which the next event of a chain leads into a set (paper IST, Lemma 5).
    ///
    /// That the event may happen need not be asked: a cut and a cut with one event more differ by a possible event. The
    /// printed condition for it, that the chain has come less far than the event, would allow to skip events.
    fn before(&self, set: &Tree<'b>, chain: usize) -> Result<Tree<'b>, Spent> {
        let shifted = self.grid.lowered(set, chain)?;
        self.grid.intersection(&shifted, &self.all)
    }

    /// The trees I_blocked of all chains (paper IST, Lemma 8).
    fn find_blocked(&mut self) -> Result<(), Spent> {
        for chain in self.blocked.len()..self.projection.count() {
            let tree = self.blocked_on(chain)?;
            self.measure(&tree);
            self.blocked.push(tree);
        }
        Ok(())
    }

    /// The cuts where a chain is over, or its next event waits for another.
    fn blocked_on(&self, chain: usize) -> Result<Tree<'b>, Spent> {
        let over = self.projection.length(chain);
        let mut blocked = self.grid.containing(chain, over)?;
        for edge in self.edges.iter().filter(|edge| edge.to.chain == chain) {
            let ready = Span {
                layer: chain,
                low: edge.to.position - 1,
                high: edge.to.position - 1,
            };
            let waiting = Span {
                layer: edge.from.chain,
                low: 0,
                high: edge.from.position - 1,
            };
            let waits = self.grid.rectangle(&[ready, waiting])?;
            blocked = self.grid.union(&blocked, &waits)?;
        }
        self.grid.intersection(&blocked, &self.all)
    }

    /// Those of some cuts that satisfy a predicate.
    ///
    /// A part is only asked where the parts before it leave the answer open, as in an evaluation from left to right: a
    /// division by zero that is guarded against is not met.
    fn satisfying(&self, view: &View, cuts: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        match view {
            View::Const(true) => self.grid.copy(cuts),
            View::Const(false) => self.grid.nothing(),
            View::Term(term) => {
                let blocks = self.blocks(&self.changes(*term), |value| value == 1)?;
                self.grid.intersection(&blocks, cuts)
            }
            View::Not(part) => {
                let satisfying = self.satisfying(part, cuts)?;
                self.grid.difference(cuts, &satisfying)
            }
            View::And(parts) => {
                let mut left = self.grid.copy(cuts)?;
                for part in parts {
                    left = self.satisfying(part, &left)?;
                }
                Ok(left)
            }
            View::Or(parts) => self.satisfying_some(parts, cuts),
            View::Compare(..) | View::Holds(_) => {
                let terms = terms(view);
                self.by_values(view, &terms, &mut BTreeMap::new(), self.grid.copy(cuts)?)
            }
        }
    }

    fn satisfying_some(&self, parts: &[View], cuts: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        let mut found = self.grid.nothing()?;
        let mut open = self.grid.copy(cuts)?;
        for (at, part) in parts.iter().enumerate() {
            let satisfying = self.satisfying(part, &open)?;
            found = self.grid.union(&found, &satisfying)?;
            if parts[at + 1..].iter().any(compares) {
                open = self.grid.difference(&open, &satisfying)?;
            }
        }
        Ok(found)
    }

    /// Splits cuts by the values of terms, one term after the other, and keeps those whose values satisfy a predicate.
    fn by_values(
        &self,
        view: &View,
        terms: &[usize],
        chosen: &mut BTreeMap<usize, u32>,
        cuts: Tree<'b>,
    ) -> Result<Tree<'b>, Spent> {
        if cuts.is_empty() {
            return Ok(cuts);
        }
        let Some((&term, later)) = terms.split_first() else {
            let values = Chosen {
                projection: self.projection,
                values: chosen,
            };
            return match view.holds(&values) {
                true => Ok(cuts),
                false => self.grid.nothing(),
            };
        };
        let changes = self.changes(term);
        let mut found = self.grid.nothing()?;
        for value in changes.values() {
            let blocks = self.blocks(&changes, |other| other == value)?;
            let part = self.grid.intersection(&blocks, &cuts)?;
            chosen.insert(term, value);
            let some = self.by_values(view, later, chosen, part)?;
            found = self.grid.union(&found, &some)?;
        }
        Ok(found)
    }

    /// The points at which the value of a term is one of some: a rectangle from the event that starts a block of such
    /// values to the event that starts the next block (paper IST, section 5 and Lemma 2).
    ///
    /// The paper ends a block before its own last write, `B(e_{s_{i+1} - 1})`: a block of a single write would be empty.
    fn blocks(&self, changes: &Changes, accepts: impl Fn(u32) -> bool) -> Result<Tree<'b>, Spent> {
        let mut found = self.grid.nothing()?;
        let mut since = accepts(changes.first).then_some(None);
        for &(place, value) in &changes.later {
            match (since, accepts(value)) {
                (None, true) => since = Some(Some(place)),
                (Some(start), false) => {
                    found = self.grid.union(&found, &self.block(start, Some(place))?)?;
                    since = None;
                }
                _ => {}
            }
        }
        match since {
            Some(start) => self.grid.union(&found, &self.block(start, None)?),
            None => Ok(found),
        }
    }

    /// The points that contain one event and lack another, as far as there are these.
    fn block(&self, start: Option<Place>, end: Option<Place>) -> Result<Tree<'b>, Spent> {
        let after = match start {
            Some(event) => self.grid.containing(event.chain, event.position)?,
            None => self.grid.everything()?,
        };
        match end {
            Some(event) => {
                let before = self.grid.lacking(event.chain, event.position)?;
                self.grid.intersection(&after, &before)
            }
            None => Ok(after),
        }
    }

    /// The values of a term and the events that change it, which are totally ordered (paper IST, definition 1, ii).
    fn changes(&self, term: usize) -> Changes {
        match self.projection.reading(term) {
            Reading::One { chain, values } => {
                let steps = values.windows(2).zip(1..);
                let changed = steps.filter(|(pair, _)| pair[0] != pair[1]);
                let chain = *chain;
                Changes {
                    first: values[0],
                    later: changed
                        .map(|(pair, position)| (Place { chain, position }, pair[1]))
                        .collect(),
                }
            }
            Reading::Several { counts, values } => {
                let mut places: Vec<(u32, Place)> = Vec::new();
                for (chain, count) in counts {
                    let steps = count.windows(2).zip(1..);
                    for (_, position) in steps.filter(|(pair, _)| pair[0] != pair[1]) {
                        let place = Place {
                            chain: *chain,
                            position,
                        };
                        places.push((self.changes_up_to(counts, place), place));
                    }
                }
                places.sort_unstable_by_key(|&(number, _)| number);
                Changes {
                    first: values[0],
                    later: places
                        .into_iter()
                        .map(|(number, place)| (place, values[number as usize]))
                        .collect(),
                }
            }
        }
    }

    /// How many changes of a term there are up to one of them: those in its past.
    fn changes_up_to(&self, counts: &[(usize, Vec<u32>)], place: Place) -> u32 {
        let past = counts.iter().map(|(chain, count)| {
            let known = self.projection.least(place.chain, place.position, *chain);
            count[known as usize]
        });
        past.sum()
    }

    fn measure(&mut self, tree: &Tree<'b>) {
        self.largest = self.largest.max(tree.nodes());
    }
}

/// The edges between chains that no others imply (paper IST, section 3: the communications of the Hasse diagram).
fn edges(projection: &Projection<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for chain in 0..projection.count() {
        for position in 1..=projection.length(chain) {
            let to = Place { chain, position };
            let others = (0..projection.count()).filter(|&other| other != chain);
            let froms = others.filter_map(|other| direct(projection, to, other));
            edges.extend(froms.map(|from| Edge { from, to }));
        }
    }
    edges
}

/// The event of another chain that an event waits for, unless the wait follows from earlier events or a third chain.
fn direct(projection: &Projection<'_>, to: Place, other: usize) -> Option<Place> {
    let needed = |via: usize| projection.least(to.chain, to.position, via);
    let position = needed(other);
    if position == projection.least(to.chain, to.position - 1, other) {
        return None;
    }
    let mut thirds = (0..projection.count()).filter(|&via| via != to.chain && via != other);
    let implied = thirds.any(|via| projection.least(via, needed(via), other) >= position);
    (!implied).then_some(Place {
        chain: other,
        position,
    })
}

fn is_true(node: &Node<'_>) -> bool {
    matches!(node, Node::State(Pred::Const(true)))
}

/// Whether a predicate compares values of several terms somewhere.
fn compares(view: &View) -> bool {
    match view {
        View::Const(_) | View::Term(_) => false,
        View::Not(part) => compares(part),
        View::And(parts) | View::Or(parts) => parts.iter().any(compares),
        View::Compare(..) | View::Holds(_) => true,
    }
}

/// The terms of a predicate, each once.
fn terms(view: &View) -> Vec<usize> {
    let mut terms = Vec::new();
    view.clone().each_term(&mut |term| terms.push(*term));
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// What happens to a term: its first value, and the events that change it with the values they change it to.
struct Changes {
    first: u32,
    later: Vec<(Place, u32)>,
}

impl Changes {
    /// The different values.
    fn values(&self) -> Vec<u32> {
        let later = self.later.iter().map(|&(_, value)| value);
        let mut values: Vec<u32> = later.chain([self.first]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// Values chosen for terms.
struct Chosen<'a, 's> {
    projection: &'a Projection<'s>,
    values: &'a BTreeMap<usize, u32>,
}

impl Values for Chosen<'_, '_> {
    fn truth(&self, term: usize) -> bool {
        self.values[&term] == 1
    }

    fn value(&self, term: usize) -> Option<Value> {
        self.projection.values_of(term)[self.values[&term] as usize].clone()
    }

    fn divided_by_zero(&self) {
        self.projection.note_division_by_zero();
    }
}

#[cfg(test)]
mod tests;
