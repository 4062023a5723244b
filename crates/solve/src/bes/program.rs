//! The equations of a formula, before they are told of a system: nodes, their dependencies, blocks and shapes.
//!
//! Nodes that depend on each other form a block, and every other node is a block of its own. What can be known without
//! a system is found out here, once: which nodes are constant, which are mere names of others, which can be read off the
//! steps of a state and need no variable, and which algorithm a block allows.

use std::collections::{HashMap, HashSet};

use super::{Block, Operator, Shape, Sign};

/// What one sub-formula says of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Which solution is meant where the node depends on itself; all nodes of a cycle agree.
    pub sign: Sign,
    /// How the terms are joined.
    pub operator: Operator,
    /// The terms; none at all make a conjunction true and a disjunction false.
    pub terms: Vec<Term>,
}

impl Node {
    /// The value of a node without terms.
    fn empty_value(&self) -> bool {
        !self.operator.decisive()
    }
}

/// A part of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A node at the same state.
    Here(usize),
    /// A node after one step: after some step in a disjunction, after every step in a conjunction.
    Step {
        /// Which steps count: a number the labels are matched with.
        action: usize,
        /// The node.
        to: usize,
    },
    /// Whether an atomic proposition of the state has a truth value.
    Atom {
        /// The number of the proposition.
        atom: u32,
        /// The value it must have.
        truth: bool,
    },
}

impl Term {
    /// The node it speaks of.
    pub fn target(self) -> Option<usize> {
        match self {
            Term::Here(to) | Term::Step { to, .. } => Some(to),
            Term::Atom { .. } => None,
        }
    }
}

/// A formula as nodes, sorted into blocks.
#[derive(Clone, Debug)]
pub struct Program {
    nodes: Vec<Node>,
    /// Where each node stood in the table that was given.
    origins: Vec<usize>,
    main: usize,
    block_of: Vec<usize>,
    blocks: Vec<Block>,
    /// Per block: whether some cycle of it takes no step, so that even a system without cycles leaves it one.
    stands_still: Vec<bool>,
    constants: Vec<Option<bool>>,
    /// How many terms must be looked at to read a node off its state, if it can be read off.
    effort: Vec<Option<usize>>,
}

/// A node that takes more than so many looks at its state is remembered rather than looked at again.
const MOST_EFFORT: usize = 64;

impl Program {
    /// Sorts the nodes that matter for `main`. Nodes that depend on each other must have one sign.
    pub fn new(nodes: Vec<Node>, main: usize) -> Program {
        let (nodes, origins) = simplify(nodes, main);
        let main = 0;
        let components = components(&nodes, main);
        let mut program = Program {
            main,
            origins,
            block_of: vec![usize::MAX; nodes.len()],
            blocks: Vec::new(),
            stands_still: Vec::new(),
            constants: vec![None; nodes.len()],
            effort: vec![None; nodes.len()],
            nodes,
        };
        // Tarjan's algorithm finds what others depend on first; here that comes last.
        for component in components.iter().rev() {
            let block = program.blocks.len();
            for &node in component {
                program.block_of[node] = block;
            }
            program.add_block(component);
        }
        for component in &components {
            program.note_locals(component);
        }
        program
    }

    fn add_block(&mut self, component: &[usize]) {
        let shape = self.shape(component);
        let sign = self.nodes[component[0]].sign;
        debug_assert!(
            component.iter().all(|&node| self.nodes[node].sign == sign),
            "a cycle has one sign"
        );
        self.stands_still.push(self.stands_still(component));
        self.blocks.push(Block { sign, shape });
    }

    /// Whether a node of the component depends on itself at the same state.
    fn stands_still(&self, component: &[usize]) -> bool {
        let block = self.block_of[component[0]];
        let here = |node: usize| {
            let terms = self.nodes[node].terms.iter();
            terms.filter_map(move |term| match *term {
                Term::Here(to) if self.block_of[to] == block => Some(to),
                _ => None,
            })
        };
        // Nodes that nothing left depends on are taken away; what is on a cycle, or behind one, is never taken.
        let mut wanted = HashMap::new();
        for &node in component {
            here(node).for_each(|to| *wanted.entry(to).or_insert(0_usize) += 1);
        }
        let mut free: Vec<usize> = component.to_vec();
        free.retain(|node| !wanted.contains_key(node));
        let mut taken = 0;
        while let Some(node) = free.pop() {
            taken += 1;
            for to in here(node) {
                if let Some(count) = wanted.get_mut(&to) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(to);
                    }
                }
            }
        }
        taken < component.len()
    }

    fn shape(&self, component: &[usize]) -> Shape {
        let block = self.block_of[component[0]];
        let own = |node: usize| {
            let terms = self.nodes[node].terms.iter();
            terms.filter(move |term| term.target().is_some_and(|to| self.block_of[to] == block))
        };
        if component.len() == 1 && own(component[0]).next().is_none() {
            return Shape::Acyclic;
        }
        let allows = |operator: Operator| {
            component.iter().all(|&node| {
                let steps = own(node).any(|term| matches!(term, Term::Step { .. }));
                self.nodes[node].operator == operator || (!steps && own(node).count() <= 1)
            })
        };
        if allows(Operator::Or) {
            Shape::Disjunctive
        } else if allows(Operator::And) {
            Shape::Conjunctive
        } else {
            Shape::General
        }
    }

    /// Which nodes of a component are constant, or local: what they depend on has been looked at already.
    fn note_locals(&mut self, component: &[usize]) {
        let &[node] = component else { return };
        if self.blocks[self.block_of[node]].shape != Shape::Acyclic {
            return;
        }
        let terms = &self.nodes[node].terms;
        if terms.is_empty() {
            self.constants[node] = Some(self.nodes[node].empty_value());
        }
        let effort = terms.iter().map(|term| match *term {
            Term::Atom { .. } => Some(1),
            Term::Here(to) => self.effort[to],
            Term::Step { to, .. } => self.constants[to].map(|_| 1),
        });
        let effort: Option<usize> = effort.sum();
        self.effort[node] = effort.filter(|&effort| effort <= MOST_EFFORT);
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Where a node stood in the table that was given.
    pub fn origin(&self, node: usize) -> usize {
        self.origins[node]
    }

    /// The node that is asked about.
    pub fn main(&self) -> usize {
        self.main
    }

    /// The block of a node.
    pub fn block_of(&self, node: usize) -> usize {
        self.block_of[node]
    }

    /// The blocks; a node depends on its own block and on later ones.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks on a system without cycles.
    pub(super) fn blocks_without_cycles(&self) -> Vec<Block> {
        let blocks = self.blocks.iter().zip(&self.stands_still);
        blocks
            .map(|(block, &still)| Block {
                shape: if still { block.shape } else { Shape::Acyclic },
                ..*block
            })
            .collect()
    }

    /// The value of a node that has the same one everywhere.
    pub fn constant(&self, node: usize) -> Option<bool> {
        self.constants[node]
    }

    /// Whether a node can be read off a state and its steps, at the cost of looking at each once.
    pub fn is_local(&self, node: usize) -> bool {
        self.effort[node].is_some()
    }

    /// Per node: whether it is a term of one other node only, at the same state.
    pub(super) fn private(&self) -> Vec<bool> {
        let mut uses = uses(&self.nodes, self.main);
        for term in self.nodes.iter().flat_map(|node| &node.terms) {
            if let Term::Step { to, .. } = *term {
                uses[to] = usize::MAX;
            }
        }
        uses.into_iter().map(|count| count == 1).collect()
    }

    /// The nodes that need variables when local nodes are read off their states: all others, and those that are asked
    /// about from another state, lest a state with many predecessors be looked at for each.
    pub fn stored(&self) -> Vec<usize> {
        let mut needed = vec![false; self.nodes.len()];
        needed[self.main] = true;
        for node in &self.nodes {
            for term in &node.terms {
                match *term {
                    Term::Here(to) => needed[to] |= !self.is_local(to),
                    Term::Step { to, .. } => needed[to] |= self.constants[to].is_none(),
                    Term::Atom { .. } => {}
                }
            }
        }
        (0..needed.len()).filter(|&node| needed[node]).collect()
    }
}

/// The nodes that `main` depends on, itself first, with constants taken in and names of other nodes replaced by these;
/// and where each of them stood.
fn simplify(mut nodes: Vec<Node>, main: usize) -> (Vec<Node>, Vec<usize>) {
    let order = components(&nodes, main);
    let mut names: Vec<usize> = (0..nodes.len()).collect();
    let mut constants: Vec<Option<bool>> = vec![None; nodes.len()];
    let mut parts = Parts::new(&nodes, main);
    for component in &order {
        for &node in component {
            let (operator, terms) = (nodes[node].operator, std::mem::take(&mut nodes[node].terms));
            let terms = parts.taken_in(operator, terms, &nodes);
            nodes[node].terms = reduced(operator, terms, &names, &constants);
        }
        let &[node] = component.as_slice() else {
            continue;
        };
        parts.alone[node] = nodes[node]
            .terms
            .iter()
            .all(|term| term.target() != Some(node));
        match nodes[node].terms.as_slice() {
            [] => constants[node] = Some(nodes[node].empty_value()),
            &[Term::Here(to)] if to == node => {
                constants[node] = Some(nodes[node].sign.default_value());
                nodes[node].terms.clear();
                let value = nodes[node].sign.default_value();
                nodes[node].operator = if value { Operator::And } else { Operator::Or };
            }
            &[Term::Here(to)] => names[node] = to,
            _ => {}
        }
    }
    keep_reachable(&nodes, names[main], &names)
}

/// Nodes that are a part of one other node only, and could as well be written there.
struct Parts {
    /// Per node: how many terms speak of it.
    uses: Vec<usize>,
    /// Per node: whether it was looked at and does not depend on itself.
    alone: Vec<bool>,
}

impl Parts {
    fn new(nodes: &[Node], main: usize) -> Parts {
        Parts {
            uses: uses(nodes, main),
            alone: vec![false; nodes.len()],
        }
    }

    /// The terms with those of its parts in place of the parts, where they are joined in the same way.
    fn taken_in(&self, operator: Operator, terms: Vec<Term>, nodes: &[Node]) -> Vec<Term> {
        let mut all = Vec::with_capacity(terms.len());
        for term in terms {
            match term {
                Term::Here(to)
                    if self.alone[to]
                        && self.uses[to] == 1
                        && nodes[to].operator == operator
                        && !nodes[to].terms.is_empty() =>
                {
                    all.extend_from_slice(&nodes[to].terms);
                }
                other => all.push(other),
            }
        }
        all
    }
}

/// Per node: how many terms speak of it; the main node is spoken of from outside as well.
fn uses(nodes: &[Node], main: usize) -> Vec<usize> {
    let mut uses = vec![0; nodes.len()];
    uses[main] = 2;
    let terms = nodes.iter().flat_map(|node| &node.terms);
    let targets = terms.filter_map(|term| term.target());
    targets.for_each(|to| uses[to] += 1);
    uses
}

/// A node's terms with names resolved and constants taken in; a deciding constant stands alone.
fn reduced(
    operator: Operator,
    terms: Vec<Term>,
    names: &[usize],
    constants: &[Option<bool>],
) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::with_capacity(terms.len());
    let mut seen = HashSet::with_capacity(terms.len());
    for term in terms {
        let term = match term {
            Term::Here(to) => Term::Here(names[to]),
            Term::Step { action, to } => Term::Step {
                action,
                to: names[to],
            },
            atom @ Term::Atom { .. } => atom,
        };
        match (term, term.target().and_then(|to| constants[to])) {
            (_, Some(value)) if value != operator.decisive() => {}
            (Term::Here(_), Some(_)) => return vec![term],
            _ if !seen.insert(term) => {}
            _ => kept.push(term),
        }
    }
    // What costs least is looked at first.
    kept.sort_by_key(|term| match term {
        Term::Atom { .. } => 0,
        Term::Here(_) => 1,
        Term::Step { .. } => 2,
    });
    kept
}

/// The part of the table that a node depends on, numbered anew.
fn keep_reachable(nodes: &[Node], main: usize, names: &[usize]) -> (Vec<Node>, Vec<usize>) {
    let mut order = vec![main];
    let mut number = vec![usize::MAX; nodes.len()];
    number[main] = 0;
    let mut next = 0;
    while next < order.len() {
        for term in &nodes[order[next]].terms {
            if let Some(to) = term.target().map(|to| names[to])
                && number[to] == usize::MAX
            {
                number[to] = order.len();
                order.push(to);
            }
        }
        next += 1;
    }
    let renumbered = |term: &Term| match *term {
        Term::Here(to) => Term::Here(number[names[to]]),
        Term::Step { action, to } => Term::Step {
            action,
            to: number[names[to]],
        },
        atom @ Term::Atom { .. } => atom,
    };
    let kept = order.iter().map(|&node| Node {
        terms: nodes[node].terms.iter().map(renumbered).collect(),
        ..nodes[node].clone()
    });
    (kept.collect(), order)
}

/// The strongly connected components that `main` reaches, dependencies first (Tarjan).
fn components(nodes: &[Node], main: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut index = vec![usize::MAX; nodes.len()];
    let mut low = vec![0; nodes.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut is_open = vec![false; nodes.len()];
    let mut path: Vec<(usize, usize)> = vec![(main, 0)];
    let mut visited = 0;
    while let Some(&mut (node, ref mut next)) = path.last_mut() {
        if *next == 0 && index[node] == usize::MAX {
            (index[node], low[node]) = (visited, visited);
            visited += 1;
            open.push(node);
            is_open[node] = true;
        }
        if let Some(&term) = nodes[node].terms.get(*next) {
            *next += 1;
            match term.target() {
                Some(to) if index[to] == usize::MAX => path.push((to, 0)),
                Some(to) if is_open[to] => low[node] = low[node].min(index[to]),
                _ => {}
            }
            continue;
        }
        path.pop();
        if let Some(&(parent, _)) = path.last() {
            low[parent] = low[parent].min(low[node]);
        }
        if low[node] == index[node] {
            let at = open.iter().rposition(|&other| other == node).unwrap_or(0);
            let component = open.split_off(at);
            component.iter().for_each(|&member| is_open[member] = false);
            found.push(component);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(sign: Sign, terms: &[Term]) -> Node {
        Node {
            sign,
            operator: Operator::Or,
            terms: terms.to_vec(),
        }
    }

    fn all(sign: Sign, terms: &[Term]) -> Node {
        Node {
            operator: Operator::And,
            ..some(sign, terms)
        }
    }

    fn step(to: usize) -> Term {
        Term::Step { action: 0, to }
    }

    #[test]
    fn no_deadlock_is_one_conjunctive_block() {
        let nodes = vec![
            all(Sign::Nu, &[step(0), Term::Here(1)]),
            some(Sign::Nu, &[step(2)]),
            all(Sign::Nu, &[]),
        ];
        let program = Program::new(nodes, 0);
        let block = Block {
            sign: Sign::Nu,
            shape: Shape::Conjunctive,
        };
        assert_eq!(program.blocks()[0], block);
        assert_eq!(program.blocks_without_cycles()[0].shape, Shape::Acyclic);
        assert_eq!(program.stored(), [0]);
    }

    #[test]
    fn names_and_constants_disappear() {
        let nodes = vec![
            some(Sign::Mu, &[Term::Here(1)]),
            all(Sign::Mu, &[Term::Here(2), Term::Here(3)]),
            all(Sign::Mu, &[]),
            some(Sign::Mu, &[step(3), step(4)]),
            some(Sign::Mu, &[]),
        ];
        let program = Program::new(nodes, 0);
        assert_eq!(program.nodes().len(), 1);
        assert_eq!(program.blocks()[0].shape, Shape::Disjunctive);
    }

    #[test]
    fn a_variable_that_is_itself_has_its_default_value() {
        for sign in [Sign::Mu, Sign::Nu] {
            let program = Program::new(vec![some(sign, &[Term::Here(0)])], 0);
            assert_eq!(program.constant(0), Some(sign.default_value()));
        }
    }

    #[test]
    fn a_cycle_without_a_step_is_noticed() {
        let nodes = vec![
            some(Sign::Mu, &[step(1)]),
            some(Sign::Mu, &[Term::Here(2), step(0)]),
            all(Sign::Mu, &[Term::Here(1), step(0)]),
        ];
        let program = Program::new(nodes, 0);
        assert_eq!(program.blocks_without_cycles()[0].shape, Shape::General);
    }
}
