//! Mark and sweep: what no root reaches goes away, and its memory goes back to the budget.
//!
//! The numbers of the remaining nodes stay, so the caller's nodes stay valid; numbers that became free are given out
//! again. Counting references was the alternative: it costs at every operation, and most runs never need a collection.

use super::{Forest, Node};

impl Forest<'_> {
    /// Keeps only what the roots reach; tells how many nodes went away.
    ///
    /// Every other node of this forest is invalid afterwards.
    pub fn collect(&mut self, roots: &[Node]) -> usize {
        let before = self.nodes();
        self.begin();
        self.memo.clear(&mut self.account);
        self.account.give_back(std::mem::take(&mut self.draft));
        let marked = self.mark(roots);
        let is_marked = |node: Node| marked[node.index()];
        self.table.retain(is_marked, &mut self.account);
        before - self.nodes()
    }

    fn mark(&self, roots: &[Node]) -> Vec<bool> {
        let mut marked = vec![false; self.table.number_bound()];
        marked[Node::EMPTY.index()] = true;
        marked[Node::FULL.index()] = true;
        let mut open = roots.to_vec();
        while let Some(node) = open.pop() {
            marked[node.index()] = true;
            for edge in self.table.edges(node) {
                if !std::mem::replace(&mut marked[edge.child.index()], true) {
                    open.push(edge.child);
                }
            }
        }
        marked
    }
}
