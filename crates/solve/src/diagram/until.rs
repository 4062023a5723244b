//! One step back, and any number of steps back while something holds, in one pass over the layers.
//!
//! The predecessors of a set are its shifts by one position, layer by layer (paper IST, section 5, Lemmas 4 and 5). The
//! paper then iterates to a fixpoint. But a step only ever raises a position, so the fixpoint of a node is reached by
//! going through its intervals from the highest to the lowest: a suffix reaches the goal by steps on deeper layers, or
//! by a step on this one into the interval above, whose answer is already complete. Within one interval nothing changes:
//! the answer for its highest position is closed under both kinds of step, hence it is the answer for all of them.
//! Iterating gives the same node: on 10 philosophers with 5,000 events after 175 rounds and thousands of times as long
//! (`tests/diagram/speed.rs`). Saturation would order those rounds better, but leaves more than one pass.

use super::boolean::Refinement;
use super::memo::Operation;
use super::{Forest, Node};
use causet_base::budget::Spent;

impl Forest<'_> {
    /// The points from which steps of one position lead through `hold` to `goal`: E\[hold U goal\].
    ///
    /// Every step between two cuts is one that the run can take, so with sets of cuts the result is exact.
    pub fn until(&mut self, hold: Node, goal: Node) -> Result<Node, Spent> {
        self.begin();
        self.until_from(hold, goal)
    }

    /// The points that have one position lower by one than a point of the set.
    ///
    /// Some of them may be no cuts; an intersection with all cuts takes those away (paper IST, Lemma 5).
    pub fn before(&mut self, set: Node) -> Result<Node, Spent> {
        self.begin();
        self.before_from(set, None, 0)
    }

    /// The points of `within` that have one position lower by one than a point of the set.
    ///
    /// The same as [`Self::before`] and an intersection, without the points in between that are no cuts: there can be
    /// many times more nodes for those than for the result.
    pub fn before_within(&mut self, set: Node, within: Node) -> Result<Node, Spent> {
        self.begin();
        self.before_from(set, Some(within), 0)
    }

    fn until_from(&mut self, hold: Node, goal: Node) -> Result<Node, Spent> {
        // Below the last layer one of these holds.
        if hold == Node::EMPTY || goal == Node::EMPTY || hold == goal {
            return Ok(goal);
        }
        if let Some(node) = self.memo.get(Operation::Until, hold.0, goal.0) {
            return Ok(node);
        }
        self.account.tick()?;
        let base = self.draft.len();
        let mut above = Node::EMPTY;
        let mut pairs = Refinement::new(&self.table, hold, goal);
        while let Some((lo, hold, goal)) = pairs.next(&self.table) {
            let step = self.apply(Operation::Intersection, hold, above)?;
            let reached = self.apply(Operation::Union, goal, step)?;
            above = self.until_from(hold, reached)?;
            self.prepend(base, lo, above)?;
        }
        let node = self.seal_reversed(base)?;
        self.remember(Operation::Until, (hold.0, goal.0), node)
    }

    /// One step back, to anywhere or to the points of a set.
    fn before_from(
        &mut self,
        set: Node,
        within: Option<Node>,
        layer: usize,
    ) -> Result<Node, Spent> {
        if set == Node::EMPTY || set == Node::FULL || within == Some(Node::EMPTY) {
            return Ok(Node::EMPTY);
        }
        let key = within.unwrap_or(Node::EMPTY).0;
        if let Some(node) = self.memo.get(Operation::Before, set.0, key) {
            return Ok(node);
        }
        self.account.tick()?;
        let base = self.draft.len();
        let (mut hi, mut above) = (self.lengths[layer], Node::EMPTY);
        let mut pairs = Refinement::new(&self.table, set, within.unwrap_or(set));
        while let Some((lo, here, inner)) = pairs.next(&self.table) {
            let inner = within.and(Some(inner));
            let deeper = self.before_from(here, inner, layer + 1)?;
            let at_hi = self.add_step(deeper, above, inner)?;
            self.prepend(base, hi, at_hi)?;
            if lo < hi {
                let below_hi = self.add_step(deeper, here, inner)?;
                self.prepend(base, lo, below_hi)?;
            }
            (hi, above) = (lo.wrapping_sub(1), here);
        }
        let node = self.seal_reversed(base)?;
        self.remember(Operation::Before, (set.0, key), node)
    }

    /// Adds the suffixes from which a step on this layer leads to `target`.
    fn add_step(
        &mut self,
        suffixes: Node,
        target: Node,
        within: Option<Node>,
    ) -> Result<Node, Spent> {
        let step = match within {
            None => target,
            Some(within) => self.apply(Operation::Intersection, target, within)?,
        };
        self.apply(Operation::Union, suffixes, step)
    }
}
